"""Translation by a language model: a question becomes a query that was run (S-RAG 3.3)."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from srag_mcp.errors import QueryError, QuestionError, UnknownNameError
from srag_mcp.inference.answer import is_empty
from srag_mcp.inference.brief import (
    MAX_VALUE_CHARACTERS,
    Seen,
    describe_column,
    diagnose,
    explain_nothing,
    list_shown,
)
from srag_mcp.inference.grounds import find_repeated
from srag_mcp.inference.linking import (
    LinkedValues,
    is_spoken_of,
    link_values,
    rank_columns,
)
from srag_mcp.model.language_model import (
    Correction,
    LanguageModel,
    Prompt,
    count_tokens,
    enclose,
    render_prompt,
)
from srag_mcp.model.reply_content import Doubt, ReplyContent, ask_for
from srag_mcp.schema.attribute import Attribute, Scalar
from srag_mcp.sqlfacts.query import QueryFacts, Translation, read_query
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import ResultPage
from srag_mcp.store.kind_tables import KindTables, SharedKey
from srag_mcp.store.statistics import ColumnStatistics
from srag_mcp.text.shown import literal
from srag_mcp.text.words import stems

MAX_ROWS = 1000
_CONTRADICTION = (
    "there is both sql and something in missing: either the columns hold all that the question"
    " needs, then missing is empty; or they do not, then sql is null"
)
_NONE = "(none)"
# A question takes some 1,500 tokens at 30 columns: 500 are the instructions.
_COLUMNS_TOKENS = 430  # of those in full
_DEFINED_TOKENS = 150  # of what others are, in a few words
_LINKED_TOKENS = 150
_LIST_TOKENS = 150  # of the columns of each list
_LISTS = (
    "\n\nTables with several rows of a record (document_id, position). Pick records by document_id"
    " IN (SELECT document_id FROM … WHERE …); sum up before you join."
)
_HEAD_OF_LIST = "Table `{table}`: {rows}:"
_HEAD_OF_KIND = "Table `{table}` ({title}), {n:,} records, which are other documents:\n"
_HEAD_OF_KEYS = (
    "Records of two of these tables belong together by these columns only, never by document_id;"
    " sum up before you join where one has several:"
)
_NO_KEYS = "No columns of these tables match: read the one that the question is about."
_MAX_COLUMNS = 16  # in full
_MAX_DESCRIPTION = 500  # characters; two long sentences
_MAX_CATEGORIES = 12
_MAX_EXAMPLES = 3
_SHORT = 16  # characters
_SENTENCE = re.compile(r"(?<=[^\W\d_]{2})[.!?;:](?=\s)|\s\(|[.!?]+$")
_LONGEST_HINT = 90


class TranslationReply(ReplyContent):
    """A query, or what no column holds.

    Attributes:
        missing: What the question needs and no column holds.
        sql: One SELECT; None when something is missing.
    """

    missing: list[str]
    sql: str | None


@dataclass(frozen=True, slots=True)
class Translated:
    """A question as a query, and the result of running it.

    *warnings*: what should be known of a result that not most translations had.
    """

    translation: Translation
    page: ResultPage


@dataclass(frozen=True, slots=True)
class Translating:
    """How a question is translated.

    Attributes:
        may_find_nothing: Whether an empty result is right without being asked again.
        examples: Other questions with their queries, as text behind the question; empty for none.
        rejected: The reply of before, and what whoever asked says of it; None for the first.
    """

    may_find_nothing: bool = False
    examples: str = ""
    rejected: Correction | None = None


ONCE = Translating()


async def translate_question(
    model: LanguageModel, corpus: Corpus, question: str, how: Translating = ONCE
) -> Translated:
    """Let *model* write the query of *question*, run it, and let it repair what failed.

    An error of the guard or of DuckDB, a query that puts out what comes from no record, a text that
    no record has where a similar one is stored, and, unless it may be right, an empty result go
    back to the model, at most twice. Which condition no record meets is told once: a query that
    comes back with it is right.

    Raises:
        QuestionError: If the model says that columns are missing (`unplaced` names what), or no
            query of it could be run.
        ModelError: If no reply could be had.

    Source: S-RAG 3.3.
    """
    prompt, seen = _write_prompt(corpus, question, how.examples)
    runs = _Runs(corpus, seen, how.may_find_nothing)
    if how.rejected is not None:
        prompt = replace(prompt, corrections=(how.rejected,))
    asked = await ask_for(model, prompt, TranslationReply, runs.check)
    reply, missing = asked.content, tuple(asked.content.missing)
    if reply.sql is None or missing:
        msg = f"no column holds {', '.join(missing) or 'what is asked'}"
        raise QuestionError(msg, missing)
    ran = runs.results.get(reply.sql)
    if ran is None:
        asked.forget(model)
        msg = f"no query for this question could be run: {'; '.join(asked.problems)}"
        raise QuestionError(msg)
    facts, page = ran
    restated = facts.words or question.strip(" .?")  # the model's own words nobody has checked
    return Translated(Translation(question, restated, facts), page)


class _Runs:
    """Runs the queries of replies and says what is wrong with them.

    Attributes:
        results: What each query says, and its rows.
    """

    def __init__(self, corpus: Corpus, seen: Seen, may_find_nothing: bool) -> None:
        self.results: dict[str, tuple[QueryFacts, ResultPage]] = {}
        self._corpus, self._seen = corpus, seen
        self._may_find_nothing = may_find_nothing
        self._contradicted = False
        self._told: set[str] = set()

    def check(self, reply: TranslationReply) -> Sequence[str]:
        """Run the query of *reply*."""
        if reply.sql is None:
            return () if reply.missing else ("there is neither sql nor anything in missing",)
        if reply.missing:
            told, self._contradicted = self._contradicted, True
            return () if told else (_CONTRADICTION,)
        try:
            facts, page = self.results[reply.sql] = self._run(reply.sql)
        except QueryError as error:
            return (f"the query could not be run: {with_nearest(error)}",)
        doubts = diagnose(self._corpus, facts, self._seen)
        if not doubts and not self._may_find_nothing and is_empty(page.rows):
            doubts = explain_nothing(self._corpus, facts, self._seen)
        doubts = [doubt for doubt in doubts if doubt not in self._told]
        self._told.update(doubts)  # that no record has it may be right, so it is told once
        return [Doubt(doubt) for doubt in doubts]

    def _run(self, sql: str) -> tuple[QueryFacts, ResultPage]:
        page = self._corpus.select(sql, limit=MAX_ROWS)
        facts = read_query(sql, self._corpus.schema())
        if facts.ungrounded:
            msg = (
                f"{', '.join(facts.ungrounded)} would be the same whatever the records say: put out"
                " columns, and what is computed from them, only"
            )
            raise QueryError(msg, sql)
        repeated = find_repeated(self._corpus, facts.joins, page)
        if repeated and facts.joins.is_joined:
            msg = (
                f"{repeated}: aggregate before the join, or pick rows by IN (SELECT document_id …)"
            )
            raise QueryError(msg, sql)
        return facts, page


def with_nearest(error: QueryError) -> str:
    """Write *error* with the names that look like one that is not there."""
    names = error.nearest if isinstance(error, UnknownNameError) else ()
    return f"{error}; nearest names: {', '.join(names)}" if names else str(error)


def _write_prompt(corpus: Corpus, question: str, examples: str) -> tuple[Prompt, Seen]:
    """Write the prompt that translates *question*; also return what of the records it shows."""
    columns, shown, seen = write_tables(corpus, question)
    prompt = _render(question, examples, (corpus.schema().entity, corpus, columns), shown)
    return prompt, replace(seen, words=frozenset(stems(question)))


def write_tables(corpus: Corpus, question: str) -> tuple[str, list[str], Seen]:
    """Write the columns of the tables of *corpus*, the values that may be meant, what is seen."""
    schema = corpus.schema()
    linked = link_values(question, corpus)
    ranked = rank_columns(question, corpus, linked)
    whole = _write_whole(corpus, ranked)
    columns, shown = _write_columns(corpus, whole, ranked), list(map(str, _fit_linked(linked)))
    seen = _what_is_seen(corpus, whole, _fit_linked(linked))
    columns += _LISTS * bool(schema.children)
    for child in schema.children:
        own = corpus.about(child.entity)
        meant = link_values(question, own)
        fitting, order = _fit_linked(meant), list[str]()
        if meant or is_spoken_of(question, child, schema):
            order = rank_columns(question, own, meant)
        of_list = _write_whole(own, order, _LIST_TOKENS)
        columns += f"\n{_HEAD_OF_LIST.format(table=child.entity, rows=child.rows)}"
        columns += f"\n{_write_columns(own, of_list, order)}"
        shown += [f"{child.entity}.{item}" for item in fitting]
        also = _what_is_seen(own, of_list, fitting)
        seen = Seen(seen.columns | also.columns, seen.values | also.values)
    return columns, shown, seen


def write_across(kinds: KindTables, question: str, keys: Sequence[SharedKey]) -> Prompt:
    """Write the prompt that translates *question* over the tables of several kinds."""
    shown, parts = list[str](), list[tuple[str, Corpus, str]]()
    for corpus in kinds.corpora:
        name = corpus.schema().entity
        columns, meant, _ = write_tables(corpus, question)
        shown += [item if "." in item.split(" ", 1)[0] else f"{name}.{item}" for item in meant]
        parts.append((name, corpus, columns))
    joins = ["\n".join([_HEAD_OF_KEYS, *(f"- {key}" for key in keys)])] if keys else [_NO_KEYS]
    more = [
        _HEAD_OF_KIND.format(table=name, title=x.schema().title, n=x.info().n_documents) + columns
        for name, x, columns in parts[1:]
    ]
    first = (*parts[0][:2], "\n\n".join([parts[0][2], *more, *joins]))
    return _render(question, "", first, shown)


def _render(
    question: str, examples: str, table: tuple[str, Corpus, str], shown: Sequence[str]
) -> Prompt:
    name, corpus, columns = table
    return render_prompt(
        "translate",
        "translate",
        question,
        entity=name,
        title=corpus.schema().title,
        n_records=f"{corpus.info().n_documents:,}",
        columns=enclose(columns),
        linked=enclose("\n".join(f"- {item}" for item in shown) or _NONE),
        question=f"{enclose(question)}{examples}",
    )


def _what_is_seen(corpus: Corpus, whole: Collection[str], linked: Sequence[LinkedValues]) -> Seen:
    listed = {
        (item.column, str(value.value))
        for item in corpus.statistics()
        for value in (list_shown(item) if item.column in whole else ())
        if len(str(value.value)) <= MAX_VALUE_CHARACTERS
    }
    meant = {(item.column, value.value) for item in linked for value in item.values}
    return Seen(frozenset(whole), frozenset(listed | meant))


def _write_whole(
    corpus: Corpus, ranked: Sequence[str], room: int = _COLUMNS_TOKENS
) -> Mapping[str, str]:
    """Write a line of each column that is shown in full: of *ranked* what there is room for."""
    attributes = {item.name: item for item in corpus.schema().attributes}
    statistics = {item.column: item for item in corpus.statistics()}
    whole: dict[str, str] = {}
    for name in ranked:
        line = f"- {_write_column(attributes[name], statistics.get(name))}"
        n_tokens = count_tokens(line)
        if n_tokens <= room or not whole:
            whole[name] = line
            room -= n_tokens
        if len(whole) == _MAX_COLUMNS:
            break
    return whole


def _write_columns(corpus: Corpus, whole: Mapping[str, str], ranked: Sequence[str]) -> str:
    """Write the columns in their order, first the lines of those in full; of the others names."""
    statistics = {item.column: item for item in corpus.statistics()}
    attributes = corpus.schema().attributes
    lines = [whole[item.name] for item in attributes if item.name in whole]
    named = {item.name: item for item in attributes if item.name not in whole}
    room, hints = _DEFINED_TOKENS, dict[str, str]()
    for name in sorted(filter(named.get, ranked), key=lambda name: named[name].type.is_boolean):
        hint = _hint(named[name].description)
        room -= count_tokens(hint)
        if room < 0:
            break
        hints[name] = hint
    others = [
        f"{_name_column(item, statistics.get(name))}{hints.get(name, '')}"
        for name, item in named.items()
    ]
    return "\n".join([*lines, *([f"Other columns: {'; '.join(others)}"] * bool(others))]) or _NONE


def _hint(description: str) -> str:
    """Write what decides first: `Of the hull. Not over all.` -> `: Of the hull`."""
    first = _SENTENCE.split(" ".join(description.split()), maxsplit=1)[0]
    if len(first) > _LONGEST_HINT:
        first = f"{first[:_LONGEST_HINT].rsplit(' ', 1)[0]} …"
    return f": {first}" if first else ""


def _write_column(item: Attribute, found: ColumnStatistics | None) -> str:
    description = item.description
    if len(description) > _MAX_DESCRIPTION:
        end = max(description.rfind(f"{mark} ", 0, _MAX_DESCRIPTION) for mark in ".!?")
        words = f"{description[:_MAX_DESCRIPTION].rsplit(' ', 1)[0]} …"
        description = description[: end + 1] if end > 0 else words
    if item.absent_means != "unknown":
        implied = "false" if item.absent_means == "false" else "0"
        description += f" Not mentioned counts as {implied}."
    if item.synonyms:
        description += f" Also called {', '.join(item.synonyms)}."
    shown = {value.value for value in list_shown(found)} if found else set()
    more = [literal(value) for value in item.categories or () if value not in shown]
    if more:
        description += f" May be {', '.join(more[:_MAX_CATEGORIES])} too."
    holds = f" [{describe_column(found, literals=True)}]" if found else ""
    return f"{item.name} ({_type_of(item)}): {description}{holds}"


def _name_column(item: Attribute, found: ColumnStatistics | None) -> str:
    """Write the name of a column with its type, and a few short values of a small set."""
    values: Sequence[Scalar] = item.categories or ()
    n_values = len(values)
    if found is not None and found.n_non_null and item.type.is_text:
        is_small = bool(values) or 2 * found.n_distinct <= found.n_non_null
        values = [value.value for value in found.values] if is_small else []
        n_values = found.n_distinct
    short = [literal(str(value)) for value in values if len(str(value)) <= _SHORT][:_MAX_EXAMPLES]
    more = ["…"] * (n_values > len(short))
    shown = f": {', '.join([*short, *more])}" if short else ""
    return f"{item.name} ({_type_of(item)}{shown})"


def _type_of(item: Attribute) -> str:
    return f"{item.type}, {item.unit}" if item.unit else str(item.type)


def _fit_linked(linked: Sequence[LinkedValues]) -> list[LinkedValues]:
    """Return the values that may be meant, the likeliest first; of each a few where it is full."""
    room, shown = _LINKED_TOKENS, list[LinkedValues]()
    for whole in linked:
        item = whole
        while count_tokens(f"- {item}") > max(room, 0) and len(item.values) > 1:
            item = replace(item, values=item.values[: len(item.values) // 2])
        shown.append(item)
        room -= count_tokens(f"- {item}")
    return shown
