"""Reading the ledger of a corpus from outside of an ingestion."""

from pathlib import Path

from srag_mcp.errors import LockedError, NotIngestedError
from srag_mcp.model.ledger import Call
from srag_mcp.store.layout import CorpusFolder, work_path
from srag_mcp.store.lock import is_ingested_now, read_holder
from srag_mcp.store.work_opening import open_work
from srag_mcp.store.work_replies import open_replies


def read_calls(folder: Path, home: Path | None = None) -> tuple[Call, ...]:
    """Return all calls that were made for the corpus in *folder*, questions too, oldest first.

    Raises:
        NotIngestedError: If it was never ingested.
        LockedError: If it is being ingested just now; this is known at once.
        StoreError: If the database cannot be opened.
    """
    state = CorpusFolder(folder, home).readable()
    if not work_path(state).exists():
        msg = f"{folder} was not ingested, so no language model was asked for it"
        raise NotIngestedError(msg)
    if is_ingested_now(state):
        msg = (
            f"{folder} is being ingested, and until that ends nobody else can read its ledger:"
            f" srag-mcp status {folder} says how far it is, then run the same command again"
        )
        raise LockedError(msg, read_holder(state))
    with open_work(state) as work, open_replies(work) as replies:
        return tuple(sorted(replies.calls(), key=lambda call: call.at))
