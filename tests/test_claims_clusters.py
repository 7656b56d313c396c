"""Where bad claims come from, and what is said of it."""

from __future__ import annotations

from math import comb
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtester.records import AnswerClaims, Claim, ClaimsResult, ClaimVerdict
from ragtester.stages.claims import claims_document
from ragtester.stages.claims.clusters import clusters
from ragtester.stages.claims.counting import NAMES, grouped
from ragtester.stages.claims.result import Judged, claims_result
from ragtester.stages.claims.values import keywords_in, values_in
from ragtester.tables import Paragraph, Rate
from ragtester.tables.markdown import markdown


def claim(number: int, document: str, verdict: ClaimVerdict | None = "supported", **changes: Any) -> Claim:
    known: dict[str, Any] = {
        "case_id": f"q{number}",
        "document_id": document,
        "key": "k",
        "run": "main",
        "llm": "m",
        "embedding": "e",
        "technique": "ragtester",
        "type": "complexity",
        "claim_id": 1,
        "claim": f"Claim {number}.",
        "chunk_ids": (f"{document}:{number}",),
        "document_ids": (document,),
        "values": ("words alone",),
        "query": "q",
        "verdict": verdict,
        "context_verdict": verdict,
        "judge": "embedded:judge",
        "prompt_sha256": "p",
        "at": "2026-01-01T00:00:00Z",
    }
    return Claim(**(known | changes))


def sixty() -> list[Claim]:
    """60 claims over 10 documents, 6 each. Contradicted: 4 of A, 2 of B, 1 of C."""
    bad = {"A": 4, "B": 2, "C": 1}
    return [
        claim(6 * at + n, name, "contradicted" if n < bad.get(name, 0) else "supported")
        for at, name in enumerate("ABCDEFGHIJ")
        for n in range(6)
    ]


def result(claims: list[Claim], **judged: Any) -> ClaimsResult:
    rows = [
        AnswerClaims(
            **{name: getattr(one, name) for name in ("case_id", "document_id", "key", "run", "llm", "embedding")},
            technique=one.technique,
            type=one.type,
            question=f"What is {one.case_id}?",
            query="q",
            status="claims",
            claims=1,
            judge=one.judge,
            prompt_sha256="p",
        )
        for one in claims
    ]
    return claims_result(Judged("main", "embedded:judge", len(rows), **judged), rows, claims)


def said(found: ClaimsResult, section: int = 0) -> list[str]:
    return [part.text for part in claims_document(found).sections[section].parts if isinstance(part, Paragraph)]


def test_six_of_seven_come_from_two_documents() -> None:
    found = clusters(sixty(), {})
    (one,) = (cluster for cluster in found if cluster.by == "document")
    assert [(group.name, group.contradicted, group.sent) for group in one.groups] == [("A", 4, 6), ("B", 2, 6)]
    assert (one.claims, one.total, one.sent, one.of, one.candidates) == (6, 7, 12, 60, 10)
    # P(X >= 6) where 12 of 60 are drawn and 7 are bad, for any 2 of 10 documents, and for 1, 2 or 3 of them
    tail = sum(comb(12, held) * comb(48, 7 - held) for held in (6, 7)) / comb(60, 7)
    assert one.p == pytest.approx(3 * comb(10, 2) * tail, rel=5e-3)
    text = said(result(sixty()))[0]
    assert text.startswith(
        "6 of 7 contradicted claims come from two documents of 10: A (4 of 6 claims), B (2 of 6 claims). "
        "Of all 60 claims 12 do (p = 0.01"
    )


def test_bad_claims_that_lie_as_the_claims_do_make_no_cluster() -> None:
    even = [claim(n, "ABCDEFGHIJ"[n % 10], "contradicted" if n < 10 else "supported") for n in range(60)]
    assert clusters(even, {}) == ()
    assert "no document, question, keyword" in said(result(even))[0]
    # Seven of one document of 7 claims; it holds nine of ten claims anyway.
    large = [claim(n, "big" if n < 54 else "small", "contradicted" if n < 7 else "supported") for n in range(60)]
    assert [one for one in clusters(large, {}) if one.by == "document"] == []


