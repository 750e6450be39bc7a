"""The group that everything else computes in: ristretto255 over any backend.

`Group` is the only way to a `GroupBackend`. It reduces scalars mod L and settles once what the
backends must not see: a scalar that is 0 mod L, and the identity as a factor (libsodium answers
both with an error code that also means a bad encoding, docs/protocol.md S16). Points stay encoded,
batches are concatenated 32-byte cells; scalars are Python ints.

Source: RFC 9496; docs/protocol.md S0, S15.
Security: Python ints do not compute in constant time; libsodium does (docs/protocol.md S13).
"""

from collections.abc import Callable, Sequence

from p2pokey.errors import BadLength, BadPoint, BadScalar
from p2pokey.ports import GroupBackend

L = 2**252 + 27742317777372353535851937790883648493
"""Order of the group, a prime (RFC 9496, 4)."""

CELL = 32
"""Bytes of an encoded point or scalar."""

IDENTITY = bytes(CELL)
"""Encoding of the identity element O."""

BASE_POINT = bytes.fromhex("e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76")
"""Encoding of the generator G (RFC 9496, A.1)."""


def split32(data: bytes) -> list[bytes]:
    """The 32-byte cells of a batch, in order.

    Raises:
        BadLength: not a multiple of 32 bytes.
    """
    if len(data) % CELL:
        raise BadLength(f"expected a multiple of 32 bytes, got {len(data)}")
    return [data[i : i + CELL] for i in range(0, len(data), CELL)]


def has_identity(points: bytes) -> bool:
    """Whether a cell of the batch is the identity."""
    # The search over bytes also hits zeros that straddle two cells, so it only rules out.
    return IDENTITY in points and IDENTITY in split32(points)


def encode_scalar(scalar: int) -> bytes:
    """32 bytes, little-endian, of `scalar` mod L."""
    return (scalar % L).to_bytes(CELL, "little")


def encode_scalars(scalars: Sequence[int]) -> bytes:
    """Concatenated `encode_scalar` of each."""
    return b"".join([encode_scalar(scalar) for scalar in scalars])


def decode_scalar(data: bytes) -> int:
    """The scalar in [0, L) that `encode_scalar` writes as `data`.

    Raises:
        BadScalar: not 32 bytes, or not below L. Input is never reduced (docs/protocol.md S0).
    """
    if len(data) != CELL:
        raise BadScalar(f"expected 32 bytes, got {len(data)}")
    value = int.from_bytes(data, "little")
    if value >= L:
        raise BadScalar("expected a scalar below the group order")
    return value


def decode_scalars(data: bytes) -> list[int]:
    """`decode_scalar` of each cell.

    Raises:
        BadLength: not a multiple of 32 bytes.
        BadScalar: a cell is not below L.
    """
    return [decode_scalar(cell) for cell in split32(data)]


