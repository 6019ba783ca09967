"""Tables, of whatever format: titles and notes, the rows that name columns, and the others."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from srag_mcp.documents.document import Block, Heading, KeyValue, Prose, Table, TableCell
from srag_mcp.documents.lines import collapse, is_data, is_key, is_year
from srag_mcp.text.spans import Span
from srag_mcp.text.words import fold_words
from srag_mcp.values.states import read_missing

MAX_CAPTION_CHARACTERS = 200
_MAX_CAPTION_LINES = 3
_MAX_HEADER_ROWS = 3
_CAPTION = re.compile(
    r"^(?:table|tabelle|tableau|tabla|tabella|exhibit|schedule)(?:\s*\d|\s+(?:[ivx]+|[a-z])\b)"
    r"|^\([^()]+\)$|\([^()]*(?:[$€£¥₹%]|\bin\b)[^()]*\)$"
    r"|\b(?:in|en)\s(?:\S{1,5}\s)?(?:thousand|million|billion|lakh|crore|tausend|mio|mrd)"
    r"|^(?:thousand|million|billion)s?\sof\s",
    re.IGNORECASE,
)
_SAMPLE_ROWS = 20
_PAIR = 2  # cells of a key and its value
COMMENT = "#"  # https://www.w3.org/TR/tabular-data-model/#parsing-tabular-data
_CODE = re.compile(r"[A-Z]{1,2}\d{1,2}")  # a header such as Q1 or FY24, which looks like an amount
_DECIMAL = re.compile(r"\D*\d+[.,]\d+\D*")

Row = tuple[TableCell, ...]
_Texts = Sequence[str]


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows of cells as they stand in the text; *n_headers* is None where nothing marks them."""

    span: Span
    rows: tuple[tuple[TableCell, ...], ...]
    n_headers: int | None = None
    caption: str = ""


def is_caption(text: str) -> bool:
    """Whether a line reads as a title or note of the table below it.

    `Table 3: Sales`, `(in millions)`, `Costs ($)` -> True
    """
    return len(text) <= MAX_CAPTION_CHARACTERS and _CAPTION.search(text) is not None


def captions_at_end(blocks: Sequence[Block], text_of: Callable[[Span], str]) -> list[str]:
    """Return the captions that *blocks* end with, from top to bottom; *text_of* reads a span."""
    found: list[str] = []
    for block in reversed(blocks[-_MAX_CAPTION_LINES:]):
        is_short = block.span.end - block.span.start <= MAX_CAPTION_CHARACTERS
        is_line = isinstance(block, Heading | Prose | KeyValue) and is_short
        text = text_of(block.span) if is_line else ""
        if not is_caption(text):
            break
        found.insert(0, text)
    return found


def grid_blocks(grid: Grid, section: tuple[str, ...]) -> list[Block]:
    """Return the table, then what can be read from it as keys with values.

    That is: each row of a table of two columns, the only row of a table of one row, and the rows at
    the foot of a larger one that sum it up. Titles and notes in rows of their own become part of
    the caption.
    """
    rows = [row for row in grid.rows if any(cell.text for cell in row)]
    width = max(map(len, rows), default=0)
    for at, row in enumerate(rows):
        end = row[-1].span.end
        rows[at] = (*row, *[TableCell("", Span(end, end))] * (width - len(row)))
    start, stop = _without_notes(rows)
    notes, n_titles = [*rows[:start], *rows[stop:]], start
    rows = rows[start:stop]
    if not rows or width < 2:
        return []
    words = [next(cell.text for cell in row if cell.text) for row in notes]
    caption = " ".join([grid.caption, *map(collapse, words)]).strip()
    texts = [[cell.text for cell in row] for row in rows]
    if grid.n_headers is None:
        n_headers = count_header_rows(texts)
    else:
        n_headers = min(max(0, grid.n_headers - n_titles), len(rows))
        while n_headers > 1 and _is_merged(texts[n_headers - 1]):
            n_headers -= 1
    headers, body = header_paths(texts[:n_headers], width), rows[n_headers:]
    names_rows = grid.n_headers == 0
    table = Table(grid.span, headers, tuple(body), caption, section, names_rows)
    if width == 2:
        return [table, *_row_pairs(rows if grid.n_headers is None else body, section)]
    if len(body) == 1 and n_headers:
        return [
            table,
            *(
                KeyValue(cell.span, " ".join(path).rstrip(":"), cell.text, cell.span, section)
                for path, cell in zip(headers, body[0], strict=True)
                if path and cell.text
            ),
        ]
    return [table, *_row_pairs(_summary_rows(body), section)]


