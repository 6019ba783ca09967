"""Who runs next: short queries before long ones, callers in turn. No threads, no clocks."""

import itertools
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeAlias, TypeVar

# own: a statement of this package, which never takes long; short: a query that has not run long.
Kind: TypeAlias = Literal["own", "short", "long"]

PATIENCE = 16  # short queries that may go before a long one: a second of a pool that is kept busy
MAX_YIELDS = 3  # after 1/8, 1/4 and 1/2 of the time after which a query counts as long
MAX_CALLERS = 1000  # whose last turn is remembered


@dataclass(eq=False, slots=True)
class Turn:
    """One statement in the line.

    Attributes:
        passed: Short ones that went before this long one.
        n_yields: How often it gave its place to one that had run less; it begins anew after each.
    """

    caller: Hashable
    kind: Kind = "short"
    passed: int = 0
    n_yields: int = 0


AnyTurn = TypeVar("AnyTurn", bound=Turn)


@dataclass(slots=True)
class Turns(Generic[AnyTurn]):
    """A line before *n_places* places, of which long queries hold at most half.

    Nobody knows beforehand how long a query runs, so one that runs gives way to those that have run
    less: where ten heavy ones come at once, a light one waits for an eighth of a second, not for
    each of them to become long. Statements of this package go first, and have one place more: they
    wait for no query.
    """

    n_places: int
    waiting: list[AnyTurn] = field(default_factory=list)
    running: list[AnyTurn] = field(default_factory=list)
    _last_turns: "OrderedDict[Hashable, int]" = field(default_factory=OrderedDict)
    _count: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    def next(self) -> AnyTurn | None:
        """Give a free place to whoever is next; None if nobody may have one now."""
        turn = self._choose()
        if turn is None:
            return None
        self.waiting.remove(turn)
        self.running.append(turn)
        self._last_turns[turn.caller] = next(self._count)
        self._last_turns.move_to_end(turn.caller)
        if len(self._last_turns) > MAX_CALLERS:
            self._last_turns.popitem(last=False)
        if turn.kind == "short":
            for other in self.waiting:
                other.passed += other.kind == "long"
        return turn

    def lengthen(self, turn: AnyTurn) -> bool:
        """Count *turn*, which runs, as long; False if it must give up its place, and wait again."""
        has_room = self._n_running("long") < max(1, self.n_places // 2)
        turn.kind = "long"
        return has_room

    def gives_way(self, turn: AnyTurn) -> bool:
        """Count a yield of *turn*, a short query, if another waits that has had fewer of them."""
        gives_way = turn.n_yields < MAX_YIELDS and any(
            other.kind == "short" and other.n_yields <= turn.n_yields for other in self.waiting
        )
        turn.n_yields += gives_way
        return gives_way

    def leave(self, turn: AnyTurn) -> None:
        """Take *turn* out: it has ended, gives up its place, or waits no more."""
        for place in (self.waiting, self.running):
            if turn in place:
                place.remove(turn)

    def _choose(self) -> AnyTurn | None:
        """Say who may have a place now and is next."""
        n_free = self.n_places + 1 - len(self.running)
        own = [turn for turn in self.waiting if turn.kind == "own"]
        if n_free <= 0 or own:
            return own[0] if n_free > 0 else None
        if self._n_running("short") + self._n_running("long") >= self.n_places:
            return None
        short = [turn for turn in self.waiting if turn.kind == "short"]
        long: list[AnyTurn] = []
        if self._n_running("long") < max(1, self.n_places // 2):
            long = [turn for turn in self.waiting if turn.kind == "long"]
        overdue = [turn for turn in long if turn.passed >= PATIENCE]
        return min(overdue or short or long, key=self._rank, default=None)

    def _rank(self, turn: AnyTurn) -> tuple[int, int, int]:
        """Rank by yields, by what its caller runs now, by when that had a turn; then who came."""
        n_running = sum(other.caller == turn.caller for other in self.running)
        return turn.n_yields, n_running, self._last_turns.get(turn.caller, 0)

    def _n_running(self, kind: Kind) -> int:
        return sum(turn.kind == kind for turn in self.running)
