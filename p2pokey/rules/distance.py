"""How many tiles a rack is away from a finish, exactly.

A finish has 14 tiles in melds, so its melds have sizes 3+3+4+4, 3+3+3+5 or 4+5+5 (longer runs split
into such). The tiles of the rack that can stay are the most that fit into such melds at once: pieces
of two or more tiles that lie in one run or set, and one loose tile for each meld that has no piece.
Wild tiles always stay. So the distance is 14 less the wild tiles less the tiles that stay.

A missing tile counts as one whether or not a copy of it is still to be had; what can still be drawn
is for the player to weigh.

The search takes disjoint pieces, large ones first, and cuts a branch as soon as pieces of the size
at hand can no longer beat the best.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations
from typing import NamedTuple

from p2pokey.rules.templates import NUMBERS, RUN_SIZES, Rack

FINISH_TILES = 14
FINISH_PAIRS = 7
_COLOUR_MASK = (1 << NUMBERS) - 1

# Classes of pieces: what room a piece needs.
SET3, SET4, RUN3, RUN4, RUN5 = range(5)
_ROOM = {SET3: (3, 4), SET4: (4,), RUN3: (3, 4, 5), RUN4: (4, 5), RUN5: (5,)}


class Piece(NamedTuple):
    """Two or more tiles of a rack that lie in one meld."""

    mask: int
    size: int
    kind: int
    """Class of room that it needs."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How pieces may be combined: states are multisets of classes that fit into a finish."""

    slots: tuple[int, ...]
    """Per state, how many melds are left for further pieces or loose tiles."""

    step: tuple[tuple[int, ...], ...]
    """Per state and class, the next state, -1 where it does not fit."""


def _patterns(target: int) -> list[tuple[int, ...]]:
    """Ascending meld sizes 3..5 with that sum."""
    found: list[tuple[int, ...]] = [()] if target == 0 else []
    for size in RUN_SIZES:
        if size <= target:
            found.extend((*rest, size) for rest in _patterns(target - size))
    return sorted({tuple(sorted(pattern)) for pattern in found})


def _fits(classes: tuple[int, ...], pattern: tuple[int, ...]) -> bool:
    """Whether each class finds its own place in the pattern."""
    if not classes:
        return True
    first, *rest = classes
    return any(
        size in _ROOM[first] and _fits(tuple(rest), (*pattern[:i], *pattern[i + 1 :]))
        for i, size in enumerate(pattern)
    )


@cache
def plan_for(target: int) -> Plan:
    """The combinations that fit into a finish of `target` tiles; state 0 is the empty one."""
    patterns = _patterns(target)
    states: dict[tuple[int, ...], int] = {(): 0}
    slots: list[int] = []
    step: list[tuple[int, ...]] = []
    queue: list[tuple[int, ...]] = [()] if patterns else []
    for classes in queue:
        fitting = [pattern for pattern in patterns if _fits(classes, pattern)]
        slots.append(max(len(pattern) for pattern in fitting) - len(classes))
        following = []
        for kind in _ROOM:
            after = tuple(sorted((*classes, kind)))
            if not any(_fits(after, pattern) for pattern in patterns):
                following.append(-1)
                continue
            if after not in states:
                states[after] = len(states)
                queue.append(after)
            following.append(states[after])
        step.append(tuple(following))
    return Plan(tuple(slots), tuple(step))


@lru_cache(maxsize=8192)
def _run_pieces(mask: int, wrap: bool) -> tuple[Piece, ...]:
    """Pieces of runs in one colour; mask: 13 bits."""
    places = [place for place in range(NUMBERS) if mask >> place & 1]
    if wrap and mask & 1:
        places.append(NUMBERS)
    pieces = []
    for i, low in enumerate(places):
        near = [place for place in places[i + 1 :] if place - low < RUN_SIZES[-1]]
        for count in range(1, len(near) + 1):
            for others in combinations(near, count):
                bits = sum(1 << place % NUMBERS for place in (low, *others))
                room = max(RUN_SIZES[0], others[-1] - low + 1)
                pieces.append(Piece(bits, count + 1, RUN3 + room - RUN_SIZES[0]))
    return tuple(pieces)


@lru_cache(maxsize=8192)
def _shifted_runs(mask: int, colour: int, wrap: bool) -> tuple[Piece, ...]:
    shift = NUMBERS * colour
    return tuple(
        Piece(piece.mask << shift, piece.size, piece.kind) for piece in _run_pieces(mask, wrap)
    )


@cache
def _set_pieces(mask: int) -> tuple[Piece, ...]:
    """Pieces of sets of one number; mask: the bits of that number in all colours."""
    bits = [1 << bit for bit in range(mask.bit_length()) if mask >> bit & 1]
    return tuple(
        Piece(sum(chosen), count, SET4 if count == 4 else SET3)
        for count in range(2, len(bits) + 1)
        for chosen in combinations(bits, count)
    )


_NUMBER_MASK = sum(1 << NUMBERS * colour for colour in range(4))


def pieces_of(once: int, wrap: bool) -> list[Piece]:
    """All pieces of two or more different tiles, largest first."""
    colours = [once >> NUMBERS * colour & _COLOUR_MASK for colour in range(4)]
    pieces: list[Piece] = []
    seen = several = 0
    for colour, mask in enumerate(colours):
        if mask & mask - 1:
            pieces += _shifted_runs(mask, colour, wrap)
        several |= seen & mask
        seen |= mask
    while several:
        low = several & -several
        pieces += _set_pieces(once & _NUMBER_MASK * low)
        several ^= low
    pieces.sort(key=_by_size, reverse=True)
    return pieces


def _by_size(piece: Piece) -> int:
    return piece.size


def most_kept(rack: Rack, *, wrap: bool, target: int = FINISH_TILES) -> int:
    """Most natural tiles of the rack that can stay in a finish of `target` tiles in melds."""
    pieces = pieces_of(rack.once, wrap)
    plan = plan_for(target)
    slots_left, step = plan.slots, plan.step
    naturals = rack.naturals
    best = 0

    def search(first: int, once: int, twice: int, kept: int, state: int) -> None:
        nonlocal best
        slots = slots_left[state]
        best = max(best, min(kept + slots, naturals))
        if not slots:
            return
        for index in range(first, len(pieces)):
            mask, size, kind = pieces[index]
            if kept + size * slots <= best:
                return
            if mask & ~once:
                continue
            after = step[state][kind]
            if after >= 0:
                search(index, once & ~mask | twice & mask, twice & ~mask, kept + size, after)

    search(0, rack.once, rack.twice, 0, 0)
    return best


def melds_distance(rack: Rack, *, wrap: bool, target: int = FINISH_TILES) -> int:
    """Tiles to exchange until `target` tiles of the rack form melds; 0: they do.

    Args:
        target: tiles of the finish; 0, or 3 and more, since no meld is smaller.
    """
    kept = most_kept(rack, wrap=wrap, target=target)
    return max(0, target - rack.wilds - kept)


def pairs_distance(rack: Rack) -> int:
    """Tiles to exchange until 14 tiles of the rack form seven pairs; two okeys are a pair."""
    pairs = rack.twice.bit_count()
    singles = rack.once.bit_count() - pairs
    kept = 2 * pairs + min(max(0, FINISH_PAIRS - pairs), singles)
    return max(0, FINISH_TILES - rack.wilds - kept)


def distance(rack: Rack, *, wrap: bool) -> int:
    """Tiles to exchange until the rack finishes with melds or with seven pairs."""
    return min(melds_distance(rack, wrap=wrap), pairs_distance(rack))
