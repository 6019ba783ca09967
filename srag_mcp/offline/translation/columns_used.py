"""Which columns a reading uses, what for, and which stored values it binds."""

from srag_mcp.offline.translation.reading import (
    ROW,
    Between,
    Compare,
    Condition,
    Contains,
    Either,
    Elapsed,
    Every,
    Existence,
    Extreme,
    Grouping,
    Listing,
    Missing,
    Negated,
    Neighbour,
    OneOf,
    Operation,
    PartIs,
    Reading,
    Relative,
    SameAs,
    Scalar,
    Single,
    StartsWith,
    Summary,
    Truth,
    Verdict,
)
from srag_mcp.sqlfacts.query import BoundLiteral, ColumnUse, Role


def columns_used(reading: Reading) -> tuple[ColumnUse, ...]:
    """Return the columns of *reading* with their roles, each once a role, without the row's id."""
    uses = [ColumnUse(column, role) for column, role in _of_reading(reading) if column != ROW]
    return tuple(dict.fromkeys(uses))


def literals_bound(reading: Reading) -> tuple[BoundLiteral, ...]:
    """Return the stored values that phrases of the question were bound to."""
    bound: list[BoundLiteral] = []
    for condition in _conditions(reading):
        if isinstance(condition, OneOf):
            bound += [BoundLiteral(condition.asked, condition.column, v) for v in condition.values]
        elif isinstance(condition, Contains):
            bound.append(BoundLiteral(condition.asked, condition.column, f"%{condition.phrase}%"))
    return tuple(dict.fromkeys(bound))


def gaps_asked(reading: Reading) -> frozenset[str]:
    """Return the columns of which *reading* asks where they have (no) value."""
    found = [leaf for leaf in _conditions(reading) if isinstance(leaf, Missing)]
    return frozenset(leaf.column for leaf in found)


_Use = tuple[str, Role]


def _of_reading(reading: Reading) -> list[_Use]:
    found: list[_Use]
    match reading:
        case Single(scalar):
            found = _of_scalar(scalar)
        case Listing(outputs, where, _, order):
            found = [(term.column, "output") for term in outputs]
            found = found + _of_condition(where) + ([(order.column, "order")] if order else [])
        case Grouping(key, summary):
            found = [(key.column, "group"), *_of_scalar(summary)]
        case Verdict(left, _, right):
            rights = [] if isinstance(right, int | float) else _of_scalar(right)
            found = _of_scalar(left) + rights
        case Existence(where):
            found = _of_condition(where)
        case Neighbour(outputs, anchor, _, where):
            found = [(term.column, "output") for term in outputs]
            found = found + _of_condition(anchor) + _of_condition(where)
        case SameAs(outputs, shared, anchor, where):
            found = [(term.column, "output") for term in outputs]
            found = [
                *found,
                (shared.column, "filter"),
                *_of_condition(anchor),
                *_of_condition(where),
            ]
    return found


def _of_scalar(scalar: Scalar) -> list[_Use]:
    match scalar:
        case Summary(_, term, where):
            own: list[_Use] = [(term.column, "measure")] if term is not None else []
            return own + _of_condition(where)
        case Operation(_, left, right) | Elapsed(_, left, right):
            return _of_scalar(left) + _of_scalar(right)


def _of_condition(condition: Condition) -> list[_Use]:
    found: list[_Use]
    match condition:
        case Every(parts) | Either(parts):
            found = [use for part in parts for use in _of_condition(part)]
        case Negated(inner):
            found = _of_condition(inner)
        case Extreme(term, _, scope):
            found = [(term.column, "measure"), *_of_condition(scope)]
        case Relative(term, _, summary):
            found = [(term.column, "filter"), *_of_scalar(summary)]
        case Compare(term) | Between(term):
            found = [(term.column, "filter")]
        case OneOf() | Contains() | StartsWith() | Missing() | Truth() | PartIs():
            found = [(condition.column, "filter")]
    return found


def _conditions(reading: Reading) -> list[Condition]:
    match reading:
        case Single(scalar):
            roots = _wheres(scalar)
        case Listing(_, where) | Existence(where):
            roots = [where]
        case Grouping(_, summary):
            roots = _wheres(summary)
        case Verdict(left, _, right):
            roots = _wheres(left) + ([] if isinstance(right, int | float) else _wheres(right))
        case Neighbour(_, anchor, _, where) | SameAs(_, _, anchor, where):
            roots = [anchor, where]
    return [leaf for root in roots for leaf in _leaves(root)]


def _wheres(scalar: Scalar) -> list[Condition]:
    match scalar:
        case Summary(_, _, where):
            return [where]
        case Operation(_, left, right) | Elapsed(_, left, right):
            return _wheres(left) + _wheres(right)


def _leaves(condition: Condition) -> list[Condition]:
    match condition:
        case Every(parts) | Either(parts):
            return [leaf for part in parts for leaf in _leaves(part)]
        case Negated(inner):
            return _leaves(inner)
        case Extreme(_, _, scope):
            return _leaves(scope)
    return [condition]
