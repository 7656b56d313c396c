"""The claims audit: one row a claim, the denominator is what was sent, and nothing is paid for twice."""

from __future__ import annotations

import asyncio
import importlib
import json
from pathlib import Path
from typing import Any

import pytest

from ragtester.errors import ChangedInputsError, DataError, UsageError
from ragtester.models.gateway import Gateway
from ragtester.progress import SilentProgress, StageResult
from ragtester.records import NO_CHUNKS, NO_RETRIEVAL, AnswerClaims, Claim, ClaimsResult, Failure, Manifest, Trace
from ragtester.settings import Settings, parse_settings
from ragtester.stages import claims
from ragtester.storage import read_json, read_rows, write_json, write_rows
from ragtester.workspace import Workspace
from tests.claims_fakes import JUDGE, LLM, QUOTA, SPENT, TIMEOUT, FakeModels, answer, workspace
from tests.servers.openai_api import OpenAIServer

# Question 1: one claim of each verdict by what it cites; the whole context bears all of them out but the last.
ONE = [("Good.", ["a"]), ("Misplaced.", ["a"]), ("Wrong.", ["b"])]
SAID = {"Misplaced. @ a": "unsupported", "Misplaced. @ a b": "supported", "Wrong.": "contradicted"}


def settings(**audit: Any) -> Settings:
    return parse_settings({"judge": {"model": JUDGE}, "audit_claims": audit}, "test")


def audit(space: Workspace, models: Any, own: Settings | None = None, **options: Any) -> StageResult:
    progress = options.pop("progress", SilentProgress())
    return asyncio.run(claims.run(space, own or settings(), models, progress, **options))


def files(space: Workspace) -> claims.Files:
    return claims.Files.of(space, "main")


def rows(space: Workspace) -> list[Claim]:
    return read_rows(files(space).claims, Claim)


def answers(space: Workspace) -> list[AnswerClaims]:
    return read_rows(files(space).answers, AnswerClaims)


def found(space: Workspace) -> ClaimsResult:
    made = claims.read_result(space, "main")
    assert made is not None
    return made


def told(space: Workspace) -> str:
    return files(space).told.read_text(encoding="utf-8")


def test_one_row_a_claim_with_both_verdicts_and_counts_by_hand(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer("q1", "Three facts.")], keywords=["wrong", "absent"])
    models = FakeModels({"Three facts.": ONE}, SAID)  # type: ignore[arg-type]
    done = audit(space, models)
    good, misplaced, wrong = rows(space)
    assert [(row.claim_id, row.verdict, row.context_verdict) for row in (good, misplaced, wrong)] == [
        (1, "supported", "supported"),
        (2, "unsupported", "supported"),
        (3, "contradicted", "contradicted"),
    ]
    assert (wrong.chunk_ids, wrong.document_ids, wrong.keywords) == (("b",), ("d",), ("wrong",))
    assert (wrong.query, wrong.reason, wrong.judge, wrong.served_judge) == (
        "searched",
        "because of contradicted",
        JUDGE,
        f"{JUDGE}-2026",
    )
    assert wrong.at.endswith("Z") and wrong.prompt_sha256 == "p check_claim"
    (row,) = answers(space)
    assert (row.status, row.claims, row.context_ids, row.gold_ids) == ("claims", 3, ("a", "b"), ("a",))
    result = found(space)
    assert (result.cited.sent, result.cited.supported, result.cited.unsupported, result.cited.contradicted) == (
        3, 1, 1, 1,
    )  # fmt: skip
    assert (result.context.supported, result.context.contradicted) == (2, 1)
    # Wilson for 1 of 3: (1/3 + 1.92/3 -+ 1.96 * sqrt(1/3 * 2/3 / 3 + 0.96/9)) / (1 + 3.84/3)
    assert result.cited.contradicted_rate.low == pytest.approx(0.0615, abs=1e-4)
    assert result.cited.contradicted_rate.high == pytest.approx(0.7923, abs=1e-4)
    assert {(one.cited, one.context): one.claims for one in result.cross} == {
        ("supported", "supported"): 1,
        ("unsupported", "supported"): 1,
        ("contradicted", "contradicted"): 1,
    }
    assert (done.ledger.planned, done.ledger.ok, done.exit_code) == (1, 1, 0)
    assert result.cost == 7 * 0.5, "one split and twice three checks"
    assert "Supported by the context but not by what they cite: 1 of 3 claims. The citation is at fault" in told(space)


