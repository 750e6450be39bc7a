"""Recovery is off where fewer than three people run the seats (docs/protocol.md S10)."""

import pytest

from p2pokey.rules.rulesets import check_table, ruleset_for, table_options
from p2pokey.table.roster import Roster, RosterSeat
from p2pokey.table.runners import effective_options


def roster(runners: str) -> Roster:
    seats = tuple(
        RosterSeat(
            public_key=bytes([seat + 1]) * 32,
            runner=runner.encode() * 32,
            nonce_commit=bytes(32),
            name=f"P{seat}",
        )
        for seat, runner in enumerate(runners)
    )
    return Roster(room="K7Q2M", epoch=0, rules=b"{}", seats=seats)


@pytest.mark.parametrize("runners", ["abcd", "abca", "aabc"])
def test_three_people_can_play_on_without_one(runners: str):
    options = table_options(4)

    assert effective_options(roster(runners), options) == options


@pytest.mark.parametrize("runners", ["aaaa", "abab", "aaab"])
def test_fewer_cannot(runners: str):
    options = effective_options(roster(runners), table_options(4, timer_s=45))

    assert (options.recovery, options.threshold) == (False, 0)
    assert (options.timer_s, options.seats) == (45, 4)
    check_table(ruleset_for("classic"), options)


def test_what_is_off_stays_off():
    options = table_options(4, recovery=False)

    assert effective_options(roster("abcd"), options) == options
