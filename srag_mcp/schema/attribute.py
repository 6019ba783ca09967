"""An attribute: one column of the record table, its name, and the rules that find it.

Rules are data, learnt by `srag_mcp.rules` at induction and applied by it at extraction. Each is a
small frozen model, so that a schema file carries them and a person can read and edit them.
"Folded" is: lower case, without accents and punctuation.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from srag_mcp.values.types import ColumnType

SlotType: TypeAlias = Literal["number", "money", "percent", "date", "name"]
Scope: TypeAlias = Literal["text", "head", "tail", "after", "under"]

LONGEST_WISH = 300  # characters of an attribute that is described in words


class _Rule(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class KeyRule(_Rule):
    """The value beside one of these keys, compared folded; an earlier key wins over a later one.

    *section* restricts the rule to keys below a heading of that (folded) name; below one of
    *besides* they mean another thing, and unless *in_tables* so they do as headers of a table in
    the text. *reads* is `label`
    where the value is the number in the key ("VAT 19 %"), `column` where the keys are headers of a
    table file whose rows are documents: its cells are the values, whoever thinks. With *word* it is
    the number on which the keys of a document agree most ("total", "amount due", "net total"):
    *weights* gives each folded key its reliability, 0 to 1; another key that has *word* in it
    counts a little. Rules of earlier versions have *leads*, which are read no more, and `amount`,
    which is read as `whole`.
    """

    kind: Literal["key"] = "key"
    keys: tuple[str, ...] = ()
    section: str | None = None
    besides: tuple[str, ...] = ()
    in_tables: bool = True
    occurrence: Literal["first", "last"] = "first"
    reads: Literal["whole", "amount", "label", "column"] = "whole"
    leads: tuple[str, ...] = ()
    weights: dict[str, float] = Field(default_factory=dict)
    word: str | None = None


class ItemRule(_Rule):
    """Whether a list item or another short statement has all the words of one of *items*.

    *items* are folded; their stems are compared, so that "free wifi" is found in "Free WiFi in all
    areas". A statement that denies them ("no parking") says that it is absent. *section* restricts
    the rule to statements below a heading of that (folded) name, *sections* to those below one of
    them; a document that lists other things there, and has none of *signs* in its text, has it not.
    *besides* are longer items that are other things: "sweet potatoes" leaves "potatoes" open;
    *known* is what else lists like these name, by which another list shows that it is one of them.
    """

    kind: Literal["item"] = "item"
    items: tuple[str, ...] = Field(min_length=1)
    section: str | None = None
    sections: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()
    besides: tuple[str, ...] = ()
    known: tuple[str, ...] = ()


class SlotRule(_Rule):
    """A typed value in running text, chosen by the words around it.

    *weights* gives points to what stands around a value: `~pier` for a stem in the same sentence,
    `^pier` in the same paragraph, `<until` and `>boat` for a stem near it on the left or right,
    `<!with` and `>!boat` for the very next word, `#rooms` for a heading above, `@latest` for the
    latest of several dated values, `@score` for "8/10", `|>≥50` for a bound behind it under which
    it counts, `unit:length` for the kind of its unit. The value of the document with the most
    points is taken, if it has at least *threshold*. Values outside of *minimum* to *maximum* are
    not considered, nor those without one of *needs* in their sentence, stems of what it is called.
    *told* are words that documents say of the value itself, in its clause. A `name` is of an
    earlier version, and read no more.
    """

    kind: Literal["slot"] = "slot"
    value_type: SlotType
    weights: dict[str, float] = Field(min_length=1)
    threshold: float = Field(gt=0)
    besides: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    needs: tuple[str, ...] = ()
    told: tuple[str, ...] = ()


class PlaceRule(_Rule):
    """A value by its place: a title, the line of a name near the top, the first date.

    For `part`: a part between commas of a line, which is the value of the folded *key*, or near the
    top, and ends in the folded words *tail*; *index* counts from the end, -1 for the last. For
    `line`: the part *index* of the *line*-th line. For `name_line`: *forms* are folded words that
    mark a name of this corpus wherever its line stands (a legal form), *endings* words that names
    often end in; *skip* are folded lines that stand above names without being one, with `#` for
    numbers; for `first_date` folded dates, and keys beside which there are dates of other columns.
    """

    kind: Literal["place"] = "place"
    place: Literal[
        "title", "first_heading", "name_line", "first_date", "first_email", "part", "line"
    ]
    forms: tuple[str, ...] = ()
    endings: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    key: str | None = None
    tail: tuple[str, ...] = ()
    line: int = 0
    index: int = 0


class CellRule(_Rule):
    """A cell of a table, by its row and column header; of an earlier version, read no more."""

    kind: Literal["cell"] = "cell"
    row: str
    column: str


class PatternRule(_Rule):
    """A regular expression; its group `value` is the value, else the whole match.

    Attributes:
        pattern: Of the library `regex`; it is tried without regard to case where it begins `(?i)`.
        scope: Where it is tried: the whole `text`, its first or last *characters* (`head`, `tail`),
            the rest of the line and the line `after` the folded *label*, or what stands `under` the
            folded heading *label*.
        pick: Which of several matches counts; `max` is the largest number, `unique` takes none
            where they differ.
        need, veto: Folded words of which the line of a match has one, or none.
        map: The value for what was matched, folded, or as it is where it is symbols alone; what it
            does not name is left as it is.
        weak: Whether it only tells that words occur: no question is answered with it.
    """

    kind: Literal["pattern"] = "pattern"
    pattern: str = Field(min_length=1, max_length=2_000)
    scope: Scope = "text"
    characters: int | None = Field(default=None, gt=0)
    label: str | None = None
    pick: Literal["first", "last", "max", "unique"] = "first"
    need: tuple[str, ...] = ()
    veto: tuple[str, ...] = ()
    map: dict[str, str] = Field(default_factory=dict)
    weak: bool = False


class WrittenRule(PatternRule):
    """A pattern that a language model wrote after it had read a few documents.

    Attributes:
        means: The value wherever it matches, whatever the words are; None for that of the words.
        right, wrong: Of the documents that a model had read by then, in so many the rule reads the
            same, in so many something else.
    """

    means: str | None = None
    right: int = Field(default=0, ge=0)
    wrong: int = Field(default=0, ge=0)


class Audit(_Rule):
    """How often the rules of a column are wrong, as documents show that a model read as well.

    Attributes:
        cells: So many it has but for the documents that were learnt from.
        audited: So many of them were read, as they came by chance, whatever rules say of them.
        wrong: So many of these differ.
        bound: The share of wrong ones among all of them is larger in one trial of twenty at most.
        holds: Whether that is little enough: else the model reads the column, and not the rules.
        reads_silence: Whether a document in which no rule speaks does not mention it.
        look: Whether it is the only one (0), or the first or second of two, which share the risk.
    """

    cells: int = Field(ge=0)
    audited: int = Field(ge=0)
    wrong: int = Field(ge=0)
    bound: float = Field(ge=0, le=1)
    holds: bool
    reads_silence: bool = False
    look: int = Field(default=0, ge=0, le=2)

    def __str__(self) -> str:
        """Write the bound as it is shown: `error ≤ 4.5 % (95 %)`."""
        return f"error ≤ {100 * self.bound:.1f} % (95 %)"


_NAME = r"\p{Lu}[\w'’-]*(?:\s+(?:(?:of|the|de|du|la|van|von)\s+)*\p{Lu}[\w'’-]*)*"


def _read_earlier(rule: object) -> object:
    """Say a kind of rule of earlier versions as one of today; schema files of users have them."""
    if not isinstance(rule, dict):
        return rule
    match rule.get("kind"):
        case "vote":  # keys with their reliability, and the word that they have in common
            weights = dict(rule["keys"])
            return {"kind": "key", "keys": [*weights], "weights": weights, "word": rule["word"]}
        case "part":  # a part between commas of a line
            return {**rule, "kind": "place", "place": "part"}
        case "mention":  # a word that begins with one of these stems
            stems = "|".join(map(re.escape, rule["stems"]))
            return {"kind": "pattern", "pattern": rf"(?i)\b(?:{stems})\w*", "weak": True}
        case "value":  # one of these values, wherever it is said
            values = "|".join(map(_spaced, sorted(rule["values"], key=len, reverse=True)))
            return {"kind": "pattern", "pattern": rf"(?i)(?<!\w)(?:{values})(?!\w)"}
        case "anchor":  # a name behind one of these phrases, `*` for a capitalised word
            phrases = "|".join(map(_spaced, rule["before"]))
            pattern = rf"\b(?:{phrases})[\W_]+(?P<value>{_NAME})"
            return {"kind": "pattern", "pattern": pattern}
    return rule


def _spaced(phrase: str) -> str:
    words = (r"\p{Lu}\w*" if w == "*" else f"(?i:{re.escape(w)})" for w in phrase.split())
    return r"[\W_]+".join(words)


Extractor = Annotated[
    PatternRule | KeyRule | ItemRule | SlotRule | PlaceRule | CellRule,
    Field(discriminator="kind"),
    BeforeValidator(_read_earlier),
]


AbsentMeans: TypeAlias = Literal["unknown", "false", "zero"]
Scalar: TypeAlias = str | int | float | bool

NAME_PATTERN = r"^[a-z][a-z0-9_]{0,62}$"
RESERVED_NAMES = frozenset({"document_id"})


class Attribute(BaseModel):
    """One attribute of the entity.

    Attributes:
        name: snake_case, unique in the schema; the column name.
        type: Primitive only (S-RAG 3.2.1, footnote 3).
        description: What it is and how it is written: unit, capitalisation, format.
        unit: Such as `USD`, `km`, `percent`; None for a plain number or text.
        examples: Values as they are stored.
        categories: The closed set of values; None where the set is open.
        absent_means: What a document that does not mention it says: `unknown`, `false` (a facility
            that is not listed) or `zero`.
        synonyms: Other words for it, as documents and people say them.
        extractors: Offline rules, tried in order.
        rules: What a language model wrote to read it without reading.
        audit: How often they are wrong; None where nobody has looked.
        formerly: Names of columns that are this one by now: it takes over their cells.
        hidden: Whether it is read, and shown nowhere.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=NAME_PATTERN)
    type: ColumnType
    description: str = ""
    unit: str | None = None
    examples: tuple[Scalar, ...] = ()
    categories: tuple[str, ...] | None = None
    absent_means: AbsentMeans = "unknown"
    synonyms: tuple[str, ...] = ()
    extractors: tuple[Extractor, ...] = ()
    rules: tuple[WrittenRule, ...] = ()
    audit: Audit | None = None
    formerly: tuple[str, ...] = ()
    hidden: bool = False

    @property
    def is_column(self) -> bool:
        """Whether a column of table files states it: code reads their rows, whoever thinks."""
        rule = self.extractors[0] if self.extractors else None
        return isinstance(rule, KeyRule) and rule.reads == "column"

    @property
    def certificate(self) -> Audit | None:
        """Its audit, where that bounds how many of its cells are wrong, be they too many."""
        return self.audit if self.audit is not None and self.audit.bound < 1 else None


