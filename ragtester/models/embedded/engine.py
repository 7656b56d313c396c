"""`embedded:` models: the tasks carried out by rule. No language model, no network, the same reply every time."""

from __future__ import annotations

import difflib
from typing import Any

from ragtester.errors import UsageError
from ragtester.records import Record
from ragtester.tasks import (
    ANSWER_CONFLICTS,
    AnswerQuestion,
    CheckClaim,
    JudgeAnswer,
    RankPassages,
    RewriteQuery,
    SplitAnswer,
    StressQuestion,
    Task,
    TraceClaims,
    VoteOnVerdict,
    WriteCases,
    WriteDocument,
)

VARIANTS = {
    "rules": "reads with care: answers what is well supported, refuses the rest",
    "eager": "a careless reader: answers whenever anything overlaps, so that there are failures to find",
    "judge": "the same as rules",
    "vote-rules": "a panel member: votes by the embedded judge's ratings",
    "vote-words": "a panel member: votes by the words and keywords that expected answer and answer share",
    "vote-values": "a panel member: votes by values, identifiers and names",
    "vote-vectors": "a panel member: votes by the nearness of two sentence vectors",
}
PANEL = tuple(name for name in VARIANTS if name.startswith("vote-"))


class EmbeddedEngine:
    """Carries out every task of `tasks.py` by rule."""

    def perform(self, model: str, task: Task[Any, Any], request: Record) -> Record:
        """Reply to one request. `model` is the name after `embedded:`.

        Raises UsageError for an unknown name and `facts.NoCase` where no case can be made from the passages.
        """
        name = variant(model)
        if name in PANEL and not isinstance(request, VoteOnVerdict):
            raise UsageError(f"embedded:{name} votes in a precision audit and does nothing else ({task.name})")
        match request:
            case WriteDocument() | WriteCases() | StressQuestion():
                return _write(request)
            case AnswerQuestion():
                return _answer(request, eager=name == "eager", conflicts=task.name == ANSWER_CONFLICTS.name)
            case JudgeAnswer():
                from ragtester.models.embedded.judging import judge_answer
                from ragtester.models.embedded.vectors import embed_texts

                return judge_answer(request, embed_texts)
            case VoteOnVerdict():
                from ragtester.models.embedded.vectors import embed_texts
                from ragtester.models.embedded.voting import vote

                return vote(name if name in PANEL else "vote-rules", request, embed_texts)
            case RewriteQuery() | RankPassages() | TraceClaims() | SplitAnswer() | CheckClaim():
                return _over_passages(request)
            case _:
                raise UsageError(f"the embedded engine has no rule for the task {task.name!r}")


def _write(request: WriteDocument | WriteCases | StressQuestion) -> Record:
    """The tasks that make documents and questions."""
    match request:
        case WriteDocument():
            from ragtester.models.embedded.writing import write_document

            return write_document(request)
        case WriteCases():
            from ragtester.models.embedded.questions import write_cases

            return write_cases(request)
        case StressQuestion():
            from ragtester.models.embedded.stressing import stress_question

            return stress_question(request)


def _answer(request: AnswerQuestion, *, eager: bool, conflicts: bool) -> Record:
    if conflicts:
        from ragtester.models.embedded.answer_conflicts import answer_with_conflicts

        return answer_with_conflicts(request, eager)
    from ragtester.models.embedded.answering import answer_question

    return answer_question(request, eager)


def _over_passages(request: RewriteQuery | RankPassages | TraceClaims | SplitAnswer | CheckClaim) -> Record:
    """The tasks of a search, and of the audits of searches and claims."""
    match request:
        case RewriteQuery():
            from ragtester.models.embedded.rewriting import rewrite_query

            return rewrite_query(request)
        case RankPassages():
            from ragtester.models.embedded.ranking import rank_passages
            from ragtester.models.embedded.vectors import embed_texts

            return rank_passages(request, embed_texts)
        case TraceClaims():
            from ragtester.text.claim_cover import trace_by_words

            return trace_by_words(request.answer, request.passages, request.language)
        case SplitAnswer():
            from ragtester.models.embedded.claim_splitting import split_answer

            return split_answer(request)
        case CheckClaim():
            from ragtester.models.embedded.claim_checking import check_claim

            return check_claim(request)


def variant(model: str) -> str:
    """Check the name of an embedded model; a leading `embedded:` is allowed."""
    name = model.removeprefix("embedded:")
    if name in VARIANTS:
        return name
    near = difflib.get_close_matches(name, VARIANTS, n=1, cutoff=0.4) or ["rules"]
    known = ", ".join(f"embedded:{known}" for known in VARIANTS)
    raise UsageError(f"unknown model 'embedded:{name}'; did you mean 'embedded:{near[0]}'? Known: {known}")
