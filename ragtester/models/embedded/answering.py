"""Answers a question by rule: the best supported sentence, or a refusal."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from ragtester.models.embedded.answer_types import Kind, fits, intended, speaks_of, wanted
from ragtester.models.embedded.comparing import conclusion
from ragtester.models.embedded.question_reading import frame_stems, plainly, split
from ragtester.models.embedded.rewording import synonyms
from ragtester.models.embedded.statements import tidy
from ragtester.models.embedded.tables import table_facts
from ragtester.models.embedded.vectors import embed_texts
from ragtester.tasks import AnswerQuestion, Passage, QuestionAnswered
from ragtester.text.languages import base
from ragtester.text.sentences import sentence_spans
from ragtester.text.stems import stems

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Chosen on cases that this engine wrote from English documents; docs/embedded-engine.md has the table.
SUPPORT = 0.48
COVER_WEIGHT = 0.6
# Words this near (cosine of their vectors) count in part as the same word.
NEAR = 0.45
# Added where the sentence is built the way an answer to such a question is.
INTENDED = 0.12
LONGEST = 420
MOST_SEEN = 2_000
_seen: dict[str, NDArray[np.float32]] = {}


@dataclass(frozen=True)
class Sentence:
    """A sentence of a section, with its content stems."""

    text: str
    label: str
    stems: frozenset[str]


@dataclass(frozen=True)
class Support:
    """How well a sentence answers a question: 0 (not at all) to 1."""

    sentence: Sentence
    score: float


def answer_question(request: AnswerQuestion, eager: bool = False) -> QuestionAnswered:
    """The best supported sentence with its section's label, or the first refusal phrase. `eager` hardly refuses."""
    code = base(request.language)
    sentences = _sentences(request.sections, code)
    asked, comparing = split(request.question, code)
    answers: list[Sentence] = []
    for part in asked:
        best = best_support(plainly(part, code), sentences, code, strict=not eager)
        if best is None or (best.score < SUPPORT and not eager) or best.score <= 0:
            return QuestionAnswered(answer=request.refusals[0], refuses=True)
        if best.sentence not in answers:
            answers.append(best.sentence)
    cited = tuple(dict.fromkeys(sentence.label for sentence in answers))
    text = " ".join(_cut(sentence.text) for sentence in answers)
    if comparing and (told := conclusion([sentence.text for sentence in answers], code)):
        text += f" {told}"
    if request.reply_format == "text":
        text += "".join(f" [{label}]" for label in cited)
    return QuestionAnswered(answer=text, refuses=False, cited=cited)


def best_support(question: str, sentences: Sequence[Sentence], code: str, *, strict: bool) -> Support | None:
    """The sentence that supports an answer best; the first one where several do equally. None without sentences.

    Score = 0.6 × idf-weighted share of the question's content stems that the sentence holds (synonyms and near word
    vectors count in part) + 0.4 × cosine of the sentence vectors. `strict` takes a sentence without the kind of
    value that is asked for (a date, a duration, a number) out of the running.
    """
    if not sentences:
        return None
    kind = wanted(question, code)
    terms = _terms(question, kind, code)
    weights = _weights(terms, sentences)
    near = _near(terms, sentences, code)
    similar = _similar(question, sentences)
    best: Support | None = None
    for sentence, cosine in zip(sentences, similar, strict=True):
        cover = _cover(near, sentence, weights)
        score = COVER_WEIGHT * cover + (1 - COVER_WEIGHT) * max(0.0, cosine)
        score = _judged(score, question, sentence, terms, code)
        if cover <= 0 or (strict and not (_gives(kind, sentence, code) and speaks_of(question, sentence.text, code))):
            score = 0.0
        if best is None or score > best.score + 1e-9:
            best = Support(sentence, score)
    return best


def _terms(question: str, kind: Kind, code: str) -> list[str]:
    """What the question is about: its stems without those that only ask or set a scene."""
    found = kind.rest(stems(question, code))
    # A scene takes a sentence of its own; what is asked in one sentence has none.
    frame = (
        frame_stems(code)
        if len(sentence_spans(question, code)) > 1 or not question.endswith(("?", "？"))
        else frozenset[str]()
    )
    return [stem for stem in found if stem not in frame] or found


