"""How soon the page shows rows: `pytest -m benchmark -s tests/benchmarks/test_page_paint.py`."""

import csv
from pathlib import Path

import pytest

from srag_mcp import ingest
from srag_mcp.settings import Settings
from tests.page.conftest import serving

pytest.importorskip("playwright", reason="playwright is not here")

from tests.page.browser import chromium, find_chromium, looking

N_RECORDS, N_LOADS = 10_000, 5
PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
SHOWN = "performance.getEntriesByName('shown table')[0].startTime"


@pytest.mark.benchmark
@pytest.mark.skipif(find_chromium() is None, reason="no Chromium was found")
def test_rows_of_ten_thousand_records_are_painted(tmp_path: Path) -> None:
    folder = tmp_path / "orders"
    folder.mkdir()
    with (folder / "orders.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["number", "customer", "city", "quantity", "price", "ordered", "paid"])
        for n in range(N_RECORDS):
            city = ("Berlin", "Rome", "Oslo")[n % 3]
            day = f"20{18 + n % 7}-{1 + n % 12:02d}-{1 + n % 28:02d}"
            paid = ("yes", "no", "")[n % 3]
            price = f"{n * 37 % 9973 / 10}"
            writer.writerow([f"SO-{n:05d}", f"Customer {n % 400}", city, n % 40, price, day, paid])
    settings = Settings(home=tmp_path / "home", engine="offline")
    ingest(folder, settings)
    found = []
    with serving(folder, settings) as page, chromium() as browser:
        for _ in range(N_LOADS):
            with looking(browser) as seen:
                seen.open(page.address)
                found.append((seen.tab.evaluate(PAINT), seen.tab.evaluate(SHOWN)))
    for name, times in zip(("first paint", "rows shown"), zip(*found, strict=True), strict=True):
        print(f"\n{name}, ms of {N_LOADS} loads: {sorted(map(round, times))}", end="")
