"""What every record is built from: the base class, failures, spans, the account of a call, shares."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Record(BaseModel):
    """Base: immutable, strict about unknown fields, and never NaN or infinite."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Failure(Record):
    """Why something has no result. `type` is a short machine word, `message` one line for a person."""

    type: str
    message: str
    cause: str = ""


class Span(Record):
    """A piece of a document's text, `[start, end)` in characters."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)

    @model_validator(mode="after")
    def _ordered(self) -> Span:
        if self.end < self.start:
            raise ValueError(f"span ends ({self.end}) before it starts ({self.start})")
        return self


class Call(Record):
    """What one request to a model cost and gave. Tokens, cost and seconds are None where nothing was measured.

    `seconds` is the model server's latency: None for the embedded engine and scripted replies, which call no server.
    `raw` is kept only where the reply could not be used as it came. A reply that another request of the run was sent
    for has that one's account with no `attempts`.
    """

    model: str
    served_model: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None
    finish_reason: str | None = None
    attempts: int = 1
    dropped_parameters: tuple[str, ...] = ()
    raw: str = ""

    @property
    def sent(self) -> bool:
        """Whether anything was sent, and so paid, for this call itself."""
        return self.attempts > 0


class MeanValue(Record):
    """A mean over `n` queries with its 95 % interval; None where there is nothing, or no spread to tell of."""

    value: float | None = None
    n: int = 0
    low: float | None = None
    high: float | None = None


class Proportion(Record):
    """A share, `successes` of `n`, with its Wilson interval (95 %); None where `n` is 0: undefined, never 0.

    `share` is rounded to six digits; one that is not that of the counts is refused, for a gate decides by it.
    """

    successes: int = Field(ge=0)
    n: int = Field(ge=0)
    share: float | None = None
    low: float | None = None
    high: float | None = None

    @model_validator(mode="after")
    def _of_its_counts(self) -> Proportion:
        if self.successes > self.n:
            raise ValueError(f"{self.successes} successes of {self.n}")
        if self.share is not None and (not self.n or abs(self.share - self.successes / self.n) > 1e-6):
            raise ValueError(f"{self.share} is not the share of {self.successes} of {self.n}")
        return self
