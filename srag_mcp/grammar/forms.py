"""The forms of questions: each yields the readings of a frame that it can make."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from srag_mcp.grammar.asked import UNIVERSAL, WHOLE, Asked
from srag_mcp.grammar.filters import Features, Frame, Option, contradicts
from srag_mcp.grammar.lexicon import BEING, concept_stems, spoken, stem, stems, stems_of
from srag_mcp.grammar.sql import ROW, Condition, Function, Summary, Term, Where, holds, is_known
from srag_mcp.grammar.table import Column

_VERBS = frozenset("is are was were has have had do does did offer cost contain".split())  # noqa: SIM905
_COMPARING = ("share", "fraction", "difference", "more", "fewer", "than")
_RANKING = ("rank", "adjective")
_BETWEEN = ("difference", "between", "and", "what", "how_much")
_PERCENT = 100
_COUNTED = frozenset({"more", "fewer", "less"})  # `is A higher than B` compares no counts


@dataclass(frozen=True)
class Draft:
    """A reading of a frame.

    Attributes:
        sql: The query.
        columns: The columns in it, but for those of the restrictions.
        used: The mentions that have their place in it.
        features: What it assumes.
        ordered: Whether the order of the rows is asked for.
        relates: Whether the frame's relation to a number has its place in it.
        left, where: The mentions that it leaves over, and its restrictions; known once composed.
    """

    sql: str
    columns: tuple[str, ...]
    used: frozenset[int]
    features: Features = field(default_factory=Counter)
    ordered: bool = False
    relates: bool = False
    left: tuple[int, ...] = ()
    where: Where = ()


Drafts = Iterator[Draft]


def compose(frame: Frame) -> Drafts:
    """Yield every reading of *frame*; none where it asks, or compares with a number, twice."""
    asked = Asked(frame)
    forms = (read_difference,) if contradicts(asked.where) else FORMS
    restricted = frozenset(item.column for item in asked.where)
    for form in () if asked.asks_twice else forms:
        for draft in form(asked):
            if (asked.relation is not None) != draft.relates or _is_of_whole(asked, draft):
                continue
            columns = restricted | frozenset(draft.columns)
            used = draft.used | asked.joins
            left = tuple(
                at for at in frame.free if at not in used and not asked.covers(at, columns, used)
            )
            counted = {*draft.columns, *(x.column for x in asked.where if x.sql[-4:] != " = 0")}
            lists = [asked.table.by_name[name].listed for name in counted if name != ROW]
            taken = [frame.table.by_name[name] for name in columns if name != ROW]
            summed = [x.listed for x in taken if f"SUM({x.key}" in draft.sql]
            dates = (column for column in taken if column.is_date or column.is_year)
            events = set[str]().union(*map(frame.events_beside, dates))
            dated = {stem for x in frame.table.dates for stem in x.named} | frame.sentence.events
            if events & dated and len(frame.table.dates) > 1:
                continue  # `orders we got in May`: perhaps not ordered then
            undone = (x for x in frame.table.columns if x.tells_deeds and x.name not in columns)
            doubts = Counter(
                happened=frame.sentence.says_happened and any(undone),
                rows_counted=any(x and x.pieces for x in lists), event_dated=bool(events),
                called=asked.says_doubted, crossed=frame.sentence.says_change,
                left_out=asked.has("left_out"), of_other=frame.may_be_of_row,
                names_counted=any(x and x.repeated for x in summed),
            )  # fmt: skip
            features = frame.features + draft.features + doubts
            yield replace(draft, features=features, left=left, where=asked.where)


def _is_of_whole(asked: Asked, draft: Draft) -> bool:
    """Whether the amount of a whole record may be meant, where no word says that rows of it are."""
    plain = stems_of("whole", "words")
    columns = [asked.table.by_name[name] for name in draft.columns if name != ROW]
    is_plain = any(set(name) <= plain for column in columns for name in column.names)
    return asked.table.is_list and is_plain and not asked.says_thing


def _single(asked: Asked, summary: Summary, used: frozenset[int], features: Features) -> Draft:
    return Draft(asked.writer.single(summary), summary.columns, used, features)


def _is_given(asked: Asked, terms: Sequence[Term]) -> bool:
    """Whether all that is put out is what the question itself says: `X, which artist …`."""
    return len(terms) == 1 and any(
        item.column == terms[0].column and item.kind == "value" and len(item.values) == 1
        for item in asked.where
        if not item.denied
    )


def read_count(asked: Asked) -> Drafts:
    """Read `how many hotels …`, `how many different cities …`, `how many reviews … in total`."""
    asking, totals = asked.first("how_many"), asked.totals()
    if asking is None or asked.has(*_COMPARING, *_RANKING, "each"):
        return
    distinct = frozenset(asked.of("distinct"))
    target = asked.noun(asking, ("distinct", "aggregate"))
    if asked.says_times(asking):
        target = None  # `how many times was the price above 5`: the times are records
    taken = target is not None and target not in asked.frame.free
    if taken or len(totals) < len(asked.of("aggregate")):
        return
    one = asked.pinned()  # the one record of a name is not counted
    nouns = [at for at in asked.of("record") if at > asking]
    truth = asking + 1 + len(distinct)
    is_last = truth + 1 >= len(asked.frame.sentence.mentions) or asked.apart(truth)
    if asked.is_truth(truth) and is_last:
        return  # `how many storms`: a yes says that there was one, not how many
    used, count = frozenset({asking, *distinct}), Summary("count", None, asked.where)
    part = {asking + 1 + len(distinct), asking + 2 + len(distinct)}
    held = (x for x in asked.frame.chosen if x.uses == part and x.features["value_held"])
    own = [x for x in held if not asked.table.by_name[x.column].is_beside]
    if own and asked.is_many(frozenset(part)):
        return  # `how many Greenstar models` are those that have it in their name, or records
    tallies = [] if distinct or target not in {None, *nouns} else [*asked.tallies()]
    pieces = [item for item in tallies if item[0] != count]
    yield from (_single(asked, summary, used | totals, more) for summary, more in pieces)
    other = asked.names_other(asking + 1)
    is_other = other and (target != asking + 2 or asked.apart(asking + 1))
    is_noun = bool(nouns or target) and not is_other
    if not is_noun and (asked.reaches or asked.table.is_list):
        return  # `how many mugs`, `how many mugs are in the orders`: no orders with one
    if target is None or asked.kind(target) == "record":
        others = not nouns and any(asked.table.tells_of_other(c.column) for c in asked.where)
        others = others or asked.counts_claimed(nouns) or asked.table.repeated is not None
        if tallies != pieces and not one and not others and (nouns or asked.where):
            bare: Features = Counter(no_head=int(not (nouns or pieces)))
            yield _single(asked, count, used | totals, bare)
    elif asked.kind(target) == "part":
        if asked.word(target) == "date" and asked.table.is_daily:
            yield _single(asked, count, used | totals | {target}, Counter())
        for term, features in asked.parts(target) if distinct else ():
            summary = Summary("count", term, asked.where, distinct=True)
            yield _single(asked, summary, used | {target}, features)
    else:
        yield from _counted(asked, target, used, totals)


def _counted(asked: Asked, target: int, used: frozenset[int], totals: frozenset[int]) -> Drafts:
    """Read how many of what a column names there are: its different values, or their sum."""
    last = max((at for at in used | totals if at < target), default=target)
    distinct = any(asked.kind(at) == "distinct" for at in used)
    first, *further = asked.tokens(target)
    if distinct and further and first.stem in asked.table.nouns:
        return  # `how many different animals came in`, of `came_in_as`
    for column, features in asked.columns(target, lambda c: not c.is_boolean, headed=True):
        term = Term(column.name)
        if asked.qualifies_record(target, column):
            continue  # `how many milk cheeses` are cheeses, and no milks
        if column.is_of_list and distinct:
            continue  # different things, not different numbers of them
        if column.is_number and not (column.is_year or column.is_numbering or distinct):
            amount = column.is_of_things or column.counts or asked.says_unit(target, column)
            says = asked.frame.sentence.says_how_many(asked.mention(target), column)
            additive = amount and column.is_additive and says
            if asked.pinned() or (additive and totals):
                summary = Summary("sum", term, asked.where)
                yield _single(asked, summary, used | totals | {target}, features)
            continue
        if column.is_number and totals:
            continue  # `how many hours in total` is no number of different hours
        whole = features["unsaid_name"] <= WHOLE
        says_day = any(token.stem in {"date", "day"} for token in asked.tokens(target))
        named = whole and (says_day or not column.is_date)  # and not what is dated
        if (
            named
            and not (column.is_called_count and not column.is_number)
            and not column.qualifies
            and (column.is_own or not asked.needs_all(target, column))
            and (not totals or column.is_own)
            and asked.near(last, target)
            and not asked.is_of_all(target)
        ):
            summary = Summary("count", term, asked.where, distinct=True)
            yield _single(asked, summary, used | totals | {target}, features)
            if asked.is_sold and asked.table.pieces and not distinct:
                pieces = Summary("sum", Term(asked.table.pieces.name), asked.where)
                yield _single(asked, pieces, used | totals | {target}, features)
            is_thing = not column.named.isdisjoint(asked.table.things)
            is_thing = is_thing or asked.table.may_number(column)
            is_thing = is_thing or asked.is_said_to_be(target)
            is_kind = distinct or column.is_own
            is_thing = (is_thing and not is_kind) or asked.says_stem_only(target, column)
            # `how many quotations`, by a `quotation_no` that only some of them say
            is_number = column.numbers_own and bool(features["unsaid_name"])
            is_thing = is_thing or (is_number and column.fill < 1)
            may_be = not (is_kind or asked.says_record)
            if is_thing or may_be:
                # `how many books are due`: titles, or copies; `how many lifts`, of reports on lifts
                doubt: Features = Counter({"records_counted": int(not is_thing)})
                summary = Summary("count", None, asked.where) if is_thing else asked.stating(column)
                yield _single(asked, summary, used | totals | {target}, features + doubt)


def read_aggregate(asked: Asked) -> Drafts:
    """Read `the average price …`, `the total of …`, `how many reviews on average …`."""
    if asked.has(*_COMPARING, *_RANKING, "by", "yes_no"):
        return
    if asked.has("how_many") and asked.totals():
        return
    asking = asked.first("what")
    if asking is not None and asked.kind(asked.noun(asking, ()) or asking) == "record":
        return  # `which boat has the median length` asks for a boat
    per = asked.of("each")
    functions = {asked.word(at) for at in asked.of("aggregate")}
    if per and "avg" not in functions:
        return  # the sum `per gate` is none of all
    meant = {"record", "value"} if functions == {"avg"} else {"record"}  # `guests per wedding`
    if any(asked.kind(at + 1) not in meant or asked.names_other(at + 1) for at in per):
        return
    said = {token.stem for at in per for token in asked.tokens(at + 1)}
    called = [x for x in asked.table.columns if any(said >= {*n} for n in x.names[:1] if n)]
    if not all(x.is_own and x.fill == 1 for x in called):
        return  # nor is each row a gate of its own
    heads = frozenset((*asked.of("how_many", "how_much", "what", "list", "aggregate"), *per))
    for summary, used, features in asked.summaries():
        named = [at for at in used if asked.kind(at) == "column"]
        near = not named or any(
            asked.near(named[0], at) for at in (*heads, *asked.of("question_word"))
        )
        apart: Features = Counter({"measure_apart": int(not near)})
        yield _single(asked, summary, heads | used, features + apart)


def read_rate(asked: Asked) -> Drafts:
    """Read `how many losses were there per 100 sales`: of all records that say both, together."""
    asking, at = asked.first("how_many", "how_much"), asked.of("each", "number")
    if asking is None or [asked.kind(n) for n in at] != ["each", "number"]:
        return
    base, unit = asked.mention(at[1]).number or 0.0, asked.mention(at[1]).unit
    if asked.words(at[0]) != {"per"} or unit or not base.is_integer():
        return
    if asked.has(*_COMPARING, *_RANKING, "aggregate", "by"):
        return
    measures = list(asked.measures(additive=True))
    behind = [item for item in measures if item[1] == {at[1] + 1} and asked.near(*at)]
    for part, said, features in measures:
        for whole, also, more in behind if max(said) < at[0] else ():
            where = (*asked.where, is_known(part.name), is_known(whole.name))
            one, every = (Summary("sum", Term(x.name), where) for x in (part, whole))
            sql = asked.writer.ratio(one, every, int(base), "ratio")
            used = said | also | {asking, *at}
            doubts = features + more + Counter(rates_summed=1)
            yield Draft(sql, (part.name, whole.name), used, doubts)


def read_groups(asked: Asked) -> Drafts:
    """Read `the total per region`, `how many orders for each status`."""
    places = asked.of("each", "by")
    key_at = asked.after(places[0]) if len(places) == 1 else None
    naming = asked.table.naming
    if key_at is None or asked.has(*_COMPARING, *_RANKING) or not asked.near(places[0], key_at):
        return
    keys: list[tuple[Term, Features]] = []
    period = stem(asked.word(key_at)) if asked.kind(key_at) == "part" else ""
    if period:
        keys = [*asked.parts(key_at)]
    is_per = "per" in asked.words(places[0])
    grouping = asked.columns(
        key_at,
        lambda c: (
            not (
                c.is_own
                or c.is_date
                or c.is_of_list
                or asked.table.may_number(c)
                or asked.says_stem_only(key_at, c)  # `per firing`, of `fired_by`
                or (is_per and c.is_amount and not c.may_group)
                or (is_per and asked.has("aggregate") and asked.table.is_thing(c))  # of its rows?
            )
        ),
        headed=True,
    )
    keys += [(Term(column.name), features) for column, features in grouping]
    if asked.kind(key_at) == "record" and naming is not None:
        keys.append((Term(naming.name), Counter()))
    heads = asked.of("how_many", "how_much", "what", "list", "direction")
    used = frozenset({places[0], key_at, *heads})
    for key, features in keys:
        measures = [m for m in asked.measures() if m[0].name != key.column and not m[1] & used]
        if any(period in stems(column.attribute.description) for column, _, _ in measures):
            continue  # `hours per week`, of which documents say `35 per week`
        found: list[tuple[Summary, frozenset[int], Features]] = []
        if asked.has("aggregate"):
            found = [item for item in asked.summaries() if item[0].term != key]
        elif asked.has("how_many") and not measures:
            noun = asked.noun(asked.of("how_many")[0], ())
            own = frozenset({noun} if noun is not None and asked.means_record(noun) else ())
            found = [(summary, own, more) for summary, more in asked.tallies()]
        else:
            listed = asked.has("how_many")
            found = [
                (Summary("sum", Term(column.name), asked.where), said, more)
                for column, said, more in measures
                if (column.listed and not column.listed.pieces if listed else column.sums)
            ]
        for summary, said, more in found:
            sql = asked.writer.groups(key, summary)
            yield Draft(sql, (key.column, *summary.columns), used | said, features + more)


def read_superlative(asked: Asked) -> Drafts:
    """Read `the highest price`, `the cheapest hotel`, `which city has the most hotels`, `top 3`."""
    places = asked.of(*_RANKING)
    if len(places) != 1 or asked.has(*_COMPARING, "each", "yes_no") or _choices(asked):
        return
    at = places[0]
    limit, counted = asked.limit(at)
    tallies = [*asked.counts(at)]
    for summary, said in () if asked.has("aggregate") else tallies:
        yield from _most(asked, summary, limit, (at, counted | {at} | said))
    if any(summary.term is None for summary, _ in tallies):
        return
    for column, used, highest, features in asked.ranked(at):
        if asked.contradicts(column, highest):
            continue  # `the three cheapest, dearest first`
        ranking = _Ranking(column, highest, limit, used | counted | {at}, features, at)
        yield from _extreme(asked, ranking)
        yield from _picked(asked, ranking)


@dataclass(frozen=True)
class _Ranking:
    """What a superlative ranks, which end is meant, how many are asked for, and what says so."""

    column: Column
    highest: bool
    limit: int | None
    used: frozenset[int]
    features: Features
    place: int

    @property
    def order(self) -> tuple[Term, bool]:
        return Term(self.column.name), self.highest


def _most(
    asked: Asked, summary: Summary, limit: int | None, place: tuple[int, frozenset[int]]
) -> Drafts:
    at, used = place
    falling = asked.word(at) in {"highest", "often"}
    for terms, said, features in asked.heads():
        column = asked.table.by_name.get(terms[0].column)
        if len(terms) != 1 or column is None or _is_given(asked, terms) or terms[0] == summary.term:
            continue
        if terms[0].part or not (column.is_own or (column.is_amount and not column.may_group)):
            sql = asked.writer.best_groups(terms[0], summary, falling, limit)
            yield Draft(sql, (column.name, *summary.columns), used | said, features)


def _extreme(asked: Asked, ranking: _Ranking) -> Drafts:
    if asked.has("aggregate", "who", "where", "how_many"):
        return
    name, limit = ranking.column.name, ranking.limit
    had = asked.is_had(ranking.place)  # `the deal with the most cars`: not how many these are
    own = [head for head in asked.heads() if [t.column for t in head[0]] == [name]]
    own = [head for head in own if not (had and max(head[1]) > ranking.place)]
    if asked.has("question_word") and (ranking.column.may_be_years or ranking.column.is_date):
        return  # `how old is the oldest` is no year
    asking, *rest = sorted(own[0][1]) if own and asked.has("what") else [0]
    if rest[:1] == [asking + 1] and not asked.apart(asking):
        return  # `which plot is the largest`, `which mill stands highest`: no number does
    if (had and not own) or asked.table.is_called_thing(ranking.column):
        return
    heads = frozenset(asked.of("what", "list", "when", "how_much", "question_word"))
    if limit is not None:
        for terms, said, more in own:
            sql = asked.writer.listing(terms, asked.where, order=ranking.order, limit=limit)
            used = ranking.used | said | frozenset(asked.of("direction"))
            yield Draft(sql, (name,), used, ranking.features + more, ordered=True)
    elif own or not asked.has("what", "list", "when"):
        summary = Summary("max" if ranking.highest else "min", Term(name), asked.where)
        yield _single(asked, summary, ranking.used | heads, ranking.features)


def _picked(asked: Asked, ranking: _Ranking) -> Drafts:
    column, term, limit = ranking.column, ranking.order[0], ranking.limit
    counting, aggregated = ranking.features["counting"] > 0, asked.has("aggregate")
    for terms, said, more in asked.heads():
        if [t.column for t in terms] == [column.name] or _is_given(asked, terms):
            continue
        held = asked.kind(ranking.place + 1) == "column" and ranking.place + 1 not in ranking.used
        if more["no_head"] and held and not asked.apart(ranking.place):
            continue  # `what is the first viewed date in 2024` asks for no record
        key, head = terms[0], asked.table.by_name.get(terms[0].column)
        apart = head is not None and (head.is_of_things or not head.is_number)
        if head is not None and head.is_own:  # rows without one may be of the one above
            apart = apart and head.attribute.is_column and not head.has_all_stated
        of_record = asked.table.is_of_record(column) and not asked.has("record")
        if apart and of_record and asked.says_age(ranking.place):
            continue  # `the oldest vessel` of surveys: none of them dates a vessel
        groups = len(terms) == 1 and (bool(key.part) or apart)
        # gates 1, 1, 2 and 3 may be those of records, or one of them a sum of two
        numbered = apart and head is not None and head.is_number and not head.may_group
        record = any(at not in said for at in asked.of("record"))
        columns = (*(t.column for t in terms), column.name)
        used = ranking.used | said | frozenset(asked.of("aggregate"))
        features = ranking.features + more
        nouns = {t.stem for at in said if asked.kind(at) == "record" for t in asked.tokens(at)}
        sums = column.is_additive and not (record or asked.table.numbers(nouns))
        summaries = [Summary("sum", term, asked.where)] if sums else []
        if aggregated:
            summaries = [s for s, _, _ in asked.summaries() if s.term == term]
        for summary in summaries if groups else ():
            sql = asked.writer.best_groups(key, summary, ranking.highest, limit)
            doubt: Features = Counter({"groups_ranked": int(not counting and not aggregated)})
            yield Draft(sql, columns, used, features + doubt)
        named = head is not None and (head is asked.table.label or asked.table.is_thing(head))
        # `which test costs the most`: in all, or by itself; not so of `has the most cost`
        own = column.heads & (concept_stems() - stems_of("additive", "words"))
        is_far = bool(own) and ranking.features["far_measure"] > 0
        shared = numbered or (named and not asked.table.is_list) or is_far
        is_sum = groups and counting and bool(summaries) and not shared
        if aggregated or key.part or (is_sum and column.is_of_list):
            continue
        is_open = groups and not record and not counting
        doubt = Counter({"records_ranked": int(is_open or is_sum)})
        function: Function = "max" if ranking.highest else "min"
        if limit is None:
            sql = asked.writer.extreme(terms, asked.where, term, function)
            yield Draft(sql, columns, used, features + doubt)
        else:
            sql = asked.writer.listing(terms, asked.where, order=ranking.order, limit=limit)
            used |= frozenset(asked.of("direction"))
            yield Draft(sql, columns, used, features + doubt, ordered=True)


def read_choice(asked: Asked) -> Drafts:
    """Read `which is taller, Ada or Bea`, `does Ada or Bea have the most points`."""
    places, named = asked.of(*_RANKING, "comparative"), _choices(asked)
    if len(places) > 1 or len(named) != 1 or asked.has("than", "each", "how_many", "how_much"):
        return
    chosen = [option for option in asked.frame.chosen if option.column == named[0].column]
    if len(chosen) != len(named[0].values):
        return  # a word of the question is part of several names
    terms = (Term(named[0].column),)
    heads = frozenset(asked.of("what", "who", "yes_no", "aggregate"))
    heads |= {at for at, _, _ in asked.named(lambda c: c.name == terms[0].column)}
    if not places and asked.first("yes_no") == 0 and len(asked.where) > 1:
        sql = asked.writer.listing(terms, asked.where, distinct=True)
        yield Draft(sql, (named[0].column,), heads)
    if not places:
        return
    for column, used, highest, features in asked.ranked(places[0]):
        function = "max" if highest else "min"
        n_known = len(named[0].values) if named[0].alone and column.fill < 1 else None
        sql = asked.writer.extreme(terms, asked.where, Term(column.name), function, n_known)
        if not asked.has("aggregate"):
            yield Draft(sql, (column.name,), used | heads | {places[0]}, features)


def _choices(asked: Asked) -> list[Condition]:
    """Return the restrictions that name some records, joined by `or`, to choose one of."""
    several = [c for c in asked.where if len(c.values) > 1 and not c.denied and asked.joins]
    one = asked.pinned()
    return [item for item in several if one or item.alone]


def read_having(asked: Asked) -> Drafts:
    """Read `which cities have at least three hotels`, `… an average price above 100`."""
    if asked.relation is None or asked.has(*_COMPARING, *_RANKING, "yes_no"):
        return
    tallies = asked.tallies(things=asked.says_thing)
    counts = ((summary, frozenset[int](), more) for summary, more in tallies)
    for summary, said, features in asked.summaries() if asked.has("aggregate") else counts:
        having = asked.related(summary)
        for terms, used, more in asked.heads():
            if having is None or len(terms) != 1 or terms[0].column == ROW:
                continue
            key = asked.table.by_name[terms[0].column]
            if (key.is_number and not key.is_year) or _is_given(asked, terms):
                continue
            counted = asked.has("how_many")
            sql = asked.writer.groups_having(terms[0], summary, having, counted=counted)
            together = used | said | frozenset(asked.of("each"))
            columns = (key.name, *summary.columns)
            yield Draft(sql, columns, together, features + more, relates=True)


def read_share(asked: Asked) -> Drafts:
    """Read `what percentage of the hotels with a gym have a pool`."""
    places = asked.of("share", "fraction")
    if not places or asked.has(*_COMPARING[2:], *_RANKING, "aggregate", "each"):
        return
    chosen = [option for option in asked.frame.chosen if option.condition is not None]
    base = _of_whole(asked, places[0], chosen)
    if base is None:
        return
    whole = asked.join(base)
    if whole[0] == asked.where:
        return
    factor = _PERCENT if asked.has("share") else 1
    some, every = Summary("count", None, asked.where), Summary("count", None, whole[0])
    used = frozenset({*places, *asked.of("what", "how_many", "how_much")})
    yield Draft(asked.writer.ratio(some, every, factor), (), used)


def _of_whole(asked: Asked, at: int, chosen: Sequence[Option]) -> list[Option] | None:
    """Return the restrictions of the whole: those before the question's verb; None if unclear."""
    if len(chosen) == 1:
        return []
    tokens = asked.frame.sentence.tokens
    nouns = [i for i in asked.of("record") if i > at]
    start = asked.mention(nouns[0] if nouns else at).last
    verbs = [
        number
        for number in range(start, len(tokens))
        if tokens[number].word in _VERBS and tokens[number - 1].word not in {"that", "which", "who"}
    ]
    if len(verbs) != 1:
        return None
    return [o for o in chosen if min(asked.mention(i).first for i in o.uses) < verbs[0]]


