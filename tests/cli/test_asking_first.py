"""A reading command ingests the folder it is given, but asks where that looks like a mistake."""

import shutil
from io import StringIO
from pathlib import Path

import pytest

from srag_mcp.pipeline.jobs import cancel_job, list_jobs
from srag_mcp.settings import Settings
from tests.cli.conftest import Cli


def test_a_parent_of_corpora_is_not_ingested_without_being_asked(
    cli: Cli, ferries: Path, tmp_path: Path
) -> None:
    parent = tmp_path / "all"
    for name in ("one", "two"):
        shutil.copytree(ferries, parent / name / "documents")

    result = cli("ask", parent, "How many ferries are there?")

    assert result.status == 3
    assert f"error: {parent} is not ingested yet, and it holds 2 corpora (one, two)" in result.err
    assert not (parent / ".srag").exists()


@pytest.mark.parametrize(("answer", "is_begun"), [("y\n", True), ("\n", False)])
def test_on_a_terminal_the_price_is_said_before_a_model_is_asked(
    cli: Cli, ferries: Path, monkeypatch: pytest.MonkeyPatch, answer: str, is_begun: bool
) -> None:
    monkeypatch.setattr("srag_mcp.cli.building_commands._is_terminal", lambda: True)
    monkeypatch.setattr("sys.stdin", StringIO(answer))

    said = cli("ingest", ferries, "--engine", "agent")
    jobs = list_jobs(ferries, Settings()) if is_begun else []
    if jobs:
        cancel_job(ferries, Settings(), wait_s=30)

    assert "documents to be read" in said.err
    assert "Go on? [y/N]" in said.err
    assert ("ingests" in said.out) == is_begun == bool(jobs)


def test_many_files_in_folders_inside_are_not_ingested_without_being_asked(
    cli: Cli, tmp_path: Path
) -> None:
    for number in range(201):
        path = tmp_path / "all" / str(number % 7) / f"{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("Name: X\n", encoding="utf-8")

    result = cli("schema", tmp_path / "all")

    assert result.status == 3
    assert "it holds 201 files in folders inside" in result.err


def test_a_corpus_of_any_mix_of_formats_is_ingested(cli: Cli, ferries: Path) -> None:
    (ferries / "inside").mkdir()
    (ferries / "inside" / "fifth.md").write_text("# Fifth\n\nPassengers: 12\n", encoding="utf-8")

    assert cli("sql", ferries, "SELECT count(*) FROM documents").status == 0
