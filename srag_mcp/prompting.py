"""Rendering of the templates in `prompts/`.

A template has two parts, each under a heading: `# Instructions`, which never change between
documents, and `# Content`. `{{name}}` stands for a field, `{{name.md}}` for a file beside it that
several templates share.
"""

import hashlib
import re
from functools import cache
from importlib.resources import files

from srag_mcp.model.language_model import Prompt, Step

_PARTS = re.compile(r"\A# Instructions\n(.*?)\n# Content\n(.*)\Z", re.DOTALL)
_FIELD = re.compile(r"\{\{(\w+)\}\}")
_SHARED = re.compile(r"\{\{(\w+\.md)\}\}")


def render_prompt(template: str, step: Step, subject: str, **fields: str) -> Prompt:
    """Fill the fields of `prompts/<template>.md`.

    What a field holds is put in as it is: braces inside it are not looked at.

    Raises:
        ValueError: If a field of the template is not given, or one is given that it has not.
    """
    instructions, content = _read_template(template)
    needed = set(_FIELD.findall(instructions + content))
    if needed != fields.keys():
        msg = f"{template}.md has the fields {sorted(needed)}, given were {sorted(fields)}"
        raise ValueError(msg)

    def fill(text: str) -> str:
        return _FIELD.sub(lambda match: fields[match.group(1)], text).strip()

    return Prompt(step, fill(instructions), fill(content), subject=subject)


def fence(text: str) -> str:
    """Return a mark that *text* does not hold, to put around it; equal for equal texts.

    What stands between two such marks cannot pretend to be outside of them.
    """
    mark = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    while mark in text:
        mark = hashlib.sha256(mark.encode()).hexdigest()[:8]
    return mark


def enclose(text: str, name: str = "") -> str:
    """Put *text* between a line that begins it and one that ends it, with a `fence` in both.

    `[document 1, begin 3f2a91c0]`, the text, `[document 1, end 3f2a91c0]`
    """
    mark = fence(text)
    label = f"{name}, " if name else ""
    return f"[{label}begin {mark}]\n{text}\n[{label}end {mark}]"


@cache
def _read_template(template: str) -> tuple[str, str]:
    folder = files("srag_mcp.prompts")

    def read(name: str) -> str:
        return (folder / name).read_text(encoding="utf-8")

    text = _SHARED.sub(lambda found: read(found.group(1)).strip(), read(f"{template}.md"))
    parts = _PARTS.match(text)
    if parts is None:
        msg = f"{template}.md must have the headings `# Instructions` and `# Content`"
        raise ValueError(msg)
    return parts.group(1), parts.group(2)
