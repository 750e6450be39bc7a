"""The best runs and sets that can be made of some tiles: exact, one pass over the numbers.

The pass goes from 1 to 13, and to 14, the place of a 1 that follows a 13. At each number it keeps,
for every combination of open runs (run_choices.py) and wild tiles that are left, the best way to get
there. From each it tries all ways to lay the tiles of the number: those that are not in runs go
into sets (set_choices.py) or stay unused.

All tiles of one number are worth the same. So a way is as good as the number of tiles it lays at
each number, and which tiles lie in which meld is settled only for the best one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from p2pokey.rules.melds import ACE_HIGH, MeldKind
from p2pokey.rules.run_choices import (
    NO_PLACE,
    PAIR_SHIFT,
    STATE_MASK,
    STATES,
    WILD_BITS,
    WILD_MASK,
    pair_table,
)
from p2pokey.rules.set_choices import ALL_OPTIONAL, SetChoice, code_of, counts_of, set_table
from p2pokey.tiles import Colour

NUMBERS = 13
FIRST_WILD_START = 9
"""Lowest number at which a run need begin with a wild tile (run_choices.py)."""

_LOW_MASK = (1 << WILD_BITS + 2 * PAIR_SHIFT) - 1
_HIGH_SHIFT = 2 * PAIR_SHIFT
"""A key is `wilds | red | blue | black | yellow`, states of colours shifted past each other. Its low part
looks up red and blue; the high one, shifted, black and yellow once the wild tiles are put in."""

Entry = tuple[int, int, int, SetChoice, "Entry | None"]
"""Score, key after the number, code of tiles not in runs, sets, and the entry before."""

Layer = list[dict[int, Entry]]
"""Per number of unused tiles (none, one, ... as many as are asked for), the best entry of a key."""

_NO_SETS = SetChoice(0, 0, ())
_NO_ACES = (0, 0, 0, 0)


Counts = Sequence[Sequence[int]]
"""Natural tiles, 0..2, as `counts[number][colour]` for numbers 0 (none) to 13."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Supply:
    """Tiles to lay, by number and colour."""

    counts: Counts
    must: Counts
    """How many of these must be laid."""

    wilds: int
    must_wilds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """What makes one way to lay tiles better than another."""

    per_value: int
    """Score of each point of value."""

    per_tile: int
    """Score of each tile laid."""

    per_wild: int | None = None
    """Score of each wild tile laid; None: as of the number it stands for."""

    keep: int = 0
    """Tiles that must stay unused."""

    def score(self, number: int) -> int:
        """Score of one tile that stands for this number."""
        return number * self.per_value + self.per_tile

    def wild_score(self, number: int) -> int:
        """Score of a wild tile that stands for this number."""
        return self.score(number) if self.per_wild is None else self.per_wild


class LaidFace(NamedTuple):
    """A place in a meld: what it stands for, and whether a wild tile does."""

    colour: Colour | None
    """None for a wild tile in a set."""

    number: int
    is_wild: bool


class LaidFaces(NamedTuple):
    """A meld by its faces, in laid order."""

    kind: MeldKind
    faces: tuple[LaidFace, ...]


@dataclass(frozen=True, slots=True)
class Swept:
    """The best way that was found."""

    score: int
    melds: tuple[LaidFaces, ...]


def sweep(supply: Supply, aim: Aim, *, wrap: bool, floor: int = 0) -> Swept | None:
    """The best melds of the supply, runs in as few pieces as possible.

    Args:
        wrap: whether a 1 may follow a 13; then runs of 14 tiles are among the answers.
        floor: least score that is of interest; a high one is quicker to search for.

    Returns:
        None where nothing reaches the floor, the tiles that must be laid cannot be, or too few would
        stay unused.
    """
    best: tuple[Entry, _Numbers] | None = None
    for high in _aces_above(supply) if wrap else (_NO_ACES,):
        numbers = _Numbers(supply, high)
        entry = _best_entry(numbers, supply, aim, floor)
        if entry is not None and (best is None or entry[0] > best[0][0]):
            best = entry, numbers
    return None if best is None else Swept(best[0][0], tuple(_melds(*best)))


def most_score(supply: Supply, aim: Aim) -> int:
    """Score of all tiles, wild ones at their best: more than that cannot be reached."""
    naturals = sum(aim.score(number) * sum(row) for number, row in enumerate(supply.counts))
    return naturals + supply.wilds * aim.wild_score(NUMBERS)


def _aces_above(supply: Supply) -> Iterator[tuple[int, ...]]:
    """How many 1s of each colour are laid behind a 13: all that could be."""
    choices = []
    for colour in Colour:
        twelves, thirteens = supply.counts[12][colour], supply.counts[13][colour]
        most = 0
        for aces in range(1, supply.counts[1][colour] + 1):
            if max(0, aces - twelves) + max(0, aces - thirteens) <= supply.wilds:
                most = aces
        choices.append(range(most + 1))
    return product(*choices)


