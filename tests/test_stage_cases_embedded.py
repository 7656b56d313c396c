"""The stage with the embedded engine and with the gateway's own prompts: the path that the demo takes."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ragtester.models.gateway import Gateway
from ragtester.models.scripted import ScriptedReplies
from ragtester.progress import SilentProgress, StageResult
from ragtester.prompts import load_prompt
from ragtester.records import Case, CaseRow
from ragtester.settings import parse_settings
from ragtester.stages.cases import run
from ragtester.storage import read_rows
from ragtester.workspace import Workspace
from tests.test_stage_cases import files

PUMP = """The ballast pump of the vessel is inspected by the chief engineer before every voyage.

The Sonder valve must be closed before the pump is started, because air in the suction line destroys the impeller.
The pressure in the discharge line must not exceed 6 bar during normal operation of the installation.

The ballast log is kept on board for six years after the last entry has been made by the officer of the watch.
Spare seals of the type NBR-70 are stored in the forward locker together with the torque wrench.

The emergency stop is located beside the door of the engine control room on the starboard side of the vessel.
The Marwin coupling connects the electric motor to the ballast pump and transmits a torque of 240 newton metres.

The bilge alarm sounds when the water in the well has risen by 40 centimetres above the lowest frame.
The overhaul of the pump is carried out by a certified workshop after 8000 hours of operation at the latest.
"""
OVEN = """The tunnel oven of the bakery is heated by natural gas and controlled from the panel beside the loading door.

The Terano burner must be cleaned every 500 hours, because soot on the electrode prevents the ignition of the flame.
The temperature in the baking chamber is measured by three thermocouples that are mounted under the ceiling.

The conveyor belt is driven by a geared motor and moves the tins through the oven in 35 minutes.
Flour dust is removed from the filters by the night shift with the industrial vacuum cleaner.

The cooling zone consists of two fans that draw outside air through a filter of the class F7.
The recipe memory stores 99 programmes, each of which holds the time, the temperature and the steam quantity.
"""


def cases(root: Path, *, technique: str = "all", model: str = "embedded:rules") -> StageResult:
    (root / "corpora").mkdir(parents=True, exist_ok=True)
    (root / "corpora/pump.txt").write_text(PUMP, encoding="utf-8")
    (root / "corpora/oven.md").write_text(OVEN, encoding="utf-8")
    settings = parse_settings(
        {"cases": {"per_document": 6, "technique": technique, "model": model}, "reading": {"workers": 1}}, "test"
    )

    async def work() -> StageResult:
        async with Gateway(settings, root=root) as gateway:
            return await run(Workspace(root), settings, gateway, gateway.embedder, SilentProgress())

    return asyncio.run(work())


def test_embedded_engine_makes_a_suite(tmp_path: Path) -> None:
    result = cases(tmp_path)
    assert result.ledger.planned == 24 and result.ledger.ok + result.ledger.unfilled == 24
    # The engine finds no fact in every section of so short a text, but in most.
    assert result.ledger.ok >= 16
    for technique in ("ragtester", "baseline"):
        for name in ("pump", "oven"):
            text = (tmp_path / "generated/main/texts" / f"{name}.txt").read_bytes().decode()
            for row in read_rows(Workspace(tmp_path).cases_file("main", technique, name), CaseRow):
                if isinstance(row, Case) and row.type != "rejection":
                    quoted = [text[span.start : span.end] for span in row.evidence]
                    assert all(quote in text and len(quote) > 20 for quote in quoted) and quoted
                    assert row.lexical_overlap is not None and row.lexical_overlap <= 1


@pytest.mark.slow
def test_same_bytes_in_any_process(tmp_path: Path) -> None:
    for seed in ("1", "2"):
        root = tmp_path / seed
        code = (
            "import sys, pathlib; from tests.test_stage_cases_embedded import cases; cases(pathlib.Path(sys.argv[1]))"
        )
        command = [sys.executable, "-c", f"if __name__ == '__main__':\n    {code}", str(root)]
        environment = os.environ | {"PYTHONHASHSEED": seed}
        subprocess.run(command, cwd=Path(__file__).parents[1], env=environment, check=True, timeout=120)
    assert files(tmp_path / "1") == files(tmp_path / "2") != {}


def test_prompt_names_types_fields_and_standards() -> None:
    prompt = load_prompt("write_cases")
    for word in [
        "complexity",
        "rejection",
        "coverage",
        "baseline",
        "invented",
        "cross_document",
        "single",
        "multi",
        "question",
        "expected_answer",
        "keywords",
        "quotes",
        "style",
        "wh",
        "keyword",
        "scenario",
    ]:
        assert word in prompt.system, word
    for standard in ("Stands alone", "Not yes or no", "Other words", "No leak", "never instructions"):
        assert standard in prompt.system, standard


def test_scripted_replies_pass_through_the_prompt_and_the_strict_reader(tmp_path: Path) -> None:
    sentence = "The Sonder valve must be closed before the pump is started"
    draft = {
        "question": "What state is required of the shut-off fitting when somebody turns on the machine?",
        "expected_answer": "The Sonder valve must be closed.",
        "keywords": ["closed"],
        "quotes": [sentence],
        "style": "wh",
    }
    (tmp_path / "corpora").mkdir()
    (tmp_path / "corpora/pump.txt").write_text(PUMP, encoding="utf-8")
    settings = parse_settings(
        {"cases": {"per_document": 1, "technique": "baseline", "model": "scripted:writer"}, "reading": {"workers": 1}},
        "t",
    )
    replies = ScriptedReplies(["```json\n" + json.dumps({"cases": [draft]}) + "\n```"])

    async def work() -> StageResult:
        async with Gateway(settings, root=tmp_path, scripted={"writer": replies}) as gateway:
            return await run(Workspace(tmp_path), settings, gateway, gateway.embedder, SilentProgress())

    assert asyncio.run(work()).ledger.ok == 1
    (row,) = read_rows(Workspace(tmp_path).cases_file("main", "baseline", "pump"), CaseRow)
    text = (tmp_path / "generated/main/texts/pump.txt").read_bytes().decode()
    assert text[row.evidence[0].start : row.evidence[0].end] == sentence


def test_repeated_boilerplate_gives_no_repeated_questions(shared_cases: Path, tmp_path: Path) -> None:
    for name in ("repeated_sections.pdf", "siteA/manual.pdf", "siteB/manual.pdf", "braces.pdf"):
        target = tmp_path / "corpora" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((shared_cases / name).read_bytes())
    settings = parse_settings({"cases": {"per_document": 8}, "reading": {"workers": 1}}, "test")

    async def work() -> StageResult:
        async with Gateway(settings, root=tmp_path) as gateway:
            return await run(Workspace(tmp_path), settings, gateway, gateway.embedder, SilentProgress())

    result = asyncio.run(work())
    assert result.ledger.planned == 4 * 8 * 2 == result.ledger.ok + result.ledger.unfilled
    for technique in ("ragtester", "baseline"):
        folder = tmp_path / "generated/main" / technique
        questions = [
            row.question for path in folder.glob("*.jsonl") for row in read_rows(path, CaseRow) if isinstance(row, Case)
        ]
        assert len(questions) == len({" ".join(question.casefold().split()) for question in questions})
        assert len(list(folder.glob("*.jsonl"))) == 4
