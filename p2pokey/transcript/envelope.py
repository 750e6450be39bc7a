"""Signed envelopes: the body bytes, the signature over them, and the hash that chains them.

The signature covers fr("sig", V || kind) || body (docs/protocol.md S0), so a signature made for
one kind of message, or for another program, never fits another.
"""

import hashlib
from dataclasses import dataclass

from p2pokey.codec import Reader, u8, u32
from p2pokey.crypto.fiat_shamir import PREFIX, fr
from p2pokey.errors import BadLength, DecodeError, UnsupportedVersion
from p2pokey.ports import SIGNATURE_BYTES, Signer, Verifier
from p2pokey.tiles import MAX_SEATS, Seat
from p2pokey.transcript.messages import (
    HASH_SIZE,
    MAX_ENVELOPE,
    Kind,
    Message,
    decode_message,
)

VERSION = 0
"""Version of the envelope and of all payloads; 0 until the format is frozen."""
NO_PREVIOUS = bytes(HASH_SIZE)
"""`prev` of a seat's first message."""
_HEAD_SIZE = 1 + 32 + 4 + 1 + 4 + HASH_SIZE + 4 + HASH_SIZE + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """One signed message of one seat.

    Attributes:
        session: 32-byte session id.
        hand: attempt number in the session, from 0.
        seat: author, 0-based.
        seq: place in the author's chain of this hand, from 0.
        prev: SHA-512 of the author's previous body, or 64 zero bytes.
        step: newest step that the author has completed.
        state: hash of the state after that step.
        message: the payload.
        body: the signed bytes (kept as received).
        signature: 64 bytes.
    """

    session: bytes
    hand: int
    seat: Seat
    seq: int
    prev: bytes
    step: int
    state: bytes
    message: Message
    body: bytes
    signature: bytes

    @property
    def kind(self) -> Kind:
        """The message's kind."""
        return self.message.kind

    @property
    def encoded(self) -> bytes:
        """Body followed by the signature: what travels between peers."""
        return self.body + self.signature

    @property
    def body_hash(self) -> bytes:
        """SHA-512 of the body: `prev` of the author's next message."""
        return hashlib.sha512(self.body).digest()

    @property
    def file_key(self) -> tuple[int, int, int, int]:
        """Canonical order of a transcript: step, kind, seat, sequence (docs/transcript-format.md)."""
        return (self.step, self.kind, self.seat, self.seq)


def signed_data(kind: Kind, body: bytes) -> bytes:
    """The bytes that a signature covers."""
    return fr("sig", PREFIX + kind.label.encode("ascii")) + body


def seal_envelope(
    signer: Signer,
    *,
    session: bytes,
    hand: int,
    seat: Seat,
    seq: int,
    prev: bytes,
    step: int,
    state: bytes,
    message: Message,
) -> Envelope:
    """Builds and signs an envelope."""
    head = u8(VERSION) + session + u32(hand) + u8(seat) + u32(seq) + prev + u32(step) + state
    body = head + u8(message.kind) + message.encode()
    return Envelope(
        session=session,
        hand=hand,
        seat=seat,
        seq=seq,
        prev=prev,
        step=step,
        state=state,
        message=message,
        body=body,
        signature=signer.sign(signed_data(message.kind, body)),
    )


def decode_envelope(data: bytes) -> Envelope:
    """Parses body || signature without checking the signature.

    Raises:
        DecodeError: anything but the one canonical form, including unsupported versions.
    """
    if not _HEAD_SIZE + SIGNATURE_BYTES <= len(data) <= MAX_ENVELOPE:
        raise BadLength(f"expected an envelope of at most {MAX_ENVELOPE} bytes, got {len(data)}")
    body, signature = data[:-SIGNATURE_BYTES], data[-SIGNATURE_BYTES:]
    if body[0] != VERSION:
        raise UnsupportedVersion(f"expected message version {VERSION}, got {body[0]}")
    reader = Reader(body)
    reader.u8()
    session, hand, seat = reader.take(32), reader.u32(), reader.u8()
    if seat >= MAX_SEATS:
        raise DecodeError(f"expected a seat from 0 to 3, got {seat}")
    seq, prev, step, state = (
        reader.u32(),
        reader.take(HASH_SIZE),
        reader.u32(),
        reader.take(HASH_SIZE),
    )
    number = reader.u8()
    try:
        kind = Kind(number)
    except ValueError:
        raise DecodeError(f"expected a message kind from 1 to 15, got {number}") from None
    return Envelope(
        session=session,
        hand=hand,
        seat=Seat(seat),
        seq=seq,
        prev=prev,
        step=step,
        state=state,
        message=decode_message(kind, reader.take(reader.remaining)),
        body=body,
        signature=signature,
    )


def verify_envelope(verifier: Verifier, public_key: bytes, envelope: Envelope) -> None:
    """Raises BadSignature unless the author's key signed exactly this body."""
    data = signed_data(envelope.kind, envelope.body)
    verifier.verify(public_key, data, envelope.signature)
