"""Replies about passages, brought into form: rewritten queries, orders of passages, claims and their verdicts.

What is mended changes nothing that a reply says: a label's wrapping, one label twice, a label that was not offered.
The claims of an answer keep labels that were not offered: that an answer relies on what was not there is a finding.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from ragtester.models.reply_shapes import Misshapen, texts
from ragtester.records import Record
from ragtester.tasks import CheckClaim, Passage, RankPassages, RewriteQuery, SplitAnswer, StressQuestion, TraceClaims
from ragtester.text.stems import stems
from ragtester.text.words import words

# A query may be longer than its question ("how long" becomes "Dauer des ..."), an answer in its place is far longer.
ROOM = 40
# With so many content words a query that shares none is a translation or about something else.
LEAST = 2
LONGEST_LABEL = 300
# An unknown label of so many words is a passage's text.
TEXT_WORDS = 6
RESTING = ("supported", "contradicted")
_WRAPPING = re.compile(
    r"^\W*(?:(?:passages?|ids?|no\.?|nr\.?)(?![^\W\d_])|#)?[\s:=\"'#\[(]*(.*?)[\s\"'\])>.,;:]*$", re.I | re.S
)
_BETWEEN = re.compile(r"\s*(?:[>,;\n]|→)\s*")


def fitted(found: dict[str, Any], request: Record | None) -> dict[str, Any]:
    """The reply to `request` in form. Raises Misshapen where it says nothing that was asked for."""
    match request:
        case RewriteQuery():
            return _query(found, request)
        case RankPassages():
            return _order(found, request.passages)
        case TraceClaims() | SplitAnswer() | CheckClaim():
            return _about_claims(found, request)
        case StressQuestion():
            return _stressed(found)
        case _:
            return found


def _about_claims(found: dict[str, Any], request: TraceClaims | SplitAnswer | CheckClaim) -> dict[str, Any]:
    match request:
        case TraceClaims():
            return _traced(found, request.passages)
        case SplitAnswer():
            return {**found, **_claims(found, request.passages, unknown=True)}
        case CheckClaim():
            return _verdict(found, request.passages)


def _stressed(found: dict[str, Any]) -> dict[str, Any]:
    """A question on one line; a question or an answer without a word is a fault."""
    made = dict(found)
    for name in ("question", "expected_answer"):
        if isinstance(text := made.get(name), str):
            if not words(text):
                raise Misshapen(f"{name}: it holds no word")
            made[name] = " ".join(text.split())
    if "names" in made:
        made["names"] = texts(made["names"] or [])
    return made


def _query(found: dict[str, Any], request: RewriteQuery) -> dict[str, Any]:
    query = found.get("query")
    if not isinstance(query, str):
        return found
    query = " ".join(query.split())
    if not words(query):
        raise Misshapen("query: it holds no word")
    asked = set(stems(request.question, request.language))
    if len(asked) >= LEAST and not asked.intersection(stems(query, request.language)):
        raise Misshapen("query: it holds none of the question's own words")
    if len(query) > len(request.question) + ROOM:
        raise Misshapen(
            f"query: {len(query)} characters for a question of {len(request.question)}; no longer than that"
        )
    return {**found, "query": query}


def _order(found: dict[str, Any], passages: Sequence[Passage]) -> dict[str, Any]:
    order = found.get("order")
    if isinstance(order, str):
        order = [part for part in _BETWEEN.split(order) if part]
    if not isinstance(order, list):
        return found
    kept = _labels([_named(item) for item in order], passages)
    if not kept:
        raise Misshapen("order: it names none of the ids that were given")
    return {**found, "order": kept}


def _traced(found: dict[str, Any], passages: Sequence[Passage]) -> dict[str, Any]:
    """Texts in the place of all ids are a fault."""
    made = _claims(found, passages, unknown=False)
    claims = made.get("claims", [])
    named = any(one["passages"] for one in found["claims"]) if claims else False
    if named and not any(one["passages"] for one in claims):
        raise Misshapen(
            "claims: they name none of the ids that were given; passages are named by id, not by their text"
        )
    return {**found, **made}


def _claims(found: dict[str, Any], passages: Sequence[Passage], *, unknown: bool) -> dict[str, Any]:
    """Claims without a word are faults, since their number is a denominator.

    Labels that were not offered are kept where `unknown` says so; a text in the place of one is a fault then.
    """
    claims = found.get("claims")
    if not isinstance(claims, list):
        return {}
    made = []
    for number, item in enumerate(claims):
        if not isinstance(item, dict) or not isinstance(item.get("claim"), str):
            raise Misshapen(f'claims.{number}: {{"claim": "…", "passages": […]}} was asked for')
        if not words(item["claim"]):
            raise Misshapen(f"claims.{number}: the claim holds no word")
        if "passages" not in item:
            raise Misshapen(f'claims.{number}: no field "passages"; an empty list where no passage supports it')
        named = item["passages"]
        named = texts([named] if isinstance(named, int) else named or [])
        if not isinstance(named, list):
            raise Misshapen(f"claims.{number}.passages: a list of ids was asked for")
        labels = _labels(map(_named, named), passages, unknown=unknown)
        strange = set(labels) - {one.label for one in passages}
        if any(len(label.split()) >= TEXT_WORDS or len(label) > LONGEST_LABEL for label in strange):
            raise Misshapen(f"claims.{number}.passages: passages are named by id, not by their text")
        made.append({"claim": item["claim"].strip(), "passages": labels})
    return {"claims": made}


def _verdict(found: dict[str, Any], passages: Sequence[Passage]) -> dict[str, Any]:
    """A reason without a word is a fault, and so is a verdict for or against that rests on none of the passages."""
    if isinstance(reason := found.get("reason"), str):
        if not words(reason):
            raise Misshapen("reason: it holds no word")
        found = {**found, "reason": " ".join(reason.split())}
    named = found.get("passages")
    named = texts([named] if isinstance(named, int) else named or [])
    if not isinstance(named, list):
        raise Misshapen("passages: a list of ids was asked for")
    labels = _labels(map(_named, named), passages)
    if not labels and not named and len(passages) == 1 and found.get("verdict") in RESTING:
        labels = [passages[0].label]  # there is no other
    if not labels and found.get("verdict") in RESTING:
        raise Misshapen(f"passages: {found['verdict']!r} rests on none of the ids that were given")
    return {**found, "passages": labels}


def _named(item: Any) -> Any:
    """The label in `{"id": "3"}` as in `"3"`."""
    return item.get("id", item.get("label")) if isinstance(item, dict) else item


def _labels(named: Iterable[Any], passages: Sequence[Passage], *, unknown: bool = False) -> list[str]:
    """Known labels in their order, each once: as they stand, or in the wrapping that a model put around them.

    With `unknown` others too, out of their wrapping.
    """
    known = {passage.label: passage.label for passage in passages}
    bare = {_bare(label): label for label in known}
    found: dict[str, None] = {}
    for item in named:
        if isinstance(item, str | int) and not isinstance(item, bool):
            label = known.get(str(item).strip()) or bare.get(_bare(str(item)))
            if label is None and unknown and str(item).strip():
                label = _unwrapped(str(item)).strip()
            if label is not None:
                found[label] = None
    return list(found)


def _bare(label: str) -> str:
    return _unwrapped(label).casefold()


def _unwrapped(label: str) -> str:
    if len(label) > LONGEST_LABEL:
        return label
    stripped = _WRAPPING.match(label)
    return stripped[1] if stripped and stripped[1] else label
