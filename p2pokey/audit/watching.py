"""What a replay shows to whoever steps through a hand: every state, as soon as it has been checked."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from p2pokey.rules.events import Event
from p2pokey.rules.moves import Move
from p2pokey.rules.state import HandState
from p2pokey.tiles import Seat, Slot, Tile

Made = tuple[Move, tuple[Event, ...]]
"""A move and what came of it."""


class What(StrEnum):
    """What led to a state."""

    DEALT = "dealt"
    """The deal, with the indicator turned where the game has one."""
    MOVE = "move"
    """A move that its seat signed."""
    ABSENT = "absent"
    """A turn that the others have played for an absent seat (docs/protocol.md S10)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """One state of a hand and how the replay came to it."""

    what: What
    seat: Seat | None
    """Whose move or turn it was; None for the deal."""
    made: tuple[Made, ...]
    """The moves: one, or those of an absent seat's turn."""
    state: HandState
    faces: Mapping[Slot, Tile]
    """The tile in every slot, if all seeds are known; else empty."""
    line: int
    """Number of the newest line that was read, 1-based."""
    proofs: int
    """Proof objects that have verified so far, this state's included."""


Watch = Callable[[Moment], None]
"""Called with every state of a hand, in order."""
