"""What a player of an open table works out of its view before it decides."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from p2pokey.bots.reach import Outlook, outlook
from p2pokey.errors import LocalProtocolError
from p2pokey.rules.dealing import mover
from p2pokey.rules.melds import identity
from p2pokey.rules.moves import Move, Placed, move_placed
from p2pokey.rules.open_floors import Floors, floors
from p2pokey.rules.open_legal import is_legal
from p2pokey.rules.open_melds import okey_of
from p2pokey.rules.open_state import Opened, OpenTable, table_of
from p2pokey.rules.open_taking import is_unused
from p2pokey.rules.playable import Room, Swap, room_of, swaps_of
from p2pokey.rules.published import OpenTableRules
from p2pokey.rules.state import HandState
from p2pokey.rules.view import View
from p2pokey.tiles import Colour, Face, Seat, Slot, Tile

_FEW_TILES = 3
"""A rival with so few tiles may finish in its next turn."""

COPIES = 2


@dataclass(frozen=True, kw_only=True)
class Sight:
    """One decision of the seat to move; not slotted, so that what is worked out is kept."""

    view: View
    state: HandState
    seat: Seat
    rules: OpenTableRules
    table: OpenTable
    okey: Face
    rack: tuple[Placed, ...]

    @cached_property
    def rooms(self) -> tuple[tuple[int, Room], ...]:
        """Where melds on the table take one tile more, by number of the meld."""
        return tuple(
            (number, room)
            for number, meld in enumerate(self.table.melds)
            for room in room_of(self.state.rules, meld)
        )

    @cached_property
    def swaps(self) -> tuple[tuple[int, Swap], ...]:
        """Okeys on the table that one tile frees, by number of the meld."""
        return tuple(
            (number, swap)
            for number, meld in enumerate(self.table.melds)
            for swap in swaps_of(self.state.rules, meld, self.okey)
        )

    @cached_property
    def outlook(self) -> Outlook:
        """The rack by faces."""
        return self.outlook_of(self.rack)

    @cached_property
    def live(self) -> Counter[Face]:
        """Per face, copies that this seat has not seen; faces that are all seen are missing."""
        known = {tile for tile in self.state.faces if tile is not None}
        known.update(placed.tile for placed in self.rack)
        # False okeys count as the okey's face, of which there are no other naturals.
        seen = Counter(identity(tile, self.okey) for tile in known)
        return Counter({face: COPIES - seen[face] for face in _FACES if seen[face] < COPIES})

    @cached_property
    def wilds(self) -> tuple[Placed, ...]:
        """Okeys on the rack, first those that were retrieved in this turn and may have to go."""
        held = [placed for placed in self.rack if self.face(placed) is None]
        return tuple(sorted(held, key=lambda placed: placed.slot not in self.table.turn.retrieved))

    @cached_property
    def naturals(self) -> tuple[Placed, ...]:
        """The other tiles of the rack."""
        return tuple(placed for placed in self.rack if self.face(placed) is not None)

    @property
    def opened(self) -> Opened:
        """How this seat has opened."""
        return self.table.opened[self.seat]

    @cached_property
    def floors(self) -> Floors:
        """What this seat's opening must reach."""
        return floors(self.state.rules, self.seat, self.table.openings())

    @property
    def taken(self) -> Placed | None:
        """The tile taken in this turn while it is unused."""
        if not is_unused(self.state):
            return None
        return next(placed for placed in self.rack if placed.slot == self.state.taken)

    @property
    def is_urgent(self) -> bool:
        """Whether the hand may soon be over, so that okeys should leave the rack."""
        rivals = [rack for seat, rack in enumerate(self.state.racks) if seat != self.seat]
        few = min(map(len, rivals)) <= _FEW_TILES
        return few or len(self.state.stack) < 2 * self.state.seats

    def face(self, placed: Placed) -> Face | None:
        """What a tile counts as, None for an okey."""
        return identity(placed.tile, self.okey)

    def outlook_of(self, placed_all: Iterable[Placed]) -> Outlook:
        """Some tiles by faces."""
        return outlook(map(self.face, placed_all), wrap=self.state.rules.wrap)

    def allows(self, move: Move) -> bool:
        """Whether the rules let this seat do that with tiles that it holds."""
        return is_legal(self.state, move)

    def placed(self, tiles: Iterable[Tile]) -> tuple[Placed, ...]:
        """Tiles of the rack with their slots."""
        slot_of = {placed.tile: placed.slot for placed in self.rack}
        return tuple(Placed(slot_of[tile], tile) for tile in tiles)


_FACES = tuple(Face(colour, number) for colour in Colour for number in range(1, 14))


def look(view: View) -> Sight:
    """What the viewer, who must be the seat to move, sees.

    Raises:
        LocalProtocolError: it is not his turn, or he does not know his tiles.
    """
    state = view.state
    seat = mover(state)
    rack = tuple(Placed(slot, tile) for slot, tile in view.rack())
    if seat is None or view.seat != seat or len(rack) != len(state.racks[seat]):
        raise LocalProtocolError(f"seat {view.seat} has no move")
    return Sight(
        view=view,
        state=state,
        seat=seat,
        rules=state.rules.open_table,
        table=table_of(state),
        okey=okey_of(state),
        rack=rack,
    )


def tiles_of(placed_all: Iterable[Placed]) -> tuple[Tile, ...]:
    """The tiles, slots forgotten."""
    return tuple(placed.tile for placed in placed_all)


def still_private(view: View, move: Move) -> tuple[tuple[Slot, Tile], ...]:
    """What only the viewer knows after a move that shows some of his tiles."""
    shown = {placed.slot for placed in move_placed(move)}
    return tuple((slot, tile) for slot, tile in view.private if slot not in shown)
