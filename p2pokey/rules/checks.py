"""What all games forbid alike: whose turn it is, what a turn begins with, which tiles a move may name.

The checks of the games (classic_checks.py, open_checks.py, duel_checks.py) begin with these.
"""

from collections.abc import Sequence
from typing import NoReturn

from p2pokey.errors import IllegalMove, NotYourTurn
from p2pokey.rules.dealing import mover
from p2pokey.rules.moves import Placed
from p2pokey.rules.state import HandState, Phase
from p2pokey.rules.view import View
from p2pokey.tiles import Seat, Slot, format_tile


def refuse(state: HandState, why: str, rule: str, **numbers: int) -> NoReturn:
    """Raises IllegalMove: the seat to move may not do that.

    Args:
        numbers: the figures of the sentence by name, for sentences in other languages.
    """
    raise IllegalMove(why, rule=rule, seat=state.turn, numbers=numbers)


def check_turn(view: View) -> Seat:
    """The seat to move, which is the viewer's unless the view is public (M-1)."""
    seat = mover(view.state)
    if seat is None:
        raise IllegalMove("nobody is to move now", rule="M-1")
    if view.seat not in (None, seat):
        raise NotYourTurn("it is another seat's turn", rule="M-1", seat=view.seat)
    return seat


def check_phase(state: HandState, phase: Phase) -> None:
    """A draw or a take comes first in a turn, and once (M-2)."""
    if state.phase is not phase:
        must = "draw or take a tile first" if phase is Phase.PLAY else "a tile was drawn already"
        refuse(state, must, "M-2")


def check_stack(state: HandState) -> None:
    """There is a tile to draw (M-3)."""
    if not state.stack:
        refuse(state, "the stack is empty", "M-3")


def check_left_pile(state: HandState) -> None:
    """There is a discard to take (M-3)."""
    if not state.discards[state.left_of(state.turn)]:
        refuse(state, "there is no discard to take", "M-3")


def check_last_offer(state: HandState) -> None:
    """Only the last discard may be declined, when the stack is empty (G-7)."""
    if state.stack:
        refuse(state, "passing is for an empty stack only", "G-7")


def check_claims(view: View, seat: Seat, claims: Sequence[Placed]) -> None:
    """Every placed tile lies on the seat's rack, once, and is what it is known to be (M-4, M-5)."""
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