def test_a_claim_that_cites_the_whole_context_is_asked_about_once(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer("q1", "T")])
    models = FakeModels({"T": [("Whole.", ["b", "a", "b"])]}, {"Whole.": "unsupported"})
    audit(space, models)
    (row,) = rows(space)
    assert models.checked == ["Whole. @ a b"], "in the order of the context"
    assert (row.chunk_ids, row.verdict, row.context_verdict, row.context_call) == (
        ("a", "b"), "unsupported", "unsupported", None,
    )  # fmt: skip
    assert row.context_reason == row.reason


def test_claims_without_chunks_and_with_unknown_ones_are_unsupported_by_rule(tmp_path: Path) -> None:
    parts = [("None.", []), ("Foreign.", ["x", "c"]), ("Both.", ["x", "b"])]
    space = workspace(tmp_path, [answer("q1", "T")])
    models = FakeModels({"T": parts})
    audit(space, models)
    none, foreign, both = rows(space)
    assert (none.verdict, none.call, none.reason) == ("unsupported", None, "it cites no chunk")
    # c is a chunk of the run, but not of this answer's context
    assert (foreign.verdict, foreign.unknown_ids, foreign.chunk_ids) == ("unsupported", ("x", "c"), ())
    assert "x, c" in foreign.reason
    assert (both.verdict, both.unknown_ids, both.chunk_ids) == ("supported", ("x",), ("b",))
    assert [row.context_verdict for row in (none, foreign, both)] == ["supported"] * 3
    assert sorted(models.checked) == ["Both. @ a b", "Both. @ b", "Foreign. @ a b", "None. @ a b"]
    result = found(space)
    assert (result.without_chunks, result.unknown_only) == (1, 1)
    assert [one.name for one in result.documents] == ["d"], "what cites no chunk comes from no document"


def test_an_empty_context_supports_nothing(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer("q1", "T", (), embedding=NO_RETRIEVAL)])
    models = FakeModels({"T": [("Known by heart.", [])]})
    audit(space, models)
    (row,) = rows(space)
    assert (row.verdict, row.context_verdict, models.checked) == ("unsupported", "unsupported", [])
    assert any("without retrieval" in note for note in found(space).notes)


def test_what_makes_no_claim_is_counted_apart(tmp_path: Path) -> None:
    gone = Failure(type="timeout", message="t")
    space = workspace(
        tmp_path,
        [
            answer("q1", "I don't know.", outcome="abstained"),
            answer("q2", "", outcome="failed", failure=gone),
            answer("q3", "", outcome="refused", failure=Failure(type="content_filter", message="withheld")),
            answer("q4", "Hello!"),
            answer("q5", "Unsplittable."),
            answer("q6", "Fine."),
        ],
    )
    models = FakeModels({"Hello!": [], "Unsplittable.": SPENT, "Fine.": [("Fine.", ["a"])]})
    done = audit(space, models)
    statuses = [(row.case_id, row.status, row.failure.type if row.failure else "") for row in answers(space)]
    assert statuses == [
        ("q1", "abstained", ""),
        ("q2", "failed", "answer_failed"),
        ("q3", "failed", "provider_refusal"),
        ("q4", "empty", ""),
        ("q5", "failed", "unparseable"),
        ("q6", "claims", ""),
    ]
    assert answers(space)[1].failure.cause == "timeout: t"  # type: ignore[union-attr]
    result = found(space)
    assert (result.abstained, result.empty, result.cited.sent) == (1, 1, 1)
    # ok: q1, q4, q6; failed: q5; skipped: q2 and q3, which had failed themselves
    assert (done.ledger.planned, done.ledger.ok, done.ledger.failed, done.ledger.skipped) == (6, 3, 1, 2)
    assert (done.exit_code, result.complete) == (3, True)
    assert result.failures == {"answer_failed": 1, "provider_refusal": 1, "unparseable": 1}


def test_a_run_in_which_all_abstain_has_no_rate(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer(f"q{n}", "I don't know.") for n in range(3)])
    done = audit(space, FakeModels({}))
    result = found(space)
    assert (done.exit_code, result.abstained, result.cited.sent) == (0, 3, 0)
    assert (result.cited.unsupported_rate.share, result.cited.unsupported_rate.n) == (None, 0)
    assert "No answer made a claim: nothing can be said." in told(space)
    assert not files(space).claims.exists() or rows(space) == []


def test_a_run_without_answers_is_refused(tmp_path: Path) -> None:
    space = workspace(tmp_path, [])
    with pytest.raises(UsageError, match="ragtester execute"):
        audit(space, FakeModels({}))


