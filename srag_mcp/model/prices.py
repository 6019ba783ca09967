"""What a model charges, for the quote before an ingestion and for the ledger."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType

from srag_mcp.model.litellm_library import load_litellm


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per token."""

    input_usd: float
    output_usd: float
    cached_input_usd: float

    def cost_usd(self, tokens_in: int, tokens_out: int, tokens_cached: int = 0) -> float:
        """Return the price of one call; *tokens_cached* of *tokens_in* were in a cache."""
        fresh = max(0, tokens_in - tokens_cached)
        return (
            fresh * self.input_usd
            + tokens_cached * self.cached_input_usd
            + tokens_out * self.output_usd
        )


def find_price(model: str) -> Price | None:
    """Return the price of a model as litellm names it; None where it is not known.

    Loads litellm: 2 s at the first time, so call it in a thread.
    """
    litellm = load_litellm()
    entry = _find_entry(litellm, model)
    if entry is None:
        return None
    input_usd, output_usd = entry.get("input_cost_per_token"), entry.get("output_cost_per_token")
    if not isinstance(input_usd, int | float) or not isinstance(output_usd, int | float):
        return None
    cached_usd = entry.get("cache_read_input_token_cost")
    cached = float(cached_usd) if isinstance(cached_usd, int | float) else float(input_usd)
    return Price(float(input_usd), float(output_usd), cached)


def _find_entry(litellm: ModuleType, model: str) -> Mapping[str, object] | None:
    """Look the model up; names that litellm only guesses from others have no price.

    (For an unknown name of a known family, `get_model_info` says that it costs 0.)
    """
    known: Mapping[str, Mapping[str, object]] = litellm.model_cost
    try:
        name = str(litellm.get_model_info(model)["key"])
    except litellm.exceptions.ModelNotMappedError:
        return None
    return known.get(name)
