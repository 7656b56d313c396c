"""Which language a text is written in."""

from __future__ import annotations

import re
from functools import lru_cache
from threading import Lock
from typing import Any

from ragtester.text.normalise import listed

UNKNOWN = "und"
_SAMPLES = 8
_SAMPLE_CHARACTERS = 600
_MIN_LETTERS = 20
_MIN_CJK = 6
_MIN_PROBABILITY = 0.4
# Languages that documents are published in; the model knows some sixty more, which short texts are mistaken for.
_CODES = (
    "af am ar az be bg bn bs ca cs cy da de el en eo es et eu fa fi fr ga gl gu he hi hr hu hy id is it ja ka kk km kn "
    "ko la lb lo lt lv mk ml mn mr ms mt my ne nl nn no pa pl ps pt ro ru sk sl sq sr sv sw ta te th tl tr uk ur uz vi "
    "zh"
)
_LETTER = re.compile(r"[^\W\d_]")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_CODE = re.compile(r"```.*?(?:```|\Z)|https?://\S+|\S+@\S+|\{[^{}]*\}", re.DOTALL)
_LOCK = Lock()


def detect(text: str) -> str:
    """ISO 639-1 code of the language that most of the text is in, or "und" where it cannot be told.

    Long texts are sampled at evenly spread places, each place votes with its letters; the classifier is py3langid's
    packaged model (no download). Texts of fewer than 20 letters (6 for Chinese, Japanese and Korean) are "und".
    """
    votes: dict[str, int] = {}
    for sample in _samples(_CODE.sub(" ", text) if len(text) < 200_000 else text):
        letters = len(_LETTER.findall(sample))
        if letters < _MIN_LETTERS and len(_CJK.findall(sample)) < _MIN_CJK:
            continue
        code = _classify(sample)
        votes[code] = votes.get(code, 0) + letters
    return max(sorted(votes), key=lambda code: votes[code], default=UNKNOWN)


def _samples(text: str) -> list[str]:
    if len(text) <= _SAMPLES * _SAMPLE_CHARACTERS:
        return [text]
    step = (len(text) - _SAMPLE_CHARACTERS) // (_SAMPLES - 1)
    return [_CODE.sub(" ", text[at : at + _SAMPLE_CHARACTERS]) for at in range(0, _SAMPLES * step, step)]


def _classify(text: str) -> str:
    with _LOCK:
        code, probability = _identifier().classify(text)
    return str(code) if probability >= _MIN_PROBABILITY else UNKNOWN


@lru_cache(maxsize=1)
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(listed(_CODES))
    return identifier