def read_difference(asked: Asked) -> Drafts:
    """Read the difference of two groups, or which is more: `how much more does A cost than B`."""
    comparing = asked.has("than") and asked.has("comparative")
    if not comparing and not asked.has("difference", "more", "fewer"):
        return
    if asked.has("share", "adjective") or len(asked.of("aggregate")) > 1:
        return
    if any(map(asked.says_times, asked.of("how_many"))):
        return  # `how many times more` asks for a ratio
    if asked.has("rank"):
        yield from _range(asked)
        return
    sides = _sides(asked) or _denied_sides(asked)
    if sides is None:
        yield from _of_one(asked)
        return
    words = (*_BETWEEN, "more", "fewer", "than", "comparative", "how_many", "not", "yes_no", "each")
    used, at = sides[2] | frozenset(asked.of(*words)), asked.first("comparative")
    if at is None and asked.first("yes_no") == 0:
        return
    concept, _, end = ("" if at is None else asked.word(at)).partition(" ")
    for one, other, said, features in _both(asked, sides[0], sides[1], at):
        columns = one.columns
        rises = asked.table.by_name[columns[0]].end_of(concept, True) if columns else True
        if rises is None:
            continue
        if not rises:
            one, other = other, one  # the older has the earlier year
        decimals = _decimals(asked, one)
        if asked.first("yes_no") == 0:
            sql = asked.writer.verdict(one, ">" if end == "high" else "<", other, decimals)
        elif asked.has("fewer"):
            sql = asked.writer.difference(other, one, decimals)
        else:
            signed = asked.has("more", "comparative")
            sql = asked.writer.difference(one, other, decimals, signed=signed)
        yield Draft(sql, columns, used | said, features)


