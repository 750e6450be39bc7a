"""What a meld on the table takes in: tiles at its ends, and naturals for its okeys (P-1 to P-8).

Only what one tile alone can do, except where a three-tile set gives its okey for both missing
colours. Whether a seat may do it is for open_checks.py.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import NamedTuple

from p2pokey.rules.melds import ACE_HIGH, MeldKind, identity, is_wild
from p2pokey.rules.moves import End
from p2pokey.rules.open_state import TableMeld
from p2pokey.rules.published import RuleSet
from p2pokey.tiles import Colour, Face, Tile

_LONGEST_RUN = 13


class Room(NamedTuple):
    """A place beside a meld and the face that fits there."""

    end: End
    face: Face


class Swap(NamedTuple):
    """An okey in a meld and the natural that frees it."""

    place: int
    """Index of the okey in the meld."""

    face: Face


def room_of(rules: RuleSet, meld: TableMeld) -> tuple[Room, ...]:
    """Where one more tile fits; a wild tile fits wherever there is room."""
    match meld.kind:
        case MeldKind.RUN:
            return _room_of_run(meld, wrap=rules.wrap)
        case MeldKind.SET if len(meld.tiles) == 3:
            number = meld.tiles[0].stands.number
            taken = {tile.stands.colour for tile in meld.tiles}
            return tuple(
                Room(End.HIGH, Face(colour, number)) for colour in Colour if colour not in taken
            )
        case _:
            return ()


def _room_of_run(meld: TableMeld, *, wrap: bool) -> tuple[Room, ...]:
    first, last = meld.tiles[0].stands, meld.tiles[-1].stands
    assert first.colour is not None
    if len(meld.tiles) == _LONGEST_RUN:
        return ()
    room = []
    if first.number > 1:
        room.append(Room(End.LOW, Face(first.colour, first.number - 1)))
    after = last.number + 1
    if last.number > first.number and (after < ACE_HIGH or wrap):  # else the last is a high ace
        room.append(Room(End.HIGH, Face(first.colour, 1 if after == ACE_HIGH else after)))
    return tuple(room)


def swaps_of(rules: RuleSet, meld: TableMeld, okey: Face) -> tuple[Swap, ...]:
    """The okeys of a meld that one natural tile frees.

    Run, pair and four-tile set: exactly the tile stood for. Three-tile set: the declared one, an
    undeclared okey taking the lowest free colour (B-20); none where both colours are needed.
    """
    okeys = [place for place, tile in enumerate(meld.tiles) if is_wild(tile.tile, okey)]
    if not okeys or needs_both_colours(rules, meld):
        return ()
    fixed = {tile.stands.colour for tile in meld.tiles}
    free = [colour for colour in Colour if colour not in fixed]
    swaps = []
    for place in okeys:
        stands = meld.tiles[place].stands
        colour = free.pop(0) if stands.colour is None else stands.colour
        swaps.append(Swap(place, Face(colour, stands.number)))
    return tuple(swaps)


def needs_both_colours(rules: RuleSet, meld: TableMeld) -> bool:
    """Whether an okey of this meld is freed only by two tiles, of both missing colours (C)."""
    is_set3 = meld.kind is MeldKind.SET and len(meld.tiles) == 3
    return is_set3 and rules.open_table.set3_retrieve_both


def double_swaps_of(
    rules: RuleSet, meld: TableMeld, okey: Face
) -> Iterator[tuple[int, tuple[Face, Face]]]:
    """The okeys of a meld that two naturals free, by place: the faces of both missing colours (C)."""
    if not needs_both_colours(rules, meld):
        return
    for place, tile in enumerate(meld.tiles):
        if is_wild(tile.tile, okey):
            others = {other.stands.colour for other in meld.tiles if other is not tile}
            number = tile.stands.number
            missing = [Face(colour, number) for colour in Colour if colour not in others]
            yield from ((place, two) for two in combinations(missing, 2))


def accepts(rules: RuleSet, meld: TableMeld, tile: Tile, okey: Face) -> tuple[End, ...]:
    """The ends of a meld where that tile alone may be added."""
    face = identity(tile, okey)
    room = room_of(rules, meld)
    ends = dict.fromkeys(place.end for place in room if face in (None, place.face))
    return tuple(ends)


def is_playable(rules: RuleSet, melds: Iterable[TableMeld], tile: Tile, okey: Face) -> bool:
    """Whether one copy of the tile alone could go on a meld of the table (P-1, P-2).

    Whose melds they are, who has opened and C's limit of two tiles an end play no role.
    """
    face = identity(tile, okey)
    swaps = rules.open_table.playable_includes_swap and face is not None
    return any(
        accepts(rules, meld, tile, okey)
        or (swaps and any(swap.face == face for swap in swaps_of(rules, meld, okey)))
        for meld in melds
    )
