"""Names with truth, made from a seed: 100 things with 300 spellings, near-misses among them.

`python -m tests.names.name_set DIR` writes the prompts of all doubtful groups to `DIR/NN.txt`; with
replies of a model in `DIR/NN.json` it prints the precision and recall that they make.
"""

import random
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from srag_mcp.model.asking import read_content
from srag_mcp.names.likeness import find_candidates
from srag_mcp.names.resolution import (
    PLACEHOLDER,
    Doubt,
    NamesPrompt,
    NamesReply,
    read_reply,
    write_prompts,
)
from srag_mcp.names.uniting import Verdict, unite

SEED = 11
Pair = frozenset[str]


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
        return _pairs(self.things)


def _pairs(groups: Iterable[Iterable[str]]) -> set[Pair]:
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


Thing = tuple[list[str], str]
"""The spellings of one thing, and what documents say of it."""

_TRADES = (
    ("Marine Systems", "makes ship propellers"), ("Power Holdings", "runs wind farms"),
    ("Foods", "sells frozen vegetables"), ("Textile Works", "weaves linen"),
    ("International Bank", "lends to farmers"), ("Data Services", "hosts servers"),
    ("Timber Manufacturing", "saws planks"), ("Medical Technologies", "builds scanners"),
)  # fmt: skip
_TOWNS = ("Bergen", "Graz", "Leeds", "Porto", "Turku", "Lyon", "Galway", "Aarhus")


def _companies(chance: random.Random) -> list[Thing]:
    stems = _Stems(chance)
    things: list[Thing] = []
    for number in range(22):
        stem, (trade, does) = stems.next(3), _TRADES[number % len(_TRADES)]
        said = f"which {does} in {_TOWNS[number % len(_TOWNS)]}"
        full = f"{stem} {trade}"
        words = trade.split()
        forms = (("Inc.", "Incorporated"), ("Ltd", "Limited"), ("Corp.", "Corporation"))[number % 3]
        initials = "".join(word[0] for word in full.split())
        variants = [
            f"{full} {forms[1]}",
            full.upper(),
            f"{stem} {words[0][:4]}. {' '.join(words[1:])}".strip(),
            f"{stem}",
            slip(full, chance),
            f"{stem[:4]}{stem[4:]}{words[0]} {' '.join(words[1:])}".strip(),
        ]
        if len(initials) > 2:
            variants.append(initials)
        kept = chance.sample(variants, chance.choice((2, 3)))
        things.append(([f"{full} {forms[0]}", *kept], said))
        if number % 4 == 0:  # near-misses: another company of a like name, another legal form
            things.append(([f"{stem} {chance.choice(('Insurance', 'Shipping'))} GmbH"],
                           f"an insurer of {stem.lower()} cargo in Hamburg"))  # fmt: skip
        if number % 7 == 1:
            things.append(([f"{full} S.A."], f"the Spanish subsidiary of {full}"))
    return things


_FIRST = ("Johanna", "Samuel", "Margarete", "Dominic", "José", "Katherine", "Frederick", "Zoë",
          "Nicholas", "Beatrice", "Leonard", "René", "Gabriela", "Theodore", "Ingrid")  # fmt: skip
_MIDDLE = ("Maria", "Paul", "Edith", "Louis", "Ann", "Robert")
_WORK = ("head of surgery", "judge of the court", "captain of the team", "chief auditor",
         "professor of botany", "mayor of the town")  # fmt: skip


def _people(chance: random.Random) -> list[Thing]:
    stems = _Stems(chance)
    things: list[Thing] = []
    for number in range(24):
        first, middle = _FIRST[number % len(_FIRST)], _MIDDLE[number % len(_MIDDLE)]
        last = stems.next()
        town = _TOWNS[number % len(_TOWNS)]
        said = f"{_WORK[number % len(_WORK)]} in {town}"
        variants = [
            f"{first[0]}. {last}",
            f"{first} {middle[0]}. {last}",
            f"{first} {middle} {last}",
            f"{last}, {first}",
            f"{first[0]}.{middle[0]}. {last}",
            slip(f"{first} {last}", chance),
            f"Dr. {first} {last}",
            f"{first} {last}".upper(),
        ]
        plain = f"{first} {last}".translate(str.maketrans("éë", "ee"))
        kept = chance.sample(variants, chance.choice((2, 3)))
        kept += [plain] if plain != f"{first} {last}" else []
        things.append(([f"{first} {last}", *kept], said))
        if number % 4 == 2:  # a near-miss: another person of this name
            other = "Ottilie" if first != "Ottilie" else "Ulrike"
            things.append(([f"{other} {last}"], f"a violinist from Oslo, no {said.split()[0]}"))
    return things


