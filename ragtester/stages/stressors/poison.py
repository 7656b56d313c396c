"""Fixtures in which a wrong document competes with the right one: stale, nearly the same, adjacent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ragtester.records import StressorRank
from ragtester.stages.stressors.bench import Text
from ragtester.stages.stressors.entities import about_another
from ragtester.stages.stressors.excerpts import Excerpt, passage
from ragtester.stages.stressors.made import OTHER, Asked, Made, Maker, Ranks, Source, Unusable, fixture_of, rank_rows
from ragtester.stages.stressors.spots import Spot, find_spots
from ragtester.stages.stressors.stale import Poison, begin, finished, of_another, stale
from ragtester.stages.stressors.targets import find_targets, says_value
from ragtester.text.likeness import likeness

SUPERSEDED = "superseded"
NOTHING = "the expected answer states no value or name of the evidence that a rule could change"
# Passages of the corpus that are tried, nearest first.
_TRIED = 15
# So many more of them stand beside the right paragraph where it is alone.
_COMPANY = 6
_SAME = 90


async def make_stale(maker: Maker, source: Source) -> Made:
    """The document's older version beside it."""
    poison = stale(source.gold.text, source.gold.evidence, source.case, maker.seed, source.text)
    if poison is None or not poison.says:
        raise Unusable("nothing_to_change", NOTHING)
    return await _competing(maker, source, f"{SUPERSEDED}/{source.case.document_id}", poison)


async def make_near_duplicate(maker: Maker, source: Source) -> Made:
    """The passage of the evidence once more, with one number changed, as another organisation's."""
    cut = passage(source.text, source.evidence, maker.passage_limit, source.case.language)
    if cut is None:
        raise Unusable("no_passage", "the evidence stands in no paragraph that can be cut out")
    start = begin(cut.text, cut.evidence, source.case, (maker.seed, "one"), most=1, whole=source.gold.text)
    if start is None or start.renamed is not None:
        raise Unusable(
            "nothing_to_change", "the expected answer states no number of the evidence that a rule could change"
        )
    poison = finished(start, cut.evidence)
    if poison is None or not poison.says:
        raise Unusable("nothing_to_change", NOTHING)
    name = f"{OTHER}/{source.case.document_id}-passage"
    return await _competing(maker, source, name, of_another(poison, source.case.language))


async def make_adjacent(maker: Maker, source: Source) -> Made:
    """A passage on the nearest topic with another value of the same kind; where none competes, another entity's."""
    wanted = _targets(source)
    if not wanted:
        raise Unusable("nothing_to_change", "the expected answer states no value of the evidence")
    near = [(name, text) for name, text in await maker.nearest(source) if not _answers(source, text, wanted)]
    tried: list[tuple[StressorRank, ...]] = []
    made = await _borrowed(maker, source, near, wanted, tried)
    if made is not None:
        return made
    if (other := _about_another(maker, source)) is not None:
        name = f"{OTHER}/{source.case.document_id}-about-another"
        return await _competing(maker, source, name, other[0], heading=other[1])
    said = (
        f"of {len(near)} passages on a near topic none with a value of the kind is among the top {maker.k} "
        f"({len(tried)} trials), and no name in the question could be another"
    )
    raise Unusable("nothing_adjacent", said, tried=bool(tried), ranks=tried[-1] if tried else ())


async def _borrowed(
    maker: Maker,
    source: Source,
    near: Sequence[tuple[str, str]],
    wanted: Sequence[Spot],
    tried: list[tuple[StressorRank, ...]],
) -> Made | None:
    """A fixture with one of the passages: beside the whole right document, else beside its paragraph and others.

    In a document that speaks of its topic throughout, chunks of its own stand before any stranger.
    """
    short = passage(source.text, source.evidence, maker.passage_limit, source.case.language)
    sources = [source, *([replace(source, gold=short)] if short is not None else [])]
    for there in sources:
        gold = there.gold_text()
        for name, text in near[:_TRIED]:
            values = _rivals(source, text, wanted)
            if not values:
                continue
            held = Text(f"{OTHER}/{name}", text, ((0, len(text)),))
            others = [Text(f"{OTHER}/{one}", body) for one, body in near if one != name]
            company = others[:_COMPANY] if there is not source else []
            ranks = await maker.measure(there, [gold, held, *company])
            tried.append(rank_rows(ranks, gold.id, held.id))
            if _competes(ranks, held.id, maker.k):
                return _made(there, held, values, ranks, company, {"from": name})
    return None


