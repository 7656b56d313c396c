"""Parts that sections are put together from: tables of rates with their plots, plain tables, notes, tiles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from ragtester.report import charts
from ragtester.report.html import Child, Element, h, hidden_text, name
from ragtester.report.words import number, rate, tight
from ragtester.results.tally import Tally
from ragtester.tables import Cell, Rate, Table
from ragtester.tables.cells import counted, show

SHORT = 7
Links = Callable[[Sequence[Cell], int], dict[str, str] | None]
"""From a row of a table and a column's place to the explorer's filters for that cell's count."""


@dataclass(frozen=True)
class Group:
    """A row of a table of rates. `filters` are the failure explorer's, to show the group's failures."""

    label: str
    tally: Tally
    filters: dict[str, str] | None = None


def link(filters: dict[str, str]) -> str:
    """The address of the failure explorer with these filters."""
    return "#" + "&".join(f"{key}={_quoted(value)}" for key, value in filters.items())


def _quoted(text: str) -> str:
    return quote(text, safe="", errors="replace")


def section(id_: str, title: str, *parts: Child) -> Element:
    """A landmark with its heading."""
    return h("section", h("h2", title, id=f"{id_}-title"), *parts, id=id_, aria_labelledby=f"{id_}-title")


def part(title: str, *parts: Child, id_: str | None = None) -> Element:
    """A part of a section with a heading of its own."""
    return h("div", h("h3", title), *parts, class_="part", id=id_)


def notes(lines: Iterable[str], class_: str = "notes") -> Element | None:
    """Sentences that a reader must know; None without any."""
    items = [h("li", line) for line in lines]
    return h("ul", *items, class_=class_) if items else None


def rate_table(
    caption: str, first: str, groups: Sequence[Group], *, failures: bool = False, seen: bool = False
) -> Element:
    """One row a group: its rate as a dot with its 95 % interval, the figures, and what was left out.

    `seen` shows the caption to everybody; by default it is for screen readers, where a heading says the same. Roles are
    written out, for on a phone the rows are laid out as blocks.
    """
    word = "Failed" if failures else "Passed"
    plot = [hidden_text("Plot of the rate and its interval"), charts.axis()]
    columns: list[tuple[Child, str | None]] = [
        (first, None),
        (plot, "wide"),
        (f"{word} of graded, 95 % interval", None),
    ]
    columns += [("Failures", "num"), ("Not graded", "num")]
    heads = [h("th", text, scope="col", class_=class_, role="columnheader") for text, class_ in columns]
    head = h("tr", *heads, role="row")
    body = [_rate_row(group, failures) for group in groups] or [_nothing(5)]
    shown_caption = h("caption", caption, class_=None if seen else "sr")
    thead, tbody = h("thead", head, role="rowgroup"), h("tbody", *body, role="rowgroup")
    return h("table", shown_caption, thead, tbody, class_="rates", role="table")


def _rate_row(group: Group, failures: bool) -> Element:
    tally = group.tally
    value = tally.fail_rate if failures else tally.pass_rate
    left: Child = number(tally.left_out) if tally.left_out else "–"
    if tally.left_out and group.filters is not None:
        told = hidden_text(f" answers of {group.label} without a grade: show them")
        left = h("a", number(tally.left_out), told, href=link({"status": "left", **group.filters}))
    return h(
        "tr",
        h("th", name(group.label), scope="row", role="rowheader"),
        h("td", charts.whisker(value, "fail" if failures else "pass"), class_="wide", role="cell"),
        h("td", rate(value), class_="figures", role="cell"),
        h("td", failure_link(group), class_="num failures", role="cell"),
        h("td", left, class_="num left" if tally.left_out else "num left none", role="cell"),
        role="row",
    )


def _nothing(columns: int) -> Element:
    return h("tr", h("td", "nothing to show", colspan=columns))


