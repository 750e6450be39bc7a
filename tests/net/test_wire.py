"""What the signalling server says: read strictly, and every refusal says what to do next."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pokey.errors import (
    CodeExpired,
    HostAway,
    KeyInUse,
    RoomFull,
    SignalingError,
    UnknownCode,
)
from p2pokey.net.wire import (
    BodyArrived,
    Created,
    ErrorReply,
    Goodbye,
    Knocked,
    Lobby,
    PeerChanged,
    Welcome,
    error_for,
    parse_server_message,
)
from signaling import messages, replies

KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"


def test_everything_the_server_says_is_understood():
    """The server's own encoder against our reader."""
    said = [
        (
            replies.Welcome(id="c1", resume="token", motd=None, ice=(), limits={}),
            Welcome(id="c1", resume="token"),
        ),
        (replies.Created(room="K7Q2M", window_s=300), Created(room="K7Q2M", window_s=300)),
        (
            replies.Lobby(room="K7Q2M", place=2, host_id="c1", host_pub=KEY, window_s=212),
            Lobby(room="K7Q2M", host_id="c1", host_key=bytes(range(32)), window_s=212),
        ),
        (replies.Knocked(id="c3", place=2, pub=KEY), Knocked(id="c3", key=bytes(range(32)))),
        (replies.Received(sender="c3", n=7, body="AAA"), BodyArrived(sender="c3", body=b"\0\0")),
        (
            replies.PeerState(id="c3", place=2, state=replies.Presence.AWAY),
            PeerChanged(id="c3", state="away"),
        ),
        (
            replies.ErrorReply(re="knock", code=messages.ErrorCode.FULL, retry_ms=5),
            ErrorReply(re="knock", code="full", retry_ms=5),
        ),
        (replies.Bye(retry_ms=3000), Goodbye(retry_ms=3000)),
    ]
    for reply, expected in said:
        assert parse_server_message(replies.encode(reply)) == expected


def test_unknown_messages_are_ignored():
    assert parse_server_message('{"t":"weather"}') is None
    assert parse_server_message(b"\x01relay") is None


@pytest.mark.parametrize(
    "text", ["", "[]", "1", "{}", '{"t":1}', '{"t":"welcome"}', '{"t":"lobby","room":"K7Q2M"}']
)
def test_what_is_no_message(text):
    with pytest.raises(SignalingError, match="another language"):
        parse_server_message(text)


@given(
    st.text(max_size=60)
    | st.dictionaries(
        st.sampled_from(["t", "id", "room", "host", "from", "body", "state", "re", "code"]),
        st.sampled_from(["welcome", "lobby", "recv", "peer", "error", "bye"]) | st.integers(),
    ).map(json.dumps)
)
def test_any_text_is_a_message_or_refused(text):
    try:
        parse_server_message(text)
    except SignalingError:
        return


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("no_room", UnknownCode),
        ("window_closed", CodeExpired),
        ("full", RoomFull),
        ("gone", HostAway),
    ],
)
def test_refusals_have_their_own_errors(code, error):
    assert type(error_for(ErrorReply(re="knock", code=code, retry_ms=0))) is error


@pytest.mark.parametrize(("code", "retry_ms"), [("full", 1000), ("bad", 0)])
def test_a_knock_with_the_key_of_somebody_seated_says_so(code, retry_ms):
    error = error_for(ErrorReply(re="knock", code=code, retry_ms=retry_ms))

    assert type(error) is KeyInUse
    assert "Somebody with your identity" in str(error)
    assert "--guest" in str(error)


@pytest.mark.parametrize("code", [*(code.value for code in messages.ErrorCode), "new_code"])
def test_every_refusal_is_one_sentence_with_advice(code):
    text = str(error_for(ErrorReply(re="knock", code=code, retry_ms=2400)))

    assert text.endswith(".")
    assert text[0].isupper()
    assert "\n" not in text
