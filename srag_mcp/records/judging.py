"""Judging a reply: each cell that was asked for is taken, or the reason why not is told."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from srag_mcp.cells.cell import Cell, DocumentText, Mark, PredictedCell, add_note
from srag_mcp.cells.normalised import ReplyValue, write_canonical
from srag_mcp.claims.claim import Bearing, check, says_none
from srag_mcp.claims.quotes import LONGEST_QUOTE, ground
from srag_mcp.model.reply_content import ReplyContent, ReplyElement, describe_misfits
from srag_mcp.schema.attribute import Attribute
from srag_mcp.values.states import State, read_boolean, read_missing

_EMPTY = frozenset({"", "-", "n/a", "null", "unknown", "not mentioned", "not stated"})
_IMPLIED = {"unknown": None, "false": False, "zero": 0}
_LONGEST_SHOWN = 80
LEFT_OUT = "the reply leaves it out"
NOT_GROUNDED = "not grounded"
_DERIVED = "derived: the quote does not have it as it is"
_UNSHOWN = "nothing in the quote shows how it follows"
_TWO_WAYS = re.compile(r"\s*[-+−]?\d{1,3}[.,]\d{3}\s*")


class CellReply(ReplyElement):
    """What a document says of one attribute."""

    blanks: ClassVar = {"attribute": "", "state": "stated", "value": None, "quote": ""}

    attribute: str
    state: Literal["stated", "stated_absent"]
    value: ReplyValue
    quote: str


class DocumentReply(ReplyElement):
    """The record of one document; *id* is the short one of the prompt."""

    blanks: ClassVar = {"id": "", "cells": (), "not_mentioned": ()}

    id: str
    cells: tuple[CellReply, ...]
    not_mentioned: tuple[str, ...]


class RecordsReply(ReplyContent):
    """The records of the documents of one prompt."""

    documents: tuple[DocumentReply, ...]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What becomes of one cell.

    Attributes:
        taken: The cell as it stands if it is not asked again; FAILED where it cannot be used.
        problem: What the model is told; empty where nothing is wrong.
        told_once: Whether to tell it only once: a quote that is not there, a doubt.
    """

    taken: PredictedCell
    problem: str = ""
    told_once: bool = False

    @property
    def is_usable(self) -> bool:
        """Whether the cell has something to say."""
        return self.taken.cell.state is not State.FAILED


