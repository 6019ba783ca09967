"""Matching answers: when the rows of an answer are the expected answer.

One column of the rows is compared: the first whose values all have the expected type (a query may
give the measure beside the name that was asked for). Then:

- a single value: that column holds this value and no other (repeats count once);
- a list: the same members, in the same order where the question asks for one;
- numbers within the question's relative tolerance (at least 1e-6), dates by day, months by year and
  month in any notation, texts when they fold to the same (case, punctuation, white space);
- a truth value only matches a truth value;
- a name counts in its short or its full form, a code with or without its word, where the gold field
  that holds the answer has no second value of that form (see `name_as_gold`), and no other field
  has it as a value;
- where one was asked for and several come first, all of them, in an answer that says that they tie.

The rows of a grouped answer are compared as rows, in whatever order their columns come.

Answers that were read in a context come with a scale (`percent`, `million`), and are compared with
it and without it, whichever fits. Published answers on named documents are texts as annotators
wrote them:

- a number is right where it is the expected one as far as that is written out: `41.5%` has one
  decimal; a number of JSON shows no trailing zeros and counts as written with two at least;
- where the benchmark has scales, number and scale must fit together, as its own metric asks; else
  a number without one is counted in what the question names (`in USD millions`), if anything;
- several members are all there, and no others; texts fold to the same, but for articles;
- of a sentence the answer has the yes or no; or else all numbers that the question does not say;
  or else all content words; what stands in brackets was not asked for. Who words it otherwise is
  not recognised: that takes a judge;
- an answer in words alone has the members in its first sentence.

Answers about a table are compared as the evaluator of WikiTableQuestions does: normalised texts,
numbers and dates as sets of equal size. Two readings of ours: a truth value is yes or no, and an
expected `33 years` is the number 33.
Source: Pasupat and Liang, "Compositional Semantic Parsing on Semi-Structured Tables" (ACL 2015),
`evaluator.py` 1.0.2; for published ones, Zhu and others, "TAT-QA" (ACL 2021), `tatqa_metric.py`.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import permutations
from typing import NamedTuple

from srag_mcp.evaluation.comparison import (
    EXACT,
    date_of,
    equal_numbers,
    month_of,
    name_as_gold,
    number_of,
    one_date,
    write_value,
)
from srag_mcp.evaluation.pack import SCALES, PackQuestion, Row, Scale
from srag_mcp.schema.attribute import Scalar
from srag_mcp.store.guard import Value
from srag_mcp.text.words import content_words, fold, fold_words
from srag_mcp.values.numbers import read_number
from srag_mcp.values.quantities import Figure, scan_figures
from srag_mcp.values.states import read_boolean

_MAX_COLUMNS = 6

_QUOTES = str.maketrans({"‘": "'", "’": "'", "´": "'", "`": "'", "“": '"', "”": '"'})
_DASHES = re.compile(r"[‐‑‒–—−]")
_CITATION = re.compile(r"(?<!^)(?:\[[^\]]*\]|[•♦†‡*#+])+$|\[(?:nb )?\d+\]")
_DETAILS = re.compile(r"(?<!^)\s*\([^)]*\)$")
_QUOTED = re.compile(r'^"([^"]*)"$')
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d+)?|\d{1,3}(?:,\d{3})+(?:\.\d+)?)")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_WHOLE = re.compile(r"\.0+(?!\d)")
_ASIDE = re.compile(r"\([^)]*\)")
_ASKED_SCALE = re.compile(r"\b(thousand|million|billion)s?\b", re.IGNORECASE)
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_YES_NO = re.compile(r"\W*(yes|no)\b", re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)\d\d")
_LEAST_DECIMALS = 2
_WITH_UNIT = re.compile(r"(?P<number>[+-]?\d[\d,]*(?:\.\d+)?)\s+(?P<unit>[^\W\d_]+)")


class _Number(NamedTuple):
    """A number as it is written, the same with its scale, and half of its last place."""

    bare: float
    full: float
    slack: float


def is_right(
    question: PackQuestion, rows: Sequence[Sequence[Value]], *, says_tie: bool = False
) -> bool:
    """Return whether *rows* answer *question* as expected; nothing answers the unanswerable.

    *says_tie*: the answer says of its rows that they tie.
    """
    if question.answer is None or (question.is_tie and not says_tie):
        return False
    if question.table is not None:
        first = [row[0] for row in rows if row]
        return bool(question.values) and is_right_of_table(first, question.values)
    if not question.members:
        return all(value is None for row in rows for value in row)
    rows = _with_gold_names(question, rows)
    wanted = [member for member in question.members if isinstance(member, tuple)]
    if wanted:
        return _same_rows(rows, wanted, question)
    values = pick_column(rows, question.values)
    if not values:
        return False
    equal = [[equal_values(v, m, question.tolerance) for m in question.values] for v in values]
    return _meet(equal, ordered=question.ordered)


def is_right_reading(
    question: PackQuestion, rows: Sequence[Sequence[Value]], scale: Scale = "", text: str = ""
) -> bool:
    """Return whether *rows*, read in a context, or the *text* beside them, are what is expected.

    *scale*: what their numbers are counted in.
    """
    values = [value for row in rows for value in row if value is not None]
    if question.documents and question.answer is not None:
        return _is_as_published(question, values, scale, text)
    expected = question.values[0] if question.values else None
    plain = [[_plain(value, expected) for value in row] for row in rows]
    return any(
        is_right(question, [[_scaled(value, factor) for value in row] for row in plain],
                 says_tie=len(rows) > 1)
        for factor in {1.0, SCALES[scale]}
    )  # fmt: skip


def _plain(value: Value, expected: Scalar | None) -> Value:
    """Read a text as the number or truth value that is expected."""
    if not isinstance(value, str):
        return value
    if isinstance(expected, bool):
        read = read_boolean(value)
        return value if read is None else read
    if isinstance(expected, int | float) and number_of(value) is None:
        figure = _only_figure(value)
        number = None if figure is None else figure.read()
        return value if number is None else float(number.value)
    return value


def _scaled(value: Value, factor: float) -> Value:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) * factor if is_number and factor != 1 else value  # type: ignore[arg-type] # no text


def _is_as_published(
    question: PackQuestion, values: Sequence[Value], scale: Scale, text: str
) -> bool:
    members = question.values
    if len(members) == 1 and question.scale is None and not _numbers(members[0]):
        said = ". ".join([*map(write_value, values), text])
        return _says_the_same(question.question, str(members[0]), said)
    asked: Scale = question.scale or ""
    if question.scale is None:
        named = {name.lower() for name in _ASKED_SCALE.findall(question.question)}
        asked = next((name for name in SCALES if {name} == named), "")
        if asked:  # `$5466.00` in millions was rounded to whole ones
            members = tuple(_WHOLE.sub("", x) if isinstance(x, str) else x for x in members)
    if not values:  # an answer in words: what it says first
        first = _SENTENCE_END.split(text, maxsplit=1)[0]
        return all(_stands_in(first, member, asked) for member in members)
    equal = [
        [_equal_published((value, scale), (member, asked), question.scale) for member in members]
        for value in values
    ]
    return _meet(equal, ordered=False)


def _stands_in(said: str, expected: Scalar, scale: Scale) -> bool:
    """Whether a sentence has the expected number, with its scale, or the words of a text."""
    wanted = _numbers(expected, scale)
    if wanted is None:
        return f" {fold_words(write_value(expected))} " in f" {fold_words(said)} "
    return any(
        number is not None and _is_same_in_full(number, wanted)
        for number in (_number_of(figure) for figure in scan_figures(said))
    )


def _equal_published(
    found: tuple[Value, Scale], expected: tuple[Scalar, Scale], of_benchmark: Scale | None
) -> bool:
    """Whether one value with its scale is the expected one with its own."""
    wanted, said = _numbers(*expected), _numbers(*found)
    if not wanted or not said:
        one, other = (
            " ".join(_ARTICLE.sub(" ", fold(write_value(x))).split())
            for x in (found[0], expected[0])
        )
        return one == other
    if _is_same_in_full(said, wanted):
        return True
    is_bare = said.full in {said.bare, said.bare * SCALES["percent"]}
    return of_benchmark is None and is_bare and abs(said.bare - wanted.bare) <= wanted.slack


def _is_same_in_full(found: _Number, expected: _Number) -> bool:
    slack = expected.slack * abs(expected.full / expected.bare if expected.bare else 1.0)
    return abs(found.full - expected.full) <= slack


def _numbers(value: Value, scale: Scale = "") -> _Number | None:
    """Return the number that *value* is; None where it is something else."""
    if isinstance(value, bool) or value is None:
        return None
    if not isinstance(value, str):
        decimals = max(_LEAST_DECIMALS, len(str(value).partition(".")[2]))
        slack = 0.5 * 10.0**-decimals * (1 + EXACT)
        return _Number(float(value), value * SCALES[scale], slack)
    figure, number = _only_figure(value), read_number(value)
    if figure is None or number is None:
        return None
    found = _number_of(figure, scale)
    sign = -1 if number.value < 0 else 1  # brackets are one, too
    return found and _Number(sign * abs(found.bare), sign * abs(found.full), found.slack)


def _number_of(figure: Figure, scale: Scale = "") -> _Number | None:
    """Read a figure of a text; *scale* counts where it has none of its own."""
    number = figure.read()
    if number is None:
        return None
    own = 0.01 if figure.unit == "percent" else float(figure.scale)
    bare = float(number.value) / figure.scale
    half_a_place = 0.5 * 10.0 ** -len(figure.numeral.partition(".")[2])
    return _Number(bare, bare * (own if own != 1 else SCALES[scale]), half_a_place * (1 + EXACT))


def _only_figure(text: str) -> Figure | None:
    """Return the figure that *text* is, with its signs and unit; None for more or other words."""
    figures = list(scan_figures(text))
    if len(figures) != 1:
        return None
    span = figures[0].span
    rest = text[: span.start] + text[span.end :]
    return None if any(map(str.isalnum, rest)) else figures[0]


def _says_the_same(question: str, expected: str, said: str) -> bool:
    wanted, found = _YES_NO.match(expected), _YES_NO.match(said)
    if wanted:
        return found is not None and wanted[1].lower() == found[1].lower()
    asked = {figure.numeral for figure in scan_figures(question)}
    figures = [
        figure
        for figure in scan_figures(_ASIDE.sub(" ", expected))
        if figure.numeral not in asked and not _YEAR.fullmatch(figure.numeral)
    ]
    if figures:
        told = list(scan_figures(said))
        return all(any(_is_same_figure(figure, one) for one in told) for figure in figures)
    words = set(content_words(_ASIDE.sub(" ", expected)))
    telling = words - set(content_words(question)) or words  # the question's own tell nothing
    return bool(telling) and telling <= set(content_words(said))


def _is_same_figure(expected: Figure, found: Figure) -> bool:
    one, other = _number_of(expected), _number_of(found)
    if one is None or other is None:
        return False
    plain, said = (_Number(abs(x.bare), abs(x.full), x.slack) for x in (one, other))
    is_bare = said.full == said.bare  # its scale may be in the question alone
    is_same = is_bare and abs(plain.bare - said.bare) <= plain.slack
    return is_same or _is_same_in_full(said, plain)


def _with_gold_names(
    question: PackQuestion, rows: Sequence[Sequence[Value]]
) -> Sequence[Sequence[Value]]:
    """Write the names in *rows* as gold does, each column by itself."""
    if not question.names:
        return rows
    columns = []
    for column in zip(*rows, strict=True):
        texts = {
            value: written
            for value in column
            if isinstance(value, str) or (len(rows[0]) == 1 and number_of(value) is not None)
            if fold(written := write_value(value)) not in question.other_names
        }
        # Each by itself: a short form of two gold values is neither, whatever else was found.
        names = {
            value: name_as_gold([text], question.names, question.question).get(text, text)
            for value, text in texts.items()
        }
        n_forms = Counter(names.values())
        columns.append([names[v] if n_forms[names.get(v, "")] == 1 else v for v in column])
    return list(zip(*columns, strict=True))


def _meet(equal: Sequence[Sequence[bool]], *, ordered: bool) -> bool:
    """Whether what was found (rows of *equal*) is what is expected (columns), all of it."""
    if ordered:
        return len(equal) == len(equal[0]) and all(row[at] for at, row in enumerate(equal))
    return all(map(any, equal)) and all(map(any, zip(*equal, strict=True)))


def pick_column(rows: Sequence[Sequence[Value]], members: Sequence[Scalar]) -> list[Value] | None:
    """Return the values of the first column that could hold *members*; None when none could."""
    for column in zip(*rows, strict=True):
        if all(_could_be(value, members[0]) for value in column):
            return list(column)
    return None


def equal_values(found: Value, expected: Scalar, tolerance: float) -> bool:
    """Return whether one value of an answer is the expected one."""
    if isinstance(expected, bool) or isinstance(found, bool) or found is None:
        return found is expected
    wanted = number_of(expected)
    if wanted is not None and not (isinstance(expected, str) and isinstance(found, str)):
        number = number_of(found)
        return number is not None and equal_numbers(number, wanted, tolerance)
    day, month = date_of(expected), month_of(expected)
    if day is not None:
        return date_of(found) == day
    if month is not None:
        return month_of(found) == month
    said, asked = fold(str(found)), fold(str(expected))
    return said == asked and (bool(asked) or found == expected)


def _could_be(found: Value, expected: Scalar) -> bool:
    if isinstance(expected, bool) or isinstance(found, bool):
        return isinstance(expected, bool) and isinstance(found, bool)
    if isinstance(expected, int | float):
        return number_of(found) is not None
    if date_of(expected) is not None:
        return date_of(found) is not None
    if month_of(expected) is not None:
        return month_of(found) is not None
    return isinstance(found, str) or (found is not None and number_of(expected) is not None)


def _same_rows(
    rows: Sequence[Sequence[Value]], wanted: Sequence[Row], question: PackQuestion
) -> bool:
    """Return whether some columns of *rows* hold the *wanted* rows, and no others."""
    width, n_wanted = len(rows[0]) if rows else 0, len(wanted[0])
    if width > _MAX_COLUMNS or len(rows) != len(wanted):
        return False
    if any(len(want) != n_wanted for want in wanted):
        return False
    for places in permutations(range(width), n_wanted):
        equal = [
            [
                all(
                    equal_values(row[place], member, question.tolerance)
                    for place, member in zip(places, want, strict=True)
                )
                for want in wanted
            ]
            for row in rows
        ]
        if _meet(equal, ordered=question.ordered):
            return True
    return False


def is_right_of_table(values: Sequence[Value], expected: Sequence[Scalar]) -> bool:
    """Return whether *values* are the *expected* answers: as many different ones, all equal."""
    found = [write_value(value) for value in values if value is not None]
    wanted = list(dict.fromkeys(str(value) for value in expected))
    if len(set(map(_normalise, found))) != len(set(map(_normalise, wanted))):
        return False
    return all(any(_equal_texts(text, member) for text in found) for member in wanted)


def _normalise(text: str) -> str:
    """Return *text* without accents, citations, details in brackets, quotes, case."""
    plain = unicodedata.normalize("NFKD", _DASHES.sub("-", text.translate(_QUOTES)))
    plain, before = "".join(c for c in plain if not unicodedata.combining(c)).strip(), ""
    while plain != before:
        before = plain
        plain = _DETAILS.sub("", _CITATION.sub("", plain).strip()).strip()
        plain = _QUOTED.sub(r"\1", plain).strip()
    return " ".join(plain.removesuffix(".").lower().split())


def _equal_texts(found: str, expected: str) -> bool:
    said, asked = _normalise(found), _normalise(expected)
    if said == asked:
        return True
    match = _WITH_UNIT.fullmatch(asked)
    if match is not None:  # `40 knots` and `12 points` are their numbers
        quantity = read_number(match.group())
        if match["unit"].startswith("point") or (quantity is not None and quantity.unit):
            asked = match["number"]
    if _NUMBER.fullmatch(said) and _NUMBER.fullmatch(asked):
        number, wanted = read_number(said), read_number(asked)
        if number is not None and wanted is not None:
            return abs(float(number.value) - float(wanted.value)) < EXACT
    day = _day(found)
    return day is not None and day == _day(expected)


def _day(text: str) -> tuple[int | None, ...] | None:
    day, found = date_of(text), one_date(text)
    if day is not None:
        return day.year, day.month, day.day, None
    return None if found is None else (found.year, found.month, found.day, found.quarter)
