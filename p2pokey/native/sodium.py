"""The group backend on libsodium, through ctypes.

Each operation of libsodium decodes its inputs and refuses bad encodings itself, so nothing is
checked twice here, except the highest bit: libsodium 1.0.18 ignores it, and each element would have
a second encoding. ctypes releases the interpreter lock during each call.

Source: docs/protocol.md S16 says what libsodium does and does not do; RFC 9496.
Security: scalar multiplications run in constant time.
"""

import ctypes
from collections.abc import Callable, Sequence

from p2pokey.crypto.group import BASE_POINT, CELL, IDENTITY, L, split32
from p2pokey.errors import BackendUnavailable, BadLength, BadPoint

_OLDEST = (10, 3)
"""Library version of libsodium 1.0.18, the first release with ristretto255."""

_OPERATIONS = {
    "crypto_scalarmult_ristretto255": 3,
    "crypto_scalarmult_ristretto255_base": 2,
    "crypto_core_ristretto255_add": 3,
    "crypto_core_ristretto255_sub": 3,
    "crypto_core_ristretto255_from_hash": 2,
    "crypto_core_ristretto255_is_valid_point": 1,
}
"""Functions used and their number of arguments, all of them pointers, the output first."""


# RFC 9496: A.1 (multiples of the generator), A.3 (first input and output), A.2 (non-square x^2).
_TWICE_BASE = bytes.fromhex("6a493210f7499cd17fecb510ae0cea23a110e8d5b901f8acadd3095c73a3b919")
_THRICE_BASE = bytes.fromhex("94741f5d5d52755ece4f23f044ee27d5d1ea1e2bd196b462166b16152a9d0259")
_UNIFORM = bytes.fromhex(
    "5d1be09e3d0c82fc538112490e35701979d99e06ca3e2b5b54bffe8b4dc772c1"
    "4d98b696a1bbfb5ca32c436cc61c16563790306c79eaca7705668b47dffe5bb6"
)
_MAPPED = bytes.fromhex("3066f82a1a747d45120d1740f14358531a8f04bbffe6a819f86dfe50f44a0a46")
_NOT_A_POINT = bytes.fromhex("26948d35ca62e643e26a83177332e6b6afeb9d08e4268b650f1f5bbd8d81d371")


