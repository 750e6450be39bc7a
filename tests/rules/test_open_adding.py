"""Adding to melds, retrieving okeys and playable tiles by rule id (docs/rules: B, C and D)."""

import pytest

from p2pokey.rules.moves import Lay, Retrieve
from p2pokey.rules.open_state import Charge
from p2pokey.rules.playable import is_playable
from p2pokey.rules.rulesets import ruleset_for
from p2pokey.tiles import Seat, parse_tile
from tests.rules.open_hands import FaceUp, position, refused

RUN = [(1, "run k5 k6 k7")]


def _charges(hand: FaceUp) -> list[tuple[int, int, str]]:
    return [(charge.seat, charge.points, charge.rule) for charge in hand.table.charges]


def _stands(hand: FaceUp, meld: int) -> list[str]:
    return [str(tile.stands) for tile in hand.table.melds[meld].tiles]


def test_G_19_tiles_are_added_at_both_ends():
    hand = position("101-classic", "k8 k9 k3 k4 y1", table=RUN, opened="mm--")
    after = hand.play(hand.adds(0, "high", "k8 k9"), hand.adds(0, "low", "k4 k3"))
    assert _stands(after, 0) == ["k3", "k4", "k5", "k6", "k7", "k8", "k9"]
    assert [tile.placer for tile in after.table.melds[0].tiles] == [0, 0, 1, 1, 1, 0, 0]
    assert after.table.melds[0].owner == 1
    assert len(after.state.racks[0]) == 1


def test_an_added_okey_stands_for_its_place():
    hand = position("101-classic", "r5 y1", table=RUN, opened="mm--")
    assert _stands(hand.play(hand.adds(0, "low", "r5")), 0) == ["k4", "k5", "k6", "k7"]
    assert _stands(hand.play(hand.adds(0, "high", "r5")), 0) == ["k5", "k6", "k7", "k8"]
    table = [(1, "set r9 b9 r5=k9")]
    hand = position("101-classic", "r5 y1", table=table, opened="mm--")
    assert _stands(hand.play(hand.adds(0, "high", "r5")), 0) == ["r9", "b9", "k9", "y9"]


def test_P_8_an_undeclared_okey_takes_the_colour_that_is_left():
    table = [(1, "set r9 b9 r5")]
    for added, okey in (("k9", "y9"), ("y9", "k9")):
        hand = position("101-classic", f"{added} y1", table=table, opened="mm--")
        after = hand.play(hand.adds(0, "high", added))
        assert _stands(after, 0) == ["r9", "b9", okey, added]


def test_OT_4_only_who_has_opened_adds_and_retrieves():
    hand = position("101-classic", "k8 k6 y1", table=[(1, "run k5 r5 k7")], opened="-m--")
    refused(hand, hand.adds(0, "high", "k8"), "OT-4")
    refused(hand, hand.retrieves(0, 1, "k6"), "OT-4")


def test_OT_6_the_last_tile_is_not_added():
    hand = position("101-classic", "k8", table=RUN, opened="mm--")
    refused(hand, hand.adds(0, "high", "k8"), "OT-6")


def test_OT_8_a_set_has_only_a_high_end():
    hand = position("101-classic", "k9 y1", table=[(1, "set r9 b9 y9")], opened="mm--")
    refused(hand, hand.adds(0, "low", "k9"), "OT-8")
    assert _stands(hand.play(hand.adds(0, "high", "k9")), 0) == ["r9", "b9", "y9", "k9"]


def test_OT_9_numbers_are_those_of_the_table():
    hand = position("101-classic", "k8 k6 y1", table=[(1, "run k5 r5 k7")], opened="mm--")
    refused(hand, hand.adds(1, "high", "k8"), "OT-9")
    refused(hand, hand.retrieves(0, 3, "k6"), "OT-9")
    refused(hand, hand.retrieves(0, 0, "k6"), "OT-9")


def test_tiles_that_do_not_fit_are_refused():
    hand = position("101-classic", "k9 b8 k4 k8 y1", table=RUN, opened="mm--")
    refused(hand, hand.adds(0, "high", "k9"), "G-4")
    refused(hand, hand.adds(0, "high", "b8"), "G-4")
    refused(hand, hand.adds(0, "high", "k4"), "G-4")
    full = position("101-classic", "k4 y1", table=[(1, "set r9 b9 y9 k9")], opened="mm--")
    refused(full, full.adds(0, "high", "k4"), "G-4")


