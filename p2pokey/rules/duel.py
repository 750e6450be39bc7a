"""The duel: two players, one table that both may rearrange (docs/rules/duel.md).

In a turn a seat draws, or plays, or passes where the stack is empty; each ends the turn. A play is
the whole table as it is afterwards, so staging and undoing are the client's own business (E-8). The
functions of this module are an engine (engine.py). A round ends by itself, because a turn takes a
tile off the stack or off a rack or is one of two passes; no guard on turns is needed.
"""

from collections.abc import Mapping
from dataclasses import replace

from p2pokey.errors import IllegalMove, InvalidRuleSet
from p2pokey.rules.dealing import (
    Outcome,
    counted,
    deal,
    mover,
    with_faces,
    with_rack,
    without,
)
from p2pokey.rules.duel_checks import check, table_of
from p2pokey.rules.duel_plays import simple_plays
from p2pokey.rules.duel_scoring import score_duel
from p2pokey.rules.duel_state import DuelTable
from p2pokey.rules.events import (
    HandExhausted,
    RackEmptied,
    Reveal,
    TablePlayed,
    TileDrawn,
    TurnPassed,
)
from p2pokey.rules.moves import DrawStack, Move, Pass, Play, move_placed
from p2pokey.rules.published import RuleSet
from p2pokey.rules.scoring import HandScore
from p2pokey.rules.state import Ending, HandState, Phase
from p2pokey.rules.view import View, public_view
from p2pokey.tiles import Seat, Slot, Tile

__all__ = ["apply", "check", "legal", "mover", "score", "start", "turn_indicator"]

PLAYERS = 2
PASSES_TO_BLOCK = 2


def start(rules: RuleSet, seats: int, starter: Seat) -> Outcome:
    """Deals slots in blocks: the starter's rack, the other's, the stack (G-2); none is turned.

    Raises:
        InvalidRuleSet: not two seats, or a starter that is neither.
    """
    if seats != PLAYERS or not 0 <= starter < seats:
        raise InvalidRuleSet(f"no seat {starter} at a table of {seats}", rule="OPT-2")
    return deal(rules, seats, starter, table=DuelTable())


def turn_indicator(state: HandState, tile: Tile) -> Outcome:
    """Raises IllegalMove: the duel has no indicator, its jokers are the false okeys."""
    raise IllegalMove("this game has no indicator", rule="M-6")


def legal(view: View) -> tuple[Move, ...]:
    """Moves of the viewer, as far as he knows his tiles; none if it is not his turn.

    Draw or pass, and the plays of duel_plays.py: one tile more on a meld, or one meld of three tiles
    more. Whether any other play is legal, `check` tells: the ways to rearrange a table are far too
    many to list, and players find good ones with duel_solver.py.
    """
    state = view.state
    seat = mover(state)
    if seat is None or view.seat not in (None, seat):
        return ()
    end = DrawStack() if state.stack else Pass()
    return (end, *simple_plays(view))


def apply(state: HandState, move: Move) -> Outcome:
    """The state after a move of the seat to move, and what happened.

    Raises:
        RuleError: as `check` on the public view.
    """
    check(public_view(state), move)
    match move:
        case DrawStack():
            return _draw(state)
        case Play():
            return _play(state, move)
        case _:  # a pass: `check` lets nothing else come here
            return _pass(state)


def score(state: HandState, faces: Mapping[Slot, Tile], totals: tuple[int, ...]) -> HandScore:
    """Points of a round that is over: the rack that is left, or the difference of both."""
    return score_duel(state, faces, totals)


def _next_turn(state: HandState, table: DuelTable) -> HandState:
    seat = state.right_of(state.turn)
    return replace(state, turns_taken=counted(state), turn=seat, table=table)


def _draw(state: HandState) -> Outcome:
    seat, (slot, *rest) = state.turn, state.stack
    racks = with_rack(state, (*state.racks[seat], slot))
    drawn = replace(state, racks=racks, stack=tuple(rest))
    after = _next_turn(drawn, replace(table_of(state), passes=0))
    return after, (TileDrawn(seat=seat, slot=slot), Reveal(slots=(slot,), to=seat))


def _pass(state: HandState) -> Outcome:
    table = table_of(state)
    after = _next_turn(state, replace(table, passes=table.passes + 1))
    passed = TurnPassed(seat=state.turn)
    if table.passes + 1 < PASSES_TO_BLOCK:
        return after, (passed,)
    over = replace(after, phase=Phase.OVER, ending=Ending.BLOCKED, turn=state.turn)
    return over, (passed, HandExhausted(ending=Ending.BLOCKED))


def _play(state: HandState, move: Play) -> Outcome:
    seat, before = state.turn, table_of(state)
    laid = tuple(placed for placed in move_placed(move) if placed.slot in state.racks[seat])
    rack = without(state.racks[seat], [placed.slot for placed in laid])
    opened = tuple(was or owner == seat for owner, was in enumerate(before.opened))
    table = DuelTable(melds=move.table, opened=opened, passes=0)
    faces = with_faces(state, move_placed(move))
    after = _next_turn(replace(state, faces=faces, racks=with_rack(state, rack)), table)
    played = TablePlayed(seat=seat, laid=laid)
    if rack:
        return after, (played,)
    over = replace(after, phase=Phase.OVER, ending=Ending.FINISHED, turn=seat)
    return over, (played, RackEmptied(seat=seat))
