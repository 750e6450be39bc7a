"""Contexts that bind every proof to its hand, purpose, seat and place (docs/protocol.md S2)."""

from dataclasses import dataclass

from p2pokey.codec import u32
from p2pokey.crypto.fiat_shamir import FiatShamir


@dataclass(frozen=True, slots=True)
class Contexts:
    """Derives the 64-byte contexts of one hand from its hand_ctx."""

    hand_ctx: bytes

    def sub(self, purpose: str, seat: int, index: int = 0, extra: bytes = b"") -> bytes:
        """sub_ctx of S2.

        Args:
            purpose: the label of S2 to S10, e.g. `pop`, `shuffle`, `reveal`.
            seat: 0-based seat that the statement belongs to.
            index: counter or chain sequence number, below 2^32.
            extra: further bound bytes.
        """
        context = FiatShamir("sub-ctx")
        context.add("hand-ctx", self.hand_ctx)
        context.add("purpose", purpose.encode("ascii"))
        context.add("seat", bytes([seat]))
        context.add("index", u32(index))
        context.add("extra", extra)
        return context.digest()
