"""How tiles of one number can be laid in sets: a table under sweep.py.

Tiles are counted per colour, 0..2 each; a code is `sum(count * 3**colour)`, 0..80.
"""

from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

from p2pokey.rules.run_choices import MAX_WILDS
from p2pokey.tiles import Colour

SetOf = tuple[tuple[Colour, ...], int]
"""Colours of the natural tiles of a set, and how many wild tiles join them."""

MOST_SETS = 3
"""Eight natural tiles and two wild ones."""


class SetChoice(NamedTuple):
    """A way to lay tiles of one number in sets."""

    wilds: int
    placed: int
    """Tiles laid, wild ones included."""

    unused: int
    """Natural tiles that are not laid."""

    sets: tuple[SetOf, ...]


def code_of(counts: Sequence[int]) -> int:
    """The code of four counts."""
    return sum(count * 3**colour for colour, count in enumerate(counts))


def counts_of(code: int) -> tuple[int, int, int, int]:
    """The four counts of a code."""
    return code % 3, code // 3 % 3, code // 9 % 3, code // 27


@cache
def _all_choices() -> tuple[tuple[tuple[int, ...], int, tuple[SetOf, ...]], ...]:
    """Per tiles used and wild tiles, the sets; where several do, those with fewest sets."""
    kinds: list[SetOf] = [
        (colours, wilds)
        for wilds in range(MAX_WILDS + 1)
        for naturals in range(max(1, 3 - wilds), 5 - wilds)
        for colours in combinations(Colour, naturals)
    ]
    found: dict[tuple[tuple[int, ...], int], tuple[SetOf, ...]] = {}
    for count in range(MOST_SETS + 1):
        for sets in combinations_with_replacement(kinds, count):
            wilds = sum(joining for _, joining in sets)
            used = tuple(sum(colour in colours for colours, _ in sets) for colour in Colour)
            if wilds <= MAX_WILDS and max(used) <= 2:
                found.setdefault((used, wilds), sets)
    return tuple((used, wilds, sets) for (used, wilds), sets in found.items())


@lru_cache(maxsize=1 << 15)
def set_choices(left: int, optional: int, is_complete: bool) -> tuple[SetChoice, ...]:
    """The ways worth looking at, fewest wild tiles first.

    Args:
        left: code of the natural tiles to lay.
        optional: code of how many of each colour may stay unused.
        is_complete: whether all numbers of tiles are wanted; otherwise, per number of wild tiles,
            the way that lays most.
    """
    counts, spare = counts_of(left), counts_of(optional)
    best: dict[tuple[int, int], SetChoice] = {}
    for used, wilds, sets in _all_choices():
        unused = [count - laid for count, laid in zip(counts, used, strict=True)]
        if min(unused) < 0 or any(a > b for a, b in zip(unused, spare, strict=True)):
            continue
        choice = SetChoice(wilds, sum(used) + wilds, sum(unused), sets)
        key = (wilds, choice.placed if is_complete else 0)
        if key not in best or best[key].placed < choice.placed:
            best[key] = choice
    return tuple(sorted(best.values(), key=lambda choice: (choice.wilds, -choice.placed)))
