"""Booking charges in the log of an open table."""

from collections.abc import Sequence
from dataclasses import replace

from p2pokey.rules.dealing import Outcome
from p2pokey.rules.events import ChargeBooked
from p2pokey.rules.melds import MeldKind
from p2pokey.rules.open_charges import taken_charge
from p2pokey.rules.open_melds import okey_of
from p2pokey.rules.open_state import Charge, TableMeld, table_of
from p2pokey.rules.open_taking import uses_taken
from p2pokey.rules.published import DiscarderPays
from p2pokey.rules.state import HandState
from p2pokey.tiles import Seat

_PAYER_RULE = {DiscarderPays.CHALLENGE: "B-15", DiscarderPays.OPENING: "C-7"}


def charge(state: HandState, seat: Seat, points: int, rule: str) -> Outcome:
    """Books points against a seat; nothing where there are none."""
    if points == 0:
        return state, ()
    table = table_of(state)
    log = (*table.charges, Charge(seat=seat, points=points, rule=rule))
    after = replace(state, table=replace(table, charges=log))
    return after, (ChargeBooked(seat=seat, points=points, rule=rule),)


def charge_taken(
    before: HandState, after: HandState, melds: Sequence[TableMeld], *, in_opening: bool
) -> Outcome:
    """Books what the discarder of the taken tile pays if it lies in these melds now."""
    for meld in melds:
        for tile in meld.tiles:
            if tile.slot == before.taken and uses_taken(before, (tile.slot,)):
                points = taken_charge(
                    before.rules,
                    tile=tile.tile,
                    stands=tile.stands,
                    okey=okey_of(before),
                    in_pair=meld.kind is MeldKind.PAIR,
                    in_opening=in_opening,
                )
                payer = before.left_of(before.turn)
                rule = _PAYER_RULE.get(before.rules.open_table.discarder_pays, "D-7")
                return charge(after, payer, points, rule)
    return after, ()
