"""A guest's side of being let in: the counterpart of `admission`, without clock or sockets.

The guest proves that it knows the words, sees the table, accepts it and waits for the signed
roster. Only the host talks to it here. What cannot have come from the host (a box that does not
open) is dropped: the server could have made it up.
"""

from dataclasses import dataclass
from enum import Enum

from p2pokey.errors import (
    Banned,
    Declined,
    DecodeError,
    KeyInUse,
    LocalProtocolError,
    PasswordNeeded,
    RoomFull,
    SignalingError,
    VerificationError,
    WrongCode,
)
from p2pokey.native.pake import MESSAGE_BYTES, guest_side
from p2pokey.net.admission import joining_text
from p2pokey.net.bodies import Body, decode_body, encode_body
from p2pokey.net.boxes import BoxChannel
from p2pokey.net.confirmation import TAG_BYTES, Confirmation, Exchange, confirm, is_same_tag
from p2pokey.net.host_effects import Notice
from p2pokey.net.invites import LISTED, Invite
from p2pokey.net.toolkit import Toolkit
from p2pokey.net.wire import MAX_ID_CHARS, SAME_IDENTITY
from p2pokey.ports import SIGNATURE_BYTES, Pake
from p2pokey.table.roster import (
    MAX_CARRY_BYTES,
    MAX_NAME_CHARS,
    MAX_ROSTER_BYTES,
    MAX_RULES_BYTES,
    Roster,
    check_name,
    decode_roster,
    verify_roster,
)
from p2pokey.tiles import MAX_SEATS


class Stage(Enum):
    """How far we have come."""

    KNOCKED = "knocked"
    """Sent pake1."""
    CONFIRMED = "confirmed"
    """Both sides have shown that they know the words."""
    SHOWN = "shown"
    """We have seen the table and may accept it."""
    WAITING = "waiting"
    """Accepted; waiting for the others."""
    SEATED = "seated"
    """We hold the signed roster."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableShown:
    """What the host invites us to."""

    rules: bytes
    seats: int
    host_name: str
    carry: bytes = b""
    """What the match takes over from an earlier session; empty for a fresh one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamesChanged:
    """Who is here so far, the host first."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seated:
    """The signed roster; our key is in it and its rules are the ones that we were shown."""

    roster: Roster
    routes: tuple[str, ...]
    """Id on the signalling server of each seat; nobody vouches for these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostSaid:
    """A sealed body of the host after the roster."""

    body: Body


