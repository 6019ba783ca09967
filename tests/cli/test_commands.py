"""Each command: what it prints for people, and for machines."""

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import PASSENGERS, PROPERTIES, Cli


def test_ingest_reports_what_it_did(cli: Cli, ferries: Path, schema_file: Path) -> None:
    result = cli("ingest", ferries, "--schema", schema_file)

    lines = result.out.splitlines()
    assert result.status == 0
    assert lines[0].startswith("ferries: published build 000001-")
    assert lines[1:] == [
        "4 documents (4 read now, 0 unchanged, 0 removed, 0 could not be read)",
        "4 attributes: name, passengers, operator, cafe",
        "of 36 words in 4 documents the columns account for 100 %",
    ]


def test_ingest_again_has_nothing_to_do(cli: Cli, ingested: Path) -> None:
    result = cli("ingest", ingested, "--json")

    report = json.loads(result.out)
    assert (report["published"], report["n_extracted"], report["n_unchanged"]) == (False, 0, 4)


def test_off_a_terminal_progress_is_a_line_a_stage_on_stderr(
    cli: Cli, ferries: Path, schema_file: Path
) -> None:
    result = cli("ingest", ferries, "--schema", schema_file, "--json")

    json.loads(result.out)
    assert result.err.splitlines() == [
        "finding the columns",
        "reading and extracting: 4",
        "normalising columns: 4",
    ]


def test_quiet_shows_no_progress(cli: Cli, ferries: Path, schema_file: Path) -> None:
    assert cli("ingest", ferries, "--schema", schema_file, "--quiet").err == ""


def test_an_answer_shows_query_denominator_and_quotes(cli: Cli, ingested: Path) -> None:
    result = cli("ask", ingested, "What is the average passengers of the ferries?")

    average = sum(PASSENGERS.values()) // len(PASSENGERS)
    assert result.status == 0
    assert result.out.startswith(str(average))
    assert "Over all 4 documents" in result.out
    assert "\nsql: SELECT AVG(passengers) FROM ferry\n" in result.out
    assert "\nsource: aldra.txt (aldra) 24-27: passengers = 120; stated: “120”" in result.out


def test_an_answer_for_machines_has_the_same_rows(cli: Cli, ingested: Path) -> None:
    result = cli("ask", ingested, "What is the average passengers of the ferries?", "--json")

    answer = json.loads(result.out)
    assert answer["rows"] == [[sum(PASSENGERS.values()) / len(PASSENGERS)]]
    assert answer["sql"] == "SELECT AVG(passengers) FROM ferry"


def test_a_refusal_names_the_words_and_each_column_once(cli: Cli, ingested: Path) -> None:
    result = cli("ask", ingested, "Which upholstery is the most flammable?")

    reason, *rest = result.out.splitlines()
    assert result.status == 3
    assert reason.startswith("Not answered: ")
    assert "passengers" not in reason
    assert rest[0] == "table ferry, 4 documents:"
    named = [line.partition(" (")[0] for line in rest if line.startswith("- ")]
    assert named == ["- name", "- passengers", "- operator", "- cafe"]
    assert any(line.startswith("One SELECT, ") for line in rest)
    assert not any("passage: " in line for line in rest), "no passage has a word of the question"
    assert rest[-1].startswith("next: write the SELECT and run srag-mcp sql; ")
    assert f"srag-mcp extend {ingested} and what it should hold" in rest[-1]


def test_a_refusal_is_as_data_the_brief_that_an_agent_gets(cli: Cli, ingested: Path) -> None:
    result = cli("ask", ingested, "Which upholstery is the most flammable?", "--json")

    brief = json.loads(result.out)["brief"]
    assert sorted(brief) == ["columns", "documents", "next", "other_tables", "rules", "table"]
    assert (brief["table"], brief["documents"]) == ("ferry", 4)
    assert brief["columns"][2].startswith("- passengers (integer): How many passengers it carries.")
    assert "120 to 480" in brief["columns"][2]
    assert brief["rules"][0] == (
        "One SELECT, DuckDB; text values as they are stored (here, or get_column_stats), or ILIKE."
    )


def test_a_search_prints_places_and_quotes(cli: Cli, ingested: Path) -> None:
    command = ("search", ingested, "fjord lines", "--where", "passengers > 0", "--limit", 1)
    shown, next_page = cli(*command), cli(*command, "--offset", 1)
    data = json.loads(cli(*command, "--json").out)

    (passage,) = data["passages"]
    place, quote = shown.out.splitlines()
    assert place == f"1. {passage['document_id']} ({passage['start']}-{passage['end']})"
    assert quote == f"   “{passage['quote']}”"
    assert "Operator: Fjord Lines" in quote
    assert shown.err.splitlines()[-1] == "more passages follow: --offset 1"
    assert next_page.out.startswith("2. ")


