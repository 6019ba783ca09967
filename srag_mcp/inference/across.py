"""What is said beside the rows of a query over several kinds of documents.

Over how many documents of each kind it is, how many of them the join finds a partner for, and
whether it repeats rows that are summed up. Bounds are not worked out.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import combinations, product
from typing import TypeAlias

from srag_mcp.cells.cell import is_predicted
from srag_mcp.errors import QueryError, StoreError
from srag_mcp.inference.answer import ColumnCoverage, Denominator, render_denominator
from srag_mcp.inference.grounds import find_open_lists, find_repeated, note_cells, of_all
from srag_mcp.inference.unknowns import NO_BOUNDS
from srag_mcp.sqlfacts.joins import Joins, key_tables, read_joins
from srag_mcp.sqlfacts.trees import (
    exp,
    inner_query,
    meanings_of,
    parse_query,
    selects_of,
    sources_of,
)
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.database import quote_name
from srag_mcp.store.guard import ResultPage
from srag_mcp.store.kind_tables import KindTable, KindTables

Column: TypeAlias = "tuple[KindTable, str]"
_ROW = "document_id"
MAX_KEYS = 10


class QueryAcross:
    """What a query says of the tables of several kinds.

    Attributes:
        tables: The tables of kinds that it reads.
        of: The corpus of the only kind that it reads; None where it reads several, or what all
            kinds share, or nobody can tell.
    """

    def __init__(self, kinds: KindTables, sql: str) -> None:
        self._kinds, self._tree = kinds, parse_query(sql)
        self._own = {item.name.lower(): item for item in kinds.own_tables()}
        nodes = [] if self._tree is None else [*self._tree.find_all(exp.Table)]
        made = set[str]()
        if self._tree is not None:
            made = {item.alias.lower() for item in self._tree.find_all(exp.CTE)}
        names = {node.name.lower() for node in nodes} - made
        self.tables = [item for name, item in self._own.items() if name in names]
        self._called: dict[str, list[KindTable]] = {}
        for node in nodes:
            if node.name.lower() in self._own:
                called = self._called.setdefault(node.alias_or_name.lower(), [])
                called.append(self._own[node.name.lower()])
        corpora = list(dict.fromkeys(item.corpus for item in self.tables))
        is_whole = len(corpora) == 1 and names <= self._own.keys()
        is_own = all(item.name == item.table.entity for item in self.tables)
        self.of: Corpus | None = corpora[0] if is_whole and is_own else None

    def coverage(self) -> Iterator[str]:
        """Say over how many documents of each kind the query is, and how many say its columns."""
        for item, gaps in self._gaps():
            own = item.corpus.about(item.table.entity)
            listed, open_lists = None, tuple[tuple[str, int, int], ...]()
            if item.table.parent:
                open_lists = tuple(find_open_lists(own, [item.table.entity]))
                of = own.list_statistics(item.table.entity)
                listed = (of.n_stated, of.n_stated_absent, of.n_records)
            denominator = Denominator(
                own.info().n_documents,
                columns=gaps,
                of_kind=item.name,
                by_rules=not is_predicted(own.info().engine),
                rows=item.table.rows,
                listed=listed,
                open_lists=open_lists,
            )
            yield render_denominator(denominator)
        if self._tree is None:
            yield "Over how many documents this is was not counted: it could not be taken apart."

    def _gaps(self) -> Iterator[tuple[KindTable, tuple[ColumnCoverage, ...]]]:
        used = self._used()
        for item in self.tables:
            columns = [x for x in map(item.column, used.get(item.name, ())) if x is not None]
            gaps = (of_all(x) for x in columns if x.n_non_null < x.n_records or x.n_contradicted)
            yield item, tuple(gaps)

    def notes(self, page: ResultPage) -> Iterator[str]:
        """Say what the join does, what is not known of the cells, and of which kinds none is."""
        yield from self._partners()
        for joins in (self.joins(), self.joins(of_rows=True)):
            yield from filter(None, [find_repeated(self._kinds, joins, page)])
        used = self._used()
        for item in self.tables:
            own, names = item.corpus.about(item.table.entity), sorted(used.get(item.name, ()))
            for note in note_cells(own, names, is_quick=True) if names else ():
                yield f"{item.name}.{note}"
        if any(x.n_open for _, columns in self._gaps() for x in columns):
            yield NO_BOUNDS
        yield from self._kinds.notices()

    def joins(self, *, of_rows: bool = False) -> Joins:
        """Return what joins do to the aggregates of the query, or to its counts *of_rows*."""
        tables, lists = key_tables(self._kinds.corpora[0].schema()), set[str]()
        for name, item in self._own.items():
            tables[name] = key_tables(item.corpus.schema())[item.table.entity.lower()]
            lists |= {name} if item.table.parent else set()
        return read_joins(self._tree, tables, lists, of_rows=of_rows)

    def _used(self) -> dict[str, set[str]]:
        """Return the columns that the query names, by the name of their table."""
        found: dict[str, set[str]] = {}
        for node in [] if self._tree is None else self._tree.find_all(exp.Column):
            for table, name in self._resolve(node, self.tables):
                found.setdefault(table.name, set()).add(name)
        return found

    def _resolve(self, node: exp.Expr | None, among: Sequence[KindTable]) -> list[Column]:
        """Return what a column may be of: the table that it names, or any that has such a one."""
        if not isinstance(node, exp.Column):
            return []
        tables = self._called.get(node.table.lower(), []) if node.table else among
        named = [(table, table.column(node.name)) for table in tables]
        if node.name.lower() == _ROW:
            return [(table, _ROW) for table in tables]
        own = [(table, found.column) for table, found in named if found is not None]
        if own or tables:
            return own
        # an output of a CTE or of a subquery is what it is there
        meant = (x for x in meanings_of(node) if isinstance(x, exp.Column) and x is not node)
        return [column for x in meant for column in self._resolve(x, among)]

    def stray_joins(self) -> list[str]:
        """Return what the query sets equal of two kinds though their values do not match.

        Tables of two kinds beside each other, of which nothing is set equal, are one such.
        """
        keys = {
            frozenset(
                (table.name, name) for table, name in zip(key.tables, key.columns, strict=True)
            )
            for key in self._kinds.shared_keys()
        }
        found = {frozenset((table.name, name) for table, name in pair) for pair in self._equal()}
        stray = [" = ".join(sorted(f"{x}.{y}" for x, y in pair)) for pair in found - keys]
        return stray or ["nothing"] * (self._is_joined() and not found)

    def _equal(self, *, in_part: bool = False) -> Iterator[tuple[Column, Column]]:
        """Yield the columns of two kinds that the query sets equal; or that it may, *in_part*."""
        if self._tree is None:
            return
        for select in self._tree.find_all(exp.Select):
            own = [*select.find_all(exp.Table)]
            here = [self._own[x.name.lower()] for x in own if x.name.lower() in self._own]
            pairs: list[tuple[exp.Expr | None, exp.Expr | None]] = [
                (node.this.unnest(), node.expression.unnest())
                for node in select.find_all(exp.EQ)
                if in_part
                or isinstance(
                    node.find_ancestor(
                        exp.Or, exp.Not, exp.Case, exp.If, exp.Join, exp.Where, exp.Select
                    ),
                    exp.Join | exp.Where,
                )
            ]
            for node in select.find_all(exp.In):
                inner = selects_of(node.args.get("query"))[:1]
                pairs += [(node.this.unnest(), x.selects[0].unalias()) for x in inner]
            sides = [(self._resolve(one, here), self._resolve(other, here)) for one, other in pairs]
            sources = [*sources_of(select)]
            for at, join in enumerate(select.args.get("joins") or [], start=1):
                for name in (item.name for item in join.args.get("using") or []):
                    joined = self._outputs(join.this, name)
                    sides += [(self._outputs(x, name), joined) for x in sources[:at]]
            for first, second in (pair for both in sides for pair in product(*both)):
                if first[0].corpus is not second[0].corpus:
                    yield first, second

    def _outputs(self, source: exp.Expr, name: str) -> list[Column]:
        """Return what the column *name* of a source is of; nothing where it is computed."""
        query = inner_query(source)
        tables = (source if query is None else query).find_all(exp.Table)
        own = [self._own[x.name.lower()] for x in tables if x.name.lower() in self._own]
        said: list[exp.Expr] = [exp.column(name)]
        if query is not None:
            outputs = (x for select in selects_of(query)[:1] for x in select.selects)
            said = [x.unalias() for x in outputs if x.alias_or_name.lower() == name.lower()]
        return [column for node in said for column in self._resolve(node, own)] if own else []

    def _is_joined(self) -> bool:
        """Whether tables of two kinds stand beside each other."""
        for select in [] if self._tree is None else self._tree.find_all(exp.Select):
            kinds = filter(None, map(self._kinds_of, sources_of(select)))
            if any(len(one | other) > 1 for one, other in combinations(kinds, 2)):
                return True
        return False

    def _kinds_of(self, source: exp.Expr) -> set[Corpus]:
        """Return the kinds whose rows a source of a FROM has; none where it is one row."""
        query = inner_query(source)
        if query is None:
            own = self._own.get(source.name.lower())
            return set() if own is None else {own.corpus}
        outputs = [x for select in selects_of(query) for x in select.selects]
        if all(x.find(exp.AggFunc) for x in outputs) and query.find(exp.Group) is None:
            return set()
        return {kind for table in query.find_all(exp.Table) for kind in self._kinds_of(table)}

    def _partners(self) -> Iterator[str]:
        """Say how many rows of each side of a join have a partner on the other."""
        if len({item.corpus for item in self.tables}) < 2:
            return
        found: dict[frozenset[tuple[str, str]], tuple[Column, Column]] = {}
        for pair in self._equal():
            found.setdefault(frozenset((table.name, name) for table, name in pair), pair)
        for one, other in found.values():
            with suppress(QueryError):  # such as columns of two types: the rows are there
                yield self._count_partners(one, other)
        if not found and next(self._equal(in_part=True), None):
            yield "columns of two kinds are set equal in a part of a condition: no partners counted"
        elif not found and self._is_joined():
            try:
                keys = self._kinds.keys_of(self.tables)
                known = "; ".join(map(str, keys[:MAX_KEYS])) or "no columns of these tables match"
            except (QueryError, StoreError):  # the rows are there
                known = "which columns match was not worked out"
            yield f"no columns of two kinds are set equal here; {known}"

    def _count_partners(self, one: Column, other: Column) -> str:
        parts = []
        for (table, name), (of, match) in ((one, other), (other, one)):
            mine, theirs = quote_name(name), quote_name(match)
            inside = f"SELECT {theirs} FROM {quote_name(of.name)}"  # noqa: S608 - it runs through the guard
            parts.append(
                f"SELECT count(*), count({mine}), count(*) FILTER ({mine} IN ({inside}))"  # noqa: S608 - as above
                f" FROM {quote_name(table.name)}"
            )
        rows = [self._kinds.select(sql, limit=1).rows[0] for sql in parts]
        said = []
        for (table, _), (of, _), (n_all, n_known, n_found) in zip(
            (one, other), (other, one), rows, strict=True
        ):
            silent = int(n_all or 0) - int(n_known or 0)
            unknown = f" ({silent:,} have no value)" if silent else ""
            said.append(
                f"{n_found:,} of the {n_all:,} rows of {table.name}{unknown} have one in {of.name}"
            )
        return f"partners by {one[0].name}.{one[1]} = {other[0].name}.{other[1]}: {'; '.join(said)}"
