"""Which pairs to lay: the search under openings.opening_pairs."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations_with_replacement

from p2pokey.tiles import Face

Pair = tuple[Face | None, Face | None]
"""A face twice, a face and None for a wild tile, or None twice."""

Count = Mapping[Face | None, int]
"""Tiles of each face, wild ones under None."""


def best_pairs(held: Count, needs: Count, *, two_wilds: bool, most: int) -> list[Pair] | None:
    """As many pairs as there can be, of these the ones of highest value.

    Args:
        held: the tiles.
        needs: how many of them must be in pairs.
        two_wilds: whether two wild tiles are a pair; it is worth nothing here.
        most: pairs that may be laid.

    Returns:
        None where the tiles that must be in pairs cannot be.
    """
    best: list[Pair] | None = None
    for partners in _partners(held, needs, two_wilds):
        pairs = _choose(_pairs_with(held, partners), needs, most)
        if pairs is not None and (best is None or _worth(pairs) > _worth(best)):
            best = pairs
    return best


def _worth(pairs: Sequence[Pair]) -> tuple[int, int]:
    return len(pairs), sum(map(_number, pairs))


def _number(pair: Pair) -> int:
    return 0 if pair[0] is None else pair[0].number


def _partners(held: Count, needs: Count, two_wilds: bool) -> Iterator[tuple[Face | None, ...]]:
    """What the wild tiles go with, None for each other; those left out stay unused.

    Besides what must be laid only the two highest tiles without a twin need be tried, and of those
    with a twin the highest, also among those that need not both be laid.
    """
    faces = [face for face in held if face is not None]
    faces.sort(key=lambda face: -face.number)
    singles = [face for face in faces if held[face] == 1]
    twins = [face for face in faces if held[face] == 2]
    free = [face for face in twins if needs.get(face, 0) < 2]
    needed = [face for face in needs if face is not None]
    candidates = dict.fromkeys([*needed, *singles[:2], *twins[:1], *free[:1]])
    for count in range(held.get(None, 0) + 1):
        for chosen in combinations_with_replacement(candidates, count):
            if all(chosen.count(face) <= held[face] for face in chosen):
                yield chosen
    if two_wilds and held.get(None, 0) == 2:
        yield (None,)


def _pairs_with(held: Count, partners: Sequence[Face | None]) -> list[Pair]:
    """The pairs with wild tiles, and all that the other tiles make; highest first."""
    pairs: list[Pair] = [(face, None) for face in partners]
    for face, count in held.items():
        if face is not None and count - partners.count(face) == 2:
            pairs.append((face, face))
    return sorted(pairs, key=_number, reverse=True)


def _choose(pairs: list[Pair], needs: Count, most: int) -> list[Pair] | None:
    """Those with the tiles that must be laid, then the highest."""
    missing = dict(needs)
    wilds = missing.pop(None, 0)
    chosen: list[Pair] = []
    others: list[Pair] = []
    for pair in pairs:
        if missing.get(pair[0], 0) > 0:
            missing[pair[0]] -= pair.count(pair[0])
            wilds -= pair.count(None)
            chosen.append(pair)
        else:
            others.append(pair)
    for pair in list(others):
        if wilds > 0 and None in pair:
            wilds -= pair.count(None)
            others.remove(pair)
            chosen.append(pair)
    if wilds > 0 or max(missing.values(), default=0) > 0 or len(chosen) > most:
        return None
    return chosen + others[: most - len(chosen)]
