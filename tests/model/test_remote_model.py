"""The wires, litellm and our own, over real HTTP: against a server on loopback."""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import anyio
import pytest

from srag_mcp.errors import (
    ModelError,
    ModelStoppedError,
    PromptRefusedError,
    PromptTooLongError,
    SettingsError,
)
from srag_mcp.model.asking import ask_for
from srag_mcp.model.choice import open_model
from srag_mcp.model.language_model import LanguageModel, Prompt, Reply, Step
from srag_mcp.model.litellm_library import close_connections, run_to_end
from srag_mcp.model.prices import find_price
from srag_mcp.model.remote_model import Patience, RemoteModel
from srag_mcp.model.reply_content import ReplyContent
from srag_mcp.settings import Settings
from tests.model.openai_server import Answer, Body, OpenAIServer, Script, content_of, serving

PROMPT = Prompt("records", "Read the page.", "The Crown has 12 rooms.", subject="crown.txt")
HASTE = Patience(first_wait_s=0.01)


class Rooms(ReplyContent):
    n: int


SCHEMA = Rooms.model_json_schema()


@pytest.fixture(autouse=True)
def without_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "SRAG_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(params=["openai/fake", "hosted_vllm/fake"], ids=["own", "litellm"])
def named(request: pytest.FixtureRequest) -> str:
    """The model: on our own wire, and through litellm."""
    return str(request.param)


@pytest.fixture(autouse=True)
def nothing_on_stdout(capfd: pytest.CaptureFixture[str]) -> Iterator[None]:
    yield
    assert capfd.readouterr().out == ""


def settings(server: OpenAIServer, named: str, **chosen: object) -> Settings:
    values = {"model": named, "api_base": server.base, "reply_timeout_s": 5.0}
    return Settings.model_validate({**values, **chosen})


def ask(model: LanguageModel, prompts: Sequence[Prompt] = (PROMPT,)) -> list[Reply | ModelError]:
    """Ask all at once; errors are returned like replies."""

    async def run() -> list[Reply | ModelError]:
        said: dict[int, Reply | ModelError] = {}

        async def one(place: int, prompt: Prompt) -> None:
            try:
                said[place] = await model.complete(prompt, SCHEMA)
            except ModelError as error:
                said[place] = error

        async with anyio.create_task_group() as tasks:
            for place, prompt in enumerate(prompts):
                tasks.start_soon(one, place, prompt)
        return [said[place] for place in range(len(prompts))]

    return run_to_end(run)


def in_turn(*answers: Answer) -> Script:
    """Answer with one after the other; the last one again and again."""
    left = list(answers)
    return lambda body: left.pop(0) if len(left) > 1 else left[0]


def numbered(n_prompts: int) -> list[Prompt]:
    return [
        replace(PROMPT, content=f"Page {number}", subject=f"{number}.txt")
        for number in range(n_prompts)
    ]


GOOD = Answer('{"n": 12}')
BUSY = Answer(status=429, error=("Rate limit reached", "rate_limit_exceeded"))
LONG = Answer(
    status=400,
    error=("This model's maximum context length is 4096 tokens.", "context_length_exceeded"),
)
BROKEN = Answer(status=500, error=("boom", "server_error"))


def test_a_prompt_and_its_schema_reach_the_server_and_the_reply_comes_back(named: str) -> None:
    with serving(lambda body: GOOD) as server:
        [reply] = ask(open_model(settings(server, named, api_key="secret")))

    assert isinstance(reply, Reply)
    assert replace(reply, seconds=0.0) == Reply(
        '{"n": 12}', tokens_in=100, tokens_out=20, tokens_cached=60, model="fake"
    )
    assert reply.cost_usd is None
    schema_shown = (
        "Read the page.\n\nReply with one JSON object that fits this JSON Schema:\n"
        '{"additionalProperties":false,"properties":{"n":{"title":"N","type":"integer"}},'
        '"required":["n"],"title":"Rooms","type":"object"}'
    )
    assert server.requests == [
        {
            "model": "fake",
            "messages": [
                {"role": "system", "content": schema_shown},
                {"role": "user", "content": "The Crown has 12 rooms."},
            ],
            "temperature": 0.0,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "reply", "strict": True, "schema": SCHEMA},
            },
        }
    ]
    assert server.keys == ["bearer secret"]


def test_a_model_with_a_price_costs_what_it_charges() -> None:
    with serving(lambda body: GOOD) as server:
        [reply] = ask(open_model(settings(server, "mistral/mistral-small-latest", api_key="k")))
    assert isinstance(reply, Reply)
    price = find_price("mistral/mistral-small-latest")
    assert price is not None
    assert reply.cost_usd == price.cost_usd(100, 20, tokens_cached=60) > 0


