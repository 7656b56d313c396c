"""After the first screen: rates by case type, document and more; criteria, scores, latency and cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from ragtester.records import CRITERIA
from ragtester.report import charts
from ragtester.report.blocks import Group, grid_table, link, part, rate_table, rest_of, section, table_html
from ragtester.report.compared import Compared
from ragtester.report.figures import Values, type_name
from ragtester.report.html import Child, Element, h, hidden_text, name
from ragtester.report.words import dollars, number, rate, short_rate, tight
from ragtester.results import Result, Results
from ragtester.results.tally import Tally, by
from ragtester.stages.compare.offers import budget_sentences, make_offers, pareto_table
from ragtester.tables import Rate
from ragtester.tables.cells import counted

DOCUMENTS = 60
RATINGS = (("true", "rating-true"), ("partially", "rating-part"), ("false", "rating-false"))


def breakdown(results: Results) -> Element:
    """Rates by case type, technique, language and document."""
    rows = list(results.open_book)
    kinds = _groups(rows, lambda row: type_name(row.type, row.subtype), "type")
    documents = rest_of(_groups(rows, lambda row: row.document_id, "document"), DOCUMENTS, "document")
    parts: list[Child] = [part("By case type", rate_table("Passed by case type", "Case type", kinds))]
    for title, key, filter_ in (
        ("technique", lambda row: row.technique, "technique"),
        ("language", lambda row: row.language or "unknown", "language"),
        ("source of the documents", lambda row: row.source or "unknown", "source"),
    ):
        groups = _groups(rows, key, filter_)
        if len(groups) > 1:
            parts.append(part(f"By {title}", rate_table(f"Passed by {title}", title.capitalize(), groups)))
    parts.append(part("By document", rate_table("Passed by document", "Document", documents)))
    return section("breakdown", "Where it fails", *parts)


def _groups(rows: Sequence[Result], key: Callable[[Result], str], filter_: str | None) -> list[Group]:
    tallies = by(rows, key)
    return [Group(value, tallies[value], {filter_: value} if filter_ else None) for value in sorted(tallies)]


def criteria(results: Results) -> Element:
    """How each criterion was rated, what settled the verdicts, and how mean scores are spread."""
    rows = [row for row in results.open_book if row.graded]
    rated: dict[str, Counter[str]] = {criterion: Counter() for criterion in CRITERIA}
    for row in rows:
        for criterion in CRITERIA if row.ratings else ():
            rated[criterion][getattr(row.ratings, criterion)] += 1
    cells: list[list[Child]] = []
    for criterion, counts in rated.items():
        bar = charts.stack([(counts[value], class_) for value, class_ in RATINGS])
        low = Rate(counts["false"], counts.total())
        shown: list[Child] = [number(counts[value]) for value, _ in RATINGS]
        if counts["false"]:
            told = hidden_text(f" rated false in {criterion.replace('_', ' ')}: show them")
            shown[-1] = h("a", number(counts["false"]), told, href=link({"criterion": criterion}))
        cells.append([criterion.replace("_", " "), bar, *shown, rate(low)])
    head = ("Criterion", "Share of true, partially and false", "True", "Partially", "False", "False, 95 % interval")
    caption = f"Ratings of {counted(len(rows), 'graded answer')}"
    key = _legend(("rating-true", "true"), ("rating-part", "partially"), ("rating-false", "false"))
    return section(
        "criteria",
        "Criteria and scores",
        part("By criterion", key, grid_table(caption, head, cells, wide=1)),
        part("What decided", _decided(rows)),
        part("Spread of the mean rating", *_scores(results)),
    )


def _decided(rows: Sequence[Result]) -> Element:
    groups = _groups(rows, lambda row: row.decided_by or "unknown", "decided")
    return rate_table("Passed by what settled the verdict", "Decided by", groups)


def _legend(*items: tuple[str, str]) -> Element:
    swatches = [h("li", h("span", class_=f"swatch {class_}", aria_hidden="true"), text) for class_, text in items]
    return h("ul", *swatches, class_="legend")


def _scores(results: Results) -> list[Child]:
    """One histogram a system: the mean of five ratings takes one of eleven values, 0 to 1 in tenths."""
    bins: dict[tuple[str, str], list[list[int]]] = {}
    for row in results.open_book:
        if row.graded and row.mean is not None:
            place = min(10, max(0, round(row.mean * 10)))
            bins.setdefault(row.system, [[0, 0] for _ in range(11)])[place][row.status == "pass"] += 1
    cells: list[list[Child]] = []
    for system, counts in bins.items():
        pairs = [(failed, passed) for failed, passed in counts]
        total = sum(map(sum, pairs))
        mean = sum(place / 10 * sum(pair) for place, pair in enumerate(pairs)) / total
        told = ", ".join(f"{place / 10:g}: {sum(pair)}" for place, pair in enumerate(pairs) if sum(pair))
        cells.append(
            [name(" × ".join(system)), [charts.histogram(pairs), hidden_text(told)], f"{mean:.2f}", number(total)]
        )
    if not cells:
        return [h("p", "No answer has ratings.")]
    head = ("System", "Answers by mean rating, 0 at the left to 1 at the right", "Mean", "Answers")
    key = _legend(("pass-fill", "passed"), ("fail-fill", "failed"))
    return [key, grid_table("Mean rating of graded answers", head, cells, wide=1)]


def latency_and_cost(results: Results, compared: Compared) -> Element:
    """Seconds, tokens and money by system, each with how many rows were measured; then what to choose for a budget."""
    measured: dict[tuple[str, str], tuple[Tally, Values, Values, Values]] = {}
    for row in results.open_book:
        tally, seconds, cost, tokens = measured.setdefault(row.system, (Tally(), Values(), Values(), Values()))
        tally.add(row)
        if row.outcome is not None:
            cost.add(row.cost)
        if row.outcome in (
            "answered",
            "abstained",
        ):  # as the comparison counts: a failed call has no latency to speak of
            seconds.add(row.seconds)
            tokens.add(None if row.prompt_tokens is None else row.prompt_tokens + (row.completion_tokens or 0))
    top = max((found[1].spread().p90 or 0.0 for found in measured.values()), default=0.0)
    cells = [_spent(system, *found, top) for system, found in measured.items()]
    plot_head = f"Seconds an answer, 0 to {number(top)}" if top else "Seconds an answer"
    head = ("System", plot_head, "10 / 50 / 90 %", "Tokens an answer", "Cost of all", "Passed")
    text = (
        "Latency is that of the model servers, as measured; costs are of all calls for answers, by the price table. "
        "Both include each answer's rewrite and rerank by a model, even where systems shared them."
    )
    caption = "Latency and cost by system"
    table = grid_table(caption, head, cells, wide=1)
    return section("cost", "Latency and cost", h("p", text), table, *_choices(compared))


def _choices(compared: Compared) -> list[Child]:
    """Quality, cost and latency side by side, as the comparison has them."""
    found: list[Child] = []
    for place, ranking in enumerate(compared.rankings):
        offers = make_offers(compared.view, ranking.ranked)
        if offers:
            found += [h("p", tight(text)) for text in budget_sentences(offers)] if len(offers) > 1 else []
            found.append(table_html(pareto_table(offers, f"-{place}")))
    return [part("Which system for a budget", *found)] if found else []


def _spent(
    system: tuple[str, str], tally: Tally, seconds: Values, cost: Values, tokens: Values, top: float
) -> list[Child]:
    took, paid, used = seconds.spread(), cost.spread(), tokens.spread()
    plot: Child = "not measured"
    if took.middle is not None:
        plot = charts.span(took.p10 or 0.0, took.middle, took.p90 or 0.0, top)
    told = f"{number(took.p10)} / {number(took.middle)} / {number(took.p90)} s (n = {took.n:,})"
    return [
        name(" × ".join(system)),
        plot,
        tight(told) if took.n else "n/a",
        tight(f"{number(used.total / used.n)} (n = {used.n:,})") if used.n else "n/a",
        tight(f"{dollars(paid.total)} (n = {paid.n:,})") if paid.n else "n/a",
        short_rate(tally.pass_rate),
    ]
