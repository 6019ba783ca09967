import re
from collections.abc import Sequence

import anyio
import pytest

from srag_mcp.cells.cell import Cell, DocumentText, PredictedRecord
from srag_mcp.errors import PromptTooLongError, ReplyError
from srag_mcp.model.language_model import LanguageModel, Prompt, count_tokens
from srag_mcp.records.conversation import RecordTask
from srag_mcp.records.prediction import MAX_PROMPTFULS, choose_first_tokens, predict_records
from srag_mcp.schema.attribute import Attribute
from srag_mcp.values.states import State
from tests.model.scripted import ScriptedModel
from tests.records.reading_model import answer, reading, shown_documents, stated

RENT = Attribute(name="rent", type="integer", unit="EUR", description="Of a month.")
PETS = Attribute(name="pets_allowed", type="boolean", absent_means="false")
LEASE = (RENT, PETS)
FILLER = "The parties keep the staircase clean and greet each other on every day of the year.\n"
PROMPT_TOKENS = 1000
SAYS = {
    "rent": (r"(?:A month costs|Rent:) (\d+) EUR", int),
    "pets_allowed": (r"Dogs may (\w+)", str),
}


def lease(n_before: int, said: str, n_after: int) -> DocumentText:
    text = "Lease\nRent: 900 EUR\n" + FILLER * n_before + said + FILLER * n_after
    return DocumentText("a", "a", "a", text, "")


def asked(prompt: Prompt) -> list[str]:
    return [name for name in SAYS if f" {name} (" in prompt.instructions]


def read(key: str, text: str, prompt: Prompt) -> dict[str, object]:
    """Read what is asked for in *text*, as an honest model would."""
    cells = []
    for name in asked(prompt):
        pattern, kind = SAYS[name]
        found = re.search(pattern, text)
        if found:
            value = int(found[1]) if kind is int else found[1] == "stay"
            cells.append(stated(name, value, found[0]))
    return answer(key, cells)


def predict(
    model: LanguageModel,
    documents: Sequence[DocumentText],
    attributes: Sequence[Attribute] = LEASE,
    first_tokens: int | None = None,
) -> list[PredictedRecord]:
    found: list[PredictedRecord] = []

    async def run() -> None:
        await predict_records(
            RecordTask(model, tuple(attributes), "model", first_tokens),
            documents,
            prompt_tokens=PROMPT_TOKENS,
            max_in_flight=1,
            on_done=found.extend,
        )

    anyio.run(run)
    return found


def test_a_document_is_read_on_where_something_is_not_mentioned() -> None:
    model = reading(read)

    [record] = predict(model, [lease(60, "Dogs may stay.\n", 40)])

    assert [item.value_text for item in record.cells] == ["900", "true"]
    assert [asked(prompt) for prompt in model.prompts] == [
        ["rent", "pets_allowed"],
        ["pets_allowed"],
    ]
    assert all(item.cell.note == "" for item in record.cells)
    first, second = ([line[:3] for line in x.instructions.splitlines()] for x in model.prompts)
    assert "1 r" in first
    assert "2 p" in first
    assert "2 p" in second  # a column has one number in all prompts


def test_a_document_that_says_all_in_its_first_part_is_not_read_on() -> None:
    model = reading(read)

    predict(model, [lease(1, "Dogs may stay.\n", 400)])

    assert len(model.prompts) == 1


def test_every_line_of_a_document_of_three_parts_is_shown_once() -> None:
    lines = [f"On day {number} nothing was agreed.\n" for number in range(340)]
    document = lease(0, "".join(lines), 0)
    model = reading(read)

    [record] = predict(model, [document])

    shown = "".join(text for p in model.prompts for text in shown_documents(p).values())
    assert all(shown.count(line) == 1 for line in lines)
    assert (len(model.prompts), record.cells[1].cell.note) == (3, "")


def test_what_stays_unread_is_told_and_costs_no_more_in_a_longer_document() -> None:
    model = reading(read)

    [long] = predict(model, [lease(200, "", 0)])
    [longer] = predict(model, [lease(2000, "", 0)])

    assert long.cells[1].cell.state is State.NOT_MENTIONED
    assert re.fullmatch(r"read in part: 10,\d{3} of 16,820 characters", long.cells[1].cell.note)
    assert re.fullmatch(r"read in part: 10,\d{3} of 168,020 characters", longer.cells[1].cell.note)
    assert long.cells[0].cell.note == ""
    assert len(model.prompts) == 2 * MAX_PROMPTFULS


