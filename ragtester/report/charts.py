"""Small inline SVG plots. Widths are shares of the cell (`%`), so that they fit a phone; colours are classes."""

from __future__ import annotations

from collections.abc import Sequence

from ragtester.report.html import Element, h
from ragtester.tables import Rate

HEIGHT = 22
TICKS = (0, 25, 50, 75, 100)


def _at(share: float) -> str:
    return f"{100 * share:.2f}%"


def _svg(*parts: Element, height: int = HEIGHT, class_: str = "plot") -> Element:
    """A drawing whose figures stand as text beside it, so that readers of the text need not hear it."""
    return h("svg", *parts, class_=class_, width="100%", height=height, aria_hidden="true", focusable="false")


def _grid(height: int) -> list[Element]:
    return [h("line", x1=_at(t / 100), x2=_at(t / 100), y1=0, y2=height, class_="grid") for t in TICKS]


def axis(unit: str = "%") -> Element:
    """The scale over a column of `whisker` or `stack` plots, from 0 to 100 %."""
    anchors = {0: "start", 100: "end"}
    return _svg(
        *(
            h("text", f"{t} {unit}" if t == 100 else str(t), x=_at(t / 100), y=13, text_anchor=anchors.get(t, "middle"))
            for t in TICKS[::2]
        ),
        height=18,
        class_="plot axis",
    )


def whisker(value: Rate, kind: str = "pass") -> Element:
    """A dot at the rate and a line over its 95 % interval; an empty grid where nothing was graded."""
    parts = _grid(HEIGHT)
    if value.share is not None and value.interval is not None:
        low, high, middle = _at(value.interval.low), _at(value.interval.high), HEIGHT // 2
        parts += [
            h("line", x1=low, x2=high, y1=middle, y2=middle, class_=f"whisker {kind}"),
            h("circle", cx=_at(value.share), cy=middle, r=5, class_=f"dot {kind}"),
        ]
    return _svg(*parts)


def stack(parts: Sequence[tuple[int, str]]) -> Element:
    """Shares of a whole as one bar: counts and their classes."""
    total = sum(count for count, _ in parts)
    drawn, before = _grid(HEIGHT), 0
    for count, class_ in parts:
        if count:
            x, width = _at(before / total), _at(count / total)
            drawn.append(h("rect", x=x, y=4, width=width, height=HEIGHT - 8, class_=class_))
        before += count
    return _svg(*drawn)


def histogram(bins: Sequence[tuple[int, int]], height: int = 48) -> Element:
    """Bars of equal width, each of two counts: failed below, passed above; the highest bar fills the height."""
    top = max((failed + passed for failed, passed in bins), default=0)
    drawn = [h("line", x1="0%", x2="100%", y1=height - 0.5, y2=height - 0.5, class_="base")]
    for place, (failed, passed) in enumerate(bins):
        x, width = _at((place + 0.08) / len(bins)), _at(0.84 / len(bins))
        floor = float(height - 1)
        for count, class_ in ((failed, "fail-fill"), (passed, "pass-fill")):
            if count:
                tall = max(1.0, count / top * (height - 3))
                floor -= tall
                drawn.append(h("rect", x=x, y=f"{floor:.1f}", width=width, height=f"{tall:.1f}", class_=class_))
    return _svg(*drawn, height=height, class_="plot bars")


def span(low: float, middle: float, high: float, top: float) -> Element:
    """A line from `low` to `high` with a dot at `middle`, on a scale from 0 to `top`."""
    scale = top or 1.0
    y = HEIGHT // 2
    return _svg(
        *_grid(HEIGHT),
        h("line", x1=_at(low / scale), x2=_at(high / scale), y1=y, y2=y, class_="whisker plain"),
        h("circle", cx=_at(middle / scale), cy=y, r=5, class_="dot plain"),
    )


def strip(bins: Sequence[tuple[int, int]], height: int = 34) -> Element:
    """A document from its first page to its last: failed below, passed above, nothing where no case was made.

    Drawn as two paths over a stretched box, so that a long document costs few bytes.
    """
    top = max((failed + passed for failed, passed in bins), default=0) or 1
    paths = {"fail-fill": "", "pass-fill": "", "empty-fill": ""}
    for place, (failed, passed) in enumerate(bins):
        x, floor = 10 * place + 1, 100
        if not failed + passed:
            paths["empty-fill"] += f"M{x} 94h8v6h-8z"
        for count, class_ in ((failed, "fail-fill"), (passed, "pass-fill")):
            if count:
                tall = max(6, round(100 * count / top))
                floor -= tall
                paths[class_] += f"M{x} {floor}h8v{tall}h-8z"
    box = h("svg", class_="plot strip", viewBox=f"0 0 {10 * max(1, len(bins))} 100", preserveAspectRatio="none")
    for key, value in (("width", "100%"), ("height", str(height)), ("aria-hidden", "true"), ("focusable", "false")):
        box.set(key, value)
    box.extend(h("path", d=path, class_=class_) for class_, path in paths.items() if path)
    return box
