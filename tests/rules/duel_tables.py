"""Comparison of the duel's best table with brute force on random tables and racks."""

import random
from collections.abc import Sequence

from p2pokey.rules.duel_scoring import rack_total
from p2pokey.rules.duel_solver import BestTable, best_table
from p2pokey.rules.melds import Laid, read_meld
from p2pokey.rules.openings import best_opening
from p2pokey.rules.published import DUEL
from p2pokey.tiles import FALSE_OKEYS, TILE_COUNT, Colour, Face, Tile, face_of
from tests.rules.brute_openings import best_melds
from tests.rules.openings_racks import GOALS

JOKER_LEFT = 30


def rack_points(tiles: Sequence[Tile]) -> int:
    """What tiles left on a rack cost in the duel."""
    assert DUEL.duel is not None
    return rack_total(DUEL.duel, tiles)


def duel_tiles(rng: random.Random, count: int, jokers: int) -> list[Tile]:
    """Tiles with that many jokers, often from few numbers and colours."""
    numbers = rng.sample(range(1, 14), rng.randint(3, 13))
    colours = rng.sample(list(Colour), rng.randint(1, 4))
    near = [
        tile
        for tile in map(Tile, range(TILE_COUNT))
        if (face := face_of(tile)) and face.number in numbers and face.colour in colours
    ]
    tiles = [*FALSE_OKEYS[:jokers], *rng.sample(near, min(len(near), count - jokers))]
    rng.shuffle(tiles)
    return tiles


def compare_table(rng: random.Random, count: int) -> None:
    """Random tiles, some on the table: the new table agrees with brute force."""
    tiles = duel_tiles(rng, count, rng.randint(0, min(2, count)))
    table = _table_of(rng, tiles)
    rack = [tile for tile in tiles if tile not in table]
    goal = rng.choice(GOALS)
    naturals = [tile for tile in tiles if face_of(tile)]
    expected = best_melds(
        faces_of(naturals),
        len(tiles) - len(naturals),
        must=sum(1 << naturals.index(tile) for tile in table if face_of(tile)),
        must_wilds=sum(face_of(tile) is None for tile in table),
        by_tiles=goal == "tiles",
        wild_points=JOKER_LEFT,
    )
    best = best_table(table, rack, goal=goal)
    case = (table, rack, goal)
    if best is None:
        assert expected is None, case
        return
    check_table(best, table, rack)
    laid = [*table, *best.used]
    score = (rack_points(laid), len(laid))
    assert (score if goal == "value" else score[::-1]) == expected, case


def check_table(best: BestTable, table: list[Tile], rack: list[Tile]) -> None:
    """All tiles of the table and those used of the rack, each once, in melds that melds.py reads."""
    laid = [tile for meld in best.melds for tile in meld.tiles]
    assert sorted(laid) == sorted([*table, *best.used])
    assert set(best.used) <= set(rack)
    for meld in best.melds:
        assert meld.declared == ()
        read_meld(meld.kind, [Laid(tile) for tile in meld.tiles], okey=None, rules=DUEL.melds)


def compare_duel_opening(rng: random.Random, count: int) -> None:
    """Random tiles with jokers: value and tiles of the opening agree with brute force."""
    tiles = duel_tiles(rng, count, rng.randint(0, min(2, count)))
    naturals = [tile for tile in tiles if face_of(tile)]
    goal = rng.choice(GOALS)
    jokers = len(tiles) - len(naturals)
    expected = best_melds(faces_of(naturals), jokers, by_tiles=goal == "tiles")
    opening = best_opening(tiles, okey=None, rules=DUEL.melds, keep=0, goal=goal)
    score = (0, 0) if opening is None else (opening.value, len(opening.tiles))
    assert (score if goal == "value" else score[::-1]) == expected, (tiles, goal)


def _table_of(rng: random.Random, tiles: list[Tile]) -> list[Tile]:
    """Some of the tiles, most often such as can lie on a table together."""
    some = rng.sample(tiles, rng.randint(0, len(tiles)))
    if rng.random() < 0.1:
        return some
    lying = best_opening(some, okey=None, rules=DUEL.melds, keep=0)
    return [] if lying is None else list(lying.tiles)


def faces_of(tiles: list[Tile]) -> list[Face]:
    return [face for tile in tiles if (face := face_of(tile)) is not None]
