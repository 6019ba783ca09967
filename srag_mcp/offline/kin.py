"""Kin: words of like meaning, so that "born" and "date of birth" can be one key."""

from collections.abc import Iterable
from functools import lru_cache

from srag_mcp.offline.words import stem

GROUPS = """
company firm business shop store vendor supplier seller merchant retailer outlet organisation
price cost amount fee charge sum spend money pay payment expense expenditure total
date day
location place venue site locality where
city town municipality
country nation state
author writer
film movie
job position role occupation post vacancy title
salary pay wage compensation earnings remuneration
employer company
team club side squad
opponent rival opposition adversary against
rank ranking place position standing
score result outcome
mass weight weigh
height tall elevation altitude
length long
duration length long time last
rating score star grade mark review
revenue sale turnover income proceeds
birth born birthday birthdate
death died die
start begin commence open onset
end finish close stop terminate expire expiry expiration conclusion
built build construct complete erect found establish create creation creator open inception invent
release publish publication issue launch premiere appear
population inhabitant person resident
area size surface extent
temperature hot cold warm degree heat
rain rainfall precipitation wet
doctor physician
disease illness condition disorder diagnosis
medicine drug medication
student pupil enrollment enrolment
school university college institution
car vehicle
artist singer performer musician band
song track single
customer client buyer purchaser
quantity number count
kind type category class sort genre
maker manufacturer producer brand make
phone telephone
mail email
house home property
director direct
win victory winner champion
lose defeat
goal score
material medium made
colour color
speed fast quick velocity
height high
attendance crowd spectator audience attend
passenger traveller
employee staff worker headcount employ
participant enrol enroll enrolled subject volunteer
sponsor fund funder funding
experience seniority
pool swimming
skill ability competence
calorie energy kcal
ingredient component
wind gust
humidity moisture
discount rebate reduction
tax vat duty
due deadline
buyer customer client
debt owe owed outstanding
distance far away mile kilometre kilometer
guest visitor
gender sex
language tongue
party faction
vote ballot
seat chair
age old
cap limit ceiling
nation nationwide
"""

# Words of forms that mean the same as names of fields, beyond those that the questions' thesaurus
# has; general language only.
_FIELD_GROUPS = """
birth born birthday birthdate dob
nationality citizenship citizen
residence residing resident live lives living domicile city town based
employer company organisation organization workplace
end ended finish finished complete completed completion close closed conclude concluded
start started begin began beginning commence commencement open opened
identifier id number no code reference registration register registry
phone telephone mobile tel cell call
mail email
salary pay wage compensation remuneration income
expect expected expectation desire desired target
"""

# What one thing has at either end; a field of the one is never a field of the other.
_OPPOSITES = """
start started begin began commence|end ended finish finished complete completed completion close
first|last
minimum min lowest low|maximum max highest high
planned expected estimated desired target|actual current present achieved
primary|secondary
main|secondary
birth born dob|death died
buyer purchaser customer|seller vendor supplier
arrival arrive arrived|departure depart departed
opened opening|closed closing
gross|net
from|to
before|after
old previous former|new
issued issue|due
home|away visitor
sender|recipient receiver
debit|credit
morning|evening
male men|female women
input|output
"""


# Words that say what a value is and not whose: "date", "number"; they name no fact alone.
_GENERAL = """
dat day number no nr nam plac valu type total amount tim year cod id detail info
"""
GENERAL_STEMS = frozenset(_GENERAL.split())


@lru_cache(maxsize=1)
def _groups() -> dict[str, frozenset[str]]:
    """Return for each stem of the thesaurus all stems that share a line with it."""
    kin: dict[str, set[str]] = {}
    for line in (GROUPS + _FIELD_GROUPS).strip().splitlines():
        stems = {stem(word) for word in line.split()}
        for name in stems:
            kin.setdefault(name, set()).update(stems)
    return {name: frozenset(stems) for name, stems in kin.items()}


def kin_of(name: str) -> frozenset[str]:
    """Return the stems of words of like meaning, *name* itself included."""
    return _groups().get(name, frozenset()) | {name}


def are_kin(left: Iterable[str], right: Iterable[str]) -> bool:
    """Whether each stem of either side has one of like meaning on the other."""
    one, other = set(left), set(right)
    return bool(one and other) and _covers(one, other) and _covers(other, one)


def _covers(one: set[str], other: set[str]) -> bool:
    return all(kin_of(name) & other for name in one)


def contrast(left: Iterable[str], right: Iterable[str]) -> bool:
    """Whether one side has a word, and the other its opposite ("start", "end"), and not both."""
    one, other = frozenset(left), frozenset(right)
    return any(
        (low & one and high & other and not (high & one or low & other))
        or (high & one and low & other and not (low & one or high & other))
        for low, high in _opposites()
    )


@lru_cache(maxsize=1)
def _opposites() -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    pairs = (line.split("|") for line in _OPPOSITES.strip().splitlines())
    return tuple(
        (frozenset(map(stem, low.split())), frozenset(map(stem, high.split())))
        for low, high in pairs
    )
