"""End of a hand and of a match."""

from dataclasses import replace

import pytest

from p2pokey.errors import LocalProtocolError
from p2pokey.rules.published import CLASSIC
from p2pokey.rules.scoring import classic_points, match_over, score_classic, starter_of_hand
from p2pokey.rules.state import FinishKind, FinishRecord
from p2pokey.tiles import Seat, Slot
from tests.strategies import deal


def _finish(seat: int, kind: FinishKind = FinishKind.MELDS, okey: bool = False) -> FinishRecord:
    return FinishRecord(seat=Seat(seat), discard=Slot(0), kind=kind, okey_discarded=okey, layout=())


@pytest.mark.parametrize(
    ("totals", "over", "winners"),
    [
        ((20, 18, 18, 18), False, ()),
        ((1, 1, 1, 1), False, ()),
        ((7, 0, 14, 9), True, (2,)),
        ((18, -1, 3, 9), True, (0,)),
        ((0, 0, 0, 0), True, (0, 1, 2, 3)),
        ((9, 9, 0, 3), True, (0, 1)),
        ((-5, -1, -1, -3), True, (1, 2)),
    ],
)
def test_A7_a_score_of_zero_ends_the_match_and_the_highest_wins(totals, over, winners):
    assert match_over(CLASSIC, totals, 5) == (over, winners)


def test_A7_scores_are_not_clamped():
    points = classic_points(CLASSIC, 4, finish=_finish(0, FinishKind.PAIRS, True), shown_by=Seat(0))
    assert points == (0, -9, -9, -9)


def test_no_match_is_over_before_a_hand_was_played():
    assert match_over(CLASSIC, (0, 0, 0, 0), 0) == (False, ())


def test_G12_a_fixed_number_of_hands_and_lowest_total():
    rules = replace(CLASSIC, hands=3, most_points_win=False)
    assert match_over(rules, (55, -101, 300, -101), 2) == (False, ())
    assert match_over(rules, (55, -101, 300, -101), 3) == (True, (1, 3))


def test_G3_the_starter_moves_one_seat_to_the_right():
    assert [starter_of_hand(Seat(3), hand, 4) for hand in range(1, 6)] == [3, 0, 1, 2, 3]


@pytest.mark.parametrize("shown_by", [0, 3])
def test_A5_shown_points_come_on_top(shown_by):
    points = classic_points(CLASSIC, 4, finish=_finish(0), shown_by=Seat(shown_by))
    assert points == tuple((0 if seat == 0 else -2) - (seat != shown_by) for seat in range(4))


def test_G13_a_hand_that_is_not_over_has_no_score():
    with pytest.raises(LocalProtocolError):
        score_classic(deal(1).state, (20,) * 4)


def test_one_total_per_seat():
    hand = deal(1, rules=replace(CLASSIC, turn_limit=1)).play_turn()
    with pytest.raises(LocalProtocolError):
        score_classic(hand.state, (20,) * 3)
