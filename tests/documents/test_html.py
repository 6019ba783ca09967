"""Web pages: what a reader sees, in blocks."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.documents.document import Document, Heading, KeyValue, ListItem, Prose, Table
from srag_mcp.documents.html import read_html
from srag_mcp.errors import DocumentError
from srag_mcp.text.spans import Span


def _read(html: str) -> Document:
    content = read_html(html.encode(), "a.html")
    return Document("a", "a", content.title or "", "text/html", "", content.text, content.blocks)


def _pairs(html: str) -> list[tuple[str, str]]:
    return [(b.key, b.value) for b in _read(html).blocks if isinstance(b, KeyValue)]


def _items(html: str) -> list[str]:
    return [block.text for block in _read(html).blocks if isinstance(block, ListItem)]


def test_a_page_is_its_headings_paragraphs_and_items() -> None:
    document = _read(
        "<title>Inn</title><nav>Home</nav><h1>The <b>Old</b> Inn</h1><p>Four rooms\n and a bar.</p>"
        "<h2>Facilities</h2><ul><li><svg><path d='M0'/></svg> Pool</li><li>Bar</li></ul>"
        "<script>x()</script><footer>Imprint</footer><div class='cookie-banner'>We use…</div>"
    )
    assert document.text == (
        "title: Inn\n\nThe Old Inn\n\nFour rooms and a bar.\n\nFacilities\n\n- Pool\n- Bar"
    )
    section = ("The Old Inn", "Facilities")
    assert document.blocks == (
        KeyValue(Span(0, 10), "title", "Inn", Span(7, 10)),
        Heading(Span(12, 23), "The Old Inn", 1),
        Prose(Span(25, 46), ("The Old Inn",)),
        Heading(Span(48, 58), "Facilities", 2),
        ListItem(Span(62, 66), "Pool", section),
        ListItem(Span(69, 72), "Bar", section),
    )
    assert document.title == "The Old Inn"


def test_labels_and_values_side_by_side_are_pairs() -> None:
    assert _pairs("<dl><dt>Rooms</dt><dd>12</dd><dt>Floors</dt><dd>3</dd></dl>") == [
        ("Rooms", "12"),
        ("Floors", "3"),
    ]
    assert _pairs("<dl><dt>Author</dt><dt>Editor</dt><dd>Ann</dd><dd>Bob</dd></dl>") == [
        ("Author, Editor", "Ann"),
        ("Author, Editor", "Bob"),
    ]
    assert _pairs('<div><span class="label">Price</span> <span>€ 90</span></div>') == [
        ("Price", "€ 90")
    ]
    assert _pairs("<p><strong>Check-in:</strong> 14:00</p>") == [("Check-in", "14:00")]
    assert _pairs("<ul><li><b>Pool</b> <i>1.2 km</i></li></ul>") == [("Pool", "1.2 km")]
    assert _pairs("<div><strong>120</strong><span class='label'>Rooms</span></div>") == [
        ("Rooms", "120")
    ]


def test_rows_of_the_same_shape_are_pairs_without_class_names() -> None:
    rows = "".join(
        f"<div><span>{key}</span><span>{value}</span></div>"
        for key, value in [("Email", "a@b.org"), ("Phone", "+49 30")]
    )
    assert _pairs(f"<section>{rows}</section>") == [("Email", "a@b.org"), ("Phone", "+49 30")]
    assert _pairs("<div><span>Alone</span><span>here</span></div>") == []


def test_labels_and_values_in_turn_are_pairs() -> None:
    html = "<p class=a>Rooms</p><p class=b>12</p><p class=a>Bar</p><p class=b>yes</p>"
    assert _pairs(f"<div>{html}</div>") == [("Rooms", "12"), ("Bar", "yes")]


def test_links_side_by_side_are_no_pairs() -> None:
    html = "<ul><li><a>Home</a><a>Sign in</a></li><li><a>Cars</a><a>Trips</a></li></ul>"
    assert _pairs(html) == []


def test_icons_speak_where_there_are_no_words() -> None:
    assert _items('<ul><li><img src="p.png" alt="Pool"></li><li><i title="Spa"></i></li></ul>') == [
        "Pool",
        "Spa",
    ]
    assert _items('<ul><li><i title="icon"></i>Bar</li></ul>') == ["Bar"]
    (stars,) = _read('<div><span title="3 stars">★★★</span></div>').blocks
    assert isinstance(stars, Prose)
    assert stars.span.of(_read('<div><span title="3 stars">★★★</span></div>').text) == "★★★ 3 stars"


def test_nested_lists_are_items_of_their_own() -> None:
    assert _items("<ul><li>Food<ul><li>Fish</li><li>Cake</li></ul></li><li>Tea</li></ul>") == [
        "Food",
        "Fish",
        "Cake",
        "Tea",
    ]


def test_a_table_keeps_paths_of_spanning_headers_and_its_caption() -> None:
    document = _read(
        "<table><caption>Revenue (in millions)</caption><thead><tr><th rowspan=2>Region</th>"
        "<th colspan=2>2020</th></tr><tr><th>North</th><th>South</th></tr></thead>"
        "<tbody><tr><td>Shoes</td><td>1</td><td>2</td></tr>"
        "<tr><td>Hats</td><td></td><td>4</td></tr></tbody></table>"
    )
    (table,) = [block for block in document.blocks if isinstance(block, Table)]
    assert table.headers == (("Region",), ("2020", "North"), ("2020", "South"))
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["Shoes", "1", "2"],
        ["Hats", "", "4"],
    ]
    assert table.caption == "Revenue (in millions)"


def test_a_table_of_two_columns_is_also_pairs() -> None:
    rows = "<tr><th>Pets</th><td>No</td></tr><tr><th>Cards</th><td>Visa<br>Amex</td></tr>"
    html = f"<table>{rows}</table>"
    assert _pairs(html) == [("Pets", "No"), ("Cards", "Visa; Amex")]
    (table, *_) = _read(html).blocks
    assert isinstance(table, Table)
    assert table.headers == ((), ())


def test_a_table_that_arranges_a_page_is_read_as_blocks() -> None:
    html = (
        "<table><tr><td><h2>About</h2><p>Nice.</p></td><td><ul><li>Bar</li></ul></td></tr></table>"
    )
    assert [type(block) for block in _read(html).blocks] == [Heading, Prose, ListItem]


def test_a_table_in_a_cell_is_said_once_in_that_cell() -> None:
    inner = "<table><tr><td>single</td><td>80</td></tr></table>"
    document = _read(
        f"<table><tr><th>Room<th>Rates<th>Note</tr><tr><td>Sea<td>{inner}<td>ok</tr>"
        "<tr><td>Yard<td>70<td></tr></table>"
    )
    [table] = [block for block in document.blocks if isinstance(block, Table)]
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["Sea", "single; 80", "ok"],
        ["Yard", "70", ""],
    ]
    assert document.text.count("80") == 1


@pytest.mark.parametrize(
    "unseen",
    [
        "<div hidden>Spa</div>",
        "<p style='color: red; DISPLAY : none'>Spa</p>",
        "<div role=dialog><ul><li>Spa</ul></div>",
        "<nav><h1>Spa</h1></nav>",
        "<ul class='gdpr-list'><li>Spa<ul><li hidden>Spa</ul></ul>",
        "<dl><dt>Wellness<dd hidden>Spa</dl>",
        "<table><tr hidden><td>Spa<td>yes</tr></table>",
        "<p><span class=sr-only>Spa</span></p>",
        "<template><p>Spa</p></template>",
        "<!-- Spa -->",
    ],
)
def test_what_a_page_does_not_show_is_not_read(unseen: str) -> None:
    document = _read(f"<title>Inn</title><body>{unseen}<h1>The Inn</h1><p>Four rooms.</p></body>")
    assert "Spa" not in document.text
    assert document.title == "The Inn"
    assert [type(block) for block in document.blocks] == [KeyValue, Heading, Prose]


def test_the_boxes_of_a_form_say_what_is_ticked_and_typed() -> None:
    assert _items(
        "<ul><li><input type=checkbox checked> Pool</li><li><input type=checkbox> Spa</li></ul>"
    ) == ["☑ Pool", "☐ Spa"]
    assert _pairs("<div><label>Guests</label> <span><input value=4></span></div>") == [
        ("Guests", "4")
    ]
    assert _read("<p>Code <input type=password value=secret></p>").text == "Code"


def test_metadata_is_pairs() -> None:
    html = (
        '<meta name="description" content="Nice inn"><meta name="viewport" content="x">'
        '<script type="application/ld+json">{"@type": "Hotel", "starRating": {"ratingValue": 4},'
        ' "amenity": ["Pool", "Bar"]}</script><script type="application/ld+json">{broken</script>'
        '<p>From <span itemprop="price" content="90.00">€ 90</span></p>'
    )
    assert _pairs(html) == [
        ("description", "Nice inn"),
        ("starRating.ratingValue", "4"),
        ("amenity", "Pool, Bar"),
        ("price", "90.00"),
    ]


def test_the_declared_encoding_counts() -> None:
    html = '<meta charset="iso-8859-2"><p>Zażółć gęślą</p>'.encode("iso-8859-2")
    assert read_html(html, "a.html").text == "Zażółć gęślą"


@pytest.mark.parametrize("opened", ["<div>", "<UL><li>", "<section class='a'>"])
def test_nesting_that_would_keep_the_parser_busy_for_hours_is_refused(opened: str) -> None:
    with pytest.raises(DocumentError, match="nested more than 10,000 deep"):
        read_html(opened.encode() * 200_000, "deep.html")


def test_many_elements_side_by_side_are_not_deep() -> None:
    content = read_html(b"<div><p>Tide</div>" * 11_000, "wide.html")
    assert content.text.count("Tide") == 11_000


def test_deep_nesting_is_no_error() -> None:
    html = "<div>" * 5000 + "deep" + "</div>" * 5000
    assert _read(html).text == "deep"


_TAGS = st.sampled_from(
    ["<p>", "</p>", "<div>", "</div>", "<ul>", "<li>", "</li>", "</ul>", "<table>", "<tr>", "<td>",
     "<th colspan=3>", "<td rowspan=2>", "</tr>", "</table>", "<dl>", "<dt>", "<dd>", "<br>", "<b>",
     "</b>", "<span class=label>", "</span>", "Key", ": ", "12", " ", "a, b, c", "<h2>", "</h2>",
     "<pre>", "\n", "é&amp;", "<img alt=x>", "• ", "|"]
)  # fmt: skip


@given(st.lists(_TAGS, max_size=40).map("".join))
def test_every_block_is_where_it_says(check_places: Callable[[Document], None], html: str) -> None:
    check_places(_read(html))
