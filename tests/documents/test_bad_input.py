"""Files that cannot be read: each ends in one error that names the file and the reason."""

import cProfile
import io
import random
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import docx
import pytest

from srag_mcp.documents.document import Document
from srag_mcp.documents.folder import SourceFile
from srag_mcp.documents.reading import read_content, read_file, read_tables
from srag_mcp.errors import DocumentError

ReadBytes = Callable[..., list[Document]]


def _zip(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


_GARBAGE = random.Random(7).randbytes(5000)
_BOMB = b"a bomb"  # stands for that of `_bomb`, which takes a second to make
_BROKEN_XML = {"[Content_Types].xml": b"<Types", "word/document.xml": b"<w:document"}

CASES = {
    "empty.txt": (b"", "the file is empty"),
    "empty.pdf": (b"", "the file is empty"),
    "blank.txt": (b" \n\t\n", "there is no text in it"),
    "garbage.txt": (_GARBAGE, "it is not text: it looks like binary data"),
    "garbage.md": (b"\x00\x01\x02\x03" * 50, "it is not text: it looks like binary data"),
    "garbage.csv": (_GARBAGE, "it is not text: it looks like binary data"),
    "garbage.html": (_GARBAGE, "it is not text: it looks like binary data"),
    "garbage.json": (_GARBAGE, "it is not text: it looks like binary data"),
    "garbage.pdf": (_GARBAGE, "it is not a PDF file, or a damaged one"),
    "garbage.docx": (_GARBAGE, "it is not an Office file, or a damaged one"),
    "garbage.xlsx": (_GARBAGE, "it is not an Office file, or a damaged one"),
    "garbage.eml": (_GARBAGE, "it is not an e-mail: it has no headers such as From and Date"),
    "text.eml": (b"only some text", "it is not an e-mail: it has no headers such as From and"),
    "text.pdf": (b"only some text", "it is not a PDF file, or a damaged one"),
    "text.docx": (b"only some text", "it is not an Office file, or a damaged one"),
    "head.pdf": (b"%PDF-1.7\n", "it is not a PDF file, or a damaged one"),
    "old.docx": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "it is encrypted, or in"),
    "other.docx": (_zip(a=b"1"), "it is not a readable Word file"),
    "other.xlsx": (_zip(a=b"1"), "it is not a readable workbook"),
    "broken.docx": (_zip(**_BROKEN_XML), "it is not a readable Word file"),
    "bomb.docx": (_BOMB, "it unpacks to 191 MiB, too much to read"),
    "bomb.xlsx": (_BOMB, "it unpacks to 191 MiB, too much to read"),
    "cut.json": (b'{"a": [1, 2', "it is not JSON at line 1, column 12: "),
    "deep.json": (b"[" * 100_000, "the JSON is nested too deeply"),
    "digits.json": (b"1" * 5000, "the JSON cannot be read"),
    "cut.jsonl": (b'{"a": 1}\n{"a": \n', "it is not JSON at line 2: "),
    "quotes.csv": (b'a,b\n1,2\n3,"4\n5,6\n', "the table is broken: a quote that opens in line 3"),
    "swallows.csv": (b'a,b\n"' + b"x,y\n" * 50_000, "the table is broken: a quote that opens in"),
    "scripts.html": (b"<script>let a = 1;</script>", "there is no text in it"),
}  # fmt: skip


@cache
def _bomb() -> bytes:
    return _zip(a=b"\0" * 200_000_000)


@pytest.mark.parametrize("name", CASES)
def test_a_file_that_cannot_be_read_is_one_error(read_bytes: ReadBytes, name: str) -> None:
    data, reason = CASES[name]
    data = _bomb() if data is _BOMB else data
    with pytest.raises(DocumentError) as caught:
        read_bytes(name, data)
    assert caught.value.path == name
    assert caught.value.reason.startswith(reason)


@pytest.mark.parametrize("name", ["head.csv", "empty.jsonl", "rows.xlsx"])
def test_a_table_without_rows_is_one_error(
    read_bytes: ReadBytes, make_xlsx: Callable[..., bytes], name: str
) -> None:
    data = {"head.csv": b"A,B,C\n", "empty.jsonl": b"\n\n", "rows.xlsx": make_xlsx({"S": []})}
    with pytest.raises(DocumentError, match=f"{name}: there is no row with values in it"):
        read_bytes(name, data[name], rows=True)


def test_a_missing_file_is_one_error(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match=r"a\.txt: cannot be opened: No such file"):
        read_file(SourceFile(tmp_path / "a.txt", "a.txt", 1))


