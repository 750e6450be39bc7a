"""The link of the next table, sent over the links of this one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pokey.errors import DecodeError
from p2pokey.native.entropy import OsEntropy
from p2pokey.net.invites import new_invite
from p2pokey.net.inviting import decode_invitation, encode_invitation

SESSION = bytes(range(32))
INVITE = new_invite("K7Q2M", OsEntropy())


@pytest.mark.parametrize("server", ["wss://okey.example", "ws://127.0.0.1:8765", "wss://a.b/ws"])
def test_a_link_arrives_with_its_server(server):
    got = decode_invitation(encode_invitation(SESSION, INVITE, server), SESSION)

    assert (got.room, got.link_secret, got.server) == (INVITE.room, INVITE.link_secret, server)
    assert got.words == ()


def test_one_of_another_table_is_refused():
    data = encode_invitation(SESSION, INVITE, "ws://a")
    with pytest.raises(DecodeError, match="this table"):
        decode_invitation(data, bytes(32))


@pytest.mark.parametrize(
    "text",
    [
        INVITE.code,
        INVITE.link("https://okey.example"),
        INVITE.uri("ws://a") + " ",
        INVITE.uri("ws://a")[:-1],
        "p2pokey://a/" + "x" * 400,
    ],
    ids=[
        "code",
        "web link",
        "trailing space",
        "cut",
        "long",
    ],  # the invite is another one each time
)
def test_other_texts_are_refused(text):
    with pytest.raises(DecodeError):
        decode_invitation(b"\x83" + SESSION + text.encode(), SESSION)


@given(st.binary(max_size=400))
def test_any_bytes_are_an_invitation_or_refused(data):
    for text in (data, b"\x83" + SESSION + data):
        try:
            invite = decode_invitation(text, SESSION)
        except DecodeError:
            continue
        assert encode_invitation(SESSION, invite, invite.server) == text
