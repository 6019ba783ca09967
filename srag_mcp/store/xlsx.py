"""One sheet as an .xlsx file, row by row: texts stay texts, whatever they begin with."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

from srag_mcp.store.guard.result_page import to_value

MAX_ROWS = 1_048_576  # the row of names is one of them
MAX_COLUMNS = 16_384
MAX_UNITS = 32_767  # of UTF-16, in a cell
_DIGITS = 15  # that a spreadsheet keeps
_FIRST_DAY = date(1900, 3, 1)  # before it the day numbers of programs differ
_TEXT = {"num_format": "@", "quote_prefix": True}  # what is typed again stays a text as well


def write_sheet(path: Path, names: Sequence[str], rows: Iterable[Sequence[object]]) -> int:
    """Write *rows* below their *names*; return how many. Limits are the caller's to check."""
    import xlsxwriter  # only needed here

    # a row is forgotten when the next one begins; its parts are kept beside the file until then
    options = {"constant_memory": True, "tmpdir": str(path.parent)}
    with xlsxwriter.Workbook(str(path), options) as book:
        sheet = book.add_worksheet("records")
        text, day = book.add_format(_TEXT), book.add_format({"num_format": "yyyy-mm-dd"})
        for column, name in enumerate(names):
            sheet.write_string(0, column, name, book.add_format({**_TEXT, "bold": True}))
        n_rows = 0
        for n_rows, row in enumerate(rows, start=1):
            for column, value in enumerate(row):
                if isinstance(value, bool):
                    sheet.write_boolean(n_rows, column, value)
                elif _is_day(value):
                    sheet.write_datetime(n_rows, column, value, day)
                elif _is_exact(value):
                    sheet.write_number(n_rows, column, value)
                elif value is not None:
                    sheet.write_string(n_rows, column, str(to_value(value)), text)
    return n_rows


def _is_day(value: object) -> bool:
    return isinstance(value, date) and not isinstance(value, datetime) and value >= _FIRST_DAY


def _is_exact(value: object) -> bool:
    """Whether a spreadsheet keeps a number as it is; one with more digits is written as a text."""
    if isinstance(value, int | Decimal):
        return sum(map(str.isdigit, str(value))) <= _DIGITS
    return isinstance(value, float) and isinstance(to_value(value), float)
