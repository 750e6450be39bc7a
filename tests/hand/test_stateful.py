"""Hypothesis drives the network and the players of a hand, and the arrivals of a chain.

The model of the hand is its invariants (a seat knows only what it may; same step, same state); the
model of the chain is a plain list for each seat.
"""

import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from p2pokey.crypto.group import Group
from p2pokey.errors import BrokenChain, Equivocation
from p2pokey.hand.effects import Phase
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.transcript.chain import ChainBook
from tests.hand.test_whole_hand import check_views, own_audit
from tests.sim.cheap_group import CheapBackend
from tests.sim.table import SimTable, make_setup
from tests.transcript.test_chain import SETUP, chain

CHEAP = Group(CheapBackend())


class HandOverANetwork(RuleBasedStateMachine):
    """Four machines; hypothesis decides what arrives when, what is lost and what comes twice."""

    @initialize(seed=st.integers(0, 9))
    def deal(self, seed: int) -> None:
        setup = make_setup(f"stateful {seed}")
        self.table = SimTable(
            CHEAP, setup, f"stateful {seed}", audit=lambda data: own_audit(CHEAP, data)
        )
        self.lost: list[tuple[int, int, bytes]] = []

    @rule(seat=st.integers(0, 3), slices=st.integers(1, 400))
    def work(self, seat: int, slices: int) -> None:
        peer = self.table.peers[seat]
        for _ in range(slices):
            if not self.table.work(peer):
                break

    @rule(source=st.integers(0, 3), receiver=st.integers(0, 3), place=st.integers(0, 3))
    def deliver(self, source: int, receiver: int, place: int) -> None:
        queue = self.table.links.get((source, receiver))
        if queue:
            data = queue[place % len(queue)]
            del queue[place % len(queue)]
            self.table.peers[receiver].machine.receive(data, source, self.table.now)

    @rule(source=st.integers(0, 3), receiver=st.integers(0, 3))
    def repeat(self, source: int, receiver: int) -> None:
        queue = self.table.links.get((source, receiver))
        if queue:
            self.table.peers[receiver].machine.receive(queue[0], source, self.table.now)

    @rule(source=st.integers(0, 3), receiver=st.integers(0, 3))
    def lose(self, source: int, receiver: int) -> None:
        queue = self.table.links.get((source, receiver))
        if queue:
            self.lost.append((source, receiver, queue.popleft()))

    @precondition(lambda self: self.lost)
    @rule()
    def resend(self) -> None:
        source, target, data = self.lost.pop()
        self.table.links[source, target].append(data)

    @rule(seat=st.integers(0, 3))
    def pass_on_another_seats_message(self, seat: int) -> None:
        """A peer may pass on what it has accepted; that never blames anybody."""
        disk = self.table.peers[seat].disk
        if disk:
            target = (seat + 1) % 4
            self.table.peers[target].machine.receive(disk[-1], seat, self.table.now)

    @invariant()
    def holds(self) -> None:
        if hasattr(self, "table"):
            check_views(self.table)
            assert all(peer.machine.fault is None for peer in self.table.peers)

    def teardown(self) -> None:
        """Whatever has happened, the hand comes to its end once everything arrives."""
        if not hasattr(self, "table"):
            return
        for source, target, data in self.lost:
            self.table.links[source, target].append(data)
        self.table.run()
        assert [peer.machine.phase for peer in self.table.peers] == [Phase.DONE] * 4
        assert len({peer.finished for peer in self.table.peers}) == 1


class ChainsAndTheirModel(RuleBasedStateMachine):
    """Envelopes of four seats arrive in any order; the model is the true chain of each seat."""

    def __init__(self) -> None:
        super().__init__()
        self.chains = [chain(seat, 6) for seat in range(4)]
        self.forks = [chain(seat, 6, salt=9) for seat in range(4)]
        self.seen: list[set[int]] = [set() for _ in range(4)]
        self.book = ChainBook(roster=SETUP.roster, verifier=Ed25519Verifier())

    def in_order(self, seat: int) -> int:
        count = 0
        while count in self.seen[seat]:
            count += 1
        return count

    @rule(seat=st.integers(0, 3), seq=st.integers(0, 5))
    def arrive(self, seat: int, seq: int) -> None:
        before = self.in_order(seat)
        accepted = self.book.accept(self.chains[seat][seq])
        self.seen[seat].add(seq)
        assert list(accepted) == self.chains[seat][before : self.in_order(seat)]

    @rule(seat=st.integers(0, 3), seq=st.integers(0, 5))
    def arrive_forked(self, seat: int, seq: int) -> None:
        """A second chain of the same seat is never taken for the first once that has begun."""
        if not self.seen[seat]:
            return
        if seq in self.seen[seat]:
            with pytest.raises(Equivocation):
                self.book.accept(self.forks[seat][seq])
        elif seq == self.in_order(seat) and seq:
            with pytest.raises(BrokenChain):
                self.book.accept(self.forks[seat][seq])

    @invariant()
    def heads_agree(self) -> None:
        for seat in range(4):
            count = self.in_order(seat)
            assert self.book.head(seat)[0] == count


HandOverANetwork.TestCase.settings = settings(
    max_examples=4, stateful_step_count=40, deadline=None, derandomize=True
)
ChainsAndTheirModel.TestCase.settings = settings(
    max_examples=30, stateful_step_count=30, deadline=None
)
TestHandOverANetwork = HandOverANetwork.TestCase
TestChainsAndTheirModel = ChainsAndTheirModel.TestCase
