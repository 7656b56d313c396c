"""The embedded writer: a hard, realistic document from a fact base, the same for the same request.

It is no language model. It knows the subjects of the folder `subjects` and a general one that takes any topic; it
writes English and German. Every number in its text is a fact that it hands back with the Markdown.
"""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ragtester.errors import UsageError
from ragtester.models.embedded import writing_blocks as blocks
from ragtester.models.embedded.writing_subject import FOLDER, World, subjects
from ragtester.tasks import WriteDocument, WrittenDocument

LANGUAGES = {"english": "en", "en": "en", "german": "de", "deutsch": "de", "de": "de", "auto": "en"}
GENERAL = {"en": "general", "de": "allgemein"}
WORDS_A_PAGE = 420
PROSE_INSTANCES = 60
DEFAULT_WORDS = 1500
# Share of a topic's words that a subject must know to be about it.
ENOUGH = 0.4
_SMALL_WORDS = frozenset(
    {"the", "and", "for", "with", "from", "der", "die", "das", "und", "von", "für", "eine", "einer"}
)
_REFERENCE = re.compile(r"\{ref:(\w+)\}")


@dataclass(frozen=True)
class _Size:
    """How much is written: the share of each section's sentences, and how many instances."""

    share: float
    instances: int


def write_document(request: WriteDocument) -> WrittenDocument:
    """Write a document. Raises UsageError for a language that the embedded writer does not know.

    Length: from about 500 words up to about 9,000; the nearest that the fact base allows.
    """
    language = LANGUAGES.get(request.language.strip().lower())
    if language is None:
        raise UsageError(f"the embedded writer writes English and German, not {request.language}; use another model")
    target = wanted_words(request.length)
    written = None
    for size in _sizes():
        candidate = _write(request, language, size)
        if written is not None and _words(candidate.markdown) > target * 1.1:
            break
        written = candidate
        if _words(candidate.markdown) >= target:
            break
    assert written is not None
    return written


def wanted_words(length: str) -> int:
    """Words that a length in words asks for: "about 1500 words", "4 pages"; 1500 where it names no number."""
    found = re.search(r"(\d[\d.,']*)\s*(\w*)", length)
    if not found:
        return DEFAULT_WORDS
    number = int(re.sub(r"\D", "", found[1]))
    return number * WORDS_A_PAGE if found[2].lower().startswith(("page", "seite")) else number


def _sizes() -> list[_Size]:
    small = [_Size(0.3, 0), _Size(0.5, 2), _Size(0.75, 3)]
    return small + [_Size(1.0, count) for count in (3, 5, 7, 9, 12, 16, 24, 36, 50, 70, 100, 140, 200)]


def _words(text: str) -> int:
    return len(text.split())


@lru_cache
def _language_words(language: str) -> dict[str, Any]:
    data: dict[str, dict[str, Any]] = json.loads((FOLDER / "words.json").read_text(encoding="utf-8"))
    return data[language]


def choose_subject(request: WriteDocument, language: str) -> str:
    """The subject that shares most words with the topic, or the general one; without a topic, one by seed."""
    known = subjects(language)
    if not request.topic:
        names = sorted(set(known) - {GENERAL[language]})
        round_ = random.Random(f"subject {request.seed // len(names)}")  # noqa: S311 - reproducible, not secret
        return names[(request.seed + round_.randrange(len(names))) % len(names)]
    words = {word for word in re.findall(r"\w{3,}", request.topic.lower()) if word not in _SMALL_WORDS}
    stems = words | {word.removesuffix("s") for word in words}
    scores = {
        name: sum(
            keyword in stems or (" " in keyword and keyword in request.topic.lower()) for keyword in data["keywords"]
        )
        for name, data in known.items()
    }
    best = max(scores, key=lambda name: (scores[name], name))
    return best if scores[best] >= ENOUGH * len(words) and scores[best] else GENERAL[language]


def _write(request: WriteDocument, language: str, size: _Size) -> WrittenDocument:
    subject = subjects(language)[choose_subject(request, language)]
    pick = random.Random(f"{request.seed}|{request.topic}|{request.language}")  # noqa: S311 - reproducible, not secret
    world = World(subject, _language_words(language), pick, request.topic or subject["topic"])
    name = _one_line(request.name) if request.name else world.fill(pick.choice(subject["names"]))
    markdown = _Composer(world, request, size).compose(name)
    facts = tuple(fact for fact in world.facts if fact.value in markdown and fact.subject)
    return WrittenDocument(name=name, markdown=markdown, facts=facts)


def _one_line(text: str) -> str:
    return " ".join(text.split()).lstrip("# ")


