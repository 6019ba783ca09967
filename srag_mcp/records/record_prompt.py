"""The prompt of record prediction: the attributes, then documents between marks."""

import json
from collections.abc import Mapping, Sequence

from srag_mcp.model.language_model import Correction, Prompt
from srag_mcp.prompting import fence, render_prompt
from srag_mcp.records.batches import Excerpt
from srag_mcp.schema.attribute import Attribute

_MAX_EXAMPLES = 3
_LONGEST_EXAMPLE = 40
_LONGEST_NAME = 120
_ABSENT = {
    "false": "Not mentioned means false.",
    "zero": "Not mentioned means 0.",
    "unknown": "",
}


def render_records_prompt(
    attributes: Sequence[Attribute],
    excerpts: Mapping[str, Excerpt],
    wanted: Mapping[str, Sequence[str]] | None = None,
    corrections: tuple[Correction, ...] = (),
) -> Prompt:
    """Ask for the records of the documents of *excerpts*, by short id.

    The instructions depend on *attributes* only. *wanted* (short id to names of attributes) asks
    for a part again, after *corrections*.
    """
    mark = fence("".join(excerpt.shown for excerpt in excerpts.values()))
    prompt = render_prompt(
        "predict_records",
        "records",
        subject=", ".join(excerpt.document.document_id for excerpt in excerpts.values()),
        attributes="\n".join(map(describe_attribute, attributes)),
        documents="\n\n".join(_document(key, item, mark) for key, item in excerpts.items()),
        request=_request(tuple(excerpts), wanted),
    )
    return Prompt(prompt.step, prompt.instructions, prompt.content, corrections, prompt.subject)


def describe_attribute(attribute: Attribute) -> str:
    """Write an attribute as one line of the instructions.

    `- length (number, m): Of the hull. Examples: 61.5`
    """
    kind = ", ".join(filter(None, (attribute.type, attribute.unit)))
    parts = [" ".join(attribute.description.split())]
    if attribute.categories:
        parts.append(f"One of: {' | '.join(attribute.categories)}.")
    elif attribute.type.is_text and (examples := _examples(attribute)):
        parts.append(f"Examples: {'; '.join(examples)}.")
    parts.append(_ABSENT[attribute.absent_means])
    return f"- {attribute.name} ({kind}): {' '.join(filter(None, parts))}".rstrip(" :")


def _examples(attribute: Attribute) -> list[str]:
    texts = [" ".join(str(example).split()) for example in attribute.examples]
    return [text for text in texts if 0 < len(text) <= _LONGEST_EXAMPLE][:_MAX_EXAMPLES]


def _document(key: str, excerpt: Excerpt, mark: str) -> str:
    path, title = _shown(excerpt.document.path), _shown(excerpt.document.title)
    named = f"{key} (path {path})" if title == path else f"{key} (path {path}, title {title})"
    return f"{named}\n<<<{mark}\n{excerpt.shown}\n{mark}>>>"


def _shown(name: str) -> str:
    """Write a path or title on one line, whatever is in it."""
    return json.dumps(name[:_LONGEST_NAME], ensure_ascii=False)


def _request(keys: Sequence[str], wanted: Mapping[str, Sequence[str]] | None) -> str:
    if wanted is None:
        return f"Give the records of {', '.join(keys)}: all attributes of each."
    named = "\n".join(f"- {key}: {', '.join(names)}" for key, names in wanted.items())
    return f"Give only these attributes again, and leave out all others:\n{named}"
