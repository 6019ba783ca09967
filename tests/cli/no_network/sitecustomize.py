"""Python imports this at its start when the folder is on PYTHONPATH: it refuses all networking.

What is tried is also written to the file `$REFUSED`, should somebody swallow the error.
"""

import os
import sys
from pathlib import Path

REFUSED_EVENTS = {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"}


def _refuse(event: str, arguments: tuple[object, ...]) -> None:
    if event not in REFUSED_EVENTS:
        return
    with Path(os.environ["REFUSED"]).open("a", encoding="utf-8") as log:
        log.write(f"{event} {arguments[1:]}\n")
    msg = f"{event}: there is no network in this test"
    raise OSError(msg)


sys.addaudithook(_refuse)
