"""What is known of a corpus goes over to another one: a kind takes over the table of its folder."""

import shutil
from contextlib import suppress
from pathlib import Path

from srag_mcp.store.database import quote_text, store_errors
from srag_mcp.store.layout import (
    BUILDS_FOLDER,
    KINDS_FILE,
    POINTER_FILE,
    STATE_FILE,
    WORK_FILE,
)
from srag_mcp.store.state import UNFINISHED, open_state
from srag_mcp.store.work import WorkDatabase

_OWN = (KINDS_FILE, WORK_FILE, STATE_FILE, "ingestion.", "state.", ".git")


def hand_over(work: WorkDatabase, place: Path) -> None:
    """Move all that was read, answered and set of the corpus of *work* to *place*; begin anew here.

    *place* is a state folder that is not there yet. A crash leaves the corpus here as it was.

    Raises:
        StoreError: If it cannot be written.
    """
    state, made = work.state, place.with_name(f"{place.name}.tmp")
    shutil.rmtree(made, ignore_errors=True)
    shutil.copytree(state / BUILDS_FOLDER, made / BUILDS_FOLDER)
    with store_errors(f"writing {made}"):
        [(name,)] = work.run("SELECT current_database()")
        work.run(f"ATTACH {quote_text(str(made / WORK_FILE))} AS heir")
        try:
            work.run(f"COPY FROM DATABASE {name} TO heir")
        finally:
            work.run("DETACH heir")
    with open_state(state) as shared:
        shared.run("VACUUM INTO ?", str(made / STATE_FILE))
    with open_state(made) as shared:  # jobs and prompts that wait are of this folder
        shared.run("PRAGMA journal_mode = WAL")
        shared.run("DELETE FROM jobs")
        shared.run("DELETE FROM prompts WHERE answer IS NULL")
        shared.keep_note(UNFINISHED, None)
    moved = [x for x in state.iterdir() if x.is_file() and not x.name.startswith(_OWN)]
    for path in moved:
        shutil.copy2(path, made / path.name)
    made.rename(place)
    (state / POINTER_FILE).unlink(missing_ok=True)  # from here on the kinds are read
    work.forget_all()
    for path in (*moved, *(state / BUILDS_FOLDER).iterdir()):
        with suppress(OSError):  # a reader has it open
            path.unlink(missing_ok=True)
