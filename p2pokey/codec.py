"""The bytes and texts that every encoding here is made of (docs/transcript-format.md).

Integers are little-endian and of fixed width. A reader refuses a wrong size before it looks at the
contents and must be closed, so trailing bytes never pass.
"""

import base64
import re

from p2pokey.errors import BadLength, DecodeError

_BASE64URL = re.compile(r"[A-Za-z0-9_-]*")


class Reader:
    """Takes fields off the front of a byte string; raises BadLength when they do not fit."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def remaining(self) -> int:
        """Bytes not yet taken."""
        return len(self._data) - self._at

    def take(self, count: int) -> bytes:
        """The next `count` bytes."""
        if count > self.remaining:
            raise BadLength(f"expected {count} more bytes, got {self.remaining}")
        start = self._at
        self._at += count
        return self._data[start : self._at]

    def u8(self) -> int:
        """An unsigned 8-bit integer."""
        return self.take(1)[0]

    def u16(self) -> int:
        """An unsigned 16-bit integer."""
        return int.from_bytes(self.take(2), "little")

    def u32(self) -> int:
        """An unsigned 32-bit integer."""
        return int.from_bytes(self.take(4), "little")

    def i32(self) -> int:
        """A signed 32-bit integer (two's complement)."""
        return int.from_bytes(self.take(4), "little", signed=True)

    def close(self) -> None:
        """Raises BadLength if anything is left."""
        if self.remaining:
            raise BadLength(f"expected the end, got {self.remaining} more bytes")


def u8(value: int) -> bytes:
    """One byte; value 0..255."""
    return value.to_bytes(1, "little")


def u16(value: int) -> bytes:
    """Two bytes; value 0..2^16-1."""
    return value.to_bytes(2, "little")


def u32(value: int) -> bytes:
    """Four bytes; value 0..2^32-1."""
    return value.to_bytes(4, "little")


def i32(value: int) -> bytes:
    """Four bytes, two's complement."""
    return value.to_bytes(4, "little", signed=True)


def encode_base64(data: bytes) -> str:
    """Base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def decode_base64(text: str) -> bytes:
    """The bytes that `encode_base64` writes as `text`; DecodeError for anything else."""
    if _BASE64URL.fullmatch(text) is None or len(text) % 4 == 1:
        raise DecodeError("expected base64url text without padding")
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if encode_base64(data) != text:
        raise DecodeError("expected base64url text without stray bits")
    return data