def failure_link(group: Group) -> Child:
    """The count of failures, as a link to them where there are any."""
    failed = group.tally.failed
    if not failed or group.filters is None:
        return number(failed)
    filters = {"status": "fail", **group.filters}
    return h("a", number(failed), hidden_text(f" failures of {group.label}: show them"), href=link(filters))


def scroller(caption: str, table: Element) -> Element:
    """A table that moves sideways where it is too wide; the script fades its cut edge."""
    return h("div", table, class_="scroll", tabindex=0, role="group", aria_label=caption)


def grid_table(caption: str, columns: Sequence[str], rows: Sequence[Sequence[Child]], wide: int = -1) -> Element:
    """A table of ready cells; column `wide` holds plots.

    On a phone a row is a card: its cells carry their column's name (what heads the card, where it is a mere number),
    and roles keep it a table.
    """
    heads = [
        h("th", column, scope="col", class_="wide" if i == wide else None, role="columnheader")
        for i, column in enumerate(columns)
    ]
    body = []
    for row in rows:
        bare = isinstance(row[0], str) and row[0].isdigit()
        cells = [h("th", row[0], scope="row", role="rowheader", data_label=columns[0] if bare else None)]
        for i, cell in enumerate(row[1:], start=1):
            class_ = "wide" if i == wide else "short" if _is_short(cell) else None
            cells.append(h("td", cell, class_=class_, role="cell", data_label=columns[i]))
        body.append(h("tr", *cells, role="row"))
    body = body or [_nothing(len(columns))]
    head = h("thead", h("tr", *heads, role="row"), role="rowgroup")
    parts = (h("caption", caption), head, h("tbody", *body, role="rowgroup"))
    return scroller(caption, h("table", *parts, class_="grid", role="table"))


def _is_short(cell: Child) -> bool:
    text = cell.text or "" if isinstance(cell, Element) else cell
    return isinstance(text, str) and len(text) <= SHORT


def table_html(table: Table, links: Links | None = None) -> Element:
    """A table of the comparison or of an audit; `links` says which failures a cell's count leads to."""
    rows = [[_cell(cell, links(row, at) if links else None) for at, cell in enumerate(row)] for row in table.rows]
    columns = [_heading(column) for column in table.columns]
    return h("div", grid_table(table.title, columns, rows), notes(table.notes, "notes after"), class_="part")


def _heading(column: str) -> str:
    """With a capital, but for names: of models, and of metrics such as nDCG."""
    first = column.partition(" ")[0]
    is_name = ":" in first or first[1:] != first[1:].lower()
    return column if is_name else column[:1].upper() + column[1:]


def _cell(cell: Cell, filters: dict[str, str] | None) -> Child:
    if isinstance(cell, str):
        return name(cell)
    text = tight(show(cell))
    if filters is None or not isinstance(cell, Rate) or not cell.successes:
        return text
    count, rest = text.split(" ", 1)
    return [h("a", count, hidden_text(": show them"), href=link(filters)), f" {rest}"]


def tiles(items: Sequence[tuple[str, str, str]], leads: Mapping[str, dict[str, str]]) -> Element:
    """Key figures: what it is, the figure, and what it rests on; `leads` says whose figure leads to which failures."""
    boxes = []
    for what, value, small in items:
        shown: Child = value
        if what in leads:
            shown = h("a", value, hidden_text(": show them"), href=link(leads[what]))
        boxes.append(h("div", h("dt", what), h("dd", h("b", shown), h("span", small)), class_="tile"))
    return h("dl", *boxes, class_="tiles")


def rest_of(groups: list[Group], limit: int, noun: str) -> list[Group]:
    """The `limit` groups with most failures, in that order, and one row that holds all others, so that sums hold."""
    if len(groups) <= limit:
        return groups
    ordered = sorted(groups, key=lambda group: -group.tally.failed)
    rest = Tally()
    for group in ordered[limit:]:
        rest.merge(group.tally)
    return [*ordered[:limit], Group(f"{counted(len(groups) - limit, f'other {noun}')} together", rest)]
