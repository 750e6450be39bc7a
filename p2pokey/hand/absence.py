"""Votes about a seat that has fallen silent, and what follows from them (docs/protocol.md S10).

When its shell has waited long enough a seat votes DROP (calling.py) and from then on holds back,
unaccepted, what the silent seat may still send (holding.py). The vote stands until all others have
cast the same one, or until another seat shows with REFUSE the message that follows the head
(answering.py). Why honest seats always come to the same decision is in the protocol document; the
bookkeeping is in transcript/absence.py.

Everything here happens when the machine has nothing else to do, so that what a seat sent before its
vote has been handled before the vote counts.
"""

from collections import deque
from collections.abc import Callable, Sequence

from p2pokey.errors import DecodeError, P2POkeyError, VerificationError
from p2pokey.hand.answering import Answering
from p2pokey.hand.awaiting import DEALT, OPENING, is_absent_turn
from p2pokey.hand.calling import drop_about
from p2pokey.hand.closing import complete_closing, finish
from p2pokey.hand.core import HandCore
from p2pokey.hand.effects import Phase, SeatAbsent, SeatReturned, Send
from p2pokey.hand.holding import Holding
from p2pokey.hand.rewinding import go_back
from p2pokey.hand.standing_in import begin_absent_turn, release_tokens, roll_turn_back
from p2pokey.ports import Verifier
from p2pokey.tiles import Seat
from p2pokey.transcript.absence import FIRST_DEALT_STEP, Mark, refused_message
from p2pokey.transcript.envelope import Envelope
from p2pokey.transcript.messages import Drop, Kind, Refuse, Return, Void

StopFor = Callable[[Seat, P2POkeyError, tuple[bytes, ...]], None]
Take = Callable[[Envelope], None]


