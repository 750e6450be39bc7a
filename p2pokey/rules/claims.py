"""Whether a move may use the tiles that it names: one check for all games (M-4, M-5)."""

from collections.abc import Sequence

from p2pokey.errors import IllegalMove
from p2pokey.rules.moves import Placed
from p2pokey.rules.view import View
from p2pokey.tiles import Seat, Slot, format_tile


def check_claims(view: View, seat: Seat, claims: Sequence[Placed]) -> None:
    """Every placed tile lies on the seat's rack, once, and is what it is known to be."""
    if not claims:
        return
    held = dict(view.private)
    for slot, tile in enumerate(view.state.faces):
        if tile is not None:
            held[Slot(slot)] = tile
    known = {tile: slot for slot, tile in held.items()}
    slots = {placed.slot for placed in claims}
    if len(slots) != len(claims) or len({placed.tile for placed in claims}) != len(claims):
        raise IllegalMove("the same tile was used twice", rule="M-4", seat=seat)
    for placed in claims:
        if placed.slot not in view.state.racks[seat]:
            raise IllegalMove(f"slot {placed.slot} is not on the rack", rule="M-4", seat=seat)
        face = held.get(placed.slot, placed.tile)
        if face != placed.tile or known.get(placed.tile, placed.slot) != placed.slot:
            raise IllegalMove(
                f"slot {placed.slot} does not hold {format_tile(placed.tile)}",
                rule="M-5",
                seat=seat,
            )
