"""X25519 by the package `cryptography` (RFC 7748): one shared secret for each pair of seats."""

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from p2pokey.errors import BadLength, BadPoint

KEY_BYTES = 32


class X25519Key:
    """One ephemeral key; made for one table and never stored."""

    def __init__(self, secret: bytes) -> None:
        """Args: secret: 32 random bytes."""
        if len(secret) != KEY_BYTES:
            raise BadLength(f"expected a secret of {KEY_BYTES} bytes, got {len(secret)}")
        self._key = X25519PrivateKey.from_private_bytes(secret)

    @property
    def public_key(self) -> bytes:
        """32-byte public key."""
        return self._key.public_key().public_bytes_raw()

    def exchange(self, public_key: bytes) -> bytes:
        """The 32-byte secret shared with the owner of `public_key`.

        Raises:
            BadPoint: a key of the wrong length or of small order (RFC 7748, 6.1).
        """
        if len(public_key) != KEY_BYTES:
            raise BadPoint(f"expected an X25519 key of {KEY_BYTES} bytes, got {len(public_key)}")
        try:
            return self._key.exchange(X25519PublicKey.from_public_bytes(public_key))
        except ValueError:
            raise BadPoint("expected an X25519 key that is not of small order") from None
