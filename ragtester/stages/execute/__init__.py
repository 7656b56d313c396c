"""Execute: cases → answers, for every system of the matrix."""

from ragtester.stages.execute.run import run

__all__ = ["run"]
