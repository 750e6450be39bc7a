"""What is charged during a hand of B, C or D: figures only, booked by open_effects.py."""

from collections.abc import Sequence
from enum import StrEnum

from p2pokey.rules.melds import Stand, identity, is_wild
from p2pokey.rules.open_state import TableMeld
from p2pokey.rules.playable import is_playable
from p2pokey.rules.published import DiscarderPays, RuleSet
from p2pokey.rules.state import partner_of
from p2pokey.tiles import Face, Seat, Tile

_TEN, _TWENTY = 10, 20


class TableEvent(StrEnum):
    """What a seat is charged for besides its discards."""

    TAKE_BACK = "take_back"
    RETURN_AFTER_CHANGE = "return_taken_after_change"
    CLOSE_BELOW_FLOOR = "close_below_floor"
    INVALID_RACK_FINISH = "invalid_rack_finish"


def event_charge(rules: RuleSet, event: TableEvent) -> int:
    """Points for a take-back, a late return (B-4, C-8) or, in C, a failed opening (C-1)."""
    table = rules.open_table
    fails = event in (TableEvent.CLOSE_BELOW_FLOOR, TableEvent.INVALID_RACK_FINISH)
    if not table.penalties or (fails and not table.failed_opening_charged):
        return 0
    return table.take_back_charge


def discard_charge(rules: RuleSet, melds: Sequence[TableMeld], tile: Tile, okey: Face) -> int:
    """Points for a discard that does not finish, against the table as it lies (P-4, P-6, D-13)."""
    table = rules.open_table
    if not table.penalties:
        return 0
    if is_wild(tile, okey) and table.okey_discard_charge:
        return table.okey_discard_charge
    return table.playable_charge if is_playable(rules, melds, tile, okey) else 0


def taken_charge(
    rules: RuleSet, *, tile: Tile, stands: Stand, okey: Face, in_pair: bool, in_opening: bool
) -> int:
    """Points for the discarder of a tile that the next seat uses (B-15, B-27, C-7, D-7, D-20).

    Args:
        stands: what the tile counts as where it was put.
        in_pair: whether it went into a pair.
        in_opening: whether it was among the tiles of an opening.
    """
    table = rules.open_table
    if not table.penalties:
        return 0
    factor = _TWENTY if in_pair else _TEN
    match table.discarder_pays:
        case DiscarderPays.NEVER:
            return 0
        case DiscarderPays.CHALLENGE:
            return stands.number * factor * (2 if is_wild(tile, okey) else 1)
        case DiscarderPays.OPENING:
            printed = identity(tile, okey) or okey  # an okey counts as printed (C-7)
            return printed.number * factor if in_opening else 0
        case DiscarderPays.ALWAYS:
            return stands.number * _TEN


def is_own_side(rules: RuleSet, seats: int, one: Seat, other: Seat) -> bool:
    """Whether the two are one seat, or partners."""
    return one == other or (rules.partners and partner_of(one, seats) == other)


def feed_charge(
    rules: RuleSet, seats: int, *, owner: Seat, feeder: Seat, stands: Sequence[Stand]
) -> int:
    """Points for the owner of a meld that another seat adds to (D-4, D-18).

    Args:
        stands: what the added tiles count as.
    """
    table = rules.open_table
    if not (table.penalties and table.owner_pays_for_feeding):
        return 0
    if is_own_side(rules, seats, owner, feeder):
        return 0
    return _TEN * sum(stand.number for stand in stands)


def retrieve_charge(
    rules: RuleSet, seats: int, *, payer: Seat, taker: Seat, supplied: Sequence[Face]
) -> int:
    """Points for the seat that pays for a retrieved okey (B-18, B-21, C-6, D-6, D-18).

    Args:
        payer: owner of the meld where the owner pays, else the okey's placer (`retrieve_payer`).
        supplied: what was supplied for the okey.
    """
    table = rules.open_table
    spared = table.retrieve_exempts_partner and is_own_side(rules, seats, payer, taker)
    if not table.penalties or payer == taker or spared:
        return 0
    fed = _TEN * sum(face.number for face in supplied) if table.retrieve_owner_pays else 0
    return table.retrieve_charge + fed


def retrieve_payer(rules: RuleSet, meld: TableMeld, place: int) -> Seat:
    """Who pays for the okey at that place: the meld's owner in D (D-15), else its placer."""
    if rules.open_table.retrieve_owner_pays:
        return meld.owner
    return meld.tiles[place].placer
