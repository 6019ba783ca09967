"""Mentions: the items of a question, after words that speak of one column are joined."""

from collections.abc import Sequence
from dataclasses import replace

from srag_mcp.offline.translation.columns import DESCRIPTION, NAME, Table
from srag_mcp.offline.translation.counted_nouns import is_count_of
from srag_mcp.offline.translation.idle_words import asks_for_more
from srag_mcp.offline.translation.items import Item, Kind, Sentence
from srag_mcp.offline.translation.lexicon import (
    FORMS_OF_DO,
    GLUE,
    SORTING,
)
from srag_mcp.offline.translation.linking import heaviest, words_of
from srag_mcp.offline.translation.literals import values_of
from srag_mcp.offline.translation.tokens import Token, inflected, stems, tokenise, words_in
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
# A column called `vessel_name` is what "the vessel" means.
_CALLING = frozenset(stems("name title"))
_LITERAL = 0.1
_MAX_GAP = 3
_TIE = 0.05
_NEAR = 0.06


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
        if asks_for_more(tokens, items, index, named=table.named):
            item = replace(item, kind="unknown")
        if _lasts(tokens, item) and table.named:
            continue
        if item.kind in {"glue", "mark"} or _links_nothing(items, index):
            continue
        while len(result) > 1 and _joins_over(tokens, result, item):
            result.pop()
        last = result[-1] if result else None
        apart = last is not None and _are_both_named(tokens, last, item, table)
        if last is not None and not apart and _belong_together(tokens, last, item):
            result[-1] = _joined(last, item)
        else:
            result.append(item)
    told = [_without_people(tokens, item, table) for item in result]
    settled = [_settled(tokens, _remarked(tokens, item), table) for item in told]
    settled = [item for at, item in enumerate(settled) if not _only_people(tokens, settled, at)]
    return [_promoted(tokens, settled, at, table) for at in range(len(settled))]


def _lasts(tokens: Sequence[Token], item: Item) -> bool:
    """Whether `last` is the verb of `how long does it last`."""
    words = [token.word for token in tokens]
    asked = words[:2] == ["how", "long"] and bool(set(words) & FORMS_OF_DO)
    return item.kind == "superlative" and item.word == "last" and asked


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


def _are_both_named(tokens: Sequence[Token], left: Item, right: Item, table: Table) -> bool:
    """Whether each says the whole name of a column of its own: `price with vessel name`."""
    named = [_named_column(tokens, item, table) for item in (left, right)]
    return None not in named and named[0] != named[1]


def _named_column(tokens: Sequence[Token], item: Item, table: Table) -> str | None:
    said = {token.stem for token in tokens[item.first : item.last]}
    column = table.column(item.columns[0][0]) if item.columns else None
    whole = column is not None and any(set(name) <= said for name in column.names)
    return column.name if column is not None and whole else None


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
        (
            (name, weight + _fit(said, name, table) + _nearness(tokens, item, name, table))
            for name, weight in item.columns
        ),
        key=lambda pair: (-round(pair[1], 3), *_name_rank(pair[0], table)),
    )
    tied = len(ranked) > 1 and ranked[0][1] - ranked[1][1] < _TIE
    promoted = item.kind == "hint" and item.columns[0][1] > 2 * DESCRIPTION - _TIE
    return replace(
        item, kind="attribute" if promoted else item.kind, columns=tuple(ranked), tied=tied
    )


def _nearness(tokens: Sequence[Token], item: Item, name: str, table: Table) -> float:
    """Prefer of two derivations of one stem the one that is said: inspector, not inspection."""
    column = table.column(name)
    texts = (name.replace("_", " "), *column.attribute.synonyms) if column is not None else ()
    own = {inflected(word) for text in texts for word in words_in(text)}
    words = [token.word for token in tokens[item.first : item.last]]
    nouns = [word for word in words if not word.endswith("ed")] or words
    return _NEAR if any(inflected(word) in own for word in nouns) else 0.0


