"""A folder of reports of stations, in text and in pages."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fpdf import FPDF

from srag_mcp.pipeline.ingest import ingest
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool

STATIONS = Schema(
    title="Report",
    entity="reports",
    attributes=(
        Attribute(name="station", type="string"),
        Attribute(name="year", type="integer"),
        Attribute(name="keeper", type="string"),
    ),
)
TEXTS = {
    "olm_2019.txt": (
        "Station: Olm\nYear: 2019\nKeeper: Ann Lee\n\n# Snow depth\n\n"
        "Snow depth fell in spring.\n\n# Wind\n\nGusts tore off the mast.\n"
    ),
    "olm_2020.txt": (
        "Station: Olm\nYear: 2020\nKeeper: Bo Marsh\n\n# Snow depth\n\n"
        "The average depth was less than before. Of snow there is more to say: snow lay long.\n"
    ),
    "rann_2019.txt": (
        "Station: Rann\nYear: 2019\nKeeper: Cy Field\n\n# Flood\n\n"
        "The marsh was under water, and the field behind the station as well.\n"
    ),
    "tokyo.txt": "東京都の積雪は三月に増えた。\n",
}
PAGES = ["The cable of the lift was new.", "Costs of the lift: 120.", "Costs of the cable: 80."]


@pytest.fixture(scope="package")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    folder = Path(tmp_path_factory.mktemp("stations"))
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    pdf = FPDF()
    pdf.set_font("Helvetica")
    for line in PAGES:
        pdf.add_page()
        pdf.cell(text=line)
    pdf.output(str(folder / "lift.pdf"))
    settings = Settings(workers=1, home=tmp_path_factory.mktemp("home"))
    ingest(folder, settings, schema=STATIONS)
    with QueryPool() as worker:
        yield Corpus(folder, worker, settings.home)
