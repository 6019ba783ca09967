"""Folders, files and names that are wrong or odd: a clear error or a reported skip."""

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from srag_mcp.errors import CorpusError, NotIngestedError, StoreError
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.pipeline.report import Failure
from srag_mcp.schema.attribute import Attribute, KeyRule
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool

Ask = Callable[[Path, str], list[tuple[object, ...]]]
WriteStation = Callable[..., Path]

ODD_NAMES = (
    'it\'s "quoted".txt',
    "Größe – 名前 🗼.txt",
    "two\nlines.txt",
    "tab\there.txt",
    "percent%20;DROP TABLE stations;--.txt",
    "$(reboot) `id`.txt",
    "C:\\temp\\x.txt",
    " leading and trailing .txt",
    "a" * 240 + ".txt",
)
RESERVED = ("select", "order", "group", "table", "from", "where", "value", "stations", "cells")


def test_odd_names_of_files_are_kept_as_they_are(
    tmp_path: Path, settings: Settings, schema: Schema, ask: Ask, write_station: WriteStation
) -> None:
    folder = tmp_path / "stations"
    for number, name in enumerate(ODD_NAMES):
        write_station(folder, number, name=name)

    report = ingest(folder, settings, schema=schema)

    assert (report.n_documents, report.failed) == (len(ODD_NAMES), ())
    assert dict(ask(folder, "SELECT document_id, town FROM stations")) == {  # type: ignore[arg-type]  # pairs
        name: f"Town {number}" for number, name in enumerate(ODD_NAMES)
    }


@pytest.mark.parametrize(
    "name", ["with some spaces", "it's; --", "Ünïcödé 数据", "new\nline", "a.duckdb.folder"]
)
def test_odd_names_of_folders_work(
    tmp_path: Path,
    settings: Settings,
    schema: Schema,
    name: str,
    ask: Ask,
    write_station: WriteStation,
) -> None:
    folder = tmp_path / name
    write_station(folder, 1)

    assert ingest(folder, settings, schema=schema).corpus == name
    assert ask(folder, "SELECT town FROM stations") == [("Town 1",)]


def test_files_with_the_same_stem_are_two_documents(
    tmp_path: Path, settings: Settings, schema: Schema, ask: Ask, write_station: WriteStation
) -> None:
    folder = tmp_path / "stations"
    write_station(folder, 1, name="a.txt")
    write_station(folder, 2, name="a.md")
    write_station(folder, 3, name="sub/a.txt")

    ingest(folder, settings, schema=schema)

    rows = ask(folder, "SELECT document_id FROM stations ORDER BY 1")
    assert rows == [("a.md",), ("a.txt",), ("sub/a.txt",)]


@pytest.mark.skipif(sys.platform != "linux", reason="file systems here refuse such names")
def test_a_name_that_is_not_unicode_is_reported(
    corpus: Path, settings: Settings, schema: Schema
) -> None:
    path = os.fsencode(corpus) + b"/caf\xe9.txt"
    Path(os.fsdecode(path)).write_text("Town: X\n", encoding="utf-8")

    report = ingest(corpus, settings, schema=schema)

    assert report.failed == (Failure("caf?.txt", "its name is not Unicode; rename it"),)
    assert report.n_extracted == 5


def test_words_of_sql_and_names_of_tables_are_names_of_attributes(
    corpus: Path, settings: Settings, ask: Ask
) -> None:
    rule = KeyRule(keys=("town",))
    schema = Schema(
        title="Station",
        entity="stations",
        attributes=tuple(
            Attribute(name=word, type="string", extractors=(rule,)) for word in RESERVED
        ),
    )

    ingest(corpus, settings, schema=schema)

    for word in RESERVED:
        sql = f'SELECT "{word}" FROM stations ORDER BY document_id LIMIT 1'
        assert ask(corpus, sql) == [("Town 1",)]


def test_duplicate_columns_of_a_table_are_columns_of_their_own(
    tmp_path: Path, settings: Settings, ask: Ask
) -> None:
    folder = tmp_path / "prices"
    folder.mkdir()
    lines = ["Item,Price,Price,", *(f"item {n},{n},{n + 100},x{n}" for n in range(1, 9))]
    (folder / "all.csv").write_text("\n".join(lines), encoding="utf-8")

    report = ingest(folder, settings)

    assert report.n_documents == 8
    assert len(set(report.attributes)) == len(report.attributes)
    sums = [ask(folder, f'SELECT sum("{name}") FROM prices') for name in report.attributes[1:3]]
    assert sums == [[(36,)], [(836,)]]


def test_one_document_is_a_corpus(
    tmp_path: Path, settings: Settings, ask: Ask, write_station: WriteStation
) -> None:
    folder = tmp_path / "single"
    write_station(folder, 1)

    report = ingest(folder, settings)

    assert report.n_documents == 1
    assert ask(folder, "SELECT count(*) FROM documents") == [(1,)]


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda path: None, "does not exist"),
        (lambda path: path.write_text("x"), "is a file"),
        (lambda path: path.mkdir(), "holds no documents"),
        (lambda path: (path / "documents").mkdir(parents=True), "holds no documents"),
        (lambda path: (path / ".hidden").mkdir(parents=True), "holds no documents"),
    ],
)
def test_a_folder_without_documents_is_an_error_and_nothing_is_written(
    tmp_path: Path, settings: Settings, make: Callable[[Path], object], says: str
) -> None:
    folder = tmp_path / "corpus"
    make(folder)

    with pytest.raises(CorpusError, match=says):
        ingest(folder, settings)

    assert not (folder / ".srag").exists()


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.jsonl", b'{"a": 1}\n{"a": \n', r"a\.jsonl: it is not JSON at line 2"),
        ("a.csv", b"A,B\n", r"a\.csv: there is no row with values"),
        ("a.pdf", b"no PDF", r"a\.pdf: it is not a PDF file"),
        ("a.png", b"no text", r"a\.png: not a format"),
    ],
)
def test_when_no_file_can_be_read_each_is_named_with_its_reason(
    tmp_path: Path, settings: Settings, name: str, content: bytes, says: str
) -> None:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / name).write_bytes(content)

    with pytest.raises(CorpusError, match=rf"none of the files of .*: {says}"):
        ingest(tmp_path / "corpus", settings)


