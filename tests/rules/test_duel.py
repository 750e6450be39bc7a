"""The duel by rule id (docs/rules/duel.md): what is allowed, what is refused and why."""

from dataclasses import replace

import pytest

from p2pokey.errors import (
    IllegalMove,
    InvalidMeld,
    InvalidRuleSet,
    LocalProtocolError,
    NotYourTurn,
    RuleError,
)
from p2pokey.rules import duel
from p2pokey.rules.duel_checks import opening_value, table_of
from p2pokey.rules.duel_scoring import rack_total, round_points
from p2pokey.rules.duel_state import DuelTable, read_together, written_form
from p2pokey.rules.events import (
    HandExhausted,
    RackEmptied,
    Reveal,
    TablePlayed,
    TileDrawn,
    TurnPassed,
)
from p2pokey.rules.melds import MeldKind
from p2pokey.rules.moves import Discard, DrawLeft, DrawStack, LaidMeld, Move, Open, Pass, Play, Show
from p2pokey.rules.published import DUEL
from p2pokey.rules.state import Ending, Phase, canonical_bytes
from p2pokey.rules.view import public_view
from p2pokey.tiles import Seat, Tile, parse_face, parse_tile
from tests.rules.duels import DuelHand, deal, position, tiles_of

TENS = "r10 b10 k10"


def _refused(
    hand: DuelHand, move: Move, rule: str, error: type[RuleError] = IllegalMove
) -> RuleError:
    """The move is refused with that rule, publicly and in the mover's own view."""
    with pytest.raises(error) as raised:
        duel.apply(hand.state, move)
    assert raised.value.rule == rule
    with pytest.raises(error):
        duel.check(hand.own(), move)
    assert move not in hand.legal()
    return raised.value


# Deal


@pytest.mark.parametrize("starter", [0, 1])
def test_G2_slots_are_dealt_in_two_blocks_and_nothing_is_turned(starter):
    state, events = duel.start(DUEL, 2, Seat(starter))
    assert state.racks[starter] == tuple(range(14))
    assert state.racks[1 - starter] == tuple(range(14, 28))
    assert state.stack == tuple(range(28, 106))
    assert len(state.stack) == 78
    assert (state.indicator, state.okey, state.phase) == (None, None, Phase.PLAY)
    assert duel.mover(state) == starter
    assert events == tuple(Reveal(slots=state.racks[seat], to=Seat(seat)) for seat in (0, 1))


@pytest.mark.parametrize(("seats", "starter"), [(3, 0), (4, 0), (1, 0), (2, 2), (2, -1)])
def test_G2_no_deal_without_two_seats(seats, starter):
    with pytest.raises(InvalidRuleSet):
        duel.start(DUEL, seats, Seat(starter))


def test_M6_there_is_no_indicator_to_turn():
    with pytest.raises(IllegalMove):
        duel.turn_indicator(deal(1).state, Tile(0))


# Turns


def test_M1_a_seat_moves_in_its_own_turn_only():
    hand = deal(1)
    with pytest.raises(NotYourTurn) as raised:
        duel.check(hand.view(1), DrawStack())
    assert (raised.value.rule, raised.value.seat) == ("M-1", 1)
    assert duel.legal(hand.view(1)) == ()


def test_M1_nobody_moves_after_the_end():
    hand = deal(1)
    over = DuelHand(replace(hand.state, phase=Phase.OVER), hand.deck)
    _refused(over, DrawStack(), "M-1")
    assert duel.mover(over.state) is None


def test_E5_drawing_is_always_allowed_and_ends_the_turn():
    hand = position(table=["r5 r6 r7"], racks=("r8", "b1"), stack="k1 k2")
    state, events = duel.apply(hand.state, DrawStack())
    drawn = hand.of("k1")[0]
    assert state.racks[0] == (*hand.state.racks[0], drawn.slot)
    assert state.stack == hand.state.stack[1:]
    assert (state.turn, state.turns_taken, state.phase) == (1, (1, 0), Phase.PLAY)
    assert state.faces == hand.state.faces
    assert events == (
        TileDrawn(seat=Seat(0), slot=drawn.slot),
        Reveal(slots=(drawn.slot,), to=Seat(0)),
    )
    with pytest.raises(NotYourTurn):
        duel.check(DuelHand(state, hand.deck).view(0), hand.table("r5 r6 r7 r8"))


def test_M3_an_empty_stack_gives_nothing():
    _refused(position(racks=("r1", "b1"), stack=""), DrawStack(), "M-3")


