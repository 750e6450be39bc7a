"""What a player may do, one frozen class per move.

A move names the tile it claims for every slot that it makes public. The rules check the claim where
the slot's face is already known; everywhere else they trust it, because the deck proves it
(docs/protocol.md S8). The binary form is in move_codec.py, the text in move_text.py.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import IntEnum

from p2pokey.errors import BadLength, DecodeError
from p2pokey.rules.melds import MeldKind
from p2pokey.tiles import TILE_COUNT, Face, Slot, Tile

MAX_LAID_MELDS = 35
"""All 106 tiles in melds of three."""
MAX_MELD_TILES = 13
MAX_ADDED = 13
"""Tiles of one addition."""

MAX_ADDITIONS = 22
"""Additions of one claimed finish; no rack holds more tiles."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A slot and the tile that is claimed to lie there.

    Raises:
        DecodeError: either number is not in 0..105.
    """

    slot: Slot
    tile: Tile

    def __post_init__(self) -> None:
        if not (0 <= self.slot < TILE_COUNT and 0 <= self.tile < TILE_COUNT):
            raise DecodeError(f"expected slot and tile in 0..105, got {self.slot}, {self.tile}")


@dataclass(frozen=True, slots=True, kw_only=True)
class LaidMeld:
    """Tiles laid side by side, in laid order; 2 to 13 of them."""

    kind: MeldKind
    tiles: tuple[Placed, ...]
    declared: tuple[Face | None, ...] = ()
    """What wild tiles stand for, one entry per tile; empty where nothing is declared."""

    def __post_init__(self) -> None:
        if not 2 <= len(self.tiles) <= MAX_MELD_TILES:
            raise BadLength(
                f"expected 2 to {MAX_MELD_TILES} tiles in a meld, got {len(self.tiles)}"
            )
        if self.declared and (len(self.declared) != len(self.tiles) or not any(self.declared)):
            raise BadLength("expected one declaration per tile, or none at all")


class End(IntEnum):
    """Where an added tile goes."""

    LOW = 0
    """Before the first tile of a run."""

    HIGH = 1
    """Behind the last tile; the only end of a set."""


@dataclass(frozen=True, slots=True)
class DrawStack:
    """Draw the top tile of the stack."""


@dataclass(frozen=True, slots=True)
class DrawLeft:
    """Take the top tile of the left neighbour's discard pile."""


@dataclass(frozen=True, slots=True)
class Show:
    """Show the twin of the indicator; it stays on the rack, face public."""

    placed: Placed


@dataclass(frozen=True, slots=True)
class Discard:
    """Put a tile on one's own discard pile; ends the turn."""

    placed: Placed


@dataclass(frozen=True, slots=True)
class Finish:
    """End the hand with the other 14 tiles in melds or pairs, laid out for the others to see."""

    discard: Placed
    melds: tuple[LaidMeld, ...]

    def __post_init__(self) -> None:
        _check_count(self.melds, 0)


@dataclass(frozen=True, slots=True)
class Pass:
    """Decline the last discard when the stack is empty (G-7); in the duel, end a turn (E-4)."""


@dataclass(frozen=True, slots=True)
class ReturnTaken:
    """Put the taken discard back, undoing what was laid since; a draw is then due."""


@dataclass(frozen=True, slots=True)
class TakeBack:
    """Undo all changes that this turn made to the table."""


@dataclass(frozen=True, slots=True)
class GoPairs:
    """Declare Going Pairs, for the rest of the hand."""


@dataclass(frozen=True, slots=True)
class Open:
    """Lay down for the first time: runs and sets, or pairs."""

    melds: tuple[LaidMeld, ...]

    def __post_init__(self) -> None:
        _check_count(self.melds, 1)


