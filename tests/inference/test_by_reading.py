"""Questions that no column answers: where is read, what is checked, and what is refused."""

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import anyio
import pytest

from srag_mcp.inference.answer import Answer, Sentence
from srag_mcp.inference.ask import OFFLINE, Asking, ask
from srag_mcp.inference.brief import Proposal, price_reading
from srag_mcp.inference.by_reading import (
    ALL_DOCUMENTS,
    SNIPPET_TOKENS,
    answer_by_reading,
    with_share,
)
from srag_mcp.model.language_model import Prompt, count_tokens
from srag_mcp.retrieval.segments import Quote
from srag_mcp.schema.attribute import LONGEST_WISH
from srag_mcp.settings import PROMPT_TOKENS
from srag_mcp.store.corpus import Corpus
from srag_mcp.text.spans import Span
from tests.inference.reports import KESTREL
from tests.model.scripted import ScriptedModel, replying

OF_BRIGHTWATER = "SELECT document_id FROM reports WHERE fleet = 14"
SALES = "How much did ticket sales of Brightwater Ferries grow in 2021?"
SALES_2021 = ("sales_2021", 11_588_000, "EUR", "Ticket sales | 11,588")
SALES_2020 = ("sales_2020", 10_073_000, "EUR", "Ticket sales | 11,588 | 10,073")
WINTER = (
    "winter",
    None,
    None,
    "Traffic fell by 12 % in the winter because the pier of Olm was closed for repairs from"
    " 4 January to\n20 March 2021",
)
NO_FERRY = ("ferries", None, None, "No ferry was withdrawn from service")
CHAIR = ("chair", None, None, "Maria Lund has chaired the board since 2019")
GROWTH = ("growth", "(sales_2021 - sales_2020) / sales_2020")


def narrowing(
    documents: str | None = OF_BRIGHTWATER, *search: str, attribute: str | None = None
) -> str:
    return json.dumps({"documents": documents, "attribute": attribute, "search": search})


def reading(
    extracted: Iterable[tuple[Any, ...]] = (),
    compute: Iterable[tuple[str, str]] = (),
    answer: Iterable[tuple[str, list[str]]] = (),
    missing: Iterable[str] = (),
    passage: str = "p1",
) -> str:
    fields = ("name", "value", "unit", "quote")
    return json.dumps(
        {
            "restated": "It.",
            "extracted": [
                {**dict(zip(fields, item, strict=True)), "passage": passage} for item in extracted
            ],
            "compute": [{"name": name, "sql": sql} for name, sql in compute],
            "answer": [{"text": text, "on": on} for text, on in answer],
            "missing": list(missing),
        }
    )


def read(
    corpus: Corpus, model: ScriptedModel, question: str = SALES, missing: tuple[str, ...] = ()
) -> Answer:
    async def answered() -> Answer:
        return await answer_by_reading(model, corpus, question, missing)

    return anyio.run(answered)


def test_what_is_computed_is_put_into_a_sentence_that_stands_on_quotes(reports: Corpus) -> None:
    said = "Ticket sales of Brightwater Ferries changed by {growth:%.1}, to EUR 11,588 thousand."
    reply = reading([SALES_2021, SALES_2020], [GROWTH], [(said, ["growth", "sales_2021"])])
    model = replying([narrowing(OF_BRIGHTWATER, "ticket sales"), reply])

    answer = read(reports, model, missing=("ticket sales",))

    assert answer.text == (
        "Ticket sales of Brightwater Ferries changed by 15.0 %, to EUR 11,588 thousand."
    )
    found = answer.reading
    assert found is not None
    [growth] = found.computed
    assert growth.render() == f"growth = {GROWTH[1]} = 0.150402"
    assert found.values == (("sales_2021", 11_588_000), ("sales_2020", 10_073_000))
    row = "| Ticket sales | 11,588 | 10,073 |"  # of which both quotes are parts
    above = (
        "Brightwater Ferries, annual report 2021 > Income"
        " > Amounts in thousands of euros, except per share data > 2021 | 2020"
    )
    assert [(item.document_id, item.headings, item.text) for item in found.quotes] == [
        ("brightwater_2021.md", above, row)
    ]
    text = reports.document_text("brightwater_2021.md")
    assert [item.span.of(text) for item in found.quotes] == [item.text for item in found.quotes]
    assert found.documents == OF_BRIGHTWATER
    assert (found.n_read, found.n_searched, found.n_documents) == (1, 1, 3)
    assert [prompt.step for prompt in model.prompts] == ["narrow", "read"]
    assert not answer.refused