def test_the_denominator_is_what_was_sent_not_what_came_back(tmp_path: Path) -> None:
    parts = [(f"Claim {n}.", ["a"]) for n in range(5)]
    said = {"Claim 0.": "contradicted", "Claim 1.": "unsupported", "Claim 4.": SPENT}
    space = workspace(tmp_path, [answer("q1", "T")])
    done = audit(space, FakeModels({"T": parts}, said))  # type: ignore[arg-type]
    result = found(space)
    assert (result.cited.sent, result.cited.ungraded, result.cited.unsupported_rate.n) == (5, 1, 5)
    assert result.cited.contradicted_rate.share == 0.2
    last = rows(space)[-1]
    assert (last.verdict, last.context_verdict, last.failure.type if last.failure else "") == (
        None,
        None,
        "unparseable",
    )
    assert (done.ledger.failed, done.exit_code) == (1, 3), "an answer with an unchecked claim is not wholly audited"
    assert "of which 1 could not be checked" in told(space)


def test_a_second_start_asks_nothing_and_a_third_only_what_failed(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer("q1", "T"), answer("q2", "U"), answer("q3", "V")])
    split: dict[str, Any] = {"T": [("Lost.", ["a"]), ("Kept.", ["a"])], "U": [("Spent.", ["a"])], "V": SPENT}
    audit(space, FakeModels(split, {"Lost. @ a": TIMEOUT, "Spent.": SPENT}))
    again = FakeModels({"V": [("Split at last.", ["b"])]})
    audit(space, again)
    assert (again.splits, again.checked) == ([], ["Lost. @ a"]), "the context had been asked about"
    assert [row.verdict for row in rows(space)] == ["supported", "supported", None]
    before = files(space).claims.read_bytes(), files(space).answers.read_bytes()
    audit(space, again)
    assert (files(space).claims.read_bytes(), files(space).answers.read_bytes()) == before
    retried = FakeModels({"V": [("Split at last.", ["b"])]})
    done = audit(space, retried, settings(retry_failed=True))
    assert (retried.splits, sorted(retried.checked)) == (
        ["V"],
        ["Spent. @ a", "Spent. @ a b", "Split at last. @ a b", "Split at last. @ b"],
    )
    assert all(purpose.endswith(" again") for purpose in retried.purposes if "split" in purpose or "Spent" in purpose)
    assert (done.ledger.ok, [row.claim for row in rows(space)]) == (3, ["Lost.", "Kept.", "Spent.", "Split at last."])


def test_a_stopped_model_leaves_the_answer_open_as_a_whole(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer("q1", "T")])
    split = {"T": [("First.", ["a"]), ("Second.", ["a"])]}
    done = audit(space, FakeModels(split, {"Second.": QUOTA}))
    assert "quota" in done.stopped
    assert (answers(space) if files(space).answers.exists() else []) == []
    assert (found(space).complete, done.ledger.skipped, done.exit_code) == (False, 1, 3)
    done = audit(space, FakeModels(split))
    assert (done.stopped, found(space).complete, len(rows(space))) == ("", True, 2)


def test_other_inputs_are_refused_and_named(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer("q1", "T"), answer("q2", "T")])
    split = {"T": [("Same.", ["a"])], "Other words.": [("New.", ["b"])]}
    audit(space, FakeModels(split))
    other = parse_settings({"audit_claims": {"model": "openai:other"}}, "test")
    with pytest.raises(ChangedInputsError, match=r"2 answer.*openai:judge is now openai:other"):
        audit(space, FakeModels(split), other)
    with pytest.raises(ChangedInputsError, match="the prompt split_answer; the prompt check_claim"):
        audit(space, FakeModels(split, prompt="p2"))
    path = space.answers_file("main", LLM, "embedded:hashing", "d")
    write_rows(path, [answer("q1", "T"), answer("q2", "Other words.")])
    with pytest.raises(ChangedInputsError, match=r"1 answer.*the answers, their cases"):
        audit(space, FakeModels(split))
    models = FakeModels(split)
    audit(space, models, overwrite=True)
    assert (models.splits, [row.claim for row in rows(space)]) == (["Other words."], ["Same.", "New."])
    write_rows(path, [answer("q1", "T")])
    with pytest.raises(ChangedInputsError, match=r"1 answer\(s\) left the run"):
        audit(space, FakeModels(split))


def test_other_texts_under_the_same_ids_are_other_inputs(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer("q1", "T")])
    models = FakeModels({"T": [("Same.", ["a"])]})
    audit(space, models)
    path = space.chunks_file("main", "d")
    path.write_text(path.read_text(encoding="utf-8").replace("text b", "text x"), encoding="utf-8")
    with pytest.raises(ChangedInputsError, match="chunks"):
        audit(space, models)


