"""Records of the suite and of a run by hand: a test names only what it speaks of."""

from __future__ import annotations

from typing import Any

from ragtester.records import (
    Answer,
    Case,
    Document,
    Ledger,
    PrecisionFigures,
    PrecisionResult,
    Share,
    Verdict,
)
from ragtester.statistics import wilson


def document(name: str = "doc", **changes: Any) -> Document:
    """A document of 1,000 characters that was brought by the user."""
    known: dict[str, Any] = {
        "path": name,
        "source": "manual",
        "format": "pdf",
        "sha256": "d",
        "text_sha256": "t",
        "language": "en",
        "characters": 1000,
    }
    return Document(id=name, **(known | changes))


def case(name: str, **changes: Any) -> Case:
    """A complexity case of the document `doc`."""
    known: dict[str, Any] = {
        "key": "k",
        "document_id": "doc",
        "document_sha256": "d",
        "technique": "ragtester",
        "type": "complexity",
        "language": "en",
        "question": f"What is {name}?",
        "expected_answer": "x",
        "model": "m:writer",
        "prompt_sha256": "p",
    }
    return Case(id=name, **(known | changes))


def answer(case_id: str, llm: str, text: str, **changes: Any) -> Answer:
    """What a system of the run `main` answered to a case of the document `doc`."""
    known: dict[str, Any] = {
        "document_id": "doc",
        "key": "k",
        "run": "main",
        "embedding": "embedded:hashing",
        "technique": "ragtester",
        "type": "complexity",
        "outcome": "answered",
    }
    return Answer(case_id=case_id, llm=llm, answer=text, **(known | changes))


def verdict(said: Answer, status: str, **changes: Any) -> Verdict:
    """The verdict on an answer, decided by its mean where it is graded."""
    names = ("case_id", "document_id", "run", "llm", "embedding", "technique", "type", "subtype", "outcome")
    known: dict[str, Any] = {name: getattr(said, name) for name in names} | {
        "key": "v",
        "language": "en",
        "decided_by": "" if status == "ungraded" else "mean",
        "judge": "j",
        "prompt_sha256": "p",
    }
    return Verdict.model_validate({**known, "status": status, **changes})


def share(count: int, of: int) -> Share:
    """A share with Wilson's interval; undefined for nothing."""
    ends = wilson(count, of)
    if ends is None:
        return Share(value=None, n=0)
    return Share(value=count / of, successes=count, n=of, low=ends.low, high=ends.high)


def precision_figures(tp: int, fp: int, **changes: Any) -> PrecisionFigures:
    """What a precision audit found of a sample of failures, all of it decided by the panel."""
    known: dict[str, Any] = dict.fromkeys(("fn", "tn", "ambiguous", "open", "by_person"), 0)
    known |= {"by": "overall", "name": "", "sampled": tp + fp}
    known |= {"precision": share(tp, tp + fp), "fdr": share(fp, tp + fp)}
    return PrecisionFigures(tp=tp, fp=fp, **(known | changes))


def precision_result(figures: PrecisionFigures, **changes: Any) -> PrecisionResult:
    """An audit of the run `main` with these figures, whichever way ambiguous cases count."""
    known: dict[str, Any] = {
        "run": "main",
        "judge": "openai:judge",
        "judge_prompt_sha256": "",
        "languages": ("en",),
        "confidence": 0.95,
        "margin": 0.05,
        "seed": 7,
        "population": {"fail": figures.sampled},
        "sampled": {"fail": figures.sampled},
        "min_votes": 2,
        "panel": (),
        "alpha": None,
        "pairs": (),
        "figures": (figures,),
        "as_right": figures,
        "as_wrong": figures,
        "ledger": Ledger(planned=figures.sampled, ok=figures.sampled),
        "votes": Ledger(planned=0),
    }
    return PrecisionResult(**(known | changes))
