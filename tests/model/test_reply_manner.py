"""A model is asked in the manner that it accepts: form of the reply, temperature."""

import pytest

from srag_mcp.errors import ModelError
from srag_mcp.model.language_model import Reply
from srag_mcp.model.remote_model import open_model
from tests.model.asking_server import GOOD, HASTE, ask, numbered, settings
from tests.model.openai_server import Answer, Body, Script, serving

pytestmark = pytest.mark.usefixtures("without_keys", "nothing_on_stdout")


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


def test_a_fixed_form_is_not_left(named: str) -> None:
    with serving(refuse("json_schema")) as server:
        [caught] = ask(open_model(settings(server, named, reply_format="schema"), HASTE))
    assert str(caught) == "records (crown.txt): Unsupported value: 'json_schema'"
    assert type(caught) is ModelError

    with serving(lambda body: GOOD) as server:
        [reply] = ask(open_model(settings(server, named, reply_format="text"), HASTE))
    assert isinstance(reply, Reply)
    assert "response_format" not in server.requests[0]
