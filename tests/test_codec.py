"""The byte reader and writer, and base64url: one form, everything else is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pokey.codec import Reader, decode_base64, encode_base64, i32, u8, u16, u32
from p2pokey.errors import BadLength, DecodeError

WRITERS = [
    ("u8", u8, 0, 2**8 - 1),
    ("u16", u16, 0, 2**16 - 1),
    ("u32", u32, 0, 2**32 - 1),
    ("i32", i32, -(2**31), 2**31 - 1),
]


@pytest.mark.parametrize(("name", "write", "low", "high"), WRITERS)
@given(data=st.data())
def test_integers_round_trip_little_endian(name, write, low, high, data):
    value = data.draw(st.sampled_from([low, high]) | st.integers(low, high))
    reader = Reader(write(value) + b"rest")

    assert getattr(reader, name)() == value
    assert reader.take(reader.remaining) == b"rest"
    reader.close()
    assert int.from_bytes(write(value), "little", signed=low < 0) == value


@pytest.mark.parametrize(("name", "write", "low", "high"), WRITERS)
def test_integers_out_of_range_or_cut_short_are_refused(name, write, low, high):
    for value in (low - 1, high + 1):
        with pytest.raises(OverflowError):
            write(value)
    with pytest.raises(BadLength):
        getattr(Reader(write(high)[:-1]), name)()


def test_a_reader_must_be_closed_at_the_end():
    reader = Reader(b"abc")

    assert reader.take(2) == b"ab"
    with pytest.raises(BadLength):
        reader.close()
    with pytest.raises(BadLength):
        reader.take(2)
    assert reader.take(1) == b"c"
    reader.close()


@given(st.binary(max_size=300))
def test_base64_round_trip(data):
    assert decode_base64(encode_base64(data)) == data


@given(st.text("ABCab019-_+/= ", max_size=12))
def test_base64_has_one_spelling(text):
    try:
        data = decode_base64(text)
    except DecodeError:
        return

    assert encode_base64(data) == text
