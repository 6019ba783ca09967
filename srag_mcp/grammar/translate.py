"""From a question to SQL over one table, without a model: linked, composed, scored.

A question on one table may name columns of the others: `orders with a mug`, `mugs of Ada`. Such a
column restricts and is never put out or summed up, so that no row is taken twice. Of the records,
how many of each they list is a column.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from srag_mcp.errors import QuestionError
from srag_mcp.grammar.filters import ASSUMED, LIMIT, MARGIN, cost_of, frames
from srag_mcp.grammar.forms import Draft, compose
from srag_mcp.grammar.lexicon import asking_words, is_foreign, stem, stems, stems_of, words_in
from srag_mcp.grammar.link import Sentence, read_sentences
from srag_mcp.grammar.table import (
    LISTED,
    OF_RECORD,
    Column,
    Table,
    counted_things,
    describe_column,
    describe_table,
)
from srag_mcp.schema import schema as schemas
from srag_mcp.schema.attribute import Attribute, snake_case
from srag_mcp.schema.schema import Schema
from srag_mcp.sqlfacts.query import BoundLiteral, Translation, read_query
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.database import quote_name, quote_text
from srag_mcp.store.statistics import ColumnStatistics
from srag_mcp.store.values import ValueIndex
from srag_mcp.text.words import fold_word
from srag_mcp.values.units import is_currency


class TwoReadingsError(QuestionError):
    """Two readings are about equally good; the *queries* of both may have one result."""

    def __init__(self, message: str, queries: tuple[str, ...]) -> None:
        super().__init__(message)
        self.queries = queries


# Of so many records, a column that fewer than this share fill says nothing of them.
_MANY, _MIN_FILL = 20, 0.1


def translate(
    question: str,
    schema: Schema,
    tables: Sequence[Table],
    values: ValueIndex,
    rejected: Collection[str] = (),
) -> Translation:
    """Translate *question* into one SELECT over *tables*, by no reading that is *rejected*.

    Raises:
        QuestionError: If a word has no place in any reading, no reading is good enough, or two that
            differ are about equally good; `unplaced` has the words.

    Source: S-RAG 3.3, without a model.
    """
    listed = schema.list_asked_for(question)
    if listed is not None:
        msg = f"“{listed.name}” is a list of {listed.holds} in the records, and in no column"
        raise QuestionError(msg, (listed.name,))
    parted = [(table, read_sentences(question, table, values)) for table in tables]
    read = [(table, said[0], *read_question(said, table)) for table, said in parted]
    ranked = sorted(
        ((cost, draft, table) for table, _, drafts, _ in read for cost, draft in drafts),
        key=lambda item: item[0],
    )
    if not ranked:
        table, sentence, _, left = min(read, key=lambda item: len(item[3]) or len(question))
        raise _refusal(left, table, sentence)
    ranked = [item for item in ranked if item[1].sql not in rejected]
    if not ranked:
        msg = "the grammar has no other reading of this question"
        raise QuestionError(msg)
    cost, parse, table = ranked[0]
    if cost > LIMIT:
        msg = "no reading of this question is sure enough"
        raise QuestionError(msg)
    if len(ranked) > 1 and ranked[1][0] - cost < MARGIN:
        pair = parse.sql, ranked[1][1].sql
        one, other = (read_query(sql, schema).words for sql in pair)
        one, other = (one, other) if one != other else pair  # the words do not tell them apart
        msg = f"this question can be read in two ways: {one}; or: {other}. Ask one of them"
        raise TwoReadingsError(msg, pair)
    _check_namesakes(
        question, parse, table, [x for x in tables if all(x is not y for *_, y in ranked)]
    )
    assumed = parse.features | Counter(amount_of_row=_may_be_of_piece(parse, table))
    facts = read_query(parse.sql, schema)
    _check_fill(parse, table, [use.column for use in facts.columns])
    return Translation(
        question=question,
        restated=facts.words or "",
        facts=facts,
        literals=tuple(
            BoundLiteral(condition.asked, condition.column, value)
            for condition in parse.where
            for value in condition.values
        ),
        assumed=tuple(dict.fromkeys(said for name, said in ASSUMED.items() if assumed[name])),
        rivals=tuple(other.sql for other_cost, other, _ in ranked[1:] if other_cost <= LIMIT),
        ordered=parse.ordered,
    )


def _may_be_of_piece(parse: Draft, table: Table) -> bool:
    """Whether amounts are added of which each may be that of one of several pieces."""
    money = [x.name for x in table.columns if x.is_amount and is_currency(x.attribute.unit)]
    is_added = len(money) == 1 and money[0] in parse.columns and "SUM(" in parse.sql
    return table.pieces is not None and is_added


def read_question(
    sentences: Sequence[Sentence], table: Table
) -> tuple[list[tuple[float, Draft]], tuple[str, ...]]:
    """Return the readings that place every word, with their costs, cheapest first.

    *sentences* are the ways to part the question, as `read_sentences` finds them. Where there is no
    reading, the second value has the words that the fullest one leaves over.
    """
    best: dict[str, tuple[float, Draft]] = {}
    strange = [item for item in sentences[0].mentions if item.kind == "unknown"]
    left = [sentences[0].words(mention) for mention in strange]
    fewest: int | None = None
    for sentence in (item for item in sentences if not item.drops_limit):
        for frame in frames(sentence, table):
            for parse in compose(frame):
                if parse.left:
                    if fewest is None or len(parse.left) < fewest:
                        fewest = len(parse.left)
                        left = [sentence.words(sentence.mentions[at]) for at in parse.left]
                    continue
                features = parse.features.copy()
                features.update({"loss": sentence.loss})
                cost = cost_of(features)
                denied = any(item.denied for item in parse.where)
                if table.is_list and denied and not parse.sql.startswith("SELECT COUNT(*)"):
                    continue  # it may stand in several rows, of which only one is not so
                if parse.sql not in best or cost < best[parse.sql][0]:
                    best[parse.sql] = cost, replace(parse, features=features)
    ranked = sorted(best.values(), key=lambda pair: pair[0])
    return ranked, tuple(dict.fromkeys(left))


def _check_fill(parse: Draft, table: Table, columns: Sequence[str]) -> None:
    """Refuse to answer from a column that hardly any record fills; to ask for gaps is fine."""
    gaps = {condition.column for condition in parse.where if condition.kind == "known"}
    for column in (table.by_name[name] for name in columns if name not in gaps):
        found = column.statistics
        if found.n_records >= _MANY and not column.is_boolean and column.fill < _MIN_FILL:
            known = f"{found.n_non_null} of {found.n_records} records"
            msg = f"only {known} give {column.name}; too few to answer this question from"
            raise QuestionError(msg)
        counted = parse.sql.startswith("SELECT COUNT(*) FROM") or "NULLIF" in parse.sql
        if counted and parse.features["amount_assumed"] and column.is_number and column.fill < 1:
            msg = f"{column.name} is not known in all records, and the question does not name it"
            raise QuestionError(msg)


def _check_namesakes(question: str, parse: Draft, table: Table, silent: Sequence[Table]) -> None:
    """Refuse where a column of a *silent* table, which cannot be computed with, is called so."""
    if not table.nouns.isdisjoint(stems(question)):
        return
    used = [table.by_name[name] for name in parse.columns if name in table.by_name]
    names = {x.names[0] for x in used if x.is_number and not x.is_of_list and x.names}
    for other in silent:
        for column in other.columns:
            if not column.is_number and names.intersection(column.names):
                of = f"{column.name} of {other.name} and of {table.name}"
                msg = f"there is {of}, and only the second can be computed with: say which"
                raise QuestionError(msg)


def _refusal(left: Sequence[str], table: Table, sentence: Sentence) -> QuestionError:
    asked, rest, said = asking_words(), sentence.text, list[str]()
    for words in left:  # what opens the question only asks
        said += [] if rest.startswith(words) else [words]
        rest = rest.removeprefix(words).lstrip()
    telling = [words for words in left if not {*map(fold_word, words.split())} <= asked] or said
    columns = {sentence.words(x): x.columns[0][0] for x in sentence.mentions if x.columns}
    named = {said: table.by_name[name].attribute.name for said, name in columns.items()}
    measured = [two for one, two in pairwise(sentence.mentions) if one.kind == "aggregate"]
    computed = [table.by_name[item.columns[0][0]] for item in measured if item.columns]
    unknown = [said for said in telling if said not in named]
    nouns = [two for one, two in pairwise(sentence.mentions) if one.kind == "how_many"]
    counted = [  # of `plan_no`, or said in the names of several columns
        sentence.words(x)
        for x in nouns
        for name, share in x.columns[:1]
        if table.by_name[name].numbers_own or (len(x.columns) > 1 and share < 1)
    ]
    if left and is_foreign(sentence.tokens):
        msg = "without a language model, questions are read in English only"
    elif unknown:
        shown = ", ".join(f"“{word}”" for word in unknown)
        msg = f"{shown} {'has' if len(unknown) == 1 else 'have'} no place in any reading"
    elif counted and {*telling} <= {*counted}:
        msg = f"nothing says that a record is one of “{counted[0]}”; count “documents” instead"
    elif telling:
        meant = " and ".join(f"“{said}” may be {named[said]}" for said in telling)
        msg = f"this form of question is not known, though {meant}"
    elif computed and computed[0].is_text and not nouns:
        stored = next((str(found.value) for found in computed[0].statistics.values), "")
        msg = f"{computed[0].name} is text, such as “{stored}”, and nothing to compute with"
    else:
        msg = "this form of question is not known"
    return QuestionError(msg, tuple(left))


Statistics = Mapping[str, ColumnStatistics]


def read_tables(corpus: Corpus) -> list[Table]:
    """Gather what the words of a question may mean in a corpus: the same as long as its build."""
    return describe_tables(corpus.schema(), read_statistics(corpus))


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
    tables = {table.name: table for table in lists}
    counts = [replace(x, listed=tables[name]) for name, x in _counts(schema, own, records)]
    counted = counted_things(column for table in lists for column in table.columns)
    named = replace(
        records,
        nouns=records.nouns - counted,
        columns=(*records.columns, *counts),
        beside=_beside(lists),
    )
    of_records = tuple(
        replace(column, key=f"{records.name}{OF_RECORD}{column.name}") for column in records.columns
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


def _beside(lists: Sequence[Table]) -> tuple[Column, ...]:
    """Return the columns of lists as they restrict records; of `attendees` each did attend."""
    return tuple(
        replace(
            column,
            key=f"{table.name}{LISTED}{column.name}",
            does=frozenset(stem(w.removesuffix("ee")) for w in table.called if w.endswith("ee")),
            names_rows=column is table.naming,
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
    return replace(
        table,
        nouns=nouns,
        general=frozenset(),
        qualifiers=frozenset(),
        things=frozenset(),
        called=frozenset(w for x in words for w in {x, x.removesuffix("s")}),
        naming=texts[0] if len(texts) == 1 else next(iter(label), None),
        is_list=True,
    )


def _counts(
    schema: Schema, statistics: Mapping[str, Statistics], records: Table
) -> Iterator[tuple[str, Column]]:
    """Yield of each list its table, and how many a record has; not where a column says it."""
    for child in schema.children:
        found = statistics[child.entity].get("")
        name = _count_name(child)
        things = (x.name for x in child.attributes if {*stems(x.name)} < {*stems(name)})
        attribute = Attribute(  # `problem` of problems found
            name=name,
            type="integer",
            synonyms=tuple(x for x in (*child.nouns, *things) if len(stems(x)) == 1),
        )
        if found is None:
            continue
        column = replace(describe_column(attribute, found), key=_count_of(schema, child))
        own = (
            describe_column(item, found).names for item in child.attributes if item.type.is_numeric
        )
        column = replace(column, is_namesake=any({*column.names} & {*names} for names in own))
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
