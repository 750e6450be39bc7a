"""The taken discard on the open table by rule id (docs/rules: B, C and D)."""

import pytest

from p2pokey.rules.moves import DrawLeft, DrawStack, GoPairs, Lay, Open, Pass, ReturnTaken, TakeBack
from p2pokey.rules.open_state import Opened
from p2pokey.rules.published import RuleSet
from p2pokey.rules.rulesets import ruleset_for
from p2pokey.rules.state import Ending, Phase
from tests.rules.open_hands import FaceUp, position, refused

MELDS_101 = ("run k10 k11 k12 k13", "set r10 b10 y10", "run r7 r8 r9", "run b1 b2 b3")
RACK_101 = "k10 k11 k12 k13 r10 b10 y10 r7 r8 b1 b2 b3 y1 y2 y4"
"""Without the r9 that the left neighbour has discarded."""
RACK_ALL = RACK_101 + " r9"
PAIRS_5 = ("pair r1 r1", "pair r2 r2", "pair k3 k3", "pair y4 y4", "pair b9 b9")
RACK_PAIRS = "r1 r1 r2 r2 k3 k3 y4 y4 b9 y7 y9 y11"


def _drawing(key: RuleSet | str, rack: str, discard: str, **more: object) -> FaceUp:
    """Seat 0 is to draw; seat 3 has discarded."""
    piles = ("", "", "", f"y13 {discard}")
    return position(key, rack, discards=piles, phase=Phase.DRAW, **more)


def _charges(hand: FaceUp) -> list[tuple[int, int, str]]:
    return [(charge.seat, charge.points, charge.rule) for charge in hand.table.charges]


def test_OT_2_a_taken_tile_is_used_or_put_back():
    hand = _drawing("101-classic", RACK_101, "r9").play(DrawLeft())
    refused(hand, hand.discards("r9"), "G-9")
    refused(hand, hand.discards("y1"), "OT-2", "use the taken tile or put it back")
    opened = hand.play(Open(hand.melds(*MELDS_101)))
    assert opened.play(opened.discards("y1")).turn == 1
    assert _charges(opened) == []


def test_G_11_putting_back_is_free_and_then_the_stack_is_drawn():
    hand = _drawing("101-classic", RACK_101, "r9")
    back = hand.play(DrawLeft(), ReturnTaken())
    assert (back.state.phase, back.state.discards) == (Phase.DRAW, hand.state.discards)
    assert (back.state.racks, back.state.taken) == (hand.state.racks, None)
    assert _charges(back) == []
    refused(back, DrawLeft(), "OT-3")
    drawn = back.play(DrawStack())
    refused(drawn, ReturnTaken(), "OT-2")
    assert drawn.play(drawn.discards("y1")).turn == 1


def test_OT_3_after_putting_back_with_an_empty_stack_one_passes():
    rules = ruleset_for("101-classic", last_discard_offer=True)
    hand = _drawing(rules, RACK_101, "r9", stack=0).play(DrawLeft(), ReturnTaken())
    refused(hand, DrawStack(), "M-3")
    assert hand.play(Pass()).state.ending is Ending.STACK_EMPTY


def test_B_2_an_opening_need_not_use_the_taken_tile_but_the_turn_must():
    hand = _drawing("101-classic", RACK_ALL, "y3", opened="-m--", table=[(1, "run y5 y6 y7")])
    hand = hand.play(DrawLeft())
    opened = hand.play(Open(hand.melds(*MELDS_101)))
    refused(opened, opened.discards("y1"), "OT-2")
    refused(opened, Lay(opened.melds("run y1 y2 y3")), "OT-1")
    added = opened.play(opened.adds(0, "low", "y4"))
    added = added.play(added.adds(0, "low", "y3"))
    assert added.play(added.discards("y1")).turn == 1


