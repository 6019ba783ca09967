"""Two servers read while a third process ingests."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from srag_mcp.errors import LockedError
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.work import open_work

WriteStation = Callable[..., Path]

N_BUILDS = 8
READ = """
import json, sys
from pathlib import Path
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool

folder, home, stop = (Path(argument) for argument in sys.argv[1:])
sql = '''SELECT (SELECT count(*) FROM stations), (SELECT sum(height) FROM stations),
         (SELECT count(*) FROM documents), (SELECT count(*) FROM cells)'''
counts, n_queries, torn = set(), 0, []
with QueryPool() as worker:
    corpus = Corpus(folder, worker, home)
    while not stop.exists() or n_queries == 0:
        stations, height, documents, cells = corpus.select(sql).rows[0]
        n_queries += 1
        counts.add(stations)
        if (height, documents, cells) != (stations * 7, stations, stations * 2):
            torn.append([stations, height, documents, cells])
        if n_queries == 1:
            print("reading", flush=True)
print(json.dumps({"n_queries": n_queries, "counts": sorted(counts), "torn": torn}))
"""


@pytest.mark.thorough
def test_every_query_is_answered_from_a_whole_build_while_another_process_ingests(
    tmp_path: Path, settings: Settings, schema: Schema, write_station: WriteStation
) -> None:
    corpus, stop = tmp_path / "stations", tmp_path / "stop"
    for number in range(1, 6):
        write_station(corpus, number, height=7)
    ingest(corpus, settings, schema=schema)
    arguments = [sys.executable, "-c", READ, str(corpus), str(settings.home), str(stop)]
    servers = [subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    for server in servers:
        assert server.stdout is not None
        assert server.stdout.readline() == "reading\n"

    for number in range(6, 6 + N_BUILDS):
        write_station(corpus, number, height=7)
        assert ingest(corpus, settings, schema=schema).published
    stop.touch()

    for server in servers:
        said = json.loads(server.communicate(timeout=60)[0].splitlines()[-1])
        assert said["torn"] == []
        assert server.returncode == 0
        assert len(said["counts"]) > 1
        assert said["n_queries"] > len(said["counts"])


@pytest.mark.usefixtures("impatient")
def test_a_second_ingestion_is_told_who_holds_the_lock(
    corpus: Path, settings: Settings, schema: Schema
) -> None:
    hold = (
        "import sys; from pathlib import Path; from srag_mcp.store.layout import ingestion_lock\n"
        "with ingestion_lock(Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()"
    )
    ingest(corpus, settings, schema=schema)
    holder = subprocess.Popen(
        [sys.executable, "-c", hold, str(corpus / ".srag")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"

    with pytest.raises(
        LockedError, match=rf"process {holder.pid} on .* finished documents are kept"
    ):
        ingest(corpus, settings, schema=schema)

    holder.kill()
    holder.communicate()
    assert ingest(corpus, settings, schema=schema).n_documents == 5


def test_a_work_database_that_another_program_has_open_is_a_clear_error(
    ingested: Path, settings: Settings, schema: Schema
) -> None:
    path = ingested / ".srag" / "work.duckdb"
    hold = (
        "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('open', flush=True);"
        " sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", hold, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "open\n"

    with pytest.raises(LockedError, match=r"another program has .*work\.duckdb open"):
        ingest(ingested, settings, schema=schema)

    holder.communicate()
    with open_work(ingested / ".srag") as work:
        assert work.n_documents() == 5
