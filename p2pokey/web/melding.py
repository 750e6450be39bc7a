"""Tiles that lie together read as the best meld that they make.

A person puts tiles into a heap; which kind of meld that is, in which order it is laid and what its
okeys stand for is worked out here, so that the value is the highest that the rules allow.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from p2pokey.errors import InvalidMeld
from p2pokey.rules.duel_state import reading_of
from p2pokey.rules.melds import (
    ACE_HIGH,
    Laid,
    MeldKind,
    MeldRules,
    identity,
    read_meld,
    read_pair,
    read_run,
    read_set,
)
from p2pokey.rules.openings import LaidOut
from p2pokey.tiles import Colour, Face, Tile

_LAST = 13


@dataclass(frozen=True, slots=True)
class Wish:
    """What a person has put together, and what of it he has settled himself."""

    tiles: tuple[Tile, ...]
    kind: MeldKind | None = None
    stands: Mapping[Tile, Face] = field(default_factory=dict)
    """Faces that he wants okeys to stand for."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The best way to lay some tiles."""

    meld: LaidOut
    value: int
    """Sum of what the tiles stand for."""


@dataclass(frozen=True, slots=True)
class Melder:
    """Reads heaps of tiles of one hand."""

    okey: Face | None
    """None where the false okeys are wild."""
    rules: MeldRules
    held: Counter[Face]
    """The natural tiles of the rack: an okey in a set of three stands for the colour of which the
    rack holds most, because nobody else can then supply it."""

    def read(self, wish: Wish) -> Reading:
        """The best meld of these tiles.

        Raises:
            InvalidMeld: they are none; the rule and the sentence are those of the nearest kind.
        """
        best: Reading | None = None
        for meld in self._ways(wish):
            read = self._value(meld)
            if read is not None and (best is None or read > best.value):
                best = Reading(meld, read)
        if best is None:
            raise self._why_not(wish)
        return best

    def _value(self, meld: LaidOut) -> int | None:
        try:
            return read_meld(
                meld.kind, _laid(meld), okey=self.okey, rules=self.rules, is_new=True
            ).value
        except InvalidMeld:
            return None

    def _ways(self, wish: Wish) -> Iterator[LaidOut]:
        """Every sensible way to lay the tiles; of equal ones the first is meant."""
        kinds = tuple(MeldKind) if wish.kind is None else (wish.kind,)
        if MeldKind.PAIR in kinds and len(wish.tiles) == 2:
            yield LaidOut(MeldKind.PAIR, wish.tiles)
        if MeldKind.SET in kinds and len(wish.tiles) in (3, 4):
            yield self._as_set(wish)
        if MeldKind.RUN in kinds and 3 <= len(wish.tiles) <= _LAST:
            yield from self._as_runs(wish)

    def _split(self, wish: Wish) -> tuple[list[tuple[Face, Tile]], list[Tile]]:
        """Tiles with a face, wished ones included, and the free wild ones."""
        fixed: list[tuple[Face, Tile]] = []
        free = []
        for tile in wish.tiles:
            face = identity(tile, self.okey) or wish.stands.get(tile)
            if face is None:
                free.append(tile)
            else:
                fixed.append((face, tile))
        return fixed, free

    def _as_set(self, wish: Wish) -> LaidOut:
        fixed, free = self._split(wish)
        tiles = (*(tile for _, tile in fixed), *free)
        wild = [identity(tile, self.okey) is None for tile in tiles]
        if len(tiles) != 3 or not any(wild) or not fixed or self.okey is None:
            return LaidOut(MeldKind.SET, tiles)
        number = fixed[0][0].number
        taken = {face.colour for face, _ in fixed}
        spare = [Face(colour, number) for colour in Colour if colour not in taken]
        spare.sort(key=lambda face: -self.held[face])
        chosen = [face for face, _ in fixed] + sorted(spare[: len(free)])
        if len(chosen) < len(tiles):
            return LaidOut(MeldKind.SET, tiles)
        declared = tuple(face if is_w else None for face, is_w in zip(chosen, wild, strict=True))
        return LaidOut(MeldKind.SET, tiles, declared)

    def _as_runs(self, wish: Wish) -> Iterator[LaidOut]:
        """The run from every place where it could begin, the highest first."""
        fixed, free = self._split(wish)
        count = len(wish.tiles)
        top = ACE_HIGH if self.rules.wrap else _LAST
        for first in range(top - count + 1, 0, -1):
            laid = _placed(fixed, free, range(first, first + count))
            if laid is not None:
                yield LaidOut(MeldKind.RUN, laid)

    def _why_not(self, wish: Wish) -> InvalidMeld:
        kind = wish.kind or self._nearest(wish)
        tiles = tuple(sorted(wish.tiles, key=self._order))
        if kind is MeldKind.SET:
            tiles = wish.tiles
        try:
            if len(wish.tiles) > self.rules.max_new:
                read_meld(
                    kind, _laid(LaidOut(kind, tiles)), okey=self.okey, rules=self.rules, is_new=True
                )
            match kind:
                case MeldKind.RUN:
                    read_run(_laid(LaidOut(kind, tiles)), okey=self.okey, wrap=self.rules.wrap)
                case MeldKind.SET:
                    read_set(_laid(LaidOut(kind, tiles)), okey=self.okey)
                case MeldKind.PAIR:
                    two = self.rules.two_okeys_pair
                    read_pair(_laid(LaidOut(kind, tiles)), okey=self.okey, two_okeys=two)
        except InvalidMeld as error:
            return error
        return InvalidMeld("these tiles are no run and no set", rule="G-4")

    def _nearest(self, wish: Wish) -> MeldKind:
        """What the tiles look like."""
        if len(wish.tiles) == 2:
            return MeldKind.PAIR
        faces = [face for tile in wish.tiles if (face := identity(tile, self.okey)) is not None]
        numbers, colours = {face.number for face in faces}, {face.colour for face in faces}
        return MeldKind.SET if len(numbers) < len(colours) else MeldKind.RUN

    def _order(self, tile: Tile) -> tuple[int, int]:
        face = identity(tile, self.okey)
        return (face.number, face.colour) if face is not None else (ACE_HIGH, 0)


