"""The vote about a silent seat that is open here, and what is kept back because of it (S10)."""

from p2pokey.errors import DecodeError
from p2pokey.hand.core import HandCore
from p2pokey.tiles import Seat
from p2pokey.transcript.envelope import Envelope, decode_envelope
from p2pokey.transcript.messages import Drop

MAX_HELD = 64
"""Messages of a seat that are kept while a vote about it is open."""


class Holding:
    """From its vote on a seat takes nothing that follows the head which the vote names."""

    def __init__(self, core: HandCore) -> None:
        self.vote: Drop | None = None
        """The open vote of this seat."""
        self._core = core
        self._held: dict[tuple[int, bytes], Envelope] = {}

    @property
    def called(self) -> Seat | None:
        """The seat about which this seat's vote is open."""
        return None if self.vote is None else Seat(self.vote.absent)

    def holds(self, envelope: Envelope) -> bool:
        """Keeps back what comes from a seat whose absence this seat has voted for.

        Raises:
            BadSignature: it would be kept back, but its seat has not signed it.
        """
        if not self._is_behind(envelope):
            return False
        self._core.book.verify(envelope)
        if len(self._held) < MAX_HELD:
            self._held[envelope.seq, envelope.encoded] = envelope
        return True

    def hides(self, data: bytes) -> bool:
        """Whether these bytes are a message that the open vote does not take."""
        try:
            return self._is_behind(decode_envelope(data))
        except DecodeError:
            return False

    def held_votes(self) -> list[Drop]:
        """Votes among what is kept back."""
        return [held.message for held in self._held.values() if isinstance(held.message, Drop)]

    def release(self) -> list[Envelope]:
        """The vote is open no longer: what was kept back, in order, now the caller's."""
        held, self._held, self.vote = self._held, {}, None
        return [envelope for _, envelope in sorted(held.items())]

    def _is_behind(self, envelope: Envelope) -> bool:
        vote = self.vote
        if vote is None or envelope.seat != vote.absent:
            return False
        return envelope.seq >= vote.head_seq
