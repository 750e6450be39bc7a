"""The player of the duel: legal moves from its view alone, and sensible ones."""

import pytest
from hypothesis import given, settings

from p2pokey.bots.choosing import choose
from p2pokey.errors import LocalProtocolError
from p2pokey.rules import duel
from p2pokey.rules.moves import DrawStack, Pass, Play
from p2pokey.rules.published import DUEL
from p2pokey.rules.state import Ending
from p2pokey.rules.view import View, public_view
from p2pokey.tiles import Seat
from tests.bots.hands import Source, play_hand
from tests.rules.duels import DuelHand, deal, position
from tests.strategies import seeds


def _choice(hand: DuelHand):
    return choose(hand.own(), Source(1))


@given(seeds)
@settings(max_examples=4, deadline=None)
def test_whole_rounds_are_legal_and_end(seed):
    hand = play_hand(DUEL, seed)
    assert hand.state.ending in (Ending.FINISHED, Ending.BLOCKED)


def test_it_needs_a_turn_and_a_seat():
    hand = deal(1)
    for view in (hand.view(1), public_view(hand.state), View(state=hand.state, seat=Seat(0))):
        with pytest.raises(LocalProtocolError):
            choose(view, Source(1))


def test_it_opens_with_30():
    hand = position(racks=("r10 b10 k10 y1", "b1"), opened=(False, False))
    assert _choice(hand) == hand.table("r10 b10 k10")


def test_it_draws_below_30():
    hand = position(racks=("r9 b9 k9 y1", "b1"), opened=(False, False))
    assert _choice(hand) == DrawStack()


def test_its_opening_leaves_the_table_alone():
    hand = position(
        table=["r5 r6 r7"], racks=("r8 b10 k10 y10", "b1"), opened=(False, True), stack="k1"
    )
    assert _choice(hand) == hand.table("r5 r6 r7", "b10 k10 y10")


def test_it_adds_tiles_and_melds():
    hand = position(table=["r5 r6 r7"], racks=("r8 r9 k1 k2 k3 y9", "b1"), stack="b2")
    assert _choice(hand) == hand.table("r5 r6 r7 r8 r9", "k1 k2 k3")


def test_it_takes_the_table_apart_where_that_lays_more():
    hand = position(table=["r3 r4 r5 r6 r7"], racks=("r5b k9", "b1"), stack="b2")
    assert _choice(hand) == hand.table("r3 r4 r5", "r5b r6 r7")


def test_it_moves_a_joker_to_win():
    hand = position(table=["r5 **a r7"], racks=("r6 k9 y9", "b1"), stack="b2")
    move = _choice(hand)
    assert isinstance(move, Play)
    assert duel.apply(hand.state, move)[0].ending is Ending.FINISHED


def test_it_passes_when_nothing_fits():
    assert _choice(position(table=["r5 r6 r7"], racks=("k9 y9", "b1"), stack="")) == Pass()
