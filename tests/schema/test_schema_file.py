from pathlib import Path

import pytest

from srag_mcp.errors import SchemaError
from srag_mcp.schema.schema_file import read_schema_file

GOOD = '{"title": "Tower", "properties": {"height": {"type": "number"}}}'


def test_a_schema_file_is_read_with_or_without_a_byte_order_mark(tmp_path: Path) -> None:
    plain, marked = tmp_path / "plain.json", tmp_path / "marked.json"
    plain.write_text(GOOD, encoding="utf-8")
    marked.write_text(GOOD, encoding="utf-8-sig")
    assert read_schema_file(plain) == read_schema_file(marked)
    assert [item.name for item in read_schema_file(plain).attributes] == ["height"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "is not JSON that can be read"),
        (
            '{"properties": {"a": {"type": "number"}, "a": {"type": "string"}}}',
            "'a' is there twice",
        ),
        ('{"properties": {"a": {"type": "array"}}}', "a"),
    ],
)
def test_a_bad_schema_file_is_named_with_its_fault(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "schema.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SchemaError) as caught:
        read_schema_file(path)
    assert str(path) in str(caught.value)
    assert words in str(caught.value)


def test_a_missing_schema_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="No such file"):
        read_schema_file(tmp_path / "schema.json")
