"""What a question asks of a frame: its nouns, what is put out, measured, ranked and sorted by."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import count

from srag_mcp.grammar.filters import SPARE, Features, Frame, Option, joined, unsaid_of
from srag_mcp.grammar.lexicon import (
    BEING,
    DOING,
    HAVING,
    Token,
    alike,
    doers,
    is_had,
    is_past,
    is_time,
    operator_stems,
    phrases,
    spoken,
    stem,
    stems_of,
    valued,
    words_in,
    words_of,
)
from srag_mcp.grammar.link import Mention, convert_into
from srag_mcp.grammar.sql import ROW, Summary, Term, Where, Writer
from srag_mcp.grammar.table import LISTED, Column
from srag_mcp.text.words import singular
from srag_mcp.values.units import unit_of

_MAX_LIMIT = 100
# How much of a name may be left unsaid where its different values are counted.
WHOLE = 0.34
_HEADS = ("what", "who", "when", "where", "list", "how_many", "how_much", "question_word")
_QUESTION_WORDS = ("what", "who", "when", "where", "list", "how_many", "how_much")
_PASSED = ("distinct", "rank", "adjective", "number", "aggregate", "direction", "place")
# What says nothing of its own in any reading.
_IDLE = frozenset({"record", "and", "inclusive"})
_COUNTING = frozenset({"most", "fewest", "least"})
_ARTICLES = frozenset({"of", "the", "all", "a", "an"})
UNIVERSAL = frozenset({"all", "every", "everyone", "everybody"})

Head = tuple[tuple[Term, ...], frozenset[int], Features]
Measure = tuple[Column, frozenset[int], Features]
Ranked = tuple[Column, frozenset[int], bool, Features]


class Asked:
    """A frame as the forms of questions look at it.

    Attributes:
        frame, table, writer: The frame, its table, and what writes queries over it.
        where: Its restrictions, joined.
        joins: The `or` mentions that the restrictions use.
        relation: An operator and the mention of a number, with which groups or a result compare.
    """

    def __init__(self, frame: Frame) -> None:
        self.frame, self.table = frame, frame.table
        self.where, self.joins = self.join(frame.chosen)
        self.writer = Writer(frame.table.name, frame.table.is_list)
        relations = [option.relation for option in frame.chosen if option.relation is not None]
        self.relation = relations[0] if relations else None
        self._free = [(at, self.mention(at).kind) for at in frame.free]
        self._counts = Counter(kind for _, kind in self._free)
        asked = {*self.of(*_QUESTION_WORDS)} - {*self.asked_besides[1]}
        self.asks_twice = len(relations) > 1 or len(asked) > 1

    def join(self, chosen: Sequence[Option]) -> tuple[Where, frozenset[int]]:
        """Join restrictions as `joined` does."""
        return joined(self.frame, chosen)

    def mention(self, at: int) -> Mention:
        """Return a mention by its index."""
        return self.frame.sentence.mentions[at]

    def kind(self, at: int) -> str:
        """Return the kind of a mention, empty beyond the ends."""
        return self.mention(at).kind if 0 <= at < len(self.frame.sentence.mentions) else ""

    def word(self, at: int) -> str:
        """Return the meaning of a mention within its kind."""
        return self.mention(at).word

    def tokens(self, at: int) -> tuple[Token, ...]:
        """Return the tokens of a mention."""
        mention = self.mention(at)
        return self.frame.sentence.tokens[mention.first : mention.last]

    def words(self, at: int) -> set[str]:
        """Return the words of a mention, in small letters."""
        return set(self.frame.sentence.words(self.mention(at)).lower().split())

    def says_times(self, at: int) -> bool:
        """Whether a mention asks how many times: how often, or how many times as much."""
        return not self.words(at).isdisjoint({"times", "often"})

    def counts_claimed(self, nouns: Sequence[int]) -> bool:
        """Whether a noun that only the folder has, of which each may have several, is counted."""
        said = f" {' '.join(spoken(self.frame.sentence.tokens))} "
        is_whole = any(f" {x} " in said for x in words_of("aggregate", "sum"))
        stems = {stem(word) for at in nouns for word in self.words(at)}
        return is_whole and bool(stems) and stems <= self.table.claimed

    def of(self, *kinds: str) -> list[int]:
        """Return the free mentions of these kinds."""
        return [at for at, kind in self._free if kind in kinds]

    def has(self, *kinds: str) -> bool:
        """Whether a free mention is of one of these kinds."""
        return any(self._counts[kind] for kind in kinds)

    def first(self, *kinds: str) -> int | None:
        """Return the first free mention of these kinds."""
        return next(iter(self.of(*kinds)), None)

    def after(self, at: int, over: Sequence[str] = ()) -> int | None:
        """Return the next free mention behind *at*, over kinds that may stand between."""
        return next((i for i in self.frame.free if i > at and self.kind(i) not in over), None)

    @cached_property
    def by_number(self) -> int | None:
        """The `number of` right behind `by`: `top 3 towns by number of orders` asks for towns."""
        tokens, places = self.frame.sentence.tokens, self.of("how_many")
        before = ((at, spoken(tokens[: self.mention(at).first])[-1:]) for at in places)
        return next((at for at, word in before if word == ("by",)), None)

    def near(self, left: int, right: int) -> bool:
        """Whether only words that shape the sentence stand between two mentions."""
        return self.frame.sentence.near(left, right)

    def covers(self, at: int, columns: frozenset[str], used: frozenset[int]) -> bool:
        """Whether a mention that no form used says nothing beyond the *columns* in use.

        What is named once more says more: `the average fine of loans with a fine`.
        """
        mention = self.mention(at)
        tokens, heads = self.frame.sentence.tokens, {"how_many", "share", "what"}
        is_column = mention.kind == "column"
        if is_column and (is_had(tokens, mention.first) or self.kind(at - 1) not in heads):
            best = mention.columns[0][1]
            again = [x for i in used for x in self.mention(i).columns[:1]]
            before = tokens[max(mention.first - 2, 0) : mention.first]
            having = not HAVING.isdisjoint(token.word for token in before)
            if mention.columns[0] in again or (having and mention.columns[0][0] in dict(again)):
                return False
            return any(name in columns for name, share in mention.columns if share >= best - 0.3)
        if mention.kind == "part":
            dated = any(column.name in columns for column in self.table.columns if column.is_date)
            day = mention.word == "date" and self.table.is_daily
            return day or (dated and mention.word in {"date", "year"})
        if mention.kind == "unit":
            held = [self.table.by_name[name] for name in columns if name in self.table.by_name]
            return any(
                column.attribute.unit is not None and convert_into(1.0, mention.unit, column) == 1
                for column in held
            )
        if mention.kind == "left_out":
            held = [self.table.by_name[name] for name in columns if name in self.table.by_name]
            return self.has("aggregate") and any(column.is_number for column in held)
        return mention.kind in _IDLE

    @property
    def says_thing(self) -> bool:
        """Whether the noun of a row is said, or a value that a row has itself."""
        own = (self.table.by_name[item.column] for item in self.where if item.kind == "value")
        return self.says_record or any(not column.is_beside for column in own)

    @property
    def says_record(self) -> bool:
        """Whether the noun of a record is said, wherever, but not of something: `are lost`."""
        tokens = self.frame.sentence.tokens
        said = (item.first for item in self.frame.sentence.mentions if item.kind == "record")
        return any(BEING.isdisjoint(spoken(tokens[:first][-1:])) for first in said)

    @property
    def says_doubted(self) -> bool:
        """Whether records are called what only some of them are by a value, or by themselves."""
        places = [item.first for item in self.frame.sentence.mentions if item.kind == "record"]
        said = (t for at in places for t in self.frame.sentence.tokens[max(at - 1, 0) : at + 1])
        table = self.table
        doubted = table.doubted | (table.events - (table.nouns - table.claimed))
        return any(token.stem in doubted for token in said)

    def columns(
        self, at: int, wanted: Callable[[Column], bool], *, headed: bool = False
    ) -> Iterator[tuple[Column, Features]]:
        """Yield the *wanted* columns that a mention may mean, best first.

        Where *headed*, it has to name the column as a noun, and not by a modifier alone. What names
        a part of several columns as well means all of them, also those that are not wanted.
        """
        mention = self.mention(at)
        if mention.kind != "column":
            return
        stems = [token.stem for token in self.tokens(at)]
        said = {like for stem in stems for like in (stem, *alike(stem))}
        for name, share in mention.columns:
            column = self.table.by_name[name]
            close = share >= mention.columns[0][1] - SPARE and not column.is_beside
            if close and wanted(column) and (column.heads & said or not headed):
                rivals = [rival for rival, other in mention.columns if other >= share]
                vague = share < 1 and not all(wanted(self.table.by_name[name]) for name in rivals)
                yield (
                    column,
                    unsaid_of(mention, name, share) + Counter({"names_others": int(vague)}),
                )

    def named(self, wanted: Callable[[Column], bool]) -> Iterator[tuple[int, Column, Features]]:
        """Yield the free mentions of *wanted* columns."""
        for at in self.of("column"):
            for column, features in self.columns(at, wanted):
                yield at, column, features

    def needs_all(self, noun: int, named: Column) -> bool:
        """Whether of each value of a column that a noun names all its records are asked.

        So of owners with boats in Kent and Ulm, and of rangers who never saw a badger; not of ports
        that have boats without a crane, as a boat may be so.
        """
        kinds = [item.kind for item in self.frame.sentence.mentions]
        denials = [at for at, kind in enumerate(kinds) if kind in {"not", "missing"}]
        is_of_record = bool(denials) and all(
            "record" in kinds[noun:at] or self._is_bound(at) for at in denials
        )
        denied = (
            self.table.by_name[item.column]
            for item in self.frame.chosen
            if item.condition and (item.condition.denied or not item.uses.isdisjoint(denials))
        )
        is_of_others = any(named.named.isdisjoint(column.named) for column in denied)
        return self.lists_values() or (is_of_others and not is_of_record)

    def _is_bound(self, at: int) -> bool:
        """Whether a denial belongs to the word of a record: `unpaid invoices`."""
        if (self.kind(at + 1), self.kind(at + 2)) != ("column", "record"):
            return False
        return self.tokens(at)[-1].end == self.tokens(at + 1)[0].start

    def lists_values(self) -> bool:
        """Whether several values of one column are listed: `Kent and Ulm`, not `Kent or Ulm`."""
        held = Counter(o.column for o in self.frame.chosen if o.condition and o.condition.values)
        return not self.joins and max(held.values(), default=0) > 1

    def is_of_all(self, noun: int) -> bool:
        """Whether behind a noun all are said to have it: `which language does everybody have`.

        Not so of `the languages of all`, which is all that any of them has.
        """
        tokens, last = self.frame.sentence.tokens, self.mention(noun).last
        others = [item for item in self.frame.sentence.mentions if item.kind != "record"]
        return any(
            token.word in UNIVERSAL
            and tokens[at - 1].word != "of"
            and not any(item.first <= at < item.last for item in others)
            for at, token in enumerate(tokens)
            if at >= last
        )

    def is_said_to_be(self, noun: int) -> bool:
        """Whether what a noun names is itself said to be so: `have been sold`; no record has it."""
        last = self.mention(noun).last
        says = spoken(self.frame.sentence.tokens[last : last + 2])
        is_so = says[1:] == ("been",) or (not BEING.isdisjoint(says[:1]) and "there" not in says)
        return is_so and bool(self.where) and not self.has("record")

    def means_record(self, at: int) -> bool:
        """Whether a mention is the record, or a text of which each record has its own."""
        texts = self.columns(at, lambda c: c.is_text and c.is_own and c.fill > 0.5, headed=True)
        return self.kind(at) == "record" or any(True for _ in texts)

    def says_age(self, at: int) -> bool:
        """Whether a superlative says of a thing itself how old it is, as `newest` does."""
        return self.frame.sentence.words(self.mention(at)).lower() in words_of("ages", "words")

    def says_unit(self, at: int, column: Column) -> bool:
        """Whether a mention says the unit of *column*: `litres of water`."""
        unit = column.attribute.unit
        named = unit and (unit_of(unit) or unit)
        return named is not None and any(unit_of(t.text) == named for t in self.tokens(at))

    def says_stem_only(self, at: int, column: Column) -> bool:
        """Whether a mention says a column by a word that its name comes from: `reports`."""
        said = {t.word for t in self.tokens(at) if t.stem in column.heads}
        called = {singular(word) for text in column.called for word in words_in(text)}
        return column.is_text and bool(said) and called.isdisjoint(map(singular, said))

    def qualifies_record(self, at: int, column: Column) -> bool:
        """Whether a column stands before the noun of the record, which its name has not."""
        tokens, behind = self.tokens(at), self.kind(at + 1) == "record"
        ends = len(tokens) > 1 and tokens[-1].stem in self.table.nouns - column.named
        return ends or (behind and self.word(at + 1) != "any" and not self.apart(at))

    def is_many(self, nouns: frozenset[int]) -> bool:
        """Whether several things are asked for: one of *nouns* is in the plural, or the verb."""
        said = [at for at in nouns if self.kind(at) in {"column", "record"}]
        words = [token.word for at in said for token in self.tokens(at)]
        verbs = {token.word for token in self.frame.sentence.tokens} & {"are", "were"}
        return bool(verbs) or any(singular(word) != word for word in words)

    def noun(self, asking: int, over: Sequence[str] = _PASSED) -> int | None:
        """Return the noun behind a question word.

        A column counts that a restriction uses, too, where no verb stands between. Not what records
        have: `how many have allergies` asks for none of these.
        """
        tokens = self.frame.sentence.tokens
        for at in range(asking + 1, len(self.frame.sentence.mentions)):
            if self.kind(at) in {*over, "or", "and"}:
                continue
            if self.kind(at) == "column" and is_had(tokens, self.mention(at).first):
                return None
            if at in self.frame.free:
                return at
            named = self.kind(at) == "column" and not self.is_truth(at)
            dated = self.kind(at - 1) == "period" and self.determines(at - 1, at)
            if named and self.determines(asking, at - 1 if dated else at):
                return at  # `which May dates`
        return None

    def is_truth(self, at: int) -> bool:
        """Whether a mention names a column of yes and no, right behind the one before it."""
        if self.kind(at) != "column":
            return False
        adjacent = at == 0 or self.determines(at - 1, at)
        return adjacent and self.table.by_name[self.mention(at).columns[0][0]].is_boolean

    def determines(self, asking: int, noun: int) -> bool:
        """Whether only an article or `of` stands between two mentions."""
        between = self.frame.sentence.tokens[self.mention(asking).last : self.mention(noun).first]
        return all(token.word in _ARTICLES for token in between)

    def is_had(self, at: int) -> bool:
        """Whether something has what stands there: `floor with the most rooms`."""
        before = spoken(self.frame.sentence.tokens[: self.mention(at).first])
        return not {"with", "having"}.isdisjoint(before[-2:])  # and not `who has the most`

    def apart(self, at: int) -> bool:
        """Whether something stands between a mention and the next one."""
        return self.mention(at).last < self.mention(at + 1).first

    def pinned(self, where: Where | None = None) -> bool:
        """Whether a restriction names one record: a value of a text that tells records apart."""
        return any(
            item.kind == "value" and not item.denied and len(item.values) == 1
            for item in (self.where if where is None else where)
            for column in [self.table.by_name[item.column]]
            if column.is_own and column.fill > 0.5 and not column.is_beside
        )

    def names_other(self, at: int) -> bool:
        """Whether a mention is a value of another table."""
        used = [option.column for option in self.frame.chosen if at in option.uses]
        return self.kind(at) == "value" and any(self.table.by_name[x].is_beside for x in used if x)

    @cached_property
    def is_sold(self) -> bool:
        """Whether things are said to be sold or bought, and no record is called so: `orders`."""
        mentions, tokens = self.frame.sentence.mentions, self.frame.sentence.tokens
        named = {t for m in mentions if m.kind == "record" for t in tokens[m.first : m.last]}
        return any(t.stem in stems_of("pieces", "verbs") and t not in named for t in tokens)

    def tallies(
        self, where: Where | None = None, *, things: bool | None = None
    ) -> Iterator[tuple[Summary, Features]]:
        """Yield what is counted where no column is named: rows, the pieces that they stand for.

        An order of three mugs is one order, though of these mugs its list may have one row; what is
        sold are pieces. Where nothing says which are meant, these are two readings. *things* says
        whether a value stands for what has it, as `mugs`; else one does behind `how many`.
        """
        where = self.where if where is None else where
        things = self.counts_things if things is None else things
        pieces, nouns = self.table.pieces, self.of("record")
        acts = self.table.is_list or self.is_sold
        may_be = acts and not any(map(self.word, nouns)) if nouns else things or self.is_sold
        # of `how many cards` the rows are of payments
        may_be = may_be and not any(LISTED in item.column for item in where)
        if nouns or not (self.reaches or (pieces and may_be and self.is_sold)):
            yield Summary("count", None, where), Counter()
        if pieces is not None and may_be:
            unsaid: Features = Counter(pieces_counted=int(not self.is_sold))
            yield Summary("sum", Term(pieces.name), where), unsaid

    @property
    def counts_things(self) -> bool:
        """Whether behind `how many` a value of a row stands for what has it: `mugs`."""
        behind = (self.first("how_many") or 0) + 1
        own = any(not self.table.by_name[x.column].is_beside for x in self.where)
        if not own or self.kind(behind) != "value":
            return False
        low, high = self.mention(behind - 1).last, self.mention(behind).first
        between = self.frame.sentence.tokens[low:high]
        return all(t.word in _ARTICLES or t.stem in stems_of("pieces", "verbs") for t in between)

    @property
    def reaches(self) -> bool:
        """Whether a restriction is of another table."""
        return any(self.table.by_name[item.column].is_beside for item in self.where)

    def heads(self) -> Iterator[Head]:
        """Yield what the question word asks to be put out, and the mentions that say so."""
        asking = next((at for at in self.of(*_HEADS) if at != self.by_number), None)
        if asking is None:
            yield from self._opening()
            return
        kind, noun = self.kind(asking), self.noun(asking)
        tokens = self.frame.sentence.tokens
        last = self.mention(asking).last
        if kind in {"what", "who"} and last < len(tokens) and tokens[last].word in DOING:
            # `what did it cost` asks for what the verb names; `who did Ada judge` for no judge
            named = [at for at, _, _ in self.named(lambda c: c.is_number) if at > asking]
            if not named or kind == "who":
                return
            noun = named[-1]
        if kind in {"who", "where"}:
            yield from self._answering(asking, kind, noun)
        elif kind == "when":
            yield from self._times(asking)
        elif noun is None or self._stands_for_records(asking + 1):
            # `which are red`, `which sloop is the longest`
            if kind in {"what", "list"} and self.table.label is not None:
                yield (Term(self.table.label.name),), frozenset({asking}), Counter({"no_head": 1})
        else:
            yield from self._named(asking, noun)

    def _named(self, asking: int, noun: int) -> Iterator[Head]:
        kind = self.kind(asking)
        if self.kind(noun) == "record" and kind in {"what", "list"}:
            general = self.word(noun) == "any"
            label = None if general else self.table.label
            terms, further = self.asked_besides
            if label is not None or not terms:
                terms = (Term(ROW if label is None else label.name), *terms)
            nameless: Features = Counter({"no_label": int(terms[0].column == ROW and not general)})
            yield terms, frozenset({asking, noun, *further}), nameless
        elif self.kind(noun) == "part":
            for term, assumed in self.parts(noun):
                if self.table.main_date is not None or not assumed["date_assumed"]:
                    yield (term,), frozenset({asking, noun}), assumed
        elif self.kind(noun + 1) != "record" or self.word(noun + 1) == "any" or self.apart(noun):
            # not `the oldest open ticket`: no opening; nor `how long was it open`: no day of it
            concept = self.word(asking) if kind == "question_word" else ""
            *before, last = self.tokens(noun)
            many = {t.stem for t in (*before, last) if singular(t.word) != t.word}
            for column, features in self.columns(noun, self._may_be_told, headed=True):
                is_deed = is_past(last) or (column.may_be_years and not is_time(last.word))
                things = many.union(t.stem for t in before if is_deed)
                is_of_thing = things and not column.is_text and things.isdisjoint(column.named)
                if is_of_thing or self.table.is_called_thing(column):
                    continue  # `the mill built in Ulm` is no year, nor are mills their heights
                if not concept or column.measures(concept):
                    if self.says_stem_only(noun, column):
                        label = self.table.label
                        record = Term(ROW if label is None else label.name)
                        yield (record,), frozenset({asking, noun}), features
                    yield (Term(column.name),), frozenset({asking, noun}), features

    @cached_property
    def asked_besides(self) -> tuple[tuple[Term, ...], tuple[int, ...]]:
        """Return what a sentence at the end asks of the record: `… ? Give its date`."""
        sentence, last = self.frame.sentence, len(self.frame.sentence.mentions) - 1
        opens = self.kind(last - 1) == "list" and sentence.opens_another(self.mention(last - 1))
        own = opens and spoken(
            sentence.tokens[self.mention(last - 1).last : self.mention(last).first]
        )
        if not own or len(own) > 1 or own[0] not in words_of("function", "own"):
            return (), ()
        for column, features in self.columns(last, self._may_be_told, headed=True):
            if not features["unsaid_name"] and not features["names_others"]:
                return (Term(column.name),), (last - 1, last)
        return (), ()

    def _may_be_told(self, column: Column) -> bool:
        """Whether the values of a column tell things apart, and say more than yes and no."""
        return not (column.is_boolean or column.is_of_list or self.table.may_number(column))

    def _stands_for_records(self, at: int) -> bool:
        """Whether a stored value stands there for the records that have it, before no noun."""
        if self.kind(at) != "value" or not self.determines(at - 1, at):
            return False
        follower = self.kind(at + 1)
        nouns = {"record", "column", "part", "value", "rank", "adjective", "number"}
        return follower not in nouns or not self.determines(at, at + 1)

    def _opening(self) -> Iterator[Head]:
        """Yield what a question without a question word begins with: `top 3 hotels by price`."""
        noun = self.noun(-1)
        if noun is None or self.kind(0) not in {"rank", "adjective", "number"}:
            return
        if self.kind(noun) == "record" and self.table.label is not None:
            yield (Term(self.table.label.name),), frozenset({noun}), Counter()
        for column, features in self.columns(noun, lambda c: c.is_text, headed=True):
            yield (Term(column.name),), frozenset({noun}), features

    def _answering(self, asking: int, kind: str, noun: int | None) -> Iterator[Head]:
        named = [] if noun is None else list(self.columns(noun, lambda c: c.is_text))
        for column, features in named:
            yield (Term(column.name),), frozenset({asking, noun or 0}), features
        who = {one for token in self.frame.sentence.tokens for one in doers(token.stem)}
        known = self.table.by_name.values()  # of `brewed` brewers say who, and no title
        doing = [x for x in known if kind == "who" and x.is_text and x.named & who]
        for column in () if named else (doing or self.table.answering(kind)[:2]):
            if not column.is_beside:
                yield (Term(column.name),), frozenset({asking}), Counter({"who_guessed": 1})

    def _times(self, asking: int) -> Iterator[Head]:
        named = list(self.named(lambda c: c.is_date or c.is_year))
        for at, column, features in named:
            yield (Term(column.name),), frozenset({asking, at}), features
        if not named and self.table.main_date is not None:
            assumed: Features = Counter({"date_assumed": 1})
            yield (Term(self.table.main_date.name),), frozenset({asking}), assumed

    def parts(self, at: int) -> Iterator[tuple[Term, Features]]:
        """Yield the terms that a noun of time may mean: a part of a date."""
        part, main = self.word(at), self.table.dating
        dates = list(self.named(lambda c: c.is_date))
        beside = [c for a, c, _ in dates if abs(a - at) == 1 or len(dates) == 1]
        words = {token.word for token in self.frame.sentence.tokens}
        any_year = "whatever" in words or {"month", "year"} <= words
        if part == "month" and any_year:
            part = "month_name"
        found = beside or ([main] if main is not None and main.is_date else [])
        if part == "year" and not beside and self.table.main_date is None:
            found = [column for column in self.table.columns if column.is_year] or found
        for column in found:
            is_sure = bool(beside) or column.is_year or self.table.dates == [self.table.main_date]
            term = Term(column.name, "" if part == "date" or column.is_year else part)
            yield term, Counter({"date_assumed": int(not is_sure)})

    def measures(self, *, additive: bool = False) -> Iterator[Measure]:
        """Yield the numbers that are named, or that `how long`, `most expensive` … speak of."""
        asked = frozenset(self.of("question_word"))
        concept = next((self.word(at).split()[0] for at in (*asked, *self.of("adjective"))), "")
        named = [
            (at, column, self._with_concept(at, column, features, concept))
            for at, column, features in self.named(lambda c: c.is_amount and not c.is_identifier)
            if not concept
            or (column.measures(concept) and not (asked and column.is_start(concept)))
        ]
        for at, column, features in named:
            says = self.frame.sentence.says_how_many(self.mention(at), column)
            if not additive or (column.is_additive and says):
                yield column, asked | {at}, features
        for column in () if named else self.table.measuring(concept):
            if column.is_number and not (column.is_year or (asked and column.is_start(concept))):
                yield column, asked, self.by_concept(column, concept)

    def _with_concept(self, at: int, column: Column, features: Features, concept: str) -> Features:
        """Return what is left unsaid of a column where `how far`, `closest` say `distance`."""
        measuring = stems_of("concept", concept) if concept else frozenset()
        said = {token.stem for token in self.tokens(at)}
        if not (column.heads & measuring and column.named & said):
            return features
        said |= measuring
        share = max((len(said & {*name}) / len({*name}) for name in column.names), default=0.0)
        unsaid = min(features["unsaid_name"], 1 - share)
        narrowed = min(features["narrowed"], int(self.table.narrows(column, said)))
        said_now = {"unsaid_name": unsaid, "names_others": 0, "narrowed": narrowed}
        return Counter({**features, **said_now})

    def by_concept(self, column: Column, concept: str) -> Features:
        """Return what is assumed of a column that only `how far`, `closest` speak of."""
        narrowed = int(self.table.narrows_concept(column, concept))
        is_way = concept == "length" and not column.takes_time and stem(concept) not in column.named
        timed = is_way and len(self.table.dates) > 1  # and `long` perhaps the time between them
        return Counter({"concept": 1, "narrowed": narrowed, "long_way": int(timed)})

    def summaries(self) -> Iterator[tuple[Summary, frozenset[int], Features]]:
        """Yield the one aggregate that is asked for, over each measure that it may mean."""
        asked = self.of("aggregate")
        if not (asked or self.pinned() or self.has("list", "how_many", "rank", "adjective")):
            for column, used, features in self.measures():  # `what is the highest point`
                words = [token.word for at in used for token in self.tokens(at)]
                end = dict(phrases().get(tuple(words[:1]), ())).get("rank")
                wanted = {"highest": True, "lowest": False}.get(end or "")
                high = None if wanted is None else column.end_of(valued(words[:1]), wanted)
                if high is not None and not (features["unsaid_name"] or self.is_many(used)):
                    summary = Summary("max" if high else "min", Term(column.name), self.where)
                    yield summary, used, features
        if len(asked) == 1:
            function = self.word(asked[0])
            for column, used, features in self.measures(additive=function == "sum"):
                said = {token.stem for at in used if at < asked[0] for token in self.tokens(at)}
                names = column.may_name and not column.may_be_years
                if names and function not in {"min", "max"}:
                    continue  # of numbers that may name something nobody adds up
                said_number = any(spoken(self.tokens(at))[1:][-1:] == ("number",) for at in used)
                if said_number and column.is_called_one:
                    continue  # `room number` says which room
                if column.is_of_list and "amount" in self.words(asked[0]):
                    continue  # `total amount of materials` says how much, and not how many
                summary = Summary(function, Term(column.name), self.where)  # type: ignore[arg-type]
                if not said or said - operator_stems():  # `maximum total`: the highest, of totals
                    yield summary, used | set(asked), features

    def totals(self) -> frozenset[int]:
        """Return the mentions that say `in total`."""
        return frozenset(at for at in self.of("aggregate") if self.word(at) == "sum")

    def related(self, summary: Summary) -> tuple[str, float] | None:
        """Return the relation to a number, in the unit of what is summed up."""
        if self.relation is None:
            return None
        operator, at, concept = self.relation
        number = self.mention(at)
        if summary.term is None:
            is_bare = not (number.unit or number.rate or concept)
            return (operator, number.number or 0.0) if is_bare else None
        column = self.table.by_name[summary.term.column]
        value, meant = number.in_unit_of(column), column.turned(operator, concept)
        if value is None or meant is None or not column.is_rate_of(number.rate):
            return None
        return meant, value

    def ranked(self, at: int) -> Iterator[Ranked]:
        """Yield what a superlative ranks, and whether it means the highest value."""
        concept, highest = "", self.word(at) == "highest"
        if self.kind(at) in {"adjective", "comparative"}:
            concept, end = self.word(at).split()
            concept, highest = concept.replace("any", ""), end == "high"
        if concept == "time" and any(self.named(lambda c: c.measures("rank"))):
            return  # `ranks first`
        sorting = self.first("by")
        over = ("aggregate", "number", "how_many")
        follower = self.after(at if sorting is None else sorting, over)
        ordered = [
            item
            for item in self.named(lambda c: c.is_number or (c.is_date and bool(concept)))
            # nothing is the most by what may name things, or by years that are not counted
            if not (self.is_counting(at) and item[1].is_identifier)
            and not (self.is_counting(at) and item[1].may_be_years and item[1].is_called_one)
            and (self.by_number is None or (item[0] > self.by_number and item[1].is_of_things))
        ]
        headed = set() if follower is None else {
            column.name for column, _ in self.columns(follower, lambda _: True, headed=True)
        }  # fmt: skip
        beside = [
            item for item in ordered
            if item[0] == follower
            and (sorting is not None or (self.near(at, item[0]) and item[1].name in headed))
        ]  # fmt: skip
        measured = bool(self.table.measuring(concept))

        def fits(column: Column) -> bool:
            """Whether what stands behind `largest`, `longest` may be meant by it."""
            if concept == "time" or column.is_numbering or column.is_date:
                return False  # the first report is no lowest number of one, no date is long
            return concept == "size" or not measured  # days are cold by their temperature

        counting: Features = Counter({"counting": int(self.is_counting(at))})
        asking = self.first("what", "list")
        behind = self.kind(at) == "rank" and self.kind(at + 1) and not self.apart(at)
        behind = behind or self.is_counting(at)  # nothing is the most
        # of `which phase has the highest total` no phase is the highest
        head = (self.noun(asking) if asking is not None and behind else None) or at
        apart = [
            item
            for item in ordered
            if (concept or item[0] != follower or not self.near(at, item[0]))
            and (item[0] != head or head > at)
        ]
        held = self._held(at, concept, beside=True)
        held = held or ([] if apart or beside else self._held(at, concept, beside=False))
        for place, column, features in () if held else beside or apart:
            if concept and not column.measures(concept) and not (beside and fits(column)):
                continue
            meant = column.end_of(concept or valued(self.words(at)), highest)
            if meant is not None:
                features = self._with_concept(place, column, features, concept)
                far: Features = Counter({"far_measure": int(not beside)})
                used = frozenset({place, *self.of("by", "how_many")[: 2 * (sorting is not None)]})
                yield column, used, meant, features + far + counting
        named = {column.name for _, column, _ in ordered}
        measuring = held or ([] if beside else self.table.measuring(concept))
        # who was born last did not come last
        if concept == "time" and not (held or self.says_age(at)):
            measuring = [c for c in measuring if not self.table.narrows_concept(c, concept)]
        others = self.table.others(measuring)
        for column in measuring:
            meant = column.end_of(concept or valued(self.words(at)), highest)
            if column.name not in named and meant is not None:
                own: Features = Counter({"not_own": int(column.name in others)})
                assumed = Counter() if held else self.by_concept(column, concept) + own
                yield column, frozenset(), meant, assumed

    def _held(self, at: int, concept: str, *, beside: bool) -> list[Column]:
        """Return what a superlative ranks of what restrictions name: `viewed first in 2024`."""
        held = {
            self.table.by_name[option.column]: None
            for option in self.frame.chosen
            for place in option.uses
            if self.kind(place) == "column" and (abs(place - at) == 1 or not beside)
        }
        aged = self.says_age(at) and not beside  # `the newest boat viewed in 2024`
        return [x for x in held if x.measures(concept) and not (x.is_beside or aged)]

    def is_counting(self, at: int) -> bool:
        """Whether a superlative asks for an amount: `the most`, `the fewest`."""
        is_said = self.kind(at) == "rank" and bool(self.words(at) & _COUNTING)
        return is_said or self.by_number is not None

    def counts(self, at: int) -> Iterator[tuple[Summary, frozenset[int]]]:
        """Yield what is counted behind `most`: records, or the different names in a column."""
        start = at if self.by_number is None else self.by_number
        said = frozenset(self.of("by", "how_many") if start != at else ())
        follower, pieces = self.after(start), self.table.pieces
        way = range(start + 1, (follower or 0) + 1)  # of `most hard trails`
        near = all(self.near(i - 1, i) and (self.kind(i) == "value" or i == follower) for i in way)
        if self.word(at) in {"often", "seldom"}:
            yield Summary("count", None, self.where), frozenset()
        elif follower is None and pieces is not None and self.is_counting(at):
            yield Summary("sum", Term(pieces.name), self.where), said
            if not (self.table.is_list or self.is_sold):
                yield Summary("count", None, self.where), said
        elif follower is not None and self.is_counting(at) and near:
            if self.means_record(follower):
                # of `job adverts`
                last = next(i for i in count(follower) if self.kind(i + 1) != "record")
                noun = self.tokens(last)[-1].word
                # `the most energy` is no number of anything
                found = self.tallies(things=False) if noun != singular(noun) else ()
                yield from ((summary, said | {follower}) for summary, _ in found)
            elif self.kind(follower) == "column":
                for column, features in self.columns(follower, lambda c: c.is_text, headed=True):
                    if self.needs_all(follower, column):
                        continue
                    if features["unsaid_name"] <= WHOLE and not column.qualifies:
                        counted = Summary("count", Term(column.name), self.where, distinct=True)
                        yield counted, said | {follower}
                        if not column.is_own:  # `the most faults`: of each kind, or all
                            yield self.stating(column), said | {follower}

    def stating(self, column: Column) -> Summary:
        """Count the records that state a column; all, where each does."""
        return Summary("count", None if column.fill == 1 else Term(column.name), self.where)

    def limit(self, at: int) -> tuple[int | None, frozenset[int]]:
        """Return how many are asked for: `the three cheapest`, `top 5`, `which two cities`."""
        for place in self.of("number"):
            number = self.mention(place)
            amount = number.number or 0
            if number.unit is None and amount == int(amount) and 1 <= amount <= _MAX_LIMIT:
                noun = self.kind(place + 1) in {"column", "record", "part"}
                if abs(place - at) == 1 or (place < at and noun):
                    return int(amount), frozenset({place})
        return None, frozenset()

    def contradicts(self, column: Column, highest: bool) -> bool:
        """Whether the order that is asked for of *column* is another: `cheapest, dearest first`."""
        place = self.first("direction")
        concept, _, end = ("same" if place is None else self.word(place)).rpartition(" ")
        concept = concept or valued(self.words(place or 0))
        return end != "same" and column.end_of(concept, end in {"desc", "high"}) is not highest

    def order(self) -> tuple[tuple[Term, bool] | None, frozenset[int]]:
        """Return what a list is sorted by, and whether it falls: `by rating, highest first`."""
        direction, place = self.first("direction"), self.first("by", "sorted")
        concept, _, end = ("" if direction is None else self.word(direction)).rpartition(" ")
        concept = concept or valued(() if direction is None else self.words(direction))
        used = frozenset(at for at in (direction, place) if at is not None)
        key = None if place is None else self.after(place)
        columns = self.table.measuring(concept) if place is None else []
        if place is not None and key is not None and self.near(place, key):
            named = self.columns(key, lambda c: not (c.is_boolean or c.statistics.holds_figures))
            columns, used = [column for column, _ in named][:1], used | {key}
        falls = columns[0].end_of(concept, end in {"desc", "high"}) if len(columns) == 1 else None
        return (None, frozenset()) if falls is None else ((Term(columns[0].name), falls), used)
