"""What whole tables are simulated with in place of slow parts: signatures, entropy, audits.

A stand-in signature is a keyed hash that only the holder of the secret and the referee can compute,
so within a simulation it cannot be forged; an honest audit is replaced by a score that follows from
what RESULT signs of the transcript, so two seats that hold different files sign different scores.
"""

import hashlib
import threading

from p2pokey.errors import BadSignature
from p2pokey.hand.effects import ConfirmResult
from p2pokey.native.identity import Ed25519Signer
from p2pokey.peer.auditing import Verdict
from p2pokey.tiles import Seat
from p2pokey.transcript.file import decode_line, signed_lines
from p2pokey.transcript.setup import decode_header

_SECRETS: dict[bytes, bytes] = {}
"""By public key."""


class StandInSigner:
    """Keyed BLAKE2 under the public key of a real identity; implements `ports.Signer`."""

    def __init__(self, secret: bytes) -> None:
        self.public_key = Ed25519Signer(secret).public_key
        self._secret = secret
        _SECRETS[self.public_key] = secret

    def sign(self, data: bytes) -> bytes:
        return hashlib.blake2b(data, key=self._secret).digest()


class StandInVerifier:
    """Knows all secrets; implements `ports.Verifier`."""

    def check_key(self, public_key: bytes) -> None:
        pass

    def verify(self, public_key: bytes, data: bytes, signature: bytes) -> None:
        secret = _SECRETS.get(public_key)
        if secret is None or hashlib.blake2b(data, key=secret).digest() != signature:
            raise BadSignature("expected a signature of this seat")


class SeededEntropy:
    """Bytes that follow from a label; implements `ports.Entropy`."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._calls = 0

    def random_bytes(self, count: int) -> bytes:
        self._calls += 1
        return hashlib.shake_256(f"{self._label} {self._calls}".encode()).digest(count)


class StandInAudit:
    """A score that follows from the file; implements `peer.auditing.Auditor`."""

    def __init__(self, **ignored: object) -> None:
        pass

    def __call__(self, transcript: bytes, stop: threading.Event) -> Verdict:
        header, _, rest = transcript.partition(b"\n")
        start = decode_header(header).totals
        lines = [decode_line(line) for line in rest.splitlines()]
        chains = {
            Seat(seat): sorted((item for item in lines if item.seat == seat), key=lambda i: i.seq)
            for seat in range(len(start))
        }
        # Votes that follow a DISCLOSE are in the file, too, and no RESULT signs them.
        signed = b"".join(item.encoded for item in signed_lines(chains))
        digest = hashlib.sha256(signed).digest()
        points = tuple(digest[seat] % 9 - 4 for seat in range(len(start)))
        totals = tuple(a + b for a, b in zip(start, points, strict=True))
        return Verdict(command=ConfirmResult(points=points, totals=totals), proofs=0)
