"""Openings, lays and Going Pairs of the open table by rule id (docs/rules: B, C and D)."""

import pytest

from p2pokey.rules import open_table
from p2pokey.rules.events import HandCancelled, OpeningFailed, SeatOpened
from p2pokey.rules.moves import ClaimFinish, GoPairs, Lay, Open, move_placed
from p2pokey.rules.open_floors import floors, opening_bonus
from p2pokey.rules.open_state import Charge, Opened
from p2pokey.rules.published import RULE_SETS
from p2pokey.rules.rulesets import ruleset_for
from p2pokey.rules.state import Ending, Phase
from p2pokey.tiles import Seat
from tests.rules.open_hands import FaceUp, position, refused

MELDS_101 = ("run k10 k11 k12 k13", "set r10 b10 y10", "run r7 r8 r9", "run b1 b2 b3")
"""46 + 30 + 24 + 6 = 106."""
RACK_101 = "k10 k11 k12 k13 r10 b10 y10 r7 r8 r9 b1 b2 b3 y1 y2 y4 y6 y8 k1 k3 k5 k7"
PAIRS_5 = ("pair r1 r1", "pair r2 r2", "pair k3 k3", "pair y4 y4", "pair b9 b9")
RACK_PAIRS = "r1 r1 r2 r2 k3 k3 y4 y4 b9 b9 r7 r8 y12 y13 k1 k5 k7 b12 b4 b6 y9 r5"


def test_opening_lays_melds_and_keeps_the_value():
    hand = position("101-classic", RACK_101)
    after, events = open_table.apply(hand.state, Open(hand.melds(*MELDS_101)))
    table = FaceUp(after, hand.deck).table
    assert (table.opened[0], table.opening_values[0]) == (Opened.MELDS, 106)
    assert len(after.racks[0]) == 22 - 13
    assert after.phase is Phase.PLAY
    assert [type(event) for event in events] == [SeatOpened]
    assert {after.faces[tile.slot] for tile in table.melds[0].tiles} == {
        tile.tile for tile in table.melds[0].tiles
    }


def test_OT_7_an_opening_one_point_short_names_floor_and_value():
    melds = ("run r1 r2 r3 r4", "run k9 k10 k11 k12", "set r11 b11 y11", "run y4 y5 y6")
    hand = position("101-classic", "r1 r2 r3 r4 k9 k10 k11 k12 r11 b11 y11 y4 y5 y6 y8 b3")
    assert 10 + 42 + 33 + 15 == 100
    refused(hand, Open(hand.melds(*melds)), "OT-7", "floor 101, you have 100")


def test_OT_7_the_rising_floor_is_one_above_the_dearest_opening():
    hand = position("101-rising", RACK_101, opened="-m-m", values=(0, 106, 0, 103))
    refused(hand, Open(hand.melds(*MELDS_101)), "OT-7", "floor 107, you have 106")
    hand = position("101-rising", RACK_101, opened="-m--", values=(0, 105, 0, 0))
    assert hand.play(Open(hand.melds(*MELDS_101))).table.opening_values[0] == 106


def test_OT_7_four_pairs_are_one_short():
    hand = position("101-classic", RACK_PAIRS)
    refused(hand, Open(hand.melds(*PAIRS_5[:4])), "OT-7", "floor 5 pairs, you have 4")
    after = hand.play(Open(hand.melds(*PAIRS_5)))
    assert (after.table.opened[0], after.table.opening_values[0]) == (Opened.PAIRS, 5)


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("101-rising", (103, 7)),
        ("101-classic", (101, 5)),
        ("51", (103, 4)),
        ("51-feeding", (51, 5)),
    ],
)
def test_floors_per_rule_set(key, expected):
    openings = [(Opened.MELDS, 102), (Opened.NONE, 0), (Opened.PAIRS, 6), (Opened.NONE, 0)]
    assert floors(RULE_SETS[key], Seat(1), openings) == expected


