"""`kill -9` while a language model is asked: the next run finishes and pays for nothing twice."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from srag_mcp.model.ledger import Ledger
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.settings import Settings
from srag_mcp.store.layout import CorpusFolder
from srag_mcp.store.spool import StoredReplies
from srag_mcp.store.state import open_state
from tests.model.openai_server import Answer, Body, serving
from tests.pipeline.reading_model import say, suspects

QUESTIONS = ["Which station opened last?", "How high is the highest?"]
_INGEST = """
import sys
from pathlib import Path
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.settings import Settings
settings = Settings.model_validate_json(sys.argv[2])
ingest(Path(sys.argv[1]), settings.model_copy(update={"api_key": "none"}), questions=sys.argv[3:])
"""


def write_stations(folder: Path, n: int = 30, n_in_millimetres: int = 0) -> Path:
    folder.mkdir()
    for number in range(n):
        height = (100 + number) * (1000 if number < n_in_millimetres else 1)
        text = (
            f"The hut stands {height} metres above the town of Arla, where it has measured"
            f" rain since {1900 + number}. It is kept by Anna.\n"
        )
        (folder / f"{number:03d}.txt").write_text(text)
    return folder


def settings_for(base: str, home: Path) -> Settings:
    return Settings(
        workers=1,
        home=home,
        model="openai/fake",
        api_base=base,
        api_key="none",
        schema_iterations=2,
        schema_documents=4,
        concurrency=2,
    )


def calls_of(folder: Path, home: Path) -> dict[str, int]:
    with open_state(CorpusFolder(folder, home).writable()) as state:
        ledger = Ledger(StoredReplies(state).calls())
    return {step: totals.n_calls for step, totals in ledger.by_step.items()}


def any_request(body: Body) -> bool:
    return True


def kill_after(
    folder: Path, home: Path, n_requests: int, counts: Callable[[Body], object] = any_request
) -> None:
    """Start an ingestion; kill its process when the server gets its n-th request that *counts*."""
    reached = threading.Event()
    n_seen = 0

    def script(body: Body) -> Answer:
        nonlocal n_seen
        n_seen += bool(counts(body))
        if n_seen >= n_requests:
            reached.set()
            return Answer("{}", delay_s=30)
        return say(body)

    with serving(script) as server:
        arguments = [str(folder), settings_for(server.base, home).model_dump_json(), *QUESTIONS]
        process = subprocess.Popen([sys.executable, "-P", "-c", _INGEST, *arguments])
        assert reached.wait(60)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()


def count_calls(folder: Path, home: Path) -> dict[str, int]:
    """Count the calls of an ingestion that nobody disturbs."""
    with serving(say) as server:
        ingest(folder, settings_for(server.base, home), questions=QUESTIONS)
        calls = calls_of(folder, home)
        assert sum(calls.values()) == len(server.requests)
    return calls


@pytest.fixture(scope="module")
def needed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    folder = write_stations(tmp_path_factory.mktemp("calm") / "stations")
    calls = count_calls(folder, tmp_path_factory.mktemp("home"))
    assert calls == {"schema": 2, "records": 1 + 2, "translate": 2}
    return calls


@pytest.fixture(scope="module")
def needed_to_standardise(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    folder = write_stations(tmp_path_factory.mktemp("calm") / "stations", 120, 24)
    calls = count_calls(folder, tmp_path_factory.mktemp("home"))
    assert calls["standardise"] == 2
    return calls


@pytest.mark.parametrize(
    "n_requests",
    [1, 6, *(pytest.param(n, marks=pytest.mark.thorough) for n in (2, 3, 4, 5, 7))],
)
def test_a_killed_ingestion_goes_on_where_it_was(
    tmp_path: Path, needed: dict[str, int], n_requests: int
) -> None:
    folder = write_stations(tmp_path / "stations")
    kill_after(folder, tmp_path / "home", n_requests)
    with serving(say) as server:
        settings = settings_for(server.base, tmp_path / "home")
        report = ingest(folder, settings, questions=QUESTIONS)
    assert report.build_id is not None
    assert report.n_documents == 30
    assert calls_of(folder, tmp_path / "home") == needed


@pytest.mark.parametrize("n_requests", [pytest.param(1, marks=pytest.mark.thorough), 2])
def test_an_ingestion_that_is_killed_as_it_standardises_goes_on_where_it_was(
    tmp_path: Path, needed_to_standardise: dict[str, int], n_requests: int
) -> None:
    folder = write_stations(tmp_path / "stations", 120, 24)
    kill_after(folder, tmp_path / "home", n_requests, suspects)
    with serving(say) as server:
        settings = settings_for(server.base, tmp_path / "home")
        report = ingest(folder, settings, questions=QUESTIONS)
        asked = [len(suspects(body)) for body in server.requests]
    assert [n for n in asked if n] == [20, 4][n_requests - 1 :]
    assert (report.n_documents, report.n_standardised) == (120, 12)
    assert calls_of(folder, tmp_path / "home") == needed_to_standardise
