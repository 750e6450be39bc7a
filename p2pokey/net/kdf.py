"""HKDF with SHA-256 (RFC 5869) on top of the standard library."""

import hashlib
import hmac

_HASH_BYTES = 32
_MAX_BYTES = 255 * _HASH_BYTES


def hkdf(secret: bytes, *, salt: bytes, info: bytes, length: int) -> bytes:
    """`length` key bytes from a secret (RFC 5869, 2.2 and 2.3).

    Args:
        secret: input key material of any length.
        salt: may be public; separates independent uses of one secret.
        info: what the keys are for.
        length: 1 to 8160.
    """
    assert 0 < length <= _MAX_BYTES
    key = hmac.digest(salt or bytes(_HASH_BYTES), secret, hashlib.sha256)
    output, block = b"", b""
    counter = 1
    while len(output) < length:
        block = hmac.digest(key, block + info + bytes([counter]), hashlib.sha256)
        output += block
        counter += 1
    return output[:length]


def split_keys(keys: bytes) -> tuple[bytes, ...]:
    """The 32-byte keys in `keys`, whose length is a multiple of 32."""
    return tuple(keys[start : start + 32] for start in range(0, len(keys), 32))
