"""A question over several corpora: which it is about, or, of kinds, how their tables are joined.

A model joins the tables of kinds, or a brief says how. Beside the rows of a query over several
kinds stands over how many documents of each kind it is, how many of them the join finds a partner
for, and whether it repeats rows that are summed up. Bounds are not worked out.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations, product
from typing import TypeAlias

from srag_mcp.cells.cell import BY_MODEL, is_predicted
from srag_mcp.documents.folder import holds_rest
from srag_mcp.errors import CorpusError, ModelError, QueryError, StoreError
from srag_mcp.inference.answer import (
    Answer,
    ColumnCoverage,
    Denominator,
    is_empty,
    render_denominator,
    render_text,
)
from srag_mcp.inference.ask import OFFLINE, Asking, ask, check_length, open_metered
from srag_mcp.inference.brief import Brief
from srag_mcp.inference.by_model import MAX_ROWS, TranslationReply, with_nearest, write_across
from srag_mcp.inference.grounds import find_open_lists, find_repeated, note_cells, of_all
from srag_mcp.inference.linking import link_values
from srag_mcp.inference.turns import AgentVerdict, converse, has_kept
from srag_mcp.inference.unknowns import NO_BOUNDS
from srag_mcp.model.language_model import LanguageModel
from srag_mcp.model.ledger import Totals
from srag_mcp.model.litellm_library import run_to_end
from srag_mcp.model.reply_content import ask_for
from srag_mcp.schema.attribute import Attribute
from srag_mcp.sqlfacts.joins import Joins, key_tables, read_joins
from srag_mcp.sqlfacts.plain_words import say_query
from srag_mcp.sqlfacts.trees import (
    exp,
    find_ungrounded,
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
from srag_mcp.text.words import stems
from srag_mcp.values.units import unit_of


def converse_kinds(
    kinds: Corpus | KindTables,
    question: str,
    asking: Asking = OFFLINE,
    *,
    previous: str = "",
    verdict: AgentVerdict = "",
) -> tuple[Corpus | KindTables, Answer]:
    """Answer *question* by the kind that it is about, or by several; return these, too.

    Of one corpus it is `converse`.

    It is about the only one that keeps a query for it, else about those whose records it names, and
    about those that have a column that it names and the first has not, or the same columns as that,
    unless it names the kind. A question that leans on one before is of one kind. One that may be
    about any of them is refused, or where a model is asked, of the kind that it takes of all.

    Raises:
        NotIngestedError, QuestionError, StoreError: As `converse`.
        CorpusError: If that corpus is of no kind.
    """
    if isinstance(kinds, Corpus):
        if holds_rest(kinds.location):
            msg = f"{kinds.name} holds what is of no kind, which is searched and never counted"
            raise CorpusError(msg)
        return kinds, converse(kinds, question, asking, previous=previous, verdict=verdict)
    leans = bool(previous or verdict)
    kept = [x for x in kinds.corpora if has_kept(x, question)]
    named = kept if len(kept) == 1 else find_named(kinds.corpora, question)
    if len(named) > 1 and not leans:
        return _ask_several(kinds.among(named), question, asking)
    try:
        own = named[0] if len(named) == 1 else choose_corpus(kinds.corpora, question)
    except CorpusError as error:
        if asking.model is not None and not leans:
            return _ask_several(kinds, question, asking)
        return kinds, refuse_kinds(kinds, question, f"{error}; perhaps ")
    called = {*stems(last_name(own.name))}
    alike = [x for x in kinds.corpora if x is not own and _are_alike(x, own)]
    if alike and called.isdisjoint(stems(question)) and not leans:
        several = kinds.among([own, *alike])  # two layouts, perhaps, of one kind
        return several, refuse_kinds(several, question, "")
    answer = converse(own, question, asking, previous=previous, verdict=verdict)
    if more := [] if leans else _find_more(kinds, own, answer, asking):
        of, found = _ask_several(kinds.among([own, *more]), question, asking, own)
        is_elsewhere = isinstance(of, Corpus) and not found.refused
        if answer.brief is not None or is_elsewhere:
            return of, _add_taken(found, answer)
        answer = _add_taken(answer, found)
    warnings = [f"not ingested yet: {', '.join(kinds.missing)}"] if kinds.missing else []
    warnings += _say_beside(kinds, own, answer) if answer.brief is None else ()
    return own, replace(answer, warnings=(*answer.warnings, *warnings))


def _find_more(kinds: KindTables, own: Corpus, answer: Answer, asking: Asking) -> list[Corpus]:
    """Return the kinds that may have what *own* has not."""
    others = [x for x in kinds.corpora if x is not own]
    if answer.brief is None:
        is_nothing = answer.reading is None and is_empty(answer.rows)
        return others if is_nothing and asking.model is not None else []
    missing = {*stems(" ".join(answer.brief.unplaced))}
    names = {x: stems(" ".join(x.schema().column_names()).replace("_", " ")) for x in others}
    return [x for x in others if not missing.isdisjoint(names[x])]


def _add_taken(answer: Answer, other: Answer) -> Answer:
    """Return *answer* with what *other*, a try at the same question, took of a model as well."""
    if other.taken is None:
        return answer
    taken = (answer.taken or Totals()) + other.taken
    return replace(answer, taken=taken, steps=(*other.steps, *answer.steps))


def _ask_several(
    kinds: KindTables, question: str, asking: Asking, tried: Corpus | None = None
) -> tuple[Corpus | KindTables, Answer]:
    """Answer as `ask_kinds` does; what a model finds in one kind that was not *tried*, by that."""
    found = ask_kinds(kinds, question, asking)
    own = QueryAcross(kinds, found.sql).of if found.sql else None
    if own is None or own is tried:
        return kinds, found
    return own, _add_taken(converse(own, question, asking), found)


def ask_kinds(kinds: KindTables, question: str, asking: Asking) -> Answer:
    """Answer *question* over the tables of several kinds.

    A model translates it where there is one. The grammar reads no question over two kinds: a brief
    has their tables, and what joins them.

    Raises:
        QuestionError: If the question is longer than any question is.
        StoreError: If a build cannot be read.
    """
    check_length(question)
    if asking.model is None:
        return refuse_kinds(kinds, question, "")
    are_named = all(item.name == item.table.entity for item in kinds.own_tables())
    if not are_named:  # a model is shown tables by the names that their kinds have
        return replace(refuse_kinds(kinds, question, ""), taken=Totals())
    try:
        return run_to_end(_ask_model, kinds, question, asking, asking.model)
    except ModelError as failure:
        return refuse_kinds(kinds, question, f"the language model could not be asked: {failure}; ")


def refuse_kinds(
    kinds: KindTables, question: str, reason: str, unplaced: Sequence[str] = ()
) -> Answer:
    """Say that *question* is about several kinds, with the brief for who would join them."""
    tables = kinds.own_tables()
    named = " and ".join(item.name for item in tables if not item.table.parent)
    ways = [f"join on {key}" for key in kinds.shared_keys()[:MAX_KEYS]]
    if all(_are_alike(kinds.corpora[0], other) for other in kinds.corpora[1:]):
        ways.insert(0, "UNION ALL has all of them, which have the same columns, as of one kind")
    how = "; ".join(ways) or "no columns of theirs match, so that nothing joins them"
    said = f"{reason}it is about the documents of {named}, which one SELECT can read: {how}"
    columns = tuple(
        f"{table.name}.{item.name}" for table in tables for item in table.table.attributes
    )
    linked = tuple(
        replace(found, column=f"{name}.{found.column}", values=values)
        for corpus in kinds.corpora
        for name in [next(item.name for item in tables if item.corpus is corpus)]
        for found in link_values(question, corpus)
        for values in [tuple(replace(x, column=f"{name}.{x.column}") for x in found.values)]
    )
    of = tuple(corpus.name for corpus in kinds.corpora)
    equal = {item.phrase for item in linked if item.is_equal}
    sure = tuple(x for x in linked if x.is_equal or x.phrase not in equal)
    brief = Brief(said, tuple(unplaced), named, columns, sure, kinds=of)
    return Answer(question, f"Not answered: {said}", brief=brief, assumptions=kinds.notices())


def _say_beside(kinds: KindTables, own: Corpus, answer: Answer) -> Iterator[str]:
    """Say which kinds may hold some of what *own* was asked for, unless a word names that alone."""
    said, folder = {*stems(answer.question)}, {*stems(last_name(kinds.name))}
    names_used = {*answer.translation.facts.names} if answer.translation else set[str]()
    used = {_without_unit(x) for x in own.schema().attributes if x.name in names_used}
    called = {x: {*stems(name_records(x))} for x in kinds.corpora}
    others = [x for x in kinds.corpora if x is not own]
    names = {x: {*stems(last_name(x.name))} if _is_of_rows(x) else set[str]() for x in called}
    for words in (called, names):
        if said & words[own] - folder.union(*(words[x] for x in others)):
            return
    for other in others:
        if _is_of_rows(other) and not used <= {*map(_without_unit, other.schema().attributes)}:
            continue
        if said & folder or not called[other] or called[own] & called[other]:
            documents = f"{other.info().n_documents:,} documents"
            yield f"{other.name}, a kind of {documents}, may hold some as well, and was not asked"


def _without_unit(attribute: Attribute) -> str:
    """Return the name of a column without its unit: `yield` of `yield_kg`."""
    unit, (*rest, last) = unit_of(attribute.unit or ""), attribute.name.split("_")
    return "_".join(rest) if rest and unit and unit_of(last) == unit else attribute.name


def _is_of_rows(corpus: Corpus) -> bool:
    """Whether its records are rows of a table file, so that a person has named it: a sheet."""
    return any(item.is_column for item in corpus.schema().attributes)


def _are_alike(one: Corpus, other: Corpus) -> bool:
    """Whether most columns of each are those of the other, too."""
    left, right = ({(x.name, x.type) for x in item.schema().attributes} for item in (one, other))
    return 2 * len(left & right) > max(len(left), len(right))


async def _ask_model(
    kinds: KindTables, question: str, asking: Asking, model: LanguageModel
) -> Answer:
    runs = _Runs(kinds)
    prompt = write_across(kinds, question, kinds.shared_keys()[:MAX_KEYS])
    async with open_metered(kinds.corpora[0], asking, model) as metered:
        asked = await ask_for(metered, prompt, TranslationReply, runs.check)
        reply, found = asked.content, runs.pages.get(asked.content.sql or "")
        if found is None:
            asked.forget(metered)
    if reply.missing or reply.sql is None or found is None:
        missing, why = tuple(reply.missing), "; ".join(asked.problems)
        reason = f"no column holds {', '.join(missing)}" if missing else f"no query: {why}"
        answer = refuse_kinds(kinds, question, f"{reason}; ", missing)
    else:
        across, restated = QueryAcross(kinds, reply.sql), question.strip(" .?")
        restated = say_query(parse_query(reply.sql)) or restated
        answer = Answer(
            question=question,
            text=render_text(found, restated),
            columns=found.columns,
            rows=found.rows,
            sql=reply.sql,
            restated=restated,
            assumptions=(*across.coverage(), *across.notes(found)),
            truncated=found.truncated,
        )
    steps = tuple(metered.ledger.by_step.items())
    return replace(answer, engine=BY_MODEL, taken=metered.ledger.total, steps=steps)


class _Runs:
    """Runs the queries of replies and says what is wrong with them; *pages* has their rows."""

    def __init__(self, kinds: KindTables) -> None:
        self.pages: dict[str, ResultPage] = {}
        self._kinds = kinds

    def check(self, reply: TranslationReply) -> Sequence[str]:
        """Run the query of *reply*, which may join kinds by the columns that match, only."""
        if reply.sql is None or reply.missing:
            is_clear = (reply.sql is None) == bool(reply.missing)
            return () if is_clear else ("give either sql, or what is in no column in missing",)
        try:
            page = self._kinds.select(reply.sql, limit=MAX_ROWS)
        except QueryError as error:
            return (f"the query could not be run: {with_nearest(error)}",)
        across, tree = QueryAcross(self._kinds, reply.sql), parse_query(reply.sql)
        if tree is None:
            return ("write it more plainly: it could not be taken apart",)
        problems = [f"{item} would be the same for any records" for item in find_ungrounded(tree)]
        shared = self._kinds.shared_keys()[:MAX_KEYS]
        keys = " or ".join(key.condition() for key in shared)
        why = f"records of two kinds belong together by {keys}; the query sets {{}} equal"
        if not shared:
            why = "nothing says which records of two kinds belong together: read one of them only"
        problems += [why.format(item) for item in across.stray_joins()]
        repeated = find_repeated(self._kinds, across.joins(), page)
        if not problems and repeated:
            problems = [f"{repeated}: aggregate before the join"]
        if not problems:
            self.pages[reply.sql] = page
        return problems


def choose_corpus(corpora: Sequence[Corpus], question: str) -> Corpus:
    """Return the corpus that *question* is about.

    It is the only one whose records, or what they list, the question names; or of which the grammar
    has a reading; or that has the values, or else the columns, that it speaks of. Those that are
    not ingested yet are left out.

    Raises:
        CorpusError: If it may be about several, or about none; the text names them.
        NotIngestedError: If none of them is ingested.
    """
    ready = [corpus for corpus in corpora if corpus.is_ready()]
    if not ready:
        corpora[0].build_path()
    corpora = ready
    said = {*stems(question)}
    may = find_named(corpora, question)
    if not may:
        answers = {item: ask(item, question) for item in corpora}
        may = [item for item, answer in answers.items() if not answer.refused]
        if len(may) == 1:
            words = _read(may[0], answers[may[0]])  # none where it counts what it alone is of
            others = [x for x in corpora if words and x is not may[0]]
            own = {x: stems(" ".join((*_columns(x), _values(x, question)))) for x in others}
            may += (x for x in others if words.issubset(own[x]))
    may = may or _most({x: said & {*stems(_values(x, question))} for x in corpora})
    may = may or _most({x: said & {*stems(" ".join(_columns(x)))} for x in corpora})
    if len(may) == 1:
        return may[0]
    reason = "may be about several corpora" if may else "names the records of no corpus"
    msg = f"this question {reason}; pass one of these: {', '.join(x.name for x in may or corpora)}"
    raise CorpusError(msg)


def find_named(corpora: Collection[Corpus], question: str) -> list[Corpus]:
    """Return those of *corpora* that *question* names, or their records, or what these list.

    Who lists `action items` is named by these words, and who lists `items` is not.
    """
    words, named = stems(question), dict[Corpus, set[str]]()
    called = {x: {*stems(x.schema().entity.replace("_", " "))} for x in corpora}
    columns = {item: _columns(item) for item in corpora}
    for item, own in called.items():
        besides = [other for other in corpora if other is not item]
        others = {word for other in besides for word in called[other]}
        taken = {at for other in besides for name in columns[other] for at in _places(words, name)}
        said = {word for at, word in enumerate(words) if at not in taken}
        whole = [x for x in (own, {*stems(last_name(item.name))}) if x <= said]
        named[item] = said & {*stems(name_records(item))}.union(*whole) - (others - own)
    return _most(named)


def _most(named: Mapping[Corpus, Collection[str]]) -> list[Corpus]:
    """Return the corpora of which most is said: of no other all that, and more."""
    return [x for x, of in named.items() if of and not any({*of} < {*y} for y in named.values())]


def _read(corpus: Corpus, answer: Answer) -> set[str]:
    """Return the words of a question that an answer reads as columns and values; else columns."""
    names = () if answer.translation is None else answer.translation.facts.names
    used = {*stems(" ".join(names).replace("_", " "))}
    said = {*stems(answer.question)} & (used | {*stems(_values(corpus, answer.question))})
    return said or used


def _places(words: Sequence[str], name: str) -> Iterator[int]:
    """Yield where the words of a name of several stand in a row."""
    own = stems(name)
    for at in range(len(words) - len(own) + 1) if len(own) > 1 else ():
        if [*words[at : at + len(own)]] == [*own]:
            yield from range(at, at + len(own))


def last_name(name: str) -> str:
    """Return what a folder or a kind is called, in words: `docs/work_orders` -> `work orders`."""
    return name.rpartition("/")[2].replace("_", " ")


def name_records(corpus: Corpus) -> str:
    """Return what the records of *corpus* are called, and what they list."""
    tables = corpus.schema().tables
    return " ".join(word for table in tables for word in (*table.nouns, table.list_name))


def _values(corpus: Corpus, question: str) -> str:
    """Return what *question* says of the values of *corpus*."""
    return " ".join(found.phrase for found in link_values(question, corpus) if found.is_equal)


def _columns(corpus: Corpus) -> list[str]:
    """Return what the columns of *corpus* are called."""
    columns = (item for table in corpus.schema().tables for item in table.attributes)
    return [name.replace("_", " ") for item in columns for name in (item.name, *item.synonyms)]


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
                listed = (of.n_stated, of.n_stated_absent, of.n_silent, of.n_records)
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
            for _, note in note_cells(own, dict.fromkeys(names)):
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
        said = []
        for (table, name), (of, match) in ((one, other), (other, one)):
            mine, theirs = quote_name(name), quote_name(match)
            inside = f"SELECT {theirs} FROM {quote_name(of.name)}"  # noqa: S608 - it runs through the guard
            counts = f"count(*), count({mine}), count(*) FILTER ({mine} IN ({inside}))"
            counting = f"SELECT {counts} FROM {quote_name(table.name)}"  # noqa: S608 - as above
            n_all, n_known, n_found = self._kinds.select(counting, limit=1).rows[0]
            silent = int(n_all or 0) - int(n_known or 0)
            unknown = f" ({silent:,} have no value)" if silent else ""
            said.append(
                f"{n_found:,} of the {n_all:,} rows of {table.name}{unknown} have one in {of.name}"
            )
        return f"partners by {one[0].name}.{one[1]} = {other[0].name}.{other[1]}: {'; '.join(said)}"
