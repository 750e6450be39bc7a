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

ALL_OPTIONAL = 80
"""The code of two tiles of each colour."""

MOST_SETS = 3
"""Eight natural tiles and two wild ones."""


class SetChoice(NamedTuple):
    """A way to lay tiles of one number in sets."""

    wilds: int
    unused: int
    """Natural tiles that are not laid."""

    sets: tuple[SetOf, ...]


def code_of(counts: Sequence[int]) -> int:
    """The code of four counts."""
    return sum(count * 3**colour for colour, count in enumerate(counts))


def counts_of(code: int) -> tuple[int, int, int, int]:
    """The four counts of a code."""
    return code % 3, code // 3 % 3, code // 9 % 3, code // 27


# Counts also come packed, four bits a colour: so one sum or difference is that of all four, and the
# highest bit of each four tells whether it went wrong.
_HIGH_BITS = 0x8888
_MORE_THAN_TWO = 0x5555


def _packed(counts: Sequence[int]) -> int:
    return sum(count << 4 * colour for colour, count in enumerate(counts))


def _exceeds(some: int, limit: int) -> bool:
    """Whether a packed count is greater than that of the limit."""
    return (limit | _HIGH_BITS) - some & _HIGH_BITS != _HIGH_BITS


@cache
def _all_choices() -> tuple[tuple[int, int, tuple[SetOf, ...]], ...]:
    """Packed tiles used, wild tiles, and the sets; where several do, those with fewest sets."""
    kinds: list[tuple[int, int, SetOf]] = [
        (_packed([colour in colours for colour in Colour]), wilds, (colours, wilds))
        for wilds in range(MAX_WILDS + 1)
        for naturals in range(max(1, 3 - wilds), 5 - wilds)
        for colours in combinations(Colour, naturals)
    ]
    found: dict[tuple[int, int], tuple[SetOf, ...]] = {}
    for count in range(MOST_SETS + 1):
        for chosen in combinations_with_replacement(kinds, count):
            used, wilds = sum(kind[0] for kind in chosen), sum(kind[1] for kind in chosen)
            if wilds <= MAX_WILDS and not used + _MORE_THAN_TWO & _HIGH_BITS:
                found.setdefault((used, wilds), tuple(kind[2] for kind in chosen))
    return tuple((used, wilds, sets) for (used, wilds), sets in found.items())


@cache
def _uses(left: int) -> tuple[tuple[int, SetChoice], ...]:
    """Ways to lay some of the tiles of a code, with the packed tiles that are not laid."""
    counts = _packed(counts_of(left))
    found = []
    for used, wilds, sets in _all_choices():
        if not _exceeds(used, counts):
            unused = counts - used
            total = sum(unused >> 4 * colour & 3 for colour in Colour)
            found.append((unused, SetChoice(wilds, total, sets)))
    return tuple(found)


class SetTable(dict[int, tuple[SetChoice, ...]]):
    """The ways worth looking at per code of tiles to lay, filled as they are asked for.

    Fewest wild tiles come first.
    """

    def __init__(self, optional: int, is_complete: bool) -> None:
        """What is asked for.

        Args:
            optional: code of how many tiles of each colour may stay unused.
            is_complete: whether all numbers of tiles are wanted; otherwise, per number of wild
                tiles, the way that lays most.
        """
        super().__init__()
        self._spare = _packed(counts_of(optional))
        self._is_complete = is_complete

    def __missing__(self, left: int) -> tuple[SetChoice, ...]:
        best: dict[tuple[int, int], SetChoice] = {}
        for unused, choice in _uses(left):
            if _exceeds(unused, self._spare):
                continue
            key = (choice.wilds, choice.unused if self._is_complete else 0)
            if key not in best or best[key].unused > choice.unused:
                best[key] = choice
        choices = tuple(sorted(best.values(), key=lambda choice: choice[:2]))
        self[left] = choices
        return choices


set_table = lru_cache(maxsize=1 << 8)(SetTable)
"""The tables, remembered."""
