"""The tables of all kinds of documents that a folder holds, for one query over several of them."""

import math
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from srag_mcp.errors import NotIngestedError, StoreError
from srag_mcp.names.uniting import are_names
from srag_mcp.schema.schema import RESERVED_TABLES, Table
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.database import quote_name
from srag_mcp.store.guard import QueryPool, ResultPage, Views
from srag_mcp.store.statistics import ColumnStatistics
from srag_mcp.text.words import stems
from srag_mcp.values.types import INTEGER

_TRIES = 5
# Fewer equal values are no sign that two columns name the same things; a column of names has more
# values than a set of words that describe (`inference/brief` shows sets of as many whole).
_LEAST, _SMALL_SET = 3, 16
# Half of the values of a key are its own, and half of those of one column are in the other.
_MOST = 0.5
_BY_CHANCE = 0.001
_COMMON = """
WITH keys AS ({columns})
SELECT one.place, other.place, count(*) FROM keys AS one JOIN keys AS other
ON one.value = other.value AND one.kind < other.kind AND one.is_text = other.is_text GROUP BY ALL
"""


@dataclass(frozen=True, slots=True)
class KindTable:
    """A table of a kind: what it is called among those of all kinds, and as its kind has it."""

    name: str
    corpus: Corpus
    table: Table

    def column(self, name: str) -> ColumnStatistics | None:
        """Return what its column *name* holds; in any case."""
        found = self.corpus.statistics(table=self.table.entity)
        return next((item for item in found if item.column.lower() == name.lower()), None)


@dataclass(frozen=True, slots=True)
class SharedKey:
    """Columns of two kinds that name the same things.

    *n_common* of the *n_values* different values of each are in the other; *n_silent* of its rows
    have no value, and so no partner.
    """

    tables: tuple[KindTable, KindTable]
    columns: tuple[str, str]
    n_common: int
    n_values: tuple[int, int]
    n_silent: tuple[int, int] = (0, 0)

    def condition(self) -> str:
        """Write the join: `invoices.po_number = orders.number`."""
        sides = zip(self.tables, self.columns, strict=True)
        written = (f"{x.corpus.sql_name(x.name)}.{x.corpus.sql_name(y)}" for x, y in sides)
        return " = ".join(written)

    def __str__(self) -> str:
        shares = (
            f"{self.n_common:,} of the {n:,} values of {table.name}"
            for table, n in zip(self.tables, self.n_values, strict=True)
        )
        silent = (
            f"; {n:,} of the rows of {table.name} have no value"
            for table, n in zip(self.tables, self.n_silent, strict=True)
            if n
        )
        return f"{self.condition()}: {' and '.join(shares)} match{''.join(silent)}"