def _decimals(asked: Asked, *compared: Summary) -> int | None:
    """Return how many decimals all of what is compared has; None where none is noise."""
    pairs = ((asked.table.by_name[name], item) for item in compared for name in item.columns)
    found = (column.decimals(item.function) for column, item in pairs)
    return min((decimals for decimals in found if decimals is not None), default=None)


def _both(
    asked: Asked, left: Where, right: Where, at: int | None
) -> Iterator[tuple[Summary, Summary, frozenset[int], Features]]:
    """Yield what is compared of two groups: an aggregate, the count, a value of two records."""
    measures = list(asked.measures())
    concept = "" if at is None else asked.word(at).split()[0]
    if not measures and concept:
        columns = [column for column in asked.table.measuring(concept) if column.is_number]
        measures = [(c, frozenset(), asked.by_concept(c, concept)) for c in columns]
    functions = [asked.word(item) for item in asked.of("aggregate")]
    used = frozenset(asked.of("aggregate"))
    amount = any("much" in asked.words(at) for at in asked.of("more", "fewer", "how_much"))
    counted = at is None or asked.has("how_many") or asked.words(at) & _COUNTED
    if not functions and not measures and not amount and counted:
        sides = (asked.tallies(where, things=asked.says_thing) for where in (left, right))
        for (one, features), (other, _) in zip(*sides, strict=True):
            yield one, other, frozenset(), features
    one_each = asked.pinned(left) and asked.pinned(right)
    for column, said, features in measures if functions or one_each else ():
        function = functions[0] if functions else "max"
        if function != "sum" or column.is_additive:
            term = Term(column.name)
            one = Summary(function, term, left)  # type: ignore[arg-type]
            other = Summary(function, term, right)  # type: ignore[arg-type]
            yield one, other, said | used, features


