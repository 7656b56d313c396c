"""Checks against the baseline: do the two runs compare at all, and did anything get worse than the limits allow?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ragtester.records import DriftResult, GateCheck, Layer, Moved
from ragtester.settings import DriftSettings
from ragtester.stages.gate.evidence import Asked, Baseline, Evidence, LayerFiles
from ragtester.stages.gate.lines import TOO_SMALL, failure, impossible, line, warning
from ragtester.stages.gate.standing import COMMANDS, sound
from ragtester.statistics import Interval
from ragtester.tables import Estimate
from ragtester.tables.cells import counted, show

LAYER: Layer = "drift"
RELATIVE = ("latency", "cost")
FALLING = ("pass_rate", "recall", "coverage", "mentioned")
_LAYERS = {
    "unsupported": "claims",
    "contradicted": "claims",
    "mentioned": "coverage",
    "recall": "retrieval",
    "pass_rate": "pass rate",
}
_UNITS = {"seconds": "s", "usd": "$"}
_ONE = ", n 1"


def drift_checks(asked: Asked, evidence: Evidence, drift: DriftResult | None) -> Iterator[GateCheck]:
    """Every check of the layer "drift"."""
    fault = _not_comparable(asked, evidence, drift)
    if fault:
        yield fault
        return
    assert drift is not None and evidence.baseline is not None
    if drift.only_before or drift.only_after:
        text = f"{counted(drift.only_before, 'row')} only in {drift.before}, {drift.only_after} only in {drift.after}"
        yield failure(LAYER, "rows", f"{text}: the two do not hold the same questions and systems")
    else:
        yield line(LAYER, "rows", f"{counted(drift.pairs, 'pair')} of {drift.before} and {drift.after}")
    yield from _whole_baseline(evidence.baseline)
    yield from _judges(asked, evidence)
    yield from _audits(asked, evidence, evidence.baseline)
    if drift.floating:
        when = f'"no worse" is a timestamp ({drift.after_started or "an unknown time"})'
        names = ", ".join(drift.floating)
        yield warning(LAYER, "floating alias", f"{names}: a name that may mean another model tomorrow; {when}")
    moved = {one.name: one for one in drift.moved}
    for name, limit in limits(asked):
        found = moved.get(name)
        yield _not_measured(name, limit, drift) if found is None else _moved(found, limit)


def limits(asked: Asked) -> list[tuple[str, float]]:
    """The limits that hold: those of the gate where it has some, else those of `[drift]`."""
    table = asked.gate.drift or asked.settings.drift
    named = ((name, getattr(table, name)) for name in DriftSettings.model_fields)
    return [(name, limit) for name, limit in named if limit is not None]


def _not_comparable(asked: Asked, evidence: Evidence, drift: DriftResult | None) -> GateCheck | None:
    """Why nothing can be compared; None where it can."""
    if not asked.baseline:
        text = f"no baseline is named; set gates.{asked.name}.baseline, or give --baseline RUN"
        return impossible(LAYER, "baseline", text)
    if asked.baseline == asked.run:
        return impossible(LAYER, "baseline", f"{asked.baseline} is the run itself; name an earlier one")
    if LAYER in evidence.faults:
        return impossible(LAYER, "not made", evidence.faults[LAYER])
    if evidence.baseline is None or evidence.baseline.fault or drift is None:
        return impossible(LAYER, "baseline", f"{asked.baseline} cannot be compared with; see the line of the run")
    if not drift.pairs:
        text = f"0 rows that {drift.before} and {drift.after} share: nothing was compared, and nothing is no pass"
        return impossible(LAYER, "rows", text)
    return None


def _whole_baseline(baseline: Baseline) -> Iterator[GateCheck]:
    """Rows that the baseline lacks leave the comparison, and what it is compared with gets better or worse by that."""
    name = baseline.name
    if baseline.executed is None or baseline.executed.ended is None:
        yield impossible(LAYER, "baseline", f"the execution of {name} has not ended; run it anew")
    if baseline.missing:
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(baseline.missing.items()))
        text = f"{counted(sum(baseline.missing.values()), 'row')} of {name} missing ({reasons})"
        yield impossible(
            LAYER, "baseline", f"{text}; run `ragtester execute` and `ragtester judge` with --run {name} again"
        )


def _audits(asked: Asked, evidence: Evidence, baseline: Baseline) -> Iterator[GateCheck]:
    """The audits that are compared are whole, of the answers that stand there, and of one judge with one prompt.

    Those of the run have their lines in their own layers, where these are among the gate's.
    """
    wanted = {_LAYERS.get(name, name) for name, _ in limits(asked)}
    for layer, before in baseline.layers.items():
        after: LayerFiles[Any] = getattr(evidence, layer)
        if layer not in wanted or before.result is None or after.result is None:
            continue
        runs = [(baseline.name, before, baseline.answers)]
        runs += [(asked.run, after, evidence.answers)] if layer not in asked.layers else []
        for name, found, answers in runs:
            for check in sound(layer, found, answers, f"{COMMANDS[layer]} --run {name}"):
                text = f"{layer} of {name}: {check.text}"
                yield check.model_copy(update={"layer": LAYER, "text": text})
        first, second = (getattr(one.result, "judge", "") for one in (before, after))
        if first and second and first != second:
            text = f"{layer}: {baseline.name} was audited by {first}, this run by {second}: they do not compare"
            yield failure(LAYER, "judge", f"{text}; audit both by one")
        elif before.made and after.made and before.made.prompts != after.made.prompts:
            text = f"{layer}: {baseline.name} was audited with other prompts: they do not compare"
            yield failure(LAYER, "judge", f"{text}; audit both with one")


def _judges(asked: Asked, evidence: Evidence) -> Iterator[GateCheck]:
    """Verdicts of two judges do not compare: what moved may be the judge."""
    assert evidence.baseline is not None
    before, info = evidence.baseline.judged, evidence.info
    after = info.judged if info else None
    named = ((evidence.baseline.name, before), (asked.run, after))
    unjudged = [name for name, one in named if one is None or one.ended is None]
    if unjudged:
        yield impossible(LAYER, "judge", f"{unjudged[0]} was not judged; run `ragtester judge --run {unjudged[0]}`")
        return
    assert before is not None and after is not None
    first, second = (one.parameters.get("judge") for one in (before, after))
    if first != second:
        text = f"{evidence.baseline.name} was judged by {first}, this run by {second}: their verdicts do not compare"
        yield failure(LAYER, "judge", f"{text}; judge both by one")
    elif before.prompts != after.prompts:
        text = f"the judge's prompt is not the one that judged {evidence.baseline.name}: their verdicts do not compare"
        yield failure(LAYER, "judge", f"{text}; judge both with one")
    else:
        yield line(LAYER, "judge", f"the same in both runs: {second}")


def _not_measured(name: str, limit: float, drift: DriftResult) -> GateCheck:
    """A limit without a figure in both runs, with what the comparison says of it."""
    head = f"{_LAYERS.get(name, name)}: not measured; "
    why = next((text.removeprefix(head) for text in drift.not_measured if text.startswith(head)), "")
    text = f"not measured in both runs{f': {why}' if why else ''}; undefined is no pass"
    return impossible(LAYER, _label(name), text).model_copy(update={"limit": limit})


def _label(name: str) -> str:
    return name.replace("_", " ")


def _moved(whole: Moved, limit: float) -> GateCheck:
    """The line of what decides: where there are several systems, that of the farthest."""
    one = whole.deciding
    shown = f"may get worse by {100 * limit:.4g} {'%' if one.name in RELATIVE else 'points'}"
    if one.difference is None:
        of = f" for {one.system} in one of the runs" if one.system else ""
        return impossible(LAYER, _label(one.name), f"undefined{of}, and it {shown}; undefined is no pass")
    text = f"{_change(one)}; {shown}"
    text += f" (worst of {len(whole.systems)}: {one.system})" if one.system else ""
    if one.within_noise:
        text += "; within what repeats of the same run show by themselves"
    too_small = one.low is not None and one.high is not None and one.low <= _signed(one, limit) <= one.high
    text += f"; {TOO_SMALL}" if too_small else ""
    if one.smallest is not None and one.unit in ("share", "mean") and one.smallest > limit:
        text += f"; the suite sees changes from {100 * one.smallest:.1f} points on"
    return GateCheck(
        layer=LAYER,
        name=_label(one.name),
        status="fail" if one.breach else "pass",
        text=text,
        value=one.difference,
        n=one.pairs,
        low=one.low,
        high=one.high,
        limit=limit,
        too_small=too_small,
    )


def _signed(one: Moved, limit: float) -> float:
    """The limit on the scale of the difference."""
    if one.name in RELATIVE:
        return limit * (one.before or 0.0)
    return -limit if one.name in FALLING else limit


def _change(one: Moved) -> str:
    """As in "+5.8 points [1.0, 10.6], n 240; 2.1 % to 7.9 %", with n pairs."""
    assert one.difference is not None
    share = one.unit in ("share", "mean")
    scale, unit = (100.0, "points") if share else (1.0, _UNITS[one.unit])
    ends = None if one.low is None or one.high is None else Interval(scale * one.low, scale * one.high)
    found = show(Estimate(scale * one.difference, one.pairs, ends, unit, signed=True, decimals=1 if share else None))
    before, after = (
        show(Estimate(scale * (value or 0.0), 1, unit="%" if share else unit)) for value in (one.before, one.after)
    )
    return f"{found}; {before.removesuffix(_ONE)} to {after.removesuffix(_ONE)}"
