"""Tables at which seats fall silent, come back, and are called absent in time or too early.

The shells here have no clock: they call a seat absent when nothing else can happen, and in some runs at
random moments before, so that a move and a time-out race. A seed is the whole bug report.
"""

import random
from collections.abc import Callable, Collection

from p2pokey.crypto.group import Group
from p2pokey.hand.effects import CallAbsent, Phase
from p2pokey.rules.state import all_places
from p2pokey.tiles import Seat
from p2pokey.transcript.envelope import decode_envelope
from p2pokey.transcript.setup import HandSetup
from tests.sim.table import SimPeer, SimTable

Score = tuple[tuple[int, ...], tuple[int, ...]]


class SilentTable(SimTable):
    """A table with seats that can be cut off and whose shells call absent whom they wait for."""

    def __init__(
        self,
        group: Group,
        setup: HandSetup,
        seed: object,
        *,
        audit: Callable[[bytes], Score] | None = None,
        chaos: bool = True,
        hasty: float = 0.0,
        liars: Collection[int] = (),
    ) -> None:
        """Args:
        hasty: how likely a shell is, at each event, to call absent whom it waits for just then.
        liars: seats that are not expected to keep to the protocol.
        """
        super().__init__(group, setup, seed, audit=audit, chaos=chaos)
        self.dice = random.Random(f"silence {seed}")
        self.hasty = hasty
        self.liars = set(liars)
        self.silent_from: dict[int, int] = {}
        self.cut: set[int] = set()
        self.reach: dict[int, Collection[int]] = {}
        self.kept: list[tuple[Seat, Seat, bytes]] = []
        self.back_after: dict[int, int] = {}
        self.together = 0.1
        """How often all shells lose patience in the same moment."""
        self.stalls = 0
        self.events = 0

    def fall_silent(
        self,
        seat: int,
        *,
        after: int,
        to: Collection[int] = range(4),
        back_after: int | None = None,
    ) -> None:
        """Cuts a seat off from its message number `after` on.

        Args:
            to: whom that message does not reach; the following ones reach nobody.
            back_after: calls it back after so many stalls of the table, None for never.
        """
        self.silent_from[seat] = after
        self.reach[seat] = to
        if back_after is not None:
            self.back_after[seat] = back_after

    def come_back(self, seat: int) -> None:
        """Lets everything through again, in order, what was kept first."""
        self.cut.discard(seat)
        self.silent_from.pop(seat, None)
        self.back_after.pop(seat, None)
        kept, self.kept = self.kept, []
        for source, target, data in kept:
            if seat in (source, target) and not self.is_cut(source, target):
                self.links[source, target].append(data)
            else:
                self.kept.append((source, target, data))

    def is_cut(self, source: int, target: int) -> bool:
        return source in self.cut or target in self.cut

    def broadcast(self, source: Seat, data: bytes) -> None:
        envelope = decode_envelope(data)
        is_last = envelope.seat == source and envelope.seq == self.silent_from.get(source)
        for peer in self.peers:
            if peer.seat == source:
                continue
            is_lost = is_last and peer.seat in self.reach[source]
            if is_lost or self.is_cut(source, peer.seat):
                self.kept.append((source, peer.seat, data))
            else:
                self.links[source, peer.seat].append(data)
        if is_last:
            self.cut.add(source)

    def work(self, peer: SimPeer) -> bool:
        if peer.machine._core.is_absent:
            peer.wants_to_move = False  # its turn has passed
        return super().work(peer)

    def step(self) -> bool:
        self.events += 1
        if self.hasty and self.dice.random() < self.hasty:
            peer = self.dice.choice(self.peers)
            if peer.seat not in self.liars:
                self.call(peer)
        if super().step():
            return True
        return self.stalled()

    def stalled(self) -> bool:
        """Nothing is under way: somebody comes back, or the shells have waited long enough."""
        self.stalls += 1
        for seat, stalls in list(self.back_after.items()):
            self.back_after[seat] = stalls - 1
            if stalls <= 0:
                self.come_back(seat)
                return True
        order = [peer for peer in self.peers if peer.seat not in self.liars]
        self.dice.shuffle(order)
        at_once = self.dice.random() < self.together
        for peer in order:
            before = len(peer.disk)
            self.call(peer)
            self.carry_out(peer)
            if len(peer.disk) > before and not at_once:
                return True
        if any(queue for queue in self.links.values()):
            return True
        if self.back_after:
            self.come_back(min(self.back_after))
            return True
        return False

    def call(self, peer: SimPeer) -> None:
        """The shell of this seat calls absent one of the seats that it waits for."""
        machine = peer.machine
        if machine.phase in (Phase.DONE, Phase.STOPPED):
            return
        seats = [seat for seat in machine.waiting().seats if seat != peer.seat]
        if seats:
            machine.act(CallAbsent(seat=self.dice.choice(seats)), self.now)


def check_honest(table: SilentTable, *, away: Collection[int] = ()) -> None:
    """What must hold whatever happened: nobody honest is blamed, and nobody disagrees.

    Args:
        away: seats that were cut off: they may be behind, or have gone on alone.
    """
    culprits = set(table.liars)
    states: dict[int, bytes] = {}
    for peer in table.peers:
        machine = peer.machine
        if peer.seat in culprits:
            continue
        fault = machine.fault
        assert fault is None or fault.culprit in culprits, (peer.seat, fault)
        if machine._core.game is not None:
            view = machine.view()
            assert sorted(all_places(view.state)) == list(range(106))
        if peer.seat not in away:
            for step, state in enumerate(machine._core.states):
                assert states.setdefault(step, state) == state, f"states differ at step {step}"
    ends = [peer.finished for peer in table.peers if peer.finished and peer.seat not in culprits]
    assert len({(end.points, end.totals, end.transcript_hash) for end in ends}) <= 1


def describe(table: SilentTable) -> str:
    return "; ".join(
        f"{peer.seat + 1}: {peer.machine.phase.label} {peer.machine.step} {peer.machine.waiting()}"
        for peer in table.peers
    )