def _without_notes(rows: Sequence[Row]) -> tuple[int, int]:
    """Return where the table lies between titles above and notes below it."""
    start, stop = 0, len(rows)
    if not rows or len(rows[0]) < 3:
        return start, stop
    filled = [[cell.text for cell in row if cell.text] for row in rows]
    while start < min(stop, _MAX_HEADER_ROWS):
        n_filled = len(filled[start])
        if n_filled != 1 and (n_filled < len(rows[0]) or len(set(filled[start])) > 1):
            break
        start += 1
    while stop > start and len(set(filled[stop - 1])) == 1:
        text = filled[stop - 1][0]
        if not text.startswith(("(", "*", "[", "¹")) and len(text.split()) <= 5:
            break
        stop -= 1
    return start, stop


def count_header_rows(rows: Sequence[_Texts]) -> int:
    """Count the rows at the top that name the columns; 0 where none does."""
    if len(rows) < 2 or not _is_header(rows[0], _Below(rows[1:])):
        return 0
    if len(rows[0]) == 2:
        values = [is_data(row[1]) for row in rows[1:]]
        return int(len(values) > 1 and all(values) and not is_data(rows[0][1]))
    n = 1
    while n < min(_MAX_HEADER_ROWS, len(rows) - 1) and reads_on(rows[n - 1 :]) is not False:
        n += 1
    return n


def _is_header(row: _Texts, below: "_Below") -> bool:
    """Whether a row is of words, and of years or codes above what is none."""
    texts = [text for text in row if text]
    if not texts or any(len(text) > 80 for text in texts):
        return False
    return all(not is_data(text) or below.is_named(at, text) for at, text in enumerate(row))


def may_name_column(text: str) -> bool:
    """Whether a text that may be data names a column as well: a year, or a code such as `Q1`."""
    return is_year(text) or _is_code(text)


def _is_code(text: str) -> bool:
    return _CODE.fullmatch(text) is not None


def _is_merged(row: _Texts) -> bool:
    """Whether a text is merged over all columns: it is of none of them."""
    return len(row) > 2 and len({*row}) == 1 and not is_data(row[0])


def count_filled(row: _Texts) -> int:
    """Count the cells that have a text; one that is merged over all counts once."""
    return 1 if _is_merged(row) else sum(map(bool, row))


class _Below:
    """What stands below a row that may name columns."""

    def __init__(self, rows: Sequence[_Texts]) -> None:
        self._rows = [row for row in rows[:_SAMPLE_ROWS] if not _is_merged(row)]

    def texts(self, column: int) -> list[str]:
        """Its cells in a column."""
        return [row[column] for row in self._rows if row[column]]

    def is_data(self, column: int) -> bool:
        """Whether most of a column is numbers, amounts or dates."""
        return 2 * sum(map(is_data, texts := self.texts(column))) > len(texts)

    def is_named(self, column: int, text: str) -> bool:
        """Whether a year or a code above a column names it: most of the column is none."""
        is_alike = is_year if is_year(text) else _is_code
        return is_alike(text) and 2 * sum(map(is_alike, x := self.texts(column))) <= len(x)


