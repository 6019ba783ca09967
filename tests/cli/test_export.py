"""Exports by command."""

from pathlib import Path

import pytest

from tests.cli.conftest import Cli

_COUNT = "SELECT operator, count(passengers) AS n FROM ferry GROUP BY operator ORDER BY operator"


def test_a_table_is_written_once(cli: Cli, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    written = cli("export", folder, out)
    assert (written.status, written.out) == (0, f"4 rows written to {out}\n")
    assert out.read_text().splitlines()[:2] == [
        "document_id,name,passengers,operator,cafe",
        "aldra.txt,Aldra,120,Skerry Ferries,true",
    ]
    again = cli("export", folder, out)
    assert (again.status, again.err) == (
        1, f"error: {out} is there already; --force replaces a file\n",
    )  # fmt: skip
    assert cli("export", folder, out, "--table", "documents", "--force").status == 0
    assert out.read_text().startswith("document_id,path,title")
    both = cli("export", folder, out, "--sql", _COUNT, "--quotes", "--force")
    assert both.status == 2


def test_a_query_is_written_and_says_over_how_many(cli: Cli, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    for command in (
        ("sql", folder, _COUNT, "--out", out),
        ("export", folder, out, "--sql", _COUNT, "--force"),
    ):
        written = cli(*command)
        assert (written.err[:5], written.out) == ("Over ", f"2 rows written to {out}\n")
        assert "4 documents" in written.err
        assert out.read_text() == "operator,n\nFjord Lines,2\nSkerry Ferries,2\n"
    refused = cli("sql", folder, "DROP TABLE ferries", "--out", out, "--force")
    assert refused.status == 1
    assert "DROP is not allowed" in refused.err
    assert cli("sql", folder, _COUNT, "--out", out).err.startswith(f"error: {out} is there")


def test_an_export_may_take_longer_than_a_query(
    cli: Cli, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SRAG_QUERY_TIMEOUT_S", "0.25")
    heavy = "SELECT count(*) AS n FROM range(20000) a, range(30000) b WHERE a.range * b.range = 7"
    written = cli("export", folder, tmp_path / "out.csv", "--sql", heavy)
    assert written.status == 0
    assert "over how many documents this is was not counted" in written.err
    monkeypatch.setenv("SRAG_EXPORT_TIMEOUT_S", "0.1")
    stopped = cli("export", folder, tmp_path / "other.csv", "--sql", heavy)
    assert (stopped.status, "stopped after 0.1 s" in stopped.err) == (1, True)
