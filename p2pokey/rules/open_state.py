"""What lies on an open table and what belongs to it: melds, openings, charges, the turn so far.

Canonical bytes (integers little-endian; slots u8; strings = length u8, ASCII):

    field           size
    version         1   value 1
    opened          1 per seat: 0 no, 1 melds, 2 pairs
    opening values  2 per seat: value of the opening's melds, or number of its pairs
    going pairs     1 per seat
    melds           as below
    charges         count u16, then per charge: seat 1, points i32, rule id as a string
    turn            flags 1 (1 opened, 2 returned the taken tile), attempts 1, count u8 and slots of
                    the okeys retrieved, count u8 and per end added to: meld 1, end 1, tiles 1
    checkpoint      1 (0 none, 1 follows), then: rack as count u8 and slots, number of charges u16,
                    melds

    melds = count u8, then per meld: kind 1 (0 run, 1 set, 2 pair), owner 1, count of tiles u8, then
    per tile: slot 1, colour stood for 1 (255 left open), number stood for 1, placer 1
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from p2pokey.codec import i32, u8, u16
from p2pokey.rules.melds import Laid, MeldKind, Stand, is_wild
from p2pokey.rules.moves import End
from p2pokey.rules.state import HandState
from p2pokey.tiles import Face, Seat, Slot, Tile, format_tile

TABLE_VERSION = 1
_OPEN_COLOUR = 255


class Opened(IntEnum):
    """How a seat has opened."""

    NONE = 0
    """Not yet."""

    MELDS = 1
    """With runs and sets."""

    PAIRS = 2
    """With pairs."""

    @property
    def word(self) -> str:
        """`none`, `melds` or `pairs`."""
        return self.name.lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class TableTile:
    """A tile on the table."""

    slot: Slot
    tile: Tile
    """Its face, which everybody knows."""

    stands: Stand
    """What it counts as."""

    placer: Seat
    """Seat that put it there last; it pays when an okey is retrieved (B-21, C-9)."""

    def laid(self, okey: Face | None) -> Laid:
        """The tile as it is read again; an okey keeps what it stands for."""
        if not is_wild(self.tile, okey) or self.stands.colour is None:
            return Laid(self.tile)
        return Laid(self.tile, Face(self.stands.colour, self.stands.number))


@dataclass(frozen=True, slots=True, kw_only=True)
class TableMeld:
    """A valid meld on the table, in laid order."""

    kind: MeldKind
    owner: Seat
    """Seat that laid it."""

    tiles: tuple[TableTile, ...]

    @property
    def value(self) -> int:
        """Sum of the numbers stood for."""
        return sum(tile.stands.number for tile in self.tiles)


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """Points written against a seat during the hand; a bonus is negative."""

    seat: Seat
    points: int
    rule: str
    """Rule id, such as `P-1`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """What a take-back restores: the state before the first table change of the turn."""

    rack: tuple[Slot, ...]
    """Rack of the seat to move."""

    melds: tuple[TableMeld, ...]
    charges: int
    """Length of the log of charges."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRecord:
    """What the seat to move has done in this turn."""

    opened: bool = False
    """Whether it has opened in this turn."""

    returned: bool = False
    """Whether it has put the taken tile back, so that a draw is due."""

    attempts: int = 0
    """Openings and claims that have failed, and changes that were undone; a take-back keeps it."""

    retrieved: tuple[Slot, ...] = ()
    """Okeys that it has retrieved."""

    added: tuple[tuple[int, End, int], ...] = ()
    """Meld, end and number of tiles added there, ascending."""

    checkpoint: Checkpoint | None = None
    """Set by the turn's first change of the table."""

    def added_at(self, meld: int, end: End) -> int:
        """Tiles added to that end in this turn."""
        return sum(count for at, side, count in self.added if (at, side) == (meld, end))


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenTable:
    """The open table of one hand (module docstring); melds are numbered in the order laid."""

    melds: tuple[TableMeld, ...]
    opened: tuple[Opened, ...]
    """Per seat."""

    opening_values: tuple[int, ...]
    """Per seat, value of the opening's melds or number of its pairs."""

    going_pairs: tuple[bool, ...]
    """Per seat, whether it has declared Going Pairs."""

    charges: tuple[Charge, ...] = ()
    """In the order in which they were booked."""

    turn: TurnRecord = TurnRecord()

    def charged(self, seat: int) -> int:
        """Sum of the seat's charges and bonuses."""
        return sum(charge.points for charge in self.charges if charge.seat == seat)

    def openings(self) -> tuple[tuple[Opened, int], ...]:
        """Per seat, how it opened and with how much."""
        return tuple(zip(self.opened, self.opening_values, strict=True))

    def canonical_bytes(self) -> bytes:
        """The one written form (module docstring)."""
        return b"".join(
            (
                u8(TABLE_VERSION),
                bytes(self.opened),
                *map(u16, self.opening_values),
                bytes(self.going_pairs),
                _melds_bytes(self.melds),
                u16(len(self.charges)),
                *map(_charge_bytes, self.charges),
                _turn_bytes(self.turn),
            )
        )

    def slots(self) -> tuple[Slot, ...]:
        """All slots that lie on the table, meld by meld."""
        return tuple(tile.slot for meld in self.melds for tile in meld.tiles)

    def as_dict(self) -> dict[str, object]:
        """Plain values for the JSON of a view."""
        return {
            "charges": [
                {"points": charge.points, "rule": charge.rule, "seat": charge.seat}
                for charge in self.charges
            ],
            "going_pairs": list(self.going_pairs),
            "melds": [_meld_dict(meld) for meld in self.melds],
            "opened": [opened.word for opened in self.opened],
            "opening_values": list(self.opening_values),
            "turn": {
                "changed": self.turn.checkpoint is not None,
                "opened": self.turn.opened,
                "retrieved": list(self.turn.retrieved),
                "returned": self.turn.returned,
            },
        }


