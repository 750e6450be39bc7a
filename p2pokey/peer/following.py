"""A computer player answers what all are asked as whoever runs it does."""

from collections.abc import Callable
from dataclasses import dataclass, field

from p2pokey.peer.table_events import Question, QuestionAnswered, QuestionClosed
from p2pokey.table.commands import AnswerAsk, Command
from p2pokey.table.roster import Roster
from p2pokey.tiles import Seat

_YES = "yes"


@dataclass(kw_only=True)
class Follower:
    """Waits for the runner's word on each question; nobody sits at a computer player itself."""

    runner: Seat
    """Seat of whoever runs this one."""
    act: Callable[[Command], None]
    _asked: set[tuple[Seat, int]] = field(default_factory=set)
    """Questions that this seat has to answer."""
    _said: dict[tuple[Seat, int], bool] = field(default_factory=dict)
    """What the runner has said to open questions; to answer may be possible only later."""

    def hear(self, event: object) -> None:
        """Something happened at the table."""
        match event:
            case Question(asker=asker, seq=seq, must_answer=True):
                self._asked.add((asker, seq))
                if asker == self.runner:
                    self._said[asker, seq] = True
                self._answer((asker, seq))
            case QuestionAnswered(asker=asker, seq=seq, by=by, reply=reply) if by == self.runner:
                self._said[asker, seq] = reply == _YES
                self._answer((asker, seq))
            case QuestionClosed(asker=asker, seq=seq):
                self._asked.discard((asker, seq))
                self._said.pop((asker, seq), None)

    def _answer(self, question: tuple[Seat, int]) -> None:
        if question not in self._asked or question not in self._said:
            return
        self._asked.discard(question)
        asker, seq = question
        self.act(AnswerAsk(asker=asker, seq=seq, yes=self._said[question]))


def runner_of(roster: Roster, seat: Seat) -> Seat | None:
    """Who runs a computer player's seat; None for a person's, and if that one does not sit here."""
    entry = roster.seats[seat]
    runner = roster.seat_of(entry.runner)
    return runner if entry.is_computer and runner != seat else None
