"""What the tests of the wires have in common."""

from collections.abc import Iterator

import pytest


@pytest.fixture
def without_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "SRAG_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(params=["openai/fake", "hosted_vllm/fake"], ids=["own", "litellm"])
def named(request: pytest.FixtureRequest) -> str:
    """The model: on our own wire, and through litellm."""
    return str(request.param)


@pytest.fixture
def nothing_on_stdout(capfd: pytest.CaptureFixture[str]) -> Iterator[None]:
    yield
    assert capfd.readouterr().out == ""