def reads_on(rows: Sequence[_Texts]) -> bool | None:
    """Whether the second row names columns as the first does; None where nothing can tell.

    It repeats what is merged over both, or stands below what spans columns: names with gaps right
    of them, or repeated. It is words over data, and years in order over other numbers; or it has
    nothing where all rows below are named. A text that comes again below is none of a name.

    `Crop | Yield | Yield`, `Crop | 2023 | 2024`, `rye | 4.1 | 5.0` -> True
    """
    (upper, lower), below = rows[:2], _Below([row for row in rows[2:] if row != rows[1]])
    own = {group[0] for group in _spans(upper) if len(group) == 1}
    is_merged = any(text and text == upper[at] for at, text in enumerate(lower))
    places = {at for at, text in enumerate(lower) if text and text != upper[at]}
    words = {at for at in places if not is_data(lower[at])}
    if not places or any(len(lower[at]) > 80 or lower[at] in below.texts(at) for at in words):
        return False
    if is_merged and not own & places:
        return True
    over_data = {at for at in words if below.is_data(at) and read_missing(lower[at]) is None}
    if len(own) == len(upper):
        return is_merged and over_data == places
    named = {at for at in own if upper[at]}
    is_nameless = not named & places and own - named <= words and any(map(below.texts, own))
    numbers = places - words
    years = {at for at in numbers if below.is_named(at, lower[at])}
    for group in ([at for at in group if at in numbers] for group in _spans(upper)):
        if not _are_in_order([lower[at] for at in group]) or (
            len(group) == 1 and not years & {*group}
        ):
            return False
    if years != numbers:
        return None if is_nameless else False
    if not named & words <= over_data:
        return None if over_data else False
    return True if over_data or years else None


def _are_in_order(texts: _Texts) -> bool:
    """Whether years, whole numbers, ranges, parts of years or days rise or fall."""
    if any(map(_DECIMAL.fullmatch, texts)):
        return False
    numbers = [[int(number) for number in re.findall(r"\d+", text)] for text in texts]
    orders = (numbers, [row[::-1] for row in numbers])
    return any(
        one in (rising := sorted(one), rising[::-1]) and all(a != b for a, b in pairwise(rising))
        for one in orders
    )


def _spans(row: _Texts) -> list[list[int]]:
    """Return the columns that each text of a row of names stands above."""
    repeats = any(before and before == after for before, after in pairwise(row))
    groups: list[list[int]] = []
    for at, text in enumerate(row):
        if at and row[groups[-1][0]] and (text == row[at - 1] if repeats else not text):
            groups[-1].append(at)
        else:
            groups.append([at])
    return groups


def header_paths(rows: Sequence[_Texts], width: int) -> tuple[tuple[str, ...], ...]:
    """Return one header path a column, outermost first, without repeats and empty cells.

    A gap right of an upper header, above a lower one, belongs to that upper header: that is how
    text writes what spans columns. Where a format repeats what spans columns, a gap is a gap.
    """
    texts = [list(map(collapse, row)) for row in rows]
    for upper, lower in reversed(list(pairwise(texts))):
        if not any(before and before == after for before, after in pairwise(upper)):
            for column in range(1, width):
                if lower[column]:
                    upper[column] = upper[column] or upper[column - 1]
    paths: list[tuple[str, ...]] = []
    for column in range(width):
        path: list[str] = []
        for row in texts:
            if row[column] and row[column] not in path[-1:]:
                path.append(row[column])
        paths.append(tuple(path))
    return tuple(paths)


def _row_pairs(rows: Sequence[Row], section: tuple[str, ...]) -> list[Block]:
    """Return a pair a row; a row with the same text in both cells is a heading among them."""
    pairs: list[Block] = []
    inner = section
    for key, value in rows:
        name = collapse(key.text).rstrip(":").rstrip()
        if name == value.text:
            inner = (*section, name)
        elif value.text and is_key(name):
            span = Span(key.span.start, value.span.end)
            pairs.append(KeyValue(span, name, value.text, value.span, inner))
    return pairs


