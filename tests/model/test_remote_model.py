"""The wires, litellm and our own, over real HTTP: against a server on loopback."""

import json
import subprocess
import sys
from dataclasses import replace

import anyio
import pytest

from srag_mcp.errors import ModelStoppedError, SettingsError
from srag_mcp.model.language_model import Reply
from srag_mcp.model.litellm_library import close_connections, find_price
from srag_mcp.model.remote_model import open_model
from srag_mcp.model.reply_content import ask_for
from srag_mcp.settings import Settings
from tests.model.asking_server import GOOD, HASTE, PROMPT, SCHEMA, Rooms, ask, in_turn, settings
from tests.model.openai_server import Answer, serving

pytestmark = pytest.mark.usefixtures("without_keys", "nothing_on_stdout")


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


def test_a_server_on_this_machine_is_asked_without_the_proxy(
    named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.setenv(name, "elsewhere.invalid")
    with serving(lambda body: GOOD) as proxy, serving(lambda body: GOOD) as server:
        monkeypatch.setenv("http_proxy", proxy.base.removesuffix("/v1"))
        [reply] = ask(open_model(settings(server, named)))
    assert isinstance(reply, Reply)
    assert (len(proxy.requests), len(server.requests)) == (0, 1)


def test_a_proxy_that_does_not_answer_is_named_without_its_password(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("http_proxy", "http://me:secret@127.0.0.1:9")
    far = Settings(model="openai/fake", api_base="http://models.invalid/v1")
    [lost] = ask(open_model(far, HASTE))
    assert "cannot be reached through the proxy http://127.0.0.1:9 of the environment" in str(lost)
    assert "secret" not in str(lost)


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
    [caught] = ask(open_model(Settings(model="openai/fake", api_base="http://.")))
    assert type(caught) is ModelStoppedError
    assert "http://./chat/completions is no address" in str(caught)


@pytest.mark.parametrize("base", ["127.0.0.1:8801/v1", "localhost:8801", "my server", "http://a:b"])
def test_an_address_without_a_scheme_is_an_error_of_the_settings(base: str) -> None:
    with pytest.raises(SettingsError, match=r"SRAG_API_BASE: .*begins with http:// or https://"):
        Settings.from_environ({"SRAG_API_BASE": base})


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
from srag_mcp.model.remote_model import load_library, open_model
from srag_mcp.settings import Settings

load_library(Settings(model="openai/fake", api_base=sys.argv[1]))
print("litellm" in sys.modules, file=sys.stderr)
load_library(Settings(model="hosted_vllm/fake", api_base=sys.argv[1]))
print("litellm" in sys.modules, len(seen), file=sys.stderr)

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


@pytest.mark.usefixtures("cold_starts")
def test_nothing_but_the_server_is_contacted_and_nothing_printed() -> None:
    with serving(lambda body: GOOD) as server:
        said = subprocess.run(
            [sys.executable, "-c", WATCHED, server.base],
            capture_output=True,
            text=True,
            check=True,
        )
    port = server.base.split(":")[2].removesuffix("/v1")
    of_own, of_litellm, error, *seen = said.stderr.splitlines()
    assert (of_own, of_litellm) == ("False", "True 0")
    assert error == "ModelStoppedError"
    assert seen
    assert [line for line in seen if "127.0.0.1" not in line or port not in line] == []
    assert said.stdout == ""
