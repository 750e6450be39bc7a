"""What the room machine asks its shell to do, in this order and no other."""

from dataclasses import dataclass
from enum import IntEnum

from signaling.replies import ServerMessage


class CloseCode(IntEnum):
    """WebSocket close codes (RFC 6455 7.4; 4000-4999 are free for applications)."""

    POLICY = 1008  #: the client broke a limit or never said hello
    RESTART = 1012  #: the server stops; `bye` said when to come back
    TRY_LATER = 1013  #: too many connections
    REPLACED = 4001  #: the client took its place again on another connection


@dataclass(frozen=True, slots=True, kw_only=True)
class SendText:
    """Send a message."""

    connection: int
    message: ServerMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class SendFrame:
    """Send a relay frame: place of the sender, then the payload."""

    connection: int
    frame: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseReading:
    """Read nothing more from this connection for so long."""

    connection: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseConnection:
    """Close with this code; `Rooms.disconnect` is still called when that is done."""

    connection: int
    code: CloseCode
    reason: str


Effect = SendText | SendFrame | PauseReading | CloseConnection


class Outbox:
    """Effects in the order in which they were decided."""

    def __init__(self) -> None:
        self._effects: list[Effect] = []

    def send(self, connection: int, message: ServerMessage) -> None:
        """Adds a message."""
        self._effects.append(SendText(connection=connection, message=message))

    def send_frame(self, connection: int, frame: bytes) -> None:
        """Adds a relay frame."""
        self._effects.append(SendFrame(connection=connection, frame=frame))

    def pause(self, connection: int, seconds: float) -> None:
        """Adds a pause in reading."""
        self._effects.append(PauseReading(connection=connection, seconds=seconds))

    def close(self, connection: int, code: CloseCode, reason: str) -> None:
        """Adds the end of a connection."""
        self._effects.append(CloseConnection(connection=connection, code=code, reason=reason))

    def flush(self) -> tuple[Effect, ...]:
        """Hands the effects over and starts anew."""
        effects = tuple(self._effects)
        self._effects.clear()
        return effects
