"""Client of the signalling server: one WebSocket, kept up, with a limit on every wait.

The server introduces peers and passes opaque bodies on; it is needed until the mesh is up and again
when a lost link is to be replaced. A lost connection is taken up again with the resume token of the
last welcome; what was to be sent meanwhile waits.
"""

import asyncio
import contextlib
import ipaddress
import json
from collections import deque
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal, TypeVar
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.typing import Subprotocol

from p2pokey import __version__
from p2pokey.codec import encode_base64
from p2pokey.errors import InvalidAddress, ServerUnreachable, SignalingError, TimedOut
from p2pokey.net.limits import Limits
from p2pokey.net.tasks import cancel, spawn
from p2pokey.net.wire import (
    MAX_TEXT_BYTES,
    SUBPROTOCOL,
    BodyArrived,
    Created,
    ErrorReply,
    Goodbye,
    Knocked,
    Lobby,
    PeerChanged,
    RoomPage,
    ServerMessage,
    Welcome,
    error_for,
    parse_server_message,
)

_MAX_EVENTS = 1000
"""Untaken events; a server that sends more is not worth having."""
_MAX_WAITING = 64
"""Messages kept while the connection is down."""
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.25, 5.0
_CLOSE_S = 1.0
_REENTRY_WINDOW_S = 3600

