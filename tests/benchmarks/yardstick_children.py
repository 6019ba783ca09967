"""Rows of child tables against gold: found where all gold fields match, in any order, one to one.

`gold_items.csv` of a pack has a row an item of a document. It is measured against the child table
of which the most rows are found; a gold field is in the column whose values agree with it most
often within their documents. Values are equal as those of cells are; of a free text (more than four
words in the median) the words are: four fifths of those of both.
"""

import csv
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import TypeAlias

from pydantic import BaseModel

from srag_mcp.evaluation.bench import read_rows
from srag_mcp.evaluation.comparison import gold_type, meaning_of
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import Value
from srag_mcp.values.types import ColumnType

Rows: TypeAlias = Mapping[str, Sequence[Mapping[str, Value]]]
"""Rows by the gold name of their document."""
_FREE_WORDS, _LEAST_SHARED = 4, 0.8


class ChildScore(BaseModel):
    """How well what documents list was found.

    Attributes:
        table: The child table; empty where there is none.
        fields: The column of each gold field; None where none has it.
        free: The gold fields that are judged by the words that both have.
        n_gold, n_found, n_right: Rows of gold, rows of the table, and pairs of these.
    """

    table: str = ""
    fields: dict[str, str | None] = {}
    free: list[str] = []
    n_gold: int
    n_found: int = 0
    n_right: int = 0

    @property
    def precision(self) -> float:
        """The share of the rows found that are right."""
        return self.n_right / self.n_found if self.n_found else 0.0

    @property
    def recall(self) -> float:
        """The share of the gold rows that are found."""
        return self.n_right / self.n_gold if self.n_gold else 0.0

    def __str__(self) -> str:
        """Write it as it is printed."""
        free = f"; by words: {', '.join(self.free)}" if self.free else ""
        shares = f"precision {self.precision:.3f}, recall {self.recall:.3f}"
        return f"{self.table or 'no table'}: {shares} ({self.n_right} of {self.n_gold}){free}"


def score_children(pack: Path, corpus: Corpus, names: Mapping[str, str]) -> dict[str, ChildScore]:
    """Score what the documents of a pack list; *names* has gold's name of each document."""
    tables: dict[str, Rows] = {}
    for child in corpus.schema().children:
        rows: defaultdict[str, list[Mapping[str, Value]]] = defaultdict(list)
        for row in read_rows(corpus, f'FROM "{child.entity}" ORDER BY document_id, position'):
            document = str(row.pop("document_id"))
            rows[names.get(document, document)].append(row)  # gold may number the rows, too
        tables[child.entity] = rows
    scores = {}
    for path in sorted(pack.glob("gold_*.csv")):
        gold: defaultdict[str, list[dict[str, Value]]] = defaultdict(list)
        with path.open(encoding="utf-8", newline="") as lines:
            for line in csv.DictReader(lines):
                gold[line.pop("document")].append(dict(line))
        found = [score_rows(gold, rows, table) for table, rows in tables.items()]
        none = ChildScore(n_gold=sum(map(len, gold.values())))
        name = path.stem.removeprefix("gold_")
        scores[name] = max(found, key=lambda score: (score.n_right, score.precision), default=none)
    return scores


def score_rows(gold: Rows, found: Rows, table: str = "") -> ChildScore:
    """Score the rows of one child table against those of gold."""
    fields = list(dict.fromkeys(name for rows in gold.values() for row in rows for name in row))
    columns = list(dict.fromkeys(name for rows in found.values() for row in rows for name in row))
    kinds = {
        field: gold_type([str(row[field]) for rows in gold.values() for row in rows])
        for field in fields
    }
    agree = {
        (field, column): _count_equal(gold, found, field, column, kinds[field])
        for field in fields
        for column in columns
    }
    chosen: dict[str, str] = {}
    for (field, column), n in sorted(agree.items(), key=lambda item: -item[1]):
        if n and field not in chosen and column not in chosen.values():
            chosen[field] = column
    free = [
        field
        for field in fields
        if kinds[field].is_text
        and median(len(str(row[field]).split()) for rows in gold.values() for row in rows)
        > _FREE_WORDS
    ]

    def is_right(wanted: Mapping[str, Value], row: Mapping[str, Value]) -> bool:
        return all(
            _is_equal(wanted[field], row.get(chosen.get(field, "")), kinds[field], field in free)
            for field in fields
        )

    n_right = 0
    for document, rows in gold.items():
        there = found.get(document, ())
        n_right += _pair([[at for at, x in enumerate(there) if is_right(row, x)] for row in rows])
    return ChildScore(
        table=table,
        fields={field: chosen.get(field) for field in fields},
        free=free,
        n_gold=sum(map(len, gold.values())),
        n_found=sum(map(len, found.values())),
        n_right=n_right,
    )


def _count_equal(gold: Rows, found: Rows, field: str, column: str, kind: ColumnType) -> int:
    total = 0
    for document, rows in gold.items():
        wanted = Counter(meaning_of(row[field], kind) for row in rows)
        said = Counter(meaning_of(row.get(column), kind) for row in found.get(document, ()))
        del wanted[""]
        total += (wanted & said).total()
        if kind.is_text:  # free texts agree by their words
            words = [
                Counter(" ".join(x.elements()).split()) for x in (wanted - said, said - wanted)
            ]
            total += min((words[0] & words[1]).total() // (_FREE_WORDS + 1), wanted.total())
    return total


def _is_equal(wanted: Value, said: Value, kind: ColumnType, is_free: bool) -> bool:
    one, other = meaning_of(wanted, kind), meaning_of(said, kind)
    if one == other or not is_free:
        return one == other
    words = Counter(one.split()), Counter(other.split())
    shared = (words[0] & words[1]).total()
    return shared >= _LEAST_SHARED * max(words[0].total(), words[1].total())


def _pair(edges: Sequence[Sequence[int]]) -> int:
    """Return how many pairs there are at most, each item in one (augmenting paths)."""
    taken: dict[int, int] = {}

    def place(at: int, seen: set[int]) -> bool:
        for other in edges[at]:
            if other not in seen:
                seen.add(other)
                if other not in taken or place(taken[other], seen):
                    taken[other] = at
                    return True
        return False

    return sum(place(at, set()) for at in range(len(edges)))
