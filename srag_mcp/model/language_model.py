"""The seam to language models: prompts, one method that adapters implement; tokens, estimated.

A template in `prompts/` has two parts, each under a heading: `# Instructions`, which never change
between documents, and `# Content`. `{{name}}` stands for a field, `{{name.md}}` for a file beside
it that several templates share.
"""

import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final, Literal, Protocol, TypeAlias

from pydantic_core import PydanticSerializationError, to_json

AGENT: Final = "agent"  # who answers, where the calling agent does
CHARACTERS_A_TOKEN = 4
CONTEXT_TOKENS = 128_000  # what models can read at once, where nobody knows it of one
LATIN_BYTES = 1.25  # a letter: accents and typography do not make a text another script

Step: TypeAlias = Literal[
    "schema", "rules", "audit", "records", "repairs", "standardise", "names", "extend", "embed",
    "translate", "narrow", "rewrite", "rerank", "read", "answer", "judge",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Correction:
    """A reply that did not fit, and what was wrong with it, as the model is told."""

    reply: str
    message: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is asked; *content*, documents or a question, is data, whatever it says.

    *instructions* never change between documents, so that caches of providers hit. *corrections*:
    earlier replies that did not fit, oldest first. *subject*: what it is about, for people.
    """

    step: Step
    instructions: str
    content: str
    corrections: tuple[Correction, ...] = ()
    subject: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """All that is sent, but for the form of the reply: instructions, content, corrections."""
        said = (text for item in self.corrections for text in (item.reply, item.message))
        return (self.instructions, self.content, *said)

    @property
    def counted_step(self) -> Step:
        """The step that the ledger counts it under: cells that are asked for again are repairs."""
        return "repairs" if self.step == "records" and self.corrections else self.step

    def count_tokens(self, reply_schema: Mapping[str, object] | None = None) -> int:
        """Estimate the tokens of all that is sent, the form of the reply where one is given."""
        form = [] if reply_schema is None else [write_json(reply_schema).decode()]
        return count_tokens("\n".join([*self.texts, *form]))


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back, and what it took: *tokens_cached* of *tokens_in*, *seconds* until then.

    *text* is JSON, unless the *model* did not do as it was told. *cost_usd*: None where the price
    is not known. *truncated*: it stopped at its length limit. *is_estimated*: nobody counted.
    """

    text: str
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    seconds: float = 0.0
    cost_usd: float | None = None
    model: str = ""
    truncated: bool = False
    is_estimated: bool = False


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per token."""

    input_usd: float
    output_usd: float
    cached_input_usd: float

    def cost_usd(self, tokens_in: int, tokens_out: int, tokens_cached: int = 0) -> float:
        """Return the price of one call; *tokens_cached* of *tokens_in* were in a cache."""
        fresh = max(0, tokens_in - tokens_cached)
        return (
            fresh * self.input_usd
            + tokens_cached * self.cached_input_usd
            + tokens_out * self.output_usd
        )


class LanguageModel(Protocol):
    """Whoever completes prompts: a provider, a local server, the calling agent, a recording."""

    async def complete(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> Reply:
        """Answer *prompt* with JSON that should fit *reply_schema*, as `ask_for` checks.

        Raises:
            ModelStoppedError: If no further prompt can be answered either: a wrong key, an unknown
                model, no credit, a server that is gone.
            PromptTooLongError, PromptRefusedError: If it is too long, or refused for its content.
            ModelError: If no reply could be had to this prompt.
        """
        ...

    def forget(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> None:
        """Take note that the reply, the last of several, is of no use: it is to be asked anew."""
        return


def hash_prompt(prompt: Prompt, reply_schema: Mapping[str, object]) -> str:
    """Name all that is sent, in 64 hexadecimal digits: the same name may have the same reply."""
    others = {
        "corrections": [(item.reply, item.message) for item in prompt.corrections],
        "instructions": prompt.instructions,
        "reply_schema": reply_schema,
    }
    text = json.dumps(others, sort_keys=True, ensure_ascii=False)
    # one object, its keys sorted; the content comes first and is nearly all of it
    name = hashlib.sha256(b'{"content": ' + write_json(prompt.content) + b", ")
    name.update(text.removeprefix("{").encode("utf-8", "surrogatepass"))
    return name.hexdigest()


def write_json(value: object) -> bytes:
    """Write *value* as JSON in UTF-8, quicker than `json`; half characters are escaped."""
    try:
        return to_json(value)
    except PydanticSerializationError:
        return json.dumps(value).encode()


def characters_a_token(text: str) -> float:
    """Estimate how many characters of *text* make a token: 4, or fewer in other scripts.

    The estimate decides what is shown of a document, so it must not depend on the model. With one
    byte a letter four make a token, with two (Greek, Cyrillic, Arabic) two, with three (Chinese,
    Japanese, Korean, Thai) one.
    """
    return _characters_a_token(len(text), len(text.encode(errors="replace")))


def _characters_a_token(n_characters: int, n_bytes: int) -> float:
    n_of_one = n_bytes / max(1, n_characters)
    return CHARACTERS_A_TOKEN / (1.0 if n_of_one <= LATIN_BYTES else 2 ** (n_of_one - 1))


def count_tokens(text: str) -> int:
    """Estimate the tokens of *text*."""
    return tokens_of(len(text), len(text.encode(errors="replace")))


def tokens_of(n_characters: int, n_bytes: int) -> int:
    """Estimate the tokens of a text by its length, and that in UTF-8."""
    return math.ceil(n_characters / _characters_a_token(n_characters, n_bytes))


def most_characters(text: str, n_tokens: int) -> int:
    """Estimate how many characters of *text* make *n_tokens*."""
    return int(n_tokens * characters_a_token(text))


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