def test_a_sheet_of_too_many_cells_is_refused(
    read_bytes: ReadBytes, make_xlsx: Callable[..., bytes]
) -> None:
    data = make_xlsx({"S": [["a"]]})
    far = b'<c r="XFD1048576" t="inlineStr"><is><t>z</t></is></c></row></sheetData>'
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    members[sheet] = members[sheet].replace(b"</row></sheetData>", far)
    with pytest.raises(DocumentError, match=r"sheet1\.xml spans 1048576 x 16384 cells, too many"):
        read_bytes("far.xlsx", _zip(**members))


def test_a_workbook_whose_parts_are_said_to_lie_elsewhere_is_refused(
    read_bytes: ReadBytes, make_xlsx: Callable[..., bytes]
) -> None:
    data = bytearray(make_xlsx({"S": [["a", "b"], [1, 2]]}))
    end = data.rfind(b"PK\x05\x06")  # the record that says where the list of members begins
    data[end + 16 : end + 20] = (900_000).to_bytes(4, "little")
    with pytest.raises(DocumentError, match=r"it is a damaged Office file"):
        read_bytes("moved.xlsx", bytes(data))


@pytest.mark.parametrize("nested", ["[%s]", '{"a": %s}', '[1, {"b": %s}]', '["x", %s]'])
def test_json_that_python_can_parse_is_read_however_deep(nested: str) -> None:
    text = "42"
    for _ in range(350):
        text = nested % text
    assert "42" in read_content(text.encode(), "a.json").text
    tables = read_tables(f'[{{"a": {text}}}, {{"a": {text}}}]'.encode(), "a.json")
    assert [len(table.rows) for table in tables] == [2]


@pytest.mark.parametrize(
    "line",
    [b"Key: value\n", b"| a | b |\n", b"a: b  c: d  ", b"Born\n", b"1: " * 500 + b"\n",
     b"|" * 300 + b"\n", b"a  b  " * 60 + b"\n", b"-", b"word ", b"<!-- ", b"- item\n  "],
)  # fmt: skip
@pytest.mark.parametrize("ending", ["txt", "md"])
def test_the_effort_grows_no_faster_than_the_text(line: bytes, ending: str) -> None:
    n = 2_500 // len(line)
    calls = [_n_calls(line * n * times + b"x", f"a.{ending}") for times in (1, 4)]
    assert calls[1] < 6 * calls[0]


def _n_calls(data: bytes, path: str) -> int:
    """Count the calls of functions while *data* is read: effort without a clock."""
    profile = cProfile.Profile()
    profile.runcall(read_content, data, path)
    return sum(entry.callcount for entry in profile.getstats())


def _samples(make_pdf: Callable[..., bytes], make_xlsx: Callable[..., bytes]) -> dict[str, bytes]:
    word = docx.Document()
    word.add_heading("Title", 1)
    word.add_table(rows=2, cols=2).cell(0, 0).text = "Key"
    buffer = io.BytesIO()
    word.save(buffer)
    return {
        "a.pdf": make_pdf([[(50, 700, 10, "Key"), (200, 700, 10, "value")]]),
        "a.xlsx": make_xlsx({"S": [["A", "B"], [1, 2]]}),
        "a.docx": buffer.getvalue(),
        "a.eml": b"From: a@b.org\nDate: x\nContent-Type: multipart/mixed; boundary=q\n\n--q\n"
        b"Content-Type: text/html; charset=nope\n\n<p>Key: value</p>\n--q--\n",
        "a.html": b"<table><tr><th>Key<td rowspan=9>value</table><ul><li>x",
        "a.json": b'{"a": [{"b": 1}, "x"], "c": {"d": null}}',
        "a.csv": b'A,B\n"x",2\n',
    }


@pytest.mark.parametrize("ending", ["pdf", "xlsx", "docx", "eml", "html", "json", "csv"])
def test_damaged_files_are_read_or_refused(
    ending: str, make_pdf: Callable[..., bytes], make_xlsx: Callable[..., bytes]
) -> None:
    name = f"a.{ending}"
    data = _samples(make_pdf, make_xlsx)[name]
    chance = random.Random(3)
    n_read = 0
    for _ in range(60):
        damaged = bytearray(data)
        for _ in range(chance.randrange(1, 8)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        if chance.random() < 0.3:
            del damaged[chance.randrange(len(damaged)) :]
        try:
            n_read += bool(read_content(bytes(damaged), name).blocks)
        except DocumentError as error:
            assert error.path == name
    assert n_read < 60 or name in {"a.html", "a.eml"}
