"""What question words ask for: the columns to put out."""

from collections.abc import Sequence
from itertools import pairwise

from srag_mcp.offline.translation.columns import Column, Table
from srag_mcp.offline.translation.date_parts import DATE_PARTS, asks_period, period_term
from srag_mcp.offline.translation.items import Item, Kind, Sentence
from srag_mcp.offline.translation.lexicon import GLUE
from srag_mcp.offline.translation.reading import ROW, Term
from srag_mcp.offline.translation.thesaurus import COMPARATIVES
from srag_mcp.offline.translation.tokens import stem, stems, words_in
from srag_mcp.offline.translation.wordings import is_participle, says_modifier_only


def _stems(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(stem(word) for word in text.split()))


_DOERS = ("er", "or", "ant", "ist", "ian")
_OWNED = frozenset({"its", "their", "the"})
# Words of columns that answer "who", names of people before names of groups.
_PEOPLE = _stems(
    """name player author driver artist rider candidate wrestler winner director person athlete
    swimmer member captain employee customer singer actor coach student representative
    composer performer recipient president creator owner champion company firm business shop store
    vendor supplier seller merchant issuer opponent employer manufacturer sponsor maker team nation
    party organisation organization"""
)
_PLACES = _stems(
    """place location city country venue site address town state region area district county
    province street stadium arena village where origin hometown"""
)


def column_for(table: Table, word: str) -> Column | None:
    """Return the column that answers `who`, `where`, `when`, `how long` …, if one does."""
    if word == "when":
        timed = (column for column in table.columns if column.measures("time"))
        return table.main_date or max(timed, key=lambda c: c.n_non_null, default=None)
    if word in {"who", "where"}:
        return _by_words(table, _PEOPLE if word == "who" else _PLACES)
    for concept in COMPARATIVES.get(word, ()):
        found = [c for c in table.columns if c.measures(concept) and c.attribute.type != "boolean"]
        if found:
            return found[0]
    return None


def column_of_question(sentence: Sentence, word: str) -> Column | None:
    """Return the column that `how far`, `how long` … ask for, by its other words."""
    asked = {token.stem for token in sentence.tokens if token.word not in GLUE}
    for concept in COMPARATIVES.get(word, ()):
        found = [c for c in sentence.table.columns if c.is_ordered and c.measures(concept)]
        if found:
            return max(found, key=lambda column: spoken_for(column, asked))
    return None


def _by_words(table: Table, words: Sequence[str]) -> Column | None:
    """Return the text column whose name ends in the first of *words*, else holds one."""
    texts = table.of_type("string")
    for word in words:
        for column in texts:
            if any(name[-1] == word for name in column.names):
                return column
    return next((c for c in texts if any(set(words) & set(name) for name in c.names)), None)


def label_of(table: Table) -> Term:
    """Return what names a record: its name or title, else its document's id."""
    return Term(table.label.name) if table.label is not None else Term(ROW)


_PASSED: frozenset[Kind] = frozenset(
    {"filter", "number", "distinct", "most", "least", "superlative", "ordinal", "aggregate", "wh",
     "how_many", "which_of", "other", "hint", "direction", "list", "yes_no"}
)  # fmt: skip


def outputs_of(
    sentence: Sentence, taken: Sequence[Item], ranked: Term | None = None
) -> tuple[tuple[Term, ...], tuple[Item, ...]]:
    """Return the columns that the question asks for, beside those in *taken* and *ranked*.

    The one behind the question word comes first; others count when `and` joins them to it.
    """
    first = _asked_by_word(sentence) or _first_output(sentence, taken)
    found = [(item, term) for item in sentence.items if (term := _output(sentence, item, taken))]
    if first is None and found:
        first = found[0]
    if first is None:
        return (), ()
    shown = [first]
    for item, term in found:
        if item.first > first[0].first and _is_further(sentence, shown[-1][0], item):
            shown.append((item, term))
    terms = [term for _, term in shown if not _is_ranked(term, ranked)]
    return tuple(dict.fromkeys(terms)), tuple(item for item, _ in shown)


def _is_ranked(term: Term, ranked: Term | None) -> bool:
    """Whether an output says no more than what is ranked; a part of its date is an answer."""
    return ranked is not None and term.column == ranked.column and term.form not in DATE_PARTS


def _asked_by_word(sentence: Sentence) -> tuple[Item, Term] | None:
    """Return what `who`, `when`, `where`, `how long` at the head of the question ask for."""
    head = next((i for i in sentence.items if i.kind in {"wh", "list", "how_many", "share"}), None)
    if head is None or head.kind != "wh" or head.word == "what":
        return None
    named = _named_next(sentence, head)
    if named is not None:
        return named
    column = column_of_question(sentence, head.word) or column_for(sentence.table, head.word)
    if head.word in {"who", "when"} and sentence.table.named:
        column = _by_verb(sentence, head.word)
    return None if column is None else (head, Term(column.name))


def asks_in_vain(sentence: Sentence) -> bool:
    """Whether the question word asks for someone or something that no column holds."""
    head = next((i for i in sentence.items if i.kind in {"wh", "list", "how_many", "share"}), None)
    if head is None or head.kind != "wh" or head.word == "what" or not sentence.table.named:
        return False
    found = _asked_by_word(sentence)
    return found is None or (head.word == "who" and _asks_for_other(sentence, found[1]))


def _asks_for_other(sentence: Sentence, found: Term) -> bool:
    """Whether `who is the oldest borrower` asks for someone whom no column names."""
    for item in sentence.of("attribute"):
        column = sentence.column(item)
        word = sentence.tokens[item.last - 1].word.removesuffix("s")
        if column is None or column.name == found.column or not word.endswith(_DOERS):
            continue
        if says_modifier_only(sentence, item, column):
            return True
    return False