class KindTables:
    """Reads the tables of several corpora as those of one; safe to use from many threads.

    Tables have their names, but for those of two kinds that have one: these begin with the name of
    their kind. `documents`, `cells` and `passages` have the rows of all kinds, and of no kind. Of
    *corpora*, in order, others are *missing*: they are not ingested.
    """

    def __init__(self, name: str, corpora: Sequence[Corpus], missing: Sequence[str] = ()) -> None:
        self.name, self.corpora, self.missing = name, tuple(corpora), tuple(missing)
        self._lock = threading.Lock()
        self._keys: tuple[Views, tuple[SharedKey, ...]] | None = None

    @property
    def n_documents(self) -> int:
        """How many records the kinds have together."""
        return sum(corpus.info().n_documents for corpus in self.corpora)

    def names(self) -> str:
        """Name the kinds: `docs/invoices, docs/orders`."""
        return ", ".join((*(corpus.name for corpus in self.corpora), *self.missing))

    def among(self, corpora: Collection[Corpus]) -> "KindTables":
        """Return the tables of *corpora* alone, which are some of these."""
        return KindTables(self.name, [x for x in self.corpora if x in corpora], self.missing)

    def notices(self) -> tuple[str, ...]:
        """Say what every answer should, see `Corpus.notices`, and which kinds are not there."""
        said = [f"{x.name}: {notice}" for x in self.corpora for notice in x.own_notices()]
        missing = [f"not ingested yet: {', '.join(self.missing)}"] if self.missing else []
        return (*said, *self.corpora[0].left_out(), *missing)

    def rest(self) -> Corpus | None:
        """Return what is of no kind, see `Corpus.rest`; what is found in it is of the folder."""
        rest = self.corpora[0].rest()
        return rest and rest.called(self.name)

    def own_tables(self) -> list[KindTable]:
        """Return the tables of records, and of what they list, of all kinds."""
        found = [(corpus, table) for corpus in self.corpora for table in corpus.schema().tables]
        names = [table.entity.lower() for _, table in found]
        tables: list[KindTable] = []
        for corpus, table in found:
            is_one = names.count(table.entity.lower()) == 1
            kind = corpus.name.rpartition("/")[2]
            tables.append(
                KindTable(table.entity if is_one else f"{kind}_{table.entity}", corpus, table)
            )
        return tables

    def names_of(self, corpus: Corpus) -> dict[str, str]:
        """Return what the tables of a kind are called among those of all, by their own names."""
        own = (item for item in self.own_tables() if item.corpus is corpus)
        return {item.table.entity: item.name for item in own}

    def tables(self) -> dict[str, list[str]]:
        """Return the tables that SQL from outside may read, with their columns."""
        found: dict[str, list[str]] = {}
        for name, of in self._parts().items():
            columns = (column for corpus, table in of for column in corpus.tables()[table])
            found[name] = list(dict.fromkeys(columns))
        return found

    def _parts(self) -> dict[str, list[tuple[Corpus, str]]]:
        own = self.own_tables()
        found = {item.name: [(item.corpus, item.table.entity)] for item in own}
        shared = [name for name in sorted(RESERVED_TABLES) if name not in found]
        if any(item.name != item.table.entity for item in own):
            shared.remove("cells")  # they say of two tables by one name what they are of
        corpora = [x for x in (*self.corpora, self.rest()) if x]
        for name in shared:
            found[name] = [(x, name) for x in corpora if name in x.tables()]
        return found

    def _views(self) -> Views:
        parts = self._parts().items()
        paths = {x.name: x.build_path() for _, of in parts for x, _ in of}
        return {name: [(paths[x.name], table) for x, table in of] for name, of in parts}

    def select(self, sql: str, limit: int = 100, offset: int = 0) -> ResultPage:
        """Check and run one SELECT that comes from outside, as `Corpus.select`."""
        worker = self.corpora[0].worker
        for left in range(_TRIES, 0, -1):
            views = self._views()
            try:
                return worker.select(views, sql, tables=self.tables(), limit=limit, offset=offset)
            except StoreError:
                if left == 1 or _builds(views) == _builds(self._views()):
                    raise
        raise AssertionError

    def shared_keys(self) -> tuple[SharedKey, ...]:
        """Return the columns of different kinds that name the same things, the surest first.

        One of them tells its rows apart, or both hold many names.
        """
        views = self._views()
        with self._lock:
            if self._keys is not None and self._keys[0] == views:
                return self._keys[1]
        found = tuple(self._find_keys(views))
        with self._lock:
            self._keys = views, found
        return found

    def keys_of(self, tables: Collection[KindTable]) -> list[SharedKey]:
        """Return the columns that name the same things in two of *tables*."""
        names = {item.name for item in tables}
        return [x for x in self.shared_keys() if all(item.name in names for item in x.tables)]

    def _find_keys(self, views: Views) -> Iterator[SharedKey]:
        columns = [
            (table, item)
            for table in self.own_tables()
            for item in table.corpus.statistics(table=table.table.entity)
            if (item.type.is_text or item.type == INTEGER) and item.n_distinct >= _LEAST
        ]
        if not any(one[0].corpus is not other[0].corpus for one, other in combinations(columns, 2)):
            return
        kinds = {corpus.name: number for number, corpus in enumerate(self.corpora)}
        parts = [
            f"SELECT {place} AS place, {kinds[table.corpus.name]} AS kind,"  # noqa: S608 - quoted
            f" {item.type.is_text} AS is_text, {quote_name(item.column)}::VARCHAR AS value"
            f" FROM {quote_name(table.name)} WHERE value IS NOT NULL GROUP BY ALL"
            for place, (table, item) in enumerate(columns)
        ]
        sql = _COMMON.format(columns=" UNION ALL ".join(parts))
        keys: list[SharedKey] = []
        for one, other, n_common in self.corpora[0].worker.read(views, sql, kind="short"):
            (table, item), (also, second) = columns[int(str(one))], columns[int(str(other))]
            is_named = _is_named(item, also.table) or _is_named(second, table.table)
            if _is_key(item, second, int(str(n_common)), is_named=is_named):
                n_values = (item.n_distinct, second.n_distinct)
                names = (item.column, second.column)
                silent = (item.n_records - item.n_non_null, second.n_records - second.n_non_null)
                keys.append(SharedKey((table, also), names, int(str(n_common)), n_values, silent))
        yield from sorted(keys, key=lambda key: -key.n_common / min(key.n_values))


