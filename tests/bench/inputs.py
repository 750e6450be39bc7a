"""Scalars and points that have never been used before: nothing is measured that a cache did."""

from p2pokey.codec import u32
from p2pokey.crypto.drbg import Drbg
from p2pokey.crypto.fiat_shamir import hash_to_uniform
from p2pokey.crypto.group import Group


class Inputs:
    """A source of fresh inputs for one backend."""

    def __init__(self, group: Group) -> None:
        self.group = group
        self.drbg = Drbg(b"bench", "inputs", b"")
        self.next = 0

    def scalars(self, count: int) -> list[int]:
        """Fresh scalars."""
        return self.drbg.scalars(count)

    def uniform(self, count: int) -> bytes:
        """Fresh blocks of 64 bytes."""
        start, self.next = self.next, self.next + count
        return b"".join(hash_to_uniform("bench", u32(start + i)) for i in range(count))

    def points(self, count: int) -> bytes:
        """Fresh points."""
        return self.group.hash_to_group(self.uniform(count))

    def context(self) -> bytes:
        """A fresh context of 64 bytes."""
        return self.uniform(1)
