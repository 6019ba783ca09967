"""Documents of several kinds are told apart by the words that recur in each."""

import random
from pathlib import Path

import pytest

from srag_mcp.documents.kinds import (
    MIN_DOCUMENTS,
    find_apart,
    find_kind,
    find_kinds,
    find_odd,
    fitting_kinds,
    is_odd,
    words_of,
)
from srag_mcp.documents.reading import read_content

CORPORA = Path(__file__).parents[2] / "corpora"
BOAT_LAYOUTS = (
    "Boat {name}. Berth: {n}. Length overall: {n} m. Hull: {thing}. Mooring fee paid until {n}."
    " Skipper on board: {name}.",
    "Register of boats. Name of boat {name}, hull of {thing}, length {n} metres, berth {n}, fee"
    " paid by skipper {name} for the mooring.",
)
LESSON = (
    "Swimming lesson for {name}. Pupil can float: {thing}. Strokes: {n} lengths of breast stroke."
    " Teacher: {name}. Next badge: {thing}."
)
NOTE = "{name} wrote: {thing} {thing} {thing}, remember {name} and {name} {thing} tomorrow."


def write(form: str, number: int) -> str:
    """Fill a form with things that no other document says."""
    return form.format(name=f"nom{number}x", n=number, thing=f"chose{number}y")


@pytest.fixture
def boats() -> list[str]:
    return [write(BOAT_LAYOUTS[number % 2], number) for number in range(20)]


@pytest.fixture
def lessons() -> list[str]:
    return [write(LESSON, number) for number in range(100, 112)]


def test_a_folder_of_one_kind_is_not_split_by_its_layouts(boats: list[str]) -> None:
    [kind] = find_kinds([words_of(text) for text in boats])
    assert kind.members == tuple(range(20))
    assert {"boat", "hull", "berth", "skipper"} <= set(kind.usual())


def test_two_kinds_are_told_apart_in_any_order(boats: list[str], lessons: list[str]) -> None:
    texts = boats + lessons
    order = list(range(len(texts)))
    random.Random(5).shuffle(order)
    kinds = find_kinds([words_of(texts[place]) for place in order])
    found = [{order[place] for place in kind.members} for kind in kinds]
    assert found == [set(range(20)), set(range(20, 32))]


def test_a_document_that_is_like_no_kind_is_of_none(boats: list[str], lessons: list[str]) -> None:
    words = [words_of(text) for text in (*boats, *lessons, write(NOTE, 7))]
    kinds = find_kinds(words)
    assert [len(kind.members) for kind in kinds] == [20, 12]
    assert find_kind(words[-1], kinds) is None
    assert find_kind(words_of(write(LESSON, 900)), kinds) == 1


def test_a_document_that_is_like_two_kinds_is_of_none(boats: list[str], lessons: list[str]) -> None:
    both = f"{write(LESSON, 7)} {write(BOAT_LAYOUTS[0], 8)} {write(BOAT_LAYOUTS[1], 8)}"
    for more in ([], [both, both.replace("7", "9")]):
        words = [words_of(text) for text in (*boats, *lessons, *more)]
        kinds = find_kinds(words)
        assert [kind.members for kind in kinds] == [tuple(range(20)), tuple(range(20, 32))]
        assert find_kind(words_of(both), kinds) is None
        assert sorted(fitting_kinds(words_of(both), kinds)) == [0, 1]


def test_what_shows_a_kind_says_most_of_what_is_usual_in_it(boats: list[str]) -> None:
    words = [words_of(text) for text in (boats[0].partition(" Hull")[0], *boats)]
    [kind] = find_kinds(words)
    assert 0 in kind.members
    assert 0 not in kind.typical(words, 3)
    assert len(kind.typical(words, 3)) == 3


def test_too_few_documents_are_no_kind(boats: list[str], lessons: list[str]) -> None:
    few = lessons[: MIN_DOCUMENTS - 1]
    kinds = find_kinds([words_of(text) for text in boats + few])
    assert [len(kind.members) for kind in kinds] == [20]


def test_a_few_that_are_like_each_other_and_not_like_the_rest_are_odd(boats: list[str]) -> None:
    deed = (
        "Deed of sale. Name of boat {name}, hull of {thing}, berth {n}, price agreed {n},"
        " seller {name}, buyer {name}, notary {name}, stamp duty {n}, registry volume {n},"
        " witness {name}, encumbrance {thing}, purchase consideration settled {n}."
    )
    deeds = [write(deed, number) for number in range(50, 53)]
    words = [words_of(text) for text in boats + deeds]
    kinds = find_kinds(words)
    assert kinds[0].score(words[-1]) > 1  # each alone may seem to be of the kind
    assert find_odd(words, kinds) == [20, 21, 22]
    assert find_odd(words[:20], find_kinds(words[:20])) == []


