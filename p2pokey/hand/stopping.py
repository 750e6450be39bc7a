"""The end of a hand without score: naming the culprit, telling the others, judging accusations.

A seat that finds a fault signs VOID with the evidence. Another seat that has not seen it looks at
the evidence itself: a fork is proven by its two signed messages; a single message is handled like
one that arrived late, and the accuser is at fault if nothing is wrong with it. An accusation without
evidence (bytes that nobody signed) ends the hand and blames nobody.

Once READY has passed and all seats but the one named have signed the same VOID, they disclose, so
that the fault can be traced (docs/protocol.md S4). Before READY no tile has been dealt.
"""

from collections import deque
from collections.abc import Sequence

from p2pokey.errors import (
    DecodeError,
    DuplicateKey,
    FalseAccusation,
    PeerFault,
    VerificationError,
)
from p2pokey.hand.core import HandCore
from p2pokey.hand.effects import HandStopped, Phase
from p2pokey.tiles import Seat
from p2pokey.transcript.envelope import Envelope, decode_envelope
from p2pokey.transcript.messages import MAX_ENVELOPE, NOBODY, Disclose, Kind, Void

ABANDONED = "Abandoned"
"""Reason of a VOID that names nobody."""
_ROUNDS = {Kind.COMMIT: Phase.COMMIT, Kind.KEYS: Phase.KEYS}
_KEYS_STEP = 2
"""Steps completed with the last KEYS."""
_EVIDENCE_LIMIT = MAX_ENVELOPE - 4096
"""Bytes of evidence that fit one envelope beside its own fields."""


def accuses(void: Void, seats: int) -> bool:
    """Whether a VOID names a seat and shows evidence; any other one proves nothing."""
    return bool(void.evidence) and void.culprit < seats


def _is_of_earlier_key(accusation: Envelope) -> bool:
    """Whether it is about a key that only its author may have seen, in an attempt before this one.

    Which keys a seat has seen of an attempt without score differs. Steps never go back, so nobody
    says this who has gone on from the keys.
    """
    void = accusation.message
    is_about_key = isinstance(void, Void) and void.reason == DuplicateKey.__name__
    return is_about_key and accusation.step < _KEYS_STEP


