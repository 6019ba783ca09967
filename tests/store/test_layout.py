from pathlib import Path

from srag_mcp.store.layout import CorpusFolder


def test_the_state_lies_beside_the_documents_and_is_ignored_by_git(tmp_path: Path) -> None:
    corpus = CorpusFolder(tmp_path / "a", tmp_path / "home")
    (tmp_path / "a").mkdir()

    assert corpus.readable() == corpus.writable() == tmp_path / "a" / ".srag"
    assert (tmp_path / "a" / ".srag" / ".gitignore").read_text(encoding="utf-8") == "*\n"


def test_a_folder_that_cannot_be_written_has_its_state_in_home(tmp_path: Path) -> None:
    folder = tmp_path / "my corpus"
    folder.mkdir()
    (folder / ".srag").write_text("", encoding="utf-8")
    corpus = CorpusFolder(folder, tmp_path / "home")

    state = corpus.writable()

    assert state == corpus.readable() == corpus.apart
    assert state.parent == tmp_path / "home"
    assert state.name.startswith("my-corpus-")


def test_folders_of_one_name_have_states_of_their_own(tmp_path: Path) -> None:
    home = tmp_path / "home"

    states = {CorpusFolder(tmp_path / part / "same", home).apart for part in ("a", "b")}

    assert len(states) == 2


def test_the_way_to_a_folder_does_not_matter(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "a")
    home = tmp_path / "home"

    assert CorpusFolder(tmp_path / "link", home).apart == CorpusFolder(tmp_path / "a", home).apart
    assert CorpusFolder(tmp_path / "a" / ".." / "a", home).inside == tmp_path / "a" / ".srag"


def test_reading_makes_no_folder(tmp_path: Path) -> None:
    CorpusFolder(tmp_path / "missing", tmp_path / "home").readable()

    assert list(tmp_path.iterdir()) == []
