"""What Classic Okey forbids: one check per move, each naming the rule (docs/rules/classic.md)."""

from p2pokey.errors import IllegalMove, InvalidMeld, NotYourTurn
from p2pokey.rules.arrange import best_finish
from p2pokey.rules.claims import check_claims
from p2pokey.rules.dealing import mover
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
    state = view.state
    seat = mover(state)
    if seat is None:
        raise IllegalMove("nobody is to move now", rule="M-1")
    if view.seat not in (None, seat):
        raise NotYourTurn("it is another seat's turn", rule="M-1", seat=view.seat)
    check_claims(view, seat, move_placed(move))
    check_move(state, move)


def check_move(state: HandState, move: Move) -> None:
    """As `check` for the seat to move, whose claims are known to be true."""
    match move:
        case DrawStack():
            _check_draw(state)
        case DrawLeft():
            _check_take(state)
        case Show(placed):
            _check_show(state, placed)
        case Discard(placed):
            _check_discard(state, placed)
        case Finish():
            _check_finish(state, move)
        case Pass():
            _check_pass(state)
        case _:
            raise IllegalMove("this game has no such move", rule="M-6", seat=state.turn)


def _check_phase(state: HandState, phase: Phase) -> None:
    if state.phase is not phase:
        must = "draw or take a tile first" if phase is Phase.PLAY else "a tile was drawn already"
        raise IllegalMove(must, rule="M-2", seat=state.turn)


def _check_draw(state: HandState) -> None:
    _check_phase(state, Phase.DRAW)
    if not state.stack:
        raise IllegalMove("the stack is empty", rule="M-3", seat=state.turn)


def _check_take(state: HandState) -> None:
    _check_phase(state, Phase.DRAW)
    if not state.discards[state.left_of(state.turn)]:
        raise IllegalMove("there is no discard to take", rule="M-3", seat=state.turn)


def _check_pass(state: HandState) -> None:
    _check_phase(state, Phase.DRAW)
    if state.stack:
        raise IllegalMove("passing is for an empty stack only", rule="G-7", seat=state.turn)


def _check_show(state: HandState, placed: Placed) -> None:
    if state.turns_taken[state.turn]:
        raise IllegalMove("the indicator is shown in the first turn", rule="A-5", seat=state.turn)
    if state.shown_by is not None:
        raise IllegalMove("the indicator has been shown", rule="A-5", seat=state.turn)
    if not is_twin(state, placed.tile):
        raise IllegalMove("only the indicator's twin is shown", rule="A-5", seat=state.turn)


def _check_discard(state: HandState, placed: Placed) -> None:
    _check_phase(state, Phase.PLAY)
    if placed.slot == state.taken and not state.rules.discard_taken:
        raise IllegalMove("the tile just taken cannot be discarded", rule="G-9", seat=state.turn)


def _check_finish(state: HandState, move: Finish) -> None:
    _check_phase(state, Phase.PLAY)
    laid = [placed.tile for meld in move.melds for placed in meld.tiles]
    if len(laid) + 1 != len(state.racks[state.turn]):
        raise IllegalMove(
            "a finish lays out the whole rack but the discard", rule="A-9", seat=state.turn
        )
    if best_finish(laid, okey=state.okey, rules=state.rules.melds) is None:
        raise InvalidMeld(
            "these tiles are neither melds nor seven pairs", rule="A-9", seat=state.turn
        )
