"""Files of each format, made small and real."""

import io
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias
from xml.sax.saxutils import escape

import pytest

from srag_mcp.documents.document import Block, Document, Heading, KeyValue, ListItem, Table
from srag_mcp.documents.folder import SourceFile
from srag_mcp.documents.reading import read_file, read_tables, row_documents
from srag_mcp.documents.table_files import take_kind

ReadBytes: TypeAlias = Callable[..., list[Document]]
MakeXlsx: TypeAlias = Callable[..., bytes]
MakePdf: TypeAlias = Callable[[Sequence[Sequence[tuple[int, int, int, str]]]], bytes]
CheckPlaces: TypeAlias = Callable[[Document], None]

_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"


@pytest.fixture
def read_bytes(tmp_path: Path) -> ReadBytes:
    """Write bytes to a file and read it."""

    def read(name: str, data: bytes | str, *, rows: bool = False) -> list[Document]:
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        source = SourceFile(path, name, path.stat().st_size)
        if rows:
            return row_documents(name, take_kind(read_tables(source.read(), name)))
        return [read_file(source)]

    return read


@pytest.fixture
def make_xlsx() -> MakeXlsx:
    """Make a workbook from rows of text and numbers; `merged` as in `A1:B1 C1:C2`."""
    return write_workbook


def write_workbook(sheets: Mapping[str, Sequence[Sequence[object]]], merged: str = "") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        names = list(sheets)
        archive.writestr("[Content_Types].xml", _content_types(len(names)))
        archive.writestr("_rels/.rels", _relations({"officeDocument": "xl/workbook.xml"}))
        listed = "".join(
            f'<sheet name="{escape(name)}" sheetId="{n}" r:id="worksheet{n}"/>'
            for n, name in enumerate(names, start=1)
        )
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{_SHEET}" xmlns:r="{_OFFICE}"><sheets>{listed}</sheets></workbook>',
        )
        targets = {f"worksheet{n + 1}": f"worksheets/sheet{n + 1}.xml" for n in range(len(names))}
        archive.writestr("xl/_rels/workbook.xml.rels", _relations(targets))
        for n, name in enumerate(names, start=1):
            archive.writestr(f"xl/worksheets/sheet{n}.xml", _sheet(sheets[name], merged))
    return buffer.getvalue()


def _content_types(n_sheets: int) -> str:
    base = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    sheets = "".join(
        f'<Override PartName="/xl/worksheets/sheet{n + 1}.xml" ContentType="{base}.worksheet+xml"/>'
        for n in range(n_sheets)
    )
    return (
        f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{base}.sheet.main+xml"/>'
        f"{sheets}</Types>"
    )


def _relations(targets: Mapping[str, str]) -> str:
    items = "".join(
        f'<Relationship Id="{name}" Type="{_OFFICE}/{name.rstrip("0123456789")}" '
        f'Target="{target}"/>'
        for name, target in targets.items()
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{items}</Relationships>'


def _sheet(rows: Sequence[Sequence[object]], merged: str) -> str:
    lines = []
    for y, row in enumerate(rows, start=1):
        cells = "".join(_cell(f"{chr(65 + x)}{y}", value) for x, value in enumerate(row))
        lines.append(f'<row r="{y}">{cells}</row>')
    merges = "".join(f'<mergeCell ref="{cells}"/>' for cells in merged.split())
    merges = f"<mergeCells>{merges}</mergeCells>" if merges else ""
    body = "".join(lines)
    return f'<worksheet xmlns="{_SHEET}"><sheetData>{body}</sheetData>{merges}</worksheet>'


def _cell(place: str, value: object) -> str:
    if isinstance(value, int | float):
        return f'<c r="{place}"><v>{value}</v></c>'
    text = escape(str(value))
    return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>' if text else ""


@pytest.fixture
def make_pdf() -> MakePdf:
    """Make a PDF from texts a page, each with its place from the left, bottom, and its size."""
    return _make_pdf


def _make_pdf(pages: Sequence[Sequence[tuple[int, int, int, str]]]) -> bytes:
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for n, texts in enumerate(pages):
        stream = " ".join(
            f"BT /F1 {size} Tf {x} {y} Td ({text}) Tj ET" for x, y, size, text in texts
        )
        objects += [
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] "
            f"/Resources << /Font << /F1 3 0 R >> >> /Contents {5 + 2 * n} 0 R >>",
            f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        ]
    data, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        places.append(len(data))
        data += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    start = len(data)
    return (
        data
        + (
            f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
            f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
        ).encode()
    )


@pytest.fixture(scope="session")
def check_places() -> CheckPlaces:
    """Assert that each block's words are where the block says."""
    return _check_places


def _check_places(document: Document) -> None:
    for block in document.blocks:
        assert 0 <= block.span.start <= block.span.end <= len(document.text)
        _check_block(block, document.text)


def _check_block(block: Block, text: str) -> None:
    if isinstance(block, KeyValue):
        assert block.value_span.of(text).split() == block.value.split()
        assert block.span.start <= block.value_span.start <= block.value_span.end <= block.span.end
    elif isinstance(block, ListItem):
        assert block.span.of(text).split() == block.text.split()
    elif isinstance(block, Table):
        cells = [cell for row in block.rows for cell in row]
        assert all(cell.span.of(text) == cell.text for cell in cells)
        assert {len(row) for row in block.rows} <= {len(block.headers)}
    elif isinstance(block, Heading):
        assert all(word in block.span.of(text) for word in block.text.split())