def test_T_3_and_D_5_a_partners_opening_raises_only_the_floor_of_D():
    openings = [(Opened.MELDS, 120), (Opened.NONE, 0), (Opened.NONE, 0), (Opened.NONE, 0)]
    rising = ruleset_for("101-rising", partners=True)
    feeding = ruleset_for("51-feeding", partners=True, melds_rise=True)
    assert [floors(rising, Seat(seat), openings).melds for seat in range(4)] == [
        101,
        121,
        101,
        121,
    ]
    assert [floors(feeding, Seat(seat), openings).melds for seat in range(4)] == [51, 121, 121, 121]


@pytest.mark.parametrize(
    ("opened", "value", "points"),
    [
        (Opened.MELDS, 149, 0),
        (Opened.MELDS, 150, -101),
        (Opened.MELDS, 179, -101),
        (Opened.MELDS, 180, -202),
        (Opened.PAIRS, 6, 0),
        (Opened.PAIRS, 7, -101),
        (Opened.PAIRS, 9, -202),
    ],
)
def test_B_14_bonus(opened, value, points):
    assert opening_bonus(RULE_SETS["101-rising"], opened, value) == points
    assert opening_bonus(RULE_SETS["101-challenge"], opened, value) == points
    assert opening_bonus(RULE_SETS["101-classic"], opened, value) == 0


def test_B_14_bonus_is_booked_with_the_opening_at_tables_without_penalties_too():
    rules = ruleset_for("101-rising", penalties=False)
    rack = "r9 r10 r11 r12 r13 k9 k10 k11 k12 k13 b9 b10 b11 b12 b13 y1 y3"
    hand = position(rules, rack)
    melds = hand.melds("run r9 r10 r11 r12 r13", "run k9 k10 k11 k12 k13", "run b9 b10 b11 b12 b13")
    after = hand.play(Open(melds))
    assert after.table.charges == (Charge(seat=Seat(0), points=-101, rule="B-14"),)


def test_OT_4_a_seat_opens_once():
    hand = position("101-classic", RACK_101, opened="m---", values=(110, 0, 0, 0))
    refused(hand, Open(hand.melds(*MELDS_101)), "OT-4")
    hand = position("101-classic", RACK_101)
    refused(hand, Lay(hand.melds("run r7 r8 r9")), "OT-4")


def test_OT_5_an_opening_is_either_melds_or_pairs():
    hand = position("101-classic", RACK_PAIRS)
    refused(hand, Open(hand.melds("pair r1 r1", "run r7 r8 r5=r9")), "OT-5")


@pytest.mark.parametrize(("opened", "text"), [("m", "pair r1 r1"), ("p", "run r7 r8 r5=r9")])
def test_OT_5_later_lays_are_of_the_kind_of_the_opening(opened, text):
    hand = position("101-classic", RACK_PAIRS, opened=opened + "---")
    refused(hand, Lay(hand.melds(text)), "OT-5")


def test_OT_6_one_tile_stays_for_the_discard():
    hand = position("101-classic", "k10 k11 k12 k13 r10 b10 y10 r7 r8 r9 b1 b2 b3")
    refused(hand, Open(hand.melds(*MELDS_101)), "OT-6", "13 held, 13 used")


def test_invalid_melds_are_refused():
    hand = position("101-classic", RACK_101)
    refused(hand, Open(hand.melds("run k10 k11 k13 k12")), "G-4")
    refused(hand, Open(hand.melds("set r10 b10 k10 k11")), "G-4")


def test_A_1_wrap_is_for_51_with_feeding_only():
    rack = "r12 r13 r1 k12 k13 k1 y1 y2"
    for key, rule in (("51", "A-1"), ("101-standard", "A-1"), ("51-feeding", "OT-7")):
        hand = position(key, rack)
        refused(hand, Open(hand.melds("run r12 r13 r1")), rule)


