"""How well and how fast the embedded engine checks claims.

python -m benchmarks.claims               the tables of docs/claims-engine.md, from tests/data/claim_pairs.jsonl
python -m benchmarks.claims --write       the same, written into that page
python -m benchmarks.claims --speed       10,000 claims through the gateway: time, memory, ratio to `trace_by_words`
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from ragtester.models.embedded.claim_checking import check_claim
from ragtester.models.gateway import Gateway
from ragtester.records import CLAIM_VERDICTS, ClaimVerdict
from ragtester.settings import Settings
from ragtester.statistics.comparison import format_p, mcnemar
from ragtester.statistics.intervals import format_rate
from ragtester.tasks import CHECK_CLAIM, CheckClaim, Passage
from ragtester.text.claim_cover import trace_by_words
from ragtester.text.stems import stems

ROOT = Path(__file__).parent.parent
PAIRS = ROOT / "tests" / "data" / "claim_pairs.jsonl"
PAGE = ROOT / "docs" / "claims-engine.md"
BEGIN, END = "<!-- tables: python -m benchmarks.claims --write -->", "<!-- end of tables -->"
SETS = ("tuning", "held_out")
SUPPORTS, SPEAKS = 0.8, 0.5
"""Cover by words from which the baseline calls a claim supported, and below which unsupported."""


def pairs() -> list[dict[str, Any]]:
    """The labelled pairs in the order of their file."""
    return [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]


def request(pair: dict[str, Any]) -> CheckClaim:
    """The task that a pair asks; its passages are numbered from 1."""
    passages = tuple(Passage(label=str(place), text=text) for place, text in enumerate(pair["passages"], start=1))
    return CheckClaim(language=pair["language"], question=pair["question"], claim=pair["claim"], passages=passages)


def baseline(asked: CheckClaim) -> ClaimVerdict:
    """Cover by words alone: the share of the claim's content stems in the passage that has most of them.

    High: supported; about half: it speaks of the thing but says otherwise, so contradicted; low: unsupported.
    """
    wanted = set(stems(asked.claim, asked.language))
    shares = [len(wanted & set(stems(one.text, asked.language))) / max(1, len(wanted)) for one in asked.passages]
    share = max(shares)
    return "supported" if share >= SUPPORTS else "contradicted" if share >= SPEAKS else "unsupported"


@lru_cache(maxsize=1)
def verdicts() -> tuple[tuple[dict[str, Any], ClaimVerdict, ClaimVerdict], ...]:
    """Each pair with the engine's verdict and the baseline's."""
    return tuple((pair, check_claim(request(pair)).verdict, baseline(request(pair))) for pair in pairs())


def wrong(found: Iterable[tuple[dict[str, Any], ClaimVerdict, ClaimVerdict]], place: int = 1) -> tuple[int, int]:
    """Wrong verdicts and pairs; `place` 1 is the engine, 2 the baseline."""
    listed = list(found)
    return sum(one[place] != one[0]["label"] for one in listed), len(listed)


def tables() -> str:
    """All tables as Markdown."""
    found = verdicts()
    parts = ["Wrong verdicts, with Wilson's 95 % interval:\n", "| set | engine | words alone |", "| --- | --- | --- |"]
    for name in SETS:
        of_set = [one for one in found if one[0]["set"] == name]
        parts.append(f"| {name} | {format_rate(*wrong(of_set))} | {format_rate(*wrong(of_set, 2))} |")
    parts += ["", *_against_words(found), "", *_trust(found)]
    parts += ["", "By kind:\n", "| kind | tuning | held_out |", "| --- | --- | --- |"]
    for kind in sorted({one[0]["kind"] for one in found}):
        rates = [
            format_rate(*wrong(one for one in found if (one[0]["kind"], one[0]["set"]) == (kind, name)))
            for name in SETS
        ]
        parts.append(f"| {kind} | {' | '.join(rates)} |")
    parts += ["", "By language:\n", "| language | tuning | held_out |", "| --- | --- | --- |"]
    for language in sorted({one[0]["language"] for one in found}):
        rates = [
            format_rate(*wrong(one for one in found if (one[0]["language"], one[0]["set"]) == (language, name)))
            for name in SETS
        ]
        parts.append(f"| {language} | {' | '.join(rates)} |")
    for name in SETS:
        parts += ["", f"What the engine said (columns) of each label (rows), {name}:\n"]
        parts += _confusion([one for one in found if one[0]["set"] == name])
    return "\n".join(parts)


def _against_words(found: Sequence[tuple[dict[str, Any], ClaimVerdict, ClaimVerdict]]) -> list[str]:
    held_out = [one for one in found if one[0]["set"] == "held_out"]
    engine = sum(verdict == pair["label"] != words for pair, verdict, words in held_out)
    alone = sum(words == pair["label"] != verdict for pair, verdict, words in held_out)
    only = f"the engine alone is right in {engine} and words alone in {alone}"
    return [f"Of the {len(held_out)} held-out pairs, {only} (McNemar, {format_p(mcnemar(engine, alone).p)})."]


def _trust(found: Sequence[tuple[dict[str, Any], ClaimVerdict, ClaimVerdict]]) -> list[str]:
    """How often each verdict is right where it is given."""
    lines = ["Right where it is said:\n", "| verdict | tuning | held_out |", "| --- | --- | --- |"]
    for said in CLAIM_VERDICTS:
        rates = []
        for name in SETS:
            given = [pair["label"] for pair, verdict, _ in found if pair["set"] == name and verdict == said]
            rates.append(format_rate(given.count(said), len(given)))
        lines.append(f"| {said} | {' | '.join(rates)} |")
    return lines


def _confusion(found: Sequence[tuple[dict[str, Any], ClaimVerdict, ClaimVerdict]]) -> list[str]:
    counts = Counter((pair["label"], verdict) for pair, verdict, _ in found)
    lines = [f"| | {' | '.join(CLAIM_VERDICTS)} |", "| --- " * (len(CLAIM_VERDICTS) + 1) + "|"]
    return [
        *lines,
        *(f"| {one} | {' | '.join(str(counts[one, two]) for two in CLAIM_VERDICTS)} |" for one in CLAIM_VERDICTS),
    ]


def page(text: str) -> str:
    """The page with its tables made anew."""
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    return f"{before}{BEGIN}\n\n{tables()}\n\n{END}{after}"


def made_up(count: int) -> list[CheckClaim]:
    """Claims about 400 chunks of some 700 characters, four chunks each; a third of them with another number."""
    parts = ("sea water pump", "bypass valve", "fire main", "steering gear", "boiler", "purifier", "crane", "winch")

    def text(number: int) -> str:
        part = parts[number % len(parts)]
        filler = (
            f"Before work on the {part} the officer of the watch is told, the breaker is opened and a tag is hung. "
        )
        return f"The {part} {number} runs at {number + 3} bar and is checked every {number + 2} months. {filler * 6}"

    asked = []
    for number in range(count):
        chunk = number % 400
        value = chunk + 3 + (number % 3 == 2) * (1 + number // 400)
        asked.append(
            CheckClaim(
                language="en",
                question=f"At which pressure does the {parts[chunk % len(parts)]} {chunk} run?",
                claim=f"The {parts[chunk % len(parts)]} {chunk} runs at {value} bar.",
                passages=tuple(Passage(label=f"c{one}", text=text(one)) for one in range(chunk, chunk + 4)),
            )
        )
    return asked


async def speed(count: int) -> None:
    """Print time, memory and the ratio to the trace by words of the same claims and passages."""
    asked = made_up(count)
    start, busy = time.perf_counter(), time.process_time()
    found: Counter[str] = Counter()
    async with Gateway(Settings()) as gateway:
        for one in asked:
            reply = (await gateway.ask("embedded:judge", CHECK_CLAIM, one)).reply
            found[reply.verdict if reply else "failed"] += 1
    taken, engine = time.perf_counter() - start, time.process_time() - busy
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    busy = time.process_time()
    for one in asked:
        trace_by_words(one.claim, one.passages, one.language)
    words = time.process_time() - busy
    print(f"{count} claims, 4 chunks each: {taken:.1f} s, {engine:.1f} s of CPU, peak {peak:.0f} MB, {dict(found)}")
    print(f"trace_by_words on the same: {words:.1f} s of CPU; ratio {engine / words:.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--claims", type=int, default=10_000)
    given = parser.parse_args()
    if given.speed:
        asyncio.run(speed(given.claims))
    elif given.write:
        PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        print(tables())


if __name__ == "__main__":
    main()
