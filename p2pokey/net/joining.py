"""A guest's part of gathering: knock, show that we know the words, accept, take a seat."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeVar

from p2pokey.errors import (
    CodeExpired,
    DecodeError,
    P2POkeyError,
    PlayerLeft,
    SignalingError,
    TableRefused,
    TimedOut,
    VerificationError,
)
from p2pokey.net.admission import DECIDE_S
from p2pokey.net.bodies import encode_body
from p2pokey.net.gathering import Gathering, Table
from p2pokey.net.invites import LISTED, Invite
from p2pokey.net.knocking import (
    GuestAdmission,
    GuestEvent,
    HostBusy,
    HostDecides,
    HostSaid,
    HostWarned,
    NamesChanged,
    Seated,
    TableShown,
)
from p2pokey.net.progress import Phase
from p2pokey.net.seats import read_card, verify_cards
from p2pokey.net.vouching import make_vouch
from p2pokey.net.wire import BodyArrived, Lobby, PeerChanged
from p2pokey.table.roster import Roster, RosterSeat
from p2pokey.tiles import Seat

_ENTER_TRIES, _ENTER_PAUSE_S = 3, 0.4
_HOST_BUSY_S = 1.0
"""Pause before another try while the host checks other guests."""

_Event = TypeVar("_Event", TableShown, Seated, HostSaid)


@dataclass(slots=True, kw_only=True)
class GuestGathering(Gathering):
    """A guest's part."""

    invite: Invite
    room_password: str
    check_rules: Callable[[bytes, int], None]
    check_roster: Callable[[Roster], None] = lambda roster: None
    _host: str = field(default="", init=False)
    _host_name: str = field(default="the host", init=False)
    _admission: GuestAdmission = field(init=False)
    _seats: int = field(default=0, init=False)
    _routes: dict[str, RosterSeat] = field(default_factory=dict, init=False)

    async def gather(self) -> Table:
        """Knocks, shows that we know the words, accepts the table and takes a seat."""
        lobby = await self._enter()
        self._host = lobby.host_id
        self._admission = GuestAdmission(
            toolkit=self.toolkit,
            invite=self.invite,
            host_key=lobby.host_key,
            name=self.name,
            nonce_commit=self.nonce_commit,
            runner=self.runner,
            room_password=self.room_password,
            runner_signature=self.runner_signature,
        )
        await self._knock()
        shown = await self._wait(TableShown, self.limits.admission_s, "answer")
        self._host_name, self._seats = shown.host_name, shown.seats
        came = Phase.LET_IN if self.invite.way == LISTED else Phase.CODE_ACCEPTED
        self.progress(came, total=shown.seats, name=shown.host_name)
        self.check_rules(shown.rules, shown.seats)
        self._admission.accept()
        await self._flush()
        seated = await self._wait(Seated, self.limits.waiting_s, "complete the table")
        roster, seat = seated.roster, seated.roster.seat_of(self.toolkit.public_key)
        assert seat is not None
        self._routes = dict(zip(seated.routes, roster.seats, strict=True))
        await self._vouch(seated, seat)
        self.hold_roster(roster, seat)
        self.progress(Phase.ROSTER_SIGNED)
        return await self._take_seat(seated, seat)

    async def _vouch(self, seated: Seated, seat: Seat) -> None:
        """Tells all others which roster we hold and whether we take it, also if we do not."""
        refused: P2POkeyError | None = None
        try:
            self.check_roster(seated.roster)
        except P2POkeyError as error:
            refused = error
        reason = ""
        if refused is not None:
            reason = refused.reason if isinstance(refused, TableRefused) else "players"
        word = make_vouch(seated.roster, seat, self.toolkit.signer, reason)
        for index, route in enumerate(seated.routes):
            if index != seat:
                await self.client.send(route, word)
        if refused is not None:
            raise refused

    async def _take_seat(self, seated: Seated, seat: Seat) -> Table:
        roster = seated.roster
        card = self.own_card(roster, seat)
        self._admission.tell(encode_body("seat", **card.fields()))
        await self._flush()
        while True:
            said = await self._wait(HostSaid, self.limits.cards_s, "seat everybody")
            if said.body.kind == "seats":
                break
        try:
            cards = tuple(map(read_card, said.body.nested("seats", len(roster.seats))))
            verify_cards(roster, cards, self.toolkit.verifier)
        except (DecodeError, VerificationError):
            raise SignalingError("The host sent seats that their owners did not sign.") from None
        return self.table(roster, seat, cards, seated.routes)

    async def _enter(self) -> Lobby:
        """Takes a place at the server; one that was just given back is free a moment later."""
        for _ in range(_ENTER_TRIES - 1):
            with suppress(CodeExpired):
                return await self.client.knock(self.invite.room, self.toolkit.public_key)
            await asyncio.sleep(_ENTER_PAUSE_S)
        return await self.client.knock(self.invite.room, self.toolkit.public_key)

    # --- waiting ---

    async def _knock(self) -> None:
        await asyncio.to_thread(self._admission.knock)
        await self._flush()

    async def _flush(self) -> None:
        for body in self._admission.poll():
            await self.client.send(self._host, body)

    async def _wait(self, kind: type[_Event], limit: float, what: str) -> _Event:
        """The next event of that kind; reports what else happens meanwhile."""
        try:
            async with asyncio.timeout(limit) as patience:
                while True:
                    event = await self._next_admission_event()
                    if isinstance(event, kind):
                        return event
                    if isinstance(event, HostDecides):  # a person needs longer than a program
                        limit = DECIDE_S + self.limits.admission_s
                        patience.reschedule(asyncio.get_running_loop().time() + limit)
                    await self._note(event)
        except TimeoutError:
            raise TimedOut(
                f"{self._host_name} did not {what} within {limit:g} s: ask your host."
            ) from None

    async def _note(self, event: GuestEvent) -> None:
        match event:
            case NamesChanged(names=names):
                here = len(names)
                name = names[-1] if names else ""
                self.progress(
                    Phase.FRIENDS_HERE,
                    done=here,
                    total=self._seats,
                    name=name,
                    names=tuple(names),
                )
            case HostDecides():
                self.progress(Phase.HOST_DECIDES)
            case HostWarned():
                self.warn(event.notice, event.name)
            case HostBusy():
                await asyncio.sleep(_HOST_BUSY_S)
                await self._knock()

    async def _next_admission_event(self) -> GuestEvent:
        while True:
            happened = await self.next_event()
            match happened:
                case PeerChanged(state="left") if happened.id == self._host:
                    raise PlayerLeft("The host has closed the table: ask for a new code.")
                case PeerChanged(state="left") if happened.id == self.client.id:
                    raise SignalingError("The host sent us away: ask for a new code.")
                case PeerChanged(state="left") if happened.id in self._routes:
                    name = self._routes[happened.id].name
                    raise PlayerLeft(f"{name} left before the table stood: start again.")
                case BodyArrived() if happened.sender == self._host:
                    # SPAKE2 takes 20 ms, which is too long for the event loop.
                    event = await asyncio.to_thread(self._admission.receive, happened.body)
                    await self._flush()
                    if event is not None:
                        return event
