"""Properties of whole rounds of the duel with moves of random players who rearrange the table."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from p2pokey.errors import InvalidMeld, RuleError
from p2pokey.rules import duel
from p2pokey.rules.duel_checks import opening_value
from p2pokey.rules.duel_scoring import rack_total
from p2pokey.rules.duel_state import read_together, written_form
from p2pokey.rules.events import Reveal
from p2pokey.rules.move_codec import decode_move, encode_move
from p2pokey.rules.move_text import format_move, parse_move
from p2pokey.rules.moves import DrawStack, Move, Pass, Placed, Play, move_placed
from p2pokey.rules.published import DUEL
from p2pokey.rules.state import Ending, HandState, Phase, all_places, state_hash
from p2pokey.rules.view import public_view
from p2pokey.tiles import TILE_COUNT, Seat, Slot, Tile
from tests.rules.duel_brute import best_value, brute_tile, is_play
from tests.rules.duels import DuelHand, deal
from tests.strategies import seeds

Step = tuple[HandState, Move, HandState]
Groups = list[list[Placed]]


def _shaken(rng: random.Random, groups: Groups, rack: list[Placed]) -> Groups:
    """The groups after a few random changes: split, joined, moved, added from the rack."""
    groups = [list(group) for group in groups]
    for _ in range(rng.randint(1, 4)):
        kind = rng.randrange(4)
        group = rng.choice(groups) if groups else []
        if kind == 0 and len(group) > 1:
            at = rng.randrange(1, len(group))
            groups.append(group[at:])
            del group[at:]
        elif kind == 1 and group:
            groups.remove(group)
            (rng.choice(groups) if groups else rack).extend(group)
        elif kind == 2 and group:
            rng.choice(groups).append(group.pop(rng.randrange(len(group))))
        elif rack and groups:
            rng.choice(groups).append(rack.pop(rng.randrange(len(rack))))
        groups = [group for group in groups if group]
    return groups


def _tried_play(hand: DuelHand, plays: list[Play], rng: random.Random) -> Groups:
    """Some grouping of table and rack, now and then a legal one; plays: those that are listed."""
    rack = [hand.placed(slot) for slot in hand.state.racks[hand.state.turn]]
    base = rng.choice(plays).table if plays else hand.lying.melds
    groups = [list(meld.tiles) for meld in base]
    used = {placed for group in groups for placed in group}
    left = [placed for placed in rack if placed not in used]
    return groups if rng.random() < 0.2 else _shaken(rng, groups, left)


def _plays(hand: DuelHand) -> list[Play]:
    return [move for move in hand.legal() if isinstance(move, Play)]


def _steps(hand: DuelHand, rng: random.Random, count: int) -> list[Step]:
    """Random moves; plays, also rearranging ones, are preferred so that rounds end."""
    steps: list[Step] = []
    while duel.mover(hand.state) is not None and len(steps) < count:
        plays = _plays(hand)
        move: Move = rng.choice(plays or hand.legal()[:1])
        for _ in range(3):
            try:
                tried = Play(written_form(_tried_play(hand, plays, rng)))
                duel.check(hand.own(), tried)
            except (InvalidMeld, RuleError, ValueError):
                continue
            move = tried
            break
        after = hand.play(move)
        steps.append((hand.state, move, after.state))
        hand = after
    return steps


def _check_state(state: HandState, deck: tuple[Tile, ...]) -> None:
    hand = DuelHand(state, deck)
    lying = hand.lying.tiles
    assert sorted(all_places(state)) == list(range(TILE_COUNT))
    assert {slot for slot in range(TILE_COUNT) if state.faces[slot] is not None} == {
        placed.slot for placed in lying
    }
    assert all(deck[placed.slot] == placed.tile == state.faces[placed.slot] for placed in lying)
    assert written_form(meld.tiles for meld in hand.lying.melds) == hand.lying.melds
    for meld in hand.lying.melds:
        assert best_value([brute_tile(placed.tile) for placed in meld.tiles]) > 0


@given(seed=seeds, starter=st.integers(0, 1))
@settings(max_examples=10, deadline=None)
def test_a_round_of_random_moves(seed, starter):
    hand = deal(seed, starter)
    _check_state(hand.state, hand.deck)
    steps = _steps(hand, random.Random(seed), 400)
    for before, move, after in steps:
        _check_state(after, hand.deck)
        assert len(after.racks[before.turn]) == len(before.racks[before.turn]) + _growth(
            before, move
        )
        opened = DuelHand(before, hand.deck).lying.opened[before.turn]
        if isinstance(move, Play) and not opened:
            assert opening_value(DuelHand(before, hand.deck).lying, move) >= 30
    final = steps[-1][2]
    assert final.phase is Phase.OVER
    score = duel.score(final, dict(enumerate(hand.deck)), (0, 0))
    totals = [rack_total(DUEL.duel, (hand.deck[slot] for slot in rack)) for rack in final.racks]
    assert sorted(score.points) == [0, abs(totals[0] - totals[1])]
    if final.ending is Ending.FINISHED:
        assert final.racks[final.turn] == ()


def _growth(before: HandState, move: Move) -> int:
    if isinstance(move, Play):
        return -len({placed.slot for placed in move_placed(move)} & set(before.racks[before.turn]))
    return int(move == DrawStack())


@given(seed=seeds)
@settings(max_examples=10, deadline=None)
def test_replaying_the_moves_gives_the_same_states(seed):
    hand = deal(seed)
    steps = _steps(hand, random.Random(seed), 80)
    again = deal(seed).state
    for _, move, after in steps:
        read = decode_move(encode_move(move))
        assert read == move == parse_move(format_move(move))
        again, events = duel.apply(again, read)
        assert (again, state_hash(again)) == (after, state_hash(after))
        drew = [event.slots for event in events if isinstance(event, Reveal)]
        assert len(drew) == (move == DrawStack())


@given(seed=seeds, count=st.integers(0, 90))
@settings(max_examples=40, deadline=None)
def test_check_accepts_exactly_the_plays_of_brute_force(seed, count):
    rng = random.Random(seed)
    hand = deal(seed)
    steps = _steps(hand, rng, count)
    hand = DuelHand(steps[-1][2], hand.deck) if steps else hand
    seat = duel.mover(hand.state)
    if seat is None:
        return
    before = [[placed.tile for placed in meld.tiles] for meld in hand.lying.melds]
    rack = [hand.deck[slot] for slot in hand.state.racks[seat]]
    plays = _plays(hand)
    for _ in range(40):
        groups = _tried_play(hand, plays, rng)
        after = [[placed.tile for placed in group] for group in groups]
        expected = is_play(before, rack, after, opened=hand.lying.opened[seat])
        assert _accepts(hand, groups) == expected


def _accepts(hand: DuelHand, groups: Groups) -> bool:
    try:
        move = Play(written_form(groups))
        duel.check(hand.own(), move)
        duel.check(public_view(hand.state), move)
    except ValueError:  # a rule, or too many melds
        return False
    return True


@given(seed=seeds, count=st.integers(0, 120))
@settings(max_examples=30, deadline=None)
def test_legal_moves_are_accepted_and_belong_to_the_mover(seed, count):
    hand = deal(seed)
    steps = _steps(hand, random.Random(seed), count)
    hand = DuelHand(steps[-1][2], hand.deck) if steps else hand
    for seat in (0, 1):
        legal = duel.legal(hand.view(seat))
        assert bool(legal) == (seat == duel.mover(hand.state))
        assert len(set(legal)) == len(legal)
        for move in legal:
            duel.check(hand.view(seat), move)
            duel.check(public_view(hand.state), move)
    if duel.mover(hand.state) is not None:
        assert (DrawStack() in hand.legal()) != (Pass() in hand.legal())


tiles = st.integers(0, TILE_COUNT - 1).map(Tile)


@given(tiles=st.lists(tiles, min_size=1, max_size=5, unique=True), data=st.data())
def test_reading_agrees_with_brute_force(tiles, data):
    if data.draw(st.booleans()):  # near each other, so that many are melds
        first = data.draw(st.integers(0, 95))
        tiles = [Tile((first + 2 * (tile % 5) + 26 * (tile % 3)) % TILE_COUNT) for tile in tiles]
    expected = best_value([brute_tile(tile) for tile in tiles])
    try:
        reading = read_together(tiles)
    except InvalidMeld:
        assert expected == 0
    else:
        assert reading.value == expected


def test_the_seat_not_to_move_has_no_moves():
    assert duel.legal(deal(3).view(Seat(1))) == ()
    assert Slot(0) in deal(3).state.racks[0]
