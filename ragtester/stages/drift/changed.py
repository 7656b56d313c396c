"""What differs between two runs by their manifests: index, prompts, packages. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ragtester.provenance import flat
from ragtester.records import TARGET, CauseKind
from ragtester.stages.drift.rows import RunData, System

Scope = Literal["context", "answer", "all", "verdict", "claims", "coverage", "cost"]
"""What a cause can reach: the chunks that a model gets and all that follows, its answers, or what measures them."""
NAMED = 5
CUTTING = {
    "langchain-text-splitters": "cuts texts into chunks",
    "tokenizers": "counts tokens",
    "tiktoken": "counts tokens",
    "pypdfium2": "reads PDF files",
    "pypdf": "reads PDF files",
    "lxml": "reads HTML and DOCX files",
    "python-docx": "reads DOCX files",
    "py3langid": "tells languages",
    "wordllama": "makes vectors",
    "chromadb": "keeps vectors",
    "bm25s": "ranks words",
    "snowballstemmer": "takes words apart for BM25",
    "flashrank": "reranks",
    "rapidfuzz": "finds near-identical chunks",
    "ragtester-pipeline": "all of the pipeline",
}
"""Packages that cut, tokenise, read or search: with another version a model may get other chunks."""
COSTING = {"genai-prices": "knows prices"}
# Made before a run: what it asks stands in the files of cases, which are looked at themselves.
ELSEWHERE = frozenset({"textstat"})
WATCH = "watch "
# Where in an execution's parameters index and tokeniser stand; what is not named here is a setting.
INDEX = ("chunker.", "scope")
PROMPTS = ("retrieval.rewrite_query", "retrieval.rank_passages")


@dataclass(frozen=True)
class Change:
    """One thing that differs, before the rows are asked about it."""

    kind: CauseKind
    scope: Scope
    what: str
    text: str
    before: Any = None
    after: Any = None


def index_changes(before: RunData, after: RunData, systems: Mapping[System, System]) -> Iterator[Change]:
    """Texts, cuts, embedding models, chunk files, and the index itself."""
    found = [*_texts(before, after), *_cuts(before, after), *_embeddings(before, after, systems)]
    yield from found
    yield from _chunks(before, after, explained=bool(found))
    if not found:
        yield from _revisions(before, after, systems)


def _texts(before: RunData, after: RunData) -> Iterator[Change]:
    one, two = named(before.inputs, "text "), named(after.inputs, "text ")
    if not one or not two:
        return
    changed = [name for name in one if name in two and one[name] != two[name]]
    for what, names in (
        ("changed", changed),
        ("gone", [name for name in one if name not in two]),
        ("new", [name for name in two if name not in one]),
    ):
        if names:
            text = f"{documents(len(names))} {what}: {listed(names)}"
            hashes = [{name: side[name][:12] for name in names[:NAMED] if name in side} for side in (one, two)]
            yield Change("index", "context", f"texts {what}", text, *hashes)


def _cuts(before: RunData, after: RunData) -> Iterator[Change]:
    for name, was, now in parameter_changes(before, after):
        if name.startswith(INDEX):
            yield Change("index", "context", name, f"{name} was {shown(was)} and is {shown(now)}", was, now)


def _embeddings(before: RunData, after: RunData, systems: Mapping[System, System]) -> Iterator[Change]:
    one, two = (run.parameters.get("embeddings") or {} for run in (before, after))
    for old, new in dict.fromkeys((old[1], new[1]) for old, new in systems.items()):
        if old != new:
            text = f"the embedding model was {old} and is {new}"
            yield Change("index", "context", "embedding model", text, old, new)
        elif old in one and new in two:
            for name, was, now in differences(one[old], two[new]):
                text = f"{name} of the embedding model {old} was {shown(was)} and is {shown(now)}"
                yield Change("index", "context", f"embeddings.{old}.{name}", text, was, now)


def _chunks(before: RunData, after: RunData, *, explained: bool) -> Iterator[Change]:
    """Files of chunks that are not the same. Where texts or cuts changed they say nothing new.

    Of a target they hold what it happened to return, which its index need not have changed for.
    """
    if any(embedding == TARGET for run in (before, after) for _, embedding in run.systems):
        return
    shared = [name for name in before.chunk_files if name in after.chunk_files]
    changed = [name for name in shared if before.chunk_files[name][0] != after.chunk_files[name][0]]
    if changed and not explained:
        told = [f"{name} ({before.chunk_files[name][1]}, now {after.chunk_files[name][1]})" for name in changed[:NAMED]]
        more = f" and {len(changed) - NAMED} more" if len(changed) > NAMED else ""
        text = f"the chunks of {documents(len(changed))} changed: {', '.join(told)}{more}"
        counts = [{name: run.chunk_files[name][1] for name in changed[:NAMED]} for run in (before, after)]
        yield Change("index", "context", "chunks", text, *counts)


def _revisions(before: RunData, after: RunData, systems: Mapping[System, System]) -> Iterator[Change]:
    """Another store or another revision of a target's index, where nothing that is known of it changed."""
    one, two = ({} if run is None else _index_names(run) for run in (before, after))
    for old, new in systems.items():
        was, now = one.get(old, set()), two.get(new, set())
        if was and now and was != now and not was & now:
            text = f"the index of {' × '.join(new)} is another one ({_first(was)}, now {_first(now)})"
            yield Change("index", "context", "index revision", text, sorted(was)[:NAMED], sorted(now)[:NAMED])


