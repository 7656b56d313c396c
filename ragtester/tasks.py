"""The one seam: everything a model is ever asked to do.

A task is a request record, a prompt (`prompts/<name>.system.md` and `prompts/<name>.user.md`) and a reply
schema. Language models see the rendered prompt; the embedded engine gets the request record itself. Both give
the same reply record.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, TypeVar, get_args

from pydantic import Field

from ragtester.records import Call, CaseType, ClaimVerdict, Failure, LeftOut, Rating, Record, Vote

REFUSAL_PHRASES = ("Insufficient information to answer this question", "I don't know")


class WriteDocument(Record):
    """Request: one document in Markdown. The technical side goes to the system prompt, the subject to the user's."""

    language: str = "English"
    length: str = "about 1500 words"
    detail: str = "comprehensive"
    tone: str = "formal"
    structure: str = "numbered headings"
    content: str = ""
    formatting: str = ""
    profile: str = "plain"
    topic: str | None = None
    name: str | None = None
    sections: tuple[str, ...] = ()
    seed: int = 0


class Fact(Record):
    """One fact that the embedded writer put into a document: `subject` has `attribute` equal to `value`."""

    subject: str
    attribute: str
    value: str


class WrittenDocument(Record):
    """Reply: the Markdown, its title, and (embedded engine only) the facts it was made from."""

    name: str
    markdown: str
    facts: tuple[Fact, ...] = ()


class Passage(Record):
    """Text that a case is made from. `label` is what the reply may cite."""

    label: str
    text: str


class Draft(Record):
    """One proposed case. `quotes` are copied from the passages, letter for letter: they become the evidence spans."""

    question: str
    expected_answer: str
    keywords: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    style: str = ""


class RejectedDraft(Record):
    """A draft that failed its checks, sent back with the reasons in words."""

    question: str
    reasons: tuple[str, ...]


class WriteCases(Record):
    """Request: `count` cases of one type from the passages."""

    language: str
    type: CaseType
    subtype: str = ""
    style: Literal["wh", "keyword", "scenario", ""] = ""
    count: int = 1
    title: str = ""
    passages: tuple[Passage, ...]
    refusal: str = REFUSAL_PHRASES[0]
    avoid: tuple[str, ...] = ()
    rejected: tuple[RejectedDraft, ...] = ()
    seed: int = 0


class WrittenCases(Record):
    """Reply: the drafts, at most `count`."""

    cases: tuple[Draft, ...] = Field(min_length=1)


class AnswerQuestion(Record):
    """Request: answer from the sections alone, or refuse in the configured phrases.

    In the closed-book control there are no sections: the answer comes from what the model knows.
    """

    language: str
    question: str
    sections: tuple[Passage, ...]
    refusals: tuple[str, ...] = REFUSAL_PHRASES
    reply_format: Literal["json", "text"] = "json"


class QuestionAnswered(Record):
    """Reply: the answer, whether it refuses, and the chunk ids it relies on."""

    answer: str
    refuses: bool
    cited: tuple[str, ...] = ()


class ConflictsAnswered(QuestionAnswered):
    """Reply under the instruction to surface contradicting evidence: also what the answer leaves out, and why."""

    left_out: tuple[LeftOut, ...] = ()


class AnswerSeen(Record):
    """One answer as a judge sees it, its system not named. `answerable` is False for rejection cases."""

    language: str
    question: str
    expected_answer: str
    keywords: tuple[str, ...]
    evidence: tuple[Passage, ...]
    answer: str
    refuses: bool | None
    answerable: bool
    refusals: tuple[str, ...] = REFUSAL_PHRASES


class JudgeAnswer(AnswerSeen):
    """Request: rate one answer."""


class Judgement(Record):
    """One criterion: the reason comes before the rating."""

    reason: str
    rating: Rating


class AnswerJudged(Record):
    """Reply: the four criteria that are asked; keyword match is computed."""

    faithfulness: Judgement
    relevance: Judgement
    completeness: Judgement
    clarity: Judgement


class VoteOnVerdict(AnswerSeen):
    """Request: is one answer acceptable? What the judge said of it is not named either."""


