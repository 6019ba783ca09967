"""How near the prediction of 1,000 records comes to the ideal time.

Ideal is n x L / c: a prompt a document, latency 0.2 s, 64 in flight: 3.1 s. Small documents share
prompts, so there are fewer of them, and the clock stays below. Long documents have one each.
Run: pytest -m benchmark tests/benchmarks/test_model_ingest_scale.py -s
"""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from srag_mcp.engines.protocol import Progress
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings

pytestmark = pytest.mark.benchmark

N_DOCUMENTS = 1000
LATENCY_S = 0.2
CONCURRENCY = 64
LIMIT = 1.15
FILLER = "It rained, and the rain was measured, and nobody came by that day. "
SCHEMA = Schema(
    title="Station",
    entity="stations",
    attributes=(
        Attribute(name="town", type="string", description="The town below the station."),
        Attribute(name="height_m", type="integer", unit="m", description="Above the sea."),
        Attribute(name="opened", type="integer", description="Year of the first measurement."),
    ),
)


@contextmanager
def server_process() -> Iterator[str]:
    command = [sys.executable, "-m", "tests.pipeline.station_server", str(LATENCY_S)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.mark.parametrize(("kind", "n_filler"), [("short", 5), ("a prompt each", 280)])
def test_a_thousand_documents_take_little_longer_than_the_model(
    tmp_path: Path, kind: str, n_filler: int
) -> None:
    folder = tmp_path / "stations"
    folder.mkdir()
    for number in range(N_DOCUMENTS):
        text = (
            f"The hut stands {100 + number} metres above the town of Arla, where it has measured"
            f" rain since {1900 + number % 99}. {FILLER * n_filler}\n"
        )
        (folder / f"{number:04d}.txt").write_text(text)
    marks: dict[str, float] = {}

    def note(progress: Progress) -> None:
        marks.setdefault(progress.stage, time.perf_counter())

    with server_process() as base:
        settings = Settings(
            home=tmp_path / "home",
            model="openai/fake",
            api_base=base,
            api_key="none",
            concurrency=CONCURRENCY,
        )
        started = time.perf_counter()
        report = ingest(folder, settings, schema=SCHEMA, on_progress=note)
        whole_s = time.perf_counter() - started
    took_s = marks["standardising"] - marks["predicting"]
    ideal_s = N_DOCUMENTS * LATENCY_S / CONCURRENCY
    assert report.taken is not None
    print(
        f"\n{kind}: {report.n_predicted} documents in {report.taken.n_calls} prompts:"
        f" {took_s:.2f} s, ideal {ideal_s:.2f} s, ratio {took_s / ideal_s:.2f};"
        f" the whole ingestion {whole_s:.1f} s"
    )
    assert took_s <= LIMIT * ideal_s
