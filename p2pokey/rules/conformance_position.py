"""Positions on an open table for worked examples; slot n holds tile n (`DECK`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from p2pokey.errors import DecodeError
from p2pokey.rules.conformance_common import DECK, FaceUp, placed
from p2pokey.rules.conformance_input import Example, read_groups
from p2pokey.rules.dealing import deal
from p2pokey.rules.melds import Laid, MeldKind, is_wild, read_meld
from p2pokey.rules.moves import LaidMeld
from p2pokey.rules.open_state import (
    Opened,
    OpenTable,
    TableMeld,
    TurnRecord,
    empty_table,
    table_meld,
    table_of,
)
from p2pokey.rules.published import RuleSet
from p2pokey.rules.state import Phase, left_of
from p2pokey.tiles import Face, Seat, Slot, Tile, is_false_okey, make_tile

ME = Seat(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What an example says of a position; the rest is filled with tiles that it does not name."""

    rules: RuleSet
    okey: Face
    turn: Seat = ME
    rack: Sequence[Tile] = ()
    """Tiles of the seat on turn."""

    rack_size: int | None = None
    """Size to which other tiles fill that rack; None: no others."""

    racks: Mapping[Seat, Sequence[Tile]] = field(default_factory=dict)
    """Racks of other seats, where they matter."""

    melds: tuple[TableMeld, ...] = ()
    opened: Mapping[Seat, tuple[Opened, int]] = field(default_factory=dict)
    going_pairs: frozenset[Seat] = frozenset()
    top: Tile | None = None
    """The left neighbour's last discard, to be taken: the turn begins with the draw."""

    stack: int | None = None
    """Tiles left on the stack; None: all that lie nowhere else."""

    turn_record: TurnRecord = field(default_factory=TurnRecord)
    reserved: Sequence[Tile] = ()
    """Tiles that must not be used to fill."""


def position(given: Setting) -> FaceUp:
    """The hand as the example describes it."""
    rules = given.rules
    state, _ = deal(rules, rules.players, ME)
    named = _named(given)
    indicator = _indicator(given.okey, named)
    free = [tile for tile in _fillers(given.okey) if tile not in {*named, indicator}]
    racks = _racks(given, free)
    discards: list[tuple[Slot, ...]] = [()] * rules.players
    if given.top is not None:
        discards[left_of(given.turn, rules.players)] = (Slot(given.top),)
    seen = {indicator, given.top, *(tile.tile for meld in given.melds for tile in meld.tiles)}
    stack = free if given.stack is None else free[: given.stack]
    state = replace(
        state,
        phase=Phase.PLAY if given.top is None else Phase.DRAW,
        turn=given.turn,
        racks=racks,
        stack=tuple(map(Slot, stack)),
        discards=tuple(discards),
        indicator=Slot(indicator),
        faces=tuple(tile if tile in seen else None for tile in DECK),
        table=_table(given),
    )
    return FaceUp(state, DECK)


def charged(hand: FaceUp, seat: Seat) -> int:
    """Points that were written against the seat in this hand."""
    return table_of(hand.state).charged(seat)


def _named(given: Setting) -> set[Tile]:
    tiles = {*given.rack, *given.reserved, *([] if given.top is None else [given.top])}
    tiles.update(tile for rack in given.racks.values() for tile in rack)
    tiles.update(tile.tile for meld in given.melds for tile in meld.tiles)
    return tiles


def _indicator(okey: Face, named: set[Tile]) -> Tile:
    before = Face(okey.colour, (okey.number - 2) % 13 + 1)
    free = [tile for copy in (1, 0) if (tile := make_tile(before, copy)) not in named]
    if not free:
        raise DecodeError(f"expected one {before} that may be the indicator")
    return free[0]


def _fillers(okey: Face) -> list[Tile]:
    """All tiles, those that are wild or without a number last."""
    return sorted(DECK, key=lambda tile: (is_wild(tile, okey), is_false_okey(tile), tile))


def _racks(given: Setting, free: list[Tile]) -> tuple[tuple[Slot, ...], ...]:
    """Racks per seat; takes what fills them from the free tiles."""
    racks = []
    for seat in map(Seat, range(given.rules.players)):
        rack = list(given.rack if seat == given.turn else given.racks.get(seat, ()))
        size = given.rack_size if seat == given.turn else None
        if seat != given.turn and seat not in given.racks:
            size = given.rules.rack_size
        while size is not None and len(rack) < size:
            rack.append(free.pop(0))
        racks.append(tuple(map(Slot, rack)))
    return tuple(racks)


def _table(given: Setting) -> OpenTable:
    seats = [Seat(seat) for seat in range(given.rules.players)]
    openings = [given.opened.get(seat, (Opened.NONE, 0)) for seat in seats]
    return replace(
        empty_table(given.rules.players),
        melds=given.melds,
        opened=tuple(opened for opened, _ in openings),
        opening_values=tuple(value for _, value in openings),
        going_pairs=tuple(seat in given.going_pairs for seat in seats),
        turn=given.turn_record,
    )


def laid_meld(kind: MeldKind, tiles: Sequence[Laid]) -> LaidMeld:
    """A meld of a move."""
    declared = tuple(laid.stands_for for laid in tiles)
    return LaidMeld(
        kind=kind,
        tiles=tuple(map(placed, tiles)),
        declared=declared if any(declared) else (),
    )


def lying_meld(
    rules: RuleSet,
    okey: Face,
    kind: MeldKind,
    tiles: Sequence[Laid],
    *,
    owner: Seat,
    placer: Seat | None = None,
) -> TableMeld:
    """A meld of the table.

    Args:
        placer: who put the okeys there, where it was not the owner.
    """
    read = read_meld(kind, tiles, okey=okey, rules=rules.melds)
    slots = [(Slot(laid.tile), laid.tile) for laid in tiles]
    meld = table_meld(kind, slots, read.stands, owner=owner)
    by = owner if placer is None else placer
    return replace(meld, tiles=tuple(replace(tile, placer=by) for tile in meld.tiles))


def read_table(
    rules: RuleSet, okey: Face, melds: Sequence[Example], *more: Sequence[str], owner: Seat
) -> tuple[tuple[TableMeld, ...], list[list[Laid]]]:
    """Melds of an example as they lie on the table, and more tiles of the same deck."""
    groups = read_groups(*(meld["tiles"] for meld in melds), *more)
    lying = tuple(
        lying_meld(rules, okey, MeldKind.from_word(meld["kind"]), tiles, owner=owner)
        for meld, tiles in zip(melds, groups, strict=False)
    )
    return lying, groups[len(melds) :]
