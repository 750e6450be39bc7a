"""The simple player: legal moves only, from its view alone, and hands that end in a finish."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2pokey.bots.simple import choose
from p2pokey.errors import LocalProtocolError
from p2pokey.rules import classic
from p2pokey.rules.moves import Discard, DrawLeft, DrawStack, Finish, Pass, Show
from p2pokey.rules.rulesets import ruleset_for
from p2pokey.rules.state import Ending
from p2pokey.rules.view import View, public_view
from p2pokey.tiles import Seat, parse_tile
from tests.strategies import OpenHand, classic_rules, deal, deal_fixed, open_hands, seeds

EXTRA, INDICATOR, TOP = 56, 57, 58
NEARLY = "r1a r2a r3a b4a b5a b6a b7a k9a y9a r9a y10a y11a y12a"
"""One tile short of a finish: y9 or y13."""


class Source:
    """A seeded source of choices."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)

    def below(self, m: int) -> int:
        return self._rng.randrange(m)


def _play_out(hand: OpenHand, seed: int) -> OpenHand:
    source = Source(seed)
    while (seat := classic.mover(hand.state)) is not None:
        hand = hand.play(choose(hand.view(seat), source))
    return hand


def _fixed(seat_first_slot: int, text: str, **more: str) -> dict[int, int]:
    fixed = {seat_first_slot + i: parse_tile(tile) for i, tile in enumerate(text.split())}
    names = {"extra": EXTRA, "indicator": INDICATOR, "top": TOP}
    return fixed | {names[name]: parse_tile(tile) for name, tile in more.items()}


@given(hand=open_hands(), seed=seeds)
@settings(max_examples=30, deadline=None)
def test_every_choice_is_legal_and_repeatable(hand, seed):
    seat = classic.mover(hand.state)
    if seat is None:
        return
    view = hand.view(seat)
    move = choose(view, Source(seed))
    assert move in classic.legal(view)
    assert choose(view, Source(seed)) == move


@given(seed=seeds, rules=classic_rules, seats=st.integers(2, 4))
@settings(max_examples=3, deadline=None)
def test_hands_of_simple_players_come_to_an_end(seed, rules, seats):
    final = _play_out(deal(seed, rules=rules, seats=seats), seed)
    assert final.state.ending is not Ending.NONE


def test_most_hands_are_finished():
    endings = [_play_out(deal(seed), seed).state.ending for seed in range(12)]
    assert endings.count(Ending.FINISHED) >= 11


def test_it_finishes_when_it_can():
    hand = deal_fixed(_fixed(0, NEARLY + " y13a", extra="k13a", indicator="k2a"))
    move = choose(hand.view(0), Source(1))
    assert isinstance(move, Finish)
    assert move.discard.slot == EXTRA


def test_it_finishes_with_an_okey_where_that_is_worth_more():
    hand = deal_fixed(_fixed(0, NEARLY + " y13a", extra="k3a", indicator="k2a"))
    move = choose(hand.view(0), Source(1))
    assert isinstance(move, Finish)
    assert move.discard.tile == parse_tile("k3a")


def test_it_shows_the_twin_and_then_finishes():
    hand = deal_fixed(_fixed(0, NEARLY + " y13a", extra="k2b", indicator="k2a"))
    show = choose(hand.view(0), Source(1))
    assert show == Show(hand.placed(EXTRA))
    assert isinstance(choose(hand.play(show).view(0), Source(1)), Finish)


def test_it_takes_a_discard_that_joins_its_tiles():
    hand = deal_fixed(_fixed(14, NEARLY + " k1a", extra="y13a", indicator="k2a")).play_turn()
    assert choose(hand.view(1), Source(1)) == DrawLeft()


def test_it_draws_where_the_discard_is_no_use():
    hand = deal_fixed(_fixed(14, NEARLY + " k1a", extra="r6a", indicator="k2a")).play_turn()
    assert choose(hand.view(1), Source(1)) == DrawStack()


def test_it_sheds_its_loosest_tile():
    hand = deal_fixed(
        _fixed(0, NEARLY.replace("r1a", "r10b") + " k13a", extra="b11a", indicator="y2a")
    )
    move = choose(hand.view(0), Source(1))
    assert isinstance(move, Discard)
    assert move.placed.tile in {parse_tile(text) for text in ("r10b", "k13a", "b11a")}


def test_it_does_not_discard_the_tile_just_taken():
    hand = deal_fixed(_fixed(14, NEARLY + " k1a", extra="b11a", indicator="k2a")).play_turn()
    hand = hand.play(DrawLeft())
    move = choose(hand.view(1), Source(1))
    assert isinstance(move, Discard)
    assert move.placed.slot != EXTRA


def test_it_keeps_okeys():
    loose = "k3a k3b r1a r5a r9a r13a b2a b6a b10a y3a y7a y11a k8a k12a"
    hand = deal_fixed(_fixed(0, loose, extra="y1a", indicator="k2a"))
    for seed in range(20):
        move = choose(hand.view(0), Source(seed))
        assert isinstance(move, Discard)
        assert move.placed.slot not in (0, 1)


def test_it_passes_a_useless_last_discard():
    rules = ruleset_for("classic", last_discard_offer=True)
    hand = deal_fixed(_fixed(14, NEARLY + " k1a", extra="r6a", indicator="k2a"), rules=rules)
    hand = hand.play_turn()
    hand = OpenHand(replace(hand.state, stack=()), hand.deck)
    assert choose(hand.view(1), Source(1)) == Pass()


def test_it_needs_a_turn_and_a_seat():
    hand = deal(1)
    with pytest.raises(LocalProtocolError):
        choose(hand.view(1), Source(1))
    with pytest.raises(LocalProtocolError):
        choose(public_view(hand.state), Source(1))
    with pytest.raises(LocalProtocolError):
        choose(View(state=hand.state, seat=Seat(0)), Source(1))


def test_equal_choices_differ_by_the_source():
    loose = "r1a r5a r9a r13a b2a b6a b10a y3a y7a y11a k4a k8a k12a b13a"
    hand = deal_fixed(_fixed(0, loose, extra="y1a", indicator="k2a"))
    chosen = {choose(hand.view(0), Source(seed)) for seed in range(40)}
    assert all(isinstance(move, Discard) for move in chosen)
    assert len(chosen) > 1


def test_other_seats_tiles_do_not_matter():
    hand = deal(5)
    swapped = list(hand.deck)
    swapped[20], swapped[70] = swapped[70], swapped[20]
    other = OpenHand(hand.state, tuple(swapped))
    assert choose(hand.view(0), Source(1)) == choose(other.view(0), Source(1))
