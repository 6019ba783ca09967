import pytest

from srag_mcp.query.definite import is_definite, join_definite, split_definite
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
        ("crew IS NULL OR crew > 9", "(FALSE OR crew > 9)"),
        ("coalesce(crew, length) > 9", "(crew > 9)"),
        ("length IS NOT NULL", "true"),
    ],
)
def test_unknown_stays_unknown_unless_it_is_asked_for(condition: str, definite: str) -> None:
    root = parse_query(f"SELECT 1 FROM ships s WHERE {condition}")
    assert root is not None
    assert join_definite(split_definite(root.args["where"].this), ["length"]) == definite


@pytest.mark.parametrize(
    ("condition", "is_kept"),
    [
        ("NOT (crew + 1 BETWEEN 3 AND length OR lower(flag) LIKE 'm%')", True),
        ("year(built) IN (1950, 1960) AND strip_accents(flag) = 'Peru'", True),
        ("crew IS NOT NULL", True),
        ("CASE WHEN crane THEN crew > 9 ELSE FALSE END", False),
        ("if(crane, 1, 0) = 1", False),
        ("greatest(crew, length) > 9", False),
        ("concat(flag, port) = 'Malta'", False),
        ("list_contains([crew, length], 9)", False),
        ("crew > (SELECT avg(crew) FROM ships)", False),
        ("crew IS NULL OR crane", False),
    ],
)
def test_what_makes_something_of_unknown_is_told_from_what_keeps_it(
    condition: str, *, is_kept: bool
) -> None:
    root = parse_query(f"SELECT 1 FROM ships s WHERE {condition}")
    assert root is not None
    assert all(map(is_definite, split_definite(root.args["where"].this))) is is_kept


def test_no_condition_is_met_by_all() -> None:
    assert join_definite(split_definite(None)) == "true"


def test_what_cannot_be_parsed_is_none() -> None:
    assert parse_query("SELECT FROM WHERE") is None
