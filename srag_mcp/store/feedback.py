"""The questions that were asked last, and what was said of answers: in the state of a corpus."""

import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

from srag_mcp.documents.folder import storable
from srag_mcp.errors import QuestionError
from srag_mcp.store.layout import utc_now
from srag_mcp.store.state import State, open_state

Judgement: TypeAlias = Literal["right", "wrong"]
Giver: TypeAlias = Literal["person", "agent", "model"]
PERSON: Giver = "person"
MODEL: Giver = "model"

MAX_TURNS = 10
_WAIT_S = 1.0  # for what others write
# Made on need, so that states of earlier versions have them, too.
_TABLES = (
    """
    CREATE TABLE IF NOT EXISTS turns (
      number INTEGER PRIMARY KEY, question TEXT, previous TEXT, asked TEXT, reading TEXT, sql TEXT,
      refusal TEXT, at TEXT)
    """,
    """
    CREATE TABLE IF NOT EXISTS verdicts (
      number INTEGER PRIMARY KEY, key TEXT, giver TEXT, judgement TEXT, question TEXT, sql TEXT,
      columns TEXT, build TEXT, retired TEXT, at TEXT, UNIQUE (key, giver))
    """,
)
_TURN = "question, previous, asked, reading, sql, refusal, at"
_VERDICT = "giver, judgement, question, sql, columns, build, retired, at, number"
_ENDS = " .?!。？！"


@dataclass(frozen=True, slots=True)
class Turn:
    """A question and what became of it, *at* a time (UTC).

    Attributes:
        question: As it was put; *asked* is what was asked in the end.
        previous: What it leaned on, as that was asked in the end; empty for one that stood alone.
        reading, sql: In plain words, and the query; empty where it was refused, for *refusal*.
    """

    question: str
    previous: str
    asked: str
    reading: str
    sql: str
    refusal: str
    at: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What somebody said of the answer to a question.

    Attributes:
        giver: Whose words they are. Those of an agent are kept, and used for nothing; a model has
            translated the question when the folder was ingested.
        sql: The query; empty where none was kept.
        columns: What its columns were when it was verified, or written, see `describe_columns`.
        build: The build that it was last seen to hold for.
        retired: Why it holds no more; empty while it does.
        number: Names it in the list.
    """

    giver: Giver
    judgement: Judgement
    question: str
    sql: str
    columns: str = ""
    build: str = ""
    retired: str = ""
    at: str = ""
    number: int = 0

    @property
    def is_verified(self) -> bool:
        """Whether a person has said that the query is right, and it still holds."""
        return self.giver == PERSON and self.answers

    @property
    def answers(self) -> bool:
        """Whether the query answers its question: a person or a model said so, and it holds."""
        return self.giver in {PERSON, MODEL} and self.judgement == "right" and not self.retired


def question_key(question: str) -> str:
    """Return what equal questions share: all but case, white space and the mark at the end.

    Marks within stay: what is below -5 is not what is below 5.
    """
    folded = unicodedata.normalize("NFC", question).casefold()
    return " ".join(folded.split()).rstrip(_ENDS)


def follow_back(turns: Sequence[Turn], previous: str) -> list[Turn]:
    """Return the turn of the question *previous* and those that it leaned on, oldest first.

    Of equal turns the newest is meant. Empty where *previous* is not among *turns*.

    Raises:
        QuestionError: If it leaned on several questions, and meant another thing each time.
    """
    wanted = question_key(previous)
    if wanted not in {question_key(turn.asked) for turn in turns}:
        meant = {
            question_key(turn.asked): turn.asked
            for turn in turns
            if question_key(turn.question) == wanted
        }
        if len(meant) > 1:
            msg = (
                f"“{previous}” was asked more than once, and meant: {'; '.join(meant.values())};"
                " give one of these as the question before"
            )
            raise QuestionError(msg)
        wanted = next(iter(meant), wanted)
    found: list[Turn] = []
    for turn in reversed(turns):
        if wanted and question_key(turn.asked) == wanted:
            found.append(turn)
            wanted = question_key(turn.previous)
    return found[::-1]


class Feedback:
    """Turns and verdicts of one corpus; opened by `open_feedback`."""

    def __init__(self, state: State) -> None:
        self._state = state
        for table in _TABLES:
            state.run(table)

    def turns(self) -> list[Turn]:
        """Return the turns that are kept, oldest first."""
        rows = self._state.run(f"SELECT {_TURN} FROM turns ORDER BY number")  # noqa: S608 - fixed
        return [Turn(*row) for row in rows]

    def keep_turn(self, turn: Turn) -> int:
        """Keep *turn*, and no more than the last ten; return how many are kept."""
        values = map(storable, astuple(replace(turn, at=utc_now())))
        with self._state.transaction():
            self._state.run(
                f"INSERT INTO turns ({_TURN}) VALUES (?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 - fixed
                *values,
            )
            self._state.run(
                "DELETE FROM turns WHERE number NOT IN"
                " (SELECT number FROM turns ORDER BY number DESC LIMIT ?)",
                MAX_TURNS,
            )
            [(n_kept,)] = self._state.run("SELECT count(*) FROM turns")
        return int(n_kept)

    def forget_turns(self) -> int:
        """Drop all turns; return how many there were."""
        return len(self._state.run("DELETE FROM turns RETURNING number"))

    def verdicts(self, question: str | None = None) -> list[Verdict]:
        """Return the verdicts on *question*, or all of them, oldest first."""
        key = None if question is None else question_key(question)
        rows = self._state.run(
            f"SELECT {_VERDICT} FROM verdicts WHERE ?1 IS NULL OR key = ?1 ORDER BY number",  # noqa: S608 - fixed
            key if key is None else storable(key),
        )
        return [Verdict(*row) for row in rows]

    def keep_verdict(self, verdict: Verdict) -> None:
        """Keep *verdict* in the place of what its giver said of the same question before."""
        said = (verdict.giver, verdict.judgement, verdict.question, verdict.sql)
        seen = (verdict.columns, verdict.build, verdict.retired, utc_now())
        self._state.run(
            "INSERT OR REPLACE INTO verdicts VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            *map(storable, (question_key(verdict.question), *said, *seen)),
        )

    def drop_verdict(self, number: int) -> bool:
        """Drop a verdict; return whether there was one of that number."""
        return bool(self._state.run("DELETE FROM verdicts WHERE number = ? RETURNING 1", number))

    def keep_seen(self, verdict: Verdict) -> None:
        """Keep what is known of the *verdict* of that number by now, and its query of today."""
        seen = (verdict.sql, verdict.columns, verdict.build, verdict.retired)
        self._state.run(
            "UPDATE verdicts SET sql = ?, columns = ?, build = ?, retired = ? WHERE number = ?",
            *map(storable, seen),
            verdict.number,
        )


@contextmanager
def open_feedback(folder: Path) -> Iterator[Feedback]:
    """Open the turns and verdicts in a state folder as `open_state` does, without a long wait."""
    with open_state(folder, wait_s=_WAIT_S) as state:
        yield Feedback(state)
