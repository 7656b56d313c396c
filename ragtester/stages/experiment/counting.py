"""What a variant changes, setting by setting: arms are compared arm by arm and field by field. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ragtester.settings import ArmSettings, Settings
from ragtester.stages.experiment.overlay import value_of

ARMS = "execute.retrieval.arms"
FILTERS = "execute.retrieval.filters"
FIELDS = tuple(name for name in ArmSettings.model_fields if name != "kind")


def changed(before: Settings, after: Settings, names: Iterable[str]) -> list[str]:
    """The single settings among `names` that differ, by their full names.

    An arm that is new, or gone, is one; so is each field of a new arm that is neither the default nor (`fetch_k`) what
    the other arms have, and each field of an arm that was there before. One arm instead of the only other is its kind.
    """
    found: list[str] = []
    for name in names:
        if name == ARMS:
            found += _arms(before.execute.retrieval.arms, after.execute.retrieval.arms)
        elif name == FILTERS:
            was, now = before.execute.retrieval.filters, after.execute.retrieval.filters
            found += [f"{name}.{key}" for key in {**was, **now} if was.get(key) != now.get(key)]
        elif value_of(before, name) != value_of(after, name):
            found.append(name)
    return found


def _arms(before: Sequence[ArmSettings], after: Sequence[ArmSettings]) -> Iterator[str]:
    was, now = ({arm.kind: arm for arm in arms} for arms in (before, after))
    if len(was) == len(now) == 1 and was.keys() != now.keys():
        yield f"{ARMS}.kind"
        yield from (f"{ARMS}.{name}" for name in FIELDS if getattr(before[0], name) != getattr(after[0], name))
        return
    yield from (f"{ARMS}.{kind}" for kind in was if kind not in now)
    for kind, arm in now.items():
        if kind in was:
            own = [name for name in FIELDS if getattr(arm, name) != getattr(was[kind], name)]
        else:
            yield f"{ARMS}.{kind}"
            own = [name for name in FIELDS if getattr(arm, name) not in _expected(name, arm, after)]
        yield from (f"{ARMS}.{kind}.{name}" for name in own)


def _expected(name: str, arm: ArmSettings, arms: Sequence[ArmSettings]) -> list[object]:
    """What a field of a new arm is where nothing was chosen for it."""
    others = [one.fetch_k for one in arms if one.kind != arm.kind] if name == "fetch_k" else []
    return [ArmSettings.model_fields[name].default, *others]