def test_a_folder_that_cannot_be_written_keeps_its_state_in_home(
    corpus: Path, settings: Settings, schema: Schema, ask: Ask
) -> None:
    (corpus / ".srag").write_text("a file where the folder should be", encoding="utf-8")

    ingest(corpus, settings, schema=schema)

    assert settings.home is not None
    assert [path.name.split("-")[0] for path in settings.home.iterdir()] == ["stations"]
    assert ask(corpus, "SELECT count(*) FROM stations") == [(5,)]


def test_without_any_place_to_write_to_the_error_says_what_to_set(
    corpus: Path, settings: Settings, schema: Schema, tmp_path: Path
) -> None:
    (corpus / ".srag").write_text("", encoding="utf-8")
    (tmp_path / "home").write_text("", encoding="utf-8")

    with pytest.raises(CorpusError, match="can be written; set SRAG_HOME"):
        ingest(corpus, settings, schema=schema)


def damage_pointer(state: Path) -> None:
    (state / "current.json").write_text("{]", encoding="utf-8")


def point_outside(state: Path) -> None:
    (state / "current.json").write_text('{"build": "../../evil"}', encoding="utf-8")


def cut_build(state: Path) -> None:
    path = next((state / "builds").glob("*.duckdb"))
    path.write_bytes(path.read_bytes()[:5000])


def replace_build(state: Path) -> None:
    next((state / "builds").glob("*.duckdb")).write_text("no database", encoding="utf-8")


def delete_builds(state: Path) -> None:
    shutil.rmtree(state / "builds")


@pytest.mark.parametrize(
    "damage", [damage_pointer, point_outside, cut_build, replace_build, delete_builds]
)
def test_a_damaged_build_is_a_clear_error_and_the_next_ingestion_publishes_again(
    ingested: Path,
    settings: Settings,
    schema: Schema,
    worker: QueryPool,
    damage: Callable[[Path], None],
) -> None:
    damage(ingested / ".srag")

    with pytest.raises(StoreError, match=r"ingest the corpus again|faster than"):
        Corpus(ingested, worker, settings.home).info()

    report = ingest(ingested, settings, schema=schema)
    assert (report.published, report.n_extracted, report.n_unchanged) == (True, 0, 5)
    assert Corpus(ingested, worker, settings.home).info().n_documents == 5


@pytest.mark.parametrize("content", [b"", b"no database", b"\x00" * 50_000])
def test_a_damaged_work_database_is_moved_aside_and_the_build_stays(
    ingested: Path, settings: Settings, schema: Schema, content: bytes, ask: Ask
) -> None:
    (ingested / ".srag" / "work.duckdb").write_bytes(content)
    assert ask(ingested, "SELECT count(*) FROM stations") == [(5,)]

    report = ingest(ingested, settings, schema=schema)

    assert (report.n_extracted, report.published) == (5, True)
    assert "work.duckdb could not be used and was moved to work.damaged-" in report.warnings[0]


def test_a_corpus_that_was_never_ingested_says_what_to_run(
    corpus: Path, settings: Settings, worker: QueryPool, tmp_path: Path
) -> None:
    with pytest.raises(NotIngestedError, match="call ingest_corpus"):
        Corpus(corpus, worker, settings.home).info()
    with pytest.raises(NotIngestedError, match="there is no build"):
        Corpus(tmp_path / "gone.duckdb", worker).info()


def test_too_many_documents_are_an_error_that_names_the_setting(
    corpus: Path, settings: Settings, schema: Schema
) -> None:
    with pytest.raises(CorpusError, match="SRAG_MAX_DOCUMENTS"):
        ingest(corpus, settings.model_copy(update={"max_documents": 3}), schema=schema)


def test_an_oversized_file_is_reported_with_the_setting(
    corpus: Path, settings: Settings, schema: Schema
) -> None:
    (corpus / "long.txt").write_text("x" * 30_000, encoding="utf-8")

    report = ingest(corpus, settings.model_copy(update={"max_document_mb": 0.01}), schema=schema)

    assert [item.path for item in report.failed] == ["long.txt"]
    assert "SRAG_MAX_DOCUMENT_MB" in report.failed[0].reason


def test_values_that_no_column_can_hold_are_failed_cells(
    tmp_path: Path, settings: Settings, schema: Schema, ask: Ask, write_station: WriteStation
) -> None:
    folder = tmp_path / "stations"
    write_station(folder, 1)
    write_station(folder, 2, height="9" * 40)
    write_station(folder, 3, height="very high")

    ingest(folder, settings, schema=schema)

    states = "SELECT state, value FROM cells WHERE attribute = 'height' ORDER BY document_id"
    assert ask(folder, states) == [("stated", "10"), ("failed", None), ("failed", None)]
    assert ask(folder, "SELECT sum(height) FROM stations") == [(10,)]
