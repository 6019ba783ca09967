"""From a question in natural language to SQL over one table, without a model."""

import re
from collections.abc import Mapping, Sequence

from srag_mcp.errors import QuestionError
from srag_mcp.offline.translation.build_sql import build_sql
from srag_mcp.offline.translation.columns import Table
from srag_mcp.offline.translation.columns_used import columns_used, gaps_asked, literals_bound
from srag_mcp.offline.translation.filters import reduce_filters
from srag_mcp.offline.translation.grammar import read_question
from srag_mcp.offline.translation.items import Item, Sentence
from srag_mcp.offline.translation.mentions import read_sentence
from srag_mcp.offline.translation.parse import Parse, words_of
from srag_mcp.offline.translation.profiles import describe_table
from srag_mcp.offline.translation.reading import Grouping, Reading
from srag_mcp.offline.translation.unsettled import is_unsettled
from srag_mcp.schema.schema import Schema
from srag_mcp.sqlfacts.query import Translation, read_query
from srag_mcp.store.statistics import ColumnStatistics
from srag_mcp.store.values import ValueIndex

_ASKING = r"how (?:many|much|often|long|old|far|high|large)|what (?:is|are|was|were|do|does|did)"
_SECOND_QUESTION = re.compile(
    rf"\b(?:how|what|which|who|when|where)\b.*?(?:\s+and\s+(?={_ASKING}\b)|[;?,]\s+and\s+"
    r"(?=(?:(?:in|on|at|for|of)\s+)?(?:which|who|when|where)\b))(\w+(?:\s+\w+)?)",
    re.IGNORECASE | re.DOTALL,
)
_MANY = 20
_MIN_FILL = 0.1


def translate(
    question: str,
    schema: Schema,
    statistics: Mapping[str, ColumnStatistics],
    values: ValueIndex,
) -> Translation:
    """Translate *question* into one SELECT over the record table of *schema*.

    Raises:
        QuestionError: If a word that carries meaning has no place in any reading, or no reading is
            sure enough; `unplaced` has the words.

    Source: S-RAG 3.3, without a model.
    """
    _check_single(question)
    _check_lists(question, schema)
    table = describe_table(schema, statistics)
    sentence = reduce_filters(read_sentence(question, table, values))
    parse, left = read_question(sentence)
    if parse is None:
        raise _refusal(sentence, left)
    _check_fill(parse, table)
    _check_ties(parse.reading, table)
    return _translated(question, parse, sentence, schema)


def _check_single(question: str) -> None:
    """Refuse two questions in one: an answer to one of them would look like an answer to both."""
    second = _SECOND_QUESTION.search(question)
    if second is not None:
        msg = f"these are two questions in one; ask “{second[1]} …” by itself"
        raise QuestionError(msg)


def _check_lists(question: str, schema: Schema) -> None:
    """Refuse what is about a list that is in no column: a column of like name would be taken."""
    asked = schema.list_asked_for(question)
    if asked is not None:
        msg = f"“{asked.name}” is a list of {asked.holds} in the records, and in no column"
        raise QuestionError(msg, (asked.name,))


def _check_fill(parse: Parse, table: Table) -> None:
    """Refuse to answer from a column that hardly any document fills; asking for gaps is fine."""
    for use in columns_used(parse.reading):
        column = table.column(use.column)
        if column is None or column.n_records < _MANY or use.column in gaps_asked(parse.reading):
            continue
        if column.fill < _MIN_FILL and column.attribute.type != "boolean":
            known = f"{column.n_non_null} of {column.n_records} documents"
            msg = f"only {known} give {use.column}; too few to answer this question from"
            raise QuestionError(msg)


def _check_ties(reading: Reading, table: Table) -> None:
    """Refuse to say which value most records have where each record has its own."""
    if not isinstance(reading, Grouping) or reading.pick is None or reading.key.form != "plain":
        return
    column = table.column(reading.key.column)
    counted = reading.summary.function == "count"
    if counted and column is not None and column.n_distinct == column.n_non_null > 1:
        msg = f"each document has its own {column.name}: none has more of them than another"
        raise QuestionError(msg)


def _translated(question: str, parse: Parse, sentence: Sentence, schema: Schema) -> Translation:
    facts = read_query(build_sql(parse.reading, sentence.table), schema)
    return Translation(
        question=question,
        restated=facts.words or question.strip(" .?"),
        facts=facts,
        literals=literals_bound(parse.reading),
        score=round(parse.score, 3),
        ordered=parse.ordered,
        unsettled=is_unsettled(sentence, parse),
    )


def _refusal(sentence: Sentence, left: Sequence[Item]) -> QuestionError:
    """Say which words stand in the way: those that nothing is known for, or where none fits."""
    strange = [item for item in left if item.kind in {"unknown", "hint", "value"}]
    if strange:
        msg = f"no column or known word for {_spoken(sentence, strange)} in this question"
    elif left:
        msg = f"{_spoken(sentence, left)} has no place in any query of the grammar"
    else:
        msg = "no reading of this question is sure enough; name columns and values to filter by"
    names = ", ".join(column.name for column in sentence.table.columns[:20])
    return QuestionError(f"{msg} (columns: {names})", words_of(sentence, left))


def _spoken(sentence: Sentence, items: Sequence[Item]) -> str:
    return ", ".join(f"“{word}”" for word in words_of(sentence, items))
