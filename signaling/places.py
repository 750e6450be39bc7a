"""Places in rooms: giving, keeping, taking up again and taking away, and who is told of it.

Works on the stored rooms, the open connections and the outbox of `rooms.Rooms`, and keeps the first
two in step: a connection names a room exactly if the room has a member of its id that is not away.
"""

import hashlib
from dataclasses import replace

from signaling.connections import Connection, Connections
from signaling.effects import Outbox
from signaling.messages import ErrorCode, Knock, PublicKey, Refusal
from signaling.replies import Created, Knocked, Lobby, PeerState, Presence
from signaling.store import HOST_PLACE, Member, Room, RoomStore

# Somebody whose connection was lost is usually back within seconds.
RETRY_AWAY_MS = 2000
# A place under the same key on a connection that may be dead: pings find out within 40 s.
RETRY_SAME_KEY_MS = 5000


def digest_of(token: str) -> bytes:
    """What is stored in place of a resume token."""
    return hashlib.sha256(token.encode()).digest()


def new_member(connection: Connection, place: int, key: PublicKey) -> Member:
    """A connection that has said hello as the holder of a place."""
    assert connection.id is not None
    return Member(id=connection.id, place=place, key=key, token_digest=digest_of(connection.token))


def place_for(room: Room, message: Knock, now: float) -> int:
    """The place that a knock gets: a free one, or the one that its key has lost.

    A key that holds or held a place needs no open window: its player is coming back. Whether it is
    really that player is for the host to find out, as with every knock.

    Raises:
        Refusal: `gone` while the host is away, `full`, `window_closed`, or `bad` for the host's key.
    """
    if room.host.away_since is not None:
        raise Refusal(ErrorCode.GONE, re=message.kind, retry_ms=RETRY_AWAY_MS)
    holder = room.member_with_key(message.pub.raw)
    if holder is not None:
        if holder.place == HOST_PLACE:
            raise Refusal(ErrorCode.BAD, re=message.kind)
        if holder.away_since is None:
            raise Refusal(ErrorCode.FULL, re=message.kind, retry_ms=RETRY_SAME_KEY_MS)
        return holder.place
    place = room.free_place()
    if place is None:
        raise Refusal(ErrorCode.FULL, re=message.kind)
    if room.window_s(now) == 0 and message.pub.raw not in room.former:
        raise Refusal(ErrorCode.WINDOW_CLOSED, re=message.kind)
    return place


class Places:
    """The changes that a place can undergo.

    Args:
        store: the rooms.
        connections: the open connections.
        outbox: where messages go.
        grace_s: seconds that a place outlives its connection.
    """

    def __init__(
        self, *, store: RoomStore, connections: Connections, outbox: Outbox, grace_s: float
    ) -> None:
        self._store = store
        self._connections = connections
        self._outbox = outbox
        self._grace_s = grace_s

    def of(self, connection: Connection) -> tuple[Room, Member] | None:
        """The room and the place of a connection, if it has one."""
        if connection.room is None or connection.id is None:
            return None
        room = self._store.get(connection.room)
        member = None if room is None else room.member(connection.id)
        assert room is not None
        assert member is not None
        return room, member

    def of_token(self, token: str, now: float) -> tuple[Room, Member] | None:
        """The room and the place that a resume token belongs to, unless its time has run out."""
        digest = digest_of(token)
        room = self._store.find_token(digest)
        member = None if room is None else room.member_with_token(digest)
        if room is None or member is None:
            return None
        if any(one.is_overdue(now, self._grace_s) for one in (room.host, member)):
            return None
        return room, member

    def give(
        self, connection: Connection, room: Room, place: int, key: PublicKey
    ) -> tuple[Room, Member]:
        """Gives a guest a place; whoever held it before loses it. Returns room and place."""
        holder = room.member_at(place)
        if holder is not None:
            self.take_away(room, holder)
        member = new_member(connection, place, key)
        room = room.with_member(member)
        self._store.replace(room)
        connection.room = room.code
        return room, member

    def take_up(self, connection: Connection, room: Room, member: Member) -> Room:
        """Connects a kept place again and tells the others. Returns the room as it is now."""
        member = replace(member, away_since=None)
        room = room.with_member(member)
        self._store.replace(room)
        connection.room = room.code
        self.tell_others(room, member, Presence.HERE)
        return room

    def keep(self, room: Room, member: Member, now: float) -> None:
        """The connection is lost: keeps the place for the grace time."""
        self._store.replace(room.with_member(replace(member, away_since=now)))
        self.tell_others(room, member, Presence.AWAY)

    def take_away(self, room: Room, member: Member, *, may_return: bool = False) -> None:
        """Ends one place; with the host's place, the room.

        Args:
            room: the room as it is to be kept, except for this place.
            member: whose place.
            may_return: let its key come back when the window is closed.
        """
        self.tell_others(room, member, Presence.LEFT)
        if member.place == HOST_PLACE:
            self._store.remove(room.code)
            ended = room.members
        else:
            self._store.replace(room.without(member.id, may_return=may_return))
            ended = (member,)
        for one in ended:
            connection = self._connections.by_id(one.id)
            if connection is not None:
                connection.room = None

    def sweep(self, room: Room, now: float) -> None:
        """Takes away the places of one room that have outlived their grace time."""
        if room.host.is_overdue(now, self._grace_s):
            self.take_away(room, room.host)
            return
        for member in room.members:
            if member.is_overdue(now, self._grace_s):
                self.take_away(room, member, may_return=True)
                room = room.without(member.id, may_return=True)

    def tell_place(self, connection: Connection, room: Room, member: Member, now: float) -> None:
        """Tells a member its own place, and for each other member whether it is there.

        A guest learns of the host from `lobby`, so a host that is there needs no `peer`.
        """
        window_s = room.window_s(now)
        if member.place == HOST_PLACE:
            self._outbox.send(connection.number, Created(room=room.code, window_s=window_s))
        else:
            lobby = Lobby(
                room=room.code,
                place=member.place,
                host_id=room.host.id,
                host_pub=room.host.key.text,
                window_s=window_s,
            )
            self._outbox.send(connection.number, lobby)
        for other in room.members:
            state = Presence.HERE if other.away_since is None else Presence.AWAY
            is_told = other.place == HOST_PLACE and state is Presence.HERE
            if other.id != member.id and not is_told:
                self._outbox.send(connection.number, peer_state(other, state))

    def tell_knock(self, room: Room, member: Member) -> None:
        """Tells the host who knocked, and the other guests that somebody is there."""
        host = self._connections.by_id(room.host.id)
        if host is not None:
            knock = Knocked(id=member.id, place=member.place, pub=member.key.text)
            self._outbox.send(host.number, knock)
        guests = replace(room, members=room.members[1:])
        self.tell_others(guests, member, Presence.HERE)

    def tell_others(self, room: Room, member: Member, state: Presence) -> None:
        """Tells everybody else in the room how it is with one member."""
        for other in room.members:
            connection = self._connections.by_id(other.id)
            if connection is not None and other.id != member.id:
                self._outbox.send(connection.number, peer_state(member, state))


def peer_state(member: Member, state: Presence) -> PeerState:
    """The `peer` message about a member."""
    return PeerState(id=member.id, place=member.place, state=state)
