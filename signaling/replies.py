"""What the server says: one frozen class per message, and the one way to write each as JSON."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, assert_never

from signaling.messages import PROTOCOL_VERSION, ErrorCode


class Presence(StrEnum):
    """Whether the owner of a place is connected."""

    HERE = "here"  #: connected
    AWAY = "away"  #: connection lost; the place is kept for a while
    LEFT = "left"  #: the place is free again; for place 0: the room has ended


@dataclass(frozen=True, slots=True, kw_only=True)
class Welcome:
    """Answer to `hello`."""

    id: str
    """This client's name towards the other members."""
    resume: str
    """Secret; whoever presents it takes over the id and its place."""
    motd: str | None
    ice: tuple[Mapping[str, Any], ...]
    """ICE servers as RTCPeerConnection takes them."""
    limits: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Created:
    """To a host: your room, new or taken up again."""

    room: str
    window_s: int
    """Seconds for which the room still lets people in; 0 if it does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lobby:
    """To a guest: your place, new or taken up again."""

    room: str
    place: int
    host_id: str
    host_pub: str
    window_s: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Knocked:
    """To the host: somebody has taken a place."""

    id: str
    place: int
    pub: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """A body from another member."""

    sender: str
    n: int
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerState:
    """Another member of the room, or with `left` the receiver itself after a kick."""

    id: str
    place: int
    state: Presence


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRoom:
    """One line of the list of public rooms."""

    room: str
    title: str
    rules: str
    seats: int
    free: int
    age: int
    """Seconds since the room was made."""
    host: str
    """The host's public key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomList:
    """Answer to `list`."""

    rooms: tuple[ListedRoom, ...]
    cursor: str | None
    """For the next `list`; None at the end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorReply:
    """A message was refused."""

    re: str
    code: ErrorCode
    retry_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bye:
    """The server goes away; connect again after `retry_ms`."""

    retry_ms: int


ServerMessage = (
    Welcome | Created | Lobby | Knocked | Received | PeerState | RoomList | ErrorReply | Bye
)


def encode(message: ServerMessage) -> str:
    """Writes a message as the JSON text of one frame (docs/signaling.md)."""
    return json.dumps(_as_json(message), separators=(",", ":"))


def _as_json(message: ServerMessage) -> dict[str, Any]:
    match message:
        case Welcome():
            return {
                "t": "welcome",
                "v": PROTOCOL_VERSION,
                "id": message.id,
                "resume": message.resume,
                "motd": message.motd,
                "ice": [dict(server) for server in message.ice],
                "limits": dict(message.limits),
                "pow": None,
            }
        case Created():
            return {
                "t": "created",
                "room": message.room,
                "place": 0,
                "window_s": message.window_s,
            }
        case Lobby():
            return {
                "t": "lobby",
                "room": message.room,
                "place": message.place,
                "host": {"id": message.host_id, "pub": message.host_pub},
                "window_s": message.window_s,
            }
        case Knocked():
            return {"t": "knock", "id": message.id, "place": message.place, "pub": message.pub}
        case Received():
            return {"t": "recv", "from": message.sender, "n": message.n, "body": message.body}
        case PeerState():
            return {
                "t": "peer",
                "id": message.id,
                "place": message.place,
                "state": message.state.value,
            }
        case RoomList():
            rooms = [_listed(room) for room in message.rooms]
            return {"t": "rooms", "rooms": rooms, "cursor": message.cursor}
        case ErrorReply():
            return {
                "t": "error",
                "re": message.re,
                "code": message.code.value,
                "retry_ms": message.retry_ms,
            }
        case Bye():
            return {"t": "bye", "retry_ms": message.retry_ms}
        case _:
            assert_never(message)


def _listed(room: ListedRoom) -> dict[str, Any]:
    return {
        "room": room.room,
        "title": room.title,
        "rules": room.rules,
        "seats": room.seats,
        "free": room.free,
        "age": room.age,
        "host": room.host,
    }
