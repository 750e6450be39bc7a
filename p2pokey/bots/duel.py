"""A computer player for the duel.

It opens with the dearest melds of its rack as soon as they reach the floor. Once it has opened it
lays what goes on the table as it is, and rearranges the whole table where that lays more; it draws
where nothing can be laid.
"""

from collections.abc import Iterable, Sequence

from p2pokey.bots.source import Source
from p2pokey.errors import LocalProtocolError
from p2pokey.rules.dealing import mover
from p2pokey.rules.duel_checks import rules_of, table_of
from p2pokey.rules.duel_solver import best_table
from p2pokey.rules.duel_state import in_order, reading_of, written_form, written_meld
from p2pokey.rules.moves import MAX_LAID_MELDS, DrawStack, LaidMeld, Move, Pass, Placed, Play
from p2pokey.rules.openings import best_opening
from p2pokey.rules.state import HandState
from p2pokey.rules.view import View
from p2pokey.tiles import Tile

_FEW_LEFT = 4
"""So few tiles left make it worth asking whether another table takes them, too."""


def choose(view: View, source: Source) -> Move:
    """A legal move of the viewer, who must be the seat to move and know his tiles.

    Args:
        source: not needed, because no two choices are equal here.

    Raises:
        LocalProtocolError: the viewer has no move.
    """
    state = view.state
    rack = [Placed(slot, tile) for slot, tile in view.rack()]
    if mover(state) is None or view.seat != state.turn or len(rack) != len(state.racks[state.turn]):
        raise LocalProtocolError(f"seat {view.seat} has no move")
    opened = table_of(state).opened[state.turn]
    play = _best_play(state, rack) if opened else _opening(state, rack)
    if play is not None:
        return play
    return DrawStack() if state.stack else Pass()


def _opening(state: HandState, rack: Sequence[Placed]) -> Play | None:
    """The dearest melds of the rack, if they are worth enough."""
    melds, value = _new_melds(state, rack)
    if value < rules_of(state).opening_floor:
        return None
    return Play(in_order((*table_of(state).melds, *melds)))


def _new_melds(state: HandState, rack: Sequence[Placed]) -> tuple[list[LaidMeld], int]:
    """The dearest melds of the rack and their value."""
    tiles = [placed.tile for placed in rack]
    found = best_opening(tiles, okey=None, rules=state.rules.melds, keep=0, declare=False)
    if found is None:
        return [], 0
    return [written_meld(_placed(rack, meld.tiles)) for meld in found.melds], found.value


def _best_play(state: HandState, rack: Sequence[Placed]) -> Play | None:
    """As many tiles of the rack as can lie on the table, rearranged only if that lays more."""
    melds, left = _laid_on(state, rack)
    if left and (len(left) <= _FEW_LEFT or len(left) == len(rack)):
        rearranged = _rearranged(state, rack, len(rack) - len(left))
        if rearranged is not None:
            return rearranged
    return Play(melds) if len(left) < len(rack) else None


def _laid_on(state: HandState, rack: Sequence[Placed]) -> tuple[tuple[LaidMeld, ...], list[Placed]]:
    """The table with new melds and single tiles on it, and what is left of the rack."""
    new, _ = _new_melds(state, rack)
    melds = [*table_of(state).melds, *new]
    gone = {placed for meld in new for placed in meld.tiles}
    left = [placed for placed in rack if placed not in gone]
    added = True
    while added:
        added = any(_add(melds, left, placed) for placed in tuple(left))
    return in_order(melds), left


def _add(melds: list[LaidMeld], left: list[Placed], placed: Placed) -> bool:
    """Puts a tile on the first meld that takes it."""
    for index, meld in enumerate(melds):
        tiles = (*meld.tiles, placed)
        if reading_of([one.tile for one in tiles]) is not None:
            melds[index] = written_meld(tiles)
            left.remove(placed)
            return True
    return False


def _rearranged(state: HandState, rack: Sequence[Placed], more_than: int) -> Play | None:
    """The table of all tiles that takes most of the rack, if it takes more than so many."""
    lying = table_of(state).tiles
    tiles = [placed.tile for placed in rack]
    found = best_table([placed.tile for placed in lying], tiles)
    if found is None or len(found.used) <= more_than or len(found.melds) > MAX_LAID_MELDS:
        return None
    everything = (*lying, *rack)
    return Play(written_form(_placed(everything, meld.tiles) for meld in found.melds))


def _placed(rack: Iterable[Placed], tiles: Iterable[Tile]) -> list[Placed]:
    of_tile = {placed.tile: placed for placed in rack}
    return [of_tile[tile] for tile in tiles]
