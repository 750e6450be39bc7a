"""Whole hands of computer players in memory, without cryptography, and what happened in them."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from p2pokey.bots.choosing import choose
from p2pokey.rules.engine import engine_for
from p2pokey.rules.events import Event
from p2pokey.rules.moves import Move
from p2pokey.rules.published import RuleSet
from p2pokey.rules.scoring import HandScore
from p2pokey.rules.state import HandState, Phase
from p2pokey.rules.view import View
from p2pokey.tiles import TILE_COUNT, Seat, Tile

MAX_MOVES = 3000
Choose = Callable[[View, "Source"], Move]


class Source:
    """A seeded source of choices."""

    def __init__(self, seed: object) -> None:
        self._rng = random.Random(f"player {seed}")

    def below(self, m: int) -> int:
        return self._rng.randrange(m)


@dataclass
class PlayedHand:
    """A hand played to its end."""

    rules: RuleSet
    deck: tuple[Tile, ...]
    state: HandState
    score: HandScore
    moves: list[tuple[Seat, Move]] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)


def shuffled(seed: object) -> tuple[Tile, ...]:
    """A deck shuffled by the seed."""
    deck = list(map(Tile, range(TILE_COUNT)))
    random.Random(f"deck {seed}").shuffle(deck)
    return tuple(deck)


def view_of(state: HandState, deck: Sequence[Tile], seat: Seat) -> View:
    """What the seat sees when every tile due to it has been opened."""
    concealed = [slot for slot in state.racks[seat] if state.faces[slot] is None]
    return View(state=state, seat=seat, private=tuple((slot, deck[slot]) for slot in concealed))


def play_hand(
    rules: RuleSet,
    seed: object,
    *,
    deck: tuple[Tile, ...] | None = None,
    player: Choose = choose,
    starter: int = 0,
) -> PlayedHand:
    """Plays a hand in which every seat is the same player with its own source."""
    deck = shuffled(seed) if deck is None else deck
    engine = engine_for(rules)
    sources = [Source(f"{seed} {seat}") for seat in range(rules.players)]
    state, first = engine.start(rules, rules.players, Seat(starter))
    moves: list[tuple[Seat, Move]] = []
    events = list(first)
    while state.phase is Phase.INDICATOR:
        state, more = engine.turn_indicator(state, deck[state.stack[0]])
        events += more
    while (seat := engine.mover(state)) is not None:
        move = player(view_of(state, deck, seat), sources[seat])
        state, more = engine.apply(state, move)
        moves.append((seat, move))
        events += more
        assert len(moves) < MAX_MOVES, f"{rules.key} {seed}: the hand does not end"
    score = engine.score(state, dict(enumerate(deck)), (rules.start_score,) * rules.players)
    return PlayedHand(rules, deck, state, score, moves, events)


def count_of(hand: PlayedHand) -> Counter[str]:
    """What happened in the hand: moves, charges, and how it ended."""
    found: Counter[str] = Counter()
    for _, move in hand.moves:
        found[type(move).__name__] += 1
    for event in hand.events:
        name = type(event).__name__
        if name == "SeatOpened":
            found[f"opened with {event.opened.word}"] += 1
        elif name == "ChargeBooked":
            found[f"charge {event.rule}"] += 1
    found[f"end {hand.score.reason}"] += 1
    return found
