"""Times of the exact solvers of p2pokey.rules on fixed positions, against targets."""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

from p2pokey.rules.analysis import analyse
from p2pokey.rules.distance import distance
from p2pokey.rules.duel_solver import best_table
from p2pokey.rules.melds import identity
from p2pokey.rules.open_state import TableMeld
from p2pokey.rules.openings import best_opening
from p2pokey.rules.playable import double_swaps_of, room_of, swaps_of
from p2pokey.rules.published import B_CLASSIC, D_FEEDING, DUEL
from p2pokey.rules.templates import Rack, rack_of, templates
from p2pokey.tiles import TILE_COUNT, Colour, Face, Tile, make_tile
from tests.rules.playable_tables import random_table
from tests.rules.racks import OKEY, WILDS, random_tiles

POSITIONS = 400
QUICK_POSITIONS = 5
MOST_MELDS = 24
"""Of a table that is asked what it takes."""

Position = TypeVar("Position")
TablePosition = tuple[list[TableMeld], list[Tile]]
DuelPosition = tuple[list[Tile], list[Tile]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SolverTime:
    """Processor milliseconds of one solver over many positions."""

    name: str
    count: int
    """Positions."""

    median_ms: float
    p99_ms: float
    target_median_ms: float | None
    target_p99_ms: float | None
    """None where nothing was asked for."""


def solvers(positions: int = POSITIONS) -> Iterator[SolverTime]:
    """Measures every solver."""
    yield from _finishes(positions)
    for wilds, targets in ((0, (0.3, 2.0)), (1, None), (2, (1.7, 15.0))):
        rng = random.Random(wilds)
        racks = [random_tiles(rng, 22, wilds, dense=False) for _ in range(positions)]
        yield _measure(f"opening, 22, {wilds} okeys", racks, _open_101, targets)
    rng = random.Random(3)
    racks = [_rack_of_melds(rng, 22, 2) for _ in range(positions)]
    yield _measure("opening, 22 in melds, 2", racks, _open_101, None)
    tables = list(_tables(positions))
    yield _measure("table, all it takes", tables, _take, (0.1, 1.0))
    for tiles in (40, 60, 85):
        duels = list(_duels(positions, tiles - 20, tiles))
        yield _measure(f"duel, up to {tiles} tiles", duels, _duel, (10.0, 600.0))


def _measure(
    name: str,
    positions: Sequence[Position],
    solve: Callable[[Position], object],
    targets: tuple[float, float] | None,
) -> SolverTime:
    """Each position once; what solvers remember from others is part of the game."""
    times = []
    for position in positions:
        begun = time.process_time_ns()
        solve(position)
        times.append((time.process_time_ns() - begun) / 1e6)
    times.sort()
    target_median, target_p99 = targets or (None, None)
    return SolverTime(
        name=name,
        count=len(times),
        median_ms=median(times),
        p99_ms=times[len(times) * 99 // 100],
        target_median_ms=target_median,
        target_p99_ms=target_p99,
    )


def _finishes(positions: int) -> Iterator[SolverTime]:
    for wilds in (0, 1, 2):
        rng = random.Random(wilds)
        racks = [rack_of(random_tiles(rng, 15, wilds, dense=False), OKEY) for _ in range(positions)]
        yield _measure(f"distance, 15, {wilds} okeys", racks, _distance, (0.3, 3.0))
        yield _measure(f"discards and draws, {wilds}", racks, _analyse, (0.9, 10.0))


def _distance(rack: Rack) -> object:
    return distance(rack, wrap=True)


def _analyse(rack: Rack) -> object:
    return analyse(rack, wrap=True)


def _open_101(tiles: list[Tile]) -> object:
    return best_opening(tiles, okey=OKEY, rules=B_CLASSIC.melds)


def _rack_of_melds(rng: random.Random, count: int, wilds: int) -> list[Tile]:
    """Tiles that all go into melds, some of them exchanged for okeys: the longest to search."""
    while True:
        faces: list[Face] = []
        while len(faces) < count:
            template = rng.choice(templates(False))
            faces += [Face(Colour(bit // 13), bit % 13 + 1) for bit in template.bits]
        if len(faces) == count and all(faces.count(face) <= 2 and face != OKEY for face in faces):
            break
    tiles: list[Tile] = []
    for face in rng.sample(faces, count - wilds):
        tiles.append(make_tile(face, int(make_tile(face, 0) in tiles)))
    return [*tiles, *WILDS[:wilds]]


def _tables(positions: int) -> Iterator[TablePosition]:
    rng = random.Random(4)
    for _ in range(positions):
        table = random_table(rng, rng.randint(1, MOST_MELDS), D_FEEDING.melds)
        yield table, random_tiles(rng, rng.randint(2, 15), rng.randint(0, 2))


def _take(position: TablePosition) -> object:
    """All additions and retrievals with the tiles of a rack, and which of them are playable."""
    table, tiles = position
    faces = {identity(tile, OKEY) for tile in tiles}
    additions, retrievals, playable = [], [], set()
    for number, meld in enumerate(table):
        for room in room_of(D_FEEDING, meld):
            playable.add(room.face)
            if room.face in faces or None in faces:
                additions.append((number, room))
        for swap in swaps_of(D_FEEDING, meld, OKEY):
            playable.add(swap.face)
            if swap.face in faces:
                retrievals.append((number, swap))
        for place, two in double_swaps_of(D_FEEDING, meld, OKEY):
            if faces.issuperset(two):
                retrievals.append((number, place, two))
    return additions, retrievals, playable & faces


def _duels(positions: int, least: int, most: int) -> Iterator[DuelPosition]:
    """What players see who lay what they can three times in five; least to most tiles in all."""
    rng = random.Random(most)
    found = 0
    while found < positions:
        for table, rack in _duel_hand(rng):
            if least < len(table) + len(rack) <= most and found < positions:
                found += 1
                yield table, rack


def _duel_hand(rng: random.Random) -> Iterator[DuelPosition]:
    stack = rng.sample(list(map(Tile, range(TILE_COUNT))), TILE_COUNT)
    racks = [[stack.pop() for _ in range(DUEL.rack_size)] for _ in range(2)]
    table: list[Tile] = []
    while stack and all(racks):
        rack = racks[0]
        if table:
            yield list(table), list(rack)
        if table and rng.random() < 0.6:
            best = best_table(table, rack)
            laid = () if best is None else best.used
        else:
            opening = best_opening(rack, okey=None, rules=DUEL.melds, keep=0)
            laid = opening.tiles if opening is not None and opening.value >= 30 else ()
        if laid:
            table += laid
            racks[0] = [tile for tile in rack if tile not in laid]
        else:
            rack.append(stack.pop())
        racks.reverse()


def _duel(position: DuelPosition) -> object:
    table, rack = position
    return best_table(table, rack)
