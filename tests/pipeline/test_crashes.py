"""What `kill -9` leaves behind, at moments drawn by chance."""

import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from srag_mcp.pipeline.ingest import ingest
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings

Ask = Callable[[Path, str], list[tuple[object, ...]]]
WriteStation = Callable[..., Path]

N_KILLS = 20
N_ADDED = 8
INGEST = """
import sys
from pathlib import Path
from srag_mcp.pipeline import file_plan
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings

file_plan.BATCH_DOCUMENTS = 3
folder, home, schema = sys.argv[1:]
ingest(
    Path(folder), Settings(workers=2, home=Path(home)), schema=Schema.model_validate_json(schema),
    on_progress=lambda step: print(step.stage, step.done, flush=True),
)
"""


def run_and_kill(corpus: Path, settings: Settings, schema: Schema, moment: tuple[str, int]) -> str:
    """Start an ingestion and kill it at the n-th step of a stage; return the stage it was at."""
    stage, n_steps = moment
    command = [sys.executable, "-c", INGEST]
    arguments = [str(corpus), str(settings.home), schema.model_dump_json()]
    process = subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    last = ""
    with process.stdout:
        for line in process.stdout:
            last = line.split()[0]
            n_steps -= last == stage
            if n_steps == 0:
                break
        process.kill()
        process.wait()
    return last


def draw_moment(chance: random.Random) -> tuple[str, int]:
    """Draw when to kill: mostly while documents are kept, sometimes while a build is written."""
    stage = chance.choice(["extracting", "extracting", "extracting", "normalising", "publishing"])
    return (stage, {"extracting": chance.randint(1, N_ADDED * 2), "normalising": 2}.get(stage, 1))


def rows_of_documents(corpus: Path) -> dict[str, int]:
    """Return the documents of the work database, and where their rows are: new rows are others."""
    with duckdb.connect(str(corpus / ".srag" / "work.duckdb"), read_only=True) as work:
        return dict(work.execute("SELECT document_id, rowid FROM documents").fetchall())


@pytest.mark.thorough
def test_kill_at_random_moments_loses_nothing_and_does_nothing_twice(
    corpus: Path, settings: Settings, schema: Schema, ask: Ask, write_station: WriteStation
) -> None:
    chance = random.Random(20)
    ingest(corpus, settings, schema=schema)
    n_documents = 5
    stages = set()
    kept = rows_of_documents(corpus)
    for _ in range(N_KILLS):
        for number in range(n_documents, n_documents + N_ADDED):
            write_station(corpus, number + 1)
        n_documents += N_ADDED
        stages.add(run_and_kill(corpus, settings, schema, draw_moment(chance)))
        whole = "SELECT (SELECT count(*) FROM stations) = (SELECT count(*) FROM documents)"
        assert ask(corpus, whole) == [(True,)]
        before, kept = kept, rows_of_documents(corpus)
        assert before.items() <= kept.items(), "what was kept is not read again"

    report = ingest(corpus, settings, schema=schema)

    assert report.n_documents == n_documents
    assert ask(corpus, "SELECT count(*), count(height), sum(height) FROM stations") == [
        (n_documents, n_documents, 10 * n_documents * (n_documents + 1) // 2)
    ]
    assert stages >= {"extracting", "normalising", "publishing"}
    assert kept.items() <= rows_of_documents(corpus).items()
    builds = sorted(path.name for path in (corpus / ".srag" / "builds").iterdir())
    assert len(builds) == 2
    assert all(name.endswith(".duckdb") for name in builds)


FULL = """
import resource, sys
from pathlib import Path
from srag_mcp.errors import StoreError
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings

folder, home, schema = sys.argv[1:]
resource.setrlimit(resource.RLIMIT_FSIZE, (1_500_000, 1_500_000))
try:
    ingest(
        Path(folder), Settings(workers=1, home=Path(home)),
        schema=Schema.model_validate_json(schema),
    )
except StoreError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit of file sizes to set")
def test_a_full_disk_is_an_error_and_the_old_build_stays(
    ingested: Path, settings: Settings, schema: Schema, ask: Ask
) -> None:
    for number in range(15):
        text = f"Town: L\n\n{'aboard ' * 20_000}{number}\n"
        (ingested / f"long-{number}.txt").write_text(text, encoding="utf-8")

    arguments = [str(ingested), str(settings.home), schema.model_dump_json()]
    said = subprocess.run(
        [sys.executable, "-c", FULL, *arguments], capture_output=True, text=True, check=False
    )

    assert "writing" in said.stdout, said.stderr
    assert ask(ingested, "SELECT count(*) FROM stations") == [(5,)]
    assert ingest(ingested, settings, schema=schema).n_documents == 20
    assert ask(ingested, "SELECT count(*) FROM stations") == [(20,)]


def test_readers_of_a_killed_ingestion_end_with_it(
    corpus: Path, settings: Settings, schema: Schema
) -> None:
    run_and_kill(corpus, settings, schema, ("extracting", 2))

    # The lock is free: nothing that the dead process started holds it.
    assert ingest(corpus, settings, schema=schema).n_documents == 5
