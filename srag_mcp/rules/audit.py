"""Audits: how many cells of a column are read to know how often it is wrong.

The cells of a column are finite, so the bounds are hypergeometric: 39 right ones of 100 show that
at most 5 % are wrong, 47 of 200, 59 of very many.
"""

from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from math import exp, lgamma

from srag_mcp.schema.attribute import Audit

LIMIT = 0.05  # of the cells of a column that holds, at most so many are wrong …
RISK = 0.05  # … or it holds by chance, at most so often
# Between rules that agree at different places (3 errors in 1,000 cells of six folders) and a single
# proven one (2 to 4 in 100): so a plan reads on where one error would end it too soon.
_USUAL = 0.01
# What a column that is read alone costs of what it costs to read a document for all, as an audit
# does: passages, beside other columns that are read alone.
_ALONE = 0.25


@dataclass(frozen=True, slots=True)
class Plan:
    """What is decided before a cell is looked at: so many are read, so many may be wrong."""

    n_audited: int
    n_allowed: int


def recount(audit: Audit, n_wrong: int) -> Audit:
    """Return *audit* with *n_wrong* cells more that were looked at, all wrong; less if negative.

    Nobody draws by chance what is corrected, so that the bound is rather too large than too small.
    """
    if not n_wrong or audit.bound == 1:
        return audit
    wrong = max(0, audit.wrong + n_wrong)
    audited = min(max(audit.audited + n_wrong, wrong), audit.cells)
    bound = round(upper_bound(audit.cells, audited, wrong), 4)
    update = {"wrong": wrong, "audited": audited, "bound": bound, "holds": bound <= LIMIT}
    return audit.model_copy(update=update)


def has_failed(audit: Audit) -> bool:
    """Whether rules may decide nothing; a column without a bound may leave too much open only."""
    return not audit.holds and upper_bound(audit.cells, audit.audited, audit.wrong) > LIMIT


def upper_bound(n_cells: int, n_audited: int, n_wrong: int) -> float:
    """Return the share of wrong cells that is exceeded with a probability of RISK at most.

    `upper_bound(100, 39, 0) == 0.05`
    """
    candidates = range(n_wrong, n_cells - n_audited + n_wrong + 1)
    n_excluded = bisect_left(
        candidates, True, key=lambda n: _tail(n_cells, n, n_audited, n_wrong) <= RISK
    )
    return candidates[n_excluded - 1] / n_cells


@lru_cache(maxsize=256)
def plan_audit(n_cells: int) -> Plan:
    """Choose how many of *n_cells* are audited, so that the least is read in the end.

    Where more than the allowed ones are wrong, all cells of the column are read, from passages.
    """
    best, least = Plan(n_cells, 0), float(n_cells)
    for n_allowed in range(n_cells):
        plan = plan_allowing(n_cells, n_allowed)
        if plan.n_audited >= least:
            break
        n_usual = round(_USUAL * n_cells)
        passes = _tail(n_cells, n_usual, plan.n_audited, n_allowed)
        n_read = plan.n_audited + (1 - passes) * (n_cells - plan.n_audited) * _ALONE
        if n_read < least:
            best, least = plan, n_read
    return best


def plan_allowing(n_cells: int, n_allowed: int) -> Plan:
    """Return the smallest audit that shows at most LIMIT wrong where *n_allowed* are found."""
    n_too_many = int(LIMIT * n_cells) + 1
    sizes = range(n_cells + 1)
    n_audited = bisect_left(
        sizes, True, key=lambda size: _tail(n_cells, n_too_many, size, n_allowed) <= RISK
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
