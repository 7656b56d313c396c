"""The judge against people's labels."""

from ragtester.stages.calibration.binding import CalibrationStatus, calibration_status
from ragtester.stages.calibration.document import calibration_document
from ragtester.stages.calibration.run import run
from ragtester.stages.calibration.sheet import write_sheet

__all__ = ["CalibrationStatus", "calibration_document", "calibration_status", "run", "write_sheet"]