def test_E4_passing_needs_an_empty_stack():
    error = _refused(position(racks=("r1", "b1"), stack="k1 k2"), Pass(), "E-4")
    assert "it has 2" in str(error)


def test_E4_two_passes_block_the_round():
    hand = position(racks=("r7 k2", "**a"), stack="")
    once, events = duel.apply(hand.state, Pass())
    assert events == (TurnPassed(seat=Seat(0)),)
    assert (table_of(once).passes, once.turn, once.phase) == (1, 1, Phase.PLAY)
    over, events = duel.apply(once, Pass())
    assert events == (TurnPassed(seat=Seat(1)), HandExhausted(ending=Ending.BLOCKED))
    assert (over.phase, over.ending, over.turns_taken) == (Phase.OVER, Ending.BLOCKED, (1, 1))


def test_E4_a_play_resets_the_count_of_passes():
    hand = position(table=["r5 r6 r7"], racks=("k1", "r8 b1"), stack="").play(Pass())
    hand = hand.play(hand.table("r5 r6 r7 r8"))
    assert hand.lying.passes == 0
    assert hand.play(Pass()).state.phase is Phase.PLAY


def test_E4_a_draw_leaves_no_passes():
    hand = position(racks=("k1", "b1"), stack="k2", passes=1)
    assert hand.play(DrawStack()).lying.passes == 0


def test_M6_moves_of_other_games_are_refused():
    hand = deal(1)
    own = hand.placed(hand.state.racks[0][0])
    laid = LaidMeld(kind=MeldKind.SET, tiles=hand.of(TENS))
    for move in (Discard(own), Show(own), DrawLeft(), Open((laid,))):
        _refused(hand, move, "M-6")


# The first play


def test_E1_an_opening_of_30():
    hand = position(racks=(f"{TENS} y1", "b1"), opened=(False, False))
    move = hand.table(TENS)
    assert move in hand.legal()
    assert opening_value(hand.lying, move) == 30
    state, events = duel.apply(hand.state, move)
    assert table_of(state) == DuelTable(melds=move.table, opened=(True, False), passes=0)
    assert state.racks[0] == (hand.of("y1")[0].slot,)
    assert all(state.faces[placed.slot] == placed.tile for placed in hand.of(TENS))
    assert events == (TablePlayed(seat=Seat(0), laid=hand.of(TENS)),)
    assert (state.turn, state.turns_taken) == (1, (1, 0))


def test_E1_an_opening_below_30_is_refused_with_the_numbers():
    hand = position(racks=("r9 b9 k9 y1", "b1"), opened=(False, False))
    error = _refused(hand, hand.table("r9 b9 k9"), "E-1")
    assert "floor 30, you have 27" in str(error)


def test_E1_several_melds_may_open():
    hand = position(racks=("r9 b9 k9 y1 y2 y3", "b1"), opened=(False, False))
    hand = hand.play(hand.table("r9 b9 k9", "y1 y2 y3"))
    assert hand.lying.opened == (True, False)
    assert hand.state.ending is Ending.FINISHED


def test_E1_a_first_play_does_not_touch_the_table():
    hand = position(
        table=["r5 r6 r7"], racks=("r8 b10 k10 y10", "b1"), opened=(False, True), stack="k1"
    )
    _refused(hand, hand.table("r5 r6 r7 r8", "b10 k10 y10"), "E-1")
    assert hand.play(hand.table("r5 r6 r7", "b10 k10 y10")).lying.opened == (True, True)


def test_E1_the_second_meld_of_a_first_play_is_from_the_rack_too():
    hand = position(table=["r8 b8 k8 y8"], racks=("r13 b13 k13 y9 y10", "b1"), opened=(False, True))
    _refused(hand, hand.table("r8 b8 k8", "r13 b13 k13", "y8 y9 y10"), "E-1")


def test_E9_each_seat_opens_for_itself():
    hand = position(table=[TENS], racks=("r1 r2 r3", "b1"), opened=(False, True))
    _refused(hand, hand.table(TENS, "r1 r2 r3"), "E-1")


# Melds


