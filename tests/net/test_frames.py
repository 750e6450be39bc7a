"""Frames: any bytes are one frame or one LinkError; every frame has one form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pokey.errors import LinkError, LocalProtocolError
from p2pokey.net.frames import (
    CHUNK_BYTES,
    HEADER,
    MAX_FRAME_BYTES,
    MAX_MESSAGE_BYTES,
    Frame,
    FrameType,
    decode_frame,
    encode_frame,
    split_message,
)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_frame_or_refused(data):
    try:
        frame = decode_frame(data)
    except LinkError:
        return

    assert encode_frame(frame) == data


@given(st.integers(0, 255), st.integers(0, 2**32 - 1), st.integers(0, 70), st.integers(0, 70))
def test_any_header_is_a_frame_or_refused(kind, sequence, index, count):
    for size in (0, 1, 32, 226, CHUNK_BYTES, CHUNK_BYTES + 1):
        data = HEADER.pack(kind, sequence, index, count) + bytes(size)
        try:
            frame = decode_frame(data)
        except LinkError:
            continue

        assert encode_frame(frame) == data
        assert frame.index < frame.count <= 64


def test_the_byte_table():
    frame = Frame(type=FrameType.DATA, sequence=0x01020304, index=0, count=1, payload=b"xy")

    assert encode_frame(frame).hex() == "01" + "04030201" + "0000" + "0100" + "7879"


@pytest.mark.parametrize(
    ("size", "chunks"),
    [
        (0, 1),
        (1, 1),
        (CHUNK_BYTES, 1),
        (CHUNK_BYTES + 1, 2),
        (5 * CHUNK_BYTES, 5),
        (MAX_MESSAGE_BYTES, 64),
    ],
)
def test_messages_are_cut_into_full_chunks(size, chunks):
    message = bytes(size)
    frames = [decode_frame(data) for data in split_message(7, message)]

    assert len(frames) == chunks
    assert b"".join(frame.payload for frame in frames) == message
    assert {frame.sequence for frame in frames} == {7}
    assert [frame.index for frame in frames] == list(range(chunks))


def test_larger_messages_are_our_own_mistake():
    with pytest.raises(LocalProtocolError):
        split_message(1, bytes(MAX_MESSAGE_BYTES + 1))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        bytes(8),
        bytes(MAX_FRAME_BYTES + 1),
        HEADER.pack(0, 1, 0, 1),
        HEADER.pack(8, 1, 0, 1),
        HEADER.pack(FrameType.DATA, 1, 0, 0),
        HEADER.pack(FrameType.DATA, 1, 1, 1),
        HEADER.pack(FrameType.DATA, 1, 0, 65) + bytes(CHUNK_BYTES),
        HEADER.pack(FrameType.DATA, 1, 0, 2) + bytes(10),  # only the last may be short
        HEADER.pack(FrameType.DATA, 1, 1, 2),  # and not empty
        HEADER.pack(FrameType.ACK, 1, 0, 1) + b"x",
        HEADER.pack(FrameType.ACK, 1, 0, 2),
        HEADER.pack(FrameType.NONCE, 0, 0, 1) + bytes(31),
    ],
)
def test_what_no_correct_program_sends(data):
    with pytest.raises(LinkError):
        decode_frame(data)
