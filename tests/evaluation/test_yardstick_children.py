"""How rows of child tables are scored: found when all fields match, one to one, in any order."""

from tests.benchmarks.yardstick_children import Rows, score_rows

GOLD: Rows = {
    "a": [{"sku": "X", "n": "2"}, {"sku": "X", "n": "2"}, {"sku": "Y", "n": ""}],
    "b": [{"sku": "Z", "n": "1.50"}],
}


def test_rows_are_found_in_any_order_and_each_once() -> None:
    found: Rows = {
        "a": [{"code": "y", "number": None}, {"code": "X", "number": 2}],
        "b": [{"code": "Z", "number": 1.5}, {"code": "Z", "number": 1.5}],
    }
    score = score_rows(GOLD, found, "items")
    assert score.fields == {"sku": "code", "n": "number"}
    assert (score.n_gold, score.n_found, score.n_right) == (4, 4, 3)
    assert str(score) == "items: precision 0.750, recall 0.750 (3 of 4)"


def test_a_row_with_one_wrong_field_is_not_found() -> None:
    found: Rows = {"b": [{"code": "Z", "number": 2}], "a": [{"code": "X", "number": 2}]}
    assert score_rows(GOLD, found).n_right == 1


def test_a_field_that_no_column_has_is_right_only_where_it_is_empty() -> None:
    found: Rows = {"a": [{"code": "X"}, {"code": "Y"}]}
    score = score_rows(GOLD, found)
    assert (score.fields["n"], score.n_right) == (None, 1)


def test_free_texts_are_equal_by_their_words() -> None:
    gold: Rows = {"a": [{"what": "Send the draft budget to all of the members"}]}
    near: Rows = {"a": [{"text": "send draft budget to all of the members."}]}
    far: Rows = {"a": [{"text": "Book a room for the next meeting of members"}]}
    assert (score_rows(gold, near).n_right, score_rows(gold, near).free) == (1, ["what"])
    assert score_rows(gold, far).n_right == 0
