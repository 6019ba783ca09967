"""Doubts: why an induced column cannot carry an answer, although the question was read.

Six things speak against a column, and the documents themselves tell all of them: documents without
a value speak of it all the same; another column may be the same fact of another layout; its amounts
cannot be compared; their sign goes with the layout; other places of its documents contradict what
was read; or what the question says of its name is said of another label as well, which became no
column.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import log
from types import MappingProxyType

from srag_mcp.cells.cell import Mark, is_predicted
from srag_mcp.claims.figures import is_in_currency
from srag_mcp.claims.quotes import statement_at
from srag_mcp.errors import QuestionError
from srag_mcp.rules.candidates import Stated, differ_by_a_value
from srag_mcp.rules.kinship import (
    content_stems,
    general_stems,
    is_contrary,
    kin_of,
    kinship,
    own_words,
)
from srag_mcp.rules.sightings import HEADING
from srag_mcp.rules.slots import told_apart
from srag_mcp.schema.attribute import (
    Attribute,
    ItemRule,
    KeyRule,
    PatternRule,
    PlaceRule,
    SlotRule,
    keys_of,
)
from srag_mcp.sqlfacts.query import QueryFacts, Translation
from srag_mcp.sqlfacts.trees import exp, replace_values
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.database import quote_name, quote_text
from srag_mcp.store.guard import Value
from srag_mcp.store.statistics import ColumnStatistics
from srag_mcp.text.shown import shorten
from srag_mcp.text.spans import Span
from srag_mcp.text.words import HELPING, content_words, fold_words, plural, singular, stem, stems
from srag_mcp.values.quantities import find_quantities
from srag_mcp.values.states import NONE_OF
from srag_mcp.values.units import (
    AMBIGUOUS_CURRENCIES,
    CURRENCY_SYMBOLS,
    CURRENCY_WORDS,
    SIZES,
    UNITS,
    convert,
    holds_units,
    is_currency,
    unit_of,
)

# One limit for all that is counted here, that of the yardstick: nine in ten are right.
_MOST = 0.9
_FEW = 1 - _MOST
# Of the cells that two rules contradict 73 % are right (5,847 cells of six corpora read by written
# rules): so many marked ones make one wrong cell in ten.
_MARKED = _FEW / (1 - 0.73)
# Two facts of independent documents meet by chance: where 0.7 meetings are expected, none happens
# at even odds.
_MIN_EXPECTED = 0.7
_SAME_SIZE = 3.0
_MAX_DOCUMENTS = 5_000  # so many documents tell how the others are
_MAX_VALUES, _MAX_NAMED = 60, 3
_MIN_VALUE, _MAX_VALUE, _MAX_SHOWN = 4, 40, 120
_AGAIN = "at each of which the same things come again: what they are then may be no sum"
_UNREAD = "words that were not read"
_SAYING_NOTHING = frozenset({"none", "true", "false", "other", "unknown"})
_NOTE = re.compile(r"\b(?:in|en) ([^\W\d_]{3,9}|[^\w\s])(?!\w)")
_KINDS = frozenset(map(stem, ("document", "kind", "type")))  # what says of which one a record is
_HELP = (
    "; write a query with the brief, or give the column keys and examples in a schema.json of your"
    " own and ingest again"
)
_MEASURING = frozenset({"measure", "filter", "order"})
_READ = "SELECT document_id, text FROM srag_texts WHERE NOT contains(document_id, '#') LIMIT $1"
_TOLD = "SELECT DISTINCT document_id FROM cells WHERE state <> 'not_mentioned' AND attribute"
_SILENCE = f"""
SELECT count(*), count(told.document_id),
  count(*) FILTER (told.document_id IS NULL AND $3 <> '' AND regexp_matches(text, $3, 'i')),
  count(*) FILTER (told.document_id IS NULL AND measured.document_id IS NULL),
  count(*) FILTER (told.document_id IS NULL AND measured.document_id IS NULL
                   AND $4 <> '' AND regexp_matches(text, $4, 'i')),
  count(*) FILTER (told.document_id IS NOT NULL AND $5 <> '' AND regexp_matches(text, $5, 'is'))
FROM ({_READ}) AS known SEMI JOIN (FROM cells WHERE attribute = $2) AS own USING (document_id)
LEFT JOIN ({_TOLD} = $2) AS told USING (document_id)
LEFT JOIN ({_TOLD} IN (SELECT unnest(from_json($6, '["VARCHAR"]')))) AS measured
  USING (document_id)
"""
_SILENT = f"""
SELECT text FROM ({_READ}) SEMI JOIN (FROM cells WHERE attribute = $2) AS own USING (document_id)
ANTI JOIN ({_TOLD} = $2) AS told USING (document_id) WHERE regexp_matches(text, $3, 'i')
LIMIT {_MAX_VALUES}
"""
_TELLING = f"""
SELECT attribute, string_agg(document_id, chr(10))
FROM cells JOIN ({_READ}) AS known USING (document_id)
SEMI JOIN (FROM cells WHERE attribute = $2) AS own USING (document_id)
WHERE state <> 'not_mentioned' GROUP BY attribute ORDER BY attribute
"""
_LABELS = f"""
SELECT label, count(DISTINCT document_id)
FROM (SELECT document_id, unnest(regexp_extract_all(text, $2, 1)) AS label FROM ({_READ}) AS known
  SEMI JOIN (FROM cells WHERE attribute = $3) AS own USING (document_id))
GROUP BY label ORDER BY count(*) DESC, label
"""
# The last is how many decimals money is written with: three digits are thousands, or of a measure.
_CELLS = r"""
SELECT attribute, coalesce(unit, ''), count(*), count(*) FILTER (contains(coalesce(marks, ''), $1)),
  max(length(regexp_extract(as_stated, '[.,](\d\d?|\d{4,})\D*$', 1)))
