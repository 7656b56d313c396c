"""The rows of generated fixtures: which of them stand, and what is to be made."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path

from ragtester.errors import ChangedInputsError
from ragtester.fixtures import CASE_FILE
from ragtester.progress import Progress
from ragtester.records import Manifest, Stressor
from ragtester.stages.stressors.plan import MANIFEST, ROWS, Item, Plan, Wanted
from ragtester.storage import read_json, read_rows, recover_tail, write_rows
from ragtester.tasks import SPENT_FAILURES
from ragtester.workspace import slug


@dataclass
class Rows:
    """Rows by id. `others` were made for cases or kinds that are not asked for now; they stay."""

    kept: dict[str, Stressor] = field(default_factory=dict)
    others: dict[str, Stressor] = field(default_factory=dict)


def standing(plan: Plan, progress: Progress, wanted: Wanted) -> Rows:
    """The rows that stand. Raises ChangedInputsError where one was made from other inputs, unless `wanted.overwrite`.

    A row without its folder is made again, and so is one whose call failed in passing.
    """
    path = plan.folder / ROWS
    if notice := recover_tail(path):
        progress.note(notice)
    items = {item.id: item for item in plan.items}
    rows, stale = Rows(), []
    for row in read_rows(path, Stressor):
        item = items.get(row.id)
        if item is None:
            rows.others[row.id] = row
        elif row.key != item.key:
            stale.append(row)
        elif _stands(plan.folder, row, wanted.retry_failed):
            rows.kept[row.id] = row
    if stale and not wanted.overwrite:
        raise ChangedInputsError(
            f"{plan.folder}: {len(stale)} fixture(s) were made from other inputs ({_differences(plan)}; first: "
            f"{stale[0].id}); --overwrite makes them again"
        )
    return rows


def _stands(folder: Path, row: Stressor, retry_failed: bool) -> bool:
    if row.status == "ok":
        return (folder / row.fixture / CASE_FILE).is_file()
    if row.status != "failed":
        return True
    return not retry_failed and row.failure is not None and row.failure.type in SPENT_FAILURES


def _differences(plan: Plan) -> str:
    before = read_json(plan.folder / MANIFEST, Manifest)
    if before is None:
        return "what changed is not known"
    found = [
        f"{name} was {before.parameters.get(name)!r}, is {plan.parameters.get(name)!r}"
        for name in sorted({*before.parameters, *plan.parameters})
        if before.parameters.get(name) != plan.parameters.get(name)
    ]
    found += [f"prompt {name} changed" for name, sha in plan.prompts.items() if before.prompts.get(name, sha) != sha]
    return "; ".join(found) or "cases or documents changed"


def clear(folder: Path, item: Item) -> None:
    """Remove what an earlier start left of a fixture that is to be made."""
    shutil.rmtree(folder / slug(item.id), ignore_errors=True)


def in_order(plan: Plan, rows: Rows) -> None:
    """Put the file in the order of the plan; rows that are not asked for stand behind, by id."""
    listed = [rows.kept[item.id] for item in plan.items if item.id in rows.kept]
    write_rows(plan.folder / ROWS, [*listed, *(rows.others[name] for name in sorted(rows.others))])
