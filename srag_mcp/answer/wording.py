"""Rows in words: the text of an answer says nothing that its rows do not."""

import math

from srag_mcp.answer.answer import Bounds, ColumnCoverage, Denominator
from srag_mcp.model.ledger import Totals
from srag_mcp.schema.translation import Translation
from srag_mcp.store.guard import ResultPage, Value
from srag_mcp.values.numerals import digit_grouping

MAX_ITEMS_IN_TEXT = 50
MAX_COLUMNS = 8


def render_value(value: Value, unit: str | None = None) -> str:
    """Write one value for people.

    `1254760 -> "1,254,760"`, `139.642857 -> "139.643"`, `True -> "yes"`, `None -> "unknown"`
    """
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    return f"{_render_number(value)}{_render_unit(unit)}"


def render_text(translation: Translation, page: ResultPage) -> str:
    """Say the result of *translation* in one or a few sentences."""
    if not page.rows or all(value is None for row in page.rows for value in row):
        return f"No document gives an answer: {translation.restated}."
    if translation.kind in {"value", "boolean"} and len(page.rows) == 1 and len(page.rows[0]) == 1:
        value = page.rows[0][0]
        said = render_value(value, translation.unit)
        shown = said.capitalize() if isinstance(value, bool) else said
        return f"{shown}: {translation.restated}."
    return f"{_render_rows(page, translation.unit)}: {translation.restated}."


def render_denominator(found: Denominator) -> str:
    """Say over how many documents the answer was computed, and how many do not say.

    `"Over all 350 documents, of which 40 meet the conditions; rating: 37 used, 3 do not say."`
    """
    if found.uncounted:
        return (
            f"Over how many of {found.n_documents:,} documents was not counted: {found.uncounted}."
        )
    head = f"Over all {found.n_documents:,} documents"
    if found.n_selected is not None:
        meet = "meets" if found.n_selected == 1 else "meet"
        head += f", of which {found.n_selected:,} {meet} the conditions"
    if found.before_conditions:
        head += ", before conditions (counting after them would take too long)"
    known = "say" if found.before_conditions else "used"
    parts = [head, *(_render_gaps(item, known) for item in found.columns[:MAX_COLUMNS])]
    if not found.columns:
        parts.append("none is left out as unknown")
    if len(found.columns) > MAX_COLUMNS:
        parts.append(f"and {len(found.columns) - MAX_COLUMNS} more columns with gaps")
    return "; ".join(parts) + "."


def render_bounds(bounds: Bounds) -> str:
    """Say between which values the answer lies.

    `"Whatever they would say: 12 to 15."`, `"If those that do not say lie between 3 and 90, as the
    others do: 40.2 to 61."`
    """
    lower, upper = _render_number(bounds.lower), _render_number(bounds.upper)
    if bounds.within is None:
        return f"Whatever they would say: {lower} to {upper}."
    low, high = map(_render_number, bounds.within)
    condition = f"If those that do not say lie between {low} and {high}, as the others do"
    return f"{condition}: {lower} to {upper}."


def render_taken(taken: Totals) -> str:
    """Say what a language model took: `"2 calls, 7,912 tokens, $0.0018"`."""
    if not taken.n_calls and taken.n_cached:
        return "0 calls: the same was asked before, and the reply kept"
    about = "about " if taken.is_estimated else ""
    tokens = f"{taken.n_calls:,} calls, {about}{taken.tokens_in + taken.tokens_out:,} tokens"
    if taken.cost_usd is None:
        return f"{tokens}, price not known"
    return f"{tokens}, ${taken.cost_usd:,.4f}" if taken.cost_usd else tokens


def _render_gaps(item: ColumnCoverage, known: str) -> str:
    gaps = [f"{item.n_used:,} {known}"]
    if item.n_unknown:
        gaps.append(f"{item.n_unknown:,} do not say")
    if item.n_failed:
        gaps.append(f"{item.n_failed:,} could not be read")
    return f"{item.column}: {', '.join(gaps)}"


def _render_rows(page: ResultPage, unit: str | None) -> str:
    shown = page.rows[:MAX_ITEMS_IN_TEXT]
    if len(page.columns) == 1:
        body = ", ".join(render_value(row[0], unit) for row in shown)
    else:
        body = "; ".join(" — ".join(render_value(value) for value in row) for row in shown)
    if len(page.rows) > len(shown) or page.truncated:
        more = "and more" if page.truncated else f"and {len(page.rows) - len(shown)} more"
        body = f"{body} … {more}"
    return body


def _render_number(value: float) -> str:
    """Write a number for people: `1956`, which may be a year, `12,500`, `0.0123`, `4.333`."""
    grouping = digit_grouping(value)
    if isinstance(value, int) or (value.is_integer() and abs(value) < 1e15):
        return f"{int(value):{grouping}}"
    if value == 0 or not math.isfinite(value):
        return str(value)
    digits = max(2, 3 - math.floor(math.log10(abs(value)))) if abs(value) < 1 else 3
    return f"{value:{grouping}.{digits}f}".rstrip("0").rstrip(".")


def _render_unit(unit: str | None) -> str:
    if unit is None:
        return ""
    return " %" if unit == "percent" else f" {unit}"
