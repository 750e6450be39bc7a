"""What seats have said with NEXT: who plays which attempt, and what was lost of the one before.

The first NEXT of a seat for an attempt counts. All of this follows from the chains alone, so every
seat that holds the same NEXTs comes to the same setup.
"""

from collections import Counter
from collections.abc import Mapping

from p2pokey.table.contents import Next, Wish
from p2pokey.tiles import Seat

AGREEING = 2
"""Seats that must say the same of a failed attempt: one alone may lie."""


class Nexts:
    """Every seat's wishes."""

    def __init__(self, seats: int) -> None:
        self._said: dict[int, dict[Seat, Next]] = {}
        self._latest = [-1] * seats
        self._stops: dict[Seat, list[int]] = {}

    def put(self, seat: Seat, said: Next) -> bool:
        """Takes a NEXT, in the order of its author's chain; whether it counts."""
        of_attempt = self._said.setdefault(said.attempt, {})
        if seat in of_attempt:
            return False
        of_attempt[seat] = said
        self._latest[seat] = max(self._latest[seat], said.attempt)
        if said.wish is Wish.STOP:
            self._stops.setdefault(seat, []).append(said.attempt)
        return True

    def of(self, attempt: int) -> Mapping[Seat, Next]:
        """Who has said what about an attempt."""
        return self._said.get(attempt, {})

    def latest(self, seat: Seat) -> int:
        """The highest attempt that a seat has spoken of; -1: none."""
        return self._latest[seat]

    def stopped(self, attempt: int, first: int) -> tuple[Seat, ...]:
        """Seats that do not play this attempt.

        Args:
            attempt: the one that comes next.
            first: attempt with which the match began. Who has stopped once has stopped in that match;
                what was said of a match before it does not count.
        """
        within = range(first, attempt + 1)
        return tuple(
            sorted(seat for seat, stops in self._stops.items() if any(at in within for at in stops))
        )


def agreed_claims(said: Mapping[Seat, Next], seats: int) -> tuple[tuple[Seat, ...], Seat | None]:
    """What counts of all that the seats say of a failed attempt.

    Returns:
        The seats that have withheld their KEYS: at least two *other* seats say so; and the starter
        that stays, if at least two seats name it. With two seats at the table nothing counts.
    """
    if seats <= AGREEING:
        return (), None
    withheld = tuple(
        Seat(seat)
        for seat in range(seats)
        if sum(said[by].withheld >> seat & 1 for by in said if by != seat) >= AGREEING
    )
    named = Counter(
        next_.starter
        for next_ in said.values()
        if next_.starter is not None and next_.starter < seats
    )
    agreed = [(-votes, starter) for starter, votes in named.items() if votes >= AGREEING]
    return withheld, min(agreed)[1] if agreed else None