def _laid(meld: LaidOut) -> list[Laid]:
    declared = meld.declared or (None,) * len(meld.tiles)
    return [Laid(tile, face) for tile, face in zip(meld.tiles, declared, strict=True)]


def _placed(
    fixed: Sequence[tuple[Face, Tile]], free: Sequence[Tile], places: range
) -> tuple[Tile, ...] | None:
    """The tiles on these places, wild ones where no other lies; None if one has no place."""
    at: dict[int, Tile] = {}
    for face, tile in fixed:
        place = face.number
        if place == 1 and 1 not in places:
            place = ACE_HIGH
        if place not in places or place in at:
            return None
        at[place] = tile
    rest = list(free)
    return tuple(at[place] if place in at else rest.pop(0) for place in places)


def joined(tiles: Sequence[Tile]) -> tuple[MeldKind, tuple[tuple[Tile, str], ...], int] | None:
    """A set of the duel in the order in which it is read, with what each tile stands for.

    Returns:
        Kind, tiles with the faces that they stand for (`?9`: a colour left open), value; None if
        the tiles are no set of the duel.
    """
    reading = reading_of(tiles)
    if reading is None:
        return None
    naturals = sorted(
        (face.number, face.colour, tile) for tile in tiles if (face := identity(tile, None))
    )
    jokers = sorted(tile for tile in tiles if identity(tile, None) is None)
    colour = Colour(naturals[0][1])
    if reading.kind is MeldKind.RUN:
        of_number = {number: tile for number, _, tile in naturals}
        laid = tuple(
            (
                of_number[number] if number in of_number else jokers.pop(0),
                f"{colour.letter}{number}",
            )
            for number in reading.numbers
        )
        return reading.kind, laid, reading.value
    number = naturals[0][0]
    free = [colour for colour in Colour if colour not in {colour for _, colour, _ in naturals}]
    whole = len(tiles) == len(Colour)
    placed = [(tile, f"{Colour(colour).letter}{number}") for _, colour, tile in naturals]
    placed += [(tile, f"{free.pop(0).letter if whole else '?'}{number}") for tile in jokers]
    return reading.kind, tuple(placed), reading.value
