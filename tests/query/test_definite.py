import pytest

from srag_mcp.query.definite import join_definite, split_definite
from srag_mcp.query.trees import parse_query


@pytest.mark.parametrize(
    ("condition", "definite"),
    [
        (
            "s.flag = 'Malta' AND (crew > 9 AND crane)",
            "(flag = 'Malta') AND (crew > 9) AND (crane)",
        ),
        ("coalesce(crane, false) OR crew > 9", "(crane OR crew > 9)"),
        ("crane IS NOT TRUE", "(NOT crane)"),
        ("flag IS DISTINCT FROM 'Malta'", "(flag <> 'Malta')"),
        ("flag IS NOT DISTINCT FROM 'Malta'", "(flag = 'Malta')"),
        ("crew IS NOT NULL AND crew > 9", "(crew > 9)"),
        ("crew IS NOT NULL", "(NOT crew IS NULL)"),
        ("crew IS NULL", "(crew IS NULL)"),
        ("length IS NOT NULL", "true"),
    ],
)
def test_unknown_stays_unknown_unless_it_is_asked_for(condition: str, definite: str) -> None:
    root = parse_query(f"SELECT 1 FROM ships s WHERE {condition}")
    assert root is not None
    assert join_definite(split_definite(root.args["where"].this), ["length"]) == definite


def test_no_condition_is_met_by_all() -> None:
    assert join_definite(split_definite(None)) == "true"


def test_what_cannot_be_parsed_is_none() -> None:
    assert parse_query("SELECT FROM WHERE") is None
