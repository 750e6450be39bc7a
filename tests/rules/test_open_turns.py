"""Take-backs, discards, finishes and exhausted stacks of the open table by rule id."""

from dataclasses import replace

import pytest

from p2pokey.errors import NotYourTurn
from p2pokey.rules import open_table
from p2pokey.rules.events import ChargeBooked, HandExhausted, HandFinished, TileDiscarded
from p2pokey.rules.moves import (
    ClaimFinish,
    Discard,
    DrawLeft,
    DrawStack,
    End,
    Lay,
    Open,
    Pass,
    Placed,
    Play,
    ReturnTaken,
    Show,
    TakeBack,
)
from p2pokey.rules.open_state import Charge, Checkpoint, Opened
from p2pokey.rules.published import RULE_SETS
from p2pokey.rules.rulesets import ruleset_for
from p2pokey.rules.state import Ending, FinishKind, Phase, canonical_bytes, state_hash
from p2pokey.tiles import Seat, Slot, Tile
from tests.rules.open_hands import OPEN_KEYS, FaceUp, position, refused, shuffled

MELDS_101 = ("run k10 k11 k12 k13", "set r10 b10 y10", "run r7 r8 r9", "run b1 b2 b3")
RACK_101 = "k10 k11 k12 k13 r10 b10 y10 r7 r8 r9 b1 b2 b3 y1 y2 y4"
RUN = [(1, "run b5 b6 b7")]


def _charges(hand: FaceUp) -> list[tuple[int, int, str]]:
    return [(charge.seat, charge.points, charge.rule) for charge in hand.table.charges]


@pytest.mark.parametrize("key", OPEN_KEYS)
def test_G_2_the_deal(key):
    rules = RULE_SETS[key]
    hand = shuffled(1, rules, 2)
    size = rules.rack_size
    assert [len(rack) for rack in hand.state.racks] == [size, size, size + 1, size]
    assert len(hand.state.stack) == 106 - 4 * size - 2
    assert (hand.state.phase, hand.turn) == (Phase.PLAY, 2)
    assert hand.state.racks[2][0] == 0
    assert hand.state.racks[2][-1] == 4 * size


@pytest.mark.parametrize("key", ["101-classic", "101-standard"])
def test_B_4_a_take_back_restores_what_was_before_the_turns_first_change(key):
    hand = position(key, RACK_101 + " b8", table=RUN, opened="-m--")
    opened = hand.play(Open(hand.melds(*MELDS_101)))
    later = opened.play(opened.adds(0, "high", "b8"))
    back = later.play(TakeBack())
    assert back.state.racks == hand.state.racks
    assert (back.table.melds, back.table.opened) == (hand.table.melds, hand.table.opened)
    assert back.table.opening_values == (0, 0, 0, 0)
    assert back.table.turn == replace(hand.table.turn, attempts=1)
    assert [points for _, points, _ in _charges(back)] == [101]
    shown = {placed.slot for meld in hand.melds(*MELDS_101) for placed in meld.tiles}
    assert all(back.state.faces[slot] == back.deck[slot] for slot in shown)
    refused(back, TakeBack(), "OT-11")


def test_B_4_a_bonus_is_taken_back_too():
    rack = "r9 r10 r11 r12 r13 k9 k10 k11 k12 k13 b9 b10 b11 b12 b13 y1"
    hand = position("101-rising", rack)
    melds = hand.melds("run r9 r10 r11 r12 r13", "run k9 k10 k11 k12 k13", "run b9 b10 b11 b12 b13")
    assert _charges(hand.play(Open(melds))) == [(0, -101, "B-14")]
    assert _charges(hand.play(Open(melds), TakeBack())) == [(0, 101, "B-4")]


def test_B_4_later_additions_stay_in_B_and_are_taken_back_in_C():
    for key, is_allowed in (("101-classic", False), ("101-standard", True)):
        hand = position(key, "b8 y1 y2", table=RUN, opened="mm--")
        added = hand.play(hand.adds(0, "high", "b8"))
        if is_allowed:
            assert added.play(TakeBack()).state.racks == hand.state.racks
        else:
            refused(added, TakeBack(), "B-4")


def test_B_4_a_turn_with_an_unused_retrieved_okey_is_taken_back():
    hand = position("101-classic", "k6 y1", table=[(1, "run k5 r5 k7")], opened="mm--")
    freed = hand.play(hand.retrieves(0, 1, "k6"))
    assert _charges(freed) == [(1, 101, "B-21")]
    back = freed.play(TakeBack())
    assert back.state.racks == hand.state.racks
    assert _charges(back) == [(0, 101, "B-4")]


def test_D_16_51_with_feeding_has_no_take_back():
    hand = position("51-feeding", RACK_101)
    refused(hand.play(Open(hand.melds(*MELDS_101))), TakeBack(), "D-16")


