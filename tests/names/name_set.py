"""Names with truth, made from a seed: 100 things with some 300 spellings, near-misses among them.

A model's replies to the prompts of all doubtful groups are recorded by

    python -m tests.names.name_set --engine agent --work DIR --record tests/replies/names.jsonl
    srag-mcp prompts next DIR/names        # in another terminal, or by an agent

and `python -m tests.names.name_set` prints the precision and recall that they make. Each mention of
a name stands in a sentence of its own, with facts that are true of other things as well. What is
nearly alike and another thing: subsidiaries, two people of one surname and initial, towns of one
name in two counties, sides and sizes of places, generations and variants of products.
"""

import argparse
import random
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from string import Formatter

from srag_mcp.engines.model import ModelEngine
from srag_mcp.evaluation.bench import open_bench
from srag_mcp.model.language_model import LanguageModel
from srag_mcp.model.ledger import ReplayModel, write_replies
from srag_mcp.model.litellm_library import run_to_end
from srag_mcp.names.doubtful import Doubt, cut_around, find_candidates, resolve, write_prompts
from srag_mcp.names.uniting import Verdict, unite
from srag_mcp.settings import Settings

SEED = 11
REPLIES = Path(__file__).parents[1] / "replies" / "names.jsonl"
Pair = frozenset[str]
Facts = Mapping[str, str]
Thing = list[tuple[str, Facts]]
"""The spellings of one thing, each with what the words around it may say of it."""


@dataclass(frozen=True)
class Column:
    """A column of names.

    Attributes:
        name, description: As in a schema.
        things: The spellings of each thing.
        counts: How many records have each spelling.
        around: Words around each spelling in one document.
    """

    name: str
    description: str
    things: tuple[tuple[str, ...], ...]
    counts: Mapping[str, int]
    around: Mapping[str, str]

    def true_pairs(self) -> set[Pair]:
        """Return all pairs of spellings that mean one thing."""
        return pairs(self.things)


@dataclass(frozen=True)
class Score:
    """How many pairs of spellings were united, rightly, and how many should be."""

    n_right: int
    n_united: int
    n_true: int
    wrong: tuple[str, ...] = ()

    @property
    def precision(self) -> float:
        return self.n_right / self.n_united if self.n_united else 1.0

    @property
    def recall(self) -> float:
        return self.n_right / self.n_true

    def __str__(self) -> str:
        said = f"precision {self.precision:.3f}, recall {self.recall:.3f}"
        return f"{said} ({self.n_united} of {self.n_true} pairs)"


def pairs(groups: Iterable[Iterable[str]]) -> set[Pair]:
    """Return all pairs within each of *groups*."""
    return {frozenset(pair) for group in groups for pair in combinations(group, 2)}


def slip(word: str, chance: random.Random) -> str:
    """Write the last long word with two letters in the wrong order, one left out or doubled."""
    *before, last = word.rsplit(" ", 1)
    at = chance.randrange(1, len(last) - 2)
    kind = chance.choice(("swap", "drop", "double"))
    if kind == "swap" and last[at] != last[at + 1]:
        last = last[:at] + last[at + 1] + last[at] + last[at + 2 :]
    elif kind == "drop":
        last = last[:at] + last[at + 1 :]
    else:
        last = last[:at] + last[at] + last[at:]
    return " ".join([*before, last])


_SYLLABLES = (
    "bar", "bel", "cor", "dal", "dun", "fen", "gar", "hal", "kes", "lan", "lor", "mar", "mel",
    "nor", "or", "pel", "quin", "ras", "sel", "tam", "tor", "ul", "ven", "wes", "yar", "zan",
)  # fmt: skip


def _thing(spellings: Iterable[str], facts: Facts) -> Thing:
    return [(spelling, facts) for spelling in spellings]


