"""The columns of the flat files: what each holds is data, apart from how a file is written.

An empty text is null, as is a number that was not measured: no format has to tell the two apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from ragtester.exports.texts import FullRow
from ragtester.records import CRITERIA

Kind = Literal["text", "texts", "number", "count", "flag"]
Value = str | tuple[str, ...] | float | int | bool | None


@dataclass(frozen=True)
class Column:
    """`kind` is the type: text, texts (a list), number (64-bit float), count (64-bit integer) or flag (boolean)."""

    name: str
    kind: Kind
    meaning: str
    of: Callable[[FullRow], Value]

    def value(self, row: FullRow) -> Value:
        """The cell; None where there is nothing to say."""
        found = self.of(row)
        return None if found == "" else found


def _of_row(name: str) -> Callable[[FullRow], Value]:
    return lambda full: getattr(full.row, name)


def _of_case(name: str) -> Callable[[FullRow], Value]:
    return lambda full: getattr(full.case, name) if full.case else None


def _of_ratings(name: str) -> Callable[[FullRow], Value]:
    return lambda full: getattr(full.row.ratings, name) if full.row.ratings else None


_CRITERION = "rating of the judge: true, partially or false"
COLUMNS: tuple[Column, ...] = (
    Column("run", "text", "run", _of_row("run")),
    Column("suite", "text", "suite of the run", lambda full: full.suite),
    Column("case_id", "text", "id of the case, unique in its suite", _of_row("case_id")),
    Column("document_id", "text", "document the question is asked of", _of_row("document_id")),
    Column("source", "text", "of the document: generated or manual", _of_row("source")),
    Column("technique", "text", "what generated the case", _of_row("technique")),
    Column("type", "text", "complexity, rejection, coverage or baseline", _of_row("type")),
    Column("subtype", "text", "invented, cross_document, single or multi", _of_row("subtype")),
    Column("style", "text", "of the question: wh, keyword or scenario", _of_case("style")),
    Column("language", "text", "ISO 639-1 code", _of_row("language")),
    Column("llm", "text", "language model under test", _of_row("llm")),
    Column("embedding", "text", "embedding model under test; none in the closed-book control", _of_row("embedding")),
    Column("closed_book", "flag", "asked without retrieval", lambda full: full.row.closed_book),
    Column("status", "text", "pass, fail, ungraded (no grade could be given) or missing (no row)", _of_row("status")),
    Column("reason", "text", "why a row is ungraded or missing", _of_row("reason")),
    Column("mean", "number", "of the five ratings, 0 to 1", _of_row("mean")),
    *(Column(name, "text", _CRITERION, _of_ratings(name)) for name in CRITERIA),
    Column("decided_by", "text", "mean, faithfulness, refusal or answered", _of_row("decided_by")),
    Column("outcome", "text", "answered, abstained, refused (by the provider) or failed", _of_row("outcome")),
    Column(
        "flags",
        "texts",
        "for an audit, such as `hidden_evidence` (its user may not see what answers it)",
        _of_row("flags"),
    ),
    Column("judge", "text", "model that judged", _of_row("judge")),
    Column(
        "cost", "number", "of the answer with its rewrite and rerank, US dollars by the price table", _of_row("cost")
    ),
    Column("judge_cost", "number", "of the judgement, US dollars by the price table", _of_row("judge_cost")),
    Column("seconds", "number", "latency of the answer's model servers, with rewrite and rerank", _of_row("seconds")),
    Column("prompt_tokens", "count", "of the answer's requests, with rewrite and rerank", _of_row("prompt_tokens")),
    Column("completion_tokens", "count", "of the replies to them", _of_row("completion_tokens")),
    Column("gold", "count", "chunks that overlap the case's evidence", _of_row("gold")),
    Column("gold_seen", "count", "those of them that the model was given", _of_row("gold_seen")),
    Column("flesch", "number", "raw Flesch Reading Ease of the case's section", _of_case("flesch")),
    Column(
        "lexical_overlap",
        "number",
        "share of the question's content words that its evidence holds, 0 to 1",
        _of_case("lexical_overlap"),
    ),
    Column("question", "text", "question of the case", _of_case("question")),
    Column("expected_answer", "text", "expected answer of the case", _of_case("expected_answer")),
    Column("keywords", "texts", "what a right answer holds", _of_case("keywords")),
    Column("answer", "text", "what the system said", lambda full: full.answer),
)
# What `pandas.read_csv(dtype=…)` needs so that it guesses no type; lists are one text, parted by " | ".
_PANDAS = {"text": "string", "texts": "string", "number": "Float64", "count": "Int64", "flag": "boolean"}
CSV_TYPES: dict[str, str] = {column.name: _PANDAS[column.kind] for column in COLUMNS}