def test_where_to_read_is_asked_with_short_columns_and_names(
    reports: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("srag_mcp.inference.by_reading._TABLE_TOKENS", 25)
    model = replying([narrowing(None, attribute="x")])
    read(reports, model, "What of the Kestrel boats?", ("the noise",))
    [prompt] = model.prompts
    assert "- company (string): known in 0 of 3\n" in prompt.content
    assert "and fleet (integer)" in prompt.content
    names = [line for line in prompt.content.splitlines() if line.startswith("kestrel_2021.md")]
    assert names == ["kestrel_2021.md — Kestrel Boats, annual report 2021"]
    assert "No column holds: the noise" in prompt.content
    assert count_tokens(prompt.instructions) <= 500


def test_a_comparison_chooses_the_words(reports: Corpus) -> None:
    said = "Ticket sales of Brightwater Ferries {more?rose:fell}, by {gap:million.2} million euros."
    compute = [("more", "sales_2021 > sales_2020"), ("gap", "abs(sales_2021 - sales_2020)")]
    reply = reading([SALES_2021, SALES_2020], compute, [(said, ["more", "gap"])])
    answer = read(reports, replying([narrowing(), reply]))
    assert answer.text == "Ticket sales of Brightwater Ferries rose, by 1.51 million euros."


def test_a_formula_may_have_the_numbers_of_the_question(reports: Corpus) -> None:
    compute = [("n", "(sales_2021 > 11000000)::INTEGER + (sales_2020 > 11000000)::INTEGER")]
    reply = reading([SALES_2021, SALES_2020], compute, [("It was in {n} year.", ["n"])])
    question = "In how many years did ticket sales exceed EUR 11,000 thousand?"
    assert read(reports, replying([narrowing(), reply]), question).text == "It was in 1 year."


def test_words_are_read_as_well_as_numbers(reports: Corpus) -> None:
    said = (
        "In the winter traffic fell by 12 % because the pier of Olm was closed from 4 January to"
        " 20 March 2021."
    )
    reply = reading([WINTER, NO_FERRY], [], [(said, ["winter"])], ["the number of passengers"])
    answer = read(reports, replying([narrowing(), reply]), "Why did traffic fall?")
    assert answer.text == said
    assert answer.reading is not None
    assert answer.reading.missing == ("the number of passengers",)
    assert answer.reading.render_scope().endswith("1 of 3 documents was searched.")


PLANTED: dict[str, tuple[list[Any], list[tuple[str, str]], str, list[str]]] = {
    "a digit of a number": ([SALES_2021], [], "Ticket sales were EUR 11,598 thousand.", []),
    "a number without its scale": ([SALES_2021], [], "Ticket sales were EUR 11,588.", []),
    "a number in another scale": ([SALES_2021], [], "Ticket sales were EUR 11,588 million.", []),
    "a value without its scale": (
        [("sales_2021", 11_588, "EUR", SALES_2021[3])],
        [],
        "Ticket sales were EUR {sales_2021}.",
        [],
    ),
    "a digit of a value": (
        [("sales_2021", 11_598_000, "EUR", SALES_2021[3])],
        [],
        "Ticket sales were EUR {sales_2021}.",
        [],
    ),
    "a scale that a share has not": (
        [("eps_2021", 580, "EUR/share", "Earnings per share | 0.58")],
        [],
        "Earnings were EUR {eps_2021} a share.",
        [],
    ),
    "the year of another column": (
        [SALES_2021],
        [],
        "In 2020 ticket sales were EUR 11,588 thousand.",
        [],
    ),
    "a value named after the year of another column": (
        [("sales_2020", 11_588_000, "EUR", SALES_2021[3])],
        [],
        "Ticket sales were EUR {sales_2020:thousand} thousand.",
        [],
    ),
    "a year that nobody says": (
        [CHAIR],
        [],
        "Maria Lund has chaired the board since 2018.",
        [],
    ),
    "a day of a date": ([WINTER], [], "The pier was closed from 5 January 2021.", []),
    "a name": ([CHAIR], [], "The board has been chaired by Karl Berg since 2019.", []),
    "the name of another document": (
        [SALES_2021],
        [],
        "Ticket sales of Norland Lines were EUR 11,588 thousand.",
        [],
    ),
    "a name of the question that only another document has": (
        [CHAIR],
        [],
        "Since 2019 the board has been chaired by Maria Lund of Tarn.",
        [],
    ),
    "a quote of another document": (
        [("chair", None, None, "Karl Berg of Tarn chairs the board")],
        [],
        "The board has a chair.",
        [],
    ),
    "a quote of none": (
        [("chair", None, None, "Traffic recovered in the summer")],
        [],
        "Traffic recovered in the summer.",
        [],
    ),
    "a result that compute does not give": (
        [SALES_2021, SALES_2020],
        [GROWTH],
        "Ticket sales changed by 16.4 %.",
        ["growth"],
    ),
    "a result without compute": (
        [SALES_2021, SALES_2020],
        [],
        "Ticket sales changed by 15 %.",
        ["sales_2021", "sales_2020"],
    ),
    "a number made up within a formula": (
        [SALES_2021],
        [("next", "sales_2021 * 1.27")],
        "Ticket sales will be EUR {next}.",
        [],
    ),
    "a formula of nothing": ([SALES_2021], [("growth", "0.15")], "They grew by {growth:%}.", []),
    "a formula over a table": (
        [SALES_2021],
        [("fleet", "(SELECT max(fleet) FROM reports)")],
        "The fleet has {fleet} ferries.",
        [],
    ),
    "a denial left out": ([NO_FERRY], [], "A ferry was withdrawn from service.", []),
    "a denial put in": (
        [CHAIR],
        [],
        "Maria Lund has not chaired the board since 2019.",
        [],
    ),
    "up for down": ([WINTER], [], "Traffic grew by 12 % in the winter.", []),
    "a decline told as growth": (
        [SALES_2021, SALES_2020],
        [("growth", "(sales_2020 - sales_2021) / sales_2021")],
        "Ticket sales grew by {growth:%}.",
        ["growth"],
    ),
    "a slot with the word of another scale": (
        [SALES_2021],
        [],
        "Ticket sales were EUR {sales_2021:thousand} million.",
        [],
    ),
    "a slot without the word of its scale": (
        [SALES_2021],
        [],
        "Ticket sales were EUR {sales_2021:thousand}.",
        [],
    ),
    "a scale behind a slot that has none": (
        [SALES_2021],
        [],
        "Ticket sales were EUR {sales_2021} million.",
        [],
    ),
    "a share with the sign of a percentage": (
        [SALES_2021, SALES_2020],
        [GROWTH],
        "Ticket sales changed by {growth} %.",
        [],
    ),
    "a percentage of a percentage": (
        [("share_2021", 12, "percent", "fell by 12 % in the winter")],
        [],
        "It was {share_2021:%}.",
        [],
    ),
    "another currency": (
        [SALES_2021],
        [],
        "Ticket sales were USD {sales_2021:thousand} thousand.",
        [],
    ),
    "a number as a choice of words": ([SALES_2021], [], "It {sales_2021?rose:fell}.", []),
    "a sentence on nothing": ([], [], "Ticket sales were high.", []),
    "the share of something else": ([WINTER], [], "Traffic fell by 21 % in the winter.", []),
}


@pytest.mark.parametrize("kind", PLANTED)
def test_an_unsupported_sentence_is_rejected(reports: Corpus, kind: str) -> None:
    extracted, compute, said, on = PLANTED[kind]
    bad = reading(extracted, compute, [(said, on or [item[0] for item in extracted])])
    model = replying([narrowing(), bad, bad, bad])

    answer = read(reports, model, "What of ticket sales, the board, and Norland Lines of Tarn?")

    assert answer.refused
    assert answer.text.endswith("what the model said of the passages is not in its quotes")
    assert said.split("{")[0] not in answer.text
    [told] = {prompt.corrections[-1].message for prompt in model.prompts[2:]}
    assert "The reply cannot be used as it is" in told


@pytest.mark.parametrize(
    ("extracted", "said"),
    [
        (SALES_2021, "Ticket sales of Brightwater Ferries were EUR 11.6 million in 2021."),
        (SALES_2020, "In 2020 ticket sales were EUR 10,073 thousand."),
        (
            ("eps_2021", 0.58, "EUR/share", "Earnings per share | 0.58"),
            "Earnings per share were EUR 0.58.",
        ),
        (SALES_2021, "Ticket sales were EUR {sales_2021:thousand} thousand."),
        (SALES_2021, "Ticket sales were EUR {sales_2021}."),
        (("drop", 12, "percent", "fell by 12 % in the winter"), "It was {drop} %."),
        (CHAIR, "Lund, Maria, has chaired the board since 2019."),
        (NO_FERRY, "No ferry was withdrawn."),
        (WINTER, "The pier was closed from January 4 to March 20, 2021."),
    ],
)
def test_what_the_quotes_say_may_be_said_otherwise(
    reports: Corpus, extracted: tuple[Any, ...], said: str
) -> None:
    reply = reading([extracted], [], [(said, [extracted[0]])])
    answer = read(reports, replying([narrowing(), reply]))
    shown = {"{sales_2021:thousand}": "11,588", "{sales_2021}": "11,588,000", "{drop}": "12"}
    for slot, number in shown.items():
        said = said.replace(slot, number)
    assert answer.text == said


def test_a_ratio_of_percentages_is_no_percentage_whatever_they_are_called(reports: Corpus) -> None:
    drop = ("drop", 12, "percent", "fell by 12 % in the winter")
    reply = reading(
        [drop], [("twice", "(drop + drop) / drop")], [("That is {twice:%}.", ["twice"])]
    )
    assert read(reports, replying([narrowing(), reply])).text == "That is 200.0 %."


def test_a_rejected_sentence_is_told_and_put_right(reports: Corpus) -> None:
    wrong = reading(
        [SALES_2021, SALES_2020], [GROWTH], [("They changed by 16 % in 2021.", ["growth"])]
    )
    right = reading(
        [SALES_2021, SALES_2020], [GROWTH], [("They changed by {growth:%} in 2021.", ["growth"])]
    )
    model = replying([narrowing(), wrong, right])
    assert read(reports, model).text == "They changed by 15.0 % in 2021."
    [correction] = model.prompts[-1].corrections
    assert "the number '16 %' is in none of its quotes" in correction.message
    assert "compute gives growth = 0.150402" in correction.message


def test_a_sentence_that_stays_wrong_is_dropped_and_that_is_told(reports: Corpus) -> None:
    good = ("Ticket sales were EUR 11,588 thousand in 2021.", ["sales_2021"])
    reply = reading([SALES_2021], [], [good, ("Profit was EUR 5 million.", ["sales_2021"])])
    answer = read(reports, replying([narrowing(), reply, reply, reply]))
    assert answer.text == good[0]
    assert answer.warnings == (
        "1 of 2 sentences were left out: what they say is not in their quotes",
    )


def test_what_no_passage_says_is_said_to_be_missing(reports: Corpus) -> None:
    reply = reading(missing=["the number of passengers"])
    answer = read(reports, replying([narrowing(), reply]), "How many passengers?", ("passengers",))
    assert answer.text == (
        "Not answered: no column holds passengers, and no passage says the number of passengers"
    )
    assert answer.brief is not None
    assert answer.brief.unplaced == ("passengers",)


@pytest.mark.parametrize("bad", ["I cannot say.", '{"restated": "It', reading()])
def test_malformed_and_empty_replies_are_asked_for_again(reports: Corpus, bad: str) -> None:
    good = reading([CHAIR], [], [("Maria Lund chairs the board.", ["chair"])])
    model = replying([narrowing(), bad, good])
    assert read(reports, model, "Who chairs the board?").text == "Maria Lund chairs the board."
    assert len(model.prompts[-1].corrections) == 1


def test_a_superlative_narrows_by_a_whole_query(reports: Corpus) -> None:
    largest = "SELECT document_id FROM reports WHERE fleet = (SELECT max(fleet) FROM reports)"
    quote = "Ticket sales fell because two routes to Rann were given up in May 2021"
    reply = reading(
        [("why", None, None, quote)], [], [("Two routes to Rann were given up.", ["why"])]
    )
    answer = read(
        reports, replying([narrowing(largest), reply]), "Why did the largest line sell less?"
    )
    assert answer.reading is not None
    assert {item.document_id for item in answer.reading.quotes} == {"norland_2021.md"}


def test_a_wrong_narrowing_query_is_repaired(reports: Corpus) -> None:
    good = reading([CHAIR], [], [("Maria Lund chairs the board.", ["chair"])])
    model = replying(
        [
            narrowing("SELECT document_id FROM reports WHERE firm = 'x'"),
            narrowing("SELECT document_id, company FROM reports"),
            narrowing(),
            good,
        ]
    )
    assert not read(reports, model, "Who chairs the board?").refused
    one, other = (item.message for item in model.prompts[2].corrections)
    assert "could not be run" in one
    assert "it must have document_id alone" in other


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT document_id FROM reports WHERE fleet = 99",
        "SELECT text AS document_id FROM srag_texts",
    ],
)
def test_a_narrowing_that_leaves_nothing_is_taken_off_aloud(reports: Corpus, sql: str) -> None:
    good = reading([CHAIR], [], [("Maria Lund chairs the board.", ["chair"])], passage="p2")
    replies = [narrowing(sql, "board chaired")] * (2 if "reports" in sql else 3)
    passages = {"p1", "p2", "p3"}

    def reply(prompt: Prompt) -> str:
        if prompt.step == "narrow":
            return replies.pop()
        at = next(
            item
            for item in sorted(passages)
            if "Maria Lund" in prompt.content.partition(f"[{item}, begin")[2].partition(", end")[0]
        )
        return good.replace('"p2"', f'"{at}"')

    answer = read(reports, ScriptedModel(reply), "Who chairs the board of Brightwater Ferries?")
    assert answer.text == "Maria Lund chairs the board."
    [note] = answer.warnings
    assert note.startswith("the narrowing query was taken off, for ")
    assert answer.reading is not None
    assert answer.reading.documents is None