class Group:
    """Group operations on batches, the same on every backend.

    All methods return concatenated 32-byte encodings in input order and raise `BadPoint` for a
    cell that is no canonical encoding, `BadLength` for batches that do not fit together.
    """

    def __init__(self, backend: GroupBackend) -> None:
        """Args: backend: the raw operations."""
        self._backend = backend

    @property
    def name(self) -> str:
        """Name of the backend, e.g. `libsodium` or `python`."""
        return self._backend.name

    def mul(self, scalars: Sequence[int], points: bytes) -> bytes:
        """scalar_i * point_i with secret scalars."""
        reduced = _fitting(scalars, points)
        if 0 not in reduced and not has_identity(points):
            return self._backend.mul(reduced, points)
        results = [IDENTITY] * len(reduced)
        live, live_scalars, live_points = self._live_terms(reduced, points)
        if live:
            products = split32(self._backend.mul(live_scalars, live_points))
            for index, product in zip(live, products, strict=True):
                results[index] = product
        return b"".join(results)

    def mul_one_scalar(self, scalar: int, points: bytes) -> bytes:
        """scalar * point_i with one secret scalar."""
        if scalar % L and len(points) % CELL == 0 and not has_identity(points):
            return self._backend.mul_one_scalar(scalar % L, points)
        return self.mul([scalar] * (len(points) // CELL), points)

    def base_mul(self, scalars: Sequence[int]) -> bytes:
        """scalar_i * G with secret scalars."""
        reduced = [scalar % L for scalar in scalars]
        if 0 not in reduced:
            return self._backend.base_mul(reduced)
        products = iter(split32(self._backend.base_mul([s for s in reduced if s])))
        return b"".join([next(products) if scalar else IDENTITY for scalar in reduced])

    def add(self, a: bytes, b: bytes) -> bytes:
        """a_i + b_i; identities allowed."""
        _check_same_length(a, b)
        return self._backend.add(a, b)

    def sub(self, a: bytes, b: bytes) -> bytes:
        """a_i - b_i; identities allowed."""
        _check_same_length(a, b)
        return self._backend.sub(a, b)

    def hash_to_group(self, uniform: bytes) -> bytes:
        """RFC 9496, 4.3.4 one-way map of each 64-byte block."""
        if len(uniform) % (2 * CELL):
            raise BadLength(f"expected a multiple of 64 bytes, got {len(uniform)}")
        return self._backend.hash_to_group(uniform)

    def is_valid(self, points: bytes) -> bool:
        """Whether every cell is a canonical encoding; the identity is one."""
        return len(points) % CELL == 0 and self._backend.is_valid(points)

    def check_points(self, points: bytes) -> None:
        """Raises BadPoint unless every cell is a canonical encoding, BadLength for a part cell."""
        if len(points) % CELL:
            raise BadLength(f"expected a multiple of 32 bytes, got {len(points)}")
        if not self._backend.is_valid(points):
            raise BadPoint("expected canonical group elements")

    def msm(self, scalars: Sequence[int], points: bytes) -> bytes:
        """sum of scalar_i * point_i with secret scalars; one cell."""
        return self._msm(self._backend.msm, scalars, points)

    def msm_vartime(self, scalars: Sequence[int], points: bytes) -> bytes:
        """sum of scalar_i * point_i for public values; one cell."""
        return self._msm(self._backend.msm_vartime, scalars, points)

    def sum_points(self, points: bytes) -> bytes:
        """Sum of all cells; the identity for none."""
        cells = split32(points)
        carried = IDENTITY
        while len(cells) > 1:
            half = len(cells) // 2
            if len(cells) % 2:
                carried = self._backend.add(carried, cells.pop())
            left, right = b"".join(cells[:half]), b"".join(cells[half:])
            cells = split32(self._backend.add(left, right))
        # Also decodes a lone cell, which no addition has looked at.
        return self._backend.add(carried, cells[0]) if cells else IDENTITY

    def _msm(
        self,
        operation: Callable[[Sequence[int], bytes], bytes],
        scalars: Sequence[int],
        points: bytes,
    ) -> bytes:
        reduced = _fitting(scalars, points)
        if 0 in reduced or has_identity(points):
            _, reduced, points = self._live_terms(reduced, points)
        return operation(reduced, points) if reduced else IDENTITY

    def _live_terms(self, scalars: list[int], points: bytes) -> tuple[list[int], list[int], bytes]:
        """Indices, scalars and points of the products that are not the identity.

        Points with scalar 0 are checked here because no backend will see them.
        """
        cells = split32(points)
        self.check_points(b"".join([c for s, c in zip(scalars, cells, strict=True) if not s]))
        live = [i for i, cell in enumerate(cells) if scalars[i] and cell != IDENTITY]
        return live, [scalars[i] for i in live], b"".join([cells[i] for i in live])


def _fitting(scalars: Sequence[int], points: bytes) -> list[int]:
    """The scalars mod L, after checking that there is one for each point."""
    if len(points) != CELL * len(scalars):
        raise BadLength(f"expected {len(scalars)} points of 32 bytes, got {len(points)} bytes")
    return [scalar % L for scalar in scalars]


def _check_same_length(a: bytes, b: bytes) -> None:
    if len(a) != len(b) or len(a) % CELL:
        raise BadLength(f"expected two equal batches of points, got {len(a)} and {len(b)} bytes")