def test_G_20_C_lays_at_most_five_tiles_at_once():
    rack = "k8 k9 k10 k11 k12 k13 r10 b10 y10 r7 r8 r9 y1"
    hand = position("101-standard", rack)
    refused(hand, Open(hand.melds("run k8 k9 k10 k11 k12 k13", "set r10 b10 y10")), "G-20")
    hand = position("101-standard", rack, opened="m---")
    refused(hand, Lay(hand.melds("run k8 k9 k10 k11 k12 k13")), "G-20")
    assert position("101-classic", rack).play(
        Open(hand.melds("run k8 k9 k10 k11 k12 k13", "set r10 b10 y10", "run r7 r8 r9"))
    )


def test_A_2_two_okeys_are_a_pair_in_D_only():
    for key, is_allowed in (("51", False), ("101-standard", False), ("51-feeding", True)):
        hand = position(key, "r5a r5b y1 y2", opened="p---")
        move = Lay(hand.melds("pair r5a r5b"))
        if is_allowed:
            assert len(hand.play(move).table.melds) == 1
        else:
            refused(hand, move, "A-2")


def test_B_1_and_D_14_who_has_opened_lays_more_of_his_kind_without_a_floor():
    hand = position("101-classic", "r7 r8 r9 y1 y1 k3", opened="m---")
    assert hand.play(Lay(hand.melds("run r7 r8 r9"))).table.melds[0].value == 24
    hand = position("51-feeding", "r7 r8 r9 y1 y1 k3", opened="p---")
    assert hand.play(Lay(hand.melds("pair y1 y1"))).table.melds[0].owner == 0


def test_C_1_an_opening_below_the_floor_is_charged_and_shown():
    hand = position("101-standard", RACK_101, opened="m---"[::-1])
    after, events = open_table.apply(hand.state, Open(hand.melds(*MELDS_101[:3])))
    shown = {placed.slot for meld in hand.melds(*MELDS_101[:3]) for placed in meld.tiles}
    assert FaceUp(after, hand.deck).table.charges == (Charge(seat=Seat(0), points=101, rule="C-1"),)
    assert (after.racks, after.phase, after.turn) == (hand.state.racks, Phase.PLAY, 0)
    assert all(after.faces[slot] is not None for slot in shown)
    assert isinstance(events[0], OpeningFailed)
    assert events[0].reason == "floor 101, you have 100"
    again = FaceUp(after, hand.deck).play(Open(hand.melds(*MELDS_101)))
    assert again.table.opened[0] is Opened.MELDS


def _claim(hand: FaceUp, *melds: str, discard: str, add: str = "") -> ClaimFinish:
    additions = (hand.adds(0, "high", add),) if add else ()
    return ClaimFinish(melds=hand.melds(*melds), additions=additions, discard=hand.find(discard))


CLAIM_RACK = "k10 k11 k12 k13 r10 b10 y10 r7 r8 r9 b1 b2 b3 y9 y2"


def test_C_2_a_claimed_finish_opens_adds_and_ends_the_hand():
    table = [(1, "run y6 y7 y8")]
    hand = position("101-standard", CLAIM_RACK, table=table, opened="-m--")
    after = hand.play(_claim(hand, *MELDS_101, add="y9", discard="y2"))
    assert (after.state.phase, after.state.ending) == (Phase.OVER, Ending.FINISHED)
    assert after.table.turn.opened
    assert not after.table.charges
    score = open_table.score(after.state, dict(enumerate(hand.deck)), (0,) * 4)
    assert (score.points[0], score.reason) == (-202, "finish-melds-rack")


@pytest.mark.parametrize(
    ("melds", "add", "discard"),
    [
        (MELDS_101, "", "y2"),
        (MELDS_101, "y2", "y9"),
        (MELDS_101[:3], "y9", "y2"),
        (("run k10 k11 k13", *MELDS_101[1:]), "y9", "y2"),
    ],
)
def test_OT_12_a_claim_that_does_not_work_is_charged_and_shown(melds, add, discard):
    table = [(1, "run y6 y7 y8")]
    hand = position("101-standard", CLAIM_RACK, table=table, opened="-m--")
    claim = _claim(hand, *melds, add=add, discard=discard)
    after, events = open_table.apply(hand.state, claim)
    assert isinstance(events[0], OpeningFailed)
    changed = FaceUp(after, hand.deck).table
    assert changed.charges == (Charge(seat=Seat(0), points=101, rule="OT-12"),)
    assert (after.racks, after.phase) == (hand.state.racks, Phase.PLAY)
    assert changed.melds == hand.table.melds
    assert after.faces[claim.discard.slot] == claim.discard.tile


