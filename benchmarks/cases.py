"""What the embedded engine's cases are worth: yield, wording, how well they are retrieved, and how they are answered.

    python -m benchmarks.cases [FILE_OR_FOLDER ...] [--show] [--barren] [--limit 60]

Reads the documents as the cases stage does, cuts them into its sections, asks `embedded:rules` for one case a section
(styles in turn) and for one `multi` case a pair of neighbours and one `invented` case a section, and puts every first
draft to the stage's own checks. Retrieval is over chunks of 1,000 characters; "verbatim" asks with a sentence of the
document instead. The answerer sees the four chunks that `embedded:wordllama` finds. Nothing is written.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ragtester.documents.library import find_files, read_corpus
from ragtester.documents.sections import cut_sections
from ragtester.models.embedded.engine import EmbeddedEngine
from ragtester.models.embedded.facts import NoCase
from ragtester.models.embedded.vectors import embed_texts
from ragtester.rag.chunking import chunk
from ragtester.records import CaseType, Document, Section
from ragtester.settings import Settings
from ragtester.stages.cases import checks
from ragtester.stages.cases.drafting import tidy
from ragtester.stages.cases.plan import STYLES
from ragtester.stages.cases.quotas import sections_wanted
from ragtester.stages.cases.quotes import Located, Piece, locate
from ragtester.stages.cases.selection import carries_facts
from ragtester.tasks import ANSWER_QUESTION, WRITE_CASES, AnswerQuestion, Draft, Passage, QuestionAnswered, WriteCases
from ragtester.tasks import WrittenCases as Written
from ragtester.text.keywords import keyword_match
from ragtester.text.overlap import lexical_overlap
from ragtester.text.sentences import sentences
from ragtester.text.stems import stems

TOP, SHOWN = 5, 4
ENGINE = EmbeddedEngine()
SETTINGS = Settings()


@dataclass(frozen=True)
class Made:
    """A draft with what it was made from; `reasons` are those of the checks that it fails."""

    kind: str
    draft: Draft
    located: Located
    reasons: dict[str, str]


@dataclass
class Result:
    """One document: its cases, and for each kind how many were asked for."""

    document: Document
    text: str
    asked: Counter[str] = field(default_factory=Counter)
    made: list[Made] = field(default_factory=list)
    barren: list[str] = field(default_factory=list)
    seconds: float = 0.0
    show: bool = False


def prose(text: str) -> bool:
    """Whether a section holds at least one whole sentence of prose (contents lists and listings do not)."""
    wide = len(re.findall(r"[\u3040-\u30ff\u4e00-\u9fff]", text))
    ends = len(re.findall(r"[a-zà-ÿа-я\u3040-\u9fff)\d][.!?。](?=\s|$|[\u3040-\u9fff])", text))
    dotted = len(re.findall(r"(?:\. ?){4,}|…", text))
    return ends >= 1 and dotted < 3 and (wide > 60 or len(re.findall(r"[^\W\d_]{2,}", text)) >= 30)


def write(result: Result, sections: Sequence[Section], kind: str, number: int) -> None:
    """Ask for one case from the sections and put it to the checks."""
    document, subtype = result.document, kind.partition("/")[2]
    pieces = tuple(
        Piece(f"passage-{place}", section.start, result.text[section.start : section.end])
        for place, section in enumerate(sections, start=1)
    )
    which: CaseType = "rejection" if subtype == "invented" else "coverage"
    avoid = tuple(made.draft.question for made in result.made)
    request = WriteCases(
        language=document.language, type=which, subtype=subtype, style=STYLES[number % 3], title=document.id,
        passages=tuple(Passage(label=piece.label, text=piece.text) for piece in pieces), avoid=avoid[-40:], seed=number,
    )  # fmt: skip
    result.asked[kind] += 1
    start = time.process_time()
    try:
        reply = ENGINE.perform("rules", WRITE_CASES, request)
    except NoCase:
        if kind == "single":
            result.barren.append(pieces[0].text)
        return
    finally:
        result.seconds += time.process_time() - start
    assert isinstance(reply, Written)
    draft = tidy(reply.cases[0])
    located = locate(draft.quotes, pieces)
    setting = checks.Setting(document.language, subtype, pieces, located, SETTINGS.execute.refusals, 0.8)
    names = checks.REJECTION if which == "rejection" else checks.POSITIVE
    result.made.append(Made(kind, draft, located, checks.failed(draft, setting, names)))


def measure(document: Document, text: str, limit: int) -> Result:
    """All cases of one document; of a long one `limit` sections spread over it."""
    result = Result(document, text)
    wanted = sections_wanted(SETTINGS.cases)
    cut = cut_sections(text, document.id, wanted, SETTINGS.reading.max_section_tokens, document.language)
    fit = [one for one in cut if carries_facts(one) and prose(text[one.start : one.end])]
    step = max(1, math.ceil(len(fit) / limit))
    fit = fit[::step]
    for number, section in enumerate(fit):
        write(result, [section], "single", number)
        write(result, [section], "single/invented", number)
    for number, (first, second) in enumerate(zip(fit[::2], fit[1::2], strict=False)):
        write(result, [first, second], "pair/multi", number)
    return result


class Index:
    """The document's chunks, ranked by BM25 (k1 1.2, b 0.75) or by vectors."""

    def __init__(self, document: Document, text: str) -> None:
        self.language = document.language
        self.chunks = chunk(document, text, SETTINGS.execute.index)
        self.counts = [Counter(stems(one.text, self.language)) for one in self.chunks]
        self.vectors = embed_texts([one.text for one in self.chunks])
        self.held = Counter(stem for count in self.counts for stem in count)

    def lexical(self, question: str) -> list[int]:
        """Ordinals of all chunks, best first."""
        total = len(self.chunks)
        mean = sum(count.total() for count in self.counts) / total or 1.0
        scores = []
        for count in self.counts:
            length = 1.2 * (0.25 + 0.75 * count.total() / mean)
            scores.append(
                sum(
                    math.log(1 + (total - self.held[stem] + 0.5) / (self.held[stem] + 0.5))
                    * count[stem] * 2.2 / (count[stem] + length)
                    for stem in dict.fromkeys(stems(question, self.language)) if count[stem]
                )
            )  # fmt: skip
        return sorted(range(total), key=lambda place: (-scores[place], place))

    def dense(self, question: str) -> list[int]:
        """Ordinals of all chunks, best first."""
        scores = (self.vectors @ embed_texts([question])[0]).tolist()
        return sorted(range(len(scores)), key=lambda place: (-scores[place], place))

    def gold(self, located: Located) -> set[int]:
        """Chunks that overlap the evidence."""
        return {
            place
            for place, one in enumerate(self.chunks)
            if any(start < one.end and end > one.start for start, end in located.spans)
        }


