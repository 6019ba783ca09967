from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.cells.cell import DocumentText
from srag_mcp.claims.quotes import ground
from srag_mcp.records.record_prompt import MAX_DOCUMENTS, plan_batches, take_excerpt
from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.spans import Span

PROMPT_TOKENS = 8000


def plan(sizes: list[int], n_attributes: int = 10) -> list[tuple[int, ...]]:
    return list(plan_batches(sizes, lambda size: size, n_attributes, PROMPT_TOKENS))


def test_wide_gaps_are_not_shown_and_quotes_are_found_all_the_same() -> None:
    text = "Rooms" + " " * 40 + "12\n \n\n\t\n\n  Floors  3\n\nEnd"
    rooms = Attribute(name="rooms", type="integer")

    excerpt = take_excerpt(DocumentText("a", "a", "a", text, ""), [rooms], 1000)
    place = ground("Rooms  12\n\n  Floors  3", text, rooms)

    assert excerpt.shown == "Rooms  12\n\n  Floors  3\n\nEnd"
    assert place == Span(0, text.index("3") + 1)


def test_documents_share_a_prompt_as_long_as_another_would_fit() -> None:
    assert plan([100] * 20) == [(100,) * 16, (100,) * 4]
    assert plan([1000] * 9) == [(1000,) * 8, (1000,)]
    assert plan([1900] * 5) == [(1900,) * 4, (1900,)]
    assert plan([2100] * 7) == [(2100,) * 3, (2100,) * 3, (2100,)]
    assert plan([100, 3000, 5000, 3000, 100]) == [(5000,), (100, 3000, 3000, 100)]


def test_a_reply_has_no_more_cells_than_a_model_can_write() -> None:
    assert plan([100] * 10, 100) == [(100,) * 6, (100,) * 4]
    assert plan([100] * 3, 500) == [(100,)] * 3


sizes = st.lists(st.integers(0, 9000), max_size=60)


@given(sizes)
def test_a_batch_is_small_or_a_single_document(n_tokens: list[int]) -> None:
    batches = plan(n_tokens)

    assert sorted(size for batch in batches for size in batch) == sorted(n_tokens)
    for batch in batches:
        assert len(batch) == 1 or (len(batch) <= MAX_DOCUMENTS and sum(batch) <= PROMPT_TOKENS)


@given(sizes, st.data())
def test_the_batches_that_are_left_stay_the_same(n_tokens: list[int], data: st.DataObject) -> None:
    numbered = list(enumerate(n_tokens))
    batches = list(plan_batches(numbered, lambda item: item[1], 10, PROMPT_TOKENS))
    done = data.draw(st.sets(st.integers(0, max(0, len(batches) - 1))))
    left = [batch for number, batch in enumerate(batches) if number not in done]

    resumed = sorted(item for batch in left for item in batch)

    assert list(plan_batches(resumed, lambda item: item[1], 10, PROMPT_TOKENS)) == left
