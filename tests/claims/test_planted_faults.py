"""Faults that are planted in statements, tables and prose: how many are found, and false alarms.

The documents are drawn from a seed: five layouts of statements of companies, prose and a list on
railway lines. Each column is looked at as an ingestion does, cell by cell and as a whole.
"""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pytest

from srag_mcp.claims.claim import Bearing, check
from srag_mcp.claims.stated_values import StatedValue
from srag_mcp.claims.suspects import find_suspicions
from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.spans import Span

N_DOCUMENTS = 30
N_PLANTED = 20
# Of 20 planted faults of each kind, how many are found at least.
FOUND = {"scale": 20, "sign": 20, "period": 20, "unit": 20, "digit": 20, "row": 20}

USD = {"type": "number", "unit": "USD"}
COLUMNS = {
    "revenue": Attribute(name="revenue", description="Revenue of the year.", **USD),
    "net_income": Attribute(
        name="net_income", description="Net income of the year; a loss is negative.", **USD
    ),
    "total_assets": Attribute(name="total_assets", description="At the end of the year.", **USD),
    "income_tax_expense": Attribute(name="income_tax_expense", **USD),
    "length": Attribute(name="length", type="number", unit="km", description="Of the line."),
    "stations": Attribute(name="stations", type="integer", description="How many there are."),
}


@dataclass(frozen=True)
class Said:
    """A value of a document, the words quoted for it, and the text that they stand in."""

    attribute: Attribute
    value: float
    quote: str
    text: str
    near: str = ""

    @property
    def span(self) -> Span:
        start = self.text.index(self.quote, self.text.index(self.near))
        return Span(start, start + len(self.quote))


@dataclass(frozen=True)
class Row:
    label: str
    now: int
    before: int


@dataclass(frozen=True)
class Statement:
    """The figures of a company, as they are printed: in *scale*."""

    rows: tuple[Row, ...]
    year: int
    scale: int
    layout: str


SCALES = {1: "", 1_000: "in thousands", 1_000_000: "in millions"}


def draw_statement(chance: random.Random) -> Statement:
    scale = chance.choice(list(SCALES))
    size = 10 ** chance.uniform(7.2, 8.6) / scale
    now, before = size, size * chance.uniform(0.7, 1.3)

    def pair(share: float) -> tuple[int, int]:
        return tuple(round(each * share * chance.uniform(0.9, 1.1)) for each in (now, before))

    sales, cost, tax, assets, debts = (pair(share) for share in (1, 0.6, 0.05, 1.7, 0.9))
    profit = pair(chance.choice((0.12, 0.12, -0.15)))
    is_loss = profit[0] < 0
    label = chance.choice(("Net loss", "Net income (loss)")) if is_loss else "Net income"
    rows = (
        Row(chance.choice(("Revenue", "Revenue", "Total revenue")), *sales),
        Row("Cost of sales", *(-each for each in cost)),
        Row("Income tax expense", *(-each for each in tax)),
        Row(label, *profit),
        Row("Total assets", *assets),
        Row("Total liabilities", *debts),
    )
    layout = chance.choice(("aligned", "noted", "bars", "lost", "relative"))
    return Statement(rows, chance.randint(2012, 2024), scale, layout)


def write_amount(number: int) -> str:
    return f"({-number:,})" if number < 0 else f"{number:,}"


def print_statement(found: Statement, chance: random.Random) -> list[str]:
    """Return the lines of a statement; the rows are the last ones."""
    caption = SCALES[found.scale]
    years = (str(found.year), str(found.year - 1))
    name = chance.choice(("Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir"))
    intro = (
        f"{name} Holdings sells timber and paper to builders in nine states, and reports its"
        f" results once a year. Its {chance.randint(40, 900)} people work at three sites."
    )
    lines = [f"{name} Holdings, annual report {found.year}", "", intro, "", "STATEMENTS"]
    cells = [(row.label, write_amount(row.now), write_amount(row.before)) for row in found.rows]
    match found.layout:
        case "bars":
            money = {1: "USD", 1_000: "USD thousand", 1_000_000: "USD million"}[found.scale]
            lines += [f"| {money} | {years[0]} | {years[1]} |", "|---|---|---|"]
            return lines + [f"| {label} | {now} | {before} |" for label, now, before in cells]
        case "lost":
            day = chance.choice(("December 31", "June 30"))
            lines += [f"({caption})"] * bool(caption) + [f"{day}, {years[0]} {day}, {years[1]}"]
            return lines + [f"{label} {now} {before}" for label, now, before in cells]
        case "relative":
            years = ("Current year", "Prior year")
    lines += [f"          ({caption})"] * bool(caption)
    lines += [f"{'':32}{years[0]:>16}{years[1]:>16}"]
    for number, (label, now, before) in enumerate(cells, start=1):
        note = f"{number:>4}" if found.layout == "noted" else "    "
        lines.append(f"{label:28}{note}{now:>16}{before:>16}")
    return lines


