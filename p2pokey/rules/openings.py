"""The best opening that a rack holds: runs and sets by value or by tiles, or pairs.

    best_opening(tiles, *, okey, rules, must=(), goal="value", keep=1, declare=True) -> Opening | None
    opening_pairs(tiles, *, okey, rules, must=(), keep=1) -> tuple[LaidOut, ...]

Answers are exact: no other choice of melds has a higher value, or more tiles. They fit the rules of
the table as they are: melds are in laid order, none is longer than `rules.max_new`, and melds.py
reads every one of them as what it is said to be (`value_of` does it again). Whether a floor is met is
for the caller.

The same functions find what a seat can lay after its opening. In the duel `okey` is None, because the
false okeys are wild.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from p2pokey.rules.melds import Laid, MeldKind, MeldRules, identity, read_meld
from p2pokey.rules.pairings import best_pairs
from p2pokey.rules.sweep import NUMBERS, Aim, Counts, LaidFaces, Supply, Swept, sweep
from p2pokey.tiles import Colour, Face, Tile

Goal = Literal["value", "tiles"]

_AIMS: dict[Goal, tuple[int, int]] = {"value": (128, 1), "tiles": (1, 2048)}
"""Score of a point and of a tile: the goal comes first, the other decides between equals. No 106
tiles are more than 127 in count below a point, or 2047 points below a tile."""

SMALLEST_MAX = 5
"""Longer runs split into runs of 3 to 5 tiles, but not all into shorter ones."""


class LaidOut(NamedTuple):
    """A meld to lay, as moves.LaidMeld wants it but with tiles for slots."""

    kind: MeldKind
    tiles: tuple[Tile, ...]
    """In laid order."""

    declared: tuple[Face | None, ...] = ()
    """What wild tiles stand for, one entry per tile; empty where nothing is declared."""


@dataclass(frozen=True, slots=True)
class Opening:
    """Melds to lay together."""

    value: int
    """Sum of what their tiles stand for."""

    melds: tuple[LaidOut, ...]

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """All their tiles."""
        return tuple(tile for meld in self.melds for tile in meld.tiles)


def best_opening(
    tiles: Sequence[Tile],
    *,
    okey: Face | None,
    rules: MeldRules,
    must: Sequence[Tile] = (),
    goal: Goal = "value",
    keep: int = 1,
    declare: bool = True,
) -> Opening | None:
    """The melds of highest value, or with most tiles, that can be laid from these tiles.

    Args:
        tiles: the rack, each tile once.
        okey: face of the wild tiles; None where the false okeys are wild.
        must: tiles of the rack that must be laid, or others of the same face.
        goal: `value`: highest value, then most tiles; `tiles`: most tiles, then highest value.
        keep: tiles that must stay on the rack.
        declare: whether wild tiles in sets of three say which colour they stand for, one that the
            others are least likely to hold. Never where the false okeys are wild.

    Returns:
        None if there is no meld to lay, or none with the tiles that must be laid.

    Raises:
        ValueError: `rules.max_new` is below 5.
    """
    if rules.max_new < SMALLEST_MAX:
        raise ValueError(f"expected max_new of at least {SMALLEST_MAX}, got {rules.max_new}")
    per_value, per_tile = _AIMS[goal]
    supply = supply_of(tiles, must, okey)
    aim = Aim(per_value=per_value, per_tile=per_tile)
    found = sweep(supply, aim, wrap=rules.wrap)
    if found is None or not found.melds:
        return None
    excess = sum(len(meld.faces) for meld in found.melds) + keep - len(tiles)
    if excess > 0:
        floor = _without_one(found, aim) if excess == 1 and not must else 0
        found = sweep(supply, replace(aim, keep=keep), wrap=rules.wrap, floor=floor)
    if found is None or not found.melds:
        return None
    value = sum(place.number for meld in found.melds for place in meld.faces)
    laid = lay_out(found.melds, tiles, must=must, okey=okey, rules=rules, declare=declare)
    return Opening(value, laid)


def _without_one(found: Swept, aim: Aim) -> int:
    """The least that melds with a tile fewer reach: a longer one lacks an end, or a short one is left."""
    losses = []
    for meld in found.melds:
        scores = [
            aim.wild_score(face.number) if face.is_wild else aim.score(face.number)
            for face in meld.faces
        ]
        losses.append(sum(scores) if len(scores) == 3 else min(scores[0], scores[-1]))
    return found.score - min(losses)


def value_of(melds: Sequence[LaidOut], *, okey: Face | None, rules: MeldRules) -> int:
    """Value of new melds.

    Raises:
        InvalidMeld: one of them is not valid.
    """
    return sum(
        read_meld(meld.kind, _as_laid(meld), okey=okey, rules=rules, is_new=True).value
        for meld in melds
    )


def _as_laid(meld: LaidOut) -> list[Laid]:
    declared = meld.declared or (None,) * len(meld.tiles)
    return [Laid(tile, face) for tile, face in zip(meld.tiles, declared, strict=True)]


def supply_of(tiles: Sequence[Tile], must: Sequence[Tile], okey: Face | None) -> Supply:
    """Tiles by number and colour."""
    counts, wilds = _count(tiles, okey)
    needed, must_wilds = _count(must, okey)
    return Supply(counts=counts, must=needed, wilds=wilds, must_wilds=must_wilds)


def _count(tiles: Sequence[Tile], okey: Face | None) -> tuple[Counts, int]:
    counts = [[0] * 4 for _ in range(NUMBERS + 1)]
    wilds = 0
    for tile in tiles:
        face = identity(tile, okey)
        if face is None:
            wilds += 1
        else:
            counts[face.number][face.colour] += 1
    return counts, wilds


def lay_out(
    melds: Sequence[LaidFaces],
    tiles: Sequence[Tile],
    *,
    must: Sequence[Tile],
    okey: Face | None,
    rules: MeldRules,
    declare: bool,
) -> tuple[LaidOut, ...]:
    """Puts tiles on faces, those that must be laid first; splits long runs; declares colours."""
    rest = _by_face(tiles, must, okey)
    held = {face: len(equal) for face, equal in rest.items()}
    laid = []
    for meld in melds:
        placed = []
        for colour, number, is_wild in meld.faces:
            face = None if is_wild or colour is None else Face(colour, number)
            placed.append(rest[face].pop(0))
        for part in _parts(len(placed), rules.max_new):
            declared: tuple[Face | None, ...] = ()
            if declare and okey is not None and meld.kind is MeldKind.SET:
                declared = _declared(meld, held)
            laid.append(LaidOut(meld.kind, tuple(placed[part]), declared))
    return tuple(laid)


def _by_face(
    tiles: Sequence[Tile], must: Sequence[Tile], okey: Face | None
) -> dict[Face | None, list[Tile]]:
    """Tiles of each face, wild ones under None; those that must be laid come first."""
    ordered = sorted(tiles, key=lambda tile: tile not in must) if must else tiles
    found: dict[Face | None, list[Tile]] = {}
    for tile in ordered:
        found.setdefault(identity(tile, okey), []).append(tile)
    return found


def _parts(length: int, longest: int) -> Iterator[slice]:
    """Cuts a long run into allowed ones."""
    first = 0
    while length - first > longest:
        yield slice(first, first + 3)
        first += 3
    yield slice(first, length)


def _declared(meld: LaidFaces, held: dict[Face | None, int]) -> tuple[Face | None, ...]:
    """Colours for the wild tiles of a three-tile set: those of which the rack holds most."""
    wilds = sum(place.is_wild for place in meld.faces)
    if len(meld.faces) != 3 or wilds == 0:
        return ()
    naturals = {place.colour for place in meld.faces if not place.is_wild}
    number = meld.faces[0].number
    free = [Face(colour, number) for colour in Colour if colour not in naturals]
    free.sort(key=lambda face: -held.get(face, 0))
    return (*(None for _ in naturals), *sorted(free[:wilds]))


def opening_pairs(
    tiles: Sequence[Tile],
    *,
    okey: Face | None,
    rules: MeldRules,
    must: Sequence[Tile] = (),
    keep: int = 1,
) -> tuple[LaidOut, ...]:
    """As many pairs as can be laid from these tiles, of these the ones with the highest numbers.

    Args:
        tiles: the rack, each tile once.
        okey: face of the wild tiles.
        must: tiles of the rack that must be laid, or others of the same face.
        keep: tiles that must stay on the rack.

    Returns:
        No pairs where there are none, or none with the tiles that must be laid.
    """
    rest = _by_face(tiles, must, okey)
    pairs = best_pairs(
        {face: len(equal) for face, equal in rest.items()},
        Counter(identity(tile, okey) for tile in must),
        two_wilds=rules.two_okeys_pair,
        most=(len(tiles) - keep) // 2,
    )
    return tuple(
        LaidOut(MeldKind.PAIR, tuple(rest[face].pop(0) for face in pair)) for pair in pairs or ()
    )
