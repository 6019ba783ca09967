"""Words of questions in any field: what they do in a sentence. Data only.

Each table maps a meaning to the phrases that carry it, folded, separated by `;`.
"""

from typing import Literal, TypeAlias

Kind: TypeAlias = Literal[
    "how_many", "how_much", "wh", "list", "entity", "period", "above", "bound_after", "exactly",
    "time", "aggregate", "most", "least", "share", "not", "between", "than", "and", "or", "each",
    "yes_no", "say", "difference", "change", "distinct", "other", "glue", "listed", "elapsed",
    "ordinal", "same", "which_of", "direction", "starts", "rate", "comparative",
]  # fmt: skip


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


LEXICON: dict[tuple[Kind, str], str] = {
    ("how_many", ""): """how many; number of; the number of; total number of; count of;
        count; what number of; how often; what is the count; number; total amount of times;
        numbers of; total count of; tally of""",
    ("how_many", "times"): "how many times; number of times; total number of times; total times",
    ("how_much", ""): "how much; how much money; what amount of; amount of; amount",
    ("wh", "what"): "what; which; what kind of; what type of; what sort of",
    ("wh", "who"): "who; whom; whose",
    ("wh", "when"): "when; at what time; on what day; on which day; on what date; on which date",
    ("wh", "where"): "where",
    ("wh", "long"): "how long",
    ("wh", "old"): "how old; at what age; what age",
    ("wh", "high"): "how high; how tall",
    ("wh", "far"): "how far",
    ("wh", "heavy"): "how heavy",
    ("wh", "large"): "how large; how big",
    ("wh", "expensive"): "how expensive",
    ("wh", "fast"): "how fast",
    ("wh", "deep"): "how deep",
    ("list", ""): """list; name; give; show; enumerate; tell me; show me; give me;
        find; identify; tell""",
    ("above", ">"): """more than; greater than; higher than; above; over; exceeding; exceeds;
        exceed; exceeded; larger than; bigger than; longer than; in excess of; topped; tops;
        surpassed; surpass; surpasses; upwards of; heavier than; taller than; older than;
        costlier than; beyond; more expensive than; faster than; deeper than; went above; rose
        above; go above; went over; rise above; climbed above; climb above; better than; wider
        than; warmer than; hotter than; strictly more than; strictly above""",
    ("above", "<"): """less than; fewer than; lower than; below; under; smaller than; shorter
        than; cheaper than; lighter than; short of; beneath; drop below; drop under; dropped
        below; dropped under; fall below; fell below; fall under; fell under; went below; sank
        below; go below; younger than; less expensive than; slower than; worse than; shallower
        than; colder than; cooler than; strictly less than; strictly below; stayed under;
        stayed below""",
    ("above", ">="): """at least; no less than; no fewer than; not less than; not fewer than;
        minimum of; a minimum of; not below; not under; from at least; reach; reached;
        reaches; reaching""",
    ("above", "<="): """at most; no more than; not more than; up to; maximum of; a maximum
        of; not above; not over; not exceeding; no higher than; no greater than; no longer
        than; do not exceed; does not exceed; did not exceed""",
    ("exactly", "="): "exactly; precisely; equal to; equals; equal; of exactly",
    ("bound_after", ">="): """or more; or above; or higher; or over; or greater; or longer;
        or better; and above; and over; and more; and up; or larger; or later; or older;
        upwards; or taller; or heavier""",
    ("bound_after", "<="): """or less; or fewer; or below; or lower; or under; or smaller; or
        shorter; or earlier; or cheaper; at most; at the most; or lighter; or younger""",
    ("time", "<"): "before; prior to; earlier than; ahead of; preceding",
    ("time", ">"): "after; later than; following; newer than; more recent than",
    ("time", ">="): """since; from; starting; beginning; as of; starting from; starting in;
        onwards from""",
    ("time", "<="): "until; till; up to; up until; by; through; no later than; up to and including",
    ("aggregate", "avg"): """average; mean; on average; typical; typically; avg; averaged;
        averages; averaging; in the mean; the average; an average; average number of; mean
        number of; average amount of""",
    ("aggregate", "sum"): """total; in total; sum; sum of; altogether; combined; overall; in
        all; add up to; adds up to; adding up; add up; summed; summing; together; all
        together; sum up;  sum total; cumulative; accumulates;
        accumulate; accumulated; taken together; summed up; aggregate; totalled; totaled;
        collectively; total amount of; cumulatively; grand total; added up; total number;
        total value of; amount to; summing over; amounted to""",
    ("aggregate", "percentile"): "percentile; percentile of",
    ("aggregate", "median"): "median; the median",
    ("most", ""): """most; highest; largest; biggest; greatest; maximum; max; peak; peaked;
        top; best; maximal; at its maximum; at its highest; at its peak; at the maximum; most
        number of; highest number of; greatest number of; largest number of; the most; maximum
        number of; most amount of; highest amount of; reach its maximum; reached its maximum;
        reach their maximum; reached their maximum; reach its peak; reached its peak; at their
        highest; record high; at its greatest; at its largest; at most""",
    ("least", ""): """least; fewest; lowest; smallest; minimum; min; minimal; worst; at its
        minimum; at its lowest; least number of; lowest number of; smallest number of; least
        amount of; fewest number of; lowest amount of; at their lowest; the least; reach its
        minimum; reached its minimum; minimum number of; bottom; record low; at its smallest""",
    ("share", "100"): """percentage; percent; share; proportion; per cent; what percentage;
        what percent; percentage of; percent of; what share; what proportion""",
    ("share", "1"): "fraction; what fraction; ratio",
    ("not", ""): """not; no; without; except; excluding; leaving out; left out;
        leave out; except for; apart from; other than; none; never; lacking; lack; lacks;
        neither; nor; besides; aside from; ignoring; exclude; excluded; omitting; instead
        of; rather than; free of; outside; non; didnt; dont; doesnt; isnt; wasnt; cannot;
        arent; werent; hasnt; havent; disregarding; not counting; but not""",
    ("between", ""): "between; in between; ranging from; ranged from; from",
    ("than", ""): """than; compared with; compared to; as compared with; as against; versus;
        vs; as opposed to; relative to; in comparison to; in comparison with""",
    ("and", ""): "and; as well as; while; plus; along with; but; also; both; whereas; &",
    ("or", ""): "or; either; and/or",
    ("each", ""): """each; per; for each; for every; by each; every; broken down by; grouped
        by; group by; respective; for every single; apiece; break down""",
    ("yes_no", ""): """is; are; was; were; do; does; did; has; have; had; is there; are
        there; was there; were there; can; could; will""",
    ("say", ""): """say; state; give; mention; specify; report; name; indicate; list; record;
        provide; contain; include; show; disclose; document; note; says; gives; mentions;
        specifies; states; indicates; provides; stated; given; mentioned; specified; reported;
        indicated; provided; recorded; known; available; disclosed; listed; documented; noted;
        unknown; missing; absent; blank; empty; unspecified; undated; filled in; unstated;
        unnamed; named""",
    ("difference", ""): """difference; how far apart; apart; gap; the difference;
        difference between; the gap; margin; spread; range; how much more; how much less;
        how many more; how many fewer; how many less; by how much; by how many; how many
        additional; how much higher; how much lower; how much larger; how much longer; how
        much greater; how much cheaper; how much bigger; how much smaller; how much more
        expensive; how much older; how much taller; how much heavier; the point difference""",
    ("rate", ""): """how many times larger; how many times higher; how many times more; how
        many times bigger; how many times as many; how many times as high; how many times as
        large; how many times as much; how many times greater; how many times longer; times as
        many; ratio between; ratio of; by what factor; how many times as long; how many times
        as expensive; how many times more expensive; how many times heavier""",
    ("change", "up"): """rise; rose; increase; increased; grow; grew; gain; gained; climb;
        climbed; go up; went up; exceed""",
    ("change", "down"): """drop; dropped; fall; fell; decrease; decreased; decline; declined;
        shrink; shrank; sink; go down; went down""",
    ("change", ""): "change; changed; differ; differed",
    ("distinct", ""): "different; distinct; unique; various; individual; differing",
    ("which_of", "only"): "only; sole",
    ("comparative", ">"): """more; higher; larger; greater; bigger; longer; later; older;
        taller; heavier; costlier; more expensive; better; faster; deeper; wider; warmer;
        hotter; farther; further; higher number of; more often; newer; more money; more
        frequently; greater number of; larger number of; dearer""",
    ("comparative", "<"): """fewer; less; lower; smaller; shorter; earlier; cheaper; lighter;
        younger; worse; slower; colder; cooler; nearer; closer; fewer number of; lower number
        of; less often; less expensive; less money; smaller number of; sooner""",
    ("most", "often"): """most often; most frequently; most common; commonest; most frequent;
        most commonly; the most often; the most common; the most frequent; most popular; the
        most times; most times; most typical; predominant; most used; most listed; most
        widely; the most commonly; featured the most; most widespread; most numerous;
        prevalent; most prevalent; the most frequently""",
    ("least", "often"): """least often; least frequently; least common; rarest; least
        frequent; least commonly; the least often; the least common; least popular; fewest
        times; the fewest times; the rarest""",
    ("other", ""): "other; another; else; others; additional",
    ("listed", "after"): """next after; listed after; comes after; right after; directly
        after; immediately after; just after; listed below; directly below; right below; next
        to; next; follows; comes next after; came after; came right after; following; listed
        right after; listed directly after; next listed after; listed next after; came
        directly after; came immediately after; comes directly after; subsequent to; comes
        right after; comes immediately after; immediately following; directly following; below""",
    ("listed", "before"): """previous to; listed before; comes before; right before; directly
        before; immediately before; just before; listed above; directly above; right above;
        precedes; preceding; came before; came right before; listed previous to; listed prior
        to; before; prior to; came directly before; came immediately before; comes directly
        before; comes right before; immediately preceding; directly preceding; previous; above""",
    ("elapsed", "day"): "how many days; number of days; in days; how many calendar days",
    ("elapsed", "week"): "how many weeks; number of weeks",
    ("elapsed", "month"): "how many months; number of months",
    ("elapsed", "year"): "how many years; number of years; in years",
    ("same", ""): "same; the same; identical; same as",
    ("direction", "desc"): """from high to low; from highest to lowest; highest first;
        largest first; descending; in descending order; worst first; best first; from largest
        to smallest; biggest first; newest first; latest first; most recent first; most
        expensive first; from most to least; from the highest to the lowest; longest first;
        from best to worst; most first; from newest to oldest; from most to fewest; from
        longest to shortest; from latest to earliest; from expensive to cheap; heaviest first;
        from biggest to smallest""",
    ("direction", "asc"): """from low to high; from lowest to highest; lowest first; smallest
        first; ascending; in ascending order; from smallest to largest; oldest first; earliest
        first; cheapest first; fewest first; from oldest to newest; chronological;
        chronologically; in chronological order; from the lowest to the highest; from fewest
        to most; from least to most; in order of date; by date; from earliest to latest;
        shortest first; from shortest to longest; alphabetically; in alphabetical order; from
        cheapest to most expensive; from cheap to expensive; lightest first; from smallest to
        biggest""",
    ("glue", ""): """take place; takes place; took place; taking place; taken place; led
        to; leads to; lead to; resulted in; results in; result in""",
    ("starts", "start"): """start with; starts with; starting with; begin with; begins with;
        beginning with; started with""",
    ("starts", "end"): "end with; ends with; ending with; ending in; end in; ends in",
}  # fmt: skip