def _summary_rows(body: Sequence[Row]) -> list[Row]:
    """Return, of the rows at the foot of a table, the label and the amount of each."""
    summary: list[Row] = []
    for row in reversed(body):
        filled = [cell for cell in row if cell.text]
        label, amount = row[0], filled[-1]
        has_words = any(map(str.isalpha, label.text))
        if len({cell.text for cell in filled}) != 2 or not has_words or not is_data(amount.text):
            break
        summary.insert(0, (label, amount))
    return summary if len(summary) < len(body) else []


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A row of a sheet that is not empty.

    *n_filled* counts the cells that have a text; one that is merged over all counts once.
    *after_gap*: an empty row stands above it.
    """

    number: int
    cells: tuple[str, ...]
    n_filled: int
    after_gap: bool = False

    @property
    def text(self) -> str:
        """What it says, for people."""
        return " | ".join(dict.fromkeys(filter(None, self.cells)))


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table as it stands: *notes* above it, the rows that name its columns, and the others.

    *doubt* says which of these rows may be a record.
    """

    name: str
    notes: tuple[str, ...]
    header_rows: tuple[tuple[str, ...], ...]
    body: tuple[SheetRow, ...]
    doubt: str = ""

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """All but the notes."""
        return (*self.header_rows, *(line.cells for line in self.body))

    @property
    def columns(self) -> tuple[str, ...]:
        """One name a column, each once: `Name`, `Name (2)`, `column 3`."""
        width = max(map(len, self.rows), default=0)
        rows = [filled_up(row, width) for row in self.header_rows]
        return unique_names([" ".join(path) for path in header_paths(rows, width)])


def column_key(name: str) -> str:
    """Return what tells a column from others: its words without case, accents and punctuation."""
    return fold_words(name) or name.casefold()


def unique_names(names: Sequence[str]) -> tuple[str, ...]:
    """Give every column a name of its own; case and punctuation do not tell names apart."""
    taken: set[str] = set()
    unique = []
    for number, name in enumerate(names, start=1):
        base = collapse(name) or f"column {number}"
        candidate, copy = base, 2
        while column_key(candidate) in taken:
            candidate, copy = f"{base} ({copy})", copy + 1
        taken.add(column_key(candidate))
        unique.append(candidate)
    return tuple(unique)


def arrange(rows: Sequence[Sequence[str]], name: str = "", first: int = 1) -> Sheet:
    """Part *rows* into notes above the table, the rows that name its columns, and the others.

    *first* is the number of the first row.
    """
    lines: list[SheetRow] = []
    after_gap = False
    for number, row in enumerate(rows, start=first):
        cells = tuple(map(collapse, row))
        texts = list(filter(None, cells))
        if texts:
            lines.append(SheetRow(number, cells, count_filled(texts), after_gap and bool(lines)))
        after_gap = not texts
    n_notes = _count_notes(lines)
    notes = tuple(line.text for line in lines[:n_notes])
    table = [line.cells for line in lines[n_notes:]]
    n_headers, has_units, is_sure = _count_headers(table)
    names, doubt = table[:n_headers], ""
    if not is_sure:
        line = lines[n_notes + n_headers - 1]
        doubt = f"row {line.number} is taken for names of columns, and may be a record: {line.text}"
    if has_units:
        names.append(
            tuple(f"({text})" if text and text[0] != "(" else text for text in table[n_headers])
        )
    return Sheet(name, notes, tuple(names), tuple(lines[n_notes + len(names) :]), doubt)


