"""Whole hands of computer players in memory, without cryptography, and what happened in them."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from p2pokey.bots.choosing import choose
from p2pokey.rules.engine import engine_for
from p2pokey.rules.events import ChargeBooked, Event, OpeningFailed, SeatOpened
from p2pokey.rules.moves import (
    Add,
    ClaimFinish,
    Discard,
    DrawLeft,
    DrawStack,
    Finish,
    GoPairs,
    LaidMeld,
    Lay,
    Move,
    Open,
    Pass,
    Play,
    Retrieve,
    ReturnTaken,
    Show,
    TakeBack,
)
from p2pokey.rules.published import RuleSet
from p2pokey.rules.scoring import HandScore
from p2pokey.rules.state import HandState, Phase
from p2pokey.rules.view import View
from p2pokey.tiles import Seat, Tile
from tests.bots.decks import shuffled

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


def view_of(state: HandState, deck: Sequence[Tile], seat: Seat) -> View:
    """What the seat sees when every tile due to it has been opened."""
    concealed = [slot for slot in state.racks[seat] if state.faces[slot] is None]
    return View(state=state, seat=seat, private=tuple((slot, deck[slot]) for slot in concealed))


def dealt(rules: RuleSet, deck: Sequence[Tile]) -> tuple[HandState, tuple[Event, ...]]:
    """A hand of seat 0 with the indicator turned, and all that happened."""
    engine = engine_for(rules)
    state, events = engine.start(rules, rules.players, Seat(0))
    while state.phase is Phase.INDICATOR:
        state, more = engine.turn_indicator(state, deck[state.stack[0]])
        events += more
    return state, events


def play_hand(
    rules: RuleSet, seed: object, *, deck: Sequence[Tile] | None = None, player: Choose = choose
) -> PlayedHand:
    """Plays a hand in which every seat is the same player with its own source."""
    deck = shuffled(seed) if deck is None else deck
    state, events = dealt(rules, deck)
    return play_on(state, deck, seed=seed, events=events, player=player)


def play_on(
    state: HandState,
    deck: Sequence[Tile],
    *,
    seed: object,
    events: tuple[Event, ...] = (),
    player: Choose = choose,
) -> PlayedHand:
    """Plays from some state to the end."""
    rules, engine = state.rules, engine_for(state.rules)
    sources = [Source(f"{seed} {seat}") for seat in range(state.seats)]
    moves: list[tuple[Seat, Move]] = []
    happened = list(events)
    while (seat := engine.mover(state)) is not None:
        move = player(view_of(state, deck, seat), sources[seat])
        state, more = engine.apply(state, move)
        moves.append((seat, move))
        happened += more
        assert len(moves) < MAX_MOVES, f"{rules.key} {seed}: the hand does not end"
    score = engine.score(state, dict(enumerate(deck)), (rules.start_score,) * state.seats)
    return PlayedHand(rules, tuple(deck), state, score, moves, happened)


def count_of(hand: PlayedHand) -> Counter[str]:
    """What happened in the hand: moves, openings, charges, and how it ended."""
    found = Counter(_WORDS[type(move)] for _, move in hand.moves)
    for event in hand.events:
        match event:
            case SeatOpened(opened=opened):
                found[f"open with {opened.word}"] += 1
            case ChargeBooked(rule=rule):
                found[f"charge {rule}"] += 1
            case OpeningFailed():
                found["failed opening"] += 1
            case _:
                pass
    found[hand.score.reason] += 1
    if hand.score.reason.startswith("finish"):
        found.update(f"finish: {part}" for part in hand.score.reason.split("-")[1:])
    if hand.rules.duel is not None:
        found.update(_duel_counts(hand))
    return found


_WORDS: dict[type, str] = {
    DrawStack: "draw", DrawLeft: "take", Discard: "discard", Pass: "pass", ReturnTaken: "return",
    TakeBack: "take-back", GoPairs: "going pairs", Open: "opening", Lay: "lay", Add: "add",
    Retrieve: "retrieve", ClaimFinish: "claim", Play: "play", Show: "show", Finish: "finish",
}  # fmt: skip


def _duel_counts(hand: PlayedHand) -> Counter[str]:
    """Openings, and plays that take melds of the table apart."""
    found: Counter[str] = Counter()
    opened: set[Seat] = set()
    table: set[LaidMeld] = set()
    for seat, move in hand.moves:
        if not isinstance(move, Play):
            continue
        found["opening"] += seat not in opened
        after = [set(meld.tiles) for meld in move.table]
        kept = all(any(set(meld.tiles) <= now for now in after) for meld in table)
        found["rearranging play"] += not kept
        opened.add(seat)
        table = set(move.table)
    return found
