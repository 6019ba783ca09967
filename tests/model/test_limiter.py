import anyio

from srag_mcp.model.remote_model import AdaptiveLimiter


async def enter(limiter: AdaptiveLimiter, inside: list[int], gate: anyio.Event) -> None:
    async with limiter.place():
        inside.append(1)
        await gate.wait()
        inside.pop()


def test_no_more_than_the_limit_are_inside() -> None:
    async def run() -> tuple[int, int]:
        limiter, inside, gate = AdaptiveLimiter(3), list[int](), anyio.Event()
        async with anyio.create_task_group() as tasks:
            for _ in range(7):
                tasks.start_soon(enter, limiter, inside, gate)
            await anyio.wait_all_tasks_blocked()
            most = len(inside)
            gate.set()
        return most, len(inside)

    assert anyio.run(run) == (3, 0)


def test_a_rate_limit_halves_the_limit_once_for_all_that_were_in_flight() -> None:
    async def run() -> list[int]:
        limiter, limits = AdaptiveLimiter(16), list[int]()

        async def be_refused(gate: anyio.Event) -> None:
            async with limiter.place() as round_:
                await gate.wait()
                limiter.slow_down(round_, 0.0)
                limits.append(limiter.limit)

        for n_together in (2, 1, 1, 1, 1):
            gate = anyio.Event()
            async with anyio.create_task_group() as tasks:
                for _ in range(n_together):
                    tasks.start_soon(be_refused, gate)
                await anyio.wait_all_tasks_blocked()
                gate.set()
        return limits

    assert anyio.run(run) == [8, 8, 4, 2, 1, 1]


def test_good_replies_raise_the_limit_again_but_not_above_the_highest() -> None:
    async def run() -> list[int]:
        limiter, limits = AdaptiveLimiter(32), []
        async with limiter.place() as round_:
            limiter.slow_down(round_, 0.0)
        for _ in range(400):
            limiter.speed_up()
            limits.append(limiter.limit)
        return limits

    limits = anyio.run(run)
    assert (limits[0], limits[15], limits[-1]) == (16, 18, 32)
    assert limits == sorted(limits)


def test_who_was_cancelled_while_waiting_leaves_the_place_to_the_next() -> None:
    async def run() -> int:
        limiter, inside, gate = AdaptiveLimiter(1), list[int](), anyio.Event()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(enter, limiter, inside, gate)
            await anyio.wait_all_tasks_blocked()
            async with anyio.create_task_group() as given_up:
                given_up.start_soon(enter, limiter, inside, anyio.Event())
                await anyio.wait_all_tasks_blocked()
                tasks.start_soon(enter, limiter, inside, gate)
                await anyio.wait_all_tasks_blocked()
                gate.set()
                given_up.cancel_scope.cancel()
        return len(inside)

    assert anyio.run(run) == 0


def test_a_pause_holds_for_all() -> None:
    async def run() -> float:
        limiter = AdaptiveLimiter(4)
        async with limiter.place() as round_:
            limiter.slow_down(round_, 0.1)
        started = anyio.current_time()
        async with limiter.place():
            return anyio.current_time() - started

    assert anyio.run(run) >= 0.09
