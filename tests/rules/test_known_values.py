"""What some documents say beside a key, others say in a sentence."""

from pathlib import Path

from srag_mcp.documents.document import Document
from srag_mcp.documents.folder import find_documents
from srag_mcp.documents.reading import read_file, read_text
from srag_mcp.rules.extraction import extract_record
from srag_mcp.rules.induction import induce_schema
from srag_mcp.rules.sightings import Sightings
from srag_mcp.schema.attribute import KeyRule
from srag_mcp.settings import Settings

_GLAZES = ("celadon", "iron red", "salt glaze")
_ELSEWHERE = "It was shown beside a piece in {}."


def _pots(elsewhere: str = "") -> list[Document]:
    """Every third pot says its glaze in a sentence, the others beside a key."""
    documents = []
    for number in range(24):
        glaze, other = _GLAZES[number % 4 % 3], _GLAZES[(number + 1) % 4 % 3]
        said = f"A vessel in {glaze}." if number % 3 == 0 else f"Glaze: {glaze}"
        text = f"Potter: Maker {number}\n{said}\n\n{elsewhere.format(other)}\n"
        documents.append(read_text(text, f"pot_{number}.txt"))
    return documents


def _glazes(documents: list[Document]) -> list[str | None]:
    schema = induce_schema(documents, title="Pots", entity="pots")
    place = next(
        place
        for place, attribute in enumerate(schema.attributes)
        for rule in attribute.extractors
        if isinstance(rule, KeyRule) and "glaze" in rule.keys
    )
    return [
        extract_record(Sightings(document), schema).cells[place].as_stated for document in documents
    ]


def test_values_that_documents_say_of_something_else_are_not_taken() -> None:
    assert _glazes(_pots(_ELSEWHERE))[::3] == [None] * 8


def test_a_heading_with_one_line_below_it_is_a_key(tmp_path: Path) -> None:
    for number in range(9):
        text = f"# Pot {number}\n\n## Kiln\n\nAnagama {number % 5}\n\n## Notes\n\nAll is well.\n"
        (tmp_path / f"{number}.md").write_text(text)
    sources, _ = find_documents(tmp_path, Settings.from_environ({}))
    documents = list(map(read_file, sources))
    schema = induce_schema(documents, title="Pots", entity="pots")
    kiln = next(attribute for attribute in schema.attributes if attribute.name == "kiln")
    assert KeyRule(keys=("kiln",)) in kiln.extractors
    assert (
        extract_record(Sightings(documents[4]), schema.model_copy(update={"attributes": (kiln,)}))
        .cells[0]
        .as_stated
        == "Anagama 4"
    )
