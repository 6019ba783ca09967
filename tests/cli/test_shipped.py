"""Shipped corpora: found by name, copied whole, never in the way of a folder of that name."""

from pathlib import Path

import pytest

from srag_mcp.cli.arguments import SHIPPED, find_corpus, shipped_corpus
from srag_mcp.errors import CorpusError
from srag_mcp.settings import Settings


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_corpus_is_copied_without_its_gold(name: str, tmp_path: Path) -> None:
    folder = find_corpus(name, Settings(home=tmp_path))

    assert folder.name == name
    assert sorted(path.name for path in folder.iterdir()) == [
        "README.md",
        "documents",
        "sample_questions.txt",
    ]
    assert len(list((folder / "documents").iterdir())) >= 40


def test_it_is_copied_once(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    note = shipped_corpus("cvs", settings) / "note.txt"
    note.touch()

    assert shipped_corpus("cvs", settings) == note.parent
    assert note.exists()
    assert [path.name for path in note.parent.parent.iterdir()] == ["cvs"]


def test_a_folder_of_that_name_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hotels").mkdir()
    monkeypatch.chdir(tmp_path)

    assert find_corpus("hotels", Settings(home=tmp_path / "home")) == tmp_path / "hotels"


def test_a_home_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    home = tmp_path / "file"
    home.touch()

    with pytest.raises(CorpusError, match="set SRAG_HOME") as caught:
        shipped_corpus("hotels", Settings(home=home))

    assert str(home) in str(caught.value)
