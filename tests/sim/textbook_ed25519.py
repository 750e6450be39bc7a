"""RFC 8032 signatures with a nonce of one's own choice, which no library offers.

An honest signer derives the nonce from key and message, so it signs a body in one way only. A cheat
can sign the same body again with another nonce; both signatures are valid. Slow, for tests only.
"""

import hashlib

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
Point = tuple[int, int]


def _recover_x(y: int) -> int:
    square = (y * y - 1) * pow(D * y * y + 1, -1, P)
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    return x if x % 2 == 0 else P - x


_Y = 4 * pow(5, -1, P) % P
BASE: Point = (_recover_x(_Y), _Y)


def _add(a: Point, b: Point) -> Point:
    k = D * a[0] * b[0] * a[1] * b[1]
    x = (a[0] * b[1] + b[0] * a[1]) * pow(1 + k, -1, P)
    y = (a[1] * b[1] + a[0] * b[0]) * pow(1 - k, -1, P)
    return x % P, y % P


def _times(scalar: int) -> bytes:
    total, point = (0, 1), BASE
    while scalar:
        if scalar & 1:
            total = _add(total, point)
        point = _add(point, point)
        scalar >>= 1
    return (total[1] | (total[0] & 1) << 255).to_bytes(32, "little")


def _hash(data: bytes) -> int:
    return int.from_bytes(hashlib.sha512(data).digest(), "little") % L


def other_signature(seed: bytes, data: bytes) -> bytes:
    """A valid signature of `data` that is not the deterministic one."""
    expanded = hashlib.sha512(seed).digest()
    secret = int.from_bytes(expanded[:32], "little") & (1 << 254) - 8 | 1 << 254
    public = _times(secret)
    nonce = _hash(expanded[32:] + b"another nonce" + data)
    commitment = _times(nonce)
    response = (nonce + _hash(commitment + public + data) * secret) % L
    return commitment + response.to_bytes(32, "little")
