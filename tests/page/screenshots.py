"""Pictures of the page for the docs, of the shipped hotels: `python -m tests.page.screenshots`."""

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser

from srag_mcp import ingest
from srag_mcp.settings import Settings
from tests.page.browser import PHONE, Seen, chromium, looking
from tests.page.conftest import Page, serving

ROOT = Path(__file__).parents[2]
SIZE = (1280, 800)
QUERY = "SELECT city, avg(price_per_night) AS price FROM hotels GROUP BY 1 ORDER BY 2 DESC"


def take(browser: Browser, page: Page, folder: Path) -> None:
    """Write the pictures to *folder*."""
    with looking(browser, SIZE) as seen:
        seen.open(page.address)
        open_quote(seen, "price_per_night")
        seen.tab.screenshot(path=folder / "view-table.png")
        seen.tab.click("#panel .close")
        seen.go("Columns", ".card")
        seen.tab.screenshot(path=folder / "view-columns.png")
        seen.go("To check", ".entries")
        seen.tab.screenshot(path=folder / "view-check.png")
        seen.go("Ask", "#question")
        seen.tab.fill("#question", "What is the average price per night in each city?")
        seen.tab.keyboard.press("Enter")
        seen.tab.wait_for_selector("#answers .card:not([aria-busy])")
        if not seen.tab.locator(".chart").count():  # by the query that the refusal asks for
            seen.tab.fill("textarea", QUERY)
            seen.tab.click(".sql >> text=Run")
            seen.tab.wait_for_selector(".chart")
        seen.tab.screenshot(path=folder / "view-ask.png")
    with looking(browser, PHONE, is_dark=True) as seen:
        seen.open(page.address)
        open_quote(seen, "title")
        seen.tab.screenshot(path=folder / "view-phone.png")


def open_quote(seen: Seen, column: str) -> None:
    seen.tab.wait_for_selector(".badge")
    seen.tab.click(f"td[data-cell='0 {column}']")
    seen.tab.wait_for_selector("mark.on")


def main(out: Path) -> None:
    """Ingest a copy of the hotels, serve it, and look at it."""
    with tempfile.TemporaryDirectory() as scratch:
        settings = Settings(home=Path(scratch) / "home", engine="offline")
        hotels = Path(scratch) / "hotels"
        for part in ("documents", "sample_questions.txt"):
            source = ROOT / "corpora" / "hotels" / part
            copy = shutil.copytree if source.is_dir() else shutil.copy
            hotels.mkdir(exist_ok=True)
            copy(source, hotels / part)
        ingest(hotels, settings)
        with serving(hotels, settings) as page, chromium() as browser:
            take(browser, page, out)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs")
