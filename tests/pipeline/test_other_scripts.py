"""Columns whose names have no Latin letter: the report says which is which."""

from pathlib import Path

import pytest

from srag_mcp.pipeline.ingest import ingest
from srag_mcp.schema.json_schema import schema_from_json
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool


@pytest.fixture
def towers(tmp_path: Path) -> Path:
    folder = tmp_path / "towers"
    folder.mkdir()
    for number in range(6):
        text = f"所在地：鳴門市\n高さ：{60 + number} m\nкласс: B{number}\n"
        (folder / f"{number}.txt").write_text(text, encoding="utf-8")
    return folder


def test_the_report_says_what_became_of_names_in_other_scripts(
    towers: Path, worker: QueryPool
) -> None:
    properties = {"高さ": {"type": "number", "x-unit": "m"}, "класс": {"type": "string"}}
    schema = schema_from_json({"properties": {"height_m": {"type": "number"}, **properties}})
    settings = Settings(workers=1, home=towers.with_name("home"))

    report = ingest(towers, settings, schema=schema)

    assert report.attributes == ("height_m", "attribute_2", "attribute_3")
    told = "names of columns have Latin letters: attribute_2 is “高さ”, attribute_3 is “класс”."
    assert sum(told in text for text in report.warnings) == 1
    others = [text for text in report.warnings if told not in text]
    assert others == ["no rule was found for height_m, and no model has read it: no value is known"]
    page = Corpus(towers, worker, settings.home).select("SELECT max(attribute_2) FROM record")
    assert page.rows == ((65.0,),)


def test_so_it_does_where_code_found_the_columns(towers: Path) -> None:
    report = ingest(towers, Settings(workers=1, home=towers.with_name("home")))
    [told] = [text for text in report.warnings if "Latin letters" in text]
    assert "“高さ”" in told
    assert "“класс”" in told


def test_names_that_can_be_read_need_no_word(towers: Path) -> None:
    schema = schema_from_json({"properties": {"value": {"type": "number"}}})
    report = ingest(towers, Settings(workers=1, home=towers.with_name("home")), schema=schema)
    assert not [text for text in report.warnings if "Latin letters" in text]
