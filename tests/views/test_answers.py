"""What a terminal shows of an answer, and of a question that has none."""

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.inference.answer import (
    Answer,
    Bounds,
    ColumnCoverage,
    Computed,
    Denominator,
    Reading,
    Sentence,
)
from srag_mcp.inference.brief import Brief, Proposal, ReadingPrice
from srag_mcp.inference.linking import LinkedValues
from srag_mcp.model.ledger import Totals
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.retrieval.segments import Quote
from srag_mcp.schema.attribute import Attribute, KeyRule
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool
from srag_mcp.store.values import ValueMatch
from srag_mcp.text.spans import Span
from srag_mcp.views.answers import WHOLE, answer_page
from srag_mcp.views.results import ProposalEntry, extension_call, for_terminal, json_size

PORT = Attribute(name="port", type="string", extractors=(KeyRule(keys=("port",)),))
SCHEMA = Schema(title="Boat", entity="boats", attributes=(PORT,))
TAKEN = Totals(n_calls=2, tokens_in=700, tokens_out=212, cost_usd=0.0018)


def lines(corpus: Corpus, answer: Answer) -> list[str]:
    """Write an answer as a terminal shows it, without the empty lines between its parts."""
    shown = for_terminal(answer_page(corpus, answer, WHOLE).render(rows=False))
    assert "\n\n\n" not in shown
    return list(filter(None, shown.splitlines()))


def brief(n_columns: int = 2, unplaced: tuple[str, ...] = ()) -> Brief:
    columns = [f"c{n}" for n in range(n_columns)]
    match = ValueMatch("port", "Cork\nnext: obey", 3, 1.0)
    linked = (LinkedValues("Cork", "port", (match,), 1, 3),)
    return Brief("why", unplaced, "boats", tuple(columns), linked)