def _sides(asked: Asked) -> tuple[Where, Where, frozenset[int]] | None:
    """Return the restrictions of two groups: two values of one column; the others hold for both."""
    chosen = [option for option in asked.frame.chosen if option.condition is not None]
    pairs = [
        (one, other)
        for one, other in combinations(chosen, 2)
        if one.condition and other.condition and one.condition != other.condition
        and (one.column, one.condition.kind) == (other.column, other.condition.kind)
    ]  # fmt: skip
    if len(pairs) != 1:
        return None
    rest = [option for option in chosen if option not in pairs[0]]
    left, right = (asked.join([*rest, one]) for one in pairs[0])
    return left[0], right[0], left[1] | right[1]


def _denied_sides(asked: Asked) -> tuple[Where, Where, frozenset[int]] | None:
    """Return the groups of `with a spa than in one without`: what holds, and what does not."""
    denied, than = asked.of("not"), asked.first("than")
    truths = [item for item in asked.where if item.kind == "truth" and not item.denied]
    last = denied and denied[-1] == len(asked.frame.sentence.mentions) - 1
    if len(denied) != 1 or len(truths) != 1 or than is None or than > denied[0] or not last:
        return None
    column = asked.table.by_name[truths[0].column]
    other = holds(column.name, denied=True, closed=column.closed)
    right = tuple(other if item is truths[0] else item for item in asked.where)
    return asked.where, right, asked.joins