def test_a_name_without_a_provider_means_the_own_server() -> None:
    with serving(lambda body: GOOD) as server:
        [reply] = ask(open_model(settings(server, "llama-3")))
    assert isinstance(reply, Reply)
    assert [body["model"] for body in server.requests] == ["llama-3"]


def test_another_protocol_is_litellms_and_the_instructions_are_marked_for_its_cache() -> None:
    said = {
        "id": "m-1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": [{"type": "text", "text": '{"n": 12}'}],
        "stop_reason": "end_turn",
        "usage": {
            "input_tokens": 40,
            "output_tokens": 20,
            "cache_read_input_tokens": 60,
            "cache_creation_input_tokens": 0,
        },
    }
    with serving(lambda body: Answer(raw=json.dumps(said).encode())) as server:
        base = server.base.removesuffix("/v1")
        chosen = Settings(model="anthropic/claude-sonnet-4-5", api_base=base, api_key="k")
        [reply] = ask(open_model(chosen))
    assert isinstance(reply, Reply)
    assert (reply.text, reply.tokens_in, reply.tokens_cached) == ('{"n": 12}', 100, 60)
    assert reply.cost_usd == pytest.approx((40 * 3 + 60 * 0.3 + 20 * 15) / 1e6)
    mark = {"type": "ephemeral"}
    assert server.requests[0]["system"] == [
        {"type": "text", "text": "Read the page.", "cache_control": mark}
    ]


def test_a_server_behind_a_proxy_is_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda body: GOOD) as proxy:
        monkeypatch.setenv("http_proxy", proxy.base.removesuffix("/v1"))
        monkeypatch.setenv("no_proxy", "localhost,127.0.0.1")
        far = Settings(model="openai/fake", api_base="http://models.invalid/v1")
        [reply] = ask(open_model(far))
        assert isinstance(reply, Reply)
        with serving(lambda body: GOOD) as server:
            ask(open_model(settings(server, "openai/fake")))
    assert (len(proxy.requests), len(server.requests)) == (1, 1)


def test_an_address_that_is_none_is_named() -> None:
    [caught] = ask(open_model(Settings(model="openai/fake", api_base="my server")))
    assert type(caught) is ModelStoppedError
    assert "my server/chat/completions is no address" in str(caught)


def test_a_reply_that_does_not_fit_is_given_back_as_a_conversation(named: str) -> None:
    with serving(in_turn(Answer("Twelve rooms."), GOOD)) as server:
        model = open_model(settings(server, named))

        async def run() -> Rooms:
            asked = await ask_for(model, PROMPT, Rooms)
            await close_connections()
            return asked.content

        assert anyio.run(run) == Rooms(n=12)
    messages = server.requests[1]["messages"]
    assert isinstance(messages, list)
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "user"]
    assert messages[2]["content"] == "Twelve rooms."
    assert messages[3]["content"].startswith("The reply cannot be used as it is:\n- it holds no")


def test_a_reply_at_the_length_limit_is_marked(named: str) -> None:
    with serving(lambda body: Answer('{"n": 1', finish_reason="length")) as server:
        [reply] = ask(open_model(settings(server, named)))
    assert isinstance(reply, Reply)
    assert (reply.text, reply.truncated) == ('{"n": 1', True)


@pytest.mark.parametrize(
    "fault",
    [
        BUSY,
        BROKEN,
        Answer(status=502, error=("bad gateway", "")),
        Answer(status=503, error=("overloaded", "")),
        Answer(raw=b"<html>starting</html>"),
        Answer(raw=b'{"id": "c", "object": "chat.completion", "model": "m", "choices": []}'),
        Answer('{"n": 12}', cut_after=20),
        Answer(cut_after=0),
    ],
    ids=["429", "500", "502", "503", "no JSON", "no choices", "cut", "closed"],
)
def test_what_may_pass_is_tried_again(named: str, fault: Answer) -> None:
    with serving(in_turn(fault, fault, GOOD)) as server:
        [reply] = ask(open_model(settings(server, named), HASTE))
    assert isinstance(reply, Reply)
    assert (reply.text, len(server.requests)) == ('{"n": 12}', 3)


