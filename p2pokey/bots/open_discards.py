"""Which tile a player of an open table discards."""

from p2pokey.bots.open_laying import aims_at_pairs, best_melds
from p2pokey.bots.reach import Outlook, meld_use, most_value
from p2pokey.bots.sight import COPIES, Sight
from p2pokey.bots.source import Source
from p2pokey.errors import LocalProtocolError
from p2pokey.rules.moves import Discard, Placed
from p2pokey.rules.open_charges import discard_charge
from p2pokey.rules.open_state import Opened

_OKEY_KEPT = 2000.0
_CHARGED = 500.0
_IN_MELDS = 30.0
_PAIR_KEPT = 50.0
_NEAR = 0.8
"""Part of the floor from which it is worth asking the solver what to keep."""


def find_discard(sight: Sight, source: Source) -> Discard:
    """The discard that costs least: no charge first, then the tile that is least use."""
    if len(sight.rack) == 1:
        return Discard(sight.rack[0])
    costs = _costs_of_pairs(sight) if aims_at_pairs(sight) else _costs_of_melds(sight)
    for cost in sorted(set(costs.values())):
        equal = [placed for placed in sight.rack if costs[placed] == cost]
        allowed = [placed for placed in equal if sight.allows(Discard(placed))]
        if allowed:
            return Discard(allowed[source.below(len(allowed))])
    raise LocalProtocolError(f"seat {sight.seat} has no discard")


def _charge(sight: Sight, placed: Placed) -> float:
    """What the table makes of the discard; an okey is the last thing to give away."""
    if sight.face(placed) is None:
        return _OKEY_KEPT
    points = discard_charge(sight.state.rules, sight.table.melds, placed.tile, sight.okey)
    return _CHARGED if points else 0.0


def _costs_of_melds(sight: Sight) -> dict[Placed, float]:
    rack = sight.outlook
    kept = _kept(sight, rack)
    costs = {}
    for placed in sight.rack:
        face = sight.face(placed)
        cost = _charge(sight, placed)
        if face is not None:
            cost += meld_use(face, rack) + _IN_MELDS * (placed in kept)
            # Before the opening high tiles help to reach the floor; afterwards they are to pay.
            cost += face.number * (0.2 if sight.opened is Opened.NONE else -0.4)
        costs[placed] = cost
    return costs


def _kept(sight: Sight, rack: Outlook) -> frozenset[Placed]:
    """The tiles of the best melds, once an opening is near; afterwards melds have been laid."""
    if sight.opened is not Opened.NONE or most_value(rack) < _NEAR * sight.floors.melds:
        return frozenset()
    found = best_melds(sight)
    return frozenset(sight.placed(found.tiles)) if found is not None else frozenset()


def _costs_of_pairs(sight: Sight) -> dict[Placed, float]:
    """Pairs stay, then tiles whose twin may still come."""
    rack = sight.outlook
    costs = {}
    for placed in sight.rack:
        face = sight.face(placed)
        cost = _charge(sight, placed)
        if face is not None:
            twin = _PAIR_KEPT if rack.faces[face] == COPIES else 10.0 * (sight.live[face] > 0)
            cost += twin - 0.1 * face.number
        costs[placed] = cost
    return costs