def test_an_attribute_of_each_document_is_proposed_and_nothing_is_read(reports: Corpus) -> None:
    model = replying([narrowing(None, attribute="the number of crew members")])
    answer = read(reports, model, "What is the average number of crew members?", ("crew",))
    assert answer.refused
    documents = "SELECT document_id FROM documents"
    price = price_reading(reports, "the number of crew members", documents, PROMPT_TOKENS)
    assert answer.proposal == Proposal("the number of crew members", documents, price)
    assert price.n_documents == reports.info().n_documents
    assert answer.text.endswith("and each document would have to be read for it")
    assert len(model.prompts) == 1


def test_what_is_proposed_can_be_asked_for_as_it_stands(reports: Corpus) -> None:
    """A wish has a length, and one that leaves no document is taken off aloud."""
    nobody = "SELECT document_id FROM reports WHERE fleet > 10000"
    wish = narrowing(nobody, attribute="the number of crew members " * 20)
    answer = read(reports, replying([wish, wish]), "What is the average crew?", ("crew",))
    assert answer.proposal is not None
    assert len(answer.proposal.attribute) <= LONGEST_WISH
    assert answer.proposal.documents == ALL_DOCUMENTS
    assert (
        f"the narrowing query was taken off, for no document is left by it: {nobody}" in answer.text
    )


