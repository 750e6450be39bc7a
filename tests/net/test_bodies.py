"""Bodies: any bytes become a readable object or one DecodeError."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pokey.errors import BadLength, DecodeError
from p2pokey.net.bodies import (
    MAX_BODY_BYTES,
    Body,
    decode_body,
    encode_body,
)

GETTERS = [
    lambda body: body.kind,
    lambda body: body.text("a", 5),
    lambda body: body.number("a", 5),
    lambda body: body.binary("a", 3),
    lambda body: body.blob("a", 3),
    lambda body: body.texts("a", 2, 2),
    lambda body: body.nested("a", 2),
    lambda body: body.inner("a"),
]

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=8,
)


def test_a_body_reads_back():
    body = decode_body(
        encode_body("box", n=7, ct=b"\x00\xff", names=["Ayşe", "Bora"], seats=[{"eph": b"abc"}])
    )

    assert body.kind == "box"
    assert body.number("n", 7) == 7
    assert body.binary("ct", 2) == b"\x00\xff"
    assert body.texts("names", 2, 4) == ("Ayşe", "Bora")
    assert body.nested("seats", 1)[0].blob("eph", 3) == b"abc"
    assert Body({"a": {"b": 1}}).inner("a").number("b", 1) == 1


@given(st.binary(max_size=200))
def test_any_bytes_are_a_body_or_refused(data):
    with contextlib.suppress(DecodeError):
        decode_body(data)


@given(json_values, st.sampled_from(GETTERS))
def test_any_field_is_read_or_refused(value, getter):
    with contextlib.suppress(DecodeError):
        getter(Body({"k": value, "a": value}))


@pytest.mark.parametrize(
    "value",
    [True, -1, 6, 1.0, "1", None, 10**400],
)
def test_numbers_are_whole_and_in_range(value):
    with pytest.raises(DecodeError):
        Body({"a": value}).number("a", 5)


@pytest.mark.parametrize("text", ["\ud800", "123456", 5, None, []])
def test_texts_are_short_and_encodable(text):
    with pytest.raises(DecodeError):
        Body({"a": text}).text("a", 5)


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b"1", b"{", b"\xff", b'{"k":1e999}'[:-1], b"[" * 5000, b"1" * 5000],
)
def test_no_object_no_body(data):
    with pytest.raises(DecodeError):
        decode_body(data)


def test_size_is_refused_first():
    with pytest.raises(BadLength):
        decode_body(b" " * (MAX_BODY_BYTES + 1))
