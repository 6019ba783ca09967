"""Messages name tools; the command line says its commands for them."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

import srag_mcp
from srag_mcp.cli.command_line import make_app
from srag_mcp.views.results import COMMANDS, for_terminal

PACKAGE = Path(srag_mcp.__file__).parent
FOR_PEOPLE = ("cli", "views", "__main__.py")  # what these say to a terminal they say by commands


def spoken(path: Path) -> Iterator[str]:
    """Yield the texts of a module that are no docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.value


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("DESCRIBE is not run: call get_schema.", "DESCRIBE is not run: run srag-mcp schema."),
        (
            "get_column_stats shows what it holds; trace_value says why",
            "srag-mcp stats shows what it holds; srag-mcp trace says why",
        ),
        ("call next_prompts, then answer_prompts", None),
        (
            "call ingest_status with corpus='cvs', job_id='7' while it runs, or ask",
            "run srag-mcp status cvs while it runs, or ask",
        ),
        (
            "call next_prompts with corpus='cvs', again=true; then call ask",
            "run srag-mcp prompts next cvs --again; then run srag-mcp ask",
        ),
        (
            "the column run_sql_time, and my_get_schema",
            "the column run_sql_time, and my_get_schema",
        ),
    ],
)
def test_a_terminal_reads_commands(said: str, shown: str | None) -> None:
    assert for_terminal(said) == (
        shown or "run srag-mcp prompts next, then srag-mcp prompts answer"
    )


def names(app: typer.Typer) -> set[str]:
    commands = app.registered_commands
    return {item.name or item.callback.__name__ for item in commands if item.callback}


def test_the_commands_are_there() -> None:
    app = make_app()
    (prompts,) = app.registered_groups
    assert prompts.typer_instance is not None
    below = {f"{prompts.name} {name}" for name in names(prompts.typer_instance)}

    assert set(COMMANDS.values()) <= names(app) | below


def test_nothing_below_the_command_line_names_a_command() -> None:
    commands = {command.partition(" ")[0] for command in COMMANDS.values()} | {"review"}
    named = re.compile(rf"srag-mcp ({'|'.join(sorted(commands))})\b")
    found = [
        f"{path.relative_to(PACKAGE)}: {text}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.relative_to(PACKAGE).parts[0] not in FOR_PEOPLE
        and "srag-mcp" in path.read_text(encoding="utf-8")  # before a second goes by for syntax
        for text in spoken(path)
        if named.search(text)
    ]

    assert found == []
