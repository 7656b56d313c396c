"""Rewrites a question for a search by rule: what only asks is dropped, what is asked for stays, word for word."""

from __future__ import annotations

import re

from ragtester.tasks import QueryRewritten, RewriteQuery
from ragtester.text.languages import base, stop_words
from ragtester.text.normalise import fold, listed
from ragtester.text.quantities import quantities
from ragtester.text.words import words

# Words of asking and of courtesy that the lists of stop words leave in.
_ASKING = {
    "en": listed(
        "please kindly thanks thank hello hi hey dear sorry tell explain show give know need want wonder wondering "
        "find out help question hoping could would can may might ok okay just let look looking"
    ),
    "de": listed(
        "bitte danke hallo guten tag liebe lieber sagen sag erklären erklär zeigen nennen wissen gerne gern mal frage "
        "möchte möchten könnten könntest kannst können würden würde hilf helfen sehr geehrte damen herren vielen dank"
    ),
    "fr": listed(
        "merci bonjour svp plaît dites dire expliquer expliquez savoir voudrais pourriez pouvez aimerais question"
    ),
    "es": listed("gracias hola favor dígame decir decirme explicar saber quisiera podría puede gustaría pregunta"),
    "it": listed("grazie ciao buongiorno favore cortesia dire dirmi spiegare sapere vorrei potrebbe può domanda"),
    "pt": listed("obrigado obrigada olá favor dizer explicar saber gostaria poderia pode pergunta"),
    "nl": listed("graag bedankt hallo alstublieft zeggen uitleggen weten wil zou kunt kunnen vraag dank"),
}
_QUOTED = re.compile(r"[\"“„«][^\"“”„«»]+[\"”“»]|`[^`]+`")
_EDGES = " \t\n?!.,;:？！。、，；：¿¡…()[]{}\"'“”„«»‚‘’"


def rewrite_query(request: RewriteQuery) -> QueryRewritten:
    """The question's content words, codes, numbers and quotations in their order, on one line.

    A question that would be left without a word stays as it is, as does one in a script without spaces.
    """
    code = base(request.language)
    question = " ".join(request.question.split())
    kept = [_bare(question[start:end]) for start, end in _pieces(question) if _says(question, start, end, code)]
    query = " ".join(piece for piece in kept if piece)
    return QueryRewritten(query=query if words(query) else question)


def _bare(piece: str) -> str:
    """Without the marks around it; a quotation loses its quotation marks only."""
    return piece.strip('"“”„«»` ') if _QUOTED.fullmatch(piece) else piece.strip(_EDGES)


def _pieces(question: str) -> list[tuple[int, int]]:
    """Quotations whole, and the words between them."""
    found, done = [], 0
    for quoted in [*_QUOTED.finditer(question), None]:
        end = quoted.start() if quoted else len(question)
        found += [(done + word.start(), done + word.end()) for word in re.finditer(r"\S+", question[done:end])]
        if quoted:
            found.append(quoted.span())
            done = quoted.end()
    return found


def _says(question: str, start: int, end: int, code: str) -> bool:
    """Whether a piece says what is looked for: anything but a word that only asks. Units and "IT" are none."""
    piece = _bare(question[start:end])
    if " " in piece or any(one.start < end and start < one.end for one in quantities(question, code)):
        return True
    if len(piece) > 1 and piece.isupper() and not question.isupper():
        return True
    dropped = stop_words(code) | frozenset(_ASKING.get(code, ()))
    said = words(piece) or [fold(piece)]
    return bool(piece) and fold(piece) not in dropped and not dropped.issuperset(said)
