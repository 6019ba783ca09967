"""An answer: rows in words, with the query, the denominator, the bounds and the sources.

Its text says nothing that its rows do not.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from srag_mcp.cells.cell import BY_RULES
from srag_mcp.grammar.lexicon import asking_words
from srag_mcp.inference.brief import Brief, Proposal
from srag_mcp.inference.linking import LinkedValues, link_values
from srag_mcp.model.language_model import Step
from srag_mcp.model.ledger import Totals
from srag_mcp.retrieval.segments import Quote
from srag_mcp.sqlfacts.query import Translation
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.evidence import Evidence
from srag_mcp.store.guard import ResultPage, Value
from srag_mcp.store.values import fold_words
from srag_mcp.text.shown import one_line, quoted, shorten
from srag_mcp.text.words import nearest_names
from srag_mcp.values.quantities import digit_grouping

MANY_UNKNOWN = 0.2
MAX_ITEMS_IN_TEXT = 50
MAX_COLUMNS = 8
_PERCENT = 100.0
_MAX_CONDITIONS = 100  # characters
_DIGITS = 6  # of which equal numbers have the same
_ALIKE = 0.8  # of two words: one letter of five is another
_DOUBTED = "in doubt, as good as unsaid"


@dataclass(frozen=True, slots=True)
class ColumnCoverage:
    """How many documents have a value in *column* that was used, and how many may lack one.

    *n_failed* say something that could not be read, *n_unknown* say nothing; *n_none* say that
    there is none. *n_contradicted* do not fit another place or their column: most of them are used,
    and none of them is sure. *n_unread* were not read for a loose attribute: they may say anything.
    *n_left_out* have a value of which the SQL *left_by* makes nothing: that it is of `two dozen`.
    """

    column: str
    n_used: int
    n_unknown: int
    n_failed: int
    n_none: int = 0
    n_contradicted: int = 0
    n_unread: int = 0
    n_left_out: int = 0
    left_by: str = ""

    @property
    def n_open(self) -> int:
        """How many documents may have another value than is known of them."""
        return self.n_unknown + self.n_failed + self.n_contradicted + self.n_unread


@dataclass(frozen=True, slots=True)
class Denominator:
    """Over which records the filter of a query ran.

    Attributes:
        n_documents: All records of the corpus.
        n_selected: Those that meet the conditions; None where there are none, where the result is
            their number, and where they were not counted.
        conditions: These as SQL.
        columns: One entry for each column used that some documents have no value in, or one that
            is contradicted.
        before_conditions: Whether the columns were counted over all records, as counting after the
            conditions would take too long.
        of_kind: What the table is called, where a query reads tables of several kinds of documents:
            columns were counted over all its rows, before conditions and joins.
        uncounted: Why nothing was counted; empty where it was.
        by_rules: Whether rules read the documents: one without a value may well say it.
        rows: What the records are called; `items` where they are what documents list.
        listed: Of these, how many documents list some, how many say that there are none, in how
            many a model found none, of how many documents; None for records.
        open_lists: Lists that are read, how many documents may list more, and of how many.
        has_open_tables: Whether other tables that are read do not say all that is asked of them, or
            columns are read that the query does not name.
    """

    n_documents: int
    n_selected: int | None = None
    columns: tuple[ColumnCoverage, ...] = ()
    before_conditions: bool = False
    of_kind: str = ""
    uncounted: str = ""
    conditions: str = ""
    by_rules: bool = False
    rows: str = "documents"
    listed: tuple[int, int, int, int] | None = None
    open_lists: tuple[tuple[str, int, int], ...] = ()
    has_open_tables: bool = False

    @property
    def has_many_gaps(self) -> bool:
        """Whether many of the documents have no value in a column, or none that is sure."""
        gaps = ((x.n_unknown + x.n_failed + x.n_none + x.n_unread, x) for x in self.columns)
        return any(
            n_gaps + item.n_contradicted > MANY_UNKNOWN * (n_gaps + item.n_used)
            for n_gaps, item in gaps
        )


@dataclass(frozen=True, slots=True)
class Bounds:
    """The smallest and the largest value the answer can have, whatever the unknown cells hold.

    *within*: on condition that they lie in this range, which is that of the known values; None for
    a count, which needs no condition. *or_none*: or add nothing to a sum.
    """

    lower: float
    upper: float
    within: tuple[float, float] | None = None
    or_none: bool = False

    @property
    def is_point(self) -> bool:
        """Whether the answer can have no other value than one."""
        return self.lower == self.upper and self.within is None

    @property
    def condition(self) -> str:
        """What is taken for granted, in words; empty for a count."""
        if self.within is None:
            return ""
        low, high = map(render_number, self.within)
        none = "add nothing, or " * self.or_none
        return f"if those without a value {none}lie between {low} and {high}, as the others do"


@dataclass(frozen=True, slots=True)
class Whole:
    """What a share is a share of: *n_part* of the *n_said* records that say it, and of all *n_all*.

    *factor* is 100 for a percentage. *is_of_said*: whether the result is over those that say it.
    """

    n_part: int
    n_said: int
    n_all: int
    factor: float
    is_of_said: bool

    def render(self) -> str:
        """Say both: `"75 % of the 28 with a value; 72.414 % of all 29"`."""
        unit = "percent" if self.factor == _PERCENT else None
        said, of_all = (
            f"{render_value(self.factor * self.n_part / n, unit)} of {which}"
            for n, which in (
                (self.n_said, f"the {self.n_said:,} with a value"),
                (self.n_all, f"all {self.n_all:,}"),
            )
        )
        return "; ".join((said, of_all) if self.is_of_said else (of_all, said))


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an answer, and the quotes that it stands on, as code has found them."""

    text: str
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class Computed:
    """What DuckDB has computed of quoted numbers: *sql* is the expression over their names."""

    name: str
    sql: str
    value: float | bool

    def render(self) -> str:
        """Say it with its expression: `"growth = (a - b) / b = 0.117"`."""
        said = render_value(self.value) if isinstance(self.value, bool) else f"{self.value:.6g}"
        return f"{self.name} = {self.sql} = {said}"


