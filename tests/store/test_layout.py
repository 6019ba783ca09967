import os
from collections.abc import Callable
from pathlib import Path

import pytest

from srag_mcp.documents.folder import list_files
from srag_mcp.errors import LockedError
from srag_mcp.store.layout import (
    CorpusFolder,
    FileWatch,
    build_path,
    ingestion_lock,
    is_ingested_now,
    new_build_id,
    point_to,
    published_build,
    read_holder,
    remember_files,
    write_atomically,
)


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


def test_a_build_is_named_after_all_others_and_two_are_kept(tmp_path: Path) -> None:
    state = CorpusFolder(tmp_path / "a", tmp_path / "home").writable()
    names = []
    for _ in range(4):
        names.append(new_build_id(state))
        build_path(state, names[-1]).touch()
        (state / "builds" / "torn.tmp").touch()
        point_to(state, names[-1])

    assert [name[:6] for name in names] == ["000001", "000002", "000003", "000004"]
    assert sorted(path.stem for path in (state / "builds").iterdir()) == names[2:]
    assert published_build(state) == build_path(state, names[-1])


def test_files_of_other_names_are_no_builds_and_stay(tmp_path: Path) -> None:
    state = CorpusFolder(tmp_path / "a", tmp_path / "home").writable()
    others = [state / "builds" / name for name in ("copy.duckdb", "99-x.duckdb", "000009.duckdb")]
    for path in others:
        path.touch()
    for _ in range(3):
        build_id = new_build_id(state)
        build_path(state, build_id).touch()
        point_to(state, build_id)

    assert build_id.startswith("000003-")
    assert all(path.exists() for path in others)


def test_a_file_is_replaced_whole_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "note.json"
    for text in ("first", "ß" * 70_000):
        write_atomically(path, text)
        assert path.read_text(encoding="utf-8") == text
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.usefixtures("impatient")
def test_a_lock_names_its_holder_and_is_free_when_the_holder_is_done(tmp_path: Path) -> None:
    assert not is_ingested_now(tmp_path)
    with ingestion_lock(tmp_path):
        assert is_ingested_now(tmp_path)
        said = f"process {os.getpid()} on "
        with pytest.raises(LockedError, match=said), ingestion_lock(tmp_path):
            pass
    assert not is_ingested_now(tmp_path)
    assert read_holder(tmp_path) == "another process that has not yet said who it is"
    with ingestion_lock(tmp_path):
        pass


def test_a_holder_that_died_holds_nothing(tmp_path: Path) -> None:
    (tmp_path / "ingestion.holder.json").write_text("{", encoding="utf-8")

    assert not is_ingested_now(tmp_path)
    assert read_holder(tmp_path) == "another process that has not yet said who it is"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda folder: None, ""),
        (lambda folder: (folder / "c.txt").write_text("new"), "1 new"),
        (lambda folder: (folder / "a.txt").write_text("longer than before"), "1 changed"),
        (lambda folder: (folder / "a.txt").write_text("A.txt"), "1 changed"),
        (lambda folder: (folder / "a.txt").write_text("a.txt"), ""),
        (lambda folder: os.utime(folder / "a.txt", (1, 1)), ""),
        (lambda folder: (folder / "a.txt").rename(folder / "d.txt"), "1 new, 1 gone"),
    ],
    ids=["nothing", "new", "changed", "of one length", "written again", "touched", "renamed"],
)
def test_files_that_are_not_as_they_were_read_are_counted(
    tmp_path: Path, change: Callable[[Path], object], said: str
) -> None:
    folder, state = tmp_path / "notes", tmp_path / "state"
    for path in (folder, state):
        path.mkdir()
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text(name, encoding="utf-8")
    remember_files(state, folder, list_files(folder) or {})

    change(folder)

    expected = f"files are not as they were read: {said}; ingest the corpus again" if said else ""
    assert FileWatch(folder, lambda: state).text() == expected


@pytest.mark.parametrize("kept", [None, "[]", "{"])
def test_where_it_is_not_known_what_was_read_nothing_is_said(
    tmp_path: Path, kept: str | None
) -> None:
    (tmp_path / "a.txt").touch()
    if kept is not None:
        (tmp_path / "files.json").write_text(kept, encoding="utf-8")

    assert FileWatch(tmp_path, lambda: tmp_path).text() == ""