@pytest.mark.parametrize(
    ("fault", "error", "words"),
    [
        (
            Answer(status=401, error=("Incorrect API key provided", "invalid_api_key")),
            ModelStoppedError,
            "cannot be asked: Incorrect API key provided. Check SRAG_MODEL",
        ),
        (
            Answer(status=404, error=("The model does not exist", "model_not_found")),
            ModelStoppedError,
            "the language model {named} at http://127.0.0.1:",
        ),
        (Answer(status=402, error=("Pay first", "")), ModelStoppedError, "Pay first"),
        (Answer(status=403, error=("Not for you", "")), ModelStoppedError, "Not for you"),
        (
            Answer(status=429, error=("You exceeded your quota", "insufficient_quota")),
            ModelStoppedError,
            "You exceeded your quota",
        ),
        (
            Answer(status=429, error=("Come back", ""), headers={"retry-after": "7200"}),
            ModelStoppedError,
            "Come back (it asks to wait 7200 s)",
        ),
        (
            Answer(
                status=400,
                error=(
                    "This model's maximum context length is 8192 tokens. However, your messages"
                    " resulted in 9000 tokens.",
                    "context_length_exceeded",
                ),
            ),
            PromptTooLongError,
            "records (crown.txt): This model's maximum context length is 8192 tokens.",
        ),
        (
            Answer(status=413, error=("Request too large", "")),
            PromptTooLongError,
            "records (crown.txt): Request too large",
        ),
        (
            Answer(
                status=400,
                error=(
                    "Your request was rejected as a result of our safety system",
                    "content_policy_violation",
                ),
            ),
            PromptRefusedError,
            "records (crown.txt): Your request was rejected as a result of our safety system",
        ),
        (
            Answer(None, finish_reason="content_filter"),
            PromptRefusedError,
            "records (crown.txt): the provider refuses the prompt for its content",
        ),
    ],
    ids=["401", "404", "402", "403", "quota", "long wait", "too long", "413", "policy", "filter"],
)
def test_what_lasts_is_an_error_at_once(named: str, fault: Answer, error: type, words: str) -> None:
    with serving(lambda body: fault) as server:
        [caught] = ask(open_model(settings(server, named), HASTE))
    assert type(caught) is error
    assert words.format(named=named) in str(caught)
    assert len(server.requests) == 1


def test_a_provider_that_does_not_exist_is_named() -> None:
    [caught] = ask(open_model(Settings(model="nonsense/foo"), HASTE))
    assert type(caught) is ModelStoppedError
    assert str(caught).startswith(
        "the language model nonsense/foo cannot be asked: litellm knows no provider of that name."
    )


def test_a_key_that_is_missing_is_named_before_anything_is_sent() -> None:
    [caught] = ask(open_model(Settings(model="anthropic/claude-sonnet-4-5")))
    assert type(caught) is ModelStoppedError
    assert "no key is set: ANTHROPIC_API_KEY (or SRAG_API_KEY)" in str(caught)


def test_no_model_is_an_error_of_the_settings() -> None:
    with pytest.raises(SettingsError, match="no language model is named"):
        open_model(Settings())


def refuse(*names: str) -> Script:
    """Refuse requests that have any of these parameters."""

    def script(body: Body) -> Answer:
        kind = body.get("response_format", {})
        assert isinstance(kind, dict)
        present = {str(kind.get("type")), "temperature" if "temperature" in body else ""}
        for name in names:
            if name in present:
                return Answer(status=400, error=(f"Unsupported value: '{name}'", "unsupported"))
        return GOOD

    return script


@pytest.mark.parametrize(
    ("refused", "asked"),
    [
        (["json_schema"], ["json_schema", "json_object"]),
        (["json_schema", "json_object"], ["json_schema", "json_object", None]),
        (["temperature"], ["json_schema", "json_schema"]),
        (["temperature", "json_schema"], ["json_schema", "json_schema", "json_object"]),
    ],
)
def test_what_a_model_does_not_accept_is_left_out_from_then_on(
    named: str, refused: list[str], asked: list[str | None]
) -> None:
    with serving(refuse(*refused)) as server:
        model = open_model(settings(server, named), HASTE)
        replies = [ask(model)[0] for _ in range(2)]
    assert [isinstance(reply, Reply) for reply in replies] == [True, True]
    kinds = [body.get("response_format", {}) for body in server.requests]
    assert [kind.get("type") if isinstance(kind, dict) else kind for kind in kinds] == [
        *asked,
        asked[-1],
    ]


def test_who_waits_for_a_place_asks_in_the_manner_that_is_accepted_by_then(named: str) -> None:
    with serving(refuse("json_schema")) as server:
        replies = ask(open_model(settings(server, named, concurrency=1), HASTE), numbered(4))
    assert all(isinstance(reply, Reply) for reply in replies)
    assert len(server.requests) == 1 + 4


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