class Judge:
    """Judges what a model says of one document.

    The whole text of *document* counts, also where the model saw passages of it.
    """

    def __init__(self, document: DocumentText, engine: str) -> None:
        self._document = document
        self._engine = engine

    def judge(
        self, attributes: Sequence[Attribute], replies: Sequence[DocumentReply]
    ) -> Mapping[str, Judgement]:
        """Judge each of *attributes*, by name; *replies* are those with the document's id."""
        cells = [cell for reply in replies for cell in reply.cells]
        silent = [name for reply in replies for name in reply.not_mentioned]
        times = Counter([cell.attribute for cell in cells] + list(dict.fromkeys(silent)))
        by_name = {cell.attribute: cell for cell in cells}
        return {
            attribute.name: self._judge(attribute, by_name.get(attribute.name), times)
            for attribute in attributes
        }

    def _judge(
        self, attribute: Attribute, reply: CellReply | None, times: Mapping[str, int]
    ) -> Judgement:
        n_times = times.get(attribute.name, 0)
        if n_times == 0:
            reason = "it is neither in cells nor in not_mentioned"
            return Judgement(self._failed(attribute, LEFT_OUT), reason)
        if n_times > 1:
            reason = "it is there more than once"
            return Judgement(self._failed(attribute, "the reply has it more than once"), reason)
        if reply is None or (not reply.misfits and _says_nothing(attribute, reply)):
            cell = Cell(attribute.name, State.NOT_MENTIONED, engine=self._engine)
            return Judgement(PredictedCell(cell))
        if reply.misfits:
            problem = "; ".join(describe_misfits(reply))
            return Judgement(self._failed(attribute, problem, reply.quote), problem)
        return self._judge_cell(attribute, reply)

    def _judge_cell(self, attribute: Attribute, reply: CellReply) -> Judgement:
        stated = reply.state == "stated"
        value_text = write_canonical(attribute, reply.value) if stated else None
        if stated and value_text is None:
            problem = f"value must be {attribute.type.form}, not {_shown(reply.value)}"
            note = f"{_shown(reply.value)} is not {attribute.type.form}"
            return Judgement(self._failed(attribute, note, reply.quote), problem)
        if not stated and not _is_no_value(reply.value):
            note = f"it is stated_absent, and has the value {_shown(reply.value)}"
            return Judgement(self._failed(attribute, note, reply.quote), note)
        place = ground(reply.quote, self._document.text, attribute)
        if place is None:
            return self._not_grounded(attribute, reply.quote)
        words = place.of(self._document.text)
        cell = Cell(
            attribute.name,
            State.STATED if stated else State.STATED_ABSENT,
            words,
            place,
            unit=attribute.unit if stated else None,
            engine=self._engine,
        )
        if value_text is None and not says_none(words):
            return Judgement(PredictedCell(add_note(cell, _UNSHOWN, Mark.UNSHOWN)))
        if value_text is None:
            return Judgement(PredictedCell(cell))
        return self._doubt(attribute, PredictedCell(cell, value_text), reply.value)

    def _not_grounded(self, attribute: Attribute, quote: str) -> Judgement:
        problem = f"the document does not have the quote {_shown(quote)}"
        note = f"{NOT_GROUNDED}: the document does not have {_shown(quote)}"
        if len(quote.strip()) > LONGEST_QUOTE:
            problem = f"the quote has {len(quote):,} characters; give the shortest one"
            note = f"{NOT_GROUNDED}: the quote has {len(quote):,} characters"
        return Judgement(self._failed(attribute, note), problem, told_once=True)

    def _doubt(self, attribute: Attribute, taken: PredictedCell, said: ReplyValue) -> Judgement:
        """Take a cell, and say what is odd about its value.

        A value that contradicts its quote may be counted, summed or converted. It stays marked,
        unless the model puts it right: nobody has shown how it follows.
        """
        value_text, quote = taken.value_text or "", taken.cell.as_stated or ""
        if attribute.categories and value_text not in attribute.categories:
            odd = f"{_shown(value_text)} is none of the listed values; use one of them if one fits"
            return Judgement(taken, odd, told_once=True)
        value = attribute.type.read(value_text)
        if value is None:
            return Judgement(taken)
        claim, odd = check(attribute, quote, value, self._document.text), ""
        if claim.bearing is Bearing.CONTRADICTED:
            odd = claim.why
        has_decimals = attribute.type.is_numeric and not attribute.type.is_whole
        if has_decimals and isinstance(said, str) and _TWO_WAYS.fullmatch(said):
            odd = f"{said!r} is one thousand times more or less in another country"
        if odd:
            marked = replace(taken, cell=add_note(taken.cell, f"doubted: {odd}", Mark.DOUBTED))
            problem = f"{odd}; put right what is wrong, or repeat it"
            return Judgement(marked, problem, told_once=True)
        is_put_otherwise = attribute.type.is_text and not attribute.categories
        if claim.bearing is Bearing.DERIVED or (is_put_otherwise and not claim.follows):
            cell = add_note(taken.cell, _DERIVED, Mark.DERIVED)
        elif claim.bearing is Bearing.UNSHOWN and not attribute.type.is_text:
            cell = add_note(taken.cell, _UNSHOWN, Mark.UNSHOWN)
        else:
            return Judgement(taken)
        return Judgement(replace(taken, cell=cell))

    def _failed(self, attribute: Attribute, note: str, quote: str | None = None) -> PredictedCell:
        place = ground(quote, self._document.text, attribute) if quote else None
        cell = Cell(
            attribute.name,
            State.FAILED,
            None if place is None else place.of(self._document.text),
            place,
            engine=self._engine,
            note=note,
        )
        return PredictedCell(cell)


def _says_nothing(attribute: Attribute, reply: CellReply) -> bool:
    """Return whether a cell only says that there is nothing to say.

    So does one without words of the document whose value is what not mentioning it means.
    """
    value = reply.value if reply.state == "stated" else None
    if not reply.quote.strip() and value in (None, _IMPLIED[attribute.absent_means]):
        return True
    known = {category.casefold() for category in attribute.categories or ()}
    text = "" if value is None else str(value).strip().casefold()
    return reply.state == "stated" and text in _EMPTY and text not in known


def _is_no_value(value: ReplyValue) -> bool:
    """Return whether *value* is one that goes with `stated_absent`."""
    text = str(value or "").strip()
    return not text or read_missing(text) is not None or read_boolean(text) is False


def _shown(value: object) -> str:
    text = str(value)
    return repr(text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…")