class Stopping:
    """What a hand remembers of its own end."""

    def __init__(self, core: HandCore) -> None:
        self._core = core
        self._voids: dict[Seat, int] = {}
        self._has_disclosed = False
        self._accusations: list[tuple[Envelope, Envelope]] = []
        self.fault: PeerFault | None = None
        self.culprit = NOBODY
        self.missing: Seat | None = None

    def stop(self, fault: PeerFault) -> None:
        """Ends the hand for a proven fault and tells the others."""
        if self._core.phase in (Phase.STOPPED, Phase.DONE):
            return
        self.fault = fault
        self._end(str(fault), fault.cause, fault.culprit, fault.evidence)

    def abandon(self, reason: str, cause: str = ABANDONED, *, missing: Seat | None = None) -> None:
        """Ends the hand without blame."""
        self.missing = missing
        self._end(reason, cause, NOBODY, ())

    def repeat(self, envelope: Envelope, void: Void) -> None:
        """Ends the hand as this seat has signed it in an earlier run."""
        core = self._core
        if void.culprit < len(core.seats):
            self.fault = PeerFault(
                f"seat {void.culprit + 1}: {void.reason}",
                culprit=void.culprit,
                phase=core.phase.label,
                cause=void.reason,
                evidence=void.evidence,
            )
        self.culprit = void.culprit
        core.publish(envelope)
        core.enter(Phase.STOPPED)
        self._voids[core.seat] = void.culprit
        core.emit(HandStopped(reason=void.reason, fault=self.fault))

    def take_void(self, envelope: Envelope, void: Void) -> None:
        """Another seat ends the hand, before or after this one has."""
        self._voids[envelope.seat] = void.culprit
        if self._core.phase in (Phase.STOPPED, Phase.DONE):
            return
        if not accuses(void, len(self._core.seats)):
            # Whom it names without evidence is not repeated under this seat's own signature.
            said = "gave the hand up" if void.culprit == NOBODY else "ended the hand without proof"
            self.abandon(f"seat {envelope.seat + 1} {said} ({void.reason})")
            return
        try:
            accused = [decode_envelope(item) for item in void.evidence]
            self._judge(envelope, accused)
        except (DecodeError, VerificationError) as error:
            self._blame(envelope, f"evidence that proves nothing: {error}")

    def _has_signed_result(self, seat: Seat) -> bool:
        return any(item.kind is Kind.RESULT for item in self._core.book.chain(seat))

    def judge_pending(self, inbox: Sequence[deque[Envelope]]) -> bool:
        """Decides accusations whose message has been handled without finding anything wrong.

        Returns whether one of them ended the hand.
        """
        for accusation, accused in self._accusations:
            if accused.kind is Kind.VOID:
                # Whether that VOID lies is decided by its own accusation, which is pending too.
                continue
            if self._core.phase is _ROUNDS.get(accused.kind):
                # That its key repeats another one shows only when the round is complete.
                continue
            is_waiting = any(item.seq <= accused.seq for item in inbox[accused.seat])
            is_unverified = accused.kind is Kind.SHUFFLE and self._core.verified <= accused.seat
            count, _ = self._core.book.head(accused.seat)
            if accused.seq < count and not is_waiting and not is_unverified:
                self._accusations.remove((accusation, accused))
                if _is_of_earlier_key(accusation):
                    self.abandon(f"seat {accusation.seat + 1} says that a key has been used before")
                else:
                    self._blame(accusation, "it accuses a seat of a message that is in order")
                return True
        return False

    def finish(self, inbox: Sequence[deque[Envelope]]) -> None:
        """Drops what still arrives after the end; discloses when all others have ended it too."""
        for queue in inbox:
            queue.clear()
        self._core.own_queue.clear()
        self._disclose()

    def _judge(self, envelope: Envelope, accused: list[Envelope]) -> None:
        """Looks at the accused messages as if they had come late."""
        setup = self._core.setup
        if any((e.session, e.hand) != (setup.session, setup.hand) for e in accused):
            raise VerificationError("evidence from another hand")
        for item in accused:
            try:
                self._core.late.extend(self._core.book.accept(item))
            except VerificationError as error:
                if not error.evidence:
                    raise
                self.stop(
                    PeerFault(
                        f"seat {item.seat + 1}: {error}",
                        culprit=item.seat,
                        phase=self._core.phase.label,
                        cause=error.code,
                        evidence=error.evidence,
                    )
                )
                return
        self._accusations.append((envelope, accused[-1]))

    def _blame(self, accusation: Envelope, message: str) -> None:
        if self._has_signed_result(accusation.seat):
            return  # it has signed the score and cannot take that back by a lie
        self.stop(
            PeerFault(
                f"seat {accusation.seat + 1}: {message}",
                culprit=accusation.seat,
                phase=self._core.phase.label,
                cause=FalseAccusation.__name__,
                evidence=(accusation.encoded,),
            )
        )

    def _end(self, reason: str, cause: str, culprit: int, evidence: tuple[bytes, ...]) -> None:
        core = self._core
        self.culprit = culprit
        if core.result is not None and not evidence:
            # This seat has signed the score: it stops waiting, and takes nothing back.
            core.enter(Phase.STOPPED)
            core.emit(HandStopped(reason=reason, fault=self.fault, missing=self.missing))
            return
        if sum(map(len, evidence)) > _EVIDENCE_LIMIT:
            evidence = ()
        core.contribute(Void(reason=cause, culprit=culprit, evidence=evidence))
        core.enter(Phase.STOPPED)
        self._voids[core.seat] = self.culprit
        core.emit(HandStopped(reason=reason, fault=self.fault, missing=self.missing))

    def _disclose(self) -> None:
        core = self._core
        is_dealt = core.deck is not None
        agreeing = {seat for seat, culprit in self._voids.items() if culprit == self.culprit}
        expected = {seat for seat in core.present if seat != self.culprit}
        chain = core.book.chain(core.seat)
        if chain and chain[-1].step > core.step:
            return  # it ended the hand further on in an earlier run; steps never go back
        if is_dealt and not self._has_disclosed and agreeing >= expected:
            self._has_disclosed = True
            core.contribute(Disclose(seed=core.secrets.seed))
            core.own_queue.clear()
