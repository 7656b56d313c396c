"""HTML as a tree: text and attributes are escaped by the serialiser, so that no hostile text becomes markup."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.etree import ElementTree

Element = ElementTree.Element
Child = str | int | Element | None | Iterable["Child"]
# Controls, line and paragraph separators, directions, halves of surrogate pairs: they could hide or turn text round.
HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")

_BREAKS = re.compile(r"(?<=[:/_.-])(?=\w)")


def shown(text: str) -> str:
    """`text` with characters that cannot be seen written as their code point: "⟨U+202E⟩"."""
    return HIDDEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text)


def h(tag: str, *children: Child, **attributes: str | int | float | None) -> Element:
    """An element. Attributes: `class_` is `class`, `aria_label` is `aria-label`; None leaves one out."""
    element = Element(tag)
    for name, value in attributes.items():
        if value is not None:
            element.set(name.rstrip("_").replace("_", "-"), shown(str(value)))
    _add(element, children)
    return element


def _add(element: Element, children: Iterable[Child]) -> None:
    for child in children:
        if child is None:
            continue
        if isinstance(child, Element):
            element.append(child)
        elif isinstance(child, str | int):
            _add_text(element, shown(str(child)))
        else:
            _add(element, child)


def _add_text(element: Element, text: str) -> None:
    if len(element):
        element[-1].tail = (element[-1].tail or "") + text
    else:
        element.text = (element.text or "") + text


def serialise(elements: Iterable[Element]) -> str:
    """The elements as HTML text."""
    return "\n".join(ElementTree.tostring(element, encoding="unicode", method="html") for element in elements)


def hidden_text(text: str) -> Element:
    """Text for screen readers only."""
    return h("span", text, class_="sr")


def name(text: str) -> Element:
    """A name from the data: kept apart from the direction of the text around it; it may break after its marks."""
    parts = _BREAKS.split(text)
    return h("bdi", parts[0], *((h("wbr"), part) for part in parts[1:]))
