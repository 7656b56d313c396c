"""promptfoo's assertions: which of them say what the answer is, and how ours are written."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from ragtester.interchange.cells import Fields, literal
from ragtester.interchange.items import FILE_PREFIXES
from ragtester.interchange.templates import escaped, is_template, unescaped
from ragtester.text.normalise import listed

# Types whose value is a reference answer, those that ask for words, and those that describe a good answer.
REFERENCES = (
    *("factuality", "model-graded-factuality", "equals", "similar", "similar:cosine", "similar:dot"),
    *("similar:euclidean", "levenshtein", "rouge-n", "bleu", "gleu", "meteor"),
)
WORDS = ("contains", "icontains", "contains-all", "icontains-all")
RUBRICS = ("llm-rubric", "model-graded-closedqa", "g-eval", "agent-rubric", "search-rubric")
REFUSAL = "is-refusal"
_PREFIXES = {
    "grade": "llm-rubric",
    "javascript": "javascript",
    "fn": "javascript",
    "eval": "javascript",
    "python": "python",
}
_TYPED = re.compile(
    r"((?:not-)?[a-z][a-z-]*(?::(?:cosine|dot|euclidean))?)(?:\((\d+(?:\.\d+)?)\))?(?::(.*))?", re.DOTALL
)
_KNOWN = frozenset((*REFERENCES, *WORDS, *RUBRICS, REFUSAL, "contains-any", "icontains-any", "regex", "starts-with"))
_FURTHER = frozenset(
    listed(
        "answer-relevance classifier contains-html contains-json contains-sql contains-xml context-faithfulness "
        "context-recall context-relevance conversation-relevance cost finish-reason guardrails is-html is-json is-sql "
        "is-valid-function-call is-valid-openai-function-call is-valid-openai-tools-call is-xml javascript latency pi "
        "moderation perplexity perplexity-score python ruby webhook word-count tool-call-f1 skill-used select-best "
        "human max-score trace-error-spans trace-span-count trace-span-duration"
    )
)
# Keys of an assertion that say how strictly promptfoo grades, not what the answer is.
_GRADING = ("threshold", "weight", "metric", "provider", "config", "transform", "contextTransform", "rubricPrompt")


@dataclass
class Wanted:
    """What the assertions of a test say about the answer."""

    references: list[str] = field(default_factory=list)
    rubrics: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    refusal: bool = False


def read(values: Any, fields: Fields) -> Wanted:
    """Take in a test's `assert`; what has no meaning for a case is counted as dropped."""
    wanted = Wanted()
    for given in values if isinstance(values, list) else [values] if values else []:
        value = from_text(given) if isinstance(given, str) else given
        if not isinstance(value, dict) or not isinstance(value.get("type"), str):
            fields.fault("assert: an object with a type is wanted")
        elif value["type"] == "assert-set":
            inner = read(value.get("assert"), fields)
            wanted.references += inner.references
            wanted.rubrics += inner.rubrics
            wanted.words += inner.words
            wanted.refusal |= inner.refusal
        else:
            _one(value, wanted, fields)
    return wanted


def _one(value: dict[str, Any], wanted: Wanted, fields: Fields) -> None:
    kind = value["type"]
    texts = value.get("value")
    members = [texts] if isinstance(texts, str) else texts if isinstance(texts, list) else []
    if any(isinstance(one, str) and one.startswith(FILE_PREFIXES) for one in members):
        fields.account.drop(f"assert {kind} (a reference to a file, never followed)")
        return
    plain = [text for one in members if isinstance(one, str) and (text := rendered(one, fields).strip())]
    if kind == REFUSAL:
        wanted.refusal = True
    elif kind in REFERENCES and len(plain) == 1:
        wanted.references += plain
    elif kind in WORDS and plain:
        wanted.words += _split(plain[0]) if kind.endswith("-all") and isinstance(texts, str) else plain
    elif kind in RUBRICS and plain:
        wanted.rubrics += plain
    else:
        fields.account.drop(f"assert {fields.cleaned(kind)[:60]}")
        return
    for name in _GRADING:
        if value.get(name) is not None and (name, str(value[name])) != ("weight", "0"):
            fields.account.drop(f"assert {name}")


def rendered(text: str, fields: Fields) -> str:
    """The text of a value of ours; a template of somebody else's is kept as it stands, and that is told."""
    if is_template(text):
        fields.account.note("templates ({{ … }}) are kept as text, not filled in")
    return fields.cleaned(unescaped(text))


def from_text(text: str) -> dict[str, Any]:
    """An assertion as a CSV cell has it: `type(threshold): value`, or the answer alone, which means `equals`."""
    head, mark, rest = text.partition(":")
    if mark and head in _PREFIXES:
        return {"type": _PREFIXES[head], "value": rest.strip()}
    if text.startswith(FILE_PREFIXES):
        return {"type": "file", "value": text}
    match = _TYPED.fullmatch(text)
    if match and match[1].removeprefix("not-") in _KNOWN | _FURTHER:
        found = {"type": match[1], "value": (match[3] or "").strip(), "threshold": match[2]}
        return {name: value for name, value in found.items() if value is not None}
    return {"type": "equals", "value": text}


def _split(text: str) -> list[str]:
    """Values between commas, as `contains-all` has them in a CSV cell; quoted ones keep their commas."""
    if isinstance(found := literal(text), list):
        return [str(one) for one in found]
    parts = re.findall(r'\s*("(?:[^"\\]|\\.|"")*"|[^,]+)\s*(?:,|$)', text)
    return [_unquoted(part.strip()) for part in parts if part.strip()]


def _unquoted(part: str) -> str:
    if len(part) >= 2 and part.startswith('"') and part.endswith('"'):
        return re.sub(r'\\(["\\])|""', lambda match: match[1] or '"', part[1:-1])
    return part


def write(expected: str, refusal: bool, keywords: tuple[str, ...]) -> list[dict[str, Any]]:
    """Our assertions. Keywords are measured and never decide: promptfoo's rule knows no inflection and no units."""
    found: list[dict[str, Any]] = [{"type": REFUSAL} if refusal else {"type": "factuality", "value": escaped(expected)}]
    if keywords:
        found.append({"type": "icontains-all", "value": [escaped(word) for word in keywords], "weight": 0})
    return found


def as_text(assertion: dict[str, Any]) -> str:
    """An assertion as a CSV cell."""
    return f"{assertion['type']}:{assertion['value']}" if "value" in assertion else str(assertion["type"])