def test_A_1_a_1_follows_the_13_in_51_with_feeding_only():
    table = [(1, "run k11 k12 k13")]
    hand = position("101-classic", "k1 y1", table=table, opened="mm--")
    refused(hand, hand.adds(0, "high", "k1"), "A-1")
    hand = position("51-feeding", "k1 k2 y1", table=table, opened="mm--")
    after = hand.play(hand.adds(0, "high", "k1"))
    assert _stands(after, 0) == ["k11", "k12", "k13", "k1"]
    refused(after, after.adds(0, "high", "k2"), "A-1")


def test_C_4_at_most_two_tiles_on_one_end():
    rack = "k8 k9 k10 k4 y1"
    hand = position("101-standard", rack, table=RUN, opened="mm--")
    refused(hand, hand.adds(0, "high", "k8 k9 k10"), "C-4")
    two = hand.play(hand.adds(0, "high", "k8 k9"))
    assert _stands(two.play(two.adds(0, "high", "k10")), 0)[-1] == "k10"
    strict = ruleset_for("101-standard", two_per_end="turn")
    two = position(strict, rack, table=RUN, opened="mm--")
    two = two.play(two.adds(0, "high", "k8"), two.adds(0, "high", "k9"))
    refused(two, two.adds(0, "high", "k10"), "C-4")
    assert two.play(two.adds(0, "low", "k4")).table.turn.added == ((0, 0, 1), (0, 1, 2))
    free = position("101-classic", rack, table=RUN, opened="mm--")
    assert len(_stands(free.play(free.adds(0, "high", "k8 k9 k10")), 0)) == 6


@pytest.mark.parametrize(
    ("key", "allowed"),
    [("101-classic", True), ("51", False), ("101-standard", True), ("51-feeding", False)],
)
def test_B_5_and_C_13_what_a_pairs_opener_may_process(key, allowed):
    table = [*RUN, (1, "run b5 r5 b7"), (1, "pair y8 r5")]
    hand = position(key, "k8 b6 y8 y1", table=table, opened="pm--")
    moves = (hand.adds(0, "high", "k8"), hand.retrieves(1, 1, "b6"))
    for move in moves:
        if allowed:
            hand.play(move)
        else:
            refused(hand, move, "B-5")
    hand.play(hand.retrieves(2, 1, "y8"))


def test_P_7_nothing_is_added_to_a_pair():
    hand = position("101-classic", "y8 y1", table=[(1, "pair y8 r5")], opened="mm--")
    refused(hand, hand.adds(0, "high", "y8"), "P-7")


def test_D_4_the_owner_pays_for_what_is_added():
    hand = position("51-feeding", "k8 k9 r5 y1", table=RUN, opened="mm--")
    after = hand.play(hand.adds(0, "high", "k8 k9"), hand.adds(0, "low", "r5"))
    assert _charges(after) == [(1, 170, "D-4"), (1, 40, "D-4")]


@pytest.mark.parametrize("owner", [0, 2])
def test_D_18_own_and_partners_melds_are_fed_for_nothing(owner):
    rules = ruleset_for("51-feeding", partners=True)
    table = [(owner, "run k5 k6 k7"), (owner, "run b5 r5 b7")]
    hand = position(rules, "k8 b6 y1", table=table, opened="m-m-")
    after = hand.play(hand.adds(0, "high", "k8"), hand.retrieves(1, 1, "b6"))
    assert _charges(after) == []


def test_OT_10_exactly_the_natural_is_supplied():
    table = [(1, "run k5 r5 k7"), (1, "set r9 b9 y9 r5")]
    hand = position("101-classic", "k8 k6 k9 y1", table=table, opened="mm--")
    refused(hand, hand.retrieves(0, 1, "k8"), "OT-10", "the okey stands for k6, you supply k8")
    refused(hand, hand.retrieves(0, 1, "k6 k8"), "OT-10")
    after = hand.play(hand.retrieves(0, 1, "k6"))
    assert _stands(after, 0) == ["k5", "k6", "k7"]
    assert after.state.racks[0][-1] == parse_tile("r5a")
    assert _stands(hand.play(hand.retrieves(1, 3, "k9")), 1) == ["r9", "b9", "y9", "k9"]


