"""Seats that die and come back from their journals while another one has fallen silent.

Short hands, so that a seat dies every few messages; `make sim-table` plays whole ones, too.
"""

import random
from collections import Counter
from dataclasses import replace

import pytest

from p2pokey.hand.effects import Effect, Phase, Send
from p2pokey.hand.restoring import restore
from p2pokey.peer.passing import Archive
from p2pokey.rules.rulesets import ruleset_for
from p2pokey.tiles import Seat
from p2pokey.transcript.envelope import decode_envelope
from p2pokey.transcript.file import VOTES
from p2pokey.transcript.messages import Kind
from tests.hand.test_absence import voted_hand
from tests.hand.test_whole_hand import CHEAP
from tests.sim.crashes import CrashTable, new_machine
from tests.sim.silence import SilentTable, check_honest
from tests.sim.table import SimPeer, make_setup


class CrashingTable(CrashTable, SilentTable):
    """Seats die at any effect, and one of them is cut off for a while or for good."""

    def _pass_on(self, source: SimPeer, target: SimPeer) -> None:
        if not self.is_cut(source.seat, target.seat):
            super()._pass_on(source, target)


def play(seed: int, *, after: int, back_after: int | None) -> CrashingTable:
    dice = random.Random(f"crash {seed}")

    def dies(peer: SimPeer, effect: Effect) -> bool:
        if peer.seat in table.cut:
            return False
        return dice.random() < (0.03 if isinstance(effect, Send) else 0.006)

    setup = make_setup(seed, rules=replace(ruleset_for("classic"), turn_limit=14))
    table = CrashingTable(CHEAP, setup, seed, dies=dies, audit=lambda data: ((0,) * 4, (0,) * 4))
    table.fall_silent(2, after=after, back_after=back_after)
    table.run()
    return table


@pytest.mark.parametrize("seed", [0, 2])
def test_votes_and_absent_turns_survive_crashes(seed: int):
    table = play(seed, after=5 + 6 * seed, back_after=None)

    assert table.crashes > 3
    check_honest(table, away={2})
    phases = [peer.machine.phase for peer in table.peers if peer.seat != 2]
    assert phases == [Phase.DONE] * 3


@pytest.mark.parametrize("seed", [1, 3])
def test_a_seat_comes_back_among_seats_that_die(seed: int):
    table = play(seed, after=5 + 6 * seed, back_after=3)

    assert table.crashes > 3
    check_honest(table)


@pytest.mark.parametrize("seat", [0, 2])
def test_lost_votes_come_back_where_they_stood(seat: int):
    """The journal has lost its end from any own vote on: the others have that, and what followed."""
    seed = "torn votes 0"
    table = voted_hand(seed, hasty=0.02, back_after=3)
    peer, archive = table.peers[seat], Archive(4)
    for data in peer.disk:
        archive.add(data)
    journal = [decode_envelope(data) for data in peer.disk]
    cuts = [at for at, item in enumerate(journal) if item.seat == seat and item.kind in VOTES]
    assert {journal[cut].kind for cut in cuts} >= {Kind.DROP, Kind.REFUSE}
    for cut in cuts[:: 1 + len(cuts) // 8]:
        kept = Counter(item.seat for item in journal[:cut])
        rest = archive.after(kept[Seat(number)] for number in range(4))
        machine = new_machine(table, peer.seat, seed)
        passed_on = [(Seat((seat + 1) % 4), data) for data in rest]
        restore(machine, peer.disk[:cut], 0.0, passed_on=passed_on)
        while machine.work(0.0):
            pass
        assert not machine.is_catching_up
        assert machine.phase in (peer.machine.phase, Phase.AUDIT)  # an absent seat signs no score
        assert machine.state_hash == peer.machine.state_hash