def test_documents_that_lack_the_same_share_the_prompts_to_read_on() -> None:
    documents = [
        DocumentText(
            str(n), str(n), str(n), FILLER * 20 + f"Dogs may {'stay' if n % 2 else 'go'}", ""
        )
        for n in range(4)
    ]
    model = reading(read)

    records = predict(model, documents, [PETS], first_tokens=100)

    assert [item.cells[0].value_text for item in records] == ["false", "true"] * 2
    assert [len(shown_documents(prompt)) for prompt in model.prompts] == [4, 3, 1]


def test_a_part_that_is_too_long_for_the_model_is_shown_in_smaller_ones() -> None:
    honest = reading(read)

    def reply(prompt: Prompt) -> str:
        if count_tokens(prompt.content) > 700:
            msg = "too long"
            raise PromptTooLongError(msg)
        return honest.reply(prompt)

    model = ScriptedModel(reply)
    [record] = predict(model, [lease(24, "Dogs may stay.\n", 19)])

    assert [item.value_text for item in record.cells] == ["900", "true"]
    sent = [count_tokens(prompt.content) > 700 for prompt in model.prompts]
    assert sent == [True, False, False]


def test_a_part_that_cannot_be_answered_fails_what_it_was_asked_for() -> None:
    honest = reading(read)

    def reply(prompt: Prompt) -> str:
        if asked(prompt) == ["pets_allowed"]:
            msg = "no use"
            raise ReplyError(msg)
        return honest.reply(prompt)

    [record] = predict(ScriptedModel(reply), [lease(60, "Dogs may stay.\n", 40)])

    assert record.cells[0].value_text == "900"
    assert record.cells[1].cell == Cell("pets_allowed", State.FAILED, engine="model", note="no use")
    assert record.error == "no use"


@pytest.mark.parametrize(("n_attributes", "expected"), [(1, 500), (2, 600), (3, None), (8, None)])
def test_a_little_is_read_first_where_few_columns_are_asked_for(
    n_attributes: int, expected: int | None
) -> None:
    assert choose_first_tokens(n_attributes, 8) == expected


def test_one_more_column_costs_less_than_the_documents() -> None:
    documents = [lease(40, "Dogs may stay.\n", 40), lease(10, "", 10)]
    model = reading(read)

    records = predict(model, documents, [RENT], first_tokens=choose_first_tokens(1, 8))

    assert [item.cells[0].value_text for item in records] == ["900", "900"]
    assert sum(len(text) for p in model.prompts for text in shown_documents(p).values()) < 4000


def test_a_small_document_is_read_whole_for_one_more_column() -> None:
    document = lease(10, "Dogs may stay.\n", 1)
    model = reading(read)

    predict(model, [document], [PETS], first_tokens=count_tokens(document.text) // 2 + 1)

    assert list(shown_documents(model.prompts[0]).values()) == [document.text]


@pytest.mark.parametrize(
    ("early", "words"), [("several storeys", "5 levels"), ("4 storeys", "4 storeys")]
)
def test_a_later_part_corrects_what_an_earlier_one_does_not_state_plainly(
    early: str, words: str
) -> None:
    storeys, keeper = (
        Attribute(name="storeys", type="integer"),
        Attribute(name="keeper", type="string"),
    )

    def read_both(key: str, text: str, prompt: Prompt) -> dict[str, object]:
        said: dict[str, tuple[object, str]] = {}
        if found := next((quote for quote in (early, "5 levels") if quote in text), None):
            said["storeys"] = (5 if found == "5 levels" else 4, found)
        if "Old Tom" in text:
            said["keeper"] = ("Old Tom", "Old Tom")
        names = [name for name in ("storeys", "keeper") if f"{name} (" in prompt.instructions]
        cells = [stated(name, *said[name]) for name in names if name in said]
        return answer(key, cells)

    days = "".join(f"On day {number} the staircase was kept clean.\n" for number in range(200))
    model = reading(read_both)
    text = f"It has {early}.\n{days}Old Tom is there.\nIt rises to 5 levels.\n{FILLER * 20}"

    [record] = predict(model, [DocumentText("a", "a", "a", text, "")], [storeys, keeper])

    assert [item.cell.as_stated for item in record.cells] == [words, "Old Tom"]
    assert all(not item.cell.marks for item in record.cells)
    asked_again = ["storeys (" in prompt.instructions for prompt in model.prompts[1:]]
    assert set(asked_again) == {early != words}


def test_a_value_in_other_words_alone_does_not_let_a_document_be_read_on() -> None:
    def read_first(key: str, text: str, prompt: Prompt) -> dict[str, object]:
        return answer(key, [stated("rent", 1000, "12000 EUR")])

    model = reading(read_first)

    predict(model, [DocumentText("a", "a", "a", "12000 EUR\n" + FILLER * 90, "")], [RENT])

    assert len([prompt for prompt in model.prompts if shown_documents(prompt)]) == 1
