"""Whoever looks over a seat's shoulder: the page, which shows the game itself and not only news of it."""

from collections.abc import Sequence
from typing import Protocol

from p2pokey.audit.report import Outcome
from p2pokey.peer.events import ProofCount
from p2pokey.rules.events import Event
from p2pokey.rules.moves import Move
from p2pokey.rules.view import View
from p2pokey.table.turn_clock import TurnClock
from p2pokey.tiles import Seat


class Watch(Protocol):
    """Told of everything on the event loop, and never keeps it waiting."""

    def began(self, clock: TurnClock) -> None:
        """A hand begins, or is taken up again; `clock` times its turns."""

    def saw(self, view: View) -> None:
        """What this seat sees has changed."""

    def moved(self, seat: Seat, move: Move, events: Sequence[Event]) -> None:
        """A move was checked and applied; the view that it leads to follows."""

    def proved(self, proofs: tuple[ProofCount, ...]) -> None:
        """Proofs of the others that have been accepted in this hand so far."""

    def audited(self, proofs: int, outcome: Outcome | None) -> None:
        """The own audit of the hand has verified that many proofs; None: it came to no score."""


class NoWatch:
    """Nobody looks."""

    def began(self, clock: TurnClock) -> None:
        """Ignored."""

    def saw(self, view: View) -> None:
        """Ignored."""

    def moved(self, seat: Seat, move: Move, events: Sequence[Event]) -> None:
        """Ignored."""

    def proved(self, proofs: tuple[ProofCount, ...]) -> None:
        """Ignored."""

    def audited(self, proofs: int, outcome: Outcome | None) -> None:
        """Ignored."""
