"""A query in plain words with the names of its columns, so that a person can check it."""

from __future__ import annotations

from collections.abc import Mapping

from srag_mcp.sqlfacts.aggregates import first_ranked, group_keys
from srag_mcp.sqlfacts.trees import (
    columns_of,
    exp,
    is_null_test,
    sources_of,
    split_and,
    stated_column,
    where_of,
)
from srag_mcp.values.quantities import digit_grouping

_AMOUNTS = {
    "Sum": "sum of", "Avg": "average of", "Median": "median of", "Min": "lowest", "Max": "highest",
}  # fmt: skip
_RELATIONS = {
    "EQ": "is", "NEQ": "is not", "LT": "is below", "LTE": "is at most", "GT": "is above",
    "GTE": "is at least",
}  # fmt: skip
_OF_DATES = {
    "LT": "is before", "LTE": "is not after", "GT": "is after", "GTE": "is not before",
}  # fmt: skip
_PARTS = {
    "Year": "year", "Month": "month", "Day": "day", "Quarter": "quarter", "Week": "week",
    "Dayname": "weekday", "DayOfWeekIso": "weekday", "Monthname": "month",
}  # fmt: skip
_FORMATS = {"%B %Y": "month", "%Y-%m": "month", "%B": "month", "%Y": "year", "%G-W%V": "week"}
_SAID_CLAUSES = frozenset({
    "expressions", "from_", "where", "group", "having", "qualify", "order", "limit", "distinct",
})  # fmt: skip
_ASKED_CLAUSES = {"expressions", "from_", "where"}
_ROW = "document_id"


class _UnsaidError(Exception):
    """There are no plain words for a part of a query."""


def say_query(tree: exp.Expr | None, units: Mapping[str, str] | None = None) -> str | None:
    """Say what *tree* asks of one table; None where there are no plain words for a part of it.

    `SELECT avg(price) FROM hotels WHERE stars > 3` -> `average of price where stars is above 3`

    Numbers that a column is compared with are said with its unit of *units*.
    """
    if tree is None:
        return None
    for node in tree.find_all(exp.Between, exp.Binary) if units else ():
        held = _plain(node.this)
        held = _plain(held.this) if type(held).__name__ in _AMOUNTS else held
        unit = units.get(held.name) if units and isinstance(held, exp.Column) else None
        for number in node.iter_expressions() if unit else ():
            if isinstance(number, exp.Literal) and not number.is_string:
                number.meta["unit"] = unit
    read = (item for item in tree.find_all(exp.Table) if not _is_beside(item))
    if len({item.name.lower() for item in read}) != 1:
        return None
    try:
        return _query(tree)
    except _UnsaidError:
        return None


def _is_beside(table: exp.Table) -> bool:
    """Whether a table is read for what stands in a record, or in its lists, beside the rows."""
    within = table.find_ancestor(exp.In)
    number = table.find_ancestor(exp.Subquery)
    is_asked = within is not None and within.this.name == _ROW
    return is_asked or (number is not None and bool(_listed_in(number)))


def _listed_in(node: exp.Expr) -> str:
    """Return the list of which a subquery has how many a record has; empty for another."""
    select = node.unnest()
    tables = [x.name for x in sources_of(select)] if isinstance(select, exp.Select) else []
    texts = [x.name for x in select.find_all(exp.Literal) if x.is_string] if tables else []
    return texts[0] if tables == ["cells"] and len(texts) == 1 else ""


def _need(is_so: object) -> None:
    if not is_so:
        raise _UnsaidError


def _query(tree: exp.Expr) -> str:
    select = tree.unnest()
    if not isinstance(select, exp.Select):
        raise _UnsaidError
    _need(all(clause in _SAID_CLAUSES for clause, value in select.args.items() if value))
    outputs, sources = [item.unalias() for item in select.selects], sources_of(select)
    _need(len(outputs) == 1 if not sources else len(sources) == 1)
    if not sources:
        return _number(outputs[0], "")
    source = sources[0]
    if isinstance(source, exp.Subquery):  # how many rows it has: groups that meet a HAVING
        counts = isinstance(outputs[0], exp.Count) and isinstance(outputs[0].this, exp.Star)
        is_plain = not any(select.args.get(key) for key in ("where", "group", "limit"))
        _need(len(outputs) == 1 and counts and is_plain)
        said = _query(source.unnest())
        each, _, group = said.partition("each ")
        return f"number of rows of: {said}" if each or not group else f"number of values of {group}"
    _need(not any(source.args.get(key) for key in ("sample", "pivots")))
    if select.args.get("group"):
        return _groups(select, outputs)
    if any(item.find(exp.AggFunc) and not item.find(exp.Window) for item in outputs):
        return " and ".join(_number(item, _where(select)) for item in outputs)
    return _listing(select, outputs)


