from dataclasses import replace

import pytest

from srag_mcp.inference import brief
from srag_mcp.inference.answer import is_empty
from srag_mcp.inference.brief import NOTHING_SEEN, Seen
from srag_mcp.sqlfacts.query import read_query
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import Value
from srag_mcp.text.words import stems
from tests.inference.conftest import SHIPS_SCHEMA


def diagnose(corpus: Corpus, sql: str, seen: Seen = NOTHING_SEEN) -> list[str]:
    return brief.diagnose(corpus, read_query(sql, SHIPS_SCHEMA), seen)


def find_unstored(corpus: Corpus, sql: str) -> list[str]:
    return brief.find_unstored(corpus, read_query(sql, SHIPS_SCHEMA))


def explain_nothing(corpus: Corpus, sql: str, seen: Seen | None = None) -> list[str]:
    return brief.explain_nothing(corpus, read_query(sql, SHIPS_SCHEMA), seen)


@pytest.mark.parametrize(
    ("rows", "empty"),
    [
        ([], True),
        ([(None, None)], True),
        ([(0,)], True),
        ([(False,)], False),
        ([(0, 0)], False),
        ([("",)], False),
    ],
)
def test_nothing_is_no_rows_nulls_or_a_count_of_zero(
    rows: list[tuple[Value, ...]], empty: bool
) -> None:
    assert is_empty(rows) is empty


MISSPELT = "no record meets flag = 'malta'; nearest stored: flag = 'Malta'"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT name FROM ships WHERE crew > 5 AND (flag = 'malta' AND length > 1)",
        "SELECT count(*) FILTER (flag = 'malta') FROM ships",
        "SELECT name FROM ships GROUP BY name HAVING bool_or(flag = 'malta') AND count(*) > 1",
        "SELECT a.name FROM ships a JOIN ships b ON a.name < b.name AND b.flag = 'malta'",
        "WITH s AS (SELECT name FROM ships WHERE flag = 'malta') SELECT count(*) FROM s",
        "SELECT name FROM ships WHERE crew = (SELECT max(crew) FROM ships WHERE flag = 'malta')",
        "SELECT count(*) FROM ships WHERE flag IN ('malta', 'Panama')",
        "SELECT count(*) FROM ships WHERE NOT flag = 'malta'",
        "SELECT count(*) FROM ships WHERE flag <> 'malta'",
        "SELECT sum(CASE WHEN flag = 'malta' THEN crew END) FROM ships",
    ],
)
def test_a_misspelt_text_is_diagnosed_wherever_it_stands(ships: Corpus, sql: str) -> None:
    assert diagnose(ships, sql) == [MISSPELT]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT name FROM ships",
        "SELECT name FROM ships WHERE crew > 5000",
        "SELECT name FROM ships WHERE flag = 'Norway'",
        "SELECT name FROM ships WHERE flag IN ('malta', 'Malta')",
        "SELECT name FROM ships WHERE flag = 'Malta' AND name = 'Clara'",
        "SELECT s.name FROM ships s JOIN documents d USING (document_id) WHERE d.title = 'clara'",
        "SELECT name FROM ships WHERE",
    ],
)
def test_what_may_be_right_is_not_diagnosed(ships: Corpus, sql: str) -> None:
    assert diagnose(ships, sql) == []


def test_nothing_is_explained_by_each_condition_that_none_meets(ships: Corpus) -> None:
    sql = (
        "WITH s AS (SELECT * FROM ships WHERE flag = 'Norway' AND length > 1)"
        " SELECT count(*) FILTER (crew > 900) FROM s"
    )
    assert explain_nothing(ships, sql) == [
        "none meets crew > 900 (crew is 8 to 30, median 22.0; known in 5 of 6)",
        "none meets flag = 'Norway' (flag is known in 5 of 6:"
        " Malta (2), Panama (2), Great Britain (1))",
    ]


def test_nothing_that_all_conditions_make_together_is_not_explained(ships: Corpus) -> None:
    assert explain_nothing(ships, "SELECT name FROM ships WHERE flag = 'Malta' AND crew = 22") == []


def test_a_column_without_values_and_a_value_of_a_closed_set(ships: Corpus) -> None:
    assert explain_nothing(ships, "SELECT avg(draught) FROM ships") == [
        "none has a value in draught"
    ]
    assert explain_nothing(ships, "SELECT name FROM ships WHERE state = 'sunk'") == []
    [said] = explain_nothing(ships, "SELECT name FROM ships WHERE state = 'wrecked'")
    assert said == "none meets state = 'wrecked' (state is known in 1 of 6: afloat)"


def test_conditions_on_one_column_that_exclude_each_other_are_named(ships: Corpus) -> None:
    exclusive = "SELECT avg(crew) FROM ships WHERE flag = 'Malta' AND flag = 'Panama' AND crew > 9"
    [said] = explain_nothing(ships, exclusive)
    assert said.startswith("none meets flag = 'Malta' AND flag = 'Panama' (flag is known in 5 of 6")
    apart = (
        "SELECT count(*) FILTER (flag = 'Malta' AND length > 1)"
        " - count(*) FILTER (flag = 'Panama' OR crew = 22) FROM ships"
    )
    assert explain_nothing(ships, apart) == []


