"""The clock of a turn: counts only the time in which the seat on turn could have moved.

A turn is timed as a whole, however many moves it has, from when its seat can read what it must
(docs/rules, C-15). The clock stands while cryptography runs or a token is awaited, and while the
link of the seat on turn is broken: that for `grace_s` seconds in sum for each seat in one hand, so
that nobody stops the clock for ever by pulling a plug. No clock of its own: `now` comes in, in
seconds, and never goes back.
"""

from enum import Enum, auto

from p2pokey.errors import LocalProtocolError
from p2pokey.rules.counting import turn_seconds
from p2pokey.rules.published import RuleSet
from p2pokey.rules.rulesets import TableOptions
from p2pokey.tiles import Seat


class Hold(Enum):
    """Why the clock stands without anybody's grace getting less."""

    WORK = auto()
    """Cryptographic work, here or at another seat."""
    TOKEN = auto()
    """A drawn tile cannot be read yet."""
    PAUSE = auto()
    """The hand is paused: somebody is missing and cannot be stood in for."""


class TurnClock:
    """The clock of one hand's turns, as one seat sees it."""

    def __init__(self, *, rules: RuleSet, options: TableOptions, people: tuple[bool, ...]) -> None:
        """A clock before the first turn.

        Args:
            rules: for the seconds that an opening adds.
            options: `timer_s` (0: no limit) and `grace_s`.
            people: for each seat whether a person plays it; only people get more time.
        """
        self._rules = rules
        self._options = options
        self._people = people
        self._turn: tuple[int, Seat] | None = None
        self._holds: set[Hold] = set()
        self._broken: set[Seat] = set()
        self._grace_used = [0.0] * len(people)
        self._has_opened = False
        self._spent = 0.0
        self._since = 0.0

    @property
    def is_on(self) -> bool:
        """Whether turns are limited at this table at all."""
        return self._options.timer_s > 0

    @property
    def seat(self) -> Seat | None:
        """The seat on turn."""
        return None if self._turn is None else self._turn[1]

    @property
    def limit(self) -> int:
        """Seconds of this turn as far as is known; 0: no limit."""
        if self._turn is None:
            return self._options.timer_s
        return turn_seconds(
            self._rules,
            self._options.timer_s,
            opening_accepted=self._has_opened,
            is_person=self._people[self._turn[1]],
        )

    def turn(self, number: int, seat: Seat, now: float) -> None:
        """Turn `number` is that seat's; telling it again changes nothing.

        What holds the clock goes on holding it.
        """
        if self._turn == (number, seat):
            return
        self._count(now)
        self._turn = (number, seat)
        self._has_opened = False
        self._spent = 0.0

    def pause(self, now: float, reason: Hold) -> None:
        """The clock stands for this reason, besides others."""
        self._count(now)
        self._holds.add(reason)

    def run(self, now: float, reason: Hold) -> None:
        """This reason has gone; the clock runs when all have."""
        self._count(now)
        self._holds.discard(reason)

    def link(self, seat: Seat, now: float, *, is_broken: bool) -> None:
        """The link of a seat is broken or back; it matters while that seat is on turn."""
        self._count(now)
        if is_broken:
            self._broken.add(seat)
        else:
            self._broken.discard(seat)

    def opened(self, now: float) -> None:
        """The first opening of the seat on turn has been accepted in this turn (C-15)."""
        self._count(now)
        self._has_opened = True

    def remaining(self, now: float) -> float | None:
        """Seconds left in this turn, 0 if the time is up; None: no limit."""
        if not self.is_on or self._turn is None:
            return None
        spent, _ = self._counted(now)
        return max(0.0, self.limit - spent)

    def expires_at(self) -> float | None:
        """When the time will be up if nothing changes; None: never."""
        if not self.is_on or self._turn is None or self._holds:
            return None
        return self._since + self._grace_left() + max(0.0, self.limit - self._spent)

    def grace_used(self, seat: Seat, now: float) -> float:
        """Seconds of grace that the broken link of a seat has used in this hand."""
        _, grace = self._counted(now)
        return self._grace_used[seat] + (grace if seat == self.seat else 0.0)

    def _count(self, now: float) -> None:
        """Books what has passed since the last change."""
        if now < self._since and self._turn is not None:
            raise LocalProtocolError(f"the clock was at {self._since}, and now it is {now}")
        spent, grace = self._counted(now)
        self._spent = spent
        if self._turn is not None:
            self._grace_used[self._turn[1]] += grace
        self._since = now

    def _counted(self, now: float) -> tuple[float, float]:
        """Seconds spent of the turn, and further seconds of grace used, at that time."""
        if self._turn is None or self._holds:
            return self._spent, 0.0
        passed = now - self._since
        grace = min(passed, self._grace_left())
        return self._spent + passed - grace, grace

    def _grace_left(self) -> float:
        """Seconds for which the broken link of the seat on turn still stops the clock."""
        if self._turn is None or self._turn[1] not in self._broken:
            return 0.0
        return max(0.0, self._options.grace_s - self._grace_used[self._turn[1]])
