"""Table files as people and programs write them: their records, whole, and what is told of them."""

from collections.abc import Callable

import pytest

from srag_mcp.documents.document import Document, KeyValue
from srag_mcp.documents.reading import read_tables
from srag_mcp.documents.table_files import take_kind
from srag_mcp.errors import DocumentError

ReadBytes = Callable[..., list[Document]]
Records = list[dict[str, str]]

TABLES: dict[str, tuple[str | bytes, Records, tuple[str, ...]]] = {
    "headers in two rows.csv": (
        ",2023,,2024,\nCountry,Q1,Q2,Q1,Q2\nDE,1,2,3,4\nFR,5,6,7,8\n",
        [
            {"Country": "DE", "2023 Q1": "1", "2023 Q2": "2", "2024 Q1": "3", "2024 Q2": "4"},
            {"Country": "FR", "2023 Q1": "5", "2023 Q2": "6", "2024 Q1": "7", "2024 Q2": "8"},
        ],
        (),
    ),
    "years and other names below one name.csv": (
        "Library,Town,Loans,,,Rooms\n,,2022,2023,open on Sundays,\n"
        "Old Mill,Ludd,2010,1870,12,4\nHarbour,Skerry,940,1022,3,\n",
        [
            {
                "Library": "Old Mill",
                "Town": "Ludd",
                "Loans 2022": "2010",
                "Loans 2023": "1870",
                "Loans open on Sundays": "12",
                "Rooms": "4",
            },
            {
                "Library": "Harbour",
                "Town": "Skerry",
                "Loans 2022": "940",
                "Loans 2023": "1022",
                "Loans open on Sundays": "3",
                "Rooms": "",
            },
        ],
        (),
    ),
    "years above names.csv": (
        "Ferry,Pier,2023,,2024,\n,,cars,bikes,cars,bikes\nTern,North,31,9,28,14\n"
        "Gannet,South,12,,15,2\n",
        [
            {
                "Ferry": "Tern",
                "Pier": "North",
                "2023 cars": "31",
                "2023 bikes": "9",
                "2024 cars": "28",
                "2024 bikes": "14",
            },
            {
                "Ferry": "Gannet",
                "Pier": "South",
                "2023 cars": "12",
                "2023 bikes": "",
                "2024 cars": "15",
                "2024 bikes": "2",
            },
        ],
        (),
    ),
    "sizes below one name.csv": (
        "Shoe,Pairs,,\n,38,39,40\nBrogue,4,11,7\nClog,2,38,9\n",
        [
            {"Shoe": "Brogue", "Pairs 38": "4", "Pairs 39": "11", "Pairs 40": "7"},
            {"Shoe": "Clog", "Pairs 38": "2", "Pairs 39": "38", "Pairs 40": "9"},
        ],
        ("row 2 is taken for names of columns, and may be a record: 38 | 39 | 40",),
    ),
    "quarters below one name.csv": (
        "Well,Depth,Flow,,\n,,Q4 2023,Q1 2024,Q2 2024\nMill,12,3.1,4.2,1\nMoor,15,3.0,2.2,5\n",
        [
            {
                "Well": "Mill",
                "Depth": "12",
                "Flow Q4 2023": "3.1",
                "Flow Q1 2024": "4.2",
                "Flow Q2 2024": "1",
            },
            {
                "Well": "Moor",
                "Depth": "15",
                "Flow Q4 2023": "3.0",
                "Flow Q1 2024": "2.2",
                "Flow Q2 2024": "5",
            },
        ],
        ("row 2 is taken for names of columns, and may be a record: Q4 2023 | Q1 2024 | Q2 2024",),
    ),
    "names above few names.csv": (
        "Term 2\nPupil,Grades,,\n,Maths,Art,Music\nAda,1,2,1\nBo,2,2,3\n",
        [
            {"Pupil": "Ada", "Grades Maths": "1", "Grades Art": "2", "Grades Music": "1"},
            {"Pupil": "Bo", "Grades Maths": "2", "Grades Art": "2", "Grades Music": "3"},
        ],
        ("note above the table: Term 2",),
    ),
    "a record below a column without a name.csv": (
        "Nurse,Ward,\nAda Finn,west wing,nights\nBo Lund,east wing,days\n",
        [
            {"Nurse": "Ada Finn", "Ward": "west wing", "column 3": "nights"},
            {"Nurse": "Bo Lund", "Ward": "east wing", "column 3": "days"},
        ],
        (),
    ),
    "a record of years below two columns of one name.csv": (
        "Bridge,Repaired,Repaired,Span\nOld,1998,2007,open\nNew,2011,2019,closed\n",
        [
            {"Bridge": "Old", "Repaired": "1998", "Repaired (2)": "2007", "Span": "open"},
            {"Bridge": "New", "Repaired": "2011", "Repaired (2)": "2019", "Span": "closed"},
        ],
        (),
    ),
    "units below the headers.csv": (
        "Item,Weight,Length\n,kg,m\nA,1,2\nB,3,4\n",
        [
            {"Item": "A", "Weight (kg)": "1", "Length (m)": "2"},
            {"Item": "B", "Weight (kg)": "3", "Length (m)": "4"},
        ],
        (),
    ),
    "no headers at all.csv": (
        "1,Ann,4\n2,Bob,5\n",
        [
            {"column 1": "1", "column 2": "Ann", "column 3": "4"},
            {"column 1": "2", "column 2": "Bob", "column 3": "5"},
        ],
        (),
    ),
    "the header again in the middle.csv": (
        "Name,Age\nAnn,4\n\nName,Age\nBob,5\nCyd,6\n",
        [{"Name": "Ann", "Age": "4"}, {"Name": "Bob", "Age": "5"}, {"Name": "Cyd", "Age": "6"}],
        ("row 4 is left out, the header again: Name | Age",),
    ),
    "groups with subtotals, a grand total and a source.csv": (
        "Store,Item,Sold\nA,x,1\nA,y,2\nSubtotal A,,3\nB,x,4\nB,y,5\nSubtotal B,,9\n"
        "Grand total,,12\nSource: own count\n",
        [
            {"Store": "A", "Item": "x", "Sold": "1"},
            {"Store": "A", "Item": "y", "Sold": "2"},
            {"Store": "B", "Item": "x", "Sold": "4"},
            {"Store": "B", "Item": "y", "Sold": "5"},
        ],
        (
            "row 4 is left out, the sum of the 2 rows above it: Subtotal A | 3",
            "row 7 is left out, the sum of the 2 rows above it: Subtotal B | 9",
            "row 8 is left out, the sum of the 4 rows above it: Grand total | 12",
            "row 9 is left out, it fills few of the columns that nearly all rows fill:"
            " Source: own count",
        ),
    ),
    "notes above, German numbers, an empty row and a sum.csv": (
        "Report of May\nAll in EUR\n\nRoom;Price;Free\nSingle;1.080,50;ja\nDouble;110,00;nein\n"
        ";;\nSumme;1.190,50;\n",
        [
            {"Room": "Single", "Price": "1.080,50", "Free": "ja"},
            {"Room": "Double", "Price": "110,00", "Free": "nein"},
        ],
        (
            "note above the table: Report of May",
            "note above the table: All in EUR",
            "row 8 is left out, the sum of the 2 rows above it: Summe | 1.190,50",
        ),
    ),
    "codes, quotes, commas and placeholders.csv": (
        'id,name,amount\n007,Ann,"1,234.50"\n008,"Lee, Bob",-\n009,"said ""hi""",n/a\n',
        [
            {"id": "007", "name": "Ann", "amount": "1,234.50"},
            {"id": "008", "name": "Lee, Bob", "amount": "-"},
            {"id": "009", "name": 'said "hi"', "amount": "n/a"},
        ],
        (),
    ),
    "a cell of two lines.csv": (
        'a;b\n"x;y";"line1\nline2"\nz;w\n',
        [{"a": "x;y", "b": "line1 line2"}, {"a": "z", "b": "w"}],
        (),
    ),
    "bars between the cells.csv": (
        "k|v\n1|a\n2|b\n",
        [{"k": "1", "v": "a"}, {"k": "2", "v": "b"}],
        (),
    ),
    "a longer block behind a gap that fills less.csv": (
        "a,b,c,d,e\nx,1,2,3,4\ny,2,3,4,5\n\nz,3,,,\nv,4,,,\nw,5,,,\n",
        [
            {"a": "x", "b": "1", "c": "2", "d": "3", "e": "4"},
            {"a": "y", "b": "2", "c": "3", "d": "4", "e": "5"},
            {"a": "z", "b": "3", "c": "", "d": "", "e": ""},
            {"a": "v", "b": "4", "c": "", "d": "", "e": ""},
            {"a": "w", "b": "5", "c": "", "d": "", "e": ""},
        ],
        (),
    ),
    "letters of Windows.csv": (
        "Name;Größe\nÄnne;4\nBörn;5\n".encode("cp1252"),
        [{"Name": "Änne", "Größe": "4"}, {"Name": "Börn", "Größe": "5"}],
        (),
    ),
    "letters of two bytes.tsv": (
        "Name\tAge\nAnn\t4\nBob\t5\n".encode("utf-16"),
        [{"Name": "Ann", "Age": "4"}, {"Name": "Bob", "Age": "5"}],
        (),
    ),
    "rows that are too short and too long.csv": (
        "a,b\nx,1\ny\nz,3,4\n",
        [
            {"a": "x", "b": "1", "column 3": ""},
            {"a": "y", "b": "", "column 3": ""},
            {"a": "z", "b": "3", "column 3": "4"},
        ],
        (),
    ),
    "objects in objects, with lists.jsonl": (
        '{"id": 1, "a": {"b": 2, "c": [1, 2]}, "tags": ["x", "y"]}\n'
        '{"id": 2, "a": {"b": null}, "tags": []}\n',
        [{"id": "1", "a.b": "2"}, {"id": "2", "a.b": ""}],
        (
            "a.c: a list of values in 1 records",
            "tags: a list of values in 1 records",
        ),
    ),
    "lists in the items of a list.jsonl": (
        '{"id": 1, "o": [{"sku": "s", "n": 1, "t": [{"z": 1}]}, {"sku": "r", "n": 2}]}\n'
        '{"id": 2, "o": [{"sku": "q", "n": 3, "t": [[1], [2]]}, {"sku": "p", "n": 4}]}\n',
        [{"id": "1"}, {"id": "2"}],
        (
            "o: a list of objects in 2 records",
            "o.t: a list of lists or objects inside of another list in 2 records",
        ),
    ),
    "members that some lack.json": (
        '[{"k": 1, "v": "a"}, {"k": 2}]',
        [{"k": "1", "v": "a"}, {"k": "2"}],
        (),
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_records_are_those_of_the_table(name: str, read_bytes: ReadBytes) -> None:
    source, expected, _ = TABLES[name]
    found = [
        {block.key: block.value for block in document.blocks if isinstance(block, KeyValue)}
        for document in read_bytes(name, source, rows=True)
    ]
    assert found == expected


@pytest.mark.parametrize("name", TABLES)
def test_what_is_left_out_is_told(name: str) -> None:
    source, _, expected = TABLES[name]
    data = source if isinstance(source, bytes) else source.encode()
    table = take_kind(read_tables(data, name))
    assert (*table.told, *(item.text for item in table.lists)) == expected


@pytest.mark.parametrize("name", TABLES)
def test_ids_are_those_of_the_rows_in_order(name: str, read_bytes: ReadBytes) -> None:
    source, expected, _ = TABLES[name]
    ids = [document.id for document in read_bytes(name, source, rows=True)]
    assert ids == [f"{name}#{number}" for number in range(1, len(expected) + 1)]


@pytest.mark.parametrize(
    ("name", "source", "reason"),
    [
        ("a.csv", "Name,Age\n", "there is no row with values in it"),
        ("a.jsonl", '{"k": 1}\nnot json\n', "it is not JSON at line 2: Expecting value"),
        ("a.csv", "", "the file is empty"),
    ],
)
def test_what_is_no_table_says_why(
    name: str, source: str, reason: str, read_bytes: ReadBytes
) -> None:
    with pytest.raises(DocumentError) as refused:
        read_bytes(name, source, rows=True)
    assert refused.value.reason == reason
