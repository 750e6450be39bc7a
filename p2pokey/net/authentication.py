"""The first two frames of every link: who is at the other end? (docs/network.md, Authentication)

The transport itself is encrypted but does not know seats. Each side sends a fresh nonce, then a
signature by its roster key over the roster, both seats, both nonces and both ends' fingerprints: the
certificate hashes of WebRTC, or the ephemeral keys of a relay. Somebody in the middle has other
fingerprints towards each side, and cannot sign. A machine without clock or sockets.
"""

from dataclasses import dataclass
from enum import Enum

from p2pokey.crypto.fiat_shamir import PREFIX, fr
from p2pokey.errors import BadSignature, LinkError, LinkNotAuthentic
from p2pokey.net.frames import Frame, FrameType, decode_frame, encode_frame
from p2pokey.net.pairs import RUN_BYTES
from p2pokey.net.toolkit import Toolkit
from p2pokey.ports import SIGNATURE_BYTES
from p2pokey.table.roster import Roster, roster_hash
from p2pokey.tiles import Seat

NONCE_BYTES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What one end says about the link; signed by that end."""

    roster: bytes
    """32-byte roster hash."""
    sender: int
    receiver: int
    sender_nonce: bytes
    receiver_nonce: bytes
    sender_fingerprint: bytes
    receiver_fingerprint: bytes

    def encode(self) -> bytes:
        """162 bytes: roster hash, u8 from, u8 to, both nonces, both fingerprints."""
        seats = bytes([self.sender, self.receiver])
        nonces = self.sender_nonce + self.receiver_nonce
        return self.roster + seats + nonces + self.sender_fingerprint + self.receiver_fingerprint

    def signed_text(self) -> bytes:
        """What the sender signs."""
        return fr("sig", PREFIX + b"link") + self.encode()


class Stage(Enum):
    """What the other side has to send next."""

    NONCE = "nonce"
    AUTH = "auth"
    DONE = "done"


class Authentication:
    """One end's part.

    Args:
        toolkit: our keys.
        roster: the signed roster.
        own_seat, other_seat: who is to be at the ends.
        own_fingerprint, other_fingerprint: 32 bytes each, of the transport's two ends.
        run: 16 random bytes of this run of our program.
    """

    def __init__(
        self,
        toolkit: Toolkit,
        roster: Roster,
        *,
        own_seat: Seat,
        other_seat: Seat,
        own_fingerprint: bytes,
        other_fingerprint: bytes,
        run: bytes,
    ) -> None:
        self._toolkit = toolkit
        self._roster = roster
        self._own_seat = own_seat
        self._other_seat = other_seat
        self._own_fingerprint = own_fingerprint
        self._other_fingerprint = other_fingerprint
        self._nonce = run + toolkit.entropy.random_bytes(NONCE_BYTES - RUN_BYTES)
        self._other_nonce = b""
        self._stage = Stage.NONCE

    @property
    def is_done(self) -> bool:
        """Whether the other end has shown who it is; frames after that belong to the link."""
        return self._stage is Stage.DONE

    @property
    def other_run(self) -> bytes:
        """Which run of its program the other end is, once `is_done`: the first half of its nonce."""
        return self._other_nonce[:RUN_BYTES]

    def start(self) -> bytes:
        """Our first frame."""
        return encode_frame(Frame(type=FrameType.NONCE, payload=self._nonce))

    def receive(self, data: bytes) -> bytes | None:
        """A frame of the other end; returns the frame to answer with, if any.

        Raises:
            LinkError: anything but the one frame that is due.
            LinkNotAuthentic: a proof that does not hold.
        """
        frame = decode_frame(data)
        match self._stage, frame.type:
            case Stage.NONCE, FrameType.NONCE:
                return self._take_nonce(frame.payload)
            case Stage.AUTH, FrameType.AUTH:
                self._take_auth(frame.payload)
                return None
        raise LinkError(f"expected {self._stage.name} to authenticate, got {frame.type.name}")

    def _take_nonce(self, nonce: bytes) -> bytes:
        if nonce == self._nonce:
            raise LinkNotAuthentic("the other end only repeats what we say")
        self._other_nonce = nonce
        self._stage = Stage.AUTH
        claim = Claim(
            roster=roster_hash(self._roster),
            sender=self._own_seat,
            receiver=self._other_seat,
            sender_nonce=self._nonce,
            receiver_nonce=nonce,
            sender_fingerprint=self._own_fingerprint,
            receiver_fingerprint=self._other_fingerprint,
        )
        signature = self._toolkit.signer.sign(claim.signed_text())
        return encode_frame(Frame(type=FrameType.AUTH, payload=claim.encode() + signature))

    def _take_auth(self, payload: bytes) -> None:
        expected = Claim(
            roster=roster_hash(self._roster),
            sender=self._other_seat,
            receiver=self._own_seat,
            sender_nonce=self._other_nonce,
            receiver_nonce=self._nonce,
            sender_fingerprint=self._other_fingerprint,
            receiver_fingerprint=self._own_fingerprint,
        )
        claimed, signature = payload[:-SIGNATURE_BYTES], payload[-SIGNATURE_BYTES:]
        if claimed != expected.encode():
            raise LinkNotAuthentic(_difference(expected, claimed))
        key = self._roster.seats[self._other_seat].public_key
        try:
            self._toolkit.verifier.verify(key, expected.signed_text(), signature)
        except BadSignature:
            raise LinkNotAuthentic("the other end cannot sign for its seat") from None
        self._stage = Stage.DONE


def _difference(expected: Claim, claimed: bytes) -> str:
    """Which part of the claim is not as it should be, for the one who has to find out why."""
    offset = 0
    for part, reason in (
        (expected.roster, "the other end has another list of players"),
        (bytes([expected.sender, expected.receiver]), "the other end speaks for other seats"),
        (expected.sender_nonce + expected.receiver_nonce, "the other end repeats old words"),
        (expected.sender_fingerprint, "somebody sits in between: fingerprints differ"),
        (expected.receiver_fingerprint, "somebody sits in between: fingerprints differ"),
    ):
        if claimed[offset : offset + len(part)] != part:
            return reason
        offset += len(part)
    return "the other end says something else"