# Words of a closed class: they shape a sentence and name nothing.
FUNCTION_WORDS = _words(
    """a an the of in on for at to with by from as into its it their his her our this that
    these those there be have do is are was were am been being has had did does having can
    could may might must will would should shall any some all such one ones i me my you your
    we us they them he she who whom whose which what when where how if then so also just
    even still ever yet already within among across during out up upon about against through
    throughout via whether very own please inclusive included including regardless respectively
    according whatever together around here now himself itself themselves along off down only
    actually respective s d t m re ve ll"""
)

# They say nothing of a record, unless a column is called so.
GLUE = FUNCTION_WORDS | _words(
    """taking looking considering dated going based whole entire entirely existing table list data
    dataset collection corpus set database kind type sort given single particular certain
    overview information exist exists"""
)

# Nouns that say nothing (`what kind of hotel`) but where they are what is grouped by: `per type`.
SORTING = _words("type kind sort")

LIGHT_VERBS = _words(
    """have contain carry include give show see put make report announce state note print mention
    register record say tell list name issue stand stay remain lie fall occur happen appear
    take find come go get receive use do be hold keep reach belong seem turn become set call
    describe present provide offer exist count number add result concern cover involve date
    reckon document feature display measure observe score achieve earn attain
    accumulate hit amount equal total post publish yield run compute calculate consider select
    choose pick need require ask want look enjoy boast possess own mark bear conclude charge
    sign execute subject pass write locate situate shown seen held given went came took got kept
    stood"""
)

