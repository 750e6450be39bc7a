"""Rooms of the signalling server in virtual time: where players who stay together meet again.

In place of `net.meeting` under the real `peer.moving_on`: the same order of steps, the same limits and
the same errors, with a program that may be killed between any two of them. The server notices at once
that a connection is gone, and keeps its place.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from p2pokey.errors import HostAway, PlayerLeft, TimedOut, UnknownCode
from p2pokey.net.invites import Invite, new_invite, parse_invite
from p2pokey.net.limits import Limits
from p2pokey.net.membership import Membership
from p2pokey.net.seats import SeatCard
from p2pokey.table.roster import Roster, RosterSeat, commit_nonce, session_id
from p2pokey.tiles import Seat
from tests.sim.stand_ins import SeededEntropy

if TYPE_CHECKING:
    from tests.sim.whole_table import Run, World

_LOOK_S = 0.2
_NEWCOMER_S = 20.0
"""Somebody takes a vacant seat after that long at most."""
_PLACE_S = 600.0
"""The server keeps the place of a lost connection for so long."""


@dataclass(eq=False)
class _Member:
    """One program in a room."""

    run: "Run | None"
    """None: somebody new, who does everything right."""
    key: bytes
    name: str
    has_left: bool = False
    has_card: bool = False
    is_linking: bool = False
    ready: set[bytes] = field(default_factory=set)
    """Keys of members who have said to this one that they are ready."""

    @property
    def is_lost(self) -> bool:
        return self.has_left or (self.run is not None and self.run.is_dead)


@dataclass(eq=False)
class _Room:
    code: str
    invite: Invite
    host: _Member
    guests: list[_Member] = field(default_factory=list)
    is_open: bool = True
    roster: Roster | None = None

    @property
    def members(self) -> list[_Member]:
        return [self.host, *self.guests]


@dataclass(frozen=True)
class NextMesh:
    """The table that has come together."""

    session_id: bytes


class Rooms:
    """The server."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._rooms: dict[str, _Room] = {}
        self._entropy = SeededEntropy(f"rooms {world.plan.seed}")

    async def host(
        self,
        run: "Run",
        *,
        on_code: Callable[[Invite], None],
        keep: Callable[[Membership], None],
        seats: int,
        reserved: dict[bytes, Seat],
        limits: Limits,
        **wanted: Any,
    ) -> NextMesh:
        """As `meeting.host_table`."""
        await self._pause(run, 1.0)
        code = f"{len(self._rooms):05}"
        member = _Member(run=run, key=wanted["signer"].public_key, name=wanted["name"])
        room = _Room(code=code, invite=new_invite(code, self._entropy), host=member)
        self._rooms[code] = room
        with _in_room(run, room, member):
            on_code(room.invite)
            asyncio.get_running_loop().call_later(
                self._world.dice.random() * _NEWCOMER_S, self._newcomers, room, seats, reserved
            )
            await self._until(run, lambda: _is_full(room, seats), limits.window_s, "not all came")
            room.roster = self._roster(room, reserved, wanted)
            await self._until(
                run,
                lambda: all(guest.has_card for guest in room.guests if not _check_left(guest)),
                limits.cards_s,
                "did not take the seat in time",
            )
            return await self._link(run, room, member, keep, limits)

    async def join(
        self,
        run: "Run",
        *,
        invite: str,
        check_roster: Callable[[Roster], None],
        keep: Callable[[Membership], None],
        limits: Limits,
        **wanted: Any,
    ) -> NextMesh:
        """As `meeting.join_table`."""
        await self._pause(run, 1.0)
        room = self._rooms[parse_invite(invite).room]
        if not room.is_open:
            raise UnknownCode("No open table has that code: check it with your host.")
        if room.host.is_lost:
            raise HostAway("The host is not connected just now: try again in a moment.")
        member = _Member(run=run, key=wanted["signer"].public_key, name=wanted["name"])
        for before in [guest for guest in room.guests if guest.key == member.key]:
            before.has_left = True
            if room.roster is None:
                room.guests.remove(before)
        room.guests.append(member)
        since = self._world.loop.time()
        with _in_room(run, room, member):
            await self._until(
                run, lambda: _is_seated(room, since, run), limits.waiting_s, "the host"
            )
            assert room.roster is not None
            check_roster(room.roster)
            await self._pause(run, 0.3)
            member.has_card = True
            await self._until(
                run,
                lambda: all(guest.has_card for guest in room.guests if not _check_host(room)),
                limits.cards_s,
                "did not seat everybody",
            )
            return await self._link(run, room, member, keep, limits)

    async def come_back(self, run: "Run", session: bytes) -> bool:
        """As `meeting.resume_table` and the table's first minute: whether anybody is there."""
        until = self._world.loop.time() + 60.0
        run.session = session
        while self._world.loop.time() < until:
            await self._pause(run, _LOOK_S)
            for node in self._world.nodes:
                others = [other for other in node.runs[-1:] if other is not run]
                is_there = any(not other.is_dead and other.session == session for other in others)
                if node.seat != run.seat and (node.arrived == session or is_there):
                    return True
        run.session = b""
        return False

    # Steps ---------------------------------------------------------------------------------------

    async def _link(
        self,
        run: "Run",
        room: _Room,
        member: _Member,
        keep: Callable[[Membership], None],
        limits: Limits,
    ) -> NextMesh:
        """Links to all, our part on disk, and then everybody is ready."""
        assert room.roster is not None
        await self._pause(run, 0.5)
        member.is_linking = True
        await self._until(
            run,
            lambda: all(other.is_linking and not other.is_lost for other in room.members),
            limits.links_s,
            "did not open a connection in time",
        )
        membership = _membership(room.roster, member.key)
        keep(membership)
        for other in room.members:
            if other is not member:
                await self._pause(run, 0.05)
                delay = self._world.dice.random() * 0.3
                self._world.loop.call_later(delay, other.ready.add, member.key)
        keys = {other.key for other in room.members if other.run is not None} - {member.key}
        await self._until(
            run,
            lambda: keys <= member.ready or _check_all(room, member),
            limits.ready_s,
            "could not reach everybody",
        )
        nonces = [card.nonce for card in membership.cards]
        return NextMesh(session_id=session_id(room.roster, nonces))

    def _newcomers(self, room: _Room, seats: int, reserved: dict[bytes, Seat]) -> None:
        for number in range(seats - 1 - len(reserved)):
            key = bytes([200 + number]) * 32
            room.guests.append(
                _Member(run=None, key=key, name=f"Eve {number}", has_card=True, is_linking=True)
            )

    def _roster(self, room: _Room, reserved: dict[bytes, Seat], wanted: Any) -> Roster:
        seats = {seat: key for key, seat in reserved.items()}
        new = iter([guest for guest in room.guests if guest.run is None])
        names = {member.key: member.name for member in room.members}
        others = range(1, len(room.members))
        keys = [room.host.key]
        keys += [seats[Seat(seat)] if Seat(seat) in seats else next(new).key for seat in others]
        return Roster(
            room=room.code,
            epoch=wanted["epoch"],
            rules=wanted["rules"],
            carry=wanted["carry"],
            seats=tuple(
                RosterSeat(
                    public_key=key,
                    runner=key,
                    nonce_commit=commit_nonce(key, _nonce(room.code, key)),
                    name=names[key],
                )
                for key in keys
            ),
        )

    async def _pause(self, run: "Run", longest: float) -> None:
        """A moment, at whose end the program may be killed."""
        await asyncio.sleep(self._world.dice.random() * longest)
        how = self._world.boundary(run)
        if how is not None:
            self._world.kill(run, how)

    async def _until(
        self, run: "Run", is_done: Callable[[], bool], limit: float, late: str
    ) -> None:
        until = self._world.loop.time() + limit
        while not is_done():
            if self._world.loop.time() >= until:
                raise TimedOut(f"Somebody {late}.")
            await asyncio.sleep(_LOOK_S)
        await self._pause(run, 0.0)


