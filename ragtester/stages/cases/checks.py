"""The checks that every draft passes before it becomes a case.

`CHECKS` maps a name, as rows and manifest count it, to a function that gives the reason in words for the writer, or
None. Two checks are not here because they need more than the draft: `answerable` (`answerable.py`) asks a model,
`not_duplicate` (`duplicates.py`) knows the suite.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from ragtester.stages.cases import phrases
from ragtester.stages.cases.foreign import foreign
from ragtester.stages.cases.quotes import Located, Piece
from ragtester.tasks import Draft
from ragtester.text.keywords import keyword_match
from ragtester.text.languages import base
from ragtester.text.normalise import fold
from ragtester.text.overlap import lexical_overlap
from ragtester.text.quantities import codes, quantities, same_quantity
from ragtester.text.refusal import is_refusal
from ragtester.text.stems import stems
from ragtester.text.words import words

MIN_QUESTION, MAX_QUESTION, MAX_ANSWER = 15, 400, 2000
MIN_QUERY, MIN_WIDE_QUESTION = 8, 6
# Share of the answer's content stems that its quotes (or the question itself) must hold.
SUPPORTED = 0.6
VERBATIM_RUN, VERBATIM_PAIRS = 8, 20
_MARKUP = re.compile(
    r"```|\*\*|</?[a-z][^>]*>|^\s*(?:#{1,6}|[-*•]|\d{1,2}[.)])\s|\[(?:mask|blank|answer|placeholder|insert[^\]]*)\]|_{3,}|\bTODO\b|\bXXX+\b"
    r"|!?\[[^\]]*\]\([^)]*\)",
    re.IGNORECASE,
)
_UNFINISHED = re.compile(r"(?:\.{3}|…|[,;:\-–(])$")
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+")


@dataclass(frozen=True)
class Setting:
    """What a draft is checked against. `pieces` are what its writer saw; `evidence` is where its quotes were found."""

    language: str
    subtype: str
    pieces: tuple[Piece, ...]
    evidence: Located
    refusals: tuple[str, ...]
    max_overlap: float

    def quoted(self, draft: Draft) -> str:
        """The text of the evidence: the located spans where there are any, else the quotes as given."""
        texts = [
            piece.text[max(start, piece.start) - piece.start : end - piece.start]
            for start, end in self.evidence.spans
            for piece in self.pieces
            if start < piece.start + len(piece.text) and end > piece.start
        ]
        return "\n".join(texts) if texts else "\n".join(draft.quotes)


Check = Callable[[Draft, Setting], str | None]


def well_formed(draft: Draft, _: Setting) -> str | None:
    """Plain text of a sensible length, whole, without markup or placeholders."""
    question = draft.question.strip()
    least = MIN_QUERY if draft.style == "keyword" else MIN_QUESTION
    least = least if _narrow(question) else MIN_WIDE_QUESTION
    if not least <= len(question) <= MAX_QUESTION:
        return f"the question has {len(question)} characters; write {least} to {MAX_QUESTION}"
    answer = draft.expected_answer.strip()
    if not 1 <= len(answer) <= MAX_ANSWER:
        return f"the expected answer has {len(answer)} characters; write 1 to {MAX_ANSWER}"
    return _blemish(question)


def _blemish(question: str) -> str | None:
    if any(unicodedata.category(character) in ("Cc", "Cs", "Co") for character in question):
        return "the question holds line breaks, control or private-use characters"
    found = _MARKUP.search(question)
    if found:
        return f"the question holds markup or a placeholder ({found[0].strip()!r})"
    if _UNFINISHED.search(question):
        return "the question breaks off"
    if question.count("(") != question.count(")") or question.count('"') % 2:
        return "the question has an unpaired bracket or quotation mark"
    return None


def stands_alone(draft: Draft, setting: Setting) -> str | None:
    """Understood by somebody who has never seen the passage."""
    found = phrases.leaning(fold(draft.question), base(setting.language))
    return f"the question leans on a text that its reader does not see ({found!r}); name it" if found else None


def not_yes_no(draft: Draft, setting: Setting) -> str | None:
    """Yes or no is no answer to it."""
    language = base(setting.language)
    reason = "the question can be answered with yes or no; ask for the fact itself"
    if phrases.YES_NO_ANSWERS.match(fold(draft.expected_answer)) and not is_refusal(
        draft.expected_answer, setting.refusals, language
    ):
        return reason
    last = fold(_SENTENCE_END.split(draft.question.strip())[-1])
    if not last.endswith(("?", "？", "؟")):
        return None
    clauses = [last, last.rpartition(", ")[2]]
    return reason if any(phrases.starts_as_yes_no(clause.lstrip("\"'"), language) for clause in clauses) else None


def same_language(draft: Draft, setting: Setting) -> str | None:
    """In the document's language."""
    return foreign(draft.question, " ".join(piece.text[:4000] for piece in setting.pieces), setting.language)


def evidence_located(draft: Draft, setting: Setting) -> str | None:
    """Every quote stands in the passages."""
    if not draft.quotes:
        return "no quote was given; copy the sentences that the answer rests on"
    if setting.evidence.missing:
        return f"this quote does not stand in the passages letter for letter: {setting.evidence.missing[0][:160]!r}"
    return None


def several_sections(_: Draft, setting: Setting) -> str | None:
    """A question over several passages quotes at least two of them."""
    if setting.subtype != "multi" or len(setting.evidence.labels) >= 2:
        return None
    return "the quotes come from one passage only; ask what needs at least two passages and quote both"