@pytest.mark.parametrize("key", ["101-classic", "101-standard"])
def test_OT_13_after_three_attempts_the_turn_can_only_end(key):
    """However they failed; else one turn could be drawn out for ever."""
    hand = position(key, RACK_101 + " b8", table=RUN)
    for _ in range(3):
        hand = hand.play(Open(hand.melds(*MELDS_101)), TakeBack())
    refused(hand, Open(hand.melds(*MELDS_101)), "OT-13", "3 attempts")
    assert {type(move) for move in hand.legal()} == {Discard}
    after = hand.play(hand.discards("y1"))
    assert after.table.turn.attempts == 0
    opened = position(key, RACK_101 + " b8", table=RUN, opened="m---")
    tired = replace(opened.table, turn=replace(opened.table.turn, attempts=3))
    opened = replace(opened, state=replace(opened.state, table=tired))
    refused(opened, opened.adds(0, "high", "b8"), "OT-13")
    refused(opened, Lay(opened.melds("run k10 k11 k12 k13")), "OT-13")
    refused(opened, opened.retrieves(0, 0, "b8"), "OT-13")


def test_OT_13_failed_openings_and_claims_of_C_count_too():
    hand = position("101-standard", RACK_101 + " b8")
    low = Open(hand.melds(*MELDS_101[:1]))
    claim = ClaimFinish(melds=low.melds, additions=(), discard=hand.find("b8"))
    hand = hand.play(low, claim, low)
    assert [points for _, points, _ in _charges(hand)] == [101, 101, 101]
    refused(hand, low, "OT-13")
    refused(hand, claim, "OT-13")


def test_OT_13_a_taken_tile_can_still_be_put_back():
    piles = ("", "", "", "b8")
    hand = position("101-classic", RACK_101, phase=Phase.DRAW, discards=piles, table=RUN)
    hand = hand.play(DrawLeft())
    for _ in range(3):
        hand = hand.play(Open(hand.melds(*MELDS_101)), TakeBack())
    assert set(hand.legal()) == {ReturnTaken()}
    hand = hand.play(ReturnTaken(), DrawStack())
    assert {type(move) for move in hand.legal()} == {Discard}


def test_OT_11_nothing_to_take_back():
    refused(position("101-classic", RACK_101), TakeBack(), "OT-11")


def test_charges_before_the_first_change_stay_when_it_is_taken_back():
    hand = position("101-standard", RACK_101)
    failed = hand.play(Open(hand.melds(*MELDS_101[:3])))
    back = failed.play(Open(hand.melds(*MELDS_101)), TakeBack())
    assert _charges(back) == [(0, 101, "C-1"), (0, 101, "C-8")]


@pytest.mark.parametrize(
    ("key", "tile", "expected"),
    [
        ("101-classic", "b8", [(0, 101, "P-1")]),
        ("101-classic", "b9", []),
        ("101-classic", "r5", [(0, 101, "P-4")]),
        ("101-standard", "b4", [(0, 101, "P-1")]),
        ("51-feeding", "b8", [(0, 100, "P-1")]),
        ("51-feeding", "r5", [(0, 100, "P-1")]),
    ],
)
def test_P_1_P_4_D_13_what_a_discard_costs(key, tile, expected):
    hand = position(key, f"{tile} y1", table=RUN)
    after, events = open_table.apply(hand.state, hand.discards(tile))
    assert _charges(FaceUp(after, hand.deck)) == expected
    assert [type(event) for event in events] == [
        TileDiscarded,
        *([ChargeBooked] if expected else []),
    ]
    assert (after.turn, after.phase, after.turns_taken) == (1, Phase.DRAW, (2, 1, 1, 1))


def test_D_13_an_okey_that_fits_nowhere_is_free_in_D_and_charged_in_B():
    hand = position("51-feeding", "r5 y1", table=[(1, "pair y3 y3")])
    assert _charges(hand.play(hand.discards("r5"))) == []
    hand = position("101-classic", "r5 y1")
    assert _charges(hand.play(hand.discards("r5"))) == [(0, 101, "P-4")]


def test_P_6_the_table_counts_as_it_lies_after_the_seats_own_moves():
    hand = position("101-classic", "b8 b9 y1", table=RUN, opened="mm--")
    added = hand.play(hand.adds(0, "high", "b8"))
    assert _charges(added.play(added.discards("b9"))) == [(0, 101, "P-1")]
    assert _charges(hand.play(hand.discards("b9"))) == []


@pytest.mark.parametrize("key", OPEN_KEYS)
def test_G_10_the_finishing_discard_is_free(key):
    hand = position(key, "b8", table=RUN, opened="mm--")
    after, events = open_table.apply(hand.state, hand.discards("b8"))
    assert (after.phase, after.ending) == (Phase.OVER, Ending.FINISHED)
    assert after.finish is not None
    assert (after.finish.seat, after.finish.kind) == (0, FinishKind.MELDS)
    assert isinstance(events[-1], HandFinished)
    assert _charges(FaceUp(after, hand.deck)) == []
    assert open_table.mover(after) is None


def test_a_finish_with_an_okey_by_a_pairs_opener():
    hand = position("101-classic", "r5", opened="pm--")
    finish = hand.play(hand.discards("r5")).state.finish
    assert finish is not None
    assert (finish.kind, finish.okey_discarded) == (FinishKind.PAIRS, True)
    hand = position("101-classic", "**a", opened="mm--")
    finish = hand.play(hand.discards("**a")).state.finish
    assert finish is not None
    assert not finish.okey_discarded


