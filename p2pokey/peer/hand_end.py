"""How a hand ended, and why it has no score: what a seat says of it afterwards."""

from dataclasses import dataclass

from p2pokey.hand.effects import HandFinished, HandStopped
from p2pokey.net.link import LinkState
from p2pokey.peer.counting import ProofTally
from p2pokey.peer.patience import Patience
from p2pokey.peer.postbox import Postbox
from p2pokey.peer.waits import people
from p2pokey.peer.worker import HandWorker
from p2pokey.rules.rulesets import TableOptions
from p2pokey.tiles import Seat
from p2pokey.transcript.messages import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class HandEnd:
    """How a hand ended."""

    finished: HandFinished | None
    """The score, if the hand counts."""
    stopped: HandStopped | None
    """Set otherwise."""
    reason: str
    """Why there is no score, in one sentence; empty if there is one."""
    is_void: bool
    """Whether nobody is to blame and all know that there is no score: the hand is dealt again."""
    withheld: tuple[Seat, ...]
    """Seats that saw the others' coins and kept theirs (docs/protocol.md S4.2)."""
    moves: int
    proofs: ProofTally
    audited: int
    """Proof objects that the own audit verified."""
    seconds: float
    ending: str = ""
    """How the hand came to its score (`rules.scoring.HandScore.reason`); empty without one."""


@dataclass(kw_only=True)
class EndReport:
    """What this seat can say of the end of one hand, before it and after it."""

    seat: Seat
    names: tuple[str, ...]
    options: TableOptions
    worker: HandWorker
    patience: Patience
    postbox: Postbox
    is_bound: bool = False
    """Whether others may come to a score of this hand although this seat does not."""
    is_dealt: bool = False
    stopped: HandStopped | None = None
    own_reason: str = ""
    """Why this seat gave the hand up, if it did."""

    def is_void(self) -> bool:
        """Whether nobody is to blame and all know that there is no score."""
        if self.stopped is None or self.stopped.fault is not None or self.is_bound:
            return False
        return all(void.culprit >= self.options.seats for void in self.worker.voids.values())

    def withheld(self) -> tuple[Seat, ...]:
        """Seats that saw the others' coins and kept theirs (docs/protocol.md S4.2)."""
        committed, opened = self.worker.authors(Kind.COMMIT), self.worker.authors(Kind.KEYS)
        if len(committed) < self.options.seats:
            return ()
        return tuple(sorted(committed - opened))

    def reason(self) -> str:
        """Why the hand has no score, from all that this seat knows; empty if it has one."""
        if self.stopped is None:
            return ""
        if self.stopped.fault is not None:
            culprit = people([Seat(self.stopped.fault.culprit)], self.names)
            return f"{culprit} broke the protocol: {self.stopped.reason}"
        if self.own_reason:
            return self.own_reason
        if self.stopped.missing is not None and self.stopped.missing != self.seat:
            return self.patience.missing_text(self.stopped.missing)
        authors = [seat for seat in self.worker.voids if seat != self.seat]
        if authors and self.worker.voids[authors[0]].culprit < self.options.seats:
            return self._accusation_text(authors[0])
        links = self.postbox.links
        troubled = [seat for seat, link in links.items() if link.state is not LinkState.HERE]
        if troubled:
            return self.patience.missing_text(troubled[0])
        if not authors or not self.patience.last_wait:
            return self.stopped.reason
        waited = self.patience.last_wait
        return f"{people(authors[:1], self.names)} gave the hand up, waiting for {waited}"

    def has_heard_all(self) -> bool:
        """Whether all that can be heard have said that the hand is stopped, and disclosed."""
        fault = None if self.stopped is None else self.stopped.fault
        silent = {*self.postbox.gone, *(() if fault is None else (fault.culprit,))}
        expected = {seat for seat in range(self.options.seats) if seat not in silent}
        missing = expected - self.worker.authors(Kind.VOID)
        if self.is_dealt and fault is not None:
            missing |= expected - self.worker.authors(Kind.DISCLOSE)
        return not missing

    def _accusation_text(self, author: Seat) -> str:
        void = self.worker.voids[author]
        accused = people([Seat(void.culprit)], self.names)
        return (
            f"{people([author], self.names)} ended the hand, accusing {accused} of {void.reason}; "
            "audit the transcript to see who is right"
        )