_Reply = TypeVar("_Reply", Created, Lobby, RoomPage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What everybody may read about a public table."""

    title: str
    """At most 40 characters, as `wire.shown_text` leaves them."""
    rules: str
    """Key of the rule set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
    """The connection was lost and is there again, with our place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignallingGone:
    """The connection is lost for good, or our place with it. The last event."""

    error: SignalingError


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceLost:
    """The server is there but has forgotten our place: `create` or `knock` again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Nudged:
    """Somebody on this side has something to say (`SignallingClient.nudge`)."""


SignallingEvent = (
    Nudged | Knocked | BodyArrived | PeerChanged | Resumed | PlaceLost | SignallingGone
)


class SignallingClient:
    """A connection to the signalling server; use it with `async with`.

    Args:
        server: `ws://` or `wss://` address.
        limits: how long to wait.
        place: id and token of an earlier connection, to take its place up again.
    """

    def __init__(
        self, server: str, limits: Limits, *, place: tuple[str, str] | None = None
    ) -> None:
        check_server(server)
        self._server = server
        self._limits = limits
        self._patience_s = limits.patience_s
        self._socket: ClientConnection | None = None
        self._id = "" if place is None else place[0]
        self._token: str | None = None if place is None else place[1]
        self._stays = place is not None
        self._retry_s = 0.0
        self._sent = 0
        self._waiting: deque[str] = deque(maxlen=_MAX_WAITING)
        self._events: asyncio.Queue[SignallingEvent] = asyncio.Queue()
        self._asked = ""
        self._reply: asyncio.Future[ServerMessage] | None = None
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> "SignallingClient":
        """Connects. Raises ServerUnreachable or another SignalingError."""
        self._socket = await self._connect()
        self._task = spawn(self._run(), "signalling")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """As `close`."""
        await self.close()

    @property
    def id(self) -> str:
        """Our id towards the other members."""
        return self._id

    @property
    def server(self) -> str:
        """Address of the server."""
        return self._server

    @property
    def token(self) -> str:
        """Takes our place up again on another connection."""
        return self._token or ""

    def stay(self, patience_s: float) -> None:
        """From now on the table stands: our place is kept when we go, and a lost one is reported.

        Args:
            patience_s: how long to try when the connection is lost.
        """
        self._stays = True
        self._patience_s = patience_s

    def give_up_place(self) -> None:
        """The table is over: `close` gives our place back."""
        self._stays = False

    # --- requests ---

    async def create(
        self,
        *,
        seats: int,
        host_key: bytes,
        room: str | None = None,
        listing: Listing | None = None,
    ) -> Created:
        """Opens a room whose window is `limits.window_s` long.

        Args:
            seats: 2-4.
            host_key: our 32-byte identity key.
            listing: what everybody may read about a public table; None for one that is not public.
            room: the code that a room of ours had before the server was restarted; its window stays
                open for an hour, in which the others come back.
        """
        request: dict[str, Any] = {
            "t": "create",
            "seats": seats,
            "ttl": self._limits.window_s if room is None else _REENTRY_WINDOW_S,
            "host": encode_base64(host_key),
            "listed": listing is not None,
            "room": room,
        }
        if listing is not None:
            request["meta"] = {"title": listing.title, "rules": listing.rules}
        return await self._ask(request, Created)

    async def knock(self, room: str, public_key: bytes) -> Lobby:
        """Takes a place in a room.

        Raises:
            UnknownCode, CodeExpired, RoomFull: the server does not let us in.
        """
        request = {"t": "knock", "room": room, "pub": encode_base64(public_key)}
        return await self._ask(request, Lobby)

    async def list_rooms(self, cursor: str | None = None) -> RoomPage:
        """Public tables that can be joined now, page by page; needs no place."""
        return await self._ask({"t": "list", "cursor": cursor}, RoomPage)

    async def send(self, to: str, body: bytes) -> None:
        """Sends a body to one member, or keeps it while the connection is down."""
        self._sent += 1
        await self._post({"t": "send", "to": to, "n": self._sent, "body": encode_base64(body)})

    async def kick(self, member: str) -> None:
        """Host: takes a member's place away."""
        await self._post({"t": "kick", "id": member})

    async def open_window(self, seconds: int) -> None:
        """Host: lets guests in for that long; the server stops by itself when nothing is free."""
        await self._post({"t": "open", "ttl": seconds})

    async def close_window(self) -> None:
        """Host: lets nobody in any more."""
        await self._post({"t": "close"})

    def nudge(self) -> None:
        """Wakes whoever waits for the next event."""
        self._events.put_nowait(Nudged())

    async def next_event(self) -> SignallingEvent:
        """The next event. Waits without a limit: callers have one."""
        return await self._events.get()

    async def close(self) -> None:
        """Closes, and gives our place back unless we stay; takes two seconds at most."""
        if self._socket is not None and not self._stays:
            with contextlib.suppress(TimeoutError, ConnectionClosed):
                async with asyncio.timeout(_CLOSE_S):
                    await self._socket.send(_encode({"t": "leave"}))
        task, self._task = self._task, None
        await cancel(task)
        if self._socket is not None:
            await self._socket.close()
            self._socket = None

    # --- sending ---

    async def _ask(self, request: dict[str, Any], kind: type[_Reply]) -> _Reply:
        asked = str(request["t"])
        self._asked = asked
        self._reply = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(self._limits.server_s):
                await self._post(request)
                reply = await self._reply
        except TimeoutError:
            raise TimedOut(f"The signalling server did not answer {asked!r} in time.") from None
        finally:
            self._asked, self._reply = "", None
        if not isinstance(reply, kind):
            raise SignalingError(f"The signalling server answered {asked!r} with something else.")
        return reply

    async def _post(self, message: dict[str, Any]) -> None:
        text = _encode(message)
        if self._socket is not None:
            with contextlib.suppress(ConnectionClosed):
                await self._socket.send(text)
                return
        self._waiting.append(text)

    # --- the connection ---

    async def _run(self) -> None:
        """Reads until the connection is lost for good."""
        try:
            while True:
                await self._read()
                self._socket = await self._connect_again()
                self._events.put_nowait(Resumed())
                waiting, self._waiting = self._waiting, deque(maxlen=_MAX_WAITING)
                for text in waiting:
                    with contextlib.suppress(ConnectionClosed):
                        await self._socket.send(text)
        except SignalingError as error:
            self._events.put_nowait(SignallingGone(error=error))
            if self._reply is not None and not self._reply.done():
                self._reply.set_exception(error)

    async def _connect(self) -> ClientConnection:
        """A socket with our id and place, if we had any."""
        try:
            async with asyncio.timeout(self._limits.server_s):
                socket = await self._open()
                try:
                    await self._greet(socket)
                except BaseException:
                    await socket.close()
                    raise
        except (OSError, WebSocketException, TimeoutError):
            raise ServerUnreachable(
                f"The signalling server {self._server} cannot be reached: "
                "check the address and your connection."
            ) from None
        return socket

    async def _open(self) -> ClientConnection:
        # A proxy from the environment never leads to a server on this machine.
        proxy: Literal[True] | None = True
        if is_loopback(urlsplit(self._server).hostname or ""):
            proxy = None
        return await connect(
            self._server,
            subprotocols=[Subprotocol(SUBPROTOCOL)],
            compression=None,
            max_size=MAX_TEXT_BYTES,
            open_timeout=None,  # _connect has one for all of it
            close_timeout=_CLOSE_S,
            proxy=proxy,
        )

    async def _greet(self, socket: ClientConnection) -> None:
        hello = {"t": "hello", "v": 1, "client": f"p2pokey/{__version__}", "caps": []}
        if self._token is not None:
            hello["resume"] = self._token
        await socket.send(_encode(hello))
        reply = parse_server_message(await socket.recv())
        if isinstance(reply, ErrorReply):
            raise error_for(reply)
        if not isinstance(reply, Welcome):
            raise SignalingError("The signalling server speaks another language.")
        if self._id and reply.id != self._id and not self._stays:
            raise _forgotten()
        self._id, self._token = reply.id, reply.resume

    async def _connect_again(self) -> ClientConnection:
        pause_s = max(_FIRST_PAUSE_S, self._retry_s)
        try:
            async with asyncio.timeout(pause_s + self._patience_s):
                while True:
                    await asyncio.sleep(pause_s)
                    with contextlib.suppress(ServerUnreachable):
                        return await self._connect()
                    pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
        except TimeoutError:
            raise ServerUnreachable(
                "The signalling server went away and did not come back: try again later."
            ) from None

    async def _read(self) -> None:
        """Takes messages until the connection ends."""
        socket = self._socket
        assert socket is not None
        try:
            async for data in socket:
                message = parse_server_message(data)
                if message is not None:
                    self._take(message)
                if self._events.qsize() > _MAX_EVENTS:
                    raise SignalingError("The signalling server sends more than anybody can take.")
        except ConnectionClosed:
            pass
        finally:
            self._socket = None
            await socket.close()

    def _take(self, message: ServerMessage) -> None:
        match message:
            case PeerChanged(state="left", id=self.id) if self._stays:
                self._events.put_nowait(PlaceLost())
            case ErrorReply(re="hello") if self._stays:
                self._events.put_nowait(PlaceLost())
            case Knocked() | BodyArrived() | PeerChanged():
                self._events.put_nowait(message)
            case ErrorReply(re="hello"):
                # Ids begin anew with a restarted server, so an equal one proves nothing.
                raise _forgotten()
            case ErrorReply():
                if message.re == self._asked and self._reply and not self._reply.done():
                    self._reply.set_exception(error_for(message))
            case Created() | Lobby() | RoomPage():
                if self._reply is not None and not self._reply.done():
                    self._reply.set_result(message)
            case Goodbye():
                self._retry_s = min(message.retry_ms / 1000, _LONGEST_PAUSE_S)
            case Welcome():
                pass  # said once, and taken by _greet


def _forgotten() -> SignalingError:
    return SignalingError("The signalling server has forgotten our table.")


def check_server(address: str) -> None:
    """Raises InvalidAddress unless the address can be one of a signalling server."""
    try:
        parts = urlsplit(address)
        is_good = parts.scheme in ("ws", "wss") and bool(parts.hostname) and parts.port != 0
        (parts.hostname or "").encode("idna")  # UnicodeError, a ValueError, for no name
    except ValueError:
        is_good = False
    if not is_good:
        shown = "".join(char for char in address if char.isprintable())[:60]
        raise InvalidAddress(
            f"{shown!r} is no server address: it looks like wss://okey.example or "
            "ws://127.0.0.1:8765."
        )


def is_loopback(host: str) -> bool:
    """Whether the host name or address is this machine's."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _encode(message: dict[str, Any]) -> str:
    return json.dumps(message, separators=(",", ":"))
