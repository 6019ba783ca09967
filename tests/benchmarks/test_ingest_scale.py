"""How ingestion grows: seconds, documents a second and peak memory for 1,000 and 10,000 pages.

pytest -m benchmark -s tests/benchmarks/test_ingest_scale.py
"""

import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from srag_mcp.pipeline.ingest import ingest
from srag_mcp.pipeline.report import Progress
from srag_mcp.settings import Settings

SAMPLED_EVERY_S = 0.1
FACILITIES = (
    "Pool", "Sauna", "Free parking", "Bicycle hire", "Lift", "Garden", "Library", "Laundry",
    "Airport shuttle", "Breakfast room", "Charging station", "Family rooms", "Terrace", "Bar",
    "Air conditioning", "Pets allowed", "Kitchen", "Conference room", "Billiards", "Playground",
)  # fmt: skip
CITIES = ("Arden", "Bellmar", "Corvin", "Dunmore", "Eastfold", "Farrow", "Glint", "Hallow")
FILLER = (
    "The house stands where the old road meets the river, and its guests come for the quiet as "
    "much as for the kitchen. Rooms look over the water or the yard; none of them is large. "
)


def write_pages(folder: Path, n_pages: int) -> None:
    """Write pages of some 8 kB: header, key-value list, prose with facts, facilities, markup."""
    folder.mkdir(parents=True)
    chance = random.Random(7)
    for number in range(n_pages):
        (folder / f"page-{number:05d}.html").write_text(page(number, chance), encoding="utf-8")


def page(number: int, chance: random.Random) -> str:
    """Write one page."""
    rooms, year = chance.randint(8, 240), chance.randint(1890, 2024)
    score, reviews = chance.uniform(5, 10), chance.randint(3, 4000)
    facilities = chance.sample(FACILITIES, chance.randint(3, 12))
    items = "".join(f'<li><i class="icon"></i><span>{item}</span></li>' for item in facilities)
    rows = "".join(
        f"<tr><td>{kind} room</td><td>EUR {chance.randint(40, 400)}</td><td>{size}</td></tr>"
        for kind, size in (("Single", 12), ("Double", 19), ("Family", 31))
    )
    return f"""<!DOCTYPE html><html lang="en"><head><title>House {number}</title>
<style>{".a{margin:0;padding:0;color:#333}" * 40}</style></head><body>
<nav><ul>{"<li><a href='/x'>Menu entry</a></li>" * 12}</ul></nav>
<h1>House {number}, {chance.choice(CITIES)}</h1>
<dl><dt>Rating</dt><dd>{score:.2f}/10 ({reviews} reviews)</dd><dt>Rooms</dt><dd>{rooms}</dd>
<dt>Opened</dt><dd>{chance.randint(1, 28)} March {year}</dd>
<dt>Check-in</dt><dd>from {chance.randint(12, 17)}:00</dd></dl>
<h2>About</h2><p>{FILLER * 4}The station is {chance.uniform(0.1, 9):.1f} km away.</p>
<p>{FILLER * 5}Restored in {year + 5}, it has {rooms} rooms on {chance.randint(2, 9)} floors.</p>
<h2>Prices</h2><table><tr><th>Room type</th><th>Price per night</th><th>Size (m²)</th></tr>
{rows}</table><h2>Facilities</h2><ul>{items}</ul>
<footer>{"<p>Imprint and terms of this invented house</p>" * 30}</footer></body></html>"""


@contextmanager
def peak_memory() -> Iterator[list[float]]:
    """Measure the largest resident memory of this process and its children together, in MiB."""
    peak, stopped = [0.0], threading.Event()

    def watch() -> None:
        while not stopped.wait(SAMPLED_EVERY_S):
            peak[0] = max(peak[0], resident_mb())

    thread = threading.Thread(target=watch)
    thread.start()
    yield peak
    stopped.set()
    thread.join()


def resident_mb() -> float:
    """Return the resident memory of this process and its children, from /proc, in MiB."""
    children = [_read(path) for path in Path("/proc/self/task").glob("*/children")]
    pids = ["self", *(pid for text in children for pid in text.split())]
    return sum(_resident_kb(pid) for pid in pids) / 1024


def _resident_kb(pid: str) -> int:
    status = _read(Path(f"/proc/{pid}/status"))
    lines = [line.split() for line in status.splitlines() if line.startswith("VmRSS")]
    return int(lines[0][1]) if lines else 0


def _read(path: Path) -> str:
    """Read a file of a thread or process that may end meanwhile."""
    try:
        return path.read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return ""


@pytest.mark.benchmark
def test_ingestion_grows_linearly(tmp_path: Path) -> None:
    seconds: dict[int, float] = {}
    for n_pages in (1_000, 10_000):
        folder = tmp_path / str(n_pages)
        write_pages(folder, n_pages)
        stages: dict[str, float] = {}
        started = time.monotonic()

        def note(
            step: Progress, started: float = started, stages: dict[str, float] = stages
        ) -> None:
            stages.setdefault(step.stage, round(time.monotonic() - started, 1))

        with peak_memory() as peak:
            report = ingest(folder, Settings(), on_progress=note)
        assert (report.n_documents, report.n_extracted, report.failed) == (n_pages, n_pages, ())
        seconds[n_pages] = report.seconds
        size = sum(path.stat().st_size for path in folder.glob("*.html")) / n_pages
        print(
            f"\n{n_pages} pages of {size:.0f} bytes, {len(report.attributes)} attributes:"
            f" {report.seconds:.1f} s, {n_pages / report.seconds:.0f} documents/s,"
            f" peak {peak[0]:.0f} MiB; stages begin at {stages}"
        )
    print(f"ten times as many documents take {seconds[10_000] / seconds[1_000]:.1f} times as long")
    assert seconds[10_000] < 120
