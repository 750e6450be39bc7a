"""Classic Okey: the moves of one hand (docs/rules/classic.md).

Draw or take, perhaps show the indicator's twin, then discard; finish with 14 tiles in melds or in
seven pairs. The functions of this module are an engine (engine.py): pure, and nothing is known here
but the public state and, in `legal` and `check`, one seat's view.
"""

from collections.abc import Mapping
from dataclasses import replace

from p2pokey.errors import IllegalMove, InvalidRuleSet
from p2pokey.rules.arrange import best_finish, finishing_discards
from p2pokey.rules.classic_checks import check, check_move, is_twin, mover
from p2pokey.rules.events import (
    Event,
    FalseOkeyTurned,
    HandExhausted,
    HandFinished,
    IndicatorShown,
    IndicatorTurned,
    Reveal,
    TileDiscarded,
    TileDrawn,
    TileTaken,
    TurnPassed,
)
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
from p2pokey.rules.rulesets import RuleSet
from p2pokey.rules.scoring import HandScore, score_classic
from p2pokey.rules.state import Ending, FinishRecord, HandState, Phase
from p2pokey.rules.view import View, public_view
from p2pokey.tiles import MAX_SEATS, MIN_SEATS, TILE_COUNT, Seat, Slot, Tile, is_false_okey

__all__ = ["apply", "check", "legal", "mover", "score", "start", "turn_indicator"]

Outcome = tuple[HandState, tuple[Event, ...]]


def start(rules: RuleSet, seats: int, starter: Seat) -> Outcome:
    """Deals slots in blocks (G-2): starter, the others in turn order, the extra, the stack.

    Raises:
        InvalidRuleSet: not 2 to 4 seats, or a starter that is none of them.
    """
    if not MIN_SEATS <= seats <= MAX_SEATS or not 0 <= starter < seats:
        raise InvalidRuleSet(f"no seat {starter} at a table of {seats}", rule="OPT-2")
    size = rules.rack_size
    blocks = [(seat - starter) % seats for seat in range(seats)]
    racks = [tuple(Slot(size * block + i) for i in range(size)) for block in blocks]
    extra = Slot(size * seats)
    racks[starter] = (*racks[starter], extra)
    state = HandState(
        rules=rules,
        seats=seats,
        starter=starter,
        phase=Phase.INDICATOR,
        turn=starter,
        racks=tuple(racks),
        stack=tuple(Slot(slot) for slot in range(extra + 1, TILE_COUNT)),
        discards=((),) * seats,
        indicator=None,
        faces=(None,) * TILE_COUNT,
        turns_taken=(0,) * seats,
    )
    deal = [Reveal(slots=rack, to=Seat(seat)) for seat, rack in enumerate(racks)]
    return state, (*deal, Reveal(slots=state.stack[:1], to=None))


def turn_indicator(state: HandState, tile: Tile) -> Outcome:
    """Turns the top of the stack; a false okey goes under it and the next is due (G-1).

    Raises:
        IllegalMove: the indicator has been turned, or the tile is known to lie elsewhere.
    """
    if state.phase is not Phase.INDICATOR:
        raise IllegalMove("the indicator has been turned", rule="G-1")
    if tile in state.faces:
        raise IllegalMove("this tile has been turned already", rule="M-5")
    slot, *rest = state.stack
    faces = _with_faces(state, (Placed(slot, tile),))
    if is_false_okey(tile):
        under = replace(state, faces=faces, stack=(*rest, slot))
        turned = FalseOkeyTurned(slot=slot, tile=tile)
        return under, (turned, Reveal(slots=under.stack[:1], to=None))
    after = replace(state, faces=faces, stack=tuple(rest), indicator=slot, phase=Phase.PLAY)
    return after, (IndicatorTurned(slot=slot, tile=tile),)


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
            return _draw(state)
        case DrawLeft():
            return _take(state)
        case Show(placed):
            return _show(state, placed)
        case Discard(placed):
            return _discard(state, placed)
        case Finish():
            return _finish(state, move)
        case Pass():
            return _end_turn(state, (TurnPassed(seat=state.turn),))


