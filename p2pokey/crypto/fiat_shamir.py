"""Hashing into challenges, contexts and group elements.

Every input is framed by label and length, so two different sequences of inputs never give the same
bytes to the hash. This is the challenge hash only; the signed log of a hand is `transcript`.

Source: docs/protocol.md S0; RFC 9380, 5.3.1 (expand_message_xmd); RFC 9496, 4.3.4 (one-way map).
"""

import hashlib

from p2pokey.codec import u32
from p2pokey.crypto.group import Group, L

PREFIX = b"p2pokey/v1/"
"""V of docs/protocol.md S0: separates this protocol and version from any other use of a hash."""

_SHA512_BYTES = 64
_SHA512_BLOCK = 128


def fr(label: str, data: bytes) -> bytes:
    """u8(len label) || label || u32le(len data) || data, the frame of docs/protocol.md S0.

    Args:
        label: ASCII, at most 255 characters.
        data: at most 4 GiB.
    """
    name = label.encode("ascii")
    return bytes([len(name)]) + name + u32(len(data)) + data


class FiatShamir:
    """A running SHA-512 over framed values (docs/protocol.md S0)."""

    def __init__(self, name: str) -> None:
        """Args: name: what is hashed, e.g. `shuffle`; ASCII."""
        self._state = hashlib.sha512(fr("proto", PREFIX + name.encode("ascii")))

    def add(self, label: str, data: bytes) -> None:
        """Appends one framed value."""
        self._state.update(fr(label, data))

    def scalars(self, label: str, count: int) -> list[int]:
        """`count` scalars that depend on everything added so far; later values depend on them."""
        start = hashlib.sha512(fr("chal", label.encode("ascii")) + self.digest())
        values = []
        for index in range(count):
            block = start.copy()
            block.update(u32(index))
            values.append(int.from_bytes(block.digest(), "little") % L)
        self.add("chal", label.encode("ascii"))
        return values

    def digest(self) -> bytes:
        """64 bytes over everything added so far; adding may go on."""
        return self._state.digest()


def expand_message_xmd(message: bytes, dst: bytes, length: int) -> bytes:
    """`length` uniform bytes: expand_message_xmd with SHA-512.

    Args:
        message: any bytes.
        dst: domain separation tag, at most 255 bytes.
        length: at most 255 * 64 bytes.

    Source: RFC 9380, 5.3.1; the names are the RFC's.
    """
    ell = -(-length // _SHA512_BYTES)
    assert ell <= 255
    assert length <= 65535
    dst_prime = dst + bytes([len(dst)])
    msg_prime = bytes(_SHA512_BLOCK) + message + length.to_bytes(2, "big") + b"\0" + dst_prime
    b_0 = hashlib.sha512(msg_prime).digest()
    block = hashlib.sha512(b_0 + b"\x01" + dst_prime).digest()
    uniform = block
    for index in range(2, ell + 1):
        mixed = bytes(x ^ y for x, y in zip(b_0, block, strict=True))
        block = hashlib.sha512(mixed + bytes([index]) + dst_prime).digest()
        uniform += block
    return uniform[:length]


def hash_to_uniform(dst: str, message: bytes) -> bytes:
    """The 64 bytes that HashToGroup(dst, message) maps to the group (docs/protocol.md S0)."""
    return expand_message_xmd(message, PREFIX + dst.encode("ascii"), 64)


def hash_to_group(group: Group, dst: str, message: bytes) -> bytes:
    """HashToGroup of docs/protocol.md S0: an element whose discrete logarithm nobody knows.

    Args:
        dst: domain, e.g. `generator` or `tile`; the version prefix is added here.
        message: what to hash, e.g. b"H".
    """
    return group.hash_to_group(hash_to_uniform(dst, message))
