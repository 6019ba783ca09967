import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from srag_mcp.engines.protocol import Progress
from srag_mcp.errors import CorpusError
from srag_mcp.inference.ask import ask as ask_question
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.pipeline.report import Failure, IngestReport, UncoveredQuestion
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool

Ask = Callable[[Path, str], list[tuple[object, ...]]]
WriteStation = Callable[..., Path]
ALL = "SELECT document_id, town, height FROM stations ORDER BY document_id"


def station(number: int, height: int | None = None) -> tuple[object, ...]:
    return (f"station-{number:03d}.txt", f"Town {number}", height or number * 10)


def test_a_folder_becomes_a_table_with_a_record_a_document(
    corpus: Path, settings: Settings, schema: Schema, ask: Ask
) -> None:
    report = ingest(corpus, settings, schema=schema)

    assert report.build_id is not None
    assert replace(report, seconds=0.0) == IngestReport(
        corpus="stations",
        build_id=report.build_id,
        published=True,
        n_documents=5,
        n_extracted=5,
        attributes=("town", "height"),
        account="of 40 words in 5 documents the columns account for 62 %",
    )
    assert ask(corpus, ALL) == [station(number) for number in range(1, 6)]


def test_nothing_is_published_when_nothing_has_changed(
    corpus: Path, settings: Settings, schema: Schema
) -> None:
    first = ingest(corpus, settings, schema=schema)
    second = ingest(corpus, settings, schema=schema)

    assert replace(second, seconds=0.0) == replace(
        first, published=False, n_extracted=0, n_unchanged=5, seconds=0.0
    )


def test_added_changed_and_removed_documents_are_in_the_next_build(
    ingested: Path, settings: Settings, schema: Schema, ask: Ask, write_station: WriteStation
) -> None:
    write_station(ingested, 6)
    write_station(ingested, 2, height=2222)
    (ingested / "station-003.txt").unlink()

    report = ingest(ingested, settings, schema=schema)

    assert (report.n_extracted, report.n_unchanged, report.n_removed) == (2, 3, 1)
    numbers = {1: 10, 2: 2222, 4: 40, 5: 50, 6: 60}
    assert ask(ingested, ALL) == [station(number, height) for number, height in numbers.items()]


def test_a_document_that_was_only_touched_is_not_extracted_again(
    ingested: Path, settings: Settings, schema: Schema
) -> None:
    (ingested / "station-001.txt").touch()

    report = ingest(ingested, settings, schema=schema)

    assert (report.n_extracted, report.n_unchanged, report.published) == (0, 5, False)


def test_a_file_that_cannot_be_read_is_reported_and_the_rest_goes_on(
    corpus: Path, settings: Settings, schema: Schema, ask: Ask
) -> None:
    (corpus / "broken.pdf").write_bytes(b"%PDF-1.7 this is no PDF")
    (corpus / "empty.txt").write_bytes(b"")
    (corpus / "photo.png").write_bytes(b"\x89PNG")

    report = ingest(corpus, settings, schema=schema)

    assert [failure.path for failure in report.failed] == ["broken.pdf", "empty.txt"]
    assert Failure("empty.txt", "the file is empty") in report.failed
    assert [failure.path for failure in report.skipped] == ["photo.png"]
    assert report.n_documents == 7
    cells = "SELECT state, note FROM cells WHERE document_id = 'empty.txt' AND attribute = 'town'"
    assert ask(corpus, cells) == [("failed", "the file is empty")]
    assert ask(corpus, "SELECT count(*), count(town) FROM stations") == [(5, 5)]
    assert ask(corpus, "SELECT count(*) FROM documents") == [(7,)]


def test_a_file_that_cannot_be_read_is_no_record_and_every_answer_says_so(
    corpus: Path, settings: Settings, schema: Schema, worker: QueryPool
) -> None:
    (corpus / "broken.pdf").write_bytes(b"%PDF-1.7 this is no PDF")
    ingest(corpus, settings, schema=schema)

    ready = Corpus(corpus, worker, settings.home)

    assert (ready.info().n_documents, ready.info().n_failed) == (5, 1)
    assert [(c.n_records, c.n_failed) for c in ready.statistics()] == [(5, 0), (5, 0)]
    assert ready.notices() == ("1 file could not be read, and no record is of it",)


