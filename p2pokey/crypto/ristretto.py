"""ristretto255 in plain Python: encode, decode, the one-way map and the curve below them.

Points are extended twisted Edwards coordinates (X, Y, Z, T) with x = X/Z, y = Y/Z, xy = T/Z. Two
different quadruples may be the same group element; only encodings are compared.

Source: RFC 9496, 4; names and order of steps are the RFC's. The curve formulas are those of RFC
8032, 5.1.4 and of Hisil-Wong-Carter-Dawson 2008 with operands prepared once.
Security: not constant time.
"""

from typing import TypeAlias

from p2pokey.errors import BadPoint

P = 2**255 - 19

Point: TypeAlias = tuple[int, int, int, int]
"""(X, Y, Z, T)."""

Cached: TypeAlias = tuple[int, int, int, int]
"""(Y-X, Y+X, 2dT, 2Z): what an addition needs of its second operand."""

Niels: TypeAlias = tuple[int, int, int]
"""(y-x, y+x, 2dxy): the same for a point with Z = 1."""

# RFC 9496, 4.1.
D = -121665 * pow(121666, -1, P) % P
SQRT_M1 = 19681161376707505956807079304988542015446066515923890162744021073123829784752
SQRT_AD_MINUS_ONE = 25063068953384623474111414158702152701244531502492656460079210482610430750235
INVSQRT_A_MINUS_D = 54469307008909316920995813868745141605393597292927456921205312896311721017578
ONE_MINUS_D_SQ = (1 - D * D) % P
D_MINUS_ONE_SQ = (D - 1) ** 2 % P

_D2 = 2 * D % P
_INVSQRT_EXPONENT = (P - 5) // 8

ZERO: Point = (0, 1, 1, 0)
"""The identity."""


def sqrt_ratio_m1(u: int, v: int) -> tuple[bool, int]:
    """SQRT_RATIO_M1 of RFC 9496, 4.2: whether u/v is square, and a non-negative root.

    The root is that of u/v, or that of SQRT_M1*u/v when u/v is not a square. u and v are reduced.
    """
    v3 = v * v * v % P
    r = u * v3 * pow(u * v3 * v3 * v % P, _INVSQRT_EXPONENT, P) % P
    check = v * r * r % P
    correct_sign_sqrt = check == u
    flipped_sign_sqrt = check == -u % P
    flipped_sign_sqrt_i = check == -u * SQRT_M1 % P
    if flipped_sign_sqrt or flipped_sign_sqrt_i:
        r = r * SQRT_M1 % P
    return correct_sign_sqrt or flipped_sign_sqrt, _abs(r)


def decode(encoding: bytes) -> Point:
    """Decode of RFC 9496, 4.3.1; the result has Z = 1.

    Args:
        encoding: 32 bytes.

    Raises:
        BadPoint: not the canonical encoding of an element.
    """
    s = int.from_bytes(encoding, "little")
    if len(encoding) != 32 or s >= P or s & 1:
        raise BadPoint("expected a canonical, non-negative encoding")
    ss = s * s % P
    u1 = 1 - ss
    u2 = 1 + ss
    u2_sqr = u2 * u2 % P
    v = (-D * u1 * u1 - u2_sqr) % P
    was_square, invsqrt = sqrt_ratio_m1(1, v * u2_sqr % P)
    den_x = invsqrt * u2 % P
    den_y = invsqrt * den_x * v % P
    x = _abs(2 * s * den_x % P)
    y = u1 * den_y % P
    t = x * y % P
    if not was_square or t & 1 or y == 0:
        raise BadPoint("expected the encoding of a group element")
    return x, y, 1, t