def test_OT_12_only_C_knows_claims_and_only_before_opening():
    for key, opened in (("101-classic", "----"), ("51-feeding", "----"), ("101-standard", "m---")):
        hand = position(key, CLAIM_RACK, opened=opened)
        refused(hand, _claim(hand, *MELDS_101, discard="y2"), "OT-12")


def test_C_3_the_floor_of_a_claim_can_be_waived():
    rules = ruleset_for("101-standard", rack_finish_waives_floor=True)
    hand = position(rules, "r7 r8 r9 b1 b2 b3 y2")
    claim = _claim(hand, "run r7 r8 r9", "run b1 b2 b3", discard="y2")
    assert hand.play(claim).state.ending is Ending.FINISHED
    hand = position("101-standard", "r7 r8 r9 b1 b2 b3 y2")
    assert hand.play(claim).state.phase is Phase.PLAY


def test_C_12_the_fourth_opening_with_pairs_cancels_the_hand():
    hand = position("101-standard", RACK_PAIRS, opened="-ppp")
    after, events = open_table.apply(hand.state, Open(hand.melds(*PAIRS_5)))
    assert (after.phase, after.ending) == (Phase.OVER, Ending.CANCELLED)
    assert events[-1] == HandCancelled()
    score = open_table.score(after, {}, (5, 6, 7, 8))
    assert (score.points, score.totals, score.counts) == ((0, 0, 0, 0), (5, 6, 7, 8), False)
    assert score.reason == "cancelled"


def test_C_12_a_claimed_finish_that_opens_with_the_fourth_pairs_cancels_too():
    hand = position("101-standard", RACK_PAIRS, opened="-ppp")
    claim = _claim(hand, *PAIRS_5, discard="y9")
    state = hand.play(claim).state
    assert state.ending is Ending.CANCELLED
    assert all(state.faces[placed.slot] == placed.tile for placed in move_placed(claim))


@pytest.mark.parametrize("key", ["101-classic", "51", "51-feeding"])
def test_B_22_four_pairs_openers_play_on_elsewhere(key):
    hand = position(key, RACK_PAIRS, opened="-ppp")
    assert hand.play(Open(hand.melds(*PAIRS_5))).state.phase is Phase.PLAY


def test_B_12_going_pairs_binds_to_pairs_for_the_whole_hand():
    hand = position("101-challenge", RACK_101, phase=Phase.DRAW)
    bound = hand.play(GoPairs())
    assert bound.table.going_pairs == (True, False, False, False)
    assert bound.state.phase is Phase.DRAW
    refused(bound, GoPairs(), "B-12")
    hand = position("101-challenge", RACK_101, going=(0,))
    refused(hand, Open(hand.melds(*MELDS_101)), "B-12")
    hand = position("101-challenge", RACK_101, opened="m---")
    refused(hand, GoPairs(), "B-12")
    pairs = position("101-challenge", RACK_PAIRS, going=(0,))
    assert pairs.play(Open(pairs.melds(*PAIRS_5))).table.opened[0] is Opened.PAIRS


def test_M_6_other_games_know_no_going_pairs():
    refused(position("101-rising", RACK_101), GoPairs(), "M-6")


def test_M_4_tiles_of_another_rack_and_tiles_twice_are_refused():
    hand = position("101-classic", RACK_101, "b13 b12 b11")
    other = FaceUp(hand.state, hand.deck)
    meld = hand.melds("run k10 k11 k12")[0]
    foreign = type(meld)(
        kind=meld.kind, tiles=(*meld.tiles[:2], hand.placed(hand.state.racks[1][0]))
    )
    refused(other, Open((foreign,)), "M-4")
    refused(hand, Open((meld, meld)), "M-4")
