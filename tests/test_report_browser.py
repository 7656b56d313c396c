"""The report in a real browser: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from shutil import which
from typing import Any
from urllib.parse import quote

import pytest

from benchmarks.report import FLAGS
from ragtester.api import Project
from ragtester.records import Verdict
from ragtester.report import texts, write_report
from ragtester.storage import read_rows, write_json, write_rows
from ragtester.workspace import Workspace
from tests import retrieval_workspace
from tests.report_workspace import EVIL, RUN, Built, audit_of, build, loaded

playwright = pytest.importorskip("playwright.sync_api", reason="the package playwright is not installed")
expect = playwright.expect
CHROMIUM = which("chromium")
if CHROMIUM is None:
    pytest.skip("Debian's chromium is not installed", allow_module_level=True)
WAIT = 60_000
"""Milliseconds that a step may take on a machine with other things to do; a test that holds takes none of them."""
expect.set_options(timeout=WAIT)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield opened
        opened.close()
    asyncio.set_event_loop(None)


class Page:
    """A page with everything it asked for and complained about."""

    def __init__(self, browser: Any, **options: Any) -> None:
        self.context = browser.new_context(**options)
        self.context.set_default_timeout(WAIT)
        self.tab = self.context.new_page()
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.tab.on("request", lambda request: self.requests.append(request.url))
        self.tab.on("console", lambda message: self.complaints.append(message.text))
        self.tab.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.tab.on("dialog", lambda dialog: self.complaints.append(dialog.message))

    def open(self, path: Path, fragment: str = "") -> None:
        self.tab.goto(path.as_uri() + fragment)
        self.tab.wait_for_selector("html[data-ready]")

    def counts(self, told: str) -> None:
        """Wait until the list says this: a link is followed and answers are read after the click."""
        expect(self.tab.locator("#count")).to_have_text(told)

    def opened(self) -> None:
        self.tab.wait_for_selector("dialog[open]")

    def closed(self) -> None:
        """Close the case and wait until the page has dealt with it: address and focus change a moment later."""
        self.tab.keyboard.press("Escape")
        expect(self.tab.locator("#case")).to_be_hidden()
        self.tab.wait_for_function("!location.hash.includes('case=')")

    def text(self, selector: str) -> str:
        return str(self.tab.inner_text(selector)).replace("\N{NO-BREAK SPACE}", " ")

    def focused(self) -> str:
        return str(self.tab.evaluate("document.activeElement.id || document.activeElement.textContent"))


@pytest.fixture
def page(browser: Any) -> Iterator[Page]:
    opened = Page(browser)
    yield opened
    opened.context.close()


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("plain")
    workspace = build(root)
    return write_report(workspace, loaded(workspace)).path


def test_opens_without_an_error_and_asks_for_nothing_but_itself(page: Page, plain: Path) -> None:
    page.open(plain)
    assert page.complaints == []
    assert page.requests == [plain.as_uri()]
    # 2 LLMs x 2 embeddings x 2 documents x 4 cases; the first LLM fails 1 of 4, the second 2 of 4.
    page.counts("12 of 32 rows match.")
    assert "20 of 32 (62.5 % [45.3, 77.1]) graded answers passed." in page.text("#verdict")


def test_filters_search_and_order(page: Page, plain: Path) -> None:
    page.open(plain)
    page.tab.select_option("#filter-status", "")
    page.counts("32 of 32 rows match.")
    page.tab.select_option("#filter-document", "pumps")
    page.tab.select_option("#filter-system", "openai:alpha × openai:small")
    page.counts("4 of 32 rows match.")
    assert "document=pumps" in page.tab.url
    page.tab.select_option("#filter-kind", "comprehension")  # the one gold chunk was in the context
    page.counts("1 of 32 rows match.")
    page.tab.select_option("#filter-criterion", "faithfulness")
    page.counts("1 of 32 rows match.")
    page.tab.click("#clear")
    page.counts("32 of 32 rows match.")
    # Words of the answers are found too, once the blocks are read.
    page.tab.fill("#search", "SAYS openai:beta case-003")
    expect(page.tab.locator("#count")).to_have_text("4 of 32 rows match.")
    page.tab.fill("#search", "nothing holds this")
    page.counts("No row matches; clear a filter or the search.")
    page.tab.click("#clear")
    page.tab.click("th.col-mean button")
    assert page.tab.get_attribute("th.col-mean", "aria-sort") == "ascending"
    assert page.text("#list tr:first-child .col-mean") == "0.40"
    page.tab.click("th.col-mean button")
    assert page.tab.get_attribute("th.col-mean", "aria-sort") == "descending"
    assert page.text("#list tr:first-child .col-mean") == "1.00"


def test_a_case_shows_all_that_is_known(page: Page, plain: Path) -> None:
    page.open(plain)
    page.tab.click("#list tr:first-child a")
    page.opened()
    body = page.text("#case-body")
    for part in ("Question 1", "Says 40 where the source says 55.", "rank 1", "score 0.75", "given as 1", "page 2"):
        assert part in body
    assert "1 of 1 chunks that hold evidence reached the model." in body
    # Offsets count code points: the wrench before the evidence takes two units of a JavaScript string.
    assert page.text(".chunks mark") == "The valve opens at 55 bar."
    assert page.tab.locator(".answer del").all_inner_texts() == ["55"]
    assert page.tab.locator(".answer ins").first.inner_text() == "40"
    assert page.tab.locator(".systems a").count() == 4
    page.tab.locator(".systems a").nth(0).click()
    expect(page.tab.locator(".systems a").first).to_have_attribute("aria-current", "true")
    assert "says openai:alpha" in page.text(".sides")


def test_a_passage_over_several_pieces_is_whole(page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "PIECE_CHARACTERS", 7)
    monkeypatch.setattr(texts, "BLOCK_CHARACTERS", 15)
    workspace = build(tmp_path)
    page.open(write_report(workspace, loaded(workspace)).path)
    page.tab.click("#list tr:first-child a")
    page.opened()
    assert page.text(".chunks .text").strip() == "The pump runs at 40 bar. 🔧 The valve opens at 55 bar."
    assert page.text(".chunks mark") == "The valve opens at 55 bar."


def test_a_link_to_a_case_works(page: Page, plain: Path) -> None:
    system = quote("openai:beta × openai:large", safe="")
    page.open(plain, f"#case={quote('ramps/ragtester/case-003', safe='')}&system={system}")
    assert "Question 3" in page.text("#case-title")
    assert "openai:beta × openai:large" in page.text("#case-body .brief")
    assert page.focused() == "case-title"
    page.closed()
    page.open(plain, "#case=unknown")
    expect(page.tab.locator("#trouble")).to_contain_text("does not hold the case unknown")


def test_figures_lead_to_their_failures(page: Page, plain: Path) -> None:
    page.open(plain)
    page.tab.locator("table.heat tbody a").nth(2).click()
    page.counts("4 of 32 rows match.")
    assert page.tab.input_value("#filter-system") == "openai:beta × openai:large"
    page.tab.locator("#coverage td a").first.click()
    page.counts("6 of 32 rows match.")
    assert page.tab.input_value("#filter-document") == "pumps"


def test_every_count_that_is_a_link_leads_to_so_many_rows(page: Page, tmp_path: Path) -> None:
    workspace = build(tmp_path, Built(skip={0}, ungraded={1}))
    page.open(write_report(workspace, loaded(workspace)).path)
    links = page.tab.evaluate(
        """() => [...document.querySelectorAll("main a[href*='=']")].map((link) => {
            const shown = [...link.childNodes].filter((node) => node.nodeType === 3 || node.className !== "sr");
            const text = shown.map((node) => node.textContent).join("");
            return [link.getAttribute("href"), text, link.closest("section").id];
        })"""
    )
    counted = [
        (address, text.split("/")[0], where) for address, text, where in links if re.match(r"^\d+(/\d+)?$", text)
    ]
    assert {where for _, _, where in counted} >= {"verdict", "breakdown", "kinds", "criteria", "readability"}
    for address, count, where in counted:
        if where == "coverage":
            continue  # counts cases, and shows the answers to them
        page.tab.evaluate("address => { location.hash = address; }", address)
        page.counts(f"{count} of 32 rows match.")
    assert page.complaints == []


NARROW = """() => {
    const seen = (box) => box.width > 0 && box.left >= 0 && box.right <= window.innerWidth;
    const cells = [...document.querySelectorAll("main td")].filter((cell) => !cell.closest("details:not([open])"));
    return {
        cells: cells.length,
        lost: cells.filter((cell) => !cell.matches(".left.none") && !seen(cell.getBoundingClientRect()))
            .map((cell) => cell.textContent),
        cut: [...document.querySelectorAll(".scroll")].filter((one) => one.scrollWidth > one.clientWidth + 1)
            .map((one) => one.getAttribute("aria-label")),
        nameless: cells.filter((cell) => cell.closest(".grid, .heat") && cell.colSpan === 1)
            .filter((cell) => getComputedStyle(cell, "::before").content.replaceAll('"', "").trim().length < 2).length,
    };
}"""


@pytest.mark.parametrize("width", [320, 390])
def test_a_phone_shows_every_column_of_every_table(browser: Any, tmp_path: Path, width: int) -> None:
    workspace = build(tmp_path, Built(embeddings=tuple(f"openai:embedding-{number}" for number in range(6))))
    write_json(workspace.audits(RUN) / "precision" / "result.json", audit_of("openai:judge"))
    page = Page(browser, viewport={"width": width, "height": 844})
    page.open(write_report(workspace, loaded(workspace)).path)
    found = page.tab.evaluate(NARROW)
    assert found["cells"] > 100
    assert (found["lost"], found["cut"], found["nameless"]) == ([], [], 0)
    precision = page.text("#precision table")
    assert "Precision" in page.tab.evaluate(
        "[...document.querySelectorAll('#precision td')].map((one) => one.dataset.label).join()"
    )
    assert "75.0 %" in precision
    page.context.close()


def test_a_table_that_is_cut_says_so_and_keeps_its_first_column(browser: Any, tmp_path: Path) -> None:
    workspace = build(tmp_path, Built(embeddings=tuple(f"openai:embedding-{number}" for number in range(9))))
    page = Page(browser, viewport={"width": 800, "height": 844})
    page.open(write_report(workspace, loaded(workspace)).path)
    region = page.tab.locator(".scroll:has(table.heat)")
    expect(region).to_have_class("scroll cut")
    expect(region).to_have_attribute("tabindex", "0")
    assert region.get_attribute("aria-label")
    assert region.evaluate("one => getComputedStyle(one).maskImage") != "none"
    first = region.locator("tbody th").first
    before = first.bounding_box()
    region.evaluate("one => { one.scrollLeft = one.scrollWidth; }")
    expect(region).to_have_class("scroll")  # its end is seen
    assert first.bounding_box() == before
    page.tab.set_viewport_size({"width": 2400, "height": 844})
    fits = page.tab.locator(".scroll:has(caption:text-is('Failure kinds by system'))")
    expect(fits).not_to_have_attribute("tabindex", "0")  # nothing to move: no stop of the Tab key
    page.context.close()


def test_a_refusal_says_how_its_verdict_came_about(page: Page, tmp_path: Path) -> None:
    workspace = build(tmp_path)
    refuse(workspace, "openai:beta", "openai:small")
    page.open(write_report(workspace, loaded(workspace)).path, "#status=fail&decided=refusal")
    page.counts("2 of 32 rows match.")  # case 2 of both documents
    page.tab.click("#list tr:first-child a")
    page.opened()
    body = page.text("#case-body")
    assert "Decided by rule; the judge was not asked." in body
    assert "The question can be answered: a fail." in body
    assert "refusal: abstains" not in body
    assert page.tab.locator(".ratings thead th").all_inner_texts() == ["Criterion", "Rating"]
    assert "Why comprehension: 1 of 1 chunks that hold the evidence reached the model" in body
    assert "The answer is a refusal, which is no kind of its own" in body


def refuse(workspace: Workspace, llm: str, embedding: str) -> None:
    """Make this system's answers to case 2 of every document pure abstentions, as the judge stage writes them."""
    for path in workspace.verdicts(RUN).glob(f"{workspace.verdicts_file(RUN, llm, embedding, '').parent.name}/*.jsonl"):
        rows = read_rows(path, Verdict)
        rows[1] = rows[1].model_copy(
            update={
                "decided_by": "refusal",
                "reasons": {"refusal": "abstains although the question can be answered"},
                "missing_keywords": ("55 bar",),
                "call": None,
            }
        )
        write_rows(path, rows)


