from srag_mcp.grammar.translate import translate
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.store.statistics import ColumnStatistics, ValueCount
from srag_mcp.store.values import ValueIndex

SCHEMA = Schema(
    title="Leaflets",
    entity="leaflets",
    nouns=("leaflet", "leaflets"),
    attributes=(
        Attribute(name="title", type="string"),
        Attribute(name="pages", type="integer", synonyms=("number of pages",)),
    ),
)


def _statistics(column: str, values: tuple[ValueCount, ...]) -> ColumnStatistics:
    n = sum(item.count for item in values)
    kind = SCHEMA.attribute(column).type
    return ColumnStatistics(column, kind, n, n, n, n, 0, 0, 0, len(values), values=values)


def test_the_noun_of_the_records_is_no_value_even_where_a_title_says_it() -> None:
    titles = (ValueCount("Leaflet", 3), ValueCount("Poster", 2))
    statistics = {
        "title": _statistics("title", titles),
        "pages": _statistics("pages", (ValueCount(4, 3), ValueCount(1, 2))),
    }
    values = ValueIndex([("title", "Leaflet", 3), ("title", "Poster", 2)])
    found = translate("How many leaflets have more than 3 pages?", SCHEMA, statistics, values)
    assert found.sql == "SELECT COUNT(*) FROM leaflets WHERE pages > 3"