def test_documents_with_the_same_bytes_count_once(
    ingested: Path, settings: Settings, schema: Schema, ask: Ask, write_station: WriteStation
) -> None:
    (ingested / "a-copy.txt").write_bytes((ingested / "station-003.txt").read_bytes())

    report = ingest(ingested, settings, schema=schema)

    assert report.n_documents == 5
    assert report.skipped == (
        Failure("station-003.txt", "has the same bytes as a-copy.txt, and is counted once"),
    )
    assert ask(ingested, "SELECT count(*), sum(height) FROM stations") == [(5, 150)]
    (ingested / "a-copy.txt").unlink()
    assert ingest(ingested, settings, schema=schema).skipped == ()
    assert ask(ingested, "SELECT count(*), sum(height) FROM stations") == [(5, 150)]


def test_answers_say_that_files_are_not_as_they_were_read(
    ingested: Path,
    settings: Settings,
    schema: Schema,
    worker: QueryPool,
    write_station: WriteStation,
) -> None:
    assert Corpus(ingested, worker, settings.home).notices() == ()
    write_station(ingested, 6)
    write_station(ingested, 7)
    write_station(ingested, 2, height=2222)
    (ingested / "station-003.txt").unlink()
    (ingested / "photo.png").touch()

    answer = ask_question(Corpus(ingested, worker, settings.home), "How many stations are there?")

    said = "files are not as they were read: 2 new, 1 changed, 1 gone; ingest the corpus again"
    assert said in answer.assumptions
    ingest(ingested, settings, schema=schema)
    assert Corpus(ingested, worker, settings.home).notices() == ()


def test_a_file_that_was_mended_is_read_at_the_next_ingestion(
    corpus: Path, settings: Settings, schema: Schema, write_station: WriteStation
) -> None:
    path = corpus / "station-009.txt"
    path.write_bytes(b"")
    ingest(corpus, settings, schema=schema)
    write_station(corpus, 9)

    report = ingest(corpus, settings, schema=schema)

    assert (report.n_extracted, report.failed, report.n_documents) == (1, (), 6)


def test_rows_are_documents_when_a_table_is_the_only_file(
    tmp_path: Path, settings: Settings, schema: Schema, ask: Ask
) -> None:
    folder = tmp_path / "table"
    folder.mkdir()
    lines = ["Town,Height", *(f"Town {number},{number * 10}" for number in range(1, 13))]
    (folder / "all.csv").write_text("\n".join(lines), encoding="utf-8")

    report = ingest(folder, settings, schema=schema)

    assert report.rows
    assert report.rows_reason == "each row of all.csv is a document: it is the only file"
    assert ask(folder, f"{ALL} LIMIT 2") == [
        ("all.csv#01", "Town 1", 10),
        ("all.csv#02", "Town 2", 20),
    ]


def test_rows_that_did_not_change_are_kept_when_their_table_does(
    tmp_path: Path, settings: Settings, schema: Schema, ask: Ask
) -> None:
    table = tmp_path / "table" / "all.csv"
    table.parent.mkdir()
    table.write_text("Town,Height\nA,1\nB,2\nC,3\n", encoding="utf-8")
    ingest(table.parent, settings, schema=schema)
    table.write_text("Town,Height\nA,1\nB,22\n", encoding="utf-8")

    report = ingest(table.parent, settings, schema=schema)

    assert (report.n_extracted, report.n_unchanged, report.n_documents) == (1, 1, 2)
    assert ask(table.parent, ALL) == [("all.csv#1", "A", 1), ("all.csv#2", "B", 22)]


def test_a_large_table_is_shared_out_to_several_processes(
    tmp_path: Path, settings: Settings, schema: Schema, ask: Ask
) -> None:
    folder = tmp_path / "table"
    folder.mkdir()
    filler = "fog " * 500
    lines = [f"Town {number},{number},{filler}" for number in range(600)]
    (folder / "all.csv").write_text("\n".join(["Town,Height,Filler", *lines]), encoding="utf-8")

    report = ingest(folder, settings.model_copy(update={"workers": 2}), schema=schema)

    assert report.n_extracted == 600
    counts = "SELECT count(DISTINCT document_id), sum(height), count(*) FROM stations"
    assert ask(folder, counts) == [(600, 179_700, 600)]


def test_progress_goes_through_the_stages_in_order(
    corpus: Path, settings: Settings, schema: Schema
) -> None:
    steps: list[Progress] = []

    ingest(corpus, settings, schema=schema, on_progress=steps.append)

    stages = list(dict.fromkeys(step.stage for step in steps))
    assert stages == ["finding", "extracting", "normalising", "publishing", "done"]
    extracting = [step for step in steps if step.stage == "extracting"]
    assert [(step.done, step.total) for step in extracting if step.done == 5] == [(5, 5)]