def table_of(state: HandState) -> OpenTable:
    """The open table of a hand of B, C or D."""
    assert isinstance(state.table, OpenTable)
    return state.table


def empty_table(seats: int) -> OpenTable:
    """The table before the first opening."""
    return OpenTable(
        melds=(),
        opened=(Opened.NONE,) * seats,
        opening_values=(0,) * seats,
        going_pairs=(False,) * seats,
    )


def table_meld(
    kind: MeldKind,
    tiles: Sequence[tuple[Slot, Tile]],
    stands: Sequence[Stand],
    *,
    owner: Seat,
) -> TableMeld:
    """A meld as its owner lays it.

    Args:
        stands: what each tile counts as, as melds.py reads it.
    """
    return TableMeld(
        kind=kind,
        owner=owner,
        tiles=tuple(
            TableTile(slot=slot, tile=tile, stands=stand, placer=owner)
            for (slot, tile), stand in zip(tiles, stands, strict=True)
        ),
    )


def with_stands(meld: TableMeld, tiles: Sequence[TableTile], stands: Sequence[Stand]) -> TableMeld:
    """The meld with other tiles, each counting as said."""
    read = zip(tiles, stands, strict=True)
    return replace(meld, tiles=tuple(replace(tile, stands=stand) for tile, stand in read))


def _slots_bytes(slots: tuple[Slot, ...]) -> bytes:
    return bytes((len(slots), *slots))


def _tile_bytes(tile: TableTile) -> bytes:
    colour = _OPEN_COLOUR if tile.stands.colour is None else tile.stands.colour
    return bytes((tile.slot, colour, tile.stands.number, tile.placer))


def _melds_bytes(melds: tuple[TableMeld, ...]) -> bytes:
    return u8(len(melds)) + b"".join(
        bytes((meld.kind, meld.owner, len(meld.tiles))) + b"".join(map(_tile_bytes, meld.tiles))
        for meld in melds
    )


def _charge_bytes(charge: Charge) -> bytes:
    rule = charge.rule.encode("ascii")
    return u8(charge.seat) + i32(charge.points) + u8(len(rule)) + rule


def _turn_bytes(turn: TurnRecord) -> bytes:
    added = bytes(value for entry in turn.added for value in entry)
    head = u8(turn.opened + 2 * turn.returned) + u8(turn.attempts) + _slots_bytes(turn.retrieved)
    checkpoint = b"\x00"
    if turn.checkpoint is not None:
        kept = turn.checkpoint
        checkpoint = b"\x01" + _slots_bytes(kept.rack) + u16(kept.charges)
        checkpoint += _melds_bytes(kept.melds)
    return head + u8(len(turn.added)) + added + checkpoint


def _meld_dict(meld: TableMeld) -> dict[str, object]:
    return {
        "kind": meld.kind.word,
        "owner": meld.owner,
        "tiles": [
            {
                "placer": tile.placer,
                "slot": tile.slot,
                "stands_for": str(tile.stands),
                "tile": format_tile(tile.tile),
            }
            for tile in meld.tiles
        ],
    }