def _groups(select: exp.Select, outputs: list[exp.Expr]) -> str:
    amounts = [item for item in outputs if item.find(exp.AggFunc)]
    keys = group_keys(select)
    clauses = [name for name in ("having", "qualify", "limit") if select.args.get(name)]
    if not keys or set(keys) != set(outputs) - set(amounts) or len(clauses) > 1:
        raise _UnsaidError
    where, key = _where(select), " and ".join(map(_term, keys))
    shown = " and ".join(_number(item, where) for item in amounts)
    if clauses == ["having"]:
        parts = split_and(select.args["having"].this)
        said = f"each {key} whose {' and whose '.join(_compared(x.unnest(), where) for x in parts)}"
        return f"{said}, with the {shown}" if shown else said
    if not clauses:
        return f"{shown}, for each {key}" if shown else f"different {key}{where}"
    found = first_ranked(select)
    if found is None:
        raise _UnsaidError
    ranked, n_first = found[0], found[1].name
    end = "highest" if ranked.args.get("desc") else "lowest"
    many = f"{key} with the" if n_first == "1" else f"the first {n_first} {key} by"
    said = f"{many} {end} {_number(ranked.this, where)}"
    return f"{said}, and the {shown}" if shown and amounts != [ranked.this] else said


def _listing(select: exp.Select, outputs: list[exp.Expr]) -> str:
    distinct, limit, order = (select.args.get(name) for name in ("distinct", "limit", "order"))
    _need(not select.args.get("qualify") and not (distinct and distinct.args.get("on")))
    ranks = [item for item in (order.expressions if order else []) if item.this.name != _ROW]
    ways = ("falling" if item.args.get("desc") else "rising" for item in ranks)
    by = ", then ".join(f"by {way} {_term(x.this)}" for way, x in zip(ways, ranks, strict=True))
    many = "" if limit is None else f"the first {_constant(limit.expression)} "
    different = "different " if distinct is not None else ""
    shown = ("all columns" if isinstance(item, exp.Star) else _term(item) for item in outputs)
    said = f"{many}{different}{' and '.join(shown)}{_where(select)}"
    return f"{said}, {by}" if by else said


def _number(node: exp.Expr, where: str) -> str:
    """Say one value that is computed over the records of *where*."""
    node = _plain(node)
    name = type(node).__name__
    if isinstance(node, exp.Filter):
        asked = " and ".join(map(_condition, where_of(node)))
        said = _number(node.this, f"{where} and {asked}" if where else f" where {asked}")
    elif isinstance(node, exp.Subquery):
        said = _query(node)
    elif isinstance(node, exp.Count | exp.CountIf):
        said = _count(node, where)
    elif name in _AMOUNTS:
        said = f"{_amount(node)} {_term(node.this)}{where}"
    elif isinstance(node, exp.PercentileCont) and isinstance(node.expression, exp.Literal):
        said = f"{float(node.expression.name) * 100:g} % percentile of {_term(node.this)}{where}"
    elif isinstance(node, exp.Abs) and isinstance(_plain(node.this), exp.Sub | exp.DateDiff):
        said = _number(node.this, where)
    elif isinstance(node, exp.DateDiff):
        start, end = _number(node.expression, where), _number(node.this, where)
        said = f"{node.args['unit'].name.lower()}s from ({start}) to ({end})"
    elif isinstance(node, exp.LogicalOr | exp.LogicalAnd):
        each = "any" if isinstance(node, exp.LogicalOr) else "every"
        said = f"whether in {each} record{where} {_condition(node.this)}"
    elif isinstance(node, exp.Exists):
        _query(node.this)  # what else it has must have words, too
        said = f"whether there is a record{_where(node.this)}"
    elif isinstance(node, exp.Predicate):
        counted = _plain(node.this)
        some = isinstance(node, exp.GT) and node.expression.name == "0"
        is_some = some and isinstance(counted, exp.Count) and isinstance(counted.this, exp.Star)
        said = f"there is a record{where}" if is_some else f"the {_compared(node, where)}"
        said = f"whether {said}"
    else:
        said = _computed(node, where)
    return said


