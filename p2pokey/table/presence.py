"""Who is there, as this seat sees it: the state of each seat's link, and since when.

Presence is never agreed on and never signed: two seats may see a third differently for a while.
"""

from enum import Enum

from p2pokey.tiles import Seat


class Presence(Enum):
    """Whether a seat can be reached."""

    HERE = "here"
    UNSTABLE = "unstable"
    """Nothing has come for a while, or nothing is known yet."""
    AWAY = "away"
    """The link is broken; it may come back."""
    LEFT = "left"
    """The seat has said goodbye; it may come back."""

    @property
    def is_gone(self) -> bool:
        """Whether nothing is to be expected from there."""
        return self in (Presence.AWAY, Presence.LEFT)


class Attendance:
    """The presence of all seats; the own seat is always here."""

    def __init__(self, seats: int, own: Seat, now: float) -> None:
        """Nothing is known of the other seats yet: they count as unstable."""
        self._states = [Presence.UNSTABLE] * seats
        self._states[own] = Presence.HERE
        self._since = [now] * seats
        self._own = own

    def set(self, seat: Seat, state: Presence, now: float) -> bool:
        """Notes a state; whether it is another one than before."""
        if seat == self._own or self._states[seat] is state:
            return False
        self._states[seat] = state
        self._since[seat] = now
        return True

    def state(self, seat: Seat) -> Presence:
        """The newest state of a seat."""
        return self._states[seat]

    def since(self, seat: Seat) -> float:
        """When that state began."""
        return self._since[seat]

    def is_gone(self, seat: Seat) -> bool:
        """Whether nothing is to be expected from that seat."""
        return self._states[seat].is_gone