FROM cells WHERE state = 'stated' GROUP BY ALL ORDER BY count(*) DESC, 2
"""
_WORDED_NONE = """
SELECT count(*) FROM cells WHERE attribute = $1 AND state = 'stated_absent' AND value IS NULL
  AND regexp_matches(coalesce(as_stated, ''), '\\p{L}')
"""
_JOINED = f"""
SELECT text, start, "end" FROM cells JOIN ({_READ}) AS known USING (document_id)
WHERE attribute = $2 AND state = 'stated'
  AND regexp_matches(substr(text, "end" + 1, 80), '^[^0-9;:.]*(,|[a-z] )[^0-9;:.]*[0-9]')
LIMIT {_MAX_VALUES}
"""
_FAILED = r"""
SELECT as_stated, sum(count(*)) OVER () FROM cells{} AND regexp_matches(as_stated, '\d')
GROUP BY ALL ORDER BY ALL
"""
# Labels and signs of columns that nearly all documents with a negative value of $2 have and nearly
# none with a positive one, or the other way round; and how many such documents have any.
_SIGNED = rf"""
WITH signed AS (SELECT document_id, TRY_CAST(value AS DOUBLE) < 0 AS below FROM cells
  WHERE attribute = $2 AND TRY_CAST(value AS DOUBLE) <> 0),
said AS (SELECT attribute, below, nullif(sign(TRY_CAST(value AS DOUBLE)), 0)::VARCHAR AS sign,
    regexp_replace(regexp_extract(left(text, start), '[^\n]*$'), '\W+', ' ', 'g') AS label
  FROM cells JOIN signed USING (document_id) JOIN ({_READ}) AS known USING (document_id)
  WHERE as_stated <> '')
SELECT attribute, kind, sum(count(*) FILTER (below)) OVER own AS n_below,
  sum(count(*) FILTER (NOT below)) OVER own AS n_above
FROM (UNPIVOT said ON label, sign INTO NAME kind VALUE way) GROUP BY attribute, kind, way
WINDOW own AS (PARTITION BY attribute, kind)
QUALIFY abs(count(*) FILTER (below) / nullif(n_below, 0)
            - count(*) FILTER (NOT below) / nullif(n_above, 0)) >= {_MOST} ORDER BY ALL
"""
# Quoted ones first; of what a person set or a model said there may be no words.
_DOUBTED = """
SELECT coalesce(as_stated, ''), note FROM cells{} ORDER BY as_stated IS NULL, document_id LIMIT 1
"""
_ENDS = """
SELECT count(*) FILTER (doubted AND value < low), count(*) FILTER (doubted AND value > high)
FROM (SELECT *, min(value) FILTER (NOT doubted) OVER () AS low,
             max(value) FILTER (NOT doubted) OVER () AS high
      FROM (SELECT coalesce(TRY_CAST(value AS DOUBLE), epoch(TRY_CAST(value AS DATE))) AS value,
                   contains(coalesce(marks, ''), $2) AS doubted
            FROM cells WHERE attribute = $1 AND state = 'stated'))