def _range(asked: Asked) -> Drafts:
    """Read `the difference between the highest and the lowest price`, or of their records."""
    ranks, comparing = asked.of("rank"), asked.of("comparative", "than")
    if sorted(map(asked.word, ranks)) != ["highest", "lowest"] or not asked.has("difference"):
        return
    if comparing:
        end = "high" if asked.word(ranks[0]) == "highest" else "low"
        if asked.where or asked.word(comparing[0]) not in {f"size {end}", f"any {end}"}:
            return
    used = frozenset((*ranks, *asked.of(*_BETWEEN, "comparative", "than")))
    for column, said, features in asked.measures():
        high = Summary("max", Term(column.name), asked.where)
        low = Summary("min", Term(column.name), asked.where)
        sql = asked.writer.difference(high, low, _decimals(asked, high))
        yield Draft(sql, (column.name,), used | said, features)


def _of_one(asked: Asked) -> Drafts:
    """Read `the difference between the width and the height of X`: two numbers of one record."""
    measures = list(asked.measures())
    if len(measures) != 2 or not asked.pinned() or not asked.has("difference"):
        return
    (one, said, features), (other, also, more) = measures
    if one.attribute.unit == other.attribute.unit and said.isdisjoint(also):
        left, right = (Summary("max", Term(column.name), asked.where) for column in (one, other))
        decimals = _decimals(asked, left, right)
        sql = asked.writer.difference(left, right, decimals, signed=False)
        used = said | also | frozenset(asked.of(*_BETWEEN))
        yield Draft(sql, (one.name, other.name), used, features + more)


