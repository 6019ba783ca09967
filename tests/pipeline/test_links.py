"""What leads out of a corpus is not read, whatever it is called."""

import sys
from pathlib import Path

import pytest

from srag_mcp.errors import CorpusError
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.pipeline.wishes import read_sample_questions
from srag_mcp.schema.json_schema import find_schema_file
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="makes links")


def test_questions_behind_a_link_that_leaves_the_folder_are_not_read(
    corpus: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("root:x:0:0\n", encoding="utf-8")
    (corpus / "sample_questions.txt").symlink_to(tmp_path / "secret")

    with pytest.raises(CorpusError, match=r"sample_questions\.txt is a link"):
        read_sample_questions(corpus)


def test_a_schema_behind_a_link_that_leaves_the_folder_is_not_read(
    corpus: Path, settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "other.json").write_text("{}", encoding="utf-8")
    (corpus / "schema.json").symlink_to(tmp_path / "other.json")

    with pytest.raises(CorpusError, match=r"schema\.json is a link"):
        find_schema_file(corpus)
    with pytest.raises(CorpusError, match=r"schema\.json is a link"):
        ingest(corpus, settings)


def test_questions_in_a_flat_folder_are_questions_and_no_document(
    corpus: Path, settings: Settings, schema: Schema
) -> None:
    (corpus / "sample_questions.txt").write_text("Which town is highest?\n", encoding="utf-8")

    assert ingest(corpus, settings, schema=schema).n_documents == 5
    assert read_sample_questions(corpus) == ["Which town is highest?"]
