"""Rows of a table that are no records: totals, notes, headings, footers and copies among them."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, groupby, islice, pairwise

from srag_mcp.documents.tables import COMMENT, SheetRow
from srag_mcp.text.words import words
from srag_mcp.values.quantities import decide_grouping, find_style, read_numeral

# Words that name a total, a subtotal or a mean. Never enough alone: a company is called Total, too.
_SUMMARY = re.compile(
    r"\b(?:sub-?|grand )?totals?\b|\bsumm?[ea]?\b|gesamt|zwischensumme|\bsomm[ae]\b|\bsuma\b"
    r"|\btota(?:al|le|ux)\b|итого|всего|合计|总计|合計|小计|\b(?:average|mean)\b|durchschnitt"
    r"|mittelwert|moyenne|promedio",
    re.IGNORECASE,
)
_FIGURE = re.compile(  # no code such as P3 or 05023, and no telephone number
    r"(?:[A-Z]{2,3}\s)?[^\w+]{0,3}?([-−(]?)[^\w+]{0,2}((?!0\d)\d[\d.,'’ \u00a0\u202f]*)\D{0,12}"
)
_SEPARATORS = ".,'’ \u00a0\u202f"
_SHAPE = str.maketrans("12345678", "9" * 8)
_STEADY, _USUAL = 0.9, 0.5  # filled in nearly all rows, in most rows
_MANY_LACKING = 3  # of somebody only the name may be known; a row that lacks more is no record
_MAX_MARKS = 50  # starts of groups that a total is tried for: totals of totals are few levels deep
_SAMPLE = 1000
_MIN_INDENT = 2  # characters; a layout of a page is that uneven


def names_total(text: str) -> bool:
    """Whether a word of a label names a total, a subtotal or a mean."""
    return _SUMMARY.search(text) is not None


def is_total(text: str) -> bool:
    """Whether a label says nothing but that it is a total, a subtotal or a mean."""
    return _SUMMARY.fullmatch(text.rstrip(": ")) is not None


@dataclass(frozen=True, slots=True)
class LabelledRow:
    """A row by the text that names it, which is empty where none does.

    *is_group*: that is all it has, so that it is a label of rows below; *indent*: how many blanks
    stand before it.
    """

    name: str
    is_group: bool
    indent: int


def groups_of(rows: Sequence[LabelledRow]) -> list[tuple[str, ...]]:
    """Return the labels above each of *rows* that it belongs to, outermost first; of labels none.

    A label is above the rows that are indented below it. Where none are, as many as follow on one
    another are levels, and fewer of them later on replace the innermost ones; one that begins with
    a small letter goes on the one before it. A total ends the level that it names, or else the
    innermost, of which it is only where it is the first and names nothing.
    """
    is_indented = any(
        label.is_group and not row.is_group and row.indent - label.indent >= _MIN_INDENT
        for label, row in pairwise(rows)
    )
    return _by_indent(rows) if is_indented else _by_order(rows)


def _by_indent(rows: Sequence[LabelledRow]) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    opened: list[LabelledRow] = []
    for row in rows:
        above = [label for label in opened if row.indent - label.indent >= _MIN_INDENT]
        opened = [*above, row] if row.is_group else opened
        found.append(() if row.is_group else tuple(label.name for label in above))
    return found


def _by_order(rows: Sequence[LabelledRow]) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    levels: list[str] = []  # empty: nothing is open there
    depth = 0
    for is_group, run in groupby(rows, lambda row: row.is_group):
        members, is_summed = list(run), False
        if is_group:
            labels = list[str]()
            for row in members:
                goes_on = labels and row.name[:1].islower()
                labels.append(f"{labels.pop()} {row.name}" if goes_on else row.name)
            depth = max(depth, len(labels))
            levels = [*[*levels, *[""] * depth][: depth - len(labels)], *labels]
            found += [()] * len(members)
            continue
        for row in members:
            above = levels
            if not row.name or names_total(row.name):
                said = {*words(row.name)}
                opened = [at for at, label in enumerate(levels) if label]
                named = [at for at in opened if said >= {*words(levels[at])}]
                is_of_it = bool(named) or (len(said) < 2 and not is_summed)
                n_left = max(named or opened, default=0)
                above, is_summed = levels[: n_left + is_of_it], True
                levels = levels[:n_left] if row.name else levels
            found.append(tuple(filter(None, above)))
    return found


def number_style(cells: Iterable[str]) -> str:
    """Return how the numbers of a table are written, where some of them can be read one way only.

    `1,5` beside `1.234` -> "decimal comma"
    """
    marked = {cell.translate(_SHAPE) for cell in cells if "," in cell or "." in cell}
    return find_style(found[2] for cell in marked if (found := _FIGURE.fullmatch(cell)))


@dataclass(frozen=True, slots=True)
class _Amounts:
    """A column of numbers; *step* is the smallest difference that it can show, 0 of integers."""

    numbers: tuple[float | None, ...]
    step: float


class TableBody:
    """The rows below the header, and what most of them have in common.

    Attributes:
        left_out: Why rows are no records, by their numbers; nothing where none would be one.
        doubted: What rows that are records may be, too.
        n_alike: So many records say the same as another one in every cell, and may be copies.

    Without *are_named* nothing tells one row from another, and none is a copy.
    """

    def __init__(
        self,
        lines: Sequence[SheetRow],
        header_rows: Sequence[tuple[str, ...]],
        *,
        are_named: bool = True,
    ) -> None:
        self.left_out: dict[int, str] = {}
        self.doubted: dict[int, str] = {}
        self._lines = lines
        self._width = width = max((len(line.cells) for line in lines), default=0)
        whole = [line for line in lines if line.n_filled > 1 or width < 3]
        foot = len(lines)  # behind a gap, rows that fill half at most: no measure of the others
        for n in range(len(lines) - 1, 0, -1):
            if 2 * lines[n].n_filled > width:
                break
            foot = n if lines[n].after_gap else foot
        foot = foot if 2 * foot > len(lines) else len(lines)  # most rows are no footer
        last = lines[foot - 1].number if lines else 0
        whole = [line for line in whole if line.number <= last]
        self._n_whole = len(whole)
        columns = [[line.cells[c] for line in lines] for c in range(width)]
        self._n_filled = [sum(1 for line in whole if line.cells[c]) for c in range(width)]
        found = ((c, _read_amounts(column)) for c, column in enumerate(columns))
        self._amounts = {c: amounts for c, amounts in found if amounts is not None}
        usual = [c for c in range(width) if self._n_filled[c] > _USUAL * self._n_whole]
        names = [c for c in usual if c not in self._amounts] or usual[:1]
        self._names = names
        # whether its first words name a total, and whether it lacks what most rows are known by
        self._signs: dict[int, tuple[bool, bool]] = {}
        for line in lines:
            words = islice((cell for cell in line.cells if cell and not cell[0].isdigit()), 2)
            n_names = sum(1 for c in names if line.cells[c])
            is_nameless = 2 * n_names <= len(names) and n_names < len(names)
            signs = (any(map(_SUMMARY.search, words)), is_nameless)
            if any(signs):
                self._signs[line.number] = signs
        headers = set(header_rows)
        repeated = (line for line in lines if line.cells in headers)
        self.left_out |= {line.number: "the header again" for line in repeated}
        marked = [line for line in lines if line.cells and line.cells[0][:1] == COMMENT]
        if width > 1 and all(line.n_filled == 1 for line in marked):
            self.left_out |= {line.number: "a comment" for line in marked}
        self._find_totals("above")
        self._find_totals("below")
        records = [line for line in whole if line.number not in self.left_out]
        self._n_whole = len(records)
        self._n_filled = [sum(1 for line in records if line.cells[c]) for c in range(width)]
        is_apart = False  # behind a total, as behind a gap, another group or the footer begins
        for each in self._lines:
            is_behind = each.after_gap or is_apart or each.number > last
            line = replace(each, after_gap=is_behind)
            is_apart = line.number in self.left_out
            n_lacking = 0 if is_apart else self._count_lacking(line)
            is_thin = n_lacking >= (1 if line.after_gap else _MANY_LACKING)
            if is_thin and not self._is_like_others(line):
                self.left_out[line.number] = "it fills few of the columns that nearly all rows fill"
            elif n_lacking:
                self.doubted.setdefault(line.number, "a note or a heading")
        if len(self.left_out) == len(self._lines):
            self.left_out.clear()
        self.n_alike = 0
        if are_named:
            self._find_copies()

    def _find_copies(self) -> None:
        """Leave out rows that repeat another one where the first column names each other row."""
        lines = [line for line in self._lines if line.number not in self.left_out]
        firsts: dict[tuple[str, ...], int] = {}
        copies = {
            line.number: number
            for line in lines
            if (number := firsts.setdefault(line.cells, line.number)) != line.number
        }
        names = {cells[0] for cells in firsts if cells and cells[0]}
        if 1 < len(names) == len(firsts):
            self.left_out |= {row: f"a copy of row {number}" for row, number in copies.items()}
        else:
            self.n_alike = len(copies)

    def _find_totals(self, where: str) -> None:
        """Find rows that sum up those *where*: above or below them."""
        if not self._amounts:
            return
        step = 1 if where == "above" else -1
        lines = self._lines[::step]
        numbers = {c: amounts.numbers[::step] for c, amounts in self._amounts.items()}
        sums = {c: (0.0, *accumulate(x or 0.0 for x in column)) for c, column in numbers.items()}
        rows = zip(*numbers.values(), strict=True)
        n_so_far = (0, *accumulate(map(any, rows)))  # words below a row add nothing
        n_out, out = 0, dict.fromkeys(numbers, 0.0)  # of the rows so far, those that are no records
        marks = [(0, dict(out))]
        for place, line in enumerate(lines):
            is_end = place in {0, len(lines) - 1}
            is_known = line.number in self.left_out
            if not (is_end or is_known or line.number in self._signs):
                continue
            is_called, is_nameless = self._signs.get(line.number, (False, False))
            figures = {c: figure for c, column in numbers.items() if (figure := column[place])}
            n_rows = n_so_far[place] - n_out
            so_far = {c: sums[c][place] - out[c] for c in numbers}
            if figures and not is_known:
                groups = [
                    (n_rows - n_before, {c: so_far[c] - before[c] for c in figures})
                    for n_before, before in (marks[0], *marks[1:][-_MAX_MARKS:])
                ]
                n_summed, n_equal = self._count_equal(figures, groups)
                is_sum = n_equal > 0 and 2 * n_equal >= len(figures)
                is_whole_sum = is_sum and n_equal == len(figures) > 1 and n_summed > 2
                of_rows = f"the sum of the {n_summed} rows {where} it"
                if is_whole_sum or (is_sum and (is_called or (is_nameless and n_summed > 1))):
                    self.left_out[line.number] = of_rows
                elif is_called and is_nameless:
                    self.left_out[line.number] = "called a total or mean, without what names a row"
                elif is_sum and n_summed > 2:
                    self.doubted.setdefault(line.number, of_rows)
                elif any(map(is_total, line.cells)):
                    self.doubted.setdefault(line.number, "a total")
            if line.number in self.left_out:
                marks.append((n_rows, so_far))
                n_out += bool(figures)
                out = {c: out[c] + figures.get(c, 0.0) for c in out}

    def _count_equal(
        self, figures: Mapping[int, float], groups: Sequence[tuple[int, Mapping[int, float]]]
    ) -> tuple[int, int]:
        """Count the rows of the group that most figures sum up, and these figures."""
        found = []
        for n_rows, totals in groups:
            n_equal = 0
            for column, figure in figures.items() if n_rows else ():
                total = totals[column]
                slack = self._amounts[column].step * math.sqrt(n_rows) + 1e-9 * abs(total)
                n_equal += abs(figure - total) <= slack
            found.append((n_equal, n_rows))
        n_equal, n_rows = max(found)
        return n_rows, n_equal

    @cached_property
    def _words(self) -> set[tuple[int, str]]:
        """The texts of the columns that rows are known by, but for rows that say little else."""
        lines = (line for line in self._lines if line.number not in self.left_out)
        return {(c, x.cells[c]) for x in lines if not self._count_lacking(x) for c in self._names}

    def _is_like_others(self, line: SheetRow) -> bool:
        """Whether a row has a name of its own and words of other rows: only that is known of it."""
        first, *others = [(c, cell) for c, cell in enumerate(line.cells) if cell]
        return bool(others) and first not in self._words and self._words.issuperset(others)

    def _count_lacking(self, line: SheetRow) -> int:
        """Count what a row lacks of the columns that nearly all others fill."""
        n_filled = line.n_filled
        if (2 if line.after_gap else 3) * n_filled > self._width:
            return 0
        is_own = n_filled > 1 or self._width < 3
        others = max(1, self._n_whole - is_own)
        steady = [
            c
            for c, n in enumerate(self._n_filled)
            if n - (is_own and bool(line.cells[c])) >= _STEADY * others
        ]
        n_steady = sum(bool(line.cells[c]) for c in steady) if n_filled > 1 else 1
        n_lacking = len(steady) - n_steady
        return n_lacking if n_lacking > n_steady or (line.after_gap and n_lacking) else 0


def _read_amounts(texts: Sequence[str]) -> _Amounts | None:
    """Read a column of numbers; None where less than two thirds of its cells are numbers."""
    filled = list(filter(None, texts))
    sample = filled[:: len(filled) // _SAMPLE + 1]
    if not sample or 3 * sum(map(bool, map(_FIGURE.fullmatch, sample))) < 2 * len(sample):
        return None
    found = {text: match for text in set(filled) if (match := _FIGURE.fullmatch(text))}
    numerals = {text: match[2].rstrip(_SEPARATORS) for text, match in found.items()}
    shapes = {numeral.translate(_SHAPE): numeral for numeral in numerals.values()}
    grouping = decide_grouping(list(shapes.values()))
    numbers: dict[str, float | None] = {}
    n_decimals = 0
    for text, numeral in numerals.items():
        number = read_numeral(numeral, grouping)
        if isinstance(number, float):
            n_decimals = max(n_decimals, len(re.split("[.,]", numeral)[-1]))
        numbers[text] = -number if number is not None and found[text][1] else number
    return _Amounts(
        tuple(numbers.get(text) for text in texts), 10.0**-n_decimals if n_decimals else 0.0
    )
