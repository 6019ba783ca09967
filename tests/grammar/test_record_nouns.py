from dataclasses import replace

import pytest

from srag_mcp.errors import QuestionError
from srag_mcp.grammar.translate import TwoReadingsError, describe_tables, translate
from srag_mcp.schema.attribute import Attribute, SlotRule
from srag_mcp.schema.schema import Schema
from srag_mcp.sqlfacts.query import Translation
from srag_mcp.store.statistics import ColumnStatistics, ValueCount
from srag_mcp.store.values import ValueIndex
from srag_mcp.values.types import INTEGER
from tests.grammar.conftest import build_world

SCHEMA = Schema(
    title="Leaflets",
    entity="leaflets",
    nouns=("leaflet", "leaflets"),
    attributes=(
        Attribute(name="title", type="string"),
        Attribute(name="pages", type="integer", synonyms=("number of pages",)),
    ),
)
CALLED = "that all records are what some have as a value, or are called"
WASPS = {"title": "Wasps", "entity": "wasps", "nouns": ("call", "calls")}


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
    found = translate(
        "How many leaflets have more than 3 pages?",
        SCHEMA,
        describe_tables(SCHEMA, statistics),
        values,
    )
    assert found.sql == "SELECT COUNT(*) FROM leaflets WHERE pages > 3"
    assert found.assumed == (CALLED,)  # of the posters nobody says that they are leaflets


def test_what_only_the_folder_is_called_is_not_counted_in_total() -> None:
    calls = SCHEMA.model_copy(update={"tables": (SCHEMA.table.model_copy(update=WASPS),)})
    statistics = {"pages": _statistics("pages", (ValueCount(4, 3), ValueCount(1, 2)))}
    for total in ("in all", "in total", "altogether"):
        with pytest.raises(QuestionError):
            translate(
                f"How many wasps were there {total}?",
                calls,
                describe_tables(calls, statistics),
                ValueIndex([]),
            )


def test_what_a_folder_is_about_is_no_record_where_documents_have_a_noun() -> None:
    named = {"title": "Wasp", "entity": "wasp", "nouns": ("call", "calls")}
    statistics = {"pages": _statistics("pages", (ValueCount(4, 3), ValueCount(1, 2)))}
    calls = SCHEMA.model_copy(update={"tables": (SCHEMA.table.model_copy(update=named),)})
    nameless = SCHEMA.model_copy(
        update={"tables": (SCHEMA.table.model_copy(update=named | {"nouns": ()}),)}
    )
    for noun in ("wasps", "wasp calls"):  # not each call is about wasps
        with pytest.raises(QuestionError, match="has no place"):
            translate(
                f"How many {noun} are there?",
                calls,
                describe_tables(calls, statistics),
                ValueIndex([]),
            )
    for schema, noun in ((calls, "calls"), (nameless, "wasps")):
        found = translate(
            f"How many {noun} are there?",
            schema,
            describe_tables(schema, statistics),
            ValueIndex([]),
        )
        assert (found.sql, found.assumed) == ("SELECT COUNT(*) FROM wasp", ())


@pytest.mark.parametrize("folder", ["ebikes", "e_bikes"])
def test_a_hyphen_in_what_a_record_is_called_makes_no_other_word(folder: str) -> None:
    noun = folder.removeprefix("e_").removesuffix("s")
    called = {"title": folder, "entity": folder, "nouns": (noun, f"{noun}s")}
    bikes = SCHEMA.model_copy(update={"tables": (SCHEMA.table.model_copy(update=called),)})
    statistics = {"pages": _statistics("pages", (ValueCount(4, 3), ValueCount(1, 2)))}
    found = translate(
        "How many e-bikes have 4 pages?", bikes, describe_tables(bikes, statistics), ValueIndex([])
    )
    assert found.sql == f"SELECT COUNT(*) FROM {folder} WHERE pages = 4"


ISSUES = Schema(
    title="Magazines",
    entity="magazines",
    attributes=(
        Attribute(name="magazine", type="string"),
        Attribute(name="issue", type="string"),
        Attribute(name="pages", type="integer"),
    ),
)


