"""Embedders: vectors of length 1, counted and kept like any reply."""

import base64
import json
import sys
from array import array
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import anyio
import pytest

from srag_mcp.errors import BudgetError, ModelError, ModelStoppedError
from srag_mcp.model.embedder import LOCAL, Embedder, open_embedder
from srag_mcp.model.language_model import LanguageModel, Prompt, Reply
from srag_mcp.model.ledger import Budget, MemoryReplies, MeteredModel, write_replies
from srag_mcp.settings import Settings
from tests.model.openai_server import Answer, Body, serving
from tests.model.scripted import ScriptedModel

needs_extra = pytest.mark.skipif(
    find_spec("wordllama") is None, reason="the extra `embeddings` is not installed"
)


def packed(*vectors: Sequence[float]) -> str:
    said = [base64.b64encode(array("f", vector).tobytes()).decode() for vector in vectors]
    return json.dumps({"vectors": said})


def lengths(prompt: Prompt) -> str:
    return packed(*([len(text), 0.0] for text in json.loads(prompt.content)))


def embed(model: LanguageModel, *texts: str) -> list[list[float]]:
    found = anyio.run(Embedder(model).embed, texts)
    return [[round(number, 4) for number in vector] for vector in found]


def test_vectors_have_the_length_one_and_come_in_their_order() -> None:
    model = ScriptedModel(lambda prompt: packed([3, 4], [0, 0], [-2, 0]))
    assert embed(model, "a", "b", "c") == [[0.6, 0.8], [0, 0], [-1, 0]]


def test_many_texts_are_embedded_in_some_prompts() -> None:
    model = ScriptedModel(lengths)
    assert len(embed(model, *["text"] * 150)) == 150
    assert [len(json.loads(prompt.content)) for prompt in model.prompts] == [64, 64, 22]
    assert {prompt.step for prompt in model.prompts} == {"embed"}


def test_who_gives_too_few_vectors_embeds_nothing() -> None:
    model = ScriptedModel(lambda prompt: packed([1, 0]))
    with pytest.raises(ModelStoppedError, match="does not embed: 1 vectors of 2 texts"):
        embed(model, "a", "b")


def test_vectors_are_kept_counted_and_recorded(tmp_path: Path) -> None:
    kept, model = MemoryReplies(), ScriptedModel(lengths)
    metered = MeteredModel(model, kept, "vec")

    assert embed(metered, "one", "three") == embed(metered, "one", "three") == [[1, 0], [1, 0]]

    assert metered.ledger.by_step["embed"].n_calls == 1
    assert metered.ledger.by_step["embed"].n_cached == 1
    path = tmp_path / "vectors.jsonl"
    write_replies(path, kept.kept())
    replayed = open_embedder(f"replay:{path}", Settings())
    assert embed(replayed, "one", "three") == [[1, 0], [1, 0]]
    with pytest.raises(ModelStoppedError, match="has no reply to this prompt"):
        embed(replayed, "two")


def test_a_budget_holds() -> None:
    metered = MeteredModel(ScriptedModel(lengths), MemoryReplies(), "vec", budget=Budget(n_calls=1))
    with pytest.raises(BudgetError):
        embed(metered, *["text"] * 65)


def vectors_of(body: Body) -> Answer:
    texts = body["input"]
    assert isinstance(texts, list)
    data = [{"index": at, "embedding": [float(len(text)), 0.0]} for at, text in enumerate(texts)]
    usage = {"prompt_tokens": 9, "total_tokens": 9}
    whole = {"object": "list", "data": data[::-1], "model": "vec", "usage": usage}
    return Answer(raw=json.dumps(whole).encode())


def remote(base: str) -> LanguageModel:
    return open_embedder("openai/vec", Settings(api_base=base, api_key="none"))


def test_a_server_is_asked_through_litellm() -> None:
    async def ask(model: LanguageModel) -> Reply:
        return await model.complete(Prompt("embed", "", '["a", "bb"]'), {})

    with serving(vectors_of) as server:
        reply = anyio.run(ask, remote(server.base))

    assert json.loads(reply.text) == json.loads(packed([1, 0], [2, 0])), "in the order of the texts"
    assert (reply.tokens_in, reply.tokens_out, reply.is_estimated) == (9, 0, False)
    assert (server.requests[0]["model"], server.requests[0]["input"]) == ("vec", ["a", "bb"])


def test_a_server_that_refuses_is_told_by_name() -> None:
    refusal = Answer(status=401, error=("wrong key", "invalid"))
    told = r"openai/vec at .* cannot be asked: .*wrong"
    with serving(lambda body: refusal) as server, pytest.raises(ModelStoppedError, match=told):
        embed(remote(server.base), "a")


def test_a_server_that_sends_something_else_embeds_nothing() -> None:
    with serving(lambda body: Answer("{}")) as server, pytest.raises(ModelError):
        embed(remote(server.base), "a")


def test_without_the_extra_the_local_embedder_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wordllama", None)
    with pytest.raises(ModelStoppedError, match=r"the extra `embeddings`: pip install"):
        open_embedder(LOCAL, Settings())


@needs_extra
def test_the_local_embedder_finds_what_is_alike_without_a_network() -> None:
    model = open_embedder(LOCAL, Settings())
    room, price, car = anyio.run(
        Embedder(model).embed, ["how much does a room cost", "price per night", "aircraft damage"]
    )
    assert len(room) == 256
    assert alike(room, price) > alike(room, car)
    assert alike(room, room) == pytest.approx(1, abs=1e-5)


def alike(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