def _count(node: exp.Expr, where: str) -> str:
    counted = node.this
    if isinstance(node, exp.CountIf):
        return f"number of records{f'{where} and' if where else ' where'} {_condition(counted)}"
    if isinstance(counted, exp.Distinct):
        _need(len(counted.expressions) == 1)
        return f"number of different {_term(counted.expressions[0])}{where}"
    if counted is None or isinstance(counted, exp.Star | exp.Literal) or counted.name == _ROW:
        return f"number of records{where}"
    return f"number of records that state {_term(counted)}{where}"


def _computed(node: exp.Expr, where: str) -> str:
    """Say what two values make: a share, a difference, a sum."""
    if not isinstance(node, exp.Mul | exp.Div | exp.Add | exp.Sub):
        raise _UnsaidError
    left, right = _plain(node.left), _plain(node.right)
    if isinstance(node, exp.Mul):
        factor, other = (left, right) if isinstance(left, exp.Literal) else (right, left)
        return f"{_constant(factor)} × ({_number(other, where)})"
    times = ""
    scaled = left if isinstance(node, exp.Div) and isinstance(left, exp.Mul) else None
    if scaled is not None and isinstance(scaled.left, exp.Literal):
        factor, left = scaled.left, scaled.right
        times = "" if float(factor.name) == 1 else f"{_constant(factor)} × "
    one, other_one = f"({_number(left, where)})", f"({_number(right, where)})"
    if isinstance(node, exp.Div):
        return f"{times}{one} divided by {other_one}"
    joined = f"{one} plus {other_one}"
    return joined if isinstance(node, exp.Add) else f"difference between {one} and {other_one}"


def _where(select: exp.Expr) -> str:
    """Say the conditions; that what is used otherwise has to be stated goes without saying."""
    rest = (node for node in select.iter_expressions() if node.arg_key != "where")
    used = {name for node in rest for name in columns_of(node)}
    said = [_condition(part) for part in where_of(select) if stated_column(part) not in used]
    return f" where {' and '.join(said)}" if said else ""


def _condition(node: exp.Expr, *, holds: bool = True) -> str:
    node, closed, no = node.unnest(), "", "" if holds else "not "
    if isinstance(node, exp.Coalesce) and node.expressions == [exp.false()]:
        node, closed = node.this.unnest(), " (unknown counts as not)"
    if isinstance(node, exp.Column):
        return f"{node.name} {'holds' if holds else 'does not hold'}{closed}"
    if isinstance(node, exp.In) and not closed:
        query = node.args.get("query")
        listed = " or ".join(_constant(_plain(item)) for item in node.expressions)
        if query is not None and node.this.name == _ROW:
            said = f"{'one' if holds else 'none'} of its {_of_list(query.unnest())}"
        else:
            among = listed if query is None else f"among the {_query(query)}"
            said = f"{_term(node.this)} is {no}{among}"
        return said
    if is_null_test(node):
        return f"{_term(node.this)} is {'not ' if holds else ''}stated"
    if closed or not holds:
        return f"{no}{_condition(node)}{closed}"
    if isinstance(node, exp.And | exp.Or):
        joint = " and " if isinstance(node, exp.And) else " or "
        return f"({joint.join(map(_condition, node.flatten()))})"
    if isinstance(node, exp.Not):
        return _condition(node.this, holds=False)
    if isinstance(node, exp.Between):
        low, high = (_constant(_plain(node.args[end])) for end in ("low", "high"))
        return f"{_term(node.this)} is between {low} and {high}"
    return _compared(node)


def _of_list(select: exp.Expr) -> str:
    """Say which rows of another table have to be there: `order_items: name is 'Mug'`."""
    _need(isinstance(select, exp.Select) and select.args.get("where"))
    _need({key for key, value in select.args.items() if value} == _ASKED_CLAUSES)
    return f"{sources_of(select)[0].name}: {_where(select).removeprefix(' where ')}"


