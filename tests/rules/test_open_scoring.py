"""End points of the open table by rule id (docs/rules: B, C and D)."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pokey.errors import LocalProtocolError
from p2pokey.rules import open_table
from p2pokey.rules.open_scoring import (
    FinishFlags,
    SeatFacts,
    end_points,
    finish_flags,
    hand_points,
    multiplier,
    rack_sum,
)
from p2pokey.rules.open_state import Charge, Opened
from p2pokey.rules.published import DUEL, RULE_SETS, RuleSet
from p2pokey.rules.rulesets import ruleset_for
from p2pokey.rules.scoring import match_over, next_starter, side_totals
from p2pokey.tiles import Seat, parse_face, parse_tile
from tests.rules.open_hands import position

OKEY = parse_face("b8")


def _facts(opened: Opened, text: str = "", *, going: bool = False) -> SeatFacts:
    return SeatFacts(opened=opened, rack=tuple(map(parse_tile, text.split())), going_pairs=going)


SEATS = (
    _facts(Opened.MELDS),
    _facts(Opened.NONE, "b8a b8b"),
    _facts(Opened.MELDS, "r3a k11a y6a"),
    _facts(Opened.PAIRS, "r3b k11b b8b"),
)


def _ends(rules: RuleSet, finish: FinishFlags | None) -> tuple[int, ...]:
    finisher = None if finish is None else Seat(0)
    return end_points(rules, okey=OKEY, seats=SEATS, finisher=finisher, finish=finish)


@pytest.mark.parametrize(
    ("finish", "expected"),
    [
        (FinishFlags(), (-101, 202, 20, 44 + 101)),
        (FinishFlags(okey=True), (-202, 404, 40, 88 + 101)),
        (FinishFlags(pairs=True), (-202, 404, 40, 88 + 101)),
        (FinishFlags(okey=True, pairs=True), (-404, 808, 80, 176 + 101)),
        (FinishFlags(okey=True, pairs=True, rack=True), (-404, 808, 80, 176 + 101)),
        (None, (0, 202, 20, 44 + 101)),
    ],
)
def test_B_6_to_B_10_end_points(finish, expected):
    assert _ends(RULE_SETS["101-classic"], finish) == expected


@pytest.mark.parametrize(
    ("finish", "expected"),
    [
        (FinishFlags(rack=True), (-202, 404, 40, 88 + 101)),
        (FinishFlags(okey=True, pairs=True, rack=True), (-808, 1616, 160, 352 + 101)),
    ],
)
def test_C_2_multipliers_up_to_eight(finish, expected):
    assert _ends(RULE_SETS["101-standard"], finish) == expected


@pytest.mark.parametrize(
    ("finish", "expected"),
    [
        (FinishFlags(), (-500, 500, 100, 140 + 1000)),
        (FinishFlags(okey=True), (-1000, 1000, 200, 140 + 1000)),
        (FinishFlags(pairs=True), (-1000, 1000, 200, 140 + 1000)),
        (FinishFlags(okey=True, pairs=True), (-1000, 1000, 200, 140 + 1000)),
        (None, (0, 500, 100, 70 + 1000)),
    ],
)
def test_D_1_D_2_D_9_D_10_end_points(finish, expected):
    assert _ends(RULE_SETS["51-feeding"], finish) == expected


def test_D_10_pairs_openers_may_pay_ten_times_at_a_draw_out():
    assert _ends(ruleset_for("51-feeding", pairs_ten_at_drawout=True), None)[3] == 140 + 1000


def test_B_8_B_9_B_16_options_for_held_okeys():
    assert _ends(ruleset_for("101-classic", penalties=False), FinishFlags()) == (-101, 202, 20, 44)
    assert _ends(ruleset_for("101-classic", held_okey_face=False), FinishFlags())[3] == 28 + 101
    assert _ends(ruleset_for("101-classic", held_okey_unopened=True), FinishFlags())[1] == 202 + 202


def test_B_11_going_pairs_doubles_what_an_unopened_seat_pays():
    seats = (_facts(Opened.MELDS), *[_facts(Opened.NONE, going=True)] * 3)
    rules = RULE_SETS["101-challenge"]

    def ends(finish: FinishFlags | None) -> int:
        finisher = None if finish is None else Seat(0)
        return end_points(rules, okey=OKEY, seats=seats, finisher=finisher, finish=finish)[1]

    assert [ends(None), ends(FinishFlags()), ends(FinishFlags(okey=True))] == [404, 404, 808]
    assert ends(FinishFlags(okey=True, rack=True)) == 1616


@pytest.mark.parametrize(
    ("key", "others", "expected"),
    [
        ("101-classic", False, True),
        ("101-classic", True, False),
        ("101-standard", True, True),
        ("51-feeding", False, False),
    ],
)
def test_B_19_C_2_D_16_finishes_from_the_rack(key, others, expected):
    flags = finish_flags(
        RULE_SETS[key],
        okey_discarded=False,
        opened=Opened.PAIRS,
        opened_this_turn=True,
        others_opened=others,
    )
    assert flags == FinishFlags(pairs=True, rack=expected)


@given(st.builds(FinishFlags, okey=st.booleans(), pairs=st.booleans(), rack=st.booleans()))
def test_B_7_multipliers_are_doublings_with_a_cap_in_B(finish):
    doublings = finish.okey + finish.pairs + finish.rack
    assert multiplier(RULE_SETS["101-standard"], finish) == 2**doublings
    assert multiplier(RULE_SETS["101-classic"], finish) == min(4, 2**doublings)


@pytest.mark.parametrize(("key", "expected"), [("101-classic", 8 + 8 + 3), ("51-feeding", 8 + 3)])
def test_B_9_a_false_okey_counts_as_the_okeys_number(key, expected):
    rack = [parse_tile(text) for text in ("**a", "b8a", "r3a")]
    assert rack_sum(RULE_SETS[key], rack, OKEY) == expected


@pytest.mark.parametrize(
    ("key", "partner"), [("101-classic", 0), ("101-standard", 101), ("51-feeding", 101)]
)
def test_T_1_the_finishers_partner(key, partner):
    rules = ruleset_for(key, partners=True)
    points = hand_points(
        rules, ends=(-101, 202, 20, 40), charges=(0, -101, 101, 5), finisher=Seat(0)
    )
    assert points == (-101, 101, partner, 45)
    points = hand_points(rules, ends=(1, 202, 20, 40), charges=(0, 0, 101, 5), finisher=None)
    assert points == (1, 202, 121, 45)


def test_T_1_is_an_option():
    rules = ruleset_for("101-classic", partners=True, partner_cleared="end-points")
    points = hand_points(rules, ends=(-101, 0, 20, 0), charges=(0, 0, 101, 0), finisher=Seat(0))
    assert points[2] == 101


def test_score_adds_charges_and_end_points():
    hand = position("101-classic", "b1", "y1 y2", opened="mm--")
    charge = Charge(seat=Seat(1), points=101, rule="P-1")
    state = replace(hand.state, table=replace(hand.table, charges=(charge,)))
    over, _ = open_table.apply(state, hand.discards("b1"))
    score = open_table.score(over, dict(enumerate(hand.deck)), (10, 20, 30, 40))
    assert score.points == (-101, 3 + 101, 202, 202)
    assert score.totals == (-91, 124, 232, 242)
    assert (score.reason, score.counts) == ("finish-melds", True)
    with pytest.raises(LocalProtocolError):
        open_table.score(hand.state, {}, (0,) * 4)
    with pytest.raises(LocalProtocolError):
        open_table.score(over, dict(enumerate(hand.deck)), (0,) * 3)


def test_end_points_need_a_finisher_and_a_finish_together():
    with pytest.raises(LocalProtocolError):
        end_points(RULE_SETS["51"], okey=OKEY, seats=SEATS, finisher=Seat(0), finish=None)


def test_T_2_teams_win_and_tie_together():
    rules = ruleset_for("101-classic", partners=True, hands=1)
    assert side_totals(rules, (-101, 202, 0, 20)) == (-101, 222, -101, 222)
    assert match_over(rules, (-101, 202, 0, 20), 1) == (True, (0, 2))
    assert match_over(rules, (-101, 50, 101, -50), 1) == (True, (0, 1, 2, 3))
    assert match_over(ruleset_for("101-classic", hands=3), (1, 2, 1, 3), 2) == (False, ())
    assert match_over(ruleset_for("101-classic", hands=3), (1, 2, 1, 3), 3) == (True, (0, 2))


def test_G_3_and_E_10_starters():
    rotating, coins = RULE_SETS["101-standard"], RULE_SETS["101-classic"]
    assert next_starter(rotating, None, 1, 4) is None
    assert [next_starter(rotating, Seat(3), hand, 4) for hand in (1, 2, 3)] == [3, 0, 1]
    assert [next_starter(coins, Seat(3), hand, 4) for hand in (1, 2)] == [None, None]
    assert [next_starter(DUEL, None, hand, 2) for hand in (1, 2, 3)] == [0, 1, 0]