def keys_of(rules: Iterable[Extractor]) -> list[str]:
    """Return the folded keys beside which *rules* find values, the best first."""
    return [key for rule in rules if isinstance(rule, KeyRule) for key in rule.keys]


_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_OTHER = re.compile(r"[^a-z0-9]+")
_LONGEST = 60
_LETTERS = str.maketrans(
    {"ß": "ss", "ø": "o", "Ø": "O", "æ": "ae", "Æ": "Ae", "œ": "oe", "ł": "l", "Ł": "L", "ı": "i"}
)
_SIGNS = str.maketrans({"€": " eur ", "%": " percent ", "£": " gbp ", "$": " usd "})


def snake_case(text: str) -> str:
    """Return *text* as a column name; empty where it has no Latin letter.

    `Group By` -> `group_by`; `hotelName` -> `hotel_name`; `Größe (m²)` -> `grosse_m2`; `名前` -> ``
    """
    plain = unicodedata.normalize("NFKD", text.translate(_LETTERS).translate(_SIGNS))
    ascii_only = plain.encode("ascii", "ignore").decode("ascii")
    name = _OTHER.sub("_", _HUMP.sub("_", ascii_only).lower()).strip("_")
    if not any(character.isalpha() for character in name):
        return ""
    return (name if name[0].isalpha() else f"n_{name}")[:_LONGEST].rstrip("_")


def unique_name(text: str, taken: Collection[str], fallback: str) -> str:
    """Return the `snake_case` of *text* or *fallback*, numbered where it is taken or reserved."""
    name = snake_case(text) or fallback
    candidate, number = name, 2
    while candidate in taken or candidate in RESERVED_NAMES:
        candidate, number = f"{name}_{number}", number + 1
    return candidate
