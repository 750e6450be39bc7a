"""What a worker's turn does with commands."""

from collections.abc import Iterable

import pytest

from p2pokey.bots.simple import choose
from p2pokey.hand.effects import Abandon, Phase, Play
from p2pokey.native.journal import Record
from p2pokey.peer.passing import Archive
from p2pokey.peer.worker import HandWorker
from tests.peer.memory import GROUP
from tests.sim.table import SimTable, make_setup


class Sheet:
    """A journal that keeps what it is given."""

    def __init__(self) -> None:
        self.records: list[Record] = []

    def append(self, records: Iterable[Record]) -> None:
        self.records += records


def test_a_command_that_ends_the_hand_drops_the_rest():
    table = SimTable(GROUP, make_setup("worker"), "worker")
    table.autoplay = False
    while not any(peer.wants_to_move for peer in table.peers):
        assert table.step()
    mover = next(peer for peer in table.peers if peer.wants_to_move)
    move = Play(move=choose(mover.machine.view(), mover.player))
    turn = HandWorker(mover.machine, Sheet(), archive=Archive(4)).turn(
        [], [Abandon(reason="seat 1 left"), move]
    )

    assert turn.phase is Phase.STOPPED
    assert turn.commands == ()


@pytest.mark.parametrize("before_end", [False, True])
@pytest.mark.parametrize("phase", [Phase.END, Phase.DISCLOSE])
def test_a_hand_that_others_may_count_is_not_given_up(phase: Phase, before_end: bool):
    """It was to be given up while the last final state came in."""
    table = SimTable(GROUP, make_setup("bound"), "bound")
    machines = [peer.machine for peer in table.peers]
    while not any(machine.phase is phase for machine in machines):
        assert table.step()
    machine = next(machine for machine in machines if machine.phase is phase)
    turn = HandWorker(machine, Sheet(), archive=Archive(4)).turn(
        [], [Abandon(reason="seat 2 is away", before_end=before_end)]
    )

    assert turn.phase is phase
    assert turn.is_bound
