"""What Classic Okey forbids: one check per move, each naming the rule (docs/rules/classic.md)."""

from p2pokey.errors import InvalidMeld
from p2pokey.rules.arrange import best_finish
from p2pokey.rules.checks import (
    check_claims,
    check_last_offer,
    check_left_pile,
    check_phase,
    check_stack,
    check_turn,
    refuse,
)
from p2pokey.rules.moves import (
    Discard,
    DrawLeft,
    DrawStack,
    Finish,
    Move,
    Pass,
    Placed,
    Show,
    move_placed,
)
from p2pokey.rules.state import HandState, Phase
from p2pokey.rules.view import View
from p2pokey.tiles import Tile, face_of


def is_twin(state: HandState, tile: Tile) -> bool:
    """Whether the tile equals the indicator; a false okey never does (A-5)."""
    if state.indicator is None:
        return False
    indicator = state.faces[state.indicator]
    return indicator is not None and face_of(tile) == face_of(indicator)


def check(view: View, move: Move) -> None:
    """Raises RuleError if the seat to move may not do that.

    Claimed tiles are compared with the faces that the view knows; others are trusted.
    """
    check_claims(view, check_turn(view), move_placed(move))
    check_move(view.state, move)


def check_move(state: HandState, move: Move) -> None:
    """As `check` for the seat to move, whose claims are known to be true."""
    match move:
        case DrawStack():
            check_phase(state, Phase.DRAW)
            check_stack(state)
        case DrawLeft():
            check_phase(state, Phase.DRAW)
            check_left_pile(state)
        case Show(placed):
            _check_show(state, placed)
        case Discard(placed):
            _check_discard(state, placed)
        case Finish():
            _check_finish(state, move)
        case Pass():
            check_phase(state, Phase.DRAW)
            check_last_offer(state)
        case _:
            refuse(state, "this game has no such move", "M-6")


def _check_show(state: HandState, placed: Placed) -> None:
    if state.turns_taken[state.turn]:
        refuse(state, "the indicator is shown in the first turn", "A-5")
    if state.shown_by is not None:
        refuse(state, "the indicator has been shown", "A-5")
    if not is_twin(state, placed.tile):
        refuse(state, "only the indicator's twin is shown", "A-5")


def _check_discard(state: HandState, placed: Placed) -> None:
    check_phase(state, Phase.PLAY)
    if placed.slot == state.taken and not state.rules.discard_taken:
        refuse(state, "the tile just taken cannot be discarded", "G-9")


def _check_finish(state: HandState, move: Finish) -> None:
    check_phase(state, Phase.PLAY)
    laid = [placed.tile for meld in move.melds for placed in meld.tiles]
    if len(laid) + 1 != len(state.racks[state.turn]):
        refuse(state, "a finish lays out the whole rack but the discard", "A-9")
    if best_finish(laid, okey=state.okey, rules=state.rules.melds) is None:
        raise InvalidMeld(
            "these tiles are neither melds nor seven pairs", rule="A-9", seat=state.turn
        )