class SodiumBackend:
    """ristretto255 by libsodium; implements `ports.GroupBackend`."""

    name = "libsodium"

    def __init__(self, library: ctypes.CDLL) -> None:
        """Takes over a loaded library and tests it.

        Args:
            library: a handle that nobody else sets prototypes on.

        Raises:
            BackendUnavailable: too old, built without ristretto255, or it computes wrongly.
        """
        try:
            _prepare(library)
        except AttributeError as error:
            raise BackendUnavailable(f"expected libsodium 1.0.18 or later: {error}") from error
        self._library = library
        self._mul = library.crypto_scalarmult_ristretto255
        self._base = library.crypto_scalarmult_ristretto255_base
        self._add = library.crypto_core_ristretto255_add
        self._sub = library.crypto_core_ristretto255_sub
        self._from_hash = library.crypto_core_ristretto255_from_hash
        self._is_valid_point = library.crypto_core_ristretto255_is_valid_point
        _self_test(self)

    def mul(self, scalars: Sequence[int], points: bytes) -> bytes:
        """scalar_i * point_i."""
        cells = _cells(points, len(scalars))
        out, places = _output(len(cells))
        mul = self._mul
        for place, scalar, cell in zip(places, scalars, cells, strict=True):
            if mul(place, scalar.to_bytes(CELL, "little"), cell):
                raise _bad_point()
        return out.raw

    def mul_one_scalar(self, scalar: int, points: bytes) -> bytes:
        """scalar * point_i."""
        return self.mul([scalar] * (len(points) // CELL), points)

    def base_mul(self, scalars: Sequence[int]) -> bytes:
        """scalar_i * G."""
        out, places = _output(len(scalars))
        for place, scalar in zip(places, scalars, strict=True):
            self._base(place, scalar.to_bytes(CELL, "little"))
        return out.raw

    def add(self, a: bytes, b: bytes) -> bytes:
        """a_i + b_i."""
        return _pairwise(self._add, a, b)

    def sub(self, a: bytes, b: bytes) -> bytes:
        """a_i - b_i."""
        return _pairwise(self._sub, a, b)

    def hash_to_group(self, uniform: bytes) -> bytes:
        """RFC 9496, 4.3.4 one-way map of each 64-byte block."""
        count = len(uniform) // (2 * CELL)
        _check_size(uniform, 2 * count)
        out, places = _output(count)
        for i, place in enumerate(places):
            self._from_hash(place, uniform[2 * CELL * i : 2 * CELL * (i + 1)])
        return out.raw

    def is_valid(self, points: bytes) -> bool:
        """Whether every cell is a canonical encoding."""
        _check_size(points, len(points) // CELL)
        check = self._is_valid_point
        return not _has_high_bit(points) and all(check(cell) == 1 for cell in split32(points))

    def msm(self, scalars: Sequence[int], points: bytes) -> bytes:
        """sum of scalar_i * point_i in constant time."""
        cells = _cells(points, len(scalars))
        product, total = ctypes.create_string_buffer(CELL), ctypes.create_string_buffer(CELL)
        mul, add = self._mul, self._add
        for scalar, cell in zip(scalars, cells, strict=True):
            if mul(product, scalar.to_bytes(CELL, "little"), cell):
                raise _bad_point()
            add(total, total, product)
        return total.raw

    def msm_vartime(self, scalars: Sequence[int], points: bytes) -> bytes:
        """sum of scalar_i * point_i; libsodium has no faster way than `msm`."""
        return self.msm(scalars, points)


def _cells(points: bytes, count: int) -> list[bytes]:
    """Exactly `count` encodings, checked for what libsodium does not check."""
    _check_size(points, count)
    if _has_high_bit(points):
        raise _bad_point()
    return split32(points)


def _check_size(data: bytes, count: int) -> None:
    """libsodium reads 32 bytes whatever it is given."""
    if len(data) != CELL * count:
        raise BadLength(f"expected {count} cells of 32 bytes, got {len(data)} bytes")


def _has_high_bit(points: bytes) -> bool:
    """Whether bit 255 is set in a cell; no canonical encoding has it (RFC 9496, 4.3.1)."""
    return max(points[CELL - 1 :: CELL], default=0) > 0x7F


def _output(count: int) -> tuple["ctypes.Array[ctypes.c_char]", range]:
    """A buffer for `count` results and their addresses, valid while the buffer is referenced."""
    out = ctypes.create_string_buffer(CELL * count)
    start = ctypes.addressof(out)
    return out, range(start, start + CELL * count, CELL)


def _pairwise(operation: Callable[..., int], a: bytes, b: bytes) -> bytes:
    count = len(a) // CELL
    lefts, rights = _cells(a, count), _cells(b, count)
    out, places = _output(count)
    for place, left, right in zip(places, lefts, rights, strict=True):
        if operation(place, left, right):
            raise _bad_point()
    return out.raw


def _bad_point() -> BadPoint:
    # Zero scalars and identities never get here, so an error code means this and nothing else.
    return BadPoint("expected canonical group elements")


def _prepare(library: ctypes.CDLL) -> None:
    """Sets prototypes, initialises the library and checks its version."""
    for name, arguments in _OPERATIONS.items():
        function = getattr(library, name)
        function.argtypes = [ctypes.c_void_p] * arguments
        function.restype = ctypes.c_int
    version = (library.sodium_library_version_major(), library.sodium_library_version_minor())
    if version < _OLDEST:
        raise BackendUnavailable(f"expected libsodium 1.0.18 or later, got ABI {version}")
    if library.sodium_init() < 0:
        raise BackendUnavailable("libsodium could not be initialised")


def _self_test(backend: SodiumBackend) -> None:
    """Compares some values of RFC 9496, appendix A; a wrong library must not deal tiles."""
    try:
        right = _computes_rightly(backend)
    except BadPoint:
        right = False
    if not right:
        raise BackendUnavailable("libsodium does not compute the values of RFC 9496")


def _computes_rightly(backend: SodiumBackend) -> bool:
    twice, thrice = _TWICE_BASE, _THRICE_BASE
    checks = (
        backend.base_mul([1, 2, 3]) == BASE_POINT + twice + thrice,
        backend.mul([2, 3], BASE_POINT * 2) == twice + thrice,
        backend.add(BASE_POINT, twice) == thrice,
        backend.sub(thrice, twice) == BASE_POINT,
        backend.add(BASE_POINT, backend.base_mul([L - 1])) == IDENTITY,
        backend.hash_to_group(_UNIFORM) == _MAPPED,
        backend.is_valid(twice) and not backend.is_valid(_NOT_A_POINT),
        _refuses_bad_points(backend),
    )
    return all(checks)


def _refuses_bad_points(backend: SodiumBackend) -> bool:
    operations: tuple[Callable[[], bytes], ...] = (
        lambda: backend.mul([2], _NOT_A_POINT),
        lambda: backend.add(_NOT_A_POINT, BASE_POINT),
        lambda: backend.sub(BASE_POINT, _NOT_A_POINT),
    )
    for operation in operations:
        try:
            operation()
        except BadPoint:
            continue
        return False
    return True
