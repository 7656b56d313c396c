"""A case writer whose replies a reader can predict, for tests of the stage `cases`.

Documents are made of paragraphs that each state one fact: "The <name> turns <number> times a minute ...". The writer
asks "How fast does the <name> spin?" of the first fact it sees.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ragtester.documents import library
from ragtester.documents.files import CorpusFile
from ragtester.provenance import sha256_file, sha256_text
from ragtester.records import Call, Document, Failure, Section, UnreadableDocument
from ragtester.settings import ReadingSettings
from ragtester.tasks import AnswerQuestion, Asked, Draft, Embedder, QuestionAnswered, WriteCases, WrittenCases

FACT = re.compile(r"The (\w+) turns (\d+) times a minute[^.]*\.")
FILLER = (
    "Operators who arrive in the morning walk along the hall and listen for unusual noises before anything else. "
    "Whoever notices an irregularity informs the shift leader, writes a report and waits for further instructions. "
)
REFUSAL = "Insufficient information to answer this question"


def names(prefix: str, count: int) -> list[str]:
    """Invented names, other ones for every prefix; a document's first fact is always of `<Prefix>` itself."""
    chance = random.Random(prefix)
    made = ["".join(chance.choice("bdgklmprtvz") + chance.choice("aou") for _ in range(5)) for _ in range(count)]
    return [prefix, *(name.capitalize() for name in made[1:])]


def document(prefix: str, count: int) -> str:
    """A text of `count` paragraphs, each with two facts of its own."""
    least = 10 * sum(map(ord, prefix))
    facts = [
        f"The {name} turns {least + 7 * place} times a minute while it is awake."
        for place, name in enumerate(names(prefix, 2 * count))
    ]
    return "".join(f"{FILLER}{facts[place]} {facts[place + count]}\n\n" for place in range(count))


def draft_of(request: WriteCases, match: re.Match[str]) -> Draft:
    name, number = match[1], match[2]
    if request.subtype == "invented":
        return Draft(question=f"Who delivered the spare parts of the {name}?", expected_answer=REFUSAL)
    if request.type == "rejection":
        return Draft(question=f"How fast does the {name} spin?", expected_answer=REFUSAL, quotes=(match[0],))
    return Draft(
        question=f"How fast does the {name} spin?",
        expected_answer=f"{number} times a minute",
        keywords=(number,),
        quotes=(match[0],),
        style=request.style,
    )


def together(facts: list[re.Match[str]]) -> Draft:
    names = " and ".join(fact[1] for fact in facts)
    return Draft(
        question=f"At which speeds do {names} spin?",
        expected_answer="; ".join(f"{fact[1]}: {fact[2]} times a minute" for fact in facts),
        keywords=tuple(fact[2] for fact in facts),
        quotes=tuple(fact[0] for fact in facts),
    )


def good_reply(request: WriteCases) -> WrittenCases | Failure:
    facts = [fact for passage in request.passages for fact in FACT.finditer(passage.text)]
    if request.subtype == "multi":
        firsts = [FACT.search(passage.text) for passage in request.passages]
        return WrittenCases(cases=(together([fact for fact in firsts if fact]),))
    if request.subtype == "cross_document":
        facts.reverse()  # its own document asks about the first
    asked = set(request.avoid) | {one.question for one in request.rejected}
    drafts = [draft for draft in (draft_of(request, fact) for fact in facts) if draft.question not in asked]
    if not drafts:
        return Failure(type="no_case", message="no fact is left")
    return WrittenCases(cases=tuple(drafts[: request.count]))


def answer(request: AnswerQuestion) -> QuestionAnswered:
    name = re.search(r"does the (\w+) spin", request.question)
    for section in request.sections:
        for fact in FACT.finditer(section.text):
            if name and fact[1] == name[1]:
                return QuestionAnswered(answer=f"{fact[2]} times a minute", refuses=False, cited=(section.label,))
    return QuestionAnswered(answer=REFUSAL, refuses=True)


class FakeModels:
    """`reply` may give a record, a Failure, or None for the predictable reply; `seen` lists every request."""

    def __init__(self, reply: Callable[[Any], Any] | None = None) -> None:
        self.reply = reply
        self.seen: list[Any] = []

    async def ask(self, model: str, task: Any, request: Any) -> Asked[Any]:
        self.seen.append(request)
        # Later requests are answered earlier, so that nothing may lean on the order of arrival.
        for _ in range(5 - len(self.seen) % 5):
            await asyncio.sleep(0)
        given = self.reply(request) if self.reply else None
        if given is None:
            given = good_reply(request) if isinstance(request, WriteCases) else answer(request)
        call = Call(model=model, served_model=f"{model}-1")
        return Asked(None, call, given) if isinstance(given, Failure) else Asked(given, call)

    def prompt_sha256(self, task: Any) -> str:
        return f"sha of {task.name}"

    def written(self) -> list[WriteCases]:
        return [request for request in self.seen if isinstance(request, WriteCases)]


class LetterEmbedder:
    """A vector of letter counts: equal words, equal vectors."""

    model = "letters"

    async def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [[float(text.lower().count(letter)) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts]

    async def embed_queries(self, texts: list[str]) -> list[list[float]]:
        return await self.embed_documents(texts)


def letters(_: str) -> Embedder:
    return LetterEmbedder()


def corpus(root: Path, **sizes: int) -> None:
    """Write `corpora/<name>.txt` with the given numbers of paragraphs."""
    folder = root / "corpora"
    folder.mkdir(parents=True, exist_ok=True)
    for name, size in sizes.items():
        (folder / f"{name}.txt").write_text(document(name.capitalize(), size), encoding="utf-8")


def read_here(
    files: Sequence[CorpusFile], reading: ReadingSettings, language: str
) -> Iterator[tuple[Document, str] | UnreadableDocument]:
    """Reads plain English texts in this process, which saves starting others; leaves other files to the real reader."""
    if any(file.path.suffix != ".txt" for file in files):
        yield from library.read_corpus(files, reading, language)
        return
    for file in files:
        text = file.path.read_text(encoding="utf-8")
        yield (
            Document(
                id=file.id,
                path=file.relative,
                source=file.source,
                format="txt",
                sha256=sha256_file(file.path),
                text_sha256=sha256_text(text),
                language="en",
                characters=len(text),
            ),
            text,
        )


def cut_paragraphs(text: str, document_id: str, count: int, max_tokens: int, language: str) -> list[Section]:
    """Every paragraph is a section, the later the harder."""
    ends = [found.end() for found in re.finditer(r"\n\n", text)]
    return [
        Section(
            document_id=document_id, ordinal=place, start=start, end=end, kind="prose", tokens=50, flesch=60.0 - place
        )
        for place, (start, end) in enumerate(zip([0, *ends], ends, strict=False))
    ]
