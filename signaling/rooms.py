"""The signalling server without a network: rooms, places, windows and who may say what to whom.

`Rooms` is driven by four things only: a connection opens, a connection ends, a frame arrives, time
passes (`sweep`). Each returns the effects to carry out, in order. There is no clock and no
randomness inside; `now` is seconds on any clock that never goes back.

A *connection* is one WebSocket. With `hello` it gets an *id*, its name towards others, and a secret
resume token. With `create` or `knock` it holds a *place* in a room: 0 for the host, which opens and
closes the window in which others may knock. When the connection is lost the place is kept for the
grace time, and whoever presents the token takes id and place up again. A room lives as long as its
host's place; its code is free again afterwards.

Every frame is answered by what it asked for or by one `error`; open, close, kick, send, leave and
relay frames are silent when they succeed. No frame, whatever it holds, raises out of `receive`.
"""

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, assert_never

from signaling.codes import ENTROPY_BYTES, code_from
from signaling.connections import Connection, Connections, new_connection
from signaling.effects import CloseCode, Effect, Outbox
from signaling.limits import BucketTable, Limits, retry_ms
from signaling.listing import list_page
from signaling.messages import (
    ClientMessage,
    Close,
    Create,
    ErrorCode,
    Hello,
    Kick,
    Knock,
    Leave,
    ListRooms,
    Open,
    Refusal,
    Relay,
    SendBody,
)
from signaling.parsing import parse_frame, parse_text
from signaling.places import RETRY_AWAY_MS, Places, new_member, peer_state, place_for
from signaling.replies import Bye, ErrorReply, Presence, Received, Welcome
from signaling.store import HOST_PLACE, Member, Room, RoomStore

_TOKEN_BYTES = 16  # 128 bits: nobody guesses a token
_CODE_TRIES = 16  # with 10,000 of 33 million codes taken, 16 collisions in a row do not happen

# A full server: rooms and connections end by the minute, not by the second.
_RETRY_BUSY_MS = 60_000


