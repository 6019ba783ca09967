"""Whole outlines of odd pages: every block that is read of them, in order, and nothing else."""

from collections.abc import Callable

import pytest

from srag_mcp.documents.document import Block, Document, Heading, KeyValue, ListItem, Table

ReadBytes = Callable[..., list[Document]]
CheckPlaces = Callable[[Document], None]
Outline = list[tuple[object, ...]]


def _outlined(block: Block, text: str) -> tuple[object, ...]:
    match block:
        case Heading():
            return ("heading", block.level, block.text)
        case KeyValue():
            return ("pair", block.key, block.value)
        case ListItem():
            return ("item", block.text)
        case Table():
            heads = [" / ".join(path) for path in block.headers]
            return ("table", block.caption, heads, [[c.text for c in row] for row in block.rows])
        case _:
            return ("words", block.span.of(text))


PAGES: dict[str, tuple[str, Outline]] = {
    "a table with a caption, headers over two columns, a gap and a foot.html": (
        "<h1>Report</h1><table><caption>Sales (in thousands)</caption><thead>"
        "<tr><th rowspan=2>Region</th><th colspan=2>2023</th></tr>"
        "<tr><th>Q1</th><th>Q2</th></tr></thead><tbody>"
        "<tr><th>North</th><td>12</td><td>13</td></tr><tr><th>South</th><td>7</td><td></td></tr>"
        "</tbody><tfoot><tr><td>Total</td><td>19</td><td>13</td></tr></tfoot></table>",
        [
            ("heading", 1, "Report"),
            ("words", "Sales (in thousands)"),
            (
                "table",
                "Sales (in thousands)",
                ["Region", "2023 / Q1", "2023 / Q2"],
                [["North", "12", "13"], ["South", "7", ""], ["Total", "19", "13"]],
            ),
        ],
    ),
    "a cell over two rows is said in both.html": (
        "<table><tr><th>K</th><th>V</th><th>W</th></tr><tr><td>1</td><td rowspan=2>2</td>"
        "<td>3</td></tr><tr><td>4</td><td>5</td></tr></table>",
        [("table", "", ["K", "V", "W"], [["1", "2", "3"], ["4", "2", "5"]])],
    ),
    "what a browser does not show is not there.html": (
        "<p>Rooms: 12</p><div hidden>Secret: 1</div><div style='display:none'>Secret: 2</div>"
        "<template>Secret: 3</template><noscript>Secret: 4</noscript><script>x='Secret: 5'</script>"
        "<style>.a{content:'Secret: 6'}</style><!-- Secret: 7 -->",
        [("pair", "Rooms", "12")],
    ),
    "entities and line breaks are those of the text.html": (
        "<p>Price&nbsp;&euro;&nbsp;90 &amp; more<br>Rooms: 12<br/>Open: yes</p>",
        [("words", "Price € 90 & more"), ("pair", "Rooms", "12"), ("pair", "Open", "yes")],
    ),
    "lists in lists are items one by one.html": (
        "<ul><li>One<ul><li>Inner</li></ul></li><li>Two</li></ul><ol start=3><li>Third</li></ol>",
        [("item", "One"), ("item", "Inner"), ("item", "Two"), ("item", "Third")],
    ),
    "a table of two columns is pairs as well.html": (
        "<table><tr><td>Name</td><td>Ann</td></tr><tr><td>Born</td><td>1980</td></tr></table>",
        [
            ("table", "", ["", ""], [["Name", "Ann"], ["Born", "1980"]]),
            ("pair", "Name", "Ann"),
            ("pair", "Born", "1980"),
        ],
    ),
    "pictures say what they show.html": (
        "<img alt='A pool'><figure><figcaption>The pool in May</figcaption></figure>"
        "<details><summary>More</summary><p>Depth: 4</p></details>",
        [
            ("words", "A pool"),
            ("words", "The pool in May"),
            ("words", "More"),
            ("pair", "Depth", "4"),
        ],
    ),
    "numbered items, rules, pictures and entities.md": (
        "# Tour\n\n1. Inn\n   1. Bar\n2. Pier\n\n***\n\n![A map](x.png)\n\n> Length: 12 km\n",
        [
            ("heading", 1, "Tour"),
            ("item", "Inn"),
            ("item", "Bar"),
            ("item", "Pier"),
            ("words", "A map"),
            ("pair", "Length", "12 km"),
        ],
    ),
    "headings with lines below them.md": (
        "Tour\n====\n\nStops\n-----\n\n- [x] Inn\n- [ ] Pier\n",
        [
            ("heading", 1, "Tour"),
            ("heading", 2, "Stops"),
            ("item", "[x] Inn"),
            ("item", "[ ] Pier"),
        ],
    ),
    "two pairs on a line, and a table with a rule above its total.txt": (
        "INVOICE\n\nInvoice No.: A-17          Date: 3 May 2024\n"
        "Customer: Ann Lee           Due: 17 May 2024\n\n"
        "Description           Qty    Amount\nPen                     2      3.00\n"
        "Book                    1     12.00\n                              -----\n"
        "Total                         15.00\n",
        [
            ("heading", 1, "INVOICE"),
            ("pair", "Invoice No.", "A-17"),
            ("pair", "Date", "3 May 2024"),
            ("pair", "Customer", "Ann Lee"),
            ("pair", "Due", "17 May 2024"),
            (
                "table",
                "",
                ["Description", "Qty", "Amount"],
                [["Pen", "2", "3.00"], ["Book", "1", "12.00"], ["Total", "", "15.00"]],
            ),
            ("pair", "Total", "15.00"),
        ],
    ),
    "a value that goes on below itself, and one without a colon.txt": (
        "NAME:      Ann Lee\nADDRESS:   4 High Street\n           2010 Town\nPHONE      +49 30\n",
        [
            ("pair", "NAME", "Ann Lee"),
            ("pair", "ADDRESS", "4 High Street 2010 Town"),
            ("pair", "PHONE", "+49 30"),
        ],
    ),
    "leaders of dots, and labels on lines of their own.txt": (
        "Depth ........ 12 m\nLength .......... 13 m\n\n"
        "Rooms:\n12\n\nOpened in: 1980; Closed: never\n",
        [
            ("pair", "Depth", "12 m"),
            ("pair", "Length", "13 m"),
            ("pair", "Rooms", "12"),
            ("pair", "Opened in", "1980"),
            ("pair", "Closed", "never"),
        ],
    ),
    "items that are pairs, and items that are none.txt": (
        "- Wifi: yes\n- Parking: no\n• Pool\n",
        [
            ("item", "Wifi: yes"),
            ("pair", "Wifi", "yes"),
            ("item", "Parking: no"),
            ("pair", "Parking", "no"),
            ("item", "Pool"),
        ],
    ),
    "members at any depth, lists of lists, long numbers and nulls.json": (
        '{"name": "Inn", "price": {"room": {"single": 80.5}}, "size": 12345678901234567890,'
        ' "floors": [[1, 2], [3, 4]], "tags": ["a", "b"], "none": null, "empty": [],'
        ' "open": false}',
        [
            ("pair", "name", "Inn"),
            ("pair", "price.room.single", "80.5"),
            ("pair", "size", "12345678901234567890"),
            ("pair", "open", "false"),
            ("heading", 2, "floors"),
            ("item", "1, 2"),
            ("item", "3, 4"),
            ("heading", 2, "tags"),
            ("item", "a"),
            ("item", "b"),
        ],
    ),
}


@pytest.mark.parametrize("name", PAGES)
def test_every_block_is_read_in_order(
    name: str, read_bytes: ReadBytes, check_places: CheckPlaces
) -> None:
    source, expected = PAGES[name]
    (document,) = read_bytes(name, source)

    check_places(document)
    assert [_outlined(block, document.text) for block in document.blocks] == expected


@pytest.mark.parametrize("name", [name for name in PAGES if name.endswith(("html", "md"))])
def test_what_stands_before_a_page_only_moves_it(name: str, read_bytes: ReadBytes) -> None:
    source, expected = PAGES[name]
    opened = "Opening words of the page.\n\n"
    (document,) = read_bytes(
        name, f"<p>{opened}</p>{source}" if "html" in name else opened + source
    )

    found = [_outlined(block, document.text) for block in document.blocks]
    assert found == [("words", opened.strip()), *expected]