class VerdictVoted(Record):
    """Reply: the reason comes before the vote."""

    reason: str
    vote: Vote


class RewriteQuery(Record):
    """Request: the search query for a user's question. Names, codes and numbers stay as they are."""

    language: str
    question: str


class QueryRewritten(Record):
    """Reply: what is searched instead of the question."""

    query: str


class RankPassages(Record):
    """Request: put the passages in order of their use for answering the question, best first."""

    language: str
    question: str
    passages: tuple[Passage, ...]


class PassagesRanked(Record):
    """Reply: labels of the passages, best first; each at most once."""

    order: tuple[str, ...]


class TraceClaims(Record):
    """Request: split a reference answer into atomic claims, and say which passages support each."""

    language: str
    question: str
    answer: str
    passages: tuple[Passage, ...]


class TracedClaim(Record):
    """One fact of the answer, with the labels of the passages that each support it; empty where none does."""

    claim: str
    passages: tuple[str, ...] = ()


class ClaimsTraced(Record):
    """Reply: the claims, in the order of the answer."""

    claims: tuple[TracedClaim, ...] = Field(min_length=1)


class SplitAnswer(Record):
    """Request: split an answer into atomic claims, and say on which of the passages each relies.

    `cited` are the labels of the passages that the answer itself names as its sources; empty where it names none.
    """

    language: str
    question: str
    answer: str
    cited: tuple[str, ...] = ()
    passages: tuple[Passage, ...]


class SplitClaim(Record):
    """One fact of the answer, understood by itself, with the labels of the passages that it relies on."""

    claim: str
    passages: tuple[str, ...] = ()


class AnswerSplit(Record):
    """Reply: the claims in the order of the answer; none where the answer states nothing."""

    claims: tuple[SplitClaim, ...] = ()


class CheckClaim(Record):
    """Request: does the claim follow from the passages, do they contradict it, or neither? The question says what it is
    about."""

    language: str
    question: str
    claim: str
    passages: tuple[Passage, ...] = Field(min_length=1)


class ClaimChecked(Record):
    """Reply: the reason (one line) comes before the verdict. `passages` are those that the verdict rests on."""

    reason: str
    verdict: ClaimVerdict
    passages: tuple[str, ...] = ()


class AskTarget(Record):
    """Request to a system under test that is not ours: the question, and what the user who asks it may see."""

    language: str
    question: str
    tags: tuple[str, ...] = ()


class Returned(Record):
    """One text that a target says it answered from; what it does not tell of it is empty or None."""

    text: str
    id: str = ""
    score: float | None = None
    document: str = ""


class TargetAnswered(Record):
    """Reply of a target; None stands for what it does not reveal. `cited` and those of `left_out` are ids of its own.

    `about` is what it says of itself: `model`, `index`, versions of prompts.
    """

    answer: str
    refuses: bool | None = None
    cited: tuple[str, ...] | None = None
    left_out: tuple[LeftOut, ...] = ()
    chunks: tuple[Returned, ...] | None = None
    about: dict[str, str] = Field(default_factory=dict)


AskedKind = Literal["under_specified", "paraphrase", "wrong_premise"]


class StressQuestion(Record):
    """Request: the same question in a way that is harder to serve.

    `wrong_value` stands in the place of `true_value`, a value of the answer, in the premise that is to be wrong; both
    are empty for the other kinds. `rejected` are drafts that failed their checks.
    """

    language: str
    kind: AskedKind
    question: str
    expected_answer: str
    evidence: tuple[Passage, ...] = Field(min_length=1)
    true_value: str = ""
    wrong_value: str = ""
    rejected: tuple[RejectedDraft, ...] = ()
    seed: int = 0


class QuestionStressed(Record):
    """Reply: the question, what is to be answered to it, and the proper names and codes that it keeps as they are."""

    question: str
    expected_answer: str
    names: tuple[str, ...] = ()


Q = TypeVar("Q", bound=Record)
R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class Task(Generic[Q, R]):
    """Name (also the prompt files' name), request and reply types, and how the reply is written."""

    name: str
    request: type[Q]
    reply: type[R]
    reply_format: Literal["json", "markdown"] = "json"


