"""Filters: which column each value, number, period, truth and gap of a question restricts.

Every restriction is a slot with options, one a column that it may be about; a frame takes one
option of each slot. What an option assumes is a feature with a weight.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import combinations, pairwise
from typing import TypeAlias

from srag_mcp.grammar.lexicon import (
    BEING,
    DOING,
    HAVING,
    is_had,
    is_past,
    phrases,
    spoken,
    stem,
    stems_of,
    valued,
    words_of,
)
from srag_mcp.grammar.link import AUXILIARIES, Mention, Sentence, convert_into, is_counted
from srag_mcp.grammar.sql import (
    Condition,
    Value,
    Where,
    between,
    compare,
    deny,
    either,
    holds,
    is_known,
    is_one_of,
    part_is,
)
from srag_mcp.grammar.table import LISTED, Column, Table
from srag_mcp.text.words import DENYING, singular
from srag_mcp.values.dates import Period, find_periods
from srag_mcp.values.quantities import ambiguous_mark
from srag_mcp.values.states import is_plain_answer
from srag_mcp.values.units import is_currency

Features: TypeAlias = Counter[str]

# What each assumption costs, if anything. Fitted by `python -m tests.benchmarks.fit_grammar`.
WEIGHTS: Mapping[str, float] = {
    "loss": 0.25,
    "unsaid_name": 0.6,
    "names_others": 1.3,
    "number_far": 0.3,
    "number_free": 0.3,
    "gap": 0.15,
    "not_own": 0.4,
    "date_assumed": 0.2,
    "value_part": 0.15,
    "value_part_small": 1.3,
    "value_own": 0.35,
    "value_unnamed": 0.1,
    "value_begins_others": 1.5,
    "case_whole": 0.1,
    "case_part": 1.0,
    "concept": 0.3,
    "records_ranked": 0.3,
    "groups_ranked": 0.3,
    "no_head": 0.3,
    "no_label": 2.0,
    "far_measure": 0.2,
    "measure_apart": 1.3,
    "who_guessed": 0.3,
    "list_numbers": 0.6,
    "long_way": 1.3,
    "value_beside": 0.3,
    "of_other": 1.3,
    "names_counted": 1.3,
    "records_counted": 0.3,
}
LIMIT = 1.2
MARGIN = 0.25


# What a reading assumes that the question does not say. Of the others, some other reading, or the
# words themselves, tell that they are so.
ASSUMED: Mapping[str, str] = {
    "narrowed": "that a part of its name means a column",
    "said_around": "that a word beside a name tells no values apart",
    "not_own": "that it is of the record, though a column is named after something else",
    "date_assumed": "which of the dates is meant",
    "event_dated": "that what was done has the date of the record",
    "amount_assumed": "that the whole amount is meant",
    "value_held": "that a part of a stored text means it",
    "part_unsaid": "that texts without such a part, where others have one, are none of it",
    "rows_counted": "that rows of a list are counted, and not the pieces that they stand for",
    "pieces_counted": "that pieces are counted, and not the rows that stand for them",
    "value_own": "that a name is meant which another column has as well",
    "case_part": "that a part of a stored text means it",
    "records_ranked": "that single records are compared, not their sums",
    "groups_ranked": "that sums of records are compared, not single ones",
    "who_guessed": "which column says who, or where",
    "amount_of_row": "that an amount is that of the row, and not of each of its pieces",
    "judged": "which column says how something is rated",
    "called": "that all records are what some have as a value, or are called",
    "crossed": "that a value lies there, whatever it was before",
    "left_out": "that left out is what has no such value",
    "rates_summed": "that both add up over the records",
    "happened": "that all took place, though a column says what was done with some",
}


def unsaid_of(mention: Mention, name: str, share: float) -> Features:
    """Return what is assumed where a mention says a *share* of the name of a column."""
    return Counter({
        "unsaid_name": 1 - share,
        "narrowed": int(name in mention.narrowed),
        "said_around": int(name in mention.assumed),
    })  # fmt: skip


def cost_of(features: Features) -> float:
    """Return what the assumptions of a reading cost together."""
    return sum(WEIGHTS.get(name, 0.0) * value for name, value in features.items())


_MAX_OPTIONS, _MAX_FRAMES = 4, 60
_STATES = frozenset({"value", "truth"})
_COUNTED_LIST = re.compile(r"table_name = '(?P<name>(?:[^']|'')+)'")  # of `lists.describe_tables`
# What denies that a record is so, and not that there is one: `not treated`, `untreated`.
_OF_ONE = frozenset({"not", *DENYING})
_ACTIVE = frozenset({"say", "state", "give", "mention", "specify", "report", "indicate", "says"})
# These deny that there is something.
_DENYING_THINGS = frozenset({"no", "without", "lack", "lacks", "lacking", "none"})
# Right behind these stands who does something.
_OF_ACTORS = DOING | {"has", "have", "had", "that", "whom"}
# What may stand between a name and the number or the period that it is compared with.
_RELATING = frozenset({"compare", "compare_time", "comparative", "than", "between", "part"})
# How much less fully a name may be said than the best one, and still be meant.
SPARE = 0.45


@dataclass(frozen=True)
class Option:
    """One way to take a slot.

    Attributes:
        uses: The mentions that have their place in it.
        condition: The restriction of records; None for a number that restricts none.
        relation: Instead, an operator, the mention of a number with which groups or a result are
            compared, and what an adjective measures.
        features: What it assumes.
    """

    uses: frozenset[int] = frozenset()
    condition: Condition | None = None
    relation: tuple[str, int, str] | None = None
    features: Features = field(default_factory=Counter)

    @property
    def column(self) -> str:
        """The column that it restricts; empty for none."""
        return "" if self.condition is None else self.condition.column

    @property
    def kind(self) -> str:
        """What it compares with; empty for none."""
        return "" if self.condition is None else self.condition.kind


@dataclass(frozen=True)
class Frame:
    """A sentence with its restrictions taken one way.

    *chosen* are the options in the order of the sentence, *free* the mentions that none uses, and
    *features* what the options assume together.
    """

    sentence: Sentence
    table: Table
    chosen: tuple[Option, ...]
    free: tuple[int, ...]
    features: Features

    @property
    def may_be_of_row(self) -> bool:
        """Whether a value of the record may be one of a row that is asked for: `passed Algebra`."""
        lists = {_list_of(option.column) for option in self.chosen} - {""}
        own = [x for x in self.chosen if x.kind == "value" and not _list_of(x.column)]
        choices = (c for x in own for at in x.uses for c in self.sentence.mentions[at].choices)
        return any(_list_of(choice.column) in lists for choice in choices)

    def events_beside(self, date: Column) -> set[str]:
        """Return the stems of events that are asked for and of which nothing says *date* is theirs.

        `abandon` of `wells abandoned in 2019`, of wells with a `date`; none where it is named.
        """
        sentence, mentions, found = self.sentence, self.sentence.mentions, set[str]()
        if any(date.name in dict(item.columns) for item in mentions):
            return found
        states = {at for option in self.chosen if option.kind in _STATES for at in option.uses}
        for at, mention in enumerate(mentions):
            tokens = sentence.tokens[mention.first : mention.last]
            is_last = [item.kind for item in mentions[at + 1 : at + 2]] == ["period"]
            is_last = is_last and sentence.near(at, at + 1)
            before = spoken(sentence.tokens[: mention.first][-1:])
            if at in states:  # `were in use in 2019`
                is_so = is_last and not BEING.isdisjoint(before)
                said = [token for token in tokens if is_so or is_past(token)]
            else:  # `the depth drilled in 2019`
                said = [token for token in tokens[-1:] if is_last and is_past(token)]
            found |= {token.stem for token in said if not token.text[:1].isupper()}
        if len(self.table.dates) > 1:  # of a lone date a receipt is issued
            found |= sentence.events
        return found - date.named - date.told - self.table.nouns - self.table.general


def frames(sentence: Sentence, table: Table) -> Iterator[Frame]:
    """Yield the frames of a sentence, those that assume least first."""
    partial: list[tuple[float, tuple[Option, ...]]] = [(0.0, ())]
    for options in _Reader(sentence, table).slots():
        ranked = sorted(options, key=lambda option: cost_of(option.features))[:_MAX_OPTIONS]
        grown = [
            (total + cost_of(option.features), (*taken, option))
            for total, taken in partial
            for option in ranked
            if not any(_clash(sentence, option, other) for other in taken)
        ]
        partial = sorted(grown, key=lambda pair: pair[0])[:_MAX_FRAMES]
    for _, taken in partial:
        used = frozenset(at for option in taken for at in option.uses)
        free = tuple(at for at in range(len(sentence.mentions)) if at not in used)
        features = sum((option.features for option in taken), Counter[str]())
        yield Frame(sentence, table, taken, free, features)


def _clash(sentence: Sentence, option: Option, other: Option) -> bool:
    """Whether two options use a word for different things, or part one name in two."""
    if any(sentence.mentions[at].kind != "column" for at in option.uses & other.uses):
        return True
    values = [at for at in option.uses | other.uses if sentence.mentions[at].kind == "value"]
    places = sorted((sentence.mentions[at].first, sentence.mentions[at].last) for at in values)
    beside = any(left[1] == right[0] for left, right in pairwise(places))
    return beside and option.column == other.column


def contradicts(where: Where) -> bool:
    """Whether two values of one column would both have to hold, or more than that none is known.

    So does what nobody can part: in `in Kent with a spa or in Ulm` the first may hold for both.
    """
    lists = [_list_of(item.column) for item in where]
    if any(item.is_unclear for item in where) or len({*filter(None, lists)}) < len(
        [*filter(None, lists)]
    ):
        return True  # of two restrictions of a list nobody says that they are of one item
    held = [item for item in where if item.kind == "value" and not item.denied]
    unknown = {item.column for item in where if item.kind == "known" and item.denied}
    n_said = Counter(item.column for item in where)
    return any(n_said[name] > 1 for name in unknown) or any(
        a.column == b.column and not set(a.values) & set(b.values) for a, b in combinations(held, 2)
    )


def _list_of(column: str) -> str:
    """Return the list that a column is of, or counts the rows of; empty for one of the table."""
    counted = _COUNTED_LIST.search(column) if column.startswith("(") else None
    return counted["name"] if counted else column.rpartition(LISTED)[0]


def joined(frame: Frame, chosen: Sequence[Option]) -> tuple[Where, frozenset[int]]:
    """Join restrictions; return them with the `or` mentions that they use.

    Values of one column that are listed widen, but for those that a text may hold together, of
    which nobody says whether one is enough, and behind `both`; an `or` between two restrictions
    that stand side by side makes them alternatives; beside a third, nobody says which they are. Nor
    what is denied of `not A and B`.
    """
    groups: list[list[Option]] = []
    used: set[int] = set()
    unclear = False
    for option in chosen:
        if option.condition is None:
            continue
        links = _links(frame, groups[-1][-1], option) if groups else None
        if links is None:
            unclear |= bool(groups) and _shares_denial(frame, groups[-1], option)
            groups.append([option])
        else:
            # a stored text has what both want: `irrigation, power`
            held = [x.condition.values for x in groups[-1] if x.condition]
            unclear |= not links and any({*option.condition.values} & {*x} for x in held)
            groups[-1].append(option)
            used |= links
        beside = [group for group in groups[-2:] if len({item.column for item in group}) > 1]
        unclear |= bool(beside and groups[1:])
    where = [either([o.condition for o in group if o.condition]) for group in groups]
    where = [replace(item, is_unclear=True) for item in where] if unclear else where
    return tuple(dict.fromkeys(where)), frozenset(used)


def _denial(frame: Frame, option: Option) -> tuple[str, ...]:
    """Return the words that deny a restriction; none where it is none that is denied."""
    mentions = frame.sentence.mentions
    nots = [mentions[at] for at in option.uses if mentions[at].kind == "not"]
    return spoken([x for m in nots[:1] for x in frame.sentence.tokens[m.first : m.last]])


def _shares_denial(frame: Frame, left: Sequence[Option], right: Option) -> bool:
    """Whether what denies one restriction may deny another: `do not have grade A and a spa`."""
    mentions, tokens = frame.sentence.mentions, frame.sentence.tokens
    said, low = _denial(frame, left[0]), max(mentions[at].last for at in left[-1].uses)
    words = {*spoken(tokens[low : mentions[min(right.uses)].first])}
    joins, articles = words & {"and", "&", ","}, words & {"a", "an", "the"}
    if not (said and joins) or _denial(frame, right):
        return False
    inside = spoken(tokens[min(mentions[at].first for at in left[0].uses) : low])
    if not words_of("function", "joining").isdisjoint(inside):
        return True  # `not both A and with B`
    return not words & (HAVING | AUXILIARIES) and not (
        articles if said == ("no",) else words - articles - joins
    )


def _links(frame: Frame, left: Option, right: Option) -> frozenset[int] | None:
    """Return the mentions that make two restrictions alternatives, None where both must hold."""
    mentions = frame.sentence.mentions
    low = max(mentions[at].last for at in left.uses)
    high = min(mentions[at].first for at in right.uses)
    if low > high or left.condition is None or right.condition is None:
        return None
    words = {token.word for token in frame.sentence.tokens[low:high]}
    same = left.column == right.column and left.condition.kind == right.condition.kind == "value"
    # what records list may be both at once, in two rows
    same = same and LISTED not in left.column
    opens = right.condition.denied or same or words & (HAVING | AUXILIARIES)
    if left.condition.denied and not opens:
        return None  # `not in May or June`: in neither
    between_them = [at for at in frame.free if low <= mentions[at].first < high]
    kinds = {mentions[at].kind for at in between_them}
    if kinds - {"or", "and", "record"}:
        return None
    if "or" in kinds:
        return frozenset(at for at in between_them if mentions[at].kind == "or")
    listed = words <= {",", "and", "&"} and not frame.sentence.says_both()
    return frozenset() if same and listed and not right.condition.denied else None


class _Reader:
    def __init__(self, sentence: Sentence, table: Table) -> None:
        self._sentence, self._table = sentence, table
        self._mentions = sentence.mentions
        self._taken: set[int] = set()
        self._aggregates = any(mention.kind == "aggregate" for mention in sentence.mentions)

    def slots(self) -> Iterator[list[Option]]:
        """Yield the options of each slot; a mention that restricts nothing has no slot."""
        readers = {
            "number": self._numbers, "period": self._periods, "value": self._values,
            "column": self._truths,
        }  # fmt: skip
        for at, mention in enumerate(self._mentions):
            if at not in self._taken and mention.kind in readers:
                options = [x for x in readers[mention.kind](at) if self._may_restrict(x)]
                if options:
                    yield options

    def _may_restrict(self, option: Option) -> bool:
        """Whether a column of another table may restrict so: what is not said there is none."""
        column = self._table.by_name.get(option.column)
        kinds = {"value", "period"} if LISTED in option.column else {"value", "number", "period"}
        return column is None or not column.is_beside or option.kind in kinds

    def _kind(self, at: int) -> str:
        return self._mentions[at].kind if 0 <= at < len(self._mentions) else ""

    def _near(self, left: int, right: int) -> bool:
        return self._sentence.near(left, right)

    def _columns(self, at: int) -> Iterator[tuple[Column, Features]]:
        if self._kind(at) == "column":
            best = self._mentions[at].columns[0][1]
            for name, share in self._mentions[at].columns:
                if share >= best - SPARE:
                    yield self._table.by_name[name], unsaid_of(self._mentions[at], name, share)

    def _beside(self, first: int, last: int) -> Iterator[tuple[Column, Features, int]]:
        """Yield the columns that stand beside the mentions from *first* to *last*, with places."""
        opening = first
        if self._kind(first - 1) == "adjective" and self._near(first - 1, first):
            opening = first - 1  # `when did the price first exceed …`
        named = self._kind(opening - 1) == "column" and self._near(opening - 1, opening)
        for place, edge in ((opening - 1, opening), (last + 1, last)):
            if self._kind(place) == "column" and self._near(place, edge):
                between = self._sentence.tokens[
                    self._mentions[edge].last : self._mentions[place].first
                ]
                if named and place > last and not AUXILIARIES.isdisjoint(spoken(between)):
                    continue  # `boats sold in 2024 were viewed`
                for column, features in self._columns(place):
                    yield column, features, place

    def _negation(self, at: int, column: str = "") -> int | None:
        """Return the `not` that stands before a mention, over the own words of *column*."""
        after = at + 1
        while self._kind(after) in {"value", "column"}:
            after += 1
        records = self._kind(after) == "record" and self._near(at, after)
        last = self._sentence.tokens[self._mentions[after - 1].last - 1].stem
        records = records or last in self._table.nouns
        for place in (at - 1, at - 2):
            if self._kind(place) == "not" and self._near(place, place + 1):
                word = self._sentence.words(self._mentions[place]).lower()
                is_none = word == "no" and self._kind(at) == "value"
                return None if is_none or (records and word not in _OF_ONE) else place
            own = self._kind(place) == "column" and column in dict(self._mentions[place].columns)
            if self._kind(place) != "stated" and not own:
                return None
        return None

    def _numbers(self, at: int) -> Iterator[Option]:
        operator, high, uses, concept = self._relation(at)
        before = spoken(self._sentence.tokens[: self._mentions[at].first][-1:])
        if before == ("per",) or (before == ("from",) and high is None and uses == {at}):
            return  # `per 100 visitors` restricts nothing, `from 3 rooms` may be of more
        is_open, after = concept in {"", "any"}, max(uses) + 1
        if is_open and self._kind(after) == "dimension" and self._mentions[at].unit:
            concept = self._mentions[after].word  # `at most 20 m long`
            uses.add(after)
        first, last = min(uses), max(uses)
        plain = uses == {at} and high is None
        is_year = bool(find_periods(self._sentence.words(self._mentions[at])))
        self._taken |= uses
        said = (self._sentence.words(self._mentions[i]) for i in uses if self._kind(i) == "number")
        numerals = re.findall(r"\d[\d.,]*\d", " ".join(said))  # of `€1.300` and `1.300 EUR` as well
        doubted = any(ambiguous_mark(numeral) == "." for numeral in numerals)
        # `top 1 floor by rooms`: so many are asked for
        measured = () if valued(before) == "top" else self._measured(first, last, concept, at)
        for column, features, place in measured:
            if not all(column.is_rate_of(self._mentions[place].rate) for place in uses):
                continue
            low = self._mentions[at].in_unit_of(column)
            scale = self._scale_of(at, column, doubted=doubted)
            is_either = self._ranges(at, column, scale) or not self._ranges(at, column)
            if low is None or (scale != 1 and is_either) or (low > 0 and column.is_less):
                continue
            if plain and not column.may_be_years and before == ("in",) and is_year:
                continue  # `the depth in 2019`
            meant = column.turned(operator, concept)
            is_age = not is_year and column.is_start(concept)  # `older than 50`, and than 1800
            if meant is None or is_age or (concept == "time" and not column.may_be_years):
                continue
            if high is None:
                found = compare(column.name, meant, low)
            else:
                unit = self._mentions[at].unit or self._mentions[last].unit
                ends = [
                    convert_into(x, unit, column) for x in (self._mentions[at].number or 0, high)
                ]
                if None in ends:
                    continue
                found = between(column.name, ends[0] or 0.0, ends[1] or 0.0)
            yield Option(frozenset({*uses, *place}), found, features=features)
        counting = self._kind(last + 1) == "record" and self._near(last, last + 1)
        if high is None and not (plain or doubted) and (counting or self._aggregates):
            kept = frozenset({*uses, *({last + 1} if counting else ())})
            yield Option(kept, relation=(operator, at, "" if concept == "any" else concept))
        if plain:
            yield Option(features=Counter({"number_free": 1}))

    def _scale_of(self, at: int, column: Column, *, doubted: bool) -> float:
        """Return what a number may be one of: 1,000 of `1.065`, 100 of 0.14 among percents."""
        if doubted or self._mentions[at].unit is not None:
            return 1000 if doubted else 1  # unless the numbers of the column say which it is
        is_share = column.unit == "percent" and not self._ranges(at, column)
        return 100 if is_share and self._ranges(at, column, 100) else column.scale

    def _relation(self, at: int) -> tuple[str, float | None, set[int], str]:
        """Return operator, upper end, the mentions that say so, and what an adjective measures."""
        before, after = self._kind(at - 1), self._kind(at + 1)
        spans = after == "and" and self._kind(at + 2) == "number"
        link = self._sentence.words(self._mentions[at + 1]) if spans else ""
        if self._mentions[at].upper is not None:
            return ">=", self._mentions[at].upper, {at}, ""
        if spans and (before == "between" or link in {"to", "through", "-", "–"}):
            opened = {at - 1} if before == "between" else set()
            return ">=", self._mentions[at + 2].number, {at, at + 1, at + 2, *opened}, ""
        if before == "compare_time" and self._near(at - 1, at):
            return self._mentions[at - 1].word, None, {at - 1, at}, "time"
        if before == "compare" and self._near(at - 1, at):
            place = self._mentions[at - 1]
            said = spoken(self._sentence.tokens[place.first : place.last - 1])
            return place.word, None, {at - 1, at}, _concept_of(said)
        than = before == "than" and self._near(at - 1, at) and self._near(at - 2, at - 1)
        if than and self._kind(at - 2) == "comparative":
            concept, end = self._mentions[at - 2].word.split()
            return ("<" if end == "low" else ">"), None, {at - 2, at - 1, at}, concept
        if after == "compare_after":
            place = self._mentions[at + 1]
            said = spoken(self._sentence.tokens[place.first + 1 : place.last])
            return place.word, None, {at, at + 1}, _concept_of(said)
        return "=", None, {at}, ""

    def _measured(
        self, first: int, last: int, concept: str, at: int
    ) -> Iterator[tuple[Column, Features, tuple[int, ...]]]:
        seen: set[str] = set()
        found = list(self._beside(first, last))
        if self._kind(first - 1) == "record" and self._kind(first - 2) == "column" and first < at:
            found += [
                (column, features, first - 2) for column, features in self._columns(first - 2)
            ]
        for column, features, place in found:
            amount = self._mentions[first].unit or self._mentions[last].unit
            if column.is_year and amount is not None:
                continue  # `opened more than 50 years ago`
            if place > last and not self._sentence.says_how_many(self._mentions[place], column):
                continue  # `more than 4 lines`, of `line`, `4 boats`, of `boat_length`
            if column.is_of_list and not is_counted(
                self._sentence.tokens, self._mentions[place].first
            ):
                continue  # `ratings from 2024`, `a repair above 500`
            if column.is_number and column.name not in seen:
                seen.add(column.name)
                low, high = (place, first) if place < first else (last, place)
                gap = self._mentions[high].first - self._mentions[low].last
                yield column, features + Counter({"gap": gap}), (place,)
        unit = next((m.unit for m in self._mentions[first : last + 1] if m.unit), None)
        factors = {
            column: 1.0 if unit is None else convert_into(1.0, unit, column)
            for column in self._table.columns
            if column.is_amount and (column.attribute.unit or unit is None or is_currency(unit))
        }
        known = self._table.measuring("" if concept == "any" else concept)
        far = [column for column in known if factors.get(column)]
        if not far and unit is not None:
            far = [c for c, factor in factors.items() if factor == 1]
            far = far or [c for c, factor in factors.items() if factor and self._ranges(at, c)]
            if concept not in {"", "any"}:  # nothing is tall by its length, or long by its width
                far = [c for c in far if not self._table.narrows_concept(c, concept)]
        far = [column for column in far if column.name not in seen]
        others = self._table.others(far)
        for column in self._table.main_of(far):
            assumed = int(len(far) > 1 and column is self._table.main_amount)
            narrowed = int(self._table.narrows_concept(column, concept))
            doubts = {
                "not_own": int(column.name in others), "amount_assumed": assumed,
                "narrowed": narrowed,
            }  # fmt: skip
            yield column, Counter({"number_far": 1, **doubts}), ()

    def _ranges(self, at: int, column: Column, scale: float = 1.0) -> bool:
        """Whether a number is of the size of a column's: no height of 1,000 m is a rain in mm."""
        number = self._mentions[at].in_unit_of(column)
        if column.ends is None:
            return True
        return number is not None and column.ends[0] <= number * scale <= column.ends[1]

    def _periods(self, at: int) -> Iterator[Option]:
        operator, uses = "", {at}
        if self._kind(at - 1) == "compare_time" and self._near(at - 1, at):
            operator, uses = self._mentions[at - 1].word, {at - 1, at}
        elif self._kind(at - 1) == "between":
            uses = {at - 1, at}
        self._taken |= uses
        denied = self._negation(min(uses))
        for column, features, place in self._dated(min(uses), max(uses)):
            found = _within(column, self._mentions[at].period, operator)
            if found is not None and denied is not None:
                yield Option(frozenset({*uses, *place, denied}), deny(found), features=features)
            elif found is not None:
                yield Option(frozenset({*uses, *place}), found, features=features)

    def _dated(self, first: int, last: int) -> Iterator[tuple[Column, Features, tuple[int, ...]]]:
        """Yield the dates that a period may be about: those beside it, or the one of the record."""
        seen: set[str] = set()
        for column, features, place in self._beside(first, last):
            if (column.is_date or column.is_year) and column.name not in seen:
                seen.add(column.name)
                yield column, features, (place,)
        main = self._table.dating
        if main is not None and main.name not in seen:
            is_sure = main.is_year or self._table.dates == [self._table.main_date]
            yield main, Counter({"date_assumed": int(not is_sure)}), ()

    def _values(self, at: int) -> Iterator[Option]:
        mention = self._mentions[at]
        phrase, verb = mention.word, self._verb_of(at)
        did = self._sentence.tokens[max(self._mentions[at - 1].first - 1, 0)].word in DOING
        if did and self._verb_of(at - 1) == self._sentence.tokens[mention.first].stem:
            return  # `did Eve open` says nothing of what is open
        if is_plain_answer(phrase) and self._entry_at(at + 1) is not None:
            return
        held = [self._table.by_name[choice.column] for choice in mention.choices]
        is_own = self._table.is_list and not all(column.is_beside for column in held)
        does = any(verb in column.verbs for column in self._table.by_name.values())
        before = spoken(self._sentence.tokens[: mention.first][-1:])
        is_time, judging = before == ("in",) and _is_time(phrase), stems_of("function", "judging")
        for choice in mention.choices:
            column = self._table.by_name[choice.column]
            if is_time and choice.exact and not all(map(_is_time, column.texts)):
                continue  # `in May` says when, though somebody is called so
            words, nouns = column.named, self._table.nouns  # `claimant`, of claims
            is_maker = any(w.startswith(n) and w != n for w in words for n in nouns)
            if does and verb not in column.named and not (column.is_own or is_maker):
                continue  # `did Grace report` does not ask for what is assigned to her
            if self._qualifies_other(at, choice.column):
                continue  # `closed slides`, of closed toilets
            denied = self._negation(at, choice.column)
            if denied is not None and column.has_blanks:
                continue  # `not exclusive`: those that have none at all are not so, either
            uses = {at} if denied is None else {at, denied}
            written = any(phrase in value or value.isupper() for value in choice.values)
            differs = not written and " " not in phrase
            weak = " " not in phrase and not phrase[:1].isupper() and not choice.item
            features = Counter({
                "value_beside": int(column.is_beside and is_own),
                "of_other": int(column.is_of_other),
                "value_part": int(not choice.exact and not weak),
                "value_held": int(not choice.exact and not choice.item),
                "part_unsaid": int(choice.unsaid),
                "judged": len({*map(stem, before)} & judging - column.named),
                "narrowed": int(self._table.shares_modifier(column)),
                "value_part_small": int(not choice.exact and weak),
                "value_own": int(column.is_own and len(mention.choices) > 1),
                "value_begins_others": int(bool(choice.longer)),
                "case_whole": int(differs and (choice.exact or choice.item)),
                "case_part": int(differs and not (choice.exact or choice.item)),
            })  # fmt: skip
            for place in (at - 1, at + 1):
                own = dict(self._mentions[place].columns) if self._kind(place) == "column" else {}
                if column.name in own and self._near(place, at):
                    uses.add(place)
                    features["value_unnamed"] -= 1
                    narrowed = column.name in self._mentions[place].narrowed
                    features["narrowed"] = min(features["narrowed"], int(narrowed))
            features["value_unnamed"] += 1
            found = is_one_of(column.name, choice.values, phrase, denied=denied is not None)
            found = replace(found, alone=choice.alone)
            yield Option(frozenset(uses), found, features=features)

    def _qualifies_other(self, at: int, column: str) -> bool:
        """Whether a value, and no name, stands right before what another column says is there."""
        last, is_name = self._mentions[at].last, not self._mentions[at].word[:1].islower()
        if is_name or self._kind(at + 1) != "column" or self._mentions[at + 1].first != last:
            return False
        if self._kind(at + 2) == "record":
            return False  # `closed heated pools`
        names = [name for name, _ in self._mentions[at + 1].columns]
        return column not in names and all(self._table.by_name[x].is_boolean for x in names)

    def _verb_of(self, at: int) -> str | None:
        """Return the stem of what a value is said to do: `did Ada report`, `reported by Ada`."""
        if self._kind(at) != "value":
            return None
        tokens, mention = self._sentence.tokens, self._mentions[at]
        before = tokens[mention.first - 1] if mention.first else None
        if before is not None and before.word == "by":
            return tokens[mention.first - 2].stem if mention.first > 1 else None
        behind = tokens[mention.last] if mention.last < len(tokens) else None
        asked = before is not None and before.word in _OF_ACTORS
        beside = self._kind(at - 1) == "record" and self._mentions[at - 1].last == mention.first
        acts = asked or beside
        return behind.stem if acts and behind is not None and not behind.is_mark else None

    def _truths(self, at: int) -> Iterator[Option]:
        """Yield what a column means by itself: that it holds, that it is known, that it is not."""
        denied, said = self._negation(at), self._gap_word(at)
        others = frozenset() if denied is None else frozenset({denied})
        for column, features in self._columns(at):
            if said is not None:
                word, place = said
                inside = range(min(place, at) + 1, max(place, at))
                refused = self._negation(min(place, at))
                refused = next((i for i in inside if self._kind(i) == "not"), refused)
                known = word == "stated" and refused is None
                hangs = not known and self._hangs_on(at, column)
                hangs = hangs or (column.is_boolean and refused is not None)
                n_said = column.statistics.n_stated + column.statistics.n_stated_absent
                is_none = n_said > column.statistics.n_non_null
                # empty cells of a table beside which no word says that it is not known
                is_none &= not (column.attribute.is_column and column.has_all_stated)
                if not (hangs or is_none):  # as NULL is what documents state that there is none
                    uses = {at, place, *inside, *(() if refused is None else (refused,))}
                    found = is_known(column.name, known=known)
                    yield Option(frozenset(uses), found, features=features)
            elif column.is_boolean and denied is not None and self._restricts_verb(denied, at):
                yield Option()  # `not inspected in May`: perhaps inspected in June, or in Kent
            elif column.is_boolean:
                found = holds(column.name, denied=bool(others), closed=column.closed)
                yield Option(others | {at}, found, features=features)
            elif denied is not None and self._near(denied, at):
                unknown, none = is_known(column.name, known=False), compare(column.name, "=", 0)
                may_be_none = column.has_zero or column.counts
                if may_be_none and column.closed:
                    meant = [either([unknown, none])]
                elif may_be_none:  # nobody says which of the two is asked for
                    meant = [none, unknown] if column.has_blanks else [none]
                else:
                    meant = [unknown] if column.closed or column.says_by_silence else []
                for found in meant if self._says_none(denied, at, column) else ():
                    yield Option(others | {at}, found, features=features)
                yield Option()
            elif some := self._some(at, column, whole=not features["unsaid_name"]):
                yield Option(frozenset({at}), some, features=features)
            else:
                yield Option()
                return

    def _some(self, at: int, column: Column, *, whole: bool) -> Condition | None:
        """Return what `with a nickname`, `have beds` ask: that there is one; each says if it has.

        None where a value may say itself that there is none, but for a 0 where the *whole* name is
        said of what is counted.
        """
        first, tokens = self._mentions[at].first, self._sentence.tokens
        has = spoken(tokens[max(first - 2, 0) : first])
        is_so = has[:1] and has[0] in HAVING and has[1:] in {("a",), ("an",), ("any",)}
        word = tokens[self._mentions[at].last - 1].word
        is_so = is_so or (column.is_text and singular(word) != word and is_had(tokens, first))
        if self._hanging(at) or not (is_so or (column.is_number and is_had(tokens, first))):
            return None
        if column.has_zero:
            is_count = (
                whole and column.is_additive and column.ends is not None and column.ends[0] == 0
            )
            return compare(column.name, ">", 0) if is_count else None
        stated = column.fill < 1 and column.says_by_silence and not column.denies
        again = [x for x in self._mentions if column.name in dict(x.columns)][1:]
        opens = self._kind(at + 1) and self._mentions[at + 1].first == self._mentions[at].last
        return is_known(column.name) if is_so and stated and not (again or opens) else None

    def _is_verb(self, denied: int, at: int) -> bool:
        """Whether `not` denies what the name of a column says as a verb: `not inspected`."""
        word = self._sentence.words(self._mentions[denied]).lower()
        tokens = self._sentence.tokens[self._mentions[denied].last : self._mentions[at].first]
        last = tokens[-1].word if tokens else ""
        return word not in _DENYING_THINGS and last not in HAVING | words_of("function", "nouns")

    def _says_none(self, denied: int, at: int, column: Column) -> bool:
        """Whether a denial speaks of the records without a value in *column*."""
        if column.is_text and (column.denies or column.fill == 1):
            return False
        if not self._is_verb(denied, at):
            return not self._hangs_on(at, column)
        whole = [name for name, share in self._mentions[at].columns if share == 1]
        dates = [x for name in whole if (x := self._table.by_name[name]).is_date]
        dated = any(str(x.statistics.maximum) >= date.today().isoformat() for x in dates)  # noqa: DTZ011
        is_whole = column.name in whole and not dated
        return is_whole and column.has_all_stated and not self._hanging(at)

    def _restricts_verb(self, denied: int, at: int) -> bool:
        """Whether what follows a denied verb may be denied with it, unlike `untreated in Kent`."""
        kind = self._hanging(at)
        word = self._sentence.words(self._mentions[denied]).lower()
        is_of_word = word in _OF_ONE - {"not"} and kind != "period"
        return bool(kind) and not is_of_word and self._is_verb(denied, at)

    def _hanging(self, at: int) -> str:
        """Return the kind of the restriction that follows a name within its phrase."""
        mentions, after = self._mentions, at + 1
        while self._kind(after) in _RELATING or (
            self._kind(after) == "column" and mentions[after - 1].last == mentions[after].first
        ):
            after += 1
        if self._kind(after) not in {"number", "period", "value"}:
            return ""
        words = {t.word for t in self._sentence.tokens[mentions[at].last : mentions[after].first]}
        phrase = all(self._near(place, place + 1) for place in range(at, after))
        return self._kind(after) if phrase and not words & (HAVING | AUXILIARIES) else ""

    def _hangs_on(self, at: int, column: Column) -> bool:
        """Whether the restriction that follows the name of a column is one of it."""
        kind, after = self._hanging(at), self._mentions[at + 1 : at + 2]
        own = any(choice.column == column.name for item in after for choice in item.choices)
        return kind == "number" or own or (kind == "period" and (column.is_date or column.is_year))

    def _gap_word(self, at: int) -> tuple[str, int] | None:
        for place in (at + 1, at - 1, at - 2):
            if self._kind(place) in {"missing", "stated"}:
                if place > at and self._sentence.words(self._mentions[place]) in _ACTIVE:
                    continue  # `which flag state`
                if self._sentence.opens_another(self._mentions[place]):
                    continue  # `…? Give the date.`
                if place < at and all(mention.kind != "record" for mention in self._mentions):
                    continue  # `how many empty seats` counts seats, not what says nothing of them
                inside = range(min(place, at) + 1, max(place, at))
                if all(self._kind(i) in {"how_many", "not", "how_much"} for i in inside):
                    return self._kind(place), place
        place = at - 1 if self._kind(at - 1) == "not" else at - 2
        is_near = self._kind(place) == "not" and self._near(place, place + 1)
        return ("missing", place) if is_near and self._entry_at(place + 1) == at else None

    def _entry_at(self, at: int) -> int | None:
        """Return the column that a phrase says is written in: `no entry for parking`."""
        general, place = self._table.general, at + (self._kind(at) == "record")
        if self._kind(place) != "column":
            return None
        end = self._mentions[place + (self._kind(place + 1) == "record" and place == at)].last
        said = [*self._sentence.tokens[self._mentions[at].first : end]]
        own = self._table.by_name[self._mentions[place].columns[0][0]].named
        is_entry = any(x.stem in (stems_of("measure", "words") | general) - own for x in said)
        return place if is_entry and (place == at or "for" in spoken(said)) else None


