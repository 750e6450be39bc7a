"""HAVE has one byte form, and nothing else is one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pokey.errors import DecodeError
from p2pokey.table.have import Have, decode_have, encode_have, is_have

HAVES = st.integers(2, 4).flatmap(
    lambda seats: st.builds(
        Have,
        session=st.binary(min_size=32, max_size=32),
        hand=st.integers(0, 2**32 - 1),
        asks=st.booleans(),
        counts=st.tuples(*[st.integers(0, 2**16 - 1)] * seats),
        table=st.tuples(*[st.integers(0, 2**32 - 1)] * seats),
    )
)


@given(HAVES)
def test_what_is_written_is_read(have: Have):
    data = encode_have(have)

    assert is_have(data)
    assert len(data) == 39 + 6 * len(have.counts)
    assert decode_have(data) == have


@given(HAVES, st.integers(1, 40))
def test_a_cut_one_is_refused(have: Have, cut: int):
    data = encode_have(have)
    with pytest.raises(DecodeError):
        decode_have(data[:-cut])
    with pytest.raises(DecodeError):
        decode_have(data + bytes(cut))


@given(st.binary(max_size=60))
def test_noise_is_read_or_refused(data: bytes):
    try:
        have = decode_have(b"\x81" + data)
    except DecodeError:
        return
    assert encode_have(have) == b"\x81" + data


def test_more_than_fits_is_said_as_the_most():
    have = Have(session=bytes(32), hand=0, asks=True, counts=(70_000, 0), table=(70_000, 0))

    read = decode_have(encode_have(have))
    assert (read.counts, read.table) == ((65_535, 0), (70_000, 0))
