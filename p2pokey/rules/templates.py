"""Every shortest meld as a bit mask: the tables under the exact solvers.

Bit `13*colour + number - 1` stands for a face. A rack is three numbers: the faces it holds at least
once, the faces it holds twice, and its count of wild tiles; false okeys count as the okey's face.
Runs of more than five tiles split into shorter ones, so runs of 3 to 5 are all that is needed.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from p2pokey.rules.melds import MeldKind, identity
from p2pokey.tiles import Colour, Face, Tile

NUMBERS = 13
RUN_SIZES = (3, 4, 5)


@dataclass(frozen=True, slots=True)
class Template:
    """A meld by its faces, in laid order."""

    kind: MeldKind
    bits: tuple[int, ...]
    """Bit index per place; a 1 after a 13 is the bit of the 1."""

    mask: int


class Rack(NamedTuple):
    """Tiles as bit masks (module docstring)."""

    once: int
    twice: int
    wilds: int

    def without(self, mask: int) -> "Rack":
        """The rack after one tile of every face in the mask has left it."""
        return Rack(self.once & ~mask | self.twice & mask, self.twice & ~mask, self.wilds)

    def plus(self, bit: int) -> "Rack":
        """The rack with one more tile of that face (at most two count)."""
        mask = 1 << bit
        return Rack(self.once | mask, self.twice | self.once & mask, self.wilds)

    @property
    def naturals(self) -> int:
        """How many tiles are not wild."""
        return self.once.bit_count() + self.twice.bit_count()


def bit_of(face: Face) -> int:
    """Bit index of a face, 0..51."""
    return NUMBERS * face.colour + face.number - 1


def rack_of(tiles: Iterable[Tile], okey: Face | None) -> Rack:
    """The tiles as a Rack."""
    once = twice = wilds = 0
    for tile in tiles:
        face = identity(tile, okey)
        if face is None:
            wilds += 1
            continue
        mask = 1 << bit_of(face)
        twice |= once & mask
        once |= mask
    return Rack(once, twice, wilds)


def _run(colour: int, first: int, size: int) -> Template:
    bits = tuple(NUMBERS * colour + (first + i - 1) % NUMBERS for i in range(size))
    return Template(MeldKind.RUN, bits, sum(1 << bit for bit in bits))


def _set(number: int, colours: tuple[int, ...]) -> Template:
    bits = tuple(NUMBERS * colour + number - 1 for colour in colours)
    return Template(MeldKind.SET, bits, sum(1 << bit for bit in bits))


@cache
def templates(wrap: bool) -> tuple[Template, ...]:
    """All runs of 3 to 5 and all sets."""
    last = NUMBERS + wrap
    runs = [
        _run(colour, first, size)
        for size in RUN_SIZES
        for colour in Colour
        for first in range(1, last - size + 2)
    ]
    sets = [
        _set(number, tuple(c for c in Colour if c != left_out))
        for number in range(1, NUMBERS + 1)
        for left_out in (*Colour, None)
    ]
    return (*runs, *sets)


@cache
def templates_with(bit: int, wrap: bool) -> tuple[Template, ...]:
    """The templates that contain a face."""
    return tuple(template for template in templates(wrap) if template.mask >> bit & 1)
