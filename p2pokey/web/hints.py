"""Help at tables that have agreed on it, and alone against automatic players.

Nothing is known here but the player's own view; a hint says what it saw, so that people can learn
from it.
"""

from collections.abc import Iterator

from p2pokey.bots.choosing import choose
from p2pokey.bots.source import Source
from p2pokey.errors import LocalProtocolError
from p2pokey.rules.distance import distance
from p2pokey.rules.melds import identity
from p2pokey.rules.moves import (
    Add,
    ClaimFinish,
    Discard,
    DrawLeft,
    Finish,
    LaidMeld,
    Lay,
    Move,
    Open,
    Placed,
    Play,
    Retrieve,
    Show,
)
from p2pokey.rules.open_charges import discard_charge
from p2pokey.rules.open_floors import floors
from p2pokey.rules.open_melds import extended, okey_of, opening_value, read_new
from p2pokey.rules.open_state import Opened, OpenTable, TableMeld
from p2pokey.rules.playable import accepts, swaps_of
from p2pokey.rules.state import HandState, Phase
from p2pokey.rules.templates import rack_of
from p2pokey.rules.view import View
from p2pokey.tiles import Tile, format_tile
from p2pokey.web.following import kind_of
from p2pokey.web.names import Json, tile_names
from p2pokey.web.sorting import best_melds, best_pairs


def hints_json(view: View) -> Json | None:
    """Tiles whose discard would be charged, where each fits, and the best opening so far.

    None in games without an open table, and for a public view.
    """
    table = view.state.table
    if view.seat is None or not isinstance(table, OpenTable) or view.state.okey is None:
        return None
    return {
        "playable": list(_playable(view, table)),
        "opening": _opening(view) if table.opened[view.seat] is Opened.NONE else None,
    }


def _playable(view: View, table: OpenTable) -> Iterator[Json]:
    """Per tile of the rack that fits somewhere: what its discard costs, and every place."""
    state, okey = view.state, okey_of(view.state)
    for slot, tile in view.rack():
        places = list(_places(state, table, Placed(slot, tile)))
        charge = discard_charge(state.rules, table.melds, tile, okey)
        if places or charge:
            yield {"tile": format_tile(tile), "charge": charge, "places": places}


def _places(state: HandState, table: OpenTable, placed: Placed) -> Iterator[Json]:
    """Where a tile fits: the end of a meld and what it would count, or the okey that it frees."""
    okey = okey_of(state)
    face = identity(placed.tile, okey)
    for number, meld in enumerate(table.melds):
        for end in accepts(state.rules, meld, placed.tile, okey):
            value = extended(state, meld, end, [placed]).value - meld.value
            yield {"meld": number, "end": end.name.lower(), "value": value, "place": None}
        for swap in swaps_of(state.rules, meld, okey):
            if face == swap.face:
                yield {"meld": number, "end": None, "value": swap.face.number, "place": swap.place}


def _opening(view: View) -> Json:
    """What the rack could open with now: melds with their value, pairs with their number."""
    state, tiles = view.state, tuple(tile for _, tile in view.rack())
    assert isinstance(state.table, OpenTable)
    assert view.seat is not None
    rules, okey = state.rules, okey_of(state)
    melds = best_melds(tiles, okey, rules.melds, is_finish=False)
    pairs = best_pairs(tiles, okey, rules.melds)
    least = floors(rules, view.seat, state.table.openings())
    slot_of = {tile: slot for slot, tile in view.rack()}
    laid = [
        LaidMeld(kind=meld.kind, tiles=tuple(Placed(slot_of[tile], tile) for tile in meld.tiles))
        for meld in melds
    ]
    total = sum(meld.value for meld in read_new(state, laid))
    return {
        "melds": [tile_names(meld.tiles) for meld in melds],
        "total": total,
        "pairs": [tile_names(pair.tiles) for pair in pairs],
        "enough": total >= least.melds,
        "enough_pairs": len(pairs) >= least.pairs,
    }


def advice(view: View, source: Source) -> Json | None:
    """What an automatic player would do in the viewer's place, as an intent, and why.

    None where it is not the viewer's turn or his tiles are not all known yet.
    """
    if view.seat is None or len(view.rack()) < len(view.state.racks[view.seat]):
        return None
    try:
        move = choose(view, source)
    except LocalProtocolError:
        return None
    return {"intent": intent_of(move), "why": _reason(view, move)}


def intent_of(move: Move) -> Json:
    """The intent that makes a move."""
    told: Json = {"do": kind_of(move)}
    match move:
        case Show(placed) | Discard(placed) | Finish(discard=placed):
            told["tile"] = format_tile(placed.tile)
        case Open(melds) | Lay(melds):
            told["melds"] = _heaps(melds)
        case Play(melds):
            told["table"] = _heaps(melds)
        case Add():
            told |= _addition(move)
        case Retrieve(meld=meld, place=place, supply=supply):
            told |= {"meld": meld, "place": place, "supply": _names(supply)}
        case ClaimFinish(melds=melds, additions=additions, discard=discard):
            told["melds"] = _heaps(melds)
            told["additions"] = [_addition(addition) for addition in additions]
            told["discard"] = format_tile(discard.tile)
        case _:
            pass
    return told


def _names(placed: tuple[Placed, ...]) -> list[str]:
    return [format_tile(one.tile) for one in placed]


def _heaps(melds: tuple[LaidMeld, ...]) -> list[list[str]]:
    return [_names(meld.tiles) for meld in melds]


def _addition(move: Add) -> Json:
    return {"meld": move.meld, "end": move.end.name.lower(), "tiles": _names(move.tiles)}


def _reason(view: View, move: Move) -> Json:
    """Key of the explaining sentence and its figures."""
    state = view.state
    told: Json = {"code": kind_of(move)}
    match move:
        case Open(melds):
            read = read_new(state, melds)
            told["value"] = opening_value(read)
            told["floor"] = _floor(state, read)
        case Lay(melds):
            told["value"] = opening_value(read_new(state, melds))
        case Play(melds):
            lying = set() if state.table is None else set(state.table.slots())
            told["tiles"] = sum(p.slot not in lying for m in melds for p in m.tiles)
        case Add(meld=meld, end=end, tiles=tiles):
            told["meld"] = meld
            table = state.table
            assert isinstance(table, OpenTable)
            after = extended(state, table.melds[meld], end, tiles)
            told["value"] = after.value - table.melds[meld].value
        case Discard(placed):
            told["charge"] = _charge(state, placed.tile)
            if state.table is None:
                told["missing"] = _missing(view, placed)
        case DrawLeft():
            top = state.faces[state.discards[state.left_of(state.turn)][-1]]
            told["tile"] = None if top is None else format_tile(top)
        case _:
            pass
    return told


def _missing(view: View, discarded: Placed) -> int:
    """Tiles that the rack then lacks for a finish, in a game without a table."""
    kept = [tile for slot, tile in view.rack() if slot != discarded.slot]
    return distance(rack_of(kept, view.state.okey), wrap=view.state.rules.wrap)


def _floor(state: HandState, melds: tuple[TableMeld, ...]) -> int:
    assert isinstance(state.table, OpenTable)
    least = floors(state.rules, state.turn, state.table.openings())
    return least.pairs if melds[0].kind.word == "pair" else least.melds


def _charge(state: HandState, tile: Tile) -> int:
    """What the discard costs where it does not finish the hand."""
    table = state.table
    if not isinstance(table, OpenTable) or state.phase is not Phase.PLAY:
        return 0
    if len(state.racks[state.turn]) == 1:
        return 0
    return discard_charge(state.rules, table.melds, tile, okey_of(state))
