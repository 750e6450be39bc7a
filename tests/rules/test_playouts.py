"""Properties of whole hands of random legal moves."""

import random
from collections import Counter
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from p2pokey.errors import RuleError
from p2pokey.rules import classic
from p2pokey.rules.engine import engine_for
from p2pokey.rules.events import Reveal
from p2pokey.rules.move_codec import decode_move, encode_move
from p2pokey.rules.moves import Discard, DrawStack, Finish, move_placed
from p2pokey.rules.published import CLASSIC
from p2pokey.rules.state import HandState, Phase, state_hash
from p2pokey.rules.view import public_view
from p2pokey.tiles import TILE_COUNT
from tests.strategies import OpenHand, classic_rules, deal, moves, open_hands, random_steps, seeds


def _places(state: HandState) -> list[int]:
    indicator = [] if state.indicator is None else [state.indicator]
    piles = (*state.racks, *state.discards, state.stack)
    return [slot for pile in piles for slot in pile] + indicator


def _check_state(state: HandState, deck: tuple[int, ...]) -> None:
    """What holds in every state."""
    assert sorted(_places(state)) == list(range(TILE_COUNT))
    for seat, rack in enumerate(state.racks):
        extra = state.phase is Phase.PLAY and seat == state.turn
        assert len(rack) == 14 + extra
    for slot, face in enumerate(state.faces):
        assert face is None or face == deck[slot]
    for pile in state.discards:
        assert all(state.faces[slot] is not None for slot in pile)
    assert state.turn_count <= state.rules.turn_limit


@given(seed=seeds, rules=classic_rules, seats=st.integers(2, 4))
@settings(max_examples=12, deadline=None)
def test_a_hand_of_random_moves(seed, rules, seats):
    rng = random.Random(seed)
    hand = deal(seed, rules=rules, seats=seats, starter=rng.randrange(seats))
    _check_state(hand.state, hand.deck)
    steps = random_steps(hand, rng, 1000)
    for before, move, after, events in steps:
        _check_state(after, hand.deck)
        public = {placed.slot for placed in move_placed(move)}
        shown = {s for s in range(TILE_COUNT) if before.faces[s] is None} & {
            s for s in range(TILE_COUNT) if after.faces[s] is not None
        }
        assert shown <= public
        reveals = [event for event in events if isinstance(event, Reveal)]
        drew_concealed = move == DrawStack() and before.faces[before.stack[0]] is None
        assert [reveal.to for reveal in reveals] == ([before.turn] if drew_concealed else [])
    final = steps[-1][2]
    assert final.phase is Phase.OVER
    totals = (20,) * seats
    score = classic.score(final, dict(enumerate(hand.deck)), totals)
    assert score.totals == tuple(a + b for a, b in zip(totals, score.points, strict=True))


@given(seeds)
@settings(max_examples=10, deadline=None)
def test_replaying_the_moves_gives_the_same_states(seed):
    hand = deal(seed)
    steps = random_steps(hand, random.Random(seed), 60)
    again = deal(seed).state
    for _, move, after, events in steps:
        again, events_again = engine_for(CLASSIC).apply(again, decode_move(encode_move(move)))
        assert state_hash(again) == state_hash(after)
        assert (again, events_again) == (after, events)


@given(hand=open_hands(), tried=st.lists(moves, max_size=30))
@settings(max_examples=40, deadline=None)
def test_legal_and_check_agree(hand, tried):
    """Moves with true tiles are in `legal` exactly when `check` accepts them."""
    seat = classic.mover(hand.state)
    legal = hand.legal()
    if seat is None:
        assert legal == ()
        return
    view = hand.view(seat)
    for option in legal:
        classic.check(view, option)
        classic.check(public_view(hand.state), option)
        classic.apply(hand.state, option)
    own = [Discard(hand.placed(slot)) for slot in hand.state.racks[seat]]
    for move in (*own, *map(hand.with_true_tiles, tried)):
        try:
            classic.check(view, move)
        except RuleError:
            assert move not in legal
        else:
            assert move in legal or isinstance(move, Finish)


@given(hand=open_hands(), tried=st.lists(moves, max_size=30))
@settings(max_examples=40, deadline=None)
def test_any_move_is_applied_or_refused(hand, tried):
    for move in tried:
        try:
            after, _ = classic.apply(hand.state, move)
        except RuleError:
            continue
        assert sorted(_places(after)) == list(range(TILE_COUNT))


@given(hand=open_hands())
@settings(max_examples=40, deadline=None)
def test_only_the_mover_has_moves(hand):
    for seat in range(hand.state.seats):
        moves_of_seat = classic.legal(hand.view(seat))
        assert bool(moves_of_seat) == (seat == classic.mover(hand.state))


@given(seed=seeds, order=st.permutations(range(4)))
@settings(max_examples=10, deadline=None)
def test_turns_go_round_evenly(seed, order):
    hand = deal(seed, starter=order[0])
    for _, _, after, _ in random_steps(hand, random.Random(seed), 200):
        assert max(after.turns_taken) - min(after.turns_taken) <= 1
    counts = Counter(slot for rack in hand.state.racks for slot in rack)
    assert set(counts.values()) == {1}


@given(open_hands())
@settings(max_examples=20, deadline=None)
def test_states_are_not_changed_by_moves(hand):
    before = state_hash(hand.state)
    copied = OpenHand(replace(hand.state), hand.deck)
    for move in hand.legal():
        hand.play(move)
    assert state_hash(hand.state) == before
    assert copied.state == hand.state
