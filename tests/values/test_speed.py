"""How long normalisation takes; prints microseconds a cell."""

import time

import pytest

from srag_mcp.values.columns import read_column
from srag_mcp.values.states import Column, State, Words
from srag_mcp.values.types import COLUMN_TYPES

N_CELLS = 50_000


@pytest.mark.benchmark
@pytest.mark.parametrize(
    ("type_", "pattern"),
    [
        ("integer", "{n:,} patients"),
        ("number", "USD {n:,}.50"),
        ("date", "{day}/{month}/20{year} 8:13:39 PM"),
        ("date", "{day} March 20{year}"),
        ("string", "Example {n} Ltd."),
        ("boolean", "Outdoor pool {n}"),
    ],
)
def test_microseconds_a_cell(type_: str, pattern: str) -> None:
    texts = [
        pattern.format(n=n * 37, day=n % 28 + 1, month=n % 12 + 1, year=n % 90 + 10)
        for n in range(N_CELLS)
    ]
    said = [Words(text) for text in texts]
    started = time.perf_counter()
    normalised = read_column(Column(COLUMN_TYPES[type_]), said)
    seconds = time.perf_counter() - started
    assert all(cell.state is State.STATED for cell in normalised)
    print(f"{type_:8} {texts[1]!r:30} {seconds / N_CELLS * 1e6:6.1f} µs a cell")