def test_a_rejection_says_what_its_keyword_match_follows(page: Page, tmp_path: Path) -> None:
    workspace = build(tmp_path)
    page.open(write_report(workspace, loaded(workspace)).path, "#type=rejection%20(invented)")
    page.tab.click("#list tr:first-child a")
    page.opened()
    assert "so it follows the refusal" in page.text(".ratings tbody tr:last-child")
    assert "none: the question must be refused" in page.text("#case-body .facts")


def test_keyboard_alone(page: Page, plain: Path) -> None:
    page.open(plain)
    keys = page.tab.keyboard
    keys.press("Tab")
    assert page.focused() == "Skip to the failures"
    keys.press("/")
    assert page.focused() == "search"
    keys.type("j")  # in a field it is a letter
    assert page.tab.input_value("#search") == "j"
    keys.press("Backspace")
    page.tab.evaluate("document.activeElement.blur()")
    keys.press("j")
    first = page.focused()
    keys.press("ArrowDown")
    second = page.tab.evaluate("document.activeElement.dataset.row")
    assert first.startswith("Question 1")
    keys.press("Enter")
    page.opened()
    assert page.focused() == "case-title"
    page.closed()
    assert page.tab.evaluate("document.activeElement.dataset.row") == second
    keys.press("k")
    assert page.tab.evaluate("document.activeElement.dataset.row") != second
    keys.press("Enter")
    page.opened()
    link = page.tab.url
    keys.press("j")  # the next case, without closing
    expect(page.tab).not_to_have_url(link)
    page.closed()
    page.tab.uncheck("#shortcuts")  # for those who speak to their computer
    keys.press("/")
    assert page.focused() == "shortcuts"
    assert page.complaints == []


