"""Properties of whole hands of the open table, played at random, for every rule set."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2pokey.errors import RuleError
from p2pokey.rules import open_table
from p2pokey.rules.engine import engine_for
from p2pokey.rules.events import ChargeBooked, Reveal, TableRestored
from p2pokey.rules.melds import read_meld
from p2pokey.rules.move_codec import decode_move, encode_move
from p2pokey.rules.move_text import format_move, parse_move
from p2pokey.rules.moves import (
    Add,
    ClaimFinish,
    Discard,
    DrawLeft,
    DrawStack,
    GoPairs,
    Lay,
    Open,
    Retrieve,
    ReturnTaken,
    TakeBack,
    move_placed,
)
from p2pokey.rules.open_melds import okey_of
from p2pokey.rules.open_scoring import SeatFacts, end_points, hand_points
from p2pokey.rules.open_state import Opened, table_of
from p2pokey.rules.published import OPTIONS
from p2pokey.rules.rulesets import ruleset_for
from p2pokey.rules.state import Ending, HandState, Phase, all_places, canonical_bytes, state_hash
from p2pokey.rules.view import public_view
from p2pokey.tiles import TILE_COUNT
from tests.rules.open_hands import OPEN_KEYS, FaceUp, shuffled
from tests.rules.open_moves import accepted, simple_candidates
from tests.rules.open_players import Step, play_on
from tests.strategies import moves, seeds

open_rules = st.sampled_from(OPEN_KEYS).flatmap(
    lambda key: st.builds(
        lambda chosen: ruleset_for(key, **chosen),
        st.fixed_dictionaries(
            {}, optional={name: st.sampled_from(allowed) for name, allowed in OPTIONS[key].items()}
        ),
    )
)


@st.composite
def face_up_hands(draw: st.DrawFn) -> FaceUp:
    """A hand after some random moves."""
    seed = draw(seeds)
    hand = shuffled(seed, draw(open_rules), seed % 4)
    steps = play_on(hand, random.Random(seed), draw(st.integers(0, 150)))
    return FaceUp(steps[-1][2], hand.deck) if steps else hand


def _check_places(state: HandState) -> None:
    """Every slot lies in exactly one place."""
    assert sorted(all_places(state)) == list(range(TILE_COUNT))


def _check_melds(state: HandState) -> None:
    """Every meld on the table reads as what its tiles are said to stand for."""
    okey = okey_of(state)
    for meld in table_of(state).melds:
        assert all(state.faces[tile.slot] == tile.tile for tile in meld.tiles)
        laid = [tile.laid(okey) for tile in meld.tiles]
        read = read_meld(meld.kind, laid, okey=okey, rules=state.rules.melds)
        assert read.stands == tuple(tile.stands for tile in meld.tiles)


def _check_step(step: Step, deck: tuple[int, ...]) -> None:
    """What holds after every move."""
    before, move, after, events = step
    _check_places(after)
    _check_melds(after)
    named = {placed.slot for placed in move_placed(move)}
    for slot, face in enumerate(after.faces):
        assert face in (None, deck[slot])
        assert (face is None) == (before.faces[slot] is None and slot not in named)
    booked = [event for event in events if isinstance(event, ChargeBooked)]
    if not any(isinstance(event, TableRestored) for event in events):
        log = table_of(after).charges[len(table_of(before).charges) :]
        assert [(e.seat, e.points, e.rule) for e in booked] == [
            (c.seat, c.points, c.rule) for c in log
        ]
    reveals = [event.to for event in events if isinstance(event, Reveal)]
    drew = isinstance(move, DrawStack) and before.faces[before.stack[0]] is None
    assert reveals == ([before.turn] if drew else [])
    assert all(after.racks) or after.ending is Ending.FINISHED


def _check_score(state: HandState, deck: tuple[int, ...]) -> None:
    """Points are the logged charges and the end points, and nothing else."""
    totals = (7, 0, -101, 404)
    score = open_table.score(state, dict(enumerate(deck)), totals)
    assert score.totals == tuple(a + b for a, b in zip(totals, score.points, strict=True))
    if state.ending is Ending.CANCELLED:
        assert (score.points, score.counts) == ((0, 0, 0, 0), False)
        return
    table, finisher = table_of(state), state.finish and state.finish.seat
    charges = [sum(c.points for c in table.charges if c.seat == seat) for seat in range(4)]
    if finisher is None:
        facts = [
            SeatFacts(
                opened=table.opened[seat],
                rack=tuple(deck[slot] for slot in state.racks[seat]),
                going_pairs=table.going_pairs[seat],
            )
            for seat in range(4)
        ]
        ends = end_points(state.rules, okey=okey_of(state), seats=facts, finisher=None, finish=None)
        expected = hand_points(state.rules, ends=ends, charges=charges, finisher=None)
        assert score.points == expected
        assert score.points == tuple(map(sum, zip(ends, charges, strict=True)))
    else:
        partner = (finisher + 2) % 4 if state.rules.partners else None
        assert score.points[finisher] - charges[finisher] < 0
        assert all(
            score.points[seat] >= charges[seat]
            for seat in range(4)
            if seat not in (finisher, partner)
        )


@given(seed=seeds, rules=open_rules)
@settings(max_examples=25, deadline=None)
def test_a_hand_of_random_moves(seed, rules):
    hand = shuffled(seed, rules, seed % 4)
    steps = play_on(hand, random.Random(seed))
    for step in steps:
        _check_step(step, hand.deck)
    final = steps[-1][2]
    assert final.phase is Phase.OVER
    _check_score(final, hand.deck)


@given(seed=seeds, rules=open_rules)
@settings(max_examples=10, deadline=None)
def test_replaying_the_moves_gives_the_same_states_from_any_prefix(seed, rules):
    hand = shuffled(seed, rules)
    steps = play_on(hand, random.Random(seed), 120)
    again = shuffled(seed, rules).state
    for before, move, after, events in steps:
        assert state_hash(again) == state_hash(before)
        assert parse_move(format_move(move)) == move
        again, events_again = engine_for(rules).apply(again, decode_move(encode_move(move)))
        assert (again, events_again) == (after, events)
        assert canonical_bytes(again) == canonical_bytes(after)


@given(hand=face_up_hands(), tried=st.lists(moves, max_size=20))
@settings(max_examples=20, deadline=None)
def test_legal_and_check_agree(hand, tried):
    seat = open_table.mover(hand.state)
    if seat is None:
        assert not any(open_table.legal(hand.view(seat)) for seat in range(4))
        return
    legal = hand.legal()
    assert len(set(legal)) == len(legal)
    assert set(legal) == {move for move in simple_candidates(hand) if accepted(hand, move)}
    for move in legal:
        open_table.check(public_view(hand.state), move)
        open_table.apply(hand.state, move)
    for move in tried:
        if not isinstance(move, Open | Lay | ClaimFinish | Add | Retrieve) and accepted(hand, move):
            assert move in legal


@given(hand=face_up_hands(), tried=st.lists(moves, max_size=30))
@settings(max_examples=20, deadline=None)
def test_any_move_is_applied_or_refused(hand, tried):
    for move in tried:
        try:
            after, _ = open_table.apply(hand.state, move)
        except RuleError:
            continue
        _check_places(after)


@given(face_up_hands())
@settings(max_examples=20, deadline=None)
def test_only_the_mover_has_moves_and_always_one(hand):
    for seat in range(4):
        has_moves = bool(open_table.legal(hand.view(seat)))
        assert has_moves == (seat == open_table.mover(hand.state))


@given(face_up_hands())
@settings(max_examples=20, deadline=None)
def test_a_view_names_no_concealed_tile(hand):
    text = public_view(hand.state).to_json()
    assert text == public_view(replace(hand.state)).to_json()
    assert '"melds"' in text


@pytest.mark.parametrize("key", OPEN_KEYS)
def test_random_hands_reach_every_kind_of_move(key):
    """The random players are no idle ones: in 14 hands they lay, add, retrieve and undo."""
    rules, seen = ruleset_for(key), set()
    opened = set()
    for seed in range(14):
        steps = play_on(shuffled(seed, rules, seed % 4), random.Random(seed))
        seen |= {type(move) for _, move, _, _ in steps}
        opened |= set(table_of(steps[-1][2]).opened)
    assert {Open, Lay, Add, Retrieve, Discard, DrawLeft, ReturnTaken} <= seen
    assert (TakeBack in seen) == rules.open_table.take_back
    assert (GoPairs in seen) == rules.open_table.going_pairs
    assert (ClaimFinish in seen) == rules.open_table.failed_opening_charged
    assert Opened.MELDS in opened
