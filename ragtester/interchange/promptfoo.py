"""promptfoo: tests in YAML, JSON and CSV, and the results of `promptfoo eval -o FILE.json`.

Nothing that a file refers to is opened: `file://` and `package:` are dropped and named. Templates are not filled in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ragtester.interchange import assertions
from ragtester.interchange.cells import Fields, literal
from ragtester.interchange.files import Records, listed_records
from ragtester.interchange.items import FILE_PREFIXES, Account, Given, Item, Own
from ragtester.interchange.promptfoo_results import result

NATIVE: dict[str, str] = {}
OWN = "ragtester"
QUESTIONS = ("question", "query", "user_input", "input")
CONTEXTS = ("contexts", "context")
EXPECTED = ("expected_answer", "expected", "reference", "ground_truth")
DOCUMENTS = ("document", "source_file", "source")
_TEST = ("vars", "assert", "metadata", "description", "options", "providerOutput")


def fits(names: Sequence[str]) -> bool:
    """Whether the names of a record's fields (or of a CSV's columns) are promptfoo's."""
    found = [name.strip() for name in names]
    return "vars" in found or any(name.startswith(("__expected", "__metadata", "__description")) for name in found)


def tests(value: Any, path: Path, account: Account) -> Records:
    """The tests (or results) in a YAML or JSON value: a list, a configuration with `tests`, or an evaluation."""
    if isinstance(value, dict) and isinstance(value.get("results"), dict | list):
        inner = value["results"]
        return listed_records(inner.get("results") if isinstance(inner, dict) else inner, path, "result")
    shared: dict[str, Any] = {}
    if isinstance(value, dict) and "tests" in value:
        shared = value.get("defaultTest") or {}
        for name in value:
            if name not in ("tests", "defaultTest", "description"):
                account.drop(f"configuration: {name}")
        value = value["tests"]
    elif isinstance(value, dict) and fits(list(value)):
        value = [value]
    if isinstance(value, str):
        value = [value]
    if isinstance(value, list):
        kept = [one for one in value if not isinstance(one, str) and not _is_path(one)]
        for one in value:
            if isinstance(one, str) or _is_path(one):
                account.records += 1
                account.skip(ascii(one if isinstance(one, str) else one["path"])[:80], "tests in another file")
        value = kept
    return [(where, _with(shared, test)) for where, test in listed_records(value, path, "test")]


def _is_path(one: Any) -> bool:
    return isinstance(one, dict) and isinstance(one.get("path"), str) and "vars" not in one


def _with(shared: Any, test: dict[str, Any]) -> dict[str, Any]:
    """A test with what `defaultTest` gives to all."""
    if not isinstance(shared, dict) or not shared:
        return test
    merged = {**test}
    for name in ("vars", "metadata"):
        if isinstance(shared.get(name), dict):
            own = test.get(name)
            merged[name] = {**shared[name], **(own if isinstance(own, dict) else {})}
    merged["assert"] = [*_listed(test.get("assert")), *_listed(shared.get("assert"))]
    return merged


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def read(records: Records, account: Account, columns: dict[str, str]) -> list[Item]:
    """Items of tests or results; `columns` names the variables that hold our fields."""
    return [item for where, data in records for item in _items(where, data, account, columns)]


def _items(where: str, data: dict[str, Any], account: Account, columns: dict[str, str]) -> Iterator[Item]:
    fields = Fields(where, data, account)
    given: Given | None = None
    if "testCase" in data or "promptIdx" in data:
        test = fields.data.pop("testCase", None)
        inner = test if isinstance(test, dict) else {}
        given = result(fields)
        fields = Fields(where, {**inner, **({"vars": data["vars"]} if data.get("vars") else {})}, account)
    variables = fields.take("vars")
    if not isinstance(variables, dict):
        reference = isinstance(variables, str | list)
        account.skip(where, "variables in another file" if reference else "no variables, so no question")
        return
    options = fields.take("options")
    values = Fields(where, {columns.get(str(name), str(name)): value for name, value in variables.items()}, account)
    wanted = assertions.read(fields.take("assert"), fields)
    own, metadata = _metadata(fields)
    given = given or _provided(fields, own)
    name = fields.text("description")
    question = _question(values)
    item = Item(
        where,
        question[0] if question else "",
        _expected(wanted, values, metadata, account),
        refusal=wanted.refusal,
        contexts=_contexts(values, metadata, own),
        document=metadata.text(*DOCUMENTS) or values.text(*DOCUMENTS),
        name=metadata.text("id") or name,
        kind=metadata.text("type"),
        own=own.model_copy(update={"keywords": own.keywords or tuple(dict.fromkeys(wanted.words))}),
        given=given,
    )
    values.done("vars.")
    metadata.done("metadata.")
    if isinstance(options, dict):
        Fields(where, {k: v for k, v in options.items() if k != "disableVarExpansion"}, account).done("options.")
    fields.done()
    for text in question:
        yield Item(**{**item.__dict__, "question": text})


