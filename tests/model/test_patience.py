"""How long is waited, and how many prompts are in flight."""

import threading
import time
from collections.abc import Mapping
from dataclasses import replace

import anyio
import pytest

from srag_mcp.errors import ModelError, ModelStoppedError
from srag_mcp.model.language_model import Reply
from srag_mcp.model.litellm_library import run_to_end
from srag_mcp.model.remote_model import RemoteModel, open_model
from tests.model.asking_server import (
    BUSY,
    GOOD,
    HASTE,
    PROMPT,
    SCHEMA,
    ask,
    in_turn,
    numbered,
    settings,
)
from tests.model.openai_server import Answer, Body, serving

pytestmark = pytest.mark.usefixtures("without_keys", "nothing_on_stdout")


class Refusing:
    """Refuses the first *n* requests, and notes when each came.

    A date that it names is 2 s off when it answers, however late that is.
    """

    def __init__(self, n: int, headers: Mapping[str, str]) -> None:
        self.n = n
        self.headers = headers
        self.came_at: list[float] = []

    def __call__(self, body: Body) -> Answer:
        self.came_at.append(time.monotonic())
        if len(self.came_at) > self.n:
            return GOOD
        return replace(BUSY, headers=self.headers)


def test_a_wait_that_the_server_asks_for_is_kept(named: str) -> None:
    with serving(Refusing(1, {"retry-after": "0.3"})) as server:
        script = server.script
        [reply] = ask(open_model(settings(server, named, reply_timeout_s=60.0), HASTE))
    assert isinstance(reply, Reply)
    assert isinstance(script, Refusing)
    first, second = script.came_at
    assert second - first >= 0.3


def test_after_rate_limits_fewer_prompts_are_in_flight(named: str) -> None:
    patient = replace(HASTE, n_tries=100)
    with serving(Refusing(32, {})) as server:
        chosen = settings(server, named, concurrency=32, reply_timeout_s=60.0)
        model = open_model(chosen, patient)
        replies = ask(model, numbered(120))
    assert all(isinstance(reply, Reply) for reply in replies)
    assert len(server.requests) == 32 + 120
    assert isinstance(model, RemoteModel)
    assert model.limiter.limit < 32, "it is halved at least once, and grows by 2 in 16 replies"


def test_a_reply_that_does_not_come_in_time_is_asked_for_once_more(named: str) -> None:
    with serving(in_turn(replace(GOOD, delay_s=60.0), GOOD)) as server:
        [reply] = ask(open_model(settings(server, named, reply_timeout_s=1.0), HASTE))
    assert isinstance(reply, Reply)
    assert len(server.requests) == 2

    with serving(lambda body: replace(GOOD, delay_s=60.0)) as server:
        [caught] = ask(open_model(settings(server, named, reply_timeout_s=0.3), HASTE))
    assert type(caught) is ModelError
    assert len(server.requests) == 2
    assert "no reply within 0.3 s (SRAG_REPLY_TIMEOUT_S) (tried 2 times)" in str(caught)


def test_who_waits_for_a_place_when_the_run_stops_is_not_sent(named: str) -> None:
    wrong_key = Answer(status=401, error=("Wrong key", "invalid_api_key"))
    with serving(lambda body: wrong_key) as server:
        stops = ask(open_model(settings(server, named, concurrency=1), HASTE), numbered(4))
    assert {type(stop) for stop in stops} == {ModelStoppedError}
    assert len({str(stop) for stop in stops}) == 1
    assert len(server.requests) == 1


def test_a_model_that_stopped_can_be_asked_again_later(named: str) -> None:
    with serving(in_turn(Answer(status=402, error=("No credit", "")), GOOD)) as server:
        model = open_model(settings(server, named), HASTE)
        said = [ask(model)[0], ask(model)[0]]
    assert [type(item) for item in said] == [ModelStoppedError, Reply]


def test_a_call_is_cancelled_at_once(named: str) -> None:
    asked = threading.Event()

    def keep_waiting(body: Body) -> Answer:
        asked.set()
        return replace(GOOD, delay_s=600.0)

    with serving(keep_waiting) as server:
        model = open_model(settings(server, named, reply_timeout_s=600.0), HASTE)

        async def run() -> None:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(model.complete, PROMPT, SCHEMA)
                while not asked.is_set():
                    await anyio.sleep(0.01)
                tasks.cancel_scope.cancel()

        run_to_end(run)
        assert (len(server.requests), server.n_in_flight) == (1, 1), "nobody waited for the reply"
