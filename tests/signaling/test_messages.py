"""Client messages are read strictly: one reason to refuse per row."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaling.codes import ALPHABET, code_from, read_code
from signaling.limits import Limits
from signaling.messages import (
    Close,
    Create,
    Hello,
    Knock,
    Leave,
    ListRooms,
    Open,
    PublicKey,
    Refusal,
    Relay,
    SendBody,
)
from signaling.parsing import parse_frame, parse_text

LIMITS = Limits()
KEY = bytes(range(32))
PUB = base64.b64encode(KEY).decode()


def read(**message):
    return parse_text(json.dumps(message), LIMITS)


def refusal(text):
    with pytest.raises(Refusal) as caught:
        parse_text(text, LIMITS)
    return str(caught.value.code), caught.value.re


def test_the_examples_of_the_protocol_are_read():
    key = PublicKey(text=PUB, raw=KEY)
    create = read(
        t="create", seats=4, ttl=300, host=PUB, listed=False, meta={"title": "x", "rules": "51"}
    )

    assert read(
        t="hello", v=1, client="p2pokey/0.1", caps=["relay"], resume="abc", pow="s"
    ) == Hello(client="p2pokey/0.1", caps=("relay",), resume="abc", pow="s")
    assert create == Create(
        seats=4, ttl=300, host=key, listed=False, title="x", rules="51", room=None
    )
    assert read(t="open", ttl=300) == Open(ttl=300)
    assert read(t="close") == Close()
    assert read(t="knock", room="K7Q2M", pub=PUB) == Knock(room="K7Q2M", pub=key)
    assert read(t="send", to="c3", n=7, body="aGk=") == SendBody(to="c3", n=7, body="aGk=")
    assert read(t="list", cursor=None) == ListRooms(cursor=None)
    assert read(t="leave") == Leave()
    assert parse_frame(b"\x02abc", LIMITS) == Relay(place=2, payload=b"abc")


def test_what_may_be_left_out_has_a_default():
    assert read(t="hello", v=1) == Hello(client="", caps=(), resume=None, pow=None)
    assert read(t="create", seats=2, host=PUB) == Create(
        seats=2,
        ttl=None,
        host=PublicKey(text=PUB, raw=KEY),
        listed=False,
        title="",
        rules="",
        room=None,
    )
    assert read(t="list") == ListRooms(cursor=None)


def test_unknown_keys_are_ignored():
    assert read(t="leave", why={"deep": [1, 2]}) == Leave()


def test_long_windows_are_cut():
    assert read(t="open", ttl=10**9) == Open(ttl=LIMITS.window_max_s)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "[]",
        "null",
        "12",
        '"t"',
        "{",
        "{}",
        '{"t":1}',
        '{"t":null}',
        '{"t":["hello"]}',
        '{"t":"leave","x":NaN}',
        '{"t":"leave","x":' + "9" * 5000 + "}",
        "[" * 16000,
        '{"a":' * 3000,
        "\ud800",
    ],
)
def test_what_is_no_message_is_bad(text):
    assert refusal(text) == ("bad", "")


@pytest.mark.parametrize(
    "message",
    [
        {"t": "hello"},
        {"t": "hello", "v": 2},
        {"t": "hello", "v": True},
        {"t": "hello", "v": 1.0},
        {"t": "hello", "v": 1, "client": "x" * 65},
        {"t": "hello", "v": 1, "client": "line\nbreak"},
        {"t": "hello", "v": 1, "caps": "relay"},
        {"t": "hello", "v": 1, "caps": [1]},
        {"t": "hello", "v": 1, "caps": ["x"] * 17},
        {"t": "hello", "v": 1, "resume": 5},
        {"t": "hello", "v": 1, "resume": "x" * 65},
        {"t": "hello", "v": 1, "pow": "x" * 129},
        {"t": "create", "host": PUB},
        {"t": "create", "seats": 1, "host": PUB},
        {"t": "create", "seats": 5, "host": PUB},
        {"t": "create", "seats": "4", "host": PUB},
        {"t": "create", "seats": 4},
        {"t": "create", "seats": 4, "host": PUB[:-4]},
        {"t": "create", "seats": 4, "host": PUB[:-2] + "?="},
        {"t": "create", "seats": 4, "host": "A"},
        {"t": "create", "seats": 4, "host": PUB, "ttl": -1},
        {"t": "create", "seats": 4, "host": PUB, "listed": 1},
        {"t": "create", "seats": 4, "host": PUB, "meta": []},
        {"t": "create", "seats": 4, "host": PUB, "meta": {"title": "x" * 41}},
        {"t": "create", "seats": 4, "host": PUB, "meta": {"title": "\ud800"}},
        {"t": "create", "seats": 4, "host": PUB, "meta": {"rules": 7}},
        {"t": "create", "seats": 4, "host": PUB, "room": "K7Q2"},
        {"t": "open", "ttl": "300"},
        {"t": "kick"},
        {"t": "kick", "id": "c" * 17},
        {"t": "knock", "pub": PUB},
        {"t": "knock", "room": "K7Q2U", "pub": PUB},
        {"t": "knock", "room": "K7Q2ı", "pub": PUB},
        {"t": "knock", "room": "K7Q2M"},
        {"t": "send", "to": "c3", "n": -1, "body": ""},
        {"t": "send", "to": "c3", "n": 2**53, "body": ""},
        {"t": "send", "to": "c3", "body": ""},
        {"t": "send", "to": "c3", "n": 1},
        {"t": "send", "to": ["c3"], "n": 1, "body": ""},
        {"t": "send", "to": "c3", "n": 1, "body": "not base64!"},
        {"t": "send", "to": "c3", "n": 1, "body": "ığ"},
        {"t": "list", "cursor": 4},
        {"t": "dance"},
    ],
)
def test_a_wrong_field_is_bad_and_names_its_message(message):
    assert ("bad", message["t"]) == refusal(json.dumps(message))


def test_an_unknown_type_is_not_echoed_when_it_is_long_or_odd():
    assert refusal(json.dumps({"t": "x" * 17})) == ("bad", "")
    assert refusal(json.dumps({"t": "çay"})) == ("bad", "")


def test_sizes_are_refused_first():
    assert refusal("x" * (LIMITS.text_bytes + 1)) == ("too_big", "")
    assert refusal("ş" * (LIMITS.text_bytes // 2 + 1)) == ("too_big", "")
    body = "A" * LIMITS.body_chars
    assert read(t="send", to="c1", n=0, body=body) == SendBody(to="c1", n=0, body=body)
    long = json.dumps({"t": "send", "to": "c1", "n": 0, "body": body + "A"})
    assert refusal(long) == ("too_big", "send")


@pytest.mark.parametrize(
    ("frame", "code"),
    [(b"", "bad"), (bytes(LIMITS.relay_bytes + 2), "too_big")],
)
def test_relay_frames_have_a_size(frame, code):
    with pytest.raises(Refusal) as caught:
        parse_frame(frame, LIMITS)
    assert (code, "relay") == (caught.value.code, caught.value.re)
    assert len(parse_frame(bytes(LIMITS.relay_bytes + 1), LIMITS).payload) == LIMITS.relay_bytes


def test_a_switched_off_relay_reads_no_frame():
    with pytest.raises(Refusal) as caught:
        parse_frame(b"\x01abc", Limits(relay_bytes=0))
    assert caught.value.code == "bad"


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("K7Q2M", "K7Q2M"),
        ("k7q2m", "K7Q2M"),
        ("oOiIl", "00111"),
        ("K7Q2", None),
        ("K7Q2MM", None),
        ("K7Q2U", None),
        ("K7 2M", None),
        ("K7Q2\u0660", None),
    ],
)
def test_codes_are_read_as_people_type_them(typed, code):
    assert code == read_code(typed)


@given(st.binary(min_size=4, max_size=4))
def test_every_code_reads_back(entropy):
    code = code_from(entropy)
    assert code == read_code(code) == read_code(code.lower())
    assert set(code) <= set(ALPHABET)


def test_codes_use_all_of_their_bits():
    assert code_from(bytes(4)) == "00000"
    assert code_from((2**25 - 1).to_bytes(4, "little")) == "ZZZZZ"
    assert len({code_from((1 << bit).to_bytes(4, "little")) for bit in range(25)}) == 25