def _ask_of_issues(question: str) -> str:
    """Ask about six issues of three magazines, whose numbers begin at 1 in each."""
    held: dict[str, tuple[str | int, ...]] = {
        "magazine": ("Pebble", "Rail", "Small Press"),
        "issue": ("1/2025", "2/2025"),
        "pages": (36, 48, 52),
    }
    statistics = {}
    for name, values in held.items():
        kind, counts = (
            ISSUES.attribute(name).type,
            [ValueCount(v, 6 // len(values)) for v in values],
        )
        statistics[name] = ColumnStatistics(
            name, kind, 6, 6, 6, 6, 0, 0, 0, len(values), values=tuple(counts)
        )
    texts = [(name, str(v), 2) for name, values in held.items() for v in values if name != "pages"]
    return translate(question, ISSUES, describe_tables(ISSUES, statistics), ValueIndex(texts)).sql


def test_what_is_numbered_anew_within_something_else_is_no_number_of_different_ones() -> None:
    with pytest.raises(QuestionError, match="in two ways: number of different issue; or: number"):
        _ask_of_issues("How many issues are there?")
    for question in (
        "What is the average number of pages per issue?",
        "Which issue has the most pages?",
        "Which issues have more than 40 pages?",
    ):
        with pytest.raises(QuestionError):
            _ask_of_issues(question)
    different = _ask_of_issues("How many different issues are there?")
    assert different == "SELECT COUNT(DISTINCT issue) FROM magazines"
    most = _ask_of_issues("Which magazine has the most pages?")
    assert most.startswith("SELECT magazine FROM magazines")


def _ask_of_episodes(question: str, key: str, name: str) -> str:
    """Ask about six episodes with numbers of their own, of which two are called alike."""
    schema = Schema(
        title="Episodes",
        entity="episodes",
        attributes=(
            Attribute(name=key, type="integer"),
            Attribute(name=name, type="string"),
            Attribute(name="downloads", type="integer"),
        ),
    )
    held: dict[str, dict[str | int, int]] = {
        key: dict.fromkeys((4, 5, 7, 8, 9, 11), 1),
        name: {"The Visitor": 2, "Pilot": 1, "Harbour": 1, "Snow": 1, "Night Train": 1},
        "downloads": dict.fromkeys((700, 600, 900, 1000, 450, 820), 1),
    }
    statistics = {
        column: ColumnStatistics(
            column, schema.attribute(column).type, 6, 6, 6, 6, 0, 0, 0, len(values),
            values=tuple(ValueCount(value, n) for value, n in values.items()),
        )
        for column, values in held.items()
    }  # fmt: skip
    texts = ValueIndex([(name, str(value), n) for value, n in held[name].items()])
    return translate(question, schema, describe_tables(schema, statistics), texts).sql


def test_what_two_records_are_called_is_not_ranked_by_the_sum_of_both() -> None:
    for key, name in (("id", "title"), ("id", "episode"), ("episode_id", "title")):
        with pytest.raises(QuestionError, match=f"{name} with the highest sum of downloads; or: "):
            _ask_of_episodes(f"Which {name} has the most downloads?", key, name)
    with pytest.raises(QuestionError, match="in two ways: title with the highest sum"):
        _ask_of_episodes("Which episode has the most downloads?", "id", "title")
    numbered = _ask_of_episodes("Which episode has the most downloads?", "episode_id", "title")
    assert numbered.startswith("SELECT title FROM episodes WHERE downloads = (SELECT MAX(")
    summed = _ask_of_episodes("Which title has the highest total downloads?", "id", "title")
    assert "GROUP BY title" in summed


NOTES = Schema(
    title="Delivery notes",
    entity="energy",
    nouns=("energy",),
    attributes=(
        Attribute(name="title", type="string"),
        Attribute(name="building", type="string"),
        Attribute(name="weight", type="integer"),
    ),
)


def _ask_of_notes(question: str) -> str:
    held: dict[str, tuple[ValueCount, ...]] = {
        "title": tuple(ValueCount(f"Delivery note {n}", 1) for n in range(4)),
        "building": (ValueCount("Depot", 3), ValueCount("Library", 1)),
        "weight": (ValueCount(4, 3), ValueCount(1, 1)),
    }
    kinds = {a.name: a.type for a in NOTES.attributes}
    statistics = {
        name: ColumnStatistics(name, kinds[name], 4, 4, 4, 4, 0, 0, 0, len(values), values=values)
        for name, values in held.items()
    }
    index = ValueIndex(
        [(name, str(v.value), v.count) for name in ("title", "building") for v in held[name]]
    )
    return translate(question, NOTES, describe_tables(NOTES, statistics), index).sql


def test_words_that_all_values_of_a_column_have_filter_nothing() -> None:
    assert _ask_of_notes("How many delivery notes are there?") == "SELECT COUNT(*) FROM energy"


def test_what_is_not_said_in_the_plural_is_not_counted() -> None:
    with pytest.raises(QuestionError):
        _ask_of_notes("Which building used the most energy?")


def test_what_a_number_counts_is_no_noun_of_the_records() -> None:
    schema = Schema(
        title="Visitors",
        entity="visitors",
        nouns=("visitor", "visitors"),
        attributes=(
            Attribute(name="weather", type="string"),
            Attribute(name="visitors", type="integer"),
        ),
    )
    rainy = (ValueCount("rainy", 3), ValueCount("sunny", 1))
    many = tuple(ValueCount(n, 1) for n in (212, 187, 240, 55))
    text, number = (attribute.type for attribute in schema.attributes)
    statistics = {
        "weather": ColumnStatistics("weather", text, 4, 4, 4, 4, 0, 0, 0, 2, values=rainy),
        "visitors": ColumnStatistics(
            "visitors", number, 4, 4, 4, 4, 0, 0, 0, 4, minimum=55, maximum=240, values=many
        ),
    }
    index = ValueIndex([("weather", str(item.value), item.count) for item in rainy])
    for question in ("How many visitors were there?", "How many visitors came on rainy days?"):
        try:
            sql = translate(question, schema, describe_tables(schema, statistics), index).sql
        except QuestionError:
            continue
        assert "COUNT(*)" not in sql, question


def test_money_counts_none_of_what_its_name_has_in_the_plural() -> None:
    paid = Attribute(name="previously_paid_claims", type="number", unit="EUR")
    number = Attribute(name="claim_number", type="string")
    nouns = ("claim", "claims")
    schema = Schema(title="Claims", entity="claims", nouns=nouns, attributes=(paid, number))
    world = build_world(schema, [(120.0, "K1"), (90.5, "K2"), (None, None)])
    assert world.ask("How many claims are there?").sql == "SELECT COUNT(*) FROM claims"


PERMITS = (
    Attribute(name="status", type="string"),
    Attribute(name="fee", type="integer"),
    Attribute(name="slide", type="boolean"),
)


def _ask_of_folder(question: str, entity: str) -> str:
    """Ask about twelve records of a folder; the status of some is what its name says, too."""
    title = entity.replace("_", " ").capitalize()
    schema = Schema(title=title, entity=entity, attributes=PERMITS)
    held: dict[str, tuple[str | int | bool, ...]] = {
        "status": ("Leeds", "closed", "lost", "open", "paid", "unpaid"),
        "fee": (3, 7),
        "slide": (True, False),
    }
    statistics = {}
    for item in PERMITS:
        counts = [ValueCount(value, 12 // len(held[item.name])) for value in held[item.name]]
        n = len(counts)
        statistics[item.name] = ColumnStatistics(
            item.name, item.type, 12, 12, 12, 12, 0, 0, 0, n, values=tuple(counts)
        )
    values = ValueIndex([("status", str(value), 2) for value in held["status"]])
    return translate(question, schema, describe_tables(schema, statistics), values).sql


@pytest.mark.parametrize(
    ("entity", "question", "where"),
    [
        ("open_and_closed_permits", "How many permits are open?", " WHERE status = 'open'"),
        ("open_and_closed_permits", "How many open permits are there?", " WHERE status = 'open'"),
        ("open_and_closed_permits", "How many permits are there?", ""),
        ("lost_property", "How many records are lost?", " WHERE status = 'lost'"),
        ("paid_unpaid", "How many records are unpaid?", " WHERE status = 'unpaid'"),
        ("leeds_flats", "How many flats are in Leeds?", " WHERE status = 'Leeds'"),
        ("leeds_flats", "How many flats are there?", ""),
    ],
)
def test_what_a_folder_is_called_after_is_asked_for_where_it_is_stored(
    entity: str, question: str, where: str
) -> None:
    assert _ask_of_folder(question, entity) == f"SELECT COUNT(*) FROM {entity}{where}"


@pytest.mark.parametrize("question", ["How many have no relay?", "How many have closed slides?"])
def test_a_word_of_the_language_is_no_noun_and_what_is_stored_qualifies_no_other(
    question: str,
) -> None:
    with pytest.raises(QuestionError):
        _ask_of_folder(question, "permits_no")


@pytest.mark.parametrize("asked", ["in total", "altogether", "from Acme in total"])
def test_a_noun_that_only_the_folder_has_is_not_counted_in_total(asked: str) -> None:
    schema = Schema(
        title="Bulbs",
        entity="bulbs",
        nouns=("delivery", "deliveries"),
        attributes=(Attribute(name="supplier", type="string"),),
    )
    values = (ValueCount("Acme", 3), ValueCount("Zeta", 2))
    kind = schema.attribute("supplier").type
    statistics = {
        "supplier": ColumnStatistics("supplier", kind, 5, 5, 5, 5, 0, 0, 0, 2, values=values)
    }
    index = ValueIndex([("supplier", str(item.value), item.count) for item in values])

    counted = translate(
        f"How many deliveries {asked}?", schema, describe_tables(schema, statistics), index
    ).sql
    assert counted.startswith("SELECT COUNT(*) FROM bulbs")
    with pytest.raises(QuestionError):
        translate(f"How many bulbs {asked}?", schema, describe_tables(schema, statistics), index)


def test_a_word_of_the_language_that_ends_a_question_may_be_a_value() -> None:
    levels = (ValueCount("own", 3), ValueCount("borrowed", 2))
    schema = Schema(
        title="Skills",
        entity="skills",
        nouns=("skill", "skills"),
        attributes=(Attribute(name="level", type="string"),),
    )
    kind = schema.attribute("level").type
    statistics = {"level": ColumnStatistics("level", kind, 5, 5, 5, 5, 0, 0, 0, 2, values=levels)}
    index = ValueIndex([("level", str(item.value), item.count) for item in levels])

    with pytest.raises(TwoReadingsError, match="where level is 'own'; or: number of records"):
        translate("How many skills are own?", schema, describe_tables(schema, statistics), index)


@pytest.mark.parametrize(
    ("column", "n_distinct", "groups"),
    [("wall", 3, True), ("wall", 30, False), ("walls", 3, False), ("wall_m", 3, False)],
)
def test_few_numbers_of_what_is_named_in_the_singular_are_groups(
    column: str, n_distinct: int, groups: bool
) -> None:
    unit = "m" if column.endswith("_m") else None
    schema = Schema(
        title="Pictures",
        entity="pictures",
        nouns=("picture",),
        attributes=(Attribute(name=column, type="integer", unit=unit),),
    )
    found = ColumnStatistics(column, INTEGER, 40, 40, 40, 40, 0, 0, 0, n_distinct)
    question = f"How many pictures per {column.removesuffix('_m')}?"
    if groups:
        sql = translate(
            question, schema, describe_tables(schema, {column: found}), ValueIndex([])
        ).sql
        assert sql.startswith(f"SELECT {column}, COUNT(*) FROM pictures")
    else:
        with pytest.raises(QuestionError):
            translate(question, schema, describe_tables(schema, {column: found}), ValueIndex([]))


RUNNERS = Schema(
    title="Entries",
    entity="entries",
    nouns=("entry",),
    attributes=(
        Attribute(name="runner", type="string"),
        Attribute(name="club", type="string"),
        Attribute(name="age", type="integer"),
    ),
)


@pytest.mark.parametrize(
    ("names", "question", "sql"),
    [
        (("Ada Brook", "Ben Fox", "Cleo Marsh"), "Who is the oldest?", "SELECT runner FROM"),
        (("R1", "R2", "R3"), "Who is the oldest?", ""),
        (("R1", "R2", "R3"), "How many runners per club?", "SELECT club, COUNT(*) FROM"),
        (("R1", "R2", "R3"), "How many different runners per club?", ""),
    ],
)
def test_what_tells_records_apart_stands_for_them(
    names: tuple[str, ...], question: str, sql: str
) -> None:
    held = {"runner": names, "club": ("Ulm",), "age": (31, 44, 58)}
    statistics = {
        name: ColumnStatistics(
            name,
            RUNNERS.attribute(name).type,
            *(3, 3, 3, 3, 0, 0, 0, len(values)),
            values=tuple(ValueCount(value, 3 // len(values)) for value in values),
        )
        for name, values in held.items()
    }
    renamed = RUNNERS.table.model_copy(update={"nouns": ("runner",) if "Who" in question else ()})
    schema = RUNNERS.model_copy(update={"tables": (renamed,)})
    if sql:
        assert translate(
            question, schema, describe_tables(schema, statistics), ValueIndex([])
        ).sql.startswith(sql)
    else:
        with pytest.raises(QuestionError):
            translate(question, schema, describe_tables(schema, statistics), ValueIndex([]))


@pytest.mark.parametrize(("last", "is_counted"), [(142, True), (150, False)])
def test_a_series_by_itself_names_what_it_numbers(last: int, *, is_counted: bool) -> None:
    columns = (Attribute(name="episode", type="integer"), Attribute(name="host", type="string"))
    schema = Schema(title="Radio", entity="radio", attributes=columns)
    known = {x.name: ColumnStatistics(x.name, x.type, 42, 42, 42, 42, 0, 0, 0, 9) for x in columns}
    known["episode"] = replace(known["episode"], n_distinct=42, minimum=101, maximum=last)
    tables = describe_tables(schema, known)

    def ask() -> str:
        return translate("How many episodes are there?", schema, tables, ValueIndex(())).sql

    if is_counted:
        assert ask() == "SELECT COUNT(*) FROM radio"
    else:
        with pytest.raises(QuestionError):
            ask()


@pytest.mark.parametrize(("n_numbered", "is_counted"), [(20, True), (19, False)])
def test_what_half_of_the_records_number_is_counted_in_all_aloud(
    n_numbered: int, *, is_counted: bool
) -> None:
    columns = (Attribute(name="plan_no", type="string"), Attribute(name="host", type="string"))
    schema = Schema(title="Radio", entity="radio", attributes=columns)
    known = {
        x.name: ColumnStatistics(x.name, x.type, 40, n, n, n, 0, 0, 0, n_distinct)
        for x, n, n_distinct in zip(columns, (n_numbered, 40), (n_numbered, 9), strict=True)
    }
    tables = describe_tables(schema, known)

    def ask() -> Translation:
        return translate("How many plans are there?", schema, tables, ValueIndex(()))

    if is_counted:
        found = ask()
        assert (found.sql, found.assumed) == ("SELECT COUNT(*) FROM radio", (CALLED,))
    else:
        with pytest.raises(TwoReadingsError):
            ask()


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("Which depots have more than 12 engines?", "“more than”, “12” have no place"),
        ("How many engines are there?", "nothing says that a record is one of “engines”"),
    ],
)
def test_a_word_before_several_names_is_no_number_of_anything(question: str, reason: str) -> None:
    columns = tuple(
        Attribute(name=f"engine_{name}", type=kind)
        for name, kind in (("depot", "string"), ("weight", "number"), ("power", "number"))
    )
    schema = Schema(title="Rail", entity="rail", attributes=columns)
    known = {x.name: ColumnStatistics(x.name, x.type, 40, 40, 40, 40, 0, 0, 0, 9) for x in columns}
    with pytest.raises(QuestionError, match=reason):
        translate(question, schema, describe_tables(schema, known), ValueIndex(()))


@pytest.mark.parametrize(
    ("asked", "named", "height"),
    [
        ("What is the highest mill?", "Ada Mill", "mill"),
        ("What is the largest mill?", "Ada Mill", "mill"),
        ("List the mills above 20", "Ada Mill", "mill"),
        ("Which mill stands the highest?", "Mill Ada", "stands"),
        ("What mill stands the highest?", "Mill Ada", "stands"),
        ("List the barns built after 1850", "Mill Ada", "built"),
    ],
)
def test_what_has_a_name_is_not_asked_for_by_its_height_or_its_year(
    asked: str, named: str, height: str
) -> None:
    rule = SlotRule(value_type="number", weights={"<mill": 1.0, "<barn": 1.0}, threshold=0.1)
    kind = Attribute(name=height, type="integer", extractors=(rule,))
    schema = Schema(
        title="Visits", entity="visits", attributes=(Attribute(name="site", type="string"), kind)
    )
    others = named.replace("Ada", "Bob"), named.replace("Ada", "Cid")
    world = build_world(schema, [(named, 1840), (others[0], 1870), (others[1], 1860)])
    with pytest.raises(QuestionError):
        world.ask(asked)
    assert world.ask(f"What is the average {height}?").sql == f"SELECT AVG({height}) FROM visits"
