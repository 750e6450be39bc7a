"""The votes of a file: who is called absent, from which message on, and who came back (S10).

Votes stand where their authors were when they cast them, so the replay takes them out of the file
first and asks for them by step. What they are worth follows from the chains alone
(transcript/absence.py), as it did for every seat at the table.
"""

from collections.abc import Sequence

from p2pokey.audit.reading import Line
from p2pokey.audit.report import Finding
from p2pokey.errors import DecodeError, TokenNotDue, VerificationError
from p2pokey.ports import Verifier
from p2pokey.tiles import Seat
from p2pokey.transcript.absence import FIRST_DEALT_STEP, Ballot, refused_message
from p2pokey.transcript.envelope import NO_PREVIOUS, Envelope
from p2pokey.transcript.file import OUT_OF_ROUND
from p2pokey.transcript.messages import Drop, Kind, Refuse
from p2pokey.transcript.setup import HandSetup


class Votes:
    """All votes, refusals and returns of one file."""

    def __init__(self, setup: HandSetup, verifier: Verifier, lines: Sequence[Line]) -> None:
        self.lines = [line for line in lines if line.envelope.kind in OUT_OF_ROUND]
        self.lines_of_absence = [
            line for line in lines if line.envelope.kind in (Kind.ESCROW, Kind.RETURN)
        ]
        self.findings: list[Finding] = []
        self._has_recovery = setup.options.threshold > 0
        self._setup = setup
        self._verifier = verifier
        self._ballot = Ballot(setup)
        self._chains: dict[Seat, dict[int, Envelope]] = {}
        for line in lines:
            chain = self._chains.setdefault(line.envelope.seat, {})
            chain.setdefault(line.envelope.seq, line.envelope)
        for line in sorted(self.lines, key=lambda line: (line.envelope.seat, line.envelope.seq)):
            self._note(line)

    def rest(self, lines: Sequence[Line]) -> list[Line]:
        """The lines that are no votes."""
        return [line for line in lines if line.envelope.kind not in OUT_OF_ROUND]

    def certificate(
        self, step: int, state: bytes, present: Sequence[Seat], seat: Seat
    ) -> Drop | None:
        """The vote by which all others call this seat absent at this step.

        Args:
            state: hash of the state after that step.
            present: all seats that no earlier certificate marks.
        """
        voters = [other for other in present if other != seat]
        for vote in self._ballot.votes_of(voters[0]) if voters else ():
            fits = (vote.absent, vote.step, vote.state) == (seat, step, state)
            if fits and self._names_head(vote) and self._ballot.is_certified(vote, present):
                return vote
        return None

    def turn_vote(self, seat: Seat, head_seq: int, step: int, state: bytes) -> Drop:
        """The vote that is due at a turn of a seat that is marked."""
        head = NO_PREVIOUS
        if head_seq and (last := self._chains.get(seat, {}).get(head_seq - 1)) is not None:
            head = last.body_hash
        return Drop(absent=seat, step=step, head_seq=head_seq, head=head, state=state)

    def returned(self, vote: Drop) -> Envelope | None:
        """The RETURN that a valid refusal of this turn's vote brings."""
        return self._ballot.refusal_of(vote, is_marked=True)

    def is_certified(self, vote: Drop, present: Sequence[Seat]) -> bool:
        """Whether all these seats but the one that it is about have cast this vote."""
        return self._ballot.is_certified(vote, present)

    def has_message(self, seat: Seat, kind: Kind, step: int, below: int) -> bool:
        """Whether the seat's chain has such a message of that step before a place."""
        chain = self._chains.get(seat, {})
        return any(
            seq < below and (item.kind, item.step) == (kind, step) for seq, item in chain.items()
        )

    def _names_head(self, vote: Drop) -> bool:
        expected = self.turn_vote(Seat(vote.absent), vote.head_seq, vote.step, vote.state)
        return vote == expected

    def _note(self, line: Line) -> None:
        envelope = line.envelope
        if envelope.seat >= self._setup.seats:
            return
        try:
            match envelope.message:
                case Drop():
                    if not self._has_recovery and envelope.step >= FIRST_DEALT_STEP:
                        raise TokenNotDue("a vote at a table where nobody stands in")
                    self._ballot.note_drop(envelope, envelope.message)
                case Refuse():
                    message = refused_message(
                        self._verifier, self._setup, envelope.seat, envelope.message
                    )
                    self._ballot.note_refusal(envelope, message)
        except (VerificationError, DecodeError) as error:
            self.findings.append(line.finding(type(error), str(error)))