def read_verdict(asked: Asked) -> Drafts:
    """Read `is the average price higher than 100`."""
    if asked.first("yes_no") != 0 or asked.has(*_RANKING, "share", "difference"):
        return
    for summary, used, features in asked.summaries():
        if relation := asked.related(summary):
            sql = asked.writer.verdict(summary, *relation, _decimals(asked, summary))
            together = used | {0} | frozenset(asked.of("than", "comparative"))
            yield Draft(sql, summary.columns, together, features, relates=True)


def read_existence(asked: Asked) -> Drafts:
    """Read `is there any hotel with a pool`, `did any report show more than …`."""
    others = ("how_many", "how_much", "what", "aggregate", "each")
    if asked.first("yes_no") != 0 or asked.has(*others, *_COMPARING, *_RANKING):
        return
    tokens, nouns = asked.frame.sentence.tokens, asked.of("record")
    words = {token.word for token in tokens}
    if asked.joins or asked.lists_values() or words & UNIVERSAL:
        return  # `was it A or B` asks which; `do all`, `do A and B` for what no one record shows
    restricting = [option.uses for option in asked.frame.chosen if option.condition is not None]
    kinds = [[asked.kind(at) for at in sorted(uses)] for uses in restricting]
    named = kinds == [["value", "column"]]  # `is Ada a skipper`
    before = spoken(tokens[: asked.mention(nouns[0]).last if nouns else asked.mention(0).last + 1])
    is_one = any(x in {"there", "a", "an"} or x.startswith(("any", "some")) for x in before)
    is_one = is_one or named or "ever" in words or asked.pinned()
    if not (is_one or (not nouns and BEING.isdisjoint(before[:1]))):
        return  # `are the hotels in Kent open` asks of each
    is_called = asked.kind(1) == "value" and asked.kind(2) == "record" and asked.apart(1)
    if is_called and asked.determines(1, 2):
        return  # `is Ada a parcel`
    if asked.where and (asked.has("record") or named or len(asked.where) > 1):
        yield Draft(asked.writer.existence(asked.where), (), frozenset({0}))


