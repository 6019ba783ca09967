"""How many prompts may be in flight: fewer after a rate limit, slowly more when all goes well."""

from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

_STEPS_TO_MOST = 16  # a full house of good replies adds this part of the highest limit


class AdaptiveLimiter:
    """Lets a number of requests in that is halved by a rate limit and grows again.

    Attributes:
        limit: Most requests in flight at present.
    """

    def __init__(self, most: int) -> None:
        self.limit = most
        self._most = most
        self._n_in_flight = 0
        self._n_good = 0
        self._n_shrunk = 0
        self._not_before = 0.0
        self._waiting: deque[anyio.Event] = deque()

    @asynccontextmanager
    async def place(self) -> AsyncIterator[int]:
        """Wait for a place, and for the end of a pause; yield what `slow_down` wants to know."""
        while self._n_in_flight >= self.limit:
            event = anyio.Event()
            self._waiting.append(event)
            try:
                await event.wait()
            except BaseException:  # cancelled: another one may have been woken in its stead
                self._wake()
                raise
        self._n_in_flight += 1
        try:
            await anyio.sleep(max(0.0, self._not_before - anyio.current_time()))
            yield self._n_shrunk
        finally:
            self._n_in_flight -= 1
            self._wake()

    def slow_down(self, round_: int, pause_s: float) -> None:
        """Take note of a rate limit: pause, and halve the limit.

        Args:
            round_: What `place` yielded; all that were in flight together halve it only once.
            pause_s: Nothing is sent for so long.
        """
        self._not_before = max(self._not_before, anyio.current_time() + pause_s)
        self._n_good = 0
        if round_ == self._n_shrunk:
            self._n_shrunk += 1
            self.limit = max(1, self.limit // 2)

    def speed_up(self) -> None:
        """Take note of a good reply; as many as the limit make it a little higher."""
        self._n_good += 1
        if self._n_good >= self.limit < self._most:
            self._n_good = 0
            self.limit = min(self._most, self.limit + max(1, self._most // _STEPS_TO_MOST))
            self._wake()

    def _wake(self) -> None:
        for _ in range(self.limit - self._n_in_flight):
            if not self._waiting:
                return
            self._waiting.popleft().set()
