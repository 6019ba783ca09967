"""What a loose reading will take, and that nothing is asked to find out."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from srag_mcp.errors import QueryError
from srag_mcp.inference.brief import price_reading
from srag_mcp.model.language_model import count_tokens
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.pipeline.quote import quote_ingestion
from srag_mcp.schema.attribute import Attribute, KeyRule
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool
from tests.model.openai_server import serving
from tests.pipeline.reading_model import say

WISH = "who keeps the station"
HIGH = "SELECT document_id FROM stations WHERE height >= 110"
PROMPT_TOKENS = 1000
HEIGHT = Attribute(name="height", type="integer", extractors=(KeyRule(keys=("height",)),))


def text(number: int) -> str:
    body = "雨が降りました。" * 30 if number == 19 else "Rain fell. " * 50
    return f"Height: {100 + number}\n\nThe hut is kept by Anna. {body}\n"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(workers=1, home=tmp_path / "home", engine="offline")


@pytest.fixture
def folder(tmp_path: Path, settings: Settings) -> Path:
    stations = tmp_path / "stations"
    stations.mkdir()
    for number in range(20):
        (stations / f"{number:02d}.txt").write_text(text(number), encoding="utf-8")
    schema = Schema(title="Station", entity="stations", attributes=(HEIGHT,))
    ingest(stations, settings, schema=schema)
    return stations


@pytest.fixture
def corpus(folder: Path, settings: Settings) -> Iterator[Corpus]:
    with QueryPool() as pool:
        yield Corpus(folder, pool, settings.home)


def test_the_price_is_what_the_reading_then_takes(
    corpus: Corpus, folder: Path, settings: Settings
) -> None:
    price = price_reading(corpus, WISH, HIGH, PROMPT_TOKENS)
    assert price.n_documents == 10
    with serving(say) as server:
        by_model = settings.model_copy(
            update={
                "engine": "model",
                "model": "openai/fake",
                "api_base": server.base,
                "api_key": "none",
                "prompt_tokens": PROMPT_TOKENS,
            }
        )
        options = {"attribute": WISH, "documents": HIGH, "keep": False}
        quote = quote_ingestion(folder, by_model, **options)  # type: ignore[arg-type]  # as a call has it
        assert server.requests == []
        ingest(folder, by_model, **options)  # type: ignore[arg-type]  # as a call has it
        assert len(server.requests) == price.n_prompts
        sent = sum(len(str(body["messages"])) for body in server.requests) / 4
    assert sent <= price.tokens_in <= 2.5 * sent, "an upper end: the definition sees less"
    assert (quote.n_to_read, quote.n_documents, quote.least.n_prompts) == (10, 20, price.n_prompts)
    assert (quote.least.tokens_in, quote.least.tokens_out) == (price.tokens_in, price.tokens_out)
    assert price_reading(corpus, "keeper", HIGH, PROMPT_TOKENS).tokens == 0, "it is there"
    assert price_reading(corpus, "keeper", "", PROMPT_TOKENS).n_documents == 10, "the others"
    same = price_reading(corpus, WISH.upper().replace(" ", "  "), "", PROMPT_TOKENS)
    assert same.n_documents == 10, "what became of the wish is known"


def test_texts_of_other_scripts_take_more(corpus: Corpus) -> None:
    last = "SELECT document_id FROM stations WHERE height = 119"
    one, other = (
        price_reading(corpus, WISH, sql, PROMPT_TOKENS)
        for sql in (last, last.replace("119", "118"))
    )
    tokens = count_tokens(text(19)) - count_tokens(text(18))
    assert one.tokens - other.tokens == pytest.approx(tokens, abs=2)  # the blank end is stripped


def test_nothing_chosen_costs_nothing_but_the_definition(corpus: Corpus) -> None:
    none = price_reading(corpus, WISH, "SELECT document_id FROM stations WHERE height > 900", 1000)
    assert (none.n_documents, none.n_prompts) == (0, 1)
    assert str(none).startswith("0 documents, about 1 prompts and ")


def test_a_price_of_hostile_sql_is_refused(corpus: Corpus) -> None:
    with pytest.raises(QueryError, match="the SQL in documents cannot be used"):
        price_reading(corpus, WISH, "SELECT document_id FROM read_csv('/etc/passwd')", 1000)
