"""How turns of an open table are undone and how they end."""

from dataclasses import replace

from p2pokey.rules.dealing import (
    Outcome,
    counted,
    end_turn,
    put_down,
    with_at,
    with_pile,
    with_rack,
    without,
)
from p2pokey.rules.events import (
    Event,
    GoingPairsDeclared,
    HandFinished,
    TableRestored,
    TileDiscarded,
    TileReturned,
)
from p2pokey.rules.moves import Placed
from p2pokey.rules.open_booking import charge
from p2pokey.rules.open_charges import TableEvent, discard_charge, event_charge
from p2pokey.rules.open_melds import okey_of
from p2pokey.rules.open_state import Opened, TurnRecord, table_of
from p2pokey.rules.state import Ending, FinishKind, FinishRecord, HandState, Phase


def take_back(state: HandState) -> Outcome:
    """Restores the table as it was before this turn's first change, for a charge."""
    after, events = _restored(state, TableEvent.TAKE_BACK)
    if not (state.rules.open_table.take_back_returns and state.taken is not None):
        return after, events
    after, returned = _returned(after)
    return after, (*events, *returned)


def return_taken(state: HandState) -> Outcome:
    """Puts the taken tile back, after undoing what this turn has changed (G-11, C-8, D-16)."""
    events: tuple[Event, ...] = ()
    if table_of(state).turn.checkpoint is not None:
        state, events = _restored(state, TableEvent.RETURN_AFTER_CHANGE)
    after, returned = _returned(state)
    return after, (*events, *returned)


def _restored(state: HandState, event: TableEvent) -> Outcome:
    table, seat = table_of(state), state.turn
    kept = table.turn.checkpoint
    assert kept is not None
    restored = replace(
        table,
        melds=kept.melds,
        charges=table.charges[: kept.charges],
        turn=TurnRecord(attempts=table.turn.attempts + 1),
    )
    if table.turn.opened:
        restored = replace(
            restored,
            opened=with_at(table.opened, seat, Opened.NONE),
            opening_values=with_at(table.opening_values, seat, 0),
        )
    after = replace(state, racks=with_rack(state, kept.rack), table=restored)
    rule = "C-8" if state.rules.open_table.take_back_any_change else "B-4"
    after, booked = charge(after, seat, event_charge(state.rules, event), rule)
    return after, (TableRestored(seat=seat), *booked)


def _returned(state: HandState) -> Outcome:
    slot, seat = state.taken, state.turn
    assert slot is not None
    tile = state.faces[slot]
    assert tile is not None
    giver = state.left_of(seat)
    table = table_of(state)
    after = replace(
        state,
        phase=Phase.DRAW,
        taken=None,
        table=replace(table, turn=replace(table.turn, returned=True)),
        racks=with_rack(state, without(state.racks[seat], (slot,))),
        discards=with_pile(state, giver, (*state.discards[giver], slot)),
    )
    return after, (TileReturned(seat=seat, slot=slot, tile=tile),)


def go_pairs(state: HandState) -> Outcome:
    """Binds the seat to an opening with pairs."""
    table = table_of(state)
    declared = with_at(table.going_pairs, state.turn, True)
    after = replace(state, table=replace(table, going_pairs=declared))
    return after, (GoingPairsDeclared(seat=state.turn),)


def discard(state: HandState, placed: Placed) -> Outcome:
    """Ends the turn: with the last tile the hand, else with what the discard costs."""
    seat, is_last = state.turn, len(state.racks[state.turn]) == 1
    after = put_down(state, placed, (placed,))
    event = TileDiscarded(seat=seat, slot=placed.slot, tile=placed.tile)
    if is_last:
        return _finish(after, placed, event)
    melds = table_of(state).melds
    points = discard_charge(state.rules, melds, placed.tile, okey_of(state))
    after, booked = charge(after, seat, points, _discard_rule(state, placed))
    return pass_turn(after, (event, *booked))


def _discard_rule(state: HandState, placed: Placed) -> str:
    is_okey = state.is_okey(placed.tile) and state.rules.open_table.okey_discard_charge > 0
    return "P-4" if is_okey else "P-1"


def pass_turn(state: HandState, events: tuple[Event, ...]) -> Outcome:
    """Ends the turn and its record."""
    after = replace(state, table=replace(table_of(state), turn=TurnRecord()))
    return end_turn(after, events)


def _finish(state: HandState, placed: Placed, event: Event) -> Outcome:
    """The record of the turn stays: whether it was the opening's counts for the score."""
    is_pairs = table_of(state).opened[state.turn] is Opened.PAIRS
    record = FinishRecord(
        seat=state.turn,
        discard=placed.slot,
        kind=FinishKind.PAIRS if is_pairs else FinishKind.MELDS,
        okey_discarded=state.is_okey(placed.tile),
        layout=(),
    )
    after = replace(
        state,
        phase=Phase.OVER,
        ending=Ending.FINISHED,
        turns_taken=counted(state),
        taken=None,
        finish=record,
    )
    return after, (event, HandFinished(finish=record))