def recall(index: Index, asked: Sequence[tuple[str, Located]]) -> tuple[float, float]:
    """BM25's and the vectors' mean share of questions with a gold chunk among the first five."""
    golds = [(question, index.gold(located)) for question, located in asked]
    golds = [(question, gold) for question, gold in golds if gold]
    if not golds:
        return math.nan, math.nan
    lexical = sum(bool(gold & set(index.lexical(question)[:TOP])) for question, gold in golds)
    dense = sum(bool(gold & set(index.dense(question)[:TOP])) for question, gold in golds)
    return lexical / len(golds), dense / len(golds)


def verbatim(result: Result) -> list[tuple[str, Located]]:
    """Sentences of the document as queries, as many as there are cases at most."""
    whole = (Piece("all", 0, result.text),)
    long = [one for one in sentences(result.text, result.document.language) if 60 <= len(one) <= 250]
    step = max(1, len(long) // max(1, len(result.made)))
    return [(one, locate((one,), whole)) for one in long[::step]]


def outcomes(result: Result, index: Index, model: str) -> Iterator[str]:
    """What the answerer does with each case: `answerable` counts apart whether the evidence was among its chunks."""
    for made in result.made:
        places = index.dense(made.draft.question)[:SHOWN]
        shown = tuple(Passage(label=str(place), text=index.chunks[place].text) for place in places)
        request = AnswerQuestion(
            language=result.document.language, question=made.draft.question, sections=shown, refusals=("I don't know",)
        )
        reply = ENGINE.perform(model, ANSWER_QUESTION, request)
        assert isinstance(reply, QuestionAnswered)
        if made.kind.endswith("invented"):
            if not reply.refuses and model == "rules" and result.show:
                print(f"\n[answered] {made.draft.question}\n   given {reply.answer}")
            yield f"unanswerable: {'refused' if reply.refuses else 'answered'}"
            continue
        seen = "in context" if _all_shown(made, index, places) else "not in context"
        rating, _ = keyword_match(made.draft.keywords, reply.answer, result.document.language)
        told = "refused" if reply.refuses else "right" if rating == "true" else "wrong"
        if told != "right" and seen == "in context" and model == "rules" and result.show:
            print(f"\n[{told}] {made.draft.question}\n   = {made.draft.expected_answer}\n   given {reply.answer}")
        yield f"{seen}: {told}"


def _all_shown(made: Made, index: Index, places: Sequence[int]) -> bool:
    """Whether every quoted span overlaps a chunk that is shown."""
    shown = [index.chunks[place] for place in places]
    return all(any(start < one.end and end > one.start for one in shown) for start, end in made.located.spans)


def number(value: float) -> str:
    """Two places, or a dash for nothing."""
    return "–" if math.isnan(value) else f"{value:.2f}"


def report(result: Result, tables: dict[str, Counter[str]]) -> str:
    """One row of the table."""
    made = defaultdict(list)
    for one in result.made:
        made[one.kind].append(one)
    index = Index(result.document, result.text)
    positive = [one for one in result.made if not one.kind.endswith("invented")]
    overlaps = [
        lexical_overlap(
            one.draft.question, " ".join(result.text[a:b] for a, b in one.located.spans), result.document.language
        )
        for one in positive
    ]
    mean = sum(overlaps) / len(overlaps) if overlaps else math.nan
    passed = sum(not one.reasons for one in result.made)
    found = recall(index, [(one.draft.question, one.located) for one in positive])
    base = recall(index, verbatim(result))
    for model in ("rules", "eager"):
        tables[f"{result.document.language} {model}"].update(outcomes(result, index, model))
    cells = [result.document.id, result.document.language]
    cells += [f"{len(made[kind])}/{result.asked[kind]}" for kind in ("single", "pair/multi", "single/invented")]
    cells += [number(mean), f"{number(found[0])} / {number(found[1])}", f"{number(base[0])} / {number(base[1])}"]
    speed = sum(result.asked.values()) / result.seconds if result.seconds else math.nan
    cells += [f"{passed}/{len(result.made)}", f"{speed:.0f}"]
    return "| " + " | ".join(cells) + " |"


def show(result: Result, barren: bool) -> None:
    """The cases themselves, and the sections that gave none."""
    for one in result.made:
        print(f"\n[{one.kind}/{one.draft.style}] {one.draft.question}\n   = {one.draft.expected_answer}")
        print(f"   # {list(one.draft.keywords)} {one.reasons or ''}")
    if barren:
        for text in result.barren:
            print(f"\n--- nothing in:\n{text}")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--limit", type=int, default=60, help="sections a document at most")
    parser.add_argument("--show", action="store_true", help="print the cases")
    parser.add_argument("--barren", action="store_true", help="print sections without a case")
    options = parser.parse_args()
    given = options.paths or ["corpora/sample"]
    tables: dict[str, Counter[str]] = defaultdict(Counter)
    rows = []
    for path in given:
        for item in read_corpus(find_files((path,), Path.cwd()), SETTINGS.reading, "auto"):
            if not isinstance(item, tuple):
                print(f"{item.path}: not read", file=sys.stderr)
                continue
            result = measure(*item, options.limit)
            result.show = options.show
            if options.show or options.barren:
                print(f"\n##### {result.document.id}")
                show(result, options.barren)
            rows.append(report(result, tables))
    print("\n| document | language | single | multi | invented | overlap | BM25 / wordllama recall@5 "
          "| the same, verbatim | pass at once | requests/s |")  # fmt: skip
    print("| --- " * 10 + "|", *rows, sep="\n")
    columns = sorted({name for counts in tables.values() for name in counts})
    print("\n| language, model | " + " | ".join(columns) + " |\n" + "| --- " * (len(columns) + 1) + "|")
    for name, counts in sorted(tables.items()):
        print(f"| {name} | " + " | ".join(str(counts[column]) for column in columns) + " |")


if __name__ == "__main__":
    main()
