"""The gate: from result files of a run and its layers to one decision."""

from ragtester.stages.gate.decide import decide
from ragtester.stages.gate.evidence import Asked, Evidence, read_evidence
from ragtester.stages.gate.explaining import first_cause
from ragtester.stages.gate.screen import headline, screen
from ragtester.stages.gate.summary import summary

__all__ = ["Asked", "Evidence", "decide", "first_cause", "headline", "read_evidence", "screen", "summary"]