class _Composer:
    """Puts one document together: which sections, in which order, with which blocks."""

    def __init__(self, world: World, request: WriteDocument, size: _Size) -> None:
        self.world = world
        self.request = request
        self.size = size
        self.notes = blocks.Notes()
        self.words = world.words
        self.profiles = set(request.profile.split("+"))
        self.numbered = "number" in request.structure.lower() or "nummer" in request.structure.lower()
        self.instances = self._instance_names(max(size.instances, 4))

    def compose(self, name: str) -> str:
        """The whole Markdown."""
        pick = self.world.pick
        content = self._content_titles()
        titles = [pick.choice(self.words["scope"]), *(title for title, _ in content)]
        closing = ["comparison", "instances", "revisions"]
        if self.size.instances == 0:
            closing.remove("instances")
        closing_titles = {
            kind: self.world.subject["instance_title"] if kind == "instances" else pick.choice(self.words[kind])
            for kind in closing
        }
        all_titles = titles + [closing_titles[kind] for kind in closing]
        self._set_references(all_titles, content, closing)
        parts = [f"# {name}", self._meta(), self._heading(all_titles, 0), self._scope()]
        for index, (_title, lines) in enumerate(content, start=1):
            parts += [self._heading(all_titles, index), blocks.paragraphs(self.world, self.notes, self._chosen(lines))]
        for offset, kind in enumerate(closing):
            text = getattr(self, f"_{kind}")()
            if text:
                parts += [self._heading(all_titles, len(titles) + offset), text]
        parts += self._appendices()
        parts.append(self.notes.definitions())
        return "\n\n".join(part for part in parts if part) + "\n"

    def _content_titles(self) -> list[tuple[str, list[Any]]]:
        """Headings with their sentences: the subject's own, or the requested ones filled from them."""
        own = [(section["title"], list(section["lines"])) for section in self.world.subject["sections"]]
        wanted = [_one_line(title) for title in self.request.sections if title.strip()]
        if not wanted:
            return own
        filled: list[tuple[str, list[Any]]] = [(title, []) for title in wanted]
        for position, (title, lines) in enumerate(own):
            words = set(re.findall(r"\w{4,}", title.lower()))
            shared = [len(words & set(re.findall(r"\w{4,}", heading.lower()))) for heading in wanted]
            best = shared.index(max(shared)) if max(shared) else position % len(wanted)
            filled[best][1].extend(lines)
        donors = sorted(filled, key=lambda item: -len(item[1]))
        for _title, lines in filled:
            if not lines:
                lines.append(donors[0][1].pop())
        return filled

    def _set_references(self, titles: list[str], content: list[tuple[str, list[Any]]], closing: list[str]) -> None:
        places = {str(index): index + 1 for index in range(len(content))}
        if "instances" in closing:
            places["instances"] = 1 + len(content) + closing.index("instances")
        form = "section" if self.numbered else "section_named"
        self.world.references = {
            key: self.words[form].format(number=place + 1, title=titles[place]) for key, place in places.items()
        }

    def _heading(self, titles: list[str], index: int) -> str:
        return f"## {index + 1} {titles[index]}" if self.numbered else f"## {titles[index]}"

    def _meta(self) -> str:
        pick = self.world.pick
        # Always later than the dates that subjects draw, so that nothing is superseded in the future.
        date = self.world.date((2026, pick.randint(1, 9), pick.randint(1, 28)))
        text = pick.choice(self.words["meta"])
        return str(text.format(issuer=self.world.issuer, edition=pick.randint(2, 9), date=date))

    def _scope(self) -> str:
        lines = [line for line in self.world.subject["scope"] if self._resolvable(line)]
        return "\n\n".join(self.world.fill(line) for line in lines)

    def _chosen(self, lines: list[Any]) -> list[str]:
        """The first or all sentences, one variant of each; none is skipped, for later ones build on earlier ones."""
        pick = self.world.pick
        usable = [line for line in lines if self._resolvable(line if isinstance(line, str) else line[0])]
        count = max(2, round(self.size.share * len(usable)))
        return [line if isinstance(line, str) else pick.choice(line) for line in usable[:count]]

    def _resolvable(self, line: str) -> bool:
        return all(key in self.world.references for key in _REFERENCE.findall(line))

    def _comparison(self) -> str:
        lead = self.world.pick.choice(self.words["comparison_lead"])
        by_code = self._by_code()
        if by_code:
            lead += " " + self.words["codes_lead_tables"].format(ref=self._appendix_label("B"))
        parts = [lead, blocks.comparison(self.world, by_code=by_code)]
        if "figures" in self.profiles:
            parts.append(blocks.sibling_figure(self.world, 1))
        return "\n\n".join(parts)

    def _instances(self) -> str:
        world = self.world
        chosen = self.instances[: self.size.instances]
        parts = [world.pick.choice(self.words["instance_lead"])]
        prose = [blocks.instance_prose(world, name) for name in chosen[:PROSE_INSTANCES]]
        parts += blocks.grouped(world, prose)
        if "tables" in self.profiles or len(chosen) >= 5:
            columns = 2 if "two_columns" in self.profiles else 4
            parts.append(blocks.instance_table(world, chosen, columns))
        if "figures" in self.profiles or (len(chosen) >= 5 and world.pick.random() < 0.25):
            parts.append(blocks.figure(world, chosen, 2 if "figures" in self.profiles else 1))
        return "\n\n".join(parts)

    def _revisions(self) -> str:
        rows = blocks.revisions(self.world)
        return f"{self.world.pick.choice(self.words['revisions_lead'])}\n\n{rows}" if rows else ""

    def _appendices(self) -> list[str]:
        pick = self.world.pick
        first = f"## {self._appendix_label('A')}: {pick.choice(self.words['codes'])}"
        second = f"## {self._appendix_label('B')}: {pick.choice(self.words['abbreviations'])}"
        return [
            first,
            blocks.code_table(self.world),
            second,
            blocks.abbreviation_table(self.world, by_code=self._by_code()),
        ]

    def _appendix_label(self, letter: str) -> str:
        return str(self.words["appendix"]).format(letter=letter).rstrip(": ")

    def _by_code(self) -> bool:
        """Tables and appendix profiles hide what a column means in the appendix."""
        return bool(self.profiles & {"tables", "appendix"})

    def _instance_names(self, count: int) -> list[str]:
        """Names of instances; when they run out, near-identical ones follow (`Mill Lane 14 II`)."""
        names = list(self.world.subject["instances"])
        self.world.pick.shuffle(names)
        rounds = (
            "",
            " II",
            " III",
            " IV",
            " V",
            " VI",
            " VII",
            " VIII",
            " IX",
            " X",
            " XI",
            " XII",
            " XIII",
            " XIV",
            " XV",
        )
        return [name + suffix for suffix in rounds for name in names][:count]