def test_OT_10_an_okey_never_replaces_an_okey():
    hand = position("101-standard", "r5 y1", table=[(1, "run k5 r5 k7")], opened="mm--")
    refused(hand, hand.retrieves(0, 1, "r5"), "OT-10", "never replaces")


def test_a_false_okey_is_supplied_only_for_the_okeys_own_face():
    table = [(1, "run r4 r5 r6"), (1, "run k5 r5 k7")]
    hand = position("51-feeding", "**a k6 y1", table=table, opened="mm--", okey="r5")
    after = hand.play(hand.retrieves(0, 1, "**a"))
    assert _charges(after) == [(1, 150, "D-15")]
    refused(hand, hand.retrieves(1, 1, "**a"), "OT-10")


def test_B_20_a_three_tile_set_gives_its_okey_for_the_declared_face():
    table = [(1, "set r9 b9 r5=y9")]
    hand = position("101-classic", "k9 y9 y1", table=table, opened="mm--")
    refused(hand, hand.retrieves(0, 2, "k9"), "OT-10", "stands for y9")
    assert _stands(hand.play(hand.retrieves(0, 2, "y9")), 0) == ["r9", "b9", "y9"]


def test_B_20_an_undeclared_okey_stands_for_the_lowest_free_colour():
    hand = position("101-classic", "k9 y9 y1", table=[(1, "set r9 b9 r5")], opened="mm--")
    refused(hand, hand.retrieves(0, 2, "y9"), "OT-10", "stands for k9")
    assert _stands(hand.play(hand.retrieves(0, 2, "k9")), 0) == ["r9", "b9", "k9"]


@pytest.mark.parametrize("key", ["101-standard", "101-progressive"])
def test_C_takes_both_missing_colours_for_the_okey_of_a_three_tile_set(key):
    table = [(1, "set r9 b9 r5=y9")]
    hand = position(key, "k9 y9 r9 y1", table=table, opened="mm--")
    refused(hand, hand.retrieves(0, 2, "y9"), "OT-10", "expected 2 tiles")
    refused(hand, hand.retrieves(0, 2, "y9 r9"), "G-4")
    after = hand.play(hand.retrieves(0, 2, "k9 y9"))
    assert _stands(after, 0) == ["r9", "b9", "k9", "y9"]
    assert len(after.state.racks[0]) == 3
    assert {hand.retrieves(0, 2, "k9 y9"), hand.retrieves(0, 2, "y9 k9")} == {
        move for move in hand.legal() if isinstance(move, Retrieve)
    }


@pytest.mark.parametrize(
    ("key", "owner", "partners", "expected"),
    [
        ("101-classic", 1, False, [(1, 101, "B-21")]),
        ("101-classic", 0, False, []),
        ("101-classic", 2, False, [(2, 101, "B-21")]),
        ("101-classic", 2, True, []),
        ("101-standard", 2, True, [(2, 101, "C-9")]),
        ("101-standard", 0, True, []),
        ("51-feeding", 1, False, [(1, 160, "D-15")]),
        ("51-feeding", 0, False, []),
    ],
)
def test_B_21_C_6_D_6_who_pays_for_a_retrieved_okey(key, owner, partners, expected):
    rules = ruleset_for(key, partners=partners)
    hand = position(rules, "k6 y1", table=[(owner, "run k5 r5 k7")], opened="mmmm")
    assert _charges(hand.play(hand.retrieves(0, 1, "k6"))) == expected


@pytest.mark.parametrize(
    ("key", "expected"),
    [("101-classic", [(0, 101, "B-21")]), ("51-feeding", [(1, 50, "D-4")])],
)
def test_B_21_and_D_15_the_placer_pays_but_in_D_the_owner(key, expected):
    """Seat 0 adds an okey to seat 1's run; seat 1 takes it, in D from its own run."""
    hand = position(key, "r5 y1 y3", "k5 b1", table=[(1, "run k6 k7 k8")], opened="mm--")
    hand = hand.play(hand.adds(0, "low", "r5"), hand.discards("y1")).draw()
    assert _charges(hand.play(hand.retrieves(0, 0, "k5"))) == expected


