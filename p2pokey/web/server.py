"""The page's server on the player's own computer: static files and one WebSocket, behind the gate."""

import asyncio
import logging
import socket
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from typing import Any

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from p2pokey.ports import Entropy
from p2pokey.web.engine import Engine, IntentRefused
from p2pokey.web.files import StaticFile, page_files
from p2pokey.web.gate import SECURITY_HEADERS, TOKEN_BYTES, Gate, Refusal, make_gate
from p2pokey.web.session import (
    HELLO_S,
    MAX_FRAME_BYTES,
    Allowance,
    BadFrame,
    read_frame,
    write_frame,
)

SOCKET_PATH = "/ws"
LOOPBACK = ("127.0.0.1", "::1")
BAD_TOKEN, BAD_FRAME, TOO_FAST, TOO_MANY = 4401, 4400, 4429, 4503
"""Close codes of the WebSocket."""
MAX_TABS = MAX_STRANGERS = 16
"""Connections that have shown the token, and such that have not yet."""
_log = logging.getLogger(__name__)


class PageServer:
    """Serves one engine to the tabs of one browser. Use `open_page_server`."""

    def __init__(self, engine: Engine, gate: Gate, files: dict[str, StaticFile]) -> None:
        self.gate = gate
        self.address = ""
        """What to open in the browser, with the token in its fragment."""
        self._engine = engine
        self._world = write_frame("world", **engine.world())
        self._files = files
        self._tabs: dict[ServerConnection, asyncio.Event] = {}
        self._strangers = 0
        self._controller: ServerConnection | None = None

    # --- HTTP ---

    def answer(self, connection: ServerConnection, request: Request) -> Response | None:
        """The answer to a request; None lets the WebSocket be opened."""
        if getattr(request, "method", "GET") != "GET":  # older websockets answer these themselves
            return _refuse(Refusal.NOT_A_READ)
        refusal = self.gate.check_host(request.headers.get_all("Host"))
        if refusal is None and request.path == SOCKET_PATH:
            if "upgrade" not in request.headers:
                return _refuse(Refusal.NOT_A_SOCKET)
            refusal = self.gate.check_origin(request.headers.get_all("Origin"))
            return None if refusal is None else _refuse(refusal)
        file = self._files.get(request.path)
        if refusal is None and file is None:
            refusal = Refusal.NOT_FOUND
        if refusal is not None or file is None:
            return _refuse(refusal or Refusal.NOT_FOUND)
        return _response(HTTPStatus.OK, file.data, file.content_type)

    # --- WebSocket ---

    async def talk(self, connection: ServerConnection) -> None:
        """One tab, from its hello to its end."""
        if self._strangers >= MAX_STRANGERS:
            await connection.close(TOO_MANY, "too many connections: try again in a moment")
            return
        self._strangers += 1
        try:
            is_ours = await self._is_ours(connection)
        finally:
            self._strangers -= 1
        if not is_ours:
            await connection.close(BAD_TOKEN, "show the token of this launch")
        elif len(self._tabs) >= MAX_TABS:
            await connection.close(TOO_MANY, "too many tabs: close some of the others")
        else:
            await self._serve_tab(connection)

    async def _serve_tab(self, connection: ServerConnection) -> None:
        """A tab that has shown the token."""
        changed = self._tabs[connection] = asyncio.Event()
        if self._controller is None:
            self._controller = connection
        changed.set()
        end = self._engine.subscribe(changed.set)
        showing = asyncio.create_task(self._show(connection, changed))
        try:
            await self._listen(connection)
        except ConnectionClosed:
            pass
        except BadFrame as error:
            await connection.close(BAD_FRAME, str(error))
        finally:
            end()
            showing.cancel()
            await asyncio.gather(showing, return_exceptions=True)
            self._leave(connection)

    async def _is_ours(self, connection: ServerConnection) -> bool:
        try:
            async with asyncio.timeout(HELLO_S):
                frame = read_frame(await connection.recv())
        except (TimeoutError, ConnectionClosed, BadFrame):
            return False
        return frame["k"] == "hello" and self.gate.is_token(frame.get("token"))

    async def _listen(self, connection: ServerConnection) -> None:
        allowance = Allowance(time.monotonic)
        async for data in connection:
            if not allowance.take():
                await connection.close(TOO_FAST, "too many frames")
                return
            await self._take(connection, read_frame(data))

    async def _take(self, connection: ServerConnection, frame: dict[str, Any]) -> None:
        match frame["k"]:
            case "control":
                self._controller = connection
                for changed in self._tabs.values():
                    changed.set()
            case "intent":
                await self._act(connection, frame)
            case _:
                raise BadFrame("expected an intent")

    async def _act(self, connection: ServerConnection, frame: dict[str, Any]) -> None:
        number, intent = frame.get("n"), frame.get("intent")
        if not isinstance(number, int) or not isinstance(intent, dict):
            raise BadFrame("expected a number and an intent")
        refused: dict[str, Any] | None = None
        answer: dict[str, Any] | None = None
        try:
            if connection is not self._controller:
                raise IntentRefused("other-tab")
            answer = await self._engine.act(intent)
        except IntentRefused as error:
            refused = {"code": error.code, **error.details}
        except Exception:  # noqa: BLE001 - one bad intent must not end the table
            _log.exception("an intent of the page failed")
            refused = {"code": "internal"}
        more = {} if answer is None else {"answer": answer}
        await connection.send(write_frame("done", n=number, refused=refused, **more))

    async def _show(self, connection: ServerConnection, changed: asyncio.Event) -> None:
        """Sends the newest view whenever there is one: a slow tab skips what it missed."""
        number = 0
        with suppress(ConnectionClosed):
            await connection.send(self._world)
            while True:
                await changed.wait()
                changed.clear()
                number += 1
                is_controller = connection is self._controller
                try:
                    view = self._engine.view()
                except Exception:  # noqa: BLE001 - the next change may be shown again
                    _log.exception("a view could not be made")
                    continue
                frame = write_frame("view", n=number, control=is_controller, view=view)
                await connection.send(frame)

    def _leave(self, connection: ServerConnection) -> None:
        self._tabs.pop(connection, None)
        if self._controller is connection:
            self._controller = next(iter(self._tabs), None)
            for changed in self._tabs.values():
                changed.set()


