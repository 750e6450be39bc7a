"""Frames on an open link (docs/network.md, Link framing): one parser for any transport.

    offset  size  field
    0       1     type
    1       4     sequence number, little-endian
    5       2     chunk index, little-endian, from 0
    7       2     number of chunks, little-endian, 1 to 64
    9       0..   payload, at most 16384 bytes

Only DATA has several chunks: all but the last are full. Every other type is one frame.
"""

import struct
from dataclasses import dataclass
from enum import IntEnum

from p2pokey.errors import LinkError, LocalProtocolError

HEADER = struct.Struct("<BIHH")
CHUNK_BYTES = 16 * 1024
"""Every WebRTC implementation and the relay take messages of this size."""
MAX_MESSAGE_BYTES = 1024 * 1024
"""Eight times the largest message of a hand (128 KiB); a shuffle takes about 24 KB."""
MAX_CHUNKS = MAX_MESSAGE_BYTES // CHUNK_BYTES
MAX_FRAME_BYTES = HEADER.size + CHUNK_BYTES
MAX_SEQUENCE = 2**32 - 1


class FrameType(IntEnum):
    """What a frame is for."""

    DATA = 1
    """A chunk of message `sequence`; messages count from 1 on each side."""
    ACK = 2
    """Everything up to `sequence` has arrived."""
    PING = 3
    """Are you there?"""
    PONG = 4
    """Yes; repeats the ping's sequence number."""
    BYE = 5
    """Leaving for good; numbered and acknowledged like a message."""
    NONCE = 6
    """Authentication, first frame: a fresh nonce."""
    AUTH = 7
    """Authentication, second frame: the signature."""


_PAYLOADS = {
    FrameType.ACK: 0,
    FrameType.PING: 0,
    FrameType.PONG: 0,
    FrameType.BYE: 0,
    FrameType.NONCE: 32,
    FrameType.AUTH: 226,
}
"""Exact payload size of everything but DATA."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One frame, all fields in range."""

    type: FrameType
    sequence: int = 0
    index: int = 0
    count: int = 1
    payload: bytes = b""


def encode_frame(frame: Frame) -> bytes:
    """The bytes of a frame."""
    return HEADER.pack(frame.type, frame.sequence, frame.index, frame.count) + frame.payload


def decode_frame(data: bytes) -> Frame:
    """Reads a frame.

    Raises:
        LinkError: the other side sent something that no correct program sends.
    """
    if not HEADER.size <= len(data) <= MAX_FRAME_BYTES:
        raise LinkError(f"expected a frame of 9 to {MAX_FRAME_BYTES} bytes, got {len(data)}")
    number, sequence, index, count = HEADER.unpack_from(data)
    try:
        kind = FrameType(number)
    except ValueError:
        raise LinkError(f"expected a known frame type, got {number}") from None
    frame = Frame(
        type=kind, sequence=sequence, index=index, count=count, payload=data[HEADER.size :]
    )
    _check_shape(frame)
    return frame


def _check_shape(frame: Frame) -> None:
    size = len(frame.payload)
    if frame.type is not FrameType.DATA:
        if (frame.index, frame.count, size) != (0, 1, _PAYLOADS[frame.type]):
            raise LinkError(f"expected one short {frame.type.name} frame, got {size} bytes of it")
        return
    if not 1 <= frame.count <= MAX_CHUNKS or frame.index >= frame.count:
        raise LinkError(f"expected chunk 0 to 63, got {frame.index} of {frame.count}")
    is_last = frame.index == frame.count - 1
    fits = 0 < size <= CHUNK_BYTES if is_last else size == CHUNK_BYTES
    if not fits and not (frame.count == 1 and size == 0):
        raise LinkError(f"expected full chunks but the last, got {size} bytes")


def split_message(sequence: int, message: bytes) -> list[bytes]:
    """The encoded DATA frames of one message.

    Raises:
        LocalProtocolError: the message is larger than 1 MiB.
    """
    if len(message) > MAX_MESSAGE_BYTES:
        raise LocalProtocolError(
            f"expected a message of at most {MAX_MESSAGE_BYTES} bytes, got {len(message)}"
        )
    starts = range(0, max(1, len(message)), CHUNK_BYTES)
    return [
        encode_frame(
            Frame(
                type=FrameType.DATA,
                sequence=sequence,
                index=index,
                count=len(starts),
                payload=message[start : start + CHUNK_BYTES],
            )
        )
        for index, start in enumerate(starts)
    ]