def _named_next(sentence: Sentence, head: Item) -> tuple[Item, Term] | None:
    """Return the column named right behind `who was the …`, `where is the …`."""
    at = sentence.items.index(head) + 1
    item = sentence.items[at] if at < len(sentence.items) else None
    column = sentence.column(item) if item is not None and item.kind == "attribute" else None
    if item is None or column is None or column.attribute.type != "string":
        return None
    verb = sentence.tokens[item.first].word.endswith(("ed", "ing"))
    return None if verb else (item, Term(column.name))


def _by_verb(sentence: Sentence, word: str) -> Column | None:
    """Choose among several people or dates by the other words of the question, else none."""
    table = sentence.table
    if word == "who":
        fitting = [c for c in table.of_type("string") if any(n[-1] in _PEOPLE for n in c.names)]
    else:
        fitting = list(table.dates)
    if word == "who":
        described = [c for c in table.of_type("string") if _holds_people(c)]
        acting = fitting or [c for c in table.of_type("string") if _acts(c)]
        fitting = described if len(described) == 1 else acting
    if len(fitting) < 2:
        return fitting[0] if fitting else None
    asked = {token.stem for token in sentence.tokens if token.word not in GLUE} - table.nouns
    scores = [spoken_for(column, asked) for column in fitting]
    best = max(scores)
    if best > 0 and scores.count(best) == 1:
        return fitting[scores.index(best)]
    if word == "when" and table.main_date is not None and table.is_own(table.main_date):
        return table.main_date
    return next((c for c in fitting if any("name" in name for name in c.names)), None)


def _holds_people(column: Column) -> bool:
    """Whether a column is described as holding people: `Name of the person who …`."""
    return bool(set(words_in(column.attribute.description)) & {"person", "people"})


def _acts(column: Column) -> bool:
    """Whether a column is named after what someone does: `inspector`, `claimant`."""
    return column.attribute.name.split("_")[-1].endswith(_DOERS)


def spoken_for(column: Column, asked: set[str]) -> float:
    """Say how much the words of a question speak for a column, its name before its description."""
    names = {word for name in column.names for word in name}
    described = set(stems(column.attribute.description))
    return len(asked & names) + 0.4 * len(asked & (described - names))


def _first_output(sentence: Sentence, taken: Sequence[Item]) -> tuple[Item, Term] | None:
    """Return the noun behind the question word: a column, a part of a date or the record."""
    head = next((i for i in sentence.items if i.kind in {"wh", "list"}), None)
    if head is None and sentence.items and sentence.items[0].kind in {"most", "least"}:
        head = sentence.items[0]
    start = sentence.items.index(head) + 1 if head is not None else len(sentence.items)
    for at in range(start, len(sentence.items)):
        item = sentence.items[at]
        if item.kind == "entity" and not is_compound(sentence, at):
            return item, label_of(sentence.table)
        term = _output(sentence, item, ())
        if term is not None:
            return item, term
        if item.kind not in _PASSED and item.kind != "entity":
            return None
    return None


def is_compound(sentence: Sentence, at: int) -> bool:
    """Whether the entity at *at* is part of a longer noun: `hotel price`, `report dates`."""
    after = sentence.items[at + 1] if at + 1 < len(sentence.items) else None
    near = after is not None and sentence.gap(sentence.items[at], after) == 0
    if not near or after is None or after.kind not in {"attribute", "period"}:
        return False
    word = sentence.tokens[after.first].word
    follower = sentence.items[at + 2] if at + 2 < len(sentence.items) else None
    ranked = follower is not None and follower.kind in {"most", "least", "superlative"}
    # "Which company employs the fewest": a verb, and nothing between it and the superlative.
    acts = False
    if ranked and follower is not None:
        between = sentence.tokens[after.last : follower.first]
        acts = all(token.word == "the" for token in between)
    return not (word.endswith(("ed", "ing")) or (acts and word.endswith("s")))


def _is_further(sentence: Sentence, shown: Item, item: Item) -> bool:
    """Whether *item* is asked for too: joined by `and`, a comma, or asked in a new clause."""
    at = sentence.items.index(item)
    before = sentence.items[at - 1]
    if before.kind in {"and", "list"} or (before.kind == "how_many" and at > 1):
        return True
    between = sentence.tokens[shown.last : item.first]
    near = [token.word for token in sentence.tokens[max(0, item.first - 3) : item.first]]
    while near and near[-1] in _OWNED:
        near.pop()
    shown_with = item.kind == "attribute" and near[-1:] == ["with"]
    return [token.text for token in between] == [","] or shown_with


def _output(sentence: Sentence, item: Item, taken: Sequence[Item]) -> Term | None:
    if item in taken:
        return None
    if item.kind == "attribute":
        column = sentence.column(item)
        nouns = sentence.table.nouns
        done = is_participle(sentence, item) and sentence.tokens[item.first].stem in nouns
        return None if column is None or done else Term(column.name)
    if item.kind == "period" and asks_period(sentence, item):
        term = period_term(sentence, item)
        return _of_any_year(sentence, item, term)
    return None


def _of_any_year(sentence: Sentence, item: Item, term: Term | None) -> Term | None:
    """Take the month alone when the year is said not to matter: `whatever the year`."""
    if term is None or term.form != "month":
        return term
    words = [token.word for token in sentence.tokens if token.word not in {"the", "of", "a"}]
    pairs = set(pairwise(words))
    any_year = bool(pairs & {("whatever", "year"), ("regardless", "year"), ("any", "year")})
    return Term(term.column, "month_name") if any_year or ("month", "year") in pairs else term