def _index_names(run: RunData) -> dict[System, set[str]]:
    found: dict[System, set[str]] = {}
    for place, row in run.rows.items():
        if row.said and row.said.index:
            found.setdefault((place[0], place[1]), set()).add(row.said.index)
    return found


def prompt_changes(before: RunData, after: RunData) -> Iterator[Change]:
    """Prompts that the systems under test are asked with; those of what measures them belong to the judge."""
    one, two = (run.manifests["execute"].prompts if "execute" in run.manifests else {} for run in (before, after))
    for name in one:
        if name in two and one[name] != two[name]:
            yield Change("prompt", "answer", name, f"the prompt {name} was edited", one[name][:12], two[name][:12])
    was_asked, is_asked = sorted(one), sorted(two)
    if one and two and was_asked != is_asked:
        text = f"systems were asked with the prompt {', '.join(was_asked)} and are with {', '.join(is_asked)}"
        yield Change("prompt", "answer", "prompt", text, was_asked, is_asked)
    for name, was, now in parameter_changes(before, after):
        if name in PROMPTS and was and now:
            text = f"the prompt {name.removeprefix('retrieval.')} was edited"
            yield Change("prompt", "context", name, text, was, now)


def dependency_changes(before: RunData, after: RunData) -> Iterator[Change]:
    """Packages of other versions, those that cut and tokenise first; and ragtester itself."""
    one, two = (run.manifests.get("execute") for run in (before, after))
    if one is None or two is None:
        return
    names = [name for name in one.versions if name in two.versions and one.versions[name] != two.versions[name]]
    order = [*CUTTING, *COSTING]
    for name in sorted(names, key=lambda name: (order.index(name) if name in order else len(CUTTING) - 0.5, name)):
        if name in ELSEWHERE:
            continue
        was, now = one.versions[name], two.versions[name]
        what = CUTTING.get(name) or COSTING.get(name) or "calls models"
        scope: Scope = "all" if name in CUTTING else "cost" if name in COSTING else "answer"
        yield Change("dependency", scope, name, f"{name} was {was} and is {now} ({what})", was, now)
    if one.revision and two.revision and one.revision != two.revision:
        text = f"ragtester itself was at revision {one.revision[:9]} and is at {two.revision[:9]}"
        yield Change("dependency", "all", "revision", text, one.revision, two.revision)
    for name, was, now in parameter_changes(before, after):
        if name == "retrieval.tokenizer":
            yield Change("dependency", "context", name, f"the tokenizer was {shown(was)} and is {shown(now)}", was, now)


def parameter_changes(before: RunData, after: RunData) -> Iterator[tuple[str, Any, Any]]:
    """Parameters of the executions that are not the same; none where one has no manifest."""
    if before.parameters and after.parameters:
        yield from differences(before.parameters, after.parameters)


def differences(one: Mapping[str, Any], two: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """What is not the same in two nested tables: name, before, after; None where one lacks it."""
    was, now = dict(flat(one, ".")), dict(flat(two, "."))
    for name in dict.fromkeys((*was, *now)):
        if was.get(name) != now.get(name):
            yield name, was.get(name), now.get(name)


def named(inputs: Mapping[str, str], start: str) -> dict[str, str]:
    """The inputs of a manifest whose names begin so, without that."""
    return {name.removeprefix(start): value for name, value in inputs.items() if name.startswith(start)}


def shown(value: Any) -> str:
    """A setting's value in a sentence."""
    return "not set" if value is None or value == "" else str(value)


def listed(names: Sequence[str]) -> str:
    """The first few names, and how many more."""
    return ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")


def documents(count: int) -> str:
    """ "1 document", "3 documents"."""
    return f"{count} document{'' if count == 1 else 's'}"


def _first(names: set[str]) -> str:
    return min(names)[:24]
