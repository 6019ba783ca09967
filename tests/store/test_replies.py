"""Replies are kept before they are used, and every call is in the ledger."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from srag_mcp.model.language_model import Reply
from srag_mcp.model.ledger import Call, KeptReply, Ledger, Totals
from srag_mcp.store.spool import QUESTIONS, StoredReplies, read_calls
from srag_mcp.store.state import open_state
from srag_mcp.store.work import open_work

MODEL = "a/b"
REPLY = Reply("{}", model="b-2026", truncated=True)


def answered(number: int) -> tuple[Call, KeptReply]:
    name = f"{number:064d}"
    at = datetime(2026, 11, 21, 20, 0, number % 60, tzinfo=UTC)
    call = Call(
        "records", f"{number}.txt", name, MODEL, "answered", at, 100, 5, 60, 0.5, 0.001, True
    )
    text = f'{{"n": {number}}}'
    return call, KeptReply(name, "records", MODEL, replace(REPLY, text=text), "eJw=")


def test_a_reply_is_found_again_in_another_process_of_the_same_corpus(state: Path) -> None:
    call, kept = answered(1)
    with open_state(state) as opened:
        replies = StoredReplies(opened)
        replies.keep(call, kept)
        assert replies.find(kept.prompt_hash, MODEL) == kept.reply
    with open_state(state) as opened:
        replies = StoredReplies(opened)
        assert replies.find(kept.prompt_hash, MODEL) == kept.reply
        assert replies.find(kept.prompt_hash, "another/model") is None
        assert list(replies.kept()) == [kept]


def test_the_ledger_is_that_of_the_calls(state: Path) -> None:
    call, kept = answered(1)
    schema = replace(call, step="schema", prompt_hash="f" * 64, cost_usd=None)
    with open_state(state) as opened:
        replies = StoredReplies(opened)
        replies.keep(call, kept)
        replies.keep(replace(call, outcome="cached"))
        replies.keep(schema)
        replies.keep(replace(schema, outcome="failed"))
    with open_state(state) as opened:
        replies = StoredReplies(opened)
        assert Ledger(replies.calls()).by_step == {
            "records": Totals(1, 1, 0, 100, 5, 60, 0.5, 0.001, True),
            "schema": Totals(1, 0, 1, 100, 5, 60, 0.5, None, True),
        }


def test_a_budget_counts_from_the_last_finished_ingestion(state: Path) -> None:
    with open_state(state) as opened:
        replies = StoredReplies(opened)
        replies.keep(*answered(1))
    with open_state(state) as opened:
        replies = StoredReplies(opened)
        replies.keep(*answered(2))
        assert replies.unsettled().n_calls == 2  # it was continued
        replies.settle()
        assert replies.unsettled() == Totals()
        replies.keep(*answered(3))
    with open_state(state) as opened:
        replies = StoredReplies(opened)
        assert replies.unsettled().n_calls == 1
        assert Ledger(replies.calls()).total.n_calls == 3


def test_what_utf8_cannot_hold_is_replaced(state: Path) -> None:
    call, kept = answered(1)
    kept = replace(kept, reply=replace(kept.reply, text="a\ud800b"))
    with open_state(state) as opened:
        replies = StoredReplies(opened)
        replies.keep(replace(call, subject="\udfff.txt"), kept)
    with open_state(state) as opened:
        replies = StoredReplies(opened)
        found = replies.find(kept.prompt_hash, MODEL)
        assert found is not None
        assert found.text == "a?b"


def test_a_forgotten_reply_is_not_found_until_there_is_another(state: Path) -> None:
    (call, kept), (_, other) = answered(1), answered(2)
    better = replace(kept, reply=replace(kept.reply, text="better"))
    with open_state(state) as opened:
        replies = StoredReplies(opened)
        replies.keep(call, kept)
        replies.keep(replace(call, prompt_hash=other.prompt_hash), other)
        replies.forget(kept.prompt_hash, MODEL)
        assert replies.find(kept.prompt_hash, MODEL) is None
    with open_state(state) as opened:
        replies = StoredReplies(opened)
        assert replies.find(kept.prompt_hash, MODEL) is None
        assert replies.find(other.prompt_hash, MODEL) == other.reply
        replies.keep(call, better)
    with open_state(state) as opened:
        replies = StoredReplies(opened)
        assert replies.find(kept.prompt_hash, MODEL) == better.reply
        assert Ledger(replies.calls()).total.n_calls == 3


def test_a_reply_to_a_question_is_found_by_every_process_of_the_corpus(state: Path) -> None:
    call, kept = answered(1)
    with open_state(state) as one, open_state(state) as other:
        mine = StoredReplies(one, QUESTIONS)
        theirs = StoredReplies(other, QUESTIONS)
        assert mine.find(kept.prompt_hash, MODEL) is None
        theirs.keep(call, kept)
        assert mine.find(kept.prompt_hash, MODEL) == kept.reply
        assert StoredReplies(one).find(kept.prompt_hash, MODEL) == kept.reply

        mine.forget(kept.prompt_hash, MODEL)
        assert theirs.find(kept.prompt_hash, MODEL) is None
        mine.keep(call, kept)
        assert theirs.find(kept.prompt_hash, MODEL) == kept.reply


def test_the_ledger_counts_questions_and_no_budget_does(tmp_path: Path) -> None:
    folder = tmp_path / ".srag"
    folder.mkdir()
    (first, kept), (second, _) = answered(1), answered(2)
    with open_work(folder):
        pass
    with open_state(folder) as opened:
        StoredReplies(opened, QUESTIONS).keep(second, kept)
        replies = StoredReplies(opened)
        replies.keep(first)
        assert Ledger(replies.calls()).total.n_calls == 2
        assert replies.unsettled().n_calls == 1
    assert read_calls(tmp_path) == [first, second]