@contextmanager
def _in_room(run: "Run", room: _Room, member: _Member) -> Iterator[None]:
    """Whoever fails leaves, a host with its room; whoever is killed is only silent."""
    try:
        yield
    except BaseException:
        if not run.is_dead:
            member.has_left = True
            room.is_open = room.is_open and member is not room.host
        raise


def _is_full(room: _Room, seats: int) -> bool:
    room.guests = [guest for guest in room.guests if not guest.has_left]
    return len(room.guests) == seats - 1


def _check_left(guest: _Member) -> bool:
    """Whoever leaves says so; whoever is killed is only silent."""
    if guest.has_left:
        raise PlayerLeft(f"{guest.name} left before the table stood: open a new one.")
    return False


def _check_host(room: _Room) -> bool:
    if room.host.has_left:
        raise PlayerLeft("The host has closed the table: ask for a new code.")
    return False


def _check_all(room: _Room, own: _Member) -> bool:
    for other in room.members:
        if other is not own and other.has_left:
            raise PlayerLeft(f"{other.name} left before the table stood.")
    return False


def _is_seated(room: _Room, since: float, run: "Run") -> bool:
    assert run.world is not None
    if run.world.loop.time() - since > _PLACE_S and room.host.is_lost:
        room.host.has_left = True
    _check_host(room)
    return room.roster is not None


def _nonce(code: str, key: bytes) -> bytes:
    return SeededEntropy(f"nonce {code} {key.hex()}").random_bytes(32)


def _membership(roster: Roster, key: bytes) -> Membership:
    cards = tuple(
        SeatCard(
            ephemeral=bytes(32), nonce=_nonce(roster.room, seat.public_key), signature=bytes(64)
        )
        for seat in roster.seats
    )
    seat = roster.seat_of(key)
    assert seat is not None
    return Membership(
        server="ws://127.0.0.1:1",
        roster=roster,
        seat=seat,
        cards=cards,
        ephemeral=bytes(32),
        place="c",
        token="t",
        routes=("c",) * len(roster.seats),
    )


def meeting(which: str) -> Callable[..., Awaitable[NextMesh]]:
    """In place of `host_table` or `join_table`, for whichever program calls."""

    async def meet(**wanted: Any) -> NextMesh:
        from tests.sim.whole_table import LIFE

        run = LIFE.get()
        assert run is not None
        assert run.world is not None
        rooms = run.world.rooms
        return await (rooms.host if which == "host" else rooms.join)(run, **wanted)

    return meet
