"""The output audit and adversarial fixtures on a run's page."""

from __future__ import annotations

from pathlib import Path

from ragtester.report.audited import fixtures, output_audit
from ragtester.report.html import Element, serialise
from ragtester.runs import answer_files
from ragtester.stages.adversarial import Files, Told, make_result
from ragtester.stages.coverage import CONTRAST, contrast
from ragtester.storage import write_json, write_rows
from ragtester.workspace import Workspace
from tests.coverage_fakes import WINDOW, Judge, answer, audit, rows, workspace
from tests.test_adversarial_parts import row

PLAIN = "It is 30 days."
HOSTILE = "<script>alert(1)</script>"


def page(made: Element | None) -> str:
    assert made is not None
    return serialise([made])


def test_a_run_without_them_has_no_such_sections(tmp_path: Path) -> None:
    space = Workspace(tmp_path)
    assert output_audit(space, "main") is fixtures(space, "main") is None


def test_the_output_audit_with_its_comparison_and_whether_it_is_stale(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer(number, PLAIN, ("new",)) for number in (1, 2)])
    audit(space, Judge({PLAIN: [(WINDOW, ("new",))]}))
    text = page(output_audit(space, "main"))
    assert "Reporting failure: 2/2" in text
    assert "Contradictions are hidden in answers to 2 of 2 questions: c1, c2" in text
    assert "Which answers?" in text and "Stale" not in text and "Was it the prompt?" not in text
    found = contrast(rows(space), rows(space), ("main", "main.conflicts"), 7)
    write_json(space.coverage_audit("main") / CONTRAST, found)
    assert "Was it the prompt?" in page(output_audit(space, "main"))
    (path,) = answer_files(space, "main")[0]
    write_rows(path, [answer(number, "It is 14 days.", ("old",)) for number in (1, 2)])
    assert "Stale: the run's answers changed since the output audit." in page(output_audit(space, "main"))


def test_fixtures_say_what_to_do_and_names_are_text(tmp_path: Path) -> None:
    space = Workspace(tmp_path)
    asked = [row("a", "gold"), row("b", "poison", reading="reground", kind=HOSTILE)]
    made = make_result("main", asked, Told(("mine",)), planned=2)
    Files.of(space, "main").write(made, asked, {}, seed=1, parameters={})
    text = page(fixtures(space, "main"))
    assert "1/2 = 50.0" in text and "reground, 1 of 2: " in text and "Which fixtures?" in text
    assert "<script>" not in text and "&lt;script&gt;" in text
