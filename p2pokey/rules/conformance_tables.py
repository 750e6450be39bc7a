"""Melds with which worked examples furnish a table or a rack that they do not spell out."""

from collections.abc import Collection, Iterator, Sequence
from itertools import product

from p2pokey.errors import DecodeError
from p2pokey.rules.melds import ACE_HIGH, Laid, MeldKind
from p2pokey.rules.moves import End
from p2pokey.tiles import FALSE_OKEYS, Colour, Face, Tile, make_tile

Furnished = tuple[MeldKind, list[Laid], End]
"""A meld, and the end at which it takes a tile."""

_COPIES = (1, 0)
"""Copy b first: examples that name no copy mean the first."""


def meld_that_takes(face: Face, *, okey: Face, wrap: bool, used: Collection[Tile]) -> Furnished:
    """A meld of natural tiles to which a tile of that face can be added.

    Args:
        used: tiles that are needed elsewhere.

    Raises:
        DecodeError: there is none.
    """
    for kind, faces, end in _melds_beside(face, wrap=wrap):
        tiles = free_tiles(faces, okey=okey, used=used)
        if tiles is not None:
            return kind, [Laid(tile) for tile in tiles], end
    raise DecodeError(f"found no meld that takes {face}")


def _melds_beside(face: Face, *, wrap: bool) -> Iterator[tuple[MeldKind, list[Face], End]]:
    colour, number = face
    if number > 3:
        yield MeldKind.RUN, run_of(colour, number - 3, number - 1), End.HIGH
    if number == 1 and wrap:
        yield MeldKind.RUN, run_of(colour, ACE_HIGH - 3, ACE_HIGH - 1), End.HIGH
    if number < 11:
        yield MeldKind.RUN, run_of(colour, number + 1, number + 3), End.LOW
    yield MeldKind.SET, [Face(other, number) for other in Colour if other != colour], End.HIGH


def bridged_run(face: Face, *, okey: Face, used: Collection[Tile]) -> tuple[list[Laid], Tile]:
    """A run that takes a tile of that face only behind another one, and that other tile."""
    run = free_tiles(run_of(face.colour, face.number - 4, face.number - 1), okey=okey, used=used)
    if face.number < 5 or run is None:
        raise DecodeError(f"found no run that ends two below {face}")
    return [Laid(tile) for tile in run[:3]], run[3]


def run_of(colour: Colour, first: int, last: int) -> list[Face]:
    """Faces from `first` to `last`."""
    return [Face(colour, number) for number in range(first, last + 1)]


def free_tiles(
    faces: Sequence[Face], *, okey: Face | None, used: Collection[Tile]
) -> list[Tile] | None:
    """One natural tile of each face, none of them used; None where there is none."""
    tiles: list[Tile] = []
    for face in faces:
        copies = [make_tile(face, copy) for copy in _COPIES]
        free = [tile for tile in copies if tile not in used and tile not in tiles]
        if face == okey or not free:
            return None
        tiles.append(free[0])
    return tiles


def set_with(face: Face, *, okey: Face, used: Collection[Tile]) -> list[Tile]:
    """Two natural tiles that make a set of three with a tile of that face."""
    others = [Face(colour, face.number) for colour in Colour if colour != face.colour]
    for left_out in others:
        rest = [other for other in others if other != left_out]
        tiles = free_tiles(rest, okey=okey, used=used)
        if tiles is not None:
            return tiles
    raise DecodeError(f"found no set with {face}")


def pair_with(tile: Tile, face: Face, *, okey: Face, used: Collection[Tile]) -> Tile:
    """A natural tile that makes a pair with the tile, which counts as that face."""
    if face == okey:
        twins = [other for other in FALSE_OKEYS if other != tile and other not in used]
    else:
        twins = free_tiles([face], okey=okey, used=used) or []
    if not twins:
        raise DecodeError(f"found no pair with {face}")
    return twins[0]


def further_runs(floor: int, *, okey: Face, used: Collection[Tile]) -> list[list[Laid]]:
    """Runs of natural tiles that are worth an opening."""
    runs: list[list[Laid]] = []
    taken, value = list(used), 0
    for colour, _ in product(Colour, _COPIES):
        faces = run_of(colour, 10, 13)
        tiles = free_tiles(faces, okey=okey, used=taken)
        if tiles is None or value >= floor:
            continue
        runs.append([Laid(tile) for tile in tiles])
        taken += tiles
        value += sum(face.number for face in faces)
    if value < floor:
        raise DecodeError(f"found no runs worth {floor}")
    return runs


def further_pairs(count: int, *, okey: Face, used: Collection[Tile]) -> list[list[Laid]]:
    """That many pairs of natural tiles."""
    pairs = [
        [Laid(make_tile(face, copy)) for copy in _COPIES]
        for number, colour in product(range(1, 14), Colour)
        if (face := Face(colour, number)) != okey
        and not any(make_tile(face, copy) in used for copy in _COPIES)
    ]
    return pairs[:count]
