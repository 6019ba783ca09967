"""The pilot of a prediction: long documents whose further parts tell what others are read on for.

Reading on costs more than anything else, and mostly for columns of which few documents say a word.
"""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import Self

import anyio

from srag_mcp.errors import SragError

N_DOCUMENTS = 5  # all of one kind, mostly: they tell what documents of it say late


@dataclass
class Pilot:
    """The first long documents: they are read on for all that they do not mention.

    A column that none of their further parts states, and that most of them never mention, is not
    sought in further parts of other documents, unless a question has *needed* it. Which documents
    these are depends on their order alone, and what they told is *kept*, by *keep*, before their
    records are handed over: later runs ask the same.
    """

    kept: str | None = None
    keep: Callable[[str], None] = lambda _: None
    needed: frozenset[str] = frozenset()
    _ids: set[str] = field(default_factory=set)
    _n_told: int = 0
    _stated: set[str] = field(default_factory=set)
    _silent: Counter[str] = field(default_factory=Counter)
    _idle: frozenset[str] | None = None
    _failed: SragError | None = None
    _over: anyio.Event = field(default_factory=anyio.Event)

    def __post_init__(self) -> None:
        if self.kept is not None:
            found = json.loads(self.kept)
            self._ids, self._idle = set(found["documents"]), frozenset(found["idle"])
            self._over.set()

    @classmethod
    def spared(cls) -> Self:
        """Return one that is over, and after which all documents are read on for all."""
        return cls(json.dumps({"documents": [], "idle": []}))

    @property
    def is_over(self) -> bool:
        """Whether it has told what others are read on for."""
        return self._idle is not None

    def __contains__(self, document_id: str) -> bool:
        return document_id in self._ids

    def enrol(self, document_ids: Iterable[str]) -> None:
        """Take in the long documents of a batch, unless there are enough; in the order of them."""
        if not self.is_over and len(self._ids) < N_DOCUMENTS:
            self._ids.update(document_ids)

    def tell(self, document_id: str, stated: Collection[str], silent: Collection[str]) -> None:
        """Say what the further parts of one of its documents state, and what it never mentions."""
        if self.is_over or document_id not in self._ids:
            return
        self._n_told += 1
        self._stated.update(stated)
        self._silent.update(silent)
        if self._n_told == len(self._ids) >= N_DOCUMENTS:
            often = {name for name, n in self._silent.items() if 2 * n > self._n_told}
            idle = frozenset(often - self._stated - self.needed)
            self.keep(json.dumps({"documents": sorted(self._ids), "idle": sorted(idle)}))
            self._idle = idle
            self._over.set()

    def fail(self, error: SragError) -> None:
        """Let nobody wait for it: the run ends."""
        self._failed = self._failed or error
        self._over.set()

    async def idle(self) -> frozenset[str]:
        """Wait until it is over; return what is not sought in further parts.

        Raises:
            SragError: If it could not be read.
        """
        await self._over.wait()
        if self._failed is not None:
            raise self._failed
        return self._idle or frozenset()
