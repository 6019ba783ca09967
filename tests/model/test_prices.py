import pytest

from srag_mcp.model.language_model import Price
from srag_mcp.model.litellm_library import find_price
from srag_mcp.model.remote_model import price_of
from srag_mcp.settings import Settings


def test_listed_models_have_a_price() -> None:
    # as litellm lists it: $0.15, $0.60 and $0.075 a million
    price = find_price("openai/gpt-4o-mini")
    assert price == Price(input_usd=1.5e-07, output_usd=6e-07, cached_input_usd=7.5e-08)
    assert price.cost_usd(1_000_000, 1_000_000) == pytest.approx(0.75)
    assert price.cost_usd(1_000_000, 0, tokens_cached=1_000_000) == pytest.approx(0.075)


@pytest.mark.parametrize(
    "model", ["openai/fake", "nonsense/foo", "fake", "openai/gpt-99", "anthropic/claude-sonnet-99"]
)
def test_models_that_are_not_listed_have_none(model: str) -> None:
    assert find_price(model) is None


def test_a_server_of_ones_own_has_no_list_price_and_a_recording_is_free() -> None:
    own = Settings(model="openai/gpt-4o-mini", api_base="http://127.0.0.1:8000/v1")
    assert price_of(own) is None
    assert price_of(Settings(model="openai/gpt-4o-mini")) == find_price("gpt-4o-mini")
    assert price_of(Settings(model="replay:replies.jsonl")) == Price(0.0, 0.0, 0.0)
