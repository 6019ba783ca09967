"""What does not fit its column: the suspicions of it, and the complaints about its definition."""

import logging
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date
from itertools import combinations
from statistics import median
from typing import Literal

from srag_mcp.cells.cell import Cell, Mark, PredictedCell, add_note, write_canonical
from srag_mcp.claims.claim import check
from srag_mcp.claims.figures import (
    LAST_YEAR,
    column_unit,
    may_be_year,
    read_figures,
    speaks_of_years,
)
from srag_mcp.claims.odd_numbers import (
    NO_TAGS,
    StatedValue,
    Suspicion,
    SuspicionKind,
    Tags,
    read_stated,
    suspect_numbers,
    suspect_stand_ins,
)
from srag_mcp.claims.quotes import ground
from srag_mcp.errors import ModelError, ModelStoppedError
from srag_mcp.model.language_model import LanguageModel, enclose, render_prompt
from srag_mcp.model.reply_content import ReplyContent, ReplyElement, ask_for, describe_misfits
from srag_mcp.names.doubtful import compare
from srag_mcp.names.uniting import Name, read_name
from srag_mcp.schema.attribute import Attribute, Scalar
from srag_mcp.text.words import fold, singular
from srag_mcp.values.dates import DateOrder, DateText, decide_order, find_dates, with_century
from srag_mcp.values.states import State

_FEWEST, _FEWEST_ALIKE = 5, 3
_MOST, _MOST_LONELY, _MOST_EXCEPTIONS = 0.5, 0.1, 0.1
_YEARS_AWAY, _SPREADS_AWAY = 100, 5
_LONELY_YEARS_AWAY, _LONELY_SPREADS_AWAY = 40, 10
_ALONE = 25


def suspect_dates(values: Sequence[StatedValue]) -> Iterator[Suspicion]:
    """Find dates that were read in another order than the column proves, or far away.

    Where a column proves both orders, all dates that may be either are suspected; where it proves
    none, those that were read in another order than most.
    """
    read = [  # a year of two digits is in the century that its column gave it
        (item, [with_century(text, item.value.year) for _, text in find_dates(item.as_stated)])
        for item in values
        if isinstance(item.value, date)
    ]
    texts = [text for _, found in read for text in found]
    order, proven = decide_order(texts)
    proofs = Counter(text.order for text in texts if text.order is not None)
    n_day, n_month = proofs["day_first"], proofs["month_first"]
    is_mixed = min(n_day, n_month) > _MOST_EXCEPTIONS * (n_day + n_month)
    kind: SuspicionKind = "date_orders" if is_mixed else "date_order"
    written = "the day first" if order == "day_first" else "the month first"
    reason = f"other documents of this column write {written}, and this one was read else"
    if is_mixed:
        reason = (
            f"{n_day} dates of this column are written the day first, {n_month} the month first,"
            " and this one may be either: what does its document use?"
        )
    for item, found in read if proven else ():
        is_ambiguous = any(text.ambiguous for text in found)
        if is_ambiguous and (is_mixed or item.value not in {text.on(order) for text in found}):
            yield Suspicion(item.document_id, kind, reason)
    if not proven:
        yield from _read_otherwise(read)
    years = {item.document_id: item.value.year for item in values if isinstance(item.value, date)}
    yield from _far_away(years, _plainly_dated(values), "dates")


def _read_otherwise(
    read: Sequence[tuple[StatedValue, Sequence[DateText]]],
) -> Iterator[Suspicion]:
    """Find the dates that were read with the month first where most have the day first, or so."""
    orders: dict[DateOrder, list[StatedValue]] = {"day_first": [], "month_first": []}
    for item, found in read:
        days, months = ({text.on(order) for text in found if text.ambiguous} for order in orders)
        if item.value in days ^ months:
            orders["day_first" if item.value in days else "month_first"].append(item)
    rare, usual = sorted(orders.values(), key=len)
    reason = (
        f"{len(usual)} dates of this column that may be either were read in one order of day and"
        f" month, {len(rare)} in the other: what does its document use?"
    )
    for item in [*rare, *usual] if len(rare) == len(usual) else rare:
        yield Suspicion(item.document_id, "date_orders", reason)


def suspect_years(attribute: Attribute, values: Sequence[StatedValue]) -> Iterator[Suspicion]:
    """Find whole numbers that are no years in a column of years, and years far from the others."""
    if not attribute.type.is_whole or column_unit(attribute) not in (None, "year"):
        return
    if not speaks_of_years(attribute):
        return  # numbers of invoices and heights of hills look like years, too
    n_quoted = sum(
        any(found.year == item.number for found in item.figures.dates)
        for item in values
        if may_be_year(attribute, item.number)
    )
    if n_quoted < _FEWEST_ALIKE or n_quoted <= _MOST * len(values):
        return
    for item in values:
        is_said = item.number <= LAST_YEAR and abs(item.number) in item.figures.plain
        if not (may_be_year(attribute, item.number) or is_said):
            reason = f"{n_quoted} values are years, this one is none"
            yield Suspicion(item.document_id, "impossible", reason)
    by_document = {item.document_id: int(item.number) for item in values}
    lonely = list(_far_away(by_document, _plainly_dated(values), "years", only_lonely=True))
    if len(lonely) <= max(1, _MOST_LONELY * len(values)):
        yield from lonely