def test_what_several_systems_say_in_the_same_words_is_one_finding() -> None:
    """One wrong claim in four systems is four claims, and no cluster of a document."""
    four = [claim(0, "A", "contradicted", llm=f"m{n}") for n in range(4)]
    rest = [claim(n, "BCDEFGHIJK"[n % 10], llm=f"m{m}") for n in range(1, 40) for m in range(4)]
    assert [one.by for one in clusters([*four, *rest], {})] == []
    two = [claim(1000, "A", "contradicted", llm=f"m{n}") for n in range(4)]
    more = [claim(1001, "A", "contradicted", llm=f"m{n}") for n in range(4)]
    found = [one for one in clusters([*four, *two, *more, *rest], {}) if one.by == "document"]
    assert [(one.claims, one.total, one.different, one.different_total) for one in found] == [(12, 12, 3, 3)]
    assert "12 of 12 contradicted claims (3 of 3 different ones) come from one document" in " ".join(
        said(result([*four, *two, *more, *rest]))
    )


@given(
    st.lists(st.tuples(st.sampled_from("ABCDE"), st.sampled_from(["supported", "contradicted", "unsupported", None])))
)
def test_clusters_count_what_is_there(drawn: list[tuple[str, ClaimVerdict | None]]) -> None:
    claims = [claim(n, document, verdict) for n, (document, verdict) in enumerate(drawn)]
    for one in clusters(claims, {}):
        assert one.p < 0.05
        assert one.claims == sum(getattr(group, one.verdict) for group in one.groups) <= one.total
        assert one.claims * one.of > one.total * one.sent, "more than their share"
        assert all(getattr(group, one.verdict) >= 2 for group in one.groups)
        assert len(one.groups) < max(one.candidates, 2)


def test_groups_are_worst_first_and_their_rates_are_of_all_sent() -> None:
    claims = [claim(1, "A"), claim(2, "B", "unsupported"), claim(3, "B", None), claim(4, "C", "contradicted")]
    found = grouped(claims, NAMES["document"])
    assert [(one.name, one.sent, one.ungraded) for one in found] == [("C", 1, 0), ("B", 2, 1), ("A", 1, 0)]
    assert (found[1].unsupported_rate.successes, found[1].unsupported_rate.n) == (1, 2)
    table = claims_document(result(claims)).table("documents")
    assert table.rows[1] == ("B", 2, Rate(0, 2), Rate(1, 2), 0, 1)


def test_a_claim_that_cites_two_documents_counts_in_both_and_once_in_their_cluster() -> None:
    both = [claim(n, "A", "contradicted", document_ids=("A", "B")) for n in range(4)]
    rest = [claim(n, "CDEFGH"[n % 6]) for n in range(10, 70)]
    (one,) = (cluster for cluster in clusters([*both, *rest], {}) if cluster.by == "document")
    assert (one.claims, one.total, one.sent, one.of) == (4, 4, 4, 64)
    assert [group.name for group in one.groups] == ["A"]


@pytest.mark.parametrize(
    ("cited", "context", "begins"),
    [
        (
            "unsupported",
            "supported",
            "Supported by the context but not by what they cite: 2 of 12 claims. The citation",
        ),
        ("unsupported", "unsupported", "Supported by nothing in the context: 2 of 12 claims. The model added them"),
        ("contradicted", "contradicted", "Contradicted by the context, and by what they cite: 2 of 12 claims."),
        (
            "supported",
            "contradicted",
            "Supported by what they cite and contradicted by another chunk of the context: 2",
        ),
        (
            "unsupported",
            "contradicted",
            "Not supported by what they cite, and contradicted by another chunk of the con",
        ),
        (
            "supported",
            "unsupported",
            "Decided by what they cite and not by the whole context, which holds that: 2 of 1",
        ),
        (
            "contradicted",
            "unsupported",
            "Decided by what they cite and not by the whole context, which holds that: 2 of",
        ),
    ],
)
def test_every_pair_of_columns_calls_for_something(cited: ClaimVerdict, context: ClaimVerdict, begins: str) -> None:
    odd = [claim(n, "A", cited, context_verdict=context) for n in range(2)]
    told = said(result([*odd, *(claim(n, "A") for n in range(2, 12))]), 1)
    assert [text for text in told if text.startswith(begins)], told


def test_one_bad_claim_lies_nowhere_and_checked_groups_have_no_column_of_noughts() -> None:
    found = result([claim(1, "A", "unsupported"), claim(2, "B")])
    assert said(found)[0] == "1 unsupported claim of 2 sent: too few to lie anywhere."
    assert "not checked" not in claims_document(found).table("documents").columns
    unchecked = result([claim(1, "A", "unsupported"), claim(2, "B", None)])
    assert claims_document(unchecked).table("documents").columns[-1] == "not checked"


