"""Slow and plain answers to compare the solvers of openings and of the duel with.

Tries every way to divide tiles, known by their faces alone, into melds and a rest. Shares nothing
with the solvers, nor with the validators of the game.
"""

from collections.abc import Sequence
from functools import cache
from itertools import combinations

from p2pokey.tiles import Face
from tests.rules.brute import pairings

Score = tuple[int, int]
"""What counts first, and what decides between equals."""


def best_value(faces: Sequence[Face], wilds: int, *, wrap: bool, longest: int) -> int | None:
    """Highest value of one meld of exactly these natural tiles and so many wild ones."""
    size = len(faces) + wilds
    if size < 3 or not faces or len(set(faces)) != len(faces):
        return None
    values = []
    if len({face.number for face in faces}) == 1 and size <= 4:
        values.append(size * faces[0].number)
    if len({face.colour for face in faces}) == 1 and size <= longest:
        for first in range(1, (14 if wrap else 13) - size + 2):
            numbers = [(place - 1) % 13 + 1 for place in range(first, first + size)]
            if {face.number for face in faces} <= set(numbers):
                values.append(sum(numbers))
    return max(values, default=None)


def melds_of(
    faces: Sequence[Face], wilds: int, *, wrap: bool, longest: int
) -> dict[tuple[int, int], int]:
    """Per set of indices and number of wild tiles, the value of the meld that they make."""
    groups: dict[object, list[int]] = {}
    for i, face in enumerate(faces):
        groups.setdefault(face.number, []).append(i)
        groups.setdefault(face.colour.letter, []).append(i)
    found = {}
    for group in groups.values():
        for count in range(1, min(len(group), longest) + 1):
            for chosen in combinations(group, count):
                held = [faces[i] for i in chosen]
                for joined in range(wilds + 1):
                    value = best_value(held, joined, wrap=wrap, longest=longest)
                    if value is not None:
                        found[sum(1 << i for i in chosen), joined] = value
    return found


def best_melds(
    faces: Sequence[Face],
    wilds: int,
    *,
    must: int = 0,
    must_wilds: int = 0,
    keep: int = 0,
    by_tiles: bool = False,
    wrap: bool = False,
    longest: int = 13,
    wild_points: int | None = None,
) -> Score | None:
    """Best (value, tiles) or (tiles, value) of melds; None if the conditions cannot be met.

    Args:
        must: bits of the faces' indices that must be laid.
        keep: tiles that must stay.
        wild_points: value of a wild tile, wherever it lies; None: of what it stands for.
    """
    melds = melds_of(faces, wilds, wrap=wrap, longest=longest)
    if wild_points is not None:
        for used, joined in melds:
            naturals = sum(face.number for i, face in enumerate(faces) if used >> i & 1)
            melds[used, joined] = naturals + joined * wild_points
    with_lowest: dict[int, list[tuple[int, int, int]]] = {}
    for (used, joined), value in melds.items():
        with_lowest.setdefault(used & -used, []).append((used, joined, value))

    @cache
    def best(free: int, left: int, kept: int) -> Score | None:
        if not free:
            fine = kept + left >= keep and wilds - left >= must_wilds
            return (0, 0) if fine else None
        lowest = free & -free
        options: list[Score | None] = []
        if not lowest & must:
            options.append(best(free ^ lowest, left, min(keep, kept + 1)))
        for used, joined, value in with_lowest.get(lowest, ()):
            if not used & ~free and joined <= left:
                rest = best(free ^ used, left - joined, kept)
                if rest is not None:
                    count = used.bit_count() + joined
                    mine = (count, value) if by_tiles else (value, count)
                    options.append((rest[0] + mine[0], rest[1] + mine[1]))
        return max((option for option in options if option is not None), default=None)

    return best((1 << len(faces)) - 1, wilds, 0)


def best_pairs(
    faces: Sequence[Face], wilds: int, *, two_okeys: bool, must: int, must_wilds: int, keep: int
) -> Score | None:
    """Most pairs and their highest value; indices of wild tiles are above those of the faces.

    A pair of wild tiles counts nothing here.
    """
    total = len(faces) + wilds
    best: Score | None = None
    wanted = must | sum(1 << len(faces) + i for i in range(must_wilds))
    for count in range((total - keep) // 2, -1, -1):
        for chosen in combinations(range(total), 2 * count):
            if wanted & ~sum(1 << i for i in chosen):
                continue
            for pairing in pairings(chosen):
                values = [_pair_value(faces, a, b, two_okeys) for a, b in pairing]
                if None not in values:
                    score = (count, sum(value or 0 for value in values))
                    best = score if best is None else max(best, score)
        if best is not None:
            break
    return best


def _pair_value(faces: Sequence[Face], a: int, b: int, two_okeys: bool) -> int | None:
    if a >= len(faces):
        return 0 if two_okeys else None
    if b >= len(faces) or faces[a] == faces[b]:
        return 2 * faces[a].number
    return None