class Rooms:
    """All rooms and connections of one server process.

    Args:
        limits: every number that can be configured.
        store: where rooms are kept.
        entropy: returns that many random bytes, from the operating system outside tests.
        ice: ICE servers to hand out in `welcome`.
        motd: line to hand out in `welcome`.
    """

    def __init__(
        self,
        *,
        limits: Limits,
        store: RoomStore,
        entropy: Callable[[int], bytes],
        ice: Sequence[Mapping[str, Any]] = (),
        motd: str | None = None,
    ) -> None:
        self._limits = limits
        self._store = store
        self._entropy = entropy
        self._ice = tuple(ice)
        self._motd = motd
        self._outbox = Outbox()
        self._connections = Connections()
        self._places = Places(
            store=store,
            connections=self._connections,
            outbox=self._outbox,
            grace_s=limits.grace_s,
        )
        self._ids = 0
        self._creations = BucketTable(
            capacity=limits.rooms_per_hour, per_second=limits.rooms_per_hour / 3600
        )
        self._knocks = BucketTable(
            capacity=limits.knocks_per_minute, per_second=limits.knocks_per_minute / 60
        )
        self._relayed = BucketTable(
            capacity=limits.relay_bytes_per_room_hour,
            per_second=limits.relay_bytes_per_room_hour / 3600,
        )

    # --- what drives the machine ---

    def connect(self, number: int, address: str, now: float) -> tuple[Effect, ...]:
        """A connection opened.

        Args:
            number: the shell's name for it, never used before.
            address: what per-address limits count (`addresses.address_key`).
            now: seconds.

        Returns:
            Nothing, or an error and a close when there are too many connections. A connection that
            is closed here may still be given to `receive` and `disconnect`.
        """
        limits = self._limits
        if (
            len(self._connections) >= limits.connections
            or self._connections.of_address(address) >= limits.sockets_per_address
        ):
            error = ErrorReply(re="", code=ErrorCode.RATE, retry_ms=_RETRY_BUSY_MS)
            self._outbox.send(number, error)
            self._outbox.close(number, CloseCode.TRY_LATER, "too many connections")
        else:
            self._connections.add(new_connection(number, address, limits, now))
        return self._outbox.flush()

    def receive(self, number: int, data: str | bytes, now: float) -> tuple[Effect, ...]:
        """A whole frame arrived: text as str, binary as bytes. Never raises for what is in it."""
        connection = self._connections.get(number)
        if connection is None:
            return ()
        try:
            if isinstance(data, str):
                self._receive_text(connection, data, now)
            else:
                self._receive_frame(connection, data, now)
        except Refusal as refusal:
            self._refuse(connection, refusal, now)
        return self._outbox.flush()

    def disconnect(self, number: int, now: float) -> tuple[Effect, ...]:
        """A connection ended, for whatever reason; its place is kept for the grace time."""
        connection = self._connections.remove(number)
        place = None if connection is None else self._places.of(connection)
        if place is not None:
            self._places.keep(*place, now)
        return self._outbox.flush()

    def sweep(self, now: float) -> tuple[Effect, ...]:
        """Time passed: ends what has outlived its grace. To be called every few seconds."""
        for room in self._store.all():
            self._places.sweep(room, now)
        for connection in self._connections.all():
            if connection.id is None and now - connection.opened_at >= self._limits.hello_s:
                self._close(connection, CloseCode.POLICY, "no hello")
        for table in (self._creations, self._knocks, self._relayed):
            table.prune(now)
        return self._outbox.flush()

    def farewell(self, retry_after_ms: int) -> tuple[Effect, ...]:
        """The server is about to stop: a `bye` for everybody."""
        for connection in self._connections.all():
            self._outbox.send(connection.number, Bye(retry_ms=retry_after_ms))
        return self._outbox.flush()

    # --- from frames to handlers ---

    def _receive_text(self, connection: Connection, text: str, now: float) -> None:
        message = parse_text(text, self._limits)
        wait = connection.messages.take(1, now)
        if wait > 0:
            raise Refusal(ErrorCode.RATE, re=message.kind, retry_ms=retry_ms(wait))
        if (connection.id is None) != isinstance(message, Hello):
            raise Refusal(ErrorCode.BAD, re=message.kind)  # hello comes first, and once
        self._dispatch(connection, message, now)

    def _receive_frame(self, connection: Connection, frame: bytes, now: float) -> None:
        # The frame has crossed the wire already, so it is paid for even if it is refused.
        pause = connection.charge_relay(len(frame), now)
        if pause > 0:
            self._outbox.pause(connection.number, pause)
        self._dispatch(connection, parse_frame(frame, self._limits), now)

    def _dispatch(self, connection: Connection, message: ClientMessage, now: float) -> None:
        match message:
            case Hello():
                self._hello(connection, message, now)
            case Create():
                self._create(connection, message, now)
            case Open():
                self._open_window(connection, message, now)
            case Close():
                self._close_window(connection, message, now)
            case Kick():
                self._kick(connection, message)
            case Knock():
                self._knock(connection, message, now)
            case SendBody():
                self._forward_body(connection, message)
            case Relay():
                self._forward_frame(connection, message, now)
            case ListRooms():
                self._list(connection, message, now)
            case Leave():
                self._places.take_away(*self._require_place(connection, message))
            case _:
                assert_never(message)

    def _refuse(self, connection: Connection, refusal: Refusal, now: float) -> None:
        error = ErrorReply(re=refusal.re, code=refusal.code, retry_ms=refusal.retry_ms)
        self._outbox.send(connection.number, error)
        if connection.refusals.take(1, now) > 0:
            self._close(connection, CloseCode.POLICY, "too many refused messages")

    def _close(self, connection: Connection, code: CloseCode, reason: str) -> None:
        connection.is_closing = True
        self._outbox.close(connection.number, code, reason)

    def _require_place(self, connection: Connection, message: ClientMessage) -> tuple[Room, Member]:
        place = self._places.of(connection)
        if place is None:
            raise Refusal(ErrorCode.BAD, re=message.kind)
        return place

    def _require_host(self, connection: Connection, message: ClientMessage) -> Room:
        room, member = self._require_place(connection, message)
        if member.place != HOST_PLACE:
            raise Refusal(ErrorCode.BAD, re=message.kind)
        return room

    # --- handlers ---

    def _hello(self, connection: Connection, message: Hello, now: float) -> None:
        place = None if message.resume is None else self._places.of_token(message.resume, now)
        if place is not None and message.resume is not None:
            self._resume(connection, message.resume, *place, now)
            return
        self._ids += 1
        token = base64.urlsafe_b64encode(self._entropy(_TOKEN_BYTES)).rstrip(b"=").decode()
        self._connections.name(connection, f"c{self._ids}", token)
        self._welcome(connection)
        if message.resume is not None:
            # After the welcome: the client is connected, only its old place is no more.
            raise Refusal(ErrorCode.GONE, re=message.kind)

    def _resume(
        self, connection: Connection, token: str, room: Room, member: Member, now: float
    ) -> None:
        old = self._connections.by_id(member.id)
        if old is not None:
            self._connections.unname(old)
            self._close(old, CloseCode.REPLACED, "resumed on another connection")
        self._connections.name(connection, member.id, token)
        self._welcome(connection)
        room = self._places.take_up(connection, room, member)
        self._places.tell_place(connection, room, member, now)

    def _welcome(self, connection: Connection) -> None:
        assert connection.id is not None
        limits = self._limits
        welcome = Welcome(
            id=connection.id,
            resume=connection.token,
            motd=self._motd,
            ice=self._ice,
            limits={
                "body": limits.body_chars,
                "relay": limits.relay_bytes,
                "relay_rate": limits.relay_bytes_per_second,
                "msg_rate": limits.messages_per_second,
            },
        )
        self._outbox.send(connection.number, welcome)

    def _create(self, connection: Connection, message: Create, now: float) -> None:
        if connection.room is not None:
            raise Refusal(ErrorCode.BAD, re=message.kind)
        wait = self._creations.take(connection.address, 1, now)
        if wait > 0:
            raise Refusal(ErrorCode.RATE, re=message.kind, retry_ms=retry_ms(wait))
        if len(self._store) >= self._limits.rooms:
            raise Refusal(ErrorCode.RATE, re=message.kind, retry_ms=_RETRY_BUSY_MS)
        host = new_member(connection, HOST_PLACE, message.host)
        room = Room(
            code="",
            seats=message.seats,
            listed=message.listed,
            title=message.title,
            rules=message.rules,
            created_at=now,
            window_until=now + self._window_s(message.ttl),
            members=(host,),
        )
        room = self._add_room(room, message)
        connection.room = room.code
        self._places.tell_place(connection, room, host, now)

    def _add_room(self, room: Room, message: Create) -> Room:
        """Keeps the room under the code that was asked for, or under a new one."""
        if message.room is not None:
            room = replace(room, code=message.room)
            if not self._store.add(room):
                raise Refusal(ErrorCode.GONE, re=message.kind)
            return room
        for _ in range(_CODE_TRIES):
            room = replace(room, code=code_from(self._entropy(ENTROPY_BYTES)))
            if self._store.add(room):
                return room
        raise Refusal(ErrorCode.RATE, re=message.kind, retry_ms=_RETRY_BUSY_MS)

    def _knock(self, connection: Connection, message: Knock, now: float) -> None:
        if connection.room is not None:
            raise Refusal(ErrorCode.BAD, re=message.kind)
        wait = self._knocks.take(connection.address, 1, now)
        if wait > 0:
            raise Refusal(ErrorCode.RATE, re=message.kind, retry_ms=retry_ms(wait))
        room = self._store.get(message.room)
        if room is None:
            raise Refusal(ErrorCode.NO_ROOM, re=message.kind)
        place = place_for(room, message, now)
        room, member = self._places.give(connection, room, place, message.pub)
        self._places.tell_place(connection, room, member, now)
        self._places.tell_knock(room, member)

    def _open_window(self, connection: Connection, message: Open, now: float) -> None:
        room = self._require_host(connection, message)
        if room.free == 0:
            raise Refusal(ErrorCode.FULL, re=message.kind)
        self._store.replace(room.with_window(now + self._window_s(message.ttl)))

    def _window_s(self, ttl: int | None) -> int:
        return self._limits.window_s if ttl is None else ttl

    def _close_window(self, connection: Connection, message: Close, now: float) -> None:
        room = self._require_host(connection, message)
        self._store.replace(replace(room, window_until=now))

    def _kick(self, connection: Connection, message: Kick) -> None:
        room = self._require_host(connection, message)
        if message.id == room.host.id:
            raise Refusal(ErrorCode.BAD, re=message.kind)
        member = room.member(message.id)
        if member is None:
            raise Refusal(ErrorCode.GONE, re=message.kind)
        kicked = self._connections.by_id(member.id)
        if kicked is not None:
            self._outbox.send(kicked.number, peer_state(member, Presence.LEFT))
        # A kick answers a wrong guess: the place that the guess filled must be free for the
        # friend again, for what is left of the window.
        self._places.take_away(replace(room, filled=False), member)

    def _forward_body(self, connection: Connection, message: SendBody) -> None:
        room, member = self._require_place(connection, message)
        receiver = self._receiver(room.member(message.to), member, message)
        body = Received(sender=member.id, n=message.n, body=message.body)
        self._outbox.send(receiver.number, body)

    def _forward_frame(self, connection: Connection, message: Relay, now: float) -> None:
        room, member = self._require_place(connection, message)
        receiver = self._receiver(room.member_at(message.place), member, message)
        wait = self._relayed.take(room.code, len(message.payload), now)
        if wait > 0:
            raise Refusal(ErrorCode.RATE, re=message.kind, retry_ms=retry_ms(wait))
        self._outbox.send_frame(receiver.number, bytes([member.place]) + message.payload)

    def _receiver(
        self, member: Member | None, sender: Member, message: SendBody | Relay
    ) -> Connection:
        if member is None:
            raise Refusal(ErrorCode.GONE, re=message.kind)
        if member.id == sender.id:
            raise Refusal(ErrorCode.BAD, re=message.kind)
        receiver = self._connections.by_id(member.id)
        if receiver is None:
            raise Refusal(ErrorCode.GONE, re=message.kind, retry_ms=RETRY_AWAY_MS)
        return receiver

    def _list(self, connection: Connection, message: ListRooms, now: float) -> None:
        page = list_page(self._store, message.cursor or "", self._limits.list_page, now)
        self._outbox.send(connection.number, page)
