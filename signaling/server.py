"""The shell around `rooms`: WebSockets, the clock and the health check. No decisions are made here.

Effects are carried out in order and without waiting: a message goes into the connection's write
buffer at once, and a connection whose buffer grows too large, or stays full for too long, is
dropped, so that one slow reader holds up nobody else.

Logs name connections by number and addresses by network; no room code, key or body gets into them.
"""

import asyncio
import logging
import os
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, assert_never

from websockets.asyncio.server import Server, ServerConnection, broadcast
from websockets.asyncio.server import serve as serve_websockets
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from signaling.addresses import address_key, client_host, shorten
from signaling.config import ServerConfig
from signaling.effects import (
    CloseCode,
    CloseConnection,
    Effect,
    PauseReading,
    SendFrame,
    SendText,
)
from signaling.messages import ErrorCode
from signaling.replies import ErrorReply, ServerMessage, encode
from signaling.rooms import Rooms
from signaling.store import MemoryStore

SUBPROTOCOL = Subprotocol("okeysig.1")

# The largest frame that is read at all; what is smaller but above its limit gets a `too_big`.
_MAX_FRAME_BYTES = 96 * 1024
_MAX_QUEUE = 8
_WRITE_LIMIT_BYTES = 32 * 1024

_log = logging.getLogger("signaling")
# websockets dumps whole frames at DEBUG, and codes are in them.
_websockets_log = logging.getLogger("signaling.websockets")
_websockets_log.setLevel(logging.WARNING)


@dataclass(slots=True, kw_only=True)
class _Socket:
    """What the shell knows of one connection."""

    websocket: ServerConnection
    stalled_since: float | None = None
    """Since when its write buffer has been above the mark."""
    is_dropped: bool = False
    """Given up; what is still meant for it is thrown away."""

    def unsent(self) -> int:
        return self.websocket.transport.get_write_buffer_size()


