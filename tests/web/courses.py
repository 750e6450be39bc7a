"""Hands of automatic players as a row of views, for tests that look at all of them."""

from collections.abc import Iterator
from dataclasses import dataclass

from p2pokey.bots.choosing import choose
from p2pokey.rules.engine import engine_for
from p2pokey.rules.moves import Move
from p2pokey.rules.published import RULE_SETS, RuleSet
from p2pokey.rules.scoring import HandScore
from p2pokey.rules.state import HandState
from p2pokey.rules.view import View
from p2pokey.tiles import Slot, Tile
from tests.bots.decks import shuffled
from tests.bots.hands import Source, dealt, play_hand, view_of


def course(key: str | RuleSet, seed: object, every: int = 1) -> Iterator[tuple[View, Move]]:
    """Views of the seat to move, and what it then did."""
    rules = RULE_SETS[key] if isinstance(key, str) else key
    deck = shuffled(f"course {seed}")
    state, _ = dealt(rules, deck)
    engine = engine_for(rules)
    sources = [Source(f"{seed} {seat}") for seat in range(state.seats)]
    count = 0
    while (seat := engine.mover(state)) is not None:
        view = view_of(state, deck, seat)
        move = choose(view, sources[seat])
        if count % every == 0:
            yield view, move
        count += 1
        state, _ = engine.apply(state, move)


@dataclass(frozen=True)
class Ended:
    """A hand that is over."""

    state: HandState
    score: HandScore
    faces: dict[Slot, Tile]


def ended(rules: RuleSet, seed: object) -> Ended:
    """A hand of automatic players."""
    hand = play_hand(rules, seed)
    return Ended(hand.state, hand.score, {Slot(s): tile for s, tile in enumerate(hand.deck)})
