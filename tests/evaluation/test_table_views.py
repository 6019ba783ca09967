"""Views of tables: twenty made ones, with spans and levels, in files of four formats."""

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from string import ascii_uppercase

import docx
import pytest

from srag_mcp.documents.document import Document, Table
from srag_mcp.evaluation.systems import (
    count_label_columns,
    left_paths,
    table_views,
)
from tests.documents.conftest import write_workbook

ReadBytes = Callable[..., list[Document]]
MakePdf = Callable[[Sequence[Sequence[tuple[int, int, int, str]]]], bytes]
Paths = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Made:
    """A table; `<` is merged with the cell to the left, `^` with that above."""

    grid: str
    n_headers: int
    top: str
    left: str

    @property
    def rows(self) -> list[list[str]]:
        return [[cell.strip() for cell in line.split("|")] for line in self.grid.split("\n")]

    @property
    def paths(self) -> tuple[Paths, Paths]:
        return _paths(self.top), _paths(self.left)


def _paths(text: str) -> Paths:
    return tuple(tuple(path.strip().split(" > ")) for path in text.split(";"))


MADE = [
    Made(
        "Region|2022|<|2023|<\n^|Q1|Q2|Q1|Q2\nNorth|1|2|3|4\nSouth|5|6|7|8",
        2, "2022 > Q1; 2022 > Q2; 2023 > Q1; 2023 > Q2", "North; South",
    ),
    Made(
        "Item|2022|2023\nAssets|<|<\nCash|1|2\nLoans|3|4\nLiabilities|<|<\nDebt|5|6\nRent|7|8",
        1, "2022; 2023", "Assets > Cash; Assets > Loans; Liabilities > Debt; Liabilities > Rent",
    ),
    Made(
        "Region|Town|Beds|Staff\nNorth|Kiel|1|2\n^|Husum|3|4\nSouth|Bonn|5|6\n^|Worms|7|8",
        1, "Beds; Staff", "North > Kiel; North > Husum; South > Bonn; South > Worms",
    ),
    Made(
        "Item|2022|2023\nAssets|<|<\nCurrent|<|<\nCash|1|2\nLoans|3|4\nFixed|<|<\nLand|5|6\n"
        "Liabilities|<|<\nShort term|<|<\nDebt|7|8\nLong term|<|<\nBonds|9|10",
        1, "2022; 2023",
        "Assets > Current > Cash; Assets > Current > Loans; Assets > Fixed > Land;"
        "Liabilities > Short term > Debt; Liabilities > Long term > Bonds",
    ),
    Made(
        "Plant|Output|<|<|<\n^|Cars|<|Vans|<\n^|Petrol|Electric|Petrol|Electric\n"
        "Kiel|1|2|3|4\nBonn|5|6|7|8",
        3,
        "Output > Cars > Petrol; Output > Cars > Electric; Output > Vans > Petrol;"
        "Output > Vans > Electric",
        "Kiel; Bonn",
    ),
    Made(
        "Ward|Patients|<|Beds\n^|Women|Men|^\nEye|1|2|3\nHeart|4|5|6\nSkin|7|8|9",
        2, "Patients > Women; Patients > Men; Beds", "Eye; Heart; Skin",
    ),
    Made(
        "Who|What|Until\nAnn Lee|sends the contract|1 May 2025\nBo Falk|books the hall|2 May 2025",
        1, "What; Until", "Ann Lee; Bo Falk",
    ),
    Made(
        "Fee|Adults|Children\nPool:|<|<\nDay|5|3\nYear|100|60\nSauna:|<|<\nDay|9|7\nYear|200|90",
        1, "Adults; Children", "Pool > Day; Pool > Year; Sauna > Day; Sauna > Year",
    ),
    Made(
        "Region|Town|Hotels|<\n^|^|Open|Shut\nNorth|Kiel|1|2\n^|Husum|3|4\n^|Emden|5|6\n"
        "South|Bonn|7|8",
        2, "Hotels > Open; Hotels > Shut",
        "North > Kiel; North > Husum; North > Emden; South > Bonn",
    ),
    Made(
        "Rates in euros|2022|<|2023|<\n^|Low|High|Low|High\nSingle rooms|<|<|<|<\n"
        "Garden|50|60|55|65\nSea|70|80|75|85\nSuites|<|<|<|<\nTower|150|160|155|165",
        2, "2022 > Low; 2022 > High; 2023 > Low; 2023 > High",
        "Single rooms > Garden; Single rooms > Sea; Suites > Tower",
    ),
    Made(
        "Depot|Jan|Feb|Mar\nCoast|<|<|<\nLerwick|3|4|5\nWick|6|7|8\nInland|<|<|<\n"
        "Perth|1|2|3\nStirling|4|5|6",
        1,
        "Jan; Feb; Mar",
        "Coast > Lerwick; Coast > Wick; Inland > Perth; Inland > Stirling",
    ),
    Made(
        "Store|Spring|<|Autumn|<\n^|Sold|Left|Sold|Left\nCity|<|<|<|<\nHarbour St|1|2|3|4\n"
        "Mill Lane|5|6|7|8\nCountry|<|<|<|<\nOld Barn|9|1|2|3",
        2,
        "Spring > Sold; Spring > Left; Autumn > Sold; Autumn > Left",
        "City > Harbour St; City > Mill Lane; Country > Old Barn",
    ),
    Made(
        "Line|Q1|Q2|Q3|Q4\nFerries|<|<|<|<\nPassengers|11|12|13|14\nCars|1|2|3|4\n"
        "Trains|<|<|<|<\nPassengers|21|22|23|24\nFreight|5|6|7|8",
        1,
        "Q1; Q2; Q3; Q4",
        "Ferries > Passengers; Ferries > Cars; Trains > Passengers; Trains > Freight",
    ),
    Made(
        "Cost|FY21|FY22\nStaff|<|<\nPay|310|320\nTravel|12|14\nSites|<|<\nRent|80|82\n"
        "Power|20|31",
        1,
        "FY21; FY22",
        "Staff > Pay; Staff > Travel; Sites > Rent; Sites > Power",
    ),
    Made(
        "Farm|Milk|<|<|<\n^|Cow|<|Goat|<\n^|H1|H2|H1|H2\nHill|1|2|3|4\nVale|5|6|7|8",
        3,
        "Milk > Cow > H1; Milk > Cow > H2; Milk > Goat > H1; Milk > Goat > H2",
        "Hill; Vale",
    ),
    Made(
        "Zone|Street|Trees|<|Benches\n^|^|Oak|Lime|^\nEast|Elm Rd|1|2|3\n^|Bay Rd|4|5|6\n"
        "West|Fir Rd|7|8|9",
        2,
        "Trees > Oak; Trees > Lime; Benches",
        "East > Elm Rd; East > Bay Rd; West > Fir Rd",
    ),
    Made(
        "Time|Speaker|Room\nMonday|<|<\n09:00|Ann Lee|Hall\n11:00|Bo Falk|Attic\n"
        "Tuesday|<|<\n09:00|Cy Oz|Hall",
        1,
        "Speaker; Room",
        "Monday > 09:00; Monday > 11:00; Tuesday > 09:00",
    ),
    Made(
        "Class|A1|B2\nJuniors|<|<\nMaths|61|72\nSeniors|<|<\nMaths|55|58",
        1,
        "A1; B2",
        "Juniors > Maths; Seniors > Maths",
    ),
    Made(
        "Ship|2021|2022|2023\nSail|<|<|<\nAurora|3|4|5\nBoreas|1|1|2\nSteam|<|<|<\n"
        "Cygnet|9|8|7",
        1,
        "2021; 2022; 2023",
        "Sail > Aurora; Sail > Boreas; Steam > Cygnet",
    ),
    Made(
        "Dose|Children|<|Adults|<\n^|M1|M2|M1|M2\nDay|<|<|<|<\nSyrup|5|6|10|12\n"
        "Tablet|1|1|2|2\nNight|<|<|<|<\nSyrup|3|4|6|8",
        2,
        "Children > M1; Children > M2; Adults > M1; Adults > M2",
        "Day > Syrup; Day > Tablet; Night > Syrup",
    ),
]  # fmt: skip


