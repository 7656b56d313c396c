"""The claims audit: each fact of an answer against the chunks that it cites, and against the whole context."""

from ragtester.stages.claims.document import claims_document
from ragtester.stages.claims.estimate import estimate
from ragtester.stages.claims.files import NAME, STAGE, Files
from ragtester.stages.claims.repeats import answer_states, make_repeats
from ragtester.stages.claims.repeats_document import repeats_document
from ragtester.stages.claims.run import read_repeats, read_result, run
from ragtester.stages.claims.staleness import claims_staleness

__all__ = [
    "NAME",
    "STAGE",
    "Files",
    "answer_states",
    "claims_document",
    "claims_staleness",
    "estimate",
    "make_repeats",
    "read_repeats",
    "read_result",
    "repeats_document",
    "run",
]
