"""What holds of every folder of forms: the truth is read, and no place or neighbour changes it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from srag_mcp.values.states import State
from srag_mcp.values.types import Value
from tests.rules.folder import Table, tabulate

NAMES = ("Ilse Brandt", "Jonas Keil", "Mira Vogt", "Otto Lang", "Petra Sahm", "Ralf Thoma")
# Each label with values of its own, so that no two columns can be taken for one fact.
FIELDS: Mapping[str, st.SearchStrategy[Value]] = {
    "Owner": st.sampled_from(NAMES),
    "Weight": st.integers(100, 999),
    "Visitors": st.integers(2_000_000, 9_000_000),
    "Opened": st.integers(0, 3_000).map(lambda n: date(2001, 1, 1) + timedelta(days=n)),
    "Licence": st.integers(0, 9_999).map(lambda n: f"K-{n:04}"),
    "Heated": st.booleans(),
}
KINDS = {
    "owner": "string",
    "weight": "integer kg",
    "visitors": "integer",
    "opened": "date",
    "licence": "string",
    "heated": "boolean",
}

Facts = dict[str, Value | None]


@dataclass(frozen=True)
class Folder:
    """Facts by document, and how they are written down."""

    facts: list[Facts]
    style: int

    @property
    def texts(self) -> list[str]:
        """The documents: labels in one order, some of them without a value."""
        return [
            "Form of the office\n\n"
            + "".join(
                f"{label}: {self.write(value)}\n"
                for label, value in facts.items()
                if value is not None
            )
            for facts in self.facts
        ]

    def write(self, value: Value) -> str:
        """Write a value as the style of the folder has it."""
        if isinstance(value, bool):
            return (("no", "yes"), ("Nein", "Ja"), ("✗", "✓"))[self.style][value]
        if isinstance(value, date):
            return (value.isoformat(), f"{value:%d.%m.%Y}", f"{value.day} {value:%B %Y}")[
                self.style
            ]
        if isinstance(value, int):
            grouped = f"{value:,}"
            shown = (grouped, grouped.replace(",", "."), str(value))[self.style]
            return f"{value} kg" if value < 1_000 else shown
        return str(value)

    def truth(self, name: str) -> list[Value | None]:
        """Return what a column holds."""
        return [facts[name.capitalize()] for facts in self.facts]


@st.composite
def folders(draw: st.DrawFn) -> Folder:
    n_documents = draw(st.integers(8, 12))
    maybe = {label: st.none() | values | values | values for label, values in FIELDS.items()}
    facts = draw(st.lists(st.fixed_dictionaries(maybe), min_size=n_documents, max_size=n_documents))
    return Folder(facts, draw(st.integers(0, 2)))


def is_plain(values: list[Value | None]) -> bool:
    """Whether a column must be shown: most documents state it, and they differ."""
    said = [value for value in values if value is not None]
    return len(said) >= 0.6 * len(values) and len(set(said)) > 2 * (not isinstance(said[0], bool))


def rows(table: Table, order: list[int]) -> dict[str, list[object]]:
    """Return the columns with type, value and quote, the documents in *order*."""
    return {
        f"{name} {kind}": [
            (table.cells[name][n].value, table.cells[name][n].as_stated) for n in order
        ]
        for name, kind in table.columns.items()
    }


# a folder takes long to shrink, and is plain enough as it is; each run tries the same ones
quick = settings(
    max_examples=10, deadline=None, derandomize=True, phases=[Phase.explicit, Phase.generate]
)


@quick
@given(folders())
def test_what_stands_beside_a_label_is_read_and_nothing_else_is_shown(folder: Folder) -> None:
    table = tabulate(folder.texts)
    wanted = {name for name in KINDS if is_plain(folder.truth(name))}
    assert wanted <= table.columns.keys() <= KINDS.keys()
    for name, kind in table.columns.items():
        assert kind == KINDS[name]
        assert table.values(name) == folder.truth(name)
        assert table.contradicted(name) == []
        for document, cell in zip(table.documents, table.cells[name], strict=True):
            assert (cell.state is State.STATED) == (cell.span is not None)
            assert cell.span is None or cell.span.of(document.text) == cell.as_stated


@quick
@given(folders(), st.randoms(use_true_random=False))
def test_the_order_of_the_documents_changes_nothing(folder: Folder, random: object) -> None:
    order = list(range(len(folder.facts)))
    random.shuffle(order)  # type: ignore[attr-defined]  # hypothesis types it as any Random
    shuffled = Folder([folder.facts[n] for n in order], folder.style)
    back = [order.index(n) for n in range(len(order))]
    assert rows(tabulate(shuffled.texts), back) == rows(tabulate(folder.texts), sorted(order))


@quick
@given(
    folders(),
    st.sampled_from(
        [
            "Nothing to tell.\n",
            "# Notes\n\nWe met at noon and left at once.\n",
            "Owners of dogs are asked to pay 5 EUR.\n",
            "1\n2\n3\n",
        ]
    ),
)
def test_a_document_of_another_kind_changes_no_value(folder: Folder, other: str) -> None:
    order = list(range(len(folder.facts)))
    alone, beside = tabulate(folder.texts), tabulate([*folder.texts, other])
    shown = rows(beside, order)
    assert shown.items() <= rows(alone, order).items() or shown == rows(alone, order)
    for name in beside.columns:
        assert beside.cells[name][-1].value is None


@pytest.mark.parametrize("n_copies", [2, 5])
def test_copies_of_a_document_give_copies_of_its_record(n_copies: int) -> None:
    texts = [f"Owner: {name}\nWeight: {n + 3} kg\n" for n, name in enumerate(NAMES * 2)]
    table = tabulate([*texts, *[texts[3]] * n_copies])
    assert table.columns == {"owner": "string", "weight": "integer kg"}
    assert table.values("weight")[-n_copies:] == [6] * n_copies


def test_the_same_folder_gives_the_same_schema_each_time() -> None:
    texts = [
        f"# Log of {name}\n\nWeight: {n + 3} kg\n\nWe saw {n + 40} gulls and the"
        f" {('north', 'south')[n % 2]} buoy.\n\n## Aboard\n\n- {('Raft', 'Radio')[n % 2]}\n"
        for n, name in enumerate(NAMES * 2)
    ]
    one, other = (tabulate(texts, "How many gulls?", ending="md") for _ in range(2))
    assert one.schema == other.schema
    assert one.cells == other.cells