class _Numbers:
    """The supply as codes, with some 1s moved to place 14."""

    def __init__(self, supply: Supply, high: Sequence[int]) -> None:
        """Moves so many 1s of each colour."""
        aces = [count - moved for count, moved in zip(supply.counts[1], high, strict=True)]
        must = [max(0, count - moved) for count, moved in zip(supply.must[1], high, strict=True)]
        top = [count or NO_PLACE for count in high]
        none = [NO_PLACE] * 4
        self.last = ACE_HIGH if any(high) else NUMBERS
        self.counts = [supply.counts[0], aces, *supply.counts[2:], list(high)]
        rows = [*self.counts[:ACE_HIGH], top, none, none]
        self.low = [row[0] + 4 * row[1] for row in rows]
        self.high = [row[2] + 4 * row[3] for row in rows]
        needs = [supply.must[0], must, *supply.must[2:]]
        self.optional = [
            code_of([have - need for have, need in zip(row, needed, strict=True)])
            if any(needed)
            else ALL_OPTIONAL
            for row, needed in zip(self.counts, needs, strict=False)
        ]
        self.optional.append(0)  # 1s are moved to be laid there
        self.wild_is_free = supply.must_wilds > 0


def _best_entry(numbers: _Numbers, supply: Supply, aim: Aim, floor: int) -> Entry | None:
    layer: Layer = [{} for _ in range(aim.keep + 1)]
    # All natural tiles count as laid until they are left.
    start = most_score(supply, aim) - supply.wilds * aim.wild_score(NUMBERS)
    layer[0][supply.wilds] = (start, supply.wilds, 0, _NO_SETS, None)
    floors = [floor - wilds * aim.wild_score(NUMBERS) for wilds in range(supply.wilds + 1)]
    for number in range(1, numbers.last + 1):
        layer = _next_layer(layer, numbers, number, aim, floors)
    best: Entry | None = None
    for unused, entries in enumerate(layer):
        for key, entry in entries.items():
            wilds = key & WILD_MASK
            if supply.wilds - wilds < supply.must_wilds or unused + wilds < aim.keep:
                continue
            if entry[0] >= floor and (best is None or entry[0] > best[0]):
                best = entry
    return best


def _next_layer(
    layer: Layer, numbers: _Numbers, number: int, aim: Aim, floors: Sequence[int]
) -> Layer:
    """All entries after the tiles of one number, except those below the floor for their wild tiles."""
    keep = aim.keep
    unit = aim.score(1 if number == ACE_HIGH else number)
    wild_unit = aim.wild_score(1 if number == ACE_HIGH else number)
    flags = number >= FIRST_WILD_START, numbers.wild_is_free and keep > 0
    low = pair_table(*numbers.low[number : number + 3], *flags)
    high = pair_table(*numbers.high[number : number + 3], *flags)
    sets = set_table(numbers.optional[number], keep > 0)
    found: Layer = [{} for _ in range(keep + 1)]
    for unused, entries in enumerate(layer):
        targets = [found[min(keep, unused + more)] for more in range(9)] if keep else found * 9
        for key, entry in entries.items():
            score, wilds = entry[0], key & WILD_MASK
            high_key = key >> _HIGH_SHIFT & ~WILD_MASK
            for state_a, left_a, wilds_a in low[key & _LOW_MASK]:
                rest = wilds - wilds_a
                for state_b, left_b, wilds_b in high[high_key | rest]:
                    left = left_a + 9 * left_b
                    remain = rest - wilds_b
                    after = (state_a | state_b << _HIGH_SHIFT) << WILD_BITS
                    for choice in sets[left]:
                        still = remain - choice[0]
                        if still < 0:
                            break
                        now = score - unit * choice[1] + wild_unit * (wilds - still)
                        if now < floors[still]:
                            continue
                        reached = after | still
                        target = targets[choice[1]]
                        old = target.get(reached)
                        if old is None or old[0] < now:
                            target[reached] = (now, reached, left, choice, entry)
    return found


def _melds(entry: Entry, numbers: _Numbers) -> Iterator[LaidFaces]:
    """The melds of a way, runs first."""
    steps: list[Entry] = []
    step: Entry | None = entry
    while step is not None:
        steps.append(step)
        step = step[4]
    steps.reverse()
    keys = 0
    for _, key, _, _, _ in steps:
        keys |= key
    for colour in Colour:
        if keys >> WILD_BITS + PAIR_SHIFT * colour & STATE_MASK:
            yield from _runs(steps, numbers, colour)
    for number, (_, _, _, choice, _) in enumerate(steps):
        for colours, wilds in choice.sets:
            face = number if number <= NUMBERS else 1
            laid = [LaidFace(colour, face, is_wild=False) for colour in colours]
            laid += [LaidFace(None, face, is_wild=True)] * wilds
            yield LaidFaces(MeldKind.SET, tuple(laid))


def _runs(steps: list[Entry], numbers: _Numbers, colour: Colour) -> Iterator[LaidFaces]:
    shift = WILD_BITS + PAIR_SHIFT * colour
    runs: list[list[LaidFace]] = []
    growing: list[list[LaidFace]] = []
    for number in range(1, len(steps)):
        _, key, left, _, _ = steps[number]
        state = key >> shift & STATE_MASK
        if state == 0:
            growing = []
            continue
        placed = sum(STATES[state])
        naturals = numbers.counts[number][colour] - counts_of(left)[colour]
        # Short runs come first, as they must go on; natural tiles first to the runs that start.
        growing = sorted(growing, key=len)[:placed]
        started: list[list[LaidFace]] = [[] for _ in range(placed - len(growing))]
        runs += started
        growing = started + growing
        for i, run in enumerate(growing):
            run.append(LaidFace(colour, number if number <= NUMBERS else 1, i >= naturals))
    for run in runs:
        yield LaidFaces(MeldKind.RUN, tuple(run))
