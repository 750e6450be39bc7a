"""What a hand waits for, since when, and what to do about it. No input or output of its own.

A turn has a clock of its own (table/turn_clock.py); every other wait has a limit (peer/waits.py). When
one is over the silent seats are called absent, and where recovery allows, the others play on without
them. Where that does not help the hand is paused: it waits on, or is voided after as long again.

A program that has slept, or was kept from running, blames nobody for that time.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from p2pokey.net.link import LinkState
from p2pokey.net.mesh import LinkChanged
from p2pokey.peer.links import is_gone, state_text
from p2pokey.peer.passing import ASK_BROKEN_S, ASK_MOVE_S, ASK_S
from p2pokey.peer.waits import (
    IfMissing,
    WaitLimits,
    code_of,
    is_move,
    limit_of,
    name_of,
    people,
)
from p2pokey.peer.worker import Turn
from p2pokey.rules.rulesets import TableOptions
from p2pokey.table.turn_clock import Hold, TurnClock
from p2pokey.tiles import Seat

SLEPT_S = 3.0
"""A program that is later than that has been asleep, or was kept from running."""
STAND_IN_S = 2.0
STAND_IN_SHARE = 0.1
"""The own program moves for an idle player that long before the time is up, whichever is more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """Ask the others for what is missing, unless that was less than `pause_s` ago."""

    pause_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Tell the player what is waited for."""

    text: str
    what: str
    """As in `events.StillWaiting`."""
    seats: tuple[Seat, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """Call these seats absent."""

    seats: tuple[Seat, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """Nobody stands in for these seats: tell the player, who may void the hand."""

    seats: tuple[Seat, ...]
    seconds: float
    """How long they have been waited for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GiveUp:
    """End the hand without score."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StandIn:
    """The own player's time is nearly up: the own program moves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leave:
    """End the program: the hand has to end with the missing seats, and they do not come."""

    reason: str
    """One sentence."""


Due = Ask | Notice | Call | Pause | GiveUp | StandIn | Leave
"""Something to do now."""