def _count_notes(lines: Sequence[SheetRow]) -> int:
    """Count the rows at the top that are no part of the table, however many they are.

    They fill one cell or a few from the left, at most half of what two rows of the table fill, and
    stand above names that need nothing of them; above a gap, a key with its value may be as wide.
    Where no names are found, the rows below that hold most cells tell: notes fill one cell of three
    or more of these; above a gap, at most half.
    """
    n_cells = sum(line.n_filled for line in lines)
    n_pairs = next((n for n, line in enumerate(lines) if line.n_filled > _PAIR), len(lines))
    gaps = [n for n, line in enumerate(lines[: n_pairs + 1]) if line.after_gap]
    widest = max((min(a.n_filled, b.n_filled) for a, b in pairwise(lines)), default=0)
    wide = next((n for n, line in enumerate(lines)
                 if 2 * line.n_filled > widest and line.cells[0][:1] != COMMENT), 0)  # fmt: skip
    if not all(all(line.cells[: line.n_filled]) for line in lines[:wide]):
        wide = 0
    for n in (*gaps, wide):
        is_less = n == wide and 2 * sum(line.n_filled for line in lines[:n]) < n_cells
        above = lines[: min(n, _SAMPLE_ROWS + 1)]
        if n and _is_named(lines[n : n + _SAMPLE_ROWS + 1]) and (is_less or not _is_named(above)):
            return n - _is_read_on(lines[n - 1 : n + _SAMPLE_ROWS + 1])
    so_far = accumulate(sizes := sorted(line.n_filled for line in lines))
    usual = next((size for size, n in zip(sizes, so_far, strict=True) if 2 * n > n_cells), 0)
    if usual < 3:
        return 0
    n = 0
    for place, line in enumerate(lines):
        n = place if line.after_gap else n
        if 2 * line.n_filled > usual:
            break
    while n < len(lines) - 1 and lines[n].n_filled == 1 and lines[n].cells[0]:
        n += 1
    return n


def _is_read_on(lines: Sequence[SheetRow]) -> bool:
    """Whether names that lack the first one have it in the row above: that is no note."""
    width = max(len(line.cells) for line in lines)
    is_apart = lines[1].after_gap or lines[0].n_filled < _PAIR or lines[1].cells[0] != ""
    return not is_apart and reads_on([filled_up(line.cells, width) for line in lines]) is True


def _is_named(lines: Sequence[SheetRow]) -> bool:
    """Whether the first row names what holds data below it, each otherwise."""
    width = max(len(line.cells) for line in lines)
    first, *rows = (filled_up(line.cells, width) for line in lines)
    names, columns = list(filter(None, first)), list(zip(first, *rows, strict=True))
    held = [
        name
        for name, *cells in columns[not first[0] :]
        if 2 * sum(map(is_data, cells)) > sum(map(bool, cells))
    ]
    are_names = all(name and (not is_data(name) or is_year(name)) for name in held)
    return bool(held) and are_names and len({*names}) == len(names)


def _count_headers(rows: Sequence[tuple[str, ...]]) -> tuple[int, bool, bool]:
    """Count the rows that name the columns; tell if a row of units follows, and if it is sure."""
    if not rows:
        return 0, False, True
    width = max(map(len, rows))
    padded = [filled_up(row, width) for row in rows[:_SAMPLE_ROWS]]
    n = count_header_rows(padded) if width > 2 else 0
    if not n:
        data = [
            text
            for text, holds in zip(padded[0], _hold_data(padded[1:], width), strict=True)
            if holds
        ]
        n_alike = sum(is_data(text) and not may_name_column(text) for text in data)
        n = 0 if n_alike and 2 * n_alike > len(data) else 1
    below = (
        zip(padded[n], _hold_data(padded[n + 1 :], width), strict=True) if n < len(padded) else ()
    )
    has_units = 0 < n < len(padded) - 1 and all(
        holds and not is_data(text) and read_missing(text) is None for text, holds in below if text
    )
    return n, has_units, n < 2 or reads_on(padded[n - 2 :]) is not None


def _hold_data(rows: Sequence[_Texts], width: int) -> list[bool]:
    """Return for each column whether most of its cells hold data."""
    return [2 * sum(is_data(row[column]) for row in rows) > len(rows) for column in range(width)]


def filled_up(cells: Sequence[str], width: int) -> tuple[str, ...]:
    """Return a row with empty cells up to *width*."""
    return (*cells, *[""] * (width - len(cells)))


def find_grouping(rows: Sequence[_Texts]) -> list[int]:
    """Return the columns whose empty cells may mean the text above: labels of groups of rows.

    They stand left of what every row has, be it behind numbers of the rows, and none returns.
    """
    found: list[int] = []
    for at, cells in enumerate(zip(*rows, strict=True)):
        filled = list(filter(None, cells))
        if len(filled) < len(cells):
            found += [at] if cells[0] and len({*filled}) == len(filled) else []
        elif not all(map(is_data, cells)) or 0 in found:
            return found
        elif found:
            break
    return []
