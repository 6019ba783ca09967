"""Three small tables that were invented for the questions of these tests."""

from dataclasses import dataclass

from srag_mcp.errors import QuestionError
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from tests.grammar.conftest import Row, World, build_world


@dataclass(frozen=True)
class Answer:
    """What is said of a question, and the rows of its query; sorted, where no order is asked."""

    restated: str
    rows: list[tuple[object, ...]]


@dataclass(frozen=True)
class Refusal:
    """The words without a place, or what else a refusal begins with."""

    unplaced: tuple[str, ...] = ()
    reason: str = ""


def answer(world: World, question: str) -> Answer:
    """Ask a question that is answered."""
    found = world.ask(question)
    rows = [tuple(_plain(value) for value in row) for row in world.rows(found.sql)]
    return Answer(found.restated, rows if found.ordered else sorted(rows, key=str))


def refusal(world: World, question: str) -> Refusal:
    """Ask a question that is refused."""
    try:
        found = world.ask(question)
    except QuestionError as refused:
        reason = str(refused).split(" (columns")[0].split(":")[0]
        return Refusal(refused.unplaced, "" if refused.unplaced else reason)
    raise AssertionError(found.sql)


def _read(attributes: tuple[Attribute, ...], text: str) -> list[Row]:
    """Read rows of cells between bars; `-` is an empty one."""
    rows = [[cell.strip() for cell in line.split("|")] for line in text.strip().splitlines()]
    return [
        tuple(
            None if cell == "-" else attribute.type.read(cell)
            for attribute, cell in zip(attributes, row, strict=True)
        )
        for row in rows
    ]


def _plain(value: object) -> object:
    return round(value, 4) if isinstance(value, float) else value


def boats() -> World:
    """Ten boats in three harbours; the fee of one is not known, nor whether two are insured."""
    attributes = (
        Attribute(name="boat_name", type="string", description="Name of the boat."),
        Attribute(name="owner", type="string", description="Person to whom the boat belongs."),
        Attribute(name="rig", type="string", description="How the boat is rigged."),
        Attribute(name="harbour", type="string", description="Harbour of the berth."),
        Attribute(name="length", type="number", unit="m", description="Length over all."),
        Attribute(name="cabins", type="integer", description="Number of cabins."),
        Attribute(name="mooring_fee", type="number", unit="EUR", description="Fee for a year."),
        Attribute(name="arrival_date", type="date", description="Day of the first mooring."),
        Attribute(name="heating", type="boolean", absent_means="false"),
        Attribute(name="insured", type="boolean", description="Whether the boat is insured."),
        Attribute(name="year_built", type="integer", description="Year in which it was built."),
    )
    rows = _read(attributes, """
Aurora | Ada Brook | sloop | Norham | 9.5 | 2 | 820 | 2021-04-03 | true | true | 1988
Bittern | Ben Fox | ketch | Norham | 12 | 3 | 1140 | 2021-06-18 | true | - | 1975
Curlew | Ada Brook | sloop | Eastby | 8 | 1 | 640 | 2022-05-07 | - | false | 1996
Dunlin | Cleo Marsh | cutter | Eastby | 10.5 | 2 | 900 | 2022-05-21 | - | true | 2003
Egret | Dan Hale | sloop, wooden | Norham | 11 | 3 | 1010 | 2022-09-02 | true | true | 1969
Fulmar | Ada Brook | yawl | Port Grey | 13.5 | 4 | 1300 | 2023-03-30 | true | true | 1981
Gannet | Ben Fox | ketch | Port Grey | 14 | 4 | - | 2023-04-11 | - | - | 2010
Heron | Eva Lund | sloop | Norham | 7.5 | 0 | 560 | 2023-07-19 | - | false | 2015
Ibis | Fay Ross | cutter | Port Grey | 9 | 2 | 780 | 2023-08-01 | true | true | 2008
Jackdaw | Gus Webb | catboat | Eastby | 6 | 0 | 430 | 2024-02-14 | - | true | 2019
""")  # fmt: skip
    schema = Schema(title="Boats", entity="boats", nouns=("boat", "boats"), attributes=attributes)
    return build_world(schema, rows)