class _Stems:
    """New words that look like names; each is given out once."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._given: set[str] = set()

    def next(self, n_syllables: int = 0) -> str:
        while True:
            n = n_syllables or self._chance.choice((2, 3))
            word = "".join(self._chance.sample(_SYLLABLES, n)).title()
            if word[:4] not in self._given:
                self._given.add(word[:4])
                return word


_TOWNS = ("Bergen", "Graz", "Leeds", "Porto", "Turku", "Lyon", "Galway", "Aarhus")
_YEARS = ("1998", "2004", "2011", "2016", "2019")
_HEADS = ("Ms Okafor", "Mr Lindqvist", "Dr Tanaka", "Ms Petrova")
_TRADES = (
    ("Marine Systems", "makes ship propellers"), ("Power Holdings", "runs wind farms"),
    ("Foods", "sells frozen vegetables"), ("Textile Works", "weaves linen"),
    ("International Bank", "lends to farmers"), ("Data Services", "hosts servers"),
    ("Timber Manufacturing", "saws planks"), ("Medical Technologies", "builds scanners"),
)  # fmt: skip


def _companies(chance: random.Random) -> list[Thing]:
    stems = _Stems(chance)
    things: list[Thing] = []
    acronyms: set[str] = set()
    for number in range(20):
        stem, (trade, does) = stems.next(3), _TRADES[number % len(_TRADES)]
        facts = {"town": chance.choice(_TOWNS), "year": chance.choice(_YEARS),
                 "head": chance.choice(_HEADS), "does": does}  # fmt: skip
        full, words = f"{stem} {trade}", trade.split()
        forms = (("Inc.", "Incorporated"), ("Ltd", "Limited"), ("Corp.", "Corporation"))[number % 3]
        variants = [
            f"{full} {forms[1]}",
            full.upper(),
            " ".join([stem, *(f"{word[:4]}." if len(word) > 6 else word for word in words)]),
            stem,
            slip(full, chance),
            " ".join([stem + words[0], *words[1:]]),
        ]
        acronym = "".join(word[0] for word in full.split())
        if len(acronym) > 2 and acronym not in acronyms:  # a second one would be nobody's
            acronyms.add(acronym)
            variants.append(acronym)
        things.append(_thing([f"{full} {forms[0]}", *chance.sample(variants, 3)], facts))
        match number % 4:  # another company of the same town, or of the same trade
            case 0:
                other = [f"{stem} {chance.choice(('Insurance', 'Shipping'))} GmbH"]
                things.append(_thing(other, facts | {"does": "insures cargo"}))
            case 1:
                other = [f"{full} Iberia S.A.", f"{full} (Iberia)"]
                things.append(_thing(other, facts | {"town": chance.choice(_TOWNS)}))
    return things


_FIRST = ("Johanna", "Samuel", "Margarete", "Dominic", "José", "Katherine", "Frederick", "Zoë",
          "Nicholas", "Beatrice", "Leonard", "René", "Gabriela", "Theodore", "Ingrid")  # fmt: skip
_ALIKE = {"J": "Jasper", "S": "Silvia", "M": "Matthias", "D": "Dorothea", "K": "Konrad",
          "F": "Felicitas", "N": "Noemi", "B": "Bertram", "L": "Lucia", "R": "Rosalind",
          "G": "Gregor", "T": "Tamara", "I": "Isidor", "Z": "Zacharias"}  # fmt: skip
_MIDDLE = ("Maria", "Paul", "Edith", "Louis", "Ann", "Robert")
_WORK = ("head of surgery", "judge of the court", "captain of the team", "chief auditor",
         "professor of botany", "mayor")  # fmt: skip


def _people(chance: random.Random) -> list[Thing]:
    stems = _Stems(chance)
    things: list[Thing] = []
    for number in range(20):
        first, middle = _FIRST[number % len(_FIRST)], _MIDDLE[number % len(_MIDDLE)]
        last = stems.next()
        facts = {"town": chance.choice(_TOWNS), "year": chance.choice(_YEARS),
                 "work": _WORK[number % len(_WORK)]}  # fmt: skip
        variants = [
            f"{first} {middle[0]}. {last}",
            f"{first} {middle} {last}",
            f"{last}, {first}",
            slip(f"{first} {last}", chance),
            f"Dr. {first} {last}",
            f"{first} {last}".upper(),
        ]
        has_twin = number % 3 == 2
        if not has_twin:
            variants += [f"{first[0]}. {last}", f"{first[0]}.{middle[0]}. {last}"]
        plain = f"{first} {last}".translate(str.maketrans("éë", "ee"))
        kept = chance.sample(variants, 3)
        kept += [plain] if plain != f"{first} {last}" else []
        things.append(_thing([f"{first} {last}", *kept], facts))
        if has_twin:  # of one surname and initial, in the same town
            twin, short = _ALIKE[first[0]], f"{first[0]}. {last}"
            work = chance.choice([work for work in _WORK if work != facts["work"]])
            others = {"town": facts["town"], "year": chance.choice(_YEARS), "work": work}
            if number % 2:  # the words around say whose it is
                things[-1].append((short, {"work": facts["work"]}))
            else:  # nobody's
                things.append([(short, {"town": facts["town"]})])
            things.append(_thing([f"{twin} {last}", f"{last}, {twin}"], others))
    return things


_COUNTIES = ("Essex", "Shropshire", "Kent", "Dorset", "Norfolk")
_SIGHTS = ("an old mill", "a ferry", "a covered market", "two schools")


def _places(chance: random.Random) -> list[Thing]:
    stems = _Stems(chance)
    things: list[Thing] = []
    for number in range(16):
        stem = stems.next()
        facts = {"town": chance.choice(_TOWNS), "year": chance.choice(_YEARS),
                 "sight": chance.choice(_SIGHTS)}  # fmt: skip
        other: list[str] = []
        match number % 5:
            case 0:
                names = [
                    f"Saint {stem}",
                    f"St. {stem}",
                    f"St {stem}",
                    slip(f"Saint {stem}", chance),
                ]
                other = [f"Saint {stem} Bay"]
            case 1:
                names = [f"North {stem}", f"N. {stem}", f"NORTH {stem.upper()}", f"North-{stem}"]
                other = [f"South {stem}", f"S. {stem}"]
            case 2:
                names = [f"Mount {stem}", f"Mt. {stem}", slip(f"Mount {stem}", chance)]
                other = [f"Lake {stem}"]
            case 3:
                names = [f"{stem} Harbour", f"{stem} Harbor", f"{stem}-Harbour"]
            case _:
                one, two = chance.sample(_COUNTIES, 2)
                names = [f"{stem}, {one}", f"{stem} ({one})", slip(f"{stem} {one}", chance)]
                other = [f"{stem}, {two}", f"{stem} ({two})"]
        things.append(_thing(names, facts))
        if other and number < 9:
            things.append(_thing(other, facts | {"sight": chance.choice(_SIGHTS)}))
    return things


def _products(chance: random.Random) -> list[Thing]:
    stems = _Stems(chance)
    things: list[Thing] = []
    for number in range(9):
        stem, maker = stems.next(2), stems.next(2)
        figure = chance.choice((200, 350, 737, 900))
        facts = {"maker": maker, "year": chance.choice(_YEARS), "town": chance.choice(_TOWNS)}
        names = [f"{stem} X-{figure}", f"{stem} X{figure}", f"{stem} X {figure}",
                 f"{maker} {stem} X-{figure}"]  # fmt: skip
        match number % 3:  # the next generation, a variant, or a larger one, of the same maker
            case 0:
                other = [f"{stem} X-{figure} II", f"{stem} X{figure} II"]
            case 1:
                other = [f"{stem} X-{figure} Pro", f"{maker} {stem} X-{figure} Pro"]
            case _:
                other = [f"{stem} X-{figure + 10}"]
        things += [_thing(names, facts), _thing(other, facts)]
    return things


_KINDS = (
    ("issuer", "The company that issues the report.", _companies, (
        "In {year} {name} of {town} raised its dividend for the first time.",
        "The loss that {name}, which {does}, reported was smaller than feared.",
        "Accounts of {name} were approved in {town}, as every spring.",
        "This report was issued by {name} and signed by {head}.",
        "Shares fell after {head} had left {name} in {year}.",
        "A second plant was opened by {name} in {town} last autumn.",
        "Customers of {name}, which {does}, waited for months.",
        "Strikes at {name} in {town} went on until {year}.",
        "Demand has grown since {year}, says {name} in its outlook.",
        "On the board of {name} is {head}, who lives in {town}.",
    )),
    ("signed_by", "Who signed the report.", _people, (
        "It was signed in {town} by {name} on the last day of May.",
        "Signature of the {work}: {name}, with two witnesses.",
        "We thank {name}, {work}, for reading an early draft.",
        "Since {year} the office has been led by {name} alone.",
        "The letter that {name} wrote from {town} is attached.",
        "Questions go to {name}, who was elected in {year}.",
        "For the committee: {name} ({work}), and two others.",
        "A speech by {name} closed the meeting in {town}.",
        "Approved in {year}, after {name} had asked for changes.",
    )),
    ("place", "Where it took place.", _places, (
        "The road from {town} to {name} was closed for a week.",
        "They met at {name}, where there is {sight}.",
        "In {year} the council moved to {name}, near the coast.",
        "A bus runs from {name} to {town} twice a day.",
        "The fair at {name} has been held since {year}.",
        "Visitors of {name} like it for {sight} and the quiet.",
        "It rained in {name} all through the meeting.",
        "Half of the guests came to {name} from {town}.",
    )),
    ("product", "The product that was tested.", _products, (
        "Tests of the {name} in {town} took nine days.",
        "The {name} has been sold since {year}, mostly abroad.",
        "Two of the pumps tested, the {name} among them, leaked.",
        "A {name} was lent to us by {maker} for the test.",
        "Noise of the {name} was measured in {town} at night.",
        "Buyers of the {name} wrote to {maker} in {year}.",
    )),
)  # fmt: skip


def _fields(sentence: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(sentence) if name}


def make_columns(seed: int = SEED) -> list[Column]:
    """Make the four columns."""
    columns = []
    for name, description, make, sentences in _KINDS:
        chance = random.Random(f"{seed} {name}")
        counts: dict[str, int] = {}
        around: dict[str, str] = {}
        things: list[tuple[str, ...]] = []
        for thing in make(chance):
            own = {item: facts for item, facts in thing if item not in counts}
            things.append(tuple(own))
            unused = chance.sample(sentences, len(sentences))
            for spelling, facts in own.items():
                counts[spelling] = chance.choice((1, 1, 2, 3, 7))
                sentence = next(item for item in unused if _fields(item) <= {"name", *facts})
                unused.remove(sentence)
                text = sentence.format(name=spelling, **facts)
                start = text.index(spelling)
                around[spelling] = cut_around(text, start, start + len(spelling))
        order = sorted(counts, key=lambda _: chance.random())
        shuffled = {spelling: counts[spelling] for spelling in order}
        columns.append(Column(name, description, tuple(things), shuffled, around))
    return columns


def find_doubts(columns: Sequence[Column]) -> list[Doubt]:
    """Return the groups that a model is asked about."""
    return [
        Doubt(column.name, column.description, tuple(group), column.around)
        for column in columns
        for group in find_candidates(unite(column.counts))
    ]


def score(columns: Sequence[Column], said: Sequence[tuple[str, Verdict]] = ()) -> dict[str, Score]:
    """Score the pairs that are united, by column and in `all`; *said*: verdicts behind columns."""
    scores: dict[str, Score] = {}
    for column in columns:
        verdicts = [verdict for name, verdict in said if name == column.name]
        things = unite(column.counts, verdicts=verdicts)
        united, true = pairs(thing.spellings for thing in things), column.true_pairs()
        wrong = tuple(sorted(" = ".join(sorted(pair)) for pair in united - true))
        scores[column.name] = Score(len(united & true), len(united), len(true), wrong)
    n_right, n_united, n_true = (
        sum(getattr(item, name) for item in scores.values())
        for name in ("n_right", "n_united", "n_true")
    )
    return scores | {"all": Score(n_right, n_united, n_true)}


def ask(model: LanguageModel) -> dict[str, Score]:
    """Ask *model* about all doubtful groups, and score what it says."""
    columns = make_columns()
    said = run_to_end(resolve, model, write_prompts(find_doubts(columns)))
    return score(columns, said)


def record(settings: Settings, work: Path | None, path: Path) -> dict[str, Score]:
    """Ask who is named by *settings*, and keep the replies in *path*."""
    with open_bench(settings, work) as bench:
        folder = bench.folder / "names"
        folder.mkdir(exist_ok=True)
        with bench.open_engine(folder) as engine:
            assert isinstance(engine, ModelEngine), "name a model (--model), or --engine agent"
            scores = ask(engine.model)
            engine.forget_useless()
            write_replies(path, engine.replies.kept())
    return scores


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--engine", choices=("model", "agent"))
    parser.add_argument("--model")
    parser.add_argument("--work", type=Path, metavar="DIR")
    parser.add_argument("--record", type=Path, metavar="FILE")
    chosen = parser.parse_args(arguments)
    if chosen.record:
        settings = Settings(engine=chosen.engine or "model", model=chosen.model)
        scores = record(settings, chosen.work, chosen.record)
    else:
        scores = ask(ReplayModel(REPLIES))
    for name, found in scores.items():
        print(f"{name}: {found}")
        print("".join(f"  wrong: {pair}\n" for pair in found.wrong), end="")


if __name__ == "__main__":
    main(sys.argv[1:])
