"""An open dispute: two seats have seen different things, and a third may have shown them.

The honest way out is a fork of that third seat. Only if none appears within `DISPUTE_SECONDS` is the
author of the differing message to blame.
"""

from collections.abc import Collection

from p2pokey.hand.blame import Dispute
from p2pokey.tiles import Seat
from p2pokey.transcript.envelope import Envelope

DISPUTE_SECONDS = 10.0
"""Time for a fork to reach this seat once the disputed author has what this seat has."""


class Disputing:
    """At most one dispute at a time: nothing is handled while one is open."""

    def __init__(self) -> None:
        self._open: tuple[Dispute, Envelope] | None = None
        self._until = 0.0
        self._unheard: frozenset[Seat] = frozenset()

    @property
    def author(self) -> Seat | None:
        """The author of the disputed message; None: there is no dispute."""
        return None if self._open is None else self._open[0].author

    def open(self, dispute: Dispute, envelope: Envelope, now: float) -> None:
        """A dispute about that message begins."""
        self._open, self._until = (dispute, envelope), now + DISPUTE_SECONDS

    def close(self) -> None:
        """There is no dispute any more."""
        self._open = None

    def note_unheard(self, seats: Collection[Seat], now: float) -> None:
        """Says which seats may not have what this seat has sent, or cannot be heard.

        An honest seat that is disputed shows why as soon as it has that: until then, and for
        `DISPUTE_SECONDS` from then on, nothing is held against it.
        """
        author = self.author
        if author is not None and author in self._unheard and author not in seats:
            self._until = now + DISPUTE_SECONDS
        self._unheard = frozenset(seats)

    def next_timer(self) -> float | None:
        """When the time is up; None: there is no dispute, or it may wait."""
        return None if self._open is None or self.author in self._unheard else self._until

    def take_decided(self, now: float) -> tuple[Dispute, Envelope] | None:
        """The dispute in which no fork has appeared in time; it is closed then."""
        due = self.next_timer()
        if due is None or now < due:
            return None
        decided, self._open = self._open, None
        return decided
