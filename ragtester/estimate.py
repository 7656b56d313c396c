"""`ragtester run --estimate`: calls, tokens, money and time of every stage and system, before the first call.

Nothing is asked of any model. Documents are read for their sizes; what does not exist yet is assumed to be as the
settings say. The figures are estimates: one try a case, no retries, replies of the usual lengths below.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragtester.model_checks import check_models
from ragtester.records import TARGET
from ragtester.settings import Settings
from ragtester.text.words import estimate_tokens
from ragtester.workspace import Workspace

if TYPE_CHECKING:
    from rich.console import Console

# Usual sizes in tokens, for what is not known before the first call.
INSTRUCTIONS = {"documents": 900, "cases": 1100, "rewrite": 450, "rerank": 450, "execute": 350, "judge": 900}
REPLIES = {"documents": 2200, "cases": 180, "rewrite": 25, "execute": 120, "judge": 260}
# Of a rerank's reply: a label with its quotation marks and comma.
LABEL = 4
QUESTION = 30
SENTENCE = 25
UNWRITTEN_DOCUMENT = 2000
# A hosted model's usual pace: a second to the first token, then this many tokens a second.
FIRST_TOKEN_SECONDS = 1.0
TOKENS_PER_SECOND = 60.0
HEADINGS = ("calls", "tokens in", "tokens out", "US$", "time")
Price = Callable[[str, int, int], float | None]


@dataclass(frozen=True)
class Line:
    """What one stage asks of one model (or system). `cost` is None where the price is not known."""

    stage: str
    model: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    seconds: float


@dataclass(frozen=True)
class Estimate:
    """All lines, and what they stand on."""

    lines: tuple[Line, ...]
    documents: int
    unreadable: int
    cases: int
    systems: int


def estimate_run(workspace: Workspace, settings: Settings, corpus: Sequence[str] = ()) -> Estimate:
    """Estimate the four stages for the matrix in the settings. Reads the corpus, calls no model."""
    from ragtester.models.prices import price_of

    check_models(settings, keys=False, root=workspace.root)

    def price(model: str, prompt: int, completion: int) -> float | None:
        return price_of(model, prompt, completion, settings.model(model))

    sizes, unreadable = corpus_sizes(workspace, settings, corpus)
    sizes += [UNWRITTEN_DOCUMENT] * settings.documents.count
    techniques = 2 if settings.cases.technique == "all" else 1
    executed = techniques if settings.execute.technique == "all" else 1
    cases = len(sizes) * settings.cases.per_document * executed
    systems = _systems(settings)
    lines = [
        *_documents(settings, price),
        *_cases(settings, sizes, price),
        *(_asked(settings, sizes, cases, systems, price)),
        *_judge(settings, cases * len(systems), price),
        *(_control(settings, cases, price) if settings.execute.closed_book else ()),
    ]
    return Estimate(tuple(lines), len(sizes), unreadable, cases, len(systems))


def estimate_cases(workspace: Workspace, settings: Settings, sizes: list[int], cases: int) -> Estimate:
    """Estimate to execute and judge `cases` cases over documents of these sizes in tokens. Calls no model."""
    from ragtester.models.prices import price_of

    check_models(settings, ("execute", "judge"), keys=False, root=workspace.root)

    def price(model: str, prompt: int, completion: int) -> float | None:
        return price_of(model, prompt, completion, settings.model(model))

    systems = _systems(settings)
    lines = [*_asked(settings, sizes, cases, systems, price), *_judge(settings, cases * len(systems), price)]
    return Estimate(tuple(lines), len(sizes), 0, cases, len(systems))


def _systems(settings: Settings) -> list[tuple[str, str]]:
    """LLM and embedding model of each system; a target stands alone."""
    if settings.target.name:
        return [(settings.target.label, TARGET)]
    return sorted({(llm, e) for group in settings.execute.groups for llm in group.llms for e in group.embeddings})


def corpus_sizes(workspace: Workspace, settings: Settings, corpus: Sequence[str]) -> tuple[list[int], int]:
    """Tokens of every readable document, and how many files cannot be read."""
    from ragtester.documents.library import find_files, read_corpus
    from ragtester.records import UnreadableDocument

    files = find_files(list(corpus) or [settings.workspace.corpus], workspace.root)
    sizes, unreadable = [], 0
    for result in read_corpus(files, settings.reading, settings.workspace.language):
        if isinstance(result, UnreadableDocument):
            unreadable += 1
        else:
            sizes.append(estimate_tokens(result[1]))
    return sizes, unreadable


def _line(stage: str, model: str, settings: Settings, counts: tuple[int, int, int], price: Price) -> Line:
    """`counts` are calls, prompt tokens in all, completion tokens in all."""
    calls, prompt, completion = counts
    provider = model.partition(":")[0]
    if provider in ("embedded", "scripted"):
        return Line(stage, model, calls, prompt, completion, 0.0, 0.0)
    limits = settings.provider(provider)
    each = FIRST_TOKEN_SECONDS + (completion / calls if calls else 0) / TOKENS_PER_SECOND
    seconds = calls * each / limits.concurrency
    if limits.requests_per_minute:
        seconds = max(seconds, calls * 60.0 / limits.requests_per_minute)
    return Line(stage, model, calls, prompt, completion, price(model, prompt, completion), seconds)


def _documents(settings: Settings, price: Price) -> list[Line]:
    count = settings.documents.count
    if not count:
        return []
    counts = (count, count * INSTRUCTIONS["documents"], count * REPLIES["documents"])
    return [_line("documents", settings.documents.model, settings, counts, price)]


def _cases(settings: Settings, sizes: list[int], price: Price) -> list[Line]:
    cases, lines = settings.cases, []
    wanted, shares = cases.per_document, cases.shares
    if cases.technique in ("ragtester", "all"):
        calls = wanted * len(sizes)
        each = [min(size // wanted, settings.reading.max_section_tokens) for size in sizes]
        prompt = sum(wanted * (INSTRUCTIONS["cases"] + tokens) for tokens in each)
        lines.append(_line("cases", cases.model, settings, (calls, prompt, calls * REPLIES["cases"]), price))
        total = shares.complexity + shares.rejection + shares.coverage
        checks = round(calls * shares.rejection / total)
        counts = (checks, checks * (INSTRUCTIONS["execute"] + 6 * 200), checks * REPLIES["execute"])
        lines.append(_line("cases: check", cases.check_model or cases.model, settings, counts, price))
    if cases.technique in ("baseline", "all"):
        prompt = sum(INSTRUCTIONS["cases"] + size for size in sizes)
        counts = (len(sizes), prompt, len(sizes) * wanted * REPLIES["cases"])
        lines.append(_line("cases: baseline", cases.model, settings, counts, price))
    return lines


def _asked(
    settings: Settings, sizes: list[int], cases: int, systems: Sequence[tuple[str, str]], price: Price
) -> list[Line]:
    """The systems under test with their search; of a target only the number of calls is known."""
    if settings.target.name:
        label, limits = settings.target.label, settings.provider(TARGET)
        prompt, completion = cases * QUESTION, cases * REPLIES["execute"]
        each = FIRST_TOKEN_SECONDS + REPLIES["execute"] / TOKENS_PER_SECOND
        seconds = max(cases * each / limits.concurrency, cases * 60.0 / (limits.requests_per_minute or math.inf))
        return [Line("execute", label, cases, prompt, completion, price(label, prompt, completion), seconds)]
    return [
        *_embeddings(settings, sizes, cases, price),
        *_search(settings, cases, price),
        *_execute(settings, cases, systems, price),
    ]


def _embeddings(settings: Settings, sizes: list[int], cases: int, price: Price) -> list[Line]:
    index = settings.execute.index
    by_sentence = index.chunker == "sentence-window"
    growth = 1.0 if by_sentence else index.chunk_size / max(1, index.chunk_size - index.chunk_overlap)
    chunk_tokens = SENTENCE if by_sentence else _chunk_tokens(settings)
    tokens = round(sum(sizes) * growth)
    lines = []
    for name in _embedding_names(settings) if settings.execute.retrieval.dense else ():
        batches = -(-tokens // chunk_tokens // settings.model(name).batch_size) + len(sizes)
        lines.append(_line("execute: embed", name, settings, (batches, tokens + cases * QUESTION, 0), price))
    return lines


def _embedding_names(settings: Settings) -> list[str]:
    return sorted({name for group in settings.execute.groups for name in group.embeddings})


def _chunk_tokens(settings: Settings) -> int:
    """Of a chunk as a model gets it."""
    index = settings.execute.index
    most = index.chunk_size if index.unit == "tokens" else max(1, index.chunk_size // 4)
    return min(most, SENTENCE * (2 * index.window + 1)) if index.chunker == "sentence-window" else most


def _search(settings: Settings, cases: int, price: Price) -> list[Line]:
    """By a model: a rewrite once a case, a rerank once a case and embedding model, whatever the number of LLMs."""
    from ragtester.rag.rerankers import kind

    retrieval = settings.execute.retrieval
    lines = []
    if retrieval.rewrite:
        counts = (cases, cases * (INSTRUCTIONS["rewrite"] + QUESTION), cases * REPLIES["rewrite"])
        lines.append(_line("execute: rewrite", retrieval.rewrite, settings, counts, price))
    if kind(retrieval.rerank) == "model":
        seen, calls = retrieval.reranked(settings.execute.k), cases * len(_embedding_names(settings))
        prompt = calls * (INSTRUCTIONS["rerank"] + QUESTION + seen * _chunk_tokens(settings))
        lines.append(_line("execute: rerank", retrieval.rerank, settings, (calls, prompt, calls * seen * LABEL), price))
    return lines


def _execute(settings: Settings, cases: int, systems: Iterable[tuple[str, str]], price: Price) -> list[Line]:
    context = settings.execute.k * _chunk_tokens(settings)
    lines = []
    for llm, embedding in systems:
        counts = (cases, cases * (INSTRUCTIONS["execute"] + context + QUESTION), cases * REPLIES["execute"])
        line = _line("execute", llm, settings, counts, price)
        lines.append(Line("execute", f"{llm} × {embedding}", *_rest(line)))
    return lines


def _control(settings: Settings, cases: int, price: Price) -> list[Line]:
    """The closed-book control: every LLM once, and neither the LLM nor the judge gets a section."""
    llms = sorted({llm for group in settings.execute.groups for llm in group.llms})
    counts = (cases, cases * (INSTRUCTIONS["execute"] + QUESTION), cases * REPLIES["execute"])
    lines = [_line("execute: closed book", llm, settings, counts, price) for llm in llms]
    answers = cases * len(llms)
    prompt = answers * (INSTRUCTIONS["judge"] + QUESTION + REPLIES["execute"])
    counts = (answers, prompt, answers * REPLIES["judge"])
    return [*lines, _line("judge: closed book", settings.judge.model, settings, counts, price)]


def _rest(line: Line) -> tuple[int, int, int, float | None, float]:
    return line.calls, line.prompt_tokens, line.completion_tokens, line.cost, line.seconds


def _judge(settings: Settings, answers: int, price: Price) -> list[Line]:
    answers *= settings.judge.repeats
    context = settings.execute.k * _chunk_tokens(settings)
    prompt = answers * (INSTRUCTIONS["judge"] + context + QUESTION + REPLIES["execute"])
    return [_line("judge", settings.judge.model, settings, (answers, prompt, answers * REPLIES["judge"]), price)]


def print_estimate(estimate: Estimate, console: Console) -> None:
    """A line a stage and system, the total, and what it stands on; two lines each where the terminal is narrow."""
    unknown = sorted({line.model for line in estimate.lines if line.cost is None})
    total = _total(estimate.lines)
    rows = [(line.stage, line.model, _numbers(line)) for line in estimate.lines]
    rows.append(
        ("total", "", [*_numbers(total)[:3], _money(total.cost) + ("+" if unknown else ""), _time(total.seconds)])
    )
    name_width = max(len(f"{stage}  {model}") for stage, model, _ in rows)
    widths = [max(len(heading), *(len(row[2][i]) for row in rows)) for i, heading in enumerate(HEADINGS)]
    wide = name_width + sum(widths) + 2 * len(widths) <= console.width

    def put(name: str, values: Sequence[str]) -> None:
        cells = "  ".join(value.rjust(width) for value, width in zip(values, widths, strict=True))
        text = f"{name.ljust(name_width)}  {cells}" if wide else f"{name}\n    {cells}"
        console.print(text, markup=False, highlight=False, soft_wrap=True)

    put("stage  model or system", HEADINGS)
    for stage, model, values in rows:
        put(f"{stage}  {model}".strip(), values)
    console.print(
        f"{estimate.documents} document(s), {estimate.unreadable} not readable, {estimate.cases} cases,"
        f" {estimate.systems} system(s). One try a case: retries come on top,"
        " rows that exist already are not taken off, and the embedded engine's time is not counted.",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
    for model in unknown:
        text = f"no price known for {model}: set prompt_price and completion_price"
        console.print(text, markup=False, highlight=False, soft_wrap=True)


def _numbers(line: Line) -> list[str]:
    counts = (line.calls, line.prompt_tokens, line.completion_tokens)
    return [*(f"{count:,}" for count in counts), _money(line.cost), _time(line.seconds)]


def _total(lines: Sequence[Line]) -> Line:
    return Line(
        "total",
        "",
        sum(line.calls for line in lines),
        sum(line.prompt_tokens for line in lines),
        sum(line.completion_tokens for line in lines),
        sum(line.cost or 0.0 for line in lines),
        sum(line.seconds for line in lines),
    )


def _money(cost: float | None) -> str:
    return "?" if cost is None else f"{cost:.2f}"


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h {minutes:02}m" if hours else f"{minutes}m {rest:02}s"
