"""The small interfaces that the core needs from outside.

The core (docs/architecture.md 3) imports the standard library only; what differs between a computer and
a browser page comes in through these protocols. All of them are synchronous.
"""

from collections.abc import Sequence
from typing import Protocol


class GroupBackend(Protocol):
    """Raw ristretto255 operations on batches of concatenated 32-byte encodings (RFC 9496).

    Backends never see the identity as a factor nor a scalar that is 0 mod L: `crypto.group.Group`
    treats those cases once, above all backends. Scalars are ints in [1, L). Every method raises
    `BadPoint` for an encoding that is not canonical. Results are concatenated encodings in input
    order and are the same bytes on every backend.
    """

    @property
    def name(self) -> str:
        """Short name for reports, e.g. `libsodium` or `python`."""

    def mul(self, scalars: Sequence[int], points: bytes) -> bytes:
        """scalar_i * point_i. Secret scalars: constant time where the backend can."""

    def mul_one_scalar(self, scalar: int, points: bytes) -> bytes:
        """scalar * point_i with one secret scalar."""

    def base_mul(self, scalars: Sequence[int]) -> bytes:
        """scalar_i * G with secret scalars."""

    def add(self, a: bytes, b: bytes) -> bytes:
        """a_i + b_i; both batches of the same length; identities allowed."""

    def sub(self, a: bytes, b: bytes) -> bytes:
        """a_i - b_i; both batches of the same length; identities allowed."""

    def hash_to_group(self, uniform: bytes) -> bytes:
        """RFC 9496 4.3.4 one-way map of each 64-byte block."""

    def is_valid(self, points: bytes) -> bool:
        """Whether every 32-byte block is a canonical encoding (the identity is one)."""

    def msm(self, scalars: Sequence[int], points: bytes) -> bytes:
        """sum of scalar_i * point_i with secret scalars; at least one term."""

    def msm_vartime(self, scalars: Sequence[int], points: bytes) -> bytes:
        """sum of scalar_i * point_i, at least one term; for public values: may vary in time."""


SIGNATURE_BYTES = 64
"""Of an Ed25519 signature (RFC 8032)."""


class Signer(Protocol):
    """One Ed25519 identity key (RFC 8032)."""

    @property
    def public_key(self) -> bytes:
        """32-byte public key."""

    def sign(self, data: bytes) -> bytes:
        """64-byte deterministic signature."""


class Verifier(Protocol):
    """Ed25519 verification: cofactorless equation, S < L, canonical keys not of small order."""

    def check_key(self, public_key: bytes) -> None:
        """Raises BadPoint if the key is not canonical or has small order."""

    def verify(self, public_key: bytes, data: bytes, signature: bytes) -> None:
        """Raises BadSignature unless the signature is valid."""


class Sealer(Protocol):
    """ChaCha20-Poly1305 (RFC 8439)."""

    def seal(self, key: bytes, nonce: bytes, plaintext: bytes, aad: bytes) -> bytes:
        """Ciphertext || 16-byte tag. key: 32 bytes; nonce: 12 bytes, used once per key."""

    def unseal(self, key: bytes, nonce: bytes, ciphertext: bytes, aad: bytes) -> bytes:
        """The plaintext; raises DecodeError if the tag does not fit."""


class Pake(Protocol):
    """One run of a password-authenticated key exchange (SPAKE2)."""

    def start(self) -> bytes:
        """This side's message."""

    def finish(self, message: bytes) -> bytes:
        """32-byte shared key; raises DecodeError for a message that is none."""


class Entropy(Protocol):
    """The operating system's generator: the only source of secrets."""

    def random_bytes(self, count: int) -> bytes:
        """`count` fresh random bytes."""
