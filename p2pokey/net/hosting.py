"""The host's part of gathering: a room, everybody let in, the roster signed, the cards collected."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import assert_never

from p2pokey.errors import (
    DecodeError,
    PlayerLeft,
    SignalingError,
    TimedOut,
    VerificationError,
)
from p2pokey.net.admission import HostAdmission
from p2pokey.net.bodies import Body, encode_body
from p2pokey.net.control import GiveUpOrder, HostControl, WindowOrder
from p2pokey.net.gathering import Gathering, Table
from p2pokey.net.host_effects import (
    CodeBurnt,
    GaveUp,
    GuestAdmitted,
    GuestAsks,
    GuestLeft,
    GuestSaid,
    KickGuest,
    SendBody,
    Warned,
)
from p2pokey.net.invites import Invite, new_invite
from p2pokey.net.progress import Phase
from p2pokey.net.seats import SeatCard, read_card, verify_card
from p2pokey.net.signalling import Listing, Nudged, SignallingEvent
from p2pokey.net.tasks import cancel, spawn
from p2pokey.net.wire import BodyArrived, PeerChanged
from p2pokey.table.roster import Roster, encode_roster, sign_roster
from p2pokey.tiles import Seat

Accept = Callable[[str, bytes], Awaitable[bool]]
"""Whether a guest with this name and key, who has no code, may come in; a person decides."""
FIRST_EPOCH = 1
"""Of a table's first roster. One is signed per meeting; a new meeting of players who stay together
has the next number, new nonces and a new session id."""


_log = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class HostGathering(Gathering):
    """The host's part."""

    rules: bytes
    seats: int
    room_password: str
    on_code: Callable[[Invite], None]
    carry: bytes = b""
    epoch: int = FIRST_EPOCH
    reserved: Mapping[bytes, Seat] = field(default_factory=dict)
    banned: Mapping[bytes, str] = field(default_factory=dict)
    control: HostControl | None = None
    listing: Listing | None = None
    accept: Accept | None = None
    _asking: dict[str, asyncio.Task[None]] = field(default_factory=dict, init=False)
    """Our player is being asked about these guests."""
    _decisions: list[tuple[str, bool]] = field(default_factory=list, init=False)
    _admission: HostAdmission = field(init=False)
    _cards: dict[str, SeatCard] = field(default_factory=dict, init=False)
    _roster: Roster | None = field(default=None, init=False)
    _is_open: bool = field(default=False, init=False)
    """Whether people are let in just now."""
    _closes_at: float = field(default=0.0, init=False)
    """When that ends; while it is closed: when it is not waited for any longer."""

    async def gather(self) -> Table:
        """Opens a room, lets everybody in, signs the roster and collects the cards."""
        try:
            return await self._gather()
        finally:
            await cancel(*self._asking.values())

    async def _gather(self) -> Table:
        created = await self.client.create(
            seats=self.seats, host_key=self.toolkit.public_key, listing=self.listing
        )
        invite = new_invite(created.room, self.toolkit.entropy)
        self._admission = HostAdmission(
            toolkit=self.toolkit,
            invite=invite,
            seats=self.seats,
            rules=self.rules,
            name=self.name,
            nonce_commit=self.nonce_commit,
            runner=self.runner,
            room_password=self.room_password,
            carry=self.carry,
            reserved=self.reserved,
            banned=self.banned,
            is_listed=self.listing is not None,
        )
        self._show(invite)
        await self._until_complete()
        await self.client.close_window()
        return await self._seat_everybody()

    def _show(self, invite: Invite) -> None:
        self.on_code(invite)
        self.progress(Phase.CODE_SHOWN)

    async def _until_complete(self) -> None:
        """Lets people in until every seat is taken.

        Raises:
            TimedOut: the window has run out and nobody will open it again.
        """
        if self.control is not None:
            self.control.attach(self.client.nudge)
        self._set_window(self.limits.window_s)
        while not self._admission.is_complete:
            await self._step(self._closes_at)
            self._watch_window()

    def _set_window(self, seconds: int) -> None:
        self._is_open = seconds > 0
        self._closes_at = self._now() + (seconds if self._is_open else self.limits.waiting_s)

    def _watch_window(self) -> None:
        """Notices that the time has come; what comes then depends on who may open it again."""
        if self._admission.is_complete or self._now() < self._closes_at:
            return
        if self.control is None or not self._is_open:
            raise self._too_few()
        self._set_window(0)
        self._tell_window(Phase.WINDOW_CLOSED)

    def _too_few(self) -> TimedOut:
        here, limit = 1 + len(self._admission.admitted), self.limits.window_s
        return TimedOut(
            f"Only {here} of {self.seats} players came within {limit} s: "
            "open a new table and give everybody the new code."
        )

    async def _obey(self) -> None:
        """Does what our player has said meanwhile."""
        if self.control is None or self._roster is not None:
            return
        for order in self.control.take():
            match order:
                case WindowOrder(seconds=0):
                    self._set_window(0)
                    await self.client.close_window()
                    self._tell_window(Phase.WINDOW_CLOSED)
                case WindowOrder():
                    self._set_window(order.seconds)
                    await self.client.open_window(order.seconds)
                    self._tell_window(Phase.WINDOW_OPEN)
                case GiveUpOrder():
                    raise self._too_few()
                case _:
                    assert_never(order)

    def _tell_window(self, phase: Phase) -> None:
        self.progress(phase, done=1 + len(self._admission.admitted), total=self.seats)

    async def _seat_everybody(self) -> Table:
        guests = self._admission.admitted
        self._roster = roster = self._admission.make_roster(self.epoch)
        routes = (self.client.id, *guests)
        self.hold_roster(roster, Seat(0))
        self.progress(Phase.ROSTER_SIGNED)
        signature = sign_roster(roster, self.toolkit.signer)
        signed = {"roster": encode_roster(roster), "sig": signature}
        await self._tell_all(encode_body("roster", **signed, routes=routes))
        await self._collect_cards(roster, guests)
        cards = (self.own_card(roster, Seat(0)), *(self._cards[guest] for guest in guests))
        await self._tell_all(encode_body("seats", seats=[card.fields() for card in cards]))
        return self.table(roster, Seat(0), cards, routes)

    async def _collect_cards(self, roster: Roster, guests: tuple[str, ...]) -> None:
        try:
            async with asyncio.timeout(self.limits.cards_s):
                while len(self._cards) < len(guests):
                    await self._step()
        except TimeoutError:
            seats = zip(roster.seats[1:], guests, strict=True)
            late = [seat.name for seat, guest in seats if guest not in self._cards]
            names = ", ".join(late)
            raise TimedOut(f"{names} did not take the seat in time: start again.") from None

    async def _tell_all(self, body: bytes) -> None:
        for guest in self._admission.admitted:
            self._admission.tell(guest, body)
        await self._carry_out()

    async def _step(self, until: float | None = None) -> None:
        """Takes one event, or the time that has come; `until`: returns then at the latest."""
        times = [time for time in (self._admission.next_timer(), until) if time is not None]
        wait_s = max(0.0, min(times) - self._now()) if times else None
        try:
            async with asyncio.timeout(wait_s):
                event = await self.next_event()
        except TimeoutError:
            self._admission.timer(self._now())
        else:
            await self._take(event)
        await self._carry_out()

    async def _take(self, event: SignallingEvent) -> None:
        match event:
            case BodyArrived():
                # SPAKE2 takes 30 ms, which is too long for the event loop.
                receive = self._admission.receive
                await asyncio.to_thread(receive, event.sender, event.body, self._now())
            case PeerChanged(state="left"):
                self._ask_no_more(event.id)
                self._admission.leave(event.id)
                await self._open_again()
            case Nudged():
                await self._obey()
                decisions, self._decisions = self._decisions, []
                for guest, is_welcome in decisions:
                    self._admission.decide(guest, is_welcome, self._now())

    async def _ask(self, guest: GuestAsks) -> None:
        """Lets our player decide; without anybody to ask nobody is let in."""
        is_welcome = False
        if self.accept is not None:
            try:
                is_welcome = await self.accept(guest.name, guest.key)
            except Exception:  # noqa: BLE001 - whatever it is, it is the caller's display
                _log.exception("our player could not be asked")
        self._decisions.append((guest.id, is_welcome))
        self.client.nudge()

    def _ask_no_more(self, guest: str) -> None:
        if guest in self._asking:
            self._asking[guest].cancel()

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    async def _open_again(self) -> None:
        """The server closes a full room; a place that was given back may be taken again."""
        seconds = int(self._closes_at - self._now())
        if self._roster is None and self._is_open and seconds > 0:
            await self.client.open_window(seconds)

    async def _carry_out(self) -> None:
        for effect in self._admission.poll():
            match effect:
                case SendBody():
                    await self.client.send(effect.to, effect.body)
                case KickGuest():
                    self._ask_no_more(effect.id)
                    await self.client.kick(effect.id)
                case GuestAsks():
                    task = spawn(self._ask(effect), "ask our player")
                    self._asking[effect.id] = task
                case GuestAdmitted():
                    self._count(effect.name)
                case GuestLeft():
                    self._lose(effect.name)
                case GuestSaid():
                    self._take_card(effect.id, effect.body)
                case CodeBurnt():
                    self._show(effect.invite)
                case Warned():
                    self.warn(effect.notice, effect.name)
                case GaveUp():
                    raise effect.error
                case _:
                    assert_never(effect)

    def _count(self, name: str) -> None:
        names = self._admission.names
        self.progress(Phase.FRIENDS_HERE, done=len(names), total=self.seats, name=name, names=names)

    def _lose(self, name: str) -> None:
        if self._roster is not None:
            raise PlayerLeft(f"{name} left before the table stood: open a new one.")
        self._count(name)

    def _take_card(self, guest: str, body: Body) -> None:
        if self._roster is None or body.kind != "seat":
            return
        seat = Seat(1 + self._admission.admitted.index(guest))
        try:
            card = read_card(body)
            verify_card(self._roster, seat, card, self.toolkit.verifier)
        except (DecodeError, VerificationError):
            name = self._roster.seats[seat].name
            raise SignalingError(f"{name} did not take the seat properly: start again.") from None
        self._cards[guest] = card