def _plainly_dated(values: Sequence[StatedValue]) -> set[str]:
    """Return the documents whose words have the year of their value in full: `in 1891`."""
    return {
        item.document_id
        for item in values
        for year in (item.value.year if isinstance(item.value, date) else item.number,)
        if any(found.year == year and not found.two_digits for found in item.figures.dates)
    }


def _far_away(
    years: Mapping[str, int], plain: Set[str], what: str, *, only_lonely: bool = False
) -> Iterator[Suspicion]:
    """Find the years, by document id, that are far from most *what* (`dates`)."""
    if len(years) < _FEWEST:
        return
    middle, counts = median(years.values()), Counter(years.values())
    spread = median(abs(year - middle) for year in years.values())
    far = max(_YEARS_AWAY, _SPREADS_AWAY * spread)
    lonely = max(_LONELY_YEARS_AWAY, _LONELY_SPREADS_AWAY * spread)
    for document_id, year in years.items():
        away = abs(year - middle)
        is_alone = counts[year] == 1 and all(
            abs(year - other) > _ALONE for other in counts if other != year
        )
        is_far = (away > far and not only_lonely) or (away > lonely and is_alone)
        if is_far and document_id not in plain:
            reason = f"most {what} are around {int(middle)}, this one is in {year}"
            yield Suspicion(document_id, "impossible", reason)


_MAX_EXAMPLES = 3
_MOST_COMPARED = 5_000


def find_suspicions(
    attribute: Attribute, values: Sequence[StatedValue], tags: Tags = NO_TAGS
) -> list[Suspicion]:
    """Return what does not fit, at most one suspicion a document, in the order of *values*.

    *tags* are the units that the text cells of the documents name (`read_tags`).
    `[12.5, 13.1, 11.9, 14.2, 12800.0]` in millions -> the last: about 1,000 times larger
    """
    if attribute.type.is_numeric:
        found = [*suspect_numbers(attribute, values, tags), *suspect_years(attribute, values)]
    elif attribute.type.is_date:
        found = list(suspect_dates(values))
    elif attribute.type.is_text:
        found = list(suspect_spellings(attribute, values))
    else:
        found = []
    first: dict[str, Suspicion] = {}
    for suspicion in found:
        first.setdefault(suspicion.document_id, suspicion)
    return [first[item.document_id] for item in values if item.document_id in first]


def mark_misfits(attribute: Attribute, cells: Mapping[int, Cell]) -> dict[int, Cell]:
    """Return the *cells* of a column that rules read, with a mark on those that misfit."""
    marked = dict(cells)
    if attribute.type.is_ordered and len(cells) <= _MOST_COMPARED:
        values = [
            StatedValue(str(number), cell.value, cell.as_stated or "")
            for number, cell in cells.items()
            if cell.state is State.STATED and cell.value is not None
        ]
        for found in (*suspect_stand_ins(values), *find_suspicions(attribute, values)):
            number = int(found.document_id)
            cell = cells[number]
            if found.kind == "other_unit" and cell.note.startswith(f"in {cell.unit}, not in "):
                cell = replace(cell, note="")  # the cause is said once
            marked[number] = add_note(cell, found.reason, Mark.CONTRADICTED)
    return marked


def find_complaints(
    attribute: Attribute, cells: Mapping[str, PredictedCell], tags: Tags = NO_TAGS
) -> Iterator[str]:
    """Say what its definition should settle: failed cells, silence, mixed scales, spellings.

    A category that is listed in two spellings is told, too. *cells* are by document id; *tags* are
    the units that the text cells of the documents name.
    """
    failed = [item.cell.note for item in cells.values() if item.cell.state is State.FAILED]
    if failed:
        yield f"attribute {attribute.name}: {'; '.join(failed[:_MAX_EXAMPLES])}"
    for one, other in combinations(attribute.categories or (), 2):
        if _resemble(read_name(one), read_name(other), as_equals=True):
            yield (
                f"attribute {attribute.name}: its categories “{one}” and “{other}” may be one;"
                " list it once"
            )
    n_silent = sum(item.cell.state is State.NOT_MENTIONED for item in cells.values())
    if attribute.type.is_boolean and attribute.absent_means == "unknown" and n_silent:
        said = [item.value_text for item in cells.values() if item.cell.state is State.STATED]
        if set(said) == {"true"}:
            yield (
                f"attribute {attribute.name}: {len(said)} documents say yes, {n_silent} nothing,"
                ' none no: if silence means no, its absent_means is "false"'
            )
    values = read_stated(attribute, cells)
    quotes = {item.document_id: item.as_stated for item in values}
    reasons: defaultdict[str, list[str]] = defaultdict(list)
    for found in find_suspicions(attribute, values, tags):
        reasons[found.reason].append(quotes[found.document_id])
    for reason, words in reasons.items():
        shown = ", ".join(f"“{word}”" for word in words[:_MAX_EXAMPLES])
        yield f"attribute {attribute.name}: {shown}: {reason}"


