"""The player of the open table: legal moves from its view alone, and sensible ones."""

import random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from p2pokey.bots.open_table import choose
from p2pokey.errors import LocalProtocolError
from p2pokey.rules import open_table
from p2pokey.rules.events import ChargeBooked, OpeningFailed
from p2pokey.rules.moves import (
    Add,
    ClaimFinish,
    Discard,
    DrawLeft,
    DrawStack,
    GoPairs,
    Lay,
    Open,
    Pass,
    Retrieve,
    ReturnTaken,
    TakeBack,
)
from p2pokey.rules.open_state import Opened
from p2pokey.rules.published import OPTIONS, RuleSet
from p2pokey.rules.rulesets import ruleset_for
from p2pokey.rules.state import Ending, Phase
from p2pokey.rules.view import View, public_view
from p2pokey.tiles import Seat, format_tile
from tests.bots.hands import Source, play_hand
from tests.rules.open_hands import OPEN_KEYS, FaceUp, position, shuffled
from tests.rules.open_players import play_on
from tests.strategies import seeds

HIGH = "r11 r12 r13 b11 b12 b13 k11 k12 k13"
"""Three runs worth 108."""


@st.composite
def open_rules(draw: st.DrawFn) -> RuleSet:
    """Any game of the open table with any of its options."""
    key = draw(st.sampled_from(OPEN_KEYS))
    options = {name: draw(st.sampled_from(values)) for name, values in OPTIONS[key].items()}
    return ruleset_for(key, **options)


def _choice(hand: FaceUp, seed: int = 1):
    return choose(hand.view(hand.turn), Source(seed))


def _turn(hand: FaceUp, seed: int = 1) -> tuple[list[object], FaceUp]:
    """The moves of one turn, and the hand after it."""
    moves: list[object] = []
    seat, source = hand.turn, Source(seed)
    while hand.turn == seat and open_table.mover(hand.state) is not None:
        move = choose(hand.view(seat), source)
        moves.append(move)
        hand = hand.play(move)
        assert len(moves) < 40
    return moves, hand


@given(seed=seeds, rules=open_rules(), count=st.integers(0, 150))
@settings(max_examples=40, deadline=None)
def test_every_choice_is_legal_and_repeatable(seed, rules, count):
    """In whatever position others have brought it, a taken tile in hand or not."""
    rng = random.Random(seed)
    hand = shuffled(seed, rules)
    steps = play_on(hand, rng, count)
    hand = FaceUp(steps[-1][2], hand.deck) if steps else hand
    if open_table.mover(hand.state) is None:
        return
    move = _choice(hand, seed)
    open_table.check(hand.view(hand.turn), move)
    assert _choice(hand, seed) == move
    _, events = open_table.apply(hand.state, move)
    assert not any(isinstance(event, OpeningFailed) for event in events)


@given(seed=seeds, rules=open_rules())
@settings(max_examples=6, deadline=None)
def test_hands_end_whatever_the_options(seed, rules):
    hand = play_hand(rules, seed, player=choose)
    assert hand.state.ending in (Ending.FINISHED, Ending.STACK_EMPTY, Ending.CANCELLED)
    assert not any(isinstance(move, ReturnTaken | TakeBack) for _, move in hand.moves)


@given(seed=seeds)
@settings(max_examples=10, deadline=None)
def test_other_seats_tiles_do_not_matter(seed):
    rng = random.Random(seed)
    hand = shuffled(seed, ruleset_for("101-classic"))
    steps = play_on(hand, rng, 40)
    hand = FaceUp(steps[-1][2], hand.deck)
    assume(open_table.mover(hand.state) is not None)
    concealed = [slot for slot, tile in enumerate(hand.state.faces) if tile is None]
    hidden = [slot for slot in concealed if slot not in hand.state.racks[hand.turn]]
    tiles = [hand.deck[slot] for slot in hidden]
    rng.shuffle(tiles)
    deck = list(hand.deck)
    for slot, tile in zip(hidden, tiles, strict=True):
        deck[slot] = tile
    assert _choice(FaceUp(hand.state, tuple(deck))) == _choice(hand)


