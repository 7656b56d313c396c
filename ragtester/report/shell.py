"""The parts of the page that hold no rows: its head with the table of contents, the explorer's controls, the foot."""

from __future__ import annotations

from collections.abc import Sequence

from ragtester.report.blocks import section
from ragtester.report.html import Child, Element, h, hidden_text, name
from ragtester.results import Results

STATUSES = (
    ("", "all"),
    ("fail", "failed"),
    ("pass", "passed"),
    ("ungraded", "not graded"),
    ("missing", "missing"),
    ("left", "without a grade"),
)
FILTERS = (
    ("status", "Status"),
    ("system", "System"),
    ("type", "Case type"),
    ("technique", "Technique"),
    ("document", "Document"),
    ("language", "Language"),
    ("source", "Source of the document"),
    ("flesch", "Readability (Flesch)"),
    ("kind", "Kind of failure"),
    ("criterion", "Criterion rated false"),
    ("decided", "Decided by"),
    ("flag", "Flag"),
    ("why", "Why it has no grade"),
)


def head(run: str, subtitle: str, sections: Sequence[Element]) -> Element:
    """Title and table of contents."""
    links = [(str(part.get("id")), str(part[0].text)) for part in sections] + [("explorer", "Failures")]
    items = [h("li", h("a", text, href=f"#{id_}")) for id_, text in links]
    return h(
        "header",
        h("p", "ragtester report", class_="kicker"),
        h("h1", "Run ", name(run)),
        h("p", subtitle, class_="subtitle"),
        h("nav", h("ul", *items), aria_label="Sections"),
    )


def explorer(told: Sequence[str]) -> Element:
    """The controls of the failure explorer; its rows come from the script."""
    table = h(
        "table",
        h("caption", hidden_text("Answers that match the filters. Enter opens one; j and k move.")),
        h("thead", h("tr", *_heads())),
        h("tbody", id="list"),
        class_="answers",
    )
    pager = h(
        "nav",
        h("button", "Previous", type="button", id="previous"),
        h("span", id="page"),
        h("button", "Next", type="button", id="next"),
        aria_label="Pages of the list",
        class_="pager",
    )
    shortcuts = h(
        "p",
        h("input", type="checkbox", id="shortcuts", checked=""),
        h(
            "label",
            " Keys: ",
            h("kbd", "/"),
            " search, ",
            h("kbd", "j"),
            " and ",
            h("kbd", "k"),
            " move",
            for_="shortcuts",
        ),
        class_="small keys",
    )
    noscript = h("noscript", h("p", "The explorer needs JavaScript. All figures above are complete without it."))
    return section(
        "explorer",
        "Failure explorer",
        *(h("p", line, class_="small") for line in told),
        noscript,
        h("p", id="trouble", class_="trouble", role="alert", hidden=""),
        h(
            "div",
            _controls(),
            h("p", id="count", role="status", aria_live="polite"),
            table,
            pager,
            shortcuts,
            id="tool",
            hidden="",
        ),
    )


def _heads() -> list[Element]:
    columns = (("status", "Result"), ("question", "Question"), ("system", "System"), ("mean", "Mean rating"))
    return [
        h("th", h("button", text, type="button", data_sort=key), scope="col", class_=f"col-{key}", aria_sort="none")
        for key, text in columns
    ]


def _controls() -> Element:
    fields: list[Child] = [
        h(
            "p",
            h("label", "Search ", h("kbd", "/"), for_="search"),
            h(
                "input",
                type="search",
                id="search",
                autocomplete="off",
                spellcheck="false",
                aria_describedby="search-hint",
            ),
            h("small", "in questions, expected and given answers, names and ids", id="search-hint"),
            class_="field wide-field",
        )
    ]
    for key, label in FILTERS:
        options = [h("option", text, value=value) for value, text in STATUSES] if key == "status" else []
        fields.append(
            h("p", h("label", label, for_=f"filter-{key}"), h("select", *options, id=f"filter-{key}"), class_="field")
        )
    fields.append(h("p", h("button", "Clear filters", type="button", id="clear"), class_="field"))
    return h("form", *fields, role="search", aria_label="Filter the answers", class_="controls", id="controls")


def dialog() -> Element:
    """The place where a case opens."""
    buttons = [
        h("button", text, type="button", id=id_)
        for id_, text in (("case-previous", "Previous"), ("case-next", "Next"), ("case-copy", "Copy link"))
    ]
    close = h("button", "Close", type="button", id="case-close")
    bar = h("div", *buttons, h("span", id="case-told", role="status"), close, class_="case-bar")
    return h("dialog", bar, h("div", id="case-body"), id="case", aria_labelledby="case-title")


def footer(results: Results) -> Element:
    """What made the run: models as asked for and as served, seeds, versions."""
    lines: list[Child] = []
    for info in results.runs:
        for manifest in (info.executed, info.judged):
            if manifest is None:
                continue
            served = ", ".join(
                f"{asked} (served as {got})" if got and got != asked else asked
                for asked, got in manifest.models.items()
            )
            version = manifest.versions.get("ragtester-pipeline", "unknown version")
            revision = (
                f", code {manifest.revision[:10]}{' with changes' if manifest.dirty else ''}"
                if manifest.revision
                else ""
            )
            aliases = (
                f" May mean other models tomorrow: {', '.join(manifest.floating_aliases)}."
                if manifest.floating_aliases
                else ""
            )
            lines.append(
                h(
                    "li",
                    f"{manifest.stage} {manifest.name}: {served}; seed {manifest.seed}; {version}{revision}; "
                    f"{manifest.started} to {manifest.ended or 'not ended'}.{aliases}",
                )
            )
    return h("footer", h("h2", "How this was made"), h("ul", *lines))