def test_hostile_text_is_shown_and_does_not_run(page: Page, tmp_path: Path) -> None:
    built = Built(
        llms=(EVIL[1], EVIL[0]),
        embeddings=(EVIL[2], EVIL[3]),
        documents=("<img src=x onerror=window.pwned=6>", "ramps"),
        cases=len(EVIL),
        texts=EVIL,
        ungraded={1},
    )
    workspace = build(tmp_path, built)
    results = loaded(workspace)
    key = next(iter(results.cases))
    results.cases[key] = results.cases[key].model_copy(update={"question": "half \ud800 of a pair"})
    path = write_report(workspace, results).path
    page.open(path)
    page.tab.click("#clear")
    shown = page.text("#list")
    for text in (*EVIL[:5], *EVIL[6:]):
        assert text in shown
    assert "half U+D800 of a pair" in shown
    assert "aU+202EbU+2028cU+0000dU+2066e" in shown.replace("\n", "")
    page.tab.fill("#search", "pwned=1")
    expect(page.tab.locator("#count")).not_to_contain_text("Still")
    assert page.tab.locator("#list a").count() > 0
    page.tab.click("#list tr:first-child a")
    page.opened()
    title, link = page.text("#case-title"), page.tab.url
    page.tab.goto("about:blank")
    page.tab.goto(link)  # an address with such names leads back to the same case
    page.opened()
    assert page.text("#case-title") == title
    for _ in range(10):
        page.tab.wait_for_selector("#case-title")
        page.tab.keyboard.press("j")
    assert page.tab.evaluate("window.pwned") is None
    assert (
        page.tab.locator("main img, main script, #explorer img, dialog img, dialog script, dialog style").count() == 0
    )
    assert set(page.requests) <= {path.as_uri(), link, "about:blank"}
    assert page.complaints == []