def test_a_cancelled_ingestion_keeps_what_is_finished_and_the_old_build(
    ingested: Path, settings: Settings, schema: Schema, ask: Ask, write_station: WriteStation
) -> None:
    for number in range(6, 9):
        write_station(ingested, number)
    seen: list[Progress] = []

    def is_enough() -> bool:
        return any(step.done == 1 for step in seen)

    report = ingest(ingested, settings, schema=schema, on_progress=seen.append, cancelled=is_enough)

    assert (report.cancelled, report.published, report.n_extracted) == (True, False, 1)
    assert "done" not in {progress.stage for progress in seen}
    assert len(ask(ingested, ALL)) == 5
    again = ingest(ingested, settings, schema=schema)
    assert (again.n_extracted, again.n_documents) == (2, 8)


def test_sample_questions_that_the_columns_do_not_answer_are_named(
    corpus: Path, settings: Settings, schema: Schema
) -> None:
    asked = "Who painted the zeppelin?"
    questions = ("How many stations are there?", asked, " ", f" {asked}\n")

    report = ingest(corpus, settings, schema=schema, questions=questions)

    assert [item.question for item in report.uncovered] == ["Who painted the zeppelin?"]
    assert all(isinstance(item, UncoveredQuestion) and item.reason for item in report.uncovered)
    assert (report.answered, report.untried) == (("How many stations are there?",), ())
    assert "answered: How many stations are there?" in report.lines()


def test_documents_without_common_fields_can_still_be_queried_as_documents(
    tmp_path: Path, settings: Settings, ask: Ask
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.txt").write_text("Nothing much.", encoding="utf-8")
    (folder / "b.txt").write_text("It rained.", encoding="utf-8")

    report = ingest(folder, settings)

    assert ask(folder, "SELECT count(*) FROM documents") == [(2,)]
    assert report.attributes or any("no attributes were found" in text for text in report.warnings)


def test_a_folder_where_no_file_can_be_read_is_an_error_that_names_them(
    tmp_path: Path, settings: Settings
) -> None:
    folder = tmp_path / "broken"
    folder.mkdir()
    (folder / "one.pdf").write_bytes(b"not a PDF")

    with pytest.raises(CorpusError, match=r"none of the files .* could be read"):
        ingest(folder, settings)


def test_a_report_is_json_and_lines(corpus: Path, settings: Settings, schema: Schema) -> None:
    (corpus / "empty.txt").write_bytes(b"")

    report = ingest(corpus, settings, schema=schema)

    assert json.loads(json.dumps(report.to_json()))["n_documents"] == 6
    assert report.lines()[1:] == [
        "6 documents (5 read now, 0 unchanged, 0 removed, 1 could not be read)",
        "2 attributes: town, height",
        "of 40 words in 5 documents the columns account for 62 %",
        "could not be read: empty.txt: the file is empty",
    ]


def test_a_question_at_the_head_of_a_table_is_a_column_however_long_it_is(
    tmp_path: Path, settings: Settings, ask: Ask
) -> None:
    folder = tmp_path / "survey"
    folder.mkdir()
    asked = "How satisfied are you with your work on the whole at present?"
    place = "In which department do you work for most of the week?"
    rows = [f"2024-03-{n + 1:02d},{n % 5 + 1},{('Sales', 'Stores')[n % 2]}" for n in range(20)]
    (folder / "answers.csv").write_text("\n".join([f"Day,{asked},{place}", *rows]), "utf-8")

    report = ingest(folder, settings)

    satisfied = next(name for name in report.attributes if name.startswith("satisfied"))
    department = next(name for name in report.attributes if name.startswith("department"))
    sql = f"SELECT {department}, avg({satisfied}) FROM survey GROUP BY ALL ORDER BY ALL"
    assert ask(folder, sql) == [("Sales", 3.0), ("Stores", 3.0)]


def test_columns_whose_days_lose_their_time_are_told(tmp_path: Path, settings: Settings) -> None:
    folder = tmp_path / "bookings"
    folder.mkdir()
    rows = [f"{n},2024-03-{n + 1:02d} 09:3{n % 9},2024-03-{n + 2:02d} 00:00" for n in range(12)]
    (folder / "bookings.csv").write_text("\n".join(["No,Start,Paid", *rows]), "utf-8")

    report = ingest(folder, settings)

    assert report.told == ("start: each day is stored without its time of day",)
    assert report.told[0] in report.lines()
