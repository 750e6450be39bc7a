"""The host's side of letting guests in: a machine without clock, sockets or tasks.

A guest who knows the words (or the link) proves it by SPAKE2, is shown the table, accepts it and
waits for the others (docs/network.md, Admission):

    pake1 ->            way, identity key, SPAKE2 message
          <- pake2      SPAKE2 message, host's tag
    pake3 ->            guest's tag, box(name, runner, nonce commitment, signature)
          <- box table  rules, number of seats, what the match carries on
    box accept ->
          <- box names  who is here, to everybody at each change

At a public table a guest may also come without words (way `listed`): box `wait` follows pake3, and
the table is shown only when the host's player has agreed to let this guest in.

Each pake2 lets the guest try one guess at the words. A try counts as failed when the tag is wrong,
missing after a while, or its sender leaves or starts anew. `MAX_STRIKES` failed tries burn the code:
the host gets new words for the same room. Tries under way count as well, so that many at once do
not get more guesses. After `MAX_BURNS` codes the host gives up.

A guest's bytes change nothing but that guest's own entry; whatever is no proper message for its
stage is dropped or sends the guest away.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from p2pokey.crypto.fiat_shamir import PREFIX, fr
from p2pokey.errors import DecodeError, TooManyGuesses, VerificationError
from p2pokey.native.pake import MESSAGE_BYTES, host_side
from p2pokey.net.bodies import Body, decode_body, encode_body
from p2pokey.net.boxes import BoxChannel
from p2pokey.net.confirmation import TAG_BYTES, Confirmation, Exchange, confirm, is_same_tag
from p2pokey.net.host_effects import (
    CodeBurnt,
    GaveUp,
    GuestAdmitted,
    GuestAsks,
    GuestLeft,
    GuestSaid,
    HostEffect,
    KickGuest,
    Notice,
    SendBody,
    Warned,
)
from p2pokey.net.invites import LINK_WAY, LISTED, WAYS, Invite, new_invite
from p2pokey.net.toolkit import Toolkit
from p2pokey.net.wire import shown_text
from p2pokey.ports import SIGNATURE_BYTES
from p2pokey.table.roster import (
    MAX_NAME_CHARS,
    Roster,
    RosterSeat,
    check_name,
    verify_runner,
)
from p2pokey.tiles import Seat

MAX_STRIKES = 5
"""Failed guesses that burn a code: success within it is at most 5 in 2^31."""
MAX_BURNS = 4
"""Burnt codes after which the host gives up: somebody is guessing, not mistyping."""
ANSWER_S = 20.0
"""Seconds for a guest to send pake3; computing it takes 20 ms."""
DECIDE_S = 300.0
"""Seconds for the host's player to let somebody without a code in."""
ACCEPT_S = 60.0
"""Seconds for a guest to accept the table; a person may want to read the rules."""


_MAX_WAY = max(map(len, WAYS))


class Stage(Enum):
    """How far a guest has come."""

    GUESSING = "guessing"
    """Got pake2; knows the words or not."""
    ASKING = "asking"
    """Came to a public table without words; the host's player decides."""
    ASKED = "asked"
    """Knows the words; has been shown the table."""
    ADMITTED = "admitted"
    """Accepted the table and has a seat."""


@dataclass(slots=True, kw_only=True)
class _Guest:
    key: bytes
    way: str
    confirmation: Confirmation
    channel: BoxChannel
    stage: Stage = Stage.GUESSING
    deadline: float
    name: str = ""
    runner: bytes = b""
    nonce_commit: bytes = b""


