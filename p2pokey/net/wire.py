"""What the signalling server says, read strictly into frozen classes (docs/signaling.md).

The server is not trusted: whatever is malformed is one `SignalingError`, and unknown types of
message are ignored so that a newer server can say more.
"""

import json
import unicodedata
from dataclasses import dataclass

from p2pokey.codec import decode_base64
from p2pokey.errors import (
    CodeExpired,
    DecodeError,
    HostAway,
    KeyInUse,
    RoomFull,
    SignalingError,
    UnknownCode,
)
from p2pokey.net.bodies import Body
from p2pokey.table.chat_text import is_invisible
from p2pokey.tiles import MAX_SEATS

SUBPROTOCOL = "okeysig.1"
MAX_TEXT_BYTES = 64 * 1024
"""Four times the server's own limit for a text frame."""
MAX_ID_CHARS = 16
"""Of a room and of a place at the server."""
SAME_IDENTITY = (
    "Somebody with your identity is at that table already: "
    "add --guest to play a second seat on this computer."
)
MAX_TITLE_CHARS = 40
_MAX_ROOMS, _MAX_CURSOR, _MAX_TEXT, _MAX_MARKS = 200, 64, 200, 2
_MAX_BODY_CHARS = 12 * 1024
_MAX_NUMBER = 2**53 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Welcome:
    """Answer to our hello."""

    id: str
    resume: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Created:
    """Our room."""

    room: str
    window_s: int
    """Seconds for which guests are let in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lobby:
    """Our place in somebody's room."""

    room: str
    host_id: str
    host_key: bytes
    """32 bytes, as the server claims."""
    window_s: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Knocked:
    """A guest has taken a place in our room."""

    id: str
    key: bytes
    """32 bytes, as the server claims."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyArrived:
    """A body from another member."""

    sender: str
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerChanged:
    """A member is `here`, `away` or has `left`; about ourselves: we were sent away."""

    id: str
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorReply:
    """Something that we sent was refused."""

    re: str
    code: str
    retry_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Goodbye:
    """The server stops for a while."""

    retry_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomEntry:
    """A public table, as its host and the server describe it; nobody vouches for any of it."""

    room: str
    title: str
    """At most 40 characters; what could deceive is taken out."""
    rules: str
    """Key of the rule set, as above."""
    seats: int
    free: int
    age_s: int
    host_key: bytes
    """32 bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomPage:
    """Some public tables, and where the next page begins; None: there is no more."""

    rooms: tuple[RoomEntry, ...]
    cursor: str | None


ServerMessage = (
    RoomPage
    | Welcome
    | Created
    | Lobby
    | Knocked
    | BodyArrived
    | PeerChanged
    | ErrorReply
    | Goodbye
)


def parse_server_message(data: str | bytes) -> ServerMessage | None:
    """Reads one frame; None for a type that we do not know.

    Raises:
        SignalingError: no proper message.
    """
    try:
        if isinstance(data, bytes):
            return None  # a relay frame, which we have not asked for
        values = json.loads(data)
        if not isinstance(values, dict):
            raise DecodeError("expected a JSON object")
        return _parse(Body(values))
    except (ValueError, RecursionError):  # DecodeError and JSON errors are ValueErrors
        raise SignalingError(
            "The signalling server speaks another language: is its address right?"
        ) from None


def _parse(body: Body) -> ServerMessage | None:
    match body.text("t", 16):
        case "welcome":
            return Welcome(id=body.text("id", MAX_ID_CHARS), resume=body.text("resume", 64))
        case "created":
            return Created(room=body.text("room", MAX_ID_CHARS), window_s=_seconds(body))
        case "lobby":
            host = body.inner("host")
            return Lobby(
                room=body.text("room", MAX_ID_CHARS),
                host_id=host.text("id", MAX_ID_CHARS),
                host_key=host.binary("pub", 32),
                window_s=_seconds(body),
            )
        case "knock":
            return Knocked(id=body.text("id", MAX_ID_CHARS), key=body.binary("pub", 32))
        case "recv":
            text = body.text("body", _MAX_BODY_CHARS)
            return BodyArrived(sender=body.text("from", MAX_ID_CHARS), body=decode_base64(text))
        case "peer":
            return PeerChanged(id=body.text("id", MAX_ID_CHARS), state=body.text("state", 8))
        case "rooms":
            return _room_page(body)
        case "error":
            return ErrorReply(
                re=body.text("re", 16),
                code=body.text("code", 32),
                retry_ms=body.number("retry_ms", _MAX_NUMBER),
            )
        case "bye":
            return Goodbye(retry_ms=body.number("retry_ms", _MAX_NUMBER))
    return None


def _room_page(body: Body) -> RoomPage:
    cursor = body.as_dict().get("cursor")
    return RoomPage(
        rooms=tuple(map(_room_entry, body.nested("rooms", _MAX_ROOMS))),
        cursor=None if cursor is None else body.text("cursor", _MAX_CURSOR),
    )


def _room_entry(body: Body) -> RoomEntry:
    return RoomEntry(
        room=shown_text(body.text("room", MAX_ID_CHARS), MAX_ID_CHARS),
        title=shown_text(body.text("title", _MAX_TEXT), MAX_TITLE_CHARS),
        rules=shown_text(body.text("rules", _MAX_TEXT), MAX_TITLE_CHARS),
        seats=body.number("seats", MAX_SEATS),
        free=body.number("free", MAX_SEATS),
        age_s=body.number("age", _MAX_NUMBER),
        host_key=body.binary("host", 32),
    )


def shown_text(text: str, longest: int) -> str:
    """A stranger's text made fit to stand beside others, at most `longest` characters.

    Whatever is invisible, changes the direction of text or breaks the line becomes one space;
    combining marks stay only two deep, so that no line smears over its neighbours.
    """
    kept: list[str] = []
    marks = 0
    for char in unicodedata.normalize("NFC", text[:_MAX_TEXT]):
        category = unicodedata.category(char)
        marks = marks + 1 if category[0] == "M" else 0
        if marks <= _MAX_MARKS:
            kept.append(" " if category[0] == "Z" or is_invisible(char) else char)
    return " ".join("".join(kept).split())[:longest].rstrip()


def _seconds(body: Body) -> int:
    return body.number("window_s", _MAX_NUMBER)


def error_for(reply: ErrorReply) -> SignalingError:
    """The error that says what to do next."""
    wait_s = max(1, round(reply.retry_ms / 1000))
    match reply.code:
        case "no_room":
            return UnknownCode("No open table has that code: check it with your host.")
        case "window_closed":
            return CodeExpired("That table lets nobody in any more: ask your host for a new code.")
        case "full" if reply.re == "knock" and reply.retry_ms > 0:
            # The server has no other reason to hope that a place becomes free.
            return KeyInUse(SAME_IDENTITY)
        case "bad" if reply.re == "knock":
            # Our knocks are well-formed: what is left is that the key is the host's.
            return KeyInUse(SAME_IDENTITY)
        case "full":
            return RoomFull("Every seat at that table is taken: ask your host for another one.")
        case "rate":
            return SignalingError(f"Too many tries from your address: wait {wait_s} s.")
        case "gone":
            return HostAway("The host is not connected just now: try again in a moment.")
        case "too_big":
            return SignalingError("The signalling server takes no message of that size.")
        case "pow":
            return SignalingError("The signalling server is overloaded: try again later.")
    return SignalingError("The signalling server refused us: both need the same version.")