def test_a_fixed_form_is_not_left(named: str) -> None:
    with serving(refuse("json_schema")) as server:
        [caught] = ask(open_model(settings(server, named, reply_format="schema"), HASTE))
    assert str(caught) == "records (crown.txt): Unsupported value: 'json_schema'"
    assert type(caught) is ModelError

    with serving(lambda body: GOOD) as server:
        [reply] = ask(open_model(settings(server, named, reply_format="text"), HASTE))
    assert isinstance(reply, Reply)
    assert "response_format" not in server.requests[0]


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


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_server_that_is_gone_ends_the_run(named: str) -> None:
    base = f"http://127.0.0.1:{free_port()}/v1"
    model = open_model(Settings(model=named, api_base=base, concurrency=2), HASTE)
    said = ask(model, numbered(6))
    assert {type(error) for error in said} == {ModelError, ModelStoppedError}
    [*lost, last] = sorted(said, key=lambda error: isinstance(error, ModelStoppedError))
    assert str(lost[0]).endswith("(tried 6 times)")
    assert f"the language model {named} at {base} cannot be asked: " in str(last)


def test_where_no_server_runs_the_address_is_named(named: str) -> None:
    base = f"http://127.0.0.1:{free_port()}/v1"
    [lost] = ask(open_model(Settings(model=named, api_base=base), HASTE), numbered(1))
    assert f"nothing answers at {base}" in str(lost)
    assert "put SRAG_API_BASE right (tried 6 times)" in str(lost)
    assert "None" not in str(lost)


def test_a_provider_that_cannot_be_reached_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{free_port()}/v1")
    far = Settings(model="openai/gpt-4o-mini", api_key="k")
    [lost] = ask(open_model(far, HASTE))
    assert str(lost) == (
        "records (crown.txt): the provider of openai/gpt-4o-mini cannot be reached;"
        " check the network (tried 6 times)"
    )


@pytest.mark.parametrize(
    ("step", "advice"),
    [
        ("schema", "Set a smaller SRAG_PROMPT_TOKENS (now 8000), or take another model"),
        ("records", "Set a smaller SRAG_PROMPT_TOKENS (now 8000), or take another model"),
        ("translate", "Take a model that can read more"),
    ],
)
def test_a_prompt_that_is_too_long_says_what_to_do(named: str, step: Step, advice: str) -> None:
    with serving(lambda body: LONG) as server:
        [caught] = ask(open_model(settings(server, named), HASTE), [replace(PROMPT, step=step)])
    assert str(caught) == (
        f"{step} (crown.txt): This model's maximum context length is 4096 tokens. {advice}"
    )


def test_a_bad_prompt_among_good_ones_is_lost_alone(named: str) -> None:
    def script(body: Body) -> Answer:
        return BROKEN if content_of(body) == "Page 3" else GOOD

    with serving(script) as server:
        said = ask(open_model(settings(server, named, concurrency=1), HASTE), numbered(6))
    assert [type(item) for item in said] == [Reply, Reply, Reply, ModelError, Reply, Reply]
    assert str(said[3]) == "records (3.txt): boom (tried 6 times)"


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


WATCHED = """
import sys
seen = []
sys.addaudithook(
    lambda event, arguments: seen.append(f"{event} {arguments[1:]}")
    if event in {"socket.connect", "socket.getaddrinfo", "socket.sendto"} else None
)
import anyio
from srag_mcp.errors import ModelError
from srag_mcp.model.language_model import Prompt
from srag_mcp.model.choice import open_model
from srag_mcp.settings import Settings

async def run():
    base = sys.argv[1]
    for name, base in [("openai/fake", base), ("hosted_vllm/fake", base), ("nonsense/foo", None)]:
        try:
            await open_model(Settings(model=name, api_base=base)).complete(
                Prompt("records", "Read.", "A page."), {"type": "object"}
            )
        except ModelError as error:
            print(type(error).__name__, file=sys.stderr)

anyio.run(run)
print(*seen, sep="\\n", file=sys.stderr)
"""


def test_nothing_but_the_server_is_contacted_and_nothing_printed() -> None:
    with serving(lambda body: GOOD) as server:
        said = subprocess.run(
            [sys.executable, "-c", WATCHED, server.base],
            capture_output=True,
            text=True,
            check=True,
        )
    port = server.base.split(":")[2].removesuffix("/v1")
    error, *seen = said.stderr.splitlines()
    assert error == "ModelStoppedError"
    assert seen
    assert [line for line in seen if "127.0.0.1" not in line or port not in line] == []
    assert said.stdout == ""