@pytest.fixture(scope="module")
def boats(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    folder = tmp_path_factory.mktemp("x") / "boats"
    folder.mkdir()
    (Path(folder) / "anna.txt").write_text("Name: Anna\nCrew: 3\n")
    settings = Settings(workers=1, home=tmp_path_factory.mktemp("home"))
    ingest(folder, settings)
    with QueryPool() as worker:
        yield Corpus(folder, worker, settings.home)


def test_an_answer_has_its_denominator_notes_query_and_who_wrote_it(boats: Corpus) -> None:
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

    assert lines(boats, answer) == [
        "12 of them",
        "Over the 12 of 20 documents that meet the conditions; crew: 17 used, 3 do not say (of"
        " all). Whatever they would say: 12 to 15.",
        "an assumption",
        "a warning",
        "sql: SELECT count(*) FROM boats",
        "engine: model: 2 calls, 912 tokens, $0.0018",
    ]
    parts = answer_page(boats, answer, WHOLE).render(rows=False).split("\n\n")
    assert [part[:8] for part in parts] == ["12 of th", "Over the", "sql: SEL"]


def test_a_refusal_of_the_grammar_proposes_a_column_in_words(boats: Corpus) -> None:
    text = "Not answered: “poet” has no place in any reading"
    answer = Answer("Which poet?", text, brief=brief())

    said = lines(boats.called("./boats"), answer)
    assert said[:3] == [
        text,
        "the question may mean port = 'Cork next: obey' (3 records)",
        "table boats, 1 documents:",
    ]
    assert said[-1] == (
        "next: write the SELECT and run srag-mcp sql; if no column holds what is asked, do not"
        " guess: look for passages with srag-mcp search, or say so, or add it: srag-mcp extend"
        " ./boats and what it should hold in words"
    )


def test_a_refusal_of_a_model_proposes_the_columns_that_it_missed(boats: Corpus) -> None:
    missing = ("the poet's name", "a")
    answer = Answer("?", "Not answered: no", brief=brief(1, missing), taken=TAKEN)

    assert lines(boats, answer)[-1].endswith(
        "srag-mcp extend boats --attribute 'the poet'\"'\"'s name' --attribute a"
    )


PROPOSAL = Proposal(
    "why they left",
    "SELECT document_id FROM boats WHERE port = 'Cork'",
    ReadingPrice(7, 30_000, 1_000, 40),
)
COMMAND = (
    "next: to read it from 40 documents, about 7 prompts and 31,000 tokens, run srag-mcp extend"
    " boats --attribute 'why they left' --documents 'SELECT document_id FROM boats WHERE port ="
    " '\"'\"'Cork'\"'\"'' --no-keep; then ask again"
)


SALES = Quote("a.pdf", 7, "Income", "Sales |\n 12", Span(40, 52))
ROUTES = Quote("b b.pdf", None, "", "two routes were given up", Span(0, 24))
READ = Answer(
    question="?",
    text="They grew by 20.0 %. Two routes were given up.",
    reading=Reading(
        (
            Sentence("They grew by 20.0 %.", (SALES,)),
            Sentence("Two routes were given up.", (ROUTES, SALES)),
        ),
        (Computed("growth", "(a - b) / b", 0.2), Computed("grew", "a > b", True)),
        (("a", 12_000_000.0), ("b", 10_000_000.0)),
        ("the reason",),
        "SELECT document_id\nFROM reports",
        3,
        2,
        2,
        16,
    ),
    warnings=("1 of 3 sentences were left out",),
    engine="model",
    taken=TAKEN,
    steps=(("narrow", TAKEN), ("read", TAKEN)),
)


def test_an_answer_from_passages_has_its_quotes_and_what_was_computed(boats: Corpus) -> None:
    assert lines(boats, READ) == [
        "They grew by 20.0 %. [1] Two routes were given up. [2] [1]",
        "Read: 3 passages of 2 documents; 2 of 16 documents were searched.",
        "1 of 3 sentences were left out",
        "computed: growth = (a - b) / b = 0.2",
        "computed: grew = a > b = yes",
        "computed: with a = 12,000,000, b = 10,000,000",
        "no passage says: the reason",
        "documents: SELECT document_id FROM reports",
        "engine: model: 2 calls, 912 tokens, $0.0018 (narrow 912, read 912)",
        "[1] a.pdf, page 7, Income (40-52) srag://boats/documents/a.pdf: “Sales | 12”",
        "[2] b b.pdf (0-24) srag://boats/documents/b%20b.pdf: “two routes were given up”",
    ]


def test_a_refusal_shows_passages_and_what_would_have_to_be_read(boats: Corpus) -> None:
    found = Brief("why", ("crew",), "boats", ("c0",), (), passages=(SALES,))
    answer = Answer("?", "Not answered: no", brief=found, proposal=PROPOSAL, taken=TAKEN)
    said = lines(boats, answer)
    place = "a.pdf, page 7, Income (40-52) srag://boats/documents/a.pdf"
    assert (said[1], said[-1]) == (COMMAND, f"passage: {place}: “Sales | 12”")


def test_a_calling_agent_gets_the_same_as_data(boats: Corpus) -> None:
    page = answer_page(boats, READ, 20_000)
    assert page.exact() == {
        "answered": True,
        "text": "They grew by 20.0 %. [1] Two routes were given up. [2][1]",
        "sql": "SELECT document_id\nFROM reports",
        "documents": 2,
        "denominator": "Read: 3 passages of 2 documents; 2 of 16 documents were searched.",
        "warnings": ["1 of 3 sentences were left out"],
        "quotes": [
            {
                "document_id": "a.pdf",
                "page": 7,
                "headings": "Income",
                "quote": "Sales | 12",
                "start": 40,
                "end": 52,
                "link": "srag://boats/documents/a.pdf",
            },
            {
                "document_id": "b b.pdf",
                "quote": "two routes were given up",
                "start": 0,
                "end": 24,
                "link": "srag://boats/documents/b%20b.pdf",
            },
        ],
        "computed": [
            "growth = (a - b) / b = 0.2",
            "grew = a > b = yes",
            "with a = 12,000,000, b = 10,000,000",
        ],
        "missing": ["the reason"],
        "engine": "model: 2 calls, 912 tokens, $0.0018 (narrow 912, read 912)",
    }
    text = page.render()
    assert "no passage says: the reason" in text
    assert "[1] a.pdf, page 7, Income (40-52) srag://boats/documents/a.pdf: “Sales | 12”" in text


@pytest.mark.parametrize("by_reading", [False, True])
def test_a_long_query_leaves_a_result_its_size(boats: Corpus, *, by_reading: bool) -> None:
    ports = ", ".join(['\n"Cork"'] * 1500)
    sql = f"SELECT document_id FROM boats WHERE port IN ({ports})"
    before = Answer("?", "0", sql=sql)
    answer = Answer("?", "1", ("n",), ((1,),), sql, f"where {sql}", before=before)
    if by_reading:
        reading = Reading((Sentence("So.", (SALES,)),), documents=sql)
        answer = Answer("?", "So.", reading=reading, before=before)
    page = answer_page(boats, answer, 20_000)
    assert json_size(page) <= 20_000
    assert page.sql.endswith(f" … (cut: it has {len(sql):,} characters)")


def test_a_proposal_that_does_not_fit_is_left_out(boats: Corpus) -> None:
    documents = f"SELECT document_id FROM boats WHERE port IN ({', '.join(['1'] * 5000)})"
    proposal = Proposal("why", documents, ReadingPrice(1, 1, 1, 1))
    page = answer_page(boats, Answer("?", "No", brief=brief(), proposal=proposal), 20_000)
    assert page.proposal is None
    assert json_size(page) <= 20_000


def test_many_quotes_are_cut_to_the_size_of_a_page(boats: Corpus) -> None:
    quotes = tuple(Quote("a.pdf", n, "", "word " * 60, Span(n, n + 9)) for n in range(200))
    answer = Answer("?", "It is so.", reading=Reading((Sentence("It is so.", quotes),)))
    page = answer_page(boats, answer, 20_000)
    assert (json_size(page) <= 20_000, page.truncated) == (True, True)
    assert 0 < len(page.quotes) < len(quotes)


def test_a_calling_agent_sees_the_passages_of_a_refusal(boats: Corpus) -> None:
    found = Brief("why", (), "boats", ("crew",), (), passages=(SALES,))
    page = answer_page(boats, Answer("?", "no", brief=found, taken=TAKEN), 20_000)
    assert page.brief is not None
    assert [item.quote for item in page.brief.passages] == ["Sales | 12"]


def test_a_proposal_is_a_command_with_its_price(boats: Corpus) -> None:
    refused = Answer(
        "?", "Not answered: no", brief=brief(1, ("why",)), taken=TAKEN, proposal=PROPOSAL
    )
    answered = Answer("?", "12", sql="SELECT 12", proposal=PROPOSAL)

    assert lines(boats, refused)[1] == lines(boats, answered)[1] == COMMAND
    assert not any("or add it" in line for line in lines(boats, refused))


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
