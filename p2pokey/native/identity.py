"""Ed25519 identity keys by the package `cryptography` (RFC 8032), made strict.

Every implementation must accept exactly the same signatures: keys are canonical and not of small
order, S < L, and the cofactorless equation S*B = R + k*A is compared by bytes
(docs/protocol.md S2).
"""

from functools import lru_cache

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from p2pokey.crypto.group import L
from p2pokey.crypto.ristretto import D, P, double_times, sqrt_ratio_m1
from p2pokey.errors import BadLength, BadPoint, BadSignature
from p2pokey.ports import SIGNATURE_BYTES

SECRET_BYTES = 32
PUBLIC_BYTES = 32


class Ed25519Signer:
    """One identity key; implements `ports.Signer`."""

    def __init__(self, secret: bytes) -> None:
        """Args: secret: the 32-byte private key (RFC 8032, 5.1.5), from the operating system."""
        if len(secret) != SECRET_BYTES:
            raise BadLength(f"expected a secret of {SECRET_BYTES} bytes, got {len(secret)}")
        self._key = Ed25519PrivateKey.from_private_bytes(secret)
        self._public_key = self._key.public_key().public_bytes_raw()

    @property
    def public_key(self) -> bytes:
        """32-byte public key."""
        return self._public_key

    def sign(self, data: bytes) -> bytes:
        """64-byte deterministic signature."""
        return self._key.sign(data)


class Ed25519Verifier:
    """Strict verification; implements `ports.Verifier`."""

    def check_key(self, public_key: bytes) -> None:
        """Raises BadPoint if the key is not canonical or has small order."""
        if not _is_good_key(public_key):
            raise BadPoint("expected a canonical Ed25519 key that is not of small order")

    def verify(self, public_key: bytes, data: bytes, signature: bytes) -> None:
        """Raises BadSignature unless the signature is valid, under a key that `check_key` takes."""
        if len(signature) != SIGNATURE_BYTES or not _is_good_key(public_key):
            raise BadSignature("expected a signature of 64 bytes and a good key")
        if int.from_bytes(signature[32:], "little") >= L:
            raise BadSignature("expected a signature with S below the group order")
        try:
            Ed25519PublicKey.from_public_bytes(public_key).verify(signature, data)
        except InvalidSignature:
            raise BadSignature("the signature does not fit the key and the message") from None


@lru_cache(maxsize=256)
def _is_good_key(public_key: bytes) -> bool:
    """Decoding of RFC 8032, 5.1.3, then a check that 8*A is not the identity."""
    if len(public_key) != PUBLIC_BYTES:
        return False
    encoded = int.from_bytes(public_key, "little")
    y = encoded % 2**255
    if y >= P:
        return False
    on_curve, x = sqrt_ratio_m1((y * y - 1) % P, (D * y * y + 1) % P)
    if not on_curve:
        return False
    # The sign of x does not change the order of the point; x = 0, which has none, is small order.
    x8, y8, z8, _ = double_times((x, y, 1, x * y % P), 3)
    return not (x8 % P == 0 and (y8 - z8) % P == 0)