def open_kinds(
    name: str, places: Mapping[str, Path], worker: QueryPool, home: Path | None
) -> KindTables:
    """Open the tables of the kinds of the folder *name*; NotIngestedError where none is there."""
    corpora = [Corpus(place, worker, home, f"{name}/{kind}") for kind, place in places.items()]
    ready = [corpus for corpus in corpora if corpus.is_ready()]
    missing = [corpus.name for corpus in corpora if corpus not in ready]
    if not ready:
        msg = (
            f"{name} holds several kinds of documents, and none is ingested yet; ingest each by"
            f" its name: {', '.join(missing)}"
        )
        raise NotIngestedError(msg)
    return KindTables(name, ready, missing)


def _builds(views: Views) -> Collection[Path]:
    return {path for of in views.values() for path, _ in of}


def _is_key(
    one: ColumnStatistics, other: ColumnStatistics, n_common: int, *, is_named: bool
) -> bool:
    """Whether columns with *n_common* values name the same; *is_named*: after records."""
    if n_common < _LEAST or n_common < _MOST * min(one.n_distinct, other.n_distinct):
        return False
    if not one.type.is_text:
        is_plain = max(one.n_distinct / one.n_non_null, other.n_distinct / other.n_non_null) == 1
        return is_plain and (is_named or not _may_be_chance(one, other, n_common))
    tells_apart = any(item.n_distinct >= _MOST * item.n_non_null for item in (one, other))
    return tells_apart or (_has_many_names(one) and _has_many_names(other))


def _is_named(item: ColumnStatistics, other: Table) -> bool:
    """Whether a column is called after the records of a table: `order_no` after `orders`."""
    said = " ".join((other.entity, *other.nouns)).replace("_", " ")
    return not {*stems(item.column.replace("_", " "))}.isdisjoint(stems(said))


def _has_many_names(item: ColumnStatistics) -> bool:
    return item.n_distinct > _SMALL_SET and are_names(str(value.value) for value in item.values)


def _may_be_chance(one: ColumnStatistics, other: ColumnStatistics, n_common: int) -> bool:
    """Whether numbers of one range would have so many in common anyway (Chernoff's bound)."""
    ends = [int(str(end)) for x in (one, other) for end in (x.minimum, x.maximum)]
    size = max(ends) - min(ends) + 1
    few, many = sorted((one.n_distinct, other.n_distinct))
    expected, found = many / size, n_common / few
    if found <= expected:
        return True
    spread = found * math.log(found / expected)
    if found < 1:
        spread += (1 - found) * math.log((1 - found) / (1 - expected))
    return math.exp(-few * spread) > _BY_CHANCE