def _about_another(maker: Maker, source: Source) -> tuple[Poison, str] | None:
    cut = passage(source.text, source.evidence, maker.passage_limit, source.case.language)
    return about_another(cut, source.case, maker.seed, source.gold.text) if cut is not None else None


async def _competing(maker: Maker, source: Source, name: str, poison: Poison, heading: str = "") -> Made:
    """The fixture once its poison is among the top K of every embedding model; shorter forms are tried in turn."""
    gold = source.gold_text()
    ranks: Ranks = {}
    for form, text in _forms(maker, source, poison, heading or source.case.question):
        held = Text(name, text.text, text.evidence)
        ranks = await maker.measure(source, [gold, held])
        if _competes(ranks, name, maker.k):
            notes = {"changed": "; ".join(poison.words), **({"strengthened": form} if form else {})}
            return _made(source, held, poison.says, ranks, (), notes)
    kept = rank_rows(ranks, gold.id, name)
    worst = max((one.poison or 0 for one in kept), default=0)
    said = f"rank {worst}" if all(one.poison for one in kept) else "no rank at all under one embedding model"
    raise Unusable("poison_too_low", f"the poison reaches {said}, beyond the top {maker.k}", tried=True, ranks=kept)


def _forms(maker: Maker, source: Source, poison: Poison, heading: str) -> list[tuple[str, Excerpt]]:
    """The poison as it is, then its passage alone, then that under a question as its heading."""
    stamp = f"{poison.stamp}\n\n" if poison.stamp else ""
    found = [("", _under(stamp if poison.stamped else "", Excerpt(poison.text, poison.spans, ())))]
    cut = passage(poison.text, poison.spans, maker.passage_limit, source.case.language)
    if cut is not None:
        asked = f"{stamp}{' '.join(heading.split())}\n\n"
        found.append(("passage alone", _under(stamp, cut)))
        found.append(("passage alone, under the question as heading", _under(asked, cut)))
    return found


def _under(lead: str, cut: Excerpt) -> Excerpt:
    return Excerpt(lead + cut.text, tuple((a + len(lead), b + len(lead)) for a, b in cut.evidence), cut.pieces)


def _competes(ranks: Ranks, name: str, k: int) -> bool:
    """Whether a document is among the top K everywhere."""
    return bool(ranks) and all((found.get(name) or k + 1) <= k for found in ranks.values())


def _made(
    source: Source,
    held: Text,
    says: Sequence[str],
    ranks: Ranks,
    company: Sequence[Text],
    notes: Mapping[str, str],
) -> Made:
    gold = source.gold_text()
    rows = rank_rows(ranks, gold.id, held.id)
    fixture = fixture_of(source, rows, Asked(poison=(held.id,), forbidden=tuple(says)), notes)
    return Made(fixture, {one.id: one.text for one in (gold, held, *company)}, rows)


def _targets(source: Source) -> list[Spot]:
    spots = find_spots(source.gold.text, source.case.language)
    groups = find_targets(spots, source.gold.evidence, source.case).answer
    return [spots.of(group)[0] for group in groups]


def _answers(source: Source, text: str, wanted: Sequence[Spot]) -> bool:
    """Whether a passage states the answer itself, or is the evidence in other letters."""
    if says_value(text, source.case.language, wanted):
        return True
    return any(likeness(held, text) >= _SAME for held in source.gold.held())


def _rivals(source: Source, text: str, wanted: Sequence[Spot]) -> tuple[str, ...]:
    """Values of a passage that could be taken for the answer: of its kind and unit, and nowhere in the right text."""
    spots = find_spots(text, source.case.language)
    known = {one.group for one in find_spots(source.gold.text, source.case.language).spots}
    kinds = {(_family(one), one.unit) for one in wanted}
    there = [one for one in spots.spots if one.group not in known and not one.group.startswith("#:")]
    return tuple(dict.fromkeys(spots.says(one) for one in there if (_family(one), one.unit) in kinds))[:4]


def _family(spot: Spot) -> str:
    return "number" if spot.kind in ("number", "word") else spot.kind
