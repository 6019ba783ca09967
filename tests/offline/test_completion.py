"""Amounts that complete one another become one column."""

from srag_mcp.offline.candidates import Candidate
from srag_mcp.offline.completion import complete
from srag_mcp.offline.typed_candidates import TypedCandidate, typed
from srag_mcp.schema.extractors import KeyRule

N_DOCUMENTS = 20


def _key(label: str, documents: range, first: int = 80, unit: str = "EUR") -> TypedCandidate:
    values = {number: f"{first + number} {unit}" for number in documents}
    return typed(Candidate("field", label, [KeyRule(keys=(label.lower(),))], values))


def _labels(*items: TypedCandidate) -> list[str]:
    return [item.candidate.label for item in complete(items, N_DOCUMENTS)]


def test_amounts_of_which_each_document_states_one_are_joined() -> None:
    (whole,) = complete([_key("Fare", range(11)), _key("Price", range(11, 20))], N_DOCUMENTS)
    assert whole.candidate.label == "Fare"
    assert sorted(whole.candidate.values) == list(range(20))
    assert [rule.kind for rule in whole.candidate.rules] == ["key", "key"]


def test_amounts_that_meet_are_two_facts() -> None:
    assert _labels(_key("Fare", range(12)), _key("Price", range(11, 20))) == ["Fare", "Price"]


def test_amounts_that_leave_many_documents_silent_stay_apart() -> None:
    assert _labels(_key("Fare", range(9)), _key("Price", range(9, 14))) == ["Fare", "Price"]


def test_amounts_of_another_size_or_unit_stay_apart() -> None:
    assert len(_labels(_key("Fare", range(11)), _key("Tip", range(11, 20), first=5))) == 2
    assert len(_labels(_key("Fare", range(11)), _key("Way", range(11, 20), unit="km"))) == 2


def test_opposite_words_stay_apart() -> None:
    assert len(_labels(_key("Gross fare", range(11)), _key("Net fare", range(11, 20)))) == 2


def test_of_two_that_would_complete_a_third_and_meet_neither_is_taken() -> None:
    items = [
        _key("Fare", range(11)),
        _key("Price", range(11, 20)),
        _key("Deposit", range(14, 20), first=85),
    ]
    assert _labels(*items) == ["Fare", "Price", "Deposit"]


def test_few_documents_tell_nothing() -> None:
    items = [_key("Fare", range(5)), _key("Price", range(5, 9))]
    assert len(complete(items, 9)) == 2