@dataclass(slots=True, kw_only=True)
class HostAdmission:
    """Lets guests in until every seat is taken.

    Call `poll` after each of the other verbs and do what it says, in order. `receive` takes up to
    30 ms for a pake1 (SPAKE2 in pure Python): call it off the event loop, one call at a time.
    """

    toolkit: Toolkit
    invite: Invite
    """The first invite; `invite` always is the one in force."""
    seats: int
    """2-4, the host's own included."""
    rules: bytes
    name: str
    """The host's display name."""
    nonce_commit: bytes
    runner: bytes
    """Whoever runs the host's seat."""
    room_password: str = ""
    carry: bytes = b""
    """What the match takes over from an earlier session; empty for a fresh one."""
    reserved: Mapping[bytes, Seat] = field(default_factory=dict)
    """Identity keys that have their seats already; others get the seats that are left."""
    banned: Mapping[bytes, str] = field(default_factory=dict)
    """Identity keys that are refused, and the names that they had."""
    is_listed: bool = False
    """Whether people may come without a code and ask to be let in."""
    _guests: dict[str, _Guest] = field(default_factory=dict, init=False)
    _strikes: int = field(default=0, init=False)
    _burns: int = field(default=0, init=False)
    _effects: list[HostEffect] = field(default_factory=list, init=False)
    _declined: set[bytes] = field(default_factory=set, init=False)
    _warnings: list[Warned] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        check_name(self.name)
        kept = set(self.reserved.values())
        assert len(kept) == len(self.reserved)
        assert all(0 < seat < self.seats for seat in kept)

    # --- verbs ---

    def receive(self, sender: str, data: bytes, now: float) -> None:
        """A body from a member of the room; never raises for what is in it."""
        try:
            body = decode_body(data)
            match body.kind:
                case "pake1":
                    self._pake1(sender, body, now)
                case "pake3":
                    self._pake3(sender, body, now)
                case "box":
                    self._box(sender, body)
        except (DecodeError, VerificationError):
            self._drop_stranger(sender)

    def leave(self, sender: str) -> None:
        """The server says that this member has left."""
        guest = self._guests.pop(sender, None)
        if guest is None:
            return
        if guest.stage is Stage.GUESSING and self._is_guess(guest):
            self._strike()
        elif guest.stage is Stage.ADMITTED:
            self._effects.append(GuestLeft(name=guest.name))
            self._tell_names()

    def decide(self, guest_id: str, is_welcome: bool, now: float) -> None:
        """The host's player has decided on a `GuestAsks`; nothing happens if that guest has gone."""
        guest = self._guests.get(guest_id)
        if guest is None or guest.stage is not Stage.ASKING:
            return
        if is_welcome:
            self._show_table(guest_id, guest, now)
        else:
            self._declined.add(guest.key)
            self._refuse(guest_id, "declined")
            self._guests.pop(guest_id)

    def timer(self, now: float) -> None:
        """Time has passed: ends tries that got no answer."""
        late = [
            sender
            for sender, guest in self._guests.items()
            if guest.stage is not Stage.ADMITTED and guest.deadline <= now
        ]
        for sender in late:
            self._effects.append(KickGuest(id=sender))
            self.leave(sender)

    def next_timer(self) -> float | None:
        """When `timer` wants to be called, or None."""
        waiting = [g.deadline for g in self._guests.values() if g.stage is not Stage.ADMITTED]
        return min(waiting, default=None)

    def poll(self) -> list[HostEffect]:
        """What is to be done, in order; each effect is given once."""
        effects, self._effects = self._effects, []
        return effects

    def tell(self, guest_id: str, body: bytes) -> None:
        """Sends a sealed body to an admitted guest."""
        channel = self._guests[guest_id].channel
        self._effects.append(SendBody(to=guest_id, body=channel.seal(body)))

    # --- what came of it ---

    @property
    def is_complete(self) -> bool:
        """Whether every seat is taken."""
        return len(self.admitted) == self.seats - 1

    @property
    def admitted(self) -> tuple[str, ...]:
        """Ids of the admitted guests in the order of their seats."""
        here = {g.key: s for s, g in self._guests.items() if g.stage is Stage.ADMITTED}
        kept = {seat: here.get(key) for key, seat in self.reserved.items()}
        newcomers = iter([s for key, s in here.items() if key not in self.reserved])
        seats = (Seat(index) for index in range(1, self.seats))
        order = (kept[seat] if seat in kept else next(newcomers, None) for seat in seats)
        return tuple(guest_id for guest_id in order if guest_id is not None)

    def make_roster(self, epoch: int) -> Roster:
        """The roster of the host and all admitted guests."""
        own = RosterSeat(
            public_key=self.toolkit.public_key,
            runner=self.runner,
            nonce_commit=self.nonce_commit,
            name=self.name,
        )
        guests = (self._guests[guest_id] for guest_id in self.admitted)
        others = (
            RosterSeat(
                public_key=guest.key,
                runner=guest.runner,
                nonce_commit=guest.nonce_commit,
                name=guest.name,
            )
            for guest in guests
        )
        return Roster(
            room=self.invite.room,
            epoch=epoch,
            rules=self.rules,
            seats=(own, *others),
            carry=self.carry,
        )

    # --- steps ---

    def _pake1(self, sender: str, body: Body, now: float) -> None:
        key, way = body.binary("pub", 32), body.text("way", _MAX_WAY)
        message = body.binary("x", MESSAGE_BYTES)
        self.toolkit.verifier.check_key(key)
        if way not in WAYS:
            raise DecodeError("expected a way that we know")
        guest = self._guests.get(sender)
        if guest is not None and guest.stage is not Stage.GUESSING:
            return
        self.leave(sender)  # a second try of one guest ends its first
        refusal = self._refusal(key, way) or self._password_missing(body, key, way)
        if refusal:
            self._refuse(sender, refusal)
            return
        pake = host_side(
            password=self.invite.password(way, self._password_for(key, way)),
            host_key=self.toolkit.public_key,
            guest_key=key,
            room=self.invite.room,
            entropy=self.toolkit.entropy,
        )
        answer = pake.start()
        exchange = Exchange(
            room=self.invite.room,
            host_key=self.toolkit.public_key,
            guest_key=key,
            way=way,
            guest_message=message,
            host_message=answer,
        )
        confirmation = confirm(pake.finish(message), exchange)
        self._guests[sender] = _Guest(
            key=key,
            way=way,
            confirmation=confirmation,
            channel=confirmation.host_channel(self.toolkit.sealer),
            deadline=now + ANSWER_S,
        )
        asks = bool(self._password_for(key, way))
        reply = encode_body("pake2", y=answer, mac=confirmation.host_tag, password=asks)
        self._effects.append(SendBody(to=sender, body=reply))

    def _refusal(self, key: bytes, way: str) -> str:
        """Why no try may begin now, or an empty text."""
        if key in self.banned:
            self._warn(Notice.BANNED, self.banned[key])
            return "banned"
        if way == LISTED and not self.is_listed:
            return "private"
        if way == LISTED and key in self._declined:
            return "declined"  # nobody is asked about one guest twice
        if self.is_complete or not self._has_seat_for(key):
            return "full"
        names = {guest.key: guest.name for guest in self._guests.values()}
        names[self.toolkit.public_key] = self.name
        if key in names:
            if names[key]:
                self._warn(Notice.SAME_KEY, names[key])
            return "taken"
        trying = sum(map(self._is_guess, self._of_stage(Stage.GUESSING)))
        if self._burns >= MAX_BURNS or self._strikes + trying >= MAX_STRIKES:
            return "busy"
        return ""

    def _password_missing(self, body: Body, key: bytes, way: str) -> str:
        """A guest who says that it has no password is not let try: that would cost a guess."""
        has_none = body.as_dict().get("password") is False
        return "password" if self._password_for(key, way) and has_none else ""

    def _password_for(self, key: bytes, way: str) -> str:
        """Whoever stays at a table has its link from the host and needs no password besides."""
        is_staying = way == LINK_WAY and key in self.reserved
        return "" if is_staying else self.room_password.strip()

    def _is_guess(self, guest: _Guest) -> bool:
        """Whether a try teaches anything: a public table without a password has no secret."""
        return guest.way != LISTED or bool(self.room_password)

    def _has_seat_for(self, key: bytes) -> bool:
        """Whether this key has a seat of its own here, or one that is nobody's is left."""
        if key in self.reserved:
            return True
        newcomers = sum(guest.key not in self.reserved for guest in self._of_stage(Stage.ADMITTED))
        return newcomers < self.seats - 1 - len(self.reserved)

    def _of_stage(self, stage: Stage) -> list[_Guest]:
        return [guest for guest in self._guests.values() if guest.stage is stage]

    def _pake3(self, sender: str, body: Body, now: float) -> None:
        guest = self._guests.get(sender)
        if guest is None or guest.stage is not Stage.GUESSING:
            return
        if not is_same_tag(guest.confirmation.guest_tag, body.binary("mac", TAG_BYTES)):
            self._refuse(sender, "wrong")
            self.leave(sender)
            return
        hello = guest.channel.unseal(body.inner("box"))
        if not self._is_introduced(guest, hello):
            self._refuse(sender, "runner")
            self._guests.pop(sender)
        elif guest.way == LISTED:
            guest.stage, guest.deadline = Stage.ASKING, now + DECIDE_S
            self.tell(sender, encode_body("wait"))
            name = shown_text(guest.name, MAX_NAME_CHARS)
            self._effects.append(GuestAsks(id=sender, name=name, key=guest.key))
        else:
            self._show_table(sender, guest, now)

    def _is_introduced(self, guest: _Guest, hello: Body) -> bool:
        """Takes a guest's name, runner and commitment; False if that runner has not signed."""
        guest.stage = Stage.ASKED
        name = hello.text("name", MAX_NAME_CHARS)
        check_name(name)
        guest.name = self._distinct(name)
        guest.runner = hello.binary("runner", 32)
        guest.nonce_commit = hello.binary("commit", 32)
        text = joining_text(guest.confirmation.digest, name, guest.runner, guest.nonce_commit)
        self.toolkit.verifier.verify(guest.key, text, hello.binary("sig", SIGNATURE_BYTES))
        try:
            claim = hello.blob("run_sig", SIGNATURE_BYTES)
            verify_runner(guest.key, guest.runner, claim, self.toolkit.verifier)
        except (DecodeError, VerificationError):
            self._warn(Notice.FALSE_RUNNER, guest.name)
            return False
        return True

    def _show_table(self, sender: str, guest: _Guest, now: float) -> None:
        guest.stage, guest.deadline = Stage.ASKED, now + ACCEPT_S
        table = {"rules": self.rules, "seats": self.seats, "host": self.name, "carry": self.carry}
        self.tell(sender, encode_body("table", **table))

    def _distinct(self, name: str) -> str:
        """The name, with a number behind it if somebody at the table has it already."""
        taken = {self.name.casefold()} | {g.name.casefold() for g in self._guests.values()}
        candidate, number = name, 2
        while candidate.casefold() in taken:
            suffix = f" {number}"
            candidate = name[: MAX_NAME_CHARS - len(suffix)].rstrip() + suffix
            number += 1
        return candidate

    def _box(self, sender: str, body: Body) -> None:
        guest = self._guests.get(sender)
        if guest is None or guest.stage in (Stage.GUESSING, Stage.ASKING):
            return
        try:
            inner = guest.channel.unseal(body)
        except DecodeError:
            return  # the server's own words, not the guest's
        if guest.stage is Stage.ADMITTED:
            self._effects.append(GuestSaid(id=sender, body=inner))
        elif inner.kind == "accept":
            self._admit(sender, guest)

    def _admit(self, sender: str, guest: _Guest) -> None:
        if not self._has_seat_for(guest.key):  # two guests were asked for the last seat
            self._refuse(sender, "full")
            self._guests.pop(sender)
            return
        # The entry moves to the end: newcomers sit in the order of admission.
        self._guests[sender] = self._guests.pop(sender)
        guest.stage = Stage.ADMITTED
        self._effects.append(GuestAdmitted(name=guest.name))
        for warning in self._warnings:
            self.tell(sender, warning.body())
        self._tell_names()

    @property
    def names(self) -> tuple[str, ...]:
        """Everybody who has a seat, the host first."""
        return (self.name, *(self._guests[guest_id].name for guest_id in self.admitted))

    def _tell_names(self) -> None:
        names = list(self.names)
        for guest_id in self.admitted:
            self.tell(guest_id, encode_body("names", names=names))

    def _warn(self, notice: Notice, name: str = "") -> None:
        """Tells everybody who has a seat, and later everybody who gets one.

        Whoever comes later hears each thing once, and that somebody knocks again and again is told
        once at all.
        """
        warning = Warned(notice=notice, name=name)
        if warning not in self._warnings:
            self._warnings.append(warning)
        elif notice in (Notice.BANNED, Notice.SAME_KEY):
            return
        self._effects.append(warning)
        for guest_id in self.admitted:
            self.tell(guest_id, warning.body())

    # --- sending away ---

    def _refuse(self, sender: str, code: str) -> None:
        self._effects.append(SendBody(to=sender, body=encode_body("no", code=code)))
        if code != "busy":
            self._effects.append(KickGuest(id=sender))

    def _drop_stranger(self, sender: str) -> None:
        """Garbage: sends its sender away, unless it came under the name of an admitted guest."""
        guest = self._guests.get(sender)
        if guest is not None and guest.stage is Stage.ADMITTED:
            return
        self._refuse(sender, "bad")
        self.leave(sender)

    def _strike(self) -> None:
        self._strikes += 1
        self._warn(Notice.WRONG_CODE)
        if self._strikes < MAX_STRIKES:
            return
        self._strikes = 0
        self._burns += 1
        if self._burns >= MAX_BURNS:
            error = TooManyGuesses(
                "Somebody keeps guessing the code of this table: open a new one."
            )
            self._effects.append(GaveUp(error=error))
            return
        self.invite = new_invite(self.invite.room, self.toolkit.entropy)
        self._effects.append(CodeBurnt(invite=self.invite))
        self._warn(Notice.CODE_BURNT)


def joining_text(digest: bytes, name: str, runner: bytes, nonce_commit: bytes) -> bytes:
    """What a guest signs to join: the exchange and what it wants in the roster."""
    fields = fr("exchange", digest) + fr("name", name.encode("utf-8"))
    return fr("sig", PREFIX + b"join") + fields + fr("runner", runner) + fr("commit", nonce_commit)