@dataclass(frozen=True, slots=True)
class Lay:
    """Lay further melds, or pairs, after the opening."""

    melds: tuple[LaidMeld, ...]

    def __post_init__(self) -> None:
        _check_count(self.melds, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Add:
    """Put tiles on a meld of the table, the nearest to the meld first."""

    meld: int
    """Number of the meld on the table, 0 the first that was laid."""

    end: End
    tiles: tuple[Placed, ...]

    def __post_init__(self) -> None:
        _check_byte(self.meld)
        if not 1 <= len(self.tiles) <= MAX_ADDED:
            raise BadLength(f"expected 1 to {MAX_ADDED} tiles to add, got {len(self.tiles)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieve:
    """Supply what an okey on the table stands for, and take the okey."""

    meld: int
    place: int
    """Index of the okey in the meld."""

    supply: tuple[Placed, ...]
    """One tile, or the two missing colours of a three-tile set."""

    def __post_init__(self) -> None:
        _check_byte(self.meld)
        _check_byte(self.place)
        if not 1 <= len(self.supply) <= 2:
            raise BadLength(f"expected one or two tiles to supply, got {len(self.supply)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimFinish:
    """Open and finish in one: melds, additions and the last discard (C)."""

    melds: tuple[LaidMeld, ...]
    additions: tuple[Add, ...]
    discard: Placed

    def __post_init__(self) -> None:
        _check_count(self.melds, 1)
        if len(self.additions) > MAX_ADDITIONS:
            raise BadLength(f"expected at most {MAX_ADDITIONS} additions")


@dataclass(frozen=True, slots=True)
class Play:
    """The whole table of the duel as it is after the turn."""

    table: tuple[LaidMeld, ...]

    def __post_init__(self) -> None:
        _check_count(self.table, 1)


Bare = DrawStack | DrawLeft | Pass | ReturnTaken | TakeBack | GoPairs
Move = Bare | Show | Discard | Finish | Open | Lay | Add | Retrieve | ClaimFinish | Play


def _check_byte(number: int) -> None:
    if not 0 <= number <= 255:
        raise DecodeError(f"expected the number of a meld or place from 0 to 255, got {number}")


def _check_count(melds: tuple[LaidMeld, ...], least: int) -> None:
    if not least <= len(melds) <= MAX_LAID_MELDS:
        raise BadLength(f"expected {least} to {MAX_LAID_MELDS} melds, got {len(melds)}")


def _in_melds(melds: tuple[LaidMeld, ...]) -> list[Placed]:
    return [placed for meld in melds for placed in meld.tiles]


def move_placed(move: Move) -> tuple[Placed, ...]:
    """The slots that the move makes or leaves public, with their tiles, ascending by slot."""
    found: list[Placed] = []
    match move:
        case Show(placed) | Discard(placed):
            found = [placed]
        case Finish(discard, melds):
            found = [discard, *_in_melds(melds)]
        case Open(melds) | Lay(melds) | Play(melds):
            found = _in_melds(melds)
        case Add(tiles=tiles) | Retrieve(supply=tiles):
            found = list(tiles)
        case ClaimFinish(melds=melds, additions=additions, discard=discard):
            added = [placed for addition in additions for placed in addition.tiles]
            found = [discard, *added, *_in_melds(melds)]
        case _:
            pass
    return tuple(sorted(found, key=lambda placed: placed.slot))


def with_slots(move: Move, slots: Mapping[Tile, Slot]) -> Move:
    """The same move with some of its tiles named by another slot, as after a re-mask."""

    def at(placed: Placed) -> Placed:
        return Placed(slots.get(placed.tile, placed.slot), placed.tile)

    def laid(melds: tuple[LaidMeld, ...]) -> tuple[LaidMeld, ...]:
        return tuple(replace(meld, tiles=tuple(map(at, meld.tiles))) for meld in melds)

    def added(addition: Add) -> Add:
        return replace(addition, tiles=tuple(map(at, addition.tiles)))

    match move:
        case Show(placed) | Discard(placed):
            return type(move)(at(placed))
        case Finish(discard, melds):
            return Finish(at(discard), laid(melds))
        case Open(melds) | Lay(melds) | Play(melds):
            return type(move)(laid(melds))
        case Add():
            return added(move)
        case Retrieve(supply=supply):
            return replace(move, supply=tuple(map(at, supply)))
        case ClaimFinish(melds=melds, additions=additions, discard=discard):
            return ClaimFinish(
                melds=laid(melds), additions=tuple(map(added, additions)), discard=at(discard)
            )
        case _:
            return move
