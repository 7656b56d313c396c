"""From votes to the audit's files: decisions, the review file, the figures and the manifest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ragtester.provenance import begin_manifest, end_manifest
from ragtester.records import Ledger, Manifest, PanelDecision, PanelMember, PrecisionResult
from ragtester.stages.precision.audit import Audit, shares
from ragtester.stages.precision.deciding import decisions
from ragtester.stages.precision.figures import agreement, all_figures, either_way
from ragtester.stages.precision.panel import Member
from ragtester.stages.precision.review import persons, read_review, review_row, write_review
from ragtester.storage import write_json, write_rows
from ragtester.tasks import VOTE_ON_VERDICT


def manifest_of(audit: Audit, members: Sequence[Member]) -> Manifest:
    """What the sample was drawn from, and who votes."""
    return begin_manifest(
        "audit precision",
        audit.run,
        seed=audit.settings.workspace.seed,
        models={member.model: None for member in members},
        inputs={"sample": audit.sha256()},
        prompts={VOTE_ON_VERDICT.name: members[0].prompt_sha256},
        parameters=audit.parameters(),
    )


def report(audit: Audit, members: Sequence[Member]) -> PrecisionResult:
    """Decide every sampled answer, and write decisions, review file and figures.

    Raises DataError for a review file that cannot be used; it is read before anything is written.
    """
    filled = read_review(audit.files.review)
    casts = [member.cast for member in members]
    least = audit.settings.audit.min_votes
    undecided = {row.id for row in decisions(audit.sample, casts, least, {}) if row.decision == "ambiguous"}
    said = persons(filled)
    decided = decisions(audit.sample, casts, least, said)
    asked = [
        review_row(item, [(member.model, member.cast.get(item.row.id)) for member in members])
        for item in audit.items
        if item.row.id in undecided
    ]
    write_review(audit.files.review, asked, filled)
    write_rows(audit.files.decisions, decided)
    result = _result(audit, members, decided, unused=len(said.keys() - undecided))
    write_json(audit.files.result, result)
    return result


def close(audit: Audit, manifest: Manifest, result: PrecisionResult) -> None:
    """Complete the manifest."""
    served = {member.model: member.served for member in result.panel}
    counts = {"votes": result.votes.model_dump(), "population": result.population, "sampled": result.sampled}
    ended = end_manifest(manifest, ledger=result.ledger, counts=counts, models=served)
    write_json(audit.files.manifest, ended)


def _result(
    audit: Audit, members: Sequence[Member], decided: Sequence[PanelDecision], *, unused: int
) -> PrecisionResult:
    panel = [_member(member, audit) for member in members]
    passes, strata = audit.settings.audit.include_passes, audit.population.strata
    right, wrong = either_way(decided, strata, passes=passes)
    alpha, pairs = agreement({member.model: member.cast for member in members}, [row.id for row in decided])
    return PrecisionResult(
        run=audit.run,
        judge=audit.judge,
        judge_prompt_sha256=next(iter(audit.judged.prompts.values()), "") if audit.judged else "",
        languages=tuple(sorted({row.language for row in decided})),
        confidence=audit.settings.audit.confidence,
        margin=audit.settings.audit.margin,
        seed=audit.settings.workspace.seed,
        population=audit.population.statuses,
        sampled=audit.drawn,
        min_votes=audit.settings.audit.min_votes,
        panel=tuple(panel),
        alpha=alpha,
        pairs=tuple(pairs),
        figures=tuple(all_figures(decided, strata, passes=passes)),
        as_right=right,
        as_wrong=wrong,
        ledger=_ledger(decided),
        votes=_votes(panel),
        notes=tuple(_notes(audit, panel, unused)),
    )


def _member(member: Member, audit: Audit) -> PanelMember:
    rows = list(member.cast.values())
    count = Counter(row.vote or "failed" for row in rows)
    costs = [row.call.cost if row.call else None for row in rows]
    known = [cost for cost in costs if cost is not None]
    return PanelMember(
        model=member.model,
        served=", ".join(sorted({row.served_voter for row in rows if row.served_voter})) or None,
        correct=count["correct"],
        incorrect=count["incorrect"],
        failed=count["failed"],
        open=len(audit.items) - len(rows),
        cost=sum(known) if len(known) == len(costs) else None,
        shares=shares(member.model, audit),
    )


def _ledger(rows: Sequence[PanelDecision]) -> Ledger:
    """Sampled answers: decided, without a single usable vote, open, and ambiguous (they wait for a person)."""
    without = sum(row.decision == "ambiguous" and row.correct + row.incorrect == 0 for row in rows)
    count = Counter(row.decision for row in rows)
    return Ledger(
        planned=len(rows),
        ok=count["correct"] + count["incorrect"],
        failed=without,
        skipped=count["open"],
        unfilled=count["ambiguous"] - without,
    )


def _votes(panel: Sequence[PanelMember]) -> Ledger:
    usable = sum(one.correct + one.incorrect for one in panel)
    failed, still_open = sum(one.failed for one in panel), sum(one.open for one in panel)
    return Ledger(planned=usable + failed + still_open, ok=usable, failed=failed, skipped=still_open)


def _notes(audit: Audit, panel: Sequence[PanelMember], unused: int) -> list[str]:
    notes = list(audit.notes)
    notes += [f"{one.model} shares {one.shares}: its vote is no second opinion." for one in panel if one.shares]
    notes += [f"{one.model}: {one.failed} vote(s) failed; they are no votes." for one in panel if one.failed]
    notes += [
        f"{one.model}: {one.open} vote(s) are open; answers are decided without them where the others suffice."
        for one in panel
        if one.open
    ]
    if len(audit.population.judges) > 1:
        notes.append(f"The run was judged by several judges ({audit.judge}): the figures mix them.")
    if all(one.model.startswith("embedded:") for one in panel):
        notes.append("Every member of the panel is a rule and no language model: these figures are a demonstration.")
    if unused:
        notes.append(
            f"{unused} decision(s) in review.csv are not used: the panel decides, votes are open, or the case left the"
            " sample."
        )
    return notes
