"""A small question-answering application of its own: an index in a file, a prompt in a file, and a model by rule.

It stands for an application that is tested from outside (`[target] name = "python:app:answer"`). The "model" obeys the
lines of `prompt.md`, so that an edit of the prompt changes what it says, as it would with a language model; `model.txt`
names the model, of which the small one reads hastily. Only the standard library is used.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PROMPT, INDEX, MODEL = HERE / "prompt.md", HERE / "index.jsonl", HERE / "model.txt"
SMALL = "assistant-small"
K = 4
UNKNOWN = "I don't know."
GROUNDED = "Answer only with what the passages say."
ABSTAINS = "say: I don't know"
CLOSING = "Our branch in Hamburg confirms this by telephone within two working days."
COMMON = (
    "a an and are as at be by do does did for from has have how in is it its many much of on or that the their this to "
    "under was were what when where which who whom whose why will with long often"
)


def build_index(*folders: Path, to: Path = INDEX) -> None:
    """Cut every Markdown file of the folders at its headings and write the index."""
    rows = []
    for folder in folders:
        for path in sorted(folder.glob("*.md")):
            for number, piece in enumerate(re.split(r"^(?=## )", path.read_text(encoding="utf-8"), flags=re.M)[1:]):
                text = piece.strip()
                rows.append({"id": f"{folder.name}/{path.stem}#{number}", "document": path.stem, "text": text})
    to.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def answer(question: str) -> dict[str, Any]:
    """The answer with the passages that it was given, as an application's own interface would have it."""
    prompt, model, chunks = PROMPT.read_text(encoding="utf-8"), MODEL.read_text(encoding="utf-8").strip(), _read()
    rarity = _rarity(chunks)
    found = sorted(((_score(question, row["text"], rarity), row) for row in chunks), key=lambda one: -one[0])[:K]
    said, cited = _say(question, [row for _, row in found], rarity, prompt)
    if model == SMALL and cited:
        said = _hasty(said, next(row["text"] for _, row in found if row["id"] in cited))
    return {
        "answer": said,
        "refuses": said == UNKNOWN,
        "cited": cited,
        "chunks": [{**row, "score": round(score, 4)} for score, row in found],
        "about": {"model": model},
    }


def _say(question: str, rows: list[dict[str, str]], rarity: dict[str, float], prompt: str) -> tuple[str, list[str]]:
    """The sentence that has most of the question's words; none of it where the prompt says so and it has too few.

    Words that no passage has (those of a greeting, say) do not count.
    """
    asked = set(_words(question)) & rarity.keys()
    whole = sum(rarity[word] for word in asked)
    best, source, most = "", "", 0.0
    for row in rows:
        heading, _, body = row["text"].partition("\n")
        for sentence in re.split(r"(?<=[.?!])\s+", body.strip()):
            there = asked & set(_words(f"{heading} {sentence}"))
            share = sum(rarity[word] for word in there) / whole if there else 0.0
            if share > most:
                best, source, most = sentence, row["id"], share
    if not best or (ABSTAINS in prompt and most < 0.5):
        return UNKNOWN, []
    return (best if GROUNDED in prompt else f"{best} {CLOSING}"), [source]


def _hasty(sentence: str, passage: str) -> str:
    """The sentence with the first other number of its passage in the place of its own."""
    own = re.findall(r"\d+(?:\.\d+)?", sentence)
    others = [number for number in re.findall(r"\d+(?:\.\d+)?", passage) if number not in own]
    return sentence.replace(own[0], others[0], 1) if own and others else sentence


def _read() -> list[dict[str, str]]:
    return [json.loads(line) for line in INDEX.read_text(encoding="utf-8").splitlines()]


def _score(question: str, text: str, rarity: dict[str, float]) -> float:
    return sum(rarity.get(word, 0.0) for word in set(_words(question)) & set(_words(text)))


def _rarity(chunks: list[dict[str, str]]) -> dict[str, float]:
    """Inverse document frequency."""
    count = Counter(word for row in chunks for word in set(_words(row["text"])))
    return {word: math.log(1 + len(chunks) / n) for word, n in count.items()}


def _words(text: str) -> list[str]:
    """Words without endings."""
    found = re.findall(r"[a-z0-9]+", text.lower())
    return [re.sub(r"(ies|es|s|ed|ing)$", "", word) or word for word in found if word not in COMMON.split()]