def _cells(made: Made) -> Iterator[tuple[int, int, int, int, str]]:
    """Yield row, column, rows and columns covered, and text of each cell that is not merged."""
    rows = made.rows
    for y, row in enumerate(rows):
        for x, text in enumerate(row):
            if text in {"<", "^"}:
                continue
            across, down = 1, 1
            while x + across < len(row) and row[x + across] == "<":
                across += 1
            while y + down < len(rows) and rows[y + down][x] == "^":
                down += 1
            yield y, x, down, across, text


def as_html(made: Made) -> str:
    lines: list[str] = [""] * len(made.rows)
    for y, _, down, across, text in _cells(made):
        tag = "th" if y < made.n_headers else "td"
        lines[y] += f"<{tag} rowspan={down} colspan={across}>{text}</{tag}>"
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def as_word(made: Made) -> bytes:
    word, buffer = docx.Document(), io.BytesIO()
    table = word.add_table(len(made.rows), len(made.rows[0]))
    for y, x, down, across, text in _cells(made):
        cell = table.cell(y, x)
        if down > 1 or across > 1:
            cell = cell.merge(table.cell(y + down - 1, x + across - 1))
        cell.text = text
    word.save(buffer)
    return buffer.getvalue()


def as_markdown(made: Made) -> str:
    rows = [["" if cell in {"<", "^"} else cell for cell in row] for row in made.rows]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    lines.insert(made.n_headers, f"|{' --- |' * len(rows[0])}")
    return "\n".join(lines)


def as_bare_html(made: Made) -> str:
    return as_html(made).replace("<th", "<td").replace("</th", "</td")


