"""Classic Okey: the moves of one hand (docs/rules/classic.md).

Draw or take, perhaps show the indicator's twin, then discard; finish with 14 tiles in melds or in
seven pairs. The functions of this module are an engine (engine.py): pure, and nothing is known here
but the public state and, in `legal` and `check`, one seat's view.
"""

from collections.abc import Mapping
from dataclasses import replace

from p2pokey.errors import IllegalMove
from p2pokey.rules.arrange import best_finish, finishing_discards
from p2pokey.rules.classic_checks import check, check_move, is_twin
from p2pokey.rules.dealing import (
    Outcome,
    counted,
    deal,
    draw,
    end_turn,
    mover,
    put_down,
    take,
    turn_indicator,
    with_faces,
)
from p2pokey.rules.events import HandFinished, IndicatorShown, TileDiscarded, TurnPassed
from p2pokey.rules.moves import (
    Discard,
    DrawLeft,
    DrawStack,
    Finish,
    LaidMeld,
    Move,
    Pass,
    Placed,
    Show,
    move_placed,
)
from p2pokey.rules.published import RuleSet
from p2pokey.rules.scoring import HandScore, score_classic
from p2pokey.rules.state import Ending, FinishRecord, HandState, Phase
from p2pokey.rules.view import View, public_view
from p2pokey.tiles import Seat, Slot, Tile

__all__ = ["apply", "check", "legal", "mover", "score", "start", "turn_indicator"]


def start(rules: RuleSet, seats: int, starter: Seat) -> Outcome:
    """Deals slots in blocks (G-2).

    Raises:
        InvalidRuleSet: not 2 to 4 seats, or a starter that is none of them.
    """
    return deal(rules, seats, starter)


def legal(view: View) -> tuple[Move, ...]:
    """All moves of the viewer, as far as he knows his tiles; none if it is not his turn.

    A finish appears once per discard, with one layout of several; `check` accepts them all. A
    public view has only the moves that name no tile.
    """
    state = view.state
    seat = mover(state)
    if seat is None or view.seat not in (None, seat):
        return ()
    rack = [Placed(slot, tile) for slot, tile in view.rack()]
    moves: list[Move] = [DrawStack(), DrawLeft(), Pass()]
    moves.extend(Show(placed) for placed in rack if is_twin(state, placed.tile))
    moves.extend(Discard(placed) for placed in rack)
    allowed = [move for move in moves if _is_legal(state, move)]
    if state.phase is Phase.PLAY and len(rack) == len(state.racks[seat]):
        allowed.extend(_finishes(state, rack))
    return tuple(allowed)


def _is_legal(state: HandState, move: Move) -> bool:
    try:
        check_move(state, move)
    except IllegalMove:
        return False
    return True


def _finishes(state: HandState, rack: list[Placed]) -> list[Finish]:
    """One finish per tile whose discard finishes."""
    placed_of = {placed.tile: placed for placed in rack}
    found = finishing_discards(list(placed_of), okey=state.okey, rules=state.rules.melds)
    finishes = []
    for discard, finish in found:
        melds = tuple(
            LaidMeld(kind=meld.kind, tiles=tuple(placed_of[tile] for tile in meld.tiles))
            for meld in finish.layout
        )
        finishes.append(Finish(placed_of[discard], melds))
    return finishes


def apply(state: HandState, move: Move) -> Outcome:
    """The state after a move of the seat to move, and what happened.

    Raises:
        RuleError: as `check` on the public view.
    """
    check(public_view(state), move)
    match move:
        case DrawStack():
            return draw(state)
        case DrawLeft():
            return take(state)
        case Show(placed):
            return _show(state, placed)
        case Discard(placed):
            return _discard(state, placed)
        case Finish():
            return _finish(state, move)
        case _:  # a pass: `check` lets nothing else come here
            return end_turn(state, (TurnPassed(seat=state.turn),))


def score(state: HandState, faces: Mapping[Slot, Tile], totals: tuple[int, ...]) -> HandScore:
    """Points of a hand that is over; unlike in other games the racks left do not count."""
    return score_classic(state, totals)


def _show(state: HandState, placed: Placed) -> Outcome:
    after = replace(state, faces=with_faces(state, (placed,)), shown_by=state.turn)
    return after, (IndicatorShown(seat=state.turn, slot=placed.slot, tile=placed.tile),)


def _discard(state: HandState, placed: Placed) -> Outcome:
    after = put_down(state, placed, (placed,))
    event = TileDiscarded(seat=state.turn, slot=placed.slot, tile=placed.tile)
    return end_turn(after, (event,))


def _finish(state: HandState, move: Finish) -> Outcome:
    laid = [placed.tile for meld in move.melds for placed in meld.tiles]
    found = best_finish(laid, okey=state.okey, rules=state.rules.melds)
    assert found is not None
    record = FinishRecord(
        seat=state.turn,
        discard=move.discard.slot,
        kind=found.kind,
        okey_discarded=state.is_okey(move.discard.tile),
        layout=move.melds,
    )
    after = replace(
        put_down(state, move.discard, move_placed(move)),
        phase=Phase.OVER,
        ending=Ending.FINISHED,
        turns_taken=counted(state),
        taken=None,
        finish=record,
    )
    return after, (HandFinished(finish=record),)