@dataclass(frozen=True, slots=True)
class Reading:
    """An answer that was read in passages, where no column holds it.

    Attributes:
        sentences: Each stands on its quotes, and on what was computed of them.
        computed: All results, those of other results included.
        values: The quoted numbers that they are computed of, by name.
        missing: What no passage says, in the words of the model.
        documents: The SELECT of the documents that were searched; None for all.
        n_passages, n_read: How many passages were read, and of how many documents.
        n_searched, n_documents: In how many passages were sought, and how many there are.
    """

    sentences: tuple[Sentence, ...]
    computed: tuple[Computed, ...] = ()
    values: tuple[tuple[str, float], ...] = ()
    missing: tuple[str, ...] = ()
    documents: str | None = None
    n_passages: int = 0
    n_read: int = 0
    n_searched: int = 0
    n_documents: int = 0

    @property
    def quotes(self) -> tuple[Quote, ...]:
        """The quotes of all sentences, each once, in their order."""
        return tuple(dict.fromkeys(quote for item in self.sentences for quote in item.quotes))

    def render_scope(self) -> str:
        """Say it: `"Read: 3 passages of 1 document; 1 of 16 documents was searched."`."""
        said = [
            f"{n:,} {noun}{'s' * (n != 1)}"
            for n, noun in ((self.n_passages, "passage"), (self.n_read, "document"))
        ]
        were = "was" if self.n_searched == 1 else "were"
        searched = f"{self.n_searched:,} of {self.n_documents:,} documents {were} searched"
        return f"Read: {' of '.join(said)}; {searched}."


@dataclass(frozen=True, slots=True)
class Answer:
    """What `ask` returns.

    Attributes:
        question: As it was asked.
        text: The answer in words, grounded in the rows only.
        columns, rows: The result of the query.
        is_tie: Whether the rows are all that come first, which the text says.
        sql: The query; empty for a brief.
        restated: The reading of the question, in plain words.
        denominator: Over which records its filter ran; None where it reads none.
        bounds: Of a count, share, sum, average or median; None where they are not known or nothing
            is unknown.
        warnings: What the reader should know before trusting the number.
        assumptions: What not being mentioned counts as, for the columns where it counts, and what
            unknown cells could change where there are no bounds.
        sources: A few quotes behind the answer.
        engine: Who translated: `offline` or `model`.
        truncated: Whether more rows exist than *rows* holds.
        translation: The reading; None for a brief.
        taken: What the language model took; None where none was asked.
        brief: What the calling agent needs to write the query itself; None for an answer.
        reading: What the text stands on where it was read in passages; None where rows are.
        steps: What the language model took by step.
        proposal: What could be read so that the same question is answered; None where nothing is.
        asked: The question that was asked in the end, where it leaned on one before; else empty.
        before: The answer that was called wrong, where this is another reading; else None.
        n_kept: How many questions are kept, this one too; None where none is.
    """

    question: str
    text: str
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Value, ...], ...] = ()
    sql: str = ""
    restated: str = ""
    denominator: Denominator | None = None
    bounds: Bounds | None = None
    warnings: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    sources: tuple[Evidence, ...] = ()
    engine: str = BY_RULES
    truncated: bool = False
    translation: Translation | None = None
    taken: Totals | None = None
    brief: Brief | None = None
    proposal: Proposal | None = None
    is_tie: bool = False
    reading: Reading | None = None
    steps: tuple[tuple[Step, Totals], ...] = ()
    asked: str = ""
    before: "Answer | None" = None
    n_kept: int | None = None

    @property
    def refused(self) -> bool:
        """Whether the question was not answered."""
        return self.brief is not None


