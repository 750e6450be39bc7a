"""Runs, sets and pairs: which are valid, what each tile stands for, what they are worth.

Looks only at tiles and the order in which they were laid; who laid them, and whether he may, is
for the engines. Source: docs/rules/classic.md A-1, A-2, G-4 to G-6, G-20, D-3; the parameters cover
the other rule sets.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from p2pokey.errors import InvalidMeld
from p2pokey.tiles import Colour, Face, Tile, face_of

ACE_HIGH = 14
"""Place of a 1 that follows a 13."""


class MeldKind(IntEnum):
    """The three kinds of meld, with their wire numbers."""

    RUN = 0
    SET = 1
    PAIR = 2

    @property
    def word(self) -> str:
        """`run`, `set` or `pair`."""
        return self.name.lower()

    @classmethod
    def from_word(cls, word: str) -> "MeldKind":
        """The kind that `word` names; raises KeyError for any other word."""
        return cls[word.upper()]


class Laid(NamedTuple):
    """A tile as it is laid; `stands_for` only where a wild tile's face is declared."""

    tile: Tile
    stands_for: Face | None = None


class Stand(NamedTuple):
    """What a laid tile counts as; colour None for a wild tile whose colour was left open."""

    colour: Colour | None
    number: int

    def __str__(self) -> str:
        return ("?" if self.colour is None else self.colour.letter) + str(self.number)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeldRules:
    """Parameters of the validators."""

    wrap: bool
    """Whether 12-13-1 is a run (13-1-2 never is)."""

    two_okeys_pair: bool
    """Whether two wild tiles are a pair."""

    max_new: int = 13
    """Longest run that may be newly opened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meld:
    """A valid meld as read: what every tile stands for, in laid order."""

    kind: MeldKind
    stands: tuple[Stand, ...]

    @property
    def value(self) -> int:
        """Sum of the numbers; a 1 counts 1 wherever it stands (D-3)."""
        return sum(stand.number for stand in self.stands)


def identity(tile: Tile, okey: Face | None) -> Face | None:
    """What the tile is worth by nature; None for a wild tile.

    Args:
        okey: face of the wild tiles; None where the false okeys themselves are wild.
    """
    face = face_of(tile)
    if face is None:
        return okey
    return None if face == okey else face


def is_wild(tile: Tile, okey: Face | None) -> bool:
    """Whether the tile may stand for any other."""
    return identity(tile, okey) is None


def _fixed(laid: Laid, okey: Face | None) -> Face | None:
    """The face that the tile must stand for, None where it is free."""
    natural = identity(laid.tile, okey)
    if natural is None:
        return laid.stands_for
    if laid.stands_for is not None and laid.stands_for != natural:
        raise InvalidMeld(f"expected {natural} to stand for itself", rule="G-4")
    return natural


def read_run(tiles: Sequence[Laid], *, okey: Face | None, wrap: bool) -> Meld:
    """Reads tiles laid in ascending order as a run.

    Raises:
        InvalidMeld: rule G-20 for the size, G-4 for the order, A-1 for tiles across the 13.
    """
    if not 3 <= len(tiles) <= 13:
        raise InvalidMeld(f"expected a run of 3 to 13 tiles, got {len(tiles)}", rule="G-20")
    fixed = [_fixed(laid, okey) for laid in tiles]
    anchor = next((i for i, face in enumerate(fixed) if face is not None), None)
    if anchor is None:
        raise InvalidMeld("expected a natural tile in a run", rule="G-6")
    face = fixed[anchor]
    assert face is not None
    first = face.number - anchor
    last = first + len(tiles) - 1
    if face.number == 1 and anchor > 0:  # not at the low end, so it can only follow the 13
        first, last = ACE_HIGH - anchor, ACE_HIGH - anchor + len(tiles) - 1
    if first < 1 or last > (ACE_HIGH if wrap else 13):
        raise InvalidMeld("expected a run that stays within 1 to 13", rule="A-1")
    places = [Face(face.colour, (first + i - 1) % 13 + 1) for i in range(len(tiles))]
    for place, held in zip(places, fixed, strict=True):
        if held is not None and held != place:
            raise InvalidMeld(f"expected {place} in the run, got {held}", rule="G-4")
    return Meld(kind=MeldKind.RUN, stands=tuple(Stand(*place) for place in places))


def read_set(tiles: Sequence[Laid], *, okey: Face | None) -> Meld:
    """Reads tiles as a set: one number, different colours; order means nothing.

    In a three-tile set the colour of a wild tile without a declared face stays open; in a
    four-tile set such tiles take the free colours, in the order r b k y.

    Raises:
        InvalidMeld: size, no natural tile, two numbers or one colour twice.
    """
    if len(tiles) not in (3, 4):
        raise InvalidMeld(f"expected a set of 3 or 4 tiles, got {len(tiles)}", rule="G-4")
    fixed = [_fixed(laid, okey) for laid in tiles]
    if all(is_wild(laid.tile, okey) for laid in tiles):
        raise InvalidMeld("expected a natural tile in a set", rule="G-6")
    known = [face for face in fixed if face is not None]
    number = known[0].number
    if any(face.number != number for face in known):
        raise InvalidMeld("expected one number in a set", rule="G-4")
    colours = {face.colour for face in known}
    if len(colours) != len(known):
        raise InvalidMeld("expected different colours in a set", rule="G-4")
    free: list[Colour | None] = [None] * 3
    if len(tiles) == 4:
        free = [colour for colour in Colour if colour not in colours]
    stands = tuple(Stand(free.pop(0), number) if face is None else Stand(*face) for face in fixed)
    return Meld(kind=MeldKind.SET, stands=stands)


def read_pair(tiles: Sequence[Laid], *, okey: Face | None, two_okeys: bool) -> Meld:
    """Reads two tiles as a pair: one identity, or a wild tile with anything.

    Two wild tiles stand for the okey's own face.

    Raises:
        InvalidMeld: rule A-4 for different tiles, A-2 for two okeys where they are no pair.
    """
    if len(tiles) != 2:
        raise InvalidMeld(f"expected two tiles in a pair, got {len(tiles)}", rule="A-4")
    naturals = [face for face in (identity(laid.tile, okey) for laid in tiles) if face is not None]
    if not naturals:
        if not two_okeys or okey is None:
            raise InvalidMeld("two okeys are no pair", rule="A-2")
        naturals = [okey]
    if any(face != naturals[0] for face in naturals):
        raise InvalidMeld(f"expected two equal tiles, got {naturals[0]}, {naturals[1]}", rule="A-4")
    stand = Stand(*naturals[0])
    if any(laid.stands_for not in (None, naturals[0]) for laid in tiles):
        raise InvalidMeld(f"expected both tiles to stand for {stand}", rule="G-4")
    return Meld(kind=MeldKind.PAIR, stands=(stand, stand))


def read_meld(
    kind: MeldKind,
    tiles: Sequence[Laid],
    *,
    okey: Face | None,
    rules: MeldRules,
    is_new: bool = False,
) -> Meld:
    """Reads tiles as the named kind of meld.

    Args:
        okey: face of the wild tiles; None where the false okeys are wild.
        is_new: whether the meld is being opened now, so that `rules.max_new` applies.

    Raises:
        InvalidMeld: the tiles are no such meld.
    """
    if is_new and len(tiles) > rules.max_new:
        raise InvalidMeld(
            f"expected at most {rules.max_new} tiles in a new meld, got {len(tiles)}",
            rule="G-20",
            numbers={"most": rules.max_new, "have": len(tiles)},
        )
    match kind:
        case MeldKind.RUN:
            return read_run(tiles, okey=okey, wrap=rules.wrap)
        case MeldKind.SET:
            return read_set(tiles, okey=okey)
        case MeldKind.PAIR:
            return read_pair(tiles, okey=okey, two_okeys=rules.two_okeys_pair)
