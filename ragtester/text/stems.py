"""Stems by Snowball, cached a word at a time."""

from __future__ import annotations

from functools import lru_cache
from threading import Lock
from typing import Any

from ragtester.text.languages import base, stop_words
from ragtester.text.normalise import listed
from ragtester.text.words import words

_ALGORITHMS = {
    "ar": "arabic", "hy": "armenian", "eu": "basque", "ca": "catalan", "cs": "czech", "da": "danish", "nl": "dutch",
    "en": "english", "eo": "esperanto", "et": "estonian", "fi": "finnish", "fr": "french", "de": "german",
    "el": "greek", "hi": "hindi", "hu": "hungarian", "id": "indonesian", "ga": "irish", "it": "italian",
    "lt": "lithuanian", "ne": "nepali", "nb": "norwegian", "nn": "norwegian", "no": "norwegian", "fa": "persian",
    "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "es": "spanish",
    "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip
# Common English forms that no suffix rule reaches.
_IRREGULAR = dict(
    pair.split(":")
    for pair in listed(
        "kept:keep held:hold made:make given:give gave:give taken:take took:take found:find sent:send built:build "
        "written:write wrote:write shown:show done:do did:do gone:go went:go seen:see saw:see known:know knew:know "
        "left:leave lost:lose met:meet paid:pay said:say sold:sell told:tell thought:think brought:bring bought:buy "
        "chosen:choose chose:choose driven:drive drove:drive begun:begin began:begin broken:break broke:break "
        "fallen:fall fell:fall fed:feed led:lead ran:run stood:stand stored:store struck:strike taught:teach "
        "understood:understand won:win worn:wear wore:wear spoken:speak spoke:speak stolen:steal grown:grow grew:grow "
        "men:man women:woman children:child feet:foot teeth:tooth people:person mice:mouse criteria:criterion "
        "analyses:analysis indices:index vertices:vertex better:good best:good worse:bad worst:bad"
    )
)
_lock = Lock()


@lru_cache(maxsize=64)
def _stemmer(code: str) -> Any:
    import snowballstemmer

    algorithm = _ALGORITHMS.get(code)
    return snowballstemmer.stemmer(algorithm) if algorithm else None


@lru_cache(maxsize=1 << 14)
def stem(word: str, code: str) -> str:
    """Stem of one folded word; the word itself where the language has no stemmer."""
    if code == "en":
        word = _IRREGULAR.get(word.removesuffix("'s"), word.removesuffix("'s"))
    with _lock:  # a Snowball stemmer holds the word it works on
        stemmer = _stemmer(code)
        return str(stemmer.stemWord(word)) if stemmer else word


def stems(text: str, language: str, *, keep_stop_words: bool = False) -> list[str]:
    """Stems of a text's words in order, without stop words unless `keep_stop_words`."""
    code = base(language)
    dropped = frozenset() if keep_stop_words else stop_words(code)
    return [stem(word, code) for word in words(text) if word not in dropped]