def _is_time(text: str) -> bool:
    """Whether a text may say when: `May`."""
    return bool(find_periods(f"in {text}"))


def _concept_of(words: tuple[str, ...]) -> str:
    """Return what a comparative measures, as `older` an age; empty for other words."""
    meant = (meaning for kind, meaning in phrases().get(words, ()) if kind == "comparative")
    return next(meant, "").partition(" ")[0] or valued(words)


def _within(column: Column, period: Period | None, operator: str) -> Condition | None:
    """Return that a date or a year lies in a period, before, after, since or until it."""
    if period is None or (operator == "<=" and period.precision in {"decade", "range"}):
        return None
    if period.low is None or period.high is None:
        parts = (("month", period.months), ("day", period.days), ("isodow", period.weekdays))
        tests = [part_is(column.name, part, numbers) for part, numbers in parts if numbers]  # type: ignore[arg-type]
        if operator or not column.is_date or not tests:
            return None
        sql = " AND ".join(tests)
        return Condition(sql, column.name, "period", plain=sql)
    if column.is_year and period.precision not in {"year", "decade", "range"}:
        return None
    low: Value = period.low.year if column.is_year else period.low
    high: Value = period.high.year if column.is_year else period.high
    if operator:
        return compare(column.name, operator, low if operator in {"<", ">="} else high)
    return between(column.name, low, high)