def _remarked(tokens: Sequence[Token], item: Item) -> Item:
    """Take a remark such as `, tax included` for words without a place: it asks for more."""
    after = tokens[item.last].word if item.last < len(tokens) else ""
    before = tokens[item.first - 1].text if item.first else ""
    remark = after in {"included", "excluded", "inclusive", "exclusive"} and before in {",", "("}
    return replace(item, kind="unknown", columns=()) if remark and item.columns else item


def _without_people(tokens: Sequence[Token], item: Item, table: Table) -> Item:
    """Take `people` alone for anyone, not for the `injured_people` of a column."""
    alone = item.last - item.first == 1 and tokens[item.first].stem == "person"
    if not (alone and table.named and item.kind in {"attribute", "hint"}):
        return item
    said = {token.stem for token in tokens} | GLUE
    kept = [(name, weight) for name, weight in item.columns if _is_all_said(said, name, table)]
    if kept:
        return replace(item, columns=tuple(kept))
    return replace(item, kind="unknown", columns=())


def _is_all_said(said: set[str] | frozenset[str], name: str, table: Table) -> bool:
    column = table.column(name)
    names = [set(words) for words in column.names] if column is not None else []
    return not any("person" in words for words in names) or any(
        "person" in words and words <= said for words in names
    )


def _only_people(tokens: Sequence[Token], items: Sequence[Item], at: int) -> bool:
    """Whether `people` stands for whom another column counts: `people in full-time jobs`."""
    item = items[at]
    alone = item.kind in {"attribute", "hint"} and item.last - item.first == 1
    if not alone or tokens[item.first].stem != "person":
        return False
    near = [i for i in items[at + 1 : at + 3] if i.kind != "yes_no"]
    return bool(near) and near[0].kind == "attribute"


def _name_rank(name: str, table: Table) -> tuple[int, float]:
    """Rank equal columns: the shorter name is meant, then the one that more records have."""
    column = table.column(name)
    return (column.name_length, -column.fill) if column is not None else (0, 0.0)


_ASKING: frozenset[Kind] = frozenset({"how_many", "wh", "distinct", "each"})


def _promoted(tokens: Sequence[Token], items: Sequence[Item], at: int, table: Table) -> Item:
    """Take a word of only one column's description for the column, behind the question word."""
    item = items[at]
    if at == 0 or item.kind != "hint" or items[at - 1].kind not in _ASKING:
        return item
    called = [c for c in table.columns if c.is_called(tokens[item.last - 1].stem)]
    if len(called) == 1 and items[at - 1].kind != "how_many":
        return replace(item, kind="attribute", columns=((called[0].name, NAME),), tied=False)
    if items[at - 1].kind == "how_many" and _measures_only(tokens, item, table):
        return item if table.named else replace(item, kind="unknown", columns=())
    asked = not item.tied and item.columns[:1] and item.columns[0][1] >= DESCRIPTION
    return replace(item, kind="attribute") if asked and item.columns else item


def _measures_only(tokens: Sequence[Token], item: Item, table: Table) -> bool:
    """Whether the column that a counted noun may mean is a number that does not count it."""
    column = table.column(item.columns[0][0]) if item.columns else None
    said = frozenset(token.stem for token in tokens[item.first : item.last])
    return column is not None and column.is_number and not is_count_of(column, said)


def _fit(said: set[str], name: str, table: Table) -> float:
    column = table.column(name)
    if column is None:
        return 0.0
    silent = (GLUE | _CALLING | set(stems(column.attribute.unit or ""))) - SORTING
    return max((_name_fit(said, words, silent) for words in column.names), default=0.0)


def _name_fit(said: set[str], words: Sequence[str], silent: frozenset[str]) -> float:
    """Say how well a name is said: `vessel` is all of `vessel_name`, not of `vessel_type`."""
    spoken = {word for word in words if word not in silent} or set(words)
    shared = said & spoken
    if not shared:
        return 0.0
    whole = NAME if len(shared) == len(spoken) else 0.0
    literal = _LITERAL if set(words) <= said else 0.0
    return whole + literal - 0.1 * (len(spoken) - len(shared))
