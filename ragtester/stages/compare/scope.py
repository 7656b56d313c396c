"""Section "What was compared": the ledger of every system, and what a reader must know before any figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragtester.records import CLOSED_BOOK_SUFFIX
from ragtester.results import RunInfo
from ragtester.stages.compare.setups import differing
from ragtester.stages.compare.view import View
from ragtester.stages.compare.words import account, listed, plural, unfilled_cases
from ragtester.tables import Cell, Paragraph, Section, Table

EMBEDDED = "embedded:"
WHOLE = "whole_documents"
"""Name of the count in a run's manifest: `documents`, and `whole` of them."""


def scope_section(view: View, extra_notes: Sequence[str] = ()) -> Section:
    """Runs, judges, the ledger, and everything that limits the comparison."""
    parts: list[Paragraph | Table] = [Paragraph(text) for text in _head(view)]
    parts.append(account(view.total(), unfilled_cases(view)))
    parts += [Paragraph(text) for text in (*warnings(view), *view.results.notes, *extra_notes)]
    parts.append(_ledger(view))
    if view.reasons:
        rows = tuple((status, reason, count) for (status, reason), count in sorted(view.reasons.items()))
        parts.append(Table("not-counted", "Why answers are in no rate", ("status", "reason", "answers"), rows))
    return Section("scope", "What was compared", tuple(parts))


def _head(view: View) -> Iterator[str]:
    for run in view.results.runs:
        what = "Control" if run.name.endswith(CLOSED_BOOK_SUFFIX) else "Run"
        yield f"{what} {run.name}: suite {run.suite}, judged by {_judge(run)}."
    documents = view.values("document")
    yield (
        f"{plural(len(view.systems), 'system')}, {plural(len(documents), 'document')}, "
        f"techniques {listed(view.values('technique'))}, {plural(len(_cases(view)), 'case')}."
    )


def _judge(run: RunInfo) -> str:
    name = run.judged.parameters.get("judge") if run.judged else None
    return str(name) if name else "nobody yet (`ragtester judge`)"


def _cases(view: View) -> set[tuple[str, str]]:
    return {key for asked in view.asked.values() for key in asked}


def warnings(view: View) -> Iterator[str]:
    """One sentence for each thing that limits what the figures can say."""
    rows = view.results.rows
    judges = sorted({row.judge for row in rows if row.judge})
    systems = sorted({row.llm for row in rows if row.llm.startswith(EMBEDDED)})
    if systems:
        yield (
            f"The embedded engine took part as system under test ({listed(systems)}): it answers by rule, is no "
            "language model, costs nothing and has no latency; no figure about it says anything about one."
        )
    if any(judge.startswith(EMBEDDED) for judge in judges):
        yield "The embedded engine judged, by rule: it is no language model, and its verdicts are a rough measure."
    if len(judges) > 1:
        yield (
            f"{len(judges)} judges took part ({listed(judges)}): systems are compared only on cases that the same "
            "judge graded; rates of different judges should not be set side by side."
        )
    own = sorted({row.llm for row in rows if row.judge and row.judge == row.llm})
    if own:
        yield f"Judge and system under test are the same model ({listed(own)}): it may favour its own answers."
    yield from _settings(view.results.runs)
    yield from _whole(view.results.runs)
    yield from _together(view)
    yield from _matrix(view)


def _settings(runs: Sequence[RunInfo]) -> Iterator[str]:
    """Runs that differ in more than their models are said to."""
    for name, values in differing(runs):
        each = listed([f"{run}: {'not known' if value is None else value}" for run, value in values.items()])
        yield f"The runs differ in {name} ({each}): differences between their systems include that."


def _whole(runs: Sequence[RunInfo]) -> Iterator[str]:
    """Documents so short that every question got all of their chunks, whatever the embedding model."""
    for run in runs:
        counts = run.executed.counts.get(WHOLE) if run.executed else None
        if isinstance(counts, dict) and counts.get("whole"):
            documents = plural(int(counts["documents"]), "document")
            yield (
                f"Run {run.name}: on {counts['whole']} of {documents} every question got the whole document (k is at "
                "least the number of its chunks), so that embedding models could not differ there."
            )


def _together(view: View) -> Iterator[str]:
    """Systems whose answers of several runs are one system's."""
    runs: dict[tuple[str, str], set[str]] = {}
    for row in view.results.open_book:
        runs.setdefault(row.system, set()).add(row.run)
    alone = {(system.llm, system.embedding) for system in view.systems if system.run}
    count = sum(len(names) > 1 and system not in alone for system, names in runs.items())
    if count:
        yield (
            f"{plural(count, 'system')} took part in several runs with the same settings and judge: their answers to "
            "the cases of these runs count together."
        )


def _matrix(view: View) -> Iterator[str]:
    """Combinations that were not run, and systems that were asked other cases."""
    llms = list(dict.fromkeys(system.llm for system in view.systems))
    embeddings = list(dict.fromkeys(system.embedding for system in view.systems))
    have = {(system.llm, system.embedding) for system in view.systems}
    if len(have) < len(llms) * len(embeddings):
        yield (
            f"The matrix is not full: {len(have)} of {len(llms)} × {len(embeddings)} combinations were run. Totals by "
            "LLM and by embedding cover different partners; compare them through the tables that hold one of the two."
        )
    sizes = {frozenset(asked) for asked in view.asked.values()}
    if len(sizes) > 1:
        common = frozenset.intersection(*sizes)
        yield (
            f"Not every system was asked the same cases: {len(common)} of {len(_cases(view))} cases were asked of all. "
            "Systems are compared only on cases that both were asked."
        )


def _ledger(view: View) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for (system, technique), tally in sorted(view.by(lambda place: (place.system, place.technique)).items()):
        counts = (tally.planned, tally.graded, tally.fail_rate, tally.ungraded, tally.missing)
        rows.append((system.name, technique, *counts))
    columns = ("system", "technique", "planned", "graded", "failed", "ungraded", "missing")
    return Table("ledger", "Answers by system and technique", columns, tuple(rows), keys=2)
