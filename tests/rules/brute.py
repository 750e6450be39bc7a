"""Slow and plain answers to compare the solvers of p2pokey.rules with.

Works on a list of faces one by one, with melds of any length, and shares nothing with the solvers.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations

from p2pokey.tiles import Face

IMPOSSIBLE = 99


def run_sizes(faces: Sequence[Face], wrap: bool) -> set[int]:
    """Lengths 3..13 of runs that contain exactly these faces among their tiles."""
    found: set[int] = set()
    if len({face.colour for face in faces}) != 1 or len(set(faces)) != len(faces):
        return found
    for size in range(3, 14):
        for first in range(1, (14 if wrap else 13) - size + 2):
            places = [(place - 1) % 13 + 1 for place in range(first, first + size)]
            if all(places.count(face.number) == 1 for face in faces):
                found.add(size)
    return found


def set_sizes(faces: Sequence[Face]) -> set[int]:
    """Sizes 3 and 4 of sets that contain exactly these faces among their tiles."""
    if len({face.number for face in faces}) != 1 or len(set(faces)) != len(faces):
        return set()
    return {size for size in (3, 4) if size >= len(faces)}


def _groups(faces: Sequence[Face], wrap: bool) -> dict[int, set[int]]:
    """Per set of indices that lie in one meld, the sizes that the meld can have."""
    groups: dict[int, set[int]] = {}
    for count in range(1, min(len(faces), 13) + 1):
        fresh: dict[int, set[int]] = {}
        for chosen in combinations(range(len(faces)), count):
            # Every part of a meld lies in one meld, too.
            if count > 1 and sum(1 << i for i in chosen[1:]) not in groups:
                continue
            held = [faces[i] for i in chosen]
            sizes = run_sizes(held, wrap) | set_sizes(held)
            if sizes:
                fresh[sum(1 << i for i in chosen)] = sizes
        groups |= fresh
        if not fresh:
            break
    return groups


def melds_distance(faces: Sequence[Face], wilds: int, *, wrap: bool, target: int) -> int:
    """Least number of tiles that must be replaced so that `target` tiles form melds."""
    groups = _groups(faces, wrap)

    @cache
    def missing(free: int, left: int) -> int:
        """Fewest tiles not from the rack in melds of `left` tiles in all."""
        if left == 0:
            return 0
        if not free:  # melds without any tile of the rack; only 1 and 2 are no sum of sizes
            return left if left >= 3 else IMPOSSIBLE
        lowest = free & -free
        options = [missing(free ^ lowest, left)]
        for used, sizes in groups.items():
            if used & lowest and not used & ~free:
                options += [
                    size - used.bit_count() + missing(free & ~used, left - size)
                    for size in sizes
                    if size <= left
                ]
        return min(options)

    return max(0, missing((1 << len(faces)) - 1, target) - wilds)


def pairings(indices: Sequence[int]) -> Iterator[list[tuple[int, int]]]:
    """All ways to group indices in twos."""
    if not indices:
        yield []
        return
    first, *rest = indices
    for i, other in enumerate(rest):
        for others in pairings([*rest[:i], *rest[i + 1 :]]):
            yield [(first, other), *others]


def can_pair(faces: Sequence[Face], wilds: int, *, two_okeys: bool) -> bool:
    """Whether all tiles go together in pairs; wild tiles are the indices above the faces."""
    total = len(faces) + wilds

    def fits(a: int, b: int) -> bool:
        if b < len(faces):
            return faces[a] == faces[b]
        return a < len(faces) or two_okeys

    return total % 2 == 0 and any(
        all(fits(a, b) for a, b in pairing) for pairing in pairings(range(total))
    )
