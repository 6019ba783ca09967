from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from srag_mcp.model.language_model import Reply
from srag_mcp.model.ledger import Call, Totals
from srag_mcp.model.reply_cache import KeptReply
from srag_mcp.store import work_replies
from srag_mcp.store.work_opening import open_work
from srag_mcp.store.work_replies import WorkReplies, open_replies

MODEL = "a/b"
REPLY = Reply("{}", 100, 5, 60, 0.5, 0.001, "b-2026", truncated=False)


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
    with open_work(state) as work, open_replies(work) as replies:
        replies.keep(call, kept)
        assert replies.find(kept.prompt_hash, MODEL) == kept.reply
    with open_work(state) as work, open_replies(work) as replies:
        assert replies.find(kept.prompt_hash, MODEL) == kept.reply
        assert replies.find(kept.prompt_hash, "another/model") is None
        assert list(replies.kept()) == [kept]


def test_what_a_killed_process_left_in_the_journal_is_taken_over_once(state: Path) -> None:
    kept = [answered(number) for number in range(5)]
    with open_work(state) as work:
        killed = WorkReplies(work)  # never closed
        for call, reply in kept:
            killed.keep(call, reply)
        journal = (state / "calls.jsonl").read_bytes()

    with open_work(state) as work, open_replies(work) as replies:
        assert replies.ledger().total.n_calls == 5
    (state / "calls.jsonl").write_bytes(journal)  # as if killed between the commit and the clearing
    with open_work(state) as work, open_replies(work) as replies:
        assert replies.ledger().total.n_calls == 5
        assert [item.prompt_hash for item in replies.kept()] == [
            reply.prompt_hash for _, reply in kept
        ]


def test_a_line_that_was_cut_off_is_left_out_and_the_next_one_is_whole(state: Path) -> None:
    with open_work(state) as work:
        killed = WorkReplies(work)
        killed.keep(*answered(1))
        journal = state / "calls.jsonl"
        journal.write_bytes(journal.read_bytes() + b'{"call_id": "cut o')
    with open_work(state) as work, open_replies(work) as replies:
        assert replies.ledger().total.n_calls == 1
        replies.keep(*answered(2))
    with open_work(state) as work, open_replies(work) as replies:
        assert replies.ledger().total.n_calls == 2


def test_a_damaged_line_costs_only_itself(state: Path) -> None:
    with open_work(state) as work:
        killed = WorkReplies(work)
        for number in range(3):
            killed.keep(*answered(number))
        journal = state / "calls.jsonl"
        lines = journal.read_bytes().split(b"\n")
        journal.write_bytes(b"\n".join([lines[0], b"\x00\x00\x00", *lines[2:]]))
    with open_work(state) as work, open_replies(work) as replies:
        assert replies.ledger().total.n_calls == 2


def test_many_calls_go_into_the_tables_by_batches(state: Path) -> None:
    n_calls = 2 * work_replies.BATCH_CALLS + 7
    with open_work(state) as work, open_replies(work) as replies:
        for number in range(n_calls):
            replies.keep(*answered(number))
        assert len((state / "calls.jsonl").read_bytes().splitlines()) == 7
        found = replies.find(answered(3)[1].prompt_hash, MODEL)
        assert found is not None
        assert found.text == '{"n": 3}'
        assert replies.ledger().total.n_calls == n_calls


def test_the_ledger_is_that_of_the_calls(state: Path) -> None:
    call, kept = answered(1)
    schema = replace(call, step="schema", prompt_hash="f" * 64, cost_usd=None)
    with open_work(state) as work, open_replies(work) as replies:
        replies.keep(call, kept)
        replies.keep(replace(call, outcome="cached"))
        replies.keep(schema)
        replies.keep(replace(schema, outcome="failed"))
    with open_work(state) as work, open_replies(work) as replies:
        assert replies.ledger().by_step == {
            "records": Totals(1, 1, 0, 100, 5, 60, 0.5, 0.001, True),
            "schema": Totals(1, 0, 1, 100, 5, 60, 0.5, None, True),
        }


def test_a_budget_counts_from_the_last_finished_ingestion(state: Path) -> None:
    with open_work(state) as work, open_replies(work) as replies:
        replies.keep(*answered(1))
    with open_work(state) as work, open_replies(work) as replies:
        replies.keep(*answered(2))
        assert replies.unsettled().n_calls == 2  # it was continued
        replies.settle()
        assert replies.unsettled() == Totals()
        replies.keep(*answered(3))
    with open_work(state) as work, open_replies(work) as replies:
        assert replies.unsettled().n_calls == 1
        assert replies.ledger().total.n_calls == 3


def test_what_utf8_cannot_hold_is_replaced(state: Path) -> None:
    call, kept = answered(1)
    kept = replace(kept, reply=replace(kept.reply, text="a\ud800b"))
    with open_work(state) as work, open_replies(work) as replies:
        replies.keep(replace(call, subject="\udfff.txt"), kept)
    with open_work(state) as work, open_replies(work) as replies:
        found = replies.find(kept.prompt_hash, MODEL)
        assert found is not None
        assert found.text == "a?b"


def test_a_forgotten_reply_is_not_found_until_there_is_another(state: Path) -> None:
    (call, kept), (_, other) = answered(1), answered(2)
    better = replace(kept, reply=replace(kept.reply, text="better"))
    with open_work(state) as work, open_replies(work) as replies:
        replies.keep(call, kept)
        replies.keep(replace(call, prompt_hash=other.prompt_hash), other)
        replies.forget(kept.prompt_hash, MODEL)
        assert replies.find(kept.prompt_hash, MODEL) is None
    with open_work(state) as work, open_replies(work) as replies:
        assert replies.find(kept.prompt_hash, MODEL) is None
        assert replies.find(other.prompt_hash, MODEL) == other.reply
        replies.keep(call, better)
    with open_work(state) as work, open_replies(work) as replies:
        assert replies.find(kept.prompt_hash, MODEL) == better.reply
        assert replies.ledger().total.n_calls == 3