def _texts(value: Any, name: str, account: Account) -> list[str]:
    """The texts of a variable, which may be one or a list; numbers are texts, anything else is dropped."""
    found = [str(one) for one in _listed(value) if isinstance(one, str | int | float)]
    if len(found) < len(_listed(value)):
        account.drop(f"{name} (not a text)")
    return found


def _question(values: Fields) -> tuple[str, ...]:
    """The question; several where promptfoo would make a test of each value of the list."""
    known = [name for name in QUESTIONS if name in values.data]
    if len(known) != 1:
        told = ", ".join(sorted(values.data)) or "none"
        values.fault(f"which variable is the question? There are {told[:200]}; say it with --column question=NAME")
        return ()
    if known[0] != QUESTIONS[0]:
        values.account.note(f"the variable {known[0]} is taken for the question")
    value = values.take(known[0])
    texts = _texts(value, f"vars.{known[0]}", values.account)
    if any(text.startswith(FILE_PREFIXES) for text in texts):
        values.account.skip(values.where, "a question in another file")
        return ()
    found = tuple(text for one in texts if (text := assertions.rendered(one, values).strip()))
    if not found:
        values.fault(f"vars.{known[0]}: no question")
    return found


def _contexts(values: Fields, metadata: Fields, own: Own) -> tuple[str, ...]:
    listed = metadata.texts("contexts")
    given = values.take(*CONTEXTS)
    if listed is not None:
        return listed
    # In our own files a text that looks like a list is a text.
    if isinstance(given, str) and not own.evidence and isinstance(parsed := literal(given.strip()), list):
        given = parsed
    texts = _texts(given, "vars.context", values.account)
    for text in texts:
        if text.startswith(FILE_PREFIXES):
            values.account.drop("vars.context (a reference to a file, never followed)")
    kept = (assertions.rendered(text, values) for text in texts if not text.startswith(FILE_PREFIXES))
    return tuple(text for text in kept if text.strip())


def _expected(wanted: assertions.Wanted, values: Fields, metadata: Fields, account: Account) -> str:
    """The reference answer: of our own block, of an assertion, of a variable, and last of a rubric."""
    own = metadata.text("expected_answer")
    variable = values.text(*EXPECTED)
    found = [text for text in (own, *wanted.references, variable) if text]
    if len(set(found)) > 1:
        account.drop("further reference answers", len(set(found)) - 1)
    if found:
        if wanted.rubrics:
            account.drop("assert rubric", len(wanted.rubrics))
        return found[0]
    if wanted.rubrics:
        account.note("a rubric is taken for the expected answer: it describes the answer in words")
        if len(wanted.rubrics) > 1:
            account.drop("assert rubric", len(wanted.rubrics) - 1)
        return wanted.rubrics[0]
    return ""


def _metadata(fields: Fields) -> tuple[Own, Fields]:
    value = fields.take("metadata")
    rest = dict(value) if isinstance(value, dict) else {}
    block = rest.pop(OWN, None)
    if isinstance(block, str):
        block = literal(block)
    return (fields.own(block) if block is not None else Own()), Fields(fields.where, rest, fields.account)


def _provided(fields: Fields, own: Own) -> Given | None:
    """The answer that stands in a test itself, so that promptfoo asks nobody for it."""
    value = fields.take("providerOutput")
    if not isinstance(value, str):
        return None
    return Given(answer=fields.cleaned(value).strip(), system=own.llm, passed=own.passed)


def from_rows(records: Records) -> Records:
    """Rows of a CSV file as tests, by the rules for its columns."""
    return [(where, _test(row)) for where, row in records]


def _test(row: dict[str, str]) -> dict[str, Any]:
    test: dict[str, Any] = {"vars": {}, "assert": [], "metadata": {}}
    for key, cell in row.items():
        name = key.strip()
        if not cell.strip() or not name:
            continue
        if name.startswith("__expected"):
            test["assert"].append(assertions.from_text(cell.strip()))
        elif name.startswith("__metadata:") and name.endswith("[]"):
            parts = cell.replace("\\,", "\0").split(",")
            test["metadata"][name[11:-2]] = [part.strip().replace("\0", ",") for part in parts]
        elif name.startswith("__metadata:"):
            test["metadata"][name[11:]] = cell
        elif name == "__description":
            test["description"] = cell
        elif name == "__providerOutput":
            test["providerOutput"] = cell
        elif name.startswith("__"):
            test[f"column {name}"] = cell
        else:
            test["vars"][name] = cell
    return test
