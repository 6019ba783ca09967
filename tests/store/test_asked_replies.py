"""Replies to questions: many processes keep them, the next ingestion counts them."""

from pathlib import Path

from srag_mcp.store.asked_replies import AskedReplies, open_asked
from srag_mcp.store.layout import asked_path
from srag_mcp.store.ledger import read_calls
from srag_mcp.store.work_opening import open_work
from srag_mcp.store.work_replies import open_replies
from tests.store.test_work_replies import MODEL, answered


def test_a_reply_is_found_by_every_process_of_the_corpus(state: Path) -> None:
    mine, theirs = AskedReplies(asked_path(state)), AskedReplies(asked_path(state))
    call, kept = answered(1)
    assert mine.find(kept.prompt_hash, MODEL) is None
    theirs.keep(call, kept)
    assert mine.find(kept.prompt_hash, MODEL) == kept.reply
    assert mine.find(kept.prompt_hash, "another/model") is None

    mine.forget(kept.prompt_hash, MODEL)
    assert theirs.find(kept.prompt_hash, MODEL) is None
    assert AskedReplies(asked_path(state)).find(kept.prompt_hash, MODEL) is None
    mine.keep(call, kept)
    assert theirs.find(kept.prompt_hash, MODEL) == kept.reply


def test_a_line_that_was_torn_costs_no_other(state: Path) -> None:
    replies = AskedReplies(asked_path(state))
    first, second, third = (answered(number) for number in range(3))
    replies.keep(*first)
    replies.keep(*second)
    whole = asked_path(state).read_bytes()
    asked_path(state).write_bytes(whole[:-20])
    other = AskedReplies(asked_path(state))
    assert other.find(second[1].prompt_hash, MODEL) is None
    other.keep(*third)

    found = AskedReplies(asked_path(state))
    names = [first[1].prompt_hash, second[1].prompt_hash, third[1].prompt_hash]
    assert [found.find(name, MODEL) is not None for name in names] == [True, False, True]


def test_a_folder_of_state_that_was_removed_is_forgotten(state: Path) -> None:
    replies = open_asked(asked_path(state))
    assert open_asked(asked_path(state)) is replies, "each line is read once by a process"
    (first, kept), other = answered(1), answered(2)
    replies.keep(first, kept)
    assert replies.find(kept.prompt_hash, MODEL) == kept.reply
    asked_path(state).unlink()
    assert replies.find(kept.prompt_hash, MODEL) is None
    AskedReplies(asked_path(state)).keep(*other)
    assert replies.find(other[1].prompt_hash, MODEL) == other[1].reply


def test_the_ledger_counts_questions_once_and_no_budget_does(tmp_path: Path) -> None:
    state = tmp_path / ".srag"
    state.mkdir()
    call, kept = answered(1)
    AskedReplies(asked_path(state)).keep(call, kept)
    for _ in range(2):
        with open_work(state) as work, open_replies(work) as replies:
            assert replies.ledger().total.n_calls == 1
            assert replies.unsettled().n_calls == 0
    assert read_calls(tmp_path) == (call,)