def test_OT_2_in_C_the_taken_tile_is_part_of_the_opening():
    hand = _drawing("101-standard", RACK_ALL, "b8").play(DrawLeft())
    refused(hand, Open(hand.melds(*MELDS_101)), "OT-2", "among the tiles of the opening")
    hand = _drawing("101-standard", RACK_101, "r9").play(DrawLeft())
    opened = hand.play(Open(hand.melds(*MELDS_101)))
    assert _charges(opened) == [(3, 90, "C-7")]


@pytest.mark.parametrize(
    ("key", "options", "allowed"),
    [
        ("101-classic", {}, False),
        ("101-classic", {"take_use": "any-meld"}, True),
        ("101-standard", {}, True),
        ("51-feeding", {}, False),
        ("51-feeding", {"take_use": "any-meld"}, True),
    ],
)
def test_B_2_and_D_12_an_opened_seat_and_new_melds(key, options, allowed):
    rules = ruleset_for(key, **options)
    hand = _drawing(rules, "b7 b8 y1", "b9", opened="m---").play(DrawLeft())
    move = Lay(hand.melds("run b7 b8 b9"))
    if allowed:
        assert len(hand.play(move).table.melds) == 1
    else:
        refused(hand, move, "OT-1")


def test_C_10_a_playable_tile_is_not_taken_in_C():
    table = [(1, "run b5 b6 b7"), (1, "run k5 r5 k7")]
    for tile in ("b8", "b4", "k6", "r5"):
        hand = _drawing("101-standard", "y1 y2", tile, table=table, opened="mm--")
        refused(hand, DrawLeft(), "C-10")
        hand = _drawing("101-classic", "y1 y2", tile, table=table, opened="mm--")
        assert hand.play(DrawLeft()).state.phase is Phase.PLAY


def test_D_12_a_pairs_opener_cannot_take_in_D():
    table = [(1, "pair y8 r5"), (1, "run b5 b6 b7")]
    for tile in ("y8", "b8", "k1"):
        refused(
            _drawing("51-feeding", "y1 y2", tile, table=table, opened="pm--"), DrawLeft(), "OT-1"
        )
    rules = ruleset_for("51-feeding", take_use="any-meld")
    assert _drawing(rules, "y1 k1", "k1", opened="p---").play(DrawLeft())


def test_OT_1_a_pairs_opener_of_51_takes_only_the_twin_of_a_pair_with_an_okey():
    table = [(1, "pair y8 r5"), (1, "run b5 b6 b7")]
    refused(_drawing("51", "y1 y2", "b8", table=table, opened="pm--"), DrawLeft(), "OT-1")
    hand = _drawing("51", "y1 y2", "y8", table=table, opened="pm--").play(DrawLeft())
    freed = hand.play(hand.retrieves(0, 1, "y8"))
    used = freed.play(Lay(freed.melds("pair y1 r5")))
    assert used.play(used.discards("y2")).state.ending is Ending.FINISHED


def test_B_27_a_taken_tile_may_be_supplied_but_not_in_D():
    table = [(1, "run k5 r5 k7")]
    hand = _drawing("101-classic", "b8 b9 y2", "k6", table=table, opened="mm--").play(DrawLeft())
    freed = hand.play(hand.retrieves(0, 1, "k6"))
    used = freed.play(Lay(freed.melds("run b8 b9 r5")))
    assert used.play(used.discards("y2")).state.ending is Ending.FINISHED
    hand = _drawing("51-feeding", "b8 b9 y2", "k6", table=table, opened="mm--").play(DrawLeft())
    refused(hand, hand.retrieves(0, 1, "k6"), "OT-1")


