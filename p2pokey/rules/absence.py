"""What a seat that is absent does in its turn: it draws and discards what it drew.

Rule G-18 and docs/protocol.md S10. All of this follows from the public state and from the one tile
that the others open.
"""

from dataclasses import replace

from p2pokey.rules.engine import Engine
from p2pokey.rules.events import Event, Reveal
from p2pokey.rules.moves import Discard, DrawStack, Move, Pass, Placed
from p2pokey.rules.open_booking import charge
from p2pokey.rules.open_charges import TableEvent, event_charge
from p2pokey.rules.open_state import OpenTable
from p2pokey.rules.state import HandState, Phase
from p2pokey.tiles import Slot, Tile

Played = tuple[HandState, tuple[tuple[Move, tuple[Event, ...]], ...]]
"""The state after the turn, and its moves with what happened."""


def opened_slot(start: HandState) -> Slot | None:
    """The slot whose tile the absent seat on turn discards.

    Args:
        start: the state at the start of its turn.

    Returns:
        The top of the stack, for a starter that has not moved its extra tile; None where the stack
        is empty and the seat passes.
    """
    if start.phase is Phase.PLAY:
        return start.racks[start.turn][-1]
    return start.stack[0] if start.stack else None


def play_absent(engine: Engine, start: HandState, tile: Tile | None) -> Played:
    """The whole turn of an absent seat.

    Args:
        engine: of the hand's rules.
        start: the state at the start of its turn.
        tile: what lies in the slot of `opened_slot`, None where that is None.
    """
    slot = opened_slot(start)
    if slot is None or tile is None:
        after, events = engine.apply(start, Pass())
        return after, ((Pass(), events),)
    state, moves = start, []
    if start.phase is Phase.DRAW:
        state, events = engine.apply(state, DrawStack())
        # The tile is open already: nobody owes anything for it.
        happened = tuple(event for event in events if not isinstance(event, Reveal))
        moves.append((DrawStack(), happened))
    discard = Discard(Placed(slot, tile))
    after, events = engine.apply(state, discard)
    return after, (*moves, (discard, events))


def turned_back(start: HandState, now: HandState) -> HandState:
    """The start of a turn again, after the seat on turn is called absent in the middle of it.

    Charges booked against that seat stay, and undoing a change of the table costs what a take-back
    costs; everything else is as if the turn had not begun (G-18).

    Args:
        start: the state at the start of the turn.
        now: the state in the same turn.
    """
    if not isinstance(start.table, OpenTable) or not isinstance(now.table, OpenTable):
        return start
    seat = start.turn
    own = [c for c in now.table.charges[len(start.table.charges) :] if c.seat == seat]
    table = replace(start.table, charges=(*start.table.charges, *own))
    back = replace(start, table=table)
    if now.table.turn.checkpoint is None:
        return back
    points = event_charge(start.rules, TableEvent.TAKE_BACK)
    after, _ = charge(back, seat, points, "G-18")
    return after
