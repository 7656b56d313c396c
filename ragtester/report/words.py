"""Numbers as a reader of the page sees them: every rate with its count and interval, undefined is "n/a"."""

from __future__ import annotations

import re
from datetime import datetime

from ragtester.statistics import format_rate
from ragtester.tables import Rate

_TOGETHER = re.compile(r"\[[^\]]*\]|(?<=\d) (?=%)|(?<=US\$) (?=\d)|\(n = [\d,]+\)|\bn [\d,]+")


def percent(share: float | None) -> str:
    """ "81.3 %", "n/a" where there is nothing to divide by."""
    return "n/a" if share is None else f"{100 * share:.1f}\N{NO-BREAK SPACE}%"


def tight(text: str) -> str:
    """Keep a figure together where lines break: its unit, its interval, its count."""
    return _TOGETHER.sub(lambda found: found[0].replace(" ", "\N{NO-BREAK SPACE}"), text)


def rate(value: Rate) -> str:
    """ "12/40 = 30.0 % [18.1, 45.4]"."""
    return tight(format_rate(value.successes, value.n))


def short_rate(value: Rate) -> str:
    """ "12 of 40 (30.0 % [18.1, 45.4])"."""
    if value.interval is None:
        return "0 of 0 (n/a)"
    low, high = 100 * value.interval.low, 100 * value.interval.high
    return tight(f"{value.successes:,} of {value.n:,} ({percent(value.share)} [{low:.1f}, {high:.1f}])")


def number(value: float | None, unit: str = "") -> str:
    """Three significant digits, thousands apart; "n/a" for None."""
    if value is None:
        return "n/a"
    text = f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"
    return f"{text} {unit}".rstrip()


def dollars(value: float | None) -> str:
    """US dollars; small sums keep their first digits."""
    if value is None:
        return "n/a"
    if value == 0 or value >= 0.01:
        return f"US$ {value:,.2f}"
    return f"US$ {value:.2g}" if value >= 0.0001 else f"US$ {value:.1e}"


def duration(seconds: float) -> str:
    """ "2 s", "3 min 20 s", "5 h 12 min"."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def between(started: str, ended: str | None) -> str:
    """How long a stage took by its manifest's times."""
    if ended is None:
        return "not ended"
    return duration((datetime.fromisoformat(ended) - datetime.fromisoformat(started)).total_seconds())
