"""Melds of a hand as they are laid, added to and swapped: what each tile then counts as.

Reads only; raises InvalidMeld where the tiles do not go together.
"""

from collections.abc import Sequence

from p2pokey.errors import IllegalMove, InvalidMeld
from p2pokey.rules.melds import Laid, MeldKind, Stand, identity, is_wild, read_meld
from p2pokey.rules.moves import End, LaidMeld, Placed
from p2pokey.rules.open_state import (
    Opened,
    TableMeld,
    TableTile,
    table_meld,
    with_stands,
)
from p2pokey.rules.playable import needs_both_colours, swaps_of
from p2pokey.rules.state import HandState
from p2pokey.tiles import Face, format_tile


def okey_of(state: HandState) -> Face:
    """The okey's face; only asked for once the indicator is turned."""
    assert state.okey is not None
    return state.okey


def read_new(state: HandState, melds: Sequence[LaidMeld]) -> tuple[TableMeld, ...]:
    """New melds of the seat to move.

    Raises:
        InvalidMeld: one of them is none, or is too long to be laid at once.
    """
    return tuple(_read_new(state, meld) for meld in melds)


def _read_new(state: HandState, meld: LaidMeld) -> TableMeld:
    declared = meld.declared or (None,) * len(meld.tiles)
    laid = [Laid(placed.tile, face) for placed, face in zip(meld.tiles, declared, strict=True)]
    read = read_meld(meld.kind, laid, okey=okey_of(state), rules=state.rules.melds, is_new=True)
    tiles = [(placed.slot, placed.tile) for placed in meld.tiles]
    return table_meld(meld.kind, tiles, read.stands, owner=state.turn)


def opening_kind(melds: Sequence[LaidMeld | TableMeld]) -> Opened | None:
    """Whether these are runs and sets or pairs; None where they are mixed."""
    pairs = {meld.kind is MeldKind.PAIR for meld in melds}
    if len(pairs) != 1:
        return None
    return Opened.PAIRS if True in pairs else Opened.MELDS


def opening_value(melds: Sequence[TableMeld]) -> int:
    """What counts against the floor: value of runs and sets, or number of pairs."""
    if opening_kind(melds) is Opened.PAIRS:
        return len(melds)
    return sum(meld.value for meld in melds)


def extended(state: HandState, meld: TableMeld, end: End, added: Sequence[Placed]) -> TableMeld:
    """The meld with tiles added at one end, the nearest to the meld first.

    Raises:
        InvalidMeld: it would be no run or set.
    """
    new = tuple(_fresh(state, placed) for placed in added)
    tiles = (*reversed(new), *meld.tiles) if end is End.LOW else (*meld.tiles, *new)
    okey = okey_of(state)
    fresh = {tile.slot for tile in new}
    laid = [Laid(tile.tile) if tile.slot in fresh else tile.laid(okey) for tile in tiles]
    read = read_meld(meld.kind, laid, okey=okey, rules=state.rules.melds)
    return with_stands(meld, tiles, read.stands)


def _fresh(state: HandState, placed: Placed) -> TableTile:
    """A tile of the seat to move; what it counts as is read with its meld."""
    face = identity(placed.tile, okey_of(state))
    stands = Stand(None, 0) if face is None else Stand(*face)
    return TableTile(slot=placed.slot, tile=placed.tile, stands=stands, placer=state.turn)


def added_stands(meld: TableMeld, added: Sequence[Placed]) -> tuple[Stand, ...]:
    """What the added tiles count as in the extended meld."""
    slots = {placed.slot for placed in added}
    return tuple(tile.stands for tile in meld.tiles if tile.slot in slots)


def swapped(state: HandState, meld: TableMeld, place: int, supply: Sequence[Placed]) -> TableMeld:
    """The meld with naturals in place of the okey at `place`.

    Raises:
        IllegalMove: rule OT-10 for another number of tiles, an okey among them or the wrong one.
        InvalidMeld: two tiles for a three-tile set that are not its missing colours.
    """
    okey = okey_of(state)
    both = needs_both_colours(state.rules, meld)
    if len(supply) != 1 + both:
        raise IllegalMove(
            f"expected {1 + both} tiles for this okey, got {len(supply)}", rule="OT-10"
        )
    if any(is_wild(placed.tile, okey) for placed in supply):
        raise IllegalMove("an okey never replaces an okey", rule="OT-10")
    new = tuple(_fresh(state, placed) for placed in supply)
    if both:
        tiles = (*meld.tiles[:place], *meld.tiles[place + 1 :], *new)
    else:
        _check_supply(state, meld, place, supply[0])
        tiles = (*meld.tiles[:place], *new, *meld.tiles[place + 1 :])
    read = read_meld(
        meld.kind, [tile.laid(okey) for tile in tiles], okey=okey, rules=state.rules.melds
    )
    return with_stands(meld, tiles, read.stands)


def _check_supply(state: HandState, meld: TableMeld, place: int, placed: Placed) -> None:
    okey = okey_of(state)
    wanted = next(s.face for s in swaps_of(state.rules, meld, okey) if s.place == place)
    if identity(placed.tile, okey) != wanted:
        shown = format_tile(placed.tile, with_copy=False)
        raise InvalidMeld(f"the okey stands for {wanted}, you supply {shown}", rule="OT-10")