def test_lost_chunks_are_a_failure_that_names_them(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer("q1", "T"), answer("q2", "T")])
    models = FakeModels({"T": [("Same.", ["a"])]})
    path = space.chunks_file("main", "d")
    kept = path.read_bytes()
    path.write_bytes(kept.splitlines(keepends=True)[0])
    done = audit(space, models)
    assert [row.failure.message for row in answers(space) if row.failure] == ["the run's chunk files do not hold b"] * 2
    assert (models.splits, done.ledger.failed, done.exit_code) == ([], 2, 3)
    path.write_bytes(kept)
    assert audit(space, models).ledger.ok == 2
    path.unlink()
    before = files(space).claims.read_bytes()
    assert audit(space, models).ledger.ok == 2, "what was checked with the chunks stays"
    assert (len(models.splits), files(space).claims.read_bytes()) == (2, before)


def test_two_runs_are_equal_but_for_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second start's replies come in another order."""
    split = {f"T{n}": [(f"Claim {n} {m}.", ["a"]) for m in range(3)] for n in range(12)}

    class Late(FakeModels):
        async def ask(self, model: str, task: Any, request: Any) -> Any:
            asked = await super().ask(model, task, request)
            for _ in range(max(0, 30 - len(self.purposes))):
                await asyncio.sleep(0)
            return asked

    spaces = []
    for kind, time in ((FakeModels, "2026-01-01T00:00:00Z"), (Late, "2027-01-01T00:00:00Z")):
        monkeypatch.setattr("ragtester.stages.claims.asking.now", lambda time=time: time)
        space = workspace(tmp_path / kind.__name__, [answer(f"q{n}", f"T{n}") for n in range(12)])
        audit(space, kind(split))
        spaces.append(space)
    one, two = (files(space) for space in spaces)
    assert one.answers.read_bytes() == two.answers.read_bytes()
    assert one.result.read_bytes() == two.result.read_bytes()
    assert one.told.read_bytes() == two.told.read_bytes()
    assert one.claims.read_text().replace("2026-", "2027-") == two.claims.read_text() != one.claims.read_text()


class _Killed(BaseException):
    pass


def test_a_killed_audit_goes_on_and_pays_nothing_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed between an answer's claims and its own row: the claims stand there without it."""
    space = workspace(tmp_path, [answer(f"q{n}", f"Zebra {n}.") for n in range(4)])
    run_module = importlib.import_module("ragtester.stages.claims.run")
    real = run_module.append_row
    written: list[Any] = []

    def cut(path: Path, row: Any) -> None:
        if len(written) == 3:
            raise _Killed
        written.append(row)
        real(path, row)

    def reply(body: dict[str, Any]) -> str:
        if "Zebra" in json.dumps(body["messages"]):
            return json.dumps({"claims": [{"claim": "It says so.", "passages": ["a", "b"]}]})
        return json.dumps({"reason": "so", "verdict": "supported", "passages": ["a"]})

    with OpenAIServer(reply) as server:
        own = parse_settings(
            {
                "judge": {"model": JUDGE},
                "models": {JUDGE: {"base_url": server.url}},
                "providers": {"openai": {"concurrency": 1}},
            },
            "test",
        )

        async def start() -> StageResult:
            async with Gateway(own, journal=space.journal(claims.STAGE, "main")) as gateway:
                return await claims.run(space, own, gateway, SilentProgress())

        monkeypatch.setattr(run_module, "append_row", cut)
        with pytest.raises(_Killed):
            asyncio.run(start())
        monkeypatch.setattr(run_module, "append_row", real)
        done = asyncio.run(start())
        assert done.ledger.ok == 4
        # 4 splits and 4 checks (each claim cites the whole context); only what was in the air may be asked again.
        assert 8 <= len(server.chats()) <= 9
    assert [(row.case_id, row.claim_id) for row in rows(space)] == [(f"q{n}", 1) for n in range(4)]


def test_an_interrupted_line_and_a_claim_that_was_taken_away_are_made_again(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer("q1", "T"), answer("q2", "U")])
    split = {"T": [("One.", ["a"]), ("Two.", ["a"])], "U": [("Three.", ["a"])]}
    audit(space, FakeModels(split))
    whole = files(space).claims.read_bytes()
    files(space).claims.write_bytes(whole[:-5])
    models = FakeModels(split)
    audit(space, models)
    assert models.splits == ["U"]
    lines = files(space).claims.read_bytes().splitlines(keepends=True)
    files(space).claims.write_bytes(b"".join([lines[1], lines[2]]))
    audit(space, models)
    assert models.splits == ["U", "T"]
    assert [row.claim for row in rows(space)] == ["One.", "Two.", "Three."]