@dataclass(kw_only=True)
class Patience:
    """The waits of one hand at one seat; all times are seconds of one clock."""

    seat: Seat
    names: tuple[str, ...]
    options: TableOptions
    limits: WaitLimits
    if_missing: IfMissing
    links: Mapping[Seat, LinkChanged]
    """Newest state of each other seat's link, kept up to date by its owner."""
    turns: TurnClock
    needed: tuple[Seat, ...] = ()
    """Seats that have to be back before this seat may move: the other one of a duel."""
    last_wait: str = ""
    """What was waited for last, and of whom."""
    late: str = ""
    """What a seat with a good link has not sent in time."""
    _turn: Turn | None = None
    _wait: tuple[object, ...] = ()
    _since: float = 0.0
    _missing: dict[tuple[int, Seat], float] = field(default_factory=dict)
    """Since when each awaited seat is, by step."""
    _told: tuple[int, str] | None = None
    """The step and the wait that the player was told of last."""
    _called: set[tuple[int, Seat]] = field(default_factory=set)
    """Steps in which this seat has called another one absent."""
    _paused: tuple[Seat, ...] = ()
    _paused_at: float = 0.0
    _opener: Seat | None = None
    _up_at: float | None = None
    """When the time of the turn is up, or was; None: not while things are as they are."""
    _expected: float = math.inf
    """When this program was going to look again."""

    @property
    def paused(self) -> tuple[Seat, ...]:
        """Seats for which the hand is paused; empty while it goes on."""
        return self._paused

    # What happens --------------------------------------------------------------------------------

    def look(self, turn: Turn, now: float) -> bool:
        """Notes what a slice of work came to.

        Only progress and own proofs make a wait younger: not what comes twice, and not votes, which
        a silent seat can sign as often as it likes.

        Returns:
            Whether a pause has ended by it.
        """
        self.wake(now)
        self._turn = turn
        awaited = self.awaited
        self._missing = {
            (turn.step, seat): self._missing.get((turn.step, seat), now) for seat in awaited
        }
        wait = (turn.step, turn.waiting, self.gone)
        if turn.is_proving or wait != self._wait:
            self._wait, self._since = wait, now
        if awaited:
            self.last_wait = self.what
        is_over = bool(self._paused) and not set(self._paused) & set(awaited)
        if is_over:
            self._paused = ()
        self._run_clock(turn, now)
        return is_over

    def wake(self, now: float) -> None:
        """Has to be called after a wait: what this program slept through counts for nobody."""
        if now - self._expected > SLEPT_S:
            self._since = self._paused_at = now
            self.turns.pause(self._expected, Hold.WORK)
            self.turns.run(now, Hold.WORK)
            self._up_at = self.turns.expires_at()
        self._expected = now

    def opened(self, seat: Seat) -> None:
        """A seat has opened for the first time."""
        self._opener = seat

    def _run_clock(self, turn: Turn, now: float) -> None:
        """The clock runs while the seat on turn can move and can be heard."""
        turns = self.turns
        if self._opener is not None and self._opener == turns.seat:
            turns.opened(now)
        self._opener = None
        if turn.mover is not None:
            turns.turn(turn.number, turn.mover, now)
            turns.link(turn.mover, now, is_broken=not self._is_heard(turn.mover))
        is_readable = turn.mover is not None and turn.waiting.seats == (turn.mover,)
        for reason, holds in (
            (Hold.WORK, turn.is_proving),
            (Hold.TOKEN, not is_readable),
            (Hold.PAUSE, bool(self._paused)),
        ):
            (turns.pause if holds else turns.run)(now, reason)
        if turns.remaining(now) != 0:
            self._up_at = turns.expires_at()
        elif self._up_at is None:
            self._up_at = now

    def _is_heard(self, seat: Seat) -> bool:
        return seat == self.seat or (
            seat not in self.links or self.links[seat].state is LinkState.HERE
        )

    # What is due ---------------------------------------------------------------------------------

    def alarm(self, now: float, *, is_person: bool) -> float | None:
        """When to ask `due` again if nothing else happens; None: not at all."""
        marks = [mark for mark in (self._over_at(), self._idle_at(is_person)) if mark is not None]
        if self.awaited:
            marks.append(now + self._pause_s)
            if self._told != self._news:
                marks.append(self._since + self.limits.notice_s)
        self._expected = max(now, min(marks)) if marks else math.inf
        return self._expected if marks else None

    def due(self, now: float, *, is_person: bool) -> list[Due]:
        """What to do now.

        Args:
            is_person: whether this seat's player is one who has not moved yet.
        """
        idle_at, over_at = self._idle_at(is_person), self._over_at()
        if idle_at is not None and now >= idle_at:
            return [StandIn()]
        if not self.awaited:
            return []
        if self._is_stuck(now):
            return [Leave(reason=self._stuck_text())]
        if over_at is not None and now >= over_at:
            return self._over(now)
        waited, due = now - self._since, list[Due]()
        if waited >= min(self._pause_s, self.limits.notice_s):
            due.append(Ask(pause_s=self._pause_s))
        if waited >= self.limits.notice_s and self._told != self._news:
            self._told = self._news
            due.append(self._notice(self._told[1]))
        return due

    @property
    def _news(self) -> tuple[int, str]:
        """What to tell the player of this wait: once, until who or what is awaited changes."""
        text = self._away_text(self.gone[0]) if self.gone else f"waiting for {self.what}"
        return self._seen.step, text

    def _notice(self, text: str) -> Notice:
        if self.gone:
            return Notice(text=text, what="link", seats=self.gone)
        turn = self._seen
        return Notice(text=text, what=code_of(turn.waiting, turn.mover), seats=self.awaited)

    def _over(self, now: float) -> list[Due]:
        """A wait is over: first the silent seats are called, then the hand is paused or ends."""
        seats, turn = self.awaited, self._seen
        if not self.gone:
            self.late = f"{self.what} did not come within {now - self._since:.0f} s"
        self._since = now
        fresh = tuple(seat for seat in seats if (turn.step, seat) not in self._called)
        if fresh:
            self._called.update((turn.step, seat) for seat in fresh)
            return [Call(seats=fresh)]
        if self.if_missing is IfMissing.VOID and not turn.is_bound:
            return [GiveUp(reason=self.missing_text(seats[0]))]
        due: list[Due] = [Call(seats=seats)]  # perhaps it was not possible the last time
        if not self._paused:
            due.append(self.pause(turn.waiting.paused or seats, now))
        return due

    def pause(self, seats: tuple[Seat, ...], now: float) -> Pause:
        """The hand waits for these seats and for nothing else."""
        if not self._paused:
            self._paused_at = now
        self._paused = seats
        since = min((at for (_, seat), at in self._missing.items() if seat in seats), default=now)
        return Pause(seats=seats, seconds=now - since)

    def _is_stuck(self, now: float) -> bool:
        """Whether a hand that has to be played to its end has waited for long enough."""
        limit = self.limits.bound_s
        is_bound = bool(self._paused) and self._seen.is_bound
        return limit is not None and is_bound and now >= self._paused_at + limit

    def _stuck_text(self) -> str:
        return (
            f"{people(self._paused, self.names)} did not come back, and this hand cannot be voided "
            "any more: others may have its score. Your seat is kept: p2pokey resume goes on from here."
        )

    # Limits --------------------------------------------------------------------------------------

    def _over_at(self) -> float | None:
        """When the wait is over; None: nothing but this seat's own move or audit is awaited."""
        turn = self._seen
        if not self.awaited:
            return None
        limit = limit_of(turn.waiting, turn.mover, self.limits, self.options)
        if self.gone:
            limit = self._absence_s
        at = self._since + limit
        if any((turn.step, seat) in self._called for seat in self.awaited):
            is_voted_on = not set(turn.waiting.paused) & set(self.awaited)
            # The others may have noticed later, and a vote takes its time.
            return self._since + (max(limit, self.limits.round_s) if is_voted_on else limit)
        if not is_move(turn.waiting, turn.mover) or not self.options.timer_s:
            return at
        timed = None if self._up_at is None else self._up_at + self.limits.move_grace_s
        return timed if not self.gone else min(at, timed or at)

    @property
    def _absence_s(self) -> float:
        """How long a lost seat is waited for where no clock of a turn runs."""
        if not self.options.timer_s:
            return self.limits.absent_s
        return min(self.limits.absent_s, self.options.grace_s + self.limits.round_s)

    def _idle_at(self, is_person: bool) -> float | None:
        """When the own program moves for its player."""
        if not is_person or self._up_at is None:
            return None
        return self._up_at - max(STAND_IN_S, STAND_IN_SHARE * self.options.timer_s)

    @property
    def _pause_s(self) -> float:
        """Seconds between two questions."""
        if self.gone:
            return ASK_BROKEN_S
        return ASK_MOVE_S if is_move(self._seen.waiting, self._seen.mover) else ASK_S

    # Who and what --------------------------------------------------------------------------------

    @property
    def _seen(self) -> Turn:
        assert self._turn is not None
        return self._turn

    @property
    def awaited(self) -> tuple[Seat, ...]:
        """Other seats of which a message is missing, or that have to be back before one moves."""
        seats = self._seen.waiting.seats
        if self.needed and seats == (self.seat,) == (self._seen.mover,):
            return self.needed
        return tuple(seat for seat in seats if seat != self.seat)

    @property
    def gone(self) -> tuple[Seat, ...]:
        """Awaited seats that are not there."""
        return tuple(
            seat for seat in self.awaited if seat in self.links and is_gone(self.links[seat].state)
        )

    @property
    def what(self) -> str:
        """What is awaited and of whom."""
        turn = self._seen
        return f"{name_of(turn.waiting, turn.mover)} of {people(self.awaited, self.names)}"

    def missing_text(self, seat: Seat) -> str:
        """Why there is no hand without that seat."""
        link = self.links.get(seat)
        if link is not None and is_gone(link.state):
            who = people([seat], self.names)
            return f"{who} {state_text(link)}; a hand needs all its players"
        return self.late or f"{people([seat], self.names)} does not answer"

    def _away_text(self, seat: Seat) -> str:
        how = state_text(self.links[seat])
        return f"{people([seat], self.names)} {how}; the table waits {_duration(self._absence_s)}"


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} seconds" if seconds < 120 else f"{seconds / 60:.0f} minutes"
