"""Comparison of openings with brute force on random racks."""

import random

from p2pokey.rules.melds import MeldKind, MeldRules
from p2pokey.rules.openings import Goal, LaidOut, best_opening, opening_pairs, value_of
from p2pokey.rules.published import RuleSet
from p2pokey.tiles import Tile
from tests.rules.brute_openings import best_melds
from tests.rules.brute_openings import best_pairs as brute_pairs
from tests.rules.racks import NATURALS, OKEY, WILDS, naturals_of, random_tiles

GOALS: tuple[Goal, ...] = ("value", "tiles")


def compare_opening(rng: random.Random, count: int, rules: MeldRules) -> None:
    """One random rack: value and tiles agree with brute force, and the rules accept the melds."""
    tiles = random_tiles(rng, count, rng.randint(0, min(2, count)))
    rng.shuffle(tiles)
    must = rng.sample(tiles, min(count, rng.choice((0, 0, 0, 1, 2))))
    keep, goal = rng.choice((0, 1, 1, 1, 2, 3)), rng.choice(GOALS)
    case = (tiles, must, keep, goal, rules)
    expected = best_melds(
        naturals_of(tiles),
        wilds_in(tiles),
        must=bits_of(must, tiles),
        must_wilds=wilds_in(must),
        keep=keep,
        by_tiles=goal == "tiles",
        wrap=rules.wrap,
        longest=rules.max_new,
    )
    opening = best_opening(tiles, okey=OKEY, rules=rules, must=must, goal=goal, keep=keep)
    if opening is None:
        assert expected in (None, (0, 0)), case
        return
    score = (opening.value, len(opening.tiles))
    assert (score if goal == "value" else score[::-1]) == expected, case
    assert value_of(opening.melds, okey=OKEY, rules=rules) == opening.value, case
    check_use(opening.melds, tiles, must, keep)


def compare_whole_rack(rng: random.Random, rules: RuleSet) -> None:
    """One random whole rack with a drawn tile: value and tiles agree with brute force."""
    tiles = random_tiles(rng, rules.rack_size + 1, rng.randint(0, 2), dense=False)
    expected = best_melds(
        naturals_of(tiles),
        wilds_in(tiles),
        keep=1,
        wrap=rules.wrap,
        longest=rules.max_new,
    )
    opening = best_opening(tiles, okey=OKEY, rules=rules.melds)
    score = (0, 0) if opening is None else (opening.value, len(opening.tiles))
    assert score == expected, (tiles, rules.key)


def compare_pairs(rng: random.Random, count: int, rules: MeldRules) -> None:
    """One random rack: number and value of the pairs agree with brute force."""
    wilds = rng.randint(0, min(2, count))
    some = rng.sample(NATURALS[::2], rng.randint(4, 8))
    pool = [tile for tile in NATURALS if tile in some or tile - 1 in some]
    tiles = [*WILDS[:wilds], *rng.sample(pool, min(count - wilds, len(pool)))]
    rng.shuffle(tiles)
    must = rng.sample(tiles, min(len(tiles), rng.choice((0, 0, 0, 1, 2))))
    keep = rng.choice((0, 1, 1, 1, 2, 3))
    expected = brute_pairs(
        naturals_of(tiles),
        wilds,
        two_okeys=rules.two_okeys_pair,
        must=bits_of(must, tiles),
        must_wilds=wilds_in(must),
        keep=keep,
    )
    pairs = opening_pairs(tiles, okey=OKEY, rules=rules, must=must, keep=keep)
    if not pairs:
        assert expected in (None, (0, 0)), (tiles, must, keep, rules)
        return
    natural = [pair for pair in pairs if set(pair.tiles) != set(WILDS)]
    score = (len(pairs), value_of(natural, okey=OKEY, rules=rules))
    assert score == expected, (tiles, must, keep, rules)
    assert {pair.kind for pair in pairs} == {MeldKind.PAIR}
    check_use(pairs, tiles, must, keep)


def check_use(melds: tuple[LaidOut, ...], tiles: list[Tile], must: list[Tile], keep: int) -> None:
    """Tiles of the rack, each once, those that must be laid among them, enough left."""
    laid = [tile for meld in melds for tile in meld.tiles]
    assert len(set(laid)) == len(laid)
    assert set(must) <= set(laid) <= set(tiles)
    assert len(tiles) - len(laid) >= keep


def wilds_in(tiles: list[Tile]) -> int:
    return sum(tile in WILDS for tile in tiles)


def bits_of(some: list[Tile], tiles: list[Tile]) -> int:
    """Bits of some tiles' indices among the natural ones."""
    naturals = [tile for tile in tiles if tile not in WILDS]
    return sum(1 << naturals.index(tile) for tile in some if tile not in WILDS)
