"""What a move owes the deck: which slots it opens, for what purpose, and whether to re-mask first.

Derived from public state alone, so the machine that plays and the audit that replays agree
(docs/protocol.md S8, S9).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from p2pokey.rules.events import Event, Reveal
from p2pokey.rules.moves import Discard, Finish, Move, Show, move_placed
from p2pokey.rules.state import HandState
from p2pokey.tiles import Seat, Slot, Tile


@dataclass(frozen=True, slots=True, kw_only=True)
class RevealPlan:
    """Concealed slots that a move makes public, ascending; empty where all of them are public."""

    purpose: str
    slots: tuple[Slot, ...]
    tiles: tuple[Tile, ...]
    rack_indices: tuple[int, ...]
    """Place of each slot in the rack list."""


def reveal_plan(game: HandState, seat: Seat, move: Move) -> RevealPlan:
    """What the move of this seat, legal in this state, must prove."""
    rack = game.racks[seat]
    concealed = [placed for placed in move_placed(move) if game.faces[placed.slot] is None]
    return RevealPlan(
        purpose=_purpose(move),
        slots=tuple(placed.slot for placed in concealed),
        tiles=tuple(placed.tile for placed in concealed),
        rack_indices=tuple(rack.index(placed.slot) for placed in concealed),
    )


def _purpose(move: Move) -> str:
    """The purpose of the move's proof (docs/protocol.md S8)."""
    match move:
        case Finish():
            return "finish"
        case Show() | Discard():
            return "reveal"
        case _:
            return "meld"


def concealed_slots(game: HandState, seat: Seat) -> tuple[Slot, ...]:
    """The concealed entries of the seat's rack list, in list order."""
    return tuple(slot for slot in game.racks[seat] if game.faces[slot] is None)


class RemaskDuty:
    """Which seats must re-mask before their next reveal: those whose rack took in a concealed tile.

    Showing the indicator's twin and finishing Classic Okey come without a re-mask (S9).
    """

    def __init__(self, *, seats: int, enabled: bool) -> None:
        self._enabled = enabled
        self._fresh = [True] * seats

    def copy(self) -> "RemaskDuty":
        """An independent copy."""
        twin = RemaskDuty(seats=len(self._fresh), enabled=self._enabled)
        twin._fresh = list(self._fresh)
        return twin

    def is_due(self, game: HandState, seat: Seat, move: Move) -> bool:
        """Whether this move must bring a re-mask of the seat's concealed slots."""
        if not self._enabled or isinstance(move, Show | Finish) or not move_placed(move):
            return False
        return self._fresh[seat] and len(concealed_slots(game, seat)) >= 2

    def done(self, seat: Seat) -> None:
        """The seat has re-masked."""
        self._fresh[seat] = False

    def arrived(self, seat: Seat) -> None:
        """A concealed tile has come to the seat's rack."""
        self._fresh[seat] = True


def reveals_in(events: Sequence[Event]) -> tuple[Reveal, ...]:
    """The slots that the deck must now open."""
    return tuple(event for event in events if isinstance(event, Reveal))


def owed_positions(reveals: Sequence[Reveal], seat: int) -> tuple[int, ...]:
    """Positions, strictly increasing, for which the seat owes its token."""
    return tuple(sorted(slot for event in reveals if event.to != seat for slot in event.slots))
