"""Renamed categories: who infers a schema names the members of a closed set himself."""

from collections.abc import Collection, Iterable

from srag_mcp.text.words import fold

_POSSESSIVE = "s"


def name_as_gold(categories: Iterable[str], gold: Collection[str]) -> dict[str, str]:
    """Return, by category, the gold value that is another name for it.

    One is the other where they fold to the same, or else where the words of one are among those of
    the other and neither has a second match: `"bachelor's degree" -> "Bachelor"`. A category that
    could be two gold values is none of them.
    """
    left, wanted = list(dict.fromkeys(categories)), list(dict.fromkeys(gold))
    by_fold = {fold(value): value for value in wanted}
    same = {item: by_fold[fold(item)] for item in left if fold(item) in by_fold}
    wanted = [value for value in wanted if value not in same.values()]
    left = [item for item in left if item not in same]
    kin = [(item, value) for item in left for value in wanted if _are_kin(item, value)]
    only = {
        item: value
        for item, value in kin
        if sum(item == other for other, _ in kin) == 1
        and sum(value == other for _, other in kin) == 1
    }
    return same | only


def _are_kin(first: str, second: str) -> bool:
    one, other = _words(first), _words(second)
    return bool(one) and bool(other) and (one <= other or other <= one)


def _words(text: str) -> set[str]:
    return set(fold(text).split()) - {_POSSESSIVE}