@asynccontextmanager
async def open_page_server(
    engine: Engine, entropy: Entropy, *, port: int = 0, lan: Sequence[str] = ()
) -> AsyncIterator[PageServer]:
    """Serves the page as long as the context lasts.

    Args:
        port: 0 for one that is free.
        lan: addresses of this computer that a phone in the same network may use as well.

    Raises:
        OSError: the port is taken, or an address is not this computer's.
    """
    sockets = _listen_on((*LOOPBACK, *lan), port)
    number = sockets[0].getsockname()[1]
    token = entropy.random_bytes(TOKEN_BYTES).hex()
    gate = make_gate((*LOOPBACK, "localhost", *lan), number, token)
    page = PageServer(engine, gate, page_files())
    page.address = f"http://{LOOPBACK[0]}:{number}/#t={token}"
    servers: list[Server] = []
    try:
        for listening in sockets:
            servers.append(await _serve(page, listening))  # noqa: PERF401 - closed if one fails
        yield page
    finally:
        for server in servers:
            server.close()
        for server in servers:
            await server.wait_closed()


async def _serve(page: PageServer, listening: socket.socket) -> Server:
    return await serve(
        page.talk,
        sock=listening,
        process_request=page.answer,
        compression=None,
        max_size=MAX_FRAME_BYTES,
        max_queue=16,
        open_timeout=5,
        ping_interval=20,
        ping_timeout=20,
        close_timeout=1,
        server_header=None,
    )


def _listen_on(addresses: Sequence[str], port: int) -> list[socket.socket]:
    """One socket an address, all on one port; IPv6 is left out where there is none."""
    sockets: list[socket.socket] = []
    try:
        for address in addresses:
            family = socket.AF_INET6 if ":" in address else socket.AF_INET
            try:
                made = socket.create_server((address, port), family=family)
            except OSError:
                if address == LOOPBACK[1]:
                    continue
                raise
            sockets.append(made)
            # asyncio does so only for sockets that name their protocol; without it every second view
            # waits 40 ms for the browser to acknowledge the first.
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            port = made.getsockname()[1]
    except BaseException:
        for made in sockets:
            made.close()
        raise
    return sockets


def _refuse(refusal: Refusal) -> Response:
    status = HTTPStatus(refusal.value)
    return _response(status, f"{status.phrase}\n".encode("ascii"), "text/plain; charset=utf-8")


def _response(status: HTTPStatus, data: bytes, content_type: str) -> Response:
    headers = Headers([("Content-Type", content_type), ("Content-Length", str(len(data)))])
    for name, value in SECURITY_HEADERS:
        headers[name] = value
    headers["Connection"] = "close"
    return Response(status.value, status.phrase, headers, data)
