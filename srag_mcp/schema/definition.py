"""An attribute as a model defines it: what is wrong with it, and what becomes of it."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Literal, TypeAlias

from srag_mcp.documents.kinds import MIN_DOCUMENTS
from srag_mcp.model.language_model import LanguageModel, Prompt, enclose, render_prompt
from srag_mcp.model.reply_content import ReplyContent, ReplyElement, ask_for, describe_misfits
from srag_mcp.schema.attribute import RESERVED_NAMES, AbsentMeans, Attribute, Scalar, snake_case
from srag_mcp.values.types import ColumnType

Action: TypeAlias = Literal["add", "change", "remove"]


class AttributeReply(ReplyElement):
    """An attribute as a model defines it; `predicted_attribute` reads it."""

    blanks: ClassVar = {"type": "string"}

    name: str
    type: ColumnType
    description: str
    unit: str | None
    categories: list[str] | None
    absent_means: AbsentMeans
    synonyms: list[str]
    examples: list[Scalar]
    rationale: str


class Need(ReplyElement):
    """The columns that a query for a sample question needs; *question* is its number, from 1."""

    question: int
    columns: list[str]


class ListReply(ReplyElement):
    """What a document has several of, each with its own values of *fields*; none: plain values."""

    name: str
    description: str
    fields: list[str]


class SchemaReply(ReplyContent):
    """A first schema, what the documents list beside it, and what other kinds there seem to be."""

    title: str
    entity: str
    nouns: list[str]
    attributes: list[AttributeReply]
    needs: list[Need]
    lists: list[ListReply]
    other_kinds: list[str]


class ChangedAttribute(ReplyElement):
    """An attribute as a change defines it: what is None stays as it is."""

    name: str | None
    type: ColumnType | None
    description: str | None
    unit: str | None
    categories: list[str] | None
    absent_means: AbsentMeans | None
    synonyms: list[str] | None
    examples: list[Scalar] | None


class Change(ReplyElement):
    """One change of a schema; *definition* is None where an attribute is removed."""

    blanks: ClassVar = {"action": "change"}

    action: Action
    attribute: str
    definition: ChangedAttribute | None
    rationale: str


class RefinementReply(ReplyContent):
    """The changes of one round, and what the questions need whose columns it changed."""

    changes: list[Change]
    needs: list[Need]


LONGEST_STRING = 80
MAX_EXAMPLES = 6
MAX_CATEGORIES = 60
MAX_SYNONYMS = 10
_GOES_ON = re.compile(r"[.!?。]\s+\S+(?:\s+\S+)*?(?:\s+[a-z]\S*){3}")  # another sentence begins
_NEEDED = frozenset({"name", "type", "description"})


def find_problems(reply: AttributeReply) -> list[str]:
    """Say what is wrong with the definition, for the model that wrote it; empty if nothing is."""
    problems = describe_misfits(reply) or (*_problems(reply), *find_lists(reply))
    return [f"attribute {reply.name!r}: {problem}" for problem in problems]


def complete_definition(
    name: str, changed: ChangedAttribute, present: Attribute | None
) -> AttributeReply:
    """Return the whole definition, with what *changed* leaves open as it is at *present*.

    What does not fit its field counts as left open; *name* is the one of an attribute without any.
    """
    kept = set(ChangedAttribute.model_fields)
    before = {"name": name} if present is None else present.model_dump(mode="json", include=kept)
    said = {field: value for field, value in changed if value is not None}
    return AttributeReply.model_validate({**before, **said})


def is_usable(reply: AttributeReply) -> bool:
    """Whether it has a name, a type, a description and no long texts, good or not."""
    if not snake_case(reply.name) or reply.misfits.keys() & _NEEDED:
        return False
    return not _is_long(reply.examples)


def read_attribute(reply: AttributeReply, name: str) -> Attribute:
    """Make the attribute called *name* of a definition; what does not fit its type is left out.

    So are long units and categories, and examples of several lines or sentences: the definition
    stands in the prompts of all documents, and a document may have dictated it.
    """
    fits = reply.type.means(reply.absent_means)
    examples = [item for item in reply.examples if _fits(reply, item)]
    plain = name.replace("_", " ")
    words = (*reply.synonyms, reply.name.replace("_", " "))
    synonyms = dict.fromkeys(" ".join(word.split()).lower() for word in words)
    return Attribute(
        name=name,
        type=reply.type,
        description=" ".join(reply.description.split()),
        unit=_unit(reply),
        examples=tuple(dict.fromkeys(examples))[:MAX_EXAMPLES],
        categories=_categories(reply),
        absent_means=reply.absent_means if fits else "unknown",
        synonyms=tuple(word for word in synonyms if word not in {"", plain, name})[:MAX_SYNONYMS],
    )


def _problems(reply: AttributeReply) -> Iterator[str]:
    if not snake_case(reply.name) or reply.name in RESERVED_NAMES:
        yield "its name must be snake_case in Latin letters, and not document_id"
    if not reply.description.strip():
        yield "its description is empty: say what it is"
    if _is_long(reply.examples):
        yield f"its values are longer than {LONGEST_STRING} characters; leave long texts out"
    if not reply.type.means(reply.absent_means):
        yield f"absent_means {reply.absent_means!r} does not fit the type {reply.type}"
    if reply.categories is not None and not reply.type.is_text:
        yield "only a string has categories"
    if reply.categories is not None and len(reply.categories) > MAX_CATEGORIES:
        yield f"more than {MAX_CATEGORIES} categories are not a closed set; use null"
    if any(isinstance(item, str) and "\n" in item for item in reply.examples):
        yield "its values have several lines; a list becomes boolean columns"


def _is_long(examples: Sequence[Scalar]) -> bool:
    return any(isinstance(item, str) and len(item) > LONGEST_STRING for item in examples)


def _fits(reply: AttributeReply, value: Scalar) -> bool:
    if reply.type.is_boolean:
        return isinstance(value, bool)
    if reply.type.is_numeric:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if not isinstance(value, str) or _GOES_ON.search(value):
        return False
    return bool(value.strip()) and len(value.splitlines()) == 1


def _unit(reply: AttributeReply) -> str | None:
    """Return the unit of a number; `%` is written `percent` here."""
    unit = " ".join((reply.unit or "").split())
    if not unit or len(unit) > LONGEST_STRING or not reply.type.is_numeric:
        return None
    return "percent" if unit in {"%", "per cent", "percentage"} else unit


def _categories(reply: AttributeReply) -> tuple[str, ...] | None:
    if not reply.type.is_text or not reply.categories or len(reply.categories) > MAX_CATEGORIES:
        return None
    kept = dict.fromkeys(" ".join(item.split()) for item in reply.categories)
    if any(len(item) > LONGEST_STRING for item in kept):
        return None
    return tuple(item for item in kept if item) or None


_LIST_OF = re.compile(
    r"(?:^|[.!?;:]\s+)(?:an?\s|the\s)?(?:[\w-]+\s){0,2}lists?\sof\b"
    r"|\b(?:comma|semicolon)[- ]separated\s(?:list|values|items|names)\b",
    re.IGNORECASE,
)
_SEPARATED = re.compile(
    r"\b(?:comma|semicolon)s?[- ]separated\b|\bseparated\sby\s(?:an?\s)?(?:comma|semicolon)s?\b",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"[,;]\s")
_PLURAL = re.compile(r"\w{2,}[^su]s")


def find_lists(reply: AttributeReply) -> list[str]:
    """Say that the column would hold lists, for the model that defined it; empty if it would not.

    Commas alone tell nothing, an address and a place have them: the description must say so, or
    the name begin or end in the plural and most examples have several parts.

    `sensors: "wind, rain", "rain, sun" -> "its values are lists: …"`

    Source: S-RAG 3.2.1, footnote 3.
    """
    if not reply.type.is_text:
        return []
    first, _, last = snake_case(reply.name).partition("_")
    is_plural = any(_PLURAL.fullmatch(word) for word in (first, last.rpartition("_")[2]))
    lists = [item for item in reply.examples if isinstance(item, str) and _BETWEEN.search(item)]
    if len(reply.examples) > 1:
        has_several = len(lists) * 2 > len(reply.examples)
    else:
        has_several = _SEPARATED.search(reply.description) is not None
    if not _LIST_OF.search(reply.description) and not (is_plural and has_several):
        return []
    return [
        "its values are lists, and a column holds one value: give a boolean column to each item"
        " that several documents have, and an integer column for how many there are"
    ]


_MEMBER = re.compile(r"^- (s\d+) ", re.MULTILINE)  # of a group


class KindReply(ReplyContent):
    """A kind: its name in the plural, and the keys of its groups and of single documents."""

    name: str | None
    of: tuple[str, ...]

    def places(self) -> list[int]:
        """Return which groups are of this kind, from 0."""
        return [int(key[1:]) - 1 for key in self.of if key.startswith("g")]


class KindsReply(ReplyContent):
    """All kinds; every group is in one of them."""

    kinds: tuple[KindReply, ...]


def render_kinds(texts: Mapping[str, str]) -> Prompt:
    """Ask which groups of documents are one kind.

    *texts* describe the groups by key, `g1`, `g2`, …, with documents of theirs that have a key of
    their own, `s5`, `s6`, …, and strays that are in none, `s1`, ….
    """
    shown = enclose("\n".join(f"{key} {text}" for key, text in texts.items()))
    return render_prompt("name_kinds", "schema", "kinds of documents", groups=shown)


async def settle_kinds(model: LanguageModel, texts: Mapping[str, str]) -> Sequence[KindReply]:
    """Ask which groups are one kind, see `render_kinds`; return nothing where the reply is wrong.

    Raises:
        ModelError: If no reply could be had, or none of the right form.
    """
    found = await ask_for(
        model, render_kinds(texts), KindsReply, lambda reply: [*_problems_of_names(reply, texts)]
    )
    return () if found.problems else found.content.kinds


def _problems_of_names(reply: KindsReply, texts: Mapping[str, str]) -> Iterator[str]:
    keys = {*texts, *_MEMBER.findall("\n".join(texts.values()))}
    times = Counter(key for kind in reply.kinds for key in kind.of)
    yield from (f"there is no {key!r:.20}" for key in times if key not in keys)
    yield from (f"{key} is in {n} kinds" for key, n in times.items() if n > 1)
    yield from (f"{key} is in no kind" for key in texts if key.startswith("g") and not times[key])
    names = Counter(snake_case(kind.name or "") for kind in reply.kinds)
    yield from (f"two kinds are called {name!r}" for name, n in names.items() if name and n > 1)
    if any(len(kind.of) < MIN_DOCUMENTS and not kind.places() for kind in reply.kinds):
        yield f"a kind has a group, or {MIN_DOCUMENTS} documents: leave out those that are of none"
