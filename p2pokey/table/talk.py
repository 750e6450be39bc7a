"""The chat as this seat shows it: limits of speed, muted players, the last lines.

Nothing here is agreed on between seats: a line is shown or not, but every seat keeps all lines in its
chains and passes them on.
"""

from collections import deque
from dataclasses import dataclass

from p2pokey.table.chat_text import neutralise
from p2pokey.table.contents import Chat, QuickPhrase
from p2pokey.tiles import Seat

HISTORY = 500
"""Lines of each seat that are kept to be shown; nobody pushes out what others have said."""
OWN_BURST, OWN_PER_S = 5, 0.5
"""Lines that this seat may say at once, and then per second."""
OTHERS_BURST, OTHERS_PER_S = 10, 1.0
"""The same for lines of others: their network may bring several at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of the chat, ready to be shown."""

    seat: Seat
    seq: int
    """Place in the author's table chain."""
    text: str | None
    """Neutralised text; None: a quick phrase."""
    phrase: int | None
    """Code of the phrase (table/phrases.py), perhaps one that this program does not know."""
    at: float
    """When it was accepted here."""


class Bucket:
    """So many at once, then so many per second."""

    def __init__(self, burst: float, per_s: float, now: float) -> None:
        self._burst = burst
        self._per_s = per_s
        self._left = burst
        self._at = now

    def wait(self, now: float) -> float:
        """Seconds until another one may pass; 0: now."""
        self._fill(now)
        return max(0.0, (1.0 - self._left) / self._per_s)

    def take(self, now: float) -> bool:
        """Whether one passes now; if so it is booked."""
        self._fill(now)
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True

    def grant(self, count: float) -> None:
        """Lets further ones pass."""
        self._left += count

    def _fill(self, now: float) -> None:
        filled = self._left + max(0.0, now - self._at) * self._per_s
        self._left = max(self._left, min(self._burst, filled))
        self._at = now


class Talk:
    """The lines of all seats."""

    def __init__(self, seats: int, own: Seat, now: float) -> None:
        self._own = own
        self._own_bucket = Bucket(OWN_BURST, OWN_PER_S, now)
        self._buckets = [Bucket(OTHERS_BURST, OTHERS_PER_S, now) for _ in range(seats)]
        self._lines: tuple[deque[tuple[int, Line]], ...] = tuple(
            deque(maxlen=HISTORY) for _ in range(seats)
        )
        self._count = 0
        self.muted: set[Seat] = set()
        """Seats whose lines are kept but not shown."""
        self.dropped = [0] * seats
        """Lines of each seat that came too fast and were not shown."""

    def history(self) -> list[Line]:
        """The last lines that are shown, oldest first."""
        kept = [entry for lines in self._lines for entry in lines if self.shows(entry[1])]
        return [line for _, line in sorted(kept, key=lambda entry: entry[0])]

    def shows(self, line: Line) -> bool:
        """Whether the author of a line is not muted."""
        return line.seat not in self.muted

    def wait(self, now: float) -> float:
        """Seconds until this seat may say another line; 0: now."""
        return self._own_bucket.wait(now)

    def book(self, now: float) -> None:
        """This seat says a line."""
        self._own_bucket.take(now)

    def was_away(self, seat: Seat, seconds: float) -> None:
        """The link to a seat is back: what it has said meanwhile comes at once."""
        self._buckets[seat].grant(min(HISTORY, seconds * OWN_PER_S))

    def restored(self) -> None:
        """This program was started again: nobody knows for how long it was away."""
        for bucket in self._buckets:
            bucket.grant(HISTORY)

    def put(
        self, seat: Seat, seq: int, content: Chat | QuickPhrase, now: float, *, is_limited: bool
    ) -> Line | None:
        """Keeps an accepted line; None if its author is too fast.

        Args:
            is_limited: False for own lines and for those read back from disk.
        """
        if is_limited and not self._buckets[seat].take(now):
            self.dropped[seat] += 1
            return None
        line = Line(
            seat=seat,
            seq=seq,
            text=neutralise(content.text) if isinstance(content, Chat) else None,
            phrase=content.code if isinstance(content, QuickPhrase) else None,
            at=now,
        )
        self._count += 1
        self._lines[seat].append((self._count, line))
        return line
