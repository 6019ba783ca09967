"""Bad input on the command line: `error: …` on stderr and exit 1, or usage and exit 2."""

import json
import socket
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Cli


def _refused(cli: Cli, *arguments: str | Path) -> str:
    result = cli(*arguments)
    assert (result.status, result.out) == (1, "")
    assert result.err.count("error: ") == 1
    assert "Traceback" not in result.err
    return result.err.rpartition("error: ")[2]


@pytest.mark.parametrize("command", ["ingest", "schema", "stats"])
def test_a_missing_folder_is_named_with_the_shipped_corpora(cli: Cli, command: str) -> None:
    text = _refused(cli, command, "nowhere")

    assert text == "no folder or .duckdb build 'nowhere'; shipped corpora: hotels, cvs\n"


def test_an_empty_folder_says_what_to_put_into_it(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()

    assert "holds no documents; put files into it (txt, " in _refused(cli, "ingest", folder)


def test_a_document_is_not_a_corpus(cli: Cli, ferries: Path) -> None:
    text = _refused(cli, "ingest", ferries / "aldra.txt")

    assert "is neither a folder nor a .duckdb build; give the folder it is in" in text


def test_a_folder_of_unreadable_files_names_one_with_its_reason(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "odd"
    folder.mkdir()
    (folder / "empty.html").touch()
    (folder / "fake.pdf").write_bytes(b"not a pdf")

    text = _refused(cli, "ask", folder, "How many?")

    assert "none of the files" in text
    assert "empty.html: the file is empty" in text


def test_a_file_that_only_claims_to_be_a_build(cli: Cli, tmp_path: Path) -> None:
    build = tmp_path / "build.duckdb"
    build.write_bytes(b"not a database")

    assert "build.duckdb" in _refused(cli, "schema", build)


def test_an_empty_name_is_not_the_folder_one_is_in(cli: Cli) -> None:
    assert "the name of the corpus is empty" in _refused(cli, "ingest", "")


def test_the_databases_of_a_corpus_are_no_corpus(cli: Cli, ingested: Path) -> None:
    text = _refused(cli, "schema", ingested / ".srag")

    assert "holds the databases of a corpus, not its documents" in text
    assert not (ingested / ".srag" / ".srag").exists()


def test_an_unknown_document_names_those_that_look_alike(cli: Cli, ingested: Path) -> None:
    text = _refused(cli, "trace", ingested, "passengers", "--document", "ldra.txt")

    assert text == f"no document 'ldra.txt' in {ingested}; try: aldra.txt\n"


def test_a_pointer_to_a_build_that_is_gone_says_what_to_do(
    cli: Cli, ferries: Path, schema_file: Path
) -> None:
    assert cli("ingest", ferries, "--schema", schema_file).status == 0
    for build in (ferries / ".srag" / "builds").glob("*.duckdb"):
        build.unlink()

    assert "is not there; ingest the corpus again" in _refused(cli, "schema", ferries)
    assert cli("ingest", ferries).status == 0
    assert cli("schema", ferries).status == 0


def test_sample_questions_of_another_encoding_are_read_and_bytes_refused(
    cli: Cli, ferries: Path
) -> None:
    samples = ferries / "sample_questions.txt"
    (ferries / "documents").mkdir()
    for document in ferries.glob("*.txt"):
        document.rename(ferries / "documents" / document.name)
    samples.write_bytes("How many ferries have a café?\n".encode("latin-1"))
    assert cli("ingest", ferries).status == 0
    samples.write_bytes(bytes(range(32)) * 40)

    assert "sample_questions.txt: it is not text" in _refused(cli, "ingest", ferries)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
@pytest.mark.parametrize("command", ["ingest", "schema", "eval"])
def test_what_the_system_refuses_is_an_error(cli: Cli, tmp_path: Path, command: str) -> None:
    endless = tmp_path / ("x" * 300)

    assert _refused(cli, command, endless).endswith("File name too long\n")


def test_a_build_cannot_be_ingested(cli: Cli, ingested: Path) -> None:
    (build,) = (ingested / ".srag" / "builds").glob("*.duckdb")

    assert "is a published build; only a folder can be ingested" in _refused(cli, "ingest", build)


def test_a_missing_schema_file(cli: Cli, ferries: Path) -> None:
    text = _refused(cli, "ingest", ferries, "--schema", "gone.json")

    assert text == "gone.json: No such file or directory\n"


@pytest.mark.parametrize("content", [b"{", b"\xff\xfe{\x00", b""])
def test_a_schema_file_that_is_not_json(cli: Cli, ferries: Path, content: bytes) -> None:
    Path("schema.json").write_bytes(content)

    assert "schema.json is not JSON" in _refused(cli, "ingest", ferries, "--schema", "schema.json")


def test_a_schema_with_a_list_names_the_attribute(cli: Cli, ferries: Path) -> None:
    schema = {"type": "object", "properties": {"ports": {"type": "array"}}}
    Path("schema.json").write_text(json.dumps(schema), encoding="utf-8")

    assert "ports" in _refused(cli, "ingest", ferries, "--schema", "schema.json")


def test_an_unknown_column_names_those_there_are(cli: Cli, ingested: Path) -> None:
    for command in ("stats", "trace"):
        text = _refused(cli, command, ingested, "colour")
        assert text.startswith("no column 'colour' in ferry; columns: name, passengers")


def test_sql_that_changes_something(cli: Cli, ingested: Path) -> None:
    assert "DROP is not allowed" in _refused(cli, "sql", ingested, "DROP TABLE ferry")


def test_sql_with_an_unknown_column(cli: Cli, ingested: Path) -> None:
    assert "colour" in _refused(cli, "sql", ingested, "SELECT colour FROM ferry", "--json")


def test_a_setting_that_cannot_be_used(
    cli: Cli, ferries: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SRAG_WORKERS", "many")

    assert _refused(cli, "ingest", ferries).startswith("SRAG_WORKERS: ")


def test_a_folder_without_gold_is_no_pack(cli: Cli, ferries: Path) -> None:
    assert "has no folder documents/" in _refused(cli, "eval", ferries)


def test_serving_a_missing_folder_ends_at_once(cli: Cli) -> None:
    assert "'nowhere'" in _refused(cli, "serve", "--corpus", "nowhere")


def test_serving_only_missing_folders_ends_at_once(cli: Cli) -> None:
    assert "'nowhere'" in _refused(cli, "serve", "--corpus", "nowhere", "--corpus", "notthere")


def test_among_several_corpora_a_wrong_file_ends_at_once(cli: Cli, ferries: Path) -> None:
    wrong = ferries / "aldra.txt"

    text = _refused(cli, "serve", "--corpus", ferries, "--corpus", wrong)

    assert text.startswith(f"{wrong} is neither a folder nor a .duckdb build")


def test_a_port_that_somebody_uses_is_named(cli: Cli, ferries: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        text = _refused(cli, "serve", "--corpus", ferries, "--http", str(port))

    assert text.startswith(f"port {port} of 127.0.0.1 cannot be used: ")


def test_a_document_cannot_speak_to_the_terminal(
    cli: Cli, ferries: Path, schema_file: Path
) -> None:
    evil = "Name: \x1b[2J\x1b]0;Owned\x07Evil\nPassengers: 5\nOperator: X\nCafe: no\n"
    (ferries / "evil.txt").write_text(evil, encoding="utf-8")
    assert cli("ingest", ferries, "--schema", schema_file).status == 0

    shown = [
        cli("sql", ferries, "SELECT name FROM ferry").out,
        cli("trace", ferries, "name").out,
        cli("schema", ferries).out,
        cli("ask", ferries, "Which name has the lowest passengers?").out,
        cli("sql", ferries, "SELECT name AS \"a\nb\", E'\\x1b]0;PWNED\\x07' FROM ferry").out,
        cli("sql", ferries, "SELECT name, chr(155) || 'X', chr(8238) FROM ferry", "--json").out,
        cli("sql", ferries, 'SELECT "\x1b[2J" FROM ferry').err,
    ]

    for text in shown:
        assert "Evil" in text or "error: " in text
        assert [letter for letter in "\x1b\x07\x9b\u202e" if letter in text] == []


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["nonsense"], "nonsense"),
        (["ingest"], "CORPUS"),
        (["serve"], "--corpus"),
        (["ingest", "x", "--rows", "some"], "'auto', 'file', 'row'"),
        (["trace", "x", "y", "--state", "lost"], "'not_mentioned'"),
        (["sql", "x", "SELECT 1", "--limit", "0"], "--limit"),
        (["serve", "--corpus", "x", "--http", "99999"], "--http"),
        (["config", "telnet", "--corpus", "x"], "'claude-desktop'"),
        (["ask", "x"], "QUESTION"),
        (["demo", "--colour"], "--colour"),
    ],
)
def test_wrong_usage_is_named_and_ends_with_2(cli: Cli, arguments: list[str], named: str) -> None:
    result = cli(*arguments)

    assert (result.status, result.out) == (2, "")
    assert named in result.err
    assert result.err.startswith("Usage: ")
