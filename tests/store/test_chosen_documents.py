from collections.abc import Iterator
from pathlib import Path

import pytest

from srag_mcp.errors import QueryError
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryLimits, QueryPool
from srag_mcp.store.predictions import narrow, read_chosen


@pytest.fixture
def corpus(published: Path, tmp_path: Path) -> Iterator[Corpus]:
    with QueryPool(QueryLimits(max_rows=1)) as pool:  # one row a page
        yield Corpus(published.parent, pool, tmp_path / "home")


def test_select_and_condition_choose_together(corpus: Corpus) -> None:
    select = "SELECT document_id FROM ships WHERE masts > 1;"

    assert read_chosen(corpus, narrow(corpus, select)) == ["albatross.txt", "curlew.txt"]
    both = narrow(corpus, select, "where length IS NOT NULL -- known")
    assert read_chosen(corpus, both) == ["albatross.txt"]


def test_nothing_said_chooses_all_that_could_be_read(corpus: Corpus) -> None:
    assert narrow(corpus, " ", "") == ""
    assert read_chosen(corpus, "") == ["albatross.txt", "bittern.txt", "curlew.txt"]


@pytest.mark.parametrize(
    ("documents", "where"),
    [
        ("SELECT document_id FROM srag_texts", ""),
        ("SELECT document_id FROM read_csv('/etc/passwd')", ""),
        ("DELETE FROM ships", ""),
        ("SELECT document_id FROM ships) UNION (SELECT text FROM srag_texts", ""),
        ("SELECT name FROM ships", ""),
        ("", "true) OR document_id IN (SELECT document_id FROM srag_texts"),
    ],
)
def test_what_the_guard_refuses_chooses_nothing(corpus: Corpus, documents: str, where: str) -> None:
    with pytest.raises(QueryError, match=r"the SQL in \w+ cannot be used"):
        narrow(corpus, documents, where)