def test_a_search_names_the_commands_to_run(cli: Cli, ingested: Path) -> None:
    nothing = cli("search", ingested, "zeppelins")
    wrong = cli("search", ingested, "lines", "--where", "crew > 1")

    assert (nothing.status, nothing.out) == (0, "")
    assert nothing.err.startswith("0 passages of 0 documents match; 4 documents were searched\n")
    assert (wrong.status, wrong.out) == (1, "")
    assert wrong.err.startswith("error: the SQL in where cannot be used: ")


def test_a_result_of_a_query_says_that_files_have_changed(
    cli: Cli, ingested: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(ingested, tmp_path / "copy")
    (folder / "fifth.txt").write_text("Name: Enid", encoding="utf-8")

    result = cli("sql", folder, "SELECT count(*) AS n FROM documents")

    assert result.out == "n\n4\n"
    assert result.err == "files are not as they were read: 1 new; ingest the corpus again\n"


def test_a_question_to_a_new_folder_ingests_it_first(cli: Cli, ferries: Path) -> None:
    result = cli("sql", ferries, "SELECT count(*) AS n FROM documents")

    assert result.out == "n\n4\n"
    assert f"{ferries} is not ingested yet; ingesting it first" in result.err


def test_rows_are_a_table_for_people(cli: Cli, ingested: Path) -> None:
    result = cli(
        "sql", ingested, "SELECT name, passengers, cafe FROM ferry ORDER BY name", "--limit", "2"
    )

    assert result.out.splitlines() == [
        "name     passengers  cafe",
        "Aldra    120         yes",
        "Borgund  240         yes",
    ]
    said, more = result.err.splitlines()
    assert (said[:20], more) == ("Over all 4 documents", "more rows follow: --offset 2")


def test_of_an_aggregate_it_is_said_over_how_many_documents_it_is(cli: Cli, ingested: Path) -> None:
    statement = "SELECT avg(passengers) AS mean FROM ferry"
    told, data = cli("sql", ingested, statement), cli("sql", ingested, statement, "--json")

    assert told.err.startswith("Over all 4 documents")
    assert told.out.startswith("mean\n")
    assert json.loads(data.out)["coverage"] == [told.err.splitlines()[0]]


def test_the_next_page_starts_where_the_first_one_said(cli: Cli, ingested: Path) -> None:
    query = "SELECT name FROM ferry ORDER BY name"
    result = cli("sql", ingested, query, "--offset", "2", "--json")

    page = json.loads(result.out)
    assert (page["rows"], page["truncated"]) == ([["Calypso"], ["Dovre"]], False)


def test_numbers_that_json_lacks_do_not_break_it(cli: Cli, ingested: Path) -> None:
    result = cli("sql", ingested, "SELECT 'nan'::DOUBLE AS a, 'inf'::DOUBLE AS b", "--json")

    def refuse(constant: str) -> None:
        pytest.fail(f"{constant} is not JSON")

    json.loads(result.out, parse_constant=refuse)


def test_the_schema_says_what_each_column_holds(cli: Cli, ingested: Path) -> None:
    result = cli("schema", ingested)

    assert result.out.splitlines() == [
        "Ferry: table ferry, 4 documents",
        "column      type     unit  holds",
        "name        string         known in 4 of 4: Aldra, Borgund, Calypso, … 4 distinct",
        "passengers  integer        120 to 480, median 300.0; known in 4 of 4",
        "operator    string         known in 4 of 4: Fjord Lines (2), Skerry Ferries (2)",
        "cafe        boolean        known in 4 of 4: true (3), false (1)",
    ]


def test_the_schema_for_machines_has_all_attributes(cli: Cli, ingested: Path) -> None:
    schema = json.loads(cli("schema", ingested, "--json").out)

    assert list(schema["properties"]) == list(PROPERTIES)


def test_the_schema_for_machines_can_be_followed_by_another_ingestion(
    cli: Cli, ingested: Path, ferries: Path
) -> None:
    written = cli("schema", ingested, "--json").out
    Path("again.json").write_text(written, encoding="utf-8")

    assert cli("ingest", ferries, "--schema", "again.json").status == 0
    assert json.loads(cli("schema", ferries, "--json").out) == json.loads(written)


def test_rows_of_many_columns_are_printed_a_line_a_column(cli: Cli, ingested: Path) -> None:
    many = ", ".join(f"passengers + {number} AS number_{number}" for number in range(40))
    result = cli("sql", ingested, f"SELECT name, {many} FROM ferry ORDER BY name", "--limit", "2")

    first, second = result.out.split("\n\n")
    assert first.splitlines()[:2] == ["name       Aldra", "number_0   120"]
    assert second.splitlines()[-1] == "number_39  279"


def test_cells_past_the_last_one_are_none(cli: Cli, ingested: Path) -> None:
    result = cli("trace", ingested, "passengers", "--offset", "50")

    assert (result.out, result.err) == ("", "no cell from --offset 50 on; there are 4\n")


def test_statistics_can_be_of_one_column(cli: Cli, ingested: Path) -> None:
    result = cli("stats", ingested, "passengers")

    assert result.out.splitlines() == [
        "column      type     known  have none  not mentioned  failed  distinct  holds",
        "passengers  integer  4      0          0              0       4         120 to 480, median"
        " 300.0;",
        f"{'':72}known in 4 of 4",
    ]


def test_statistics_for_machines(cli: Cli, ingested: Path) -> None:
    (found,) = json.loads(cli("stats", ingested, "passengers", "--json").out)

    assert (found["minimum"], found["maximum"], found["mean"]) == (120, 480, 300)


def test_a_trace_shows_documents_and_quotes(cli: Cli, ingested: Path) -> None:
    result = cli("trace", ingested, "passengers", "--limit", "2", "--offset", "1")

    assert result.out.splitlines() == [
        "document     value  state   says",
        "borgund.txt  240    stated  “240”",
        "calypso.txt  360    stated  “360”",
    ]
    assert result.err.splitlines() == ["cells 2 to 3 of 4", "more follow: --offset 3"]


def test_a_trace_can_be_of_one_value(cli: Cli, ingested: Path) -> None:
    found = json.loads(cli("trace", ingested, "passengers", "--value", "480", "--json").out)

    (evidence,) = found["sources"]
    assert (evidence["document_id"], evidence["quote"]) == ("dovre.txt", "480")
    assert evidence["end"] - evidence["start"] == len("480")


def test_a_published_build_is_a_corpus(cli: Cli, ingested: Path) -> None:
    (build,) = (ingested / ".srag" / "builds").glob("*.duckdb")

    assert cli("sql", build, "SELECT count(*) AS n FROM ferry").out == "n\n4\n"


def test_a_pack_is_evaluated(cli: Cli, ferries: Path, tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    (pack / "documents").mkdir(parents=True)
    rows = ["document,passengers"]
    for name, passengers in PASSENGERS.items():
        (ferries / f"{name.lower()}.txt").rename(pack / "documents" / f"{name.lower()}.txt")
        rows.append(f"{name.lower()}.txt,{passengers}")
    (pack / "gold.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    question = {
        "id": "q1",
        "question": "What is the total passengers?",
        "answer": sum(PASSENGERS.values()),
        "answer_type": "number",
        "tolerance": 0,
        "kind": "aggregate",
    }
    (pack / "questions.jsonl").write_text(json.dumps(question) + "\n", encoding="utf-8")

    people, machines = cli("eval", pack), cli("eval", pack, "--json")

    assert people.out.splitlines()[0].split() == ["gold", "field", "column", "accuracy"]
    evaluation = json.loads(machines.out)
    assert (evaluation["documents"], evaluation["cells"]) == (4, {"passengers": 1.0})
    assert evaluation["questions"]["total"] == 1


def test_retrieval_is_measured_where_there_is_no_gold(
    cli: Cli, ferries: Path, tmp_path: Path
) -> None:
    pack = tmp_path / "pack"
    (pack / "documents").mkdir(parents=True)
    lines = []
    for name in PASSENGERS:
        (ferries / f"{name.lower()}.txt").rename(pack / "documents" / f"{name.lower()}.txt")
        asked = {"id": name, "question": f"Whom does the {name} take?", "documents": [name.lower()]}
        lines.append(json.dumps(asked))
    (pack / "questions.jsonl").write_text("\n".join(lines), encoding="utf-8")
    run = tmp_path / "bm25.run"

    machines = cli("eval", pack, "--json", "--run", run)
    people = cli("eval", pack, "--against", run)

    found = json.loads(machines.out)["retrieval"]
    assert (found["hit_1"], found["mrr"], found["page_recall_5"]) == (1.0, 1.0, None)
    assert found["n_hits"]["hit_1"] == 4
    hit_1 = people.out.splitlines()[1].split()
    assert hit_1 == ["hit_1", "1.000", "0.510", "to", "1.000", "4", "+0.000", "1.0000"]
    assert people.out.splitlines()[-1].startswith("4 documents, engine offline, ")


def test_the_version_is_printed(cli: Cli) -> None:
    assert cli("--version").out == "0.1.0\n"
