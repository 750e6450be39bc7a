"""Seats that die and come back from their journals while another one has fallen silent.

Short hands, so that a seat dies every few messages; `make sim-table` plays whole ones, too.
"""

import random
from dataclasses import replace

import pytest

from p2pokey.hand.effects import Effect, Phase, Send
from p2pokey.rules.rulesets import ruleset_for
from tests.hand.test_whole_hand import CHEAP
from tests.sim.crashes import CrashTable
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
