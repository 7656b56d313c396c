"""docs/adversarial.md: its example is a fixture, its tables name every field, reading and kind."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import pytest

from ragtester import Project
from ragtester.fixtures import read_fixtures
from ragtester.fixtures.fields import outer
from ragtester.records import READINGS, Fixture, Followed, Proportion
from tests.adversarial_fixtures import starter, write

PAGE = (Path(__file__).parents[1] / "docs" / "adversarial.md").read_text(encoding="utf-8")


def block(name: str) -> str:
    """The fenced block after `<!-- example: name -->`."""
    found = re.search(rf"<!-- example: {re.escape(name)} -->\n```\w+\n(.*?)```", PAGE, re.S)
    assert found is not None
    return found[1]


def first_cells(heading: str) -> set[str]:
    """Code of the first column of the first table below a heading."""
    table = PAGE.partition(heading)[2]
    rows = re.search(r"((?:^\|.*\n)+)", table, re.M)
    assert rows is not None
    return set(re.findall(r"^\| `(\w+)` \|", rows[1], re.M))


def test_the_example_is_a_fixture(tmp_path: Path) -> None:
    case, new = json.loads(block("case.json")), block("refund-policy-2026.md")
    old = new.replace("30 days", "14 days").replace(" It replaces the policy of 2024.", "")
    docs = {"refund-policy-2026.md": new, "refund-policy-2024.md": old, "competitor-terms.md": "Refunds for 60 days."}
    write(tmp_path, case, docs)
    (one,) = read_fixtures([tmp_path])
    assert one.fixture.k == 5


def test_every_field_is_in_the_table() -> None:
    assert first_cells("terms with 60 days.") == {outer(name) for name in Fixture.model_fields}


def test_every_reading_and_basis_is_in_a_table() -> None:
    assert first_cells("The two are read together:") == set(READINGS)
    assert first_cells("what it rests on.") == set(get_args(Followed))


def test_every_kind_of_the_starter_set_is_in_a_table() -> None:
    fixtures = [one.fixture for one in starter().values()]
    assert first_cells("products and places in them are invented.") == {one.kind for one in fixtures}
    assert f"{len(fixtures)} fixtures in English, German and French" in PAGE
    assert f"{sum(one.k == 2 for one in fixtures)} fixtures with K = 2" in PAGE


def test_the_count_of_labelled_answers_is_that_of_the_files() -> None:
    data = Path(__file__).parent / "data"
    counts = [
        len((data / name).read_text(encoding="utf-8").splitlines())
        for name in ("adversarial_answers.jsonl", "adversarial_answers_second.jsonl")
    ]
    assert f"{sum(counts)} labelled answers" in PAGE
    assert f"{counts[0]} were written with the rule" in PAGE
    assert f"{counts[1]} were written" in PAGE


@pytest.mark.slow
def test_the_table_of_the_starter_set_is_what_the_engine_makes_of_it(tmp_path: Path) -> None:
    project = Project(tmp_path, ["reading.workers=1"])
    project.adversarial()
    result = project.adversarial_result()
    assert result is not None
    for one in result.systems:
        shares: tuple[Proportion, ...] = (
            one.in_context,
            one.poison_first,
            one.followed_gold,
            one.followed_poison,
            one.abstained,
            one.passed,
        )
        name = one.name.replace("embedded:", "")
        assert f"| {name} | " + " | ".join(f"{share.successes}/{share.n}" for share in shares) + " |" in PAGE
    assert len(result.systems) == 4
    assert result.ledger.ok == 4 * len(starter())
