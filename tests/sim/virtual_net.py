"""Links between programs in virtual time: late, lossy, cut, one-way, and begun anew after a crash.

As `net.mesh` promises, messages between two runs of two programs arrive in order and once, however
often their link breaks, unless the seed asks for losses of what is passed on anyway; a link to another run begins anew, and
what the old one had not delivered is lost with it.
"""

import asyncio
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from p2pokey.net.link import AWAY_S, UNSTABLE_S, LinkState
from p2pokey.net.mesh import LinkChanged, MeshEvent, MessageReceived
from p2pokey.table.messages import is_link
from p2pokey.table.roster import Roster
from p2pokey.tiles import Seat


class Crash(BaseException):
    """The program ends here, without another word."""


@dataclass(eq=False)
class Life:
    """One run of one seat's program."""

    seat: Seat
    number: int
    is_dead: bool = False
    events: asyncio.Queue[MeshEvent] = field(default_factory=asyncio.Queue)
    states: dict[Seat, LinkState] = field(default_factory=dict)
    """How it is with the others, as this run sees it."""
    met: dict[Seat, "Life"] = field(default_factory=dict)
    """The run of each other seat that the link belongs to."""

    def put(self, event: MeshEvent) -> None:
        if not self.is_dead:
            self.events.put_nowait(event)

    def see(self, seat: Seat, state: LinkState) -> None:
        if self.states.get(seat, LinkState.HERE) is not state:
            self.states[seat] = state
            self.put(LinkChanged(seat=seat, state=state))


@dataclass
class _Way:
    """One direction between two seats."""

    queue: deque[tuple[float, Life, Life, bytes | None]] = field(default_factory=deque)
    """When, from and to which run, and what; None is a goodbye."""
    last: float = 0.0
    blocks: int = 0


