"""The words a statement may be made of: functions, table functions and types, as data.

`functions.json` has a judgement on every function of the DuckDB that the package is made for. A
name that is in neither list is refused; a test names those that a new DuckDB brings.
"""

import functools
import json
from dataclasses import dataclass
from importlib.resources import files
from typing import TypedDict


@dataclass(frozen=True, slots=True)
class Denial:
    """Why a name is denied, as a clause ("runs what a string names"), and what to write instead."""

    reason: str
    instead: str


@dataclass(frozen=True, slots=True)
class WordList:
    """The judgement on one kind of name; all names in lower case."""

    allowed: frozenset[str]
    denied: dict[str, Denial]

    @property
    def judged(self) -> frozenset[str]:
        """All names with a judgement."""
        return self.allowed | self.denied.keys()


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What may be called (`functions`), stand in FROM (`table_functions`) or be cast to.

    Attributes:
        elsewhere: Functions of other databases, with what to write here.
    """

    functions: WordList
    table_functions: WordList
    types: WordList
    elsewhere: dict[str, str]


@functools.cache
def read_vocabulary() -> Vocabulary:
    """Read the lists that travel with the package."""
    text = (files("srag_mcp.store.guard") / "functions.json").read_text(encoding="utf-8")
    lists = json.loads(text)
    return Vocabulary(
        functions=_read_list(lists["functions"]),
        table_functions=_read_list(lists["table_functions"]),
        types=_read_list(lists["types"]),
        elsewhere=lists["elsewhere"],
    )


class _Group(TypedDict):
    reason: str
    instead: str
    names: list[str]


class _Lists(TypedDict):
    allowed: list[str]
    denied: list[_Group]


def _read_list(lists: _Lists) -> WordList:
    denied: dict[str, Denial] = {}
    for group in lists["denied"]:
        denial = Denial(group["reason"], group["instead"])
        denied |= {fold(name): denial for name in group["names"]}
    return WordList(frozenset(fold(name) for name in lists["allowed"]), denied)


_ASCII_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def fold(name: str) -> str:
    """Fold case as DuckDB does: ASCII letters only.

    `str.lower` also maps the Kelvin sign to `k`: a CTE named with it would then seem to hide a
    table that DuckDB goes on reading.
    """
    return name.translate(_ASCII_LOWER)
