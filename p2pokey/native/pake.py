"""SPAKE2 by the package `spake2` (Abdalla-Pointcheval 2005, over Ed25519).

Both identity keys and the room are inside the exchange, so a signalling server that swaps a key, or
connects guests of different rooms, makes the two results differ as a wrong password would. The
package is pure Python and not constant time; a password is used for one table only.
"""

from spake2 import SPAKE2_A, SPAKE2_B, SPAKEError
from spake2.ed25519_basic import NotOnCurve

from p2pokey.errors import BadLength, DecodeError
from p2pokey.ports import Entropy

MESSAGE_BYTES = 33
"""A side letter and a 32-byte element."""


class Spake2:
    """One run for one side; implements `ports.Pake`. Takes about 10 ms for each of its two steps."""

    def __init__(self, exchange: SPAKE2_A | SPAKE2_B) -> None:
        """Use `host_side` or `guest_side`."""
        self._exchange = exchange

    def start(self) -> bytes:
        """This side's message, 33 bytes; to be called once, before `finish`."""
        message: bytes = self._exchange.start()
        return message

    def finish(self, message: bytes) -> bytes:
        """32-byte shared key; differs from the other side's unless everything is equal.

        Raises:
            DecodeError: the message is none of the other side's; nothing is learnt from it.
        """
        if len(message) != MESSAGE_BYTES:
            raise BadLength(f"expected a message of {MESSAGE_BYTES} bytes, got {len(message)}")
        try:
            key: bytes = self._exchange.finish(message)
        except (SPAKEError, NotOnCurve, ValueError):
            raise DecodeError("expected the other side's key exchange message") from None
        return key


def host_side(
    *, password: bytes, host_key: bytes, guest_key: bytes, room: str, entropy: Entropy
) -> Spake2:
    """The host's side (A). Keys: 32-byte identity keys; password: `Invite.password`."""
    host, guest = _identities(host_key, guest_key, room)
    return Spake2(SPAKE2_A(password, idA=host, idB=guest, entropy_f=entropy.random_bytes))


def guest_side(
    *, password: bytes, host_key: bytes, guest_key: bytes, room: str, entropy: Entropy
) -> Spake2:
    """The guest's side (B), arguments as in `host_side`."""
    host, guest = _identities(host_key, guest_key, room)
    return Spake2(SPAKE2_B(password, idA=host, idB=guest, entropy_f=entropy.random_bytes))


def _identities(host_key: bytes, guest_key: bytes, room: str) -> tuple[bytes, bytes]:
    suffix = room.encode("ascii")
    return host_key + suffix, guest_key + suffix
