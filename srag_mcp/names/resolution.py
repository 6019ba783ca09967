"""Doubtful names are decided by a language model, many groups of them in a prompt."""

import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import ClassVar

from srag_mcp.errors import ModelError, ModelStoppedError
from srag_mcp.model.asking import ask_for
from srag_mcp.model.language_model import LanguageModel, Prompt, count_tokens
from srag_mcp.model.reply_content import ReplyContent, ReplyElement, describe_misfits
from srag_mcp.names.uniting import Same, Thing, Verdict
from srag_mcp.prompting import enclose, render_prompt
from srag_mcp.text.shown import shorten

logger = logging.getLogger(__name__)

MAX_GROUPS, MAX_TOKENS = 25, 1_100  # of a prompt: with the instructions it stays below 1,500
_LONGEST_DESCRIPTION, _LONGEST_SPELLING = 160, 100
_FENCE_TOKENS = 20
PLACEHOLDER = "_"  # for a name within the words around it


class GroupReply(ReplyElement):
    """Which letters of a group mean one thing, the one to keep first."""

    blanks: ClassVar = {"id": "", "same": ()}

    id: str
    same: tuple[tuple[str, ...], ...]


class NamesReply(ReplyContent):
    """The groups of one prompt in which names are the same."""

    groups: tuple[GroupReply, ...]


@dataclass(frozen=True, slots=True)
class Doubt:
    """A group of a column that may be one thing.

    Attributes:
        column: Its name.
        description: What the column holds.
        things: What may be one.
        around: Words around a spelling in one document, by the spelling; it is the `PLACEHOLDER`.
    """

    column: str
    description: str
    things: tuple[Thing, ...]
    around: Mapping[str, str]

    def render(self, key: str) -> str:
        """Write the group as it stands in a prompt."""
        lines = [key]
        for letter, thing in zip(ascii_lowercase, self.things, strict=False):
            spelling = thing.spellings[0]
            around = f" | {found}" if (found := self.around.get(spelling)) else ""
            shown = shorten(spelling, _LONGEST_SPELLING)
            lines.append(f"{letter} ({thing.n_records}) {shown}{around}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class NamesPrompt:
    """A prompt, and the groups that it asks about by their short ids."""

    prompt: Prompt
    doubts: Mapping[str, Doubt]


def write_prompts(doubts: Sequence[Doubt]) -> list[NamesPrompt]:
    """Pack *doubts* into as few prompts as hold them, those of a column together.

    A group has the same prompt as long as the groups before it are the same.
    """
    prompts: list[NamesPrompt] = []
    part: list[Doubt] = []
    n_tokens = _FENCE_TOKENS
    for doubt in doubts:
        n = count_tokens(doubt.render("g00"))
        if not part or part[-1].column != doubt.column:
            n += count_tokens(_heading(doubt))
        if part and (len(part) == MAX_GROUPS or n_tokens + n > MAX_TOKENS):
            prompts.append(_write(part))
            part, n_tokens = [], _FENCE_TOKENS + count_tokens(_heading(doubt))
        part.append(doubt)
        n_tokens += n
    return [*prompts, _write(part)] if part else prompts


def _heading(doubt: Doubt) -> str:
    said = shorten(doubt.description, _LONGEST_DESCRIPTION)
    return f"Column `{doubt.column}`" + (f": {said}" if said else "")


def _write(doubts: Sequence[Doubt]) -> NamesPrompt:
    ids = {f"g{number}": doubt for number, doubt in enumerate(doubts, start=1)}
    parts: list[str] = []
    column = ""
    for key, doubt in ids.items():
        if doubt.column != column:
            parts.append(_heading(doubt))
            column = doubt.column
        parts.append(doubt.render(key))
    columns = ", ".join(dict.fromkeys(doubt.column for doubt in doubts))
    content = enclose("\n".join(parts))
    return NamesPrompt(render_prompt("resolve_names", "names", columns, groups=content), ids)


async def resolve(model: LanguageModel, asked: NamesPrompt) -> list[tuple[Doubt, Verdict]]:
    """Ask which names are the same; return what was said of each group, none without a reply.

    Raises:
        ModelStoppedError: If no further prompt can be answered.
    """
    try:
        found = await ask_for(
            model, asked.prompt, NamesReply, lambda reply: [*_problems(reply, asked.doubts)]
        )
    except ModelStoppedError:
        raise
    except ModelError:
        logger.warning("no reply of use on the names of %s", asked.prompt.subject)
        return []
    return read_reply(found.content, asked.doubts)


def read_reply(reply: NamesReply, doubts: Mapping[str, Doubt]) -> list[tuple[Doubt, Verdict]]:
    """Return what a reply says of each group; letters that it says twice stand alone."""
    said: dict[str, list[GroupReply]] = {}
    for item in reply.groups:
        said.setdefault(item.id, []).append(item)
    verdicts = []
    for key, doubt in doubts.items():
        lists = [letters for item in said.get(key, ()) for letters in item.same]
        times = Counter(letter for letters in lists for letter in dict.fromkeys(letters))
        by_letter = dict(zip(ascii_lowercase, doubt.things, strict=False))
        same = []
        for letters in lists:
            things = [
                by_letter[letter]
                for letter in dict.fromkeys(letters)
                if letter in by_letter and times[letter] == 1
            ]
            if len(things) > 1:
                keys = sorted(frozenset().union(*(thing.keys for thing in things)))
                same.append(Same(name=things[0].spellings[0], keys=tuple(keys)))
        keys = sorted(frozenset().union(*(thing.keys for thing in doubt.things)))
        verdicts.append((doubt, Verdict(keys=tuple(keys), same=tuple(same))))
    return verdicts


def _problems(reply: NamesReply, doubts: Mapping[str, Doubt]) -> Iterator[str]:
    ids = Counter(item.id for item in reply.groups)
    yield from (f"{key}: there is no such group" for key in ids if key not in doubts)
    for item in reply.groups:
        yield from (f"{item.id}: {why}" for why in describe_misfits(item))
        n = len(doubts[item.id].things) if item.id in doubts else 0
        times = Counter(letter for letters in item.same for letter in dict.fromkeys(letters))
        for letter, count in times.items():
            if n and letter not in ascii_lowercase[:n]:
                yield f"{item.id}: there is no letter {letter!r:.20}"
            elif count > 1:
                yield f"{item.id}: {letter} is in two lists"
