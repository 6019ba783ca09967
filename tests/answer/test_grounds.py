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
        (
            "lift: not mentioned counts as no (3 of all 5 documents)",
            "crane is not known for 2 of 4 documents",
        ),
    )
    assert grounds_of(towers, "SELECT median(height) FROM towers").notes == (
        "bounds are not worked out for this kind of query",
    )


def test_a_query_without_columns_of_the_records_has_no_grounds(towers: Corpus) -> None:
    assert grounds_of(towers, "SELECT count(*) FROM documents") == Grounds()


def test_only_the_first_notes_of_one_kind_are_shown(
    towers: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grounds, "_MAX_SHOWN", 1)
    sql = "SELECT town, crane, built FROM towers"
    assert grounds_of(towers, sql).notes == (
        "crane is not known for 2 of 5 documents",
        "and so of 1 more columns",
    )


def test_in_a_large_corpus_bounds_are_said_not_to_be_worked_out(
    towers: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grounds, "LARGE_CORPUS_DOCUMENTS", 4)
    assert grounds_of(towers, "SELECT count(*) FROM towers WHERE crane AND lift").notes == (
        "lift: not mentioned counts as no (3 of all 5 documents)",
        "bounds are not worked out: in a corpus of this size it would take too long",
    )
    assert grounds_of(towers, "SELECT count(*) FROM towers WHERE NOT lift").notes == (
        "lift: not mentioned counts as no (3 of all 5 documents)",
    )
