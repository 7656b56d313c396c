"""The fact base of the embedded writer: subjects as data, values drawn by seed, sentences with slots.

A subject file holds values (ranges, choices, dates), near-identical siblings, instances and sentence frames. A slot is
`{value}`, `{value:A}` (of a sibling), `{value:x}` (of an instance), with `:old` (superseded), `:alt` (other unit) or
`:n` (number without its unit); `{A}`, `{x}`, `{issuer}`, `{topic}`, `{code:0}` and `{ref:1}` name things.
"""

from __future__ import annotations

import random
import re
import tomllib
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from ragtester.tasks import Fact

FOLDER = Path(__file__).parent / "subjects"
SLOT = re.compile(r"\{([A-Za-z]+)((?::[A-Za-z0-9]+)*)\}")
# Names that begin with a vowel, or with a letter that is spoken with one (HX, MF).
_VOWEL_SOUND = re.compile(r"[AEIO]|[FHLMNRSX][A-Z]")
Number = int | float


@lru_cache
def subjects(language: str) -> dict[str, dict[str, Any]]:
    """All subjects of a language (`en`, `de`) by file name."""
    found = {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.toml"))}
    return {name: data for name, data in found.items() if data["language"] == language}


@dataclass
class World:
    """One document's facts: everything drawn once, so that the text never contradicts itself by accident."""

    subject: dict[str, Any]
    words: dict[str, Any]
    pick: random.Random
    topic: str
    issuer: str = ""
    names: dict[str, str] = field(default_factory=dict)
    codes: list[str] = field(default_factory=list)
    references: dict[str, str] = field(default_factory=dict)
    facts: dict[Fact, None] = field(default_factory=dict)
    instance: str = ""
    _drawn: dict[tuple[str, str], Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.issuer = self.pick.choice(self.subject["issuers"])
        self.names = dict(zip("ABC", self.pick.choice(self.subject["siblings"]), strict=True))
        self.codes = list(self.subject["codes"])

    def fill(self, text: str) -> str:
        """Put values into a sentence and remember them as facts."""
        filled = SLOT.sub(lambda slot: self._slot(slot[1], slot[2].strip(":").split(":")), text)
        return self._with_articles(filled) if self.words["decimal"] == "." else filled

    def _with_articles(self, text: str) -> str:
        """English only: "an" before a sibling's name that begins with a vowel sound."""
        for name in self.names.values():
            if _VOWEL_SOUND.match(name):
                text = re.sub(rf"\b([Aa]) (?={re.escape(name)})", r"\1n ", text)
        return text

    def value(self, name: str, owner: str = "", *, old: bool = False) -> Any:
        """The drawn value: a number, a choice or a (year, month, day); the same whenever it is asked for."""
        key = (name, f"{owner}|old" if old else owner)
        if key not in self._drawn:
            self._drawn[key] = self._draw(name, owner, old)
        return self._drawn[key]

    def show(self, name: str, owner: str = "", forms: tuple[str, ...] = ()) -> str:
        """A value as the text prints it; the fact is remembered."""
        spec = self.subject["values"][name]
        value = self.value(name, owner, old="old" in forms)
        label = spec["label"] + (self.words["superseded"] if "old" in forms else "")
        text = self._format(spec, value, alt="alt" in forms)
        bare = text.removesuffix(f" {spec.get('unit', '')}") if "n" in forms else text
        self.facts.setdefault(Fact(subject=self.owner_name(owner), attribute=label, value=bare))
        return bare

    def owner_name(self, owner: str) -> str:
        """What a fact is about: a sibling, an instance, or the document's subject."""
        return self.names.get(owner, owner) or str(self.subject["subject"])

    def type_of(self, instance: str) -> str:
        """The sibling that an instance is of."""
        if (key := ("type", instance)) not in self._drawn:
            self._drawn[key] = self.pick.choice(list(self.names.values()))
        return str(self._drawn[key])

    def _slot(self, name: str, forms: list[str]) -> str:
        plain = {"issuer": self.issuer, "topic": self.topic, "x": self.instance} | self.names
        if name in plain:
            return plain[name]
        if name == "code":
            return self.codes[int(forms[0])]
        if name == "ref":
            return self.references[forms[0]]
        if name == "type":
            kind = self.type_of(self.instance)
            self.facts.setdefault(Fact(subject=self.instance, attribute=self.words["type"], value=kind))
            return kind
        owner = next((self.instance if form == "x" else form for form in forms if form in {"A", "B", "C", "x"}), "")
        return self.show(name, owner, tuple(forms))

    def _draw(self, name: str, owner: str, old: bool) -> Any:
        spec = self.subject["values"][name]
        if "date" in spec:
            return (self.pick.randint(*spec["date"]), self.pick.randint(1, 12), self.pick.randint(1, 28))
        options = list(spec["choices"]) if "choices" in spec else _options(spec)
        taken = {value for (other, who), value in self._drawn.items() if other == name and (old or who in self.names)}
        near = [item for item in options if item not in taken] if old or owner in self.names else options
        if owner in self.names and taken and not old:
            # Siblings differ by little: the trap that a reader who skims falls into.
            near = sorted(near, key=lambda item: abs(item - min(taken)))[:4]
        return self.pick.choice(near or options)

    def _format(self, spec: dict[str, Any], value: Any, *, alt: bool) -> str:
        if "date" in spec:
            return self.date(value)
        if "choices" in spec:
            return str(value)
        unit, decimals = spec["unit"], _decimals(spec)
        if alt:
            unit, factor, decimals = spec["alt"]
            value = value * factor
        text = self.number(value, decimals, grouped=bool(unit), money=str(unit).lower().startswith("euro"))
        return f"{text} {unit}" if unit else text

    def number(self, value: Number, decimals: int, *, grouped: bool = True, money: bool = False) -> str:
        """A number in the language's notation; at most `decimals` places, no idle zeros but in money."""
        text = f"{value:,.{decimals}f}" if grouped else f"{value:.{decimals}f}"
        if decimals and (not money or text.endswith("." + "0" * decimals)):
            text = text.rstrip("0").rstrip(".")
        return text.translate(str.maketrans(",.", ".,")) if self.words["decimal"] == "," else text

    def date(self, value: tuple[int, int, int]) -> str:
        """A date in words."""
        year, month, day = value
        return str(self.words["date"]).format(day=day, month=self.words["months"][month - 1], year=year)


def _decimals(spec: dict[str, Any]) -> int:
    step = spec["range"][2]
    if step >= 1:
        return 0
    return 2 if step < 0.1 or str(spec["unit"]).lower().startswith("euro") else 1


def _options(spec: dict[str, Any]) -> list[Number]:
    """All values of a range; those whose conversion would be inexact or exactly one are left out."""
    low, high, step = spec["range"]
    count = round((high - low) / step)
    values = [
        low + step * index if isinstance(step, int) else round(low + step * index, 4) for index in range(count + 1)
    ]
    if "alt" in spec:
        _unit, factor, decimals = spec["alt"]
        exact = [
            v for v in values if abs(round(v * factor, decimals) - v * factor) < 1e-6 and round(v * factor, 6) != 1
        ]
        return exact or values
    return values
