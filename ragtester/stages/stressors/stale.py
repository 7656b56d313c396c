"""An older version of a document: what the answer says was another value then, and so were a few more."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ragtester.records import Case
from ragtester.stages.stressors import moments
from ragtester.stages.stressors.amounts import shuffled
from ragtester.stages.stressors.changing import Changed, Changes, Edit
from ragtester.stages.stressors.names import Renamed, rename
from ragtester.stages.stressors.spots import Pair, Spots, find_spots
from ragtester.stages.stressors.targets import find_targets
from ragtester.text.languages import base

# Versions stand near the beginning, with these words before them.
_HEAD = 1500
_VERSION = re.compile(
    r"\b(version|revision|rev\.?|release|edition|issue|ausgabe|fassung|stand|auflage|v)[ .:\u00a0]*"
    r"(\d{1,3}(?:\.\d{1,3}){0,3})(?![\w.]\d)",
    re.I,
)
_DATED = re.compile(
    r"\b(?:version|revision|edition|issued?|released?|updated?|effective|in force|valid|published|date[d:]?|as of|"
    r"since|ausgabe|fassung|stand|gültig|auflage|in kraft|vom|datum|veröffentlicht|aktualisiert|geändert)"
    r"\b[^.\n]{0,40}$",
    re.I,
)
_STAMP = {
    "en": "Earlier version, no longer in force.",
    "de": "Frühere Fassung, nicht mehr in Kraft.",
    "fr": "Version antérieure, plus en vigueur.",
    "es": "Versión anterior, ya no está en vigor.",
    "it": "Versione precedente, non più in vigore.",
    "pt": "Versão anterior, já não está em vigor.",
    "nl": "Eerdere versie, niet meer van kracht.",
}
_ELSEWHERE = {
    "en": "From another organisation's document, for comparison.",
    "de": "Aus dem Dokument einer anderen Organisation, zum Vergleich.",
    "fr": "Extrait du document d'une autre organisation, pour comparaison.",
    "es": "Del documento de otra organización, para comparar.",
    "it": "Dal documento di un'altra organizzazione, per confronto.",
    "pt": "Do documento de outra organização, para comparação.",
    "nl": "Uit het document van een andere organisatie, ter vergelijking.",
}
# So many other values change, at least and as a share of all that could.
_OTHERS, _SHARE = 2, 0.15


@dataclass(frozen=True)
class Poison:
    """A changed text: where what stands in the evidence's place is, how its values read, and what became of what.

    `words` lists the changes for people ("30 days -> 40 days"); `says` are the changed values that the answer is about.
    `stamp` is a line that tells it from the right text: pieces that are cut out of it bear it, and the whole where it
    is `stamped`.
    """

    text: str
    spans: tuple[Pair, ...]
    says: tuple[str, ...]
    words: tuple[str, ...]
    stamp: str = ""
    stamped: bool = False


@dataclass(frozen=True)
class Start:
    """Changes to what the answer says, made and ready for more; `groups` are the targets that changed."""

    changes: Changes
    groups: tuple[str, ...]
    renamed: Renamed | None = None


def begin(
    text: str, evidence: Sequence[Pair], case: Case, seed: object, *, most: int = 0, whole: str = ""
) -> Start | None:
    """Change what the evidence states and the expected answer says, `most` values of it (0: all).

    `whole` is the document that the text is a part of: what that is about is not renamed, and no value of
    it is given out. None where there is nothing that can be changed by rule.
    """
    spots = find_spots(text, case.language)
    changes = Changes(spots, (seed, case.id), find_spots(whole, case.language) if whole else None)
    targets = find_targets(spots, evidence, case)
    changed: list[str] = []
    for group in targets.answer:
        back = _is_dated(spots, group) and _back(changes, group)
        if back or changes.change(group):
            changed.append(group)
        if len(changed) == most:
            break
    if changed:
        return Start(changes, tuple(changed))
    renamed = rename(text, evidence, case, (seed, case.id), whole or text)
    if renamed is None:
        return None
    changes.add(f"name:{renamed.old}", renamed.edits)
    return Start(changes, (f"name:{renamed.old}",), renamed)


def stale(text: str, evidence: Sequence[Pair], case: Case, seed: object, whole: str = "") -> Poison | None:
    """An older version of the document, or None where nothing that the answer says can be changed."""
    start = begin(text, evidence, case, seed, whole=whole)
    if start is None:
        return None
    changes, asked = start.changes, find_targets(start.changes.spots, evidence, case).asked
    dated = _go_back(changes, asked)
    others = [
        one.group
        for one in changes.spots.spots
        if one.kind in ("number", "word") and not one.group.startswith("#") and one.group not in asked
    ]
    free = [group for group in dict.fromkeys(others) if group not in changes.taken]
    wanted = max(_OTHERS, round(_SHARE * len(free)))
    for group in shuffled(free, seed, case.id, "others"):
        wanted -= changes.change(group)
        if wanted <= 0:
            break
    poison = finished(start, evidence)
    return poison and replace(poison, stamp=_STAMP.get(base(case.language), ""), stamped=not dated)


def of_another(poison: Poison, language: str) -> Poison:
    """The changed text as somebody else's: a reader can tell then which of two passages answers the question."""
    return replace(poison, stamp=_ELSEWHERE.get(base(language), ""), stamped=True)