def test_a_row_that_is_not_on_disk_says_so(page: Page, tmp_path: Path) -> None:
    workspace = build(tmp_path, Built(skip={0}, ungraded={1}, pages=False))
    path = write_report(workspace, loaded(workspace)).path
    page.open(path, "#status=missing")
    page.counts("1 of 32 rows match.")
    page.tab.click("#list a")
    page.opened()
    assert "planned and not on disk: not executed." in page.text("#case-body")
    page.closed()
    page.tab.select_option("#filter-status", "ungraded")
    page.tab.click("#list a")
    page.opened()
    assert "timeout: no reply" in page.text("#case-body")
    assert "No ratings" in page.text("#case-body")
    assert page.complaints == []


def test_policy_stops_what_would_slip_through(page: Page, plain: Path) -> None:
    """Even if the page wrote markup somewhere, the browser would refuse to make it and to run it."""
    page.open(plain)
    refused = page.tab.evaluate(
        """() => { try { document.body.innerHTML = "<b>x</b>"; return "set"; } catch (error) { return error.name; } }"""
    )
    assert refused == "TypeError"
    with page.tab.expect_console_message(lambda message: "Content Security Policy" in message.text):
        page.tab.evaluate(
            """() => {
                const image = document.createElement("img");
                image.src = "http://127.0.0.1:9/x";
                document.body.append(image);
            }"""
        )
    expect(page.tab.locator("body > img")).to_have_count(1)


def test_phone_and_dark(browser: Any, plain: Path) -> None:
    page = Page(browser, viewport={"width": 390, "height": 844}, color_scheme="dark")
    page.open(plain)
    wide, room = page.tab.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert wide <= room
    red, green, blue = page.tab.evaluate(
        "getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).slice(0, 3).map(Number)"
    )
    assert max(red, green, blue) < 60
    page.tab.click("#list tr:first-child a")
    page.opened()
    assert page.tab.evaluate("document.getElementById('case').scrollWidth <= window.innerWidth")
    page.context.close()