def _places(chance: random.Random) -> list[Thing]:
    stems = _Stems(chance)
    things: list[Thing] = []
    for number in range(18):
        stem = stems.next()
        said = f"{number * 3 + 4} km from {_TOWNS[number % len(_TOWNS)]}"
        match number % 4:
            case 0:
                names = [
                    f"Saint {stem}",
                    f"St. {stem}",
                    f"St {stem}",
                    slip(f"Saint {stem}", chance),
                ]
                other = f"Saint {stems.next()}"
            case 1:
                names = [f"North {stem}", f"N. {stem}", f"NORTH {stem.upper()}", f"North-{stem}"]
                other = f"South {stem}"
            case 2:
                names = [f"Mount {stem}", f"Mt. {stem}", slip(f"Mount {stem}", chance)]
                other = f"Lake {stem}"
            case _:
                names = [f"{stem} Harbour", f"{stem} Harbor", f"{stem}-Harbour"]
                other = f"{stem} Heights"
        things.append((list(dict.fromkeys(names)), said))
        if number % 3 == 0:
            things.append(([other], f"{number * 3 + 90} km from Oulu, on another coast"))
    return things


def _products(chance: random.Random) -> list[Thing]:
    stems = _Stems(chance)
    things: list[Thing] = []
    for number in range(10):
        stem, maker = stems.next(2), stems.next(2)
        figure = chance.choice((200, 350, 737, 900))
        names = [f"{stem} X-{figure}", f"{stem} X{figure}", f"{stem} X {figure}",
                 f"{maker} {stem} X-{figure}"]  # fmt: skip
        things.append((names, f"the {maker} pump of {1990 + number}"))
        if number % 2:
            things.append(([f"{stem} X-{figure + 10}"], f"the larger pump of {2004 + number}"))
    return things


_KINDS = (
    ("issuer", "The company that issues the report.", _companies, "published by {name}, {said}."),
    ("signed_by", "Who signed the report.", _people, "It was signed by {name}, {said}, in May."),
    ("place", "Where it took place.", _places, "the meeting at {name}, {said}, was short"),
    ("product", "The product that was tested.", _products, "tests of the {name}, {said}, went on"),
)


def make_columns(seed: int = SEED) -> list[Column]:
    """Make the four columns."""
    columns = []
    for name, description, make, sentence in _KINDS:
        chance = random.Random(f"{seed} {name}")
        made = make(chance)
        counts: dict[str, int] = {}
        around: dict[str, str] = {}
        things: list[tuple[str, ...]] = []
        for spellings, said in made:
            own = tuple(item for item in dict.fromkeys(spellings) if item not in counts)
            things.append(own)
            for spelling in own:
                counts[spelling] = chance.choice((1, 1, 2, 3, 7))
                around[spelling] = sentence.format(name=PLACEHOLDER, said=said)
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


def measure(columns: Sequence[Column], verdicts: Mapping[str, Sequence[Verdict]]) -> str:
    """Return the precision and recall of all pairs that are united, by column and in all."""
    lines = []
    n_right = n_united = n_true = 0
    for column in columns:
        things = unite(column.counts, verdicts=verdicts.get(column.name, ()))
        united, true = _pairs(thing.spellings for thing in things), column.true_pairs()
        n_right, n_united = n_right + len(united & true), n_united + len(united)
        n_true += len(true)
        lines.append(_line(column.name, len(united & true), len(united), len(true)))
        lines += [f"  wrong: {' = '.join(sorted(pair))}" for pair in united - true]
    return "\n".join([*sorted(lines, key=lambda line: line.startswith("  ")),
                      _line("all", n_right, n_united, n_true)])  # fmt: skip


def _line(name: str, n_right: int, n_united: int, n_true: int) -> str:
    precision = n_right / n_united if n_united else 1.0
    recall = n_right / n_true
    return f"{name}: precision {precision:.3f}, recall {recall:.3f} ({n_united} of {n_true} pairs)"


def score_replies(folder: Path) -> str:
    """Score the replies `NN.json` to the prompts `NN.txt` of *folder*."""
    columns = make_columns()
    verdicts: dict[str, list[Verdict]] = {}
    for number, asked in enumerate(write_prompts(find_doubts(columns)), start=1):
        path = folder / f"{number:02d}.json"
        if path.exists():
            reply = read_content(path.read_text(encoding="utf-8"), NamesReply)
            for doubt, verdict in read_reply(reply, asked.doubts):
                verdicts.setdefault(doubt.column, []).append(verdict)
    return measure(columns, verdicts)


def write_texts(folder: Path, prompts: Sequence[NamesPrompt]) -> None:
    """Write each prompt to a file, its instructions and then its content."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, asked in enumerate(prompts, start=1):
        text = f"{asked.prompt.instructions}\n\n{asked.prompt.content}\n"
        (folder / f"{number:02d}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    target = Path(sys.argv[1])
    write_texts(target, write_prompts(find_doubts(make_columns())))
    print(score_replies(target))
