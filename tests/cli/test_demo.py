"""The demo: right by the gold of its corpus, and without a network."""

import json
import re
import shlex
import subprocess
from pathlib import Path

import duckdb
import pytest

from srag_mcp.cli.trial_commands import QUESTIONS
from srag_mcp.inference.answer import render_value
from tests.cli.conftest import Cli

ROOT = Path(__file__).parents[2]
GOLD = ROOT / "corpora" / "hotels" / "gold.csv"
GOLD_SQL = {
    "How many four-star hotels have a pool?": (
        "SELECT count(*) FROM gold WHERE stars = 4 AND pool"
    ),
    "What is the average price per night of hotels with a pool but no airport shuttle?": (
        "SELECT avg(price_per_night) FROM gold WHERE pool AND NOT airport_shuttle"
    ),
    "Which city has the highest average price per night?": (
        "SELECT city FROM gold GROUP BY city ORDER BY avg(price_per_night) DESC LIMIT 1"
    ),
}


@pytest.fixture(scope="module")
def sections(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Run the demo where nothing can be reached; return its sections by title."""
    place = tmp_path_factory.mktemp("demo")
    refused = place / "refused.txt"
    environment = {
        "PYTHONPATH": str(Path(__file__).parent / "no_network"),
        "REFUSED": str(refused),
        "SRAG_HOME": str(place / "home"),
    }
    # What a fresh process costs is part of the demo, and so is an environment without anything.
    done = subprocess.run(
        _command(), env=environment, cwd=place, capture_output=True, text=True, check=False
    )
    assert (done.returncode, refused.exists()) == (0, False), done.stderr
    parts = (section.partition("\n") for section in done.stdout.split("\n== ")[1:])
    return {title: body for title, _, body in parts}


def _command() -> list[str]:
    from srag_mcp.cli.trial_commands import server_command

    return [*server_command(), "demo"]


def test_the_network_is_refused_where_it_is_said_to_be(tmp_path: Path) -> None:
    refused = tmp_path / "refused.txt"
    environment = {
        "PYTHONPATH": str(Path(__file__).parent / "no_network"),
        "REFUSED": str(refused),
    }
    program = "import socket; socket.create_connection(('127.0.0.1', 1))"
    interpreter = Path(_command()[0]).with_name("python")
    done = subprocess.run(
        [interpreter, "-c", program], env=environment, capture_output=True, check=False
    )

    assert b"there is no network in this test" in done.stderr
    assert "socket.getaddrinfo" in refused.read_text(encoding="utf-8")


def test_the_demo_asks_questions_whose_gold_is_known() -> None:
    assert set(QUESTIONS) == set(GOLD_SQL)


def test_each_answer_is_that_of_the_gold_with_query_denominator_and_quote(
    sections: dict[str, str],
) -> None:
    for question in QUESTIONS:
        with duckdb.connect() as connection:
            connection.execute("CREATE TABLE gold AS SELECT * FROM read_csv($1)", [str(GOLD)])
            found = connection.execute(GOLD_SQL[question]).fetchone()
        assert found is not None
        expected = render_value(found[0])
        said = sections[question]

        assert said.startswith((f"{expected}:", f"{expected} EUR:"))
        assert "\nsql: SELECT " in said
        assert re.search(r"\nOver (all|the \d+ of) 60 documents", said)
        assert "\nsource: documents/" in said


def test_the_schema_that_was_found_is_shown(sections: dict[str, str]) -> None:
    (schema,) = (body for title, body in sections.items() if "schema" in title)

    assert schema.startswith("Hotels: table hotels, 60 documents\ntable hotels_whats_nearby: 44 ")
    assert max(len(line) for line in schema.splitlines()) <= 100
    names = {line.split()[0] for line in schema.splitlines()[3:] if line[:1].isalpha()}
    assert {"city", "price_per_night", "pool"} <= names


def test_the_configuration_to_paste_is_shown(sections: dict[str, str]) -> None:
    (shown,) = (body for title, body in sections.items() if "Claude Desktop" in title)

    entry = json.loads(shown[: shown.index("\n}\n") + 2])["mcpServers"]["srag"]
    assert Path(entry["command"]).is_file()
    assert Path(entry["args"][2]).is_dir()


def test_the_next_command_can_be_pasted_from_any_folder(sections: dict[str, str]) -> None:
    (shown,) = (body for title, body in sections.items() if "Claude Desktop" in title)

    program, *arguments = shlex.split(shown.splitlines()[-1])

    assert Path(program).is_absolute()
    assert arguments == ["ask", "./your-folder", "How many …?"]


@pytest.mark.thorough
def test_the_demo_asks_no_model_and_waits_for_no_agent(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SRAG_ENGINE", "agent")
    monkeypatch.setenv("SRAG_MODEL", "replay:none.jsonl")

    shown = cli("demo")

    assert shown.status == 0, shown.err
    assert "== 60 hotel pages become one table" in shown.out
