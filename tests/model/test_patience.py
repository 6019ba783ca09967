"""How long is waited, and how many prompts are in flight."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import anyio
import pytest

from srag_mcp.errors import ModelError, ModelStoppedError
from srag_mcp.model.language_model import LanguageModel, Reply
from srag_mcp.model.litellm_library import close_connections
from srag_mcp.model.remote_model import RemoteModel, open_model
from srag_mcp.settings import Settings
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
from tests.model.openai_server import Answer, Body, OpenAIServer, serving

pytestmark = pytest.mark.usefixtures("without_keys", "nothing_on_stdout")


def test_a_wait_that_the_server_asks_for_is_kept(named: str) -> None:
    at = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
    for headers in ({"retry-after": "0.3"}, {"retry-after-ms": "300"}, {"retry-after": at}):
        with serving(in_turn(replace(BUSY, headers=headers), GOOD)) as server:
            model = open_model(settings(server, named), HASTE)
            waits: list[float] = []

            async def run(model: LanguageModel = model, waits: list[float] = waits) -> None:
                started = anyio.current_time()
                await model.complete(PROMPT, SCHEMA)
                waits.append(anyio.current_time() - started)
                await close_connections()

            anyio.run(run)
            assert waits[0] >= 0.3
        assert len(server.requests) == 2


def test_after_rate_limits_fewer_prompts_are_in_flight(named: str) -> None:
    most = 4

    class Limited:
        """Refuses more than *most* at a time."""

        server: OpenAIServer | None = None

        def __call__(self, body: Body) -> Answer:
            assert self.server is not None
            return BUSY if self.server.n_in_flight > most else replace(GOOD, delay_s=0.02)

    script = Limited()
    with serving(script) as server:
        script.server = server
        model = open_model(settings(server, named, concurrency=32), HASTE)
        replies = ask(model, numbered(120))
    assert all(isinstance(reply, Reply) for reply in replies)
    n_refused = len(server.requests) - 120
    assert 28 <= n_refused < 120
    assert isinstance(model, RemoteModel)
    assert model.n_in_flight_most < 32


def test_a_reply_that_does_not_come_in_time_is_asked_for_once_more(named: str) -> None:
    with serving(in_turn(replace(GOOD, delay_s=5.0), GOOD)) as server:
        [reply] = ask(open_model(settings(server, named, reply_timeout_s=0.3), HASTE))
    assert isinstance(reply, Reply)

    with serving(lambda body: replace(GOOD, delay_s=5.0)) as server:
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
    with serving(lambda body: replace(GOOD, delay_s=30.0)) as server:
        model = open_model(settings(server, named, reply_timeout_s=60.0), HASTE)

        async def run() -> float:
            with anyio.move_on_after(0.5):
                await model.complete(PROMPT, SCHEMA)
            started = anyio.current_time()
            await close_connections()
            return anyio.current_time() - started

        ask(open_model(Settings(model="nonsense/foo"), HASTE))  # loads litellm
        assert anyio.run(run) < 1.0
    assert len(server.requests) == 1
