"""Serve the chat API of OpenAI on loopback, with the replies and the failures of a script.

`python openai_server.py LATENCY_S` serves in a process of its own, prints the address of its API,
and answers every prompt with `{"n": 42}`.
"""

import asyncio
import json
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus

Body = dict[str, object]


@dataclass(frozen=True)
class Answer:
    """What the server answers.

    Attributes:
        text: Of the assistant's message; None leaves it out.
        error: With a status of 400 or more: message and code.
        raw: Sent instead of all this, as it is.
        cut_after: The connection is closed after so many bytes of the body.
    """

    text: str | None = "{}"
    status: int = 200
    error: tuple[str, str] = ("", "")
    headers: Mapping[str, str] = field(default_factory=dict)
    finish_reason: str = "stop"
    delay_s: float = 0.0
    raw: bytes | None = None
    cut_after: int | None = None

    def body(self, model: object) -> bytes:
        if self.raw is not None:
            return self.raw
        if self.status >= HTTPStatus.BAD_REQUEST:
            message, code = self.error
            error = {"message": message, "type": "error", "code": code, "param": None}
            return json.dumps({"error": error}).encode()
        said = {"role": "assistant", "content": self.text}
        choice = {"index": 0, "finish_reason": self.finish_reason, "message": said}
        usage = {
            "prompt_tokens": 100,
            "completion_tokens": 20,
            "total_tokens": 120,
            "prompt_tokens_details": {"cached_tokens": 60},
        }
        head = {"id": "c-1", "object": "chat.completion", "created": 1, "model": model}
        return json.dumps({**head, "choices": [choice], "usage": usage}).encode()


Script = Callable[[Body], Answer]


class OpenAIServer:
    """A server with a script and a memory.

    Attributes:
        base: The value for `api_base`; there when `started`.
        requests: The bodies of all requests, in order.
        keys: What came as `Authorization`, with them.
        n_in_flight: Requests that are being answered.
        peak: The most of them at a time.
        error: What the script raised first, which ends the test that it is of.
    """

    def __init__(self, script: Script) -> None:
        self.base = ""
        self.requests: list[Body] = []
        self.keys: list[str] = []
        self.peak = 0
        self.error: Exception | None = None
        self.started = threading.Event()
        self.script = script
        self.n_in_flight = 0
        self._loop = asyncio.new_event_loop()
        self._ended = asyncio.Event()

    def run(self) -> None:
        """Serve until `stop`."""
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._ended.set)

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._talk, "127.0.0.1", 0, backlog=600)
        self.base = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        self.started.set()
        await self._ended.wait()
        server.close()
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._answer(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the client is gone
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; say whether the connection goes on."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        headers = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if line)
        body = json.loads(await reader.readexactly(int(headers["content-length"])))
        self.requests.append(body)
        self.keys.append(headers.get("authorization", ""))
        self.n_in_flight += 1
        self.peak = max(self.peak, self.n_in_flight)
        try:
            answer = self.script(body)
            await asyncio.sleep(answer.delay_s)
        except Exception as error:  # noqa: BLE001 - raised when the block ends
            self.error = self.error or error
            return False
        finally:
            self.n_in_flight -= 1
        data = answer.body(body["model"])
        lines = [
            f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}",
            "content-type: application/json",
            f"content-length: {len(data)}",
            *(f"{name}: {value}" for name, value in answer.headers.items()),
        ]
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + data[: answer.cut_after])
        await writer.drain()
        return answer.cut_after is None


@contextmanager
def serving(script: Script) -> Iterator[OpenAIServer]:
    """Serve until the block ends."""
    server = OpenAIServer(script)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    server.started.wait(10)
    try:
        yield server
    finally:
        server.stop()
        thread.join(10)
    if server.error:
        raise server.error


def content_of(body: Body) -> str:
    """Return the last message of a request: the content of the prompt, if nothing was corrected."""
    messages = body["messages"]
    assert isinstance(messages, list)
    return str(messages[-1]["content"])


def main(latency_s: float) -> None:
    server = OpenAIServer(lambda body: Answer('{"n": 42}', delay_s=latency_s))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    server.started.wait(10)
    print(server.base, flush=True)
    thread.join()


if __name__ == "__main__":
    main(float(sys.argv[1]))