def test_few_questions_are_called_an_anecdote() -> None:
    few = said(result([claim(n, "A") for n in range(24)]), 1)
    assert any(text.startswith("24 questions: an anecdote, no rate.") for text in few)
    many = said(result([claim(n, "A") for n in range(100)]), 1)
    assert not any("anecdote" in text for text in many)


def test_the_two_columns_say_what_to_mend() -> None:
    pairs: list[tuple[ClaimVerdict, ClaimVerdict]] = [
        ("unsupported", "supported"),
        ("contradicted", "supported"),
        ("unsupported", "unsupported"),
        ("contradicted", "contradicted"),
        ("supported", "contradicted"),
        ("supported", "supported"),
    ]
    claims = [claim(n, "A", cited, context_verdict=context) for n, (cited, context) in enumerate(pairs)]
    text = " ".join(said(result(claims), 1))
    assert "Supported by the context but not by what they cite: 2 of 6 claims. The citation is at fault" in text
    assert "Supported by nothing in the context: 1 of 6 claims." in text
    assert "Contradicted by the context, and by what they cite: 1 of 6 claims." in text
    assert "contradicted by another chunk of the context: 1 of 6 claims. Two sources disagree" in text
    assert "16.7 %" in text and "The denominator is the claims sent." in text


def test_at_most_twenty_contradicted_claims_are_shown_and_escaped() -> None:
    many = [claim(n, "A", "contradicted", claim=f"<b>{n}</b> | x", reason="`no`") for n in range(25)]
    found = result(many)
    table = claims_document(found).table("contradicted")
    assert (len(table.rows), table.notes) == (
        20,
        ("20 of 25 different ones, 25 claims in all; claims.jsonl holds every one",),
    )
    assert len(claims_document(found, full=True).table("contradicted").rows) == 25
    assert table.rows[0] == ("q0.1", "m × e", "<b>0</b> | x", "`no`", "A:0")
    assert r"&lt;b&gt;0&lt;/b&gt; \| x" in markdown(claims_document(found))
    assert len(found.contradicted) == 25


def test_a_contradicted_claim_is_shown_once_for_all_systems_that_make_it() -> None:
    same = [
        claim(1, "A", "contradicted", llm=f"m{n}", claim=text) for n, text in enumerate(("It is six.", "it is  SIX."))
    ]
    table = claims_document(result([*same, claim(2, "A", "contradicted")])).table("contradicted")
    assert [row[:3] for row in table.rows] == [
        ("q1.1", "m0 × e and 1 more", "It is six."),
        ("q2.1", "m × e", "Claim 2."),
    ]
    assert table.notes == ("2 of 2 different ones, 3 claims in all; claims.jsonl holds every one",)


def test_long_tables_show_only_groups_with_something_bad() -> None:
    claims = [claim(n, "A", "unsupported" if n == 7 else "supported") for n in range(30)]
    table = claims_document(result(claims)).table("questions")
    assert [row[0] for row in table.rows] == ["q7"]
    assert table.rows[0][-1] == "What is q7?"
    assert table.notes == ("1 of 30, the worst; result.json lists all",)


@pytest.mark.parametrize(
    ("text", "language", "values"),
    [
        ("The filter lasts 72 hours.", "en", ("number",)),
        ("It opens on 3 May 2024 at 14:30.", "en", ("date", "time")),
        ("The fee is 20 euros, 5 % less for members.", "en", ("money", "percent")),
        ("The part EN-81 was signed by Officer Berg.", "en", ("code", "name")),
        ("Die Pumpe wird vom Hausmeister geprüft.", "de", ("words alone",)),
        ("It is kept dry.", "en", ("words alone",)),
        ("", "en", ("words alone",)),
    ],
)
def test_kinds_of_value(text: str, language: str, values: tuple[str, ...]) -> None:
    assert values_in(text, language) == values


def test_keywords_that_stand_in_a_claim() -> None:
    keywords = ("six years", "1.5 m", "log", "log", "")
    assert keywords_in("The logs are kept for 6 years, 150 cm apart.", keywords, "en") == ("six years", "1.5 m", "log")
    assert keywords_in("Nothing of it.", keywords, "en") == ()
