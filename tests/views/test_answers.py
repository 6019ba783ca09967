"""What a terminal shows of an answer, and of a question that has none."""

import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.inference.answer import Answer, Bounds, ColumnCoverage, Denominator
from srag_mcp.inference.brief import Brief
from srag_mcp.inference.proposal import Proposal, ReadingPrice
from srag_mcp.model.ledger import Totals
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.schema.attribute import Attribute, KeyRule
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool
from srag_mcp.store.values import ValueMatch
from srag_mcp.views.answers import answer_lines, answer_page
from srag_mcp.views.results import ProposalEntry, extension_call, for_terminal

PORT = Attribute(name="port", type="string", extractors=(KeyRule(keys=("port",)),))
SCHEMA = Schema(title="Boat", entity="boats", attributes=(PORT,))
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


PROPOSAL = Proposal(
    "why they left",
    "SELECT document_id FROM boats WHERE port = 'Cork'",
    ReadingPrice(40, 7, 30_000, 1_000),
)
COMMAND = (
    "To read it from 40 documents, about 7 prompts and 31,000 tokens, and then ask again: srag-mcp"
    " extend boats --attribute 'why they left' --documents 'SELECT document_id FROM boats WHERE"
    " port = '\"'\"'Cork'\"'\"'' --no-keep"
)


def test_a_proposal_is_a_command_with_its_price() -> None:
    refused = Answer(
        "?", "Not answered: no", brief=brief(1, ("why",)), taken=TAKEN, proposal=PROPOSAL
    )
    answered = Answer("?", "12", sql="SELECT 12", proposal=PROPOSAL)

    assert list(answer_lines(refused, "boats"))[3] == COMMAND
    assert not any("To add it" in line for line in answer_lines(refused, "boats"))
    assert list(answer_lines(answered, "boats"))[-1] == COMMAND


def test_a_proposal_is_a_call_with_its_arguments_and_price(tmp_path: Path) -> None:
    folder = tmp_path / "boats"
    folder.mkdir()
    (folder / "a.txt").write_text("Port: Cork\n")
    settings = Settings(workers=1, home=tmp_path / "home")
    report = ingest(folder, settings, schema=SCHEMA)
    build = folder / ".srag" / "builds" / f"{report.build_id}.duckdb"
    refused = Answer(
        "?", "Not answered: no", brief=brief(1, ("why",)), taken=TAKEN, proposal=PROPOSAL
    )
    with QueryPool() as pool:
        page = answer_page(Corpus(folder, pool), refused, 20_000)
        handed = answer_page(Corpus(build, pool), refused, 20_000)

    call = (
        "call extend_schema with corpus='boats', attribute='why they left', documents=\"SELECT"
        " document_id FROM boats WHERE port = 'Cork'\" and keep=false"
    )
    said = (
        f"to read it from 40 documents, about 7 prompts and 31,000 tokens, {call}; then ask again"
    )
    assert page.proposal == ProposalEntry(
        tool="extend_schema",
        arguments={
            "corpus": "boats",
            "attribute": "why they left",
            "documents": PROPOSAL.documents,
            "keep": False,
        },
        documents=40,
        prompts=7,
        tokens=31_000,
        next=said,
    )
    assert page.data()["proposal"] == page.proposal.model_dump()
    assert f"next: {said}" in page.render().splitlines()
    assert page.brief is not None
    assert "extend_schema" not in page.brief.next, "one way is enough"
    assert handed.proposal is None, "a build alone cannot be read"
    assert shlex.split(for_terminal(call))[:7] == [
        "run",
        "srag-mcp",
        "extend",
        "boats",
        "--attribute",
        "why they left",
        "--documents",
    ]
    assert shlex.split(for_terminal(call))[7:] == [PROPOSAL.documents, "--no-keep"]


@given(st.text(), st.text())
def test_whatever_a_call_says_reaches_a_shell_as_it_is(attribute: str, documents: str) -> None:
    arguments: dict[str, str | bool] = {"attribute": attribute, "documents": documents}
    command = for_terminal(extension_call("a b", {**arguments, "keep": False}))

    wanted = ["run", "srag-mcp", "extend", "a b", "--attribute", attribute, "--documents"]
    assert shlex.split(command) == [*wanted, documents, "--no-keep"]
