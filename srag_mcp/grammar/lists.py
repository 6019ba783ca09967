"""What the records list: a child table to ask about, and what it adds to a question on records.

A question on one table may name columns of the others: `orders with a mug`, `mugs of Ada`. Such a
column restricts and is never put out or summed up, so that no row is taken twice. Of the records,
how many of each they list is a column.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from srag_mcp.grammar.lexicon import stem, stems, stems_of, words_in
from srag_mcp.grammar.table import (
    LISTED,
    OF_RECORD,
    Column,
    Table,
    describe_column,
    describe_table,
)
from srag_mcp.schema import schema as schemas
from srag_mcp.schema.attribute import Attribute, snake_case
from srag_mcp.schema.schema import Schema
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.database import quote_name, quote_text
from srag_mcp.store.statistics import ColumnStatistics

Statistics = Mapping[str, ColumnStatistics]


def read_statistics(corpus: Corpus) -> dict[str, ColumnStatistics]:
    """Return the statistics of all columns of a corpus by their names.

    Those of what is listed by the names of table and column, `order_items.name`; `order_items.` is
    of how many of them the records list.
    """
    found = {item.column: item for item in corpus.statistics()}
    for child in corpus.schema().children:
        own = corpus.statistics(table=child.entity)
        found |= {f"{child.entity}{LISTED}{item.column}": item for item in own}
        listed, name = corpus.list_statistics(child.entity), quote_text(child.entity)
        n = f"SELECT value::BIGINT AS n FROM cells WHERE table_name = {name} AND position = 0"  # noqa: S608 - the name of a table
        low, high, n_distinct = corpus.count(f"SELECT min(n), max(n), count(DISTINCT n) FROM ({n})")  # noqa: S608 - as above
        n_known = listed.n_stated + listed.n_stated_absent  # of none listed there is a number, too
        found[f"{child.entity}{LISTED}"] = replace(
            listed,
            column=_count_name(child),
            n_stated=n_known,
            n_stated_absent=0,
            n_non_null=n_known,
            n_non_zero=listed.n_stated,
            n_distinct=int(str(n_distinct)),
            minimum=low,
            maximum=high,
        )
    return found


def describe_tables(schema: Schema, statistics: Statistics) -> list[Table]:
    """Gather what the words of a question may mean: in the records, and in each of their lists."""
    records = describe_table(schema, statistics)
    if not schema.children:
        return [records]
    own = {
        child.entity: {
            name.rpartition(LISTED)[2]: item
            for name, item in statistics.items()
            if name.startswith(f"{child.entity}{LISTED}")
        }
        for child in schema.children
    }
    lists = [_describe_list(child, schema, own[child.entity]) for child in schema.children]
    pieces = {table.name for table in lists if table.pieces is not None}
    counts = [
        replace(column, counts_rows=name in pieces)
        for name, column in _counts(schema, own, records)
    ]
    named = replace(records, columns=(*records.columns, *counts), beside=_beside(lists))
    of_records = tuple(
        _renamed(column, f"{records.name}{OF_RECORD}{column.name}") for column in records.columns
    )
    holders = records.nouns | records.qualifiers
    others = [
        replace(
            table,
            beside=(*of_records, *_beside([x for x in lists if x is not table])),
            holders=holders - table.nouns,
        )
        for table in lists
    ]
    return [named, *others]


def _renamed(column: Column, name: str) -> Column:
    return replace(column, key=name)


def _beside(lists: Sequence[Table]) -> tuple[Column, ...]:
    """Return the columns of lists as they restrict records; that which names an item by its noun.

    Of `attendees` whoever has a name there did attend.
    """
    return tuple(
        replace(
            _renamed(column, f"{table.name}{LISTED}{column.name}"),
            does=frozenset(stem(w.removesuffix("ee")) for w in table.called if w.endswith("ee")),
        )
        for table in lists
        for column in table.columns
    )


def _describe_list(child: schemas.Table, schema: Schema, statistics: Statistics) -> Table:
    last = child.list_name.rpartition(".")[2]
    about = schema.about(child.entity).model_copy(
        update={"title": last, "nouns": (*child.nouns, last.replace("_", " "))}
    )
    table = describe_table(about, statistics)
    words = words_in(" ".join((last, *child.nouns)))
    nouns = frozenset(map(stem, words))
    idle = nouns | stems_of("naming", "words") | {"descript"}
    texts = [column for column in table.columns if column.is_text]
    label = [c for c in texts if any(set(name) <= idle for name in c.names)]
    pieces = [
        c
        for c in table.columns
        if c.is_number and any({*name} <= stems_of("pieces", "words") for name in c.names)
    ]
    return replace(
        table,
        nouns=nouns,
        general=frozenset(),
        qualifiers=frozenset(),
        things=frozenset(),
        called=frozenset(w for x in words for w in {x, x.removesuffix("s")}),
        naming=texts[0] if len(texts) == 1 else next(iter(label), None),
        pieces=pieces[0] if len(pieces) == 1 and pieces[0].is_additive else None,
        is_list=True,
    )


def _counts(
    schema: Schema, statistics: Mapping[str, Statistics], records: Table
) -> Iterator[tuple[str, Column]]:
    """Yield of each list its table, and how many a record has; not where a column says it."""
    for child in schema.children:
        found = statistics[child.entity].get("")
        attribute = Attribute(
            name=_count_name(child),
            type="integer",
            synonyms=tuple(noun for noun in child.nouns if len(stems(noun)) == 1),
        )
        if found is None:
            continue
        column = _renamed(describe_column(attribute, found), _count_of(schema, child))
        if not any({*column.names} & {*x.names} for x in records.columns if x.counts):
            yield child.entity, column


def _count_name(child: schemas.Table) -> str:
    return f"n_{snake_case(child.list_name.rpartition('.')[2])}"


def _count_of(schema: Schema, child: schemas.Table) -> str:
    """Write how many rows of *child* a record has; NULL where it is not known what it lists."""
    name, entity = quote_text(child.entity), quote_name(schema.entity)
    return (
        f"(SELECT value::BIGINT FROM cells WHERE cells.document_id = {entity}.document_id"  # noqa: S608 - names of tables
        f" AND table_name = {name} AND position = 0)"
    )
