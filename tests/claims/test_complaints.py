from srag_mcp.cells.cell import Cell, PredictedCell
from srag_mcp.claims.suspects import find_complaints
from srag_mcp.schema.attribute import AbsentMeans, Attribute
from srag_mcp.values.states import State


def cells(*values: str | None) -> dict[str, PredictedCell]:
    return {
        str(number): PredictedCell(
            Cell("amends", State.NOT_MENTIONED if value is None else State.STATED, value), value
        )
        for number, value in enumerate(values)
    }


def complaints(absent_means: AbsentMeans, *values: str | None) -> list[str]:
    attribute = Attribute(name="amends", type="boolean", absent_means=absent_means)
    return list(find_complaints(attribute, cells(*values)))


def test_a_boolean_that_nobody_denies_is_asked_about() -> None:
    assert complaints("unknown", "true", None, None) == [
        "attribute amends: 1 documents say yes, 2 nothing, none no: if silence means no, its"
        ' absent_means is "false"'
    ]


def test_one_that_is_denied_or_settled_is_left_alone() -> None:
    assert complaints("unknown", "true", "false", None) == []
    assert complaints("unknown", None, None) == []
    assert complaints("false", "true", None) == []


def test_failed_cells_are_told_with_their_reasons() -> None:
    attribute = Attribute(name="amends", type="boolean")
    failed = PredictedCell(Cell("amends", State.FAILED, note="'perhaps' is not true or false"))
    assert list(find_complaints(attribute, {"1": failed})) == [
        "attribute amends: 'perhaps' is not true or false"
    ]


def test_categories_that_resemble_each_other_are_told_before_a_document_has_them() -> None:
    attribute = Attribute(
        name="ship_type", type="string", categories=("Bulk carrier", "Tanker", "Bulk carriers")
    )
    assert list(find_complaints(attribute, {})) == [
        "attribute ship_type: its categories “Bulk carrier” and “Bulk carriers” may be one;"
        " list it once"
    ]