def test_it_needs_a_turn_and_a_seat():
    hand = position("101-classic", "r1 b5 k9")
    with pytest.raises(LocalProtocolError):
        choose(hand.view(1), Source(1))
    with pytest.raises(LocalProtocolError):
        choose(public_view(hand.state), Source(1))
    with pytest.raises(LocalProtocolError):
        choose(View(state=hand.state, seat=Seat(0)), Source(1))


# Openings


def test_it_opens_when_it_reaches_the_floor():
    hand = position("101-classic", HIGH + " r1 b3 k5 y7 y9", stack=20)
    move = _choice(hand)
    assert isinstance(move, Open)
    assert len(move.melds) == 3


def test_it_waits_below_the_floor():
    hand = position("101-classic", "r11 r12 r13 b11 b12 b13 k2 k3 k4 r1 b3 k7 y7 y9", stack=20)
    assert isinstance(_choice(hand), Discard)


def test_a_risen_floor_counts():
    hand = position(
        "101-rising", HIGH + " r1 b3 k5 y7 y9", opened="-m--", values=(0, 108, 0, 0), stack=20
    )
    assert isinstance(_choice(hand), Discard)


def test_it_keeps_an_okey_that_the_opening_does_not_need():
    hand = position("101-classic", HIGH + " r5 r1 b3 k5 y7 y9", stack=20)
    move = _choice(hand)
    assert isinstance(move, Open)
    laid = {format_tile(placed.tile) for meld in move.melds for placed in meld.tiles}
    assert not laid & {"r5a", "r5b"}


def test_it_opens_with_an_okey_where_it_must():
    hand = position("101-classic", HIGH.replace("k12", "r5") + " r1 b3 k5 y7 y9", stack=20)
    assert isinstance(_choice(hand), Open)


def test_it_opens_with_pairs():
    pairs = "r1 r1 b3 b3 k5 k5 y7 y7 y9 y9"
    hand = position("101-classic", pairs + " k13 b10 r7 k2", stack=20)
    move = _choice(hand)
    assert isinstance(move, Open)
    assert len(move.melds) == 5


def test_going_pairs_it_opens_with_pairs_only():
    hand = position("101-challenge", HIGH + " r1 b3 k5 y7 y9", going=(0,), stack=20)
    assert isinstance(_choice(hand), Discard)


def test_now_and_then_it_declares_going_pairs():
    hand = position("101-challenge", "r1 r1 b3 b3 k5 k5 y7 y7 y9 k13 b10 r7", stack=20)
    chosen = {type(_choice(hand, seed)) for seed in range(20)}
    assert chosen == {GoPairs, Discard}


def test_it_claims_a_finish_that_works():
    hand = position("101-standard", HIGH + " r10 y2", opened="-m--", table=[(1, "run y3 y4 y5")])
    move = _choice(hand)
    assert isinstance(move, ClaimFinish)
    assert hand.play(move).state.ending is Ending.FINISHED


# Additions, okeys, discards


OPENED = {"opened": "mm--", "table": [(1, "run b6 b7 b8"), (0, "set k10 y10 r10")]}


def test_it_adds_what_fits_and_finishes():
    moves, after = _turn(position("101-classic", "b9 b10 k2", **OPENED))
    assert [type(move) for move in moves] == [Add, Add, Discard]
    assert after.state.ending is Ending.FINISHED


def test_it_lays_new_melds():
    move = _choice(position("101-classic", "y1 y2 y3 k2 r9", **OPENED))
    assert isinstance(move, Lay)


def test_it_finishes_with_an_okey():
    moves, after = _turn(position("101-classic", "b9 r5", **OPENED))
    assert [type(move) for move in moves] == [Add, Discard]
    assert after.state.finish is not None
    assert after.state.finish.okey_discarded


def test_it_retrieves_an_okey_for_which_a_rival_pays_and_uses_it():
    hand = position(
        "101-classic",
        "b7 k2 y1 y5",
        opened="mm--",
        table=[(1, "run b6 r5 b8"), (0, "run k5 k6 k7")],
    )
    moves, after = _turn(hand)
    assert isinstance(moves[0], Retrieve)
    assert isinstance(moves[1], Add)
    assert after.table.charged(1) == 101
    assert after.table.charged(0) == 0