class SignalingServer:
    """A running server; made by `serve`.

    Attributes:
        host: address that it listens on.
        port: port that it listens on, the real one also if 0 was asked for.
    """

    host: str
    port: int

    def __init__(
        self,
        config: ServerConfig,
        *,
        clock: Callable[[], float],
        entropy: Callable[[int], bytes],
    ) -> None:
        self._config = config
        self._clock = clock
        self._rooms = Rooms(
            limits=config.limits,
            store=MemoryStore(),
            entropy=entropy,
            ice=config.ice,
            motd=config.motd,
        )
        self._sockets: dict[int, _Socket] = {}
        self._count = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: Server | None = None
        self._is_closing = False
        self._closed = asyncio.Event()

    @property
    def url(self) -> str:
        """Address for clients, e.g. `ws://127.0.0.1:8765`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"ws://{host}:{self.port}"

    async def close(self) -> None:
        """Stops gracefully: no new connections, `bye` to everybody, what is unsent goes out.

        Takes at most the closing timeout; may be called more than once.
        """
        if self._is_closing or self._server is None:
            await self._closed.wait()
            return
        self._carry_out(self._rooms.farewell(self._config.bye_retry_ms))
        self._is_closing = True
        self._server.close(close_connections=False)
        await asyncio.gather(
            *(
                self._close_socket(socket.websocket, CloseCode.RESTART, "server stops")
                for socket in self._sockets.values()
            )
        )
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()
        _log.info("stopped")
        self._closed.set()

    async def wait_closed(self) -> None:
        """Waits until somebody has called `close` and it is done."""
        await self._closed.wait()

    async def start(self) -> None:
        """Begins to listen; `serve` has done that already."""
        config = self._config
        self._server = await serve_websockets(
            self._handle,
            config.host,
            config.port,
            subprotocols=[SUBPROTOCOL],
            compression=None,  # costs 32 KB per connection and hides nothing
            process_request=_answer_http,
            server_header=None,
            open_timeout=config.open_timeout_s,
            close_timeout=config.close_timeout_s,
            ping_interval=config.ping_s,
            ping_timeout=config.ping_s,
            max_size=max(_MAX_FRAME_BYTES, config.limits.relay_bytes + 1),
            max_queue=_MAX_QUEUE,
            write_limit=_WRITE_LIMIT_BYTES,
            logger=_websockets_log,
        )
        name = next(iter(self._server.sockets)).getsockname()
        self.host, self.port = name[0], name[1]
        self._spawn(self._sweep_for_ever())
        self._spawn(self._watch_for_ever())
        _log.info("listening on %s", self.url)

    # --- connections ---

    async def _handle(self, websocket: ServerConnection) -> None:
        if self._is_closing:
            return  # opened in the very moment of `close`; returning closes it
        self._count += 1
        number = self._count
        host = self._client_of(websocket)
        self._sockets[number] = _Socket(websocket=websocket)
        _log.info("connection %d from %s", number, shorten(host))
        try:
            self._carry_out(self._rooms.connect(number, address_key(host), self._clock()))
            async for frame in websocket:
                data = frame if isinstance(frame, str) else bytes(frame)
                pause = self._carry_out(self._rooms.receive(number, data, self._clock()))
                if pause > 0:
                    await asyncio.sleep(pause)
        except ConnectionClosed:
            pass  # the ordinary end of a connection that was lost
        finally:
            del self._sockets[number]
            self._carry_out(self._rooms.disconnect(number, self._clock()))
            _log.info("connection %d ended with code %s", number, websocket.protocol.close_code)

    def _client_of(self, websocket: ServerConnection) -> str:
        peer = websocket.remote_address
        request = websocket.request
        forwarded = [] if request is None else request.headers.get_all("X-Forwarded-For")
        return client_host(peer[0] if peer else "", forwarded, self._config.trusted_proxies)

    # --- effects ---

    def _carry_out(self, effects: Sequence[Effect]) -> float:
        """Carries effects out in order; returns the seconds for which to stop reading."""
        pause = 0.0
        if self._is_closing:
            return pause  # everybody has heard `bye`; who is away no longer matters
        for effect in effects:
            match effect:
                case SendText():
                    self._note_rate(effect.connection, effect.message)
                    self._write(effect.connection, encode(effect.message))
                case SendFrame():
                    self._write(effect.connection, effect.frame)
                case PauseReading():
                    pause = max(pause, effect.seconds)
                case CloseConnection():
                    self._order_close(effect)
                case _:
                    assert_never(effect)
        return pause

    def _write(self, number: int, data: str | bytes) -> None:
        socket = self._sockets.get(number)
        if socket is None or socket.is_dropped:
            return
        if socket.unsent() > self._config.outbound_bytes:
            self._drop(number, socket, "reads too slowly")
            return
        broadcast((socket.websocket,), data)

    def _order_close(self, effect: CloseConnection) -> None:
        socket = self._sockets.get(effect.connection)
        if socket is not None:
            self._spawn(self._close_socket(socket.websocket, effect.code, effect.reason))

    async def _close_socket(
        self, websocket: ServerConnection, code: CloseCode, reason: str
    ) -> None:
        # Its own limit, because the library's does not cover a peer that reads nothing.
        try:
            async with asyncio.timeout(self._config.close_timeout_s):
                await websocket.close(code, reason)
        except TimeoutError:
            websocket.transport.abort()

    def _drop(self, number: int, socket: _Socket, why: str) -> None:
        _log.warning("connection %d dropped: it %s", number, why)
        socket.is_dropped = True
        socket.websocket.transport.abort()

    def _note_rate(self, number: int, message: ServerMessage) -> None:
        if isinstance(message, ErrorReply) and message.code is ErrorCode.RATE:
            _log.info("connection %d reached a limit (%s)", number, message.re or "connections")

    # --- time ---

    async def _sweep_for_ever(self) -> None:
        while True:
            await asyncio.sleep(self._config.sweep_s)
            now = self._clock()
            self._carry_out(self._rooms.sweep(now))
            self._drop_stalled(now)

    async def _watch_for_ever(self) -> None:
        """The library answers pings itself, past `_write`."""
        while True:
            await asyncio.sleep(self._config.watch_s)
            for number, socket in self._sockets.items():
                if not socket.is_dropped and socket.unsent() > self._config.outbound_bytes:
                    self._drop(number, socket, "reads too slowly")

    def _drop_stalled(self, now: float) -> None:
        for number, socket in self._sockets.items():
            if socket.unsent() <= _WRITE_LIMIT_BYTES:
                socket.stalled_since = None
            elif socket.stalled_since is None:
                socket.stalled_since = now
            elif now - socket.stalled_since >= self._config.stall_s:
                self._drop(number, socket, "reads nothing")

    def _spawn(self, coroutine: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._task_done)

    def _task_done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            _log.error("a task of the server failed", exc_info=task.exception())


async def serve(
    config: ServerConfig,
    *,
    clock: Callable[[], float] = time.monotonic,
    entropy: Callable[[int], bytes] = os.urandom,
) -> SignalingServer:
    """Starts a server.

    Args:
        config: settings.
        clock: seconds, never going back.
        entropy: returns that many unpredictable bytes, for codes and resume tokens.

    Returns:
        The running server, with the port that it really listens on.

    Raises:
        OSError: the address or the port cannot be had.
    """
    server = SignalingServer(config, clock=clock, entropy=entropy)
    await server.start()
    return server


def _answer_http(connection: ServerConnection, request: Request) -> Response | None:
    """Answers what is no WebSocket; None lets the opening handshake go on."""
    path = request.path.partition("?")[0]
    if path == "/healthz":
        return connection.respond(HTTPStatus.OK, "ok")
    if path in ("/", "/ws"):
        return None
    return connection.respond(HTTPStatus.NOT_FOUND, "not found\n")