def refuse(
    corpus: Corpus,
    question: str,
    reason: str,
    unplaced: tuple[str, ...] = (),
    proposal: Proposal | None = None,
) -> Answer:
    """Say why *question* has no answer, with the brief for who would find it."""
    schema = corpus.schema()
    columns = tuple(schema.column_names())
    linked = link_values(question, corpus)
    brief = Brief(reason, unplaced, schema.entity, columns, linked)
    notes = corpus.notices()
    lists = (child.rows for child in schema.children)
    meant = did_you_mean(unplaced, (*columns, *lists), linked)
    text = f"Not answered: {reason}{f'; did you mean {meant}?' if meant else ''}"
    return Answer(question, text, brief=brief, assumptions=notes, proposal=proposal)


def did_you_mean(
    words: Sequence[str], columns: Sequence[str], linked: Sequence[LinkedValues]
) -> str:
    """Name the columns, lists and stored values that *words* without a place may misspell.

    What comes first has a word that several have. `(["ratng"], ["guest_rating"], []) ->
    "guest_rating"`
    """
    known: dict[str, str] = {}
    for item in linked:
        for match in item.values:
            said = f"{item.column} {quoted(match.value)}"
            known |= dict.fromkeys(fold_words(match.value), said)
    for column in reversed(columns):
        words_of = column.rpartition(".")[2].replace("_", " ").split()
        known |= dict.fromkeys(words_of, column)
    strange = [x for x in map(str.casefold, words) if x not in known and x not in asking_words()]
    near = (nearest_names(x, [y for y in known if y[:1] == x[:1]], 1, _ALIKE) for x in strange)
    return " or ".join(dict.fromkeys(known[name] for found in near for name in found))


def render_value(value: Value, unit: str | None = None) -> str:
    """Write one value for people.

    `1254760 -> "1,254,760"`, `139.642857 -> "139.643"`, `True -> "yes"`, `None -> "unknown"`
    """
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    said_unit = "" if unit is None else " %" if unit == "percent" else f" {unit}"
    return f"{render_number(value)}{said_unit}"


def render_row(row: Sequence[Value], columns: Sequence[str]) -> str:
    """Write a row; a yes or no says nothing alone: `"rained: no — 62"`."""
    told = zip(columns, row, strict=True)
    said = (f"{name}: " * isinstance(value, bool) + render_value(value) for name, value in told)
    return " — ".join(said)


def render_number(value: float) -> str:
    """Write a number for people: `1956`, which may be a year, `12,500`, `0.0123`, `4.333`."""
    grouping = digit_grouping(value)
    if isinstance(value, int) or (value.is_integer() and abs(value) < 1e15):
        return f"{int(value):{grouping}}"
    if not math.isfinite(value):
        return str(value)
    digits = max(2, 3 - math.floor(math.log10(abs(value)))) if abs(value) < 1 else 3
    return f"{value:{grouping}.{digits}f}".rstrip("0").rstrip(".")


def is_empty(rows: Sequence[Sequence[Value]]) -> bool:
    """Whether a result says nothing: no rows, NULLs only, or a single count of 0."""
    values = [value for row in rows for value in row]
    return all(value is None for value in values) or (
        len(values) == 1 and not isinstance(values[0], bool) and values[0] == 0
    )


def result_key(rows: Sequence[Sequence[Value]]) -> tuple[tuple[str, ...], ...]:
    """Return what equal results have in common: neither rows nor columns have an order."""
    return tuple(sorted(map(row_key, rows)))


def row_key(row: Sequence[Value]) -> tuple[str, ...]:
    """Return what equal rows have in common."""
    return tuple(sorted(map(_rounded, row)))


def _rounded(value: object) -> str:
    """Write a value so that equal ones look the same: `12.0` -> `12`, `0.30000000004` -> `0.3`."""
    if not isinstance(value, float):
        return str(value)
    return str(int(value)) if value.is_integer() else f"{value:.{_DIGITS}g}"


def render_text(
    page: ResultPage, restated: str, unit: str | None = None, whole: Whole | None = None
) -> str:
    """Say the rows of a reading in one or a few sentences, of a share what it is a share of."""
    values = [value for row in page.rows for value in row]
    if all(value is None for value in values):
        return f"No document gives an answer: {restated}."
    if len(values) == 1:
        said = render_value(values[0], unit) if whole is None else whole.render()
        return f"{said.capitalize() if isinstance(values[0], bool) else said}: {restated}."
    shown = page.rows[:MAX_ITEMS_IN_TEXT]
    if len(page.columns) == 1:
        body = ", ".join(render_value(row[0], unit) for row in shown)
    else:
        body = "; ".join(render_row(row, page.columns) for row in shown)
    if len(page.rows) > len(shown) or page.truncated:
        body += " … and more" if page.truncated else f" … and {len(page.rows) - len(shown)} more"
    return f"{body}: {restated}."


