"""A stand-in for ristretto255 that computes in microseconds: the integers mod L under addition.

For simulations only: discrete logarithms in it are trivial, so nothing is hidden. An element is its
number in 32 little-endian bytes, except that 1 is written as the ristretto255 base point, because
code names the generator by its encoding. The identity is 0^32, as in the real group.
"""

from collections.abc import Sequence

from p2pokey.crypto.group import BASE_POINT, L
from p2pokey.errors import BadPoint


def _decode(cell: bytes) -> int:
    if cell == BASE_POINT:
        return 1
    value = int.from_bytes(cell, "little")
    if value >= L or value == 1:
        raise BadPoint("expected a canonical number below L")
    return value


def _encode(value: int) -> bytes:
    reduced = value % L
    return BASE_POINT if reduced == 1 else reduced.to_bytes(32, "little")


def _cells(points: bytes) -> list[int]:
    return [_decode(points[i : i + 32]) for i in range(0, len(points), 32)]


class CheapBackend:
    """GroupBackend over the integers mod L."""

    name = "cheap"

    def mul(self, scalars: Sequence[int], points: bytes) -> bytes:
        return b"".join(_encode(s * p) for s, p in zip(scalars, _cells(points), strict=True))

    def mul_one_scalar(self, scalar: int, points: bytes) -> bytes:
        return b"".join(_encode(scalar * p) for p in _cells(points))

    def base_mul(self, scalars: Sequence[int]) -> bytes:
        return b"".join(_encode(s) for s in scalars)

    def add(self, a: bytes, b: bytes) -> bytes:
        return b"".join(_encode(x + y) for x, y in zip(_cells(a), _cells(b), strict=True))

    def sub(self, a: bytes, b: bytes) -> bytes:
        return b"".join(_encode(x - y) for x, y in zip(_cells(a), _cells(b), strict=True))

    def hash_to_group(self, uniform: bytes) -> bytes:
        blocks = [uniform[i : i + 64] for i in range(0, len(uniform), 64)]
        return b"".join(_encode(int.from_bytes(block, "little")) for block in blocks)

    def is_valid(self, points: bytes) -> bool:
        try:
            _cells(points)
        except BadPoint:
            return False
        return True

    def msm(self, scalars: Sequence[int], points: bytes) -> bytes:
        return _encode(sum(s * p for s, p in zip(scalars, _cells(points), strict=True)))

    def msm_vartime(self, scalars: Sequence[int], points: bytes) -> bytes:
        return self.msm(scalars, points)