@pytest.mark.parametrize(
    ("tiles", "kind", "numbers"),
    [
        ("r7 r5 r6", MeldKind.RUN, (5, 6, 7)),
        ("r5 ** r7", MeldKind.RUN, (5, 6, 7)),
        ("** r5 r6", MeldKind.RUN, (5, 6, 7)),
        ("r12 r13 **", MeldKind.RUN, (11, 12, 13)),
        ("r13 ** r11 **b", MeldKind.RUN, (10, 11, 12, 13)),
        ("r1 **b **", MeldKind.RUN, (1, 2, 3)),
        ("r11 **b **", MeldKind.RUN, (11, 12, 13)),
        ("r12 **b **", MeldKind.SET, (12, 12, 12)),
        ("r13 **b **", MeldKind.SET, (13, 13, 13)),
        ("r8 b8 **", MeldKind.SET, (8, 8, 8)),
        ("r8 ** b8 **b", MeldKind.SET, (8, 8, 8, 8)),
        (" ".join(f"k{n}" for n in range(1, 14)), MeldKind.RUN, tuple(range(1, 14))),
    ],
)
def test_E2_E3_the_best_reading_counts(tiles, kind, numbers):
    reading = read_together(tiles_of(tiles))
    assert (reading.kind, reading.numbers) == (kind, numbers)
    assert reading.value == sum(numbers)
    assert read_together(reversed(tiles_of(tiles))) == reading


@pytest.mark.parametrize(
    "tiles",
    [
        "r12 r13 r1", "r1 r2", "r1 r2 r4", "r1 b2 r3", "r8 r8b b8", "r8 b8 k8 y8 **",
        "** **b", "r1 r2 r3 r3b", "r1 ** **b r5", "r1 ** r13", "r5 b5 k6",
    ],
)  # fmt: skip
def test_E2_other_tiles_are_no_meld(tiles):
    with pytest.raises(InvalidMeld) as raised:
        read_together(tiles_of(tiles))
    assert raised.value.rule == "E-2"


def test_E2_a_run_has_at_most_13_tiles():
    with pytest.raises(InvalidMeld):
        read_together([*tiles_of(" ".join(f"k{n}" for n in range(1, 14))), parse_tile("**a")])


def test_E2_a_table_with_an_invalid_meld_is_refused():
    hand = position(table=["r5 r6 r7"], racks=("r9 k1", "b1"))
    laid = LaidMeld(kind=MeldKind.RUN, tiles=hand.of("r5 r6 r7 r9"))
    error = _refused(hand, Play((laid,)), "E-2", InvalidMeld)
    assert error.seat == 0
    assert "r5a r6a r7a r9a" in str(error)


# Rearranging


def test_a_tile_of_the_rack_extends_a_meld():
    hand = position(table=["r5 r6 r7"], racks=("r8 k2", "b1"))
    move = hand.table("r5 r6 r7 r8")
    assert move in hand.legal()
    assert hand.play(move).state.racks[0] == (hand.of("k2")[0].slot,)


def test_a_run_is_split():
    hand = position(table=["r3 r4 r5 r6 r7"], racks=("r5b k1", "b1"))
    after = hand.play(hand.table("r3 r4 r5", "r5b r6 r7"))
    assert len(after.lying.melds) == 2


def test_E12_a_play_adds_a_tile():
    hand = position(table=["r3 r4 r5 r6 r7 r8"], racks=("k1", "b1"))
    _refused(hand, hand.table("r3 r4 r5", "r6 r7 r8"), "E-12")


def test_E6_a_joker_stays_on_the_table():
    hand = position(table=["r5 **a r7"], racks=("r6 k9", "b1"))
    error = _refused(hand, hand.table("r5 r6 r7"), "E-6")
    assert "**a" in str(error)


def test_E6_a_joker_moves_to_another_meld():
    hand = position(table=["r5 **a r7"], racks=("r6 k9 y9", "b1"), stack="")
    after = hand.play(hand.table("r5 r6 r7", "k9 y9 **a"))
    assert after.state.ending is Ending.FINISHED


def test_E6_other_tiles_stay_too():
    hand = position(table=["r5 r6 r7 r8"], racks=("r4 k9", "b1"))
    error = _refused(hand, hand.table("r5 r6 r4"), "E-6")
    assert "r7a r8a" in str(error)


# The written form, and whose tiles


def test_E13_a_table_has_one_written_form():
    hand = position(table=["r5 r6 r7", TENS], racks=("r8 k2", "b1"))
    good = hand.table(TENS, "r5 r6 r7 r8")
    first, second = good.table
    swapped = replace(first, tiles=first.tiles[::-1])
    other_kind = replace(first, kind=MeldKind.SET)
    declared = replace(first, declared=(None, None, None, parse_face("r8")))
    for table in ((second, first), (swapped, second), (other_kind, second), (declared, second)):
        _refused(hand, Play(table), "E-13")
    hand.play(good)


def test_M4_a_tile_lies_in_one_place():
    hand = position(table=["r5 r6 r7"], racks=("r8 k2", "b1"))
    run = hand.table("r5 r6 r7 r8").table[0]
    _refused(hand, Play((run, run)), "M-4")


