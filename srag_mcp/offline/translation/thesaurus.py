"""General English words of like meaning, and what adjectives measure. Data only.

A word of the question may mean an attribute that is named by another word of its group; that counts
less than the attribute's own words.
"""

from typing import Literal, TypeAlias

Concept: TypeAlias = Literal[
    "time", "age", "money", "size", "length", "height", "weight", "speed", "depth", "distance",
    "temperature", "duration", "rating", "width", "population", "wealth", "any",
]  # fmt: skip

GROUPS = """
company firm business
price cost amount fee charge spend pay payment
date day
salary wage pay earnings
rank ranking standing
mass weight weigh
height tall
duration length long last
rating score star grade
revenue turnover
birth born birthday birthdate
death died die
start begin commence open onset
end finish close stop terminate expire expiry expiration
built build construct
release publish issue launch premiere
illness disease
pupil student
car vehicle
colour color
attendance crowd spectator audience attend
employee staff worker
quantity number count
kind type category
phone telephone
mail email
maker manufacturer
experience seniority
tax vat
gender sex
age old
distance far away
due deadline
win victory winner
"""

# Superlative -> the concepts it may measure, in order of preference, and whether it is the highest.
SUPERLATIVES: dict[str, tuple[tuple[Concept, ...], bool]] = {
    "oldest": (("age",), True), "youngest": (("age",), False), "latest": (("time",), True),
    "newest": (("time",), True), "most recent": (("time",), True),
    "most recently": (("time",), True), "last": (("time",), True), "earliest": (("time",), False),
    "soonest": (("time",), False), "first": (("time",), False), "first time": (("time",), False),
    "last time": (("time",), True), "first ever": (("time",), False), "final": (("time",), True),
    "the last": (("time",), True), "the first": (("time",), False),
    "longest ago": (("time",), False), "for the first time": (("time",), False),
    "for the last time": (("time",), True), "most expensive": (("money",), True),
    "costliest": (("money",), True), "priciest": (("money",), True),
    "dearest": (("money",), True), "cheapest": (("money",), False),
    "least expensive": (("money",), False), "best paid": (("money",), True),
    "highest paid": (("money",), True), "most valuable": (("money",), True),
    "lowest paid": (("money",), False), "longest": (("duration", "length", "distance"), True),
    "shortest": (("duration", "length", "height", "distance"), False),
    "tallest": (("height",), True), "heaviest": (("weight",), True),
    "lightest": (("weight",), False), "strongest": (("speed",), True),
    "weakest": (("speed",), False), "fastest": (("speed",), True), "slowest": (("speed",), False),
    "quickest": (("speed",), True), "deepest": (("depth",), True),
    "shallowest": (("depth",), False), "widest": (("width",), True),
    "narrowest": (("width",), False), "farthest": (("distance",), True),
    "furthest": (("distance",), True), "nearest": (("distance",), False),
    "closest": (("distance",), False), "hottest": (("temperature",), True),
    "warmest": (("temperature",), True), "coldest": (("temperature",), False),
    "coolest": (("temperature",), False), "most populous": (("population",), True),
    "least populous": (("population",), False), "most populated": (("population",), True),
    "richest": (("wealth", "money"), True), "poorest": (("wealth", "money"), False),
    "best rated": (("rating",), True), "highest rated": (("rating",), True),
    "top rated": (("rating",), True), "lowest rated": (("rating",), False),
    "worst rated": (("rating",), False), "biggest": (("any",), True), "largest": (("any",), True),
    "smallest": (("any",), False),
}  # fmt: skip

# Comparative (of a comparator) or question word -> the concepts it measures.
COMPARATIVES: dict[str, tuple[Concept, ...]] = {
    "older": ("age",), "younger": ("age",), "newer": ("time",), "later": ("time",),
    "earlier": ("time",), "heavier": ("weight",), "lighter": ("weight",), "taller": ("height",),
    "longer": ("duration", "length", "distance"),
    "shorter": ("duration", "length", "height", "distance"), "faster": ("speed",),
    "slower": ("speed",), "cheaper": ("money",), "costlier": ("money",), "deeper": ("depth",),
    "wider": ("width",), "warmer": ("temperature",), "hotter": ("temperature",),
    "colder": ("temperature",), "cooler": ("temperature",), "expensive": ("money",),
    "shallower": ("depth",), "long": ("duration", "length", "distance"), "old": ("age",),
    "high": ("height",), "far": ("distance",), "heavy": ("weight",), "large": ("size",),
    "fast": ("speed",), "deep": ("depth",), "bigger": ("size",), "larger": ("size",),
    "smaller": ("size",), "tall": ("height",), "cost": ("money",), "much": ("money",),
    "cheap": ("money",), "recent": ("time",),
}  # fmt: skip

# Concept -> words of the names, synonyms and units of attributes that measure it.
CONCEPTS: dict[Concept, str] = {
    "time": "date year time day founded established created released built opened season",
    "age": "age birth born founded built made created established constructed",
    "money": """price cost amount total fee charge sum salary wage budget revenue payment value rent
        income gross earnings expense bill usd eur gbp chf jpy myr rm cad aud inr sgd $ € £ money
        worth sales prize""",
    "size": "size area population surface extent volume capacity",
    "length": "length long km m mi mile metre meter",
    "height": "height tall elevation altitude ft",
    "weight": "weight mass kg lb lbs pound gram",
    "speed": "speed velocity mph kmh knots time",
    "depth": "depth deep",
    "distance": "distance km mi far away",
    "temperature": "temperature degree celsius fahrenheit °c °f",
    "duration": "duration length minutes hours runtime time days term",
    "rating": "rating score stars grade",
    "width": "width wide breadth",
    "population": "population inhabitants residents people",
    "wealth": "wealth worth fortune gdp income",
    "any": "size amount total area population",
}
