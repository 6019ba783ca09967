"""Doubts: why a column cannot carry an answer, although the question was read.

An induced column may hold one of several wordings of a fact. A count over it would leave out the
documents that word the fact otherwise, and nobody would see it. The documents themselves tell:
those without a value speak of it all the same, or a column of like values has one in just those.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import median

from srag_mcp.answer.traces import traces_of
from srag_mcp.answer.twins import are_alike
from srag_mcp.errors import QuestionError
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.extractors import SlotRule
from srag_mcp.sqlfacts.query import Translation
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.silence import (
    Meeting,
    Silence,
    read_meetings,
    read_silence,
    read_units,
)
from srag_mcp.store.statistics import ColumnStatistics

_FILLED = 0.9
_MIN_RECALL = 0.85
_MIN_SLOT_RECALL = 0.5
_THIN = 1 / 3
_RARE = 0.2
_HALF = 0.5
_MANY = 20
_MIN_EXPECTED = 1.5
_MIN_THIN_EXPECTED = 0.75
_MIN_BARE_EXPECTED = 2.5
_MAX_MEETINGS = 0.05
_MAX_FOREIGN = 0.1
_HELP = (
    "; write a query with the brief, or give the column keys and examples in a schema.json of your"
    " own and ingest again"
)
_MEASURING = frozenset({"measure", "filter", "order"})


@dataclass(frozen=True, slots=True)
class _Use:
    """A column as one translation uses it.

    Attributes:
        measures: Whether its values are computed with, compared or ordered.
        asks_gaps: Whether the records without a value are asked for.
        asked: The words of the question that mean a value of it.
    """

    attribute: Attribute
    statistics: ColumnStatistics
    measures: bool
    asks_gaps: bool
    asked: frozenset[str]

    @property
    def has_gaps(self) -> bool:
        """Whether a good part of the documents do not mention it."""
        n_records = self.statistics.n_records
        return n_records - self.statistics.n_not_mentioned < _FILLED * n_records

    @property
    def min_recall(self) -> float:
        """The share of those that speak of the column that must have a value.

        All of them where the question asks who has none. The words around a value in a sentence
        stand beside other facts, too: they tell less.
        """
        if self.asks_gaps:
            return 1.0
        in_sentences = isinstance(self.attribute.extractors[0], SlotRule)
        return _MIN_SLOT_RECALL if in_sentences else _MIN_RECALL


def check_columns(corpus: Corpus, translation: Translation) -> None:
    """Make sure that the columns of *translation* hold what the documents say.

    Columns without rules were not read by the offline engine and are not doubted.

    Raises:
        QuestionError: If documents without a value speak of the column, if another column may be
            the same fact, or if amounts in several currencies would be compared.
    """
    for use in _uses(corpus, translation):
        doubt = _of_units(corpus, use) or _of_gaps(corpus, use)
        if doubt:
            raise QuestionError(doubt + _HELP)


def _uses(corpus: Corpus, translation: Translation) -> Iterator[_Use]:
    attributes = {item.name: item for item in corpus.schema().attributes}
    statistics = {item.column: item for item in corpus.statistics()}
    for name in dict.fromkeys(use.column for use in translation.columns):
        attribute = attributes.get(name)
        if attribute is None or not attribute.extractors or name not in statistics:
            continue
        roles = {use.role for use in translation.columns if use.column == name}
        asked = frozenset(found.asked for found in translation.literals if found.column == name)
        gaps = _asks_gaps(translation.sql, name)
        yield _Use(attribute, statistics[name], bool(roles & _MEASURING), gaps, asked)


def _asks_gaps(sql: str, name: str) -> bool:
    """Whether *sql* selects the records that have no value in the column *name*."""
    return re.search(rf'(?<!NOT )(?<!\w)"?{re.escape(name)}"? IS NULL', sql) is not None


def _of_gaps(corpus: Corpus, use: _Use) -> str:
    """Say so where silent documents speak of a column, or another column speaks for them."""
    if not use.has_gaps:
        return ""
    name = use.attribute.name
    statistics = {item.column: item for item in corpus.statistics()}
    traces = traces_of(use.attribute, corpus.schema(), statistics, use.asked)
    silence = read_silence(corpus.read, name, traces)
    known = f"{silence.n_told} of {silence.n_documents} documents give {name}"
    rare = silence.n_documents >= _MANY and silence.n_told < _RARE * silence.n_documents
    if rare and _are_mostly_thin(statistics):
        return f"only {known}, and most columns are known for few: facts are worded in many ways"
    speaking = _speaking(silence)
    if silence.n_told < use.min_recall * (silence.n_told + speaking):
        return f"only {known}, and {speaking} more speak of it in words that were not read"
    twin = _twin(corpus, use.attribute, statistics, silence)
    if twin is None:
        return ""
    return f"only {known}, and {twin.n_told} others give {twin.column}, which may be the same fact"


def _are_mostly_thin(statistics: Mapping[str, ColumnStatistics]) -> bool:
    """Whether most columns are told by fewer than half of the documents.

    An optional field of a form is rare as well, but the form's other fields are not.
    """
    shares = [
        1 - item.n_not_mentioned / item.n_records
        for item in statistics.values()
        if not item.type.is_boolean and item.n_records
    ]
    return bool(shares) and median(shares) < _HALF


def _twin(
    corpus: Corpus,
    attribute: Attribute,
    statistics: Mapping[str, ColumnStatistics],
    silence: Silence,
) -> Meeting | None:
    """Find a column of like values that is told where *attribute* is not."""
    schema = corpus.schema()
    alike = [item.name for item in schema.attributes if are_alike(attribute, item, statistics)]
    meetings = read_meetings(corpus.read, attribute.name, alike) if alike else ()
    return next((meeting for meeting in meetings if _never_meet(attribute, meeting, silence)), None)


def _speaking(silence: Silence) -> int:
    """Estimate how many silent documents speak of the column.

    An amount in its unit tells as far as documents with a value say no other such amount.
    """
    usual = silence.n_twice / max(1, silence.n_told)
    measuring = round(silence.n_measuring - usual * silence.n_unmeasured)
    return max(silence.n_naming, measuring, 0)


def _never_meet(attribute: Attribute, meeting: Meeting, silence: Silence) -> bool:
    """Whether hardly any document tells both, although many would if each had its own fact."""
    expected = meeting.n_told * silence.n_told / max(1, silence.n_documents)
    least = min(meeting.n_told, silence.n_told)
    enough = expected >= _min_expected(attribute, silence)
    return enough and meeting.n_both <= _MAX_MEETINGS * least


def _min_expected(attribute: Attribute, silence: Silence) -> float:
    """Return how many documents should tell both by chance, before their absence tells."""
    if attribute.unit is None and attribute.type.is_numeric:
        return _MIN_BARE_EXPECTED
    thin = silence.n_told < _THIN * silence.n_documents
    return _MIN_THIN_EXPECTED if thin else _MIN_EXPECTED


def _of_units(corpus: Corpus, use: _Use) -> str:
    """Say so where amounts of a column are in units that cannot be compared."""
    attribute = use.attribute
    if not use.measures:
        return ""
    if not attribute.type.is_numeric:
        return ""
    found = read_units(corpus.read, attribute.name)
    units = {unit: count for unit, count in found.items() if unit}
    main = units.get(attribute.unit or next(iter(units), ""), 0)
    if sum(units.values()) - main <= _MAX_FOREIGN * sum(found.values()):
        return ""
    counts = ", ".join(f"{unit} ({count})" for unit, count in units.items())
    return f"{attribute.name} is stated in several units, {counts}, which cannot be compared"
