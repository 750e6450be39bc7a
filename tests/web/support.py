"""A page server with an engine that does nothing but count."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from p2pokey.native.entropy import OsEntropy
from p2pokey.web.engine import IntentRefused
from p2pokey.web.server import PageServer, open_page_server


class CountingEngine:
    """Its view is a number that an intent adds to."""

    def __init__(self) -> None:
        self.number = 0
        self.listeners: list[Callable[[], None]] = []

    def world(self) -> dict[str, Any]:
        return {"games": []}

    def view(self) -> dict[str, Any]:
        return {"number": self.number}

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        self.listeners.append(changed)
        return lambda: self.listeners.remove(changed)

    async def act(self, intent: Mapping[str, Any]) -> None:
        match intent.get("do"):
            case "add":
                self.number += 1
            case "crash":
                raise RuntimeError("a fault of the engine")
            case _:
                raise IntentRefused("unknown", least=1)
        for changed in self.listeners:
            changed()


@asynccontextmanager
async def page() -> AsyncIterator[tuple[PageServer, CountingEngine]]:
    engine = CountingEngine()
    async with open_page_server(engine, OsEntropy()) as server:
        yield server, engine


def host_of(server: PageServer) -> str:
    return server.address.removeprefix("http://").partition("/")[0]


def token_of(server: PageServer) -> str:
    return server.address.partition("#t=")[2]


async def ask(server: PageServer, request: bytes, *, port: int | None = None) -> tuple[int, bytes]:
    """Status and whole answer of raw bytes sent to the server."""
    number = port or int(host_of(server).partition(":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", number)
    writer.write(request)
    await writer.drain()
    try:
        async with asyncio.timeout(10):
            answer = await reader.read()
    finally:
        writer.close()
    status = int(answer.split(b" ", 2)[1]) if answer else 0
    return status, answer


def get(path: str, host: str, *more: str) -> bytes:
    lines = (f"GET {path} HTTP/1.1", f"Host: {host}", *more, "", "")
    return "\r\n".join(lines).encode("latin-1")


def tab(server: PageServer, **options: Any) -> connect:
    host = host_of(server)
    return connect(f"ws://{host}/ws", origin=f"http://{host}", compression=None, **options)


async def hello(tab: ClientConnection, token: str) -> dict[str, Any]:
    """Shows the token; returns the first view frame."""
    await tab.send(json.dumps({"k": "hello", "token": token}))
    world = json.loads(await tab.recv())
    assert world["k"] == "world"
    return json.loads(await tab.recv())


async def until_frame(tab: ClientConnection, kind: str) -> dict[str, Any]:
    async with asyncio.timeout(10):
        while True:
            frame = json.loads(await tab.recv())
            if frame["k"] == kind:
                return frame
