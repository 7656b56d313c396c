"""Which cases a document is asked for, and from which of its sections: decided before any model is asked.

Every slot has its own first section; what is left over is the pool that slots turn to when a section gives no case.
Nothing here depends on a reply, so that a stage that was stopped plans the same again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from ragtester.records import CaseType, Document, Section
from ragtester.settings import CasesSettings
from ragtester.stages.cases.quotas import quotas
from ragtester.stages.cases.selection import by_complexity, carries_facts, partners, spread, stable

Style = Literal["wh", "keyword", "scenario", ""]
STYLES: tuple[Style, ...] = ("wh", "scenario", "keyword")


@dataclass(frozen=True)
class Candidate:
    """Sections that one case may be made from, of this document or (cross_document) of another."""

    document_id: str
    sections: tuple[Section, ...]


@dataclass(frozen=True)
class Slot:
    """One case that is asked for. `primary` is None where the document has no section for it."""

    id: str
    type: CaseType
    subtype: str
    style: Style
    seed: int
    primary: Candidate | None = None
    spares: tuple[Candidate, ...] = ()


@dataclass
class Pool:
    """Sections that no slot begins with, handed out one after the other; a section is handed out once."""

    document_id: str
    text: str
    complexity: list[Section]
    coverage: list[Section]
    together: int
    used: set[int] = field(default_factory=set)

    def take(self, slot: Slot) -> Candidate | None:
        """The next sections for a slot of type complexity or coverage; None where nothing is left."""
        order = self.complexity if slot.type == "complexity" else self.coverage
        left = [section for section in order if section.ordinal not in self.used]
        if not left:
            return None
        chosen = [left[0]]
        if slot.subtype == "multi":
            chosen += partners(self.text, left[0], left[1:], self.together - 1)
            if len(chosen) < 2:
                return None
        self.used.update(section.ordinal for section in chosen)
        return Candidate(self.document_id, tuple(sorted(chosen, key=lambda section: section.ordinal)))


@dataclass(frozen=True)
class Plan:
    """The slots of one document in their order, and the pool they share."""

    slots: tuple[Slot, ...]
    pool: Pool
    usable: int

    @property
    def lacking(self) -> int:
        """Slots that the document is too short for."""
        return sum(slot.primary is None for slot in self.slots)


def plan_document(
    document: Document,
    text: str,
    sections: Sequence[Section],
    donors: Sequence[Candidate],
    settings: CasesSettings,
    seed: int,
) -> Plan:
    """Lay out the slots: complexity by score, coverage spread over what is left, rejection from subjects and donors.

    `donors` are sections of other documents; without any, every rejection case is an invented one.
    """
    asked = quotas(settings, alone=not donors)
    slots = _slots(document.id, asked, seed)
    name = f"{seed}:{document.id}"
    eligible = [section for section in sections if carries_facts(section)]
    ranked = by_complexity(text, eligible, document.language)
    hard = ranked[: asked["complexity", ""]]
    rest = _without(eligible, hard)
    singles = spread(rest, asked["coverage", "single"], f"{name}:single")
    rest = _without(rest, singles)
    groups, rest = _groups(text, rest, asked["coverage", "multi"], settings.sections_per_question, name)
    left = {section.ordinal for section in rest}
    firsts: dict[tuple[CaseType, str], list[tuple[Section, ...]]] = {
        ("complexity", ""): [(section,) for section in hard],
        ("coverage", "single"): [(section,) for section in singles],
        ("coverage", "multi"): groups,
    }
    slots = [_own(slot, document.id, firsts.get((slot.type, slot.subtype), [])) for slot in slots]
    subjects = _subjects(document.id, eligible, f"{name}:subject")
    slots = _deal(slots, "invented", subjects)
    slots = _deal(slots, "cross_document", _shuffled(donors, f"{name}:donor"))
    pool = Pool(
        document.id,
        text,
        [section for section in ranked if section.ordinal in left],
        sorted(rest, key=lambda section: (section.start - section.end, section.ordinal)),
        settings.sections_per_question,
    )
    return Plan(tuple(slots), pool, len(eligible))


def _slots(document_id: str, asked: dict[tuple[CaseType, str], int], seed: int) -> list[Slot]:
    """The slots in order, numbered within their type over its subtypes; styles come round within a subtype."""
    slots: list[Slot] = []
    numbers: dict[str, int] = {}
    for (kind, subtype), count in asked.items():
        name = f"{seed}:{document_id}:{kind}:{subtype}"
        for index in range(count):
            numbers[kind] = numbers.get(kind, 0) + 1
            style = STYLES[(index + stable(name)) % len(STYLES)]
            slots.append(
                Slot(f"{kind}-{numbers[kind]:03d}", kind, subtype, style, stable(f"{name}:{index}") % (1 << 31))
            )
    return slots


def _without(sections: Sequence[Section], taken: Sequence[Section]) -> list[Section]:
    gone = {section.ordinal for section in taken}
    return [section for section in sections if section.ordinal not in gone]


def _groups(
    text: str, rest: list[Section], count: int, together: int, name: str
) -> tuple[list[tuple[Section, ...]], list[Section]]:
    """Groups of sections that speak of the same things, their first ones spread over the document."""
    groups: list[tuple[Section, ...]] = []
    heads = spread(rest, count, f"{name}:multi")
    for head in heads:
        pending = {one.ordinal for one in heads[len(groups) :]}
        others = partners(text, head, [one for one in rest if one.ordinal not in pending], together - 1)
        if not others:
            break
        group = tuple(sorted([head, *others], key=lambda section: section.ordinal))
        groups.append(group)
        rest = _without(rest, group)
    return groups, rest


def _own(slot: Slot, document_id: str, left: list[tuple[Section, ...]]) -> Slot:
    return replace(slot, primary=Candidate(document_id, left.pop(0))) if left else slot


def _subjects(document_id: str, eligible: Sequence[Section], name: str) -> list[Candidate]:
    """Sections that show what the document is about; they are not used up, since no answer is taken from them."""
    prose = [section for section in eligible if section.kind == "prose"] or list(eligible)
    return _shuffled([Candidate(document_id, (section,)) for section in prose], name)


def _shuffled(candidates: Sequence[Candidate], name: str) -> list[Candidate]:
    return sorted(candidates, key=lambda one: stable(f"{name}:{one.document_id}:{one.sections[0].ordinal}"))


def _deal(slots: list[Slot], subtype: str, candidates: list[Candidate]) -> list[Slot]:
    """Deal candidates out like cards to the slots of a subtype, so that none is used twice."""
    receivers = [slot for slot in slots if slot.subtype == subtype]
    hands = {slot.id: candidates[place :: len(receivers)] for place, slot in enumerate(receivers)}
    return [
        replace(slot, primary=hands[slot.id][0], spares=tuple(hands[slot.id][1:])) if hands.get(slot.id) else slot
        for slot in slots
    ]
