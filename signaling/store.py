"""Room records and where they are kept.

Records are frozen; a change is a new record. The store sees no connections, so that another
implementation can share rooms between several server processes.
"""

import math
from bisect import bisect_right, insort
from dataclasses import dataclass, replace
from typing import Protocol

from signaling.messages import PublicKey

HOST_PLACE = 0

# Keys of guests whose places have run out: enough for every seat to have been lost several times.
_MAX_FORMER = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """Who holds a place."""

    id: str
    place: int
    """0 is the host; not the seat at the table, which the host decides."""
    key: PublicKey
    token_digest: bytes
    """SHA-256 of the resume token, so that a look at the store lets nobody take a place."""
    away_since: float | None = None
    """Seconds on the server's clock; None while connected."""

    def is_overdue(self, now: float, grace_s: float) -> bool:
        """Whether the place has outlived its connection by the grace time."""
        return self.away_since is not None and now - self.away_since >= grace_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """One room. Times are seconds on the server's clock."""

    code: str
    seats: int
    listed: bool
    title: str
    rules: str
    created_at: float
    window_until: float
    """The room lets people in until then, unless `filled`."""
    filled: bool = False
    """The window closed itself because every place was taken; a kick opens it again."""
    members: tuple[Member, ...]
    """In the order of their places; the first is the host."""
    former: tuple[bytes, ...] = ()
    """Keys of guests whose places have run out: they need no open window to come back."""

    @property
    def host(self) -> Member:
        """The member at place 0; a room without one does not exist."""
        return self.members[0]

    @property
    def free(self) -> int:
        """How many places nobody holds."""
        return self.seats - len(self.members)

    def member(self, member_id: str) -> Member | None:
        """The member with that id."""
        return next((member for member in self.members if member.id == member_id), None)

    def member_at(self, place: int) -> Member | None:
        """The member that holds that place."""
        return next((member for member in self.members if member.place == place), None)

    def member_with_key(self, raw: bytes) -> Member | None:
        """The member that claims that public key (32 bytes)."""
        return next((member for member in self.members if member.key.raw == raw), None)

    def member_with_token(self, digest: bytes) -> Member | None:
        """The member whose resume token has that SHA-256."""
        return next((member for member in self.members if member.token_digest == digest), None)

    def free_place(self) -> int | None:
        """The lowest place that nobody holds."""
        taken = {member.place for member in self.members}
        return next((place for place in range(self.seats) if place not in taken), None)

    def window_s(self, now: float) -> int:
        """Seconds for which the room still lets people in, rounded up; 0 if it does not."""
        return 0 if self.filled else max(0, math.ceil(self.window_until - now))

    def with_window(self, until: float) -> "Room":
        """The room with its window open until then, whatever closed it before."""
        return replace(self, window_until=until, filled=False)

    def with_member(self, member: Member) -> "Room":
        """The room with that member at its place; the last free place closes the window."""
        others = [other for other in self.members if other.place != member.place]
        members = tuple(sorted([*others, member], key=lambda one: one.place))
        filled = self.filled or len(members) == self.seats
        former = tuple(raw for raw in self.former if raw != member.key.raw)
        return replace(self, members=members, filled=filled, former=former)

    def without(self, member_id: str, *, may_return: bool = False) -> "Room":
        """The room without that guest.

        Args:
            member_id: id of a guest; the host's leaving ends the room instead.
            may_return: remember its key, so that it can come back when the window is closed.
        """
        gone = [member for member in self.members if member.id == member_id]
        members = tuple(member for member in self.members if member.id != member_id)
        keys = tuple(member.key.raw for member in gone) if may_return else ()
        return replace(self, members=members, former=(*self.former, *keys)[-_MAX_FORMER:])


class RoomStore(Protocol):
    """Where rooms are kept. Every method is atomic."""

    def add(self, room: Room) -> bool:
        """Keeps a new room; False, and nothing done, if its code is taken."""

    def get(self, code: str) -> Room | None:
        """The room with that canonical code."""

    def replace(self, room: Room) -> None:
        """Keeps a newer record of a room that the store has."""

    def remove(self, code: str) -> None:
        """Forgets a room that the store has."""

    def find_token(self, digest: bytes) -> Room | None:
        """The room in which a member has that token digest."""

    def listed(self, after: str, count: int) -> tuple[Room, ...]:
        """At most `count` listed rooms in the order of their codes, from behind `after`."""

    def all(self) -> tuple[Room, ...]:
        """Every room, for the sweep."""

    def __len__(self) -> int:
        """How many rooms there are."""


class MemoryStore:
    """Rooms of one server process."""

    def __init__(self) -> None:
        self._rooms: dict[str, Room] = {}
        self._tokens: dict[bytes, str] = {}
        self._listed: list[str] = []

    def add(self, room: Room) -> bool:
        """See `RoomStore`."""
        if room.code in self._rooms:
            return False
        self._rooms[room.code] = room
        self._index_tokens(room)
        if room.listed:
            insort(self._listed, room.code)
        return True

    def get(self, code: str) -> Room | None:
        """See `RoomStore`."""
        return self._rooms.get(code)

    def replace(self, room: Room) -> None:
        """See `RoomStore`; whether a room is listed never changes."""
        self._forget_tokens(self._rooms[room.code])
        self._rooms[room.code] = room
        self._index_tokens(room)

    def remove(self, code: str) -> None:
        """See `RoomStore`."""
        room = self._rooms.pop(code)
        self._forget_tokens(room)
        if room.listed:
            self._listed.remove(code)

    def find_token(self, digest: bytes) -> Room | None:
        """See `RoomStore`."""
        code = self._tokens.get(digest)
        return None if code is None else self._rooms[code]

    def listed(self, after: str, count: int) -> tuple[Room, ...]:
        """See `RoomStore`."""
        start = bisect_right(self._listed, after)
        return tuple(self._rooms[code] for code in self._listed[start : start + count])

    def all(self) -> tuple[Room, ...]:
        """See `RoomStore`."""
        return tuple(self._rooms.values())

    def __len__(self) -> int:
        return len(self._rooms)

    def _index_tokens(self, room: Room) -> None:
        for member in room.members:
            self._tokens[member.token_digest] = room.code

    def _forget_tokens(self, room: Room) -> None:
        for member in room.members:
            del self._tokens[member.token_digest]
