"""What kinds of documents are called and which of them are one: a language model's word."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from srag_mcp.model.asking import ask_for
from srag_mcp.model.language_model import LanguageModel, Prompt
from srag_mcp.model.reply_content import ReplyContent
from srag_mcp.prompting import enclose, render_prompt
from srag_mcp.schema.attribute import snake_case


class KindReply(ReplyContent):
    """A kind: its name in the plural, and the keys of its groups and strays."""

    name: str | None
    of: tuple[str, ...]

    def places(self, letter: str) -> list[int]:
        """Return which groups (`g`) or strays (`s`) are of this kind, from 0."""
        return [int(key[1:]) - 1 for key in self.of if key.startswith(letter)]


class KindsReply(ReplyContent):
    """All kinds; every group is in one of them."""

    kinds: tuple[KindReply, ...]


def render_kinds(texts: Mapping[str, str]) -> Prompt:
    """Ask which groups of documents are one kind.

    *texts* describe the groups by key, `g1`, `g2`, …, and strays that are in none, `s1`, ….
    """
    shown = enclose("\n".join(f"{key} {text}" for key, text in texts.items()))
    return render_prompt("name_kinds", "schema", "kinds of documents", groups=shown)


async def settle_kinds(model: LanguageModel, texts: Mapping[str, str]) -> Sequence[KindReply]:
    """Ask which groups are one kind, see `render_kinds`; return nothing where the reply is wrong.

    Raises:
        ModelError: If no reply could be had, or none of the right form.
    """
    found = await ask_for(
        model, render_kinds(texts), KindsReply, lambda reply: [*_problems(reply, texts)]
    )
    return () if found.problems else found.content.kinds


def _problems(reply: KindsReply, keys: Mapping[str, str]) -> Iterator[str]:
    times = Counter(key for kind in reply.kinds for key in kind.of)
    yield from (f"there is no {key!r:.20}" for key in times if key not in keys)
    yield from (f"{key} is in {n} kinds" for key, n in times.items() if n > 1)
    yield from (f"{key} is in no kind" for key in keys if key.startswith("g") and not times[key])
    names = Counter(snake_case(kind.name or "") for kind in reply.kinds)
    yield from (f"two kinds are called {name!r}" for name, n in names.items() if name and n > 1)
    groups = ({key for key in kind.of if key.startswith("g")} for kind in reply.kinds)
    if not all(groups):
        yield "every kind has a group at least: leave out strays that are of none"
