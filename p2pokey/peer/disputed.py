"""A seat whose message this one cannot place, and whether it has been shown why.

Only what it does not explain when it has what this seat has is held against it: it may have been
shown something else by a third seat, and be on its way back to say so.
"""

from p2pokey.net.link import LinkState
from p2pokey.peer.passing import Passing
from p2pokey.peer.postbox import Postbox
from p2pokey.peer.worker import Clock
from p2pokey.tiles import Seat

SHOW_S = 5.0
"""Seconds between two times of showing a disputed seat what this one has."""


class Disputed:
    """The disputed seat of one hand, if there is one."""

    def __init__(self, postbox: Postbox, passing: Passing, clock: Clock) -> None:
        self._postbox = postbox
        self._passing = passing
        self._clock = clock
        self._seat: Seat | None = None
        self._shown_at: float | None = None
        """When it was last shown what this seat has, over a link that still stands."""

    def note(self, seat: Seat | None) -> None:
        """Whose message the machine cannot place now (`HandMachine.disputed`)."""
        if seat != self._seat:
            self._seat, self._shown_at = seat, None

    def unheard(self) -> set[Seat]:
        """The disputed seat, until it has what this seat has and as long as it cannot be heard.

        Shows it that from time to time.
        """
        seat = self._seat
        if seat is None:
            return set()
        link = self._postbox.links.get(seat)
        if link is not None and link.state is not LinkState.HERE:
            self._shown_at = None
            return {seat}
        now = self._clock()
        is_known = self._shown_at is not None and seat in self._passing.synced
        if not is_known and (self._shown_at is None or now - self._shown_at >= SHOW_S):
            self._shown_at = now
            self._passing.show(seat)
        return set() if is_known else {seat}