def as_workbook(made: Made) -> bytes:
    rows = [
        [
            float(text) if text.isdecimal() and y >= made.n_headers else text.strip("<^")
            for text in row
        ]
        for y, row in enumerate(made.rows)
    ]
    merged = " ".join(
        f"{ascii_uppercase[x]}{y + 1}:{ascii_uppercase[x + across - 1]}{y + down}"
        for y, x, down, across, _ in _cells(made)
        if across > 1 or down > 1
    )
    return write_workbook({"Sheet": rows}, merged)


FORMATS: dict[str, Callable[[Made], str | bytes]] = {
    "a.html": as_html,
    "bare.html": as_bare_html,
    "a.xlsx": as_workbook,
    "a.docx": as_word,
    "a.md": as_markdown,
}


PAGES = (0, 2, 6, 8, *(at for at in range(10, 20) if at != 16))  # one of words alone shows no rows


def _table(document: Document) -> Table:
    [table] = [block for block in document.blocks if isinstance(block, Table)]
    return table


def _found(document: Document) -> tuple[Paths, Paths]:
    table = _table(document)
    left = left_paths(table, document.text)
    return table.headers[count_label_columns(table) :], tuple(path for path in left if path)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("made", MADE, ids=[made.grid.partition("\n")[0] for made in MADE])
def test_header_paths_are_those_of_the_made_table(
    read_bytes: ReadBytes, made: Made, name: str
) -> None:
    [document] = read_bytes(name, FORMATS[name](made))
    assert _found(document) == made.paths


@pytest.mark.parametrize("made", [MADE[number] for number in PAGES])
def test_header_paths_are_read_from_the_layout_of_a_page(
    read_bytes: ReadBytes, make_pdf: MakePdf, made: Made
) -> None:
    above = (40, 800, 10, "The report of the year follows, with all that was sold.")
    cells = [
        (40 + 110 * x + (55 * (across - 1) if x else 0), 760 - 18 * y, 10, text)
        for y, x, _, across, text in _cells(made)
    ]
    [document] = read_bytes("a.pdf", make_pdf([[above, *cells]]))
    assert _found(document) == made.paths


def _views(document: Document) -> list[str]:
    [table] = [block for block in document.blocks if isinstance(block, Table)]
    return [said for said, _ in table_views(table, document.text)]


def test_a_view_says_caption_and_headers_of_both_sides_with_each_value(
    read_bytes: ReadBytes,
) -> None:
    page = (
        "<table><caption>Table 1: Sales (in millions)</caption><tr><th rowspan=2>Land</th>"
        "<th colspan=2>2022</th></tr><tr><th>Q1</th><th>Q2</th></tr>"
        "<tr><td colspan=3>Europe</td></tr><tr><td>Spain</td><td>10</td><td>12</td></tr>"
        "<tr><td>Malta</td><td></td><td>2</td></tr><tr><td>Monaco</td><td></td><td></td></tr>"
        "<tr><td>All</td><td>10</td><td>14</td></tr></table>"
    )
    assert _views(read_bytes("a.html", page)[0]) == [
        "Table 1: Sales (in millions) | Europe > Spain | 2022 > Q1: 10; 2022 > Q2: 12",
        "Table 1: Sales (in millions) | Europe > Malta | 2022 > Q2: 2",
        "Table 1: Sales (in millions) | Europe > All | 2022 > Q1: 10; 2022 > Q2: 14",
        "Table 1: Sales (in millions) | 2022 > Q1 | Europe > Spain: 10; Europe > All: 10",
        "Table 1: Sales (in millions) | 2022 > Q2 |"
        " Europe > Spain: 12; Europe > Malta: 2; Europe > All: 14",
    ]


def test_a_label_ends_where_rows_are_indented_no_more(read_bytes: ReadBytes) -> None:
    lines = [
        "| Item                | 2022 | 2023 |",
        "| ------------------- | ---- | ---- |",
        "| Assets              |      |      |",
        "|   Current           |      |      |",
        "|     Cash            | 1    | 2    |",
        "|     Loans           | 3    | 4    |",
        "|   Total current     | 4    | 6    |",
        "|   Land              | 5    | 6    |",
        "| Total assets        | 9    | 12   |",
    ]
    [document] = read_bytes("a.txt", "\n".join(lines))
    assert _found(document)[1] == _paths(
        "Assets > Current > Cash; Assets > Current > Loans; Assets > Total current; Assets > Land;"
        "Total assets"
    )


def test_places_of_views_are_those_of_their_rows(read_bytes: ReadBytes) -> None:
    [document] = read_bytes("a.md", as_markdown(MADE[0]))
    table = _table(document)
    places = [span.of(document.text) for _, span in table_views(table, document.text)]
    assert places[:2] == ["North | 1 | 2 | 3 | 4", "South | 5 | 6 | 7 | 8"]
    assert set(places[2:]) == {table.span.of(document.text)}
