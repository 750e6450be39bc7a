"""What all games with racks, a stack and discard piles share: deal, indicator, draw, take, turn end.

Effects only, on a state that has been checked; the games add what is theirs.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from p2pokey.errors import IllegalMove, InvalidRuleSet
from p2pokey.rules.events import (
    Event,
    FalseOkeyTurned,
    HandExhausted,
    IndicatorTurned,
    Reveal,
    TileDrawn,
    TileTaken,
)
from p2pokey.rules.moves import Placed
from p2pokey.rules.published import RuleSet
from p2pokey.rules.state import Ending, GameTable, HandState, Phase
from p2pokey.tiles import MAX_SEATS, MIN_SEATS, TILE_COUNT, Seat, Slot, Tile, is_false_okey

_Value = TypeVar("_Value")

Outcome = tuple[HandState, tuple[Event, ...]]
"""The state after a move, and what happened."""


def mover(state: HandState) -> Seat | None:
    """The seat to move, None before the indicator is turned and after the end."""
    return state.turn if state.phase in (Phase.DRAW, Phase.PLAY) else None


def deal(rules: RuleSet, seats: int, starter: Seat, *, table: GameTable | None = None) -> Outcome:
    """Deals slots in blocks (G-2): starter, the others in turn order, the extra, the stack.

    Args:
        table: what lies on the table of a game that has one.

    Raises:
        InvalidRuleSet: not 2 to 4 seats, or a starter that is none of them.
    """
    if not MIN_SEATS <= seats <= MAX_SEATS or not 0 <= starter < seats:
        raise InvalidRuleSet(f"no seat {starter} at a table of {seats}", rule="OPT-2")
    racks = _deal_racks(rules.rack_size, seats, starter)
    rest = tuple(Slot(slot) for slot in range(rules.rack_size * seats, TILE_COUNT))
    if rules.starter_extra:
        extra, *left = rest
        racks[starter], rest = (*racks[starter], extra), tuple(left)
    state = HandState(
        rules=rules,
        seats=seats,
        starter=starter,
        phase=Phase.INDICATOR if rules.indicator else Phase.PLAY,
        turn=starter,
        racks=tuple(racks),
        stack=rest,
        discards=((),) * seats,
        indicator=None,
        faces=(None,) * TILE_COUNT,
        turns_taken=(0,) * seats,
        table=table,
    )
    dealt = tuple(Reveal(slots=rack, to=Seat(seat)) for seat, rack in enumerate(racks))
    if not rules.indicator:
        return state, dealt
    return state, (*dealt, Reveal(slots=state.stack[:1], to=None))


def _deal_racks(size: int, seats: int, starter: Seat) -> list[tuple[Slot, ...]]:
    """Racks per seat: the first slots are the starter's, the next its right neighbour's (G-2)."""
    blocks = [(seat - starter) % seats for seat in range(seats)]
    return [tuple(Slot(size * block + i) for i in range(size)) for block in blocks]


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
    faces = with_faces(state, (Placed(slot, tile),))
    if is_false_okey(tile):
        under = replace(state, faces=faces, stack=(*rest, slot))
        turned = FalseOkeyTurned(slot=slot, tile=tile)
        return under, (turned, Reveal(slots=under.stack[:1], to=None))
    after = replace(state, faces=faces, stack=tuple(rest), indicator=slot, phase=Phase.PLAY)
    return after, (IndicatorTurned(slot=slot, tile=tile),)


def with_faces(state: HandState, placed_all: Sequence[Placed]) -> tuple[Tile | None, ...]:
    """The public faces with these tiles shown, too."""
    faces = list(state.faces)
    for placed in placed_all:
        faces[placed.slot] = placed.tile
    return tuple(faces)


def with_at(values: tuple[_Value, ...], at: int, value: _Value) -> tuple[_Value, ...]:
    """The values with another one in that place."""
    return (*values[:at], value, *values[at + 1 :])


def with_rack(state: HandState, rack: tuple[Slot, ...]) -> tuple[tuple[Slot, ...], ...]:
    """The racks with another rack of the seat to move."""
    return with_at(state.racks, state.turn, rack)


def without(rack: tuple[Slot, ...], slots: Sequence[Slot]) -> tuple[Slot, ...]:
    """The rack without these slots, the gaps closed."""
    return tuple(slot for slot in rack if slot not in slots)


def with_pile(state: HandState, seat: Seat, pile: tuple[Slot, ...]) -> tuple[tuple[Slot, ...], ...]:
    """The discard piles with another pile of that seat."""
    return with_at(state.discards, seat, pile)


def draw(state: HandState) -> Outcome:
    """The seat to move draws the top of the stack."""
    slot = state.stack[0]
    after = replace(
        state,
        phase=Phase.PLAY,
        stack=state.stack[1:],
        racks=with_rack(state, (*state.racks[state.turn], slot)),
    )
    drawn = TileDrawn(seat=state.turn, slot=slot)
    if state.faces[slot] is not None:  # a turned false okey: everybody knows it
        return after, (drawn,)
    return after, (drawn, Reveal(slots=(slot,), to=state.turn))


def take(state: HandState) -> Outcome:
    """The seat to move takes its left neighbour's last discard."""
    giver = state.left_of(state.turn)
    *pile, slot = state.discards[giver]
    tile = state.faces[slot]
    assert tile is not None
    after = replace(
        state,
        phase=Phase.PLAY,
        taken=slot,
        discards=with_pile(state, giver, tuple(pile)),
        racks=with_rack(state, (*state.racks[state.turn], slot)),
    )
    return after, (TileTaken(seat=state.turn, slot=slot, tile=tile),)


def put_down(state: HandState, placed: Placed, public: Sequence[Placed]) -> HandState:
    """Moves a tile from the rack to the own pile and makes tiles public."""
    seat = state.turn
    return replace(
        state,
        faces=with_faces(state, public),
        racks=with_rack(state, without(state.racks[seat], (placed.slot,))),
        discards=with_pile(state, seat, (*state.discards[seat], placed.slot)),
    )


def counted(state: HandState) -> tuple[int, ...]:
    """Turns taken, with the one that ends now."""
    return tuple(turns + (seat == state.turn) for seat, turns in enumerate(state.turns_taken))


def end_turn(state: HandState, events: tuple[Event, ...]) -> Outcome:
    """Passes the turn on, or ends the hand as exhausted (G-7, G-17)."""
    after = replace(state, turns_taken=counted(state), taken=None)
    ending = Ending.NONE
    # With an empty stack a turn that drew from it began before it was empty: one offer is due.
    offer = state.rules.last_discard_offer and state.phase is Phase.PLAY and state.taken is None
    if not state.stack and not offer:
        ending = Ending.STACK_EMPTY
    elif after.turn_count >= state.rules.turn_limit:
        ending = Ending.TURN_LIMIT
    if ending is Ending.NONE:
        return replace(after, phase=Phase.DRAW, turn=state.right_of(state.turn)), events
    over = replace(after, phase=Phase.OVER, ending=ending)
    return over, (*events, HandExhausted(ending=ending))