def test_it_retrieves_nothing_that_it_could_not_use():
    """An opener with pairs in 51 adds nothing, and one tile more makes no pair."""
    hand = position(
        "51", "b7 k2 y1 y5", opened="pp--", table=[(1, "pair b7 r5"), (0, "pair k3 k3")]
    )
    moves, after = _turn(hand)
    if isinstance(moves[0], Retrieve):
        assert isinstance(moves[1], Lay)
    assert not any(isinstance(move, TakeBack) for move in moves)
    assert after.table.charged(0) == 0


@pytest.mark.parametrize("seed", range(5))
def test_it_avoids_discards_that_cost(seed):
    hand = position(
        "101-classic",
        "b9 b5 k10 r13 y13",
        opened="-m--",
        table=[(1, "run b6 b7 b8"), (1, "run k11 k12 k13")],
    )
    move = _choice(hand, seed)
    assert isinstance(move, Discard)
    _, events = open_table.apply(hand.state, move)
    assert not any(isinstance(event, ChargeBooked) for event in events)


def test_it_keeps_pairs_when_it_collects_pairs():
    hand = position("101-classic", "r1 r1 b3 b3 k5 k5 y7 y7 y9 k13 b10 r7 k2", stack=20)
    for seed in range(10):
        move = _choice(hand, seed)
        assert isinstance(move, Discard)
        assert format_tile(move.placed.tile, with_copy=False) not in {"r1", "b3", "k5", "y7"}


# The left discard


def _at_draw(rules: str, rack: str, discard: str, **more: object) -> FaceUp:
    return position(rules, rack, discards=("", "", "", discard), phase=Phase.DRAW, **more)


def test_it_takes_a_discard_that_opens():
    hand = _at_draw("101-classic", HIGH.replace("k13", "y1") + " r1 b3 k5 y7", "k13", stack=20)
    moves, after = _turn(hand)
    assert isinstance(moves[0], DrawLeft)
    assert isinstance(moves[1], Open)
    assert after.table.opened[0] is Opened.MELDS


def test_it_leaves_a_discard_that_does_not_reach_the_floor():
    hand = _at_draw("101-classic", "r11 r12 b3 k5 y7 y9 k1 b6", "r13", stack=20)
    assert _choice(hand) == DrawStack()


def test_it_takes_a_discard_that_it_can_add():
    moves, _ = _turn(_at_draw("101-classic", "k2 y1 y5", "b9", **OPENED))
    assert isinstance(moves[0], DrawLeft)
    assert isinstance(moves[1], Add)


def test_in_C_a_playable_discard_is_not_for_taking():
    assert _choice(_at_draw("101-standard", "k2 y1 y5", "b9", **OPENED)) == DrawStack()


def test_in_C_it_lays_a_taken_discard():
    moves, _ = _turn(_at_draw("101-standard", "k2 k3 y1 y5", "k4", **OPENED))
    assert isinstance(moves[0], DrawLeft)
    assert isinstance(moves[1], Lay)


def test_elsewhere_a_taken_discard_is_not_laid():
    assert _choice(_at_draw("101-classic", "k2 k3 y1 y5", "k4", **OPENED)) == DrawStack()


def test_it_puts_back_what_it_cannot_use():
    """Somebody else took the tile for this seat, as after a change of hands."""
    hand = _at_draw("101-classic", "k2 y1 y5 b1", "k9", stack=20).play(DrawLeft())
    assert _choice(hand) == ReturnTaken()


def test_it_passes_on_an_empty_stack():
    rules = ruleset_for("101-classic", last_discard_offer=True)
    hand = _at_draw(rules, "k2 y1 y5 b1", "k9", stack=0)
    assert _choice(hand) == Pass()


def test_it_uses_the_okey_that_it_retrieved_not_the_one_it_held():
    hand = position(
        "101-challenge",
        "k10 k13 k1 r5",
        opened="pp--",
        table=[(1, "pair k10 r5"), (0, "pair k3 k3")],
    )
    moves, after = _turn(hand)
    assert not any(isinstance(move, TakeBack) for move in moves)
    assert after.table.charged(0) == 0
