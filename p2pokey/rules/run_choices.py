"""What may become of the runs of one colour at one number: a table under sweep.py.

While a sweep passes the numbers upwards, the runs of a colour that hold a tile of the last number
are open. Of an open run only its length counts: 1, 2, or 3 and more. A state is how many open runs
there are of each; `STATES` lists the 35 with at most four, which two tiles of a face and two wild
tiles can make.

Not all ways to lay tiles need be looked at, because others are as good:
- Runs of one and two tiles must go on. Then tiles go to longer runs, and start a run only when none
  is left: what could follow in the new run can as well follow in the old one.
- A wild tile stands for a face in a run only when all natural tiles of that face are in runs: else
  the two change places, and if the wild tile must be laid, it goes to an end of the run. Only where
  tiles must be left, too, there may be no place for one more; then wild tiles are free.
- A wild tile starts a run only at 9 and above. A run splits into runs of 3 to 5 tiles, and the wild
  tile at the low end of one that ends below 13 moves to its high end.
"""

from functools import cache, lru_cache
from typing import NamedTuple

MAX_OPEN = 4
MAX_WILDS = 2
NO_PLACE = 3
"""Stands for a count where no run can have a place: above 13, or above the 1 that follows it."""

PAIR_SHIFT = 6
STATE_MASK = (1 << PAIR_SHIFT) - 1
"""Two states of 35 in one number: `first | second << PAIR_SHIFT`."""

WILD_BITS = 2
WILD_MASK = (1 << WILD_BITS) - 1
"""Wild tiles that are left, 0..2, in one number with states."""

STATES = tuple(
    (ones, twos, longs)
    for total in range(MAX_OPEN + 1)
    for ones in range(total + 1)
    for twos in range(total - ones + 1)
    for longs in (total - ones - twos,)
)
"""Open runs of length 1, 2, and 3 or more; state 0 has none."""

_INDEX = {state: index for index, state in enumerate(STATES)}


class RunChoice(NamedTuple):
    """Tiles of one face, or of the same number in two colours, that are laid in runs."""

    state: int
    """State afterwards; of a pair of colours, both (PAIR_SHIFT)."""

    left: int
    """Natural tiles that are not in runs; of a pair, `first + 3 * second`."""

    wilds: int
    """Wild tiles laid in runs."""


def follow(state: int, placed: int) -> int:
    """The state after so many tiles were laid in runs; they must be enough for the short ones."""
    ones, twos, longs = STATES[state]
    going_on = min(longs, placed - ones - twos)
    return _INDEX[placed - ones - twos - going_on, ones, twos + going_on]


@cache
def run_choices(
    state: int,
    wilds: int,
    here: int,
    above: int,
    further: int,
    wild_may_start: bool,
    wild_is_free: bool,
) -> tuple[RunChoice, ...]:
    """All ways worth looking at to lay the tiles of a face in runs, and those that are doomed left out.

    Args:
        wilds: wild tiles that are left, 0..2.
        here: natural tiles of the face, 0..2, or NO_PLACE.
        above: natural tiles one number higher, or NO_PLACE.
        further: natural tiles two numbers higher, or NO_PLACE.
        wild_may_start: whether a run may begin with a wild tile here.
        wild_is_free: whether a wild tile may lie in a run although a natural one could.
    """
    ones, twos, longs = STATES[state]
    here = 0 if here == NO_PLACE else here
    found = []
    for naturals in range(here + 1):
        for wild in range(wilds + 1 if naturals == here or wild_is_free else 1):
            placed = naturals + wild
            if placed < ones + twos:
                continue
            started = max(0, placed - ones - twos - longs)
            if started > naturals and not wild_may_start:
                continue
            if _is_doomed(started, ones, above, further, wilds - wild):
                continue
            found.append(RunChoice(follow(state, placed), here - naturals, wild))
    return tuple(found)


def _is_doomed(ones: int, twos: int, above: int, further: int, wilds: int) -> bool:
    """Whether the short runs lack tiles to grow to three."""
    if above == NO_PLACE:
        return ones + twos > 0
    if further == NO_PLACE:
        return ones > 0 or twos > above + wilds
    wilds -= max(0, ones + twos - above)
    return wilds < 0 or ones > further + wilds


class PairTable(dict[int, tuple[RunChoice, ...]]):
    """The choices for two colours at one number, filled as they are asked for.

    Keys are `wilds | pair << WILD_BITS`, where pair holds the states of both.
    """

    def __init__(
        self, here: int, above: int, further: int, wild_may_start: bool, wild_is_free: bool
    ) -> None:
        """As for run_choices, but counts are `first + 4 * second`."""
        super().__init__()
        flags = wild_may_start, wild_is_free
        self._first = here % 4, above % 4, further % 4, *flags
        self._second = here // 4, above // 4, further // 4, *flags

    def __missing__(self, key: int) -> tuple[RunChoice, ...]:
        wilds, pair = key & WILD_MASK, key >> WILD_BITS
        choices = tuple(
            RunChoice(
                a.state | b.state << PAIR_SHIFT,
                a.left + 3 * b.left,
                a.wilds + b.wilds,
            )
            for a in run_choices(pair & STATE_MASK, wilds, *self._first)
            for b in run_choices(pair >> PAIR_SHIFT, wilds, *self._second)
            if a.wilds + b.wilds <= wilds
        )
        self[key] = choices
        return choices


pair_table = lru_cache(maxsize=1 << 12)(PairTable)
"""The tables, remembered: a few hundred serve most racks."""
