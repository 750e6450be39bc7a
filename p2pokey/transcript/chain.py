"""Per-seat chains of signed envelopes: order, gaps, duplicates and forks.

A chain accepts an envelope when it continues what is there, keeps one that comes too early until
the gap closes, ignores an exact repetition, and proves a fork with both signed messages. The book
does not know what a message means: only the machine above decides whether it is due.
"""

from p2pokey.errors import BrokenChain, Equivocation
from p2pokey.ports import Verifier
from p2pokey.tiles import Seat
from p2pokey.transcript.envelope import NO_PREVIOUS, Envelope, verify_envelope

MAX_EARLY = 256
"""Envelopes kept per seat while a gap is open; an honest seat waits for others long before."""


class ChainBook:
    """The chains of all seats in one hand."""

    def __init__(self, *, roster: tuple[bytes, ...], verifier: Verifier) -> None:
        self._roster = roster
        self._verifier = verifier
        self._chains: tuple[list[Envelope], ...] = tuple([] for _ in roster)
        self._heads = [NO_PREVIOUS for _ in roster]
        self._early: tuple[dict[int, Envelope], ...] = tuple({} for _ in roster)

    def accept(self, envelope: Envelope) -> tuple[Envelope, ...]:
        """The envelopes that are now in order: none for a repetition or a gap.

        Raises:
            BadSignature: the author did not sign this body (or has no seat here).
            BrokenChain: signed by the author, but it does not name its previous message.
            Equivocation: a second, different message for one place; evidence holds both.
        """
        if self.has(envelope):
            return ()
        self.verify(envelope)
        seat = envelope.seat
        self._check_fork(envelope)
        if envelope.seq > len(self._chains[seat]):
            if len(self._early[seat]) < MAX_EARLY:
                self._early[seat][envelope.seq] = envelope
            return ()
        accepted = [self._append(envelope)]
        while (following := self._early[seat].pop(len(self._chains[seat]), None)) is not None:
            accepted.append(self._append(following))
        return tuple(accepted)

    def has(self, envelope: Envelope) -> bool:
        """Whether exactly this envelope has been accepted or kept before."""
        if envelope.seat >= len(self._roster):
            return False
        known = self._at(envelope.seat, envelope.seq)
        return known is not None and known.encoded == envelope.encoded

    def head(self, seat: Seat) -> tuple[int, bytes]:
        """Number of accepted envelopes of the seat, and the hash of its newest body."""
        return len(self._chains[seat]), self._heads[seat]

    def chain(self, seat: Seat) -> list[Envelope]:
        """The accepted envelopes of one seat, in order."""
        return list(self._chains[seat])

    def accepted(self) -> list[Envelope]:
        """All accepted envelopes, seat by seat."""
        return [envelope for chain in self._chains for envelope in chain]

    def _at(self, seat: Seat, seq: int) -> Envelope | None:
        chain = self._chains[seat]
        return chain[seq] if seq < len(chain) else self._early[seat].get(seq)

    def verify(self, envelope: Envelope) -> None:
        """Raises BadSignature or BrokenChain unless a seat of this hand signed the envelope."""
        if envelope.seat >= len(self._roster):
            raise BrokenChain(
                f"expected a seat below {len(self._roster)}, got a message of seat {envelope.seat}"
            )
        verify_envelope(self._verifier, self._roster[envelope.seat], envelope)

    def _check_fork(self, envelope: Envelope) -> None:
        known = self._at(envelope.seat, envelope.seq)
        if known is not None:
            raise Equivocation(
                f"seat {envelope.seat + 1} signed two different messages number {envelope.seq}",
                evidence=(known.encoded, envelope.encoded),
            )

    def _append(self, envelope: Envelope) -> Envelope:
        chain = self._chains[envelope.seat]
        _, head = self.head(envelope.seat)
        # Steps never go back, so nobody can slip a message in among earlier lines of the file.
        if envelope.prev != head or (chain and envelope.step < chain[-1].step):
            previous = (chain[-1].encoded,) if chain else ()
            raise BrokenChain(
                f"message {envelope.seq} of seat {envelope.seat + 1} does not follow its message "
                f"{envelope.seq - 1}",
                evidence=(*previous, envelope.encoded),
            )
        chain.append(envelope)
        self._heads[envelope.seat] = envelope.body_hash
        return envelope