WRITE_DOCUMENT = Task("write_document", WriteDocument, WrittenDocument, reply_format="markdown")
WRITE_CASES = Task("write_cases", WriteCases, WrittenCases)
ANSWER_QUESTION = Task("answer_question", AnswerQuestion, QuestionAnswered)
ANSWER_CLOSED_BOOK = Task("answer_question.closed", AnswerQuestion, QuestionAnswered)
ANSWER_CONFLICTS = Task("answer_question.conflicts", AnswerQuestion, ConflictsAnswered)
JUDGE_ANSWER = Task("judge_answer", JudgeAnswer, AnswerJudged)
VOTE_ON_VERDICT = Task("vote_verdict", VoteOnVerdict, VerdictVoted)
REWRITE_QUERY = Task("rewrite_query", RewriteQuery, QueryRewritten)
RANK_PASSAGES = Task("rank_passages", RankPassages, PassagesRanked)
TRACE_CLAIMS = Task("trace_claims", TraceClaims, ClaimsTraced)
SPLIT_ANSWER = Task("split_answer", SplitAnswer, AnswerSplit)
CHECK_CLAIM = Task("check_claim", CheckClaim, ClaimChecked)
# Answered by the user's own application, which has no prompt of ours.
ASK_TARGET = Task("ask_target", AskTarget, TargetAnswered)
# Three ways of asking, each with words of its own.
STRESS_QUESTIONS: dict[AskedKind, Task[StressQuestion, QuestionStressed]] = {
    kind: Task(f"stress_question.{kind}", StressQuestion, QuestionStressed) for kind in get_args(AskedKind)
}
_EVERY: tuple[Task[Any, Any], ...] = (
    WRITE_DOCUMENT,
    WRITE_CASES,
    ANSWER_QUESTION,
    ANSWER_CLOSED_BOOK,
    ANSWER_CONFLICTS,
    JUDGE_ANSWER,
    VOTE_ON_VERDICT,
    REWRITE_QUERY,
    RANK_PASSAGES,
    TRACE_CLAIMS,
    SPLIT_ANSWER,
    CHECK_CLAIM,
    *STRESS_QUESTIONS.values(),
)
TASKS = {task.name: task for task in _EVERY}

# Failure types of a call. The first group was paid for or is final for this request; the second is worth another
# start; the third stops the model for the rest of the run.
SPENT_FAILURES = frozenset(
    {"truncated", "unparseable", "empty", "refused", "content_filter", "too_long", "bad_request"}
)
TRANSIENT_FAILURES = frozenset({"timeout", "transport", "rate_limited", "server_error"})
STOPPING_FAILURES = frozenset({"quota", "auth", "unknown_model", "budget", "missing_key"})


# What a reply is for, where the same words are asked for several rows (two systems that retrieved the same sections):
# a reply that was paid for before a kill is only given to the row that it was asked for. A task's own value is set
# within the asyncio task that asks.
PURPOSE: ContextVar[str] = ContextVar("purpose", default="")


@dataclass(frozen=True)
class Asked(Generic[R]):
    """What came of asking a model: a reply or a failure, and always the call's account."""

    reply: R | None
    call: Call
    failure: Failure | None = None


class Models(Protocol):
    """The one place all model traffic passes through."""

    async def ask(self, model: str, task: Task[Q, R], request: Q) -> Asked[R]:
        """Ask `model` to do `task`; never raises for what a model or a server does wrong."""
        ...

    def prompt_sha256(self, task: Task[Q, R]) -> str:
        """Hash of the task's prompt files as this workspace has them."""
        ...


class EmbeddingError(Exception):
    """An embedding model gave no vectors; `failure` says why, with the types of a call's failures."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        super().__init__(f"{failure.type}: {failure.message}")


class Embedder(Protocol):
    """An embedding model. Vectors are lists of floats of one length, one a text, in order.

    Both methods raise EmbeddingError for what a model or a server does wrong, and nothing else.
    """

    model: str

    async def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed passages."""
        ...

    async def embed_queries(self, texts: list[str]) -> list[list[float]]:
        """Embed questions."""
        ...
