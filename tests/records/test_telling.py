"""Telling words: which parts of documents may state a column, learnt from those read whole."""

from collections.abc import Iterable

from srag_mcp.cells.cell import DocumentText
from srag_mcp.pipeline.rule_reading import ReadText, find_parts, learn_words
from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.spans import Span

MASS = Attribute(name="mass", type="number", unit="kg", description="How heavy the boat is.")
FILLER = (
    "Nobody knows who painted the wheelhouse, and the harbour master never asked about it. " * 3
)


def boat(number: int, said: str) -> DocumentText:
    text = (
        f"{FILLER}\n\n{said}\n\n{FILLER}\n\nBuilt by {number} men in {1900 + number}.\n\n{FILLER}"
    )
    return DocumentText(f"{number}.txt", "", f"{number}.txt", text, "")


def read(document: DocumentText, said: str) -> ReadText:
    start = document.text.index(said) if said else 0
    return ReadText(find_parts(document), Span(start, start + len(said)) if said else None)


SAID = ["It weighs 12 tonnes.", "On the scales: 900 kg.", "She weighs in at 7 tonnes.", ""]
SHELVES = ["scales show 4 tonnes", "weighs 3 kg"]


def learn(said: Iterable[str]):  # type: ignore[no-untyped-def]
    documents = [(boat(n, words), words) for n, words in enumerate(said)]
    return learn_words(MASS, [read(*item) for item in documents])


def test_a_part_tells_a_column_that_has_a_word_of_statements_elsewhere() -> None:
    telling = learn(SAID * 4)
    assert telling is not None
    for words in SHELVES:
        document = boat(77, f"The {words}.")
        [span] = telling.find(find_parts(document))
        assert words in span.of(document.text)
    assert not telling.find(find_parts(boat(78, "The mast is of pine.")))


def test_too_few_statements_and_those_without_a_common_word_teach_nothing() -> None:
    assert learn(["It weighs 12 tonnes.", "", "It weighs 7 tonnes.", ""]) is None
    assert learn(["Aye.", "Twelve!", "Heaven", "quite so", "x y"]) is None


def test_known_values_tell_a_column_of_names() -> None:
    port = Attribute(name="home", type="string", description="Where it lies.")
    towns = ["Arla", "Bude", "Cork", "Deal"] * 3
    documents = [boat(n, f"{town}, {'abcdefghijkl'[n] * 3}") for n, town in enumerate(towns)]
    said = [read(x, town) for x, town in zip(documents, towns, strict=True)]
    telling = learn_words(port, said, {*towns})
    assert telling is not None
    document = boat(50, "Nowhere but Cork")
    assert any("Cork" in span.of(document.text) for span in telling.find(find_parts(document)))


def test_numbers_are_told_by_their_form_and_symbols_stand_for_words() -> None:
    [part, *_] = find_parts(DocumentText("a", "", "a", "€ 1250 ★★ 7 %", ""))
    assert {"€", "★", "%", "0000", "0"} <= part.words
