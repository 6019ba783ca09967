"""Adding a column later: one attribute described in words, and nothing else asked again."""

import hashlib
from collections.abc import Sequence

from srag_mcp.cells.normalised import normalise_column
from srag_mcp.documents.document import Document
from srag_mcp.errors import SchemaError
from srag_mcp.pipeline.engine import Thinker
from srag_mcp.pipeline.schema_prediction import choose_varied
from srag_mcp.records.passages import select_passages
from srag_mcp.rules.extraction import extract_record
from srag_mcp.rules.induction import learn_extractors
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.extension import Extension, find_attribute, predict_extension
from srag_mcp.schema.names import unique_name
from srag_mcp.schema.schema import Schema
from srag_mcp.store.work import WorkDatabase
from srag_mcp.values.states import State

LONGEST_WISH = 300
_SAMPLE = 8
_SAMPLE_TOKENS = 500
EXTENSION_TOKENS = _SAMPLE * _SAMPLE_TOKENS
_WISH_NAME = "wish"
_ADDING = "extension"


def tidy_wish(wish: str) -> str:
    """Return *wish* on one line.

    Raises:
        SchemaError: If it is empty or too long.
    """
    wish = " ".join(wish.split())
    if not wish or len(wish) > LONGEST_WISH:
        msg = f"describe one attribute in 1 to {LONGEST_WISH} characters, not {len(wish)}"
        raise SchemaError(msg)
    return wish


def recall_extension(work: WorkDatabase, schema: Schema, wish: str) -> Extension | None:
    """Return what became of *wish* before, as long as its attribute is there.

    An extension that was stopped goes on when it is asked for again: it must not add another one.
    Its attribute is added as long as it was not published.
    """
    name = work.note(_note(wish))
    present = None if name is None else find_attribute(schema, name)
    return None if present is None else Extension(present, added=work.note(_ADDING) == name)


def remember_extension(work: WorkDatabase, wish: str, extension: Extension) -> None:
    """Take note of what became of *wish*, for `recall_extension`."""
    work.keep_note(_note(wish), extension.attribute.name)
    if extension.added:
        work.keep_note(_ADDING, extension.attribute.name)


def finish_extension(work: WorkDatabase) -> None:
    """Take note that the attribute that was being added is published."""
    if work.note(_ADDING):
        work.keep_note(_ADDING, "")


def extend(
    schema: Schema, wish: str, sample: Sequence[Document], thinker: Thinker | None
) -> tuple[Schema, Extension]:
    """Add the attribute that *wish* describes to *schema*, unless it is there.

    A language model defines it from passages of a few documents that resemble the wish. Without
    one, the wish is its name, and the rules that read it are learnt from the sample.

    Raises:
        SchemaError: If the wish is empty or too long, or nothing could be made of it.
        ModelError: If no reply could be had.
        CancelledError: If somebody wants it to stop.
    """
    wish = tidy_wish(wish)
    present = find_attribute(schema, wish)
    if present is not None:
        return schema, Extension(present, added=False)
    if thinker is None:
        extension = _learn(schema, wish, sample)
    else:
        texts = _passages(wish, sample)
        extension = thinker.run(lambda: predict_extension(thinker.model, schema, wish, texts))
    if not extension.added:
        return schema, extension
    extended = schema.model_copy(update={"attributes": (*schema.attributes, extension.attribute)})
    return learn_extractors(extended, sample, (wish,)), extension


def _note(wish: str) -> str:
    digest = hashlib.sha256(tidy_wish(wish).casefold().encode("utf-8", "replace")).hexdigest()
    return f"extension:{digest[:16]}"


def _passages(wish: str, sample: Sequence[Document]) -> list[str]:
    """Return of a few documents the passages that resemble the wish most."""
    sought = Attribute(name=_WISH_NAME, type="string", description=wish, synonyms=(wish,))
    return [
        select_passages(document.text, [sought], _SAMPLE_TOKENS)
        for document in choose_varied(sample, _SAMPLE)
    ]


def _learn(schema: Schema, wish: str, sample: Sequence[Document]) -> Extension:
    """Define the attribute without a model: its type is that of what the documents say."""
    taken = {attribute.name for attribute in schema.attributes}
    name = unique_name(wish, taken, "attribute")
    kinds = ("number", "date", "string", "boolean")
    for kind in kinds:
        attribute = Attribute.model_validate(
            {"name": name, "type": kind, "description": wish, "synonyms": (wish.lower(),)}
        )
        probe = Schema(title=schema.title, entity=schema.entity, attributes=(attribute,))
        [learnt] = learn_extractors(probe, sample, (wish,)).attributes
        if learnt.extractors and _reads(learnt, probe, sample):
            return Extension(learnt, added=True)
    msg = (
        f"no rule to read “{wish}” could be learnt from the documents; name it in their words, or"
        " use a language model (--engine model or agent)"
    )
    raise SchemaError(msg)


def _reads(attribute: Attribute, probe: Schema, sample: Sequence[Document]) -> bool:
    """Whether the rules of *attribute* find anything in the sample, and mostly of its type."""
    schema = probe.model_copy(update={"attributes": (attribute,)})
    cells = [extract_record(document, schema).cells[0] for document in sample]
    found = [cell for cell in cells if cell.state is State.STATED]
    read = [item for item in normalise_column(attribute, found) if item.state is State.STATED]
    return len(read) * 2 > len(found)