def score(state: HandState, faces: Mapping[Slot, Tile], totals: tuple[int, ...]) -> HandScore:
    """Points of a hand that is over; unlike in other games the racks left do not count."""
    return score_classic(state, totals)


def _with_faces(state: HandState, placed_all: tuple[Placed, ...]) -> tuple[Tile | None, ...]:
    faces = list(state.faces)
    for placed in placed_all:
        faces[placed.slot] = placed.tile
    return tuple(faces)


def _with_rack(state: HandState, rack: tuple[Slot, ...]) -> tuple[tuple[Slot, ...], ...]:
    return (*state.racks[: state.turn], rack, *state.racks[state.turn + 1 :])


def _with_pile(
    state: HandState, seat: Seat, pile: tuple[Slot, ...]
) -> tuple[tuple[Slot, ...], ...]:
    return (*state.discards[:seat], pile, *state.discards[seat + 1 :])


def _draw(state: HandState) -> Outcome:
    slot = state.stack[0]
    after = replace(
        state,
        phase=Phase.PLAY,
        stack=state.stack[1:],
        racks=_with_rack(state, (*state.racks[state.turn], slot)),
    )
    drawn = TileDrawn(seat=state.turn, slot=slot)
    if state.faces[slot] is not None:  # a turned false okey: everybody knows it
        return after, (drawn,)
    return after, (drawn, Reveal(slots=(slot,), to=state.turn))


def _take(state: HandState) -> Outcome:
    giver = state.left_of(state.turn)
    *pile, slot = state.discards[giver]
    tile = state.faces[slot]
    assert tile is not None
    after = replace(
        state,
        phase=Phase.PLAY,
        taken=slot,
        discards=_with_pile(state, giver, tuple(pile)),
        racks=_with_rack(state, (*state.racks[state.turn], slot)),
    )
    return after, (TileTaken(seat=state.turn, slot=slot, tile=tile),)


def _show(state: HandState, placed: Placed) -> Outcome:
    after = replace(state, faces=_with_faces(state, (placed,)), shown_by=state.turn)
    return after, (IndicatorShown(seat=state.turn, slot=placed.slot, tile=placed.tile),)


def _discard(state: HandState, placed: Placed) -> Outcome:
    after = _put_down(state, placed, (placed,))
    event = TileDiscarded(seat=state.turn, slot=placed.slot, tile=placed.tile)
    return _end_turn(after, (event,))


def _put_down(state: HandState, placed: Placed, public: tuple[Placed, ...]) -> HandState:
    """Moves a tile from the rack to the own pile and makes tiles public."""
    seat = state.turn
    rack = tuple(slot for slot in state.racks[seat] if slot != placed.slot)
    return replace(
        state,
        faces=_with_faces(state, public),
        racks=_with_rack(state, rack),
        discards=_with_pile(state, seat, (*state.discards[seat], placed.slot)),
    )


def _counted(state: HandState) -> tuple[int, ...]:
    return tuple(turns + (seat == state.turn) for seat, turns in enumerate(state.turns_taken))


def _end_turn(state: HandState, events: tuple[Event, ...]) -> Outcome:
    """Passes the turn on, or ends the hand as exhausted (G-7, G-17)."""
    counted = replace(state, turns_taken=_counted(state), taken=None)
    ending = Ending.NONE
    # With an empty stack a turn that drew from it began before it was empty: one offer is due.
    offer = state.rules.last_discard_offer and state.phase is Phase.PLAY and state.taken is None
    if not state.stack and not offer:
        ending = Ending.STACK_EMPTY
    elif counted.turn_count >= state.rules.turn_limit:
        ending = Ending.TURN_LIMIT
    if ending is Ending.NONE:
        return replace(counted, phase=Phase.DRAW, turn=state.right_of(state.turn)), events
    over = replace(counted, phase=Phase.OVER, ending=ending)
    return over, (*events, HandExhausted(ending=ending))


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
        _put_down(state, move.discard, move_placed(move)),
        phase=Phase.OVER,
        ending=Ending.FINISHED,
        turns_taken=_counted(state),
        taken=None,
        finish=record,
    )
    return after, (HandFinished(finish=record),)
