"""Shares: what part of some records meets a condition, or what part of a sum."""

from collections.abc import Sequence

from srag_mcp.offline.translation.expressions import joined
from srag_mcp.offline.translation.items import Item, Sentence
from srag_mcp.offline.translation.lexicon import DETERMINERS
from srag_mcp.offline.translation.linking import is_light
from srag_mcp.offline.translation.measures import says_sum, where_of
from srag_mcp.offline.translation.parse import Parse
from srag_mcp.offline.translation.reading import Function, Operation, Single, Summary, Term

_VERB_WORDS = """is are was were has have had do does did show shows showed give gives gave
    contain contains carry carries include includes included limits limit put puts
    report reported offer offers list lists mention mentions exceed exceeds exceeded
    state states require requires required cost costs come comes came fall falls
    fell use uses used provide provides lie lies get gets make makes made score
    scored won win speak speaks live lives work works need needs hold holds belong
    belongs"""
_VERBS = frozenset(_VERB_WORDS.split())
_DETERMINERS = DETERMINERS | {"total"}
_RELATIVE = frozenset({"that", "which", "who", "whose"})


def read_share(sentence: Sentence) -> Parse | None:
    """Read `what percentage of A are B`, the share of records or of a sum."""
    shares = sentence.of("share")
    if not shares:
        return None
    factor = 100.0 if any(item.word == "100" for item in shares) else 1.0
    numbers = [i for i in sentence.of("attribute") if sentence.column(i, lambda c: c.is_number)]
    if len(numbers) == 2 and not sentence.has("bound"):
        return _of_columns(sentence, numbers, factor)
    base, part = _base_and_part(sentence)
    if not part:
        return None
    term, used = _summed(sentence, numbers)
    function: Function = "count" if term is None else "sum"
    whole = where_of(sentence, without=part)
    inner = joined(whole, where_of(sentence, without=base))
    top = Summary(function, term, inner)
    low = Summary(function, term, whole)
    taken = (*shares, *used, *base, *part)
    return Parse(Single(Operation("/", top, low, factor=factor)), taken)


def _base_and_part(sentence: Sentence) -> tuple[list[Item], list[Item]]:
    """Divide the filters at the verb of the sentence; without one, the last is the part."""
    filters = sentence.of("filter")
    verb = _verb_after_subject(sentence)
    base = [item for item in filters if item.last <= verb]
    part = [item for item in filters if item.last > verb]
    if not part and len(base) > 1:
        return base[:-1], base[-1:]
    return (base, part) if part else ([], base)


def _verb_after_subject(sentence: Sentence) -> int:
    """Return the place of the first verb after the noun whose share is asked for."""
    share = sentence.of("share")[0]
    subjects = [i for i in sentence.of("entity", "attribute", "filter") if i.first >= share.last]
    start = subjects[0].first + 1 if subjects else share.last
    if subjects and subjects[0].kind == "filter":
        start = subjects[0].last
    taken = {at for item in sentence.of("share") for at in range(item.first, item.last)}
    finite = [
        at
        for at in range(start, len(sentence.tokens))
        if at not in taken and sentence.tokens[at - 1].word not in _RELATIVE
    ]
    verbs = [at for at in finite if sentence.tokens[at].word in _VERBS]
    return next(iter(verbs), None) or _light_verb(sentence, finite) or start


def _light_verb(sentence: Sentence, places: Sequence[int]) -> int | None:
    """Return the last idle verb between filters: `found`, `needed`."""
    ends = [item.last for item in sentence.of("filter")]
    light = [
        at for at in places if is_light(sentence.tokens[at].word) and any(end <= at for end in ends)
    ]
    return next((at for at in reversed(light) if any(end > at for end in ends)), None)


def _summed(sentence: Sentence, numbers: Sequence[Item]) -> tuple[Term | None, tuple[Item, ...]]:
    aggregates = [item for item in sentence.of("aggregate") if item.word == "sum"]
    for item in numbers:
        column = sentence.column(item, lambda c: c.is_number)
        near = sentence.tokens[sentence.of("share")[0].last : item.first]
        headed = all(token.word in _DETERMINERS for token in near)
        if column is not None and (aggregates or says_sum(sentence, item, column) or headed):
            return column.term, (item, *aggregates)
    return None, ()


def _of_columns(sentence: Sentence, numbers: Sequence[Item], factor: float) -> Parse | None:
    """Read the sum of one column as a share of another's: the second of the first."""
    columns = [sentence.column(item, lambda c: c.is_number) for item in numbers]
    if columns[0] is None or columns[1] is None or columns[0] == columns[1]:
        return None
    where = where_of(sentence)
    low, top = (Summary("sum", column.term, where) for column in columns if column is not None)
    reading = Single(Operation("/", top, low, factor=factor))
    return Parse(reading, (*sentence.of("share", "aggregate", "filter"), *numbers), 0.9)
