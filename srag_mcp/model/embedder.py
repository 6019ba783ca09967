"""Embeddings: texts as vectors, for the baselines of evaluation.

They are asked for through the seam of language models, some texts in one prompt: so they are
counted by the same ledger, kept to the same budget, and recorded and replayed like any reply.
"""

import base64
import json
import math
from array import array
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from srag_mcp.errors import ModelStoppedError
from srag_mcp.model.language_model import LanguageModel, Prompt, Reply, count_tokens
from srag_mcp.model.ledger import REPLAY, ReplayModel
from srag_mcp.model.litellm_library import LitellmWire
from srag_mcp.model.openai_wire import ChatRequest, Fault
from srag_mcp.model.remote_model import RemoteModel
from srag_mcp.model.reply_content import ReplyContent, ask_for
from srag_mcp.settings import Settings

if TYPE_CHECKING:
    from wordllama import WordLlamaInference

LOCAL = "local"
_TEXTS_A_PROMPT = 64
_MISSING = (
    "the local embedder needs the extra `embeddings`: pip install 'srag-mcp[embeddings]'; or name"
    " one that litellm knows, such as openai/text-embedding-3-small"
)


class VectorsReply(ReplyContent):
    """A vector a text, each as 32-bit numbers in base64."""

    vectors: list[str]


class Embedder:
    """Turns texts into vectors of length 1, so that their product tells how alike they are."""

    def __init__(self, model: LanguageModel) -> None:
        """Let *model* embed: what `open_embedder` returns, metered."""
        self._model = model

    async def embed(self, texts: Sequence[str], subject: str = "") -> list[Sequence[float]]:
        """Embed *texts*; a text without words becomes zeros. ModelError if none could be had."""
        found: list[Sequence[float]] = []
        for start in range(0, len(texts), _TEXTS_A_PROMPT):
            batch = texts[start : start + _TEXTS_A_PROMPT]

            def check(reply: VectorsReply, n_texts: int = len(batch)) -> Sequence[str]:
                n_vectors = len(reply.vectors)
                return () if n_vectors == n_texts else (f"{n_vectors} vectors of {n_texts} texts",)

            prompt = Prompt("embed", "", json.dumps(batch, ensure_ascii=False), subject=subject)
            asked = await ask_for(self._model, prompt, VectorsReply, check)
            if asked.problems:
                msg = f"the embedder does not embed: {asked.problems[0]}"
                raise ModelStoppedError(msg)
            found += [_unit(base64.b64decode(text)) for text in asked.content.vectors]
        return found


def _unit(data: bytes) -> Sequence[float]:
    vector = array("f", data)
    length = math.hypot(*vector) or 1.0
    return array("f", (number / length for number in vector))


def open_embedder(name: str, settings: Settings) -> LanguageModel:
    """Return who embeds: `local`, a `replay:<file>`, or a model as litellm names it.

    Raises:
        ModelStoppedError: If the file of a replay cannot be read, or the extra is missing.
    """
    if name == LOCAL:
        return LocalEmbeddings()
    if name.startswith(REPLAY):
        return ReplayModel(Path(name.removeprefix(REPLAY)))
    named = settings.model_copy(update={"model": name})
    return RemoteModel(EmbeddingWire(name, named), named)


class LocalEmbeddings(LanguageModel):
    """WordLlama: 256 dimensions, whose weights travel in its wheel; nothing is downloaded."""

    def __init__(self) -> None:
        """Find the library; ModelStoppedError if the extra is missing."""
        try:
            import wordllama  # an extra
        except ImportError as error:
            raise ModelStoppedError(_MISSING) from error
        self._weights = Path(wordllama.__file__).parent

    @cached_property
    def _library(self) -> "WordLlamaInference":
        from wordllama import WordLlama  # 1 s and 120 MB: not before the first text

        return WordLlama.load(cache_dir=self._weights, disable_download=True)

    async def complete(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> Reply:
        """Embed the texts of *prompt*; it costs nothing."""
        vectors = self._library.embed(json.loads(prompt.content))
        tokens = count_tokens(prompt.content)
        text = _write(vectors.tolist())
        return Reply(text, tokens_in=tokens, cost_usd=0.0, model=LOCAL, is_estimated=True)


class EmbeddingWire(LitellmWire):
    """Sends texts through litellm."""

    async def call(self, litellm: ModuleType, request: ChatRequest) -> object:
        """Ask for the vectors of all texts at once."""
        texts = json.loads(request.prompt.content)
        return await litellm.aembedding(
            input=texts, encoding_format="float", **self.common_options()
        )

    def read(self, answer: object, request: ChatRequest) -> Reply | Fault:
        """Read the vectors and what they took."""
        try:
            data = sorted(answer.data, key=lambda item: item["index"])  # type: ignore[attr-defined] # litellm has no types
            text = _write([item["embedding"] for item in data])
        except (AttributeError, KeyError, TypeError) as error:
            return Fault("no_chat", f"the server sent no vectors: {error}")
        counted = getattr(getattr(answer, "usage", None), "prompt_tokens", 0)
        tokens = counted or request.prompt.count_tokens()
        return Reply(
            text,
            tokens_in=tokens,
            cost_usd=self.price.cost_usd(tokens, 0) if self.price else None,
            model=self.model,
            is_estimated=not counted,
        )


def _write(vectors: Sequence[Sequence[float]]) -> str:
    packed = [base64.b64encode(array("f", vector).tobytes()).decode() for vector in vectors]
    return json.dumps({"vectors": packed})