def _compared(node: exp.Expr, where: str = "") -> str:
    """Say how a column, or what is computed over the records of *where*, relates to another."""
    if isinstance(node, exp.Like | exp.ILike):
        pattern = node.expression
        text = pattern.name.strip("%")
        _need(isinstance(pattern, exp.Literal) and "_" not in text and "%" not in text)
        is_open = pattern.name.startswith("%"), pattern.name.endswith("%")
        verb = {(False, False): "is", (False, True): "begins with", (True, False): "ends with"}
        return f"{_term(node.this)} {verb.get(is_open, 'contains')} {text!r}"
    if not isinstance(node, exp.Binary):
        raise _UnsaidError
    left, right = _plain(node.left), _plain(node.right)
    is_computed = left.find(exp.AggFunc, exp.Query) is not None
    subject = _number(left, where) if is_computed else _term(left)
    relation = _relating(node, right)
    if _is_constant(right):
        return f"{subject} {relation} {_constant(right)}"
    if right.find(exp.AggFunc, exp.Query) is None:
        return f"{subject} {relation} {_term(right)}"
    inner = right.unnest()
    end = _plain(inner.selects[0].unalias()) if isinstance(inner, exp.Select) else None
    if isinstance(node, exp.EQ) and isinstance(end, exp.Max | exp.Min) and _plain(end.this) == left:
        found = _where(inner)
        among = " among records" if found else ""
        return f"{subject} is the {_amount(end)}{among}{found}"
    return f"{subject} {relation} the {_number(right, where)}"


def _amount(node: exp.Expr) -> str:
    name = type(node).__name__
    ends = {"Min": "first", "Max": "last"} if _plain(node.this).name == _ROW else _AMOUNTS
    return ends.get(name, _AMOUNTS[name])


def _relating(node: exp.Expr, right: exp.Expr) -> str:
    name, ordered = type(node).__name__, _plain(node.this).name == _ROW
    ordered = ordered or (isinstance(right, exp.Cast) and right.is_type("date"))
    words = _OF_DATES if ordered else _RELATIONS
    _need(name in _RELATIONS)
    return words.get(name, _RELATIONS[name])


def _term(node: exp.Expr) -> str:
    """Say a column, or a part of its date: `year of opened`."""
    node = _plain(node)
    part = _PARTS.get(type(node).__name__, "")
    if isinstance(node, exp.Column):
        return "document" if node.name == _ROW else node.name
    if isinstance(node, exp.RegexpReplace) and node.this.name == _ROW:
        return "file"
    if isinstance(node, exp.TimeToStr):
        part = _FORMATS.get(node.args["format"].name, "")
    elif isinstance(node, exp.Extract):
        part, node = node.name.lower(), exp.paren(node.expression)
    elif isinstance(node, exp.Concat) and any(item.name == "-Q" for item in node.expressions):
        return f"quarter of {next(column.name for column in node.find_all(exp.Column))}"
    elif isinstance(node, exp.Mul) and isinstance(_plain(node.left), exp.IntDiv):
        part, node = "decade", _plain(_plain(node.left).this)
    if not part:
        raise _UnsaidError
    return f"{part} of {_term(node.this)}"


def _constant(node: exp.Expr) -> str:
    node = _plain(node)
    if isinstance(node, exp.Neg):
        return f"-{_constant(node.this)}"
    if isinstance(node, exp.Cast | exp.Boolean):
        return str(node.this.name if isinstance(node, exp.Cast) else node.this)
    if not isinstance(node, exp.Literal):
        raise _UnsaidError
    if node.is_string:
        return repr(node.name)
    value = float(node.name)
    shown = int(value) if value.is_integer() else value
    return f"{shown:{digit_grouping(value)}} {node.meta.get('unit', '')}".rstrip()


def _is_constant(node: exp.Expr) -> bool:
    node = node.this if isinstance(node, exp.Neg | exp.Cast) else node
    return isinstance(node, exp.Literal | exp.Boolean)


def _plain(node: exp.Expr) -> exp.Expr:
    """Take away what changes how a value is written, not which one it is."""
    if isinstance(node, exp.Subquery) and (name := _listed_in(node)):
        return exp.column(f"number of {name}")
    shown_otherwise = (exp.Paren, exp.Round, exp.Cast, exp.Lower, exp.Upper, exp.Trim, exp.Nullif)
    while isinstance(node, shown_otherwise) and not _is_constant(node):
        node = node.this
    return node
