"""Which of two stated values is higher, longer or earlier: computed, and said in English or German."""

from __future__ import annotations

from collections.abc import Sequence

from ragtester.text.quantities import Quantity, quantities

_TIMES = frozenset({"s", "month"})
# language -> order of the two -> (end of a question, end of a query, the conclusion of the answer)
COMPARED = {
    "en": {
        "longer": ("and which of the two is longer?", "which is longer", "The longer of the two is {}."),
        "earlier": ("and which of the two comes first?", "which comes first", "The earlier of the two is {}."),
        "higher": ("and which of the two values is higher?", "which is higher", "The higher of the two is {}."),
    },
    "de": {
        "longer": ("und was von beidem ist länger?", "was ist länger", "Länger ist {}."),
        "earlier": ("und was von beidem kommt zuerst?", "was kommt zuerst", "Zuerst kommt {}."),
        "higher": ("und welcher der beiden Werte ist höher?", "was ist höher", "Höher ist {}."),
    },
}


def the_one(text: str, code: str) -> Quantity | None:
    """The one quantity of a text; None where there are none or several."""
    found = quantities(text, code)
    return found[0] if len(found) == 1 else None


def order(first: Quantity | None, second: Quantity | None, *, bare: bool = False) -> str:
    """How two quantities compare (longer, earlier, higher); empty where they are not of one kind or are equal.

    `bare` allows numbers without a unit.
    """
    if first is None or second is None or (first.kind, first.unit) != (second.kind, second.unit):
        return ""
    if first.value == second.value:
        return ""
    if first.kind in ("date", "time"):
        return "earlier" if first.value and second.value else ""
    if first.kind == "number" and not first.unit and not bare:
        return ""
    return "longer" if first.unit in _TIMES else "higher"


def conclusion(texts: Sequence[str], code: str, *, bare: bool = False) -> str:
    """Names the higher, longer or earlier of the values of two texts; empty where that is not safe."""
    values = [the_one(text, code) for text in texts]
    if len(values) != 2 or code not in COMPARED or not (how := order(values[0], values[1], bare=bare)):
        return ""
    told = [
        (value.value, text[value.start : value.end])
        for value, text in zip(values, texts, strict=True)
        if value is not None
    ]
    chosen = min(told) if how == "earlier" else max(told)
    return COMPARED[code][how][2].format(chosen[1] + _counted(chosen[1], texts))


def _counted(value: str, texts: Sequence[str]) -> str:
    """What a bare number counts, where its text is no more than the number and that: ` places` of `26 places`."""
    whole = next((text for text in texts if text.startswith(value)), value)
    return whole[len(value) :] if len(whole.split()) <= 3 else ""
