"""Types of lists that a model proposed: all values of a column tell them, the words check them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from srag_mcp.cells.cell import ListedCells, PredictedRecord
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.pipeline.record_run import settle_lists
from srag_mcp.pipeline.schema_choice import put_edit_in_force
from srag_mcp.records.judging import Judge
from srag_mcp.records.listed import list_attribute, read_list
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import PendingList, Schema
from srag_mcp.settings import Settings
from srag_mcp.store.layout import CorpusFolder
from srag_mcp.store.predictions import Predictions
from srag_mcp.store.work import open_work

COSTS = PendingList(name="costs", description="What it cost.", fields=("what", "amount", "paid on"))
PLAIN = Schema(
    title="Report", entity="reports", attributes=(Attribute(name="town", type="string"),)
)
PROPOSED = PLAIN.model_copy(
    update={"pending_lists": (COSTS, PendingList(name="guests", fields=("name",)))}
)
Said = tuple[str | None, str | None, str, str]


def settle(
    tmp_path: Path, texts: Mapping[str, str], rows: Sequence[object]
) -> tuple[Schema, list[Said]]:
    """Settle lists of which a model gave *rows* of the first document, as it gives them."""
    folder, settings = tmp_path / "reports", Settings(home=tmp_path / "home", workers=1)
    folder.mkdir()
    for name, text in texts.items():
        (folder / name).write_text(text)
    ingest(folder, settings, schema=PLAIN)
    with open_work(CorpusFolder(folder, settings.home).writable()) as work:
        schema, predictions = put_edit_in_force(work, PROPOSED), Predictions(work)
        [child, _] = schema.with_pending().children
        [document] = predictions.texts([min(texts)])
        read = read_list(Judge(document, "model"), child, [2, rows])
        items = tuple(tuple(item.taken for item in row) for row in read.rows)
        record = PredictedRecord(
            document.document_id,
            document.sha256,
            (read.judgement.taken,),
            lists=(ListedCells(child.entity, items),),
        )
        predictions.store([list_attribute(child)], [record])
        settled = settle_lists(work, schema)
        cells = predictions.rows(settled.children[0])
        assert not predictions.rows(child), "they are those of the table now"
        assert predictions.cells(list_attribute(settled.children[0])).keys() == {min(texts)}
    said = [
        (cell.value_text, cell.cell.as_stated, cell.cell.state.value, " ".join(cell.cell.marks))
        for key, cell in cells.items()
        if key.attribute != "what"
    ]
    return settled, said


def test_columns_have_the_types_of_all_their_values(tmp_path: Path) -> None:
    text = "Rent    1.200,50 EUR  on 3 May 2024\nHeat    80,25 EUR  on 4 May 2024\n"
    rows = [["Rent", "1.200,50 EUR", ["2024-05-03", "3 May 2024"]], ["Heat", "80,25 EUR", None]]
    schema, said = settle(tmp_path, {"a.txt": text}, rows)
    [costs] = schema.children
    assert [(x.name, str(x.type), x.unit) for x in costs.attributes] == [
        ("what", "string", None),
        ("amount", "number", "EUR"),
        ("paid_on", "date", None),
    ]
    assert costs.description == "What it cost."
    assert [item.name for item in schema.pending_lists] == ["guests"], "nobody said who came"
    assert said == [
        ("1200.5", "1.200,50 EUR", "stated", ""),
        ("2024-05-03", "3 May 2024", "stated", ""),
        ("80.25", "80,25 EUR", "stated", ""),
        (None, None, "not_mentioned", ""),
    ]


def test_a_number_without_the_scale_of_its_table_is_in_doubt(tmp_path: Path) -> None:
    text = "Costs (in thousands of EUR)\n\nWhat  |  Amount\nRent  |  1,200\nHeat  |  340\n"
    rows = [["Rent", "1,200", None], ["Heat", ["340 thousand EUR", "340"], None]]
    _, said = settle(tmp_path, {"a.txt": text}, rows)
    assert [item for item in said if item[0]] == [
        ("1200", "1,200", "stated", "doubted"),
        ("340000", "340", "stated", ""),
    ]


def test_what_does_not_fit_the_column_has_no_value(tmp_path: Path) -> None:
    text = "".join(f"Part {n} costs {n}.50 today.\n" for n in "ABCD").replace("A.50", "plenty")
    text = text.replace("B.50", "7.50").replace("C.50", "8.50").replace("D.50", "9.50")
    rows = [["A", "plenty", None], ["B", "7.50", None], ["C", "8.50", None], ["D", "9.50", None]]
    _, said = settle(tmp_path, {"a.txt": text}, rows)
    assert [item[:3] for item in said if item[1]] == [
        (None, "plenty", "failed"),
        ("7.5", "7.50", "stated"),
        ("8.5", "8.50", "stated"),
        ("9.5", "9.50", "stated"),
    ]
