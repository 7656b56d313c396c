"""Statistics of rates and their comparison. Pure: numbers in, numbers out."""

from ragtester.statistics.intervals import Interval, format_rate, wilson

__all__ = ["Interval", "format_rate", "wilson"]
