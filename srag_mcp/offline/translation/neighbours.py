"""Questions about the place of a record: listed next before or after another, or like another."""

from srag_mcp.offline.translation.asked import label_of, outputs_of
from srag_mcp.offline.translation.expressions import joined
from srag_mcp.offline.translation.filters import condition_columns
from srag_mcp.offline.translation.items import Item, Kind, Sentence
from srag_mcp.offline.translation.parse import Parse
from srag_mcp.offline.translation.picks import SUPERLATIVE_KINDS
from srag_mcp.offline.translation.reading import Condition, Every, Neighbour, OneOf, SameAs, Term

_BLOCKED: tuple[Kind, ...] = (*SUPERLATIVE_KINDS, "share", "difference", "than", "how_many")
_AFTER = {"after", "following", "below", "next", "under"}
_BEFORE = {"before", "above", "previous", "preceding", "prior"}


def read_neighbour(sentence: Sentence) -> Parse | None:
    """Read `who is listed after X`, `which came before X`, `the next … after X`."""
    links = [item for item in sentence.items if _side(sentence, item) is not None]
    if not links or any(sentence.has(kind) for kind in _BLOCKED):
        return None
    anchors = [i for i in sentence.of("filter") if i.first >= links[0].last and i.period is None]
    others = [i for i in sentence.of("filter") if i not in anchors]
    if not anchors or any(item.period is None for item in others):
        return None
    outputs, shown = outputs_of(sentence, ())
    anchor = joined(*_conditions(anchors), *_conditions(others))
    outputs = outputs if shown and outputs else (_default(anchor),)
    if outputs == (Term("document_id"),):
        outputs = (_default(anchor),)
    reading = Neighbour(outputs, anchor, _side(sentence, links[-1]) == "after")
    return Parse(reading, (*links, *shown, *sentence.of("filter", "superlative", "ordinal")), 0.9)


def _side(sentence: Sentence, item: Item) -> str | None:
    if item.kind not in {"listed", "time", "above"}:
        return None
    words = set(sentence.words(item).lower().split())
    if words & _BEFORE:
        return "before"
    return "after" if words & _AFTER else None


def _default(anchor: Every) -> Term:
    """Return the column by which the other record is named."""
    columns = [c.column for c in anchor.conditions if isinstance(c, OneOf)]
    return Term(columns[0]) if columns else Term("document_id")


def _conditions(items: list[Item]) -> list[Condition]:
    return [item.condition for item in items if item.condition is not None]


def read_same(sentence: Sentence) -> Parse | None:
    """Read `which other … has the same … as X`."""
    if not sentence.has("same"):
        return None
    same = sentence.of("same")[0]
    shared = [i for i in sentence.of("attribute") if i.first >= same.last and sentence.column(i)]
    anchors = [i for i in sentence.of("filter") if i.first >= same.last and i.condition is not None]
    column = sentence.column(shared[0]) if shared else None
    if column is None or not anchors:
        return None
    outputs, shown = outputs_of(sentence, shared)
    anchor = joined(*_conditions(anchors))
    where = joined(*_conditions([i for i in sentence.of("filter") if i.first < same.first]))
    named = sorted(condition_columns(anchor, sentence.table))
    if not outputs or outputs[0] == label_of(sentence.table):
        outputs = (Term(named[0]),) if len(named) == 1 else outputs or (label_of(sentence.table),)
    reading = SameAs(outputs, Term(column.name), anchor, where)
    return Parse(reading, (same, *shared[:1], *shown, *sentence.of("filter", "other")))
