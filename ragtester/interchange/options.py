"""What a user may say about an import and an export."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class ImportOptions:
    """What a user may say about a foreign file.

    `format` is ragas, deepeval, promptfoo or csv, found out where it is empty; `technique` is its cases' technique, by
    default the format's name; `document` is asked about where a record names none; `columns` says what the file calls
    our fields; `near` above 0 also finds contexts that are so alike (0 to 100). `system` makes the file's answers a
    run of that name's system; `passes` grades by a score, such as ("answer_correctness", 0.7).
    """

    format: str = ""
    technique: str = ""
    document: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    near: float = 0
    system: str = ""
    embedding: str = "imported"
    run: str = ""
    passes: tuple[str, float] | None = None
    overwrite: bool = False


@dataclass(frozen=True)
class ExportOptions:
    """`technique` is one or "all"; `run` exports the cases of a run's suite, with its answers if `answers`.

    `system` chooses one of the run's systems, written as `llm` or `llm × embedding`.
    """

    format: str
    technique: str = "all"
    run: str = ""
    answers: bool = False
    system: str = ""