"""


@dataclass(frozen=True, slots=True)
class _Use:
    """A column as one translation uses it.

    Attributes:
        statistics: Of all columns.
        measures: Whether its values are computed with, compared or ordered.
        takes_ends: Whether the highest or the lowest is asked for, or all are computed with.
        leads: Whether the value of the most records is asked for, which a few more may overtake.
        sums: Whether its values are added up, to which a none adds nothing, be it 0 or no number.
        asks_gaps: Whether the records without a value are asked for.
        asked: The words of the question that mean a value of it.
        called: What the question calls it: a part of its name, a word akin to one of its name.
    """

    attribute: Attribute
    statistics: Mapping[str, ColumnStatistics]
    measures: bool
    takes_ends: bool
    leads: bool
    sums: bool
    asks_gaps: bool
    asked: frozenset[str]
    called: frozenset[str]

    @property
    def own(self) -> ColumnStatistics:
        """The statistics of the column."""
        return self.statistics[self.attribute.name]


def check_columns(
    corpus: Corpus,
    translation: Translation,
    is_settled: Callable[[Collection[str]], bool] = lambda _: False,
    rows: Mapping[str, str | None] = MappingProxyType({}),
) -> None:
    """Make sure that the columns of *translation* hold what the documents say.

    *rows* says of which rows each is used (`QueryFacts.rows_of`).

    What rules have not read is not doubted: columns without any, and beside a model those that no
    table file states. What columns lack does no harm where *is_settled* says that the answer is the
    same whatever their gaps hold.

    Raises:
        QuestionError: If one of them cannot carry the answer; the text says which and why.
    """
    attributes = {item.name: item for item in corpus.schema().attributes}
    statistics = {item.column: item for item in corpus.statistics()}
    by_model = is_predicted(corpus.info().engine)
    found = translation.facts.aggregate
    numbers = found is None or found.function != "list"  # what is listed is so, whatever others say
    gaps: dict[str, str] = {}
    shows_gaps = True
    for name in dict.fromkeys(use.column for use in translation.facts.columns):
        attribute = attributes.get(name)
        if attribute is None or name not in statistics:
            continue
        if numbers and not by_model and (gap := _of_figures(corpus, statistics[name], rows)):
            gaps[name] = gap
        if not attribute.extractors or (by_model and not attribute.is_column):
            continue
        sql = translation.sql
        roles = {u.role for u in translation.facts.columns if u.column == name}
        use = _Use(
            attribute,
            statistics,
            measures=bool(roles & _MEASURING),
            takes_ends="measure" in roles or bool(re.search(r"\bLIMIT\b", sql)),
            leads="group" in roles and bool(re.search(r"\b(?:QUALIFY|LIMIT)\b", sql)),
            sums=bool(re.search(rf'\bSUM\("?{re.escape(name)}\b', sql)),
            asks_gaps=bool(re.search(rf'(?<!NOT )(?<!\w)"?{re.escape(name)}"? IS NULL', sql)),
            asked=frozenset(found.asked for found in translation.literals if found.column == name),
            called=frozenset(_called(attribute, translation.question)),
        )
        if all(isinstance(rule, PatternRule) and rule.weak for rule in attribute.extractors):
            doubt = f"{name} only tells that a word occurs, which says nothing of a document"
        else:
            doubt = (
                _of_cells(corpus, use)
                or _of_labels(corpus, use, translation.question)
                or _of_several(corpus, use, translation.question)
                or _of_signs(corpus, use, sql)
            )
        if doubt:
            raise QuestionError(doubt + _HELP)
        if gap := _of_gaps(corpus, use):
            gaps[name] = gap
            # as unknown ones, and the question is not for them
            is_shown = name in translation.facts.asked and not use.asks_gaps
            shows_gaps &= is_shown and attribute.absent_means == "unknown"
    if mixed := next(find_mixed_units(corpus, translation.facts), ""):
        raise QuestionError(mixed + _HELP)
    if gaps and not (shows_gaps and is_settled(gaps)):
        raise QuestionError(next(iter(gaps.values())) + _HELP)


def find_mixed_units(corpus: Corpus, query: QueryFacts, *, is_sure: bool = True) -> Iterator[str]:
    """Say where a query puts amounts of a column together in different units.

    These stand with them, in another column, as in `value, unit`, with the amounts of another, or
    above all of a document: of the row or, of what documents list, of the document. Unless
    *is_sure*: of whole numbers, too, that may be no money; and where it adds up several kinds.
    """
    above = corpus.about("")
    for facts in query.of_tables():
        listed = corpus.about(facts.schema.entity)
        open_units = {} if is_sure else listed.once(_find_open_units)
        yield from (open_units[name] for name in facts.names if name in open_units)
        numbers = {x.name for x in facts.schema.attributes if x.type.is_numeric} & {*facts.names}
        is_list = above.schema().entity != facts.schema.entity
        for teller in (listed, above)[: 1 + is_list] if numbers else ():
            key = "document_id, position" if is_list and teller is listed else "document_id"
            for names, beside, told, said, adding in _tell_units(teller, listed, is_sure=is_sure):
                for name in sorted(numbers & names):
                    for sql in facts.pools(name, beside, key, told, adding):
                        [[count]] = corpus.select(sql, limit=1).rows
                        if _whole(count) > 1:
                            by = f"which {beside or 'their documents'} tell{'s' * bool(beside)}"
                            by = "as its values are written" if name == beside else by
                            yield f"{name} {said.format(count, by)}"


def _find_open_units(corpus: Corpus) -> Mapping[str, str]:
    """Say of the columns in a word for several things that nothing tells these apart: `pounds`."""
    found: dict[str, str] = {}
    for item in corpus.schema().attributes:
        words = {word: may for word, may in AMBIGUOUS_CURRENCIES.items() if item.unit in may}
        if item.unit is None or is_currency(item.unit) or not words:
            continue
        kind = SIZES[item.unit][0]
        others = (w for w, of in UNITS.items() if SIZES.get(of, ("",))[0] == kind)
        told = rf"\d\s?(?:{'|'.join(re.escape(w) for w in others if w not in words)})\b"
        sql = f"SELECT count(*) FROM ({_READ}) WHERE regexp_matches(text, $2)"
        [[n_telling]] = corpus.read(sql, [_MAX_DOCUMENTS, told])
        called = {*stems(item.name.replace("_", " "))}
        if called.isdisjoint(kin_of(stem(kind))) and not n_telling:
            [word, may], *_ = words.items()
            meant = " or ".join(sorted(may))
            found[item.name] = f"{item.name} is in “{word}”, which may be {meant}: say which"
    return found


def _tell_units(
    teller: Corpus, listed: Corpus, *, is_sure: bool
) -> Iterator[tuple[set[str], str, str, str, tuple[type[exp.AggFunc], ...]]]:
    """Yield columns of numbers, what tells their units, these as SQL by a key, and what to say.

    Last, of what is only told where it is added up, which aggregates do so.
    """
    schema, said = teller.schema(), f"{'is' if is_sure else 'may be'} in {{}} units, {{}}"
    for place, beside in enumerate(schema.attributes):
        own = f"{quote_name(beside.name)} AS _told FROM {quote_name(schema.entity)}"
        if not is_sure and _tells_kinds(teller, beside):
            signed = [x.column for x in listed.statistics() if str(x.minimum)[0] == "-"]
            signed = [x for x in signed if teller is not listed or _signs(teller, x, beside)]
            rest = {x.name for x in listed.schema().attributes}.difference(signed)
            taken = f"is taken over {{}} kinds of {beside.name}"
            yield rest, beside.name, own, taken, (exp.Sum, exp.Avg, exp.Max, exp.Min)
        if beside.type.is_text:
            measured, told = _measured_in(teller, place, listed, is_sure=is_sure), own
        else:
            measured = _paid_as(teller, beside.name, listed, is_sure=is_sure)
            told = f"unit AS _told FROM cells WHERE attribute = {quote_text(beside.name)}"
            if teller.about("").schema().children:
                told += f" AND table_name = {quote_text(schema.entity)}"
        yield measured, beside.name, told, f"{said}: say of which", ()
    for day in () if is_sure or teller is not listed else listed.once(_dated_states):
        told = f"{quote_name(day)} AS _told FROM {quote_name(schema.entity)}"
        rest = {x.name for x in schema.attributes} - {day}
        yield rest, day, told, f"is added up over {{}} values of {day}, {_AGAIN}", (exp.Sum,)
    money = _bare_money(listed, 2 if is_sure else 0)
    noted = teller.about("").once(_noted_currencies) if money else {}
    if len({*noted.values()}) > 1:
        lists = (quote_text("\n".join(x)) for x in (noted, noted.values()))
        ids, units = (f"unnest(string_split({x}, chr(10)))" for x in lists)
        told = f"_told FROM (SELECT {ids} AS document_id, {units} AS _told)"
        yield money, "", told, said, ()


def _dated_states(corpus: Corpus) -> Sequence[str]:
    """Return the columns of days, or years, at most of which the same things have one row each.

    Rows that are made as things happen meet: two of one thing on one day; or have days of their
    own, at which nothing comes again.
    """
    attributes, dates = corpus.schema().attributes, dict[str, None]()
    texts = {x.name for x in attributes if x.type.is_text}
    columns = corpus.statistics()
    full = {x.column for x in columns if x.n_non_null == x.n_records}
    again = {x.column for x in columns if 0 < 2 * x.n_distinct <= x.n_records}
    days = [x.name for x in attributes if x.type.is_date or "year" in fold_words(x.name)]
    names = [quote_name(x.name) for x in attributes if x.name in again & full & texts]
    # what lists years is a thing of which each year says how it is
    for day, key in product(days, {*names, ", ".join(names), "document_id"} - {""}):
        keys = (key, quote_name(day), f"{key}, {quote_name(day)}")
        told = ", ".join(f"count(DISTINCT row({x}))" for x in keys)
        counted = corpus.count(f"SELECT {told}, count(*) FROM {quote_name(corpus.schema().entity)}")
        n_things, n_days, n_both, n = map(_whole, counted)
        # of two things, too, both have a row at every other day, at least
        if n_both == n > max(3, n_things) * n_days / 2 and min(n_things, n_days) > 1:
            dates[day] = None
    return [*dates]


def _signs(corpus: Corpus, name: str, beside: Attribute) -> bool:
    """Whether a minus goes with what *beside* tells: no kind has amounts with and without one."""
    own, column = map(quote_name, (beside.name, name))
    both = f"GROUP BY {own} HAVING min({column}) < 0 AND max({column}) > 0"
    sql = f"SELECT count(*) FROM (SELECT 1 FROM {quote_name(corpus.schema().entity)} {both})"
    return corpus.count(sql) == (0,)


def _tells_kinds(corpus: Corpus, beside: Attribute) -> bool:
    """Whether a column tells what a record is, and not all are what the table says.

    So do the headings that what is listed stands under, be they words or years.
    """
    schema, [known] = corpus.schema(), corpus.statistics([beside.name])
    called = {*_KINDS, *stems(" ".join((schema.entity.replace("_", " "), *schema.nouns)))}
    told = [str(x.value).replace("_", " ") for x in known.values if beside.type.is_text]
    is_kind = {*stems(beside.name.replace("_", " "))} <= called and any(map(is_contrary, told))
    is_kind |= any({*stems(x)} <= called for x in told)
    is_list = schema.entity != corpus.about("").schema().entity
    is_kind |= is_list and HEADING in keys_of(beside.extractors)
    return is_kind and 2 * known.n_distinct <= known.n_non_null


def find_loose_orders(corpus: Corpus, facts: QueryFacts) -> Iterator[str]:
    """Say which order by size is that of texts: of times `10:00` comes before `9:30`."""
    for name in sorted(facts.sized):
        [known] = corpus.statistics([name])
        if known.holds_figures:
            yield f"{name} is text and in order as such: “10…” comes before “9…”"


def _measured_in(corpus: Corpus, place: int, listed: Corpus, *, is_sure: bool) -> set[str]:
    """Return the columns of numbers whose units stand in the column at *place*; none in others."""
    attributes = corpus.schema().attributes
    [known] = corpus.statistics([attributes[place].name])
    said = {str(item.value) for item in known.values}
    if len(said) < 2 or not holds_units(said):
        return set()
    is_money = any(is_currency(unit_of(unit)) for unit in said)
    if is_money and (defined := _defined_money(listed)):
        return defined if is_sure else set()
    is_own = listed.schema().entity == corpus.schema().entity
    # `hours` are in hours
    open_ones = [
        x for x in _open_ones(listed) if not is_money or not any(map(unit_of, x.name.split("_")))
    ]
    of = f"{attributes[place].name.rpartition('_')[0]}_"
    called = {x.name for x in listed.schema().attributes if f"{x.name}_".startswith(of)}
    if called := called - {attributes[place].name}:
        return called & {item.name for item in open_ones} if is_sure else set()
    names, exact = {x.name for x in open_ones}, {x.name for x in open_ones if not x.type.is_whole}
    beside = (*attributes[:place][-1:], *attributes[place + 1 :][:1])
    sure = {*[item.name for item in beside if item.name in names][:1]} if is_own else exact or names
    may_be = _bare_money(listed, 0) & names if is_money and not _bare_money(listed) else set()
    if is_own and is_money and names:
        stated = {name: {*stems(name.replace("_", " "))} for name in names}
        sure |= exact.union(x for x, own in stated.items() if own & kin_of("price"))
        if moves := _moves(corpus, attributes[place], sure, names):
            sure, may_be = ({x for x in names if moves[x] > least} for least in (1 / 2, 1 / 4))
    return sure if is_sure else may_be - sure


def _moves(
    corpus: Corpus, teller: Attribute, amounts: Collection[str], names: Collection[str]
) -> dict[str, float]:
    """Return how much the size of a column goes with the unit in *teller*, that of *amounts* as 1.

    With kronor and euros prices and fees do, and no ratings. None where the amounts themselves are
    of one size.
    """
    own, ordered = quote_name(teller.name), sorted(names)
    middles = ", ".join(f"median({quote_name(name)})" for name in ordered)
    of = f"FROM {quote_name(corpus.schema().entity)} WHERE NOT {own} IS NULL GROUP BY {own}"
    rows = corpus.select(f"SELECT {middles} {of} ORDER BY count(*) DESC LIMIT 2").rows
    found = {
        name: log(one / other)
        for name, one, other in zip(ordered, *rows[:1], *rows[-1:], strict=True)
        if isinstance(one, int | float) and isinstance(other, int | float) and one * other > 0
    }
    most = max((found[name] for name in amounts if name in found), key=abs, default=0.0)
    is_telling = abs(most) >= log(_SAME_SIZE)
    return {name: found.get(name, most) / most for name in names} if is_telling else {}


def _paid_as(corpus: Corpus, teller: str, listed: Corpus, *, is_sure: bool) -> set[str]:
    """Return the columns of bare sums of money whose currencies stand with those of *teller*."""
    units = {str(row[0]): row for row in corpus.once(_count_cells).get(teller, []) if row[0]}
    said = [row for unit, row in units.items() if is_currency(unit)]
    decimals = max((_whole(row[3]) for row in said), default=0)
    is_mixed = len(units) > 1 and is_sure == (len(said) < len(units))
    is_own = is_mixed and corpus.schema().entity == listed.schema().entity
    # who writes `€20` does not write `9` for money: bare whole numbers count
    is_paid = len(said) > 1 and is_sure and decimals > 0
    return (_bare_money(listed, decimals) if is_paid else set()) | ({teller} if is_own else set())


def _bare_money(corpus: Corpus, decimals: int | None = None) -> set[str]:
    """Return the columns of numbers without any unit that have as many decimals; None: some."""
    cells, found = corpus.once(_count_cells), set[str]()
    for item in _open_ones(corpus):
        bare = cells.get(item.name, [])
        most = max((_whole(row[3]) for row in bare), default=0)
        is_it = item.type.is_whole == (decimals == 0) and decimals in {most, None}
        found |= {item.name} if is_it and bare and not any(row[0] for row in bare) else set()
    return found & (_defined_money(corpus) or found)


def _defined_money(corpus: Corpus) -> set[str]:
    return {item.name for item in _open_ones(corpus) if is_in_currency(item)}


def _noted_currencies(corpus: Corpus) -> dict[str, str]:
    """Return in which currency documents say that their amounts are: `All amounts in CHF`."""
    found = dict[str, str]()
    for path, text in corpus.read(_READ, [_MAX_DOCUMENTS]):
        units = (unit_of(word) for word in _NOTE.findall(str(text)))
        found |= {str(path): unit for unit in units if unit and is_currency(unit)}
    return found


def _open_ones(corpus: Corpus) -> list[Attribute]:
    """Return the columns of numbers that have no unit."""
    return [x for x in corpus.schema().attributes if x.type.is_numeric and not x.unit]


def _read(corpus: Corpus, sql: str, parameters: Sequence[Value]) -> list[tuple[Value, ...]]:
    """Run a statement on the cells of the records; what they list may have columns of one name."""
    columns = corpus.tables()["cells"]  # builds of earlier versions have no lists, nor marks
    if "marks" not in columns:
        sql = sql.replace("coalesce(marks, '')", "''")
    if "position" in columns:
        own = f"(FROM cells WHERE table_name = {quote_text(corpus.schema().entity)}) AS cells"
        sql = sql.replace("FROM cells", f"FROM {own}")
    return corpus.read(sql, parameters)


def _count_cells(corpus: Corpus) -> Mapping[str, Sequence[Sequence[Value]]]:
    """Count the stated cells of each column by their unit, and those that are contradicted."""
    found = defaultdict[str, list[Sequence[Value]]](list)
    for name, *counts in _read(corpus, _CELLS, [Mark.CONTRADICTED.value]):
        found[str(name)].append(counts)
    return found


def say_doubted(corpus: Corpus, name: str, *marks: Mark, where: str = "") -> str:
    """Say that values of a column are in doubt, with *marks*, and why the first of them is.

    *where*: that of rows with this condition (SQL).
    """
    clause = corpus.cells_where(name, None, {"where": where})
    marked = f"note <> '' AND regexp_matches(coalesce(marks, ''), {quote_text('|'.join(marks))})"
    rows = corpus.select(_DOUBTED.format(f"{clause} AND {marked}"), limit=1).rows
    causes = (f", as “{shorten(str(said), _MAX_VALUE)}”: {note}" for said, note in rows)
    return f"in doubt{next(causes, '')}"


def _of_cells(corpus: Corpus, use: _Use) -> str:
    """Say so where amounts cannot be compared, or other places contradict what was read."""
    name, is_numeric = use.attribute.name, use.attribute.type.is_numeric
    rows = corpus.once(_count_cells).get(name, [])
    n_cells, n_marked = (sum(_whole(row[place]) for row in rows) for place in (1, 2))
    if n_marked > _MARKED * n_cells:
        why = say_doubted(corpus, name, Mark.CONTRADICTED)
        return f"{n_marked} of {n_cells} values of {name} are {why}"
    if is_numeric and use.own.n_none and use.measures and not (use.sums or use.asks_gaps):
        [[count]] = _read(corpus, _WORDED_NONE, [name])
        if n_absent := _whole(count):
            return f"{n_absent} documents say that there is no {name}, which may be 0, or no number"
    units = {str(unit): _whole(count) for unit, count, *_ in rows}
    if all(map(is_currency, units.keys() - {""})):  # who gives no currency means that of the others
        units.pop("", None)
    main = units.get(use.attribute.unit or next(iter(units), ""), 0)
    if use.measures and is_numeric and sum(units.values()) - main > _FEW * n_cells:
        counts = ", ".join(f"{unit or 'none'} ({count})" for unit, count in units.items())
        return f"{name} is stated in several units, {counts}, which cannot be compared"
    if n_marked and use.takes_ends and use.attribute.type.is_ordered:
        ends = _read(corpus, _ENDS, [name, Mark.CONTRADICTED.value])[0]
        if any(ends):
            n_low, n_high = map(_whole, ends)
            said = f"of {name}, the {n_low} lowest and {n_high} highest values are"
            return f"{said} {say_doubted(corpus, name, Mark.CONTRADICTED)}"
    return ""


def _of_labels(corpus: Corpus, use: _Use, question: str) -> str:
    """Say so where a label beside numbers or dates has the words that are asked for as well."""
    attribute, said = use.attribute, {*stems(question)}
    rules = [rule for rule in attribute.extractors if isinstance(rule, KeyRule)]
    names = [_NUMBERED.sub("", attribute.name).replace("_", " "), *attribute.synonyms]
    words = [word for word in content_words(names[0]) if stem(word) in said]
    is_whole = any(said.issuperset(map(stem, content_words(name))) for name in names)
    is_voted = any(rule.weights for rule in rules)  # labels that mean one amount were weighed
    if not attribute.type.is_ordered or is_whole or is_voted or not words:
        return ""
    columns = corpus.schema().attributes
    known = {*keys_of(rule for item in columns for rule in item.extractors)}
    known |= {item.name.replace("_", " ") for item in columns}
    beside = rf"(?im)(?:^|\|)[ *|-]*([^\n:|*]*{_forms_of(words[0])}[^\n:|*]*)[*: |]+[^\n|:]*\d"
    found = Counter[str]()
    for label, count in _read(corpus, _LABELS, [_MAX_DOCUMENTS, beside, attribute.name]):
        found[fold_words(str(label))] += _whole(count)
    for label, count in found.most_common():
        is_rival = {*map(stem, words)} <= {*stems(label)} and label not in known
        is_usual = count >= _FEW * min(use.own.n_read, _MAX_DOCUMENTS)
        if is_rival and is_usual and len(label) <= _MAX_VALUE:
            return f"{count} documents give “{label}” as well as {attribute.name}: say which"
    return ""


def _of_several(corpus: Corpus, use: _Use, question: str) -> str:
    """Say so where its name is of several amounts, and the question does not tell them apart."""
    rules = [rule for rule in use.attribute.extractors if isinstance(rule, SlotRule)]
    rows = _read(corpus, _JOINED, [_MAX_DOCUMENTS, use.attribute.name]) if rules else []
    for text, start, end in rows if use.measures else ():
        place = Span(_whole(start), _whole(end))
        sentence = statement_at(str(text), place)
        own = (told_apart(str(text), place, sentence) or ("", True))[0]
        if own and {*content_stems(own)}.isdisjoint(stems(question)):
            said = shorten(" ".join(sentence.of(str(text)).split()), _MAX_SHOWN)
            return f"{use.attribute.name} is one of several amounts, as in “{said}”: say which"
    return ""


def _of_signs(corpus: Corpus, use: _Use, sql: str) -> str:
    """Say so where a sign goes with how documents are written, and the answer hangs on it."""
    name, ends = use.attribute.name, (use.own.minimum, use.own.maximum)
    if not use.measures or [str(end).startswith("-") for end in ends] != [True, False]:
        return ""
    rows = _read(corpus, _SIGNED, [_MAX_DOCUMENTS, name])
    for other, kind, n_below, n_above in sorted(rows, key=lambda row: row[0] != name):
        n_least = min(_whole(n_below), _whole(n_above))
        is_akin = {*stems(str(other))} & {*stems(name)}  # a profit goes with the profit before tax
        if n_least > _FEW * use.own.n_non_null and not (kind == "sign" and is_akin):
            own = quote_name(name)
            sizes = replace_values(sql, corpus.schema().entity, own, f"abs({own})")
            if corpus.select(sizes).rows != corpus.select(sql).rows:
                goes = "the label beside it" if other == name else f"the {kind} of {other}"
                return f"whether {name} is negative goes with {goes}: its sign may say nothing"
    return ""


def _of_figures(corpus: Corpus, own: ColumnStatistics, rows: Mapping[str, str | None]) -> str:
    """Say so where documents state in figures what is none of its values: `1921–1923`."""
    if not own.n_failed:
        return ""
    where = rows.get(own.column) or ""
    clause = corpus.cells_where(own.column, None, {"state": "failed", "where": where})
    stated = corpus.select(_FAILED.format(clause), limit=_MAX_NAMED).rows
    if not stated:
        return ""
    shown, n_stated = ", ".join(f"“{said}”" for said, _ in stated), int(str(stated[0][1]))
    said = "1 document states" if n_stated == 1 else f"{n_stated} documents state"
    return f"{said} {own.column} in figures that are no one value, as {shown}"


def _of_gaps(corpus: Corpus, use: _Use) -> str:
    """Say so where silent documents speak of a column, or another column speaks for them."""
    attribute, own = use.attribute, use.own
    is_told = own.n_read - own.n_not_mentioned >= _MOST * own.n_read
    # a document that speaks of a thing in its text has it, mostly: no count of yes without it
    is_exact = use.leads or attribute.type.is_boolean
    n_none = 0
    if use.measures and not use.sums and own.n_not_mentioned and (called := _naming(use)):
        # who says no children, or that nothing is due, has 0, which is below all that were read
        between = "|".join(sorted(HELPING))
        none = rf"\b(?:{NONE_OF})\s+(?:(?:{between})\s+)*(?:{'|'.join(called)})\s*(?:[.,;\n]|$)"
        row = _read(corpus, _SILENCE, [_MAX_DOCUMENTS, attribute.name, none, "", "", "[]"])[0]
        n_none = _whole(row[2])
        is_exact |= n_none > 0
    if is_told and not is_exact:
        return ""
    attributes = corpus.schema().attributes
    # where an amount of the sort of the column may have been read as well
    same = [item.name for item in attributes if item.unit and item.unit == attribute.unit]
    if attribute.type.is_date:
        dates = [use.statistics[item.name] for item in attributes if item.type.is_date]
        same = [other.column for other in dates if _meet(own, other)]
    amounts = _amounts(attribute, own)
    twice = f"(?:{amounts}).*(?:{amounts})" if amounts else ""
    texts: list[Value] = [attribute.name, _speaking(use), amounts, twice, json.dumps(same)]
    (row,) = _read(corpus, _SILENCE, [_MAX_DOCUMENTS, *texts])
    n_documents, n_told, n_naming, n_unmeasured, n_measuring, n_twice = map(_whole, row)
    known = f"only {n_told} of {n_documents} documents give {attribute.name}"
    # an amount in its unit tells as far as documents with a value say no other such amount
    unread = round(n_measuring - n_twice / max(1, n_told) * n_unmeasured)
    speaking = max(n_naming, unread, n_none)
    if n_told < (1.0 if is_exact or use.asks_gaps else _MOST) * (n_told + speaking):
        said = " or ".join(sorted({*_spoken_in(corpus, attribute, str(texts[1]))}) or [_UNREAD])
        return f"{known}, and {speaking} more speak of it in {said}"
    keys = {item.name: keys_of(item.extractors) for item in attributes}
    stated: dict[str, Stated] = {
        str(name): (keys.get(str(name), ()), {*str(told).split("\n")})
        for name, told in _read(corpus, _TELLING, [_MAX_DOCUMENTS, attribute.name])
    }
    mine = stated.get(attribute.name)
    apart = {
        item.name: len(others[1])
        for item in attributes
        if mine
        and _may_be_one(use, item)
        and (others := stated.get(item.name))
        and len(others[1] & mine[1]) <= _FEW / 2 * min(len(others[1]), n_told)
        and not (_tells_apart(use, item) and differ_by_a_value(mine, others, stated.values()))
    }
    if not apart or sum(apart.values()) * n_told < _MIN_EXPECTED * n_documents:
        return ""
    most = sorted(apart, key=lambda name: (-apart[name], name))[:_MAX_NAMED]
    return (
        f"{known}, and {apart[most[0]]} others give {' or '.join(most)}, which may be the same fact"
    )


def _spoken_in(corpus: Corpus, attribute: Attribute, speaking: str) -> Iterator[str]:
    """Yield how silent documents speak of a column: in other currencies, or in other words."""
    texts = _read(corpus, _SILENT, [_MAX_DOCUMENTS, attribute.name, speaking]) if speaking else ()
    for (text,) in texts if is_currency(attribute.unit) else ():
        said = re.findall(rf"(?i)((?:{speaking}){_NEAR.rstrip('?')})", str(text))
        units = {found.unit for one in said for _, found in find_quantities(one)}
        others = {unit for unit in units - {attribute.unit} if unit and is_currency(unit)}
        yield from others or {_UNREAD}


def _whole(value: Value) -> int:
    return int(value) if isinstance(value, int | float) else 0


_BETWEEN = r"\W{1,3}(?:\w+\W{1,3}){0,3}"
_NEAR = r"[^\n]{0,40}?"
_NUMERAL = r"\d[\d.,]*"
_NUMBERED = re.compile(r"_\d+$")
_NTH = r"\d{1,2}(?:st|nd|rd|th)?\.?,? "
_MONTH = r"[^\W\d_]{3,9}\.?,? "
_DAY_BEFORE_YEAR = rf"\d{{1,2}}[./-]|{_NTH}{_MONTH}|{_MONTH}{_NTH}"
_MAX_YEARS = 5


def _speaking(use: _Use) -> str:
    """Match the names of a column, of an amount beside a digit, and the values of a text."""
    attribute, patterns = use.attribute, _naming(use)
    is_slot = any(isinstance(rule, SlotRule) for rule in attribute.extractors)
    is_count = is_slot and attribute.type.is_whole and attribute.unit is None
    if attribute.type.is_ordered and not is_count:
        patterns = _beside(patterns, r"\d")
    if attribute.type.is_numeric and (amount := _amounts(attribute, use.own)):
        # "35 minutes to cook" of a cook time: what its name says beside the sort of amount it is
        forms = list[str]()
        for words in dict.fromkeys(_names(attribute)):
            telling = [word for word in words if stem(word) not in general_stems()]
            forms += map(_forms_of, telling if len(words) > len(telling) == 1 else ())
        patterns += _beside(forms, amount)
    if attribute.type.is_text:
        texts = [str(item.value) for item in use.own.values if item.value is not None]
        said = [*use.asked, *[text for text in texts if _is_telling(text)][:_MAX_VALUES]]
        spaced = [r"\s+".join(map(re.escape, value.split())) for value in said]
        patterns += [rf"\b{value}\b" for value in spaced]
    return "|".join(f"(?:{pattern})" for pattern in patterns)


def _naming(use: _Use) -> list[str]:
    """Match what documents and a question call a column."""
    patterns = list[str]()
    names = [*_names(use.attribute), *(tuple(said.split()) for said in sorted(use.called))]
    for words in dict.fromkeys(names):  # near one another, in order or backwards
        forms = [_forms_of(word) for word in words]
        patterns.append("|".join(dict.fromkeys((_BETWEEN.join(forms), _BETWEEN.join(forms[::-1])))))
    return patterns


def _beside(words: Collection[str], amount: str) -> list[str]:
    """Match one of *words* near an *amount*, in one pattern: to read many takes long."""
    one = "|".join(words)
    return [f"(?:{one}){_NEAR}(?:{amount})|(?:{amount}){_NEAR}(?:{one})"] if words else []


def _names(attribute: Attribute) -> Iterator[tuple[str, ...]]:
    """Yield what documents call the attribute; a value told by its place has no name there."""
    rules = attribute.extractors
    if all(isinstance(rule, PlaceRule) for rule in rules):
        return
    names = [_NUMBERED.sub("", attribute.name).replace("_", " "), *attribute.synonyms]
    for rule in rules:
        if isinstance(rule, KeyRule):
            names += rule.keys
        elif isinstance(rule, ItemRule):
            names += [*rule.items, *rule.signs]
    for name in names:
        words = tuple(dict.fromkeys(content_words(name)))
        if not {stem(word) for word in words} <= general_stems():
            yield words


def _called(attribute: Attribute, question: str) -> Iterator[str]:
    """Yield what a question calls it: `children` of `children_in_house`, `price` of `last_cost`."""
    names = [*_names(attribute)]
    own = {stem(word) for name in names for word in name}
    for name in names:
        said = [word for word in name if stem(word) in stems(question)]
        if not {stem(word) for word in said} <= general_stems():
            yield " ".join(said)
    for word in content_words(question):
        if stem(word) not in own | general_stems() and kin_of(stem(word)) & own:
            yield word


def _forms_of(word: str) -> str:
    """Match the forms of a word: `spa` is in "spas", and not in "space"."""
    one = singular(word)
    forms = "|".join(re.escape(form) for form in dict.fromkeys((word, one, plural(one))))
    return rf"\b(?:{forms}|{re.escape(one.rstrip('e'))}(?:ed|ing|ly))\b"


def _is_telling(value: str) -> bool:
    folded = fold_words(value)
    is_long = len(folded) >= _MIN_VALUE and len(value) <= _MAX_VALUE
    return is_long and not any(map(str.isdigit, folded)) and folded not in _SAYING_NOTHING


def _amounts(attribute: Attribute, statistics: ColumnStatistics) -> str:
    """Match an amount in the unit of a column of numbers, or a day in the years of one of dates."""
    unit = attribute.unit
    if attribute.type.is_date:
        first, last = (str(end or "")[:4] for end in (statistics.minimum, statistics.maximum))
        if not first.isdigit() or not last.isdigit() or int(last) - int(first) >= _MAX_YEARS:
            return ""
        years = rf"(?:{'|'.join(map(str, range(int(first), int(last) + 1)))})"
        return rf"(?:{_DAY_BEFORE_YEAR}){years}\b|\b{years}-\d\d-\d\d"
    if unit is None or not attribute.type.is_numeric:
        return ""
    known = (UNITS, CURRENCY_SYMBOLS, CURRENCY_WORDS)
    spelt = {unit, *(word for words in known for word, name in words.items() if name == unit)}
    spelling = "|".join(re.escape(word) for word in sorted(spelt))
    after = rf"{_NUMERAL}[\s-]?(?:{spelling})(?:\W|$)"
    in_key = rf"\b(?:{spelling})\)?\s?[:=|]\s*{_NUMERAL}"
    before = rf"|(?:{spelling})\s?{_NUMERAL}" if is_currency(unit) else ""
    return f"{after}|{in_key}{before}"


def _may_be_one(use: _Use, other: Attribute) -> bool:
    """Whether two columns that rarely meet may hold one fact of two layouts or languages."""
    one, two = use.attribute, use.statistics.get(other.name)
    is_contrary = kinship(one.name.replace("_", " "), other.name.replace("_", " ")) < 0
    is_closed = {one.absent_means, other.absent_means} != {"unknown"}
    if two is None or other.name == one.name or is_contrary or is_closed:
        return False
    if one.type.is_numeric and other.type.is_numeric:
        is_bare = not (one.unit and other.unit)
        factor = 1.0 if is_bare else convert(1.0, str(one.unit), str(other.unit))
        medians = [n if isinstance(n, int | float) else 0.0 for n in (use.own.median, two.median)]
        medians[0] *= factor or 0.0  # of other sorts of unit they are of no one size
        return 0 < max(medians) <= _SAME_SIZE * min(medians)
    return one.type == other.type and (not one.type.is_ordered or _meet(use.own, two))


def _tells_apart(use: _Use, other: Attribute) -> bool:
    """Whether the question says what its column has and *other* has not: the `gas consumption`."""
    names = (use.attribute.name.replace("_", " "), other.name.replace("_", " "))
    return not own_words(*names).isdisjoint(stems(" ".join(use.called)))


def _meet(one: ColumnStatistics, other: ColumnStatistics) -> bool:
    """Whether the values of two columns, written as ISO dates are, lie in times that overlap."""
    ends = [str(end or "") for end in (one.minimum, one.maximum, other.minimum, other.maximum)]
    return all(ends) and ends[0] <= ends[3] and ends[2] <= ends[1]
