"""Questions to all (a rematch, other seats) and what becomes of them.

What becomes of a question follows from the contents of the chains alone, never from the order in which
they arrive, so all seats come to the same:

- It is agreed to when every seat that must answer has said yes, and refused with the first no.
- The first answer of a seat counts. An answer to another question than the one in the asker's chain
  is a no. An answer that stands in its author's chain after a NEXT for a later attempt is a no; so is
  such a NEXT without any answer. A NEXT that stops ends a match and leaves questions open: a rematch
  can still be agreed on.

Both are final: a yes that counts stays a yes, and a no stays a no.

Who has asked for other seats or said yes to that says yes to no second order for the same attempt,
unless the first is refused, or the second is for some of the same seats without the rest. As long as
the first is open such a second yes counts for nothing; once it is agreed to it is a no. So two such
orders are both agreed to only if all who stay in the second have said yes to both.
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
MAX_ANSWERS = 1000
"""Answers of one seat in one session, likewise: more than all others can ask."""


class AskOutcome(Enum):
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
    digest: bytes
    """Hash of the message, which an answer has to name."""
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
    _asked: dict[AskId, Ask] = field(default_factory=dict)
    _digests: dict[AskId, bytes] = field(default_factory=dict)
    _outcomes: dict[AskId, AskOutcome] = field(default_factory=dict)
    """What has become of settled questions, and of those that mean nothing."""
    _bonds: dict[Seat, list[AskId]] = field(default_factory=dict)
    """Questions that a seat has asked or said yes to, in the order of its chain."""
    _counts: dict[Seat, int] = field(default_factory=dict)
    _answers: dict[AskId, dict[Seat, Reply]] = field(default_factory=dict)
    _named: dict[AskId, dict[Seat, bytes]] = field(default_factory=dict)
    """Hash of the ASK that each answer names."""
    _given: dict[Seat, int] = field(default_factory=dict)
    """Answers of each seat so far."""
    _positions: dict[AskId, dict[Seat, int]] = field(default_factory=dict)
    """How far the author of an answer was when it gave it (`Nexts.latest`)."""

    def put_ask(self, asker: Seat, seq: int, ask: Ask, digest: bytes, now: float) -> None:
        """Takes an ASK with the hash of its message, in the order of its author's chain.

        One that does not fit this table, or one too many, never means anything.
        """
        if not self.has_room(asker) or not self._is_fitting(asker, ask):
            self._outcomes[asker, seq] = AskOutcome.CANCELLED
            return
        self._counts[asker] = self._counts.get(asker, 0) + 1
        must = _concerned(ask, self.seats)
        opened = OpenAsk(
            asker=asker,
            seq=seq,
            ask=ask,
            must=frozenset(Seat(seat) for seat in must if seat != asker),
            came=now,
            digest=digest,
        )
        self._open[opened.id] = opened
        self._asked[opened.id] = ask
        self._digests[opened.id] = digest
        self._bonds.setdefault(asker, []).append(opened.id)

    def _is_fitting(self, asker: Seat, ask: Ask) -> bool:
        """A change of seats is for this table, between hands, and needs somebody's yes."""
        if ask.what is What.REMATCH:
            return True
        has_others = bool(_concerned(ask, self.seats) - {asker})
        return len(ask.order) == self.seats and ask.step == 0 and has_others

    def has_room(self, asker: Seat) -> bool:
        """Whether a further question of a seat would mean anything."""
        return self._counts.get(asker, 0) < MAX_ASKS

    def put_answer(self, by: Seat, answer: Answer) -> bool:
        """Takes an ANSWER, in the order of its author's chain; whether it counts as one."""
        id_ = (answer.asker, answer.seq)
        answers = self._answers.setdefault(id_, {})
        if by in answers or self._given.get(by, 0) >= MAX_ANSWERS:
            return False
        self._given[by] = self._given.get(by, 0) + 1
        answers[by] = answer.reply
        if answer.reply is Reply.YES:
            self._bonds.setdefault(by, []).append(id_)
        self._named.setdefault(id_, {})[by] = answer.asked
        self._positions.setdefault(id_, {})[by] = self.nexts.latest(by)
        return True

    def open(self) -> list[OpenAsk]:
        """Questions that are not settled, in the order of seats and chains."""
        return [self._open[id_] for id_ in sorted(self._open)]

    def find(self, asker: Seat, seq: int) -> OpenAsk | None:
        """An unsettled question."""
        return self._open.get((asker, seq))

    def settle(self) -> list[tuple[OpenAsk, AskOutcome]]:
        """Closes the questions that are settled; one may settle another."""
        settled: list[tuple[OpenAsk, AskOutcome]] = []
        is_new = True
        while is_new:
            is_new = False
            for opened in self.open():
                outcome = self._outcome(opened)
                if outcome is not None:
                    self._outcomes[opened.id] = outcome
                    del self._open[opened.id]
                    settled.append((opened, outcome))
                    is_new = True
        return settled

    def reply(self, opened: OpenAsk, seat: Seat) -> Reply | None:
        """What a seat says to a question; None: nothing yet."""
        answer = self._answers.get(opened.id, {}).get(seat)
        attempt = opened.ask.attempt
        if answer is None:
            return Reply.LAPSED if self.nexts.latest(seat) > attempt else None
        is_late = self._positions[opened.id][seat] > attempt
        is_no_yes = is_late or self._is_to_another(opened.id, seat)
        return Reply.LAPSED if is_no_yes and answer is Reply.YES else answer

    def _is_to_another(self, id_: AskId, seat: Seat) -> bool:
        """Whether a seat's answer is to another question than the one that this seat has there.

        Either the asker has signed two, or the answer names one that there is not.
        """
        return self._named[id_][seat] != self._digests[id_]

    def missing(self, opened: OpenAsk) -> tuple[Seat, ...]:
        """Seats that must answer and have not."""
        return tuple(sorted(s for s in opened.must if self.reply(opened, s) is None))

    def undecided(self, opened: OpenAsk) -> tuple[Seat, ...]:
        """Seats on whose word a question hangs: it is missing, or hangs on another order itself."""
        concerned = {*opened.must, opened.asker}
        return tuple(sorted(s for s in concerned if self.counted(opened, s) is None))

    def _outcome(self, opened: OpenAsk) -> AskOutcome | None:
        """What has become of a question; None: not settled."""
        replies = [self.counted(opened, seat) for seat in sorted({*opened.must, opened.asker})]
        if Reply.NO in replies:
            return AskOutcome.REFUSED
        if Reply.LAPSED in replies:
            return AskOutcome.CANCELLED
        return None if None in replies else AskOutcome.AGREED

    def counted(self, opened: OpenAsk, seat: Seat) -> Reply | None:
        """What a seat's word comes to, the asker's too; None also while that hangs on another order."""
        reply = Reply.YES if seat == opened.asker else self.reply(opened, seat)
        if reply is not Reply.YES:
            return reply
        rivals = [self._outcomes.get(other) for other in self._rivals(opened, seat)]
        if AskOutcome.AGREED in rivals:
            return Reply.LAPSED
        return None if None in rivals else reply

    def _rivals(self, opened: OpenAsk, seat: Seat) -> list[AskId]:
        """What a seat was bound to before and stands against this; also what is not known yet."""
        if opened.ask.what is What.REMATCH:
            return []
        bonds = self._bonds[seat]
        earlier = bonds[: bonds.index(opened.id)]
        asked = [
            (other, self._asked.get(other))
            for other in earlier
            if other not in self._digests
            or other[0] == seat
            or not self._is_to_another(other, seat)
        ]
        return [other for other, ask in asked if ask is None or are_rivals(ask, opened.ask)]

    def is_bound(self, opened: OpenAsk, seat: Seat) -> bool:
        """Whether a seat has asked this or said yes to it."""
        return opened.asker == seat or self.reply(opened, seat) is Reply.YES


def _concerned(ask: Ask, seats: int) -> set[int]:
    """Seats that a question is to: all, or those who stay."""
    return set(range(seats)) if ask.what is What.REMATCH else set(ask.order) - {VACANT}


def are_rivals(first: Ask, second: Ask) -> bool:
    """Whether a yes to a first question stands against a later one to the second."""
    if not first.what is second.what is What.SEATING:
        return False
    is_without = set(second.order) - {VACANT} < set(first.order) - {VACANT}
    return first.attempt == second.attempt and not is_without
