"""Whether a document answers a question that it should not: retrieval in memory, then a model that tries."""

from __future__ import annotations

import asyncio
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragtester.records import Failure
from ragtester.stages.cases.checks import unsupported
from ragtester.stages.cases.quotes import Piece
from ragtester.tasks import (
    ANSWER_QUESTION,
    STOPPING_FAILURES,
    TRANSIENT_FAILURES,
    AnswerQuestion,
    Embedder,
    Models,
    Passage,
)
from ragtester.text.refusal import is_refusal
from ragtester.text.stems import stems

if TYPE_CHECKING:
    import numpy

EMBEDDING = "embedded:wordllama"
WINDOW, STEP = 800, 600
TOP = 6
# Okapi BM25 (Robertson and Zaragoza 2009), usual constants; reciprocal rank fusion (Cormack et al. 2009).
K1, B, FUSION = 1.2, 0.75, 60
_SPACE = re.compile(r"\s")


@dataclass(frozen=True)
class Finding:
    """What the check came to: a reason why the question counts as answerable, or a failure of the call, or neither."""

    reason: str | None = None
    failure: Failure | None = None
    served_model: str | None = None


class Retriever:
    """Overlapping windows of one document, ranked by vectors and by words; built when first asked."""

    def __init__(self, text: str, language: str, embedder: Embedder) -> None:
        self._text, self._language, self._embedder = text, language, embedder
        self._lock = asyncio.Lock()
        self._windows: list[str] = []
        self._vectors: numpy.ndarray[Any, Any] | None = None
        self._counts: list[Counter[str]] = []
        self._rarity: dict[str, float] = {}

    async def nearest(self, question: str) -> list[str]:
        """The windows that most probably hold an answer, best first, at most `TOP`."""
        async with self._lock:  # several questions may come before the windows are built
            if self._vectors is None:
                await self._build()
        import numpy

        assert self._vectors is not None
        vector = numpy.asarray((await self._embedder.embed_queries([question]))[0])
        dense = numpy.argsort(-(self._vectors @ _unit(vector)), kind="stable")
        scores = self._lexical(question)
        lexical = sorted(range(len(scores)), key=lambda index: (-scores[index], index))
        fused: dict[int, float] = {}
        for ranking in (dense.tolist(), [index for index in lexical if scores[index] > 0]):
            for rank, index in enumerate(ranking[: 4 * TOP]):
                fused[index] = fused.get(index, 0.0) + 1 / (FUSION + rank)
        best = sorted(fused, key=lambda index: (-fused[index], index))[:TOP]
        return [self._windows[index] for index in best]

    async def _build(self) -> None:
        import numpy

        self._windows = windows(self._text)
        self._vectors = numpy.asarray(
            [_unit(numpy.asarray(one)) for one in await self._embedder.embed_documents(self._windows)]
        )
        self._counts = [Counter(stems(window, self._language)) for window in self._windows]
        held = Counter(stem for count in self._counts for stem in count)
        total = len(self._windows)
        self._rarity = {stem: math.log(1 + (total - number + 0.5) / (number + 0.5)) for stem, number in held.items()}

    def _lexical(self, question: str) -> list[float]:
        asked = dict.fromkeys(stems(question, self._language))
        mean = sum(count.total() for count in self._counts) / len(self._counts) or 1.0
        return [
            sum(
                self._rarity.get(stem, 0.0)
                * count[stem]
                * (K1 + 1)
                / (count[stem] + K1 * (1 - B + B * count.total() / mean))
                for stem in asked
            )
            for count in self._counts
        ]


def windows(text: str) -> list[str]:
    """Overlapping stretches of about `WINDOW` characters, cut at white space where there is some near."""
    cuts = []
    start = 0
    while start < len(text):
        end = min(len(text), start + WINDOW)
        if end < len(text):
            space = next((found.start() for found in _SPACE.finditer(text, end - 100, end + 100)), None)
            end = space or end
        cuts.append(text[start:end])
        if end >= len(text):
            break
        start += STEP
    return [cut for cut in cuts if cut.strip()] or [text]


async def answerable(
    models: Models,
    model: str,
    question: str,
    language: str,
    found: Sequence[str],
    donor: tuple[Piece, ...],
    refusals: tuple[str, ...],
) -> Finding:
    """Let `model` try to answer from the windows `found`.

    The question counts as answerable where the answer is supported by the windows, or agrees with the donor's text
    that the model has not seen (common knowledge). An answer that neither supports is an invention: that is what a
    rejection case is there to provoke.
    """
    sections = tuple(Passage(label=f"window-{number}", text=text) for number, text in enumerate(found, start=1))
    request = AnswerQuestion(language=language, question=question, sections=sections, refusals=refusals)
    asked = await models.ask(model, ANSWER_QUESTION, request)
    if asked.reply is None:
        failure = asked.failure or Failure(type="empty", message="no reply")
        if failure.type in STOPPING_FAILURES | TRANSIENT_FAILURES:
            return Finding(failure=failure)
        return Finding(reason=f"it could not be checked whether the document answers the question ({failure.message})")
    answer, served = asked.reply.answer, asked.call.served_model
    if asked.reply.refuses or not answer.strip() or is_refusal(answer, refusals, language):
        return Finding(served_model=served)
    for evidence, where in (
        ("\n".join(found), "the document answers it"),
        ("\n".join(one.text for one in donor), "it is common knowledge"),
    ):
        if evidence and _says(answer, question, evidence, language):
            return Finding(
                reason=f"the question must not be answerable, but {where}: {answer[:200]!r}", served_model=served
            )
    return Finding(served_model=served)


def _says(answer: str, question: str, evidence: str, language: str) -> bool:
    """Whether the evidence supports an answer that says anything beyond the question."""
    asked = set(stems(question, language))
    new = [stem for stem in stems(answer, language) if stem not in asked]
    return bool(new) and unsupported(answer, evidence, question, language) is None


def _unit(vector: numpy.ndarray[Any, Any]) -> numpy.ndarray[Any, Any]:
    import numpy

    length = float(numpy.linalg.norm(vector))
    return vector / length if length else vector
