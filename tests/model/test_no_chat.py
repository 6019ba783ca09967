"""What comes with the status 200 and is no chat reply, or one of another make."""

import json
from collections.abc import Mapping

import pytest

from srag_mcp.errors import ModelError, ModelStoppedError, PromptTooLongError
from srag_mcp.model.language_model import Reply
from srag_mcp.model.openai_wire import sort_error, sort_status
from srag_mcp.model.remote_model import open_model
from tests.model.asking_server import GOOD, HASTE, ask, in_turn, numbered, settings
from tests.model.openai_server import Answer, serving

pytestmark = pytest.mark.usefixtures("without_keys", "nothing_on_stdout")

PAGE = b"<!doctype html><title>Sign in</title>"


def chat(content: object, usage: Mapping[str, int] | None = None, **choice: object) -> Answer:
    said = {"role": "assistant", "content": content}
    head = {"id": "c", "object": "chat.completion", "created": 1, "model": "m"}
    choices = [{"index": 0, "finish_reason": "stop", "message": said, **choice}]
    counted = {"usage": dict(usage)} if usage is not None else {}
    return Answer(raw=json.dumps({**head, "choices": choices, **counted}).encode())


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"error": "Unexpected endpoint or method. (POST /chat)"}', "Unexpected endpoint or"),
        (PAGE, "no chat reply but what begins '<!doctype html><title>Sign in"),
        (b'data: {"choices": []}\n\ndata: [DONE]\n\n', "no chat reply but what begins 'data: "),
        (b'{"detail": "Not Found"}', 'no chat reply but what begins \'{"detail"'),
        (b"[]", "no chat reply but what begins '[]'"),
    ],
    ids=["error", "page", "events", "detail", "list"],
)
def test_a_server_that_is_no_model_ends_the_run_in_its_own_words(body: bytes, words: str) -> None:
    with serving(lambda _: Answer(raw=body)) as server:
        base = server.base.removesuffix("/v1")
        [caught] = ask(open_model(settings(server, "openai/fake", api_base=base), HASTE))
    assert type(caught) is ModelStoppedError
    assert words in str(caught)
    hint = f"(at {base}/chat/completions; addresses of models mostly end in /v1). Check SRAG_MODEL"
    assert hint in str(caught)
    assert len(server.requests) == 2


@pytest.mark.parametrize("body", [PAGE, b'{"error": "Unexpected endpoint"}', b'{"detail": "No"}'])
def test_through_litellm_it_ends_the_run_too(body: bytes) -> None:
    with serving(lambda _: Answer(raw=body)) as server:
        [caught] = ask(open_model(settings(server, "hosted_vllm/fake"), HASTE))
    assert type(caught) is ModelStoppedError
    assert "the server sent no chat reply: " in str(caught)
    assert "Traceback" not in str(caught)
    assert len(server.requests) == 2


def test_once_is_no_reason_to_end_the_run_nor_is_one_prompt(named: str) -> None:
    page = Answer(raw=PAGE)
    with serving(in_turn(page, GOOD, page, page, GOOD)) as server:
        model = open_model(settings(server, named, concurrency=1), HASTE)
        said = [ask(model, [prompt])[0] for prompt in numbered(3)]
    assert [type(item) for item in said] == [Reply, ModelError, Reply]
    assert str(said[1]).endswith("(tried 2 times)")


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"message": "Provider says: you need credits", "code": 402}, ModelStoppedError),
        ({"message": "Provider says: the prompt is too long"}, PromptTooLongError),
    ],
)
def test_an_error_in_a_good_reply_is_what_it_says(
    named: str, error: Mapping[str, object], kind: type
) -> None:
    body = json.dumps({"error": dict(error)}).encode()
    with serving(lambda _: Answer(raw=body)) as server:
        [caught] = ask(open_model(settings(server, named), HASTE))
    assert type(caught) is kind
    assert "Provider says: " in str(caught)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "error", [{"message": "Upstream broke", "code": 502}, {"message": "Rate limit reached"}]
)
def test_an_error_in_a_good_reply_may_pass(error: Mapping[str, object]) -> None:
    broken = Answer(raw=json.dumps({"error": dict(error)}).encode())
    of_choice = chat("", finish_reason="error", error=dict(error))
    with serving(in_turn(broken, of_choice, broken, GOOD)) as server:
        [reply] = ask(open_model(settings(server, "openai/fake"), HASTE))
    assert isinstance(reply, Reply)
    assert len(server.requests) == 4


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "text", "text": '{"n": '}, {"type": "text", "text": "12}"}],
        [
            {"type": "thinking", "thinking": [{"text": "12?"}]},
            {"type": "text", "text": '{"n": 12}'},
        ],
        {"n": 12},
    ],
    ids=["parts", "thoughts", "object"],
)
def test_a_content_of_another_form_is_read(content: object) -> None:
    with serving(lambda _: chat(content, {"prompt_tokens": 9, "completion_tokens": 3})) as server:
        [reply] = ask(open_model(settings(server, "openai/fake"), HASTE))
    assert isinstance(reply, Reply)
    assert (reply.text, reply.tokens_in, reply.is_estimated) == ('{"n": 12}', 9, False)


@pytest.mark.parametrize("usage", [None, {"prompt_tokens": 0, "completion_tokens": 0}])
def test_tokens_that_nobody_counts_are_estimated(
    named: str, usage: Mapping[str, int] | None
) -> None:
    with serving(lambda _: chat('{"n": 12}', usage)) as server:
        [reply] = ask(open_model(settings(server, named)))
    assert isinstance(reply, Reply)
    assert (reply.tokens_in > 5, reply.tokens_out > 1, reply.is_estimated) == (True, True, True)


def test_what_is_estimated_costs_what_the_model_charges() -> None:
    with serving(lambda _: chat('{"n": 12}')) as server:
        [reply] = ask(open_model(settings(server, "mistral/mistral-small-latest", api_key="k")))
    assert isinstance(reply, Reply)
    assert reply.cost_usd


@pytest.mark.parametrize(
    "words",
    [
        "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 9000 `inputs` tokens",
        "`inputs` must have less than 4095 tokens. Given: 9000",
        "The input token count (9000) exceeds the maximum number of tokens allowed (8192).",
        "the request exceeds the available context size, try increasing it",
        "Input is too long for requested model.",
        "Too many input tokens",
        "too many tokens: total number of tokens in the prompt cannot exceed 4081",
        "Please reduce the length of the messages or completion.",
        "The decoder prompt (length 9000) is longer than the maximum model length of 8192.",
        "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
        "Request body too large for the model. Max size: 8000 tokens.",
        "The input (9000 tokens) is longer than what the model can take",
    ],
)
def test_whatever_the_words_a_prompt_that_is_too_long_is_one(words: str) -> None:
    assert sort_status(400, json.dumps({"error": {"message": words}}), {}).kind == "too_long"
    assert sort_error(words).kind == "too_long"


@pytest.mark.parametrize(
    ("status", "words", "kind"),
    [
        (429, "This request would exceed your limit of 40,000 input tokens per minute", "busy"),
        (403, "The quota of tokens of your token plan is exceeded", "stopped"),
        (400, "Unsupported parameter: 'max_tokens' is not supported with this model", "form"),
        (400, "response_format: this schema has too many properties, at most 100", "form"),
        (400, "temperature: Input should be less than or equal to 1", "temperature"),
        (500, "CUDA out of memory", "down"),
    ],
)
def test_limits_of_other_things_are_none_of_the_prompt(status: int, words: str, kind: str) -> None:
    assert sort_status(status, json.dumps({"error": {"message": words}}), {}).kind == kind
