"""Calling a seat absent that has been waited for long enough: DROP, or a pause (docs/protocol.md S10)."""

from collections import deque
from collections.abc import Sequence

from p2pokey.hand.awaiting import DEALT, OPENING, awaited
from p2pokey.hand.core import HandCore
from p2pokey.hand.effects import HandPaused, Phase
from p2pokey.hand.holding import Holding
from p2pokey.tiles import Seat
from p2pokey.transcript.envelope import NO_PREVIOUS, Envelope
from p2pokey.transcript.messages import Drop


class Calling:
    """When this seat votes about another one."""

    def __init__(self, core: HandCore, inbox: Sequence[deque[Envelope]], holding: Holding) -> None:
        self._core = core
        self._inbox = inbox
        self._holding = holding
        self._paused: set[Seat] = set()

    @property
    def paused(self) -> tuple[Seat, ...]:
        """Seats that were called in vain and are still waited for."""
        self._paused = {seat for seat in self._paused if self._is_missing(seat)}
        return tuple(sorted(self._paused))

    def call(self, seat: Seat) -> None:
        """This seat has waited long enough."""
        core = self._core
        if not self._is_missing(seat) or core.is_absent:
            return
        if not self._can_stand_in():
            if seat not in self._paused:
                self._paused.add(seat)
                core.emit(HandPaused(seat=seat))
            return
        vote = drop_about(core, seat, head_of(core, seat))
        if self._may_vote(seat) and not core.ballot.has_voted(core.seat, vote):
            core.send(vote)
            self._lock(vote)

    def can_repeat(self, vote: Drop) -> bool:
        """Whether a vote of an earlier run can be cast again now."""
        core, seat = self._core, Seat(vote.absent)
        return (
            self._is_missing(seat)
            and self._may_vote(seat)
            and (vote.step, vote.head_seq) == (core.step, head_of(core, seat))
        )

    def repeat(self, vote: Drop) -> None:
        """The vote of an earlier run stands."""
        self._lock(vote)

    def _is_missing(self, seat: Seat) -> bool:
        """Whether the hand cannot go on without a message of that seat, and none is here."""
        core = self._core
        if seat == core.seat or seat not in core.present:
            return False
        queue = self._inbox[seat]
        # One whose next message names a later step has left out what is due: that never comes.
        if queue and queue[0].step <= core.step:
            return False
        return seat in awaited(core)

    def _may_vote(self, seat: Seat) -> bool:
        ballot, head = self._core.ballot, head_of(self._core, seat)
        is_shown = any(
            other != seat and ballot.has_refused(other, seat, head) for other in self._core.seats
        )
        return self._holding.vote is None and not is_shown

    def _can_stand_in(self) -> bool:
        core = self._core
        if core.phase in OPENING:
            return True
        if core.phase in DEALT and core.mark is not None:
            return False
        is_first = core.mark is None or core.phase is Phase.RESULT
        return core.threshold > 0 and len(core.seats) >= 3 and is_first

    def _lock(self, vote: Drop) -> None:
        """From here on only a refusal brings more of that seat; a score binds it already."""
        core = self._core
        is_marked = core.mark is not None and core.mark.seat == vote.absent
        if not is_marked and core.phase is not Phase.RESULT:
            self._holding.vote = vote


def head_of(core: HandCore, seat: Seat) -> int:
    """How many messages of a seat count here so far."""
    if core.mark is not None and core.mark.seat == seat:
        return core.mark.head_seq
    return core.book.head(seat)[0]


def drop_about(core: HandCore, seat: Seat, head_seq: int) -> Drop:
    """The vote, at this step, that takes the first `head_seq` messages of a seat and no more."""
    return Drop(
        absent=seat,
        step=core.step,
        head_seq=head_seq,
        head=_hash_before(core, seat, head_seq),
        state=core.states[-1],
    )


def names_head(core: HandCore, vote: Drop) -> bool:
    """Whether the head of the vote is the one that this seat has, as far as it can tell."""
    seat = Seat(vote.absent)
    is_ahead = vote.head_seq > core.book.head(seat)[0]
    return is_ahead or vote.head == _hash_before(core, seat, vote.head_seq)


def _hash_before(core: HandCore, seat: Seat, head_seq: int) -> bytes:
    """Hash of the last of the first `head_seq` messages of a seat."""
    return core.book.chain(seat)[head_seq - 1].body_hash if head_seq else NO_PREVIOUS
