import json
from dataclasses import replace

import anyio
import pytest

from srag_mcp.cells.cell import Cell, Mark, PredictedCell, add_note, read_column, write_canonical
from srag_mcp.claims.suspects import Suspect, look_again
from srag_mcp.errors import ModelStoppedError
from srag_mcp.model.language_model import Prompt, enclose
from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.spans import Span
from srag_mcp.values.states import State
from tests.model.scripted import ScriptedModel, replying

REVENUE = Attribute(
    name="revenue", type="number", unit="USD", description="Revenue of the year. Whole dollars."
)
DAY = Attribute(name="day", type="date")
TOWN = Attribute(name="town", type="string")
STATE = Attribute(name="state", type="string", categories=("open", "closed"))
RUN = Attribute(name="run", type="number", unit="nautical miles")
CREW = Attribute(name="crew", type="integer")
CARGO = Attribute(name="cargo", type="number", unit="t")


def suspect(value: str, text: str, quote: str) -> Suspect:
    start = text.index(quote)
    span = Span(start, start + len(quote))
    cell = Cell("revenue", State.STATED, quote, span, engine="model")
    return Suspect(f"{value}.txt", PredictedCell(cell, value), "it is small", text)


SMALL = suspect("12.5", "In millions: revenue 12.5 (2020: 11.9).", "12.5")
RIGHT = suspect("900.0", "Revenue was 900 dollars.", "900 dollars")
WRONG = suspect("7.0", "There were 7 employees.", "7 employees")


def verdicts(*items: tuple[str, str, object]) -> str:
    return json.dumps(
        {
            "verdicts": [
                {"id": key, "verdict": verdict, "value": value, "rationale": "in millions"}
                for key, verdict, value in items
            ]
        }
    )


def unsettled(found: Suspect) -> PredictedCell:
    """Return what is left of a value without a verdict: as it is, with a note."""
    note = "does not fit its column, and no verdict yet"
    return replace(found.predicted, cell=add_note(found.predicted.cell, note, Mark.UNSETTLED))


def judge(model: ScriptedModel) -> list[PredictedCell]:
    async def judged() -> list[PredictedCell]:
        return await look_again(model, REVENUE, [SMALL, RIGHT, WRONG], ["12000000", "9000000"])

    return anyio.run(judged)


def test_changes_are_noted_with_before_and_after() -> None:
    model = replying(
        [verdicts(("c1", "change", 12_500_000), ("c2", "keep", None), ("c3", "unknown", None))]
    )
    small, right, wrong = judge(model)
    assert small.value_text == "12500000"
    assert small.cell.note == "standardised: was '12.5', now '12500000' (in millions)"
    assert (small.cell.as_stated, small.cell.span) == ("12.5", SMALL.predicted.cell.span)
    assert right == PredictedCell(
        replace(
            RIGHT.predicted.cell,
            note="looked at again and kept (in millions)",
            marks=frozenset({Mark.KEPT}),
        ),
        "900.0",
    )
    assert wrong == PredictedCell(
        Cell(
            "revenue",
            State.NOT_MENTIONED,
            engine="model",
            note="standardised: was '7.0', taken out (in millions)",
            marks=frozenset({Mark.STANDARDISED}),
        )
    )


def test_a_value_that_is_taken_out_does_not_count_as_zero() -> None:
    rats = Attribute(name="rats", type="integer", absent_means="zero")
    model = replying([verdicts(("c1", "unknown", None))])
    found = suspect("5000", "They found 5000 stowaway rats.", "5000 stowaway rats")

    async def judged() -> list[PredictedCell]:
        return await look_again(model, rats, [found], ["1", "2"])

    [cell] = anyio.run(judged)
    note = "standardised: was '5000', taken out (in millions)"
    marks = frozenset({Mark.STANDARDISED})
    failed = replace(found.predicted.cell, state=State.FAILED, note=note, unit=None, marks=marks)
    assert cell == PredictedCell(failed)
    assert [item.value for item in read_column(rats, [cell])] == [None]


def test_the_prompt_shows_words_around_the_value_and_the_reason() -> None:
    model = replying([verdicts(("c1", "keep", None), ("c2", "keep", None), ("c3", "keep", None))])
    judge(model)
    [prompt] = model.prompts
    assert "Column `revenue` (number, unit USD): Revenue of the year." in prompt.content
    assert enclose("- 12000000\n- 9000000") in prompt.content
    assert "value: 12.5\nsaid by: 12.5\npicked out because it is small" in prompt.content
    assert "around it: In millions: revenue 12.5 (2020: 11.9)." in prompt.content


def test_a_missing_verdict_and_a_value_of_another_type_go_back() -> None:
    bad = verdicts(("c1", "change", "a lot"), ("c2", "keep", None), ("c9", "keep", None))
    model = replying([bad, bad, bad])
    small, right, wrong = judge(model)
    assert (small, wrong) == (unsettled(SMALL), unsettled(WRONG))
    assert (right.value_text, right.cell.note) == (
        "900.0",
        "looked at again and kept (in millions)",
    )
    message = model.prompts[1].corrections[0].message
    assert "c3: the verdict is missing" in message
    assert "c9: there is no such value" in message
    assert "c1: 'a lot' is not a plain number, such as 12.5" in message


def test_a_verdict_that_does_not_fit_goes_back_and_does_not_lose_the_others() -> None:
    bad = verdicts(("c1", "change", [1]), ("c2", "keep", None), ("c3", "drop", None))
    model = replying([bad, bad, bad])
    small, right, wrong = judge(model)
    assert (small, wrong) == (unsettled(SMALL), unsettled(WRONG))
    assert right.cell.note == "looked at again and kept (in millions)"
    message = model.prompts[1].corrections[0].message
    assert "- c1: value: Input should be a valid string or" in message
    assert "- c3: verdict: Input should be 'keep', 'change' or 'unknown', not 'drop'" in message