def cells_of(found: Statement, lines: Sequence[str], chance: random.Random) -> list[Said]:
    text = "\n".join(lines)
    rows = dict(
        zip(
            ("revenue", "", "income_tax_expense", "net_income", "total_assets"),
            zip(found.rows, lines[-len(found.rows) :], strict=True),
            strict=False,
        )
    )
    cells = []
    for name, attribute in COLUMNS.items():
        if name not in rows:
            continue
        row, line = rows[name]
        value = row.now if name != "income_tax_expense" else -row.now
        cells.append(quote_row(attribute, value * found.scale, row.now, line, text, chance))
    return cells


def quote_row(
    attribute: Attribute, value: float, printed: int, line: str, text: str, chance: random.Random
) -> Said:
    """Quote a whole row, or the number alone, or the row up to it."""
    amount = write_amount(printed)
    words = line[: line.index(amount) + len(amount)]
    quote = chance.choice((line.strip(), words.strip(), amount))
    return Said(attribute, value, quote, text, line.strip())


def draw_line(chance: random.Random) -> list[Said]:
    n_stations, km = chance.randint(21, 98), chance.randint(31, 280)
    in_miles = chance.random() < 0.3
    length = f"{round(km / 1.609344, 1)} miles" if in_miles else f"{km} km"
    value = round(round(km / 1.609344, 1) * 1.609344, 2) if in_miles else km
    place = chance.choice(("Vale", "Moor", "Fen", "Coast"))
    say = chance.choice((
        "The {place} Line runs for {length} and calls at {n} stations.",
        "With {n} stations on {length}, the {place} Line is no main line.",
        "Line: {place}\nLength: {length}\nStations: {n}\nEngine: Class 37",
        "Class 37 engines work the {place} Line. It is {length} long. Stations: {n}.",
    ))  # fmt: skip
    text = say.format(place=place, length=length, n=n_stations)
    shown = next(
        part for part in (f"Stations: {n_stations}", f"{n_stations} stations") if part in text
    )
    return [
        Said(COLUMNS["length"], value, length, text, length),
        Said(COLUMNS["stations"], n_stations, shown, text, shown),
    ]


@dataclass(frozen=True)
class Planted:
    """What was read of the documents, and the statement of each cell that has one."""

    cells: tuple[Said, ...]
    statements: tuple[tuple[Statement, tuple[str, ...]], ...]


@pytest.fixture(scope="module")
def columns() -> dict[str, list[tuple[Said, Statement | None, Sequence[str]]]]:
    chance = random.Random(11)
    found: dict[str, list[tuple[Said, Statement | None, Sequence[str]]]] = {}
    for _ in range(N_DOCUMENTS):
        statement = draw_statement(chance)
        lines = print_statement(statement, chance)
        for said in cells_of(statement, lines, chance):
            found.setdefault(said.attribute.name, []).append((said, statement, lines))
        for said in draw_line(chance):
            found.setdefault(said.attribute.name, []).append((said, None, ()))
    return found


def alarms(cells: Sequence[Said]) -> dict[int, str]:
    """Return why cells of one column are doubted, by number: by the check, or by the column."""
    found = {}
    for number, said in enumerate(cells):
        claim = check(said.attribute, said.quote, said.value, said.text, said.span)
        if claim.bearing is Bearing.CONTRADICTED:
            found[number] = claim.why
    values = [StatedValue(str(n), said.value, said.quote) for n, said in enumerate(cells)]
    for item in find_suspicions(cells[0].attribute, values):
        found.setdefault(int(item.document_id), item.reason)
    return found


Fault = Callable[[Said, Statement | None, Sequence[str], random.Random], Said | None]


