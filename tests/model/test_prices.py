import subprocess
import sys

import pytest

from srag_mcp.model.language_model import Price
from srag_mcp.model.litellm_library import find_price, load_litellm
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


def test_a_price_of_the_list_is_what_litellm_says_of_a_name() -> None:
    names = "openai/gpt-4o", "gemini/gemini-2.5-flash", "mistral/mistral-small-latest"
    read = [find_price(name) for name in names]
    costs = [load_litellm().get_model_info(name) for name in names]
    said = [(cost["input_cost_per_token"], cost["output_cost_per_token"]) for cost in costs]
    assert [price and (price.input_usd, price.output_usd) for price in read] == said


def test_to_look_up_a_price_loads_no_litellm() -> None:
    program = """
import sys
from srag_mcp.model.litellm_library import find_price, load_litellm
assert find_price("openai/gpt-4o") is not None
assert "litellm" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_server_of_ones_own_has_no_list_price_and_a_recording_is_free() -> None:
    own = Settings(model="openai/gpt-4o-mini", api_base="http://127.0.0.1:8000/v1")
    assert price_of(own) is None
    assert price_of(Settings(model="openai/gpt-4o-mini")) == find_price("gpt-4o-mini")
    assert price_of(Settings(model="replay:replies.jsonl")) == Price(0.0, 0.0, 0.0)
