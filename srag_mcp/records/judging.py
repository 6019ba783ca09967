"""Judging a reply: each cell is taken, or the reason why not is told."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Annotated, Generic, TypeAlias, TypeVar

from pydantic import WithJsonSchema

from srag_mcp.cells.cell import (
    NOT_SHOWN,
    Cell,
    DocumentText,
    Mark,
    PredictedCell,
    add_note,
    counts_things,
    write_canonical,
)
from srag_mcp.claims.claim import Bearing, check, says_none
from srag_mcp.claims.figures import definition, is_computed, read_figures, rounds_to
from srag_mcp.claims.quotes import (
    LONGEST_QUOTE,
    dates_of,
    find_figures,
    find_places,
    find_value,
    ground,
    is_spoken_of,
    may_be_day,
)
from srag_mcp.model.reply_content import ReplyContent, ReplyElement
from srag_mcp.schema.attribute import Attribute, Scalar
from srag_mcp.text.spans import Span
from srag_mcp.text.words import content_words, fold_words, stem, stems
from srag_mcp.values.quantities import find_quantities, read_numeral
from srag_mcp.values.states import State, read_missing
from srag_mcp.values.types import Value
from srag_mcp.values.units import convert

_SCALARS = [{"type": kind} for kind in ("number", "string", "boolean", "null")]
_VALUES = {"type": "array", "items": {"anyOf": _SCALARS}}
_ROW = {"type": "array", "items": {"anyOf": [*_SCALARS, _VALUES]}}
_ROWS = {"type": "array", "items": _ROW}
_VALUES_OR_ROWS = {"type": "array", "items": {"anyOf": [*_SCALARS, _ROWS]}}
CellList: TypeAlias = Annotated[object, WithJsonSchema(_VALUES)]
"""A cell as a reply has it: `[key, value, quote, remark]`; one of another form loses no others."""
CellOrRows: TypeAlias = Annotated[object, WithJsonSchema(_VALUES_OR_ROWS)]
"""A cell, or that of a list: `[key, [row, …]]`, a row `[value or [value, quote, remark], …]`."""

# A formula in a remark: `derived: 12.37-0.02`.
_NUMERAL = r"(?:\d+(?:[.,]\d+)*)"
_TIMES = r"\s*([*×x/÷])\s*"
_PRODUCT = re.compile(rf"{_NUMERAL}(?:{_TIMES}{_NUMERAL})*")
_FACTOR = re.compile(rf"(?:{_TIMES})?({_NUMERAL})")
_FORMULA = re.compile(
    rf"(?<![\w.,]){_PRODUCT.pattern}(?:\s*[-+−–]\s*{_PRODUCT.pattern})*(?![\w.,]\w)"
)
_TERM = re.compile(rf"([-+−–]?)\s*({_PRODUCT.pattern})")
_DIVIDE, _PLUS, _MINUS = frozenset("/÷"), frozenset(("", "+")), ("-", "−", "–", " less")
_EMPTY = frozenset({"", "-", "n/a", "null", "unknown", "not mentioned", "not stated"})
_LONGEST_SHOWN, _LONGEST_REMARK = 80, 200
NOT_GROUNDED = "not grounded"
_OF_PATH = "only its path has that, which SQL reads and no cell quotes: words of its text, or null"
PUT_OTHERWISE = "derived: the quote does not have it as it is"
_UNSAID = "nothing beside the number says that it is of this column"
_ORDINAL_END = re.compile(r"(?<=[^\W\d_]{3})th\b|(?<=\d)(?:st|nd|rd|th)\b")  # `two hundredth`
_TWO_WAYS = re.compile(r"\s*[-+−]?\d{1,3}[.,]\d{3}\s*")
_SIGNED = re.compile(r"\s*(?P<sign>[-−(])?\d[\d.,'’]*\)?\s*")
_REMARK = re.compile(r"\s*(derived|doubtful)\b", re.IGNORECASE)
_REMARKS = {"derived": Mark.DERIVED, "doubtful": Mark.DOUBTED}


class DocumentReply(ReplyElement):
    """The record of one document; *id* is the short one of the prompt, keys are column numbers."""

    id: str
    cells: tuple[CellList, ...]


class SummarisedReply(DocumentReply):
    """A record with a sentence on its document."""

    summary: str


class ListingReply(DocumentReply):
    """A record with rows."""

    cells: tuple[CellOrRows, ...]


class SummarisedListingReply(SummarisedReply):
    """A record with rows and a sentence on its document."""

    cells: tuple[CellOrRows, ...]


_Record = TypeVar("_Record", bound=DocumentReply, covariant=True)


class RecordsReply(ReplyContent, Generic[_Record]):
    """The records of the documents of one prompt."""

    documents: tuple[_Record, ...]


def records_form(*, listing: bool, summarised: bool) -> type[RecordsReply[DocumentReply]]:
    """Return the form of a reply, where a column may be a *listing*, and documents *summarised*."""
    if listing:
        return RecordsReply[SummarisedListingReply] if summarised else RecordsReply[ListingReply]
    return RecordsReply[SummarisedReply] if summarised else RecordsReply[DocumentReply]


@dataclass(frozen=True, slots=True)
class CellReply:
    """What a reply says of one cell, which *key* names in its prompt, as the number of its column.

    Attributes:
        value: None where the document says that there is none, or nothing.
        quote: The words for it; empty where the value itself stands in the document.
        remark: How it is derived, or why it is doubtful.
        misfit: Why it cannot be read.
    """

    key: str
    value: Scalar | None = None
    quote: str = ""
    remark: str = ""
    misfit: str = ""


def read_cell(given: object) -> CellReply | None:
    """Read `[key, value, quote, remark]`, the last two of which may be left out.

    None for what names no cell.

    `[4, 61.5]` -> `CellReply("4", 61.5)`, `[4, 5, "derived: 2+3"]` has a remark and no quote
    """
    if not isinstance(given, list | tuple) or not given:
        return None
    key, *rest = given
    if isinstance(key, float) and key.is_integer():
        key = int(key)
    if isinstance(key, bool) or not isinstance(key, str | int):
        return None
    key = str(key).strip()
    if not 1 <= len(rest) <= 3:
        return CellReply(key, misfit=f"it must be [key, value, quote, remark], not {_shown(given)}")
    value, quote, remark = (*rest, None, None)[:3]
    if isinstance(value, list | tuple | dict):
        misfit = f"value must be one text, number, true, false or null, not {_shown(value)}"
        return CellReply(key, misfit=misfit)
    if remark is None and isinstance(quote, str) and _REMARK.match(quote):
        quote, remark = None, quote
    if isinstance(quote, int | float) and not isinstance(quote, bool):
        quote = str(quote)
    if not isinstance(quote, str | None):
        return CellReply(key, misfit=f"quote must be a text, not {_shown(quote)}")
    said = remark if isinstance(remark, str) and _REMARK.match(remark) else ""
    return CellReply(key, value, quote or "", " ".join(said.split())[:_LONGEST_REMARK])


@dataclass(frozen=True, slots=True)
class Judgement:
    """What becomes of one cell of which the model *said* something.

    Attributes:
        taken: The cell as it stands if it is not asked again; FAILED where it cannot be used.
        problem: What the model is told, *told_once* or not; empty where nothing is wrong.
    """

    taken: PredictedCell
    said: CellReply
    problem: str = ""
    told_once: bool = False

    @property
    def is_usable(self) -> bool:
        """Whether the cell has something to say."""
        return self.taken.cell.state is not State.FAILED


class Judge:
    """Judges what a model says of one document, by its whole text."""

    def __init__(self, document: DocumentText, engine: str) -> None:
        self.document = document
        self.engine = engine

    def judge(
        self, attributes: Mapping[int, Attribute], cells: Sequence[CellReply]
    ) -> dict[str, Judgement]:
        """Judge each of *attributes*, by name; keys of *cells* are their numbers or names.

        What no cell speaks of is not mentioned.
        """
        said: defaultdict[str, list[CellReply]] = defaultdict(list)
        for cell in cells:
            said[cell.key].append(cell)
        return {
            item.name: self._judge_all(item, [*said[str(number)], *said[item.name]])
            for number, item in attributes.items()
        }

    def _judge_all(self, attribute: Attribute, cells: Sequence[CellReply]) -> Judgement:
        if not cells:
            return self.judge_cell(attribute, CellReply(attribute.name))
        values = {
            write_canonical(attribute, cell.value) or repr(cell.value): _shown(cell.value)
            for cell in cells
            if not cell.misfit
        }
        if len(values) > 1:
            note = f"the reply has it more than once: {', '.join(values.values())}"
            return Judgement(self._failed(attribute, note), cells[0], note)
        judged = [self.judge_cell(attribute, cell) for cell in cells]
        return next((item for item in judged if not item.problem), judged[0])

    def judge_cell(
        self, attribute: Attribute, said: CellReply, place: Span | None = None
    ) -> Judgement:
        """Judge what is *said* of one attribute; *place* has its words where that is known."""
        if said.misfit:
            return Judgement(self._failed(attribute, said.misfit, said.quote), said, said.misfit)
        if _says_nothing(attribute, said):
            cell = Cell(attribute.name, State.NOT_MENTIONED, engine=self.engine)
            return Judgement(PredictedCell(cell), said)
        is_none = _says_none(attribute, said)
        value_text = None if is_none else write_canonical(attribute, said.value)
        if not is_none and value_text is None:
            problem = f"value must be {attribute.type.form}, not {_shown(said.value)}"
            note = f"{_shown(said.value)} is not {attribute.type.form}"
            return Judgement(self._failed(attribute, note, said.quote), said, problem)
        is_placed, problem = place is not None, ""
        if place is None:
            place, problem = self._find(attribute, value_text, said.quote)
        if place is None:
            given = said.quote or value_text or "", self.document.path, self.document.text
            sought, path, text = (fold_words(part.replace("_", " ")) for part in given)
            problem = _OF_PATH if sought in path and sought not in text else problem
            taken = self._failed(attribute, f"{NOT_GROUNDED}: {problem}")
            return Judgement(taken, said, problem, told_once=True)
        words = place.of(self.document.text)
        cell = Cell(
            attribute.name,
            State.STATED_ABSENT if is_none else State.STATED,
            words,
            place,
            unit=None if is_none else attribute.unit,
            engine=self.engine,
        )
        if value_text is not None:
            taken = PredictedCell(cell, value_text)
            return self._doubt(attribute, taken, said, is_placed=is_placed)
        if read_missing(words.rpartition(":")[2]) is State.NOT_MENTIONED:  # `Deposit: n/a`
            cell = Cell(attribute.name, State.NOT_MENTIONED, engine=self.engine)
        elif not says_none(words):
            # only where a number or a no would come of it: `between jobs` may well say it
            is_implied = attribute.absent_means != "unknown" or attribute.type.denied is not None
            is_used = counts_things(attribute) or is_implied
            odd = "the quote does not say that there is none" if is_used else ""
            marked = PredictedCell(add_note(cell, NOT_SHOWN, Mark.UNSHOWN))
            return Judgement(marked, said, odd, told_once=bool(odd))
        return Judgement(PredictedCell(cell), said)

    def _find(
        self, attribute: Attribute, value_text: str | None, quote: str
    ) -> tuple[Span | None, str]:
        """Return where the words for a value stand, or what is wrong with them."""
        text = self.document.text
        if len(quote.strip()) > LONGEST_QUOTE:
            return None, f"the quote has {len(quote):,} characters; give the shortest one"
        value = None if value_text is None else attribute.type.read(value_text)
        if quote.strip():
            place = ground(quote, text, attribute)
            # a number that is quoted as itself alone says no more than one without a quote
            if place is None or not _is_itself(value, quote):
                return place, f"the document does not have the quote {_shown(quote)}"
        place = None if value is None else find_value(attribute, value, text)
        if attribute.type.is_boolean:
            return place, "it needs a quote"
        n_there = len(find_places(value, text)) if isinstance(value, int | float) else 0
        where = f"{_shown(value_text)} stands nowhere, or at several places"
        return place, f"it needs a quote: {_UNSAID if n_there == 1 else where}"

    def _doubt(
        self, attribute: Attribute, taken: PredictedCell, said: CellReply, *, is_placed: bool
    ) -> Judgement:
        """Take a cell; one that is odd stays marked, unless the model says how it follows."""
        value_text, quote = taken.value_text or "", taken.cell.as_stated or ""
        mark = _REMARKS[said.remark.split()[0].rstrip(":").casefold()] if said.remark else None
        if mark is not None:
            taken = replace(taken, cell=add_note(taken.cell, said.remark, mark))
        if attribute.categories and value_text not in attribute.categories:
            odd = f"{_shown(value_text)} is none of the listed values; use one of them if one fits"
            return Judgement(taken, said, odd, told_once=True)
        value = attribute.type.read(value_text)
        if value is None:
            return Judgement(taken, said)
        # where no words were given, any of the places that have the value may be meant
        span = taken.cell.span if said.quote or is_placed else None
        text, odd = self.document.text, ""
        claim = check(attribute, quote, value, text, span)
        if claim.bearing is Bearing.CONTRADICTED and not _explains(
            attribute, said.remark, value, quote, self.document
        ):
            odd = claim.why
        has_decimals = attribute.type.is_numeric and not attribute.type.is_whole
        is_text = isinstance(said.value, str)
        if has_decimals and is_text and _TWO_WAYS.fullmatch(str(said.value)):
            odd = f"{said.value!r} is one thousand times more or less in another country"
        if odd and mark is not Mark.DOUBTED:
            marked = replace(taken, cell=add_note(taken.cell, f"doubted: {odd}", Mark.DOUBTED))
            return Judgement(marked, said, odd, told_once=True)
        is_put_otherwise = attribute.type.is_text and not attribute.categories
        if mark is not None:
            return Judgement(taken, said)
        if claim.bearing is Bearing.DERIVED or (is_put_otherwise and not claim.follows):
            cell = add_note(taken.cell, PUT_OTHERWISE, Mark.DERIVED)
        elif claim.bearing is Bearing.UNSHOWN and not attribute.type.is_text:
            cell = add_note(taken.cell, NOT_SHOWN, Mark.UNSHOWN)
        elif not is_placed and not is_spoken_of(
            attribute, value, taken.cell.span, self.document.text
        ):
            marked = replace(taken, cell=add_note(taken.cell, _UNSAID, Mark.UNSHOWN))
            return Judgement(marked, said, f"{_UNSAID}: quote words that do", told_once=True)
        else:
            return Judgement(taken, said)
        return Judgement(replace(taken, cell=cell), said)

    def _failed(self, attribute: Attribute, note: str, quote: str = "") -> PredictedCell:
        place = ground(quote, self.document.text, attribute) if quote else None
        cell = Cell(
            attribute.name,
            State.FAILED,
            None if place is None else place.of(self.document.text),
            place,
            engine=self.engine,
            note=note,
        )
        return PredictedCell(cell)


def _says_nothing(attribute: Attribute, said: CellReply) -> bool:
    """Return whether a cell only says what not mentioning it means, without any words."""
    implied = attribute.type.implied.get(attribute.absent_means)
    if not said.quote.strip() and said.value in (None, implied):
        return True
    text = "null and quoted" if said.value is None else str(said.value).strip().casefold()
    return text in _EMPTY and text not in _folded(attribute)


def _says_none(attribute: Attribute, said: CellReply) -> bool:
    """Return whether a cell says that there is none: null, or a word for it: `none`."""
    text = "" if said.value is None else str(said.value).strip().casefold()
    is_word = bool(said.quote.strip()) and read_missing(text) is State.STATED_ABSENT
    is_value = attribute.type.is_boolean or text in _folded(attribute)
    return said.value is None or (is_word and not is_value)


def _is_itself(value: Value | None, quote: str) -> bool:
    if not isinstance(value, int | float) or (numeral := _SIGNED.fullmatch(quote)) is None:
        return False
    is_signed = numeral["sign"] is not None
    return abs(value) in read_figures(quote).plain and is_signed is (value < 0)


def _explains(
    attribute: Attribute, remark: str, value: Value, quote: str, document: DocumentText
) -> bool:
    """Return whether a *remark* makes the value of what stands in quote, path and *document*."""
    if isinstance(value, str) and not attribute.categories:
        beside = {*map(stem, content_words(remark.partition(":")[2]))}
        known = stems(value), stems(f"{quote} {document.document_id}")
        is_as_defined = bool(beside) and beside.issubset(stems(definition(attribute)))
        return is_as_defined or not any(map(beside.isdisjoint, known))
    if not read_figures(remark).quantities:
        return False
    if isinstance(value, date):
        dated = [span for span, _ in dates_of(remark)]
        told = [
            -n.value if remark[: span.start].rstrip().endswith(_MINUS) else n.value
            for span, n in find_quantities(remark)
            if not any(map(span.overlaps, dated))
        ]
        dated_in_quote = [found for _, found in dates_of(quote)]
        days = [day for found in dated_in_quote if (day := found.on()) is not None] or [
            day  # the year of `2 November` may stand elsewhere
            for _, found in dates_of(remark)
            if (day := found.on()) is not None and any(may_be_day(x, day) for x in dated_in_quote)
        ]
        away = {(value - day).days for day in days} - {0}
        counted = {abs(float(n)) for n in told if not away.isdisjoint((n, 7 * n))}
        return not counted.isdisjoint(_numbers_of(document.text)) if counted else False
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    made = compute(remark.partition(":")[2])
    if made is None or not rounds_to(made.result, value):
        return is_computed(attribute, remark, value)
    shares = read_figures(quote).shares
    raised = {round(1 + sign * share, 6) for share in shares for sign in (-1, 1)}
    defined = _numbers_of(definition(attribute))  # `a pound is 0.4536 kg`
    return {*_numbers_of(document.text), *defined, *shares, *raised}.issuperset(made.operands)


def _numbers_of(text: str) -> set[float]:
    """Return the numbers that a document has, without their signs."""
    figures = {abs(number) for found in find_figures(text) for number in found.numbers}
    quantities = read_figures(_ORDINAL_END.sub("", text)).quantities
    days = {convert(float(x.value), x.unit, "day") for x in quantities if x.unit} - {None}
    return figures | {abs(float(x)) for x in (*(found.value for found in quantities), *days) if x}


def _folded(attribute: Attribute) -> set[str]:
    return {category.casefold() for category in attribute.categories or ()}


def _shown(value: object) -> str:
    text = str(value)
    return repr(text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…")


@dataclass(frozen=True, slots=True)
class Made:
    """What a formula makes, and of which numbers."""

    result: float
    operands: tuple[float, ...]


def compute(remark: str) -> Made | None:
    """Compute the first formula of *remark*, of at least two numbers; None where it has none.

    `22 + 1 guests` -> 23; the numbers of `2 x 14.90 - 0.02` are multiplied first.
    """
    for formula in _FORMULA.finditer(remark):
        result, operands = 0.0, []
        for term in _TERM.finditer(formula[0]):
            product = 1.0
            for factor in _FACTOR.finditer(term[2]):
                number = read_numeral(factor[2])
                if number is None or (factor[1] in _DIVIDE and not number):
                    return None
                operands.append(float(number))
                product = product / number if factor[1] in _DIVIDE else product * number
            result += product if term[1] in _PLUS else -product
        if len(operands) > 1:
            return Made(result, tuple(operands))
    return None
