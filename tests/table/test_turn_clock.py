"""The clock of a turn: what counts, what does not, and how long a broken link stops it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pokey.errors import LocalProtocolError
from p2pokey.rules.rulesets import ruleset_for, table_options
from p2pokey.table.turn_clock import Hold, TurnClock
from p2pokey.tiles import Seat

AYSE, DENIZ = Seat(0), Seat(1)


def clock(*, timer_s: int = 30, grace_s: int = 60, key: str = "classic") -> TurnClock:
    return TurnClock(
        rules=ruleset_for(key),
        options=table_options(4, timer_s=timer_s, grace_s=grace_s),
        people=(True, True, True, False),
    )


def test_a_turn_runs_out():
    turns = clock()
    turns.turn(1, AYSE, 100.0)

    assert turns.remaining(100.0) == 30
    assert turns.remaining(129.0) == 1
    assert turns.remaining(140.0) == 0
    assert turns.expires_at() == 130


def test_a_table_without_a_timer_has_no_limit():
    turns = clock(timer_s=0)
    turns.turn(1, AYSE, 0.0)

    assert not turns.is_on
    assert turns.remaining(1e6) is None
    assert turns.expires_at() is None


def test_before_the_first_turn_nothing_runs():
    assert clock().remaining(5.0) is None
    assert clock().expires_at() is None


def test_a_turn_is_timed_as_a_whole():
    """Many moves in one turn are still one turn."""
    turns = clock()
    turns.turn(1, AYSE, 0.0)
    turns.turn(1, AYSE, 20.0)
    assert turns.remaining(20.0) == 10

    turns.turn(2, DENIZ, 25.0)
    assert turns.remaining(25.0) == 30


@pytest.mark.parametrize("reason", list(Hold))
def test_work_and_missing_tokens_do_not_count(reason: Hold):
    turns = clock()
    turns.turn(1, AYSE, 0.0)
    turns.pause(10.0, reason)

    assert turns.expires_at() is None
    assert turns.remaining(500.0) == 20
    turns.run(500.0, reason)
    assert turns.expires_at() == 520


def test_it_runs_when_all_reasons_have_gone_and_they_outlast_a_turn():
    turns = clock()
    turns.pause(0.0, Hold.WORK)
    turns.pause(0.0, Hold.TOKEN)
    turns.turn(1, AYSE, 1.0)
    turns.run(5.0, Hold.WORK)
    assert turns.expires_at() is None
    turns.run(7.0, Hold.TOKEN)
    assert turns.expires_at() == 37


def test_a_broken_link_stops_it_for_the_grace_of_that_seat_in_sum():
    turns = clock(grace_s=10)
    turns.turn(1, AYSE, 0.0)
    turns.link(AYSE, 5.0, is_broken=True)
    assert turns.expires_at() == 40
    turns.link(AYSE, 9.0, is_broken=False)
    assert turns.remaining(9.0) == 25
    assert turns.grace_used(AYSE, 9.0) == 4

    turns.turn(2, DENIZ, 10.0)
    turns.turn(3, AYSE, 20.0)
    turns.link(AYSE, 20.0, is_broken=True)
    assert turns.remaining(26.0) == 30
    assert turns.remaining(31.0) == 25
    assert turns.expires_at() == 56


def test_only_the_seat_on_turn_matters():
    turns = clock(grace_s=10)
    turns.turn(1, AYSE, 0.0)
    turns.link(DENIZ, 0.0, is_broken=True)
    assert turns.remaining(8.0) == 22

    turns.turn(2, DENIZ, 8.0)
    assert turns.remaining(18.0) == 30
    assert turns.grace_used(DENIZ, 18.0) == 10
    assert turns.grace_used(AYSE, 18.0) == 0


def test_no_grace_is_used_while_something_else_holds_the_clock():
    turns = clock(grace_s=10)
    turns.turn(1, AYSE, 0.0)
    turns.pause(0.0, Hold.PAUSE)
    turns.link(AYSE, 0.0, is_broken=True)
    turns.link(AYSE, 100.0, is_broken=False)
    turns.run(100.0, Hold.PAUSE)

    assert turns.grace_used(AYSE, 100.0) == 0
    assert turns.remaining(100.0) == 30


def test_C15_an_accepted_opening_gives_a_person_more_time_in_that_turn():
    turns = clock(key="101-standard")
    turns.turn(1, AYSE, 0.0)
    turns.opened(10.0)
    turns.opened(11.0)

    assert turns.limit == 45
    assert turns.remaining(11.0) == 34
    turns.turn(2, DENIZ, 12.0)
    assert turns.limit == 30


def test_C15_a_computer_gets_no_more_time():
    turns = clock(key="101-standard")
    turns.turn(1, Seat(3), 0.0)
    turns.opened(10.0)

    assert turns.limit == 30


def test_a_clock_that_goes_back_is_a_mistake_of_the_caller():
    turns = clock()
    turns.turn(1, AYSE, 5.0)
    with pytest.raises(LocalProtocolError):
        turns.pause(4.0, Hold.WORK)


@given(st.lists(st.tuples(st.sampled_from("wtlWTL?"), st.integers(0, 20)), max_size=30))
def test_time_is_either_spent_held_or_grace(steps: list[tuple[str, int]]):
    """Asking changes nothing, and every second is booked exactly once."""
    turns, now, held = clock(timer_s=600, grace_s=15), 0.0, 0.0
    turns.turn(1, AYSE, now)
    holds: set[Hold] = set()
    for what, wait in steps:
        now += wait
        held += wait if holds else 0
        reason = Hold.WORK if what in "wW" else Hold.TOKEN
        if what in "wt":
            turns.pause(now, reason)
            holds.add(reason)
        elif what in "WT":
            turns.run(now, reason)
            holds.discard(reason)
        elif what in "lL":
            turns.link(AYSE, now, is_broken=what == "l")
        left = turns.remaining(now)
        assert left is not None
        assert (600 - left) + held + turns.grace_used(AYSE, now) == now
        assert turns.grace_used(AYSE, now) <= 15
