"""Extraction: the record of a document, by the rules that its schema carries."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from math import inf
from time import monotonic
from typing import Any

from srag_mcp.cells.cell import Cell, Mark, Record, add_note
from srag_mcp.claims.captions import line_at
from srag_mcp.claims.quotes import statement_at
from srag_mcp.errors import SchemaError
from srag_mcp.rules.candidates import amount_of, plain_value
from srag_mcp.rules.items import read_item
from srag_mcp.rules.labels import elect, keyed_numbers, plain_label, read_field
from srag_mcp.rules.places import find_place
from srag_mcp.rules.sightings import Sightings
from srag_mcp.rules.slots import best_slot, find_values, rival, told_apart
from srag_mcp.schema.attribute import (
    Attribute,
    CellRule,
    Extractor,
    ItemRule,
    KeyRule,
    PatternRule,
    PlaceRule,
    SlotRule,
    keys_of,
)
from srag_mcp.schema.schema import Schema
from srag_mcp.text.spans import Span, Spans
from srag_mcp.text.words import fold_words, stems
from srag_mcp.values.dates import find_dates
from srag_mcp.values.numbers import NO_VALUE, Hedge, hedge_in_text
from srag_mcp.values.quantities import find_quantities
from srag_mcp.values.states import WORDS, State
from srag_mcp.values.types import ColumnType
from srag_mcp.values.units import read_context

_MAX_WORDS = 7
_MAX_BEFORE = 2  # "on Monday, 3 May", "a total of"
_TIMEOUT_S = 0.2  # of a pattern on one document: a good one needs a thousandth of it
_MAX_MATCHES = 200
_PIECE = re.compile(  # of a pattern; `(` and `)` part groups, a count repeats the piece before it
    r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{(?:\d*,)?(?P<most>\d+),?\}|.", re.DOTALL
)
_MAX_PIECES = 20_000  # with counted repetitions written out, read in a hundredth of a second
_LONGEST_SHOWN = 200
_A_LINE = 80  # characters
GONE = "its rule is of an earlier version, and is not read any more"


def extract_record(sightings: Sightings, schema: Schema) -> Record:
    """Read one document: for each attribute the words that state it, and where they are.

    Values are left None: `normalise_column` reads them with the whole column in view.
    """
    cells = [extract_cell(sightings, attribute) for attribute in schema.attributes]
    [told] = take_back(sightings, schema.attributes, [cells])
    return Record(sightings.document.id, told)


def extract_cell(sightings: Sightings, attribute: Attribute) -> Cell:
    """Read one attribute: the first of its rules that finds something decides.

    What a later rule finds at another place is compared with it: a cell that it contradicts says so
    by a mark.
    """
    chosen: Cell | None = None
    for rule in attribute.extractors:
        cell = None if _is_gone(rule) else _apply(rule, sightings, attribute)
        if cell is None:
            continue
        if chosen is None:
            chosen = cell
        elif not chosen.marks and _differ(chosen, cell, attribute):
            chosen = _contradicted(chosen, repr((cell.as_stated or "")[:80]))
    if chosen is None and any(map(_is_gone, attribute.extractors)):
        return Cell(attribute.name, State.FAILED, note=GONE)
    return chosen or Cell(attribute.name, State.NOT_MENTIONED)


def _is_gone(rule: Extractor) -> bool:
    """Whether a rule is of an earlier version."""
    match rule:
        case PlaceRule():
            return rule.place == "line"
        case KeyRule():
            return bool(rule.leads)
        case SlotRule():
            return rule.value_type == "name"
    return isinstance(rule, CellRule)


def _contradicted(cell: Cell, other: str) -> Cell:
    return add_note(cell, f"told otherwise elsewhere: {other}", Mark.CONTRADICTED)


def _differ(one: Cell, other: Cell, attribute: Attribute) -> bool:
    """Whether two cells say different things at different places."""
    if attribute.type.is_boolean or one.span is None or other.span is None:
        return False
    said = [plain_value(cell.as_stated or "", attribute.type) for cell in (one, other)]
    return said[0] != said[1] and not one.span.overlaps(other.span)


def _apply(rule: Extractor, sightings: Sightings, attribute: Attribute) -> Cell | None:
    span: Span | None = None
    match rule:
        case KeyRule():
            return _by_key(rule, sightings, attribute)
        case ItemRule():
            return read_item(rule, sightings, attribute.name)
        case SlotRule():
            if (slot := best_slot(rule, sightings.slots)) is None:
                return None
            cell, text = _stated(attribute, sightings, slot.value.span), sightings.text
            own, is_shared = told_apart(text, slot.value.span, slot.sentence) or ("", False)
            if is_shared and rule.needs and {*stems(own)}.isdisjoint(rule.needs):
                return replace(cell, state=State.FAILED, note=Hedge.SEVERAL)
            other = rival(rule, slot, sightings.slots, text)
            words = other.value.span.of(text)[:80] if other else ""
            return _contradicted(cell, repr(words)) if other else cell
        case PlaceRule():
            span = find_place(rule, sightings)
        case PatternRule():
            try:
                span = find_pattern(rule, sightings.text)
            except SchemaError as error:
                return Cell(attribute.name, State.FAILED, note=str(error))
    return _stated(attribute, sightings, span) if span is not None else None


def _stated(attribute: Attribute, sightings: Sightings, span: Span, context: str = "") -> Cell:
    words, kind, hedge = span.of(sightings.text), attribute.type, None
    if kind.is_ordered:
        label = f"{attribute.name} {context}"
        hedge = hedge_in_text(sightings.text, span, label, is_day=kind.is_date)
    if hedge in NO_VALUE:
        return Cell(attribute.name, State.FAILED, words, span, context, note=str(hedge))
    cell = Cell(attribute.name, State.STATED, words, span, context)
    return cell if hedge is None else add_note(cell, hedge, Mark.DOUBTED)


def _by_key(rule: KeyRule, sightings: Sightings, attribute: Attribute) -> Cell | None:
    if rule.word is not None:
        number, near = elect(rule, keyed_numbers(sightings))
        if number is None:
            return None
        cell = _stated(attribute, sightings, number.span)
        return _contradicted(cell, "other labels give other numbers") if near else cell
    fields = read_field(rule, sightings)
    if not fields:
        return None
    field = fields[-1 if rule.occurrence == "last" else 0]
    span = field.figure if rule.reads == "label" else field.span
    if span is None:
        return None
    context = field.label if rule.reads != "label" else ""
    cell = _stated(attribute, sightings, span, context)
    if rule.reads != "label" and _is_in_passing(field.value, attribute.type):
        return replace(cell, state=State.FAILED, note="a sentence is stated, and no value")
    said = fold_words(field.value)
    other = next((other.value for other in fields if fold_words(other.value) != said), "")
    return _contradicted(cell, repr(other[:80])) if other else cell


def _is_in_passing(words: str, kind: ColumnType) -> bool:
    """Whether a number or a date is but a part of what is said: `see the list of 40 pages on …`."""
    if not kind.is_ordered or len(words.split()) <= _MAX_WORDS:
        return False
    spans = [span for span, _ in (find_dates(words) if kind.is_date else find_quantities(words))]
    return bool(spans) and len(words[: spans[0].start].split()) > _MAX_BEFORE


_DENIED, _WRONG, _TOLD = (said.replace("\n", "") for said in WORDS["corrections"].values())
_ASIDE = re.compile(r"[)\]]\W*[:|\n]")
_SOON = 12  # characters: `not CHF 590,000`
_CORRECTING = re.compile(  # a word that denies: only before a figure or a name
    rf"\b(?:(?P<denied>{_DENIED})\b(?=.{{0,{_SOON}}}\d|\s(?-i:[A-ZÀ-Þ]))"
    rf"|(?P<wrong>{_WRONG})\b|(?:{_TOLD})\b)",
    re.IGNORECASE,
)


def take_back(
    sightings: Sightings, attributes: Sequence[Attribute], rows: Sequence[Sequence[Cell]]
) -> tuple[tuple[Cell, ...], ...]:
    """Return the *rows* of a document, with a mark on the cells that it takes back elsewhere.

    It may deny the very value (`9 hives, not 109`), say that it is wrong, or say by words of a
    correction another one of what the cell is called; or repeat its label with an aside and another
    value: `Hives (recount): 9`. What a column or one of several rows is called corrects nothing,
    and what names some rows (`the price of tea is 9`), or else their values, no others.
    """
    text, named = sightings.text, {*keys_of(r for x in attributes for r in x.extractors)}
    found = [m for m in _CORRECTING.finditer(text) if fold_words(m[0]) not in " ".join(named)]
    own_words = Spans(
        cell.span for row in (rows if len(rows) > 1 else ()) for cell in row if cell.span
    )
    told = [(m, _statement_of(m)) for m in found if not own_words.overlap(Span(*m.span()))]
    labels = sightings.fields if _ASIDE.search(text) else {}  # few rows of a table file have one
    fields = [f for own in labels.values() for f in own if f.key not in named]
    asides = [(fold_words(plain_label(f.label)), f) for f in fields if f.label[-1:] in {")", "]"}]
    known, done = {attribute.name: attribute for attribute in attributes}, [[*row] for row in rows]
    said = [f" {fold_words(at.of(text))} " for _, at in told]
    words = [
        [
            (f" {fold_words(cell.as_stated or '')} ", known[cell.attribute].type.is_text)
            for cell in row
        ]
        for row in done
        if told
    ]
    meant = [
        [max((1 + is_text for part, is_text in own if part in one), default=0) for own in words]
        for one in said
    ]
    for number, row in enumerate(done if told or asides else ()):
        near = [x for x, own in zip(told, meant, strict=True) if own[number] == max(own)]
        for place, cell in enumerate(row):
            attribute, kind = known[cell.attribute], known[cell.attribute].type
            rules = (x for x in attribute.extractors if isinstance(x, KeyRule) and x.word is None)
            keys = keys_of(rules)
            if cell.state is not State.STATED or cell.span is None or kind.is_boolean:
                continue
            own = plain_value(cell.as_stated or "", kind)
            others = (f"{f.label}: {f.value}" for key, f in asides
                      if key in keys and plain_value(f.value, kind) != own
                      and not read_context(f.label).unit)  # fmt: skip
            taken = (at.of(text) for match, at in near if _takes_back(match, at, cell, attribute))
            if other := next(chain(others, taken), ""):
                shown = repr(" ".join(other.split())[:_LONGEST_SHOWN])
                row[place] = _contradicted(cell, shown)
    return tuple(map(tuple, done))


def _statement_of(match: re.Match[str]) -> Span:
    """Return the sentence of a word of a correction; of one without a figure the next as well."""
    text, place = match.string, statement_at(match.string, Span(*match.span()))
    rest = text[place.end :].lstrip()
    if rest and not any(map(str.isdigit, place.of(text))):
        place = statement_at(text, Span(place.start, len(text) - len(rest) + 1))
    start, end = match.start() - _A_LINE, match.end() + _A_LINE
    return Span(max(place.start, start), min(place.end, end))


def _takes_back(match: re.Match[str], place: Span, cell: Cell, attribute: Attribute) -> bool:
    """Whether the statement at *place*, with a word of a correction, is against a cell."""
    said, words, at = place.of(match.string), cell.as_stated or "", match.end() - place.start
    if not attribute.type.is_ordered:
        is_name = words[:1].isupper() and re.match(rf"\W*{re.escape(words)}\b", said[at:])
        return bool(match["denied"] and is_name)
    values = find_values(words)[:1]
    alike = [
        (value.span.start, value.amount == own.amount)
        for own in values
        for value in find_values(said)
        if value.unit in {None, own.unit} and (value.type == "date") == (own.type == "date")
    ]
    behind = [(start - at <= _SOON, is_own) for start, is_own in alike if start >= at]
    if match["denied"]:
        return behind[:1] == [(True, True)]
    names = (attribute.name.replace("_", " "), *attribute.synonyms)
    is_called = any({*stems(name)} <= {*stems(said)} for name in names)
    own_place = cell.span or place
    if place.overlaps(own_place) and (match["wrong"] or own_place.start > match.start()):
        return False
    is_meant = is_called or any(is_own for _, is_own in alike)
    return bool(alike) and is_meant and (bool(match["wrong"]) or not [*behind, alike[-1]][0][1])


def find_pattern(rule: PatternRule, text: str) -> Span | None:
    """Return where the value of *rule* is, or None.

    A pattern comes from outside: it may be slow, and runs under a time limit.

    Raises:
        SchemaError: If the pattern cannot be read, or takes too long.
    """
    found = find_matches(rule, text)
    if not found or (rule.pick == "unique" and len({fold_words(s.of(text)) for s in found}) > 1):
        return None
    if rule.pick == "max":
        amounts = {span: amount_of(span.of(text)) for span in found}
        return max(found, key=lambda span: -inf if (n := amounts[span]) is None else n)
    return found[-1 if rule.pick == "last" else 0]


def find_matches(rule: PatternRule, text: str) -> list[Span]:
    """Return all places that the pattern of *rule* takes, before one of them is picked.

    Raises:
        SchemaError: If the pattern cannot be read, or takes too long.
    """
    found: list[Span] = []
    pattern = _compile(rule.pattern)
    group = "value" if "value" in pattern.groupindex else 0
    deadline = monotonic() + _TIMEOUT_S
    try:
        for scope in _scopes(rule, text):
            left = max(0.001, deadline - monotonic())
            matches = pattern.finditer(text, scope.start, scope.end, timeout=left)
            spans = [
                Span(*m.span(group)) for m, _ in zip(matches, range(_MAX_MATCHES), strict=False)
            ]
            found += [span for span in spans if span.start >= 0 and _is_wanted(rule, text, span)]
    except TimeoutError as error:
        msg = f"the pattern {rule.pattern!r} takes longer than {_TIMEOUT_S} s on one document"
        raise SchemaError(msg) from error
    return found


def match_whole(pattern: str, text: str) -> dict[str, Span] | None:
    """Return where the groups of *pattern* stand in *text*; None where it does not take all of it.

    Nor where that takes too long to tell: what a document says is not to be trusted.

    Raises:
        SchemaError: If the pattern cannot be read.
    """
    try:
        match = _compile(pattern).fullmatch(text, timeout=_TIMEOUT_S)
    except TimeoutError:
        return None
    return match and {name: Span(*match.span(name)) for name in match.groupdict()}


@lru_cache(maxsize=4096)  # of each document anew it would take longer than to look for the pattern
def _compile(pattern: str) -> Any:  # noqa: ANN401 - the library has no types
    """Read a pattern; SchemaError if it cannot be read.

    Nor is one with counted repetitions that take minutes to read: no time limit helps there.
    """
    import regex  # outside library with a time limit; not needed at start

    groups, last = [0], 0
    for piece in _PIECE.finditer(pattern):
        if piece[0] == "(":
            groups.append(0)
            continue
        if piece["most"] is not None:
            more = last * (max(1, int(piece["most"])) - 1)
            last += more
        elif piece[0] == ")" and len(groups) > 1:
            last = more = groups.pop()
        else:
            last = more = 1
        groups[-1] += more
    if sum(groups) > _MAX_PIECES:
        msg = f"the pattern {pattern!r:.{_LONGEST_SHOWN}} has {sum(groups):,} pieces"
        raise SchemaError(msg)
    try:
        return regex.compile(pattern, regex.MULTILINE)
    except (regex.error, RecursionError) as error:
        msg = f"the pattern {pattern!r} cannot be read: {error}"
        raise SchemaError(msg) from error


def _scopes(rule: PatternRule, text: str) -> Iterator[Span]:
    """Yield where a pattern is tried; `after`: from a label to the end of the next line."""
    size, label = rule.characters or len(text), fold_words(rule.label or "")
    if rule.scope == "head":
        yield Span(0, min(size, len(text)))
    elif rule.scope == "tail":
        yield Span(max(0, len(text) - size), len(text))
    elif rule.scope == "text" or not rule.label:
        yield Span(0, len(text))
    else:
        start = 0
        for line in text.splitlines(keepends=True):
            end, folded = start + len(line), fold_words(line)
            if rule.scope == "under" and folded == label:
                yield Span(end, min(len(text), end + size))
            elif rule.scope == "after" and f"{folded} ".startswith(f"{label} "):
                following = text.find("\n", end)
                yield Span(start, len(text) if following < 0 else following)
            start = end


def _is_wanted(rule: PatternRule, text: str, span: Span) -> bool:
    words = f" {fold_words(line_at(text, span).of(text))} "
    has_need = not rule.need or any(f" {fold_words(word)} " in words for word in rule.need)
    return has_need and not any(f" {fold_words(word)} " in words for word in rule.veto)
