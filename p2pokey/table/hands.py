"""From one hand to the next: NEXT, the begin of a hand, the end of a match, a rematch."""

from p2pokey.table.asking import Asking
from p2pokey.table.commands import Refusal
from p2pokey.table.contents import Next, Wish
from p2pokey.table.course import Course
from p2pokey.table.desk import Desk
from p2pokey.table.effects import (
    BeginHand,
    GiveUpHand,
    MatchEnded,
    RematchBegins,
    ScoresDiffer,
    SeatReady,
)
from p2pokey.table.nexts import Nexts
from p2pokey.table.records import Outcome, RecordKind, encode_outcome
from p2pokey.tiles import Seat


class Hands:
    """What leads from hand to hand at this seat."""

    def __init__(self, desk: Desk, course: Course, nexts: Nexts, asking: Asking) -> None:
        self._desk = desk
        self._course = course
        self._nexts = nexts
        self._asking = asking
        self._wish: Wish | None = None
        self._rematches: list[int] = []
        """Attempts of rematches that were agreed on and wait for this seat's hand to end."""

    def want(self, wish: Wish) -> None:
        """This seat plays the next attempt, or none."""
        if wish is Wish.PLAY and self._course.match.is_over:
            self._desk.refuse(Refusal.MATCH_OVER)
        else:
            self._wish = wish

    def put_next(self, seat: Seat, said: Next) -> None:
        """A NEXT has been accepted."""
        is_near = said.attempt <= self._course.attempt + 1
        if self._nexts.put(seat, said) and is_near:
            self._desk.emit(SeatReady(seat=seat, attempt=said.attempt, wish=said.wish))

    def say_next(self, now: float) -> None:
        """Says what this seat wants, once nothing stands in the way."""
        is_free = self._course.hand is None and not self._asking.is_bound()
        if self._wish is None or not is_free or not self._desk.can_speak:
            return
        if self._desk.seat not in self._nexts.of(self._course.attempt):
            self._desk.say(self._course.own_next(self._wish), now)
        self._wish = None

    def look(self) -> None:
        """Begins the next hand, or ends the match, once the seats have said so."""
        course = self._course
        if course.hand is not None or self._differ():
            return
        stopped = self._nexts.stopped(course.attempt, course.sheet.first_attempt)
        if course.match.is_over or stopped:
            self._end_match(() if course.match.is_over else stopped)
            return
        said = self._nexts.of(course.attempt)
        is_free = not self._asking.is_bound() and not self._desk.chains.faults
        if len(said) == len(course.match.roster) and is_free:
            course.begin(said)
            self._tell_hand()

    def end(self, outcome: Outcome) -> None:
        """The hand that was begun has ended; LocalProtocolError if none was."""
        self._course.end(outcome)
        self._desk.persist(RecordKind.OUTCOME, encode_outcome(outcome))

    @property
    def is_giving_up(self) -> bool:
        """Whether a rematch was agreed on while the running hand was being played."""
        hand = self._course.hand
        is_left_out = hand is not None and hand.hand in self._rematches
        return is_left_out and not self._course.is_played

    def rematch(self, attempt: int) -> None:
        """All have agreed, while that attempt was going on or next.

        A hand that is being played is given up: without this seat's signature under its end it has a
        score for nobody. Once that is signed others may count the hand, so it goes on to its end.
        """
        self._rematches.append(attempt)
        self._give_up()

    def begin_anew(self) -> None:
        """The match begins anew once the hand in which that was agreed on has ended here, too."""
        for attempt in sorted(self._rematches):
            if self._course.hand is not None or self._course.attempt < attempt:
                return
            self._rematches.remove(attempt)
            if attempt < self._course.sheet.first_attempt:
                continue  # it was agreed on twice
            self._course.rematch(attempt + 1)
            history = tuple(sheet for sheet, _ in self._course.history)
            self._desk.emit(RematchBegins(attempt=self._course.attempt, history=history))

    def _give_up(self) -> None:
        if self.is_giving_up:
            self._desk.emit(GiveUpHand(reason="a rematch was agreed on"))

    def announce(self) -> None:
        """After a restart: the hand that is to be taken up again."""
        self._tell_hand()
        self._give_up()

    def _tell_hand(self) -> None:
        hand = self._course.hand
        if hand is not None:
            self._desk.emit(BeginHand(setup=hand, used_keys=self._course.match.used_keys))

    def _differ(self) -> bool:
        """Whether somebody keeps another score, and tells who does.

        A seat that has lost what it signed last may not know yet of a rematch.
        """
        if self._asking.may_begin_anew():
            return False
        own, said = self._course.sheet.digest(), self._nexts.of(self._course.attempt)
        differing = [seat for seat in sorted(said) if said[seat].sheet != own]
        for seat in differing:
            if self._desk.is_synced and self._desk.is_news("score", seat, self._course.attempt):
                self._desk.emit(ScoresDiffer(seat=seat))
        return bool(differing)

    def _end_match(self, stopped: tuple[Seat, ...]) -> None:
        match, sheet = self._course.match, self._course.sheet
        if self._desk.is_news("end", self._desk.seat, sheet.first_attempt):
            ended = MatchEnded(sheet=sheet, winners=match.winners, stopped_by=stopped)
            self._desk.emit(ended)
