"""Rows of `promptfoo eval -o FILE.json`: what a provider answered, and how promptfoo graded it."""

from __future__ import annotations

import json
from typing import Any

from ragtester.interchange.cells import Fields, as_number
from ragtester.interchange.items import Given


def result(fields: Fields) -> Given:
    """One row of an evaluation."""
    response, grading, provider = (fields.take(name) for name in ("response", "gradingResult", "provider"))
    response = response if isinstance(response, dict) else {}
    output = response.get("output")
    answer = output if isinstance(output, str) else "" if output is None else json.dumps(output, ensure_ascii=False)
    usage = response.get("tokenUsage") if isinstance(response.get("tokenUsage"), dict) else {}
    grading = grading if isinstance(grading, dict) else {}
    reason = grading.get("reason")
    scores = {"score": fields.number("score")}
    named = fields.take("namedScores")
    scores |= {str(name): as_number(value) for name, value in named.items()} if isinstance(named, dict) else {}
    latency = fields.number("latencyMs")
    error = fields.text("error")
    success = fields.flag("success")
    # promptfoo writes a failed assertion into `error` too: an answer that is there has only failed its test.
    return Given(
        answer=fields.cleaned(answer).strip(),
        system=_system(fields, provider),
        passed=success,
        scores={name: number for name, number in scores.items() if number is not None},
        reasons={"reason": fields.cleaned(reason)} if isinstance(reason, str) and reason else {},
        error="" if answer.strip() else error or "no output",
        seconds=None if latency is None else latency / 1000,
        cost=fields.number("cost"),
        prompt_tokens=_count(usage, "prompt"),
        completion_tokens=_count(usage, "completion"),
    )


def _system(fields: Fields, provider: Any) -> str:
    name = provider.get("label") or provider.get("id") if isinstance(provider, dict) else provider
    prompt = fields.count("promptIdx")
    return f"{fields.cleaned(str(name or 'promptfoo'))}{f' prompt {prompt + 1}' if prompt else ''}"


def _count(usage: Any, name: str) -> int | None:
    number = as_number(usage.get(name)) if isinstance(usage, dict) else None
    return int(number) if number is not None and number >= 0 and number == int(number) else None
