"""What clients may say: one frozen class per message (docs/signaling.md); `parsing` reads them."""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

PROTOCOL_VERSION = 1


class ErrorCode(StrEnum):
    """Why a message was refused."""

    NO_ROOM = "no_room"  #: no room has that code
    WINDOW_CLOSED = "window_closed"  #: the host is not letting anybody in
    FULL = "full"  #: every place is taken
    RATE = "rate"  #: too much, too fast; `retry_ms` says when to try again
    TOO_BIG = "too_big"  #: larger than the limits in `welcome`
    BAD = "bad"  #: not a message, or not one for this moment
    POW = "pow"  #: proof of work wanted; no server sends this yet
    GONE = "gone"  #: the other end is not there; with `retry_ms` above 0 it may come back


class Refusal(Exception):
    """A message that gets an `error` in reply.

    Attributes:
        code: why.
        re: type of the refused message, `relay` for a relay frame, empty if it cannot be read.
        retry_ms: milliseconds after which trying again may help; 0 if it does not.
    """

    def __init__(self, code: ErrorCode, *, re: str, retry_ms: int = 0) -> None:
        super().__init__(f"{re or 'message'} refused: {code}")
        self.code = code
        self.re = re
        self.retry_ms = retry_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicKey:
    """A client's Ed25519 public key. The server compares keys and never checks a signature."""

    text: str
    """As the client wrote it; passed on unchanged."""
    raw: bytes
    """32 bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hello:
    """Always the first message."""

    kind: ClassVar[str] = "hello"

    client: str
    caps: tuple[str, ...]
    resume: str | None
    """Token of an earlier `welcome`, to take the same place again."""
    pow: str | None
    """Reserved: proof of work for a server under load."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Create:
    """Make a room and be its host."""

    kind: ClassVar[str] = "create"

    seats: int
    """2-4, the host's own included."""
    ttl: int | None
    """Seconds for which the room lets people in; None for the server's default."""
    host: PublicKey
    listed: bool
    title: str
    """At most 40 printable characters, shown in the list."""
    rules: str
    """Rule-set key, shown in the list."""
    room: str | None
    """Code that the host had before the server restarted, to be used again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """Host: let people in from now on."""

    kind: ClassVar[str] = "open"

    ttl: int | None
    """Seconds, as in `Create`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Close:
    """Host: let nobody in any more."""

    kind: ClassVar[str] = "close"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kick:
    """Host: take somebody's place away."""

    kind: ClassVar[str] = "kick"

    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Knock:
    """Ask for a place in a room."""

    kind: ClassVar[str] = "knock"

    room: str
    """Canonical code."""
    pub: PublicKey


@dataclass(frozen=True, slots=True, kw_only=True)
class SendBody:
    """An opaque body for one other member of the room."""

    kind: ClassVar[str] = "send"

    to: str
    n: int
    """0 to 2^53 - 1, the sender's own count; passed on unchanged."""
    body: str
    """Base64 in either alphabet; passed on unchanged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRooms:
    """Ask for the public rooms."""

    kind: ClassVar[str] = "list"

    cursor: str | None
    """`cursor` of the answer before, None for the beginning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leave:
    """Give the place back; a host's room ends."""

    kind: ClassVar[str] = "leave"


@dataclass(frozen=True, slots=True, kw_only=True)
class Relay:
    """A binary frame: one byte place, then an opaque payload."""

    kind: ClassVar[str] = "relay"

    place: int
    """Place of the receiver, 0-255; whether it exists is for the room to say."""
    payload: bytes


ClientMessage = Hello | Create | Open | Close | Kick | Knock | SendBody | ListRooms | Leave | Relay
