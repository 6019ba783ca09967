"""Faults of servers: what may pass is tried again, what lasts is told at once."""

import socket
from dataclasses import replace

import pytest

from srag_mcp.errors import (
    ModelError,
    ModelStoppedError,
    PromptRefusedError,
    PromptTooLongError,
    SettingsError,
)
from srag_mcp.model.language_model import Reply, Step
from srag_mcp.model.remote_model import open_model
from srag_mcp.settings import Settings
from tests.model.asking_server import (
    BROKEN,
    BUSY,
    GOOD,
    HASTE,
    LONG,
    PROMPT,
    ask,
    in_turn,
    numbered,
    settings,
)
from tests.model.openai_server import Answer, Body, content_of, serving

pytestmark = pytest.mark.usefixtures("without_keys", "nothing_on_stdout")


@pytest.mark.parametrize(
    "fault",
    [
        BUSY,
        BROKEN,
        Answer(status=502, error=("bad gateway", "")),
        Answer(status=503, error=("overloaded", "")),
        Answer(raw=b'{"id": "c", "object": "chat.compl'),
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


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_server_that_is_gone_ends_the_run(named: str) -> None:
    with serving(lambda body: GOOD) as server:
        model = open_model(settings(server, named, concurrency=2), HASTE)
        [reply] = ask(model)
    said = ask(model, numbered(6))
    assert isinstance(reply, Reply)
    assert {type(error) for error in said} == {ModelError, ModelStoppedError}
    [*lost, last] = sorted(said, key=lambda error: isinstance(error, ModelStoppedError))
    assert str(lost[0]).endswith("(tried 6 times)"), "it was there, and may be again"
    assert f"the language model {named} at {server.base} cannot be asked: " in str(last)


def test_where_no_server_runs_the_address_is_named(named: str) -> None:
    base = f"http://127.0.0.1:{free_port()}/v1"
    impatient = replace(HASTE, n_tries=1_000_000)
    [lost] = ask(open_model(Settings(model=named, api_base=base), impatient), numbered(1))
    assert isinstance(lost, ModelStoppedError)
    assert str(lost).startswith(f"the language model {named} at {base} cannot be asked: nothing")
    assert f"nothing answers at {base}" in str(lost)
    assert "put SRAG_API_BASE right" in str(lost)
    assert "None" not in str(lost)


def test_a_provider_that_cannot_be_reached_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{free_port()}/v1")
    far = Settings(model="openai/gpt-4o-mini", api_key="k")
    [lost] = ask(open_model(far, HASTE))
    assert str(lost).startswith(
        "the language model openai/gpt-4o-mini cannot be asked: the provider of openai/gpt-4o-mini"
        " cannot be reached; check the network. Check SRAG_MODEL"
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
