"""Rules that find an attribute in a document without a model; data only, kept in the schema.

They are learnt by `srag_mcp.rules` at induction and applied by it at extraction. Each is a small
frozen model, so that a schema file carries them and a person can read and edit them. "Folded" is:
lower case, without accents and punctuation.
"""

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

SlotType: TypeAlias = Literal["number", "money", "percent", "date", "name"]
Scope: TypeAlias = Literal["text", "head", "tail", "after", "under"]


class _Rule(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class KeyRule(_Rule):
    """The value beside one of these keys, compared folded; an earlier key wins over a later one.

    *section* restricts the rule to keys below a heading of that (folded) name. *containing* are
    folded words: where no listed key is there, a key that has all of them is taken. *reads* is
    `amount` where the value is the one amount in the words beside the key ("about 5 mg a day").
    """

    kind: Literal["key"] = "key"
    keys: tuple[str, ...] = ()
    section: str | None = None
    occurrence: Literal["first", "last"] = "first"
    reads: Literal["whole", "amount", "label"] = "whole"
    leads: tuple[str, ...] = ()
    weights: dict[str, float] = Field(default_factory=dict)
    word: str | None = None


class VoteRule(_Rule):
    """The number on which the keys of a document agree most ("total", "amount due", "net total").

    *keys* gives each folded key its reliability, 0 to 1; a key that is not listed and has *word* in
    it counts a little. A number gains where it is the difference of two other keyed numbers (paid
    minus returned).
    """

    kind: Literal["vote"] = "vote"
    keys: dict[str, float] = Field(min_length=1)
    word: str


class ItemRule(_Rule):
    """Whether a list item or another short statement has all the words of one of *items*.

    *items* are folded; their stems are compared, so that "free wifi" is found in "Free WiFi in all
    areas". A statement that denies them ("no parking") says that it is absent. *section* restricts
    the rule to statements below a heading of that (folded) name, *sections* to those below one of
    them; a document that lists other things there, and has none of *signs* in its text, has it not.
    """

    kind: Literal["item"] = "item"
    items: tuple[str, ...] = Field(min_length=1)
    section: str | None = None
    sections: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()


class SlotRule(_Rule):
    """A typed value in running text, chosen by the words around it.

    *weights* gives points to what stands around a value: `~pier` for a stem in the same sentence,
    `^pier` in the same paragraph, `<until` and `>boat` for a stem near it on the left or right,
    `<!with` and `>!boat` for the very next word, `#rooms` for a heading above, `@latest` for the
    latest of several dated values, `@score` for "8/10", `unit:length` for the kind of its unit. The
    value of the document with the most points is taken, if it has at least *threshold*. Values
    outside of *minimum* to *maximum* are not considered.
    """

    kind: Literal["slot"] = "slot"
    value_type: SlotType
    weights: dict[str, float] = Field(min_length=1)
    threshold: float = Field(gt=0)
    minimum: float | None = None
    maximum: float | None = None


class AnchorRule(_Rule):
    """A name right after one of these phrases, in running text ("the laws of the State of Ohio").

    *before* holds folded phrases, with `*` for a capitalised word before "of" ("the laws of the *
    of"); an earlier one wins over a later one.
    """

    kind: Literal["anchor"] = "anchor"
    before: tuple[str, ...] = Field(min_length=1)


class PlaceRule(_Rule):
    """A value by its place: a title, the line of a name near the top, the first date.

    For `name_line`: *forms* are folded words that mark a name of this corpus wherever its line
    stands (a legal form), *endings* words that names often end in; *skip* are folded lines that
    stand above names without being one, with `#` for numbers.
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


class PartRule(_Rule):
    """A part between commas of a line: the value of the folded *key*, or a line near the top.

    The line ends in the folded words *tail*, which are cut off; *index* counts the parts from the
    end, -1 for the last. A postal code beside the part is left out.
    """

    kind: Literal["part"] = "part"
    key: str | None = None
    tail: tuple[str, ...] = ()
    index: int = Field(lt=0)


class CellRule(_Rule):
    """A cell of a table, by the folded words of its row header and of its column header."""

    kind: Literal["cell"] = "cell"
    row: str
    column: str


class MentionRule(_Rule):
    """Whether the document uses a word that begins with one of these folded stems."""

    kind: Literal["mention"] = "mention"
    stems: tuple[str, ...] = Field(min_length=1)


class ValueRule(_Rule):
    """The first of these values that the document says, whatever the words around it."""

    kind: Literal["value"] = "value"
    values: tuple[str, ...] = Field(min_length=1)


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
        map: The value for what was matched, folded; what it does not name is left as it is.
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


Extractor = Annotated[
    PatternRule
    | KeyRule
    | VoteRule
    | ItemRule
    | SlotRule
    | AnchorRule
    | PlaceRule
    | PartRule
    | CellRule
    | MentionRule
    | ValueRule,
    Field(discriminator="kind"),
]
