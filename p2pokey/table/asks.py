"""Questions to all (a rematch, other seats) and what becomes of them.

What becomes of a question follows from the contents of the chains alone, never from the order in which
they arrive, so all seats come to the same:

- It is agreed to when every seat that must answer has said yes, and refused with the first no.
- The first answer of a seat counts. An answer that stands in its author's chain after a NEXT for a
  later attempt, or after a NEXT that stops, is a no; so is such a NEXT without any answer.

Both are final: a yes that counts stays a yes, and a no stays a no.
"""

from dataclasses import dataclass, field
from enum import Enum

from p2pokey.table.carry import VACANT
from p2pokey.table.contents import Answer, Ask, Reply, What
from p2pokey.table.nexts import Nexts
from p2pokey.tiles import Seat

AskId = tuple[Seat, int]
"""Who asks, and the place of the ASK in that seat's chain."""


MAX_ASKS = 200
"""Questions of one seat in one session; further ones mean nothing, at any seat."""


class Outcome(Enum):
    """What has become of a question."""

    AGREED = "agreed"
    REFUSED = "refused"
    """Somebody has said no."""
    CANCELLED = "cancelled"
    """Nobody has, but some program had to say no for its player."""


@dataclass(slots=True, kw_only=True)
class OpenAsk:
    """A question and the answers so far."""

    asker: Seat
    seq: int
    ask: Ask
    must: frozenset[Seat]
    """Seats whose yes it needs, without the asker."""
    came: float
    """When it was accepted here."""
    shown: bool = False
    """Whether this seat has got as far as the question, so that its player may answer."""

    @property
    def id(self) -> AskId:
        """Its name."""
        return self.asker, self.seq


@dataclass(kw_only=True)
class Asks:
    """All questions of a session."""

    seats: int
    nexts: Nexts
    _open: dict[AskId, OpenAsk] = field(default_factory=dict)
    _counts: dict[Seat, int] = field(default_factory=dict)
    _answers: dict[AskId, dict[Seat, Reply]] = field(default_factory=dict)
    _positions: dict[AskId, dict[Seat, int]] = field(default_factory=dict)
    """How far the author of an answer was when it gave it (`Nexts.latest`)."""

    def put_ask(self, asker: Seat, seq: int, ask: Ask, now: float) -> None:
        """Takes an ASK, in the order of its author's chain.

        One for another number of seats, or one too many, never means anything.
        """
        is_fitting = ask.what is What.REMATCH or len(ask.order) == self.seats
        if not self.has_room(asker) or not is_fitting:
            return
        self._counts[asker] = self._counts.get(asker, 0) + 1
        must = set(range(self.seats)) if ask.what is What.REMATCH else set(ask.order) - {VACANT}
        opened = OpenAsk(
            asker=asker,
            seq=seq,
            ask=ask,
            must=frozenset(Seat(seat) for seat in must if seat != asker),
            came=now,
        )
        self._open[opened.id] = opened

    def has_room(self, asker: Seat) -> bool:
        """Whether a further question of a seat would mean anything."""
        return self._counts.get(asker, 0) < MAX_ASKS

    def put_answer(self, by: Seat, answer: Answer) -> bool:
        """Takes an ANSWER, in the order of its author's chain; whether it counts as one."""
        id_ = (answer.asker, answer.seq)
        answers = self._answers.setdefault(id_, {})
        if by in answers:
            return False
        is_late = self.nexts.has_stopped(by)
        answers[by] = Reply.LAPSED if is_late and answer.reply is Reply.YES else answer.reply
        self._positions.setdefault(id_, {})[by] = self.nexts.latest(by)
        return True

    def open(self) -> list[OpenAsk]:
        """Questions that are not settled, in the order of seats and chains."""
        return [self._open[id_] for id_ in sorted(self._open)]

    def find(self, asker: Seat, seq: int) -> OpenAsk | None:
        """An unsettled question."""
        return self._open.get((asker, seq))

    def close(self, opened: OpenAsk) -> None:
        """A question is settled."""
        del self._open[opened.id]

    def reply(self, opened: OpenAsk, seat: Seat) -> Reply | None:
        """What a seat says to a question; None: nothing yet."""
        answer = self._answers.get(opened.id, {}).get(seat)
        attempt = opened.ask.attempt
        if answer is None:
            is_past = self.nexts.latest(seat) > attempt or self.nexts.has_stopped(seat)
            return Reply.LAPSED if is_past else None
        is_late = self._positions[opened.id][seat] > attempt
        return Reply.LAPSED if is_late and answer is Reply.YES else answer

    def missing(self, opened: OpenAsk) -> tuple[Seat, ...]:
        """Seats that must answer and have not."""
        return tuple(sorted(s for s in opened.must if self.reply(opened, s) is None))

    def outcome(self, opened: OpenAsk) -> Outcome | None:
        """What has become of a question; None: not settled."""
        replies = [self.reply(opened, seat) for seat in sorted(opened.must)]
        if Reply.NO in replies:
            return Outcome.REFUSED
        if Reply.LAPSED in replies:
            return Outcome.CANCELLED
        return None if None in replies else Outcome.AGREED

    def is_bound(self, opened: OpenAsk, seat: Seat) -> bool:
        """Whether a seat has asked this or said yes to it."""
        return opened.asker == seat or self.reply(opened, seat) is Reply.YES