# Who a record of people is about, and pronouns for anyone at all.
PERSON_NOUNS = _words("person people individual")
PRONOUNS = _words("anyone anybody someone somebody everyone everybody something anything")

ENTITY_NOUNS = _words("record row entry document file")

_COUNTED = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
    fifteen sixteen seventeen eighteen nineteen twenty"""

NUMBER_WORDS = {word: number for number, word in enumerate(_COUNTED.split())} | {
    "once": 1, "twice": 2, "thrice": 3, "dozen": 12, "hundred": 100, "thousand": 1000, "thirty": 30,
    "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip

_RANKED = "first second third fourth fifth sixth seventh eighth ninth tenth"

ORDINAL_WORDS = {word: number for number, word in enumerate(_RANKED.split(), start=1)}

SCALES = {
    "k": 1000.0, "thousand": 1000.0, "hundred": 100.0, "m": 1000000.0, "million": 1000000.0,
    "mio": 1000000.0, "mn": 1000000.0, "bn": 1000000000.0, "billion": 1000000000.0,
    "trillion": 1000000000000.0, "lakh": 100000.0, "crore": 10000000.0,
}  # fmt: skip

PERIODS = {
    "month": "month", "calendar month": "month", "year": "year", "calendar year": "year",
    "weekday": "weekday", "day of the week": "weekday", "day of week": "weekday",
    "quarter": "quarter", "decade": "decade", "week": "week", "day": "date", "date": "date",
    "calendar week": "week", "months": "month", "years": "year", "weekdays": "weekday",
    "quarters": "quarter", "decades": "decade", "days": "date", "dates": "date", "weeks": "week",
    "days of the week": "weekday", "calendar months": "month", "calendar day": "date",
}  # fmt: skip

# Nouns that stand before "of" a measure without changing it.
MEASURE_NOUNS = _words("number count figure value amount quantity total figures tally")

# Nouns that stand for any measure, and adjectives that stand before one.
AMOUNT_NOUNS = _words("number count figure value amount quantity total sum volume tally sale")
RANKING_ADJECTIVES = _words(
    "average mean median highest lowest largest smallest biggest maximum minimum max min"
)

# Verbs that move money.
PAYING_VERBS = _words("earn spend win pay cost charge make receive")

FORMS_OF_BE = _words("is are was were be been being")
FORMS_OF_DO = _words("do does did")
DETERMINERS = _words("a an the of in on at for by any all each every their its his")
# What may stand between an auxiliary and its verb.
INNER_WORDS = _words("not never ever most least often mostly first last they it he she")
# Words that are a predicate by themselves behind a form of be, and words before them.
PARTICLES = _words("out off up down away back")
ADVERBS = _words("still already yet now currently not ever just always")
# What stands before `a` and a column that a record only has to have.
HAVING_PHRASES = frozenset(
    tuple(phrase.split())
    for phrase in (
        "have", "has", "had", "having", "with", "got", "received", "carried", "led to",
        "resulted in", "ended in",
    )
)  # fmt: skip

# Words that place a period in respect of today.
RELATIVE_WORDS = _words("last this next past previous current")