def test_without_a_reply_of_use_the_cells_stay_as_they_are() -> None:
    model = replying(["Sorry, no."] * 3)
    assert judge(model) == [unsettled(SMALL), unsettled(RIGHT), unsettled(WRONG)]
    assert len(model.prompts) == 3


def test_a_model_that_cannot_be_asked_any_more_ends_it() -> None:
    def stop(prompt: Prompt) -> str:
        msg = "the key is wrong"
        raise ModelStoppedError(msg)

    with pytest.raises(ModelStoppedError):
        judge(ScriptedModel(stop))


def test_a_verdict_needs_neither_a_value_nor_a_reason() -> None:
    said = [{"id": f"c{number}", "verdict": "keep", "sure": True} for number in (1, 2, 3)]
    model = replying([json.dumps({"verdicts": said})])
    assert [item.cell.note for item in judge(model)] == ["looked at again and kept ()"] * 3
    assert len(model.prompts) == 1


@pytest.mark.parametrize(
    ("attribute", "value", "quote", "after", "is_taken"),
    [
        (REVENUE, "12.5", "revenue 12.5 million", 12_500_000, True),
        (REVENUE, "12.5", "revenue 12.5 million", 999, False),
        (DAY, "2021-04-03", "03/04/2021", "2021-03-04", True),
        (DAY, "2021-04-03", "03/04/2021", "2030-01-01", False),
        (RUN, "3000.0", "run was 3,000 kilometres", 1619.87, True),
        (RUN, "3000.0", "run was 3,000 kilometres", 9999, False),
        (CREW, "25", "crew numbered 25 hands", 2500, False),
        (CREW, "25", "25 hands on board", 2500, False),
        (CREW, "2500", "25 hands on board", 25, True),
        (CARGO, "19.0", "19 thousand tonnes", 19_000, True),
        (CARGO, "19.0", "19 thousand tonnes", 18_000, False),
        (DAY, "2021-04-03", "03/04/2021 to 09/04/2021", "2021-05-01", False),
        (STATE, "offen", "offen", "open", True),
        (TOWN, "Milan", "Milan", "Milano", True),  # other documents have it
        (TOWN, "MILAN", "MILAN", "Milan", True),  # the same, spelt anew
        (TOWN, "N.Y.", "N.Y.", "New York", True),  # the reason names it
        (TOWN, "Rome", "Rome", "The Ritz", False),
    ],
)
def test_a_change_is_one_that_the_words_bear_out(
    attribute: Attribute, value: str, quote: str, after: float | str, is_taken: bool
) -> None:
    doubted = replace(suspect(value, f"It says: {quote}.", quote), reason="is it “New York”?")
    model = replying([verdicts(("c1", "change", after))])

    async def judged() -> list[PredictedCell]:
        return await look_again(model, attribute, [doubted], ["Milano"])

    [cell] = anyio.run(judged)
    assert cell.value_text == (write_canonical(attribute, after) if is_taken else value)
    assert cell.cell.note.startswith(
        "standardised: was" if is_taken else "looked at again and kept: its words do not say"
    )


def test_what_was_noted_before_stays_and_only_a_verdict_settles_it() -> None:
    doubted = replace(
        SMALL, predicted=replace(SMALL.predicted, cell=replace(SMALL.predicted.cell, note="odd"))
    )
    model = replying([verdicts(("c1", "keep", None), ("c2", "change", 0.9), ("c3", "keep", None))])

    async def judged() -> list[PredictedCell]:
        return await look_again(model, REVENUE, [doubted, RIGHT, WRONG], [])

    found = anyio.run(judged)

    assert found[0].cell.note == "looked at again and kept (in millions); odd"
    assert doubted.predicted.cell.marks == frozenset()
    assert [item.cell.marks for item in found] == [{Mark.KEPT}, {Mark.STANDARDISED}, {Mark.KEPT}]


def test_the_note_that_a_value_is_not_settled_stands_once_and_goes_with_a_verdict() -> None:
    before = replace(RIGHT, predicted=unsettled(RIGHT))
    brief = replying(['{"verdicts": []}'] * 3)
    kept = replying([verdicts(("c1", "keep", None))])

    async def judged(model: ScriptedModel) -> PredictedCell:
        [cell] = await look_again(model, REVENUE, [before], [])
        return cell

    assert anyio.run(judged, brief) == unsettled(RIGHT)
    assert anyio.run(judged, kept).cell.note == "looked at again and kept (in millions)"


def test_two_verdicts_on_one_value_go_back_and_change_nothing() -> None:
    twice = verdicts(
        ("c1", "keep", None), ("c1", "change", 12), ("c2", "keep", None), ("c3", "keep", None)
    )
    model = replying([twice] * 3)

    small, right, _wrong = judge(model)

    assert "c1: it has 2 verdicts" in model.prompts[1].corrections[0].message
    assert small == unsettled(SMALL)
    assert right.cell.marks == {Mark.KEPT}


def test_endless_words_of_a_verdict_are_cut() -> None:
    said = json.loads(
        verdicts(("c1", "keep", None), ("c2", "change", "x" * 10**6), ("c3", "keep", None))
    )
    said["verdicts"][0]["rationale"] = "so " * 10**6
    model = replying([json.dumps(said)] * 3)

    small, right, _wrong = judge(model)

    assert len(small.cell.note) < 400
    assert right == unsettled(RIGHT)
    assert len(model.prompts[1].corrections[0].message) < 400
