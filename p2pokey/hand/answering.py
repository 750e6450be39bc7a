"""Answers to votes that are about less than this seat has: REFUSE (docs/protocol.md S10)."""

from p2pokey.hand.calling import head_of
from p2pokey.hand.core import HandCore
from p2pokey.hand.holding import Holding
from p2pokey.tiles import Seat
from p2pokey.transcript.messages import Drop, Refuse


class Answering:
    """What this seat has to show to those who lack it."""

    def __init__(self, core: HandCore, holding: Holding) -> None:
        self._core = core
        self._holding = holding
        self._answered: dict[Seat, int] = dict.fromkeys(core.seats, 0)
        """How many votes of each seat, from its first one on, need no answer for good."""

    def answer(self) -> bool:
        """Shows the message that a vote of another seat lacks; False if none has to be shown."""
        core = self._core
        if core.is_absent:
            return False
        votes = [vote for author in core.others for vote in self._unanswered(author)]
        # Also where the voter's own messages are held back: it must not wait for this seat.
        for vote in (*votes, *self._holding.held_votes()):
            if self._can_refuse(vote):
                message = core.book.chain(Seat(vote.absent))[vote.head_seq]
                core.send(Refuse(message=message.encoded))
                return True
        return False

    def _unanswered(self, author: Seat) -> list[Drop]:
        """Votes of a seat that this one may yet have to answer."""
        votes = self._core.ballot.votes_of(author, self._answered[author])
        for vote in votes:
            if not self._is_answered(vote):
                break
            self._answered[author] += 1
        return votes

    def _is_answered(self, vote: Drop) -> bool:
        """Whether this seat need never answer that vote: it is about itself, cast or settled."""
        core, key = self._core, (vote.absent, vote.head_seq)
        return (
            vote.absent == core.seat
            or core.ballot.has_voted(core.seat, vote)
            or core.ballot.has_refused(core.seat, *key)
            or key in core.certified
        )

    def _can_refuse(self, vote: Drop) -> bool:
        absent = Seat(vote.absent)
        if absent >= len(self._core.seats) or self._is_answered(vote):
            return False
        return vote.head_seq < head_of(self._core, absent)
