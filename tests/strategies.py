"""Hypothesis strategies and small builders that tests of several packages share."""

import random
from dataclasses import dataclass

from hypothesis import strategies as st

from p2pokey.rules import classic
from p2pokey.rules.events import Event
from p2pokey.rules.melds import MeldKind
from p2pokey.rules.moves import (
    Add,
    ClaimFinish,
    Discard,
    DrawLeft,
    DrawStack,
    End,
    Finish,
    GoPairs,
    LaidMeld,
    Lay,
    Move,
    Open,
    Pass,
    Placed,
    Play,
    Retrieve,
    ReturnTaken,
    Show,
    TakeBack,
)
from p2pokey.rules.published import CLASSIC, OPTIONS, RULE_SETS, RuleSet
from p2pokey.rules.rulesets import ruleset_for
from p2pokey.rules.state import HandState, Phase
from p2pokey.rules.view import View
from p2pokey.tiles import TILE_COUNT, Colour, Face, Seat, Slot, Tile

tiles = st.integers(0, TILE_COUNT - 1).map(Tile)
slots = st.integers(0, TILE_COUNT - 1).map(Slot)
faces = st.builds(Face, st.sampled_from(Colour), st.integers(1, 13))
seeds = st.integers(0, 2**32 - 1)

placed = st.builds(Placed, slots, tiles)


@st.composite
def _laid_melds(draw: st.DrawFn) -> LaidMeld:
    tiles_laid = tuple(draw(st.lists(placed, min_size=2, max_size=13)))
    declared = tuple(draw(st.none() | faces) for _ in tiles_laid)
    kind = draw(st.sampled_from(MeldKind))
    return LaidMeld(kind=kind, tiles=tiles_laid, declared=declared if any(declared) else ())


laid_melds = _laid_melds()
_some_melds = st.lists(laid_melds, min_size=1, max_size=8).map(tuple)
_small = st.integers(0, 255)
additions = st.builds(
    Add,
    meld=_small,
    end=st.sampled_from(End),
    tiles=st.lists(placed, min_size=1, max_size=13).map(tuple),
)
moves: st.SearchStrategy[Move] = st.one_of(
    st.sampled_from([DrawStack(), DrawLeft(), Pass(), ReturnTaken(), TakeBack(), GoPairs()]),
    st.builds(Show, placed),
    st.builds(Discard, placed),
    st.builds(Finish, placed, st.lists(laid_melds, max_size=8).map(tuple)),
    st.builds(Open, _some_melds),
    st.builds(Lay, _some_melds),
    st.builds(Play, _some_melds),
    additions,
    st.builds(
        Retrieve,
        meld=_small,
        place=_small,
        supply=st.lists(placed, min_size=1, max_size=2).map(tuple),
    ),
    st.builds(
        ClaimFinish,
        melds=st.lists(laid_melds, min_size=1, max_size=4).map(tuple),
        additions=st.lists(additions, max_size=4).map(tuple),
        discard=placed,
    ),
)

any_rules = st.sampled_from(list(RULE_SETS)).flatmap(
    lambda key: st.builds(
        lambda chosen: ruleset_for(key, **chosen),
        st.fixed_dictionaries(
            {}, optional={name: st.sampled_from(allowed) for name, allowed in OPTIONS[key].items()}
        ),
    )
)
"""Any rule set with any of its options."""

classic_rules = st.builds(
    ruleset_for,
    st.just("classic"),
    discard_taken=st.booleans(),
    last_discard_offer=st.booleans(),
    show_survives_drawout=st.booleans(),
)


@dataclass(frozen=True)
class OpenHand:
    """A hand with the deck face up, for tests that play all seats."""

    state: HandState
    deck: tuple[Tile, ...]

    def tile(self, slot: Slot) -> Tile:
        return self.deck[slot]

    def placed(self, slot: int) -> Placed:
        return Placed(Slot(slot), self.deck[slot])

    def with_true_tiles(self, move: Move) -> Move:
        """A show or discard of the same slot with the tile that lies there."""
        if isinstance(move, Show | Discard):
            return type(move)(self.placed(move.placed.slot))
        return move

    def view(self, seat: int) -> View:
        """What the seat sees when every tile due to it has been opened."""
        rack = self.state.racks[seat]
        concealed = [slot for slot in rack if self.state.faces[slot] is None]
        private = tuple((slot, self.deck[slot]) for slot in concealed)
        return View(state=self.state, seat=Seat(seat), private=private)

    def legal(self) -> tuple[Move, ...]:
        """The moves of the seat to move."""
        return classic.legal(self.view(self.state.turn))

    def play(self, move: Move) -> "OpenHand":
        return OpenHand(classic.apply(self.state, move)[0], self.deck)

    def play_turn(self) -> "OpenHand":
        """Draws if that is due and discards the newest tile."""
        hand = self.play(DrawStack()) if self.state.phase is Phase.DRAW else self
        return hand.play(Discard(hand.placed(hand.state.racks[hand.state.turn][-1])))


def open_indicator(hand: OpenHand) -> OpenHand:
    """Turns tiles until the indicator lies open."""
    state = hand.state
    while state.phase is Phase.INDICATOR:
        state, _ = classic.turn_indicator(state, hand.deck[state.stack[0]])
    return OpenHand(state, hand.deck)


def deal(seed: int, *, rules: RuleSet = CLASSIC, seats: int = 4, starter: int = 0) -> OpenHand:
    """A hand from a deck shuffled by the seed, the indicator turned."""
    deck = list(map(Tile, range(TILE_COUNT)))
    random.Random(seed).shuffle(deck)
    state, _ = classic.start(rules, seats, Seat(starter))
    return open_indicator(OpenHand(state, tuple(deck)))


def deal_fixed(
    fixed: dict[int, Tile], *, rules: RuleSet = CLASSIC, seats: int = 4, starter: int = 0
) -> OpenHand:
    """A hand with some tiles fixed by slot; the others follow in tile order, false okeys last."""
    others = (tile for tile in map(Tile, range(TILE_COUNT)) if tile not in fixed.values())
    deck = tuple(fixed[slot] if slot in fixed else next(others) for slot in range(TILE_COUNT))
    state, _ = classic.start(rules, seats, Seat(starter))
    return open_indicator(OpenHand(state, deck))


def random_steps(
    hand: OpenHand, rng: random.Random, count: int
) -> list[tuple[HandState, Move, HandState, tuple[Event, ...]]]:
    """Plays up to `count` random legal moves; finishes and shows whenever possible."""
    steps = []
    for _ in range(count):
        if classic.mover(hand.state) is None:
            break
        options = hand.legal()
        rare = [move for move in options if isinstance(move, Finish | Show)]
        move = rng.choice(rare or options)
        after, events = classic.apply(hand.state, move)
        steps.append((hand.state, move, after, events))
        hand = OpenHand(after, hand.deck)
    return steps


@st.composite
def open_hands(draw: st.DrawFn, max_moves: int = 120) -> OpenHand:
    """A hand after some random legal moves, two to four seats, any options."""
    seed = draw(seeds)
    rng = random.Random(seed)
    seats = draw(st.integers(2, 4))
    hand = deal(seed, rules=draw(classic_rules), seats=seats, starter=rng.randrange(seats))
    steps = random_steps(hand, rng, draw(st.integers(0, max_moves)))
    return OpenHand(steps[-1][2], hand.deck) if steps else hand
