"""How every plot looks, without touching the settings of whoever draws it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ragtester.errors import MissingPackageError
from ragtester.tables import Rate
from ragtester.tables.cells import clean
from ragtester.tables.names import short_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's palette (Color Universal Design, 2008), ordered so that neighbours differ in lightness too.
COLOURS = ("#0072B2", "#E69F00", "#000000", "#56B4E9", "#D55E00", "#009E73", "#CC79A7", "#8C8C8C")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
BLUE, ORANGE, GRAY = "#0072B2", "#D55E00", "#6E6E6E"
WIDTH = 7.2
FONT = "DejaVu Sans"
# Fonts that matplotlib brings for formulas, and the one that draws a box for everything.
_UNFIT = ("STIX", "cm", "Last Resort")
_SETTINGS: dict[str, Any] = {
    "text.parse_math": False,  # a name may hold dollar signs
    "text.usetex": False,
    "font.size": 8.5,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.labelsize": 8.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.formatter.use_mathtext": False,
    "grid.color": "#E3E3E3",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "hatch.linewidth": 0.6,
    "figure.dpi": 110,
}


@contextmanager
def drawing(names: Iterable[str] = ()) -> Iterator[Callable[[str], str]]:
    """Settings of every plot while it is drawn; gives the function that makes any of `names` drawable.

    Raises MissingPackageError without matplotlib (extras `study` and `write`).
    """
    try:
        import matplotlib.style
    except ImportError as error:
        raise MissingPackageError(
            "matplotlib is not installed; pip install 'ragtester-pipeline[study]' (plots need it)"
        ) from error
    fonts = _fonts("".join(sorted(set("".join(map(clean, names))))))
    with matplotlib.style.context(["default", _SETTINGS | {"font.family": [FONT, *fonts]}]):
        drawn = frozenset().union(*(_characters(font) for font in (FONT, *fonts)))
        yield lambda text: "".join(char if ord(char) in drawn else "\N{REPLACEMENT CHARACTER}" for char in clean(text))


@lru_cache(maxsize=64)
def _fonts(characters: str) -> tuple[str, ...]:
    """Families besides the first that together draw as many of `characters` as the machine's fonts can."""
    wanted = {ord(char) for char in characters} - _characters(FONT)
    found = []
    for name in sorted(_files(), key=lambda name: (not name.startswith("Noto Sans"), name)) if wanted else ():
        if not name.startswith(_UNFIT) and wanted & _characters(name):
            found.append(name)
            wanted -= _characters(name)
    return tuple(found)


def _files() -> dict[str, str]:
    """Family -> file of its regular font."""
    from matplotlib.font_manager import fontManager

    regular = (entry for entry in fontManager.ttflist if entry.style == "normal" and entry.weight in (400, "normal"))
    return {entry.name: entry.fname for entry in regular}


@lru_cache(maxsize=256)
def _characters(name: str) -> frozenset[int]:
    """Code points that a family draws; none for fonts of bitmaps, such as colour emoji."""
    from matplotlib.ft2font import FT2Font

    font = FT2Font(_files()[name])
    return frozenset(font.get_charmap()) if font.scalable else frozenset()


def new_figure(height: float, width: float = WIDTH) -> Figure:
    """An empty figure, in inches, that belongs to no window and to no global list."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def nothing(title: str, why: str) -> Figure:
    """A figure that says why there is nothing to draw. Call it within `drawing`."""
    figure = new_figure(1.4)
    axes = figure.subplots()
    axes.set_title(title)
    axes.set_axis_off()
    axes.text(0, 0.6, why, transform=axes.transAxes, va="center", color=GRAY)
    return figure


def below(figure: Figure, *sentences: str) -> None:
    """Small print below a plot, in lines that fit its width."""
    import textwrap

    text = " ".join(sentence for sentence in sentences if sentence)
    width, _ = figure.get_size_inches()
    lines = textwrap.wrap(text, int(width * 17), break_on_hyphens=False)
    figure.supxlabel("\n".join(lines), fontsize=7, color=GRAY, x=0.01, ha="left")


def percent_axis(axes: Axes, label: str, values: Iterable[float], *, vertical: bool = False) -> None:
    """An axis of percentages: from 0 to 100, or to where the intervals end."""
    top = min(100.0, max([10.0, *values]) * 1.04)
    top = 100.0 if top > 70 else top
    (axes.set_ylim if vertical else axes.set_xlim)(-0.015 * top, 1.015 * top)
    (axes.set_ylabel if vertical else axes.set_xlabel)(label)
    axis = axes.yaxis if vertical else axes.xaxis
    axis.set_major_formatter(lambda value, _: f"{value:g} %")
    axes.grid(axis="y" if vertical else "x")


def whisker(axes: Axes, rate: Rate, place: float, **look: Any) -> None:
    """A rate as a dot with its interval, in per cent, at height `place`; nothing for an undefined one."""
    share, interval = rate.share, rate.interval
    if share is None or interval is None:
        return
    style: dict[str, Any] = {"fmt": "o", "markersize": 4.5, "linewidth": 1.3, "color": BLUE} | look
    ends = [[100 * (share - interval.low)], [100 * (interval.high - share)]]
    axes.errorbar([100 * share], [place], xerr=ends, **style)


def counted(rate: Rate) -> str:
    """`385/476 = 80.9 %`, or `0/0 = n/a`."""
    share = rate.share
    return "0/0 = n/a" if share is None else f"{rate.successes:,}/{rate.n:,} = {100 * share:.1f} %"


def in_margin(axes: Axes, texts: dict[float, str]) -> None:
    """Texts to the right of the axes, each at a height of its y axis; the layout keeps room for them."""
    twin = axes.secondary_yaxis("right")
    twin.set_yticks(list(texts), list(texts.values()), fontsize=7.5, color="#333333")
    twin.tick_params(length=0)
    twin.spines["right"].set_visible(False)


def short(names: list[str], lettered: Callable[[str], str], width: int = 34) -> list[str]:
    """Names that fit beside a plot and stay distinct."""
    return short_names([lettered(name) for name in names], width)
