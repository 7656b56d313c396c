"""Fixtures in which the right chunk really ranks fifth: distractors are added until it does, and measured."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

from ragtester.stages.stressors.bench import Text
from ragtester.stages.stressors.excerpts import passage
from ragtester.stages.stressors.made import OTHER, Made, Maker, Ranks, Source, Unusable, fixture_of, rank_rows
from ragtester.stages.stressors.spots import Spot, find_spots
from ragtester.stages.stressors.targets import find_targets, says_value
from ragtester.text.keywords import keyword_match
from ragtester.text.languages import base
from ragtester.text.likeness import likeness

RANK = 5
# Questions that were put and not answered: they hold every word of the question and nothing of its answer.
_TICKETS = {
    "en": (
        "Ticket 4071: {question} The request was passed on to the department in charge. No answer yet.",
        "From the minutes: a member asked: {question} The point was put off until the next meeting.",
        "Frequently asked: {question} See the document in force; this list gives no answers.",
        "Comment on the draft: {question} The wording of the section on this is still open.",
        "Letter to the office: {question} Please reply by post. Received and filed.",
        "Search log, most frequent query of the month: {question} Result opened: none.",
    ),
    "de": (
        "Anfrage 4071: {question} Die Anfrage wurde an die zuständige Stelle weitergeleitet. Eine Antwort steht aus.",
        "Aus dem Protokoll: Ein Mitglied fragt: {question} Der Punkt wird auf die nächste Sitzung vertagt.",
        "Häufig gefragt: {question} Siehe das geltende Dokument; diese Liste gibt keine Antworten.",
        "Anmerkung zum Entwurf: {question} Die Fassung des Abschnitts dazu ist noch offen.",
        "Schreiben an das Büro: {question} Bitte antworten Sie per Post. Eingegangen und abgelegt.",
        "Suchprotokoll, häufigste Anfrage des Monats: {question} Geöffnetes Ergebnis: keines.",
    ),
}  # fmt: skip
_SAME = 90
_PASSAGES = 12


async def make_distractor_heavy(maker: Maker, source: Source) -> Made:
    """Documents that outrank the right chunk and answer nothing, so many that it is fifth under every embedding model.

    Passages of the corpus come first, then questions that were put and left open. The right document is the passage of
    the evidence where its own chunks stand before it already. Measured at K = 5 or that of the settings, where larger.
    """
    k = max(RANK, maker.k)
    source, ranks = await _begun(maker, source, k)
    gold = source.gold_text()
    chosen: list[Text] = []
    if not _is_fifth(ranks, gold.id):
        async for one in _candidates(maker, source):
            trial = await maker.measure(source.case.question, source.case.language, [gold, *chosen, one], k)
            if _past(trial, gold.id) or not _nearer(ranks, trial, gold.id):
                continue
            chosen.append(one)
            ranks = trial
            if _is_fifth(ranks, gold.id):
                break
    rows = rank_rows(ranks, gold.id)
    if not _is_fifth(ranks, gold.id):
        raise Unusable(
            "rank_not_reached",
            f"the right chunk is not {RANK}th under every embedding model with {len(chosen)} distractors: "
            + ", ".join(f"{one.embedding} {one.gold or 'not found'}" for one in rows),
            tried=True,
            ranks=rows,
        )
    notes = {"distractors": str(len(chosen))}
    return Made(fixture_of(source, rows, k=k, notes=notes), {one.id: one.text for one in (gold, *chosen)}, rows)


async def _begun(maker: Maker, source: Source, k: int) -> tuple[Source, Ranks]:
    """The right document, cut down to its passage where the right chunk is sixth or worse without any distractor."""
    case = source.case
    ranks = await maker.measure(case.question, case.language, [source.gold_text()], k)
    if not _past(ranks, source.gold_text().id):
        return source, ranks
    cut = passage(source.text, source.evidence, maker.passage_limit, case.language)
    if cut is None:
        raise Unusable("no_passage", "the evidence stands in no paragraph that can be cut out")
    source = replace(source, gold=cut)
    return source, await maker.measure(case.question, case.language, [source.gold_text()], k)


async def _candidates(maker: Maker, source: Source) -> AsyncIterator[Text]:
    case, wanted = source.case, _targets(source)
    for name, text in (await maker.nearest(source, _PASSAGES)) if len(source.gold.text) else ():
        if _answers(source, text, wanted) or text in source.gold.text:
            continue
        yield Text(f"{OTHER}/{name}", text)
    question = " ".join(case.question.split())
    for number, ticket in enumerate(_TICKETS.get(base(case.language), ()), start=1):
        text = ticket.format(question=question)
        if not _answers(source, text, wanted):
            yield Text(f"{OTHER}/open-question-{number}", text)


def _targets(source: Source) -> list[Spot]:
    spots = find_spots(source.gold.text, source.case.language)
    groups = find_targets(spots, source.gold.evidence, source.case).answer
    return [spots.of(group)[0] for group in groups]


def _answers(source: Source, text: str, wanted: list[Spot]) -> bool:
    """Whether a passage could answer the question: it has the answer's value, all keywords, or the evidence itself."""
    case = source.case
    if wanted and says_value(text, case.language, wanted):
        return True
    if case.keywords and keyword_match(case.keywords, text, case.language)[0] == "true":
        return True
    return any(likeness(held, text) >= _SAME for held in source.gold.held())


def _is_fifth(ranks: Ranks, gold: str) -> bool:
    return bool(ranks) and all(found.get(gold) == RANK for found in ranks.values())


def _past(ranks: Ranks, gold: str) -> bool:
    """Whether the right chunk is sixth or worse anywhere."""
    return any((found.get(gold) or RANK + 1) > RANK for found in ranks.values())


def _nearer(before: Ranks, after: Ranks, gold: str) -> bool:
    """Whether the right chunk sank somewhere."""
    return any((after[name].get(gold) or 0) > (found.get(gold) or 0) for name, found in before.items())
