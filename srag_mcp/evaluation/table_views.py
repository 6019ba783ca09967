"""Views of a table: its rows and columns in words, each value below its headers on both sides."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import TypeAlias

from srag_mcp.documents.document import Table, TableCell
from srag_mcp.documents.pairs import is_data
from srag_mcp.text.spans import Span

_MIN_INDENT = 2  # characters; a layout of a page is that uneven

_Row: TypeAlias = Sequence[TableCell]
_Path: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableView:
    """A row or a column of a table in words; *span* is that of the row, or of the whole table.

    `Sales | Europe > Spain | 2022 > Q1: 10; 2022 > Q2: 12`

    Source: MixRAG, H-RCL.
    """

    text: str
    span: Span


def table_views(table: Table, text: str) -> Iterator[TableView]:
    """Yield a view of each row that has values, then of each column; *text* is the document's."""
    table = with_all_headers(table)
    n_labels, paths = count_label_columns(table), left_paths(table, text)
    rows = [(row, path) for row, path in zip(table.rows, paths, strict=True) if path is not None]
    for row, path in rows:
        said = _said(zip(table.headers[n_labels:], row[n_labels:], strict=True))
        span = Span(row[0].span.start, max(cell.span.end for cell in row))
        if said:
            yield TableView(_joined(table.caption, " > ".join(path), said), span)
    for column in range(n_labels, len(table.headers)):
        said = _said((path, row[column]) for row, path in rows)
        header = " > ".join(table.headers[column])
        if said:
            yield TableView(_joined(table.caption, header, said), table.span)


def _said(values: Iterable[tuple[_Path, TableCell]]) -> str:
    said = ((" > ".join(path), cell.text) for path, cell in values if cell.text)
    return "; ".join(": ".join(filter(None, pair)) for pair in said)


def _joined(*parts: str) -> str:
    return " | ".join(filter(None, parts))


def with_all_headers(table: Table) -> Table:
    """Return *table* without rows that go on with its headers.

    The corner says the same in them, or nothing where headers span columns: `2022 | 2022` above
    `Q1 | Q2`.
    """
    headers, rows = table.headers, table.rows
    while len(rows) > 1 and (
        headers[0][-1:] == (corner := rows[0][0].text,)
        or (not corner and any(path and path == after for path, after in pairwise(headers)))
    ):
        cells = (cell.text for cell in rows[0])
        headers = tuple(
            path if text in {"", *path[-1:]} else (*path, text)
            for path, text in zip(headers, cells, strict=True)
        )
        rows = rows[1:]
    return replace(table, headers=headers, rows=rows)


def count_label_columns(table: Table) -> int:
    """Count the columns at the left that name the rows.

    Another one does if the one before it has gaps or repeats, as groups have, and itself no data.
    """
    labels = _labels(table)
    rows = [row for row, label in zip(table.rows, labels, strict=True) if label is None]
    n = 1
    while n < len(table.headers) - 1:
        names = [row[n - 1].text for row in rows]
        is_grouped = any(not below or above == below for above, below in pairwise(names))
        if not is_grouped or any(is_data(row[n].text) for row in rows):
            break
        n += 1
    return n


def left_paths(table: Table, text: str) -> tuple[_Path | None, ...]:
    """Return the headers left of each row, outermost first; None for a row that is only a label.

    Such a row is above the rows that are indented below it. Where none are, as many as follow on
    one another are levels, and fewer of them later on replace the innermost ones.
    """
    labels = _labels(table)
    indents = [_indent(row, text) for row in table.rows]
    is_indented = any(
        label is not None and below is None and inner - outer >= _MIN_INDENT
        for (label, below), (outer, inner) in zip(pairwise(labels), pairwise(indents), strict=True)
    )
    n_labels = count_label_columns(table)
    paths: list[_Path | None] = [None] * len(labels)
    open_labels: list[tuple[str, int]] = []  # with their indents
    depth, names = 0, [""] * n_labels
    for is_label, run in groupby(range(len(labels)), lambda at: labels[at] is not None):
        places = list(run)
        if is_label:
            names = [""] * n_labels
            new = [(str(labels[at]), indents[at]) for at in places]
            depth = max(depth, len(new))
            if not is_indented:
                open_labels = [*open_labels[: depth - len(new)], *new]
            for label in new if is_indented else []:
                open_labels = [*_above(open_labels, label[1]), label]
            continue
        for at in places:
            row = table.rows[at]
            above = _above(open_labels, indents[at]) if is_indented else open_labels
            own = [cell.text for cell in row[:n_labels]]
            first = next((column for column, name in enumerate(own[:-1]) if name), n_labels - 1)
            names = [*names[:first], *own[first:]]  # an empty one belongs to the one above it
            named = dict.fromkeys(filter(None, names))
            paths[at] = (*(label for label, _ in above), *named)
    return tuple(paths)


def _above(labels: Sequence[tuple[str, int]], indent: int) -> list[tuple[str, int]]:
    return [label for label in labels if indent - label[1] >= _MIN_INDENT]


def _labels(table: Table) -> list[str | None]:
    """Return what the rows say that are only a label; None for the others.

    Their one text is merged over all cells, or ends with a colon. A row that is filled in its first
    cell alone is a label where none is marked so; else it is one without values.
    """
    found: list[tuple[str, bool] | None] = []
    for row in table.rows:
        first, others = row[0].text, {cell.text for cell in row[1:]}
        is_alone = bool(first) and not is_data(first) and others in ({""}, {first})
        found.append((first, others == {first} or first.endswith(":")) if is_alone else None)
    are_marked = any(label is not None and label[1] for label in found)
    return [
        label[0].rstrip(": ") if label is not None and label[1] >= are_marked else None
        for label in found
    ]


def _indent(row: _Row, text: str) -> int:
    start = row[0].span.start
    return start - text.rfind("\n", 0, start) - 1