def test_G_7_the_hand_ends_with_the_turn_of_the_last_tile():
    hand = position("101-classic", "y1 y2", phase=Phase.DRAW, stack=1, opened="m---").draw()
    after, events = open_table.apply(hand.state, hand.discards("y1"))
    assert (after.phase, after.ending) == (Phase.OVER, Ending.STACK_EMPTY)
    assert events[-1] == HandExhausted(ending=Ending.STACK_EMPTY)


def test_G_7_a_finish_with_the_last_tile_of_the_stack_is_a_finish():
    hand = position("101-classic", "y1", phase=Phase.PLAY, stack=0, opened="m---")
    assert hand.play(hand.discards("y1")).state.ending is Ending.FINISHED


def test_G_7_the_last_discard_may_be_offered():
    rules = ruleset_for("101-classic", last_discard_offer=True)
    hand = position(rules, "b8 y2", "b9 b10 y3", stack=0, opened="mm--")
    offered = hand.play(hand.discards("b8"))
    assert (offered.state.phase, offered.turn) == (Phase.DRAW, 1)
    assert offered.play(Pass()).state.ending is Ending.STACK_EMPTY
    assert set(offered.legal()) == {DrawLeft(), Pass()}


def test_G_17_a_hand_ends_after_its_turn_limit():
    hand = position("101-classic", "y1 y2")
    late = FaceUp(replace(hand.state, turns_taken=(59, 60, 60, 60)), hand.deck)
    assert late.play(late.discards("y1")).state.ending is Ending.TURN_LIMIT


def test_M_1_only_the_seat_to_move_moves():
    hand = position("101-classic", RACK_101)
    with pytest.raises(NotYourTurn):
        open_table.check(hand.view(1), DrawStack())
    assert hand.play(hand.discards("y1")).turn == 1


def test_M_2_and_M_3_draws():
    refused(position("101-classic", RACK_101), DrawStack(), "M-2")
    drawing = position("101-classic", RACK_101, phase=Phase.DRAW)
    refused(drawing, DrawLeft(), "M-3")
    refused(drawing, drawing.discards("y1"), "M-2")
    refused(drawing, Open(drawing.melds(*MELDS_101)), "M-2")
    refused(drawing, ReturnTaken(), "M-2")
    refused(drawing, Pass(), "G-7")


def test_M_6_moves_of_other_games():
    hand = position("101-classic", RACK_101)
    refused(hand, Show(hand.find("y1")), "M-6")
    refused(hand, Play(hand.melds("run k10 k11 k12")), "M-6")


def test_M_5_a_known_slot_holds_what_it_holds():
    hand = position("101-classic", "y1 y2", discards=("", "", "", "b5"), phase=Phase.DRAW)
    taken = hand.play(DrawLeft())
    slot = taken.state.taken
    assert slot is not None
    refused(taken, Discard(Placed(slot, Tile(hand.deck[slot] + 1))), "M-5")
    refused(taken, Discard(Placed(Slot(0), hand.deck[slot])), "M-4")


def test_states_that_differ_only_in_the_log_have_other_bytes():
    hand = position("101-classic", RACK_101, table=RUN, opened="-m--")
    opened = hand.play(Open(hand.melds(*MELDS_101)))
    again = opened.play(TakeBack(), Open(hand.melds(*MELDS_101)))
    assert again.table.melds == opened.table.melds
    assert state_hash(again.state) != state_hash(opened.state)
    assert len(canonical_bytes(again.state)) > len(canonical_bytes(opened.state))


def test_states_that_differ_in_one_fact_of_the_table_have_other_bytes():
    hand = position("101-challenge", RACK_101, table=RUN, opened="-m--")
    table = hand.table
    meld = table.melds[0]
    tiles = (replace(meld.tiles[0], placer=Seat(3)), *meld.tiles[1:])
    others = [
        replace(table, melds=(replace(meld, owner=Seat(2)),)),
        replace(table, melds=(replace(meld, tiles=tiles),)),
        replace(table, opened=(Opened.NONE, Opened.PAIRS, Opened.NONE, Opened.NONE)),
        replace(table, opening_values=(0, 102, 0, 0)),
        replace(table, going_pairs=(False, False, True, False)),
        replace(table, charges=(Charge(seat=Seat(1), points=-101, rule="B-14"),)),
        replace(table, turn=replace(table.turn, opened=True)),
        replace(table, turn=replace(table.turn, returned=True)),
        replace(table, turn=replace(table.turn, retrieved=(Slot(7),))),
        replace(table, turn=replace(table.turn, added=((0, End.HIGH, 1),))),
        replace(
            table,
            turn=replace(table.turn, checkpoint=Checkpoint(rack=(Slot(1),), melds=(), charges=0)),
        ),
    ]
    forms = {table.canonical_bytes(), *(other.canonical_bytes() for other in others)}
    assert len(forms) == 1 + len(others)
