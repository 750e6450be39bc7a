"""A guest's part of gathering: knock, show that we know the words, accept, take a seat."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeVar

from p2pokey.errors import (
    CodeExpired,
    DecodeError,
    PlayerLeft,
    SignalingError,
    TimedOut,
    VerificationError,
)
from p2pokey.net.bodies import encode_body
from p2pokey.net.gathering import Gathering, Table
from p2pokey.net.invites import Invite
from p2pokey.net.knocking import (
    GuestAdmission,
    GuestEvent,
    HostBusy,
    HostSaid,
    HostWarned,
    NamesChanged,
    Seated,
    TableShown,
)
from p2pokey.net.progress import Phase
from p2pokey.net.seats import read_card, verify_cards
from p2pokey.net.wire import BodyArrived, Lobby, PeerChanged
from p2pokey.table.roster import Roster

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
        )
        await self._knock()
        shown = await self._wait(TableShown, self.limits.admission_s, "answer")
        self._host_name, self._seats = shown.host_name, shown.seats
        self.progress(Phase.CODE_ACCEPTED, total=shown.seats, name=shown.host_name)
        self.check_rules(shown.rules, shown.seats)
        self._admission.accept()
        await self._flush()
        seated = await self._wait(Seated, self.limits.waiting_s, "complete the table")
        self.check_roster(seated.roster)
        self.progress(Phase.ROSTER_SIGNED)
        return await self._take_seat(seated)

    async def _take_seat(self, seated: Seated) -> Table:
        roster = seated.roster
        seat = roster.seat_of(self.toolkit.public_key)
        assert seat is not None
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
            async with asyncio.timeout(limit):
                while True:
                    event = await self._next_admission_event()
                    if isinstance(event, kind):
                        return event
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
                self.progress(Phase.FRIENDS_HERE, done=here, total=self._seats, name=name)
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
                case BodyArrived() if happened.sender == self._host:
                    # SPAKE2 takes 20 ms, which is too long for the event loop.
                    event = await asyncio.to_thread(self._admission.receive, happened.body)
                    await self._flush()
                    if event is not None:
                        return event