@pytest.mark.parametrize("width", [320, 390, 768])
def test_long_names_do_not_widen_the_page(browser: Any, tmp_path: Path, width: int) -> None:
    long = "provider:" + "x" * 90
    built = Built(llms=(long, "b:c"), documents=("d" * 80, "pumps"), skip={0, 9}, texts=("y" * 200,))
    workspace = build(tmp_path, built)
    page = Page(browser, viewport={"width": width, "height": 844})
    page.open(write_report(workspace, loaded(workspace)).path)
    assert page.tab.evaluate("document.documentElement.scrollWidth") <= width
    page.tab.click("#list tr:first-child a")
    page.opened()
    assert page.tab.evaluate("document.getElementById('case').scrollWidth") <= width
    page.context.close()


def test_a_question_of_pages_is_cut_in_the_list_and_read_from_its_beginning(page: Page, tmp_path: Path) -> None:
    workspace = build(tmp_path, Built(texts=("word " * 1200,)))
    page.open(write_report(workspace, loaded(workspace)).path)
    height = "links => links.map(link => link.getBoundingClientRect().height)"
    assert max(page.tab.eval_on_selector_all("#list .col-question a", height)) < 120
    page.tab.click("#list tr:first-child a")
    page.opened()
    assert len(page.text("#case-title")) > 5000
    page.tab.wait_for_timeout(200)
    assert page.tab.evaluate("document.getElementById('case').scrollTop") == 0
    assert page.focused() == "case-title"


def test_every_control_has_a_name_and_headings_are_in_order(page: Page, plain: Path) -> None:
    page.open(plain)
    page.tab.click("#list tr:first-child a")
    page.opened()
    nameless = page.tab.evaluate(
        """() => [...document.querySelectorAll("a[href], button, input, select, summary")].filter((one) => {
            const label = one.labels && one.labels.length ? one.labels[0].textContent : "";
            return !(one.textContent.trim() || label.trim() || one.getAttribute("aria-label"));
        }).length"""
    )
    assert nameless == 0
    levels = page.tab.evaluate(
        """() => [...document.querySelectorAll("h1, h2, h3, h4")].map((one) => Number(one.tagName[1]))"""
    )
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert page.tab.evaluate("[...document.querySelectorAll('table')].every((one) => one.caption)")
    assert page.tab.get_by_role("main").count() == 1
    assert page.tab.evaluate("[...document.querySelectorAll('svg')].every((one) => one.getAttribute('aria-hidden'))")


def test_an_old_browser_is_told(page: Page, plain: Path) -> None:
    page.tab.add_init_script("delete window.DecompressionStream")
    page.tab.goto(plain.as_uri())
    page.tab.wait_for_selector("#trouble:not([hidden])")
    assert "cannot unpack the answers" in page.text("#trouble")
    assert "graded answers passed" in page.text("#verdict")


def test_prints(page: Page, plain: Path) -> None:
    page.open(plain)
    assert len(page.tab.pdf(format="A4")) > 10_000
    page.tab.emulate_media(media="print")
    assert not page.tab.is_visible("#controls")
    assert page.tab.is_visible("#verdict")


@pytest.mark.parametrize("width", [320, 1280])
def test_the_retrieval_section_holds_hostile_and_long_texts(browser: Any, tmp_path: Path, width: int) -> None:
    names = [*EVIL, "y" * 200]
    queries = [retrieval_workspace.Query(name, at % 4, (0, 1), ("fail",)) for at, name in enumerate(names)]
    retrieval_workspace.build(tmp_path, queries)
    project = Project(tmp_path)
    project.audit_retrieval()
    page = Page(browser, viewport={"width": width, "height": 844})
    page.open(project.report().path)
    for summary in page.tab.locator("#retrieval summary").all():
        summary.click()
    assert page.tab.locator("#retrieval details li").count() == 6  # three telling cases of two stages
    assert page.complaints == []
    assert page.tab.evaluate("window.pwned") is None
    assert page.tab.evaluate("document.documentElement.scrollWidth") <= width
    found = page.tab.evaluate(NARROW)
    assert (found["lost"], found["cut"] if width < 400 else []) == ([], [])
    assert "retrieve" in page.text("#retrieval")
    assert page.tab.evaluate("[...document.querySelectorAll('#retrieval table')].every((one) => one.caption)")
    page.context.close()
