"""Which files of a folder are documents."""

import os
import sys
from pathlib import Path

import pytest

from srag_mcp.documents.folder import (
    SourceFile,
    find_copies,
    find_documents,
    find_own_file,
    list_files,
    natural_key,
    why_ask_first,
)
from srag_mcp.errors import CorpusError
from srag_mcp.settings import Settings


def _write(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("text", encoding="utf-8")


def _found(folder: Path) -> tuple[list[str], list[str]]:
    sources, problems = find_documents(folder, Settings())
    return [source.relative for source in sources], [str(problem) for problem in problems]


def test_files_come_in_natural_order_with_their_size(tmp_path: Path) -> None:
    _write(tmp_path, "a10.txt", "a2.txt", "sub/b.md")
    sources, problems = find_documents(tmp_path, Settings())
    assert sources == [
        SourceFile(tmp_path / "a2.txt", "a2.txt", 4),
        SourceFile(tmp_path / "a10.txt", "a10.txt", 4),
        SourceFile(tmp_path / "sub/b.md", "sub/b.md", 4),
    ]
    assert problems == []


def test_hidden_files_locks_and_the_own_folder_are_skipped(tmp_path: Path) -> None:
    _write(tmp_path, "a.txt", ".b.txt", ".srag/c.txt", "~$d.docx", "sub/.hidden/e.txt")
    assert _found(tmp_path) == (["a.txt"], [])


def test_a_folder_called_documents_is_read_instead(tmp_path: Path) -> None:
    _write(tmp_path, "documents/a.txt", "gold.csv", "README.md")
    assert _found(tmp_path) == (["documents/a.txt"], [])


def test_the_schema_at_the_top_is_no_document(tmp_path: Path) -> None:
    _write(tmp_path, "a.txt", "schema.json", "sub/schema.json")
    assert _found(tmp_path) == (["a.txt", "sub/schema.json"], [])


def test_links_that_lead_out_are_not_followed(tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "corpus"
    _write(outside, "secret.txt")
    _write(inside, "a.txt", "sub/b.txt")
    (inside / "file.txt").symlink_to(outside / "secret.txt")
    (inside / "folder").symlink_to(outside)
    (inside / "broken.txt").symlink_to(inside / "nowhere.txt")
    (inside / "loop").symlink_to(inside)
    (inside / "near.txt").symlink_to(inside / "a.txt")
    assert _found(inside) == (["a.txt", "near.txt", "sub/b.txt"], [])


def test_a_documents_folder_that_leads_out_is_not_followed(tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "corpus"
    _write(outside, "secret.txt")
    _write(inside, "a.txt")
    (inside / "documents").symlink_to(outside)
    assert _found(inside) == (["a.txt"], [])


def test_files_that_cannot_be_read_are_reported_and_the_rest_goes_on(tmp_path: Path) -> None:
    _write(tmp_path, "a.txt", "photo.JPG", "no_ending")
    (tmp_path / "empty.pdf").touch()
    (tmp_path / "large.txt").write_bytes(b"x" * 3_000_000)
    sources, problems = find_documents(tmp_path, Settings(max_document_mb=2))
    assert [source.relative for source in sources] == ["a.txt"]
    formats = "txt, text, md, markdown, html, htm, xhtml, csv, tsv, json, jsonl, ndjson, xlsx, "
    assert [str(problem) for problem in problems] == [
        "empty.pdf: the file is empty",
        "large.txt: 2.9 MiB is more than the limit of 2 MiB (SRAG_MAX_DOCUMENT_MB)",
        f"no_ending: not a format that can be read ({formats}docx, pdf, eml)",
        f"photo.JPG: not a format that can be read ({formats}docx, pdf, eml)",
    ]


@pytest.mark.parametrize("name", ["naïve – é.txt", "a'b\"c.txt", "a b#1.txt", "x" * 200 + ".txt"])
def test_any_name_is_kept(tmp_path: Path, name: str) -> None:
    _write(tmp_path, name)
    assert _found(tmp_path) == ([name], [])


def test_unusable_folders_are_errors_that_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="does not exist; give the path of a folder"):
        find_documents(tmp_path / "missing", Settings())
    with pytest.raises(CorpusError, match="holds no documents; put files into it"):
        find_documents(tmp_path, Settings())
    _write(tmp_path, "a.txt", "b.txt")
    with pytest.raises(CorpusError, match=r"a\.txt is a file; give the folder that it lies in"):
        find_documents(tmp_path / "a.txt", Settings())
    with pytest.raises(CorpusError, match="more than 1 documents; set SRAG_MAX_DOCUMENTS higher"):
        find_documents(tmp_path, Settings(max_documents=1))


def test_numbers_sort_by_value() -> None:
    names = ["b1", "a10", "a2", "a02b", "1", "²"]
    assert sorted(names, key=natural_key) == ["1", "a2", "a02b", "a10", "b1", "²"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems limit paths otherwise")
def test_a_folder_that_cannot_be_listed_is_reported_and_the_rest_is_found(tmp_path: Path) -> None:
    _write(tmp_path, "a.txt", "b/c.txt")
    name, place = "d" * 250, os.open(tmp_path / "b", os.O_RDONLY)
    for _ in range(17):  # deeper than a path can say
        os.mkdir(name, dir_fd=place)
        inside = os.open(name, os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = inside
    os.close(place)
    names, problems = _found(tmp_path)
    assert names == ["a.txt", "b/c.txt"]
    assert len(problems) == 1
    assert problems[0].endswith("d/: the folder cannot be listed: File name too long")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may do all")
def test_folders_and_files_without_permission_are_reported(tmp_path: Path) -> None:
    _write(tmp_path, "a.txt", "closed/b.txt", "names/c.txt")
    (tmp_path / "closed").chmod(0)
    (tmp_path / "names").chmod(0o444)
    found = _found(tmp_path)
    (tmp_path / "closed").chmod(0o755)
    (tmp_path / "names").chmod(0o755)
    assert found[0] == ["a.txt"]
    assert sorted(found[1]) == [
        "closed/: the folder cannot be listed: Permission denied",
        "names/c.txt: cannot be opened: Permission denied",
    ]


def test_questions_and_a_schema_beside_documents_are_no_documents(tmp_path: Path) -> None:
    _write(tmp_path, "a.txt", "sample_questions.txt", "schema.json", "sub/sample_questions.txt")

    assert _found(tmp_path) == (["a.txt", "sub/sample_questions.txt"], [])


@pytest.mark.parametrize("name", ["schema.json", "sample_questions.txt"])
@pytest.mark.skipif(sys.platform == "win32", reason="makes links")
def test_a_link_out_of_the_folder_is_not_read(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "corpus"
    _write(tmp_path, "secret.txt", "corpus/a.txt", "corpus/own.txt")
    (folder / name).symlink_to(tmp_path / "secret.txt")

    with pytest.raises(CorpusError, match=f"{name} is a link that leads out of the folder"):
        find_own_file(folder, name)
    (folder / name).unlink()
    (folder / name).symlink_to(folder / "own.txt")
    assert find_own_file(folder, name) == folder / name
    assert find_own_file(folder, "other.txt") is None


def test_the_file_of_the_shortest_name_is_the_original(tmp_path: Path) -> None:
    for name in ("soup (copy).md", "soup.md"):
        (tmp_path / name).write_text("# Soup")
    sources, _ = find_documents(tmp_path, Settings.from_environ({}))
    assert find_copies(sources, {}) == {"soup (copy).md": "soup.md"}


def test_files_of_the_same_bytes_are_copies_of_the_first(tmp_path: Path) -> None:
    _write(tmp_path, "a.txt", "b.txt", "sub/c.md")
    (tmp_path / "d.txt").write_text("more", encoding="utf-8")  # as long, and not the same
    (tmp_path / "e.txt").write_text("longer", encoding="utf-8")
    sources, _ = find_documents(tmp_path, Settings())

    assert find_copies(sources, {}) == {"b.txt": "a.txt", "sub/c.md": "a.txt"}
    assert find_copies(sources, {"b.txt": "another hash"}) == {"sub/c.md": "a.txt"}
    (tmp_path / "b.txt").unlink()
    assert find_copies(sources, {}) == {"sub/c.md": "a.txt"}


def test_files_are_listed_with_their_size_unless_there_is_no_time(tmp_path: Path) -> None:
    _write(tmp_path, "documents/a.txt", "documents/photo.jpg", "b.txt")
    found = list_files(tmp_path)
    assert found is not None
    assert {name: size for name, (size, _) in found.items()} == {"documents/a.txt": 4}
    assert list_files(tmp_path, ends_at=0.0) is None


def test_a_folder_of_corpora_and_one_of_many_deep_files_are_asked_about_first(
    tmp_path: Path,
) -> None:
    _write(tmp_path, "few/a.txt", "own/documents/a.txt")
    assert [why_ask_first(tmp_path / name) for name in ("few", "own")] == ["", ""]
    _write(tmp_path, *(f"parent/c{n}/documents/a.txt" for n in range(5)))
    assert why_ask_first(tmp_path / "parent") == "it holds 5 corpora (c0, c1, c2, 2 more)"
    _write(tmp_path, *(f"deep/sub/{n}.txt" for n in range(201)))
    assert why_ask_first(tmp_path / "deep") == "it holds 201 files in folders inside"
