"""Repeats of a run: their names, the order of their contexts, and who leaves them out."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtester import Project
from ragtester.errors import ChangedInputsError, UsageError
from ragtester.rag.packing import pack
from ragtester.records import AdversarialRow, Answer, Chunk, Manifest
from ragtester.repeats import poison_of
from ragtester.runs import repeat_name, repeated_run, repeats_of
from ragtester.settings import RetrievalSettings
from ragtester.storage import iter_rows, write_json, write_rows
from ragtester.workspace import Workspace
from tests.servers.openai_api import OpenAIServer
from tests.test_cli import TEXT, ragtester

SHUFFLED = RetrievalSettings(order="shuffle")


def chunks(count: int) -> list[Chunk]:
    return [Chunk(id=f"c{at}", document_id="d", ordinal=at, start=at, end=at + 1, text="x") for at in range(count)]


def executed(space: Workspace, name: str) -> None:
    made = Manifest(stage="execute", name=name, seed=7, started="2026-01-01T00:00:00Z")
    write_json(space.answers(name) / "manifest.json", made)


def test_repeats_are_found_by_number_and_by_their_own_run(tmp_path: Path) -> None:
    space, long = Workspace(tmp_path), "a name that is no folder's: " + "x" * 60
    for name in ("main", "main.repeat-10", "main.repeat-2", "main.repeat-1", "main.repeat-02", "other.repeat-2"):
        executed(space, name)
    executed(space, f"{long}.repeat-3")
    assert repeats_of(space, "main") == ["main.repeat-2", "main.repeat-10"]
    assert repeats_of(space, long) == [f"{long}.repeat-3"]
    assert repeats_of(space, "main.repeat-2") == []
    assert repeats_of(Workspace(tmp_path / "empty"), "main") == []


@given(st.text(min_size=1), st.integers(2, 10**6))
def test_a_repeats_name_says_what_it_repeats(run: str, number: int) -> None:
    assert repeated_run(repeat_name(run, number)) == run
    assert repeat_name(run, 1) == run


def test_names_that_only_look_like_repeats() -> None:
    for name in ("main", "main.repeat-", "main.repeat-1", "main.repeat-0", "main.repeat-x", ".repeat-2", "a.repeat-2b"):
        assert repeated_run(name) is None
    with pytest.raises(ValueError, match="repeat 0"):
        repeat_name("main", 0)


@given(st.integers(0, 8), st.integers(1, 8), st.text(max_size=5))
def test_a_shuffled_context_holds_what_the_ranked_one_does(count: int, k: int, draw: str) -> None:
    packed = pack(chunks(count), k, SHUFFLED, draw).chunks
    assert sorted(one.id for one in packed) == [f"c{at}" for at in range(min(count, k))]
    # Where it stands depends on the chunk and the draw alone, not on what was ranked before it.
    assert packed == pack(chunks(count)[:k][::-1], k, SHUFFLED, draw).chunks


def test_every_chunk_comes_first_in_about_as_many_draws() -> None:
    first = [pack(chunks(4), 4, SHUFFLED, f"7\nmain.repeat-{number}\ncase").chunks[0].id for number in range(400)]
    # 100 each of 400, with a standard deviation of sqrt(400 * 1/4 * 3/4) = 8.7: within five of them.
    assert all(57 <= first.count(f"c{at}") <= 143 for at in range(4))


SMALL = [
    "cases.per_document=3",
    "cases.technique=ragtester",
    "execute.index.chunk_size=200",
    "execute.index.chunk_overlap=0",
    'execute.groups=[{llms=["embedded:eager"],embeddings=["embedded:hashing"]}]',
]
SHUFFLE = 'execute.retrieval.order="shuffle"'


@pytest.fixture
def boiler(tmp_path: Path) -> Path:
    (tmp_path / "corpora").mkdir()
    (tmp_path / "corpora" / "boiler.md").write_text(TEXT, encoding="utf-8")
    return tmp_path


def contexts(folder: Path, run: str) -> dict[str, tuple[str, ...]]:
    rows: list[Answer] = list(Project(folder, [f"execute.run={run}"]).iter_answers())
    return {row.case_id: row.trace.context_ids for row in rows if row.trace}


def test_repeats_see_other_rankings_of_the_same_chunks(boiler: Path) -> None:
    project = Project(boiler, [*SMALL, SHUFFLE])
    project.run()
    results = project.repeats(3)
    assert [one.stage for one in results] == [
        "execute", "audit claims", "execute", "judge", "audit claims", "execute", "judge", "audit claims",
    ]  # fmt: skip
    assert repeats_of(project.workspace, "main") == ["main.repeat-2", "main.repeat-3"]
    runs = [contexts(boiler, name) for name in ("main", "main.repeat-2", "main.repeat-3")]
    for case in runs[0]:
        assert len({frozenset(run[case]) for run in runs}) == 1, "the same chunks"
    assert any(len({run[case] for run in runs}) > 1 for case in runs[0]), "in other orders"
    found = project.repeats_result()
    assert found is not None and found.runs == ("main", "main.repeat-2", "main.repeat-3")
    assert (found.same_rankings, found.missing, found.order) == (False, 0, "shuffle")
    assert all(one.runs == 3 for one in found.answers)
    assert all(sum(first.runs for first in one.first) == 3 for one in found.answers)


def test_a_second_start_makes_nothing_again_and_more_repeats_only_the_rest(boiler: Path) -> None:
    project = Project(boiler, [*SMALL, SHUFFLE])
    project.run()
    project.audit_claims(repeat=2)
    kept = {path: path.read_bytes() for path in boiler.glob("*/main*/**/*.jsonl")}
    done = project.audit_claims(repeat=2)
    assert {path: path.read_bytes() for path in kept} == kept
    # the claims audits of the run and of one repeat, together
    assert done.ledger.planned == 2 * len(contexts(boiler, "main"))
    project.audit_claims(repeat=3)
    assert {path: path.read_bytes() for path in kept} == kept
    found = project.repeats_result()
    assert found is not None and len(found.runs) == 3


def test_the_seed_is_part_of_a_shuffled_runs_keys_and_of_no_other(boiler: Path) -> None:
    Project(boiler, [*SMALL, SHUFFLE]).run()
    before = contexts(boiler, "main")
    result = Project(boiler, [*SMALL, SHUFFLE, "workspace.seed=8"]).execute(overwrite=True)
    assert result.ledger.ok == len(before)
    assert contexts(boiler, "main") != before
    plain = Project(boiler, [*SMALL, "execute.run=plain"])
    plain.execute()
    rows = {row.case_id: row.key for row in plain.iter_answers()}
    other = Project(boiler, [*SMALL, "execute.run=other", "workspace.seed=8"])
    other.execute()
    assert {row.case_id: row.key for row in other.iter_answers()} == rows


def test_without_a_shuffle_the_report_says_that_all_saw_the_same(boiler: Path) -> None:
    project = Project(boiler, SMALL)
    project.run()
    project.audit_claims(repeat=2)
    found = project.repeats_result()
    assert found is not None and found.same_rankings
    assert found.varied.successes == 0
    told = (project.workspace.claims_audit("main") / "repeats.md").read_text(encoding="utf-8")
    assert "Every repeat saw the same ranking of the chunks" in told
    assert 'order = "shuffle" gives each run another one' in told


def test_a_repeat_is_not_repeated_and_zero_times_is_refused(boiler: Path) -> None:
    project = Project(boiler, [*SMALL, "execute.run=main.repeat-2"])
    with pytest.raises(UsageError, match="itself a repeat; repeat 'main'"):
        project.audit_claims(repeat=2)
    with pytest.raises(UsageError, match="give 1"):
        Project(boiler, SMALL).audit_claims(repeat=0)


def test_the_canary_leaves_repeats_out(boiler: Path) -> None:
    project = Project(boiler, [*SMALL, SHUFFLE, 'execute.retrieval.arms=["dense", "bm25"]'])
    project.run()
    project.repeats(2)
    found = project.audit_canary()
    assert [one.period for one in found.periods] == ["main"]
    assert found.left_out == {"main.repeat-2": "a repeat of main"}


def test_the_command_prints_both_and_stops_at_a_limit(boiler: Path) -> None:
    (boiler / "ragtester.toml").write_text(
        '[cases]\nper_document = 3\ntechnique = "ragtester"\n[execute.retrieval]\norder = "shuffle"\n', encoding="utf-8"
    )
    assert ragtester(boiler, "run", "-q").returncode in (0, 3)
    estimate = ragtester(boiler, "audit", "claims", "--repeat", "3", "--estimate")
    assert (estimate.returncode, "Calls to come" in estimate.stdout) == (0, True), estimate.stderr
    assert "repeats that are not there yet execute, judge and audit it again, 2 more times" in " ".join(
        estimate.stdout.split()
    )
    assert not (boiler / "verdicts" / "main" / "claims" / "answers.jsonl").exists()
    done = ragtester(boiler, "audit", "claims", "--repeat", "2", "-q")
    assert done.returncode in (0, 3), done.stderr
    assert "Where do bad claims come from?" in done.stdout
    assert "How often does each verdict fire?" in done.stdout
    assert "audit claims: " in done.stdout and "verdicts/main/claims" in done.stdout
    assert ragtester(boiler, "audit", "claims", "--run", "nothing").returncode == 2
    assert ragtester(boiler, "audit", "claims", "--repeat", "0").returncode == 2


def test_settings_that_are_not_the_runs_own_are_refused_before_anything_is_repeated(boiler: Path) -> None:
    Project(boiler, SMALL).run()
    before = contexts(boiler, "main")
    with pytest.raises(ChangedInputsError, match="k was 4 and is 2"):
        Project(boiler, [*SMALL, "execute.k=2"]).audit_claims(repeat=2, overwrite=True)
    assert contexts(boiler, "main") == before
    assert repeats_of(Project(boiler).workspace, "main") == []


def test_poison_is_known_of_a_run_of_fixtures(tmp_path: Path) -> None:
    space = Workspace(tmp_path)
    known: dict[str, Any] = {"key": "k", "llm": "m", "embedding": "e", "k": 4, "followed": "gold", "reading": "well"}
    rows = [
        AdversarialRow(fixture_id=name, case_id=name, run=run, poison_ids=ids, **known)
        for name, run, ids in (("f1", "main.adversarial", ("s:1:0",)), ("f2", "main.adversarial.k2", ("s:2:0",)))
    ]
    write_rows(space.adversarial("main") / "rows.jsonl", rows)
    assert poison_of(space, "main.adversarial") == {"f1": ("s:1:0",)}
    assert poison_of(space, "main.adversarial.k2") == {"f2": ("s:2:0",)}
    assert poison_of(space, "main") == poison_of(space, "other.adversarial") == {}


def test_a_system_that_follows_what_comes_first_is_found_out(boiler: Path) -> None:
    """An application that repeats its first chunk; a judge that knows that only the chunk with 8.5 bar is right."""
    label = re.compile(r"boiler:[0-9a-f]+:\d+")
    right, wrong = "It must stay below 8.5 bar.", "It is cleaned in October."

    def say(body: dict[str, Any]) -> str:
        user = body["messages"][-1]["content"]
        shown = list(label.finditer(user))
        if body["model"] == "app":
            said = right if "8.5 bar" in user[: shown[1].start()] else wrong
            return json.dumps({"answer": said, "refuses": False, "cited": [shown[0].group()]})
        said = right if right in user else wrong
        if "<claim>" not in user:
            return json.dumps({"claims": [{"claim": said, "passages": [user.partition("<cited>")[2].split()[0]]}]})
        verdict = "contradicted" if said == wrong and len({one.group() for one in shown}) > 1 else "supported"
        return json.dumps({"reason": "so", "verdict": verdict, "passages": [shown[0].group()]})

    with OpenAIServer(say) as server:
        own = [
            *SMALL[:-1],
            SHUFFLE,
            'execute.groups=[{llms=["openai:app"],embeddings=["embedded:hashing"]}]',
            "audit_claims.model=openai:checker",
            *(f'models."openai:{name}".base_url="{server.url}"' for name in ("app", "checker")),
        ]
        project = Project(boiler, own)
        project.cases()
        project.execute()
        project.audit_claims(repeat=4)
    found = project.repeats_result()
    assert found is not None
    assert all(one.runs == 4 and one.ungraded == 0 for one in found.answers)
    chunks = {row.id: row.text for row in iter_rows(project.workspace.chunks_file("main", "boiler"), Chunk)}
    firsts = [first for one in found.answers for first in one.first]
    for first in firsts:
        good = "8.5 bar" in chunks[first.id]
        assert (first.contradicted, first.supported) == ((0, first.runs) if good else (first.runs, 0))
    assert {"8.5 bar" in chunks[first.id] for first in firsts} == {True, False}
    told = (project.workspace.claims_audit("main") / "repeats.md").read_text(encoding="utf-8")
    assert re.search(
        r"contradicted in \d of 4 runs: in (\d) of \1 when boiler:\w+:\d+ \(\w[\w ]*\) ranked first, in", told
    )
