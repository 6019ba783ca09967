"""A provider of language models as litellm knows it: its address, its price, its replies."""

import os
from dataclasses import dataclass
from types import ModuleType

from srag_mcp.model.faults import Fault
from srag_mcp.model.language_model import Reply
from srag_mcp.model.litellm_library import load_litellm
from srag_mcp.model.prices import Price, find_price
from srag_mcp.settings import Settings

_OPENAI = "openai/"
_LIGHT = "hosted_vllm/"


@dataclass(frozen=True, slots=True)
class Route:
    """Where a request goes.

    Attributes:
        named: The model as the settings name it: its price and its key go by that.
        model: The model as litellm is told.
    """

    named: str
    model: str
    api_base: str | None
    api_key: str | None

    @classmethod
    def of(cls, named: str, settings: Settings) -> "Route":
        """Find the way to the model that is *named* so; without a provider, to the own server."""
        if not settings.api_base:
            return cls(named, named, None, settings.api_key)
        own_name = named.removeprefix(_OPENAI)
        is_openai = named.startswith(_OPENAI) or "/" not in named
        key = settings.api_key
        if is_openai:
            key = key or os.environ.get("OPENAI_API_KEY") or "none"
        return cls(named, _LIGHT + own_name if is_openai else named, settings.api_base, key)

    def parameters(self) -> dict[str, object]:
        """Return what a request says about it."""
        return {"model": self.model, "api_base": self.api_base, "api_key": self.api_key}


@dataclass(frozen=True, slots=True)
class Provider:
    """litellm, and what it knows about the model.

    Attributes:
        shows_schema: Whether the provider itself tells the model the schema of the reply.
        caches_marked: Whether the provider caches only what is marked.
    """

    litellm: ModuleType
    route: Route
    price: Price | None
    shows_schema: bool
    caches_marked: bool

    @classmethod
    def load(cls, route: Route) -> "Provider":
        """Load litellm, which takes 2 s: call it in a thread."""
        litellm = load_litellm()
        return cls(
            litellm,
            route,
            price=find_price(route.named),
            shows_schema=bool(litellm.supports_response_schema(model=route.model)),
            caches_marked=route.model.startswith(("anthropic/", "claude")),
        )

    def missing_key(self) -> str:
        """Name the environment variable of the key that is missing; empty if none is."""
        route = self.route
        found = self.litellm.validate_environment(
            route.model, api_key=route.api_key, api_base=route.api_base
        )
        missing = [name for name in found["missing_keys"] if name.endswith("_API_KEY")]
        return f"{' or '.join(missing)} (or SRAG_API_KEY)" if missing else ""

    def read_answer(self, answer: object) -> Reply | Fault:
        """Read what litellm returned; tokens that nobody counted are 0."""
        choices = getattr(answer, "choices", None)
        if not choices:
            return Fault("down", "the reply of the server has no choices")
        choice = choices[0]
        if choice.finish_reason == "content_filter" or getattr(choice.message, "refusal", None):
            return Fault("refused", "the provider refuses the prompt for its content")
        usage = getattr(answer, "usage", None)
        details = getattr(usage, "prompt_tokens_details", None)
        tokens_in = int(getattr(usage, "prompt_tokens", 0) or 0)
        tokens_out = int(getattr(usage, "completion_tokens", 0) or 0)
        tokens_cached = int(getattr(details, "cached_tokens", 0) or 0)
        cost = self.price.cost_usd(tokens_in, tokens_out, tokens_cached) if self.price else None
        return Reply(
            text=str(choice.message.content or "").encode("utf-8", "replace").decode("utf-8"),
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            tokens_cached=tokens_cached,
            cost_usd=cost,
            model=str(getattr(answer, "model", "") or self.route.named),
            truncated=choice.finish_reason == "length",
        )
