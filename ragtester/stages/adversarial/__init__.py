"""What fixtures show: where gold and poison stood, what the answer rests on, and what to do about it."""

from ragtester.stages.adversarial.asked import Asked
from ragtester.stages.adversarial.document import adversarial_document
from ragtester.stages.adversarial.files import STAGE, Files, read_result, read_rows_on_disk
from ragtester.stages.adversarial.result import Told, make_result
from ragtester.stages.adversarial.rows import read_rows_of
from ragtester.stages.adversarial.suites import (
    own_settings,
    read_set,
    refuse_changed,
    set_hashes,
    suite_name,
    write_suite,
)

__all__ = [
    "STAGE",
    "Asked",
    "Files",
    "Told",
    "adversarial_document",
    "make_result",
    "own_settings",
    "read_result",
    "read_rows_of",
    "read_rows_on_disk",
    "read_set",
    "refuse_changed",
    "set_hashes",
    "suite_name",
    "write_suite",
]
