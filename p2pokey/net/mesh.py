"""Authenticated links to all other seats of one table: what the game talks through.

A mesh outlives the signalling server. A link that loses its transport gets another one if the
signalling server is still there, and continues where it was; until then its messages wait. The game
sees messages in order, exactly once, and how it is with each seat.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, assert_never

from p2pokey.errors import LinkError, LocalProtocolError, PlayerLeft, TimedOut
from p2pokey.net.limits import Limits
from p2pokey.net.link import (
    FrameReady,
    Link,
    LinkBroken,
    LinkEffect,
    LinkState,
    MessageArrived,
    StateChanged,
)
from p2pokey.net.membership import Membership
from p2pokey.net.tasks import cancel, spawn
from p2pokey.net.transport import Transport
from p2pokey.table.roster import Roster
from p2pokey.tiles import Seat

READY = b"p2pokey ready"
"""First message on every link: its sender has all of its links."""
MAX_WAITING_BYTES = 16 * 1024 * 1024
"""Bytes of one seat that the game has not taken yet: ten hands."""
_EVENT_COST = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageReceived:
    """A message of another seat."""

    seat: Seat
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkChanged:
    """It is otherwise with another seat now."""

    seat: Seat
    state: LinkState
    reason: str = ""
    """Why a seat has `left` without a goodbye; empty otherwise."""


MeshEvent = MessageReceived | LinkChanged


@dataclass(slots=True, kw_only=True)
class _Peer:
    link: Link
    transport: Transport | None = None
    reader: asyncio.Task[None] | None = None
    run: bytes = b""
    """Run of the other program that the link belongs to; empty before the first transport."""
    is_ready: bool = False
    waiting_bytes: int = 0
    reason: str = ""


@dataclass(slots=True, kw_only=True)
class MeshHooks:
    """What the mesh asks of whoever makes its links; empty for a mesh that cannot reconnect."""

    want: Callable[[Seat], None] = lambda seat: None
    """The link to that seat needs a transport."""
    forget: Callable[[Seat], Coroutine[Any, Any, None]] | None = None
    """That seat has left: it is not called any more, but may call."""


@dataclass(slots=True, kw_only=True)
class Mesh:
    """The links of one seat. Use it with `async with`, or call `close`.

    `send` and `broadcast` never wait: a message to a seat that is away is kept for it (up to 8 MiB),
    one to a seat that has left is dropped. What another run of a seat's program has not acknowledged
    is gone: whoever is above says again what matters when the seat is `here` again.
    """

    seat: Seat
    """Our seat."""
    roster: Roster
    """Who sits where."""
    session_id: bytes
    """32 bytes (docs/protocol.md S2)."""
    limits: Limits = field(default_factory=Limits)
    hooks: MeshHooks = field(default_factory=MeshHooks)
    owned: AsyncExitStack = field(default_factory=AsyncExitStack)
    """Closed last, with the mesh: the signalling connection and the dialer."""
    is_resumed: bool = False
    """Whether our program has been started again: the table stands, and all others are away."""
    membership: Membership | None = field(default=None, init=False)
    """What it takes to come back, once the table stands."""
    on_membership: Callable[[Membership], None] = field(default=lambda kept: None, init=False)
    """Told of each change of `membership`; must not raise."""
    give_up_place: Callable[[], None] = field(default=lambda: None, init=False)
    """To be called when the table is over: our place at the server goes with the mesh."""
    _peers: dict[Seat, _Peer] = field(default_factory=dict, init=False)
    _events: deque[MeshEvent] = field(default_factory=deque, init=False)
    _changed: asyncio.Event = field(default_factory=asyncio.Event, init=False)
    _ticker: asyncio.Task[None] | None = field(default=None, init=False)
    _cleanups: set[asyncio.Task[None]] = field(default_factory=set, init=False)
    _is_closing: bool = field(default=False, init=False)
    _stands: bool = field(default=False, init=False)
    """Whether a seat that comes anew is told at once that we have all links."""

    def __post_init__(self) -> None:
        now = self._now()
        others = (Seat(index) for index in range(len(self.roster.seats)) if index != self.seat)
        state = LinkState.AWAY if self.is_resumed else LinkState.HERE
        self._peers = {other: _Peer(link=Link(now=now, state=state)) for other in others}
        self._stands = self.is_resumed
        self._ticker = spawn(self._tick(), "mesh ticker")

    async def __aenter__(self) -> "Mesh":
        """The mesh itself."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Says goodbye and closes."""
        await self.close()

    # --- for the game ---

    @property
    def others(self) -> tuple[Seat, ...]:
        """The other seats."""
        return tuple(self._peers)

    def state(self, seat: Seat) -> LinkState:
        """How it is with another seat."""
        return self._peers[seat].link.state

    def transport_kind(self, seat: Seat) -> str:
        """`direct`, `relayed` or `memory`; empty while there is no transport."""
        transport = self._peers[seat].transport
        return "" if transport is None else transport.kind

    def send(self, seat: Seat, data: bytes) -> None:
        """Sends a message of at most 1 MiB to another seat.

        Raises:
            LocalProtocolError: to our own seat, or too large.
        """
        peer = self._peers.get(seat)
        if peer is None:
            raise LocalProtocolError(f"expected another seat to send to, got {seat}")
        if self._stands and self.is_resumed and not peer.run:
            return  # its link begins when it is there
        peer.link.send(data)
        self._apply(seat, peer)

    def broadcast(self, data: bytes) -> None:
        """Sends a message to every other seat."""
        for seat in self._peers:
            self.send(seat, data)

    async def next_event(self, timeout: float | None = None) -> MeshEvent | None:  # noqa: ASYNC109
        """The next event, or None if there is none within `timeout` seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await self._until(lambda: bool(self._events))
        if not self._events:
            return None
        event = self._events.popleft()
        if isinstance(event, MessageReceived):
            self._peers[event.seat].waiting_bytes -= len(event.data) + _EVENT_COST
        return event

    async def flush(self, timeout: float = 5.0) -> bool:  # noqa: ASYNC109
        """Whether within `timeout` seconds every seat that has not left acknowledged everything."""
        try:
            async with asyncio.timeout(timeout):
                await self._until(lambda: all(p.link.is_flushed for p in self._peers.values()))
        except TimeoutError:
            return False
        return True

    async def close(self) -> None:
        """Says goodbye, waits for the answers at most `limits.goodbye_s`, and closes everything."""
        if self._is_closing:
            return
        self._is_closing = True
        try:
            for seat, peer in self._peers.items():
                peer.link.bye()
                self._apply(seat, peer)
            with suppress(TimeoutError):
                async with asyncio.timeout(self.limits.goodbye_s):
                    await self._until(self._has_said_goodbye)
        finally:
            await self._shut_down()

    # --- for whoever makes the links ---

    def keep(self, membership: Membership) -> None:
        """What it takes to come back to this table is that from now on."""
        self.membership = membership
        self.on_membership(membership)

    def attach(self, seat: Seat, transport: Transport, run: bytes) -> None:
        """A new authenticated transport to that seat, in place of an older one.

        Args:
            seat: the other seat.
            transport: ours from now on.
            run: which run of the other program is at its end. Another one than before knows nothing
                of what was said: its link begins anew, and the game sees it away and here again.
        """
        peer = self._peers[seat]
        is_new = run != peer.run
        if self._is_closing or (peer.link.state is LinkState.LEFT and not is_new):
            self._clean_up(transport.close())
            return
        self._drop_transport(peer)
        if is_new:
            self._restart(seat, peer, run)
        peer.transport = transport
        peer.link.attach(self._now())
        reader = self._read(seat, peer, transport)
        peer.reader = spawn(reader, f"read seat {seat}")
        self._apply(seat, peer)

    def _restart(self, seat: Seat, peer: _Peer, run: bytes) -> None:
        is_first, peer.run, peer.reason = not peer.run, run, ""
        if not is_first:
            peer.is_ready = False
            peer.link.restart()
            for effect in peer.link.poll():
                if isinstance(effect, StateChanged):
                    self._events.append(LinkChanged(seat=seat, state=effect.state))
        if self._stands:
            peer.link.send(READY)

    @property
    def linked(self) -> int:
        """How many links have a transport."""
        return sum(peer.transport is not None for peer in self._peers.values())

    async def get_ready(self) -> None:
        """Tells everybody that we have all links, and waits until everybody has told us.

        Raises:
            PlayerLeft: somebody left before.
            TimedOut: somebody did not get all links in time.
        """
        self._stands = True
        self.broadcast(READY)
        try:
            async with asyncio.timeout(self.limits.ready_s):
                await self._until(self._is_ready)
        except TimeoutError:
            late = [self._name(seat) for seat, peer in self._peers.items() if not peer.is_ready]
            raise TimedOut(
                f"{', '.join(late)} could not reach everybody: start again, or use one network."
            ) from None

    def _is_ready(self) -> bool:
        for seat, peer in self._peers.items():
            if peer.link.state is LinkState.LEFT:
                why = f" ({peer.reason})" if peer.reason else ""
                raise PlayerLeft(f"{self._name(seat)} left before the table stood{why}.")
        return all(peer.is_ready for peer in self._peers.values())

    # --- inside ---

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    def _name(self, seat: Seat) -> str:
        return self.roster.seats[seat].name

    async def _until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            await self._changed.wait()

    def _announce(self) -> None:
        """Wakes everybody who waits for a condition."""
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    def _apply(self, seat: Seat, peer: _Peer) -> None:
        """Does what the link says, until it has nothing more to say."""
        while effects := peer.link.poll():
            for effect in effects:
                self._do(seat, peer, effect)
        self._announce()

    def _do(self, seat: Seat, peer: _Peer, effect: LinkEffect) -> None:
        match effect:
            case FrameReady():
                if peer.transport is not None:
                    peer.transport.send(effect.frame)
            case MessageArrived():
                self._take_message(seat, peer, effect.message)
            case StateChanged():
                self._take_state(seat, peer, effect.state)
            case LinkBroken():
                peer.reason = str(effect.error)
                self._drop_transport(peer)
            case _:
                assert_never(effect)

    def _take_message(self, seat: Seat, peer: _Peer, message: bytes) -> None:
        if not peer.is_ready:
            if message != READY:
                peer.link.refuse(LinkError("expected to hear that everybody is linked"))
                return
            peer.is_ready = True
            return
        peer.waiting_bytes += len(message) + _EVENT_COST
        if peer.waiting_bytes > MAX_WAITING_BYTES:
            peer.link.refuse(LinkError("the other player sends more than we can take"))
            return
        self._events.append(MessageReceived(seat=seat, data=message))

    def _take_state(self, seat: Seat, peer: _Peer, state: LinkState) -> None:
        self._events.append(LinkChanged(seat=seat, state=state, reason=peer.reason))
        if state is LinkState.AWAY:
            # Whatever is left of the transport has been silent for 15 s: try another one.
            self._lose_transport(seat, peer)
        if state is LinkState.LEFT and self.hooks.forget is not None:
            self._clean_up(self.hooks.forget(seat))

    async def _read(self, seat: Seat, peer: _Peer, transport: Transport) -> None:
        try:
            while peer.transport is transport:
                frame = await transport.receive()
                peer.link.receive(frame, self._now())
                self._apply(seat, peer)
        except LinkError:
            if peer.transport is transport:
                self._lose_transport(seat, peer)
                self._announce()

    def _lose_transport(self, seat: Seat, peer: _Peer) -> None:
        self._drop_transport(peer)
        if peer.link.state is not LinkState.LEFT and not self._is_closing:
            self.hooks.want(seat)

    def _drop_transport(self, peer: _Peer) -> None:
        transport, peer.transport = peer.transport, None
        reader, peer.reader = peer.reader, None
        peer.link.detach()
        if transport is not None:
            self._clean_up(transport.close())
        if reader is not None and reader is not asyncio.current_task():
            reader.cancel()

    def _clean_up(self, work: Coroutine[Any, Any, None]) -> None:
        """Runs something in the background that `close` waits for."""
        task = spawn(work, "mesh cleanup")
        self._cleanups.add(task)
        task.add_done_callback(self._cleanups.discard)

    async def _tick(self) -> None:
        while True:
            times = (peer.link.next_timer() for peer in self._peers.values())
            due = min((time for time in times if time is not None), default=self._now() + 1.0)
            # At least twice a second: a new transport may want its first ping sooner.
            await asyncio.sleep(min(max(due - self._now(), 0.0), 0.5))
            for seat, peer in self._peers.items():
                peer.link.timer(self._now())
                self._apply(seat, peer)

    def _has_said_goodbye(self) -> bool:
        """Whether every goodbye has arrived or has no way to."""
        return all(peer.link.is_flushed or peer.transport is None for peer in self._peers.values())

    async def _shut_down(self) -> None:
        await cancel(self._ticker, *(peer.reader for peer in self._peers.values()))
        for peer in self._peers.values():
            self._drop_transport(peer)
        while self._cleanups:
            await asyncio.wait(set(self._cleanups))
        await self.owned.aclose()