class Absence:
    """Who is absent, as this seat sees it."""

    def __init__(
        self,
        core: HandCore,
        inbox: Sequence[deque[Envelope]],
        verifier: Verifier,
        holding: Holding,
        *,
        stop_for: StopFor,
        give_up: Callable[[Seat], None],
        take: Take,
    ) -> None:
        """Args:
        inbox: by seat, accepted messages that wait for their turn.
        holding: this seat's open vote.
        stop_for: ends the hand for a fault of that seat.
        give_up: ends the attempt because that seat is missing.
        take: chains a checked envelope and puts it where it belongs.
        """
        self._core = core
        self._inbox = inbox
        self._verifier = verifier
        self._holding = holding
        self._answering = Answering(core, holding)
        self._stop_for = stop_for
        self._give_up = give_up
        self._take = take
        self._returned: Envelope | None = None
        self._cast: set[tuple[Seat, Drop]] = set()
        self._cast_at: dict[int, list[tuple[Seat, Drop]]] = {}
        """The same by step, as they came."""
        self._against: list[Drop] = []
        """The same about this seat."""

    # What the machine asks -----------------------------------------------------------------------

    def diverts(self, envelope: Envelope) -> bool:
        """Whether an accepted envelope counts for nothing, being of an absent seat."""
        mark = self._core.mark
        if mark is None or envelope.seat != mark.seat or envelope.seq < mark.head_seq:
            return False
        if self._returned is not None:
            # What follows a RETURN waits for the step in which the seat is back.
            self._inbox[envelope.seat].append(envelope)
        elif envelope.kind is Kind.RETURN:
            self._returned = envelope
        return True

    def note(self, envelope: Envelope) -> None:
        """Notes a vote or refusal as soon as it is in its author's chain."""
        try:
            match envelope.message:
                case Drop():
                    self._core.ballot.note_drop(envelope, envelope.message)
                case Refuse():
                    self._hear_refusal(envelope, envelope.message)
        except (VerificationError, DecodeError) as error:
            self._stop_for(envelope.seat, error, self._evidence(envelope))

    def hear_void(self, envelope: Envelope, void: Void) -> bool:
        """Evidence shows a message just as a refusal does.

        Returns:
            Whether it may be looked at: not where it holds what this seat has voted not to take, and
            the accuser has cast the same vote.
        """
        vote = self._holding.vote
        if vote is None or not any(map(self._holding.hides, void.evidence)):
            return True
        if self._core.ballot.has_voted(envelope.seat, vote):
            return False
        self._release()
        return True

    def suspends(self, envelope: Envelope) -> bool:
        """Whether this message follows a vote about this seat that is not yet decided.

        Its author may stand at the vote's step, before messages that this seat has gone on from.
        """
        core = self._core
        count, _ = core.book.head(core.seat)
        return any(
            vote.absent == core.seat
            and vote.head_seq < count
            and (vote.absent, vote.head_seq) not in core.certified
            and core.ballot.refusal_of(vote, is_marked=False) is None
            for vote in core.ballot.votes_before(envelope.seat, envelope.seq)
        )

    def cast(self, author: Seat, vote: Drop) -> None:
        """A vote whose turn has come: all that its author sent before it has been handled."""
        if (author, vote) in self._cast:
            return
        self._cast.add((author, vote))
        self._cast_at.setdefault(vote.step, []).append((author, vote))
        if vote.absent == self._core.seat and vote not in self._against:
            self._against.append(vote)

    def _release(self) -> None:
        for envelope in self._holding.release():
            self._take(envelope)

    def _hear_refusal(self, envelope: Envelope, refuse: Refuse) -> None:
        core = self._core
        message = refused_message(self._verifier, core.setup, envelope.seat, refuse)
        core.ballot.note_refusal(envelope, message)
        if message.seat == core.seat:
            return
        vote = self._holding.vote
        if vote is not None and core.ballot.refusal_of(vote, is_marked=False) is not None:
            self._release()
        if not self._holding.holds(message):
            self._take(message)

    def _evidence(self, envelope: Envelope) -> tuple[bytes, ...]:
        """The message at fault, with an earlier vote or refusal of its author that it contradicts."""
        earlier = [
            item
            for item in self._core.book.chain(envelope.seat)
            if item.kind in (Kind.DROP, Kind.REFUSE) and item.seq < envelope.seq
        ]
        return (*(item.encoded for item in earlier[-1:]), envelope.encoded)

    # Deciding ------------------------------------------------------------------------------------

    def idle(self) -> bool:
        """Does the next thing that follows from the votes; False if there is nothing."""
        core = self._core
        if core.phase in (Phase.DONE, Phase.STOPPED):
            return False
        return (
            self._go_back()
            or self._decide()
            or self._answering.answer()
            or self._vote_on_turn()
            or self._return()
        )

    def _is_outvoted(self) -> bool:
        """Whether all others have called this seat absent before it cast its open vote.

        The last of their votes may be among what that vote holds back; it counts for nothing then.
        """
        core, own = self._core, self._holding.vote
        if own is None:
            return False
        place = self._envelope_of(core.seat, own).seq
        rest = [seat for seat in core.others if seat != own.absent]
        return any(
            vote.absent == core.seat
            and vote.head_seq <= place
            and all(core.ballot.has_voted(seat, vote) for seat in rest)
            for vote in self._holding.held_votes()
        )

    def _vote_on_turn(self) -> bool:
        """Each turn of an absent seat begins with a decision: is it back?"""
        core = self._core
        vote = self._turn_vote()
        if vote is None or core.is_absent or core.ballot.has_voted(core.seat, vote):
            return False
        if core.ballot.refusal_of(vote, is_marked=True) is not None:
            return False
        if self._returned is None:
            core.send(vote)
            return True
        if core.ballot.has_refused(core.seat, vote.absent, self._returned.seq):
            return False
        core.send(Refuse(message=self._returned.encoded))
        for item in core.book.chain(Seat(vote.absent))[vote.head_seq : self._returned.seq]:
            core.emit(Send(envelope=item.encoded))  # without these nobody can place a RETURN
        return True

    def _turn_vote(self) -> Drop | None:
        """The vote that is due now because it is the absent seat's turn."""
        core = self._core
        if not is_absent_turn(core):
            return None
        assert core.mark is not None
        return drop_about(core, core.mark.seat, core.mark.head_seq)

    def _decide(self) -> bool:
        """Marks a seat absent, plays on for it, or takes it back."""
        core = self._core
        turn = self._turn_vote()
        if turn is not None:
            is_back = core.ballot.refusal_of(turn, is_marked=True) is not None
            if is_back and self._returned is not None:
                self._take_back(self._returned)
                return True
        here = sorted(self._cast_at.get(core.step, ()), key=lambda cast: cast[0])
        for vote in dict.fromkeys(vote for _, vote in here):
            if vote.state == core.states[-1] and self._stands(vote):
                self._apply(vote)
                return True
        return False

    def _stands(self, vote: Drop) -> bool:
        """Whether all others have cast this vote and all that they sent before is handled."""
        core = self._core
        voters = [seat for seat in core.present if seat != vote.absent]
        if not voters or not all((seat, vote) in self._cast for seat in voters):
            return False
        if core.mark is not None and core.phase is not Phase.RESULT:
            return vote == self._turn_vote()
        if core.phase is Phase.RESULT:
            return vote.absent in core.present and vote.absent not in core.contributions
        if vote.absent == core.seat:
            return core.is_dropped or self._own_handled() == vote.head_seq
        return vote == self._holding.vote

    def _own_handled(self) -> int:
        core = self._core
        return core.book.head(core.seat)[0] - len(core.own_queue)

    def _apply(self, vote: Drop) -> None:
        core = self._core
        seat = Seat(vote.absent)
        if core.phase is Phase.RESULT:
            voters = [other for other in core.present if other != seat]
            finish(core, [self._envelope_of(other, vote) for other in voters])
            return
        core.certified.add((vote.absent, vote.head_seq))
        if core.phase in OPENING:
            self._give_up(seat)
            return
        is_new = core.mark is None
        mark = Mark(seat=seat, head_seq=vote.head_seq)
        core.mark, core.is_dropped = mark, False
        if is_new:
            self._returned = None
            if core.phase is Phase.PLAY and core.engine.mover(core.need_game()) == seat:
                roll_turn_back(core)
        core.complete_mark("absent", mark)
        if is_new:
            core.emit(SeatAbsent(seat=seat))
            self._divert_what_is_here(mark)
            self._release()
        self._go_on(seat)

    def _divert_what_is_here(self, mark: Mark) -> None:
        """What the absent seat's own machine has sent already counts for nothing any more."""
        if mark.seat == self._core.seat:
            return
        self._inbox[mark.seat].clear()
        for item in self._core.book.chain(mark.seat)[mark.head_seq :]:
            self.diverts(item)

    def _go_on(self, seat: Seat) -> None:
        core = self._core
        if core.phase in (Phase.END, Phase.DISCLOSE):
            complete_closing(core)
        elif core.reveals:
            release_tokens(core)
        elif core.engine.mover(core.need_game()) == seat:
            begin_absent_turn(core)

    def _take_back(self, returned: Envelope) -> None:
        core = self._core
        assert core.mark is not None
        mark = Mark(seat=core.mark.seat, head_seq=returned.seq + 1)
        core.mark, self._returned = None, None
        core.complete_mark("returned", mark)
        core.emit(SeatReturned(seat=mark.seat))
        core.announce_turn()

    def _envelope_of(self, author: Seat, vote: Drop) -> Envelope:
        return next(item for item in self._core.book.chain(author) if item.message == vote)

    # The seat that is absent itself --------------------------------------------------------------

    def _go_back(self) -> bool:
        """All others stand before messages of this seat: so does this seat now."""
        core = self._core
        if core.mark is not None or core.is_dropped:
            return False
        if self._is_outvoted():
            self._release()
            return True
        for vote in self._against:
            is_settled = (vote.absent, vote.head_seq) in core.certified
            if is_settled or vote.head_seq >= self._own_handled():
                continue
            if not all((seat, vote) in self._cast for seat in core.others):
                continue
            if core.states[vote.step] != vote.state:
                continue
            if vote.step < FIRST_DEALT_STEP:
                self._give_up(core.seat)
                return True
            go_back(core, vote.head_seq, self._inbox)
            core.is_dropped = True
            self._holding.release()  # and what was kept back is forgotten
            return True
        return False

    def _return(self) -> bool:
        """Says that this seat is here again, as soon as its chain allows it."""
        core = self._core
        if not core.is_absent or self._returned is not None or core.phase not in DEALT:
            return False
        chain = core.book.chain(core.seat)
        if chain and chain[-1].step > core.step:
            return False
        core.send(Return())
        self._returned = core.book.chain(core.seat)[-1]
        core.own_queue.clear()
        return True