def test_M4_tiles_of_the_stack_and_the_other_rack_are_out_of_reach():
    hand = position(table=["r5 r6 r7"], racks=("k1 k2", "r8 b1"), stack="r4")
    _refused(hand, hand.table("r5 r6 r7 r8"), "M-4")
    _refused(hand, hand.table("r5 r6 r7 r4"), "M-4")


def test_M5_a_claimed_tile_is_what_it_is_known_to_be():
    hand = position(table=["r5 r6 r7"], racks=("k8 k2", "b1"))
    k8, r6 = hand.of("k8 r6")
    lie = replace(k8, tile=parse_tile("r8a"))
    move = Play(written_form([[*hand.of("r5 r6 r7"), lie]]))
    duel.check(public_view(hand.state), move)  # the deck will not prove it
    with pytest.raises(IllegalMove) as raised:
        duel.check(hand.own(), move)
    assert raised.value.rule == "M-5"
    other_copy = replace(r6, tile=parse_tile("r6b"))
    _refused(hand, Play(written_form([[*hand.of("r5 r7"), other_copy]])), "M-5")


def test_M5_a_tile_of_the_table_is_not_on_the_rack():
    hand = position(table=["r5 r6 r7"], racks=("k8 k2 k3", "b1"))
    names = zip(hand.of("k8 k2 k3"), tiles_of("r7 b7 k7"), strict=True)
    claimed = [replace(placed, tile=tile) for placed, tile in names]
    _refused(hand, Play(written_form([hand.of("r5 r6 r7"), claimed])), "M-5")


# The end and the score


def test_laying_the_last_tile_wins():
    hand = position(table=["r5 r6 r7"], racks=("r8", "r9 k13 **a"), stack="k1")
    state, events = duel.apply(hand.state, hand.table("r5 r6 r7 r8"))
    assert events[-1] == RackEmptied(seat=Seat(0))
    assert (state.phase, state.ending, state.turn) == (Phase.OVER, Ending.FINISHED, 0)
    score = duel.score(state, dict(enumerate(hand.deck)), (10, 5))
    assert (score.points, score.totals) == ((52, 0), (62, 5))
    assert (score.reason, score.counts) == ("duel-empty-rack", True)


@pytest.mark.parametrize(
    ("racks", "points"),
    [(("r7 k2", "**a"), (21, 0)), (("r7 k3", "b10"), (0, 0)), (("**a **b", "r1"), (0, 59))],
)
def test_E7_a_blocked_round_is_won_by_the_lower_rack(racks, points):
    hand = position(racks=racks, stack="").play(Pass()).play(Pass())
    score = duel.score(hand.state, dict(enumerate(hand.deck)), (0, 0))
    assert (score.points, score.reason) == (points, "duel-blocked")


def test_a_joker_left_counts_30():
    assert DUEL.duel is not None
    assert rack_total(DUEL.duel, tiles_of("r7 k13 **")) == 50
    assert round_points(DUEL.duel, [[], tiles_of("r7 k13 **")]) == (50, 0)


def test_a_round_that_is_not_over_has_no_score():
    with pytest.raises(LocalProtocolError):
        duel.score(deal(1).state, {}, (0, 0))


# The state


def test_equal_tables_have_equal_bytes():
    one = position(table=["r5 r6 r7", TENS], racks=("r8", "b1"))
    same = replace(one.lying, melds=written_form([one.of("k10 r10 b10"), one.of("r6 r5 r7")]))
    assert canonical_bytes(replace(one.state, table=same)) == canonical_bytes(one.state)
    for changed in (
        replace(one.lying, passes=1),
        replace(one.lying, opened=(True, False)),
        replace(one.lying, melds=one.lying.melds[:1]),
    ):
        assert changed.canonical_bytes() != one.lying.canonical_bytes()


def test_a_view_shows_the_table():
    hand = position(table=["r5 r6 r7"], racks=("r8", "b1"), opened=(True, False))
    assert hand.lying.as_dict() == {
        "melds": [
            {
                "kind": "run",
                "tiles": [
                    {"slot": placed.slot, "tile": name}
                    for placed, name in zip(hand.of("r5 r6 r7"), ("r5a", "r6a", "r7a"), strict=True)
                ],
            }
        ],
        "opened": [True, False],
        "passes": 0,
    }
    assert '"r5a"' in hand.own().to_json()


def test_a_public_view_lists_only_moves_without_tiles():
    hand = position(table=["r5 r6 r7"], racks=("r8", "b1"))
    assert duel.legal(public_view(hand.state)) == (DrawStack(),)