@pytest.mark.parametrize(
    ("key", "rule", "points"),
    [("101-challenge", "B-15", 90), ("101-standard", "C-7", 90), ("51-feeding", "D-7", 90)],
)
def test_B_15_C_7_D_7_the_discarder_pays_for_an_opening(key, rule, points):
    hand = _drawing(key, RACK_101, "r9").play(DrawLeft())
    assert _charges(hand.play(Open(hand.melds(*MELDS_101)))) == [(3, points, rule)]


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("101-challenge", [(3, 180, "B-15")]),
        ("101-standard", [(3, 180, "C-7")]),
        ("51-feeding", [(3, 90, "D-7")]),
        ("101-rising", []),
    ],
)
def test_B_15_C_7_D_7_the_discarder_pays_for_a_pairs_opening(key, expected):
    hand = _drawing(key, RACK_PAIRS, "b9").play(DrawLeft())
    assert _charges(hand.play(Open(hand.melds(*PAIRS_5)))) == expected


def test_C_7_only_openings_cost_the_discarder_in_C():
    hand = _drawing("101-standard", "b7 b8 y1", "b9", opened="m---").play(DrawLeft())
    assert _charges(hand.play(Lay(hand.melds("run b7 b8 b9")))) == []


@pytest.mark.parametrize(("key", "points"), [("101-challenge", 160), ("51-feeding", 80)])
def test_B_15_and_D_20_a_taken_okey_costs_what_it_stands_for(key, points):
    table = [(0, "run k5 k6 k7")]
    hand = _drawing(key, "y1 y2", "r5", table=table, opened="m---").play(DrawLeft())
    assert _charges(hand.play(hand.adds(0, "high", "r5"))) == [
        (3, points, {"101-challenge": "B-15", "51-feeding": "D-7"}[key])
    ]


def test_B_27_supplying_costs_the_discarder_in_challenge():
    table = [(0, "run k5 r5 k7"), (0, "pair y8 r5")]
    hand = _drawing("101-challenge", "y1 y2", "k6", table=table, opened="m---").play(DrawLeft())
    assert _charges(hand.play(hand.retrieves(0, 1, "k6"))) == [(3, 60, "B-15")]
    hand = _drawing("101-challenge", "y1 y2", "y8", table=table, opened="m---").play(DrawLeft())
    assert _charges(hand.play(hand.retrieves(1, 1, "y8"))) == [(3, 160, "B-15")]


def test_B_25_discards_of_a_seat_going_pairs_are_for_pairs_only():
    table = [(1, "run b5 b6 b7")]
    refused(
        _drawing("101-challenge", "y1 y2", "b8", table=table, opened="mm--", going=(3,)),
        DrawLeft(),
        "B-25",
    )
    hand = _drawing("101-challenge", RACK_101, "r9", going=(3,)).play(DrawLeft())
    refused(hand, Open(hand.melds(*MELDS_101)), "B-25")
    hand = _drawing("101-challenge", RACK_ALL, "b8", going=(3,), table=table, opened="-m--")
    hand = hand.play(DrawLeft())
    opened = hand.play(Open(hand.melds(*MELDS_101)))
    refused(opened, opened.adds(0, "high", "b8"), "B-25")
    hand = _drawing("101-challenge", RACK_PAIRS, "b9", going=(3,)).play(DrawLeft())
    opened = hand.play(Open(hand.melds(*PAIRS_5)))
    assert opened.table.opened[0] is Opened.PAIRS
    assert _charges(opened) == [(3, 180, "B-15")]
    hand = _drawing("101-challenge", RACK_PAIRS, "b8", table=table, opened="pm--", going=(3,))
    refused(hand, DrawLeft(), "OT-1")


def _opened_with_melds(key: RuleSet, discard: str, table: list[tuple[int, str]]) -> FaceUp:
    """A seat that has taken from a neighbour Going Pairs and has opened without that tile."""
    hand = _drawing(key, RACK_ALL, discard, going=(3,), table=table, opened="-m--")
    hand = hand.play(DrawLeft())
    return hand.play(Open(hand.melds(*MELDS_101)))


