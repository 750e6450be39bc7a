"""STUN and TURN servers that a player may configure to get through routers and firewalls.

None is asked by default: a dead one costs five seconds for each connection, and a public one learns
the player's address.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from p2pokey.errors import LinkError
from p2pokey.net.transport import Connector

_URL = re.compile(
    r"(?P<scheme>stun|turns?):"
    r"(?:(?P<user>[^\s:@?]{1,128}):(?P<password>[^\s:@?]{1,128})@)?"
    r"(?P<address>[A-Za-z0-9.\-]{1,253}|\[[0-9a-fA-F:]{2,39}\])"
    r"(?P<port>:[0-9]{1,5})?"
    r"(?P<transport>\?transport=(?:udp|tcp))?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class IceServer:
    """A STUN or TURN server that the user configured."""

    url: str
    """`stun:host:port` or `turn:host:port?transport=udp`."""
    username: str | None = None
    credential: str | None = None


def parse_ice_server(text: str) -> IceServer:
    """Reads `stun:HOST[:PORT]` or `turn:[USER:PASSWORD@]HOST[:PORT][?transport=tcp]`.

    Raises:
        LinkError: one sentence that says what is expected.
    """
    match = _URL.fullmatch(text)
    if match is None:
        raise LinkError(
            f"{text[:60]!r} is no STUN or TURN server: write stun:HOST:PORT or "
            "turn:USER:PASSWORD@HOST:PORT."
        )
    where = f"{match['address']}{match['port'] or ''}{match['transport'] or ''}"
    return IceServer(
        url=f"{match['scheme']}:{where}", username=match["user"], credential=match["password"]
    )


def connector_to(servers: Sequence[str]) -> Connector | None:
    """WebRTC with these servers; None, which leaves it to the meeting, without any.

    Raises:
        LinkError: one of them is no address of a STUN or TURN server.
    """
    parsed = [parse_ice_server(text) for text in servers]
    if not parsed:
        return None
    # Only here: WebRTC takes half a second to import.
    from p2pokey.net.webrtc import WebRtcConnector

    return WebRtcConnector(parsed)