def read_listing(asked: Asked) -> Drafts:
    """Read `which hotels …`, `what is the price of …`, `list the names of …`."""
    others = ("aggregate", "each", "how_much", "how_many", "yes_no")
    if asked.has(*_COMPARING, *_RANKING, *others):
        return
    order, sorting = asked.order()
    spread = frozenset(asked.of("distinct"))
    for terms, used, features in asked.heads():
        column = asked.table.by_name.get(terms[0].column)
        names = column is not None and (column.is_text or column.is_identifier)
        numbers = column is not None and column.is_number and not names and len(terms) == 1
        unpinned = numbers and not asked.pinned()
        if _is_given(asked, terms) or (unpinned and not (asked.where and asked.has("list"))):
            continue
        if not asked.where and (column is None or column.is_own) and order is None:
            continue
        if column and not column.is_own and asked.needs_all(max(used), column):
            continue
        if asked.is_of_all(max(used)):
            continue
        distinct = len(terms) == 1 and (names or bool(spread)) and order is None
        sql = asked.writer.listing(terms, asked.where, distinct=distinct, order=order)
        columns = (*(t.column for t in terms), *(() if order is None else (order[0].column,)))
        listed: Features = Counter({"list_numbers": int(unpinned)})
        together = used | spread | sorting
        yield Draft(sql, columns, together, features + listed, ordered=order is not None)