def _gives(kind: Kind, sentence: Sentence, code: str) -> bool:
    """Whether the sentence holds a value of the kind asked for, and names what is counted."""
    counted = {kind.counted} | synonyms(kind.counted, code)
    return fits(kind.name, sentence.text, code) and (not kind.counted or bool(counted & sentence.stems))


def _judged(score: float, question: str, sentence: Sentence, terms: Sequence[str], code: str) -> float:
    """Headings, questions, halves cut off at a chunk's end and echoes of the question are poor answers."""
    if not sentence.text.rstrip("\"'”’»)").endswith((".", "!", "。", "！")):
        score *= 0.6
    if len(sentence.stems - set(terms)) < 1:
        score *= 0.3
    return score + INTENDED if score and intended(question, sentence.text, code) else score


def _sentences(sections: Sequence[Passage], code: str) -> list[Sentence]:
    return [
        Sentence(text, section.label, held)
        for section in sections
        for text, held in (*_cut_sentences(section.text, code), *_rows(section.text, code))
    ]


@lru_cache(maxsize=512)
def _cut_sentences(text: str, code: str) -> tuple[tuple[str, frozenset[str]], ...]:
    found = []
    for start, end in sentence_spans(text, code):
        line = tidy(text[start:end])
        held = frozenset(stems(line, code))
        if len(held) >= 2 and len(re.findall(r"\w", line)) >= 8:
            found.append((line, held))
    return tuple(found)


@lru_cache(maxsize=512)
def _rows(text: str, code: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """Each cell of a table as a sentence: its row's label, its head and its value."""
    told = (found.answer for found, _, _ in table_facts(text, code))
    return tuple((line, frozenset(stems(line, code))) for line in told)


def _weights(terms: Sequence[str], sentences: Sequence[Sentence]) -> dict[str, float]:
    """Inverse document frequency over the sentences; a term that none holds weighs as much as the rarest."""
    counts = Counter(stem for sentence in sentences for stem in sentence.stems)
    return {term: math.log(1 + len(sentences) / max(1, counts[term])) for term in terms}


def _near(terms: Sequence[str], sentences: Sequence[Sentence], code: str) -> dict[str, dict[str, float]]:
    """For each term, the sentences' stems that count as it, and how much: itself 1, a synonym 0.8, a near word less."""
    import numpy as np

    held = sorted({stem for sentence in sentences for stem in sentence.stems})
    long = [stem for stem in held if len(stem) > 3]
    matrix = _vectors(long)
    known = set(held)
    found: dict[str, dict[str, float]] = {}
    for term in dict.fromkeys(terms):
        equal = dict.fromkeys(synonyms(term, code) & known, 0.8)
        if term not in known and long and len(term) > 3:
            cosines = matrix @ _vectors([term])[0]
            equal |= {long[place]: 0.6 * float(cosines[place]) for place in np.flatnonzero(cosines >= NEAR)}
        found[term] = equal | ({term: 1.0} if term in known else {})
    return found


def _cover(near: dict[str, dict[str, float]], sentence: Sentence, weights: dict[str, float]) -> float:
    total = sum(weights[term] for term in near)
    if total <= 0:
        return 0.0
    held = (
        weights[term] * max((worth for stem, worth in equal.items() if stem in sentence.stems), default=0.0)
        for term, equal in near.items()
    )
    return sum(held) / total


def _similar(question: str, sentences: Sequence[Sentence]) -> list[float]:
    rows = _vectors([question, *(sentence.text for sentence in sentences)])
    return [float(cosine) for cosine in rows[1:] @ rows[0]]


def _vectors(texts: Sequence[str]) -> NDArray[np.float32]:
    """One row a text; texts that were seen before are not embedded again."""
    import numpy as np

    found = {text: _seen.get(text) for text in dict.fromkeys(texts)}
    missing = [text for text, vector in found.items() if vector is None]
    if missing:
        fresh = dict(zip(missing, embed_texts(missing), strict=True))
        found.update(fresh)
        if len(_seen) > MOST_SEEN:
            _seen.clear()
        _seen.update(fresh)
    rows = [found[text] for text in texts]
    return np.stack([row for row in rows if row is not None]) if rows else np.zeros((0, 1), dtype=np.float32)


def _cut(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    return text[:LONGEST].rsplit(" ", 1)[0].rstrip(",;:") + " …"
