"""Mentions: the items of a question, after words that speak of one column are joined."""

from collections.abc import Sequence
from dataclasses import replace

from srag_mcp.offline.translation.columns import DESCRIPTION, NAME, Table
from srag_mcp.offline.translation.items import Item, Kind, Sentence
from srag_mcp.offline.translation.lexicon import GLUE
from srag_mcp.offline.translation.linking import heaviest, words_of
from srag_mcp.offline.translation.literals import values_of
from srag_mcp.offline.translation.tokens import Token, stems, tokenise
from srag_mcp.store.values import ValueIndex

_JOINING = frozenset(
    [
        "of",
        "in",
        "the",
        "a",
        "an",
        "by",
        "per",
        "for",
        "on",
        "to",
        "with",
        "from",
        "s",
        "at",
        "(",
        ")",
        "-",
        "and",
    ]
)
_MAX_GAP = 3
_TIE = 0.05


def read_sentence(question: str, table: Table, values: ValueIndex) -> Sentence:
    """Find what each stretch of *question* means."""
    tokens = tokenise(question)
    candidates = [*words_of(table, tokens), *values_of(question, tokens, table, values)]
    joined = _join_columns(tokens, heaviest(tokens, candidates), table)
    return Sentence(question, tokens, tuple(joined), table)


def _join_columns(tokens: Sequence[Token], items: Sequence[Item], table: Table) -> list[Item]:
    """Join attribute words that may speak of one column, and drop glue and marks."""
    result: list[Item] = []
    for index, item in enumerate(items):
        if item.kind in {"glue", "mark"} or _links_nothing(items, index):
            continue
        while len(result) > 1 and _joins_over(tokens, result, item):
            result.pop()
        last = result[-1] if result else None
        if last is not None and _belong_together(tokens, last, item):
            result[-1] = _joined(last, item)
        else:
            result.append(item)
    settled = [_settled(tokens, _remarked(tokens, item), table) for item in result]
    settled = [item for at, item in enumerate(settled) if not _only_people(tokens, settled, at)]
    return [_promoted(settled, at) for at in range(len(settled))]


def _links_nothing(items: Sequence[Item], index: int) -> bool:
    """Whether an `or` stands between words without meaning: `signed or dated`."""
    near = [items[at].kind for at in (index - 1, index + 1) if 0 <= at < len(items)]
    return items[index].kind in {"or", "and"} and all(
        kind in {"glue", "mark", "say"} for kind in near
    )


def _belong_together(tokens: Sequence[Token], left: Item, right: Item) -> bool:
    columnar = {"attribute", "hint"}
    if left.kind not in columnar or right.kind not in columnar:
        return False
    between = tokens[left.last : right.first]
    if len(between) > _MAX_GAP or any(token.word not in _JOINING for token in between):
        return False
    if not left.columns or not right.columns:
        return False
    if any(token.word in {"and", "or"} for token in between):
        return left.columns[0][0] == right.columns[0][0] and left.kind == "attribute"
    lefts, rights = dict(left.columns), dict(right.columns)
    return left.columns[0][0] in rights or right.columns[0][0] in lefts


def _joins_over(tokens: Sequence[Token], result: Sequence[Item], item: Item) -> bool:
    """Whether the last item is an `or` between two words of one column: `limits or caps`."""
    linked = result[-1].kind in {"or", "and"}
    return linked and _belong_together(tokens, result[-2], item)


def _joined(left: Item, right: Item) -> Item:
    lefts, rights = dict(left.columns), dict(right.columns)
    shared = {name: lefts[name] + rights[name] for name in lefts if name in rights}
    ranked = tuple(sorted(shared.items(), key=lambda pair: -pair[1]))
    kind = "hint" if left.kind == right.kind == "hint" else "attribute"
    return Item("hint" if kind == "hint" else "attribute", left.first, right.last, columns=ranked)


def _settled(tokens: Sequence[Token], item: Item, table: Table) -> Item:
    """Rank the columns of an item: names that are wholly said come first, long names last."""
    if item.kind not in {"attribute", "hint"}:
        return item
    said = {token.stem for token in tokens[item.first : item.last]}
    ranked = sorted(
        ((name, weight + _fit(said, name, table)) for name, weight in item.columns),
        key=lambda pair: -pair[1],
    )
    tied = len(ranked) > 1 and ranked[0][1] - ranked[1][1] < _TIE
    promoted = item.kind == "hint" and item.columns[0][1] > 2 * DESCRIPTION - _TIE
    return replace(
        item, kind="attribute" if promoted else item.kind, columns=tuple(ranked), tied=tied
    )


def _remarked(tokens: Sequence[Token], item: Item) -> Item:
    """Take a remark such as `, tax included` for words without a place: it asks for more."""
    after = tokens[item.last].word if item.last < len(tokens) else ""
    before = tokens[item.first - 1].text if item.first else ""
    remark = after in {"included", "excluded", "inclusive", "exclusive"} and before in {",", "("}
    return replace(item, kind="unknown", columns=()) if remark and item.columns else item


def _only_people(tokens: Sequence[Token], items: Sequence[Item], at: int) -> bool:
    """Whether `people` stands for whom another column counts: `people in full-time jobs`."""
    item = items[at]
    alone = item.kind in {"attribute", "hint"} and item.last - item.first == 1
    if not alone or tokens[item.first].stem != "person":
        return False
    near = [i for i in items[at + 1 : at + 3] if i.kind != "yes_no"]
    return bool(near) and near[0].kind == "attribute"


_ASKING: frozenset[Kind] = frozenset({"how_many", "wh", "distinct", "each"})


def _promoted(items: Sequence[Item], at: int) -> Item:
    """Take a word of only one column's description for the column, behind the question word."""
    item = items[at]
    asked = at > 0 and items[at - 1].kind in _ASKING and item.kind == "hint" and not item.tied
    return replace(item, kind="attribute") if asked and item.columns else item


def _fit(said: set[str], name: str, table: Table) -> float:
    column = table.column(name)
    if column is None:
        return 0.0
    silent = GLUE | set(stems(column.attribute.unit or ""))
    names = ([word for word in words if word not in silent] or words for words in column.names)
    return max((_name_fit(said, words) for words in names), default=0.0)


def _name_fit(said: set[str], words: Sequence[str]) -> float:
    shared = said & set(words)
    if not shared:
        return 0.0
    whole = NAME if len(shared) == len(set(words)) else 0.0
    return whole - 0.1 * (len(set(words)) - len(shared))
