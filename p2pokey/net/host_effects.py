"""What the host's admission asks its shell to do (`admission.HostAdmission.poll`)."""

from dataclasses import dataclass
from enum import StrEnum

from p2pokey.errors import ConnectError
from p2pokey.net.bodies import Body, encode_body
from p2pokey.net.invites import Invite


class Notice(StrEnum):
    """What a host tells everybody who has a seat, as a code: shells have the sentences."""

    BANNED = "banned"
    """A player who was sent away from this table knocked again and was refused."""
    SAME_KEY = "same-key"
    """Somebody knocked with the key of a player who has a seat already, and was refused."""
    WRONG_CODE = "wrong-code"
    """Somebody tried to come in with other words, another link or another password."""
    CODE_BURNT = "code-burnt"
    """Wrong guesses have burnt the code; there is a new one."""
    FALSE_RUNNER = "false-runner"
    """Somebody claimed to be run by a player who has not signed that, and was refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SendBody:
    """Send a body to one member of the room."""

    to: str
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class KickGuest:
    """Take the place of this member away."""

    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GuestAsks:
    """Somebody without a code asks for a seat at a public table: `HostAdmission.decide`."""

    id: str
    name: str
    key: bytes
    """32-byte identity key; the server could have put itself in between."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuestAdmitted:
    """A guest has a seat now."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GuestLeft:
    """A guest who had a seat has left."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GuestSaid:
    """A sealed body of an admitted guest."""

    id: str
    body: Body


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeBurnt:
    """Too many wrong guesses: this invite replaces the old one."""

    invite: Invite


@dataclass(frozen=True, slots=True, kw_only=True)
class GaveUp:
    """No further guest can be let in."""

    error: ConnectError


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned:
    """Something that everybody at the table is told."""

    notice: Notice
    name: str
    """Whom it is about, as the host knows them; may be empty."""

    def body(self) -> bytes:
        """What a guest is sent."""
        return encode_body("notice", code=self.notice.value, name=self.name)


HostEffect = (
    SendBody
    | KickGuest
    | GuestAsks
    | GuestAdmitted
    | GuestLeft
    | GuestSaid
    | CodeBurnt
    | GaveUp
    | Warned
)