def test_B_16_tables_without_penalties_charge_nothing():
    rules = ruleset_for("101-classic", penalties=False)
    hand = position(rules, "k6 k8 r5 y1 y2", table=[(1, "run k5 r5 k7")], opened="mm--")
    hand = hand.play(hand.retrieves(0, 1, "k6"))
    hand = hand.play(hand.adds(0, "low", "r5a"), hand.adds(0, "low", "r5b"))
    assert _charges(hand.play(hand.discards("k8"))) == []


def test_B_3_a_retrieved_okey_is_used_before_the_discard_in_B():
    table = [(1, "run k5 r5 k7")]
    hand = position("101-classic", "k6 b8 b9 y1 y3", table=table, opened="mm--")
    taken = hand.play(hand.retrieves(0, 1, "k6"))
    refused(taken, taken.discards("y1"), "B-3")
    refused(taken, taken.discards("r5"), "B-3")
    used = taken.play(Lay(taken.melds("run b8 b9 r5")))
    assert used.play(used.discards("y1")).turn == 1
    assert used.table.melds[1].tiles[2].placer == 0


@pytest.mark.parametrize("key", ["101-standard", "51-feeding"])
def test_C_5_elsewhere_it_may_be_kept(key):
    hand = position(key, "k6 b8 y1", table=[(1, "run k5 r5 k7")], opened="mm--")
    taken = hand.play(hand.retrieves(0, 1, "k6"))
    assert taken.play(taken.discards("y1")).turn == 1


PLAYABLE = [
    (RUN, "k8", True),
    (RUN, "k4", True),
    (RUN, "k9", False),
    ([(1, "run k2 k3 k4")], "k1", True),
    ([(1, "run k1 k2 k3")], "k13", False),
    (RUN, "b8", False),
    (RUN, "r5", True),
    ([(1, "run k1 k2 k3 k4 k5 k6 k7 k8 k9 k10 k11 k12 k13")], "r5", False),
    ([(1, "set r9 b9 k9")], "y9", True),
    ([(1, "set r9 b9 k9 y9")], "k9", False),
    ([(1, "pair r9 r9")], "k9", False),
    ([(1, "pair k9 r5")], "k9", True),
    ([(1, "run k5 r5 k7")], "k6", True),
    ([(1, "run k4 k5 k6")], "**a", False),
    ([(1, "run r6 r7 r8")], "**a", True),
    ([(1, "set r9 b9 r5")], "y9", True),
    ([(1, "set r9 b9 r5=k9")], "y9", True),
]


@pytest.mark.parametrize(("table", "tile", "expected"), PLAYABLE)
def test_P_1_to_P_8_playable(table, tile, expected):
    hand = position("101-classic", "y1", table=table)
    found = parse_tile(tile if tile[-1] in "ab" else tile + "b")
    assert is_playable(hand.state.rules, hand.table.melds, found, hand.state.okey) == expected


def test_P_2_and_C_swaps_that_make_a_tile_playable():
    table, tile = [(1, "set r9 b9 r5=k9")], parse_tile("k9a")
    for rules, expected in (
        (ruleset_for("101-classic"), True),
        (ruleset_for("101-classic", playable_includes_swap=False), False),
        (ruleset_for("101-standard"), False),
    ):
        hand = position(rules, "y1", table=table)
        assert is_playable(rules, hand.table.melds, tile, hand.state.okey) == expected


def test_A_1_playable_across_the_13():
    table, tile = [(1, "run k11 k12 k13")], parse_tile("k1a")
    for key, expected in (("101-classic", False), ("51-feeding", True)):
        hand = position(key, "y1", table=table)
        assert is_playable(hand.state.rules, hand.table.melds, tile, hand.state.okey) == expected


def test_charges_name_their_seat_points_and_rule():
    hand = position("51-feeding", "k8 y1", table=RUN, opened="mm--")
    after = hand.play(hand.adds(0, "high", "k8"))
    assert after.table.charges == (Charge(seat=Seat(1), points=80, rule="D-4"),)
    assert [after.table.charged(seat) for seat in range(4)] == [0, 80, 0, 0]
