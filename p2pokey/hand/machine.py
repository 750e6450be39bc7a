"""One hand of Okey at one seat, without I/O, clock or randomness (docs/protocol.md S4).

The machine is driven from outside: `receive` a peer's bytes, `act` on a command, `timer`, `work`
for one slice of whatever is to do, and `poll` for the ordered effects. Same inputs, same bytes out.

How it decides. Every accepted envelope waits in its author's queue until this seat has completed
the step that the envelope names; then the state hashes must agree, and the handler for (phase,
kind) runs. A kind that is not in the table for the phase is a fault. Four kinds know more about
order (dispatch.py): a SHUFFLE waits for the link before it, a MOVE for the tokens of the last draw,
a RESULT for this seat's own audit, and a VOID for nothing. So delays, reordering and repetition
cannot change what happens. Own envelopes pass through the same handlers as everybody else's.

Work comes in two lanes: messages and own moves first; the verification of shuffles whenever nothing
else is to do, so a seat hands on its own shuffle before it has verified the one it builds on (S4.3),
but signs READY only after all.

Faults. All of them end in `_stop` or in `Stopping`; what a handler raises is turned into one in
`_advance`. A difference in what two seats have seen opens a dispute: this seat sends all it has
accepted, and if the other was shown something else by a third, the fork names that third seat
(disputing.py).
"""

from collections import deque
from collections.abc import Collection, Iterable
from dataclasses import replace

from p2pokey.errors import (
    DeckDisagreement,
    DecodeError,
    LocalProtocolError,
    P2POkeyError,
    PeerFault,
    RuleError,
    StateDisagreement,
    TokenNotDue,
    UnknownTile,
    VerificationError,
)
from p2pokey.hand.absence import Absence
from p2pokey.hand.awaiting import awaited
from p2pokey.hand.blame import Blame, Dispute
from p2pokey.hand.calling import Calling, names_head
from p2pokey.hand.closing import counted_lines, send_result
from p2pokey.hand.core import HandCore, HandPorts, Steps
from p2pokey.hand.dispatch import handle, is_due
from p2pokey.hand.disputing import Disputing
from p2pokey.hand.effects import (
    Abandon,
    AuditDone,
    CallAbsent,
    Command,
    ConfirmResult,
    Effect,
    Persist,
    Phase,
    Play,
    RejectResult,
    Send,
    Waiting,
)
from p2pokey.hand.holding import Holding
from p2pokey.hand.opening import send_commit, verify_shuffles
from p2pokey.hand.play import make_move
from p2pokey.hand.repeating import repeat_decision, take_known_void
from p2pokey.hand.restoring import whole_hand
from p2pokey.hand.rewinding import take_snapshot
from p2pokey.hand.stopping import Stopping, accuses
from p2pokey.ports import Verifier
from p2pokey.rules.view import View
from p2pokey.tiles import Seat
from p2pokey.transcript.absence import FIRST_DEALT_STEP
from p2pokey.transcript.chain import ChainBook
from p2pokey.transcript.envelope import Envelope, decode_envelope, verify_envelope
from p2pokey.transcript.file import VOTES, encode_transcript
from p2pokey.transcript.messages import Drop, Kind, Void
from p2pokey.transcript.setup import HandSetup

MAX_WAITING = 256
"""Messages of one seat that wait for their step: a whole turn, and tokens for the others' draws.

More are not taken, and blame nobody: a liar who passes on what one honest seat has signed, and not what
the others have, could bring that many to a seat that catches up.
"""
_ENDING = (Phase.END, Phase.DISCLOSE, Phase.AUDIT, Phase.RESULT)
"""Phases in which this seat has signed the final state and the hand is counted."""
MAX_AFTER_END = 16
"""Messages of one seat that a stopped hand still takes: a VOID, a disclosure, and what was late."""

MISSING = "Missing"
"""Reason of a VOID before the deal: a seat does not answer. It names nobody."""


