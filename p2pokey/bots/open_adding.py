"""What a player adds to the melds of an open table, and which okeys it takes from them."""

from collections.abc import Iterable, Iterator

from p2pokey.bots.sight import Sight
from p2pokey.rules.moves import Add, Placed, Retrieve
from p2pokey.rules.open_charges import is_own_side, retrieve_charge, retrieve_payer
from p2pokey.rules.open_state import Opened
from p2pokey.rules.open_taking import may_process
from p2pokey.rules.playable import double_swaps_of
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
    moves = sorted(_additions(sight, placed), key=lambda move: _is_own(sight, move.meld))
    return next(filter(sight.allows, moves), None)


def find_okey_use(sight: Sight) -> Add | None:
    """An okey on the meld where it is least likely to be retrieved."""
    if len(sight.rack) < 2 or not sight.wilds or not _may_add(sight):
        return None

    def chance(move: Add) -> tuple[int, bool]:
        return min(sight.live[face] for face in _stood_for(sight, move)), not _is_own(
            sight, move.meld
        )

    moves = sorted(_additions(sight, sight.wilds[0]), key=chance)
    return next(filter(sight.allows, moves), None)


def _additions(sight: Sight, placed: Placed) -> Iterator[Add]:
    """The tile at every end that takes it."""
    face = sight.face(placed)
    ends = dict.fromkeys(
        (number, room.end) for number, room in sight.rooms if face in (None, room.face)
    )
    return (Add(meld=number, end=end, tiles=(placed,)) for number, end in ends)


def _stood_for(sight: Sight, move: Add) -> list[Face]:
    place = move.meld, move.end
    return [room.face for number, room in sight.rooms if (number, room.end) == place]


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
    for meld, place, faces in (*_double_swaps(sight), *_swaps(sight, held)):
        if all(face in held for face in faces) and _may_work_on(sight, meld):
            supplied = tuple(held[face] for face in faces)
            yield Retrieve(meld=meld, place=place, supply=supplied)


def _swaps(sight: Sight, faces: Iterable[Face]) -> Iterator[tuple[int, int, tuple[Face, ...]]]:
    """Okeys that one of these faces frees: meld, place in it, and the face."""
    for face in faces:
        for meld, swap in sight.swaps:
            if swap.face == face:
                yield meld, swap.place, (face,)


def _double_swaps(sight: Sight) -> Iterator[tuple[int, int, tuple[Face, ...]]]:
    """Okeys that two faces free: meld, place in it, and the faces."""
    for number, meld in enumerate(sight.table.melds):
        for place, faces in double_swaps_of(sight.state.rules, meld, sight.okey):
            yield number, place, faces


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
    return payer is not None and not _is_own_side(sight, payer)


def _partner_pays(sight: Sight, move: Retrieve) -> bool:
    payer = _payer(sight, move)
    return payer is not None and _is_own_side(sight, payer)


def _is_own_side(sight: Sight, seat: Seat) -> bool:
    return is_own_side(sight.state.rules, sight.state.seats, sight.seat, seat)


def _is_own(sight: Sight, number: int) -> bool:
    return _is_own_side(sight, sight.table.melds[number].owner)


def _may_add(sight: Sight) -> bool:
    """Whether this seat may add to runs and sets at all."""
    if sight.opened is Opened.PAIRS:
        return sight.rules.pairs_opener_may_process
    return sight.opened is Opened.MELDS


def _may_work_on(sight: Sight, number: int) -> bool:
    return may_process(sight.state.rules, sight.opened, sight.table.melds[number].kind)
