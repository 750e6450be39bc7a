"""When this seat may ask, and when its program has to say no to a question by itself."""

from collections.abc import Collection
from dataclasses import dataclass

from p2pokey.table.asks import Asks, OpenAsk, are_rivals
from p2pokey.table.commands import Refusal
from p2pokey.table.contents import Ask, What
from p2pokey.table.course import Course
from p2pokey.table.presence import Attendance, Presence
from p2pokey.tiles import Seat

ASK_SECONDS = 60.0
"""Time to answer a question; then the program says no."""
STUCK_SECONDS = 15.0
"""After that time: a seat that has still not answered is not going to."""


@dataclass(kw_only=True)
class Asking:
    """This seat's view of the questions."""

    own: Seat
    asks: Asks
    course: Course
    attendance: Attendance
    faulty: Collection[Seat]
    """Seats with a fork in their chain: nothing is taken from them any more."""

    is_over: bool = False
    """Whether other seats were agreed on, so that nothing else is any more."""

    def refusal(self, ask: Ask, must: Collection[Seat], now: float) -> Refusal | None:
        """Why this seat may not ask that now."""
        if ask.what is What.SEATING and ask.step:
            return Refusal.IN_HAND
        if any(self._is_gone(seat) for seat in must):
            return Refusal.SOMEBODY_GONE
        if not self.asks.has_room(self.own):
            return Refusal.TOO_MANY_ASKS
        if any(self._goes_first(opened, ask, now) for opened in self.asks.open()):
            return Refusal.ASK_OPEN
        return None

    def awaits_own(self, opened: OpenAsk) -> bool:
        """Whether this seat must answer and has not."""
        return self.own in opened.must and self.asks.reply(opened, self.own) is None

    def is_reached(self, opened: OpenAsk) -> bool:
        """Whether this seat has got as far as the question was asked."""
        return self.course.position >= (opened.ask.attempt, opened.ask.step)

    def must_lapse(self, opened: OpenAsk, now: float) -> bool:
        """Whether the program has to say no for its player.

        That is so when this seat is further than the question, when the time is up, when somebody
        who must answer is gone, when other seats are asked for with another score, or when this
        seat is bound to another question or the asker has another one open.
        """
        ask = opened.ask
        is_further = self.is_over or self.course.position > (ask.attempt, ask.step)
        if is_further or now >= opened.came + ASK_SECONDS:
            return True
        awaited = (opened.asker, *self.asks.missing(opened))
        if any(self._is_gone(seat) for seat in awaited):
            return True
        return self.differs(opened) or self._is_second(opened, now)

    def differs(self, opened: OpenAsk) -> bool:
        """Whether the asker goes on with a score that is not this seat's now.

        Only a seat that is as far as the asker was can tell: one that is further has another sheet.
        """
        ask = opened.ask
        is_level = self.course.position == (ask.attempt, ask.step)
        is_due = is_level and ask.what is What.SEATING
        return is_due and ask.sheet != self.course.sheet.digest()

    def is_strange(self, opened: OpenAsk) -> bool:
        """Whether that score is none that this seat knows, or may yet come to.

        An asker that did not know yet of a rematch has asked with the sheet before that.
        """
        is_known = self.course.match_of(opened.ask.sheet) is not None
        return self.differs(opened) and not is_known and not self.may_begin_anew()

    def may_begin_anew(self) -> bool:
        """Whether a rematch may have been agreed on of which this seat lacks some answers.

        The others may have a new sheet then, and this seat cannot compare scores. Without its own yes
        there is none.
        """
        return any(opened.ask.what is What.REMATCH for opened in self.bonds())

    def is_bound(self) -> bool:
        """Whether this seat has asked something, or said yes to it, that is not settled."""
        return bool(self.bonds())

    def bonds(self) -> list[OpenAsk]:
        """What this seat has asked or said yes to and is not settled."""
        return [opened for opened in self.asks.open() if self.asks.is_bound(opened, self.own)]

    def awaited(self, silent: Collection[Seat]) -> frozenset[Seat]:
        """Seats on whose word the next hand waits, this one among them; `silent` have not said NEXT.

        Whoever has asked something or said yes to it says NEXT only when that is settled: those on
        whose answers it hangs stand in its place.
        """
        late: set[Seat] = set()
        held: set[Seat] = set()
        for opened in self.asks.open():
            concerned = {opened.asker, *opened.must}
            bound = {seat for seat in concerned if self.asks.is_bound(opened, seat)}
            if bound.isdisjoint({self.own, *silent}):
                continue
            undecided = set(self.asks.undecided(opened))
            # A word that is missing goes before one that hangs on another order.
            late |= {*self.asks.missing(opened)} - {self.own} or undecided
            # If it hangs on this seat alone, and not on its answer, nobody is there to be named instead.
            if undecided != {self.own} or self.awaits_own(opened):
                held |= bound
        return frozenset({*silent} - held | late)

    def is_due(self, agreed: OpenAsk) -> bool:
        """Whether this seat can go over to seats that were agreed on.

        It has to have got as far as the asker was. And what it has said yes to itself comes first,
        unless it was agreed on without some of those who would have to answer that.
        """
        return self.is_reached(agreed) and not any(
            self.asks.is_bound(opened, self.own) and are_rivals(opened.ask, agreed.ask)
            for opened in self.asks.open()
        )

    def is_stuck(self, opened: OpenAsk, now: float) -> bool:
        """Whether the answers that a question still needs are not going to come."""
        missing = self.asks.missing(opened)
        is_late = now >= opened.came + ASK_SECONDS + STUCK_SECONDS
        return is_late or (bool(missing) and all(self._is_gone(seat) for seat in missing))

    def is_hopeless(self, opened: OpenAsk, now: float) -> bool:
        """Whether nobody can have answered any more: a seat that is away may have, before that."""
        missing = self.asks.missing(opened)
        have_left = [self.attendance.state(seat) is Presence.LEFT for seat in missing]
        is_late = now >= opened.came + ASK_SECONDS + STUCK_SECONDS
        return is_late or (bool(missing) and all(have_left))

    def next_timer(self) -> float | None:
        """When the program has to say no for its player."""
        return min(
            (opened.came + ASK_SECONDS for opened in self.asks.open() if self.awaits_own(opened)),
            default=None,
        )

    def _is_second(self, opened: OpenAsk, now: float) -> bool:
        """Whether another open question of this seat or of the asker goes first."""
        return any(
            self._goes_first(other, opened.ask, now)
            for other in self.asks.open()
            if (other.asker == opened.asker and other.seq < opened.seq)
            or (other is not opened and self.asks.is_bound(other, self.own))
        )

    def _goes_first(self, opened: OpenAsk, ask: Ask, now: float) -> bool:
        """Whether an open question has to be settled before this one can be answered.

        Nothing that a seat asks stands in the way of an order that leaves it out: else it could stay
        for ever by asking again and again.
        """
        is_bound = self.asks.is_bound(opened, self.own) and are_rivals(opened.ask, ask)
        if is_bound or ask.what is What.REMATCH:
            return True
        return opened.asker in ask.order and not self.is_stuck(opened, now)

    def _is_gone(self, seat: Seat) -> bool:
        return self.attendance.is_gone(seat) or seat in self.faulty
