import pytest

from srag_mcp.answer import grounds
from srag_mcp.answer.grounds import Grounds, find_grounds
from srag_mcp.store.corpus import Corpus


def grounds_of(corpus: Corpus, sql: str) -> Grounds:
    return find_grounds(corpus, sql, corpus.select(sql))


def test_a_query_of_somebody_else_has_what_an_answer_has(towers: Corpus) -> None:
    assert grounds_of(towers, "SELECT count(*) FROM towers WHERE NOT lift AND crane") == Grounds(
        (
            "Over all 5 documents; crane: 2 used, 2 do not say.",
            "Whatever they would say: 1 to 3.",
        ),
        ("lift: not mentioned counts as no (3 of all 5 documents)",),
    )
    assert grounds_of(towers, "SELECT median(height) FROM towers").notes == (
        "bounds are not worked out for this kind of query",
    )


def test_a_query_without_columns_of_the_records_has_no_grounds(towers: Corpus) -> None:
    assert grounds_of(towers, "SELECT count(*) FROM documents") == Grounds()


@pytest.mark.parametrize("key", ["'all'", "2.5", "town, 'all'", "1, 2.5"])
def test_a_group_by_a_constant_keeps_its_rows_and_its_denominator(towers: Corpus, key: str) -> None:
    sql = f"SELECT town, count(*) FROM towers WHERE height > 20 GROUP BY {key}"
    sql = sql.replace("SELECT town", f"SELECT {key}") if key[0] in "'2" else sql
    said = grounds_of(towers, sql)
    assert said.coverage[0].startswith("Over all 5 documents")
    assert said.notes[0].startswith(("each count may be up to", "bounds are not worked out"))


def test_a_query_with_backticks_has_its_denominator(towers: Corpus) -> None:
    quoted = grounds_of(towers, "SELECT `town`, avg(`height`) FROM towers GROUP BY 1")
    assert quoted == grounds_of(towers, 'SELECT "town", avg("height") FROM towers GROUP BY 1')
    assert quoted.coverage


def test_rows_stay_where_what_is_said_of_them_cannot_be_worked_out(
    towers: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(corpus: Corpus, sql: str) -> None:
        raise RuntimeError(sql, corpus)

    monkeypatch.setattr(grounds, "find_bounds", fail)
    said = grounds_of(towers, "SELECT count(*) FROM towers WHERE height > 20")
    assert said.coverage == ("Over all 5 documents; height: 4 used, 1 do not say.",)
    assert said.notes[0] == "bounds are not worked out for this kind of query"


def test_in_a_large_corpus_bounds_are_said_not_to_be_worked_out(
    towers: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grounds, "LARGE_CORPUS_DOCUMENTS", 4)
    assert grounds_of(towers, "SELECT count(*) FROM towers WHERE crane AND NOT lift").notes == (
        "lift: not mentioned counts as no (3 of all 5 documents)",
        "bounds are not worked out: in a corpus of this size it would take too long",
    )
    assert grounds_of(towers, "SELECT count(*) FROM towers WHERE NOT lift").notes == (
        "lift: not mentioned counts as no (3 of all 5 documents)",
    )
