"""The open table of the duel, the game for two that rearranges the table (docs/rules/duel.md).

A meld here is a set of tiles: the order in which they lie means nothing (E-2). So that equal tables
are equal values there is one written form (E-13): the tiles of a meld ascend by tile number, the
melds by their first tile, the kind is the one that is worth more, a set where both are worth the
same (E-3), and no wild tile is declared. Slots say nothing here: a re-mask renumbers them.

Canonical bytes:

    field    size
    opened   1 per seat: 0 no, 1 yes
    passes   1   passes in a row, 0..2
    melds    as in a move (move_codec.py)
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from p2pokey.errors import InvalidMeld
from p2pokey.rules.melds import MeldKind
from p2pokey.rules.move_codec import encode_melds
from p2pokey.rules.moves import LaidMeld, Placed
from p2pokey.tiles import Face, Slot, Tile, face_of, format_tile

LAST_NUMBER = 13
LEAST_TILES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class DuelTable:
    """What lies on the table, who has opened, and how many passes came in a row."""

    melds: tuple[LaidMeld, ...] = ()
    """In the written form (module docstring)."""

    opened: tuple[bool, ...] = (False, False)
    """Per seat."""

    passes: int = 0
    """Passes in a row; two block the round (E-4)."""

    @property
    def tiles(self) -> tuple[Placed, ...]:
        """Every tile on the table."""
        return tuple(placed for meld in self.melds for placed in meld.tiles)

    def canonical_bytes(self) -> bytes:
        """The one written form (module docstring)."""
        return bytes((*self.opened, self.passes)) + encode_melds(self.melds)

    def slots(self) -> tuple[Slot, ...]:
        """All slots that lie on the table, meld by meld."""
        return tuple(placed.slot for placed in self.tiles)

    def as_dict(self) -> dict[str, object]:
        """Plain values for the JSON of a view."""
        melds = [
            {
                "kind": meld.kind.word,
                "tiles": [
                    {"slot": placed.slot, "tile": format_tile(placed.tile)} for placed in meld.tiles
                ],
            }
            for meld in self.melds
        ]
        return {"melds": melds, "opened": list(self.opened), "passes": self.passes}


class Reading(NamedTuple):
    """How a set of tiles counts."""

    kind: MeldKind
    numbers: tuple[int, ...]
    """The numbers that the tiles stand for, ascending."""

    @property
    def value(self) -> int:
        """Sum of the numbers."""
        return sum(self.numbers)


def reading_of(tiles: Sequence[Tile]) -> Reading | None:
    """The best reading of tiles that lie together, their order without meaning (E-2, E-3).

    Returns:
        None where they are neither a run nor a set.
    """
    naturals = [face for tile in tiles if (face := face_of(tile)) is not None]
    if not naturals:
        return None
    run, together = _as_run(naturals, len(tiles)), _as_set(naturals, len(tiles))
    if run is None or together is None:
        return run or together
    return run if run.value > together.value else together


def read_together(tiles: Iterable[Tile]) -> Reading:
    """As `reading_of`, for tiles that should be a meld.

    Raises:
        InvalidMeld: rule E-2, they are neither a run nor a set.
    """
    tiles = tuple(tiles)
    reading = reading_of(tiles)
    if reading is None:
        text = " ".join(map(format_tile, sorted(tiles)))
        raise InvalidMeld(f"these tiles are neither a run nor a set: {text}", rule="E-2")
    return reading


def _as_run(naturals: list[Face], count: int) -> Reading | None:
    """The highest run of that many tiles that holds the naturals; 13 is not followed by 1."""
    numbers = {face.number for face in naturals}
    one_colour = len({face.colour for face in naturals}) == 1
    if not LEAST_TILES <= count <= LAST_NUMBER or not one_colour or len(numbers) < len(naturals):
        return None
    first = min(*numbers, LAST_NUMBER + 1 - count)
    if max(numbers) >= first + count:
        return None
    return Reading(MeldKind.RUN, tuple(range(first, first + count)))


def _as_set(naturals: list[Face], count: int) -> Reading | None:
    """The set of that many tiles of one number in different colours."""
    one_number = len({face.number for face in naturals}) == 1
    colours = {face.colour for face in naturals}
    if count not in (3, 4) or not one_number or len(colours) < len(naturals):
        return None
    return Reading(MeldKind.SET, (naturals[0].number,) * count)


def _by_tile(placed: Placed) -> Tile:
    return placed.tile


def _by_first_tile(meld: LaidMeld) -> Tile:
    return meld.tiles[0].tile


def written_meld(tiles: Iterable[Placed]) -> LaidMeld:
    """A meld in its one written form (module docstring).

    Raises:
        InvalidMeld: rule E-2, it is neither a run nor a set.
    """
    ordered = tuple(sorted(tiles, key=_by_tile))
    kind = read_together(placed.tile for placed in ordered).kind
    return LaidMeld(kind=kind, tiles=ordered)


def in_order(melds: Iterable[LaidMeld]) -> tuple[LaidMeld, ...]:
    """Written melds in the order of a table."""
    return tuple(sorted(melds, key=_by_first_tile))


def written_form(melds: Iterable[Iterable[Placed]]) -> tuple[LaidMeld, ...]:
    """The melds of a table in the one written form (module docstring).

    Raises:
        InvalidMeld: rule E-2, one of them is neither a run nor a set.
    """
    return in_order(map(written_meld, melds))
