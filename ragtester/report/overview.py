"""The first screen: the verdict in a sentence, rates by system, the matrix, cost and time, what was not graded."""

from __future__ import annotations

from collections.abc import Sequence

from ragtester.records import UnreadableDocument
from ragtester.report.blocks import Group, grid_table, link, notes, part, rate_table, section, tiles
from ragtester.report.compared import Compared
from ragtester.report.figures import reasons
from ragtester.report.html import Child, Element, h, hidden_text, name
from ragtester.report.matrix import matrix
from ragtester.report.sentence import verdict_sentences
from ragtester.report.words import between, dollars, number, percent, tight
from ragtester.results import Results
from ragtester.results.tally import Tally, by, count
from ragtester.tables import Rate
from ragtester.tables.cells import counted

NAMED = 30
LEADS = {
    "Failures found": {"status": "fail"},
    "Wrongly refused": {"status": "fail", "decided": "refusal"},
    "Wrongly answered": {"kind": "hallucination"},
}


def system_name(system: tuple[str, str]) -> str:
    """`llm × embedding`."""
    return " × ".join(system)


def overview(results: Results, compared: Compared, unreadable: Sequence[UnreadableDocument]) -> Element:
    """The section that a reader sees first."""
    rows = list(results.open_book)
    total = count(rows)
    by_system = by(rows, lambda row: row.system)
    groups = [Group(system_name(key), tally, {"system": system_name(key)}) for key, tally in by_system.items()]
    groups.sort(key=lambda group: -(group.tally.pass_rate.share or 0))
    told = verdict_sentences(results, compared)
    caption = f"Passed by system, {counted(total.graded, 'graded answer')}; best first"
    return section(
        "verdict",
        "Verdict",
        *(h("p", sentence, class_="lead" if place == 0 else None) for place, sentence in enumerate(told)),
        tiles(_key_figures(results, total), LEADS),
        notes([*engine_notes(results), *results.notes], "notes warn"),
        part("Pass rate by system", rate_table(caption, "System", groups, seen=True)) if groups else None,
        part("Language model × embedding model", matrix(rows)) if len(groups) > 1 else None,
        part("Not graded", *_not_graded(results), *_not_read(unreadable)),
    )


def engine_notes(results: Results) -> list[str]:
    """A line where the embedded engine took part, and as what."""
    roles: dict[str, set[str]] = {}
    for row in results.rows:
        for role, model in (("answering", row.llm), ("retrieval", row.embedding), ("judge", row.judge)):
            if model.startswith("embedded:"):
                roles.setdefault(role, set()).add(model)
    for case in results.cases.values():
        if case.model.startswith("embedded:"):
            roles.setdefault("case generation", set()).add(case.model)
    if not roles:
        return []
    parts = [f"{role} ({', '.join(sorted(models))})" for role, models in roles.items()]
    told = f"The embedded engine took part: {'; '.join(parts)}."
    return [f"{told} It works by rule and is no language model: its figures say nothing about one."]


def _key_figures(results: Results, total: Tally) -> list[tuple[str, str, str]]:
    rows = list(results.open_book)
    cases = {(row.run, row.case_id) for row in rows}
    documents = {row.document_id for row in rows}
    planned = total.graded + total.left_out
    made = f"{counted(len(cases), 'case')} from {counted(len(documents), 'document')}"
    refused = count(row for row in rows if row.answerable and row.decided_by == "refusal")
    answerable = count(row for row in rows if row.answerable)
    invented = count(row for row in rows if not row.answerable)
    return [
        ("Passed", *_share(total.pass_rate, "graded")),
        ("Failures found", number(total.failed), f"in {counted(planned, 'planned answer')}; {made}"),
        ("Wrongly refused", *_share(Rate(refused.failed, answerable.graded), "answerable")),
        ("Wrongly answered", *_share(invented.fail_rate, "unanswerable")),
        _cost(results),
        _time(results),
    ]


def _share(value: Rate, what: str) -> tuple[str, str]:
    span = value.interval
    told = f" [{100 * span.low:.1f}, {100 * span.high:.1f}]" if span else ""
    return percent(value.share), tight(f"{value.successes:,} of {value.n:,} {what}{told}")


def _cost(results: Results) -> tuple[str, str, str]:
    """Answers and judgements of all rows, the closed-book control's as well: they were paid for."""
    answers = [row.paid for row in results.rows if row.status != "missing"]
    # A refusal is settled by rule, without a call to the judge.
    judged = [row.judge_cost for row in results.rows if row.graded and row.decided_by != "refusal"]
    known = [cost for cost in (*answers, *judged) if cost is not None]
    unknown = len(answers) + len(judged) - len(known)
    if not known:
        return "Cost", "n/a", "no price is known for any call"
    told = f"answers {dollars(_sum(answers))}, judgements {dollars(_sum(judged))}"
    return "Cost", dollars(sum(known)), told + (f"; {number(unknown)} without a known price" if unknown else "")


def _sum(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _time(results: Results) -> tuple[str, str, str]:
    spans = [
        (word, between(manifest.started, manifest.ended))
        for info in results.runs[:1]
        for word, manifest in (("execution", info.executed), ("judgement", info.judged))
        if manifest
    ]
    if not spans:
        return "Time", "n/a", "no manifest"
    return "Time", spans[0][1], "; ".join(f"{word} {span}" for word, span in spans) + " (last start to end)"


def _not_read(unreadable: Sequence[UnreadableDocument]) -> list[Child]:
    """Files of the corpus that gave no text, with the reason."""
    if not unreadable:
        return []
    named: list[list[Child]] = [
        [name(row.path), f"{row.failure.type}: {row.failure.message}"] for row in unreadable[:NAMED]
    ]
    rest = f"; {counted(len(unreadable) - NAMED, 'more file')} not named here" if len(unreadable) > NAMED else ""
    caption = f"{counted(len(unreadable), 'file')} of the corpus could not be read{rest}"
    return [h("details", h("summary", caption), grid_table(caption, ("File", "Why"), named))]


def _not_graded(results: Results) -> list[Child]:
    rows = list(results.open_book)
    left = count(rows).left_out
    unfilled = sum(results.unfilled.values())
    told = f"{counted(unfilled, 'case')} could not be made, so nobody was asked." if unfilled else None
    if not left:
        return [h("p", f"Every planned answer has a grade ({number(len(rows))}). ", told)]
    by_reason = reasons(rows)
    cells: list[list[Child]] = [
        [name(reason), "no verdict" if status == "ungraded" else "no row on disk", _shown(status, reason, answers)]
        for (status, reason), answers in by_reason.most_common()
    ]
    share = f"{number(left)} of {counted(len(rows), 'planned answer')} count neither as pass nor as fail"
    text = h("p", f"{share}: they are left out of every rate and counted beside it. ", told)
    return [text, grid_table("Why answers have no grade", ("Reason", "What is there", "Answers"), cells)]


def _shown(status: str, reason: str, answers: int) -> Child:
    address = link({"status": status, "why": reason}) if reason else link({"status": status})
    return h("a", number(answers), hidden_text(" answers: show them"), href=address)
