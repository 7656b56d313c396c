"""Building blocks of a written document: paragraphs with footnotes, tables, figures, appendices. Markdown in, out."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from ragtester.models.embedded.writing_subject import SLOT, World
from ragtester.tasks import Fact

_NOTE = re.compile(r"\^\[((?:[^\[\]])*)\]")


@dataclass
class Notes:
    """Footnotes in the order of their marks."""

    texts: list[str] = field(default_factory=list)

    def number(self, text: str) -> str:
        """Replace inline notes `^[…]` by marks."""
        return _NOTE.sub(self._mark, text)

    def _mark(self, match: re.Match[str]) -> str:
        self.texts.append(match[1])
        return f"[^{len(self.texts)}]"

    def definitions(self) -> str:
        """The notes as Markdown, one a line."""
        return "\n".join(f"[^{number}]: {text}" for number, text in enumerate(self.texts, start=1))


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table; bars inside cells are escaped."""
    cells = [[cell.replace("|", "\\|") for cell in row] for row in [head, *rows]]
    lines = ["| " + " | ".join(row) + " |" for row in cells]
    return "\n".join([lines[0], "|" + " --- |" * len(head), *lines[1:]])


def paragraphs(world: World, notes: Notes, lines: list[str]) -> str:
    """Sentences grouped by two or three, each with its values and notes."""
    filled = [notes.number(world.fill(line)) for line in lines]
    groups: list[str] = []
    while filled:
        size = world.pick.choice((1, 2, 2, 3))
        groups.append(" ".join(filled[:size]))
        filled = filled[size:]
    return "\n\n".join(groups)


def coded(world: World) -> dict[str, str]:
    """Values of the siblings that have a code, by name: code."""
    return {name: spec["code"] for name, spec in world.subject["values"].items() if "code" in spec}


def comparison(world: World, *, by_code: bool) -> str:
    """All sibling values: rows of figures with short forms, or rows of siblings under coded heads."""
    names = list(coded(world))
    if by_code:
        head = [world.words["type"].capitalize(), *(coded(world)[name] for name in names)]
        rows = [[full, *(world.show(name, letter) for name in names)] for letter, full in world.names.items()]
        return table(head, rows)
    shorts = [world.subject["values"][name]["short"] for name in names]
    rows = [
        [short, *(world.show(name, letter) for letter in world.names)]
        for name, short in zip(names, shorts, strict=True)
    ]
    return table([world.words["attribute"], *world.names.values()], rows)


def instance_table(world: World, instances: list[str], columns: int) -> str:
    """Instances with their type and some values; heads are the values' names."""
    used = dict.fromkeys(name for block in world.subject["instance_lines"] for name in _instance_values(block["lines"]))
    names = list(used)[:columns]
    labels = [world.subject["values"][name]["label"] for name in names]
    rows = []
    for instance in instances:
        world.instance = instance
        kind = world.fill("{type:x}")
        rows.append([instance, kind, *(world.show(name, instance) for name in names)])
    heads = [label[0].upper() + label[1:] for label in labels]
    return table([world.subject["instance_name"], world.words["type"].capitalize(), *heads], rows)


def _instance_values(lines: list[str]) -> list[str]:
    found = (slot for line in lines for slot in SLOT.finditer(line))
    return [slot[1] for slot in found if slot[2].startswith(":x") and slot[1] != "type"]


def instance_prose(world: World, instance: str) -> str:
    """Two or three sentences about one instance."""
    world.instance = instance
    first, *others = world.subject["instance_lines"]
    lines = [world.pick.choice(first["lines"])]
    for block in others:
        lines += world.pick.sample(block["lines"], k=world.pick.choice((1, 2)))
    return " ".join(world.fill(line) for line in lines)


def figure(world: World, instances: list[str], number: int) -> str:
    """A figure block over some instances; its caption says what the bars are."""
    spec = world.subject["figure"]
    shown = instances[:7]
    values = [world.value(spec["value"], instance) for instance in shown]
    caption = world.words["figure"].format(number=number, caption=spec["caption"])
    block = {
        "title": spec["title"],
        "kind": "bar",
        "labels": shown,
        "values": values,
        "unit": spec["unit"],
        "caption": caption,
    }
    return f"```figure\n{json.dumps(block, ensure_ascii=False)}\n```"


def sibling_figure(world: World, number: int) -> str:
    """A figure of one value of all siblings, the only place besides the table that shows the third one."""
    name = next(name for name, spec in world.subject["values"].items() if "code" in spec and "range" in spec)
    spec = world.subject["values"][name]
    label = spec["label"][0].upper() + spec["label"][1:]
    block = {
        "title": label,
        "kind": "bar",
        "labels": list(world.names.values()),
        "values": [world.value(name, letter) for letter in world.names],
        "unit": spec["unit"],
        "caption": world.words["figure"].format(number=number, caption=label),
    }
    return f"```figure\n{json.dumps(block, ensure_ascii=False)}\n```"


def grouped(world: World, texts: list[str]) -> list[str]:
    """Short texts joined to paragraphs of one to three."""
    groups: list[str] = []
    while texts:
        size = world.pick.choice((1, 1, 2, 3))
        groups.append(" ".join(texts[:size]))
        texts = texts[size:]
    return groups


def revisions(world: World) -> str:
    """Superseded values beside the valid ones; empty where the text named none."""
    mark = world.words["superseded"]
    names = {spec["label"]: name for name, spec in world.subject["values"].items()}
    old = [fact for fact in world.facts if fact.attribute.endswith(mark)]
    date = next((world.show(name) for name, spec in world.subject["values"].items() if "date" in spec), "")
    rows = []
    for fact in old:
        label = fact.attribute.removesuffix(mark)
        owners = [
            fact_.subject for fact_ in world.facts if fact_.attribute == label and fact_.subject in world.names.values()
        ]
        letters = [letter for letter, full in world.names.items() if full in owners]
        current = (
            "; ".join(f"{world.names[letter]}: {world.show(names[label], letter)}" for letter in letters)
            if letters
            else world.show(names[label])
        )
        rows.append([label, fact.value, current])
    return (
        table([world.words["attribute"], world.words["old"], world.words["new"].format(date=date)], rows)
        if rows
        else ""
    )


def code_table(world: World) -> str:
    """The codes, what they mean and what to do: the only place that says so."""
    rows = []
    for code, (meaning, action) in sorted(world.subject["codes"].items()):
        world.facts.setdefault(Fact(subject=code, attribute=world.words["meaning"], value=meaning))
        rows.append([code, meaning, action])
    return table([world.words["code"], world.words["meaning"], world.words["action"]], rows)


def abbreviation_table(world: World, *, by_code: bool) -> str:
    """Short forms (or column codes) of the comparison table."""
    key = "code" if by_code else "short"
    rows = []
    for spec in world.subject["values"].values():
        if key in spec:
            world.facts.setdefault(Fact(subject=spec[key], attribute=world.words["stands_for"], value=spec["label"]))
            rows.append([spec[key], spec["label"]])
    return table([world.words["code" if by_code else "short"], world.words["stands"]], sorted(rows))
