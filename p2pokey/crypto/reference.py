"""The group backend in plain Python: the reference for the others, and the one for a browser.

Sums of many products use Pippenger's method with signed digits, products of one point with many
scalars a radix-16 table, other products a signed window of four bits (docs/protocol.md S15).

Security: not constant time, acceptable against remote peers for per-hand keys (S13).
"""

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from p2pokey.crypto.group import BASE_POINT, CELL, split32
from p2pokey.crypto.ristretto import (
    ZERO,
    Cached,
    Niels,
    Point,
    add,
    add_cached,
    add_niels,
    cache,
    decode,
    double_times,
    encode,
    niels,
    normalise,
    one_way_map,
    sub_niels,
)
from p2pokey.errors import BadPoint

_SCALAR_BITS = 253

_TABLE_WORTH = 8
"""A table costs about as much as this many products without one."""

_TABLES_KEPT = 8
"""G, H and the keys of one hand; about 500 KiB each."""

_decode_kept = lru_cache(maxsize=4096)(decode)
"""Decoding is half of an addition, and the generators and decks come back again and again."""

Table = list[list[Niels]]
"""Row i holds 1..8 times 16^i times the point."""


class PythonBackend:
    """ristretto255 in plain Python; implements `ports.GroupBackend`."""

    name = "python"

    def __init__(self) -> None:
        """Starts with an empty store of tables."""
        self._tables: OrderedDict[bytes, Table] = OrderedDict()

    def mul(self, scalars: Sequence[int], points: bytes) -> bytes:
        """scalar_i * point_i."""
        cells = split32(points)
        counts = Counter(cells)
        products = []
        for scalar, cell in zip(scalars, cells, strict=True):
            if counts[cell] >= _TABLE_WORTH or cell in self._tables:
                products.append(_mul_table(scalar, self._table(cell)))
            else:
                products.append(_mul_window(scalar, _decode_kept(cell)))
        return _encode_all(products)

    def mul_one_scalar(self, scalar: int, points: bytes) -> bytes:
        """scalar * point_i."""
        return _encode_all(_mul_window(scalar, _decode_kept(cell)) for cell in split32(points))

    def base_mul(self, scalars: Sequence[int]) -> bytes:
        """scalar_i * G."""
        table = self._table(BASE_POINT)
        return _encode_all(_mul_table(scalar, table) for scalar in scalars)

    def add(self, a: bytes, b: bytes) -> bytes:
        """a_i + b_i."""
        return _pairwise(add_niels, a, b)

    def sub(self, a: bytes, b: bytes) -> bytes:
        """a_i - b_i."""
        return _pairwise(sub_niels, a, b)

    def hash_to_group(self, uniform: bytes) -> bytes:
        """RFC 9496, 4.3.4 one-way map of each 64-byte block."""
        blocks = range(0, len(uniform), 2 * CELL)
        return _encode_all(one_way_map(uniform[i : i + 2 * CELL]) for i in blocks)

    def is_valid(self, points: bytes) -> bool:
        """Whether every cell is a canonical encoding."""
        try:
            for cell in split32(points):
                _decode_kept(cell)
        except BadPoint:
            return False
        return True

    def msm(self, scalars: Sequence[int], points: bytes) -> bytes:
        """sum of scalar_i * point_i; no more constant in time than the rest of this backend."""
        return self.msm_vartime(scalars, points)

    def msm_vartime(self, scalars: Sequence[int], points: bytes) -> bytes:
        """sum of scalar_i * point_i."""
        return encode(_pippenger(scalars, [niels(_decode_kept(c)) for c in split32(points)]))

    def _table(self, cell: bytes) -> Table:
        """The table of a point, built at its first use; the longest unused one makes room."""
        table = self._tables.get(cell)
        if table is None:
            table = self._tables[cell] = _build_table(_decode_kept(cell))
            if len(self._tables) > _TABLES_KEPT:
                self._tables.popitem(last=False)
        else:
            self._tables.move_to_end(cell)
        return table


