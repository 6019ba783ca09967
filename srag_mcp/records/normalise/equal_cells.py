"""Equal cells of a column, which are read once: most columns repeat a few words many times."""

from collections.abc import Callable, Iterable
from typing import TypeAlias

from srag_mcp.records.cell import Cell
from srag_mcp.values.states import State

_Kind: TypeAlias = tuple[State, str | None, str, str | None, str]


def read_once(cells: Iterable[Cell], read: Callable[[Cell], Cell]) -> list[Cell]:
    """Return `read(cell)` of each cell, called once for those with the same words around and in it.

    The cells are of one attribute and have no value yet; *read* changes state, value, unit and note
    only, and looks neither at the place of a cell nor at its engine.
    """
    known: dict[_Kind, Cell | None] = {}
    done: list[Cell] = []
    for cell in cells:
        kind = (cell.state, cell.as_stated, cell.context, cell.unit, cell.note)
        if kind in known:
            done.append(_as_before(cell, known[kind]))
            continue
        outcome = read(cell)
        known[kind] = None if outcome is cell else outcome
        done.append(outcome)
    return done


def _as_before(cell: Cell, outcome: Cell | None) -> Cell:
    """Return *cell* with the *outcome* of an equal one; None for one that stays as it is."""
    if outcome is None:
        return cell
    # not `dataclasses.replace`, which takes three times as long
    return Cell(
        cell.attribute,
        outcome.state,
        cell.as_stated,
        cell.span,
        cell.context,
        outcome.value,
        outcome.unit,
        cell.engine,
        outcome.note,
    )
