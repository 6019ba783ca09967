"""A second look of a language model at suspected values."""

import logging
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from srag_mcp.cells.cell import Mark, PredictedCell, add_note
from srag_mcp.cells.normalised import write_canonical
from srag_mcp.claims.claim import check
from srag_mcp.claims.figures import read_figures
from srag_mcp.claims.quotes import ground
from srag_mcp.errors import ModelError, ModelStoppedError
from srag_mcp.model.asking import ask_for
from srag_mcp.model.language_model import LanguageModel
from srag_mcp.model.reply_content import ReplyContent, ReplyElement, describe_misfits
from srag_mcp.prompting import enclose, render_prompt
from srag_mcp.schema.attribute import Attribute, Scalar
from srag_mcp.text.words import fold
from srag_mcp.values.states import State

logger = logging.getLogger(__name__)

MAX_SUSPECTS = 20
_KEPT = "looked at again and kept"
_STANDARDISED = "standardised: "
_UNSETTLED = "does not fit its column, and no verdict yet"
_AROUND = 200
_LONGEST_WHY = 300


class Verdict(ReplyElement):
    """What is to become of one value; *id* is the short one of the prompt."""

    id: str
    verdict: Literal["keep", "change", "unknown"]
    value: Scalar | None
    rationale: str


class VerdictsReply(ReplyContent):
    """The verdicts of one prompt."""

    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class Suspect:
    """A predicted cell that does not fit its column, with the text that it stands in."""

    document_id: str
    predicted: PredictedCell
    reason: str
    text: str


async def look_again(
    model: LanguageModel, attribute: Attribute, suspects: Sequence[Suspect], others: Sequence[str]
) -> list[PredictedCell]:
    """Ask about at most `MAX_SUSPECTS` *suspects* of one column; return them in order, judged.

    *others* are values of documents that are not suspected, most frequent first. Every change is
    noted in the cell, with the value before and after and why; so is that a value was kept, so that
    it is not asked about again. A verdict that is missing or does not fit leaves the value as it
    is, with a note, and so does a prompt without a reply of use: the next ingestion asks again.

    Raises:
        ModelStoppedError: If no further prompt can be answered.

    Source: DESIGN 7.6.
    """
    ids = {f"c{number}": suspect for number, suspect in enumerate(suspects, start=1)}

    unit = f", unit {attribute.unit}" if attribute.unit else ""
    one_of = f" One of: {', '.join(attribute.categories)}." if attribute.categories else ""
    prompt = render_prompt(
        "standardise",
        "standardise",
        attribute.name,
        column=f"`{attribute.name}` ({attribute.type}{unit}): {attribute.description}{one_of}",
        others=enclose("\n".join(f"- {other}" for other in others) or "(none)"),
        suspects="\n\n".join(_render(key, suspect) for key, suspect in ids.items()),
    )
    try:
        asked = await ask_for(
            model, prompt, VerdictsReply, lambda reply: _problems(attribute, reply, ids.keys())
        )
    except ModelStoppedError:
        raise
    except ModelError:
        logger.warning("%s: no reply of use on %d odd values", attribute.name, len(suspects))
        return [_leave(suspect) for suspect in suspects]
    times = Counter(verdict.id for verdict in asked.content.verdicts)
    verdicts = {
        item.id: item for item in asked.content.verdicts if times[item.id] == 1 and not item.misfits
    }
    judged = [_judge(attribute, ids[key], verdicts.get(key), others) for key in ids]
    if any(Mark.UNSETTLED in item.cell.marks for item in judged):
        asked.forget(model)
    return judged


def keep_old(before: PredictedCell, after: PredictedCell, reason: str) -> PredictedCell:
    """Return *before*, with a note that its change into *after* was not taken, for a *reason*."""
    note = f"{_KEPT}: {after.value_text!r} does not fit either: {reason}"
    return replace(before, cell=add_note(before.cell, note, Mark.KEPT))