def _encode_all(points: Iterable[Point]) -> bytes:
    return b"".join([encode(point) for point in points])


def _pairwise(operation: Callable[[Point, Niels], Point], a: bytes, b: bytes) -> bytes:
    pairs = zip(split32(a), split32(b), strict=True)
    return _encode_all(operation(_decode_kept(x), niels(_decode_kept(y))) for x, y in pairs)


def _signed_digits(scalar: int, width: int) -> list[int]:
    """Digits d_i with scalar = sum d_i 2^(width*i) and -2^(width-1) < d_i <= 2^(width-1)."""
    half, mask = 1 << (width - 1), (1 << width) - 1
    digits = []
    for _ in range(_SCALAR_BITS // width + 1):
        digit = scalar & mask
        scalar >>= width
        if digit > half:
            digit -= mask + 1
            scalar += 1
        digits.append(digit)
    return digits


def _mul_window(scalar: int, point: Point) -> Point:
    """scalar * point with the multiples 1..8 prepared."""
    multiples: list[Cached] = [cache(ZERO), cache(point)]
    running = point
    for _ in range(7):
        running = add_cached(running, multiples[1])
        multiples.append(cache(running))
    opposites = [(plus, minus, -t, z) for minus, plus, t, z in multiples]
    result = ZERO
    for digit in reversed(_signed_digits(scalar, 4)):
        result = double_times(result, 4)
        if digit:
            operand = multiples[digit] if digit > 0 else opposites[-digit]
            result = add_cached(result, operand)
    return result


def _build_table(point: Point) -> Table:
    multiples = []
    for _ in range(_SCALAR_BITS // 4 + 1):
        step, running = cache(point), point
        multiples.append(running)
        for _ in range(7):
            running = add_cached(running, step)
            multiples.append(running)
        point = double_times(point, 4)
    prepared = [niels(multiple) for multiple in normalise(multiples)]
    return [prepared[i : i + 8] for i in range(0, len(prepared), 8)]


def _mul_table(scalar: int, table: Table) -> Point:
    """scalar times the point of the table: one addition for each of 64 digits."""
    result = ZERO
    for digit, row in zip(_signed_digits(scalar, 4), table, strict=True):
        if digit > 0:
            result = add_niels(result, row[digit - 1])
        elif digit < 0:
            result = sub_niels(result, row[-digit - 1])
    return result


def _window_width(terms: int) -> int:
    """The digit width with the fewest additions for this many terms."""

    def additions(width: int) -> int:
        return (_SCALAR_BITS // width + 1) * (terms + (1 << width))

    return min(range(2, 13), key=additions)


def _pippenger(scalars: Sequence[int], points: Sequence[Niels]) -> Point:
    """sum of scalar_i * point_i: points with the same digit are added first, then weighted."""
    width = _window_width(len(points))
    digits = [_signed_digits(scalar, width) for scalar in scalars]
    result = ZERO
    for column in reversed(list(zip(*digits, strict=True))):
        result = add(double_times(result, width), _weighted_buckets(column, points, width))
    return result


def _weighted_buckets(column: Sequence[int], points: Sequence[Niels], width: int) -> Point:
    """sum of digit_i * point_i for digits of one position."""
    buckets: list[Point | None] = [None] * ((1 << (width - 1)) + 1)
    for digit, point in zip(column, points, strict=True):
        if digit > 0:
            buckets[digit] = add_niels(buckets[digit] or ZERO, point)
        elif digit < 0:
            buckets[-digit] = sub_niels(buckets[-digit] or ZERO, point)
    # Each bucket is counted as often as its number: a running sum of running sums.
    running = total = ZERO
    for bucket in reversed(buckets[1:]):
        if bucket is not None:
            running = add(running, bucket)
        total = add(total, running)
    return total
