from collections.abc import Sequence

import anyio
import pytest

from srag_mcp.cells.cell import DocumentText, PredictedRecord
from srag_mcp.model.language_model import count_tokens
from srag_mcp.model.reply_content import reply_schema
from srag_mcp.records.conversation import RecordTask
from srag_mcp.records.judging import records_form
from srag_mcp.records.prediction import estimate_records, predict_records
from srag_mcp.records.record_prompt import Sought
from srag_mcp.schema.attribute import Attribute
from tests.model.scripted import ScriptedModel
from tests.records.reading_model import answer, reading

ATTRIBUTES = tuple(Attribute(name=f"figure_{number}", type="integer") for number in range(12))


def ask(
    texts: Sequence[str], columns: tuple[Attribute, ...] = ATTRIBUTES, sought: Sought | None = None
) -> ScriptedModel:
    model = reading(lambda key, text, prompt: answer(key, []))
    records: list[PredictedRecord] = []

    async def run() -> None:
        await predict_records(
            RecordTask(
                model,
                columns,
                "model",
                sought={} if sought is None else {str(n): sought for n in range(len(texts))},
            ),
            [DocumentText(str(n), str(n), str(n), text, "") for n, text in enumerate(texts)],
            prompt_tokens=2500,
            max_in_flight=1,
            on_done=records.extend,
        )

    anyio.run(run)
    return model


def test_the_estimate_is_near_to_what_is_sent() -> None:
    texts = [
        "figure 12, " * (n // 2) for n in (10, 200, 900, 1200, 5000, 100_000, 300, 300, 40, 7, 2000)
    ]

    estimate = estimate_records(ATTRIBUTES, map(count_tokens, texts), prompt_tokens=2500)
    prompts = ask(texts).prompts

    sent = sum(
        prompt.count_tokens(reply_schema(records_form(listing=False, summarised=False)))
        for prompt in prompts
    )
    assert estimate.n_prompts == len(prompts)
    assert 0.9 * sent < estimate.tokens_in < 1.1 * sent


@pytest.mark.parametrize(("stated", "n_prompts"), [(1.0, 2), (0.5, 1)])
def test_the_fewer_cells_are_expected_the_more_documents_share_a_prompt(
    stated: float, n_prompts: int
) -> None:
    columns = tuple(Attribute(name=f"figure_{number}", type="integer") for number in range(30))
    texts = ["figure 12"] * 40
    sought = Sought(frozenset(item.name for item in columns), stated=stated)
    assert len(ask(texts, columns, sought).prompts) == n_prompts


def test_the_length_of_a_long_document_does_not_matter() -> None:
    long, longer = (estimate_records(ATTRIBUTES, [n], 8000) for n in (25_000, 1_000_000))
    assert long == longer
    assert (long.n_prompts, 24_000 < long.tokens_in < 30_000) == (3, True)


def test_a_document_of_two_promptfuls_may_take_two_prompts() -> None:
    two = estimate_records(ATTRIBUTES, [10_000], 8000)
    assert (two.n_prompts, 10_000 < two.tokens_in < 14_000) == (2, True)


def test_nothing_costs_nothing() -> None:
    assert estimate_records(ATTRIBUTES, [], 8000).n_prompts == 0
