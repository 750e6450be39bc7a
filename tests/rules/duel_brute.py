"""Slow and plain answers about the duel, sharing nothing with p2pokey.rules.

Tiles are (colour, number) or None for a joker; a meld is compared with the list of all runs and all
sets, and a table is found by trying every way to put tiles together.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations

BruteTile = tuple[int, int] | None
RUNS = [
    [(colour, number) for number in range(first, first + size)]
    for colour in range(4)
    for size in range(3, 14)
    for first in range(1, 15 - size)
]
SETS = [
    [(colour, number) for colour in colours]
    for number in range(1, 14)
    for size in (3, 4)
    for colours in combinations(range(4), size)
]


def brute_tile(tile: int) -> BruteTile:
    """The tile with this number (docs/protocol.md S1)."""
    return None if tile >= 104 else (tile // 26, tile % 26 // 2 + 1)


def best_value(tiles: Sequence[BruteTile]) -> int:
    """The dearest run or set that the tiles can be, 0 if they are none."""
    return _best(tuple(sorted(tile for tile in tiles if tile is not None)), len(tiles))


@cache
def _best(naturals: tuple[tuple[int, int], ...], count: int) -> int:
    values = [
        sum(number for _, number in meld)
        for meld in (*RUNS, *SETS)
        if naturals and len(meld) == count and Counter(naturals) <= Counter(meld)
    ]
    return max(values, default=0)


def groupings(items: Sequence[int]) -> Iterator[list[tuple[int, ...]]]:
    """Every way to put all items into groups of three or more; items are distinct numbers."""
    if not items:
        yield []
        return
    first, *rest = items
    for size in range(2, len(rest) + 1):
        for others in combinations(rest, size):
            left = [item for item in rest if item not in others]
            for groups in groupings(left):
                yield [(first, *others), *groups]


def candidate_tables(lying: Sequence[int], rack: Sequence[int]) -> Iterator[list[tuple[int, ...]]]:
    """Every grouping of the lying tiles and any tiles of the rack, valid or not."""
    for size in range(len(rack) + 1):
        for chosen in combinations(rack, size):
            yield from groupings([*lying, *chosen])


def is_play(
    before: Sequence[Sequence[int]],
    rack: Sequence[int],
    after: Sequence[Sequence[int]],
    *,
    opened: bool,
) -> bool:
    """Whether that table may follow (tiles by number, no tile twice)."""
    lying = sorted(tile for meld in before for tile in meld)
    now = sorted(tile for meld in after for tile in meld)
    added = [tile for tile in now if tile not in lying]
    values = {frozenset(meld): best_value(list(map(brute_tile, meld))) for meld in after}
    if not added or not set(added) <= set(rack) or not set(lying) <= set(now):
        return False
    if not all(values.values()):
        return False
    old = {frozenset(meld) for meld in before}
    new = set(values) - old
    return opened or (old <= set(values) and sum(values[meld] for meld in new) >= 30)


Table = tuple[tuple[int, ...], ...]


def count_lines(
    table: Table,
    racks: tuple[tuple[int, ...], tuple[int, ...]],
    stack: tuple[int, ...],
    opened: tuple[bool, bool],
    depth: int,
    passes: int = 0,
) -> int:
    """Number of different ways to make `depth` moves; seat 0 of `racks` is to move.

    A move is a draw, a pass or a table as a set of sets; a line ends early with the round.
    """
    if depth == 0:
        return 1
    mine, others = racks
    if stack:
        count = count_lines(table, (others, (*mine, stack[0])), stack[1:], opened[::-1], depth - 1)
    elif passes:
        count = 1 if depth == 1 else 0
    else:
        count = count_lines(table, (others, mine), stack, opened[::-1], depth - 1, 1)
    lying = [tile for meld in table for tile in meld]
    for after in candidate_tables(lying, mine):
        if not is_play(table, mine, after, opened=opened[0]):
            continue
        laid = {tile for meld in after for tile in meld}
        left = tuple(tile for tile in mine if tile not in laid)
        if not left:
            count += depth == 1
            continue
        flags = (opened[1], True)
        count += count_lines(tuple(after), (others, left), stack, flags, depth - 1)
    return count
