"""Repairs: cells that cannot be used, or are doubted, asked for again with what is around them."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from srag_mcp.cells.cell import DocumentText
from srag_mcp.model.asking import ask_for
from srag_mcp.model.language_model import LanguageModel, Prompt, Step
from srag_mcp.model.reply_content import ReplyContent
from srag_mcp.prompting import enclose, render_prompt
from srag_mcp.records.judging import CellList, CellReply, Judgement, read_cell
from srag_mcp.records.record_prompt import describe_attribute
from srag_mcp.records.selection import choose_around
from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.shown import shorten
from srag_mcp.text.spans import Span
from srag_mcp.text.words import STOP_WORDS, stem, stems, words

MAX_REPAIRS = 30  # in one prompt
_AROUND = 150  # characters on both sides of a quote
_LINE = re.compile(r"[^\n]{1,150}(?!\w)")
_MAX_LINES = 3
_LONGEST_QUOTE = 300
Place: TypeAlias = tuple[str, int]
OF_RECORD: Place = ("", 0)


class RepairsReply(ReplyContent):
    """The cells of one prompt, put right; keys are those of the prompt."""

    cells: tuple[CellList, ...]


@dataclass(frozen=True, slots=True)
class Flaw:
    """A cell with a problem.

    *place*: its child table, and the number of the item there; *row*: where the others of it stand.
    """

    document: DocumentText
    attribute: Attribute
    judgement: Judgement
    place: Place = OF_RECORD
    row: Sequence[Span] = ()


async def repair(model: LanguageModel, flaws: Sequence[Flaw], step: Step) -> list[CellReply | None]:
    """Ask for at most `MAX_REPAIRS` *flaws*; return what is said of each, None for nothing.

    Raises:
        ModelError: If no reply of use could be had.
    """
    keyed = {f"c{number}": flaw for number, flaw in enumerate(flaws, start=1)}
    prompt = replace(render_repairs_prompt(keyed), step=step)
    asked = await ask_for(model, prompt, RepairsReply)
    said = {cell.key: cell for cell in map(read_cell, asked.content.cells) if cell is not None}
    if said.keys().isdisjoint(keyed):
        asked.forget(model)
    return [said.get(key) for key in keyed]


def render_repairs_prompt(flaws: Mapping[str, Flaw]) -> Prompt:
    """Show each cell, its column, what was said of it, the reason, and its surroundings."""
    documents = dict.fromkeys(flaw.document.document_id for flaw in flaws.values())
    return render_prompt(
        "repair_cells",
        "repairs",
        subject=", ".join(documents),
        cells="\n\n".join(_render(key, flaw) for key, flaw in flaws.items()),
    )


def _render(key: str, flaw: Flaw) -> str:
    said = flaw.judgement.said
    lines = (
        f"value: {shorten(json.dumps(said.value, ensure_ascii=False), _LONGEST_QUOTE)}",
        f"quote: {shorten(said.quote, _LONGEST_QUOTE) or '(none)'}",
        f"problem: {flaw.judgement.problem}",
        f"around: {_surroundings(flaw)}",
    )
    table, number = flaw.place
    item = table and f"item {number} of {table}, "
    return f"{item}{describe_attribute(flaw.attribute)}\n{enclose(chr(10).join(lines), key)}"


def _surroundings(flaw: Flaw) -> str:
    """Show what stands around the quote, else the lines that have most of its words."""
    document, place = flaw.document, flaw.judgement.taken.cell.span or next(iter(flaw.row), None)
    places, reach = _find_lines(flaw), 0
    if place is not None:
        places = [Span(place.start, min(place.end, place.start + _LONGEST_QUOTE))]
        reach = _AROUND
    return choose_around(document.text, places, reach, document.passages).shown.strip()


def _find_lines(flaw: Flaw) -> list[Span]:
    """Return the lines with words of the column, the value and the quote; rare ones count more."""
    said, name = flaw.judgement.said, flaw.attribute.name.replace("_", " ")
    sought = (name, *flaw.attribute.synonyms, str(said.value or ""), said.quote[:_LONGEST_QUOTE])
    wanted = {stem(word) for text in sought for word in words(text) if word not in STOP_WORDS}
    lines = [
        (Span(*match.span()), wanted.intersection(stems(match[0])))
        for match in _LINE.finditer(flaw.document.text)
    ]
    times = Counter(word for _, found in lines for word in found)
    scored = [(sum(1 / times[word] for word in found), place) for place, found in lines if found]
    best = [place for _, place in sorted(scored, key=lambda item: -item[0])[:_MAX_LINES]]
    return best or [Span(0, min(_LONGEST_QUOTE, len(flaw.document.text)))]
