"""Serve the model that reads weather stations in a process of its own.

`python -m tests.pipeline.station_server LATENCY_S` prints the address of its API.
"""

import sys
import threading
from dataclasses import replace

from tests.model.openai_server import OpenAIServer
from tests.pipeline.reading_model import say


def main(latency_s: float) -> None:
    server = OpenAIServer(lambda body: replace(say(body), delay_s=latency_s))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    server.started.wait(10)
    print(server.base, flush=True)
    thread.join()


if __name__ == "__main__":
    main(float(sys.argv[1]))
