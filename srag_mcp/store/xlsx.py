"""One sheet as an .xlsx file, row by row: texts stay texts, whatever they begin with.

The parts are those that ECMA-376 asks of a workbook; nothing is held in memory.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile

from srag_mcp.store.guard.result_page import to_value

MAX_ROWS = 1_048_576  # the row of names is one of them
MAX_COLUMNS = 16_384
MAX_UNITS = 32_767  # of UTF-16, in a cell
_DIGITS = 15  # that a spreadsheet keeps
_FIRST_DAY = date(1900, 3, 1)  # before it the day numbers of programs differ
_DAY_ZERO = date(1899, 12, 30)
# what XML cannot hold, and what would be read as an escape
_UNWRITABLE = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff\ud800-\udfff]|_(?=x[0-9A-Fa-f]{4}_)")
_TEXT, _DAY, _NAME = 1, 2, 3  # places of the styles
_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_KINDS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_LINKS = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
_FORM = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_SHEET = "xl/worksheets/sheet1.xml"
_PARTS = {
    "[Content_Types].xml": (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default'
        ' Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_FORM}.sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{_FORM}.styles+xml"/>'
        f'<Override PartName="/{_SHEET}" ContentType="{_FORM}.worksheet+xml"/></Types>'
    ),
    "_rels/.rels": (
        f'<Relationships {_LINKS}><Relationship Id="rId1" Type="{_KINDS}/officeDocument"'
        ' Target="xl/workbook.xml"/></Relationships>'
    ),
    "xl/_rels/workbook.xml.rels": (
        f'<Relationships {_LINKS}><Relationship Id="rId1" Type="{_KINDS}/worksheet"'
        f' Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="{_KINDS}/styles"'
        ' Target="styles.xml"/></Relationships>'
    ),
    "xl/workbook.xml": (
        f'<workbook {_MAIN} xmlns:r="{_KINDS}"><sheets><sheet name="records" sheetId="1"'
        ' r:id="rId1"/></sheets></workbook>'
    ),
    # quotePrefix: what is typed again stays a text as well; 49 is "@", 14 a day
    "xl/styles.xml": (
        f'<styleSheet {_MAIN}><fonts count="2"><font/><font><b/></font></fonts>'
        '<fills count="1"><fill/></fills><borders count="1"><border/></borders>'
        '<cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="4"><xf xfId="0"/>'
        '<xf xfId="0" numFmtId="49" quotePrefix="1" applyNumberFormat="1"/>'
        '<xf xfId="0" numFmtId="14" applyNumberFormat="1"/>'
        '<xf xfId="0" numFmtId="49" quotePrefix="1" fontId="1" applyFont="1"/></cellXfs>'
        "</styleSheet>"
    ),
}


def write_sheet(path: Path, names: Sequence[str], rows: Iterable[Sequence[object]]) -> int:
    """Write *rows* below their *names*; return how many. Limits are the caller's to check."""
    n_rows = 0
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, part in _PARTS.items():
            archive.writestr(name, _XML + part)
        with archive.open(_SHEET, "w", force_zip64=True) as sheet:
            sheet.write(f"{_XML}<worksheet {_MAIN}><sheetData>".encode())
            sheet.write(_row(_text(name, _NAME) for name in names))
            for row in rows:
                sheet.write(_row(map(_cell, row)))
                n_rows += 1
            sheet.write(b"</sheetData></worksheet>")
    return n_rows


def _row(cells: Iterable[str]) -> bytes:
    return f"<row>{''.join(cells)}</row>".encode()


def _cell(value: object) -> str:
    """Write a number, day or truth value as such, all else as text: what has more digits, too."""
    if value is None:
        return "<c/>"
    if isinstance(value, bool):
        return f'<c t="b"><v>{value:d}</v></c>'
    if isinstance(value, date) and not isinstance(value, datetime) and value >= _FIRST_DAY:
        return f'<c s="{_DAY}"><v>{(value - _DAY_ZERO).days}</v></c>'
    shown = to_value(value)
    is_exact = isinstance(shown, float) or (
        isinstance(value, int | Decimal) and sum(map(str.isdigit, str(value))) <= _DIGITS
    )
    return f"<c><v>{shown}</v></c>" if is_exact else _text(str(shown), _TEXT)


def _text(text: str, style: int) -> str:
    written = escape(_UNWRITABLE.sub(lambda found: f"_x{ord(found[0]):04X}_", text))
    return f'<c t="inlineStr" s="{style}"><is><t xml:space="preserve">{written}</t></is></c>'