def without_unsettled(item: PredictedCell) -> PredictedCell:
    """Return *item* without the mark and the note that it is not settled."""
    note = item.cell.note.removeprefix(_UNSETTLED).removeprefix("; ")
    marks = item.cell.marks - {Mark.UNSETTLED}
    return replace(item, cell=replace(item.cell, note=note, marks=marks))


def _leave(suspect: Suspect) -> PredictedCell:
    before = without_unsettled(suspect.predicted)
    return replace(before, cell=add_note(before.cell, _UNSETTLED, Mark.UNSETTLED))


def _problems(attribute: Attribute, reply: VerdictsReply, ids: Collection[str]) -> list[str]:
    given = [verdict.id for verdict in reply.verdicts]
    problems = [f"{key}: the verdict is missing" for key in ids if key not in given]
    problems += [f"{key}: there is no such value" for key in given if key not in ids]
    problems += [f"{key}: it has {n} verdicts" for key, n in Counter(given).items() if n > 1]
    problems += [f"{item.id}: {why}" for item in reply.verdicts for why in describe_misfits(item)]
    return problems + [
        f"{item.id}: {item.value!r:.80} is not {attribute.type.form}"
        for item in reply.verdicts
        if item.verdict == "change" and write_canonical(attribute, item.value) is None
    ]


def _judge(
    attribute: Attribute, suspect: Suspect, verdict: Verdict | None, others: Sequence[str]
) -> PredictedCell:
    before, after = without_unsettled(suspect.predicted), suspect.predicted.value_text
    if verdict is None:
        return _leave(suspect)
    why = " ".join(verdict.rationale.split())[:_LONGEST_WHY]
    if verdict.verdict == "unknown":
        note = f"{_STANDARDISED}was {after!r}, taken out ({why})"
        cell = add_note(replace(before.cell, value=None, unit=None), note, Mark.STANDARDISED)
        # where silence counts as no or 0, it must not look silent: the document says something
        if attribute.absent_means != "unknown":
            return PredictedCell(replace(cell, state=State.FAILED), None)
        silent = replace(cell, state=State.NOT_MENTIONED, as_stated=None, span=None)
        return PredictedCell(silent, None)
    if verdict.verdict == "change":
        after = write_canonical(attribute, verdict.value)
    if after is None:
        return _leave(suspect)
    if after == before.value_text:
        note, mark = f"{_KEPT} ({why})", Mark.KEPT
    elif _is_borne_out(attribute, suspect, after, others):
        note = f"{_STANDARDISED}was {before.value_text!r}, now {after!r} ({why})"
        mark = Mark.STANDARDISED
    else:
        note, after = f"{_KEPT}: its words do not say {after!r} ({why})", before.value_text
        mark = Mark.KEPT
    return PredictedCell(add_note(before.cell, note, mark), after)


def _is_borne_out(
    attribute: Attribute, suspect: Suspect, after: str, others: Sequence[str]
) -> bool:
    """Whether a value may be what the words of its own document say, written in another way."""
    if not attribute.type.is_text:
        value = attribute.type.read(after)
        words = suspect.predicted.cell.as_stated or ""
        if isinstance(value, int | float) and read_figures(words).has_in_thousands(value):
            return True  # where the document does not say it, the column shows the scale
        return value is not None and check(attribute, words, value, suspect.text).follows
    known = {*others, *(attribute.categories or ())}
    if after in known or f"“{after}”" in suspect.reason:
        return True
    spelt_anew = fold(after) == fold(suspect.predicted.value_text or "")
    return spelt_anew or ground(after, suspect.text, attribute) is not None


def _render(key: str, suspect: Suspect) -> str:
    text, span, around = suspect.text, suspect.predicted.cell.span, ""
    if span is not None:
        start, end = max(0, span.start - _AROUND), min(len(text), span.end + _AROUND)
        rest = " …" if end < len(text) else ""
        around = f"{'… ' if start else ''}{text[start:end].strip()}{rest}"
    lines = (
        f"value: {suspect.predicted.value_text}",
        f"said by: {suspect.predicted.cell.as_stated}",
        f"picked out because {suspect.reason}",
        f"around it: {around}",
    )
    return enclose("\n".join(lines), key)