def spoil_scale(
    said: Said, statement: Statement | None, _: Sequence[str], chance: random.Random
) -> Said | None:
    """The scale of the caption left out, or worked in twice; or one made up."""
    if statement is None:
        return None
    if statement.scale == 1:
        return replace(said, value=said.value * chance.choice((1_000, 1_000_000)))
    return replace(said, value=said.value * chance.choice((1 / statement.scale, statement.scale)))


def spoil_sign(
    said: Said, statement: Statement | None, _: Sequence[str], __: random.Random
) -> Said | None:
    if said.attribute.name != "net_income":
        return None
    return replace(said, value=-said.value)


def spoil_period(
    said: Said, statement: Statement | None, lines: Sequence[str], chance: random.Random
) -> Said | None:
    if statement is None:
        return None
    line = next(line for line in lines if line.strip() == said.near)
    row = next(row for row in statement.rows if row.label in line and write_amount(row.now) in line)
    if row.before == row.now:
        return None
    sign = -1 if said.attribute.name == "income_tax_expense" else 1
    quote = chance.choice((said.near, write_amount(row.before)))
    return replace(said, value=sign * row.before * statement.scale, quote=quote)


def spoil_unit(
    said: Said, statement: Statement | None, _: Sequence[str], __: random.Random
) -> Said | None:
    """The number in miles, taken as kilometres."""
    if "miles" not in said.quote:
        return None
    return replace(said, value=float(said.quote.split()[0]))


def spoil_digit(
    said: Said, statement: Statement | None, _: Sequence[str], chance: random.Random
) -> Said | None:
    """One digit is another one, or two are in another order."""
    digits = list(f"{abs(said.value):.10g}".rstrip("0").rstrip("."))
    places = [n for n, digit in enumerate(digits) if digit.isdigit()]
    place = chance.choice(places[1:] or places)
    digits[place] = chance.choice([digit for digit in "123456789" if digit != digits[place]])
    changed = float("".join(digits))
    while changed < abs(said.value) / 5:
        changed *= 10
    return replace(said, value=changed * (-1 if said.value < 0 else 1))


def spoil_row(
    said: Said, statement: Statement | None, lines: Sequence[str], chance: random.Random
) -> Said | None:
    """The value and the words of another row of the statement."""
    if statement is None:
        return None
    pairs = list(zip(statement.rows, lines[-len(statement.rows) :], strict=True))
    row, line = chance.choice([pair for pair in pairs if pair[1].strip() != said.near])
    wrong = quote_row(said.attribute, row.now * statement.scale, row.now, line, said.text, chance)
    return replace(wrong, value=abs(wrong.value))


FAULTS: dict[str, Fault] = {
    "scale": spoil_scale,
    "sign": spoil_sign,
    "period": spoil_period,
    "unit": spoil_unit,
    "digit": spoil_digit,
    "row": spoil_row,
}


def test_right_values_are_hardly_doubted(columns) -> None:
    doubted = {
        f"{name} {number}": f"{why} | {column[number][0].quote}"
        for name, column in columns.items()
        for number, why in alarms([said for said, *_ in column]).items()
    }
    n_cells = sum(map(len, columns.values()))
    print(f"false alarms: {len(doubted)} of {n_cells}", *doubted.items(), sep="\n")
    assert len(doubted) <= 0.02 * n_cells


@pytest.mark.parametrize("kind", FAULTS)
def test_planted_faults_are_found(columns, kind: str) -> None:
    chance = random.Random(kind)
    possible = [
        (column, number, spoiled)
        for column in columns.values()
        for number, cell in enumerate(column)
        if (spoiled := FAULTS[kind](*cell, chance)) is not None and spoiled != cell[0]
    ]
    planted = (
        [possible[n % len(possible)] for n in range(N_PLANTED)]
        if len(possible) < N_PLANTED
        else chance.sample(possible, N_PLANTED)
    )
    missed = []
    for column, number, spoiled in planted:
        cells = [said for said, *_ in column]
        cells[number] = spoiled
        if number not in alarms(cells):
            missed.append(spoiled)
    print(f"{kind}: {N_PLANTED - len(missed)} of {N_PLANTED} found; {len(possible)} possible")
    for said in missed:
        print("  missed", said.attribute.name, said.value, repr(said.quote), "|", repr(said.near))
    assert N_PLANTED - len(missed) >= FOUND[kind]
