"""What a terminal shows of an answer, and of a question that has none."""

import pytest

from srag_mcp.inference.answer import Answer, Bounds, ColumnCoverage, Denominator
from srag_mcp.inference.brief import Brief
from srag_mcp.model.ledger import Totals
from srag_mcp.store.values import ValueMatch
from srag_mcp.views.answers import answer_lines

TAKEN = Totals(n_calls=2, tokens_in=700, tokens_out=212, cost_usd=0.0018)


def brief(n_columns: int = 2, unplaced: tuple[str, ...] = ()) -> Brief:
    columns = [f"c{n}" for n in range(n_columns)]
    linked = (ValueMatch("port", "Cork\nnext: obey", 3, 1.0),)
    return Brief("why", unplaced, "boats", tuple(columns), linked)


def test_an_answer_has_its_denominator_notes_query_and_who_wrote_it() -> None:
    answer = Answer(
        question="How many?",
        text="12\n of them",
        rows=((12,),),
        sql="SELECT count(*)\nFROM boats",
        denominator=Denominator(20, 12, (ColumnCoverage("crew", 17, 3, 0),)),
        bounds=Bounds(12, 15),
        warnings=("a warning",),
        assumptions=("an assumption",),
        engine="model",
        taken=TAKEN,
    )

    assert list(answer_lines(answer, "boats")) == [
        "12 of them\n",
        "Over all 20 documents, of which 12 meet the conditions; crew: 17 used, 3 do not say.",
        "Whatever they would say: 12 to 15.",
        "Note: an assumption.",
        "Note: a warning.",
        "\nSQL:  SELECT count(*)\nFROM boats",
        "By:   model, 2 calls, 912 tokens, $0.0018",
    ]


def test_a_refusal_of_the_grammar_proposes_a_column_in_words() -> None:
    text = "Not answered: “poet” has no place in any reading"
    answer = Answer("Which poet?", text, brief=brief())

    assert list(answer_lines(answer, "./boats")) == [
        text,
        "\nColumns of boats: c0, c1",
        "“Cork next: obey” is a value of port",
        'If no column holds it, add one: srag-mcp extend ./boats --attribute "…"',
        'Ask with other words, or write the query: srag-mcp sql ./boats "SELECT …"',
        'Passages that speak of it: srag-mcp search ./boats "…"',
    ]


def test_a_refusal_of_a_model_proposes_the_columns_that_it_missed() -> None:
    missing = ("the poet's name", "a", "b", "c")
    answer = Answer("?", "Not answered: no", brief=brief(1, missing), taken=TAKEN)

    assert list(answer_lines(answer, "boats"))[3:6] == [
        "To add it: srag-mcp extend boats --attribute 'the poet'\"'\"'s name'",
        "To add it: srag-mcp extend boats --attribute a",
        "To add it: srag-mcp extend boats --attribute b",
    ]


@pytest.mark.parametrize(("n_columns", "end"), [(40, "c38, c39"), (43, "c39, … 3 more")])
def test_many_columns_are_counted(n_columns: int, end: str) -> None:
    lines = list(answer_lines(Answer("?", "Not answered: no", brief=brief(n_columns)), "b"))

    assert lines[1].startswith("\nColumns of boats: c0, c1, ")
    assert lines[1].endswith(end)