_MOST_DISTINCT = 200
_MOST_DISTINCT_SHARE = 0.8
_LEAST_ALIKE = 0.75  # of `compare`: one slip
_TRANSLITERATION = str.maketrans(
    {
        "ä": "ae", "æ": "ae", "ö": "oe", "ø": "oe", "œ": "oe", "ü": "ue", "å": "aa", "þ": "th",
        "ß": "ss",
    }
)  # fmt: skip


def suspect_spellings(attribute: Attribute, values: Sequence[StatedValue]) -> Iterator[Suspicion]:
    """Find values outside of the categories, and ones that resemble a value as frequent or more.

    Of two equally frequent ones the later in the alphabet is suspected. Columns in which almost
    every document has a value of its own (names, numbers) are left alone, but for letters that are
    written out or without their accents, and a name in another order: `Koeln`, `Sao Paulo`,
    `Okafor, M.`.
    """
    counts = Counter(str(item.value) for item in values)
    known = _written_otherwise(counts)
    outside: set[str] = set()
    if attribute.categories:
        inside = {fold(name) for name in attribute.categories}
        outside = {text for text in counts if fold(text) not in inside}
        reasons = _alike(counts, known, as_equals=True) | dict.fromkeys(
            outside, f"it is none of the categories {', '.join(attribute.categories)}"
        )
    elif len(counts) > min(_MOST_DISTINCT, _MOST_DISTINCT_SHARE * len(values)):
        reasons = known
    else:
        reasons = _alike(counts, known, as_equals=False)
    for item in values:
        text = str(item.value)
        if text in reasons:
            kind: SuspicionKind = "category" if text in outside else "spelling"
            yield Suspicion(item.document_id, kind, reasons[text])


def _resemble(one: Name, other: Name, *, as_equals: bool) -> bool:
    """Whether two texts may be one in two spellings: as `compare` says, or one begins the other."""
    alike, (short, long) = compare(one, other), sorted((one, other), key=lambda x: len(x.bare))
    n_words = len(short.bare)
    if n_words < len(long.bare) and alike < 1 and short.squashed not in long.initials:
        return alike > 0 and not as_equals and long.bare[:n_words] == short.bare
    return alike > _LEAST_ALIKE


def _alike(
    counts: Mapping[str, int], known: Mapping[str, str], *, as_equals: bool
) -> dict[str, str]:
    """Map each value to why it may be another one, which at least as many documents have."""
    ranked = sorted(counts, key=lambda text: (-counts[text], text))
    reasons, names = dict(known), {text: read_name(text) for text in counts}
    for place, text in enumerate(ranked):
        for frequent in ranked[:place] if text not in reasons else ():
            n_frequent = counts[frequent]
            are_equal = as_equals or counts[text] == n_frequent
            if frequent not in reasons and _resemble(
                names[text], names[frequent], as_equals=are_equal
            ):
                reasons[text] = _is_it(frequent, n_frequent)
                break
    return reasons


def _written_otherwise(counts: Mapping[str, int]) -> dict[str, str]:
    """Map values to why they may be another one: the same words, written otherwise or several."""
    spellings: defaultdict[str, list[str]] = defaultdict(list)
    for text in sorted(counts, key=lambda text: (-counts[text], text.isascii(), text)):
        spellings[" ".join(map(singular, _written_plainly(text).split()))].append(text)
    return {
        text: _is_it(frequent, counts[frequent])
        for frequent, *rarer in spellings.values()
        for text in rarer
        # by more than case and marks, which make no other value anyway
        if fold(text) != fold(frequent) or ("ß" in text) != ("ß" in frequent)
    }


def _written_plainly(text: str) -> str:
    """Fold a text without accents, but for letters that are written out, in plain order."""
    last, comma, first = text.partition(",")
    ordered = f"{first} {last}" if comma and "," not in first else text
    written = unicodedata.normalize("NFC", fold(ordered)).translate(_TRANSLITERATION)
    return "".join(unicodedata.normalize("NFD", letter)[0] for letter in written)


def _is_it(frequent: str, n_documents: int) -> str:
    return f"{n_documents} documents have “{frequent}”: is this the same value?"


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