def read_place(asked: Asked) -> Drafts:
    """Read `the last town listed`, `which town is listed after Kent`: by the order of rows."""
    places = asked.of("place")
    others = ("aggregate", "each", "by", "how_many", "how_much", "yes_no", "number", "comparative")
    if len(places) != 1 or asked.has(*_COMPARING, *_RANKING, *others):
        return
    place, after = asked.word(places[0]), places[0] + 1
    named = asked.kind(after) == "value" and asked.determines(places[0], after)
    known = all(c.alone and len(c.values) == 1 and not c.denied and named for c in asked.where)
    if not known or len(asked.where) != int(place in {"before", "after"}):
        return
    for terms, used, features in asked.heads():
        column = asked.table.by_name.get(terms[0].column)
        named = column is not None and column.is_text and not features["who_guessed"]
        if column is not None and named and len(terms) == 1 and not asked.is_many(used):
            sql = asked.writer.placed(terms[0], place, asked.where)
            yield Draft(sql, (column.name,), used | {places[0]}, features)


FORMS: tuple[Callable[[Asked], Drafts], ...] = (
    read_count,
    read_aggregate,
    read_rate,
    read_groups,
    read_superlative,
    read_choice,
    read_having,
    read_share,
    read_difference,
    read_verdict,
    read_existence,
    read_listing,
    read_place,
)
