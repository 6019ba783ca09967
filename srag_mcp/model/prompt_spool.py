"""Prompts that wait for an agent: a job asks, agents answer, and either may die in between."""

import json
import re
import time
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from srag_mcp.errors import ModelError, ModelStoppedError
from srag_mcp.model.language_model import Prompt, hash_prompt
from srag_mcp.model.prompt_files import REPLY, PromptFiles
from srag_mcp.model.spooled_answer import AnswerOutcome, find_problem, reply_text

LEASE_S = 300.0
_KEPT_S = 7 * 24 * 3600.0
_N_ID = 8
_ID = re.compile(rf"[0-9a-f]{{{_N_ID},64}}")


@dataclass(frozen=True, slots=True)
class SpooledPrompt:
    """A prompt that waits for an answer.

    Attributes:
        id: The beginning of its hash, as long as it takes to tell it from the others.
        prompt: What is asked.
        reply_schema: The form of the answer, as JSON Schema.
    """

    id: str
    prompt: Prompt
    reply_schema: Mapping[str, object]

    @property
    def shared(self) -> str:
        """What it has in common with the other prompts of its step."""
        return _shared(self.prompt, self.reply_schema)

    @property
    def own(self) -> str:
        """What it has for itself."""
        corrections = [asdict(item) for item in self.prompt.corrections]
        return json.dumps([self.id, self.prompt.content, corrections], ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class SpoolCount:
    """How many prompts wait.

    Attributes:
        n_open: Those that no agent has.
        n_leased: Those that an agent has, and may still answer.
        lease_s: Seconds until the first of the latter is open again; 0 when there are none.
    """

    n_open: int = 0
    n_leased: int = 0
    lease_s: float = 0.0


@dataclass(frozen=True, slots=True)
class _Entry:
    """A prompt as it is written down."""

    prompt: Prompt
    reply_schema: dict[str, object]


class PromptSpool:
    """The prompts of one corpus that wait for an agent.

    Args:
        folder: Where they lie; made on need.
        lease_s: How long a prompt that an agent has is not given to another.
    """

    def __init__(self, folder: Path, lease_s: float = LEASE_S) -> None:
        self._files = PromptFiles(folder)
        self._lease_s = lease_s

    @property
    def was_used(self) -> bool:
        """Whether anything was ever asked here."""
        return self._files.folder.is_dir()

    def put(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> str:
        """Ask; return the name of the prompt. To ask the same twice is to ask once.

        Raises:
            ModelStoppedError: If it cannot be written.
        """
        name = hash_prompt(prompt, reply_schema)
        try:
            entry = _Entry(prompt, dict(reply_schema))
            self._files.write(self._files.asked(name), asdict(entry))
            self._files.parked(name).unlink(missing_ok=True)
        except OSError as error:
            msg = f"prompts cannot be written to {self._files.folder}: {error}"
            raise ModelStoppedError(msg) from error
        return name

    def is_waiting(self, name: str) -> bool:
        """Whether the prompt is where agents find it, and has no answer."""
        return self._files.asked(name).exists() and not self._files.replied(name).exists()

    def take(self, name: str) -> str | None:
        """Return the answer to a prompt, which is then asked no more; None while there is none.

        An answer can be taken again: a job that dies before it has kept it loses nothing.

        Raises:
            ModelError: If the answer is damaged.
        """
        files = self._files
        entry = files.read(files.replied(name)) or files.read(files.taken(name))
        if entry is None:
            return None
        # The prompt goes first: an answer without it is found again, but not given twice.
        for path in (files.asked(name), files.parked(name), files.lease(name)):
            path.unlink(missing_ok=True)
        files.move(files.replied(name), files.taken(name))
        return str(entry["text"])

    def count(self) -> SpoolCount:
        """Count the prompts that wait for an answer."""
        names = self._files.waiting()
        left = [seconds for name in names if (seconds := self._lease_left_s(name)) > 0]
        return SpoolCount(len(names) - len(left), len(left), min(left, default=0.0))

    def hand_out(
        self,
        max_prompts: int,
        max_characters: int,
        known: Collection[str] = (),
        *,
        again: bool = False,
    ) -> list[SpooledPrompt]:
        """Give the oldest prompts that no agent has to one, for the time of a lease.

        Args:
            max_prompts: Most prompts.
            max_characters: Most characters of them as JSON; what they share counts once. One that
                is too large by itself is given alone.
            known: What prompts share (`SpooledPrompt.shared`) that the agent has read already.
            again: Give those, too, that were given out: who had them has lost them.

        Raises:
            ModelError: If a prompt is damaged, or the folder cannot be written.
        """
        with self._files.locked():
            ids = _shortest_ids(self._files.known())
            given: list[SpooledPrompt] = []
            shared, left = set(known), max_characters
            for name in self._files.waiting():
                if len(given) == max_prompts:
                    break
                if not again and self._lease_left_s(name) > 0:
                    continue
                entry = self._read(self._files.asked(name))
                if entry is None:  # answered or withdrawn since
                    continue
                found = SpooledPrompt(ids.get(name, name), entry.prompt, entry.reply_schema)
                left -= len(found.own) + (0 if found.shared in shared else len(found.shared))
                if given and left < 0:
                    break
                self._files.lease(name).touch()
                given.append(found)
                shared.add(found.shared)
        return given

    def answer(self, answers: Sequence[tuple[object, object]]) -> list[AnswerOutcome]:
        """Keep answers, unless code can see that they are none; return what became of each.

        Args:
            answers: The id of a prompt, as it was handed out, and the reply: a JSON object, or its
                text.

        Raises:
            ModelError: If they cannot be kept.
        """
        with self._files.locked():
            known = self._files.known()
            return [self._answer(prompt_id, reply, known) for prompt_id, reply in answers]

    def park(self) -> None:
        """Put aside what earlier jobs asked, and forget what is old; a job does so at its start.

        Prompts that agents had are free when they are asked again: who had them may be gone with
        the job.
        """
        self._files.remove_leases()
        for name in self._files.waiting():
            self._files.move(self._files.asked(name), self._files.parked(name))
        self._files.remove_older_than(_KEPT_S)

    def forget(self, name: str) -> None:
        """Forget the answer to a prompt that was taken and is of no use."""
        self._files.taken(name).unlink(missing_ok=True)

    def forget_taken(self) -> None:
        """Forget the answers that were taken; for a job that has kept them all."""
        for path in self._files.taken_folder.glob("*"):
            path.unlink(missing_ok=True)

    def seconds_since_sign(self) -> float:
        """Return for how long no agent has fetched or answered a prompt; infinite if none ever."""
        folder = self._files.folder
        newest = float("-inf")
        for path in (*folder.glob("*.lease"), *folder.glob(f"*{REPLY}")):
            with suppress(FileNotFoundError):
                newest = max(newest, path.stat().st_mtime)
        return time.time() - newest

    def _answer(self, prompt_id: object, reply: object, known: Sequence[str]) -> AnswerOutcome:
        if not isinstance(prompt_id, str) or not _ID.fullmatch(prompt_id):
            return AnswerOutcome(str(prompt_id)[:80], "not an id of a prompt; copy it as given")
        first = bisect_left(known, prompt_id)
        names = [name for name in known[first : first + 2] if name.startswith(prompt_id)]
        if len(names) > 1:
            return AnswerOutcome(prompt_id, "fits two prompts by now; fetch the prompts again")
        name = names[0] if names else ""
        entry = self._find(name) if name else None
        if self._files.has_answer(name) if name else self._files.is_taken(prompt_id):
            return AnswerOutcome(prompt_id, "answered before; the first answer is kept")
        if entry is None:
            return AnswerOutcome(prompt_id, "no such prompt is asked, or not any more")
        problem = find_problem(reply, entry.reply_schema)
        if not problem:
            self._files.write(self._files.replied(name), {"text": reply_text(reply)})
        return AnswerOutcome(prompt_id, problem, _shared(entry.prompt, entry.reply_schema))

    def _find(self, name: str) -> _Entry | None:
        """Return a prompt, asked or parked; a job may move it there or back between two looks."""
        asked, parked = self._files.asked(name), self._files.parked(name)
        return self._read(asked) or self._read(parked) or self._read(asked)

    def _read(self, path: Path) -> _Entry | None:
        entry = self._files.read(path)
        if entry is None:
            return None
        try:
            return TypeAdapter(_Entry).validate_python(entry)
        except ValidationError as error:
            msg = f"{path} is damaged; remove it, and the prompt is asked again"
            raise ModelError(msg) from error

    def _lease_left_s(self, name: str) -> float:
        """Return for how many seconds an agent still has the prompt; 0 or less when none has."""
        try:
            given = self._files.lease(name).stat().st_mtime
        except FileNotFoundError:
            return 0.0
        return given + self._lease_s - time.time()


def _shortest_ids(names: Sequence[str]) -> dict[str, str]:
    """Return the shortest beginning of each of the sorted *names* that is its own."""
    ids = {}
    for place, name in enumerate(names):
        neighbours = (*names[max(0, place - 1) : place], *names[place + 1 : place + 2])
        shared = max((_n_shared(name, other) for other in neighbours), default=0)
        ids[name] = name[: max(_N_ID, shared + 1)]
    return ids


def _n_shared(one: str, other: str) -> int:
    """Return how many characters two names begin with in common: `("abc", "abd") -> 2`."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=True)) if a != b), len(one))


def _shared(prompt: Prompt, reply_schema: Mapping[str, object]) -> str:
    return json.dumps([prompt.instructions, reply_schema], ensure_ascii=False)