def keywords_in_expected(draft: Draft, setting: Setting) -> str | None:
    """There are keywords, and each occurs in the expected answer."""
    if not any(fold(keyword) for keyword in draft.keywords):
        return "no keyword was given; name one to five that every right answer must hold"
    _, missing = keyword_match(draft.keywords, draft.expected_answer, setting.language)
    return f"the expected answer does not hold the keyword(s) {', '.join(map(repr, missing))}" if missing else None


def supported(draft: Draft, setting: Setting) -> str | None:
    """The quotes hold what the expected answer says: all its numbers and codes, and most of its content words."""
    if is_refusal(draft.expected_answer, setting.refusals, setting.language):
        return "the expected answer is a refusal, but the passages answer a question of this type"
    reason = unsupported(draft.expected_answer, setting.quoted(draft), draft.question, setting.language)
    return f"the quotes do not support the expected answer: {reason}" if reason else None


def unsupported(answer: str, evidence: str, question: str, language: str) -> str | None:
    """What of an answer is in neither evidence nor question, in words; None where it is supported."""
    evidence = " ".join(evidence.split())  # a line may end between a number and its unit
    known = [*quantities(evidence, language), *quantities(question, language)]
    worded = answer
    for quantity in quantities(answer, language):
        # "250 kPa" may stand there as "2.5 bar": its words are settled by its value.
        worded = worded[: quantity.start] + " " * (quantity.end - quantity.start) + worded[quantity.end :]
        if not any(same_quantity(quantity, other) for other in known):
            return f"{answer[quantity.start : quantity.end]!r} is not in them"
    strange = codes(answer, language) - codes(evidence, language) - codes(question, language)
    if strange:
        return f"{min(strange)!r} is not in them"
    said = dict.fromkeys(stems(worded, language))
    held = set(stems(evidence, language)) | set(stems(question, language))
    lacking = [stem for stem in said if stem not in held]
    if said and len(lacking) > (1 - SUPPORTED) * len(said):
        return f"they lack {', '.join(map(repr, lacking[:5]))}"
    return None


def no_leak(draft: Draft, setting: Setting) -> str | None:
    """Nothing of the answer stands in the question."""
    question = draft.question
    _, missing = keyword_match(draft.keywords, question, setting.language)
    shown = [keyword for keyword in draft.keywords if fold(keyword) and keyword not in missing]
    if shown:
        return f"the question gives away {shown[0]!r}, which is a keyword of the answer"
    asked = set(stems(question, setting.language))
    if not [stem for stem in stems(draft.expected_answer, setting.language) if stem not in asked]:
        return "the question already holds the whole answer"
    return None


def copies_passage(draft: Draft, setting: Setting) -> str | None:
    """In other words than its evidence."""
    overlap = lexical_overlap(draft.question, setting.quoted(draft), setting.language)
    if overlap > setting.max_overlap:
        return f"{overlap:.0%} of the question's words are the evidence's own; use other words"
    # Scripts without spaces are read in pairs of characters: two or three of them are a word.
    run = VERBATIM_RUN if _narrow(draft.question) else VERBATIM_PAIRS
    if _shares_run(words(draft.question), [_words(piece.text) for piece in setting.pieces], run):
        return f"{VERBATIM_RUN} words or more in a row are copied from the passage; use other words"
    return None


def refusal_expected(draft: Draft, setting: Setting) -> str | None:
    """A question that cannot be answered expects the refusal phrase."""
    if is_refusal(draft.expected_answer, setting.refusals, setting.language):
        return None
    return "the expected answer must be exactly the refusal phrase: the question may not be answerable"


CHECKS: dict[str, Check] = {
    "well_formed": well_formed,
    "stands_alone": stands_alone,
    "not_yes_no": not_yes_no,
    "language": same_language,
    "evidence_located": evidence_located,
    "several_sections": several_sections,
    "keywords_in_expected": keywords_in_expected,
    "supported": supported,
    "no_leak": no_leak,
    "copies_passage": copies_passage,
    "refusal_expected": refusal_expected,
}
REJECTION = ("well_formed", "stands_alone", "not_yes_no", "language", "refusal_expected")
POSITIVE = tuple(name for name in CHECKS if name != "refusal_expected")
# Without these a case cannot be run or judged; the rest is strategy, which the baseline must do without.
MECHANICAL = ("well_formed", "evidence_located", "keywords_in_expected")


def failed(draft: Draft, setting: Setting, names: tuple[str, ...]) -> dict[str, str]:
    """Names of the checks that a draft fails, each with its reason, in the order of `names`."""
    reasons = {name: CHECKS[name](draft, setting) for name in names}
    return {name: reason for name, reason in reasons.items() if reason}


def _narrow(text: str) -> bool:
    return sum(unicodedata.east_asian_width(character) in "WF" for character in text) * 2 < len(text)


@lru_cache(maxsize=8)
def _words(text: str) -> tuple[str, ...]:
    """The words of a passage, which several drafts are compared with."""
    return tuple(words(text))


def _shares_run(question: list[str], texts: list[tuple[str, ...]], length: int) -> bool:
    """Whether `length` words in a row of the question stand in one of the texts."""
    runs = {tuple(question[at : at + length]) for at in range(len(question) - length + 1)}
    return bool(runs) and any(text[at : at + length] in runs for text in texts for at in range(len(text) - length + 1))
