"""Random racks and the comparison of solvers with brute force; red 5 is the okey throughout."""

import random

from p2pokey.rules.analysis import analyse
from p2pokey.rules.arrange import Layout, split_melds
from p2pokey.rules.distance import distance, melds_distance
from p2pokey.rules.melds import Laid, MeldRules, identity, read_meld
from p2pokey.rules.templates import rack_of
from p2pokey.tiles import TILE_COUNT, Colour, Face, Tile, parse_tile
from tests.rules import brute

OKEY = Face(Colour.RED, 5)
WILDS = [parse_tile("r5a"), parse_tile("r5b")]
NATURALS = [tile for tile in map(Tile, range(TILE_COUNT)) if tile not in WILDS]


def random_tiles(rng: random.Random, count: int, wilds: int, *, dense: bool = True) -> list[Tile]:
    """Tiles with that many okeys; dense racks come from few numbers and colours."""
    pool = NATURALS
    if dense:
        numbers = rng.sample(range(1, 14), rng.randint(4, 13))
        colours = rng.sample(list(Colour), rng.randint(1, 4))
        near = [
            tile
            for tile in NATURALS
            if (face := identity(tile, OKEY)) and face.number in numbers and face.colour in colours
        ]
        pool = near if len(near) >= count - wilds else NATURALS
    return [*WILDS[:wilds], *rng.sample(pool, count - wilds)]


def naturals_of(tiles: list[Tile]) -> list[Face]:
    return [face for tile in tiles if (face := identity(tile, OKEY)) is not None]


def check_layout(layout: Layout, tiles: list[Tile], *, wrap: bool = True) -> None:
    """The layout uses the tiles, each once, in melds that melds.py accepts."""
    assert sorted(tile for meld in layout for tile in meld.tiles) == sorted(tiles)
    rules = MeldRules(wrap=wrap, two_okeys_pair=True)
    for meld in layout:
        laid = [Laid(tile) for tile in meld.tiles]
        assert read_meld(meld.kind, laid, okey=OKEY, rules=rules).kind is meld.kind


def compare_with_brute(rng: random.Random, count: int) -> None:
    """One random rack: distance and layout agree with brute force."""
    wilds, wrap = rng.randint(0, min(2, count)), rng.random() < 0.7
    tiles = random_tiles(rng, count, wilds)
    target = count - (count > 3 and rng.random() < 0.3)
    expected = brute.melds_distance(naturals_of(tiles), wilds, wrap=wrap, target=target)
    got = melds_distance(rack_of(tiles, OKEY), wrap=wrap, target=target)
    assert got == expected, (tiles, wrap, target)
    layout = split_melds(tiles, okey=OKEY, wrap=wrap)
    if target == count:
        assert (layout is not None) == (expected == 0), (tiles, wrap)
    if layout is not None:
        check_layout(layout, tiles, wrap=wrap)


def compare_analysis(tiles: list[Tile]) -> None:
    """A rack of 15: the analysis agrees with trying every discard and every draw."""
    rack = rack_of(tiles, OKEY)
    analysis = analyse(rack, wrap=True)
    faces = [bit for bit in range(52) if rack.once >> bit & 1]
    after = {bit: distance(rack.without(1 << bit), wrap=True) for bit in faces}
    assert analysis.distance == min(after.values()), tiles
    if analysis.distance == 0:
        assert analysis.useful == {}, tiles
        return
    best = {bit for bit, value in after.items() if value == analysis.distance}
    assert set(analysis.useful) == best, tiles
    for bit, useful in analysis.useful.items():
        left = rack.without(1 << bit)
        for new in range(52):
            drawable = not left.twice >> new & 1
            helps = drawable and distance(left.plus(new), wrap=True) < analysis.distance
            assert bool(useful >> new & 1) == helps, (tiles, bit, new)
