"""Faults planted in recorded cells: how many the checks of values find, and false alarms.

    python -m tests.benchmarks.planted_faults --packs FOLDER [--only NAME,...] [--show]

The tables are those that the replays of the yardstick build, with the columns that the replies
propose. Of the numbers that replies gave for a pack 20 are spoiled in each way, or as many as can
be, one at a time, and looked for as an ingestion does: in the cell, and in its column.
`17 (+2) of 20` says that 17 are doubted, which a model is asked about, and 2 more marked as not
shown by their words. A false alarm is an unspoiled number that is doubted, right or wrong. `--show`
prints what is missed, and the false alarms.

scale: a thousand times as much or as little. sign: the other one. period: the number beside it
below an earlier year. unit: the number of the words, which have another unit than the column.
digit: another one, or two changed. row: the number and the words of a row nearby (of records; each
row of a list is one).
"""

import argparse
import logging
import random
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import starmap
from pathlib import Path

from srag_mcp.cells.cell import BY_RULES
from srag_mcp.claims.claim import Bearing, check
from srag_mcp.claims.figures import column_unit, read_figures
from srag_mcp.evaluation.bench import open_bench
from srag_mcp.evaluation.evaluate import take_documents
from srag_mcp.evaluation.pack import read_pack
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.text.spans import Span
from srag_mcp.values.quantities import read_numeral
from srag_mcp.values.units import convert
from tests.benchmarks.yardstick import choose, find_tasks, print_table
from tests.benchmarks.yardstick_part import Task
from tests.claims.test_planted_faults import N_PLANTED, Said, alarms, spoil_digit

_NUMERAL = re.compile(r"(?<![\w.,])\d[\d.,]*(?<=\d)(?![\w%])")
_ROW = re.compile(r"\W*[^\W\d_]{2}.*?\S(?: {2,}|\t|\s*\|)\s*\S")  # a label, and a gap behind it
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_TEXTS = "SELECT document_id, text FROM srag_texts"
_FIGURE = "{} (+{}) of {}"
_NEARBY = 12  # lines between a row and its heads, or another row


@dataclass(frozen=True)
class Given(Said):
    """A cell that a reply gave, where it stands in its document."""

    place: Span | None = None
    is_of_list: bool = False

    @property
    def span(self) -> Span:
        """Where its words are."""
        assert self.place is not None
        return self.place


Columns = Mapping[tuple[str, str], Sequence[Given]]
"""The numbers of columns, by table and name, in the order of the documents."""


def build(task: Task) -> Columns:
    """Build a table from recorded replies, and read its columns."""
    pack = read_pack(task.pack)
    if task.n_documents is not None:
        pack = take_documents(pack, task.n_documents)
    settings = Settings(model=f"replay:{task.replies}", workers=1, lists=task.lists)
    with open_bench(settings) as bench:
        folder = bench.lay_out(pack)
        ingest(folder, bench.settings, questions=pack.sample_questions)
        return read_columns(bench.corpus(bench.place_of(folder)))


def read_columns(corpus: Corpus) -> Columns:
    """Read the numbers that replies gave, where their words are known."""
    tables = {table.entity: table for table in corpus.schema().tables}
    texts = {str(key): str(text) for key, text in corpus.read(_TEXTS, ())}
    rows = corpus.read(
        'SELECT table_name, attribute, document_id, value, as_stated, start, "end" FROM cells'
        " WHERE state = 'stated' AND value IS NOT NULL AND start IS NOT NULL AND engine <> ?"
        " ORDER BY table_name, attribute, document_id, position",
        [BY_RULES],
    )
    found = defaultdict[tuple[str, str], list[Given]](list)
    for name, column, document, value, quote, start, end in rows:
        table = tables[str(name)]
        attribute = next((item for item in table.attributes if item.name == column), None)
        number = attribute.type.read(str(value)) if attribute else None  # none of a list as such
        if attribute and attribute.type.is_numeric and isinstance(number, int | float):
            place, text = Span(int(str(start)), int(str(end))), texts[str(document)]
            is_of_list = bool(table.parent)
            found[table.entity, attribute.name].append(
                Given(attribute, number, str(quote), text, place=place, is_of_list=is_of_list)
            )
    return found


def _spoil_scale(given: Given, chance: random.Random) -> Given:
    factor = 1e3 if given.attribute.type.is_whole else chance.choice((1e-3, 1e3))
    return replace(given, value=given.value * factor)


def _spoil_sign(given: Given, _: random.Random) -> Given:
    return replace(given, value=-given.value)


def _spoil_period(given: Given, chance: random.Random) -> Given | None:
    """Take a number of the same row, where a line above it has a year for each, in order."""
    line, at = _line_of(given), _own(given)
    if at is None or not _ROW.match(line.of(given.text)):
        return None
    numbers = _numbers(line.of(given.text))
    for head in _nearby(given, above=True):
        years = [int(year) for year in _YEAR.findall(head.of(given.text))]
        if 1 < len(years) == len(numbers):
            earlier = [n for n, year in enumerate(years) if year < years[at]]
            return _take(given, line, chance.choice(earlier)) if earlier else None
    return None