class HandMachine:
    """The sans-IO machine of one hand."""

    def __init__(
        self,
        *,
        setup: HandSetup,
        seat: Seat,
        seed: bytes,
        ports: HandPorts,
        verifier: Verifier,
        used_keys: frozenset[bytes] = frozenset(),
    ) -> None:
        """Prepares the hand; the first slice of `work` sends this seat's COMMIT.

        Args:
            setup: what all seats agreed on.
            seat: this seat.
            seed: 32 fresh bytes from the operating system, on disk before `poll` is carried out.
            ports: group, signer and sealer.
            verifier: of signatures.
            used_keys: hand and sealing keys of earlier attempts of the session.
        """
        book = ChainBook(roster=setup.roster, verifier=verifier)
        self._core = HandCore(
            setup=setup, seat=seat, seed=seed, ports=ports, book=book, used_keys=used_keys
        )
        self._verifier = verifier
        self._inbox: tuple[deque[Envelope], ...] = tuple(deque() for _ in setup.roster)
        self._voids: deque[Envelope] = deque()
        self._lane: tuple[Envelope | None, Steps] | None = None
        self._idle_lane: Steps | None = None
        self._disputing = Disputing()
        self._stopping = Stopping(self._core)
        self._holding = Holding(self._core)
        self._calling = Calling(self._core, self._inbox, self._holding)
        self._absence = Absence(
            self._core,
            self._inbox,
            verifier,
            self._holding,
            stop_for=self._stop_for,
            give_up=self._give_up,
            take=self._take,
        )
        self._has_started = False
        self._late_count: dict[Seat, int] = {}

    # What the shell sees -------------------------------------------------------------------------

    @property
    def phase(self) -> Phase:
        """The current round."""
        return self._core.phase

    @property
    def fault(self) -> PeerFault | None:
        """Who broke the protocol, once the hand has stopped for it."""
        return self._stopping.fault

    @property
    def step(self) -> int:
        """Number of completed steps."""
        return self._core.step

    @property
    def state_hash(self) -> bytes:
        """Hash of the public state after the newest step."""
        return self._core.states[-1]

    @property
    def public_keys(self) -> frozenset[bytes]:
        """All hand and sealing keys seen in this hand: `used_keys` of the next attempt."""
        sealing = {commit.sealing_key for commit in self._core.commits}
        return frozenset(sealing | {keys.hand_key for keys in self._core.keys})

    @property
    def setup(self) -> HandSetup:
        """What all seats have agreed on for this hand."""
        return self._core.setup

    @property
    def seat(self) -> Seat:
        """This seat."""
        return self._core.seat

    @property
    def can_move(self) -> bool:
        """Whether a move of this seat is due and possible now."""
        core = self._core
        is_busy = core.reveals or self._lane or core.own_queue
        if core.phase is not Phase.PLAY or is_busy or core.is_absent:
            return False
        return core.engine.mover(core.need_game()) == core.seat

    @property
    def is_proving(self) -> bool:
        """Whether it is in the middle of a message or of a proof; a vote is no work."""
        if self._lane is None:
            return self._idle_lane is not None
        envelope, _ = self._lane
        return envelope is None or envelope.kind not in VOTES

    @property
    def is_catching_up(self) -> bool:
        """Whether messages that this seat has signed in an earlier run are yet to come."""
        return len(self._core.signed) > 0

    @property
    def starter(self) -> Seat | None:
        """Seat that begins the hand, once the coins are open."""
        return self._core.starter if self._core.keys else None

    def count(self, seat: Seat) -> int:
        """How many messages of a seat have been accepted."""
        return self._core.book.head(seat)[0]

    @property
    def is_dealt(self) -> bool:
        """Whether there is a game to be seen."""
        return self._core.game is not None

    def view(self) -> View:
        """What this seat may know of the game; from the deal on."""
        return self._core.view()

    def transcript(self) -> bytes:
        """The transcript file as far as it goes."""
        core = self._core
        if core.phase is Phase.DONE:
            return core.transcript
        return encode_transcript(core.setup, counted_lines(core))

    def waiting(self) -> Waiting:
        """What the hand waits for."""
        core = self._core
        seats = tuple(awaited(core))
        if self.disputed is not None:
            seats = (self.disputed,)
        elif core.phase is Phase.AUDIT:
            seats = (core.seat,)
        elif core.phase is Phase.SHUFFLE and not seats:
            seats = core.seats
        return Waiting(
            phase=core.phase,
            seats=seats,
            absent=None if core.mark is None else core.mark.seat,
            called=self._holding.called,
            paused=self._calling.paused,
        )

    # The verbs -----------------------------------------------------------------------------------

    def signed_before(self, envelope: Envelope) -> None:
        """This seat has signed that envelope in an earlier run: it comes out again in its turn."""
        if envelope.seat == self.seat and envelope.seq >= self.count(self.seat):
            self._core.signed.add(envelope)

    def whole_hand(self, messages: Iterable[bytes]) -> frozenset[bytes]:
        """All of this hand up to every RESULT, if they hold it: this seat signs nothing more then."""
        return whole_hand(messages, self.setup, self._verifier)

    def receive(self, data: bytes, sender: Seat, now: float, *, from_journal: bool = False) -> None:
        """Takes one signed envelope from a peer; may be its own or one that it passes on.

        Args:
            data: body || signature; any bytes.
            sender: seat at the other end of the link, to blame for bytes that nobody signed.
            now: seconds, monotonic.
            from_journal: whether an earlier run has accepted it, which no bound takes back.
        """
        try:
            envelope = decode_envelope(data)
            if not self._is_for_this_hand(envelope) or self._is_noise(envelope):
                return
            if envelope.seat == self.seat and envelope.seq >= self.count(self.seat):
                # An own message that this run has not come to yet, passed on by a peer.
                verify_envelope(self._verifier, self._core.setup.roster[self.seat], envelope)
                self.signed_before(envelope)
                return
            if self._holding.holds(envelope):
                return
            is_new = envelope.seq >= self.count(envelope.seat)
            if is_new and not from_journal and self._is_full(envelope.seat):
                return
            accepted = self._accept(envelope, sender)
        except (DecodeError, VerificationError) as problem:
            if not self._is_counted_without():
                self._stop_for(sender, problem, ())
            return
        self._queue(accepted)

    def _is_full(self, seat: Seat) -> bool:
        """Whether so much of that seat waits that no more is taken: it has to be sent again."""
        return seat in self._core.seats and len(self._inbox[seat]) >= MAX_WAITING

    def act(self, command: Command, now: float) -> None:
        """Carries out a command of this seat's player or shell.

        Raises:
            RuleError: the rules do not allow that move.
            LocalProtocolError: not now.
        """
        core = self._core
        match command:
            case Play(move=move):
                self._check_can_move()
                core.engine.check(core.view(), move)
                self._lane = (None, make_move(core, move))
            case ConfirmResult(points=points, totals=totals):
                self._check_phase(Phase.AUDIT)
                send_result(core, points, totals)
            case RejectResult(culprit=culprit, cause=cause, message=message):
                self._check_phase(Phase.AUDIT)
                self._stop(Seat(culprit), cause, message, ())
            case CallAbsent(seat=called):
                if self._lane is None and not core.own_queue and self.disputed is None:
                    self._calling.call(called)
            case AuditDone(transcript=transcript, verdict=verdict):
                if core.phase is Phase.AUDIT and transcript == core.audit_due:
                    self.act(verdict, now)
            case Abandon(reason=reason):
                is_too_late = command.before_end and core.phase in _ENDING
                if core.phase not in (Phase.DONE, Phase.STOPPED) and not is_too_late:
                    self._drop_work()
                    self._stopping.abandon(reason)

    @property
    def disputed(self) -> Seat | None:
        """The author of a message that this seat cannot place: it, or a third seat, is at fault."""
        return self._disputing.author

    def note_unheard(self, seats: Collection[Seat], now: float) -> None:
        """Says which seats may not have what this seat has sent, or cannot be heard.

        As long as that is so of a seat that is disputed nothing is held against it.
        """
        self._disputing.note_unheard(seats, now)

    def next_timer(self) -> float | None:
        """When `timer` wants to be called, in the clock of `now`; None for never."""
        return self._disputing.next_timer()

    def timer(self, now: float) -> None:
        """Decides a dispute in which no fork has appeared."""
        decided = self._disputing.take_decided(now)
        if decided is not None:
            dispute, envelope = decided
            self._stop_for(dispute.author, dispute.cause, (envelope.encoded,))

    def work(self, now: float, *, more_comes: bool = False) -> bool:
        """Does one slice of work; False when there is nothing to do until the next input.

        A slice is at most about 100 group operations.

        Args:
            now: seconds, monotonic.
            more_comes: whether messages of an earlier run are still to be received, so that nothing
                that was signed later is due because there is nothing else to do.
        """
        self._take_voids()
        self._repeat_void()
        if self._has_stopped():
            self._stopping.finish(self._inbox)
            return False
        if not self._has_started:
            self._has_started = True
            send_commit(self._core)
        if self._lane is None:
            self._lane = self._next_message(now)
        if self._has_stopped():
            return True  # nothing may be judged by what is left of a hand that has just ended
        if self._lane is not None:
            self._advance(now)
            return True
        if self._work_idle():
            return True
        if repeat_decision(
            self._core, self._calling, can_move=self.can_move, more_comes=more_comes
        ):
            return True
        if self.disputed is not None:
            # What is disputed has not been handled, and may be what is accused.
            return self._repeat_void(is_idle=not more_comes)
        if self._absence.idle() or self._stopping.judge_pending(self._inbox):
            return True
        return self._repeat_void(is_idle=not more_comes)

    def poll(self) -> tuple[Effect, ...]:
        """The effects since the last call, in the order in which to carry them out."""
        effects = tuple(self._core.effects)
        self._core.effects.clear()
        return effects

    # Inside --------------------------------------------------------------------------------------

    def _is_for_this_hand(self, envelope: Envelope) -> bool:
        setup = self._core.setup
        return envelope.session == setup.session and envelope.hand == setup.hand

    def _has_stopped(self) -> bool:
        return self._core.phase is Phase.STOPPED

    def _is_noise(self, envelope: Envelope) -> bool:
        """What cannot matter any more, and so is not even kept."""
        core = self._core
        if core.phase is Phase.DONE:
            return True
        if core.phase is Phase.STOPPED:
            self._late_count[envelope.seat] = self._late_count.get(envelope.seat, 0) + 1
            return self._late_count[envelope.seat] > MAX_AFTER_END
        void = envelope.message
        is_idle = isinstance(void, Void) and not accuses(void, len(core.seats))
        return is_idle and self._is_fixed()

    def _is_counted_without(self) -> bool:
        """Whether the others may come to a score even if this seat stops now.

        It has signed the final state, or is absent, and they can stand in for it. So what nobody has
        signed does not end the hand for this seat alone.
        """
        core = self._core
        return core.threshold > 0 and (core.phase in _ENDING or core.signed.holds(Kind.END))

    def _is_fixed(self) -> bool:
        """Whether all have signed the end of play, as far as this seat has accepted that.

        From there on nobody gives the hand up, a seat can only be silent or prove that somebody
        cheated. Else a cheat could split the honest seats: those that have handled all ENDs when its
        VOID comes, and those that have them still to do.
        """
        core = self._core
        if core.phase in (Phase.DISCLOSE, Phase.AUDIT, Phase.RESULT):
            return True
        ended = {item.seat for item in core.book.accepted() if item.kind is Kind.END}
        return ended >= set(core.present)

    def _queue(self, accepted: Iterable[Envelope]) -> None:
        for item in accepted:
            self._core.emit(Persist(envelope=item.encoded))
            if self._absence.diverts(item):
                continue
            if item.kind in VOTES:
                self._absence.note(item)
            queue = self._voids if item.kind is Kind.VOID else self._inbox[item.seat]
            queue.append(item)

    def _take_voids(self) -> None:
        """Hears every VOID at once, also in a dispute: its evidence may decide it."""
        waiting: list[Envelope] = []
        while self._voids:
            envelope = self._voids.popleft()
            assert isinstance(envelope.message, Void)
            void = envelope.message
            if not self._absence.hear_void(envelope, void):
                if self._is_fixed():
                    waiting.append(envelope)  # until that vote is decided
                    continue
                void = replace(void, evidence=())
            self._stopping.take_void(envelope, void)
            # What it has shown is in its author's chain: nothing later of that seat may overtake it.
            late, self._core.late = self._core.late, []
            self._queue(late)
            if self._core.phase is Phase.STOPPED:
                self._drop_work()
        self._voids.extend(waiting)

    def _take(self, envelope: Envelope) -> None:
        """Takes a signed message that came inside another, or was held back."""
        self._queue(self._accept(envelope, envelope.seat))

    def _give_up(self, seat: Seat) -> None:
        """Ends the attempt before the deal without a seat that does not answer."""
        self._drop_work()
        self._stopping.abandon(f"seat {seat + 1} does not answer", MISSING, missing=seat)

    def _accept(self, envelope: Envelope, sender: Seat) -> tuple[Envelope, ...]:
        """Chains the envelope; a fork or broken chain stops the hand for its author."""
        try:
            return self._core.book.accept(envelope)
        except VerificationError as error:
            if not error.evidence:
                raise
            self._stop_for(envelope.seat, error, error.evidence)
            return ()

    def _check_can_move(self) -> None:
        core = self._core
        self._check_phase(Phase.PLAY)
        if core.is_absent:
            raise LocalProtocolError("the others play for this seat until its next turn")
        if core.reveals or self._lane is not None or core.own_queue:
            raise LocalProtocolError("wait until the last move is complete")

    def _check_phase(self, phase: Phase) -> None:
        if self._core.phase is not phase:
            raise LocalProtocolError(
                f"expected phase {phase.label}, the hand is in {self._core.phase.label}"
            )

    def _next_message(self, now: float) -> tuple[Envelope | None, Steps] | None:
        """The next envelope whose turn it is, with its handler started."""
        if self.disputed is not None:
            return None
        core = self._core
        queues = [core.own_queue, *(self._inbox[seat] for seat in core.others)]
        for queue in queues:
            if not queue or not is_due(core, queue[0]) or self._is_suspended(queue[0]):
                continue
            envelope = queue.popleft()
            steps = self._start(envelope, now)
            if steps is not None:
                return (envelope, steps)
            return None
        return None

    def _start(self, envelope: Envelope, now: float) -> Steps | None:
        """The handler for an envelope that is due; None if it stopped the hand or is disputed."""
        core = self._core
        if envelope.step > core.step:
            error: P2POkeyError = StateDisagreement("a message from an impossible future step")
            self._stop_for(envelope.seat, error, (envelope.encoded,))
            return None
        if envelope.state != core.states[envelope.step]:
            is_ready = envelope.kind is Kind.READY
            kind = DeckDisagreement if is_ready else StateDisagreement
            self._open_dispute(
                Dispute(envelope.seat, kind("another state after the same step")), envelope, now
            )
            return None
        if envelope.seat == core.seat and core.step >= FIRST_DEALT_STEP - 1:
            core.snapshots[envelope.seq] = take_snapshot(core)
        if envelope.kind in VOTES:
            core.handled.append(envelope)
            return self._handle_vote(envelope)
        steps = handle(core, envelope)
        if steps is None:
            error = TokenNotDue(f"{envelope.kind.label} is not due in phase {core.phase.label}")
            self._stop_for(envelope.seat, error, (envelope.encoded,))
        return steps

    def _is_suspended(self, envelope: Envelope) -> bool:
        core = self._core
        if envelope.seat == core.seat or envelope.step > core.step:
            return False  # a step that cannot be is a fault, whatever is being voted on
        return self._absence.suspends(envelope)

    def _handle_vote(self, envelope: Envelope) -> Steps:
        """A vote in its turn; what it is worth is decided when nothing else is to do."""
        yield
        vote = envelope.message
        if isinstance(vote, Drop):
            if not self._core.threshold and vote.step >= FIRST_DEALT_STEP:
                raise TokenNotDue("a vote at a table where nobody stands in")
            if not names_head(self._core, vote):
                raise Dispute(envelope.seat, StateDisagreement("a vote about another chain"))
            self._absence.cast(envelope.seat, vote)

    def _advance(self, now: float) -> None:
        """One slice of the current handler; what it raises becomes a fault here."""
        assert self._lane is not None
        envelope, steps = self._lane
        try:
            next(steps)
        except StopIteration:
            self._lane = None
        except Blame as blame:
            own = () if envelope is None else (envelope.encoded,)
            self._stop_for(blame.culprit, blame.cause, (*blame.evidence, *own))
        except Dispute as dispute:
            assert envelope is not None
            self._lane = None
            self._open_dispute(dispute, envelope, now)
        except UnknownTile as error:
            # Valid proofs make this impossible: keep the evidence, blame nobody (S5).
            self._stopping.abandon(f"{error}: the transcript is kept", UnknownTile.__name__)
        except (RuleError, DecodeError, VerificationError) as error:
            if envelope is None:
                raise LocalProtocolError(f"this seat's own move failed: {error}") from error
            self._stop_for(envelope.seat, error, (envelope.encoded,))

    def _work_idle(self) -> bool:
        core = self._core
        if self._idle_lane is None:
            if core.phase is not Phase.SHUFFLE or core.verified >= len(core.shuffles):
                return False
            self._idle_lane = verify_shuffles(core)
        try:
            next(self._idle_lane)
        except StopIteration:
            self._idle_lane = None
        except Blame as blame:
            evidence = self._shuffle_evidence(blame.culprit)
            self._stop_for(blame.culprit, blame.cause, evidence)
        return True

    def _repeat_void(self, *, is_idle: bool = False) -> bool:
        """Ends the hand again where this seat has ended it: at the step that its VOID names.

        Args:
            is_idle: whether nothing else is to do, so that no further step will come.

        Returns:
            Whether it did.
        """
        known = take_known_void(self._core, is_idle=is_idle)
        if known is None:
            return False
        self._drop_work()
        self._stopping.repeat(*known)
        return True

    def _shuffle_evidence(self, seat: Seat) -> tuple[bytes, ...]:
        chain = self._core.book.accepted()
        return tuple(
            item.encoded for item in chain if item.seat == seat and item.kind is Kind.SHUFFLE
        )

    def _open_dispute(self, dispute: Dispute, envelope: Envelope, now: float) -> None:
        """Shows the others all that this seat has accepted, and waits for a fork."""
        self._disputing.open(dispute, envelope, now)
        for item in self._core.book.accepted():
            self._core.emit(Send(envelope=item.encoded))

    def _drop_work(self) -> None:
        """The hand ends: nothing that was begun is finished."""
        self._lane = self._idle_lane = None
        self._disputing.close()

    def _stop_for(self, seat: Seat, error: P2POkeyError, evidence: tuple[bytes, ...]) -> None:
        self._stop(seat, error.code, str(error), evidence)

    def _stop(self, seat: Seat, cause: str, message: str, evidence: tuple[bytes, ...]) -> None:
        if self._core.phase in (Phase.DONE, Phase.STOPPED):
            return
        self._drop_work()
        self._stopping.stop(
            PeerFault(
                f"seat {seat + 1}: {message}",
                culprit=seat,
                phase=self._core.phase.label,
                cause=cause,
                evidence=evidence,
            )
        )
