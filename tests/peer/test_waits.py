"""Every wait has a name and a limit."""

import pytest

from p2pokey.hand.effects import Phase, Waiting
from p2pokey.peer.waits import WaitLimits, limit_of, name_of, people
from p2pokey.rules.rulesets import table_options
from p2pokey.tiles import Seat

LIMITS = WaitLimits()


def waiting(phase: Phase, *seats: int) -> Waiting:
    return Waiting(phase=phase, seats=tuple(map(Seat, seats)))


@pytest.mark.parametrize("phase", list(Phase))
def test_every_phase_has_a_name_and_a_limit(phase: Phase):
    wait = waiting(phase, 1, 2)

    assert name_of(wait, None)
    assert 0 < limit_of(wait, None, LIMITS, table_options(4)) <= 3600


def test_a_move_gets_the_timer_of_the_table():
    wait = waiting(Phase.PLAY, 2)

    assert limit_of(wait, Seat(2), LIMITS, table_options(4, timer_s=45)) == 55
    assert limit_of(wait, Seat(2), LIMITS, table_options(4, timer_s=0)) == 3600
    assert name_of(wait, Seat(2)) == "the move"


def test_tokens_are_a_round_and_not_a_move():
    wait = waiting(Phase.PLAY, 2)

    assert limit_of(wait, Seat(1), LIMITS, table_options(4)) == 30
    assert name_of(wait, Seat(1)) == "the drawn tile"


def test_others_get_time_for_their_audit():
    assert limit_of(waiting(Phase.RESULT, 0), None, LIMITS, table_options(4)) == 600


def test_people_read_seats_from_one():
    names = ("Ayse", "Baran", "Ceren", "Deniz")

    assert people([2], names) == "seat 3 (Ceren)"
    assert people([0, 1, 3], names) == "seat 1 (Ayse), seat 2 (Baran) and seat 4 (Deniz)"
    assert people([], names) == ""
