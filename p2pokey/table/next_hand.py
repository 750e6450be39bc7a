"""NEXT: a seat says, outside the hand's transcript, whether it takes part in the next attempt.

A hand begins when every seat has said so; a seat that wants no further hand closes the table for
all. One byte form, integers little-endian:

    mark u8 = 0x80 | session 32 | hand u32 | seat u8 | wish u8 | signature 64

The mark tells it from a hand message, which begins with the protocol version. The signature covers
fr("sig", V || "next") || all before it.
"""

from dataclasses import dataclass
from enum import IntEnum

from p2pokey.codec import Reader, u8, u32
from p2pokey.crypto.fiat_shamir import PREFIX, fr
from p2pokey.errors import BadLength, DecodeError
from p2pokey.ports import SIGNATURE_BYTES, Signer, Verifier
from p2pokey.tiles import Seat

MARK = 0x80
_BODY_SIZE = 1 + 32 + 4 + 1 + 1
SIZE = _BODY_SIZE + SIGNATURE_BYTES


class Wish(IntEnum):
    """What a seat wants."""

    PLAY = 1
    """To play the attempt with that number."""
    STOP = 2
    """No further hand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Next:
    """One seat's wish for one attempt."""

    session: bytes
    hand: int
    """Number of the attempt, u32."""
    seat: Seat
    wish: Wish


def is_next(data: bytes) -> bool:
    """Whether the bytes claim to be a NEXT."""
    return data[:1] == u8(MARK)


def seal_next(signer: Signer, message: Next) -> bytes:
    """The signed bytes."""
    body = _encode(message)
    return body + signer.sign(_signed(body))


def open_next(verifier: Verifier, roster: tuple[bytes, ...], data: bytes) -> Next:
    """Reads and verifies a NEXT.

    Args:
        roster: identity keys in seat order.

    Raises:
        DecodeError: not the canonical form, or of a seat that the table does not have.
        BadSignature: not signed by its seat.
    """
    if len(data) != SIZE or not is_next(data):
        raise BadLength(f"expected a NEXT of {SIZE} bytes, got {len(data)} bytes")
    body, signature = data[:_BODY_SIZE], data[_BODY_SIZE:]
    reader = Reader(body[1:])
    session, hand, seat, wish = reader.take(32), reader.u32(), reader.u8(), reader.u8()
    if seat >= len(roster):
        raise DecodeError(f"expected a seat below {len(roster)}, got {seat}")
    if wish not in list(Wish):
        raise DecodeError(f"expected a wish of 1 or 2, got {wish}")
    verifier.verify(roster[seat], _signed(body), signature)
    return Next(session=session, hand=hand, seat=Seat(seat), wish=Wish(wish))


def _encode(message: Next) -> bytes:
    return u8(MARK) + message.session + u32(message.hand) + u8(message.seat) + u8(message.wish)


def _signed(body: bytes) -> bytes:
    return fr("sig", PREFIX + b"next") + body
