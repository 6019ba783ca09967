import json
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from srag_mcp.inference.answer import Bounds, render_denominator
from srag_mcp.inference.ask import ask
from srag_mcp.inference.grounds import find_grounds
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.schema.attribute import Attribute, Extractor, ItemRule, KeyRule, SlotRule
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.sqlfacts.query import read_query
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool, Value, Views
from srag_mcp.store.guard.pool import Kind

Open = Callable[[Sequence[str], Sequence[Attribute]], Corpus]


@pytest.fixture(scope="module")
def worker() -> Iterator[QueryPool]:
    with QueryPool() as running:
        yield running


@pytest.fixture(scope="module")
def open_corpus(tmp_path_factory: pytest.TempPathFactory, worker: QueryPool) -> Open:
    """Return a function that ingests texts, the same ones once."""
    folders: dict[str, Path] = {}

    def write(texts: Sequence[str], attributes: Sequence[Attribute]) -> Corpus:
        schema = Schema(title="Boat", entity="boats", attributes=tuple(attributes))
        folder = folders.get(known := repr((texts, schema)))
        if folder is None:
            folder = folders[known] = tmp_path_factory.mktemp("made") / "boats"
            folder.mkdir()
            for number, text in enumerate(texts):
                (folder / f"{number:02d}.txt").write_text(f"{text}\n{number}\n", encoding="utf-8")
            ingest(folder, Settings(workers=1), schema=schema)
        return Corpus(folder, worker)

    return write


def _length(*rules: Extractor, unit: str | None = "m") -> Attribute:
    keys = rules or (KeyRule(keys=("length",)),)
    return Attribute(name="length", type="number", unit=unit, extractors=keys)


def _number(name: str, key: str, unit: str | None) -> Attribute:
    return Attribute(name=name, type="number", unit=unit, extractors=(KeyRule(keys=(key,)),))


LENGTH = "What is the average length of the boats?"


