"""STUN and TURN servers as a player types them (docs/network.md)."""

import pytest

from p2pokey.errors import LinkError
from p2pokey.net.ice import IceServer, parse_ice_server


@pytest.mark.parametrize(
    ("text", "server"),
    [
        ("stun:192.0.2.7:3478", IceServer(url="stun:192.0.2.7:3478")),
        ("stun:stun.example.org", IceServer(url="stun:stun.example.org")),
        (
            "turn:ayse:secret@turn.example.org:3478?transport=tcp",
            IceServer(
                url="turn:turn.example.org:3478?transport=tcp",
                username="ayse",
                credential="secret",
            ),
        ),
        (
            "turns:u:p@[2001:db8::7]",
            IceServer(url="turns:[2001:db8::7]", username="u", credential="p"),
        ),
    ],
)
def test_servers_are_read(text: str, server: IceServer) -> None:
    assert parse_ice_server(text) == server


@pytest.mark.parametrize(
    "text", ["", "stun", "http://x", "stun:a b", "stun:x:y", "turn:u@h", "stun:h?transport=x\n"]
)
def test_anything_else_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(LinkError, match="write stun:HOST:PORT"):
        parse_ice_server(text)