def test_B_25_a_protected_tile_frees_the_okeys_of_pairs_only():
    table = [(1, "run k5 r5 k7"), (1, "pair k6 r5")]
    hand = _opened_with_melds(ruleset_for("101-challenge"), "k6", table)
    refused(hand, hand.retrieves(0, 1, "k6"), "B-25")
    assert _charges(hand.play(hand.retrieves(1, 1, "k6")))[-1] == (3, 120, "B-15")


def test_B_25_where_new_melds_are_allowed_a_protected_tile_goes_into_pairs_only():
    rules = ruleset_for("101-challenge", take_use="any-meld")
    hand = _opened_with_melds(rules, "y3", [])
    refused(hand, Lay(hand.melds("run y1 y2 y3")), "B-25")
    hand = _drawing(rules, "y3 y1", "y3", going=(3,), opened="p---").play(DrawLeft())
    assert _charges(hand.play(Lay(hand.melds("pair y3a y3b")))) == [(3, 60, "B-15")]


def test_B_12_a_seat_may_bind_itself_after_taking():
    hand = _drawing("101-challenge", RACK_PAIRS, "b9").play(DrawLeft(), GoPairs())
    assert hand.play(Open(hand.melds(*PAIRS_5))).table.going_pairs[0]


@pytest.mark.parametrize(
    ("key", "options", "expected"),
    [
        ("101-classic", {}, [(0, 101, "B-4")]),
        ("101-classic", {"penalties": False}, []),
        ("51-feeding", {}, []),
    ],
)
def test_B_4_C_8_D_16_a_late_return_undoes_the_turn(key, options, expected):
    rules = ruleset_for(key, **options)
    hand = _drawing(rules, RACK_ALL, "b8").play(DrawLeft())
    opened = hand.play(Open(hand.melds(*MELDS_101)))
    back = opened.play(ReturnTaken())
    assert (back.table.opened[0], back.table.melds, back.table.opening_values[0]) == (
        Opened.NONE,
        (),
        0,
    )
    assert back.state.racks[0] == hand.state.racks[0][:-1]
    assert back.state.phase is Phase.DRAW
    assert _charges(back) == expected
    shown = {placed.slot for meld in hand.melds(*MELDS_101) for placed in meld.tiles}
    assert all(back.state.faces[slot] is not None for slot in shown)


def test_C_8_a_take_back_puts_the_taken_tile_back():
    hand = _drawing("101-standard", RACK_101, "r9")
    opened = hand.play(DrawLeft())
    opened = opened.play(Open(opened.melds(*MELDS_101)))
    assert _charges(opened) == [(3, 90, "C-7")]
    back = opened.play(TakeBack())
    assert (back.state.racks, back.state.discards) == (hand.state.racks, hand.state.discards)
    assert back.state.phase is Phase.DRAW
    assert _charges(back) == [(0, 101, "C-8")]
    refused(back, DrawLeft(), "OT-3")


def test_B_4_a_take_back_leaves_the_taken_tile_on_the_rack():
    taken = _drawing("101-challenge", RACK_101, "r9").play(DrawLeft())
    opened = taken.play(Open(taken.melds(*MELDS_101)))
    back = opened.play(TakeBack())
    assert (back.state.racks, back.state.phase) == (taken.state.racks, Phase.PLAY)
    assert _charges(back) == [(0, 101, "B-4")]
    refused(back, back.discards("y1"), "OT-2")
    assert _charges(back.play(ReturnTaken())) == [(0, 101, "B-4")]


def test_a_taken_okey_that_comes_back_from_the_table_counts_as_used():
    table = [(0, "run k6 k7 k8")]
    hand = _drawing("51-feeding", "k5 y1 y2", "r5", table=table, opened="m---").play(DrawLeft())
    added = hand.play(hand.adds(0, "low", "r5"))
    freed = added.play(added.retrieves(0, 0, "k5"))
    refused(freed, ReturnTaken(), "OT-2")
    assert _charges(freed) == [(3, 50, "D-7")]
    assert freed.play(freed.discards("y1")).turn == 1
