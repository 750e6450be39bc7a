"""What a player adds to the melds of an open table, and which okeys it takes from them."""

from collections.abc import Iterable, Iterator

from p2pokey.bots.sight import Sight
from p2pokey.rules.layoff import Place
from p2pokey.rules.moves import Add, Placed, Retrieve
from p2pokey.rules.open_charges import retrieve_charge, retrieve_payer
from p2pokey.rules.open_state import Opened
from p2pokey.rules.open_taking import may_process
from p2pokey.rules.playable import room_of
from p2pokey.rules.state import partner_of
from p2pokey.tiles import Face, Seat


def find_add(sight: Sight) -> Add | None:
    """A natural tile that fits a meld on the table."""
    for placed in sight.naturals:
        found = add_tile(sight, placed)
        if found is not None:
            return found
    return None


def add_tile(sight: Sight, placed: Placed) -> Add | None:
    """This tile on a meld of the table, where one takes it: a rival's meld first, who may pay."""
    if len(sight.rack) < 2 or not _may_add(sight):
        return None
    places = sorted(sight.index.accepts(sight.face(placed)), key=lambda at: _is_own(sight, at))
    for place in places:
        move = Add(meld=place.meld, end=place.end, tiles=(placed,))
        if sight.allows(move):
            return move
    return None


def find_okey_use(sight: Sight) -> Add | None:
    """An okey on the meld where it is least likely to be retrieved."""
    if len(sight.rack) < 2 or not sight.wilds or not _may_add(sight):
        return None

    def chance(place: Place) -> tuple[int, bool]:
        return min(sight.live[face] for face in _stood_for(sight, place)), not _is_own(sight, place)

    for place in sorted(sight.index.accepts(None), key=chance):
        move = Add(meld=place.meld, end=place.end, tiles=sight.wilds[:1])
        if sight.allows(move):
            return move
    return None


def _stood_for(sight: Sight, place: Place) -> list[Face]:
    rooms = room_of(sight.state.rules, sight.table.melds[place.meld])
    return [room.face for room in rooms if room.end is place.end]


def find_retrievals(sight: Sight, *, charged_only: bool) -> Iterator[Retrieve]:
    """Okeys worth having: those for which a rival pays, or those for tiles that fit nowhere else.

    Args:
        charged_only: only okeys for which a rival pays.
    """
    for move in _retrievals(sight, sight.naturals):
        if charged_only and not _rival_pays(sight, move):
            continue
        if not _partner_pays(sight, move) and sight.allows(move):
            yield move


def retrievals_with(sight: Sight, placed: Placed) -> Iterator[Retrieve]:
    """Okeys to be had for this tile."""
    return (move for move in _retrievals(sight, (placed,)) if sight.allows(move))


def _retrievals(sight: Sight, supply: Iterable[Placed]) -> Iterator[Retrieve]:
    held = {face: placed for placed in supply if (face := sight.face(placed)) is not None}
    singles = [found for face in held for found in sight.index.retrievals(face)]
    for found in (*sight.index.double_retrievals, *singles):
        if all(face in held for face in found.supply) and _may_work_on(sight, found.meld):
            supplied = tuple(held[face] for face in found.supply)
            yield Retrieve(meld=found.meld, place=found.place, supply=supplied)


def _payer(sight: Sight, move: Retrieve) -> Seat | None:
    """Who pays for the okey, None if nobody does."""
    rules, meld = sight.state.rules, sight.table.melds[move.meld]
    payer = retrieve_payer(rules, meld, move.place)
    supplied = [face for face in map(sight.face, move.supply) if face is not None]
    points = retrieve_charge(
        rules, sight.state.seats, payer=payer, taker=sight.seat, supplied=supplied
    )
    return payer if points else None


def _rival_pays(sight: Sight, move: Retrieve) -> bool:
    payer = _payer(sight, move)
    return payer is not None and not _is_partner(sight, payer)


def _partner_pays(sight: Sight, move: Retrieve) -> bool:
    payer = _payer(sight, move)
    return payer is not None and _is_partner(sight, payer)


def _is_partner(sight: Sight, seat: Seat) -> bool:
    return sight.state.rules.partners and partner_of(sight.seat, sight.state.seats) == seat


def _is_own(sight: Sight, place: Place) -> bool:
    owner = sight.table.melds[place.meld].owner
    return owner == sight.seat or _is_partner(sight, owner)


def _may_add(sight: Sight) -> bool:
    """Whether this seat may add to runs and sets at all."""
    if sight.opened is Opened.PAIRS:
        return sight.rules.pairs_opener_may_process
    return sight.opened is Opened.MELDS


def _may_work_on(sight: Sight, number: int) -> bool:
    return may_process(sight.state.rules, sight.opened, sight.table.melds[number].kind)
