"""Repairs: cells that cannot be used, or are doubted, asked for again with what is around them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from srag_mcp.cells.cell import DocumentText
from srag_mcp.model.asking import ask_for
from srag_mcp.model.language_model import LanguageModel, Prompt, Step
from srag_mcp.model.reply_content import ReplyContent
from srag_mcp.prompting import enclose, render_prompt
from srag_mcp.records.judging import CellList, CellReply, Judgement, read_cell
from srag_mcp.records.record_prompt import describe_attribute
from srag_mcp.records.selection import choose_around, choose_passages
from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.shown import shorten
from srag_mcp.text.spans import Span

MAX_REPAIRS = 30  # in one prompt
_AROUND = 150  # characters on both sides of a quote
_PASSAGES_TOKENS = 100
_LONGEST_QUOTE = 300


class RepairsReply(ReplyContent):
    """The cells of one prompt, put right; keys are those of the prompt."""

    cells: tuple[CellList, ...]


@dataclass(frozen=True, slots=True)
class Flaw:
    """A cell with a problem."""

    document: DocumentText
    attribute: Attribute
    judgement: Judgement


async def repair(model: LanguageModel, flaws: Sequence[Flaw], step: Step) -> list[CellReply | None]:
    """Ask for at most `MAX_REPAIRS` *flaws*; return what is said of each, None for nothing.

    Raises:
        ModelStoppedError: If no further prompt can be answered.
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
    return f"{describe_attribute(flaw.attribute)}\n{enclose(chr(10).join(lines), key)}"


def _surroundings(flaw: Flaw) -> str:
    """Show what stands around the quote, else the passages that are nearest to it in words."""
    text, place = flaw.document.text, flaw.judgement.taken.cell.span
    if place is not None:
        end = min(place.end, place.start + _LONGEST_QUOTE)
        return choose_around(text, [Span(place.start, end)], _AROUND).shown
    said = flaw.judgement.said
    words = (*flaw.attribute.synonyms, str(said.value or ""), said.quote[:_LONGEST_QUOTE])
    sought = flaw.attribute.model_copy(update={"synonyms": words})
    return choose_passages(text, [sought], _PASSAGES_TOKENS, [Span(0, len(text))]).shown.strip()
