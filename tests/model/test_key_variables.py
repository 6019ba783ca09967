"""Which variables hold the key of a model: as litellm says, whether they are set or not."""

import os

import pytest

from srag_mcp.model.litellm_library import find_key_variables
from srag_mcp.settings import Settings


@pytest.mark.parametrize(
    ("model", "names"),
    [
        ("openai/gpt-4o-mini", ("OPENAI_API_KEY",)),
        ("anthropic/claude-sonnet-4-5", ("ANTHROPIC_API_KEY",)),
        ("gemini/gemini-2.0-flash", ("GEMINI_API_KEY",)),
        ("bedrock/a.b", ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")),
        ("ollama/llama3", ()),
        ("replay:replies.jsonl", ()),
        (None, ()),
    ],
)
def test_the_variables_of_a_provider_are_named(model: str | None, names: tuple[str, ...]) -> None:
    assert find_key_variables(Settings(model=model)) == names


def test_keys_that_are_set_are_named_and_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "0123456789")

    assert find_key_variables(Settings(model="gemini/gemini-2.0-flash")) == ("GOOGLE_API_KEY",)
    assert os.environ["GOOGLE_API_KEY"] == "0123456789"
    own = Settings(model="gemini/gemini-2.0-flash", api_key="0123456789")
    assert find_key_variables(own) == ("SRAG_API_KEY",)


@pytest.mark.parametrize("model", ["openai/llama3.1", "mistral/llama3.1"])
def test_a_server_of_ones_own_needs_none(model: str) -> None:
    settings = Settings(model=model, api_base="http://localhost:11434/v1")

    assert find_key_variables(settings) == ()
