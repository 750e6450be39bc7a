"""What openings, lays, additions and retrievals do, once checked: new state and events."""

from collections.abc import Sequence
from dataclasses import replace

from p2pokey.rules.dealing import Outcome, with_at, with_faces, with_rack, without
from p2pokey.rules.events import (
    Event,
    HandCancelled,
    MeldsLaid,
    OkeyRetrieved,
    OpeningFailed,
    SeatOpened,
    TilesAdded,
)
from p2pokey.rules.melds import identity
from p2pokey.rules.moves import Add, LaidMeld, Placed, Retrieve
from p2pokey.rules.open_booking import charge, charge_taken
from p2pokey.rules.open_charges import (
    TableEvent,
    event_charge,
    feed_charge,
    retrieve_charge,
    retrieve_payer,
)
from p2pokey.rules.open_floors import opening_bonus
from p2pokey.rules.open_melds import (
    added_stands,
    extended,
    okey_of,
    opening_kind,
    opening_value,
    read_new,
    swapped,
)
from p2pokey.rules.open_state import Checkpoint, Opened, TableMeld, TurnRecord, table_of
from p2pokey.rules.published import Scoring
from p2pokey.rules.state import Ending, HandState, Phase


def lay_opening(state: HandState, melds: Sequence[LaidMeld]) -> Outcome:
    """Lays an opening that is in order; the fourth one with pairs cancels the hand in C (C-12)."""
    new, seat = read_new(state, melds), state.turn
    kind, value = opening_kind(new), opening_value(new)
    assert kind is not None
    laid = _laid(melds)
    after = _put_on_table(state, laid, (*table_of(state).melds, *new))
    table = table_of(after)
    table = replace(
        table,
        opened=with_at(table.opened, seat, kind),
        opening_values=with_at(table.opening_values, seat, value),
        turn=replace(table.turn, opened=True),
    )
    after = replace(after, table=table)
    after, bonus = charge(after, seat, opening_bonus(state.rules, kind, value), "B-14")
    after, paid = charge_taken(state, after, new, in_opening=True)
    opened = SeatOpened(seat=seat, opened=kind, value=value, laid=laid)
    return _cancelled_or(after, (opened, *bonus, *paid))


def _cancelled_or(state: HandState, events: tuple[Event, ...]) -> Outcome:
    all_pairs = all(opened is Opened.PAIRS for opened in table_of(state).opened)
    if not (all_pairs and state.rules.open_table.four_pairs_cancel):
        return state, events
    over = replace(state, phase=Phase.OVER, ending=Ending.CANCELLED)
    return over, (*events, HandCancelled())


def fail_opening(
    state: HandState, shown: Sequence[Placed], event: TableEvent, reason: str
) -> Outcome:
    """The tiles stay on the rack, seen by all, and the attempt is charged (C-1, OT-12)."""
    table = table_of(state)
    turn = replace(table.turn, attempts=table.turn.attempts + 1)
    after = replace(state, faces=with_faces(state, shown), table=replace(table, turn=turn))
    rule = "C-1" if event is TableEvent.CLOSE_BELOW_FLOOR else "OT-12"
    after, booked = charge(after, state.turn, event_charge(state.rules, event), rule)
    failed = OpeningFailed(
        seat=state.turn, shown=tuple(sorted(shown, key=lambda one: one.slot)), reason=reason
    )
    return after, (failed, *booked)


def lay(state: HandState, melds: Sequence[LaidMeld]) -> Outcome:
    """Lays further melds or pairs."""
    new, laid = read_new(state, melds), _laid(melds)
    after = _put_on_table(state, laid, (*table_of(state).melds, *new))
    after, paid = charge_taken(state, after, new, in_opening=False)
    return after, (MeldsLaid(seat=state.turn, laid=laid), *paid)


def add(state: HandState, move: Add) -> Outcome:
    """Puts tiles on a meld; in D its owner may have to pay."""
    melds = table_of(state).melds
    meld = extended(state, melds[move.meld], move.end, move.tiles)
    after = _put_on_table(state, move.tiles, with_at(melds, move.meld, meld))
    after = _with_turn(after, _with_added(table_of(after).turn, move))
    fed = feed_charge(
        state.rules,
        state.seats,
        owner=meld.owner,
        feeder=state.turn,
        stands=added_stands(meld, move.tiles),
    )
    after, booked = charge(after, meld.owner, fed, "D-4")
    after, paid = charge_taken(state, after, (meld,), in_opening=False)
    return after, (
        TilesAdded(seat=state.turn, meld=move.meld, tiles=move.tiles),
        *booked,
        *paid,
    )


def _with_added(turn: TurnRecord, move: Add) -> TurnRecord:
    others = [entry for entry in turn.added if entry[:2] != (move.meld, move.end)]
    count = turn.added_at(move.meld, move.end) + len(move.tiles)
    return replace(turn, added=tuple(sorted([*others, (move.meld, move.end, count)])))


def retrieve(state: HandState, move: Retrieve) -> Outcome:
    """Supplies naturals for an okey, which comes to the rack."""
    melds, seat = table_of(state).melds, state.turn
    old = melds[move.meld]
    okey = old.tiles[move.place]
    meld = swapped(state, old, move.place, move.supply)
    after = _put_on_table(state, move.supply, with_at(melds, move.meld, meld))
    after = replace(after, racks=with_rack(after, (*after.racks[seat], okey.slot)))
    turn = table_of(after).turn
    after = _with_turn(after, replace(turn, retrieved=(*turn.retrieved, okey.slot)))
    payer = retrieve_payer(state.rules, old, move.place)
    supplied = [face for face in (identity(s.tile, okey_of(state)) for s in move.supply) if face]
    points = retrieve_charge(state.rules, state.seats, payer=payer, taker=seat, supplied=supplied)
    after, booked = charge(after, payer, points, _retrieve_rule(state))
    after, paid = charge_taken(state, after, (meld,), in_opening=False)
    taken = Placed(okey.slot, okey.tile)
    event = OkeyRetrieved(seat=seat, meld=move.meld, okey=taken, supply=move.supply)
    return after, (event, *booked, *paid)


def _retrieve_rule(state: HandState) -> str:
    rules = state.rules.open_table
    if rules.retrieve_owner_pays:
        return "D-15"
    return "C-9" if rules.scoring is Scoring.OKEY_101_RACK else "B-21"


def _put_on_table(
    state: HandState, placed: Sequence[Placed], melds: tuple[TableMeld, ...]
) -> HandState:
    """Moves tiles from the rack to the melds; the turn's first change keeps what was before."""
    table, seat = table_of(state), state.turn
    kept = table.turn.checkpoint or Checkpoint(
        rack=state.racks[seat], melds=table.melds, charges=len(table.charges)
    )
    rack = without(state.racks[seat], [one.slot for one in placed])
    after = replace(state, faces=with_faces(state, placed), racks=with_rack(state, rack))
    turn = replace(table.turn, checkpoint=kept)
    return replace(after, table=replace(table, melds=melds, turn=turn))


def _with_turn(state: HandState, turn: TurnRecord) -> HandState:
    return replace(state, table=replace(table_of(state), turn=turn))


def _laid(melds: Sequence[LaidMeld]) -> tuple[Placed, ...]:
    return tuple(placed for meld in melds for placed in meld.tiles)