@dataclass(frozen=True, slots=True, kw_only=True)
class HostBusy:
    """The host checks other guests just now: call `knock` again in a moment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostWarned:
    """The host tells everybody of something."""

    notice: Notice
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HostDecides:
    """The player who hosts a public table is asked whether we may come in."""


GuestEvent = HostDecides | HostWarned | TableShown | NamesChanged | Seated | HostSaid | HostBusy


class GuestAdmission:
    """One guest on its way to a seat.

    `receive` takes up to 20 ms for pake2 (SPAKE2 in pure Python): call it off the event loop.

    Args:
        toolkit: our keys.
        invite: the words or the link secret.
        host_key: 32 bytes, as the server claims; a wrong one ends in `WrongCode`.
        name: our display name.
        nonce_commit: `roster.commit_nonce` of our key and nonce.
        runner: whoever runs our seat; ourselves for a person.
        room_password: as the host set it, empty for none.
        runner_signature: by the runner (`roster.sign_runner`); empty if that is us.
    """

    def __init__(
        self,
        *,
        toolkit: Toolkit,
        invite: Invite,
        host_key: bytes,
        name: str,
        nonce_commit: bytes,
        runner: bytes,
        room_password: str = "",
        runner_signature: bytes = b"",
    ) -> None:
        check_name(name)
        self._toolkit = toolkit
        self._invite = invite
        self._host_key = host_key
        self._name = name
        self._nonce_commit = nonce_commit
        self._runner = runner
        self._runner_signature = runner_signature
        self._has_password = bool(room_password.strip())
        self._asks_password = False
        self._password = invite.password(invite.way, room_password)
        self._stage = Stage.KNOCKED
        self._pake: Pake | None = None
        self._message = b""
        self._channel: BoxChannel | None = None
        self._table: TableShown | None = None
        self._outbox: list[bytes] = []

    # --- verbs ---

    def knock(self) -> None:
        """Starts a try; may be called again after `HostBusy`."""
        self._pake = guest_side(
            password=self._password,
            host_key=self._host_key,
            guest_key=self._toolkit.public_key,
            room=self._invite.room,
            entropy=self._toolkit.entropy,
        )
        self._message = self._pake.start()
        key, way = self._toolkit.public_key, self._invite.way
        has = self._has_password
        self._outbox.append(encode_body("pake1", pub=key, way=way, x=self._message, password=has))

    def receive(self, data: bytes) -> GuestEvent | None:
        """A body from the host.

        Raises:
            WrongCode: the host's tag does not fit our words, or somebody sits in between.
            RoomFull: every seat was taken meanwhile.
            SignalingError: the host sent us away, or sent a roster that cannot be right.
        """
        try:
            body = decode_body(data)
            match body.kind:
                case "no":
                    return self._refused(body.text("code", 16))
                case "pake2":
                    self._pake2(body)
                case "box":
                    return self._box(body)
        except (DecodeError, VerificationError):
            return None
        return None

    def accept(self) -> None:
        """Takes a seat at the table that was shown."""
        if self._stage is not Stage.SHOWN:
            raise LocalProtocolError("expected a table to accept")
        self._stage = Stage.WAITING
        self.tell(encode_body("accept"))

    def tell(self, body: bytes) -> None:
        """Sends a sealed body to the host."""
        if self._channel is None:
            raise LocalProtocolError("expected confirmed keys before sealed bodies")
        self._outbox.append(self._channel.seal(body))

    def poll(self) -> list[bytes]:
        """Bodies to be sent to the host, in order."""
        outbox, self._outbox = self._outbox, []
        return outbox

    # --- steps ---

    def _refused(self, code: str) -> HostBusy | None:
        if self._stage is Stage.SEATED:
            return None  # unsealed words; the host would seal them now
        match code:
            case "busy":
                return HostBusy()
            case "wrong":
                raise self._wrong_code()
            case "password" if not self._has_password:
                raise self._password_needed()
            case "private":
                raise Declined("That table is not public: ask its host for a code.")
            case "declined":
                raise Declined("The host has not let you in.")
            case "runner":
                raise SignalingError("Whoever runs this computer player has not signed for it.")
            case "full":
                raise RoomFull("Every seat at that table is taken: ask your host for another one.")
            case "banned":
                raise Banned("You were sent away from this table and cannot come back to it.")
            case "taken":
                raise KeyInUse(SAME_IDENTITY)
        raise SignalingError("The host did not understand us: both of you need the same version.")

    def _pake2(self, body: Body) -> None:
        if self._stage is not Stage.KNOCKED or self._pake is None:
            return
        answer = body.binary("y", MESSAGE_BYTES)
        tag = body.binary("mac", TAG_BYTES)
        self._asks_password = bool(body.as_dict().get("password"))
        pake, self._pake = self._pake, None
        exchange = Exchange(
            room=self._invite.room,
            host_key=self._host_key,
            guest_key=self._toolkit.public_key,
            way=self._invite.way,
            guest_message=self._message,
            host_message=answer,
        )
        try:
            confirmation = confirm(pake.finish(answer), exchange)
        except DecodeError:
            raise self._wrong_code() from None
        if not is_same_tag(confirmation.host_tag, tag):
            raise self._wrong_code()
        self._stage = Stage.CONFIRMED
        self._channel = confirmation.guest_channel(self._toolkit.sealer)
        self._introduce(confirmation)

    def _introduce(self, confirmation: Confirmation) -> None:
        assert self._channel is not None
        text = joining_text(confirmation.digest, self._name, self._runner, self._nonce_commit)
        hello = encode_body(
            "hello",
            name=self._name,
            runner=self._runner,
            commit=self._nonce_commit,
            sig=self._toolkit.signer.sign(text),
            run_sig=self._runner_signature,
        )
        box = decode_body(self._channel.seal(hello))
        self._outbox.append(encode_body("pake3", mac=confirmation.guest_tag, box=box.as_dict()))

    def _box(self, body: Body) -> GuestEvent | None:
        if self._channel is None:
            return None
        inner = self._channel.unseal(body)
        match inner.kind:
            case "wait" if self._stage is Stage.CONFIRMED:
                return HostDecides()
            case "table" if self._stage is Stage.CONFIRMED:
                return self._shown(inner)
            case "names" if self._stage is Stage.WAITING:
                return NamesChanged(names=inner.texts("names", MAX_SEATS, MAX_NAME_CHARS))
            case "notice" if self._stage is Stage.WAITING:
                return self._warned(inner)
            case "roster" if self._stage is Stage.WAITING:
                return self._seated(inner)
        return HostSaid(body=inner) if self._stage is Stage.SEATED else None

    def _warned(self, body: Body) -> HostWarned | None:
        code, name = body.text("code", 32), body.text("name", MAX_NAME_CHARS)
        if name:
            check_name(name)
        if code not in set(Notice):
            return None  # a newer host's
        return HostWarned(notice=Notice(code), name=name)

    def _shown(self, body: Body) -> TableShown:
        self._stage = Stage.SHOWN
        host_name = body.text("host", MAX_NAME_CHARS)
        check_name(host_name)
        seats = body.number("seats", MAX_SEATS)
        rules = body.blob("rules", MAX_RULES_BYTES)
        carry = body.blob("carry", MAX_CARRY_BYTES)
        self._table = TableShown(rules=rules, seats=seats, host_name=host_name, carry=carry)
        return self._table

    def _seated(self, body: Body) -> Seated:
        """Takes the roster only if it is the table that we accepted.

        A second roster is never taken: our nonce may be open by then (docs/network.md, Session id).
        """
        try:
            roster = decode_roster(body.blob("roster", MAX_ROSTER_BYTES))
            verify_roster(roster, body.binary("sig", SIGNATURE_BYTES), self._toolkit.verifier)
        except (DecodeError, VerificationError):
            raise SignalingError("The host's list of players is not properly signed.") from None
        self._check_roster(roster)
        routes = body.texts("routes", MAX_SEATS, MAX_ID_CHARS)
        if len(routes) != len(roster.seats):
            raise SignalingError("The host's list of players is incomplete.")
        self._stage = Stage.SEATED
        return Seated(roster=roster, routes=routes)

    def _check_roster(self, roster: Roster) -> None:
        assert self._table is not None
        seat = roster.seat_of(self._toolkit.public_key)
        if seat is None or roster.host_key != self._host_key or roster.room != self._invite.room:
            raise SignalingError("The host's list of players is not the one of our table.")
        entry = roster.seats[seat]
        if (entry.runner, entry.nonce_commit) != (self._runner, self._nonce_commit):
            raise SignalingError("The host's list of players has changed our entry.")
        if (roster.rules, len(roster.seats)) != (self._table.rules, self._table.seats):
            raise SignalingError("The host's list of players has other rules than we were shown.")
        if roster.carry != self._table.carry:
            raise SignalingError("The host's list of players has another score than we were shown.")

    def _wrong_code(self) -> WrongCode:
        """What the host says of a password is not authenticated; it only chooses the sentence."""
        what = "code" if self._invite.way != LISTED else "password"
        if self._asks_password and not self._has_password:
            return self._password_needed()
        if self._has_password and what == "code":
            return WrongCode(
                "The code or the password does not fit this table: check both with your host."
            )
        if what == "password":
            return WrongCode("The password does not fit this table: check it with your host.")
        return WrongCode(
            "The code does not fit this table: check every word with your host, "
            "or ask for a new code."
        )

    def _password_needed(self) -> PasswordNeeded:
        """Nobody vouches for that; a password that is typed for a liar tells nothing about itself."""
        besides = "" if self._invite.way == LISTED else " besides the code"
        return PasswordNeeded(
            f"This table asks for a password{besides}: ask your host for it, and join with --password."
        )
