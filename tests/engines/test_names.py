"""No file outside `engines/` decides anything by the name of an engine."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import srag_mcp
from srag_mcp.engines.choice import ENGINES
from srag_mcp.engines.protocol import Engine
from srag_mcp.settings import EngineName

PACKAGE = Path(srag_mcp.__file__).parent
NAMES = {"offline", "agent"}  # `model` and `auto` are words of other things, too
CONSTANTS = {"BY_RULES", "BY_MODEL", "AGENT"}
# The settings name the choices; cells say by their signature whether they are predicted.
SAID = re.compile(r"BY_RULES|BY_MODEL|AGENT|[\"'](?:offline|agent|model|auto)[\"']")
# What 16a3ebc was answered says by whom.
MAY = {"settings.py": 1, "cells/cell.py": 1, "store/earlier.py": 1}


def branches(tree: ast.AST) -> Iterator[int]:
    """Yield the lines that compare something with the name of an engine."""
    for node in ast.walk(tree):
        parts: list[ast.expr] = []
        if isinstance(node, ast.Compare):
            parts = [node.left, *node.comparators]
        elif isinstance(node, ast.MatchValue):
            parts = [node.value]
        leaves = [leaf for part in parts for leaf in ast.walk(part)]
        texts = {leaf.value for leaf in leaves if isinstance(leaf, ast.Constant)}
        names = {leaf.attr for leaf in leaves if isinstance(leaf, ast.Attribute)}
        names |= {leaf.id for leaf in leaves if isinstance(leaf, ast.Name)}
        of_engine = any("engine" in name or name == "choice" for name in names)
        if texts & NAMES or names & CONSTANTS or (of_engine and texts & {"model", "auto"}):
            assert isinstance(node, ast.Compare)
            yield node.lineno


def test_only_engines_know_engines_by_name() -> None:
    texts = {
        path.relative_to(PACKAGE).as_posix(): path.read_text("utf-8")
        for path in sorted(PACKAGE.rglob("*.py"))
        if PACKAGE / "engines" not in path.parents
    }
    found = {
        path: list(branches(ast.parse(text))) for path, text in texts.items() if SAID.search(text)
    }
    many = {path: lines for path, lines in found.items() if len(lines) > MAY.get(path, 0)}
    assert many == {}


def test_every_choice_has_an_engine_that_is_called_so() -> None:
    assert [*ENGINES] == [engine.name for engine in ENGINES.values()] == [*get_args(EngineName)]
    assert all(issubclass(engine, Engine) for engine in ENGINES.values())
    assert {name: (engine.asks, engine.by_caller) for name, engine in ENGINES.items()} == {
        "offline": (False, False),
        "model": (True, False),
        "agent": (True, True),
    }