@pytest.mark.parametrize("text", [write(NOTE, 7), write(LESSON, 900), ""])
def test_a_document_alone_is_odd_where_it_is_like_no_other(boats: list[str], text: str) -> None:
    words = [words_of(text) for text in (*boats, text)]
    kinds = find_kinds(words)
    assert find_odd(words, kinds) == [20]
    assert is_odd(words[-1], kinds)
    assert not any(is_odd(x, kinds) for x in words[:-1])


def test_where_most_are_like_no_other_none_is_odd(boats: list[str]) -> None:
    said = [f"{word}{n}x wrote of {word}{n}y" for n in range(6) for word in ("ada", "bea", "cleo")]
    words = [words_of(text.translate(str.maketrans("012345", "pqrstu"))) for text in said]
    words += [words_of(text) for text in boats[:6]]
    assert find_odd(words, find_kinds(words)) == []


@pytest.mark.parametrize(("one", "other"), [("hotels", "cvs"), ("cvs", "hotels")])
def test_of_a_shipped_corpus_only_what_was_put_into_it_is_odd(one: str, other: str) -> None:
    def read(name: str) -> list[frozenset[str]]:
        paths = sorted((CORPORA / name / "documents").iterdir())
        return [words_of(read_content(path.read_bytes(), path.name).text) for path in paths]

    own, others = read(one), read(other)
    for few in ([], others[:1], others[-3:]):
        words = own + few
        assert find_odd(words, find_kinds(words)) == [*range(len(own), len(words))]


def test_nothing_is_of_no_kind() -> None:
    assert find_kinds([]) == []
    assert find_kind(frozenset(), find_kinds([words_of("")] * 9)) is None


@pytest.mark.parametrize("n_hotels", [60, 8])
def test_shipped_corpora_in_one_folder_are_told_apart(n_hotels: int) -> None:
    paths = sorted((CORPORA / "hotels" / "documents").iterdir())[:n_hotels]
    paths += sorted((CORPORA / "cvs" / "documents").iterdir())
    words = [words_of(read_content(path.read_bytes(), path.name).text) for path in paths]
    of_hotels = set(range(n_hotels))
    found = {frozenset(kind.members) for kind in find_kinds(words)}
    assert found == {frozenset(of_hotels), frozenset(range(len(paths))) - of_hotels}


def _papers(usual: str, other: str, *more: str) -> list[tuple[str, str]]:
    called = [usual] * 4 + [other] + [usual] * 3
    texts = [f"{name}\nGuest: {'ABCDEFGH'[n]}orn" for n, name in enumerate(called)]
    texts = [text.replace("#", str(n)) for n, text in enumerate(texts)]
    return [(f"{n}.txt", text) for n, text in enumerate((*texts, *more))]


@pytest.mark.parametrize(
    ("usual", "other", "why"),
    [
        ("Invoice INV-#", "Credit note CN-#", "is called credit note, not invoice"),
        ("**Invoice 10#**\n", "**Credit note 10#**\n", "is called credit note, not invoice"),
        ("ACME TRADING LTD\nRECHNUNG\n", "ACME TRADING LTD\nGUTSCHRIFT\n",
         "is called gutschrift, not rechnung"),
        ("Acme\nInvoice no: INV-#", "Acme\nCredit no: CN-#", "is called credit no, not invoice no"),
        ("Facture F-# du 3 mars", "Avoir A-# du 4 avril", "is called avoir, not facture"),
    ],
)  # fmt: skip
def test_what_calls_itself_otherwise_than_most_is_told(usual: str, other: str, why: str) -> None:
    assert [*find_apart(lambda: _papers(usual, other))] == [("4.txt", why)]


@pytest.mark.parametrize(
    ("usual", "other"),
    [
        ("Invoice INV-#", "Copy\nInvoice INV-#"),  # a line more
        ("Acme Ltd\nInvoice", "Birch Ltd\nInvoice"),  # who wrote it
        ("Report\nCity: Bonn", "Report\nCity: Ulm"),  # a label and its value
        (f"Yesterday 1# {'cases were told ' * 6}", f"So far 1# {'cases were told ' * 6}"),  # prose
    ],
)
def test_another_line_at_the_top_is_no_other_name(usual: str, other: str) -> None:
    assert [*find_apart(lambda: _papers(usual, other))] == []


def test_what_names_another_one_by_its_code_is_told_unless_that_is_usual() -> None:
    papers = _papers("Notice N-10#", "Notice N-104", "Notice N-108\nThis replaces notice N-102.")
    assert [*find_apart(lambda: papers)] == [("8.txt", "names 2.txt")]
    numbered = _papers("Invoice 10#", "Invoice 104", "Invoice 108\nReplaces invoice 102, of 102 m.")
    assert [*find_apart(lambda: numbered)] == [("8.txt", "names 2.txt")]
    chained = [(f"{n}", f"Minutes M-{n}\nApproved: those of M-{n - 1}.") for n in range(8)]
    assert [*find_apart(lambda: chained)] == []