class ListeningPool(QueryPool):
    """Keeps the statements of this package that it runs."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[str] = []

    def read(
        self,
        build: Path | Views,
        sql: str,
        parameters: Sequence[Value] = (),
        timeout_s: float | None = None,
        *,
        kind: Kind = "own",
    ) -> list[tuple[Value, ...]]:
        self.heard.append(sql)
        return super().read(build, sql, parameters, timeout_s, kind=kind)


def test_what_a_build_alone_tells_is_counted_for_its_first_question(open_corpus: Open) -> None:
    texts = [f"Length: {n} m\nWidth: {n} m" for n in range(10, 20)]
    folder = open_corpus(texts, [_length(), _number("width", "width", "m")]).location
    with (pool := ListeningPool()):
        corpus = Corpus(folder, pool)

        answers = [ask(corpus, LENGTH), ask(corpus, LENGTH.replace("length", "width"))]

    assert [answer.rows for answer in answers] == [((14.5,),), ((14.5,),)]
    assert len(pool.heard) == len(set(pool.heard))


def test_a_column_that_other_documents_tell_in_other_words_is_refused(open_corpus: Open) -> None:
    texts = [f"Length: {n} m" for n in (7, 8, 9, 10)] + ["She has a length of some 12 m."] * 2
    answer = ask(open_corpus(texts, [_length()]), LENGTH)
    assert answer.refused
    assert "only 4 of 6 documents give length, and 2 more speak of it" in answer.text


def test_what_a_name_says_beside_an_amount_in_its_unit_speaks_of_it(open_corpus: Open) -> None:
    key = KeyRule(keys=("cook time",))
    column = Attribute(name="cook_time", type="number", unit="min", extractors=(key,))
    texts = [f"Cook time: {n} min" for n in (7, 8, 9, 10)] + ["It takes 35 minutes to cook."] * 2
    answer = ask(open_corpus(texts, [column]), "How many boats have no cook time?")
    assert answer.refused
    assert "2 more speak of it" in answer.text


def test_a_column_that_the_others_are_silent_about_is_answered(open_corpus: Open) -> None:
    texts = [f"Length: {n} m" for n in (7, 8, 9, 10)] + ["She lies in the north basin."] * 4
    answer = ask(open_corpus(texts, [_length()]), LENGTH)
    assert answer.rows == ((8.5,),)


def test_words_without_an_amount_do_not_speak_of_a_number(open_corpus: Open) -> None:
    texts = [f"Length: {n} m" for n in (7, 8)] + ["Her length is not for publication."] * 4
    assert ask(open_corpus(texts, [_length()]), LENGTH).rows == ((7.5,),)


def test_an_amount_in_the_unit_of_the_column_speaks_of_it(open_corpus: Open) -> None:
    texts = [f"Length: {n} m" for n in (7, 8)] + ["From bow to stern: 12 m."] * 4
    assert "4 more speak of it" in ask(open_corpus(texts, [_length()]), LENGTH).text


def test_amounts_that_stand_beside_the_column_anyway_tell_nothing(open_corpus: Open) -> None:
    texts = [f"Length: {n} m\nMoored 300 m from here." for n in (7, 8)]
    texts += ["Moored 400 m from here."] * 4
    assert ask(open_corpus(texts, [_length()]), LENGTH).rows == ((7.5,),)


def test_one_fact_in_two_columns_is_refused_with_both_names(open_corpus: Open) -> None:
    texts = [f"Price: {n} EUR" for n in (70, 80, 90)] + [f"Cost: {n} EUR" for n in (75, 85, 95)]
    attributes = [_number("price", "price", "EUR"), _number("cost", "cost", "EUR")]
    answer = ask(open_corpus(texts, attributes), "What is the average price of the boats?")
    assert "only 3 of 6 documents give price, and 3 others give cost" in answer.text


def test_columns_of_one_unit_that_meet_are_two_facts(open_corpus: Open) -> None:
    texts = [f"Price: {n} EUR\nFee: {n} EUR" for n in (70, 80)] + ["Price: 90 EUR"] * 2
    attributes = [_number("price", "price", "EUR"), _number("fee", "fee", "EUR")]
    answer = ask(open_corpus(texts, attributes), "What is the average fee of the boats?")
    assert answer.rows == ((75.0,),)


def test_amounts_in_several_currencies_are_not_added(open_corpus: Open) -> None:
    texts = ["Price: 70 EUR", "Price: 80 EUR", "Price: 90 GBP"]
    answer = ask(
        open_corpus(texts, [_number("price", "price", "EUR")]),
        "What is the average price of the boats?",
    )
    assert "price is stated in several units, EUR (2), GBP (1)" in answer.text


def test_few_amounts_in_another_currency_among_bare_ones_are_let_pass(open_corpus: Open) -> None:
    texts = [f"Price: {n}" for n in range(60, 69)] + ["Price: 70 EUR", "Price: 80 GBP"]
    corpus = open_corpus(texts, [_number("price", "price", None)])
    assert ask(corpus, "What is the highest price of the boats?").rows == ((80.0,),)


def test_a_facility_that_prose_speaks_of_is_not_counted_from_lists_alone(
    open_corpus: Open,
) -> None:
    texts = ["Aboard:\n\n- radar\n- heating"] * 3
    texts += ["A dry and comfortable ship, whose radar was new two years ago."] * 3
    radar = Attribute(
        name="radar", type="boolean", absent_means="false", extractors=(ItemRule(items=("radar",)),)
    )
    answer = ask(open_corpus(texts, [radar]), "How many boats have a radar?")
    assert "only 3 of 6 documents give radar, and 3 more speak of it" in answer.text


def _radar(*items: str, signs: tuple[str, ...] = ()) -> Attribute:
    rule = ItemRule(items=items or ("radar",), sections=("aboard",), signs=signs)
    return Attribute(name="radar", type="boolean", extractors=(rule,))


def _boat(harbour: str, *aboard: str, length: int = 10) -> str:
    listed = "".join(f"- {thing}\n" for thing in aboard)
    return f"Harbour: {harbour}\nLength: {length} m\n\nAboard:\n\n{listed}"


HARBOUR = Attribute(name="harbour", type="string", extractors=(KeyRule(keys=("harbour",)),))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        pytest.param("How many boats have a radar?", None, id="two more may"),
        pytest.param("How many boats in Rannow have a radar?", None, id="one of them there"),
        pytest.param("How many boats in Olm have a radar?", 3, id="none of them there"),
        pytest.param("Which harbour has the most boats with a radar?", "Olm", id="three to two"),
        pytest.param("Which harbour has the most boats without a radar?", None, id="two to two"),
        pytest.param(
            "What is the longest length of the boats with a radar?", 14.0, id="both are shorter"
        ),
        pytest.param("What is the average length of the boats with a radar?", None, id="moved"),
    ],
)
def test_a_gap_that_cannot_change_the_answer_is_no_doubt(
    open_corpus: Open, question: str, answer: float | str | None
) -> None:
    boats = [_boat("Olm", "radar", "oars", length=10 + n) for n in (2, 3, 4)]
    boats += [_boat("Rannow", "radar", "oars"), _boat("Rannow", "dish of the radar", length=9)]
    boats += [_boat("Rannow", "oars"), _boat("Sund", "dish of the radar", length=9)]
    boats += [_boat("Sund", "oars")]
    found = ask(open_corpus(boats, [HARBOUR, _radar(), _length()]), question)
    if answer is None:
        assert "only 6 of 8 documents give radar, and 2 more speak of it" in found.text
    else:
        assert found.rows == ((answer,),)


def test_a_question_for_what_is_stated_is_not_settled_by_the_gaps(open_corpus: Open) -> None:
    texts = [f"Length: {n} m" for n in (7, 8, 9)] + ["She has a length of some 12 m."]
    corpus = open_corpus(texts, [_length()])
    for question in ("How many boats do not mention a length?", "How many boats mention a length?"):
        assert "only 3 of 4 documents give length" in ask(corpus, question).text


def test_what_one_record_states_is_told_whatever_the_others_lack(open_corpus: Open) -> None:
    texts = [f"Boat: {name}\nLength: {n} m" for n, name in enumerate(("Ada", "Bea", "Cleo"), 7)]
    texts += [f"Boat: {name}\nShe has a length of some 12 m." for name in ("Dora", "Emma")]
    boat = Attribute(name="boat", type="string", extractors=(KeyRule(keys=("boat",)),))
    corpus = open_corpus(texts, [boat, _length()])
    assert ask(corpus, LENGTH).refused
    assert ask(corpus, "What is the length of Bea?").rows == ((8.0,),)
    assert ask(corpus, "What is the length of Dora?").refused


def test_a_word_that_hardly_stands_without_a_thing_speaks_of_it(open_corpus: Open) -> None:
    boats = [_boat("Olm", "radar")] * 3 + [_boat("Olm", "antenna mast")]
    corpus = open_corpus(boats, [HARBOUR, _radar("radar", "antenna set", signs=("antenna",))])
    answer = ask(corpus, "How many boats have a radar?")
    assert "only 3 of 4 documents give radar, and 1 more speak of it" in answer.text


def test_the_most_common_value_is_not_told_while_one_document_speaks_of_it(
    open_corpus: Open,
) -> None:
    texts = [f"Harbour: {name}" for name in ("Olm", "Rann") * 6] + ["Harbour: Olm", "Off Rann."]
    answer = ask(open_corpus(texts, [HARBOUR]), "Which harbour has the most boats?")
    assert "only 13 of 14 documents give harbour, and 1 more speak of it" in answer.text


def test_sentences_with_the_word_and_a_number_cast_doubt(open_corpus: Open) -> None:
    rule = SlotRule(value_type="number", weights={">!crew": 5.0, "~crew": 1.0}, threshold=5.0)
    texts = [f"She sails with {n} crew." for n in (3, 4, 5)] + ["Of the crew of 1901, 9 died."] * 2
    crew = Attribute(name="crew", type="integer", extractors=(rule,))
    answer = ask(open_corpus(texts, [crew]), "What is the average crew of the boats?")
    assert "only 3 of 5 documents give crew, and 2 more speak of it" in answer.text


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Her price was SEK 9000.", "2 more speak of it in SEK"),
        ("In 1990 her price was 90000 SEK or ¥9000.", "2 more speak of it in JPY or SEK"),
        ("Her price was £ 1, all said.", "2 more speak of it in words that were not read"),
    ],
)
def test_a_price_in_another_currency_is_refused_for_that(
    open_corpus: Open, said: str, told: str
) -> None:
    texts = [f"Price: £{n}" for n in (7, 8, 9, 10)] + [said] * 2
    answer = ask(open_corpus(texts, [_number("price", "price", "GBP")]), "What is the mean price?")
    assert f"only 4 of 6 documents give price, and {told};" in answer.text


@pytest.mark.parametrize(
    ("question", "more", "told"),
    [
        ("What is the average price?", ", a scone £{}.50", False),
        ("What is the average tea price?", ", a scone £{}.50", True),
        ("What is the average price?", ", and £{}.50 was left to the waiter", True),
        ("What is the average price?", ", a scone is £{}.50", True),
    ],
)
def test_a_verb_of_several_amounts_means_none_of_them(
    open_corpus: Open, question: str, more: str, *, told: bool
) -> None:
    rule = SlotRule(value_type="money", weights={"<!cost": 5.0, "~tea": 1.0}, threshold=5.0)
    tea = Attribute(name="tea_price", type="number", unit="GBP", extractors=(rule,))
    texts = [f"A pot of tea costs £{n}{more.format(n)}." for n in (3, 4, 5)]
    answer = ask(open_corpus(texts, [tea]), question)
    assert answer.rows == ((4.0,),) if told else answer.refused
    assert told or "tea_price is one of several amounts, as in “A pot of tea" in answer.text


@pytest.mark.parametrize(
    "said", ["She has no cabin.", "She has a single cabin.", "Cabins are not to be had."]
)
def test_what_is_counted_is_spoken_of_without_a_digit(open_corpus: Open, said: str) -> None:
    rule = SlotRule(value_type="number", weights={">!cabin": 5.0, "~cabin": 1.0}, threshold=5.0)
    texts = [f"She has {n} cabins." for n in (3, 4, 5)] + [said] * 2
    cabins = Attribute(name="cabins", type="integer", extractors=(rule,))
    answer = ask(open_corpus(texts, [cabins]), "What is the average number of cabins?")
    assert "only 3 of 5 documents give cabins, and 2 more speak of it" in answer.text


def test_an_amount_of_which_documents_say_none_is_not_averaged_without_them(
    open_corpus: Open,
) -> None:
    rule = SlotRule(value_type="money", weights={">due": 5.0, "~due": 1.0}, threshold=5.0)
    texts = [f"{n}0 EUR is due." for n in range(2, 30)] + ["We agree with you. Nothing is due."]
    due = Attribute(name="due", type="number", unit="EUR", extractors=(rule,))
    corpus = open_corpus(texts, [due])
    for question in ("What is the average due?", "What is the lowest due?"):
        answer = ask(corpus, question)
        assert "only 28 of 29 documents give due, and 1 more speak of it" in answer.text
    assert ask(corpus, "What is the total due?").rows  # to which nothing adds nothing


def test_the_part_of_a_name_that_a_question_says_speaks_of_the_column(open_corpus: Open) -> None:
    rule = SlotRule(value_type="number", weights={">!cabin": 5.0, "~deck": 1.0}, threshold=5.0)
    texts = [f"She has {n} cabins on deck." for n in (3, 4, 5)] + ["There is a single cabin."] * 2
    cabins = Attribute(name="cabins_on_deck", type="integer", extractors=(rule,))
    answer = ask(open_corpus(texts, [cabins]), "What is the average number of cabins?")
    assert "only 3 of 5 documents give cabins_on_deck, and 2 more speak of it" in answer.text


def test_the_word_of_the_question_speaks_of_a_column_that_has_another_one(
    open_corpus: Open,
) -> None:
    rule = SlotRule(value_type="money", weights={"<!cost": 5.0, "~cost": 1.0}, threshold=5.0)
    texts = [f"Last year she still cost {n}00 EUR." for n in (3, 4, 5)]
    texts += ["The price is 900 pounds." for _ in "ab"]
    cost = Attribute(name="still_cost", type="integer", unit="EUR", extractors=(rule,))
    answer = ask(open_corpus(texts, [cost]), "What is the highest price?")
    assert "only 3 of 5 documents give still_cost, and 2 more speak of it" in answer.text


def test_values_of_a_text_column_speak_of_it(open_corpus: Open) -> None:
    texts = ["Harbour: Olm", "Harbour: Rannow", "Harbour: Rannow"]
    texts += ["She is at home in Rannow."] * 3
    harbour = Attribute(name="harbour", type="string", extractors=(KeyRule(keys=("harbour",)),))
    answer = ask(open_corpus(texts, [harbour]), "How many boats are in Rannow?")
    assert "3 more speak of it" in answer.text


def test_half_a_name_that_another_label_has_as_well_is_asked_back(open_corpus: Open) -> None:
    fee = _number("fee_agreed", "fee agreed", "EUR")
    texts = [f"Fee agreed: {n}0 EUR\nFee paid: {n}5 EUR\nLength: {n} m" for n in (7, 8, 9)]
    corpus = open_corpus([*texts, "Fee agreed: 80 EUR\nFee paid: pending"], [fee, _length()])
    answer = ask(corpus, "What is the average fee of the boats?")
    assert "3 documents give “fee paid” as well as fee_agreed: say which" in answer.text
    assert ask(corpus, "What is the average fee agreed of the boats?").rows == ((80.0,),)
    assert ask(corpus, LENGTH).rows == ((8.0,),)


def test_a_label_without_a_number_or_in_few_documents_is_no_rival(open_corpus: Open) -> None:
    fee = _number("fee_agreed", "fee agreed", "EUR")
    texts = [f"Fee agreed: {n}0 EUR\nFee paid by: the owner" for n in range(11, 31)]
    corpus = open_corpus([*texts, "Fee agreed: 205 EUR\nFee refunded: 7 EUR"], [fee])
    assert ask(corpus, "What is the average fee of the boats?").rows == ((205.0,),)


def test_short_words_are_not_found_inside_others(open_corpus: Open) -> None:
    texts = ["Aboard:\n\n- spa\n- bar"] * 2 + ["There is space for 3 spare anchors."] * 4
    spa = Attribute(
        name="spa", type="boolean", absent_means="false", extractors=(ItemRule(items=("spa",)),)
    )
    assert ask(open_corpus(texts, [spa]), "How many boats have a spa?").rows == ((2,),)


def test_who_has_no_value_is_not_told_while_one_document_speaks_of_it(open_corpus: Open) -> None:
    texts = [f"Length: {n} m" for n in range(5, 15)] + ["She has a length of some 12 m.", "Red."]
    corpus = open_corpus(texts, [_length()])
    assert ask(corpus, LENGTH).rows == ((9.5,),)
    answer = ask(corpus, "How many boats have no length?")
    assert "only 10 of 12 documents give length, and 1 more speak of it" in answer.text


def test_a_bare_year_speaks_of_no_date(open_corpus: Open) -> None:
    texts = [f"Launched: 3 May {year}" for year in (2019, 2020)] + ["Overhauled in 2020."] * 3
    launched = Attribute(name="launched", type="date", extractors=(KeyRule(keys=("launched",)),))
    answer = ask(open_corpus(texts, [launched]), "When was the first boat launched?")
    assert answer.rows == (("2019-05-03",),)


def test_amounts_in_several_currencies_are_not_added_without_a_unit_either(
    open_corpus: Open,
) -> None:
    texts = ["Price: 70 EUR", "Price: 80 EUR", "Price: 90 GBP"]
    corpus = open_corpus(texts, [_number("price", "price", None)])
    assert "in several units" in ask(corpus, "What is the average price of the boats?").text


def test_an_amount_in_another_currency_is_shown_in_its_own(open_corpus: Open) -> None:
    texts = [f"Berth: B{n}\nPrice: £{n}0" for n in range(11, 23)] + ["Berth: B9\nPrice: US$90"]
    berth = Attribute(name="berth", type="string", extractors=(KeyRule(keys=("berth",)),))
    corpus = open_corpus(texts, [berth, _number("price", "price", "GBP")])
    answers = [ask(corpus, f"What is the price of {berth}?") for berth in ("B9", "B12")]
    assert [x.text.partition(":")[0] for x in answers] == ["90 USD", "120 GBP"]
    said = "".join(answers[0].assumptions)
    assert "in doubt, as “US$90”: the document gives it in USD" in said
    assert "in USD, not in" not in said


def test_a_currency_is_of_the_columns_whose_definitions_speak_of_one(open_corpus: Open) -> None:
    texts = [
        f"Currency: {'EUR' if n % 2 else 'NOK'}\nGuests: {n}{n % 2 or ''}0\nTakings: {n}00"
        for n in range(11, 23)
    ]
    rules = {name: (KeyRule(keys=(name,)),) for name in ("currency", "guests", "takings")}
    columns = [
        Attribute(name="currency", type="string", extractors=rules["currency"]),
        Attribute(name="guests", type="integer", extractors=rules["guests"]),
        Attribute(name="takings", type="integer", extractors=rules["takings"]),
    ]
    defined = "What was taken, in the currency of the boat."
    columns_of_model = [*columns[:2], columns[2].model_copy(update={"description": defined})]
    for schema, told in ((columns, ["guests"]), (columns_of_model, ["takings"])):
        corpus = open_corpus(texts, schema)
        sums = {x: f"SELECT sum({x}) FROM boats" for x in ("guests", "takings")}
        said = {x: find_grounds(corpus, read_query(sql, corpus.schema()), corpus.select(sql)).notes
                for x, sql in sums.items()}  # fmt: skip
        assert [x for x, notes in said.items() if any("is in 2 units" in n for n in notes)] == told


def test_pieces_and_weights_are_not_added(open_corpus: Open) -> None:
    texts = [f"Eggs: {n}" for n in (1, 2, 3, 4)] + ["Eggs: 100 g", "Eggs: 150 g", "Eggs: 200 ml"]
    answer = ask(
        open_corpus(texts, [_number("eggs", "eggs", None)]), "What is the average of eggs?"
    )
    assert "eggs is stated in several units, none (4), g (2), ml (1)" in answer.text


def test_a_date_in_the_years_of_the_column_speaks_of_it(open_corpus: Open) -> None:
    texts = [f"Launched: 3 May {year}" for year in (2019, 2020)] + ["Afloat since 4 June 2020."] * 3
    launched = Attribute(name="launched", type="date", extractors=(KeyRule(keys=("launched",)),))
    answer = ask(open_corpus(texts, [launched]), "When was the first boat launched?")
    assert "only 2 of 5 documents give launched, and 3 more speak of it" in answer.text


def test_two_thin_columns_of_like_values_may_be_one_fact(open_corpus: Open) -> None:
    texts = [f"Berth fee: {n} EUR" for n in (70, 80, 90)] + [f"Mooring: {n} EUR" for n in (75, 85)]
    texts += ["Not for hire."] * 3
    attributes = [_number("berth_fee", "berth fee", "EUR"), _number("mooring", "mooring", "EUR")]
    answer = ask(open_corpus(texts, attributes), "What is the average mooring of the boats?")
    assert "only 2 of 8 documents give mooring, and 3 others give berth_fee" in answer.text


def test_the_words_that_the_question_asks_for_speak_of_the_column(open_corpus: Open) -> None:
    texts = ["Harbour: Olm East", "Harbour: Olm West", "Harbour: Rannow", "Moored in Olm."]
    harbour = Attribute(name="harbour", type="string", extractors=(KeyRule(keys=("harbour",)),))
    answer = ask(open_corpus(texts, [harbour]), "How many boats are in Olm?")
    assert "only 3 of 4 documents give harbour, and 1 more speak of it" in answer.text


WORDED_ANEW = ("Length", "Hull", "From bow to stern", "Long", "Reach", "Extent")


def _bare(key: str) -> Attribute:
    return _number(key.lower().replace(" ", "_"), key.lower(), None)


def test_a_rare_column_among_rare_columns_is_refused(open_corpus: Open) -> None:
    texts = [f"{WORDED_ANEW[n % 6]}: {n + 5}" for n in range(24)]
    corpus = open_corpus(texts, [_bare(key) for key in WORDED_ANEW])
    assert "only 4 of 24 documents give length, and 4 others give" in ask(corpus, LENGTH).text


def test_a_rare_field_of_a_form_is_answered(open_corpus: Open) -> None:
    texts = [f"Hull: {n}\nReach: {n}" + (f"\nLength: {n}" if n < 3 else "") for n in range(24)]
    corpus = open_corpus(texts, [_bare(key) for key in ("Hull", "Reach", "Length")])
    assert ask(corpus, LENGTH).rows == ((1.0,),)


@pytest.mark.parametrize("n_others", [0, 8])
def test_one_fact_under_labels_of_two_languages_is_refused(
    open_corpus: Open, n_others: int
) -> None:
    told = ("yes", "yes", "no")
    texts = [f"Insured: {told[n % 3]}\nCatch: {n}000 g\nPaint: dark red" for n in range(1, 10)]
    texts += [f"Versichert: {told[n % 3]}\nFang: {n} kg\nAnstrich: rot" for n in range(1, 9)]
    texts += ["Neither."] * n_others
    kinds = {"insured": "boolean", "versichert": "boolean", "paint": "string", "anstrich": "string"}
    columns = [
        Attribute.model_validate(
            {"name": name, "type": kind, "extractors": [{"kind": "key", "keys": [name]}]}
        )
        for name, kind in kinds.items()
    ]
    columns += [_number("catch", "catch", "g"), _number("fang", "fang", "kg")]
    corpus = open_corpus(texts, columns)
    for asked, name, other in (
        ("How many boats are insured?", "insured", "versichert"),
        ("What is the highest catch?", "catch", "fang"),
        ("How many boats have a dark red paint?", "paint", "anstrich"),
    ):
        answer = ask(corpus, asked)
        said = f"only 9 of {17 + n_others} documents give {name}, and 8 others give {other}, which"
        assert answer.refused
        assert f"{said} may be the same fact" in answer.text


def test_an_age_with_its_unit_and_one_without_may_be_one_fact(open_corpus: Open) -> None:
    texts = [f"Age: {n + 3}" for n in range(9)] + [f"Age of hull: {n + 3} years" for n in range(9)]
    attributes = [_number("age", "age", None), _number("age_of_hull", "age of hull", "year")]
    answer = ask(open_corpus(texts, attributes), "What is the average age of the boats?")
    assert "9 others give age_of_hull" in answer.text or "9 more speak of it" in answer.text


def test_an_amount_of_values_of_which_one_is_contradicted_has_bounds(open_corpus: Open) -> None:
    texts = [f"Length: {n} m" for n in range(5, 16)] + [_told_twice(7, 9)]
    corpus = open_corpus(texts, [_length()])
    answer = ask(corpus, "What is the median length of the boats?")
    assert (answer.rows, answer.bounds) == (((9.5,),), Bounds(9.5, 10.5, (5, 15)))
    answer = ask(corpus, LENGTH)
    assert (answer.rows, answer.bounds) == (((117 / 12,),), Bounds(115 / 12, 125 / 12, (5, 15)))
    assert answer.denominator is not None
    assert render_denominator(answer.denominator) == (
        "Over all 12 documents; length: 12 used (1 of them in doubt, as good as unsaid)."
    )


def test_a_count_by_a_contradicted_value_has_bounds(open_corpus: Open) -> None:
    texts = [f"Length: {n} m" for n in range(5, 16)] + [_told_twice(7, 9)]
    corpus = open_corpus(texts, [_length()])
    answer = ask(corpus, "How many boats have a length above 6 m?")
    assert (answer.rows, answer.bounds) == (((10,),), Bounds(9, 10))


def test_what_is_contradicted_is_refused_where_no_bounds_are_worked_out(open_corpus: Open) -> None:
    keys = (KeyRule(keys=("harbour",)),)
    harbour = Attribute(name="harbour", type="string", extractors=keys)
    texts = [f"Harbour: {'Olm' if n < 9 else 'Rann'}\nLength: {n} m" for n in range(5, 16)]
    corpus = open_corpus([*texts, f"Harbour: Olm\n{_told_twice(7, 9)}"], [_length(), harbour])
    answer = ask(corpus, "What is the average length of the boats per harbour?")
    assert "1 of 12 values of length are in doubt, and" in answer.text


@pytest.mark.parametrize("n_silent", [2, 3])
def test_what_leads_is_refused_where_many_do_not_say_by_what(
    open_corpus: Open, n_silent: int
) -> None:
    texts = [f"Harbour: {'Olm' if n < 9 else 'Rann'}\nLength: {n} m" for n in range(5, 15)]
    texts += ["Harbour: Rann"] * n_silent
    corpus = open_corpus(texts, [_length(), HARBOUR])
    for asked in (
        "Which harbour has the highest average length?",
        "What is the average length of the boats per harbour?",
        "Which harbour has the boat with the highest length?",
    ):
        answer = ask(corpus, asked)
        assert answer.refused is (n_silent == 3), asked
        assert ("only 10 of 13 documents say length, and " in answer.text) is (n_silent == 3)


def _told_twice(n: int, again: int) -> str:
    return f"Length: {n} m\n\nMoored\n\nLength: {again} m"


@pytest.mark.parametrize(
    ("odd", "ends"),
    [
        pytest.param(_told_twice(90, 9), "the 0 lowest and 1 highest", id="highest"),
        pytest.param(_told_twice(1, 9), "the 1 lowest and 0 highest", id="lowest"),
    ],
)
def test_the_longest_is_not_told_where_an_end_of_the_column_is_contradicted(
    open_corpus: Open, odd: str, ends: str
) -> None:
    corpus = open_corpus([*(f"Length: {n} m" for n in range(5, 16)), odd], [_length()])
    answer = ask(corpus, "What is the highest length of the boats?")
    assert answer.refused
    assert f"of length, {ends} values are in doubt, as “" in answer.text


def test_one_value_that_returns_far_from_all_others_may_mean_none(open_corpus: Open) -> None:
    built = Attribute(name="built", type="date", extractors=(KeyRule(keys=("built",)),))
    texts = [f"Length: {n} m\nBuilt: {2000 + n}-05-01" for n in range(5, 17)]
    corpus = open_corpus([*texts, *["Length: 999 m\nBuilt: 1900-01-01"] * 3], [_length(), built])
    for asked, ends in (
        ("What is the highest length of the boats?", "length, the 0 lowest and 3 highest"),
        ("What is the average length of the boats?", "length, the 0 lowest and 3 highest"),
        ("What is the earliest built of the boats?", "built, the 3 lowest and 0 highest"),
    ):
        assert f"of {ends} values are in doubt, as “" in ask(corpus, asked).text
    answer = ask(corpus, "How many boats are longer than 10 m?")
    assert (answer.rows, answer.bounds) == (((9,),), Bounds(6, 9))


@pytest.mark.parametrize(
    ("odd", "ends"),
    [
        (["-999"], "1 lowest and 0 highest"),
        (["9999", "9999"], "0 lowest and 2 highest"),
        (["-99", "9999"], "1 lowest and 1 highest"),
        (["-1", "-1"], "2 lowest and 0 highest"),  # the only one below 0, and more than any other
        (["-1"], ""),
        (["-1", "-2", "-1"], ""),
        (["99"], ""),  # as long as the others, and once: it may be one
        (["1200"], ""),  # no number that is typed for want of one
    ],
)
def test_what_is_longer_than_any_and_typed_for_want_of_a_value_may_mean_none(
    open_corpus: Open, odd: list[str], ends: str
) -> None:
    texts = [f"Length: {n} m" for n in (*range(10, 30), *odd)]
    answer = ask(open_corpus(texts, [_length()]), LENGTH)
    assert answer.refused == bool(ends)
    assert ends in answer.text


def test_the_longest_is_told_where_a_middle_value_is_contradicted(open_corpus: Open) -> None:
    texts = [*(f"Length: {n} m" for n in range(5, 16)), _told_twice(7, 9)]
    answer = ask(open_corpus(texts, [_length()]), "What is the highest length of the boats?")
    assert answer.rows == ((15.0,),)


def test_a_column_of_which_many_values_are_contradicted_is_refused(open_corpus: Open) -> None:
    texts = [f"Length: {n} m" for n in (5, 6)] + [_told_twice(n, n + 9) for n in (7, 8)]
    answer = ask(open_corpus(texts, [_length()]), LENGTH)
    assert answer.refused
    assert "2 of 4 values of length are in doubt, as “" in answer.text


def test_a_rule_that_only_finds_a_word_answers_nothing(open_corpus: Open) -> None:
    mention = {"kind": "mention", "stems": ["insur"]}
    insured = Attribute.model_validate(
        {"name": "insured", "type": "boolean", "absent_means": "false", "extractors": [mention]}
    )
    corpus = open_corpus(["She is insured.", "An insurer wrote.", "Red."], [insured])
    answer = ask(corpus, "How many boats are insured?")
    assert answer.refused
    assert "insured only tells that a word occurs" in answer.text


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory, worker: QueryPool) -> dict[str, Corpus]:
    """Tables whose amounts have their units in another column: one beside, one called so, money."""
    kinds = (("lead", "µg/l", "EUR"), ("iron", "mg/l", "CHF"), ("heat", "°C", "EUR"))
    written = {
        "samples": "Well,Kind,Level,Unit,Depth",
        "probes": "Well,Kind,Level value,Depth,Level unit",
        "trips": "Town,Kind,Persons,Fare,Hotel,Currency",
    }
    found = {}
    for name, header in written.items():
        folder = tmp_path_factory.mktemp(name) / name
        folder.mkdir()
        rows = [header]
        for n in range(12):
            kind, unit, money = kinds[n % 3]
            cells = {
                "samples": (kind, n + 0.5, unit, n * 3),
                "probes": (kind, n + 0.5, n * 3, unit),
                "trips": (kind, n, n + 0.5, n + 9.25, money),
            }[name]
            rows.append(",".join(map(str, (f"{'ABCDEFGHIJKL'[n]}ord", *cells))))
        (folder / f"{name}.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
        ingest(folder, Settings(workers=1))
        found[name] = Corpus(folder, worker)
    return found


@pytest.mark.parametrize(
    ("name", "sql", "mixed"),
    [
        ("samples", "SELECT avg(level) FROM samples", {"level": 3}),
        ("samples", "SELECT avg(depth) FROM samples", {}),
        ("samples", "SELECT avg(level) FROM samples WHERE kind = 'iron'", {}),
        ("samples", "SELECT avg(level) FILTER (kind <> 'iron') FROM samples", {"level": 2}),
        ("samples", "SELECT kind, max(level) FROM samples GROUP BY 1 ORDER BY 2 DESC",
         {"level": 3}),
        ("samples", "SELECT kind, any_value(unit), max(level) FROM samples GROUP BY 1", {}),
        ("samples", "SELECT (SELECT avg(level) FROM samples WHERE kind = 'iron')"
         " - (SELECT avg(level) FROM samples WHERE kind = 'lead')", {"level": 2}),
        ("samples", "SELECT avg(level) FILTER (kind = 'iron') - avg(level) FILTER (kind = 'heat')"
         " FROM samples", {"level": 2}),
        ("trips", "SELECT (SELECT avg(fare) FROM trips WHERE kind = 'lead')"
         " - (SELECT avg(fare) FROM trips WHERE kind = 'heat')", {}),
        ("samples", "SELECT kind, max(s.level) FROM samples s GROUP BY ALL"
         " ORDER BY max(s.level) LIMIT 1", {"level": 3}),
        ("samples", "SELECT well FROM samples ORDER BY level DESC LIMIT 1", {"level": 3}),
        ("samples", "WITH a AS (FROM samples WHERE depth > 3) SELECT sum(level) FROM a",
         {"level": 3}),
        ("samples", "SELECT count(level) FROM samples", {}),
        ("samples", "SELECT unit, sum(level) FROM samples GROUP BY unit", {}),
        ("probes", "SELECT avg(level_value) FROM probes", {"level_value": 3}),
        ("probes", "SELECT avg(depth) FROM probes", {}),
        ("trips", "SELECT sum(fare) FROM trips", {"fare": 2}),
        ("trips", "SELECT max(hotel) FROM trips", {"hotel": 2}),
        ("trips", "SELECT sum(persons) FROM trips", {}),
    ],
)  # fmt: skip
def test_amounts_whose_units_stand_in_another_column_are_not_put_together_unsaid(
    tables: dict[str, Corpus], name: str, sql: str, mixed: dict[str, int]
) -> None:
    corpus = tables[name]
    found = find_grounds(corpus, read_query(sql, corpus.schema()), corpus.select(sql)).notes
    unit = {"samples": "unit", "probes": "level_unit", "trips": "currency"}[name]
    assert dict.fromkeys(found) == {
        f"{column} is in {count} units, which {unit} tells: say of which": None
        for column, count in mixed.items()
    }


def test_a_question_that_leaves_the_unit_open_is_refused(tables: dict[str, Corpus]) -> None:
    refused = ask(tables["trips"], "What is the total fare?")
    assert refused.refused
    assert "fare is in 2 units, which currency tells" in refused.text
    assert ask(tables["trips"], "What is the total fare in CHF?").rows == ((24.0,),)


@pytest.fixture(scope="module")
def ferries(tmp_path_factory: pytest.TempPathFactory, worker: QueryPool) -> Corpus:
    """Whole amounts in euros and kronor among other numbers, of which one is beside the unit."""
    folder = tmp_path_factory.mktemp("kronor") / "ferries"
    folder.mkdir()
    rows = ["Ferry,Rating,Price,Deposit,Guests,Currency,Hours"]
    for n in range(12):
        money, of = ("EUR", 1) if n % 2 else ("SEK", 11)
        cells = (n % 5 + 1, (30 + n) * of, (6 + n) * of, 40 + n, money, n % 7 + 1)
        rows.append(",".join(map(str, (f"{'ABCDEFGHIJKL'[n]}ord", *cells))))
    (folder / "ferries.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    ingest(folder, Settings(workers=1))
    return Corpus(folder, worker)


@pytest.mark.parametrize(
    ("column", "is_money"),
    [("price", True), ("deposit", True), ("rating", False), ("guests", False), ("hours", False)],
)
def test_what_grows_with_the_currency_as_prices_do_is_money_and_nothing_else(
    ferries: Corpus, column: str, *, is_money: bool
) -> None:
    answer = ask(ferries, f"What is the average {column}?")
    assert answer.refused is is_money
    assert ("2 units" in answer.text) is is_money


@pytest.fixture(scope="module")
def invoices(tmp_path_factory: pytest.TempPathFactory, worker: QueryPool) -> Corpus:
    """Documents that say the currency of their total alone."""
    folder = tmp_path_factory.mktemp("bare") / "invoices"
    folder.mkdir()
    for n, net in enumerate((100, 250, 80, 400, 60, 900, 120, 310)):
        money = "CHF" if n in {3, 5} else "EUR"
        text = f"Number: {100 + n}\nPersons: {n + 2}\nRating: {3 + n / 10}\nSubtotal: {net:.2f}\n"
        text += f"Total: {money} {net * 1.19:.2f}\n"
        (folder / f"{n}.txt").write_text(f"INVOICE\n{text}", encoding="utf-8")
    ingest(folder, Settings(workers=1))
    return Corpus(folder, worker)


def test_bare_sums_are_in_the_currency_of_the_others_of_their_document(invoices: Corpus) -> None:
    refused = ask(invoices, "What is the sum of subtotal?")
    assert refused.refused
    assert "subtotal is in 2 units, which total tells: say of which" in refused.text
    assert ask(invoices, "What is the sum of persons?").rows == ((44,),)
    assert not ask(invoices, "What is the average rating?").refused


@pytest.fixture(scope="module")
def orders(tmp_path_factory: pytest.TempPathFactory, worker: QueryPool) -> Corpus:
    """Records that say the currency of what they list."""
    folder = tmp_path_factory.mktemp("listed") / "orders"
    folder.mkdir()
    rows = [
        {
            "order": n,
            "currency": ("EUR", "USD")[n % 2],
            "items": [
                {"item": f"{x}{n}", "pieces": n, "price": n + 0.5} for x in "ab"[: 1 + n % 2]
            ],
        }
        for n in range(1, 9)
    ]
    (folder / "orders.json").write_text(json.dumps(rows), encoding="utf-8")
    ingest(folder, Settings(workers=1))
    return Corpus(folder, worker)


@pytest.mark.parametrize(
    ("sql", "mixed"),
    [
        ("SELECT sum(price) FROM orders_items", True),
        ("SELECT sum(pieces) FROM orders_items", False),
        ("SELECT sum(price) FROM orders_items WHERE document_id IN"
         " (SELECT document_id FROM orders WHERE currency = 'USD')", False),
        ("SELECT currency, sum(price) FROM orders_items JOIN orders USING (document_id)"
         " GROUP BY currency", False),
        ("SELECT sum(i.price) FROM orders o JOIN orders_items i USING (document_id)", True),
        ("SELECT sum(i.price) FROM orders o JOIN orders_items i USING (document_id)"
         " WHERE o.currency = 'USD'", False),
        ("SELECT sum(i.price) FROM orders_items i JOIN orders o USING (document_id)"
         " WHERE o.currency = 'USD' AND i.price > 2", False),
        ("SELECT o.currency, max(i.price) FROM orders AS o JOIN orders_items AS i"
         " ON o.document_id = i.document_id GROUP BY 1", False),
        ("WITH a AS (SELECT * FROM orders_items WHERE pieces > 2)"
         " SELECT avg(a.price) FROM orders JOIN a USING (document_id)", True),
        ("SELECT count(*) FROM orders o JOIN orders_items i USING (document_id)"
         " WHERE i.price > 5", True),
    ],
)  # fmt: skip
def test_what_documents_list_is_in_the_unit_of_the_document(
    orders: Corpus, sql: str, *, mixed: bool
) -> None:
    found = find_grounds(orders, read_query(sql, orders.schema()), orders.select(sql)).notes
    assert ("price is in 2 units, which currency tells: say of which" in found) == mixed


def test_a_sum_of_what_documents_list_in_several_units_is_refused(orders: Corpus) -> None:
    refused = ask(orders, "What is the average price of the items?")
    assert refused.refused
    assert "price is in 2 units, which currency tells" in refused.text


@pytest.fixture(scope="module")
def said_above(tmp_path_factory: pytest.TempPathFactory, worker: QueryPool) -> dict[str, Corpus]:
    """Documents that say the currency of all of their amounts, in whole ones and with decimals."""
    found = dict[str, Corpus]()
    for name, cents in (("bills", ".50"), ("fares", "")):
        folder = tmp_path_factory.mktemp("above") / name
        folder.mkdir()
        for n in range(8):
            said = ("All amounts in CHF", "Alle Beträge in €")[n % 2]
            text = f"{said}\n\nGuest: {'ABCDEFGH'[n]}orn\nTotal: {120 + 17 * n}{cents}\n"
            (folder / f"{n}.txt").write_text(text, encoding="utf-8")
        ingest(folder, Settings(workers=1))
        found[name] = Corpus(folder, worker)
    return found


def test_amounts_are_in_the_currency_that_their_document_says_of_all(
    said_above: dict[str, Corpus],
) -> None:
    asked = "What is the sum of total?"
    refused = ask(said_above["bills"], asked)
    assert refused.refused
    assert "total is in 2 units, which their documents tell" in refused.text
    # whole numbers may be no money
    answer = ask(said_above["fares"], asked)
    assert answer.rows == ((1436,),)
    assert answer.assumptions == ("total may be in 2 units, which their documents tell",)


@pytest.mark.parametrize(
    ("column", "other", "told"),
    [
        ("type", "credit note", True),
        ("sort", "invoice", True),
        ("place", "Bonn", False),
    ],
)
def test_a_sum_over_kinds_that_a_column_tells_says_so(
    tmp_path: Path, worker: QueryPool, column: str, other: str, *, told: bool
) -> None:
    folder = tmp_path / "invoices"
    folder.mkdir()
    rows = [f"n{n},{('Ulm', other)[n % 3 == 0]},{n}.50" for n in range(12)]
    text = "\n".join((f"number,{column},total", *rows, ""))
    (folder / "all.csv").write_text(text, encoding="utf-8")
    ingest(folder, Settings(workers=1))
    corpus = Corpus(folder, worker)
    said = (f"total is taken over 2 kinds of {column}",) * told
    assert ask(corpus, "What is the sum of total?").assumptions == said
    of_one = f"SELECT sum(total) FROM invoices WHERE {column} = 'Ulm'"
    assert ask(corpus, "What is the average total?").assumptions == said
    for sql, notes in ((of_one, ()), ("SELECT max(total) FROM invoices", said)):
        query = read_query(sql, corpus.schema())
        assert find_grounds(corpus, query, corpus.select(sql)).notes == notes


@pytest.mark.parametrize(("sign", "told"), [("-", False), ("", True)])
def test_a_sum_over_kinds_says_so_where_no_minus_tells_them_apart(
    tmp_path: Path, worker: QueryPool, sign: str, *, told: bool
) -> None:
    folder = tmp_path / "invoices"
    folder.mkdir()
    rows = ["1,invoice,40", "2,credit note,-7", "3,invoice,50", f"4,credit note,{sign}8"]
    (folder / "all.csv").write_text("\n".join(("number,kind,total", *rows, "")), encoding="utf-8")
    ingest(folder, Settings(workers=1))
    answer = ask(Corpus(folder, worker), "What is the sum of total?")
    assert answer.assumptions == ("total is taken over 2 kinds of kind",) * told


@pytest.mark.parametrize(
    ("headings", "lines", "note"),
    [
        (("2024", "2023"), ("Cost: €{}00", "Staff: {}"), "cost is taken over 2 kinds of heading"),
        (("Plan", "Result"), ("Cost: {}", "Staff: {}"), "cost is taken over 2 kinds of heading"),
        (
            ("Income", "Expenses"),
            ("| Post | Cost | Bills |\n|---|---|---|\n| Rent | {}00 | 3 |\n| Power | 2{} | {} |",),
            "cost is taken over 2 kinds of heading",
        ),
        (
            ("Accounts",),
            ("| Year | Cost | Bills |\n|---|---|---|\n| 2022 | {}00 | 3 |\n| 2023 | 2{} | {} |",),
            "cost is added up over 2 values of year, at each of which the same things come again:"
            " what they are then may be no sum",
        ),
        (
            ("Posts",),
            ("| Post | Cost | Bills |\n|---|---|---|\n| Rent | {}00 | 3 |\n| Power | 2{} | {} |",),
            "",
        ),
    ],
)
def test_a_sum_over_what_headings_or_years_keep_apart_says_so(
    tmp_path: Path, worker: QueryPool, headings: Sequence[str], lines: Sequence[str], note: str
) -> None:
    folder = tmp_path / "branches"
    folder.mkdir()
    for n in range(1, 7):
        parts = [
            f"## {heading}\n\n" + "\n".join(line.replace("{}", f"{n + k}") for line in lines)
            for k, heading in enumerate(headings)
        ]
        text = "\n\n".join((f"# Branch {n}", f"Head: H{n}", *parts))
        (folder / f"b{n}.md").write_text(f"{text}\n", encoding="utf-8")
    ingest(folder, Settings(workers=1))
    corpus = Corpus(folder, worker)
    [child] = corpus.schema().children

    def notes(sql: str) -> tuple[str, ...]:
        return find_grounds(corpus, read_query(sql, corpus.schema()), corpus.select(sql)).notes

    assert notes(f"SELECT sum(cost) FROM {child.entity}") == (note,) * bool(note)
    kept = {"heading", "year"} & {item.name for item in child.attributes}
    for name in kept:
        assert notes(f"SELECT {name}, sum(cost) FROM {child.entity} GROUP BY {name}") == ()
    assert bool(kept) == bool(note)


@pytest.mark.parametrize(
    ("day", "rows", "told"),
    [
        (
            "as_of",
            [f"{x},2024-0{m}-01,{n}" for n, x in enumerate(("nut", "gear")) for m in (1, 2, 3)],
            True,
        ),
        (
            "year",
            [f"{x},{m},{n}" for n, x in enumerate(("nut", "gear")) for m in (2001, 2011)],
            True,
        ),
        # a day of one of two things is missing
        ("day", [f"{x},2024-0{m}-28,7" for x in ("nut", "gear") for m in range(1, 8)][:-1], True),
        # each thing once a day by chance, and one of them twice
        ("day", [f"{x},2024-0{m}-01,{m}" for m, x in enumerate(("nut", "gear") * 4, 1)], False),
        ("day", [f"{x},2024-0{m}-01,7" for x in ("nut", "gear", "nut") for m in (1, 2, 3)], False),
        # kinds of things, each with a day of its own
        ("day", [f"{('nut', 'gear')[m % 2]},2024-0{m}-01,7" for m in range(1, 9)], False),
        (
            "day",
            [f"{x},2024-0{m}-01,7" for m, x in enumerate(("nut", "gear") * 4, 1)]
            + ["gear,2024-01-01,7"],
            False,
        ),
    ],
)
def test_a_sum_over_days_says_so_where_each_has_the_same_things(
    tmp_path: Path, worker: QueryPool, day: str, rows: list[str], *, told: bool
) -> None:
    folder = tmp_path / "stores"
    folder.mkdir()
    (folder / "all.csv").write_text("\n".join((f"part,{day},stock", *rows, "")), encoding="utf-8")
    ingest(folder, Settings(workers=1))
    corpus = Corpus(folder, worker)

    def is_told(sql: str) -> bool:
        notes = find_grounds(corpus, read_query(sql, corpus.schema()), corpus.select(sql)).notes
        found = [note for note in notes if "at each of which the same things come again" in note]
        assert len(found) < 2
        return bool(found)

    assert is_told("SELECT sum(stock) FROM stores") is told
    assert is_told("SELECT sum(stock), sum(stock) / 2 FROM stores") is told
    assert is_told("SELECT part, sum(stock) FROM stores GROUP BY part") is told
    for plain in (
        f"SELECT {day}, sum(stock) FROM stores GROUP BY {day}",
        f"SELECT sum(stock) FROM stores WHERE {day} = (SELECT max({day}) FROM stores)",
        "SELECT avg(stock), max(stock) FROM stores",
    ):
        assert not is_told(plain)


def test_one_value_in_another_unit_is_not_added_wherever_it_lies(open_corpus: Open) -> None:
    texts = [f"Rebate: {n}.50 EUR" for n in range(3, 16)] + ["Rebate: 5 %"]
    corpus = open_corpus(texts, [_number("rebate", "rebate", "EUR")])
    refused = ask(corpus, "What is the sum of rebate?")
    assert refused.refused
    assert "rebate is in 2 units, as its values are written" in refused.text


@pytest.mark.parametrize(
    ("question", "told"),
    [("What is the average number of cabins?", False), ("What is the sum of cabins?", True)],
)
def test_a_none_in_a_sentence_is_below_what_was_counted_and_adds_nothing(
    open_corpus: Open, question: str, *, told: bool
) -> None:
    rule = SlotRule(value_type="number", weights={">!cabin": 5.0, "~cabin": 1.0}, threshold=5.0)
    texts = [f"She has {n % 5 + 2} cabins." for n in range(19)] + ["She has no cabins."]
    cabins = Attribute(name="cabins", type="integer", extractors=(rule,))
    answer = ask(open_corpus(texts, [cabins]), question)
    assert answer.refused is not told
    assert told or "19 of 20 documents give cabins, and 1 more speak of it" in answer.text


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Left: {} pounds", ("left is in “pound”, which may be EGP or GBP or lb: say which",)),
        ("Left: {} pounds\nNet: 3 kg", ()),
        ("Left: {} lb", ()),
    ],
)
def test_a_word_for_several_units_is_told_where_no_document_tells_which(
    open_corpus: Open, said: str, told: tuple[str, ...]
) -> None:
    corpus = open_corpus([said.format(n) for n in range(3, 12)], [_number("left", "left", "lb")])
    sql = 'SELECT avg("left") FROM boats'
    assert find_grounds(corpus, read_query(sql, corpus.schema()), corpus.select(sql)).notes == told


def test_a_fee_with_its_sign_says_nothing_of_a_count(tmp_path: Path, worker: QueryPool) -> None:
    folder = tmp_path / "hives"
    folder.mkdir()
    for n in range(12):
        text = f"Hives: {n + 3}\nInspection fee: {'€£'[n % 4 > 0]}{n * 5}\n"
        (folder / f"{n}.txt").write_text(text, encoding="utf-8")
    ingest(folder, Settings(workers=1))
    answer = ask(Corpus(folder, worker), "What is the sum of hives?")
    assert (answer.rows, answer.assumptions) == (((102,),), ())


def test_the_currency_of_an_object_is_that_of_its_amount_alone(
    tmp_path: Path, worker: QueryPool
) -> None:
    folder = tmp_path / "plays"
    folder.mkdir()
    for n in range(12):
        shows = [
            {"tickets": n + k, "takings": {"amount": 90 + n, "currency": ("EUR", "GBP")[k]}}
            for k in range(2)
        ]
        text = json.dumps({"title": f"Play {n}", "shows": shows})
        (folder / f"{n}.json").write_text(text, encoding="utf-8")
    ingest(folder, Settings(workers=1))
    corpus = Corpus(folder, worker)
    answer = ask(corpus, "What is the total of tickets?")
    assert (answer.rows, answer.assumptions) == (((144,),), ())
    assert ask(corpus, "What is the total takings amount?").refused


def test_per_cents_and_what_is_none_are_not_added(open_corpus: Open) -> None:
    texts = [f"Rebate: {n} %" for n in range(3, 9)] + ["Rebate: 12.50"] * 3
    answer = ask(
        open_corpus(texts, [_number("rebate", "rebate", "percent")]), "What is the average rebate?"
    )
    assert "rebate is stated in several units, percent (6), none (3)" in answer.text


def test_an_average_leaves_open_whether_none_is_zero_and_a_sum_does_not(open_corpus: Open) -> None:
    texts = [f"Downtime: {n} h" for n in (2, 3, 4, 5)] + ["Downtime: none"] * 3
    corpus = open_corpus(texts, [_number("downtime", "downtime", "h")])
    refused = ask(corpus, "What is the average downtime of the boats?")
    assert refused.refused
    assert "3 documents say that there is no downtime, which may be 0, or no number" in refused.text
    assert ask(corpus, "What is the total downtime of the boats?").rows == ((14.0,),)
    assert ask(corpus, "How many boats have no downtime?").rows == ((3,),)


LENGTHS = ("3 m", "10 ft", "13.5 ft", "2 m", "4 m", "9 m", "29 ft 6 in", "1 m", "2 m")


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        pytest.param("longer than 3.5 m", 4, id="far from all"),
        pytest.param("longer than 10 ft", 4, id="said so"),
        pytest.param("longer than 8.9 m", 2, id="feet and inches"),
        pytest.param("longer than 3 m", 5, id="beside 10 ft"),
        pytest.param("longer than 4.1 m", 3, id="beside 13.5 ft"),
    ],
)
def test_a_limit_is_compared_with_values_in_another_unit(
    open_corpus: Open, asked: str, expected: int
) -> None:
    corpus = open_corpus([f"Length: {length}" for length in LENGTHS], [_length()])
    answer = ask(corpus, f"How many boats are {asked}?")
    assert (answer.rows, answer.warnings) == (((expected,),), ())


def test_what_figures_state_that_are_no_one_value_is_not_left_out(open_corpus: Open) -> None:
    texts = [f"Length: {length}" for length in ("3 m", "5 m", "4–7 m", "on request", "8 m", "9 m")]
    corpus = open_corpus(texts, [_length()])
    why = "1 document states length in figures that are no one value, as “4–7 m”"
    for question in (
        "How many boats are longer than 4.5 m?",
        "What is the average length of the boats?",
        "What is the highest length of the boats?",
    ):
        refused = ask(corpus, question)
        assert refused.text.startswith(f"Not answered: {why};")


def test_figures_of_records_that_are_not_asked_about_are_no_reason(open_corpus: Open) -> None:
    lengths = ("3 m", "5 m", "4–7 m", "6 m", "8 m", "9 m")
    texts = [f"Length: {x}\nPort: {'Hull' if '–' in x else 'Cork'}" for x in lengths]
    port = Attribute(name="port", type="string", extractors=(KeyRule(keys=("port",)),))
    corpus = open_corpus(texts, [_length(), port])
    assert ask(corpus, "What is the highest length of the boats in Cork?").rows == ((9.0,),)
    refused = ask(corpus, "What is the highest length of the boats in Hull?")
    assert "in figures that are no one value, as “4–7 m”" in refused.text


def test_what_is_stated_in_words_alone_has_no_figure_to_leave_out(open_corpus: Open) -> None:
    texts = [f"Length: {length}" for length in ("3 m", "5 m", "on request", "8 m", "9 m")]
    corpus = open_corpus(texts, [_length()])
    assert ask(corpus, "How many boats are longer than 4.5 m?").rows == ((3,),)


def test_times_in_text_are_put_in_no_order(open_corpus: Open) -> None:
    starts = ("9:30", "10:00", "14:15", "8:00", "2:15 pm", "16:30")
    columns = [
        Attribute(name=name, type="string", extractors=(KeyRule(keys=(name,)),))
        for name in ("start", "boat", "port")
    ]
    texts = [
        f"Boat: {chr(65 + n)}da\nPort: {chr(75 - n)}\nStart: {start}"
        for n, start in enumerate(starts)
    ]
    corpus = open_corpus(texts, columns)
    for asked in ("List the boats sorted by start", "Which boat has the latest start?"):
        assert ask(corpus, asked).refused
    assert not ask(corpus, "List the boats sorted by port").refused
    for sql, is_doubted in (
        ("SELECT MAX(start) FROM boats", True),
        ("SELECT boat FROM boats ORDER BY start", True),
        ("SELECT boat FROM boats WHERE start < '10:00'", True),
        ("SELECT MAX(boat) FROM boats WHERE start = '9:30'", False),
    ):
        found = find_grounds(corpus, read_query(sql, corpus.schema()), corpus.select(sql)).doubts
        said = "start is text and in order as such: “10…” comes before “9…”"
        assert found == ((said,) if is_doubted else ())


def test_years_of_two_digits_are_in_the_century_of_their_column_and_in_no_doubt(
    open_corpus: Open,
) -> None:
    this_year = datetime.now(UTC).year
    days = [f"{n + 6:02}.{n % 12 + 1:02}.{(this_year - 4 * n) % 100:02}" for n in range(20)]
    born = Attribute(name="built", type="date", extractors=(KeyRule(keys=("built",)),))
    corpus = open_corpus([f"Built: {day}" for day in days], [born])
    answer = ask(corpus, f"How many boats were built before {this_year - 39}?")
    assert (answer.rows, answer.bounds, answer.warnings) == (((10,),), None, ())
    assert corpus.statistics(["built"])[0].n_doubted == 0


def test_days_that_are_assumed_answer_only_what_is_the_same_by_their_other_reading(
    open_corpus: Open,
) -> None:
    this_year = datetime.now(UTC).year
    days = ("05/03", "03/05", "01/03", "02/02", "03/04", "07/03")
    texts = [
        f"Booked: {day}/2025\nDue: 14.02.{this_year % 100 + 2 - n}" for n, day in enumerate(days)
    ]
    columns = [
        Attribute(name=name, type="date", extractors=(KeyRule(keys=(name,)),))
        for name in ("booked", "due")
    ]
    corpus = open_corpus(texts, columns)
    ahead = "in this century, though it lies ahead and no other document proves it"
    order = "day before month, which no other document proves"
    for question, expected in (
        ("How many boats were booked in 2025?", 6),
        (
            f"How many boats are due before {this_year - 1}?",
            f"due: days are taken to be {ahead}; else: 4",
        ),
        (
            "How many boats were booked in March 2025?",
            f"booked: days are taken to be {order}; else: 2",
        ),
    ):
        answer = ask(corpus, question)
        said = answer.text.removeprefix("Not answered: ") if answer.refused else answer.rows[0][0]
        assert said == expected
