"""Figures of written documents: a small JSON block in the Markdown, drawn with matplotlib.

The block is untrusted. It may name labels and finite numbers within limits, and nothing else: no code, no files, no
TeX, no math text.
"""

from __future__ import annotations

import io
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

MAX_JSON = 8_000
MAX_POINTS = 24
Number = float


class Series(BaseModel):
    """One line or one set of bars."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    name: str = Field(default="", max_length=60)
    values: tuple[Number, ...] = Field(min_length=1, max_length=MAX_POINTS)


class FigureSpec(BaseModel):
    """What a ```figure block may say. Either `values` or `series`, as many values as labels."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    title: str = Field(default="", max_length=160)
    kind: Literal["bar", "line", "pie"] = "bar"
    labels: tuple[str, ...] = Field(min_length=1, max_length=MAX_POINTS)
    values: tuple[Number, ...] = Field(default=(), max_length=MAX_POINTS)
    series: tuple[Series, ...] = Field(default=(), max_length=4)
    unit: str = Field(default="", max_length=40)
    caption: str = Field(default="", max_length=600)

    @model_validator(mode="after")
    def _consistent(self) -> FigureSpec:
        rows = self.rows
        if not rows or any(len(row.values) != len(self.labels) for row in rows):
            raise ValueError("a figure needs one value a label")
        if any(abs(value) > 1e12 for row in rows for value in row.values) or max(map(len, self.labels)) > 60:
            raise ValueError("a value or a label of the figure is too large")
        if self.kind == "pie" and (len(rows) != 1 or min(rows[0].values) < 0 or sum(rows[0].values) <= 0):
            raise ValueError("a pie needs one row of values that are not negative")
        return self

    @property
    def rows(self) -> tuple[Series, ...]:
        """All series; plain `values` count as one without a name."""
        return ((Series(values=self.values),) if self.values else ()) + self.series


def parse_figure(text: str) -> FigureSpec | None:
    """Read a figure block; None where it is not a figure that we draw (it then stays visible as code)."""
    if len(text) > MAX_JSON:
        return None
    try:
        return FigureSpec.model_validate_json(text)
    except ValidationError:
        return None


def draw_png(spec: FigureSpec) -> bytes:
    """Draw a figure, 16 cm wide, as PNG without a date or a version in it. Text is drawn letter for letter."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    plain: Any = {"text.usetex": False, "text.parse_math": False, "font.family": "DejaVu Sans", "font.size": 8}
    with mpl.rc_context(plain):
        figure = Figure(figsize=(6.3, 2.9), dpi=130, layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots()
        _draw(axes, spec)
        axes.set_title(spec.title[:90], fontsize=9)
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", metadata={"Software": None})
    return buffer.getvalue()


def _draw(axes: object, spec: FigureSpec) -> None:
    from matplotlib.axes import Axes

    assert isinstance(axes, Axes)
    if spec.kind == "pie":
        axes.pie(spec.rows[0].values, labels=list(spec.labels), startangle=90, counterclock=False)
        return
    positions = list(range(len(spec.labels)))
    width = 0.8 / len(spec.rows)
    styles = (("#33526e", ""), ("#b4713d", "//"), ("#6f8f57", ".."), ("#8a8a8a", "xx"))
    for index, (row, (colour, hatch)) in enumerate(zip(spec.rows, styles, strict=False)):
        if spec.kind == "line":
            axes.plot(positions, row.values, marker="o", color=colour, label=row.name)
        else:
            shifted = [position + (index - (len(spec.rows) - 1) / 2) * width for position in positions]
            axes.bar(shifted, row.values, width, color=colour, hatch=hatch, edgecolor="white", label=row.name)
    longest = max(len(label) for label in spec.labels)
    turned = longest * len(spec.labels) > 90
    axes.set_xticks(positions, list(spec.labels), rotation=30 if turned else 0, ha="right" if turned else "center")
    axes.set_ylabel(spec.unit)
    axes.grid(axis="y", linewidth=0.4, color="#bbbbbb")
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    if any(row.name for row in spec.rows):
        axes.legend(frameon=False, fontsize=7)
