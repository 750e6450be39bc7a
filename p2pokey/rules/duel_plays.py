"""Plays of the duel that can be listed: one tile more, or one meld of three tiles more."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from p2pokey.rules.duel_checks import rules_of, table_of
from p2pokey.rules.duel_state import (
    LAST_NUMBER,
    LEAST_TILES,
    DuelTable,
    in_order,
    read_together,
    reading_of,
    written_meld,
)
from p2pokey.rules.moves import LaidMeld, Placed, Play
from p2pokey.rules.view import View
from p2pokey.tiles import Colour, Face, Slot, face_of


def simple_plays(view: View) -> tuple[Play, ...]:
    """Plays of the seat to move with the tiles of its rack that the view knows.

    Once opened: every tile on every meld that takes it, and every new meld of three tiles. Before:
    every meld of three tiles that reaches the floor.
    """
    state = view.state
    table = table_of(state)
    rack = [Placed(slot, tile) for slot, tile in view.rack()]
    fresh = _new_melds(rack)
    if table.opened[state.turn]:
        added = [Play(in_order((*table.melds, meld))) for meld in fresh]
        return (*_grown(table, rack), *added)
    floor = rules_of(state).opening_floor
    return tuple(
        Play(in_order((*table.melds, meld))) for meld in fresh if meld_value(meld) >= floor
    )


def meld_value(meld: LaidMeld) -> int:
    """What a valid meld is worth."""
    return read_together(placed.tile for placed in meld.tiles).value


def _new_melds(rack: Sequence[Placed]) -> Iterator[LaidMeld]:
    """Every three tiles that are a meld."""
    tried = {three for near in _near_tiles(rack) for three in combinations(near, LEAST_TILES)}
    for three in sorted(tried, key=_slots):
        meld = _meld(three)
        if meld is not None:
            yield meld


def _near_tiles(rack: Sequence[Placed]) -> Iterator[list[Placed]]:
    """Tiles of one number, and tiles of one colour and three numbers in a row, with the jokers.

    Three tiles that are a meld lie together in one of these, so not all threes need be tried.
    """
    faces = [(placed, face_of(placed.tile)) for placed in rack]
    for number in range(1, LAST_NUMBER + 1):
        yield [placed for placed, face in faces if face is None or face.number == number]
    for colour in Colour:
        for first in range(1, LAST_NUMBER - 1):
            places = [Face(colour, number) for number in range(first, first + LEAST_TILES)]
            yield [placed for placed, face in faces if face is None or face in places]


def _slots(three: tuple[Placed, ...]) -> tuple[Slot, ...]:
    return tuple(placed.slot for placed in three)


def _grown(table: DuelTable, rack: Sequence[Placed]) -> Iterator[Play]:
    """The table with one tile more on one of its melds."""
    for index, lying in enumerate(table.melds):
        others = (*table.melds[:index], *table.melds[index + 1 :])
        for placed in rack:
            meld = _meld((*lying.tiles, placed))
            if meld is not None:
                yield Play(in_order((*others, meld)))


def _meld(tiles: tuple[Placed, ...]) -> LaidMeld | None:
    if reading_of([placed.tile for placed in tiles]) is None:
        return None
    return written_meld(tiles)
