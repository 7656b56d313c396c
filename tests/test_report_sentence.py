"""The verdict of a run in words, on rows made by hand."""

from __future__ import annotations

from ragtester.report.compared import Compared
from ragtester.report.sentence import verdict_sentences
from ragtester.stages.compare.ranking import make_rankings
from ragtester.stages.compare.view import make_view
from tests.compare_rows import results, row


def told(*outcomes: str, judges: str = "jjj") -> str:
    """The sentences on systems m:a, m:b, … with these outcomes, a letter a case: p pass, f fail; a judge a system."""
    found = results(
        [
            row(f"case-{place}", {"p": "pass", "f": "fail"}[letter], llm=f"m:{name}", judge=judge)
            for name, letters, judge in zip("abc", outcomes, judges, strict=False)
            for place, letter in enumerate(letters)
        ]
    )
    view = make_view(found)
    return " ".join(verdict_sentences(found, Compared(view, make_rankings(view))))


def test_systems_as_good_as_the_first_are_named_with_it() -> None:
    equal = told("pp", "pp", "pf")
    assert "Best of 3 systems is m:a × e:x: 2 of 2" in equal
    assert "; as large a share passed of m:b × e:x." in equal
    assert "as large a share" not in told("pp", "pf", "ff")


def test_systems_that_do_not_compare_are_said_not_to() -> None:
    apart = told("ppp" * 3, "ppf" * 3, "fff" * 3, judges="jjk")
    assert "The systems fall into 2 groups" in apart
    assert "Best of 2 systems is m:a × e:x" in apart
    assert "m:c" not in apart