def test_rows_that_are_none_and_answers_that_stand_twice_are_named(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer("q1", "T"), answer("q1", "T")])
    models = FakeModels({"T": [("One.", ["a"])]})
    with pytest.raises(DataError, match="'q1' stands twice"):
        audit(space, models)
    write_rows(space.answers_file("main", LLM, "embedded:hashing", "d"), [answer("q1", "T")])
    audit(space, models)
    files(space).claims.write_text('{"claim": 1}\n', encoding="utf-8")
    with pytest.raises(DataError, match=r"claims.jsonl:1: no claim"):
        audit(space, models)


def test_answers_that_come_later_are_audited_and_the_rest_kept(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer("q1", "T")])
    split = {"T": [("One.", ["a"])]}
    audit(space, FakeModels(split))
    workspace(tmp_path, [answer("q2", "T", llm="openai:new"), answer("q1", "T", llm="openai:new")])
    models = FakeModels(split)
    audit(space, models)
    assert models.splits == ["T", "T"]
    assert {one.name: one.sent for one in found(space).systems} == {
        f"{LLM} × embedded:hashing": 1,
        "openai:new × embedded:hashing": 2,
    }


def test_a_targets_rows_are_just_rows(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer("q1", "T", llm="my-app", embedding="target")])
    audit(space, FakeModels({"T": [("One.", ["a"])]}))
    assert [(row.llm, row.embedding, row.verdict) for row in rows(space)] == [("my-app", "target", "supported")]


def test_the_manifest_says_what_was_read_and_what_checked(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer("q1", "T")])
    audit(space, FakeModels({"T": [("One.", ["a"])]}))
    made = read_json(files(space).manifest, Manifest)
    assert made is not None and made.ended and made.ledger is not None
    assert made.models == {JUDGE: f"{JUDGE}-2026"}
    assert made.floating_aliases == (JUDGE,)
    assert made.prompts == {"split_answer": "p split_answer", "check_claim": "p check_claim"}
    assert (made.parameters["judge"], made.counts["claims"]) == (JUDGE, 1)


EARLIER = {"versions": {"pypdf": "1.0"}, "revision": "0" * 40, "dirty": False, "started": "2020-01-01T00:00:00Z"}


def test_a_start_that_makes_no_row_leaves_the_manifest_with_what_made_them(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer("q1", "T")])
    models = FakeModels({"T": [("One.", ["a"])]})
    audit(space, models)
    path = files(space).manifest
    write_json(path, as_it_was(path))
    audit(space, models)
    assert {name: getattr(manifest(path), name) for name in EARLIER} == EARLIER
    # One row that is to be made is made by the packages of today.
    files(space).answers.write_text("", encoding="utf-8")
    audit(space, models)
    assert manifest(path).versions["pypdf"] != "1.0"


def manifest(path: Path) -> Manifest:
    made = read_json(path, Manifest)
    assert made is not None and made.ended
    return made


def as_it_was(path: Path) -> Manifest:
    return manifest(path).model_copy(update=EARLIER)


def test_hostile_text_stays_text(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script> | [x](javascript:1)\n# head\x1b[31m"
    space = workspace(tmp_path, [answer("q1", "T")])
    audit(space, FakeModels({"T": [(evil, ["a"])]}, {" ".join(evil.split()): "contradicted"}))
    text = told(space)
    assert "<script>" not in text and "\x1b" not in text and "\n# head" not in text
    assert "&lt;script&gt;" in text


def test_answers_that_name_no_source_are_told(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer("q1", "T", cited=("a",)), answer("q2", "T")])
    audit(space, FakeModels({"T": [("One.", ["a"])]}))
    assert [note for note in found(space).notes if "source" in note] == [
        "1 of 2 answers name no source: which chunks their claims rely on is the judge's choice"
    ]


def test_a_target_that_reveals_no_chunks_is_asked_about_nothing(tmp_path: Path) -> None:
    hidden = Trace(query="q", index="", embedding="target", k=4, notes=(NO_CHUNKS,))
    space = workspace(tmp_path, [answer("q1", "T", llm="my-app", embedding="target", trace=hidden)])
    models = FakeModels({})
    for _ in range(2):
        done = audit(space, models)
    assert (done.ledger.failed, models.splits) == (1, [])
    assert [row.failure.type for row in answers(space) if row.failure] == ["not_revealed"]
    assert found(space).cited.unsupported_rate.share is None