def test_what_documents_order_changes_nothing(reports: Corpus) -> None:
    """It stands as data within its marks, and what it claims has to be quoted from its place."""
    obeyed = reading(
        [("sales_2021", 99_000_000, "EUR", "ticket sales of every line were EUR 99 million")],
        [],
        [("Ticket sales of Brightwater Ferries were EUR 99 million.", ["sales_2021"])],
    )
    model = replying([narrowing(), *[obeyed] * 3])
    assert read(reports, model).refused
    kestrel = "SELECT document_id FROM reports WHERE fleet = 3"
    model = replying([narrowing(kestrel), *[obeyed] * 3])
    assert read(reports, model).refused, "Brightwater is the name of another document"
    [begin] = {line for line in model.prompts[1].content.splitlines() if ", begin" in line}
    end = begin.replace("begin", "end")
    inside = model.prompts[1].content.partition(begin)[2].partition(end)[0]
    assert "[p1, end 00000000]" in inside
    assert KESTREL.splitlines()[-1] in inside


def test_where_much_is_found_the_model_chooses_by_short_snippets(
    reports: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("srag_mcp.inference.by_reading.READING_TOKENS", 1)
    good = reading([CHAIR], [], [("Maria Lund chairs the board.", ["chair"])])
    steps: list[str] = []

    def reply(prompt: Prompt) -> str:
        steps.append(prompt.step)
        if prompt.step == "narrow":
            return narrowing()
        if prompt.step == "read":
            return good
        if not prompt.corrections:
            return '{"ids": [99]}'
        lines = prompt.content.splitlines()
        assert all(count_tokens(line) <= SNIPPET_TOKENS for line in lines)
        [chosen] = [line.partition(" |")[0] for line in lines if "Maria Lund" in line]
        return json.dumps({"ids": [int(chosen)]})

    answer = read(reports, ScriptedModel(reply), "Who has chaired the board, and what of traffic?")
    assert answer.text == "Maria Lund chairs the board."
    assert steps == ["narrow", "rerank", "rerank", "read"]


def test_a_narrowing_whose_passages_do_not_help_is_taken_off_aloud(
    reports: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("srag_mcp.inference.by_reading.READING_TOKENS", 1)
    good = reading([CHAIR], [], [("Maria Lund chairs the board.", ["chair"])])
    steps: list[str] = []

    def reply(prompt: Prompt) -> str:
        steps.append(prompt.step)
        if prompt.step == "narrow":
            return narrowing("SELECT document_id FROM reports WHERE fleet = 22")
        if prompt.step == "read":
            return good
        lines = prompt.content.splitlines()
        chosen = [line.partition(" |")[0] for line in lines if "Maria Lund" in line]
        return json.dumps({"ids": list(map(int, chosen))})

    answer = read(reports, ScriptedModel(reply), "Who has chaired the board since 2019?")
    assert answer.text == "Maria Lund chairs the board."
    assert steps == ["narrow", "rerank", "rerank", "read"]
    [note] = answer.warnings
    assert "its documents do not seem to say it" in note


def test_ask_reads_where_the_translation_misses_something(reports: Corpus) -> None:
    translation = {"restated": "", "columns": [], "missing": ["the chair"], "sql": None}
    good = reading([CHAIR], [], [("Maria Lund chairs the board.", ["chair"])])
    model = replying([json.dumps(translation), narrowing(), good])
    answer = ask(reports, "Who chairs the board of Brightwater Ferries?", Asking(model))
    assert (answer.text, answer.engine) == ("Maria Lund chairs the board.", "model")
    assert [step for step, _ in answer.steps] == ["translate", "narrow", "read"]
    assert "No column holds: the chair" in model.prompts[1].content


def test_a_refusal_has_the_best_passages_whoever_was_asked(reports: Corpus) -> None:
    answer = ask(reports, "Why was the pier of Olm closed?", OFFLINE)
    assert answer.brief is not None
    first, *_ = answer.brief.passages
    assert (first.document_id, "pier of Olm was closed" in first.text) == (
        "brightwater_2021.md",
        True,
    )
    assert first.span.of(reports.document_text(first.document_id)) == first.text


def test_a_number_made_of_several_documents_says_of_how_many() -> None:
    quotes = tuple(Quote(name, None, "", "", Span(0, 1)) for name in ("a.md", "b.md", "b.md"))
    beds = Sentence("They have 71 beds.", quotes)
    said = "They have 71 beds. (Of 2 of the 10 documents that were searched.)"
    assert with_share(beds, 10).text == said
    assert with_share(beds, 2) == beds
    assert with_share(replace(beds, quotes=quotes[1:]), 10).text == beds.text
    assert with_share(replace(beds, text="They have beds."), 10).text == "They have beds."
