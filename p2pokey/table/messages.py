"""Messages of the table chain: all that seats say to each other beside the hands.

Each seat has one chain of them for a whole session, apart from the transcripts of the hands. One
byte form, integers little-endian (payloads: table/contents.py):

    mark u8 = 0x82 | session 32 | seat u8 | seq u32 | previous 32 | kind u8 | size u16 | payload |
    signature 64

`previous` is the first 32 bytes of SHA-512 over the author's previous message without its
signature, 32 zero bytes at first. The signature covers fr("sig", V || "table") || all before it.

The link of a new room goes to single seats; it is in no chain and not signed:

    mark u8 = 0x83 | session 32 | ASCII
"""

import hashlib
from dataclasses import dataclass

from p2pokey.codec import Reader, u8, u16, u32
from p2pokey.crypto.fiat_shamir import PREFIX, fr
from p2pokey.errors import BadLength, DecodeError
from p2pokey.ports import SIGNATURE_BYTES, Signer, Verifier
from p2pokey.table.contents import (
    KINDS,
    MAX_CHAT_CHARS,
    Content,
    Kind,
    decode_content,
    encode_content,
)
from p2pokey.tiles import MAX_SEATS, Seat

MARK = 0x82
LINK_MARK = 0x83
MAX_LINK_BYTES = 512
PREVIOUS_BYTES = 32
NO_PREVIOUS = bytes(PREVIOUS_BYTES)
_HEAD_SIZE = 1 + 32 + 1 + 4 + PREVIOUS_BYTES + 1 + 2
MAX_MESSAGE = _HEAD_SIZE + 4 * MAX_CHAT_CHARS + SIGNATURE_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class TableMessage:
    """One message of a seat's table chain."""

    session: bytes
    seat: Seat
    seq: int
    """Place in the author's chain, from 0."""
    previous: bytes
    content: Content
    encoded: bytes
    """All bytes, with the signature."""

    @property
    def kind(self) -> Kind:
        """What it is."""
        return KINDS[type(self.content)]

    @property
    def body_hash(self) -> bytes:
        """`previous` of the author's next message, 32 bytes."""
        return hashlib.sha512(self.encoded[:-SIGNATURE_BYTES]).digest()[:PREVIOUS_BYTES]


def is_table_message(data: bytes) -> bool:
    """Whether the bytes claim to be a message of a table chain."""
    return data[:1] == u8(MARK)


def session_of(data: bytes) -> bytes:
    """The session that a message of a table chain, or a link, says it belongs to."""
    return data[1:33]


def seal_message(
    signer: Signer, *, session: bytes, seat: Seat, seq: int, previous: bytes, content: Content
) -> TableMessage:
    """A signed message.

    Raises:
        DecodeError: the content has no byte form, e.g. too long a text.
    """
    payload = encode_content(content)
    kind = KINDS[type(content)]
    head = u8(MARK) + session + u8(seat) + u32(seq) + previous + u8(kind) + u16(len(payload))
    body = head + payload
    decode_content(kind, payload)
    return TableMessage(
        session=session,
        seat=seat,
        seq=seq,
        previous=previous,
        content=content,
        encoded=body + signer.sign(_signed(body)),
    )


def decode_message(data: bytes) -> TableMessage:
    """Reads a message without verifying its signature.

    Raises:
        DecodeError: anything but the one canonical form.
    """
    if not _HEAD_SIZE + SIGNATURE_BYTES <= len(data) <= MAX_MESSAGE or not is_table_message(data):
        raise BadLength(f"expected a message of the table, got {len(data)} bytes")
    reader = Reader(data[1:-SIGNATURE_BYTES])
    session, seat, seq = reader.take(32), reader.u8(), reader.u32()
    previous, number, size = reader.take(PREVIOUS_BYTES), reader.u8(), reader.u16()
    if seat >= MAX_SEATS or number not in list(Kind) or size != reader.remaining:
        raise DecodeError("expected a seat, a kind and a size of the table")
    content = decode_content(Kind(number), reader.take(size))
    return TableMessage(
        session=session,
        seat=Seat(seat),
        seq=seq,
        previous=previous,
        content=content,
        encoded=data,
    )


def verify_message(verifier: Verifier, roster: tuple[bytes, ...], message: TableMessage) -> None:
    """Raises DecodeError or BadSignature unless a seat of this roster signed the message."""
    if message.seat >= len(roster):
        raise DecodeError(f"expected a seat below {len(roster)}, got {message.seat}")
    body, signature = message.encoded[:-SIGNATURE_BYTES], message.encoded[-SIGNATURE_BYTES:]
    verifier.verify(roster[message.seat], _signed(body), signature)


def is_link(data: bytes) -> bool:
    """Whether the bytes claim to be the link of a new room."""
    return data[:1] == u8(LINK_MARK)


def encode_link(session: bytes, link: str) -> bytes:
    """The bytes that take a link to one seat; whoever has it can come in."""
    return u8(LINK_MARK) + session + link.encode("utf-8")


def decode_link(data: bytes) -> str:
    """Reads a link; DecodeError for anything else."""
    text = data[33:]
    if not is_link(data) or not 1 <= len(text) <= MAX_LINK_BYTES:
        raise BadLength(f"expected a link of at most {MAX_LINK_BYTES} bytes, got {len(data)}")
    if not text.isascii() or not text.decode("ascii").isprintable():
        raise DecodeError("expected a link in printable ASCII")
    return text.decode("ascii")


def _signed(body: bytes) -> bytes:
    return fr("sig", PREFIX + b"table") + body
