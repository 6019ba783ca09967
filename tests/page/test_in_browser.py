"""The page in headless Chromium, over the real server, with documents that are not to be trusted.

One browser for all of it; skipped, with a note, where there is none.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from srag_mcp.page.page_server import write_page
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.settings import Settings
from tests.page.conftest import ACTING, SCRIPT, Page, serving
from tests.shop import write_listed

pytest.importorskip("playwright", reason="playwright is not here: the page is not tried")

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Error, expect

from tests.page.browser import PHONE, WIDE, Seen, chromium, find_chromium, looking

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(
        find_chromium() is None, reason="no Chromium was found: the page is not tried in a browser"
    ),
]
expect.set_options(timeout=30_000)  # a machine that does other things is no fault of the page
VIEWS = (("Columns", ".card"), ("To check", ".entries"), ("Ask", "#question"), ("Search", "#query"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture
def seen(browser: Browser, page: Page) -> Iterator[Seen]:
    """Open the page; afterwards nothing has gone wrong, and nothing went elsewhere."""
    with looking(browser) as shown:
        shown.open(page.address)
        yield shown
        assert shown.problems == []
        assert [url for url in shown.requests if not url.startswith((page.url, "data:,"))] == []
        assert shown.tab.title() == f"Boat {ACTING} – srag-mcp"  # no script set another


def check_nothing_acts(seen: Seen) -> None:
    counted = (
        "[document.images.length, document.scripts.length, document.querySelectorAll('b').length]"
    )
    assert seen.tab.evaluate(counted) == [0, 1, 0]


def test_what_documents_say_stays_text_in_every_view(seen: Seen, page: Page) -> None:
    tab = seen.tab
    assert ACTING in tab.inner_text("tbody tr:first-child td:nth-child(2)")
    assert tab.inner_text("tbody tr:first-child td:nth-child(3)") == SCRIPT
    assert ACTING in tab.inner_text("h1")
    tab.click("tbody tr:first-child td:nth-child(2)")
    tab.wait_for_selector("mark.on")
    assert tab.inner_text("mark.on").endswith(ACTING)
    check_nothing_acts(seen)
    for view, first in VIEWS:
        seen.go(view, first)
        check_nothing_acts(seen)
    tab.fill("#query", f"Petrel {ACTING}")
    tab.keyboard.press("Enter")
    tab.wait_for_selector(".passage")
    tab.click(".passage >> nth=0 >> button")
    tab.wait_for_selector("mark.sought")
    check_nothing_acts(seen)
    seen.go("Ask", "#question")
    tab.fill("#question", f"How many boats are in {SCRIPT}?")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#answers .card:not([aria-busy])")
    check_nothing_acts(seen)


def test_the_browser_itself_refuses_markup_and_other_computers(
    browser: Browser, page: Page
) -> None:
    with looking(browser) as seen:
        seen.open(page.address)
        with pytest.raises(Error, match="TrustedHTML"):
            seen.tab.evaluate("() => { document.body.innerHTML = '<b>x</b>' }")
        with pytest.raises(Error, match="Failed to fetch"):
            seen.tab.evaluate("() => fetch('http://localhost:9/api')")
        seen.tab.evaluate("() => { new Image().src = 'http://localhost:9/x.png' }")
        assert len(seen.problems) >= 2


def test_an_address_without_its_token_shows_nothing(browser: Browser, page: Page) -> None:
    for address in (page.url, f"{page.url}/#token=wrong"):
        with looking(browser) as shown:
            shown.open(address, ".problem")
            assert "open the whole address" in shown.tab.inner_text(".problem")


def test_the_token_leaves_the_address_and_a_reload_still_works(seen: Seen) -> None:
    assert "token" not in seen.tab.url
    seen.tab.reload()
    seen.tab.wait_for_selector("tbody td")


def test_rows_are_sorted_filtered_and_found(seen: Seen) -> None:
    tab = seen.tab
    tab.click("#sort-length")
    tab.wait_for_selector("th[aria-sort=ascending]")
    assert tab.inner_text("tbody td[data-cell='0 length']") == "6.5"
    tab.click("#sort-length")
    tab.wait_for_selector("th[aria-sort=descending]")
    assert tab.inner_text("tbody td[data-cell='0 length']") == "31.5"
    tab.click("summary:has-text('Filter')")
    tab.select_option(".filter [name=column]", "crew")
    tab.select_option(".filter [name=must]", "from")
    tab.fill(".filter [name=value]", "6")
    tab.click(".filter >> text=Add")
    tab.wait_for_selector(".chip")
    assert tab.inner_text("#shown-rows") == "1–3 of 3 rows"
    tab.fill("#search", "nothing like it")
    tab.keyboard.press("Enter")
    tab.wait_for_selector(".empty")
    tab.go_back()
    tab.wait_for_selector("tbody td")
    tab.click(".chip")
    expect(tab.locator("#shown-rows")).to_have_text("1–7 of 7 rows")


def test_the_keyboard_reaches_a_cell_its_quote_and_comes_back(seen: Seen) -> None:
    tab = seen.tab
    tab.focus("tbody th[tabindex='0']")
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight", "Enter"):
        tab.keyboard.press(key)
    tab.wait_for_selector("mark.on")
    assert tab.inner_text("mark.on") == tab.inner_text("td[data-cell='1 length']") + " m"
    assert tab.evaluate("document.activeElement.id") == "panel-title"
    tab.keyboard.press("Escape")
    assert tab.evaluate("document.activeElement.dataset.cell") == "1 length"
    for key in ("Home", "ArrowUp", "ArrowUp", "ArrowRight", "Enter"):
        tab.keyboard.press(key)
    tab.wait_for_selector("th[aria-sort=ascending]")
    assert tab.evaluate("document.activeElement.id") == "sort-name"


def test_an_answer_has_its_denominator_its_query_and_a_chart(seen: Seen) -> None:
    tab = seen.tab
    seen.go("Ask", "#question")
    tab.fill("#question", "What is the average length of the boats?")
    tab.keyboard.press("Enter")
    tab.wait_for_selector(".answer")
    assert "7 documents" in tab.inner_text(".denominator")
    tab.click(".sql summary")
    tab.fill("textarea", "SELECT harbour, avg(length) AS metres FROM boats GROUP BY 1 ORDER BY 2")
    tab.click(".sql >> text=Run")
    tab.wait_for_selector(".chart rect")
    assert tab.locator(".chart rect").count() == tab.locator(".small tbody tr").count() == 4
    tab.fill("textarea", "SELECT built, length FROM boats WHERE built > 0")
    tab.click(".sql >> text=Run")
    tab.wait_for_selector(".chart polyline")


def test_a_person_corrects_and_accepts(browser: Browser, boats: Path, settings: Settings) -> None:
    with serving(boats, settings) as page, looking(browser) as seen:
        tab = seen.tab
        seen.open(page.address)
        tab.click("td[data-cell='6 crew']")
        tab.fill(".correct input", "3")
        tab.keyboard.press("Enter")
        tab.wait_for_selector("td.corrected[data-cell='6 crew']")
        assert tab.inner_text("td[data-cell='6 crew'] .value").startswith("3 ✎")
        expect(tab.locator("#said")).to_have_text("crew of tern.txt: 3 instead of 2; published")
        tab.click("#panel .close")
        seen.go("To check", ".entries article")
        tab.click("nav >> text=Suspects")
        tab.focus("#entry-0")
        tab.keyboard.press("1")
        tab.wait_for_selector(".lists .empty")
        assert seen.problems == []
        kept = {item.column: item.value for item in page.corpus.corrections()}
        assert (len(page.corpus.corrections()), kept["crew"] in {"3", "12"}) == (2, True)


def test_rows_of_a_list_are_added_removed_and_taken_back(
    browser: Browser, tmp_path: Path, settings: Settings
) -> None:
    folder = write_listed(tmp_path / "orders", ACTING)
    ingest(folder, settings)
    with serving(folder, settings) as page, looking(browser) as seen:
        tab, said = seen.tab, seen.tab.locator("#said")
        seen.open(page.address)
        table = page.corpus.schema().children[0].entity
        tab.select_option("#of-table", table)
        tab.click("td[data-cell='1 item']")
        tab.click("text=Rows of the list")
        tab.click("text=Remove row 2")
        expect(said).to_have_text(
            f"{table} of 1.md, row 2: removed instead of rice | 5 | 5.50; published"
        )
        tab.click("text=Rows of the list")
        assert [x["id"] for x in Axe().run(tab).response["violations"]] == []
        tab.fill("#add-item", "oil")
        tab.click("text=Add a row")
        expect(said).to_have_text(f"{table} of 1.md, row 4: added to 3 rows; published")
        rows = f"SELECT position, item FROM {table} WHERE document_id = '1.md' ORDER BY 1"
        assert page.corpus.select(rows).rows[1:] == ((3, "salt"), (4, "oil"))
        tab.click("text=Take back")
        tab.wait_for_selector("#said:has-text('taken back')")
        assert (page.corpus.corrections(), seen.problems) == ([], [])


@pytest.mark.parametrize(("size", "is_dark"), [(WIDE, False), (PHONE, True)])
def test_a_checker_of_accessibility_finds_nothing(
    browser: Browser, page: Page, size: tuple[int, int], is_dark: bool
) -> None:
    with looking(browser, size, is_dark=is_dark) as seen:
        seen.open(page.address)
        tab = seen.tab
        found = [("Table", Axe().run(tab))]
        for view, first in VIEWS if size == WIDE else VIEWS[:2]:
            seen.go(view, first)
            found.append((view, Axe().run(tab)))
        seen.go("Table", "tbody td")
        tab.click("td[data-cell='1 length']")
        tab.wait_for_selector("mark.on")
        found.append(("document", Axe().run(tab)))
        told = [
            (view, item["id"], item["nodes"][0]["html"], item["nodes"][0]["failureSummary"])
            for view, report in found
            for item in report.response["violations"]
        ]
        assert told == []


def test_what_goes_wrong_is_said_where_it_was_asked(browser: Browser, page: Page) -> None:
    with looking(browser) as seen:
        seen.open(page.address)
        tab = seen.tab
        seen.go("Ask", "#question")
        tab.fill("#question", "Why is that so?")
        tab.keyboard.press("Enter")
        tab.wait_for_selector(".told")
        tab.fill("textarea", "SELECT nothing FROM boats")
        tab.click(".sql >> text=Run")
        tab.wait_for_selector(".problem")
        assert "nothing" in tab.inner_text(".problem")
        tab.evaluate("sessionStorage.clear()")
        # the problem of the view before stays until the new one is there
        seen.go("Columns", ".problem:has-text('open the whole address')")


def test_a_phone_shows_it_without_scrolling_sideways(browser: Browser, page: Page) -> None:
    with looking(browser, PHONE) as seen:
        seen.open(page.address)
        tab = seen.tab
        tab.click("td[data-cell='1 name']")
        tab.wait_for_selector("mark.on")
        width = "Math.max(document.documentElement.scrollWidth, visualViewport.width)"
        assert tab.evaluate(width) == PHONE[0]
        assert tab.locator("#panel").bounding_box() == {"x": 0, "y": 0, "width": 390, "height": 844}
        tab.click("#panel .close")
        for view, first in VIEWS:
            seen.go(view, first)
            assert tab.evaluate(width) == PHONE[0]
        assert seen.problems == []


def test_one_file_is_read_without_a_network(browser: Browser, page: Page, tmp_path: Path) -> None:
    out = tmp_path / "boats.html"
    write_page(page.corpus, out)
    with looking(browser) as seen:
        tab = seen.tab
        tab.context.set_offline(True)
        seen.open(out.as_uri())
        check_written = "[document.images.length, document.scripts.length]"
        assert tab.evaluate(check_written) == [0, 2]
        assert "This is a copy to read" in tab.inner_text(".notices")
        assert tab.locator("#views a").all_inner_texts()[:2] == ["Table", "Columns"]
        assert tab.locator("#views a", has_text="Ask").count() == 0
        tab.click("#sort-length")
        tab.wait_for_selector("th[aria-sort=ascending]")
        assert tab.inner_text("tbody td[data-cell='0 length']") == "6.5"
        tab.fill("#search", "owned")
        tab.keyboard.press("Enter")
        expect(tab.locator("tbody tr")).to_have_count(1)
        tab.click("td[data-cell='0 harbour']")
        tab.wait_for_selector("blockquote")
        assert tab.inner_text("blockquote") == SCRIPT
        assert tab.locator(".correct").count() == 0
        for view, first in VIEWS[:2]:
            seen.go(view, first)
        assert seen.problems == []
        assert {url.partition(":")[0] for url in seen.requests} <= {"file", "data"}
        assert tab.title() == f"Boat {ACTING} – srag-mcp"