def finished(start: Start, evidence: Sequence[Pair]) -> Poison | None:
    """The changed text; None where the evidence reads as before."""
    changes, made = start.changes, start.changes.made()
    spans = tuple(made.span(span) for span in evidence)
    if all(made.text[slice(*new)] == changes.spots.text[slice(*old)] for new, old in zip(spans, evidence, strict=True)):
        return None
    inside = [one for one in made.edits if any(a <= one.start and one.end <= b for a, b in evidence)]
    says = dict.fromkeys(made.says(one) for one in inside if one.group in start.groups)
    return Poison(made.text, spans, tuple(says), _in_words(changes, made))


def _in_words(changes: Changes, made: Changed) -> tuple[str, ...]:
    """What became of what, each once."""
    text = changes.spots.text
    found: dict[str, None] = {}
    for one in made.edits:
        old = " ".join(text[slice(*one.shown)].split())
        found[f"{old} -> {made.says(one)}"] = None
    return tuple(found)


def _go_back(changes: Changes, asked: frozenset[str]) -> bool:
    """Put the document's own dates and version back; whether there were any."""
    spots = changes.spots
    back = False
    for group in dict.fromkeys(one.group for one in spots.spots if one.kind == "date"):
        if group in changes.taken or group in asked or not _is_dated(spots, group):
            continue
        back = _back(changes, group) or back
    return _versions(changes) or back or any(_is_dated(spots, group) for group in changes.taken)


def _is_dated(spots: Spots, group: str) -> bool:
    """Whether a date tells from when the document is."""
    return any(
        one.kind == "date" and one.start < _HEAD and _DATED.search(spots.text, max(0, one.start - 60), one.start)
        for one in spots.of(group)
    )


def _back(changes: Changes, group: str) -> bool:
    """All dates of the head go back by the same time, so that they stay in order."""
    made = moments.years_back(changes.spots, changes.spots.of(group), _years(changes))
    if made is None:
        return False
    changes.add(group, [Edit(start, end, new, group, shown) for start, end, new, shown in made])
    return True


def _years(changes: Changes) -> int:
    return shuffled((1, 2), changes.seed, "years")[0]


def _versions(changes: Changes) -> bool:
    """The version that the head names, one lower everywhere."""
    text, done = changes.spots.text, False
    for match in _VERSION.finditer(text, 0, _HEAD):
        lower = _lower(match[2])
        group = f"version:{match[2]}"
        if lower is None or group in changes.taken or (match[1].lower() == "v" and "." not in match[2]):
            continue
        places = re.finditer(rf"\b({re.escape(match[1])}[ .:\u00a0]*)({re.escape(match[2])})(?![\w.]\d)", text, re.I)
        edits = [Edit(*one.span(2), lower, group, one.span()) for one in places]
        held = {(one.start, one.end) for edits in changes.taken.values() for one in edits}
        if any(a < one.end and one.start < b for a, b in held for one in edits):
            continue
        changes.add(group, edits)
        done = True
    return done


def _lower(version: str) -> str | None:
    """The version before: 2.3 gives 2.2, 3.0 gives 2.9, 4 gives 3; None for the first one and for years."""
    written = version.split(".")
    parts = [int(part) for part in written]
    if len(parts) == 1 and (parts[0] > 99 or parts[0] < 2):
        return None
    for place in range(len(parts) - 1, -1, -1):
        if parts[place] > 0:
            parts[place] -= 1
            parts[place + 1 :] = [9] * (len(parts) - place - 1)
            lower = ".".join(f"{part:0{len(old)}d}" for part, old in zip(parts, written, strict=True))
            return lower if any(parts) else None
    return None
