"""ChaCha20-Poly1305 by the package `cryptography` (RFC 8439)."""

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from p2pokey.errors import BadLength, DecodeError

_KEY_BYTES = 32
_NONCE_BYTES = 12
_TAG_BYTES = 16


class ChaChaSealer:
    """ChaCha20-Poly1305; implements `ports.Sealer`."""

    def seal(self, key: bytes, nonce: bytes, plaintext: bytes, aad: bytes) -> bytes:
        """Ciphertext || 16-byte tag."""
        return _cipher(key, nonce).encrypt(nonce, plaintext, aad)

    def unseal(self, key: bytes, nonce: bytes, ciphertext: bytes, aad: bytes) -> bytes:
        """The plaintext; raises DecodeError if the tag does not fit."""
        if len(ciphertext) < _TAG_BYTES:
            raise BadLength(f"expected at least {_TAG_BYTES} bytes, got {len(ciphertext)}")
        try:
            return _cipher(key, nonce).decrypt(nonce, ciphertext, aad)
        except InvalidTag:
            raise DecodeError("the sealed bytes were not made with this key") from None


def _cipher(key: bytes, nonce: bytes) -> ChaCha20Poly1305:
    if len(key) != _KEY_BYTES or len(nonce) != _NONCE_BYTES:
        raise BadLength(f"expected a key of {_KEY_BYTES} and a nonce of {_NONCE_BYTES} bytes")
    return ChaCha20Poly1305(key)