def tickets() -> World:
    """Twelve tickets of a help desk, two of them still open."""
    attributes = (
        Attribute(name="ticket_no", type="string", description="Number of the ticket."),
        Attribute(name="agent", type="string", description="Who works on the ticket."),
        Attribute(name="team", type="string"),
        Attribute(name="priority", type="string", categories=("low", "normal", "urgent")),
        Attribute(name="status", type="string", categories=("open", "closed", "on hold")),
        Attribute(name="opened_on", type="date", description="Day on which it was opened."),
        Attribute(name="closed_on", type="date", description="Day on which it was closed."),
        Attribute(name="hours_spent", type="number", unit="h", description="Hours of work."),
        Attribute(name="replies", type="integer", description="Number of replies."),
        Attribute(name="escalated", type="boolean", absent_means="false"),
        Attribute(name="satisfaction_score", type="integer", description="From 1 to 10."),
    )
    rows = _read(attributes, """
T-101 | Mia Vogt | Network | urgent | closed | 2024-01-08 | 2024-01-09 | 3.5 | 6 | true | 7
T-102 | Noor Haddad | Payroll | normal | closed | 2024-01-15 | 2024-01-19 | 2 | 4 | - | 9
T-103 | Mia Vogt | Network | low | closed | 2024-02-02 | 2024-02-20 | 1 | 2 | - | 8
T-104 | Otis Lane | Email | normal | on hold | 2024-02-05 | - | 4.5 | 9 | true | -
T-105 | Noor Haddad | Payroll | urgent | closed | 2024-02-26 | 2024-02-27 | 6 | 11 | true | 4
T-106 | Pia Stern | Email | low | closed | 2024-03-04 | 2024-03-06 | 0.5 | 1 | - | 10
T-107 | Otis Lane | Email | normal | closed | 2024-03-11 | 2024-03-14 | 2.5 | 5 | - | 6
T-108 | Mia Vogt | Network | normal | open | 2024-03-18 | - | 5 | 8 | true | -
T-109 | Noor Haddad | Network | low | closed | 2024-04-01 | 2024-04-12 | 1.5 | 3 | - | 9
T-110 | Quin Roy | Payroll | urgent | closed | 2024-04-09 | 2024-04-09 | 4 | 7 | - | 8
T-111 | Pia Stern | Email | normal | open | 2024-04-22 | - | 3 | 0 | - | -
T-112 | Otis Lane | Network | low | closed | 2024-05-03 | 2024-05-08 | 2 | 3 | - | 7
""")  # fmt: skip
    nouns = ("ticket", "tickets")
    return build_world(
        Schema(title="Tickets", entity="tickets", nouns=nouns, attributes=attributes), rows
    )


def glaciers() -> World:
    """Eight glaciers of three countries."""
    attributes = (
        Attribute(name="glacier", type="string", description="Name of the glacier."),
        Attribute(name="country", type="string"),
        Attribute(name="range", type="string", synonyms=("mountain range",)),
        Attribute(name="area", type="number", unit="km2"),
        Attribute(name="thickness", type="number", unit="m", description="Mean thickness."),
        Attribute(name="lowest_point", type="integer", unit="m"),
        Attribute(name="yearly_retreat", type="number", unit="m"),
        Attribute(name="survey_date", type="date", description="Day of the last survey."),
        Attribute(name="surveyor", type="string", description="Who made the survey."),
        Attribute(name="n_huts", type="integer", description="Number of huts at its edge."),
        Attribute(name="reaches_sea", type="boolean"),
    )
    rows = _read(attributes, """
Varnbreen | Norway | Lyngen | 12.5 | 90 | 340 | 14 | 2019-08-02 | Siri Dahl | 1 | false
Koldfonna | Norway | Svartisen | 48 | 160 | 20 | 22.5 | 2020-08-14 | Siri Dahl | 2 | true
Grauferner | Austria | Ortler | 6.1 | 55 | 2410 | 31 | 2021-09-09 | Jonas Egger | 3 | false
Steinkees | Austria | Venediger | 9.4 | 70 | 2180 | 27 | 2021-09-13 | Jonas Egger | 2 | false
Rio Claro | Chile | Cordillera Darwin | 110 | 240 | 0 | 9 | 2022-02-21 | Paz Rojas | 0 | true
Ventisquero Sur | Chile | Cordillera Darwin | 75.5|210|0|11.5|2022-03-03|Paz Rojas | 0 | true
Lomo Blanco | Chile | Paine | 21 | 130 | 640 | 18 | 2023-01-17 | Ines Soto | 1 | -
Eiskar | Austria | Carnic Alps | 0.2 | 15 | 2160 | 2.5 | 2023-09-05 | Jonas Egger | 0 | false
""")  # fmt: skip
    nouns = ("glacier", "glaciers")
    return build_world(
        Schema(title="Glaciers", entity="glaciers", nouns=nouns, attributes=attributes), rows
    )


def rallies(named: str = "rallies.csv#{}") -> World:
    """Eight rallies of one file: two riders started twice, the points of one are not known."""
    attributes = (
        Attribute(name="rally", type="string", description="Name of the rally."),
        Attribute(name="rider", type="string"),
        Attribute(name="winner", type="string"),
        Attribute(name="judge", type="string"),
        Attribute(name="machine", type="string"),
        Attribute(name="points", type="integer"),
        Attribute(name="fee", type="number", unit="EUR"),
    )
    rows = _read(attributes, """
Alder Loop | Nan Oakes | Pim Stahl | Ott Vane | Kestrel | 12 | 40
Birch Mile | Rod Uhl | Sia Thorn | Ida Quill | Merlin | 9 | 55
Cedar Hill | Nan Oakes | Sia Thorn | Ott Vane | Kestrel | 4 | 35
Dogwood Run | Tam Wick | Pim Stahl | Ott Vane | Osprey | 16 | 60
Elm Chase | Uwe Yost | Vic Zeller | Ida Quill | Harrier | - | 25
Fir Ridge | Rod Uhl | Pim Stahl | Ida Quill | Merlin | 2 | 30
Gorse Lane | Xenia Abt | Vic Zeller | Lou Perle | Buzzard | 7 | 45
Hazel Bend | Yan Beck | Sia Thorn | Ida Quill | Merlin | 5 | 50
""")  # fmt: skip
    nouns = ("rally", "rallies")
    schema = Schema(title="Rallies", entity="rallies", nouns=nouns, attributes=attributes)
    return build_world(schema, rows, named)
