"""Votes about a seat that has fallen silent, and what follows from them (docs/protocol.md S10).

When its shell has waited long enough a seat votes DROP and from then on holds back, unaccepted, what
the silent seat may still send. The vote stands until all others have cast the same one, or until
another seat shows with REFUSE the message that follows the head. Why honest seats always come to
the same decision is in the protocol document; the bookkeeping is in transcript/absence.py.

Everything here happens when the machine has nothing else to do, so that what a seat sent before its
vote has been handled before the vote counts.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence

from p2pokey.errors import DecodeError, P2POkeyError, VerificationError
from p2pokey.hand.closing import complete_closing, finish
from p2pokey.hand.core import HandCore
from p2pokey.hand.effects import HandPaused, Phase, SeatAbsent, SeatReturned, Send
from p2pokey.hand.rewinding import go_back
from p2pokey.hand.standing_in import begin_absent_turn, release_tokens, roll_turn_back
from p2pokey.ports import Verifier
from p2pokey.tiles import Seat
from p2pokey.transcript.absence import FIRST_DEALT_STEP, Mark, refused_message
from p2pokey.transcript.envelope import NO_PREVIOUS, Envelope, decode_envelope
from p2pokey.transcript.messages import Drop, Kind, Refuse, Return, Void

MAX_HELD = 64
"""Messages of a seat that are kept while a vote about it is open."""
OPENING = (Phase.COMMIT, Phase.KEYS, Phase.SHUFFLE, Phase.READY)
"""Rounds before the deal: a seat that is missing there ends the attempt."""
DEALT = (Phase.DEAL, Phase.INDICATOR, Phase.PLAY)
"""Rounds in which the others stand in for an absent seat."""

StopFor = Callable[[Seat, P2POkeyError, tuple[bytes, ...]], None]
Take = Callable[[Envelope], None]


class Absence:
    """Who is absent, as this seat sees it."""

    def __init__(
        self,
        core: HandCore,
        inbox: Sequence[deque[Envelope]],
        verifier: Verifier,
        *,
        stop_for: StopFor,
        give_up: Callable[[Seat], None],
        take: Take,
    ) -> None:
        """Args:
        stop_for: ends the hand for a fault of that seat.
        give_up: ends the attempt because that seat is missing.
        take: chains a checked envelope and puts it where it belongs.
        """
        self._core = core
        self._inbox = inbox
        self._verifier = verifier
        self._stop_for = stop_for
        self._give_up = give_up
        self._take = take
        self._open: Drop | None = None
        self._held: dict[tuple[int, bytes], Envelope] = {}
        self._returned: Envelope | None = None
        self._cast: set[tuple[Seat, Drop]] = set()
        self._cast_at: dict[int, list[tuple[Seat, Drop]]] = {}
        """The same by step, as they came."""
        self._against: list[Drop] = []
        """The same about this seat."""
        self._answered: dict[Seat, int] = dict.fromkeys(core.seats, 0)
        """How many votes of each seat, from its first one on, need no answer for good."""
        self._paused: set[Seat] = set()

    # What the machine asks -----------------------------------------------------------------------

    @property
    def called(self) -> Seat | None:
        """The seat about which this seat's vote is open."""
        return None if self._open is None else Seat(self._open.absent)

    @property
    def paused(self) -> tuple[Seat, ...]:
        """Seats that were called in vain and are still waited for."""
        self._paused = {seat for seat in self._paused if self._is_missing(seat)}
        return tuple(sorted(self._paused))

    def holds(self, envelope: Envelope) -> bool:
        """Keeps back what comes from a seat whose absence this seat has voted for."""
        vote = self._open
        if vote is None or envelope.seat != vote.absent or envelope.seq < vote.head_seq:
            return False
        self._core.book.verify(envelope)
        if len(self._held) < MAX_HELD:
            self._held[envelope.seq, envelope.encoded] = envelope
        return True

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
        vote = self._open
        if vote is None or not any(self._is_behind(vote, item) for item in void.evidence):
            return True
        if self._core.ballot.has_voted(envelope.seat, vote):
            return False
        self._release()
        return True

    def _is_behind(self, vote: Drop, data: bytes) -> bool:
        try:
            shown = decode_envelope(data)
        except DecodeError:
            return False
        return shown.seat == vote.absent and shown.seq >= vote.head_seq

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

    def names_head(self, vote: Drop) -> bool:
        """Whether the head of the vote is the one that this seat has, as far as it can tell."""
        chain = self._core.book.chain(Seat(vote.absent))
        if vote.head_seq > len(chain):
            return True
        return vote.head == (chain[vote.head_seq - 1].body_hash if vote.head_seq else NO_PREVIOUS)

    # Calling -------------------------------------------------------------------------------------

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
        if self._may_vote(seat):
            self._vote(seat, self._head_of(seat))

    def can_repeat(self, vote: Drop) -> bool:
        """Whether a vote of an earlier run can be cast again now."""
        seat = Seat(vote.absent)
        return (
            self._is_missing(seat)
            and self._may_vote(seat)
            and (vote.step, vote.head_seq) == (self._core.step, self._head_of(seat))
        )

    def repeat(self, vote: Drop) -> None:
        """The vote of an earlier run stands."""
        self._lock(vote)

    def _is_missing(self, seat: Seat) -> bool:
        """Whether the hand cannot go on without a message of that seat, and none is here."""
        core = self._core
        if seat == core.seat or seat not in core.present or self._inbox[seat]:
            return False
        return seat in awaited(core)

    def _may_vote(self, seat: Seat) -> bool:
        head = self._head_of(seat)
        is_shown = any(
            core_seat != seat and self._core.ballot.has_refused(core_seat, seat, head)
            for core_seat in self._core.seats
        )
        return self._open is None and not is_shown

    def _can_stand_in(self) -> bool:
        core = self._core
        if core.phase in OPENING:
            return True
        if core.phase in DEALT and core.mark is not None:
            return False
        is_first = core.mark is None or core.phase is Phase.RESULT
        return core.threshold > 0 and len(core.seats) >= 3 and is_first

    def _head_of(self, seat: Seat) -> int:
        mark = self._core.mark
        if mark is not None and mark.seat == seat:
            return mark.head_seq
        return self._core.book.head(seat)[0]

    def _vote(self, seat: Seat, head_seq: int) -> None:
        core = self._core
        chain = core.book.chain(seat)
        vote = Drop(
            absent=seat,
            step=core.step,
            head_seq=head_seq,
            head=chain[head_seq - 1].body_hash if head_seq else NO_PREVIOUS,
            state=core.states[-1],
        )
        if not core.ballot.has_voted(core.seat, vote):
            core.send(vote)
            self._lock(vote)

    def _lock(self, vote: Drop) -> None:
        """From here on only a refusal brings more of that seat; a score binds it already."""
        is_marked = self._core.mark is not None and self._core.mark.seat == vote.absent
        if not is_marked and self._core.phase is not Phase.RESULT:
            self._open = vote

    def _release(self) -> None:
        self._open = None
        held, self._held = self._held, {}
        for _, envelope in sorted(held.items()):
            self._take(envelope)

    def _hear_refusal(self, envelope: Envelope, refuse: Refuse) -> None:
        core = self._core
        message = refused_message(self._verifier, core.setup, envelope.seat, refuse)
        core.ballot.note_refusal(envelope, message)
        if message.seat == core.seat:
            return
        vote = self._open
        if vote is not None and core.ballot.refusal_of(vote, is_marked=False) is not None:
            self._release()
        if not self.holds(message):
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
            or self._answer()
            or self._vote_on_turn()
            or self._return()
        )

    def _answer(self) -> bool:
        """Shows the message that a vote of another seat lacks."""
        core = self._core
        if core.is_absent:
            return False
        votes = [vote for author in core.others for vote in self._unanswered(author)]
        # Also where the voter's own messages are held back: it must not wait for this seat.
        for vote in (*votes, *self._held_votes()):
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
        return vote.head_seq < self._head_of(absent)

    def _held_votes(self) -> list[Drop]:
        return [held.message for held in self._held.values() if isinstance(held.message, Drop)]

    def _is_outvoted(self) -> bool:
        """Whether all others have called this seat absent before it cast its open vote.

        The last of their votes may be among what that vote holds back; it counts for nothing then.
        """
        core, own = self._core, self._open
        if own is None:
            return False
        place = self._envelope_of(core.seat, own).seq
        rest = [seat for seat in core.others if seat != own.absent]
        return any(
            vote.absent == core.seat
            and vote.head_seq <= place
            and all(core.ballot.has_voted(seat, vote) for seat in rest)
            for vote in self._held_votes()
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
        chain, head_seq = core.book.chain(core.mark.seat), core.mark.head_seq
        return Drop(
            absent=core.mark.seat,
            step=core.step,
            head_seq=head_seq,
            head=chain[head_seq - 1].body_hash if head_seq else NO_PREVIOUS,
            state=core.states[-1],
        )

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
        return vote == self._open

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
            self._open, self._held = None, {}
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


def is_absent_turn(core: HandCore) -> bool:
    """Whether the absent seat is on turn and it is not yet decided who plays."""
    if core.mark is None or core.phase is not Phase.PLAY or core.reveals:
        return False
    return core.engine.mover(core.need_game()) == core.mark.seat


def awaited(core: HandCore) -> Iterable[Seat]:
    """Seats without whose message the hand cannot go on."""
    if core.phase in (Phase.AUDIT, Phase.DONE, Phase.STOPPED):
        return ()
    if core.phase is Phase.SHUFFLE:
        return (Seat(len(core.shuffles)),) if len(core.shuffles) < len(core.seats) else ()
    if core.reveals:
        return core.missing_tokens()
    if is_absent_turn(core):
        return _undecided(core)
    if core.phase is Phase.PLAY:
        mover = core.engine.mover(core.need_game())
        return () if mover is None else (mover,)
    return tuple(seat for seat in core.present if seat not in core.contributions)


def _undecided(core: HandCore) -> tuple[Seat, ...]:
    """Seats that have not said whether the absent seat is back."""
    assert core.mark is not None
    return tuple(
        seat
        for seat in core.present
        if not any(
            (vote.absent, vote.step) == (core.mark.seat, core.step)
            for vote in core.ballot.votes_of(seat)
        )
    )
