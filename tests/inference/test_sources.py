import pytest

from srag_mcp.inference.grounds import quote_sources
from srag_mcp.sqlfacts.query import read_query
from srag_mcp.store.corpus import Corpus


@pytest.mark.parametrize(
    ("sql", "quoted"),
    [
        ("SELECT max(height) FROM towers", [("height", "50")]),
        ("SELECT min(height), max(height) FROM towers", [("height", "10"), ("height", "50")]),
        (
            "SELECT town, height FROM towers ORDER BY height DESC NULLS LAST LIMIT 2",
            [("height", "30"), ("height", "50")],
        ),
        (
            "SELECT t.town FROM towers t WHERE t.height = (SELECT max(height) FROM towers)",
            [("height", "50")],
        ),
        (
            "SELECT town FROM towers GROUP BY town QUALIFY rank() OVER (ORDER BY max(height)) = 1",
            [("height", "20")],
        ),
        ("SELECT max(height) FILTER (crane) FROM towers", [("height", "20")]),
        (
            "SELECT count(*) FROM towers t JOIN documents d USING (document_id)"
            " WHERE d.path = '?' AND t.town = 'Olm'",
            [],
        ),
        (
            "SELECT 100.0 * (SELECT count(*) FROM towers WHERE height > 20)"
            " / (SELECT count(*) FROM towers)",
            [("height", "30"), ("height", "50")],
        ),
        ("SELECT avg(height) FILTER (town = 'Rann') FROM towers", [("height", "50")]),
        (
            "SELECT a.town, b.town FROM towers a JOIN towers b ON a.height < b.height"
            " WHERE a.town = 'Olm' AND b.town = 'Rann' LIMIT 1",
            [("town", "Olm"), ("town", "Olm"), ("town", "Rann")],
        ),
        (
            "WITH t AS (SELECT town, avg(height) AS height FROM towers GROUP BY town)"
            " SELECT max(height) FROM t",
            [("height", "10"), ("height", "30"), ("height", "50")],
        ),
    ],
)
def test_the_records_that_an_answer_comes_from_are_quoted(
    towers: Corpus, sql: str, quoted: list[tuple[str, str]]
) -> None:
    facts = read_query(sql, towers.schema())
    found = quote_sources(towers, facts, towers.select(sql).rows)
    assert [(item.column, item.as_stated) for item in found] == quoted
