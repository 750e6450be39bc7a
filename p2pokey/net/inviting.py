"""How players who stay together get the link of their next table (docs/table-protocol.md).

The first player of a new order opens a room and sends its link over the authenticated links of the
old table, to each of the others directly. It is neither signed nor passed on: the link it comes by
says whom it is from, and everything that follows is the ordinary way in.

    mark u8 = 0x83 | session 32 | link, UTF-8, at most 300 characters
"""

from p2pokey.errors import DecodeError, InvalidInvite
from p2pokey.net.invites import MAX_INVITE_CHARS, Invite, parse_invite

INVITE_MARK = 0x83
SESSION_BYTES = 32
_HEAD_BYTES = 1 + SESSION_BYTES


def encode_invitation(session: bytes, invite: Invite, server: str) -> bytes:
    """The message; `session`: of the table whose players go on, `server`: where the room is."""
    assert len(session) == SESSION_BYTES
    return bytes([INVITE_MARK]) + session + invite.uri(server).encode("utf-8")


def decode_invitation(data: bytes, session: bytes) -> Invite:
    """The invite in a message; it has a link secret and names its server.

    Raises:
        DecodeError: no such message, or of another table.
    """
    if len(data) > _HEAD_BYTES + MAX_INVITE_CHARS or data[:1] != bytes([INVITE_MARK]):
        raise DecodeError("expected an invitation")
    if data[1:_HEAD_BYTES] != session:
        raise DecodeError("expected an invitation of this table")
    try:
        text = data[_HEAD_BYTES:].decode("utf-8")
        invite = parse_invite(text)
    except (UnicodeDecodeError, InvalidInvite):
        raise DecodeError("expected a link in the invitation") from None
    if not invite.link_secret or invite.server is None or invite.uri(invite.server) != text:
        raise DecodeError("expected the one form of a link in the invitation")
    return invite