def encode(point: Point) -> bytes:
    """Encode of RFC 9496, 4.3.2: 32 bytes."""
    x0, y0, z0, t0 = point
    u1 = (z0 + y0) * (z0 - y0) % P
    u2 = x0 * y0 % P
    _, invsqrt = sqrt_ratio_m1(1, u1 * u2 * u2 % P)
    den1 = invsqrt * u1 % P
    den2 = invsqrt * u2 % P
    z_inv = den1 * den2 * t0 % P
    if t0 * z_inv % P & 1:
        x = y0 * SQRT_M1 % P
        y = x0 * SQRT_M1 % P
        den_inv = den1 * INVSQRT_A_MINUS_D % P
    else:
        x, y, den_inv = x0, y0, den2
    if x * z_inv % P & 1:
        y = -y
    return _abs(den_inv * (z0 - y) % P).to_bytes(32, "little")


def one_way_map(uniform: bytes) -> Point:
    """Element derivation of RFC 9496, 4.3.4 from 64 uniform bytes."""
    first = int.from_bytes(uniform[:32], "little") % 2**255 % P
    second = int.from_bytes(uniform[32:], "little") % 2**255 % P
    return add(_map(first), _map(second))


def _map(t: int) -> Point:
    """MAP of RFC 9496, 4.3.4."""
    r = SQRT_M1 * t * t % P
    u = (r + 1) * ONE_MINUS_D_SQ % P
    v = (-1 - r * D) * (r + D) % P
    was_square, s = sqrt_ratio_m1(u, v)
    c = -1
    if not was_square:
        s = -_abs(s * t % P) % P
        c = r
    n = (c * (r - 1) * D_MINUS_ONE_SQ - v) % P
    w0 = 2 * s * v % P
    w1 = n * SQRT_AD_MINUS_ONE % P
    w2 = (1 - s * s) % P
    w3 = (1 + s * s) % P
    return w0 * w3 % P, w2 * w1 % P, w1 * w3 % P, w0 * w2 % P


def cache(point: Point) -> Cached:
    """The point as a second operand."""
    x, y, z, t = point
    return y - x, y + x, t * _D2 % P, z + z


def niels(point: Point) -> Niels:
    """A point with Z = 1 as a second operand."""
    x, y, _, t = point
    return y - x, y + x, t * _D2 % P


def add_cached(point: Point, other: Cached) -> Point:
    """point + other."""
    x, y, z, t = point
    a = (y - x) * other[0] % P
    b = (y + x) * other[1] % P
    c = t * other[2] % P
    d = z * other[3] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def add_niels(point: Point, other: Niels) -> Point:
    """point + other."""
    x, y, z, t = point
    a = (y - x) * other[0] % P
    b = (y + x) * other[1] % P
    c = t * other[2] % P
    d = z + z
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def sub_niels(point: Point, other: Niels) -> Point:
    """point - other."""
    x, y, z, t = point
    a = (y - x) * other[1] % P
    b = (y + x) * other[0] % P
    c = t * other[2] % P
    d = z + z
    e, f, g, h = b - a, d + c, d - c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def add(point: Point, other: Point) -> Point:
    """point + other."""
    return add_cached(point, cache(other))


def double_times(point: Point, count: int) -> Point:
    """2^count * point, count >= 1."""
    x, y, z, _ = point
    for _ in range(count):
        a = x * x % P
        b = y * y % P
        h = a + b
        e = h - (x + y) ** 2
        g = a - b
        f = 2 * z * z + g
        x, y, z = e * f % P, g * h % P, f * g % P
    # T is what an addition needs and a doubling does not: once is enough.
    return x, y, z, e * h % P


def normalise(points: list[Point]) -> list[Point]:
    """The same points with Z = 1, at the price of one inversion (Montgomery's trick)."""
    prefixes = [1]
    for point in points:
        prefixes.append(prefixes[-1] * point[2] % P)
    inverse = pow(prefixes[-1], -1, P)
    results = []
    for (x, y, z, _), prefix in zip(reversed(points), reversed(prefixes[:-1]), strict=True):
        z_inv = inverse * prefix % P
        inverse = inverse * z % P
        ax, ay = x * z_inv % P, y * z_inv % P
        results.append((ax, ay, 1, ax * ay % P))
    results.reverse()
    return results


def _abs(value: int) -> int:
    """CT_ABS of RFC 9496, 4.2 for a reduced value: the one of +-value with an even residue."""
    return P - value if value & 1 else value
