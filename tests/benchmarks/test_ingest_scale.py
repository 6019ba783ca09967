"""How ingestion grows: seconds, processor seconds and peak memory for 1,000 and 10,000 pages.

Two kinds of pages: invented ones, and those of `corpora/hotels` with other numbers in them. The
schema is induced from at most 300 documents, so what comes before the first extraction does not
grow; it is printed, and left out of the ratio that is checked. The ratio of the totals is printed
too. Processor seconds tell growth from what else the machine does.

Run: pytest -m benchmark -s tests/benchmarks/test_ingest_scale.py
"""

import os
import random
import re
import resource
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from srag_mcp.engines.protocol import Progress
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.settings import Settings

SAMPLED_EVERY_S = 0.1
SIZES = (1_000, 10_000)
MAX_SECONDS = 120
MAX_PEAK_MB = 1024
MAX_UNEVENNESS = 0.2
HOTELS = Path(__file__).parents[2] / "corpora" / "hotels" / "documents"
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
        text = numbered(page(number, chance), number)
        (folder / f"page-{number:05d}.html").write_text(text, encoding="utf-8")


def numbered(text: str, number: int) -> str:
    """Make *text* a document of its own: copies are counted once."""
    return f"{text}<!-- {number} -->\n"


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


def write_hotels(folder: Path, n_pages: int) -> None:
    """Write the pages of `corpora/hotels` again and again, a third of their numbers drawn anew."""
    folder.mkdir(parents=True)
    chance = random.Random(7)
    texts = [path.read_text(encoding="utf-8") for path in sorted(HOTELS.glob("*.html"))]

    def drawn(number: re.Match[str]) -> str:
        return str(chance.randint(10, 99)) if chance.random() < 1 / 3 else number.group()

    def redrawn(shown: re.Match[str]) -> str:
        return re.sub(r"(?<!\d)[1-9]\d(?!\d)", drawn, shown.group())

    for number in range(n_pages):
        text = re.sub(r">[^<]+<", redrawn, texts[number % len(texts)])
        (folder / f"hotel-{number:05d}.html").write_text(numbered(text, number), encoding="utf-8")


def processor_seconds() -> float:
    """Return the processor time of this process and of all below it.

    Those that have ended are counted by the system once; readers that wait for more run on.
    """
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    ended = sum(usage.ru_utime + usage.ru_stime for usage in usages)
    stats = [_read(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split() for pid in _children()]
    ticks = sum(int(tick) for stat in stats for tick in stat[11:13])  # user and system time
    return ended + ticks / os.sysconf("SC_CLK_TCK")


@dataclass
class Run:
    """Seconds of one ingestion, by the clock and of processors: until each stage, and in all."""

    n_pages: int
    started: float = field(default_factory=time.monotonic)
    used: float = field(default_factory=processor_seconds)
    stages: dict[str, tuple[float, float]] = field(default_factory=dict)

    def note(self, step: Progress) -> None:
        """Note when a stage begins."""
        self.stages.setdefault(step.stage, self.now())

    def now(self) -> tuple[float, float]:
        """Return the seconds so far."""
        return time.monotonic() - self.started, processor_seconds() - self.used

    @property
    def fixed(self) -> tuple[float, float]:
        """The seconds before the first document is extracted: finding files, sample, schema."""
        return self.stages["extracting"]

    @property
    def total(self) -> tuple[float, float]:
        """The seconds in all."""
        return self.stages["done"]

    @property
    def marginal_ms(self) -> float:
        """Processor milliseconds a document, without what is fixed."""
        return (self.total[1] - self.fixed[1]) / self.n_pages * 1000


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
    """Return the resident memory of this process and all below it, from /proc, in MiB."""
    return sum(_resident_kb(pid) for pid in ("self", *_children())) / 1024


def _children(pid: str = "self") -> list[str]:
    """List the processes that one started and that run, and those that they started."""
    texts = [_read(path) for path in Path(f"/proc/{pid}/task").glob("*/children")]
    own = [child for text in texts for child in text.split()]
    return [*own, *(below for child in own for below in _children(child))]


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
@pytest.mark.usefixtures("cold_starts")  # readers that tests fork have more memory than a user's
@pytest.mark.parametrize("write", [write_pages, write_hotels])
def test_ingestion_grows_linearly(tmp_path: Path, write: Callable[[Path, int], None]) -> None:
    runs = []
    for n_pages in SIZES:
        folder = tmp_path / str(n_pages)
        write(folder, n_pages)
        run = Run(n_pages)
        with peak_memory() as peak:
            report = ingest(folder, Settings(), on_progress=run.note)
        assert (report.n_documents, report.n_extracted, report.failed) == (n_pages, n_pages, ())
        size = sum(path.stat().st_size for path in folder.glob("*.html")) / n_pages
        begun = {stage: f"{clock:.1f} s" for stage, (clock, _) in run.stages.items()}
        print(
            f"\n{n_pages} pages of {size:.0f} bytes, {len(report.attributes)} attributes:"
            f" {run.total[0]:.1f} s, {run.total[1]:.1f} processor s, peak {peak[0]:.0f} MiB;"
            f" fixed {run.fixed[0]:.1f} s, {run.fixed[1]:.1f} processor s;"
            f" then {run.marginal_ms:.2f} processor ms a document; stages begin at {begun}"
        )
        runs.append(run)
        assert peak[0] < MAX_PEAK_MB
    few, many = runs
    growth = many.marginal_ms / few.marginal_ms
    print(
        f"ten times as many documents: {many.total[0] / few.total[0]:.1f} times the seconds,"
        f" {many.total[1] / few.total[1]:.1f} times the processor seconds,"
        f" {growth:.2f} times the processor seconds a document without the fixed part"
    )
    assert many.total[0] < MAX_SECONDS
    assert abs(growth - 1) <= MAX_UNEVENNESS