def _spoil_unit(given: Given, _: random.Random) -> Given | None:
    own = column_unit(given.attribute) or ""
    said = [x for x in read_figures(given.quote).quantities if x.unit and x.unit != own]
    other = [float(x.value) for x in said if convert(1.0, str(x.unit), own) is not None]
    return replace(given, value=other[0]) if len(other) == 1 else None


def _spoil_digit(given: Given, chance: random.Random) -> Said | None:
    return spoil_digit(given, None, (), chance) if given.value else None


def _spoil_row(given: Given, chance: random.Random) -> Given | None:
    line, at = _line_of(given), _own(given)
    if at is None or given.is_of_list or not _ROW.match(line.of(given.text)):
        return None
    n_numbers = len(_numbers(line.of(given.text)))
    rows = [
        row
        for row in _nearby(given)
        if _ROW.match(row.of(given.text)) and len(_numbers(row.of(given.text))) == n_numbers
    ]
    return _take(given, chance.choice(rows), at) if rows else None


def _line_of(given: Given) -> Span:
    text, start = given.text, given.span.start
    end = text.find("\n", start)
    return Span(text.rfind("\n", 0, start) + 1, len(text) if end < 0 else end)


def _nearby(given: Given, *, above: bool = False) -> Iterator[Span]:
    """Yield the lines around the words of a cell, or only those *above* it, the nearest first."""
    line, at = _line_of(given), 0
    lines = []
    for words in given.text.split("\n"):
        lines.append(Span(at, at + len(words)))
        at += len(words) + 1
    own = lines.index(line)
    for n in range(1, _NEARBY + 1):
        yield from lines[max(own - n, 0) : max(own - n + 1, 0)]
        yield from lines[own + n : own + n + 1] if not above else ()


def _numbers(line: str) -> list[float]:
    found = (read_numeral(words) for words in _NUMERAL.findall(line))
    return [float(number) for number in found if number is not None]


def _own(given: Given) -> int | None:
    """Return which number of its line the value is; None where that is not one alone."""
    numbers = _numbers(_line_of(given).of(given.text))
    found = [n for n, number in enumerate(numbers) if number == abs(given.value)]
    return found[0] if len(found) == 1 else None


def _take(given: Given, line: Span, at: int) -> Given:
    """Return what is given with a number of *line*, and all words of that line."""
    words = line.of(given.text)
    start = line.start + len(words) - len(words.lstrip())
    place = Span(start, start + len(words.strip()))
    return replace(given, value=_numbers(words)[at], quote=words.strip(), place=place)


FAULTS: Mapping[str, Callable[[Given, random.Random], Said | None]] = {
    "scale": _spoil_scale,
    "sign": _spoil_sign,
    "period": _spoil_period,
    "unit": _spoil_unit,
    "digit": _spoil_digit,
    "row": _spoil_row,
}


def plant(columns: Columns, kind: str) -> tuple[int, list[Said]]:
    """Plant faults of a *kind*; return how many, and those that are not found."""
    chance = random.Random(kind)
    possible = [
        (cells, number, spoiled)
        for cells in columns.values()
        for number, given in enumerate(cells)
        if (spoiled := FAULTS[kind](given, chance)) and spoiled.value != given.value
    ]
    planted = chance.sample(possible, min(N_PLANTED, len(possible)))
    missed = [
        spoiled
        for cells, number, spoiled in planted
        if not alarms([*cells[:number], spoiled, *cells[number + 1 :]], [number])
    ]
    return len(planted), missed


def is_marked(said: Said) -> bool:
    """Whether nothing in its words shows a number."""
    claim = check(said.attribute, said.quote, said.value, said.text, said.span)
    return claim.bearing is Bearing.UNSHOWN


def main(arguments: Sequence[str]) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--packs", type=Path, required=True, metavar="DIR")
    parser.add_argument("--only", default="", metavar="NAME,...")
    parser.add_argument("--show", action="store_true", help="print what is missed, and alarms")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.ERROR)
    only = [f"replay:{name.strip()}/inferred" for name in options.only.split(",") if name.strip()]
    rows, sums = list[list[str]](), defaultdict[str, list[int]](lambda: [0, 0, 0])
    for task in choose(find_tasks(options.packs.resolve()), only):
        if task.what != "replay" or task.schema_source != "inferred":
            continue
        columns = build(task)
        doubted = [
            (cells[number], why)
            for cells in columns.values()
            for number, why in alarms(cells, range(len(cells))).items()
        ]
        given = [item for cells in columns.values() for item in cells]
        n_marked = sum(map(is_marked, given))
        said = {"false alarms": (len(doubted), n_marked, len(given))}
        for kind in FAULTS:
            n_planted, missed = plant(columns, kind)
            n_marked = sum(map(is_marked, missed))
            said[kind] = n_planted - len(missed), n_marked, n_planted
            for item in missed if options.show else ():
                print(f"missed, {kind}: {item.attribute.name} {item.value:g} {item.quote!r}")
        for item, why in doubted if options.show else ():
            print(f"alarm: {item.attribute.name} {item.value:g} {item.quote!r}: {why}")
        rows.append([task.pack.name, *starmap(_FIGURE.format, said.values())])
        for name, counts in said.items():
            sums[name] = [x + y for x, y in zip(sums[name], counts, strict=True)]
    rows.append(["all", *starmap(_FIGURE.format, sums.values())])
    print_table(["", *sums], rows)


if __name__ == "__main__":
    main(sys.argv[1:])
