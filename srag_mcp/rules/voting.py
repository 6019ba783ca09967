"""Rules that a model wrote, run over all documents: what they agree on, and where they do not.

Of six folders, 5,847 cells: rules that agree at different places of a document are right in 99.7 %,
a lone one that was right at least three times and never wrong in 96 to 98 %, any lone one in 89 %,
and of rules that contradict each other the first in 73 %.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum
from functools import lru_cache
from itertools import combinations
from math import exp, inf, lgamma
from typing import TypeAlias

from srag_mcp.cells.cell import Cell, DocumentText, normalise_column
from srag_mcp.claims.claim import check
from srag_mcp.claims.figures import is_same_value
from srag_mcp.errors import SchemaError
from srag_mcp.rules.extraction import find_pattern
from srag_mcp.schema.attribute import Attribute, Audit, WrittenRule
from srag_mcp.text.words import fold
from srag_mcp.values.states import State
from srag_mcp.values.types import Value

FEWEST_RIGHT = 3
_MOST_FAILED = 3  # times that a rule may be too slow: each takes as long as a thousand good ones
Read: TypeAlias = Mapping[str, Cell]
"""The cells of one attribute that one rule reads, by document id."""


class Verdict(StrEnum):
    """What the rules of a column say of one document.

    `AGREED`: one value, at different places. `PROVEN`: one value, by a rule that never was wrong.
    `UNPROVEN`: one value, and nothing speaks for it. `CONFLICT`: several. `SILENT`: nothing.
    """

    AGREED = "agreed"
    PROVEN = "proven"
    UNPROVEN = "unproven"
    CONFLICT = "conflict"
    SILENT = "silent"


@dataclass(frozen=True, slots=True)
class Ruling:
    """A verdict, and the cells that led to it: the first is what counts where they agree."""

    verdict: Verdict
    cells: tuple[Cell, ...] = ()

    @property
    def is_taken(self) -> bool:
        """Whether the value may stand where the audit of its column holds."""
        return self.verdict in {Verdict.AGREED, Verdict.PROVEN}


_SILENT = Ruling(Verdict.SILENT)


def is_proven(rule: WrittenRule) -> bool:
    """Whether a rule may speak alone."""
    return rule.right >= FEWEST_RIGHT and not rule.wrong


def weigh(readings: Sequence[tuple[WrittenRule, Cell]]) -> Ruling:
    """Decide on one cell by what its rules read, each with a value."""
    if not readings:
        return _SILENT
    cells = tuple(cell for _, cell in readings)
    if not all(is_same_value(cells[0].value, cell.value) for cell in cells[1:]):
        return Ruling(Verdict.CONFLICT, cells)
    places = [cell.span for cell in cells if cell.span is not None]
    if any(not one.overlaps(other) for one, other in combinations(places, 2)):
        return Ruling(Verdict.AGREED, cells)
    proven = any(is_proven(rule) for rule, _ in readings)
    return Ruling(Verdict.PROVEN if proven else Verdict.UNPROVEN, cells)


def run_rules(
    attributes: Sequence[Attribute], documents: Iterable[DocumentText]
) -> dict[str, list[Read]]:
    """Return for each attribute, for each of its rules, the cells with values that it reads.

    A value is read with its whole column in view, and must follow from the words that the rule
    takes. A rule that cannot be read, or is too slow for some documents, says nothing at all.
    """
    found: dict[tuple[str, int], list[tuple[str, Cell]]] = defaultdict(list)
    n_failed: Counter[tuple[str, int]] = Counter()
    for document in documents:
        for attribute in attributes:
            for number, rule in enumerate(attribute.rules):
                key = (attribute.name, number)
                if n_failed[key] >= _MOST_FAILED:
                    continue
                try:
                    span = find_pattern(rule, document.text)
                except SchemaError:
                    n_failed[key] += 1
                    continue
                if span is not None:
                    words = span.of(document.text)
                    cell = Cell(attribute.name, State.STATED, words, span)
                    found[key].append((document.document_id, cell))
    for key in (key for key, n in n_failed.items() if n >= _MOST_FAILED):
        found[key].clear()
    return {
        attribute.name: [
            _with_values(attribute, rule, found[attribute.name, number])
            for number, rule in enumerate(attribute.rules)
        ]
        for attribute in attributes
    }


def _with_values(
    attribute: Attribute, rule: WrittenRule, found: Sequence[tuple[str, Cell]]
) -> Read:
    known = dict(rule.map)
    if rule.means is not None:
        known = {cell.as_stated or "": rule.means for _, cell in found}
    mapped = set(map(_key, known))
    alone = attribute.model_copy(update={"extractors": (rule.model_copy(update={"map": known}),)})
    cells = normalise_column(alone, [cell for _, cell in found])
    return {
        document_id: cell
        for (document_id, _), cell in zip(found, cells, strict=True)
        if cell.value is not None
        and (
            _key(said := cell.as_stated or "") in mapped
            or check(alone, said, cell.value, said).follows
        )
    }


def _key(words: str) -> str:
    return fold(words) or words


def score_rules(
    attribute: Attribute, read: Sequence[Read], labels: Read, shown: Collection[str] = ()
) -> tuple[WrittenRule, ...]:
    """Return the rules of *attribute* with what *labels*, cells that a model read, say of them.

    What their writer was *shown*, they are made to read: it proves none right, if some wrong.
    """
    scored = []
    for rule, cells in zip(attribute.rules, read, strict=True):
        is_right = {
            key: is_same_value(cells[key].value, known_value(attribute, label))
            for key, label in labels.items()
            if key in cells and label.state is not State.FAILED
        }
        n_right = sum(is_right[key] for key in is_right.keys() - {*shown})
        update = {"right": n_right, "wrong": len(is_right) - sum(is_right.values())}
        scored.append(rule.model_copy(update=update))
    return tuple(scored)


def rule_on(attribute: Attribute, read: Sequence[Read], ids: Iterable[str]) -> dict[str, Ruling]:
    """Return what the rules of *attribute* say of each document of *ids*, see `weigh`.

    Those that were ever wrong do not speak: they would only contradict.
    """
    pairs = zip(attribute.rules, read, strict=True)
    speaking = [(rule, cells) for rule, cells in pairs if not rule.wrong]
    return {
        key: weigh([(rule, cells[key]) for rule, cells in speaking if key in cells]) for key in ids
    }


def known_value(attribute: Attribute, cell: Cell) -> Value | None:
    """Return the value of a cell, or what its silence means."""
    if cell.state is State.NOT_MENTIONED:
        return attribute.type.implied.get(attribute.absent_means)
    return cell.value


def agrees(attribute: Attribute, ruling: Ruling, label: Cell) -> bool:
    """Whether what was read of a document is what its rules say; silence is not mentioned."""
    if label.state is State.FAILED:
        return False
    said = ruling.cells[0] if ruling.cells else Cell(attribute.name, State.NOT_MENTIONED)
    return is_same_value(known_value(attribute, said), known_value(attribute, label))


LIMIT = 0.05  # of the cells of a column that holds, at most so many are wrong …
RISK = 0.05  # … or it holds by chance, at most so often, in one look or in two that share it
# Between rules that agree at different places (3 errors in 1,000 cells of six folders) and a single
# proven one (2 to 4 in 100): so a plan reads on where one error would end it too soon.
_USUAL = 0.01
# What a column that is read alone costs of what it costs to read a document for all, as an audit
# does: passages, beside other columns that are read alone.
_ALONE = 0.25


class Look(IntEnum):
    """Which look at documents of which nothing is known an audit is; each has its own.

    What the first of two finds wrong mends the rules; the second judges them by other documents.
    """

    ONLY = 0
    FIRST = 1
    SECOND = 2

    @property
    def risk(self) -> float:
        """How often a column holds by chance in this look at most."""
        return RISK / 2 if self else RISK


@dataclass(frozen=True, slots=True)
class Plan:
    """What is decided before a cell is looked at: so many are read, so many may be wrong.

    *n_read*: so many are read in the end, as far as one can tell before.
    """

    n_audited: int
    n_allowed: int
    n_read: float = inf


def recount(audit: Audit, n_wrong: int) -> Audit:
    """Return *audit* with *n_wrong* cells more that were looked at, all wrong; less if negative.

    Nobody draws by chance what is corrected, so that the bound is rather too large than too small.
    """
    if not n_wrong or audit.bound == 1:
        return audit
    wrong = max(0, audit.wrong + n_wrong)
    audited = min(max(audit.audited + n_wrong, wrong), audit.cells)
    bound = round(upper_bound(audit.cells, audited, wrong, Look(audit.look)), 4)
    update = {"wrong": wrong, "audited": audited, "bound": bound, "holds": bound <= LIMIT}
    return audit.model_copy(update=update)


def has_failed(audit: Audit) -> bool:
    """Whether rules may decide nothing; a column without a bound may leave too much open only."""
    bound = upper_bound(audit.cells, audit.audited, audit.wrong, Look(audit.look))
    return not audit.holds and bound > LIMIT


def upper_bound(n_cells: int, n_audited: int, n_wrong: int, look: Look = Look.ONLY) -> float:
    """Return the share of wrong cells that is exceeded as rarely as *look* risks it, or rarer.

    `upper_bound(100, 39, 0) == 0.05`
    """
    candidates = range(n_wrong, n_cells - n_audited + n_wrong + 1)
    n_excluded = bisect_left(
        candidates, True, key=lambda n: _tail(n_cells, n, n_audited, n_wrong) <= look.risk
    )
    return candidates[n_excluded - 1] / n_cells


@lru_cache(maxsize=256)
def plan_audit(n_cells: int, look: Look = Look.ONLY) -> Plan:
    """Choose how many of *n_cells* are audited, so that the least is read in the end.

    Where more than the allowed ones are wrong, all cells of the column are read, from passages, or
    the second look is had before that.
    """
    best = Plan(n_cells, 0, n_cells)
    for n_allowed in range(n_cells):
        plan = plan_allowing(n_cells, n_allowed, look)
        if plan.n_audited >= best.n_read:
            break
        n_usual, n_rest = round(_USUAL * n_cells), n_cells - plan.n_audited
        passes = _tail(n_cells, n_usual, plan.n_audited, n_allowed)
        n_else = n_rest * _ALONE
        if look is Look.FIRST:
            n_else = min(n_else, plan_audit(n_rest, Look.SECOND).n_read)
        plan = replace(plan, n_read=plan.n_audited + (1 - passes) * n_else)
        best = min(best, plan, key=lambda plan: plan.n_read)
    return best


def choose_look(n_cells: int) -> Look:
    """Return `Look.FIRST` where two looks read less than a column costs that is read alone."""
    n_first = plan_audit(n_cells, Look.FIRST).n_audited
    n_second = plan_audit(n_cells - n_first, Look.SECOND).n_audited
    return Look.FIRST if n_first + n_second < _ALONE * n_cells else Look.ONLY


def plan_allowing(n_cells: int, n_allowed: int, look: Look = Look.ONLY) -> Plan:
    """Return the smallest audit that shows at most LIMIT wrong where *n_allowed* are found."""
    n_too_many = int(LIMIT * n_cells) + 1
    sizes = range(n_cells + 1)
    n_audited = bisect_left(
        sizes, True, key=lambda size: _tail(n_cells, n_too_many, size, n_allowed) <= look.risk
    )
    return Plan(min(n_audited, n_cells), n_allowed)


def _tail(n_cells: int, n_wrong: int, n_audited: int, n_found: int) -> float:
    """Return how probable it is to find at most *n_found* of the *n_wrong* cells."""
    least, most = max(0, n_audited + n_wrong - n_cells), min(n_found, n_audited, n_wrong)
    all_ways, n_right = _log_ways(n_cells, n_audited), n_cells - n_wrong
    return sum(
        exp(_log_ways(n_wrong, n) + _log_ways(n_right, n_audited - n) - all_ways)
        for n in range(least, most + 1)
    )


def _log_ways(n: int, k: int) -> float:
    """Return the logarithm of the ways to choose *k* of *n*."""
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
