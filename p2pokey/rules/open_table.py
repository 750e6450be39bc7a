"""The games with an open table: 101 and 51 in all their forms (docs/rules: B, C and D).

One engine (engine.py) for all of them; what differs is in the rule set. Pure: nothing is known here
but the public state and, in `legal` and `check`, one seat's view.
"""

from collections.abc import Mapping

from p2pokey.rules.dealing import Outcome, deal, draw, mover, take, turn_indicator
from p2pokey.rules.events import TurnPassed
from p2pokey.rules.moves import (
    Add,
    ClaimFinish,
    Discard,
    DrawLeft,
    DrawStack,
    GoPairs,
    Lay,
    Move,
    Open,
    Retrieve,
    ReturnTaken,
    TakeBack,
)
from p2pokey.rules.open_checks import check
from p2pokey.rules.open_claim import claim_finish, open_or_fail
from p2pokey.rules.open_effects import add, lay, retrieve
from p2pokey.rules.open_legal import legal
from p2pokey.rules.open_scoring import score_open
from p2pokey.rules.open_state import empty_table, table_of
from p2pokey.rules.open_turns import discard, go_pairs, pass_turn, return_taken, take_back
from p2pokey.rules.published import RuleSet
from p2pokey.rules.scoring import HandScore
from p2pokey.rules.state import HandState
from p2pokey.rules.view import public_view
from p2pokey.tiles import Seat, Slot, Tile

__all__ = ["apply", "check", "legal", "mover", "score", "start", "turn_indicator"]


def start(rules: RuleSet, seats: int, starter: Seat) -> Outcome:
    """Deals slots in blocks and sets up an empty table (G-2).

    Raises:
        InvalidRuleSet: not 2 to 4 seats, or a starter that is none of them.
    """
    return deal(rules, seats, starter, table=empty_table(seats))


def apply(state: HandState, move: Move) -> Outcome:
    """The state after a move of the seat to move, and what happened.

    Raises:
        RuleError: as `check` on the public view.
    """
    check(public_view(state), move)
    match move:
        case Open(melds):
            return open_or_fail(state, melds)
        case Lay(melds):
            return lay(state, melds)
        case Add():
            return add(state, move)
        case Retrieve():
            return retrieve(state, move)
        case ClaimFinish():
            return claim_finish(state, move)
        case _:
            return _turn_move(state, move)


def _turn_move(state: HandState, move: Move) -> Outcome:
    """A move that begins, undoes or ends a turn."""
    match move:
        case DrawStack():
            return draw(state)
        case DrawLeft():
            return take(state)
        case ReturnTaken():
            return return_taken(state)
        case TakeBack():
            return take_back(state)
        case GoPairs():
            return go_pairs(state)
        case Discard(placed):
            return discard(state, placed)
        case _:  # a pass: `check` lets nothing else come here
            return pass_turn(state, (TurnPassed(seat=state.turn),))


def score(state: HandState, faces: Mapping[Slot, Tile], totals: tuple[int, ...]) -> HandScore:
    """Points of a hand that is over; racks of seats that have opened must be disclosed."""
    return score_open(state, table_of(state), faces, totals)