def test_a_yes_or_no_that_nobody_says_is_explained_but_not_doubted(ships: Corpus) -> None:
    sql = "SELECT name FROM ships WHERE has_crane = NULL AND crew > 900"
    explained = explain_nothing(ships, sql)
    assert [reason.partition(" (")[0] for reason in explained] == [
        "none meets has_crane = NULL",
        "none meets crew > 900",
    ]
    assert explain_nothing(ships, sql, Seen()) == explained[1:]


def test_what_was_shown_is_not_told_again(ships: Corpus) -> None:
    flags = frozenset(("flag", name) for name in ("Malta", "Panama", "Great Britain"))
    seen = Seen(frozenset({"flag", "crew"}), flags)
    nothing = "SELECT name FROM ships WHERE crew > 900 AND flag = 'Norway'"
    assert explain_nothing(ships, nothing, seen) == []
    some = replace(seen, values=frozenset({("flag", "Malta")}))
    [said] = explain_nothing(ships, nothing, some)
    assert said.startswith("none meets flag = 'Norway'")
    unlike = "SELECT count(*) FROM ships WHERE name ILIKE '%Zwaluw%'"  # no name tells another one
    asked = Seen(words=frozenset(stems("How many ships are called Zwaluw, or fly Norway's flag?")))
    assert explain_nothing(ships, unlike, asked) == []
    assert len(explain_nothing(ships, unlike)) == len(explain_nothing(ships, unlike, Seen())) == 1
    said_so = SHIPS_SCHEMA.attribute("flag").model_copy(update={"description": "Malta or Panama."})
    others = [said_so if item.name == "flag" else item for item in SHIPS_SCHEMA.attributes]
    schema = SHIPS_SCHEMA.model_copy(update={"attributes": tuple(others)})
    norway = read_query("SELECT name FROM ships WHERE flag = 'Norway'", schema)
    assert brief.explain_nothing(ships, norway, asked) == []  # flags are written as there
    assert len(explain_nothing(ships, "SELECT name FROM ships WHERE flag = 'Norway'", asked)) == 1
    near = "SELECT name FROM ships WHERE flag = 'Britain'"
    [said] = diagnose(ships, near)
    assert said.endswith("nearest stored: flag = 'Great Britain'")
    assert diagnose(ships, near, seen) == []
    assert diagnose(ships, near, some) == [said]
    assert diagnose(ships, "SELECT name FROM ships WHERE flag = 'malta'", seen) == [MISSPELT]
    misspelt = "SELECT name FROM ships WHERE flag = 'Great Brittain'"
    assert diagnose(ships, misspelt, seen) == diagnose(ships, misspelt) != []


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FILTER (WHERE flag = 'malta') FROM ships",
        "WITH a AS (FROM ships), b AS (FROM ships) FROM a, b WHERE a.flag = 'malta'",
        "SELECT name FROM ships WHERE flag IN ('malta', 'Panama')",
    ],
)
def test_a_text_that_no_record_has_is_found_anywhere(ships: Corpus, sql: str) -> None:
    assert find_unstored(ships, sql) == [MISSPELT]


def test_of_many_texts_that_are_not_stored_a_few_are_told(ships: Corpus) -> None:
    flags = ", ".join(f"'flag {n}'" for n in range(100))
    said = find_unstored(ships, f"SELECT name FROM ships WHERE flag IN ({flags})")
    assert said[0].startswith("no record meets flag = 'flag 0'")
    assert (len(said), said[-1]) == (6, "and at least 35 more texts that no record has")


def test_what_is_like_nothing_stored_leads_to_the_statistics(ships: Corpus) -> None:
    long = "x" * 300
    [said] = find_unstored(ships, f"SELECT name FROM ships WHERE flag = '{long}'")
    shown = f"flag = '{'x' * 192}…"
    assert said == f"no record meets {shown}; get_column_stats shows what it holds"


def test_an_unknown_in_a_list_of_not_in_is_told(ships: Corpus) -> None:
    sql = "SELECT count(*) FROM ships WHERE flag NOT IN (SELECT flag FROM ships{})"
    assert is_empty(ships.select(sql.format("")).rows)
    [said] = explain_nothing(ships, sql.format(""))
    assert said == (
        "NOT IN is never true where its list has an unknown flag: leave these out of the list,"
        " with flag IS NOT NULL"
    )
    for where in (" WHERE flag IS NOT NULL AND crew > 9", " WHERE flag = 'Malta'"):
        assert explain_nothing(ships, sql.format(where)) == []
    assert len(explain_nothing(ships, sql.format(" WHERE flag IS NULL"))) == 1
