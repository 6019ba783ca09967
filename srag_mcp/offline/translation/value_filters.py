"""Filters from stored values: `red wine`, `orders from Smith & Sons`, `in Berlin or Rome`."""

from collections import defaultdict
from collections.abc import Sequence

from srag_mcp.offline.translation.items import Item, Kind, Sentence, filter_item
from srag_mcp.offline.translation.reading import Condition, Contains, OneOf
from srag_mcp.store.values import fold_words
from srag_mcp.text.words import fold_word

MAX_LISTED_VALUES = 12
_MAX_GAP = 2


def reduce_values(sentence: Sentence) -> Sentence:
    """Replace each value, and the name of its column beside it, by a filter.

    The noun of the question means the record: only a value that sorts all records may be one.
    """
    sentence = _join_names(sentence)
    for item in sentence.of("value"):
        at = sentence.items.index(item)
        if _is_noun(sentence, item):
            sentence = sentence.spliced(at, 1, Item("unknown", item.first, item.last))
            continue
        column = _column_of(sentence, at)
        condition = bind_value(item, column)
        low, high = _absorbed(sentence, at, column)
        first, last = sentence.items[low], sentence.items[high]
        word = "=" if item.matches[0].score >= 1.0 else "~"
        sentence = sentence.spliced(low, high - low + 1, filter_item(first, last, condition, word))
    return sentence


def _is_noun(sentence: Sentence, item: Item) -> bool:
    """Whether *item* is the noun of the question, and some records have no value beside it.

    `How many oaks` is answered where each tree has a species; `how many invoices` is not where only
    some documents are called so at their top.
    """
    column = sentence.table.column(item.matches[0].column)
    plain = item.last - item.first == 1 and item.word.islower() and sentence.is_head(item)
    return plain and column is not None and column.fill < 1


def _join_names(sentence: Sentence) -> Sentence:
    """Join two parts of names side by side: both are of one value, or of none that is stored."""
    at = 0
    while at < len(sentence.items) - 1:
        left, right = sentence.items[at : at + 2]
        if _are_parts(sentence, left, right):
            words = f"{left.word} {right.word}"
            known = {(match.column, match.value) for match in left.matches}
            shared = tuple(m for m in right.matches if (m.column, m.value) in known)
            kind: Kind = "value" if shared else "unknown"
            joined = Item(kind, left.first, right.last, words, matches=shared)
            sentence = sentence.spliced(at, 2, joined)
        else:
            at += 1
    return sentence


def _are_parts(sentence: Sentence, left: Item, right: Item) -> bool:
    if left.kind != "value" or right.kind != "value" or sentence.gap(left, right) > 0:
        return False
    partial = left.matches[0].score < 1 and right.matches[0].score < 1
    written = sentence.words(left)[:1].isupper() and sentence.words(right)[:1].isupper()
    return partial and written and left.matches[0].column == right.matches[0].column


def bind_value(item: Item, column: str) -> Condition:
    """Return the condition that *column* holds what the value item says.

    An equal value stands alone; a part of a name takes every value that holds it.
    """
    matches = [match for match in item.matches if match.column == column]
    best = matches[0].score
    if best >= 1.0:
        equal = tuple(match.value for match in matches if match.score >= 1.0)
        return OneOf(column, equal, item.word)
    chosen = [match for match in matches if match.score >= best - 0.08 and match.score >= 0.6]
    values = tuple(dict.fromkeys(match.value for match in chosen))
    phrase = _common_spelling(item.word, values)
    if phrase is not None and (len(values) > MAX_LISTED_VALUES or _are_long(values)):
        return Contains(column, phrase, item.word)
    return OneOf(column, values[:MAX_LISTED_VALUES], item.word)


def _are_long(values: Sequence[str]) -> bool:
    return max(len(value) for value in values) > 80


def _common_spelling(asked: str, values: Sequence[str]) -> str | None:
    """Return the asked phrase when each value contains it as it is, in any case."""
    phrase = fold_word(asked).strip(" .,'\"").removesuffix("'s")
    words = [phrase, " ".join(fold_words(asked))]
    for option in words:
        if option and all(option in value.casefold() for value in values):
            return option
    return None


def _column_of(sentence: Sentence, at: int) -> str:
    """Choose the column of a value: the one named beside it, else the one that fits best."""
    item = sentence.items[at]
    scores: dict[str, tuple[float, int]] = defaultdict(lambda: (0.0, 0))
    for match in item.matches:
        score, count = scores[match.column]
        scores[match.column] = (max(score, match.score), count + match.n_records)
    best = max(score for score, _ in scores.values())
    near = {name for index in (at - 1, at + 1) for name in _names(sentence, at, index)}
    spoken = {i.columns[0][0] for i in sentence.of("attribute") if i.columns}
    fitting = [name for name, (score, _) in scores.items() if score >= best - 0.05]
    return max(
        fitting, key=lambda name: (name in near, scores[name][0], name in spoken, scores[name][1])
    )


def _names(sentence: Sentence, at: int, index: int) -> list[str]:
    if not 0 <= index < len(sentence.items) or sentence.items[index].kind != "attribute":
        return []
    left, right = sorted((at, index))
    if sentence.gap(sentence.items[left], sentence.items[right]) > _MAX_GAP:
        return []
    return [name for name, _ in sentence.items[index].columns]


def _absorbed(sentence: Sentence, at: int, column: str) -> tuple[int, int]:
    """Return the items that the filter takes: the value and its column's name beside it."""
    low = high = at
    while low > 0 and column in _best_names(sentence, low, low - 1):
        low -= 1
    while high + 1 < len(sentence.items) and column in _best_names(sentence, high, high + 1):
        high += 1
    return low, high


def _best_names(sentence: Sentence, at: int, index: int) -> list[str]:
    names = _names(sentence, at, index)
    if not names:
        return []
    weights = dict(sentence.items[index].columns)
    return [name for name in names if weights[name] >= 0.6 * weights[names[0]]]