def render_denominator(found: Denominator) -> str:
    """Say over how many documents the answer was computed, and how many do not say.

    `"Over the 40 of 350 documents with country = 'Peru'; rating: 37 used, 3 do not say."`
    """
    if found.uncounted:
        return (
            f"Over how many of {found.n_documents:,} {found.rows} was not counted:"
            f" {found.uncounted}."
        )
    all_rows = f"{found.n_documents:,} {found.rows}"
    if found.listed is not None:
        n_listing, n_none, n_silent, n_all = found.listed
        none = [f"{n_none:,} list none"] * bool(n_none)
        none += [f"in {n_silent:,} none was found"] * bool(n_silent)
        said_none = f" ({', '.join(none)})" if none else ""
        all_rows += f" of {n_listing:,} of {n_all:,} documents{said_none}"
    head, n_selected = f"Over all {all_rows}", found.n_selected
    if n_selected is not None:
        conditions = one_line(found.conditions)
        is_short = 0 < len(conditions) <= _MAX_CONDITIONS
        meet = "meets" if n_selected == 1 else "meet"
        which = f"with {conditions}" if is_short else f"that {meet} the conditions"
        head = f"Over the {n_selected:,} of {all_rows} {which}"
    if found.before_conditions:
        head += ", before conditions (counting after them would take too long)"
    if found.of_kind:
        head += f" in {found.of_kind}, before conditions and joins"
    is_before = found.before_conditions or found.of_kind
    known, parts = "say" if is_before else "used", [head]
    columns = found.columns
    if len(columns) > MAX_COLUMNS:  # what tells most comes first
        columns = tuple(sorted(columns, key=lambda x: not (x.n_failed + x.n_contradicted)))
    for item in columns[:MAX_COLUMNS]:
        doubted = f" ({item.n_contradicted:,} of them {_DOUBTED})" if item.n_contradicted else ""
        left_by = shorten(one_line(item.left_by), _MAX_CONDITIONS)
        others = (
            (item.n_left_out, f"left out, of which {left_by} makes nothing"),
            (item.n_none, "has none" if item.n_none == 1 else "have none"),
            (item.n_unknown, "without a value that rules read" if found.by_rules else "do not say"),
            (item.n_failed, "could not be read"),
            (item.n_unread, f"{'was' if item.n_unread == 1 else 'were'} not read for it"),
        )
        said = "".join(f", {n:,} {words}" for n, words in others if n)
        n_told, of = item.n_used + sum(n for n, _ in others), ""
        if not is_before and n_told != (found.n_documents if n_selected is None else n_selected):
            is_all = n_told == found.n_documents
            of = f" (of {'all' if is_all else 'those that other conditions leave'})"
        parts.append(f"{item.column}: {item.n_used:,} {known}{doubted}{said}{of}")
    for name, n_open, n_all in found.open_lists:
        parts.append(f"{name}: {n_open:,} of {n_all:,} documents may list more")
    if not found.columns and not found.open_lists and not found.has_open_tables:
        parts.append("none is left out as unknown")
    if len(found.columns) > MAX_COLUMNS:
        parts.append(f"and {len(found.columns) - MAX_COLUMNS} more columns with gaps")
    return "; ".join(parts) + "."


def render_bounds(bounds: Bounds) -> str:
    """Say between which values the answer lies.

    `"Whatever they would say: 12 to 15."`, `"If those without a value lie between 3 and 90, as the
    others do: 40.2 to 61."`
    """
    lower, upper = render_number(bounds.lower), render_number(bounds.upper)
    condition = bounds.condition.capitalize() or "Whatever they would say"
    return f"{condition}: {lower} to {upper}."


def render_taken(taken: Totals) -> str:
    """Say what a language model took: `"2 calls, 7,912 tokens, $0.0018"`."""
    if not taken.n_calls and taken.n_cached:
        return "0 calls: the same was asked before, and the reply kept"
    about = "about " if taken.is_estimated else ""
    n_tokens, calls = taken.tokens_in + taken.tokens_out, "call" if taken.n_calls == 1 else "calls"
    tokens = f"{taken.n_calls:,} {calls}, {about}{n_tokens:,} tokens"
    if taken.cost_usd is None:
        return f"{tokens}, price not known"
    return f"{tokens}, ${taken.cost_usd:,.4f}" if taken.cost_usd else tokens
