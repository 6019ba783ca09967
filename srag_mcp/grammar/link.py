"""Linking: what each stretch of a question may mean, and the likeliest ways to part it.

Every meaning of a stretch is a mention with a weight; a sentence is a row of mentions that do not
overlap. The heaviest sentences are kept, since a word may be a value here and a column there.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from heapq import nlargest
from itertools import pairwise

from srag_mcp.grammar.lexicon import (
    BEING,
    DOING,
    HAVING,
    Token,
    alike,
    changes_at,
    doers,
    is_denied,
    is_function,
    is_had,
    is_irregular,
    is_past,
    is_time,
    light_at,
    light_stems,
    operator_stems,
    phrases,
    spoken,
    stem,
    stems,
    stems_of,
    tokenise,
    words_in,
    words_of,
)
from srag_mcp.grammar.table import LISTED, OF_RECORD, Column, Table, stored_words
from srag_mcp.store.values import (
    SEPARATOR,
    ValueIndex,
    ValueMatch,
    fold_words,
    goes_on,
    signed_words,
)
from srag_mcp.text.spans import Span
from srag_mcp.text.words import DENYING, HELPING, singular
from srag_mcp.values.dates import Period, find_periods
from srag_mcp.values.quantities import (
    NUMBER_WORDS,
    Quantity,
    ambiguous_mark,
    find_quantities,
    read_number_words,
)
from srag_mcp.values.states import is_plain_answer
from srag_mcp.values.units import convert, is_currency, unit_of

_MAX_SENTENCES = 8
_MAX_PHRASE = 6
# Values that hold a phrase: where there are more, they are not all known, and none is taken.
_MAX_VALUES = 200
# A phrase is no name of a text that is this many times as long: the text is prose.
_MAX_TEXT = 8
# How much a word explains by what it is taken for. Only their order matters: a whole name of a
# column before a part of it, a stored value before a word of the language, a function word last.
_NAME, _PART, _LIKE, _TOLD, _FUNCTION, _LIGHT = 3.0, 2.3, 1.7, 0.9, 0.6, 0.65
# `report date` is a date, and no report that dates.
_OPENING = 2.9
_EXACT, _HELD, _PHRASE, _NUMBER, _PERIOD, _RECORD = 2.9, 2.2, 2.0, 2.3, 2.6, 2.4
# Signs beside a word of a question that may be those of a value: `C++`, `< 5 years`.
_SIGN_BEFORE, _SIGN_BEHIND = re.compile(r"[<>≤≥]\s?$"), re.compile(r"[+#*‐‑–−-]*(?!\w)")
_YEAR = re.compile(r"[12]\d{3}")
_MONTH_OR_YEARS = re.compile(r"\b[12]\d(?P<first>\d\d)(?P<mark>[-/])(?P<last>\d\d)\b(?![-/])")
# How fully `customer` says `customer_name`.
_CALLED = 0.9
# Question words, which do what they say wherever they stand, and words behind which they relate.
_ASKED = frozenset({"what", "who", "when", "where", "or", "not", "and"})
_RELATIVE = frozenset({"what", "which", "who", "where", "when", "that"})
_ASKING = _RELATIVE | {"how", "list", "give", "show", "name", "number", "count"}
AUXILIARIES = DOING | BEING
# Behind these `number of` opens the name of an amount, where one follows.
_MEASURED = frozenset({"what", "who", "when", "where", "aggregate", "rank", "adjective", "part"})
_COUNTING = frozenset({("number", "of"), ("how", "many")})
# A word that only says whether something is said is none where it is a name, or a value.
_SAYING = frozenset({"function", "stated", "missing"})
# What a table shows has a first and a last row, which is no first or last day.
_PLACES = frozenset({"listed", "list", "table", "chart"})


@dataclass(frozen=True, slots=True)
class Choice:
    """Stored values of one column that a phrase may mean.

    *exact* is whether the phrase is all of a value, *item* whether it is an item of each, as `tin`
    of `iron, tin`; *longer* are other values that begin with it, or end with it where it is no
    name; *alone* whether each is that of one record; *unsaid* whether others have no such part.
    """

    column: str
    values: tuple[str, ...]
    exact: bool
    item: bool = False
    longer: tuple[str, ...] = ()
    alone: bool = False
    unsaid: bool = False


@dataclass(frozen=True, slots=True)
class Mention:
    """A stretch of a question with one meaning.

    Attributes:
        kind: A kind of `lexicon.toml`, or `column`, `value`, `number`, `period`, `record`,
            `function`, `unknown`.
        first, last: Its tokens, *last* exclusive.
        word: The meaning within the kind; of a value the phrase.
        columns: Of a column: names with how fully each is said, best first.
        narrowed: Of these, those of which a word is unsaid that says which one it is.
        assumed: Of these, those of which a word is said that stands but around their values.
        choices: Of a value: one a column.
        number, upper, unit: Of a number; *upper* is the other end of a range.
        rate: Of a number: what it is a number of, per how many of what.
        period: Of a period.
    """

    kind: str
    first: int
    last: int
    word: str = ""
    columns: tuple[tuple[str, float], ...] = ()
    narrowed: frozenset[str] = frozenset()
    assumed: frozenset[str] = frozenset()
    choices: tuple[Choice, ...] = ()
    number: float | None = None
    upper: float | None = None
    unit: str | None = None
    rate: str = ""
    period: Period | None = None

    def in_unit_of(self, column: Column) -> float | None:
        """Return its number in the unit of *column*; None when it cannot be compared."""
        return None if self.number is None else convert_into(self.number, self.unit, column)


def convert_into(number: float, unit: str | None, column: Column) -> float | None:
    """Return *number* of *unit* in the unit of *column*; None when it cannot be compared.

    A column that says no unit may hold any; a sum of money that is among its own is one of them.
    """
    stored = column.unit
    if unit is None or unit == stored or unit in column.told_units:
        return number
    if stored is not None:
        return convert(number, unit, stored)
    low, high = column.ends or (1.0, 0.0)
    is_money = is_currency(unit) and column.measures("money")
    return number if is_money and low <= number <= high else None


@dataclass(frozen=True, slots=True)
class Sentence:
    """A question as a row of mentions; *loss* is how much lighter it is than the heaviest one."""

    text: str
    tokens: tuple[Token, ...]
    mentions: tuple[Mention, ...]
    loss: float

    def words(self, mention: Mention) -> str:
        """Return a mention as it was asked."""
        return self.text[self.tokens[mention.first].start : self.tokens[mention.last - 1].end]

    def opens_another(self, mention: Mention) -> bool:
        """Whether a sentence behind the question begins with a mention."""
        return mention.first > 0 and self.tokens[mention.first - 1].word == "?"

    @property
    def events(self) -> set[str]:
        """The stems of verbs that say what was done with a record: `orders that we got`."""
        verbs = stems_of("function", "events")
        at = (n for n, token in enumerate(self.tokens) if token.stem in verbs)
        return {self.tokens[n].stem for n in at if light_at(self.tokens, n)}

    @property
    def says_change(self) -> bool:
        """Whether a value is said to come to lie on a side of a number: `fell below 100`."""
        return any(changes_at(self.tokens, at) for at in range(len(self.tokens)))

    def says_both(self) -> bool:
        """Whether one record is said to have all that is listed: `both heating and insurance`."""
        inside = {at for item in self.mentions for at in range(item.first, item.last)}
        joining = words_of("function", "joining")
        said = enumerate(self.tokens)
        return any(token.word in joining for at, token in said if at not in inside)

    @property
    def says_happened(self) -> bool:
        """Whether something is said to have come about: `lessons that took place`, `were held`."""
        said = f" {' '.join(token.stem for token in self.tokens)} "
        happening = (" ".join(stems(phrase)) for phrase in words_of("function", "happening"))
        return any(f" {phrase} " in said for phrase in happening)

    def says_how_many(self, mention: Mention, column: Column) -> bool:
        """Whether it says how many, and not which: not `constituencies` of `constituency`.

        Nor by what stands before several names: `boats`, of `boat_length` and `boat_price`.
        """
        behind = (x.last for x in self.mentions if (x.kind, x.first) == ("column", mention.last))
        phrase = self.tokens[mention.first : next(behind, mention.last)]
        stems = {like for token in phrase for like in (token.stem, *alike(token.stem))}
        if len(mention.columns) > 1 and stems & column.named and not stems & column.heads:
            return False
        if not column.is_of_things or column.counts:
            return True
        said = {token.word for token in self.tokens[mention.first : mention.last]}
        called = {word for name in column.called for word in words_in(name)}
        return bool(said & (called | set(map(singular, called))))

    @property
    def drops_limit(self) -> bool:
        """Whether nothing has the end of what makes a number a limit: `3 rooms and over`."""
        taken = {at for item in self.mentions for at in range(item.first, item.last)}
        pairs = enumerate(pairwise(self.tokens), start=1)
        return any(
            at not in taken and kind == "compare_after"
            for at, pair in pairs
            for kind, _ in phrases().get(spoken(pair), ())
        )

    def is_bare(self, first: int, last: int) -> bool:
        """Whether the tokens from *first* to *last* only shape the sentence, in one clause."""
        return all(
            (token.is_mark and token.word not in {",", ";", "."})
            or is_function(token.word)
            or light_at(self.tokens, first + at)
            for at, token in enumerate(self.tokens[first:last])
        )

    def near(self, left: int, right: int) -> bool:
        """Whether only such tokens stand between two mentions, in either order."""
        low, high = sorted((left, right))
        if low < 0 or high >= len(self.mentions):
            return False
        return self.is_bare(self.mentions[low].last, self.mentions[high].first)


def is_counted(tokens: Sequence[Token], at: int, column: Column | None = None) -> bool:
    """Whether the noun at *at* asks how many there are: `how many fares`, `3 fares`, `no fare`.

    So does by itself the name of *column* as it is written, where no number is called so, too:
    `instruments` of a list with this name, and neither `an instrument` nor `fares` with a fare.
    """
    before = [x for x in tokens[:at] if not is_function(x.word) or _is_spelled(x)][-1:]
    said = [tokens[at].word, *(token.word for token in before)]
    if column and not column.is_namesake and said[0] in words_in(column.attribute.name):
        return True
    counters = [x for x in before if x.number is not None or _is_spelled(x)]
    return bool(counters) or not words_of("function", "counting").isdisjoint(said)


Weighed = tuple[float, Mention]


@dataclass(frozen=True, slots=True)
class _Fit:
    """How well words say the name of a column.

    *share* is how fully, 0 to 1; *n_told* how many of them are words of its description alone, and
    of no stored value; *narrows* whether a word is unsaid that says which column it is; *assumes*
    whether one of them is said around its values only.
    """

    weight: float
    share: float
    n_told: int
    narrows: bool
    assumes: bool


def read_sentences(question: str, table: Table, values: ValueIndex) -> list[Sentence]:
    """Return the likeliest ways to part *question*, the heaviest first."""
    linker = _Linker(question, table, values)
    ending: list[list[Weighed]] = [[] for _ in range(len(linker.tokens) + 1)]
    for weight, mention in list(linker.mentions()):
        if not linker.parts_name(mention):
            ending[mention.last].append((weight, mention))
    best: list[list[tuple[float, tuple[Mention, ...]]]] = [[(0.0, ())]]
    for at, token in enumerate(linker.tokens, start=1):
        options = []
        if not any(mention.first == at - 1 for _, mention in ending[at]):
            is_idle = token.is_mark and not linker.tells_number(at - 1, at)
            plain = Mention("function" if is_idle else "unknown", at - 1, at)
            options = [(total, (*row, plain)) for total, row in best[at - 1]]
        options += [
            (total + weight, (*row, mention))
            for weight, mention in ending[at]
            for total, row in best[mention.first]
        ]
        best.append(nlargest(_MAX_SENTENCES, options, key=lambda option: option[0]))
    heaviest = best[-1][0][0]
    rows = [(total, [item for item in row if item.kind != "function"]) for total, row in best[-1]]
    return [
        Sentence(question, linker.tokens, tuple(linker.without_idle(row)), heaviest - total)
        for total, row in rows
    ]


class _Linker:
    def __init__(self, question: str, table: Table, values: ValueIndex) -> None:
        self._question, self._table, self._values = question, table, values.about(None)
        tokens = tokenise(question, table.nouns)
        self.tokens = tuple(
            part for token in tokens for one in self._numbered(token) for part in self._denied(one)
        )
        self._meant = {token: self._meaning(token) for token in self.tokens}
        self._known = (*table.columns, *table.beside)
        self._telling = {  # the columns that a word says anything of
            token: {
                column
                for column in self._known
                if token.stem in column.telling or not column.named.isdisjoint(meant)
            }
            for token, meant in self._meant.items()
        }
        self._texts = [column.attribute.name for column in self._known if column.is_text]
        # what is called as a record is, where a record has a column of that name, and no name by it
        called = {name for x in self._known if x is not table.label for name in x.names[:1]}
        self._had = {
            x for n, x in enumerate(self.tokens) if (x.stem,) in called and is_had(self.tokens, n)
        }
        self._names: set[tuple[int, int]] = set()
        self._compared: set[tuple[int, int]] = set()
        self._dated = {item.first for _, item in self._periods()}
        self._dated |= {at for at, token in enumerate(self.tokens) if _YEAR.fullmatch(token.text)}
        self._places = any(token.word in _PLACES for token in self.tokens[1:])
        n_tokens = len(self.tokens)
        self._valued = [
            found
            for at in range(n_tokens)
            for last in range(at + 1, min(at + _MAX_PHRASE, n_tokens) + 1)
            for found in self._values_over(at, last)
        ]
        exact = [x for _, x in self._valued if any(choice.exact for choice in x.choices)]
        self._stored = {  # the stems that are a stored value by themselves
            self.tokens[x.first].stem for x in exact if x.last == x.first + 1
        }
        self._own = self._stored | table.named  # no word of these is idle
        self._single_texts = stored_words(self._known)
        self._within = {  # of a column, the stems of words within its values
            (choice.column, token.stem) for _, x in self._valued for choice in x.choices
            for token in self.tokens[x.first : x.last]
        }  # fmt: skip
        # those of a name of several words, written as names are
        self._named = {
            token.stem
            for x in exact
            for token in self.tokens[x.first : x.last]
            if x.last > x.first + 1 and token.text[:1].isupper()
        }

    def mentions(self) -> Iterator[Weighed]:
        """Yield every mention with its weight."""
        yield from self._numbers()
        yield from self._periods()
        yield from self._valued
        for at in range(len(self.tokens)):
            yield from self._phrases_at(at)
            yield from self._words_at(at)
            yield from self._left_out_at(at)
            for last in range(at + 1, min(at + _MAX_PHRASE, len(self.tokens)) + 1):
                yield from self._columns_over(at, last)

    def parts_name(self, mention: Mention) -> bool:
        """Whether it stands within the name of a column, or within what compares with a number."""
        whole = {"column": self._names, "rank": self._compared}.get(mention.kind, set())
        return any(
            first <= mention.first
            and mention.last <= last
            and last - first > mention.last - mention.first
            for first, last in whole
        )

    def tells_number(self, first: int, last: int) -> bool:
        """Whether signs say something of a number beside them: not that of `A+`."""
        behind = [token for token in self.tokens[last : last + 2] if not token.is_mark]
        beside = (*self.tokens[max(first - 2, 0) : first], *behind[:1])  # `3-bedroom+`
        is_beside = any(token.number is not None for token in beside)
        return is_beside and all(token.is_sign for token in self.tokens[first:last])

    def without_idle(self, row: Sequence[Mention]) -> list[Mention]:
        """Join `number of` to the name of an amount that it only opens."""
        found: list[Mention] = []
        for mention in row:
            opened = found[-1] if found else None
            if (
                opened is not None
                and opened.kind == "how_many"
                and self.tokens[opened.last - 1].word == "of"
                and len(found) > 1
                and found[-2].kind in _MEASURED
                and mention.kind == "column"
                and self._table.by_name[mention.columns[0][0]].is_amount
            ):
                found[-1] = replace(mention, first=opened.first)
            else:
                found.append(mention)
        return found

    def _numbered(self, token: Token) -> tuple[Token, ...]:
        """Part a number from the column that it is a number of: `5-star`, where `stars` is one."""
        number, hyphen, word = token.text.partition("-")
        parts = tokenise(f"{number} {word}")
        is_number = bool(hyphen) and [part.number is None for part in parts] == [False, True]
        if not is_number or token.stem in self._table.named:
            return (token,)
        if all((parts[1].stem,) not in c.names for c in self._table.columns if c.is_amount):
            return (token,)
        return tuple(
            replace(part, start=token.start + part.start, end=token.start + part.end)
            for part in parts
        )

    def _denied(self, token: Token) -> tuple[Token, ...]:
        """Part what denies a column of yes and no: `untreated` is not `treated`."""
        prefix = next((one for one in DENYING if token.word.startswith(one)), "")
        rest = stem(token.word.removeprefix(prefix))
        names = {name for c in self._table.columns if c.is_boolean for name in c.names}
        found = self._values.search(token.text) if (rest,) in names else []
        is_value = any(token.word in fold_words(match.value) for match in found)
        if not prefix or (rest,) not in names or token.stem in self._table.named or is_value:
            return (token,)
        middle = token.end - (len(token.word) - len(prefix))
        said = self._question[middle : token.end]
        return (
            Token(prefix, "not", "not", None, token.start, middle),
            Token(said, token.word.removeprefix(prefix), rest, None, middle, token.end),
        )

    def _phrases_at(self, at: int) -> Iterator[Weighed]:
        for length in range(1, _MAX_PHRASE + 1):
            words = spoken(self.tokens[at : at + length])
            if len(words) < length:
                break
            for kind, meaning in phrases().get(words, ()):
                if self._is_other(kind, at, at + length):
                    continue
                if (kind == "yes_no" and at) or (meaning == "time high" and self._lasts(at)):
                    continue
                behind = self.tokens[at + length : at + length + 1]
                if kind == "compare" and (
                    words[0] == "at" or any(x.number is not None or _is_spelled(x) for x in behind)
                ):
                    self._compared.add((at, at + length))
                placed = kind == "place" or words[0] in {"first", "last"}
                if placed and (kind == "place") != self._places:
                    continue  # `the last country listed` speaks of the order of rows
                weight = (_PHRASE + 0.3) * length - 0.3
                if length == 1 and self._is_bare(at) and (at, at + 1) not in self._compared:
                    asks = at == 0 or (kind in _ASKED and not self._relates(at))
                    weight = _FUNCTION + (0.4 if asks else 0.02)
                if kind == "stated" and spoken(behind) == ("to",):
                    continue  # `known to be poisonous`
                names = self.tokens[at].stem in self._own | self._table.nouns
                if length == 1 and names and kind in _SAYING:
                    continue  # `listed bridges`, where a column says which are; `report dates`
                if kind == "share" and self._shares(at, behind):
                    continue
                is_idle = kind == "span" and self._table.is_daily  # all of its days
                yield weight, Mention("function" if is_idle else kind, at, at + length, meaning)

    def _is_other(self, kind: str, first: int, last: int) -> bool:
        """Whether `by` or a sign has another meaning here: `built by 1995`, `rooms by year`."""
        if spoken(self.tokens[first:last]) == ("by",):
            return (kind == "by") == (last in self._dated)
        return self.tokens[first].is_sign and not self.tells_number(first, last)

    def _shares(self, at: int, behind: Sequence[Token]) -> bool:
        """Whether a word is the verb of `how many clubs share the hall`."""
        before = self.tokens[at - 1].stem if at else ""
        return before in self._table.nouns | self._table.general and spoken(behind) != ("of",)

    def _words_at(self, at: int) -> Iterator[Weighed]:
        """Yield what a single word is: without a meaning of its own here, or a record."""
        token, nouns = self.tokens[at], self._table.nouns | self._table.general
        idle = Mention("function", at, at + 1)
        follower = self.tokens[at + 1].stem if at + 1 < len(self.tokens) else ""
        numbers = any(other.number is not None for other in self.tokens[at + 1 : at + 3])
        opens = at == 0 and ("yes_no", "") in phrases().get((token.word,), ())
        acts = self._table.is_verb(token.word)
        if token.word == "by" and at + 1 in self._dated:
            return
        yield from self._held_at(at)
        qualifies = token.stem in self._table.qualifiers - self._own
        before = spoken(self.tokens[max(at - 2, 0) : at])
        each = before == ("in", "a") or words_of("function", "whole").intersection(before[-1:])
        idles = (each and token.word in words_of("function", "idle")) or qualifies
        if idles and follower in nouns:
            yield _RECORD, idle
        elif token.word in words_of("function", "states"):
            rest = [n for n, other in enumerate(self.tokens) if other.word not in HELPING]
            behind = [n for n in rest if n > at and not self.tokens[n].is_mark][:1]
            named = behind or [n for n in rest if n < at][-1:]  # `are not returned yet`
            if any(not self._is_bare(i) for i in named):
                yield _RECORD, idle
        elif token.word == "over" and not numbers:
            yield _PHRASE + 0.1, idle
        elif token.word == "daily" and self._table.is_daily:
            yield _RECORD, idle
        elif self._is_proper(at) or self._leaves_out(at):
            pass
        elif (is_function(token.word) and not opens) or self._relates(at):
            yield _FUNCTION, idle
        elif self._is_light(at, acts=acts):
            yield _LIGHT, idle
        unit = unit_of(token.text)
        if (
            unit is not None
            and not is_function(token.word)
            and (len(token.word) > 1 or token.is_mark)
        ):
            yield _FUNCTION + 0.4, Mention("unit", at, at + 1, unit=unit)
        person = token.word in words_of("function", "people") and "person" in nouns
        general = token.stem in self._table.general
        # not the document that each horse is
        is_thing = token in self._had or (general and is_had(self.tokens, at))
        is_event = token.stem in self._table.events and singular(token.word) != token.word
        is_noun = token.stem in nouns and not (acts or is_thing)
        if person or is_event or is_noun or token.stem in self._table.truths:
            yield _RECORD, Mention("record", at, at + 1, "any" if general else "")

    def _leaves_out(self, at: int) -> bool:
        """Whether what follows is taken from a whole: `all towns but Ulm`, no `but with a spa`."""
        behind = spoken(self.tokens[at + 1 : at + 3])
        kinds = {kind for n in (1, 2) for kind, _ in phrases().get(behind[:n], ())}
        goes_on = kinds & {"not", "compare"} or not (HAVING | AUXILIARIES).isdisjoint(behind[:1])
        whole = words_of("function", "whole").intersection(spoken(self.tokens[:at]))
        return self.tokens[at].word == "but" and bool(whole) and not goes_on

    def _held_at(self, at: int) -> Iterator[Weighed]:
        """Yield what says of a thing only that it is listed: `sold`, and no noun of its record."""
        token, table = self.tokens[at], self._table
        is_sold = table.pieces is not None and token.stem in stems_of("pieces", "verbs")
        is_sold = is_sold and singular(token.word) == token.word  # and no `orders`
        holds = token.stem in (table.holders - table.nouns if table.is_list else table.nouns)
        before = [other.word for other in self.tokens[:at]]
        asked = not DOING.isdisjoint(before) and before[-1] not in words_of("function", "nouns")
        if is_sold and (not holds or token.word.endswith("ed") or asked):
            yield _RECORD, Mention("function", at, at + 1)

    def _is_light(self, at: int, *, acts: bool) -> bool:
        """Whether a verb asks for nothing: not `repaired` where some repairs came to that."""
        token = self.tokens[at]
        word = {*fold_words(token.word)}
        names = ((column.is_number, {*fold_words(column.attribute.name)}) for column in self._known)
        is_name = (
            any(word & name if is_number else word == name for is_number, name in names)
            or token.stem in self._single_texts
            or any((token.stem,) in column.names and not column.is_of_all for column in self._known)
        )
        if token.stem in self._table.nouns | self._table.general:
            return acts and token.stem not in self._stored and not is_name
        return light_at(self.tokens, at) and not is_name and not self._is_condition(at)

    def _is_condition(self, at: int) -> bool:
        """Whether a verb is all that is said of records: `were signed`, `signed orders`."""
        words, leads = spoken(self.tokens), self.tokens[at].stem in stems_of("function", "leading")
        before = [i for i in range(at) if not (self._is_bare(i) or self.tokens[i].is_mark)]
        times = (is_time(word) and one in {"which", "what"} for one, word in pairwise(words[:at]))
        opening = {"who", "when", "where"}  # and not behind what they relate to: `those who stayed`
        asked = any(words[i] in opening and i - 1 not in before for i in range(at)) or any(times)
        if asked or not leads or not before:
            return False
        behind = self.tokens[at + 1 : at + 2]
        if before[-1] < at - 1 and any(token.stem in self._table.nouns for token in behind):
            return is_past(self.tokens[at])
        last, subject = before[-1], self.tokens[before[-1]]
        acts = last == at - 1 and subject.text[:1].isupper()  # `the books that Ada wrote`
        acts = acts or not DOING.isdisjoint(words[1:last])  # `did the club put on`
        stated = {x for c in self._known if not c.is_text for x in c.named} - self._table.nouns
        return not acts and subject.stem not in stated and self._ends(at + 1)

    def _ends(self, at: int) -> bool:
        """Whether a clause ends there, or goes on with words that say no more of its verb."""
        sums = (word for phrase in words_of("aggregate", "sum") for word in phrase.split())
        idle = words_of("function", "states").union(sums)
        rest = [i for i in range(at, len(self.tokens)) if self.tokens[i].word not in idle]
        if not rest or self.tokens[rest[0]].is_mark:
            return True
        word, follower = self.tokens[rest[0]].word, spoken(self.tokens[rest[0] + 1 : rest[0] + 2])
        kinds = {kind for kind, _ in phrases().get((word,), ())}
        if "each" in kinds:  # `signed per year` leads to its date
            return not any(map(is_time, follower))
        if word == "with":
            return all(item.first != rest[0] + 1 for _, item in self._valued)
        return word in _RELATIVE or bool(kinds & {"and", "or"})

    def _left_out_at(self, at: int) -> Iterator[Weighed]:
        """Yield `ignoring reports that give no number`: no average is one of what is not known."""
        rest = self.tokens[at + 1 :]
        end = next((n for n, token in enumerate(rest) if token.is_mark), len(rest))
        nouns = {
            word
            for word in stems_of("measure", "words")
            if self._table.named.isdisjoint({word, *alike(word)})
        }
        nouns |= self._table.nouns | self._table.general
        said: set[str] = set()
        for token in rest[:end]:
            kinds = {kind for kind, _ in phrases().get((token.word,), ())}
            kinds &= {"not", "missing", "stated"}
            if not kinds and token.stem not in nouns and not is_function(token.word):
                return
            said |= kinds
        if self.tokens[at].word in words_of("function", "leaving") and said & {"not", "missing"}:
            yield _PHRASE * (end + 1), Mention("left_out", at, at + end + 1)

    def _is_bare(self, at: int) -> bool:
        bare = is_function(self.tokens[at].word) or light_at(self.tokens, at)
        return bare and not self._is_proper(at)

    def _is_proper(self, at: int) -> bool:
        """Whether a word is a name by itself: `May` within a sentence in small letters."""
        capitals = [t.text[:1].isupper() for t in self.tokens if t.word.isalpha() and t.word != "i"]
        one = at > 0 and self.tokens[at].text[:1].isupper() and self.tokens[at].word.isalpha()
        begins = any(token.text[:1].isupper() for token in self.tokens[at + 1 : at + 2])
        return (
            one
            and not begins
            and len(self.tokens[at].text) > 1
            and 2 * sum(capitals) <= len(capitals)
        )

    def _lasts(self, at: int) -> bool:
        """Whether `last` is the verb of `how long does it last`."""
        return self.tokens[at].word == "last" and spoken(self.tokens[:2]) == ("how", "long")

    def _relates(self, at: int) -> bool:
        """Whether a word asks for nothing: `there`, `last` as a verb, `which` in a clause."""
        word = self.tokens[at].word
        if at and (word == "there" or self._lasts(at)):
            return True
        if at and word in _RELATIVE:
            noun = self.tokens[at - 1]
            if noun.stem in self._table.nouns | self._table.general or is_time(noun.word):
                return True  # `on days when …`
        before = [token.word for token in self.tokens[:at]]
        again = bool({"and", ",", ";"} & set(before[-2:]))  # `…, and in which city does it lie`
        return word in _RELATIVE and bool(set(before) & (_ASKING | AUXILIARIES)) and not again

    def _numbers(self) -> Iterator[Weighed]:
        found = find_quantities(self._question)
        for after, (span, quantity) in enumerate(found, start=1):
            place = self._place(span)
            coded = place is not None and self.tokens[place[0]].is_code
            joined = place is not None and "-" in self.tokens[place[0]].text
            said = "" if place is None else self.tokens[place[0]].text
            if ambiguous_mark(said) == "." and quantity.value % 1 == 0:
                continue  # a thousand of `1.000`, or one; of `1.065` a column may tell
            if joined and all(c.attribute.unit != quantity.unit for c in self._table.columns):
                continue  # `7-day incidence` is a name
            if place is not None and not coded:
                first, last = place
                upper = None if quantity.upper is None else float(quantity.upper)
                value, unit = float(quantity.value), quantity.unit
                value *= self._shared_scale(last, value, *found[after : after + 1])
                mention = Mention("number", first, last, number=value, upper=upper, unit=unit)
                end = self._rated(last)
                if end > last:
                    rate = self._question[self.tokens[last].start : self.tokens[end - 1].end]
                    mention = replace(mention, last=end, rate=rate)
                yield _NUMBER * (end - first), mention
        for at, token in enumerate(self.tokens):
            number = read_number_words(token.word) if _is_spelled(token) else None
            spoken_of = at and self.tokens[at - 1].word == "the" and token.word == "one"
            if number is not None and not spoken_of:  # `the one with the lowest price`
                weight = _FUNCTION + 0.01 if self._is_bare(at) else _NUMBER - 0.1
                yield weight, Mention("number", at, at + 1, number=float(number))
                unit = unit_of(self.tokens[at + 1].text) if at + 1 < len(self.tokens) else None
                if unit is not None:
                    mention = Mention("number", at, at + 2, number=float(number), unit=unit)
                    yield _NUMBER * 2, mention

    def _rated(self, at: int) -> int:
        """Return where `cases per 1,000 people` ends that begins behind a number; *at* for none."""
        said = spoken(self.tokens[at : at + 2])
        base = at + said.index("per") + 1 if "per" in said else len(self.tokens)
        if all(token.number is None for token in self.tokens[base : base + 1]):
            return at
        of = (x.word for x in self.tokens[base + 1 : base + 2])
        return base + 1 + any(word.isalpha() and not is_function(word) for word in of)

    def _shared_scale(self, at: int, value: float, *after: tuple[Span, Quantity]) -> float:
        """Return what a number is a number of: 1,000 in `between 50 and 60 thousand`."""
        place = self._place(after[0][0]) if after else None
        if place is None or place[0] != at + 1 or self.tokens[at].word not in {"and", "or"}:
            return 1.0
        first = self.tokens[place[0]]
        bare = first.number if first.number is not None else read_number_words(first.word)
        return float(after[0][1].value) / float(bare) if bare and value < bare else 1.0

    def _periods(self) -> Iterator[Weighed]:
        if not any(column.is_date or column.is_year for column in self._table.columns):
            return
        for span, found in find_periods(self._question):
            place, period = self._place(span), self._month_or_years(span, found)
            if place is not None and period is not None:
                first, last = place
                yield _PERIOD * (last - first), Mention("period", first, last, period=period)

    def _month_or_years(self, span: Span, period: Period) -> Period | None:
        """Return *period*; of `2006-07` what is borne out, None for neither: it may be a season."""
        said = _MONTH_OR_YEARS.search(span.of(self._question))
        if said is None or period.low is None or not said["first"] < said["last"]:
            return period
        is_alone = said.end() == span.end - span.start
        if is_alone and any(t.stem == "year" and t.end == span.start - 1 for t in self.tokens):
            last = period.low.year + int(said["last"]) - int(said["first"])
            return Period(date(period.low.year, 1, 1), date(last, 12, 31), "range")
        written = re.compile(rf"[12]\d{{3}}{said['mark']}\d\d")
        shown = (text for c in self._known if c.is_date for text in c.attribute.examples)
        return period if any(written.match(str(text)) for text in shown) else None

    def _place(self, span: Span) -> tuple[int, int] | None:
        """Return the tokens that a stretch of the text covers; None where it parts one."""
        inside = [
            at
            for at, token in enumerate(self.tokens)
            if token.start < span.end and token.end > span.start
        ]
        if not inside:
            return None
        first, last = self.tokens[inside[0]], self.tokens[inside[-1]]
        whole = first.start >= span.start and last.end <= span.end
        return (inside[0], inside[-1] + 1) if whole else None

    def _columns_over(self, first: int, last: int) -> Iterator[Weighed]:
        tokens = self.tokens[first:last]
        general = frozenset() if is_had(self.tokens, first) else self._table.general
        nouns = frozenset() if self.tokens[first] in self._had else self._table.nouns | general
        if any(t.is_mark or ("or", "") in phrases().get((t.word,), ()) for t in tokens):
            return
        content = [token for token in tokens if not is_function(token.word)]
        whole = tuple(token.stem for token in tokens)
        if not content or content[0] is not tokens[0] or content[-1] is not tokens[-1]:
            for column in self._known:
                if whole in column.names:
                    yield _NAME * len(tokens), _column(first, last, [(column.name, 1.0)])
            return
        is_noun = all(t.stem in nouns and not self._table.is_verb(t.word) for t in content)
        if is_noun and not any(map(self._names_rows, self._table.columns)):
            return
        if len(content) > 1 and content[0].stem in nouns and tokens[1] is not content[1]:
            return  # `claims with an adjuster` speaks of claims
        if len(content) > 1 and content[-1].stem in self._table.nouns - self._table.named:
            return  # `open tickets` are tickets
        said = {token.stem for token in content}
        if "by" in spoken(tokens) or len(said) < len(content):
            return  # `countries by number of glaciers`, `zone A and zone C`
        counted = spoken(tokens[:2]) == ("number", "of")  # and so no text
        how_many = spoken(self.tokens[max(first - 2, 0) : first]) in _COUNTING
        numbers = spoken(content)[1:][-1:] == ("number",)  # `roast number` is no `roasted_kg`
        told = set[Column]().union(*(self._telling[token] for token in content))
        columns = [
            column
            for column in self._known
            if column in told
            and not (is_noun and not self._names_rows(column))
            and not (counted and column.is_text)
            and not (numbers and column.is_number and not (column.is_of_things or column.counts))
            and not ((counted or how_many) and (column.is_measured or self._names_rows(column)))
            and not (column.is_of_list and not is_counted(self.tokens, first, column))
        ]
        fits = [(column.name, self._fit(column, content)) for column in columns]
        verb = next((at for at, token in enumerate(tokens) if token.word in AUXILIARIES), 0)
        sides = ({t.stem for t in tokens[:verb]}, {t.stem for t in tokens[verb:]}) if verb else ()
        # A description does not go on behind a verb: `schools were visited`, of `visit`.
        found = [
            (name, fit)
            for name, fit in fits
            if fit is not None
            and not (
                fit.n_told and any(self._table.by_name[name].named.isdisjoint(s) for s in sides)
            )
        ]
        found = [
            (name, fit)
            for name, fit in found
            if not self._denies(self._table.by_name[name], tokens)
            and not self._only_acts(self._table.by_name[name], first, content)
            and not self._holds_other(self._table.by_name[name], content)
        ]
        names = ((name, self._table.by_name[name].names) for name, _ in found)
        whole_names = {
            name
            for name, own in names
            if any(said == set(n) for n in own)
            and (said == {*own[0]} or self._is_sure(name, first, said))
        }
        if whole_names:  # `new cases` is not `cases` of which `new` is told
            found = [(name, fit) for name, fit in found if name in whole_names]
            self._names.add((first, last))
        else:
            found = [(name, fit) for name, fit in found if self._is_sure(name, first, said)]
        if found:
            weight = max(fit.weight for _, fit in found)
            spare = _FUNCTION * (len(tokens) - len(content))
            shares = [(name, fit.share) for name, fit in found]
            narrowed = frozenset(name for name, fit in found if fit.narrows)
            said_too = frozenset(name for name, fit in found if fit.assumes)
            found_one = _column(first, last, shares)
            yield weight + spare, replace(found_one, narrowed=narrowed, assumed=said_too)

    def _names_rows(self, column: Column) -> bool:
        """Whether what is called a row of the table is a number in it, too: a fare of fares."""
        names = column.is_identifier or (column.attribute.type.is_whole and column.is_own)
        is_so = any({*name} <= self._table.nouns for name in column.names[:1])  # no label beside it
        is_so = is_so and (self._table.is_list or column.has_all_stated)
        return is_so and column.is_amount and not (names or column.may_name)

    def _denies(self, column: Column, tokens: Sequence[Token]) -> bool:
        """Whether a word of its name denies here: `orders contain no bread`, of `order_no`."""
        return any(
            ("not", "") in phrases().get((token.word,), ())
            and token.stem in column.named
            and not (before and before.stem in column.named)
            for before, token in zip((None, *tokens), tokens, strict=False)
        )

    def _holds_other(self, column: Column, content: Sequence[Token]) -> bool:
        """Whether a stored value is said, of which the name has another form: `adoption fee`."""
        own = {singular(w) for x in column.called for w in words_in(x)}
        return any(
            token.stem in self._stored & column.named and singular(token.word) not in own
            for token in content
        )

    def _only_acts(self, column: Column, first: int, content: Sequence[Token]) -> bool:
        """Whether a verb stands for what was done: `what do they pay` is not who has `paid`."""
        done = {
            w for x in column.called for w in words_in(x) if w.endswith("ed") or is_irregular(w)
        }
        said = [token for token in content if token.stem in column.named]
        was = any(token.word.startswith("did") for token in self.tokens[:first])
        if not column.is_boolean or not done or was:
            return False
        bases = {end for w in done for end in (w[:-1], w[:-2], w[:-3])}
        irregular = {stem(w) for w in done if is_irregular(w)}
        return bool(said) and all(
            token.word not in done and (token.word in bases or token.stem in irregular)
            for token in said
        )

    def _is_sure(self, name: str, at: int, said: set[str]) -> bool:
        """Whether words that say a part of a name mean that column."""
        if len(said) > 1 and self.tokens[at].stem in self._table.nouns:
            return self._is_sure(name, at + 1, said - {self.tokens[at].stem})
        said = said - stems_of("measure", "words") or said
        names = {n for column in self._table.columns if column.is_number for n in column.names}
        rests = [{*other} - said for other in names if said < {*other}]
        if len(rests) > 1 and any(rest <= stems_of("aggregate", "sum") for rest in rests):
            return False
        if len(said) > 1:
            return True
        before, word = self.tokens[at - 1] if at else None, self.tokens[at].word
        if before is None or before.stem not in self._table.nouns or word.endswith("s"):
            return True
        asked = spoken(self.tokens[: at - 1])
        acts = asked[-1:] == ("which",) or not DOING.isdisjoint(asked)
        if not (acts or before.word.endswith("s")):
            return True
        column = self._table.by_name[name]
        unit = column.attribute.unit
        if column.names[0][-1] not in {self.tokens[at].stem, *alike(self.tokens[at].stem)}:
            return True  # `price per night`: what is unsaid stands behind it
        same = [c for c in self._table.columns if c.is_amount and c.attribute.unit == unit]
        return unit is None or len(same) < 2 or column is self._table.main_amount

    def _fit(self, column: Column, content: Sequence[Token]) -> "_Fit | None":
        said: set[str] = set()
        named = like = told = idle = 0
        record = assumed = False
        opens = len(content) > 1 and content[1].stem in column.named
        end = max((token.end for token in content if token.stem in column.named), default=0)
        idle_stems = self._table.nouns | stems_of("measure", "words")
        verbs = {  # `newly reported deaths`, and not `chosen applicants`
            token
            for token, follower in pairwise(content)
            if token.stem in light_stems() - self._own and follower.stem not in self._table.nouns
        }
        for token in content:
            if token.stem in column.named:
                named += 1
                said.add(token.stem)
            elif other := self._meant[token] & column.named:
                like += 1
                said |= other
            elif token in self._had:
                return None
            elif token.stem in self._table.nouns and token is content[0] and opens:
                record = True
            elif token.stem in idle_stems or (said and token in verbs):
                idle += 1
            elif (
                token.stem in column.told | column.around
                and not (column.around and self._is_of_other(column, token, end))
                and token.stem not in operator_stems() | self._stored | self._named
                # `water contractors` are some of them; the `cause of damage` is theirs
                and (said or (column.name, token.stem) not in self._within)
                and token.number is None
            ):
                told += 1
                assumed |= token.stem not in column.told
            else:
                return None
        if not said and (column.is_boolean or column.attribute.extractors or not told):
            return None
        share, unsaid = max(
            ((len(said & set(name)) / len(set(name)), set(name) - said) for name in column.names),
            key=lambda pair: pair[0],
        )
        if said and unsaid <= stems_of("naming", "words"):
            share = max(share, _CALLED)
        idle_words = stems_of("naming", "words") | light_stems()
        needs_all = column.is_boolean and unsaid - idle_words - self._table.nouns
        own = {*column.names[0]} - said  # a mean temperature has `temperature` as a synonym, too
        numbered = {name[-1] for name in column.names} & stems_of("naming", "words")  # `ward_no`
        denied = any(map(is_denied, unsaid | own))  # `assets`, of non-current
        rest = (unsaid | own) - numbered  # alone it is all of an ascent; counts may be until then
        is_whole = rest <= stems_of("aggregate", "sum") and not column.is_of_things
        if (rest & operator_stems() and not is_whole) or needs_all or denied:
            return None  # `airport` alone does not ask for an airport shuttle
        weight = (_NAME if share == 1 else _PART) * named + _LIKE * like + _TOLD * told
        weight += _FUNCTION * idle + 0.1 * (len(content) - 1) + _OPENING * record
        if record and share < 1:
            return None  # `which release fixed the most`, of `bugs_fixed`
        share *= 1.0 if column.heads & said else 0.6
        share = max(share - 0.2 * like - 0.05 * told, 0.05)
        return _Fit(weight, share, told, self._table.narrows(column, said), assumed)

    def _is_of_other(self, column: Column, token: Token, end: int) -> bool:
        """Whether a word that stands around the values of a column is said of something else."""
        is_done = is_past(token)
        is_named = token.stem in self._table.named and not is_done
        if token.stem in column.told:  # of a sentence, other columns are as well
            return is_named and bool(column.attribute.extractors)
        return is_named or is_done or token.start > end

    def _meaning(self, token: Token) -> frozenset[str]:
        """Return what may be said for a word: the stem of `owner` for `owned by`, `did Ada own`."""
        named = token.stem in self._table.named
        follower = next((other.word for other in self.tokens if other.start >= token.end), "")
        asked = any(other.word in DOING for other in self.tokens if other.end <= token.start)
        acts = asked or follower == "by" or self.tokens[0].word == "who"
        agents = doers(token.stem) if acts else frozenset()
        past = token.word.removesuffix("ed") if token.word.endswith("ed") else ""
        acted = {stem(past + ending) for ending in ("ure", "y") if past}  # `departed`, `delivered`
        return (frozenset() if named else alike(token.stem)) | agents | acted

    def _values_over(self, first: int, last: int) -> Iterator[Weighed]:
        tokens = self.tokens[first:last]
        if tokens[0].is_mark or tokens[-1].is_mark or not self._texts:
            return
        nouns = self._table.nouns | self._table.general
        letter = len(tokens) == 1 and first > 0 and tokens[0].text.isupper()
        closes = all(token.is_mark for token in self.tokens[last:])  # no word for it to serve
        if not letter and all(
            (
                is_function(token.word)
                and not self._is_proper(at)
                and not (closes and at == last - 1)
            )
            or token.number is not None
            or (token.stem in nouns and not self._table.is_verb(token.word))
            for at, token in enumerate(tokens, start=first)
        ):
            return
        phrase = self._signed(Span(tokens[0].start, tokens[-1].end))
        asked = signed_words(phrase)
        choices = self._choices(phrase, asked) if asked else []
        exact = any(choice.exact for choice in choices)
        texts = [len(fold_words(value)) for choice in choices for value in choice.values]
        if not choices or (not exact and min(texts) > _MAX_TEXT * len(asked)):
            return
        proper = tokens[0].text[:1].isupper() and first > 0
        common = len(tokens) == 1 and (spoken(tokens) in phrases() or self._is_bare(first))
        last_shapes = not (exact and tokens[-1].text.isupper()) and is_function(tokens[-1].word)
        ends = is_function(tokens[0].word) or last_shapes  # `in Kent`; not `Vitamin A`
        weight = (_EXACT if exact else _HELD) * len(tokens) + 0.1 * (len(tokens) - 1)
        if (common and not proper) or (ends and not letter):
            weight = (1.2 if exact else _FUNCTION) * len(tokens)
        yield weight, Mention("value", first, last, word=phrase, choices=tuple(choices))

    def _column_of(self, match: ValueMatch) -> str:
        """Return the column that holds a value; empty where it is none of the table."""
        own = (match.table or self._table.name) == self._table.name
        names = [match.column] if own else [
            f"{match.table}{mark}{match.column}" for mark in (LISTED, OF_RECORD)
        ]  # fmt: skip
        return next((name for name in names if name in self._table.by_name), "")

    def _signed(self, span: Span) -> str:
        """Return a stretch of the question with the signs that stand at it: `C++` of `C`."""
        before = _SIGN_BEFORE.search(self._question, 0, span.start)
        behind = _SIGN_BEHIND.match(self._question, span.end)
        start = span.start if before is None else before.start()
        return self._question[start : span.end if behind is None else behind.end()].strip()

    def _choices(self, phrase: str, asked: tuple[str, ...]) -> list[Choice]:
        held: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
        found = self._values.search(phrase, self._texts, _MAX_VALUES)
        if len(found) == _MAX_VALUES:
            return []
        for match in found:
            words = _words_of(match.spelling or match.value, phrase)
            places = range(len(words) - len(asked) + 1)
            column = self._column_of(match)
            if (
                column
                and any(words[at : at + len(asked)] == asked for at in places)
                and not _is_denied(match.value, asked)
                and (not is_plain_answer(phrase) or phrase.isupper() or self._names_one_of(column))
            ):
                held.setdefault(column, []).append((match.value, words))
        alone = {(self._column_of(x), x.value) for x in found if x.n_records == 1}
        n_distinct = {x: self._table.by_name[x].statistics.n_distinct for x in held}
        choices = [
            choice
            for choice in (_choice(column, texts, phrase) for column, texts in held.items())
            if choice.values  # and not all that the column has, which tells none apart
            and (choice.exact or not 1 < n_distinct[choice.column] <= len(choice.values))
        ]
        return [
            replace(
                choice,
                alone={(choice.column, value) for value in choice.values} <= alone,
                unsaid=choice.item and _is_unsaid(self._table.by_name[choice.column].texts, asked),
            )
            for choice in choices
        ]

    def _names_one_of(self, column: str) -> bool:
        """Whether a name of a column stands in the question: `parking: no`, and no other `no`."""
        said = {token.stem for token in self.tokens}
        return any(said.issuperset(name) for name in self._table.by_name[column].names)


def _is_denied(value: str, asked: Sequence[str]) -> bool:
    """Whether a stored text denies what is asked for: `not at present`, of `at present`."""
    said = [{*signed_words(part)} for part in SEPARATOR.split(value)]
    said = [words for words in said if words.issuperset(asked)] or [{*signed_words(value)}]
    return all(
        any(("not", "") in phrases().get((word,), ()) for word in words - {*asked})
        for words in said
    )


def _is_unsaid(texts: Sequence[str], asked: tuple[str, ...]) -> bool:
    """Whether some of the *texts* of a column have no part of the kind that is asked for."""
    parts = [[*filter(None, map(signed_words, SEPARATOR.split(text)))] for text in texts]
    held = [(part, (at, len(own))) for own in parts for at, part in enumerate(own)]
    places = {place for part, place in held if part == asked}
    kind = {part for part, place in held if place in places}
    is_list = any(part in kind and place not in places for part, place in held)
    return bool(places) and not is_list and not {*map(len, parts)} <= {n for _, n in places}


def _is_end(value: str, asked: Sequence[str]) -> bool:
    """Whether a phrase is but a part of a range in a stored text: `3 h` of `1–3 h`."""
    return any(words & {*asked} and not words <= {*asked} for words in _ranges(value))


@lru_cache(maxsize=4_096)
def _ranges(value: str) -> list[set[str]]:
    """Return the words of each range in a stored text: `8 to 12 kg` -> `8`, `to`, `12`, `kg`."""
    opened = f"from {value}"
    found = [span for span, quantity in find_quantities(opened) if quantity.upper is not None]
    found += [span for span, period in find_periods(opened) if period.precision == "range"]
    return [{*signed_words(span.of(opened))} - {"from"} for span in found]


def _is_spelled(token: Token) -> bool:
    return NUMBER_WORDS.fullmatch(token.word) is not None


def _column(first: int, last: int, said: list[tuple[str, float]]) -> Mention:
    ranked = tuple(sorted(said, key=lambda pair: -pair[1]))
    return Mention("column", first, last, columns=ranked)


def _words_of(value: str, phrase: str) -> tuple[str, ...]:
    """Return the words of a stored value; of `Children's` two, where *phrase* has no such end."""
    ends = value.replace("’", "'").endswith("'s") and not phrase.endswith("s")
    return (*signed_words(value), "s") if ends else signed_words(value)


def _choice(column: str, found: Sequence[tuple[str, tuple[str, ...]]], phrase: str) -> Choice:
    """Take the values that are the phrase, or have it as a part of their own; else all with it."""
    asked = signed_words(phrase)
    letters = [value for value, _ in found if value.casefold() == phrase.casefold()]
    found = [(x, words) for x, words in found if words != asked or x in letters or not letters]
    taken = [
        value
        for value, words in found
        if words == asked
        or (
            any(_words_of(part, phrase) == asked for part in SEPARATOR.split(value))
            and not _is_end(value, asked)
        )
    ]
    if all(words != asked for _, words in found):
        values = tuple(value for value, _ in found if not _is_end(value, asked))
        return Choice(column, values, exact=False, item=len(taken) == len(values))
    is_name = phrase in taken and phrase[:1].isupper()
    longer = [
        value
        for value, words in found
        if value not in taken and goes_on(words, asked, is_name=is_name)
    ]
    return Choice(column, tuple(taken), exact=True, longer=tuple(longer))
