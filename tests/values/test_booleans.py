"""Yes and no: words and signs in several languages, and statements that deny."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.values.states import (
    State,
    denies,
    find_answers,
    has_denial,
    read_boolean,
    read_missing,
    read_statement,
)


@pytest.mark.parametrize(
    ("text", "said"),
    [("Yes", True), ("JA", True), ("sí", True), ("✓ included", True), ("not included", False),
     ("Nein", False), ("✗", False), ("[ ]", False), ("0", False), ("1", True), ("Pool", None),
     ("", None), ("yes, but", None), ("no smoking", None)],
)  # fmt: skip
def test_a_cell_says_yes_or_no_and_nothing_else(text: str, *, said: bool | None) -> None:
    assert read_boolean(text) is said


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ("Outdoor pool", "", True),
        ("No pool", "", False),
        ("There is no lift", "", False),
        ("Parking: not available", "", False),
        ("kein Aufzug", "", False),
        ("nein (1968 verkauft)", "", False),
        ("Nein, erst 2020", "", False),
        ("ja (zwei Bänder)", "", True),
        ("free, but not available", "", False),
        ("Breakfast not included", "", False),
        ("No smoking", "no_smoking", True),
        ("Non-smoking rooms", "", True),
        ("yes/no", "", None),
        ("maybe", "", None),
        ("partly", "", None),
        ("to be confirmed", "", None),
        ("no information", "", None),
        ("12", "", None),
    ],
)
def test_words_that_name_a_thing_state_it_unless_they_deny_it(
    text: str, name: str, *, said: bool | None
) -> None:
    assert read_statement(text, name) is said


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [("not inspected", "asbestos", None), ("not asked", "smoker", None),
     ("nicht geprüft", "tuv", None), ("no survey done", "asbestos", None),
     ("not tested for lead", "lead", None), ("never measured", "radon", None),
     ("no asbestos found", "asbestos", False), ("not found", "asbestos", False),
     ("there is none", "radon", False), ("not yet", "paid", False), ("not paid", "paid", False),
     ("not all", "insured", None), ("not only", "insured", None),
     ("not always insured", "insured", None), ("not at all insured", "insured", False),
     ("not a member", "member", False), ("not in stock", "in_stock", False),
     ("never", "insured", False), ("no, sold in 1968", "piano", False),
     ("not allowed", "pets", False),
     ("no smoking, not checked", "no_smoking", True), ("not checked", "no_smoking", None)],
)  # fmt: skip
def test_an_answer_denies_only_what_its_label_says(
    text: str, name: str, *, said: bool | None
) -> None:
    assert read_statement(text, name, is_answer=True) is said


@given(st.text(max_size=30), st.text(alphabet="abc_", max_size=10))
def test_what_says_yes_or_no_states_the_same(text: str, name: str) -> None:
    plain = read_boolean(text)
    assert plain is None or read_statement(text, name) is plain


@given(st.sampled_from(["no", "not", "without", "never", "kein", "ohne", "sans", "sin", "senza"]),
       st.text(alphabet="abcdefghij ", min_size=1, max_size=20))  # fmt: skip
def test_whatever_is_denied_first_is_not_there(word: str, thing: str) -> None:
    if thing.strip():
        assert read_statement(f"{word} {thing.strip()} here") is False


@pytest.mark.parametrize(
    ("text", "state"),
    [("n/a", State.NOT_MENTIONED), ("(none)", State.STATED_ABSENT), ("—", State.STATED_ABSENT),
     ("?", State.NOT_MENTIONED), ("k.A.", State.NOT_MENTIONED), ("____", State.NOT_MENTIONED),
     ("to be announced", State.NOT_MENTIONED), ("3", None), ("nothing new", None),
     ("Unknown.", State.NOT_MENTIONED), ("unknowns", None), ("unknown " * 5, None)],
)  # fmt: skip
def test_placeholders_say_that_there_is_no_value(text: str, state: State | None) -> None:
    assert read_missing(text) is state


@pytest.mark.parametrize(
    ("text", "name", "state"),
    [
        ("No defects", "defects", State.STATED_ABSENT),
        ("no stop", "stops", State.STATED_ABSENT),
        ("No. 5 High Street", "street", None),
        ("No 7 Mill Street", "street", None),
        ("no-frills class", "class", None),
    ],
)
def test_a_denial_of_what_a_column_is_called_is_no_value(
    text: str, name: str, state: State | None
) -> None:
    assert read_missing(text, name) is state


@given(st.text(max_size=30))
def test_a_placeholder_is_one_in_any_case_and_spacing(text: str) -> None:
    assert read_missing(f" {text}") is read_missing(text) or len(text) == 24


@pytest.mark.parametrize(
    ("text", "denied"),
    [("none, but flexible", True), ("keine", True), ("no more than 3", True), ("nonet", False),
     ("3, none else", False), ("", False)],
)  # fmt: skip
def test_words_without_a_value_begin_by_denying_one(text: str, *, denied: bool) -> None:
    assert denies(text) is denied


@pytest.mark.parametrize(
    "words", ["None of the rooms have a pool", "Nothing is included", "Sem piscina", "Zonder lift"]
)
def test_a_statement_that_begins_with_a_denial_is_a_no(words: str) -> None:
    assert read_statement(words) is False


@pytest.mark.parametrize("denial", ["no", "not", "Kein", "sans", "niente", "isn't", "не", "無"])
def test_a_word_that_denies_is_found_within_a_sentence(denial: str) -> None:
    assert has_denial(f"The hut has {denial} pool")


@pytest.mark.parametrize("words", ["the notes", "Norwegian", "a nightcap", "noon", "Nice"])
def test_a_word_that_only_begins_like_one_denies_nothing(words: str) -> None:
    assert not has_denial(words)
    assert read_statement(words) is True


@pytest.mark.parametrize(
    ("texts", "name", "answers"),
    [
        (["yes", "Native", "not native", "introduced", "no", "none", "native hybrid"], "native",
         {"Native": "yes", "not native": "no", "none": "no"}),
        (["no", "none", "none found", "No rot", "minor", "—", "none known"], "rot",
         {"none": "no", "none found": "no", "No rot": "no"}),
        (["Yes", "good for bees", "Good for bees too"], "good_for_bees", {"good for bees": "Yes"}),
        (["nein", "keine", "gering"], "schaden", {"keine": "nein"}),
        (["NO", "none", "SE"], "country", {}),  # the one is Norway
        (["A", "F", "none"], "grade", {}),
        (["off", "none"], "alarm", {}),
        (["included", "parking", "free"], "parking", {}),
        (["none", "none found", "severe"], "rot", {}),
        (["yes", "no", "No smoking"], "no_smoking", {"No smoking": "yes"}),
    ],
)  # fmt: skip
def test_a_text_says_yes_or_no_in_the_words_that_its_column_has_for_it(
    texts: list[str], name: str, answers: dict[str, str]
) -> None:
    assert find_answers(texts, name) == answers
