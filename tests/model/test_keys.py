"""A key is neither shown nor written down, whoever says it."""

from pathlib import Path

import anyio
import pytest

from srag_mcp.errors import ModelStoppedError, SettingsError
from srag_mcp.model.language_model import Prompt
from srag_mcp.model.openai_wire import hide_keys
from srag_mcp.model.remote_model import open_model
from srag_mcp.pipeline.jobs import read_job, start_job
from srag_mcp.settings import Settings
from tests.model.openai_server import Answer, Body, serving

KEY = "sk-0123456789abcdef"


def told(body: Body) -> Answer:
    return Answer(status=401, error=(f"Incorrect API key provided: {KEY}.", "invalid_api_key"))


@pytest.mark.parametrize("model", ["openai/fake", "hosted_vllm/fake"], ids=["own", "litellm"])
@pytest.mark.parametrize("place", ["settings", "environment"])
def test_the_key_that_a_server_repeats_is_hidden(
    model: str, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTHER_API_KEY", KEY if place == "environment" else "none")
    with serving(told) as server:
        key = KEY if place == "settings" else None
        settings = Settings(model=model, api_base=server.base, api_key=key)
        with pytest.raises(ModelStoppedError) as stopped:
            anyio.run(open_model(settings).complete, Prompt("records", "Read.", "It."), {})
    assert "Incorrect API key provided: [key]" in str(stopped.value)
    assert KEY not in str(stopped.value)


def test_a_job_does_not_write_it_down(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.txt").write_text("Height: 5 m\n")
    with serving(told) as server:
        settings = Settings(
            model="openai/fake", api_base=server.base, api_key=KEY, home=tmp_path / "home"
        )
        job = read_job(folder, settings, start_job(folder, settings).id, 60)
        sent = set(server.keys)
    assert (job.status, "Incorrect API key provided: [key]" in job.error) == ("failed", True)
    assert sent == {f"bearer {KEY}"}
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path.name for path in files if KEY.encode() in path.read_bytes()] == []


def test_words_that_are_no_keys_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTHER_API_KEY", "none")
    assert hide_keys("there is none", Settings(api_key="key")) == "there is none"


def test_an_address_with_a_password_is_refused_without_showing_it() -> None:
    with pytest.raises(SettingsError, match="give the key as SRAG_API_KEY") as refused:
        Settings.from_environ({"SRAG_API_BASE": f"http://user:{KEY}@127.0.0.1/v1"})
    assert KEY not in str(refused.value)


@pytest.mark.parametrize("model", ["openai/fake", "hosted_vllm/fake"], ids=["own", "litellm"])
@pytest.mark.parametrize("key", ["sk-1234\n5678", "sk-1234…5678"])
def test_a_key_that_cannot_be_sent_is_named(model: str, key: str) -> None:
    with serving(told) as server:
        settings = Settings(model=model, api_base=server.base, api_key=key)
        with pytest.raises(ModelStoppedError, match="the key has a line break or") as stopped:
            anyio.run(open_model(settings).complete, Prompt("records", "Read.", "It."), {})
    assert server.requests == []
    assert key not in str(stopped.value)


def test_a_key_that_was_read_with_its_line_break_is_sent_without() -> None:
    with serving(lambda body: Answer("{}")) as server:
        settings = Settings.from_environ(
            {
                "SRAG_MODEL": "openai/fake",
                "SRAG_API_BASE": server.base,
                "SRAG_API_KEY": f"{KEY}\r\n",
            }
        )
        anyio.run(open_model(settings).complete, Prompt("records", "Read.", "It."), {})
    assert server.keys == [f"bearer {KEY}"]


@pytest.mark.parametrize(
    "model", ["openai/fake", "fake", "hosted_vllm/fake", "mistral/fake", "deepseek/fake"]
)
def test_a_server_of_ones_own_gets_no_key_that_was_meant_for_another(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI", "HOSTED_VLLM", "MISTRAL", "DEEPSEEK"):
        monkeypatch.setenv(f"{name}_API_KEY", KEY)
    with serving(lambda body: Answer("{}")) as server:
        for key in (None, "mine"):
            settings = Settings(model=model, api_base=server.base, api_key=key)
            anyio.run(open_model(settings).complete, Prompt("records", "Read.", "It."), {})
    assert server.keys == ["bearer none", "bearer mine"]
