"""Secrets and nonces derived from one seed, the same after a restart.

Not a source of randomness: the seed is 32 bytes from the operating system, fresh for each attempt
at a hand (docs/protocol.md S3). Different labels or contexts give independent streams.

Source: docs/protocol.md S0 (DRBG); SHAKE256 of FIPS 202.
"""

import hashlib

from p2pokey.crypto.fiat_shamir import PREFIX, fr
from p2pokey.crypto.group import L

_FIRST_BLOCK = 1024
"""Bytes squeezed at first; each refill doubles, so a long read costs at most twice its length."""


class Drbg:
    """One stream of bytes and the values drawn from it, in order."""

    def __init__(self, key: bytes, label: str, ctx: bytes) -> None:
        """Starts the stream of (key, label, ctx).

        Args:
            key: secret seed, or public bytes where the draw is public.
            label: purpose, e.g. `keys`; ASCII.
            ctx: what binds the stream to its place, e.g. 64 bytes of a context.
        """
        framed = fr("drbg", PREFIX) + fr("seed", key) + fr("label", label.encode("ascii"))
        self._shake = hashlib.shake_256(framed + fr("ctx", ctx))
        self._block = self._shake.digest(_FIRST_BLOCK)
        self._position = 0

    def read(self, count: int) -> bytes:
        """The next `count` bytes."""
        end = self._position + count
        if end > len(self._block):
            self._block = self._shake.digest(max(end, 2 * len(self._block)))
        data = self._block[self._position : end]
        self._position = end
        return data

    def scalar(self) -> int:
        """A scalar in [0, L)."""
        return int.from_bytes(self.read(64), "little") % L

    def nzscalar(self) -> int:
        """A scalar in [1, L)."""
        while True:
            value = self.scalar()
            if value:
                return value

    def scalars(self, count: int) -> list[int]:
        """`count` scalars in [0, L), drawn one after the other."""
        return [self.scalar() for _ in range(count)]

    def below(self, bound: int) -> int:
        """An unbiased integer in [0, bound); bound from 1 to 2^64."""
        limit = 2**64 - 2**64 % bound
        while True:
            value = int.from_bytes(self.read(8), "little")
            if value < limit:
                return value % bound

    def perm(self, count: int) -> tuple[int, ...]:
        """An unbiased permutation of 0..count-1 (Fisher-Yates from the end)."""
        order = list(range(count))
        for i in range(count - 1, 0, -1):
            j = self.below(i + 1)
            order[i], order[j] = order[j], order[i]
        return tuple(order)