class VirtualNet:
    """All links of one table."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, seats: int, dice: random.Random, *, delay_s: float
    ) -> None:
        """Args: delay_s: longest usual delay; now and then one is twenty times as long."""
        self.loop = loop
        self.seats = seats
        self.dice = dice
        self.delay_s = delay_s
        self.loss = 0.0
        self.lives: dict[Seat, Life] = {}
        """The running program of each seat."""
        self.wire: Callable[[Seat, Seat, bytes], list[bytes]] = lambda source, target, data: [data]
        self._ways = {
            (Seat(a), Seat(b)): _Way() for a in range(seats) for b in range(seats) if a != b
        }

    # Programs ------------------------------------------------------------------------------------

    def begin(self, life: Life, *, together: bool = False) -> None:
        """A program starts; `together`: with all others, linked already."""
        self.lives[life.seat] = life
        for other in self.others(life.seat):
            peer = self.lives.get(other)
            if together and peer is not None:
                life.met[other], peer.met[life.seat] = peer, life
            elif not together:
                self._connect_later(life.seat, other)

    def end(self, life: Life, *, notice_s: float, keep: float = 1.0) -> None:
        """A program is gone; `keep` is the part of its last messages that still arrives."""
        if self.lives.get(life.seat) is life:
            del self.lives[life.seat]
        for other in self.others(life.seat):
            queue = self._ways[life.seat, other].queue
            for _ in range(len(queue) - round(len(queue) * keep)):
                queue.pop()
            self.loop.call_later(notice_s, self._notice, life, other)

    def goodbye(self, life: Life) -> None:
        """A program leaves the table."""
        for other in self.others(life.seat):
            if other in life.met:
                self._put(life, life.met[other], None)

    def others(self, seat: Seat) -> list[Seat]:
        return [Seat(other) for other in range(self.seats) if other != seat]

    # Messages ------------------------------------------------------------------------------------

    def send(self, life: Life, target: Seat, data: bytes) -> None:
        """Puts a message on its way; without a link it is lost."""
        peer = life.met.get(target)
        if peer is None or life.states.get(target) is LinkState.LEFT:
            return
        if self.loss and self.dice.random() < self.loss and not is_link(data):
            return
        for item in self.wire(life.seat, target, data):
            self._put(life, peer, item)

    def is_flushed(self, life: Life) -> bool:
        return not any(
            item[1] is life and self.lives.get(other) is item[2]
            for other in self.others(life.seat)
            for item in self._ways[life.seat, other].queue
        )

    def _put(self, life: Life, peer: Life, data: bytes | None) -> None:
        way = self._ways[life.seat, peer.seat]
        usual = self.dice.random() * self.delay_s
        delay = usual * 20 if self.dice.random() < 0.03 else usual
        way.last = max(way.last, self.loop.time() + delay)
        way.queue.append((way.last, life, peer, data))
        if len(way.queue) == 1 and not way.blocks:
            self.loop.call_at(way.last, self._pump, life.seat, peer.seat)

    def _pump(self, source: Seat, target: Seat) -> None:
        way = self._ways[source, target]
        while way.queue and not way.blocks:
            due, life, peer, data = way.queue[0]
            if due > self.loop.time():
                self.loop.call_at(due, self._pump, source, target)
                return
            way.queue.popleft()
            if peer.met.get(source) is not life:
                continue
            if data is None:
                peer.see(source, LinkState.LEFT)
            else:
                peer.put(MessageReceived(seat=source, data=data))

    # Faults --------------------------------------------------------------------------------------

    def block(self, source: Seat, target: Seat, seconds: float | None) -> None:
        """Nothing gets through in this direction for a while; None: for ever."""
        way = self._ways[source, target]
        way.blocks += 1
        self.loop.call_later(UNSTABLE_S, self._silence, source, target, LinkState.UNSTABLE)
        self.loop.call_later(AWAY_S, self._silence, source, target, LinkState.AWAY)
        if seconds is not None:
            self.loop.call_later(seconds, self._unblock, source, target)

    def _silence(self, source: Seat, target: Seat, state: LinkState) -> None:
        listener = self.lives.get(target)
        if listener is None or not self._ways[source, target].blocks:
            return
        if source in listener.met and listener.states.get(source) is not LinkState.LEFT:
            listener.see(source, state)

    def _unblock(self, source: Seat, target: Seat) -> None:
        way = self._ways[source, target]
        way.blocks -= 1
        if way.blocks:
            return
        listener, speaker = self.lives.get(target), self.lives.get(source)
        if listener is not None and speaker is not None and listener.met.get(source) is speaker:
            if listener.states.get(source) is not LinkState.LEFT:
                listener.see(source, LinkState.HERE)
        elif listener is not None and source in listener.met:
            self._notice(listener.met[source], target)
        self._pump(source, target)
        self._connect_later(source, target)

    def _notice(self, life: Life, other: Seat) -> None:
        """The other one notices that this run is gone, unless it knows better."""
        peer = self.lives.get(other)
        if peer is None or peer.met.get(life.seat) is not life or not life.is_dead:
            return
        if peer.states.get(life.seat) is not LinkState.LEFT:
            peer.see(life.seat, LinkState.AWAY)

    def _connect_later(self, a: Seat, b: Seat) -> None:
        self.loop.call_later(self.dice.random() * 2, self._connect, a, b)

    def _connect(self, a: Seat, b: Seat) -> None:
        """A new link, if both programs run and one of them does not know the other."""
        first, second = self.lives.get(a), self.lives.get(b)
        if first is None or second is None or self._ways[a, b].blocks or self._ways[b, a].blocks:
            return
        if first.met.get(b) is second and second.met.get(a) is first:
            return
        for one, other in ((first, second), (second, first)):
            way = self._ways[one.seat, other.seat]
            way.queue.clear()
            if other.seat in one.met:
                one.see(other.seat, LinkState.AWAY)
            one.met[other.seat] = other
            one.states[other.seat] = LinkState.AWAY
            one.see(other.seat, LinkState.HERE)


class VirtualLinks:
    """One run's links; implements `peer.links.Links`."""

    def __init__(
        self,
        net: VirtualNet,
        life: Life,
        roster: Roster,
        session_id: bytes,
        before_send: Callable[[Life, Seat, bytes], None],
    ) -> None:
        self.seat = life.seat
        self.roster = roster
        self.session_id = session_id
        self._net = net
        self._life = life
        self._before_send = before_send

    def send(self, seat: Seat, data: bytes) -> None:
        self._before_send(self._life, seat, data)
        self._net.send(self._life, seat, data)

    def broadcast(self, data: bytes) -> None:
        for other in self._net.others(self.seat):
            self.send(other, data)

    async def next_event(self) -> MeshEvent | None:
        return await self._life.events.get()

    async def flush(self, timeout: float = 5.0) -> bool:  # noqa: ASYNC109 - as `Mesh` has it
        until = self._net.loop.time() + timeout
        while not self._net.is_flushed(self._life):
            if self._net.loop.time() >= until:
                return False
            await asyncio.sleep(0.1)
        return True
