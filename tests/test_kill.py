"""The whole run, killed at random points in every stage: nothing lost, nothing doubled, nothing paid for twice."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import run_environment
from tests.servers.openai_api import OpenAIServer

NAMES = [
    *("Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Ginkgo", "Hazel", "Ivy", "Juniper"),
    *("Kauri", "Larch", "Maple", "Nutmeg", "Oak", "Poplar", "Quince", "Rowan", "Spruce", "Teak"),
]
REFUSAL = "Insufficient information to answer this question"
FACT = re.compile(r"The valve of station (\w+) closes at (\d+) degrees\.")
STAGES = ("writer", "generator", "small", "judge")  # the model that each stage asks
KILLS = len(STAGES)
CONCURRENCY = 2
SETTINGS = """
[documents]
count = 2
model = "openai:writer"
profiles = ["plain"]
folder = "corpora/written"

[cases]
model = "openai:generator"
per_document = 5

[execute]
k = 2
[[execute.groups]]
llms = ["openai:small"]
embeddings = ["openai:vectors"]
[execute.index]
chunk_size = 300
chunk_overlap = 0

[judge]
model = "openai:judge"

[providers.openai]
concurrency = {concurrency}
{models}
"""


def paragraph(index: int) -> str:
    name, degrees = NAMES[index], 17 + index
    return (
        f"The valve of station {name} closes at {degrees} degrees. A warden reads the gauge there every morning, "
        f"because the pipes behind it are old and the town council has never found the money to replace them."
    )


def page(first: int) -> str:
    return "\n\n".join([f"# Stations from {NAMES[first]}", *(paragraph(first + index) for index in range(5))])


def reply(body: dict[str, Any]) -> str:
    """What a careful model would say to each task, from the prompt alone."""
    _, user = (message["content"] for message in body["messages"])
    if body["model"] == "writer":
        return page(10 if "Nordic" in user else 15)
    if body["model"] == "judge":
        opinion = {"reason": "It says what was expected.", "rating": "true"}
        return json.dumps(dict.fromkeys(("faithfulness", "relevance", "completeness", "clarity"), opinion))
    if "<question>" in user:
        return answer(user)
    return json.dumps({"cases": cases(user)})


def answer(user: str) -> str:
    question = re.search(r"<question>\s*(.*?)\s*</question>", user, re.S)
    known = dict(FACT.findall(user))
    asked = [name for name in NAMES if question and name in question[1]]
    if not asked or "painted" in user or any(name not in known for name in asked):
        return json.dumps({"answer": REFUSAL, "refuses": True, "cited": []})
    text = " ".join(f"At {known[name]} degrees." for name in asked)
    return json.dumps({"answer": text, "refuses": False, "cited": []})


def cases(user: str) -> list[dict[str, Any]]:
    facts = FACT.findall(user.partition("<passages>")[2].partition("</passages>")[0])
    count = int(re.search(r"Number of cases: (\d+)", user)[1])  # type: ignore[index]
    if "Subtype: invented" in user:
        question = f"Who painted the doors of station {facts[0][0]}?"
        return [{"question": question, "expected_answer": REFUSAL, "keywords": [], "quotes": [], "style": "wh"}]
    if "Subtype: multi" in user:
        first, last = facts[0], facts[-1]
        return [case([first, last], f"How hot may it get at {first[0]}, and how hot at {last[0]}?")]
    made = [case([fact], f"How hot may it get at {fact[0]} before nothing flows any more?") for fact in facts]
    if "cross_document" in user:
        return [{**made[0], "expected_answer": REFUSAL, "keywords": []}]
    return made[:count]


def case(facts: list[tuple[str, str]], question: str) -> dict[str, Any]:
    sentences = [f"The valve of station {name} closes at {degrees} degrees." for name, degrees in facts]
    keywords = [f"{degrees} degrees" for _, degrees in facts]
    return {
        "question": question,
        "expected_answer": " ".join(sentences),
        "keywords": keywords,
        "quotes": sentences,
        "style": "wh",
    }


def make_workspace(folder: Path, url: str) -> Path:
    names = ("writer", "generator", "small", "vectors", "judge")
    models = "\n".join(f'[models."openai:{name}"]\nbase_url = "{url}"' for name in names)
    (folder / "corpora").mkdir(parents=True)
    for index in (0, 5):
        (folder / "corpora" / f"stations-{index}.md").write_text(page(index), encoding="utf-8")
    text = SETTINGS.format(concurrency=CONCURRENCY, models=models)
    (folder / "ragtester.toml").write_text(
        text.replace("count = 2", 'count = 2\ntopics = ["Nordic", "Baltic"]'), "utf-8"
    )
    return folder


def start(folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "ragtester", "run", "-q", "-w", str(folder)]
    return subprocess.Popen(
        command, env=run_environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, process_group=0
    )


def kill_after(process: subprocess.Popen[str], server: OpenAIServer, model: str, requests: int) -> None:
    """SIGKILL the process and its children once the server has seen so many requests to `model`, or let it end."""
    while process.poll() is None and server.seen[model] < requests:
        time.sleep(0.002)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)


def rows(folder: Path) -> dict[str, list[str]]:
    """Every row of every stage, without the server's latency."""
    found = {}
    for path in sorted(folder.glob("[agvc]*/**/*.jsonl")):
        lines = path.read_text(encoding="utf-8").splitlines()
        name = str(path.relative_to(folder))
        found[name] = [re.sub(r'"seconds":[^,}]+', '"seconds":0', line) for line in lines]
    return found


def sent(server: OpenAIServer) -> Counter[str]:
    return Counter(
        json.dumps([request.path, request.body], sort_keys=True) for request in server.requests if request.body
    )


def pango_is_there() -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import weasyprint  # noqa: F401 - loading it loads pango
        except (ImportError, OSError):
            return False
    return True


def asked(requests: Counter[str], model: str) -> int:
    """How many of the requests went to `model`."""
    return sum(count for body, count in requests.items() if json.loads(body)[1].get("model") == model)


@pytest.mark.slow
def test_a_run_killed_again_and_again_ends_like_one_that_was_not(tmp_path: Path) -> None:
    if not pango_is_there():
        pytest.skip("weasyprint or its library pango is not installed")
    with OpenAIServer(reply, latency=0.01) as server:
        whole = make_workspace(tmp_path / "whole", server.url)
        process = start(whole)
        output, _ = process.communicate(timeout=300)
        code = process.returncode
        assert code in (0, 3), output
        planned = sent(server)
        server.requests.clear()
        server.seen.clear()
        killed = make_workspace(tmp_path / "killed", server.url)
        for model in STAGES:
            kill_after(start(killed), server, model, random.Random(model).randint(1, asked(planned, model)))
        process = start(killed)
        output, _ = process.communicate(timeout=300)
        assert process.returncode == code, output
        repeated = sent(server)
    expected = rows(whole)
    assert {name.split("/")[0] for name in expected} == {"corpora", "generated", "answers", "verdicts"}
    assert rows(killed) == expected
    assert set(repeated) == set(planned)
    in_flight = (repeated - planned).total()
    assert in_flight <= KILLS * CONCURRENCY, f"{in_flight} requests were paid for twice"
