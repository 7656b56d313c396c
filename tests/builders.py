"""Records of the suite and of a run by hand: a test names only what it speaks of."""

from __future__ import annotations

from typing import Any

from ragtester.records import Answer, Case, Document, Verdict


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
