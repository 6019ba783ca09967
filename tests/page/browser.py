"""A headless Chromium of the system, with a look at all that a page does in it."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from playwright.sync_api import Browser, sync_playwright
from playwright.sync_api import Page as Tab

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
WIDE, PHONE = (1280, 800), (390, 844)


def find_chromium() -> str | None:
    """Return the program; None where this system has none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start it; as root it can only run without its sandbox."""
    with sync_playwright() as driver:
        is_root = hasattr(os, "geteuid") and os.geteuid() == 0
        arguments = ["--no-sandbox"] if is_root else []
        browser = driver.chromium.launch(executable_path=find_chromium(), args=arguments)
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Seen:
    """What a tab asked for, and what went wrong in it."""

    tab: Tab
    requests: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def open(self, address: str, first: str = "tbody td") -> None:
        self.tab.goto(address)
        self.tab.wait_for_selector(first)

    def go(self, view: str, first: str) -> None:
        self.tab.click(f"#views >> text={view}")
        self.tab.wait_for_selector(first)


@contextmanager
def looking(
    browser: Browser, size: tuple[int, int] = WIDE, *, is_dark: bool = False
) -> Iterator[Seen]:
    """Open a tab of a size; a phone's has a touch screen."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if is_dark else "light",
        is_mobile=size == PHONE,
        has_touch=size == PHONE,
        reduced_motion="reduce",
    )
    tab = context.new_page()
    seen = Seen(tab)
    tab.on("request", lambda request: seen.requests.append(request.url))
    tab.on("pageerror", lambda error: seen.problems.append(str(error)))
    tab.on("console", lambda said: seen.problems.append(f"{said.type}: {said.text}"))
    tab.on("dialog", lambda dialog: seen.problems.append(f"dialog: {dialog.message}"))
    try:
        yield seen
    finally:
        context.close()
