"""HAVE: how far a seat has got with an attempt and with the table chains, so that whoever has more
passes it on.

It goes from seat to seat on their link, unsigned: it claims nothing that matters, and what comes in
answer is signed by its authors. One byte form, integers little-endian:

    mark u8 = 0x81 | session 32 | hand u32 | asks u8 | seats u8 | count u16 for each seat |
    table count u32 for each seat

`count` is how many messages of that seat's chain in the attempt the sender has accepted, `table
count` the same of its table chain (table/chain.py). `asks` is 1 if the receiver
shall send what is missing and then its own HAVE with 0, and 0 in such an answer.
"""

from dataclasses import dataclass

from p2pokey.codec import Reader, u8, u16, u32
from p2pokey.errors import BadLength, DecodeError
from p2pokey.tiles import MAX_SEATS, MIN_SEATS

MARK = 0x81
_HEAD_SIZE = 1 + 32 + 4 + 1 + 1
_MAX_COUNT = 2**16 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Have:
    """What one seat has of one attempt."""

    session: bytes
    hand: int
    """Number of the attempt, u32."""
    asks: bool
    """Whether an answer is wanted."""
    counts: tuple[int, ...]
    """Accepted messages of each seat's chain in the attempt."""
    table: tuple[int, ...]
    """Accepted messages of each seat's table chain."""


def is_have(data: bytes) -> bool:
    """Whether the bytes claim to be a HAVE."""
    return data[:1] == u8(MARK)


def encode_have(have: Have) -> bytes:
    """The bytes."""
    counts = b"".join(u16(min(count, _MAX_COUNT)) for count in have.counts)
    head = u8(MARK) + have.session + u32(have.hand) + u8(have.asks) + u8(len(have.counts))
    return head + counts + b"".join(map(u32, have.table))


def decode_have(data: bytes) -> Have:
    """Reads a HAVE; DecodeError for anything but the one form."""
    if len(data) < _HEAD_SIZE or not is_have(data):
        raise BadLength(f"expected a HAVE, got {len(data)} bytes")
    reader = Reader(data[1:])
    session, hand, asks, seats = reader.take(32), reader.u32(), reader.u8(), reader.u8()
    if asks > 1 or not MIN_SEATS <= seats <= MAX_SEATS or len(data) != _HEAD_SIZE + 6 * seats:
        raise DecodeError("expected a HAVE of a table")
    counts = tuple(reader.u16() for _ in range(seats))
    table = tuple(reader.u32() for _ in range(seats))
    return Have(session=session, hand=hand, asks=bool(asks), counts=counts, table=table)
