"""The claims audit in sentences. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from ragtester.records import ClaimCluster, ClaimCounts, ClaimsResult
from ragtester.stages.claims.clusters import BAD, RULE
from ragtester.statistics import format_rate
from ragtester.statistics.clusters import LEAST
from ragtester.tables import PValue
from ragtester.tables.cells import counted, p_text

FEW = 100
"""Fewer questions are said to be few: the interval of a rate of 5 % is then wider than 9 points."""
_NUMBERS = {1: "one", 2: "two", 3: "three"}
_KINDS = {"value": "kind of value"}
_PLURALS = {"value": "kinds of value"}


def cluster_sentences(result: ClaimsResult) -> Iterator[str]:
    """What stands first: where the bad claims come from, and how that was decided."""
    if not result.cited.sent:
        yield "No answer made a claim: nothing can be said."
        return
    bad = [verdict for verdict in BAD if getattr(result.cited, verdict)]
    if not bad:
        yield f"None of {counted(result.cited.sent, 'claim')} is unsupported or contradicted."
        return
    for verdict in bad:
        own = [cluster for cluster in result.clusters if cluster.verdict == verdict]
        yield from map(_cluster, own)
        if not own:
            total = getattr(result.cited, verdict)
            if total < LEAST:
                yield f"{_claims(total, verdict)} of {result.cited.sent} sent: too few to lie anywhere."
                continue
            yield (
                f"{_claims(total, verdict)} of {result.cited.sent} sent: no document, question, keyword, kind of "
                "value, chunk or system holds more of them than its share of the claims explains."
            )
    yield RULE


def _cluster(cluster: ClaimCluster) -> str:
    """As in "6 of 7 contradicted claims come from two documents of 9: A (4 of 12 claims), B (2 of 5 claims)"."""
    size, same = len(cluster.groups), cluster.different_total == cluster.total
    named = ", ".join(_group(group, cluster) for group in cluster.groups)
    kinds = _KINDS.get(cluster.by, cluster.by) if size == 1 else _PLURALS.get(cluster.by, f"{cluster.by}s")
    different = "" if same else f" ({cluster.different} of {cluster.different_total} different ones)"
    come = "state" if cluster.by == "value" else "comes from" if cluster.claims == 1 else "come from"
    return (
        f"{cluster.claims} of {_claims(cluster.total, cluster.verdict)}{different} {come} {_NUMBERS[size]} {kinds} of "
        f"{cluster.candidates}: {named}. Of all {cluster.of} claims {cluster.sent} do (p {_p(cluster.p)})."
    )


def _group(group: ClaimCounts, cluster: ClaimCluster) -> str:
    told = f"{group.name} ({getattr(group, cluster.verdict)} of {counted(group.sent, 'claim')})"
    if not group.text:
        return told
    return f"“{group.text}” {told}"


def _claims(total: int, verdict: str) -> str:
    return counted(total, f"{verdict} claim")


def _p(p: float) -> str:
    text = p_text(PValue(p).value)
    return text if text.startswith("<") else f"= {text}"


def basis_sentences(result: ClaimsResult) -> Iterator[str]:
    """What the figures rest on: answers, questions, the judge, and what must be known besides."""
    ledger, cited = result.ledger, result.cited
    yield (
        f"{counted(ledger.planned, 'answer')} = {ledger.ok} audited + {ledger.failed} not or not wholly audited + "
        f"{ledger.skipped} that had failed themselves or are still open. {result.abstained} of the audited abstain "
        f"and {result.empty} more claim nothing; the rest make {counted(cited.sent, 'claim')}"
        + (f", of which {cited.ungraded} could not be checked." if cited.ungraded else ".")
    )
    questions = len(result.questions)
    if questions and questions < FEW:
        yield (
            f"{counted(questions, 'question')}: an anecdote, no rate. Read the questions and claims below "
            "rather than the shares."
        )
    if result.judge.startswith("embedded:"):
        yield (
            f"{result.judge} splits and checks by rule; it is no language model. How often it is wrong stands in "
            "docs/claims-engine.md."
        )
    if len(result.served_judges) > 1:
        yield f"The judge was served by {len(result.served_judges)} models: {', '.join(result.served_judges)}."
    if result.failures:
        told = ", ".join(f"{number} {name}" for name, number in result.failures.items())
        yield f"Failures by type: {told}; the rows say why."
    yield from (f"Note: {note}." for note in result.notes)


def rate_sentences(result: ClaimsResult) -> Iterator[str]:
    """The shares of the claims that were sent, never without their counts."""
    cited, context = result.cited, result.context
    if not cited.sent:
        return
    yield (
        f"By the chunks that they cite {format_rate(cited.unsupported, cited.sent)} of the claims are unsupported and "
        f"{format_rate(cited.contradicted, cited.sent)} contradicted; by the whole context "
        f"{format_rate(context.unsupported, context.sent)} and {format_rate(context.contradicted, context.sent)}. "
        "The denominator is the claims sent."
    )
    if result.without_chunks or result.unknown_only:
        yield (
            f"Unsupported by rule: {counted(result.without_chunks, 'claim')} without a chunk, and "
            f"{counted(result.unknown_only, 'claim')} with none but unknown ones."
        )


def advice_sentences(result: ClaimsResult) -> Iterator[str]:
    """What the two columns together call for."""
    found = {(one.cited, one.context): one.claims for one in result.cross}
    misplaced = found.get(("unsupported", "supported"), 0) + found.get(("contradicted", "supported"), 0)
    nowhere = found.get(("unsupported", "unsupported"), 0)
    against = found.get(("contradicted", "contradicted"), 0)
    disputed = found.get(("supported", "contradicted"), 0)
    beside = found.get(("unsupported", "contradicted"), 0)
    astray = found.get(("supported", "unsupported"), 0) + found.get(("contradicted", "unsupported"), 0)
    if misplaced:
        yield (
            f"Supported by the context but not by what they cite: {_of(misplaced, result)}. The citation is at fault, "
            "not the fact: look at how the prompt asks for sources, and at how the application reads them out of the "
            "reply."
        )
    if nowhere:
        yield (
            f"Supported by nothing in the context: {_of(nowhere, result)}. The model added them, or the evidence was "
            "not retrieved: ragtester audit retrieval tells which. Then ground the prompt, or mend the search."
        )
    if against:
        yield (
            f"Contradicted by the context, and by what they cite: {_of(against, result)}. The model had the text "
            "before it and said otherwise."
        )
    if disputed:
        yield (
            f"Supported by what they cite and contradicted by another chunk of the context: {_of(disputed, result)}. "
            "Two sources disagree: see which is right, and whether the answer says so."
        )
    if beside:
        yield (
            f"Not supported by what they cite, and contradicted by another chunk of the context: "
            f"{_of(beside, result)}. The model had text before it that says otherwise: ground the prompt, and ask for "
            "a source of each fact."
        )
    if astray:
        yield (
            f"Decided by what they cite and not by the whole context, which holds that: {_of(astray, result)}. There "
            "the judge is at odds with itself: read these reasons before you trust its verdicts."
        )


def _of(number: int, result: ClaimsResult) -> str:
    return f"{number} of {counted(result.cited.sent, 'claim')}"
