"""Sealed bodies between two peers: ChaCha20-Poly1305 under one key for each direction.

A box is the body `{"k": kind, "n": counter, "ct": ciphertext}`, kind `box` between host and guest
(key from the key exchange) and `pair` between two seats (key from X25519). The nonce is the
counter; a receiver takes only counters above the last one it took, so the server can drop boxes
but neither repeat nor reorder nor turn them around. The kind and the context are authenticated.
"""

from p2pokey.crypto.fiat_shamir import PREFIX, fr
from p2pokey.errors import DecodeError
from p2pokey.net.bodies import MAX_BODY_BYTES, Body, decode_body, encode_body
from p2pokey.ports import Sealer

_MAX_COUNTER = 2**53 - 1
"""Largest number that is exact in every JSON reader; nobody seals that often."""


class BoxChannel:
    """One end of a sealed conversation.

    Args:
        sealer: ChaCha20-Poly1305.
        kind: `box` or `pair`.
        send_key: 32 bytes, the other end's `receive_key`; used for this channel only.
        receive_key: 32 bytes.
        context: bytes that both ends agree on: who talks where.
    """

    def __init__(
        self, sealer: Sealer, *, kind: str, send_key: bytes, receive_key: bytes, context: bytes
    ) -> None:
        self._sealer = sealer
        self._kind = kind
        self._send_key = send_key
        self._receive_key = receive_key
        self._aad = fr("box", PREFIX + kind.encode("ascii")) + fr("context", context)
        self._sent = 0
        self._received = 0

    def seal(self, body: bytes) -> bytes:
        """The box, itself a body, that holds `body`."""
        self._sent += 1
        assert self._sent <= _MAX_COUNTER
        ciphertext = self._sealer.seal(self._send_key, _nonce(self._sent), body, self._aad)
        return encode_body(self._kind, n=self._sent, ct=ciphertext)

    def unseal(self, box: Body) -> Body:
        """The body inside a received box.

        Raises:
            DecodeError: not sealed by the other end, or not newer than the last one.
        """
        counter = box.number("n", _MAX_COUNTER)
        ciphertext = box.blob("ct", MAX_BODY_BYTES)
        if counter <= self._received:
            raise DecodeError(f"expected a box after number {self._received}, got {counter}")
        body = self._sealer.unseal(self._receive_key, _nonce(counter), ciphertext, self._aad)
        self._received = counter
        return decode_body(body)


def _nonce(counter: int) -> bytes:
    return counter.to_bytes(12, "little")
