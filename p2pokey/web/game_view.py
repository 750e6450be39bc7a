"""One hand as one seat sees it, as JSON for the page (docs/page-protocol.md, GAME).

Made from a rules View, so that no face is in it that the seat may not know.
"""

from p2pokey.rules.duel_checks import rules_of
from p2pokey.rules.duel_state import DuelTable
from p2pokey.rules.melds import is_wild
from p2pokey.rules.open_floors import floors
from p2pokey.rules.open_state import OpenTable, TableMeld
from p2pokey.rules.state import HandState
from p2pokey.rules.view import View
from p2pokey.tiles import Face, Seat, Slot, Tile, format_tile
from p2pokey.web.choices import choices, no_choices
from p2pokey.web.melding import joined
from p2pokey.web.names import Json, tile_name


def game_json(
    view: View,
    *,
    new: Tile | None = None,
    last: Json | None = None,
    hints: Json | None = None,
    acts: bool = True,
) -> Json:
    """GAME of docs/page-protocol.md.

    Args:
        new: the tile that came to the own rack last, to be marked.
        last: the last move, as following.py tells it.
        hints: as hints.py finds them, where the table has agreed on help.
        acts: whether somebody is to choose a move here; not so in a replay.
    """
    state = view.state
    can, why = choices(view) if acts else (no_choices(), {})
    return {
        "rules": state.rules.key,
        "phase": state.phase.name.lower(),
        "turn": state.turn,
        "mine": view.seat == state.turn and state.phase.name in ("DRAW", "PLAY"),
        "starter": state.starter,
        "indicator": _name_at(view, state.indicator),
        "okey": None if state.okey is None else str(state.okey),
        "stack": len(state.stack),
        "counts": [len(rack) for rack in state.racks],
        "rack": rack_names(view),
        "new": tile_name(new),
        "discards": [[_name_at(view, slot) for slot in pile] for pile in state.discards],
        "taken": _name_at(view, state.taken),
        **table_json(state, view.seat),
        "can": can,
        "why": why,
        "hints": hints,
        "last": last,
    }


def rack_names(view: View) -> list[str | None]:
    """The own rack in rack order; None where a tile cannot be read yet."""
    if view.seat is None:
        return []
    known = dict(view.private)
    rack = view.state.racks[view.seat]
    return [
        tile_name(view.state.faces[slot] if slot not in known else known[slot]) for slot in rack
    ]


def _name_at(view: View, slot: Slot | None) -> str | None:
    return None if slot is None else tile_name(view.face(slot))


def table_json(state: HandState, seat: Seat | None) -> Json:
    """What lies on the table and belongs to it; empty lists in a game without one."""
    match state.table:
        case OpenTable():
            return _open_table(state, state.table, seat)
        case DuelTable():
            return _duel_table(state, state.table)
        case _:
            return _NO_TABLE | {
                "opened": ["none"] * state.seats,
                "values": [0] * state.seats,
                "charged": [0] * state.seats,
                "going_pairs": [False] * state.seats,
            }


_NO_TABLE: Json = {"melds": [], "charges": [], "floors": None, "duel": None}


def _open_table(state: HandState, table: OpenTable, seat: Seat | None) -> Json:
    okey, least = state.okey, None
    if seat is not None:
        melds, pairs = floors(state.rules, seat, table.openings())
        least = {"melds": melds, "pairs": pairs}
    return {
        "melds": [_meld(number, meld, okey) for number, meld in enumerate(table.melds)],
        "opened": [opened.word for opened in table.opened],
        "values": list(table.opening_values),
        "charges": [
            {"seat": charge.seat, "points": charge.points, "rule": charge.rule}
            for charge in table.charges
        ],
        "charged": [table.charged(other) for other in range(state.seats)],
        "floors": least,
        "going_pairs": list(table.going_pairs),
        "duel": None,
    }


def _meld(number: int, meld: TableMeld, okey: Face | None) -> Json:
    return {
        "n": number,
        "owner": meld.owner,
        "kind": meld.kind.word,
        "value": meld.value,
        "tiles": [
            {
                "tile": format_tile(tile.tile),
                "as": str(tile.stands),
                "okey": is_wild(tile.tile, okey),
            }
            for tile in meld.tiles
        ],
    }


def _duel_table(state: HandState, table: DuelTable) -> Json:
    melds = [
        duel_meld(number, tuple(placed.tile for placed in meld.tiles))
        for number, meld in enumerate(table.melds)
    ]
    return _NO_TABLE | {
        "melds": melds,
        "opened": ["melds" if opened else "none" for opened in table.opened],
        "values": [0] * state.seats,
        "charged": [0] * state.seats,
        "going_pairs": [False] * state.seats,
        "duel": {
            "opened": list(table.opened),
            "floor": rules_of(state).opening_floor,
            "passes": table.passes,
        },
    }


def duel_meld(number: int, tiles: tuple[Tile, ...]) -> Json:
    """A set of the duel, tiles in reading order; it belongs to nobody."""
    read = joined(tiles)
    assert read is not None, "only sets lie on the table"
    kind, laid, value = read
    return {
        "n": number,
        "owner": None,
        "kind": kind.word,
        "value": value,
        "tiles": [
            {"tile": format_tile(tile), "as": stands, "okey": is_wild(tile, None)}
            for tile, stands in laid
        ],
    }
