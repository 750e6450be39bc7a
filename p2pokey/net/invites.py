"""Invites: how a host tells friends which table to come to (docs/network.md, Invites).

An invite names a room of the signalling server and carries a secret that the server never sees:

- a code to read out, `ROOM-word-word-word`: 3 words of 1296, 31 bits. Enough, because a guess needs
  the host's answer and five wrong ones burn the code;
- a link to send, `https://<origin>/#ROOM.<22 base64url>` or `p2pokey://<server>/ROOM#<22
  base64url>`: 128 bits, behind the `#` that no browser sends to a server.

Both are only passwords of the same key exchange; a room password is mixed into either. A public
table can also be joined by its room alone: the password is then known to everybody, so that nothing
but the host's player keeps strangers out, and nothing at all keeps the server from sitting in between.
"""

import re
import unicodedata
from dataclasses import dataclass, replace
from urllib.parse import SplitResult, urlsplit

from p2pokey.codec import decode_base64, encode_base64
from p2pokey.crypto.fiat_shamir import PREFIX, fr
from p2pokey.errors import DecodeError, InvalidInvite
from p2pokey.net.kdf import hkdf
from p2pokey.net.words import WORDS, is_word, nearest_word, normalise_word
from p2pokey.ports import Entropy

CODE_WORDS = 3
WORDS_WAY, LINK_WAY, LISTED = "words", "link", "listed"
WAYS = (WORDS_WAY, LINK_WAY, LISTED)
"""How a guest comes: by the words, by the link, or without either to a public table."""
LINK_SECRET_BYTES = 16
ROOM_CHARS = 5
MAX_INVITE_CHARS = 300
"""A link is about 60 characters; anything much longer was pasted by mistake."""

_ROOM = re.compile(r"[0-9A-HJKMNP-TV-Z]{5}")
_SEPARATORS = re.compile(r"[\s\-\u2010-\u2015_.,;/+]+")
_LOOK_ALIKE = str.maketrans({"O": "0", "I": "1", "L": "1", "İ": "1"})
_EXAMPLE = "a code looks like K7Q2M-lale-deniz-kartal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Invite:
    """A room and at least one of its two secrets, or none at a public table."""

    room: str
    """5 Crockford base32 characters; public."""
    words: tuple[str, ...] = ()
    """3 words, or none if only the link is known."""
    link_secret: bytes = b""
    """16 bytes, or empty if only the words are known."""
    server: str | None = None
    """WebSocket address of the signalling server, where the invite names one."""

    def __repr__(self) -> str:
        return f"Invite(room={self.room!r}, secrets hidden)"

    @property
    def code(self) -> str:
        """`ROOM-word-word-word`."""
        assert self.words
        return "-".join((self.room, *self.words))

    def link(self, origin: str) -> str:
        """The link to open in a browser; `origin` e.g. `https://okey.example`."""
        assert self.link_secret
        return f"{origin.rstrip('/')}/#{self.room}.{encode_base64(self.link_secret)}"

    def uri(self, server: str) -> str:
        """The link for the command line; `server` is the signalling server's ws(s) address."""
        assert self.link_secret
        address = urlsplit(server)
        scheme = "p2pokey" if address.scheme == "wss" else "p2pokey+ws"
        base = f"{scheme}://{address.netloc}{address.path.rstrip('/')}"
        return f"{base}/{self.room}#{encode_base64(self.link_secret)}"

    @property
    def way(self) -> str:
        """Which secret a guest with this invite uses: `words`, `link`, or none, `listed`."""
        if self.link_secret:
            return LINK_WAY
        return WORDS_WAY if self.words else LISTED

    def password(self, way: str, room_password: str = "") -> bytes:
        """The 32-byte SPAKE2 password: secret, room and optional room password joined by HKDF.

        Args:
            way: `words` or `link`; that secret must be there. `listed`: no secret.
            room_password: compared in normal form, without spaces at its ends.
        """
        words = "-".join(self.words).encode("ascii")
        secret = {LINK_WAY: self.link_secret, WORDS_WAY: words, LISTED: b"public"}[way]
        assert secret
        extra = unicodedata.normalize("NFKC", room_password).strip().encode("utf-8")
        joined = fr("way", way.encode("ascii")) + fr("secret", secret) + fr("password", extra)
        salt = self.room.encode("ascii")
        return hkdf(joined, salt=salt, info=PREFIX + b"invite", length=32)


def new_invite(room: str, entropy: Entropy) -> Invite:
    """An invite with fresh secrets for `room`."""
    return Invite(
        room=room,
        words=tuple(_random_word(entropy) for _ in range(CODE_WORDS)),
        link_secret=entropy.random_bytes(LINK_SECRET_BYTES),
    )


def _random_word(entropy: Entropy) -> str:
    """Uniform: numbers above the largest multiple of 1296 are drawn again."""
    bound = 2**16 - 2**16 % len(WORDS)
    while True:
        number = int.from_bytes(entropy.random_bytes(2), "little")
        if number < bound:
            return WORDS[number % len(WORDS)]


def parse_invite(text: str) -> Invite:
    """Reads a code or a link as a person typed or pasted it.

    Case, kind of separator, look-alikes in the room (O for 0, I or L for 1) and Turkish letters in
    the words do not matter.

    Raises:
        InvalidInvite: one sentence that says what is wrong, with the word that was probably meant.
    """
    text = text.strip().strip("<>\"'")
    if len(text) > MAX_INVITE_CHARS:
        raise InvalidInvite(f"That is too long for an invite: {_EXAMPLE}.")
    if "://" in text:
        return _parse_link(text)
    return _parse_code(text)


def parse_room(text: str) -> Invite:
    """Reads the room of a public table as a person typed it.

    Raises:
        InvalidInvite: it is no room.
    """
    return Invite(room=_read_room(text.strip()))


def _parse_code(text: str) -> Invite:
    parts = [part for part in _SEPARATORS.split(text) if part]
    if not parts:
        raise InvalidInvite(f"There is no code: {_EXAMPLE}.")
    room = _read_room(parts[0])
    words = tuple(normalise_word(part) for part in parts[1:])
    if len(words) != CODE_WORDS:
        raise InvalidInvite(
            f"Expected {CODE_WORDS} words after {room}, got {len(words)}: {_EXAMPLE}."
        )
    for word in words:
        _check_word(word)
    return Invite(room=room, words=words)


def _check_word(word: str) -> None:
    if is_word(word):
        return
    shown = "".join(char for char in word if char.isprintable())[:20]
    meant = nearest_word(word)
    if meant is None:
        raise InvalidInvite(f"{shown!r} is not a word of any code: check it with your host.")
    raise InvalidInvite(f"{shown!r} is not a word of any code: did you mean {meant!r}?")


def _read_room(text: str) -> str:
    room = text.upper().translate(_LOOK_ALIKE)
    if _ROOM.fullmatch(room) is None:
        shown = "".join(char for char in text if char.isprintable())[:20]
        raise InvalidInvite(
            f"{shown!r} is no room: it has {ROOM_CHARS} letters and digits, as in K7Q2M."
        )
    return room


def _parse_link(text: str) -> Invite:
    try:
        link = urlsplit(text)
        address = link.netloc if link.hostname and link.port != 0 else ""
    except ValueError:
        address = ""
    if not address or "@" in address:
        raise InvalidInvite("That link names no server: copy the whole link again.")
    if link.scheme in ("http", "https"):
        room, _, secret = link.fragment.partition(".")
        path = link.path
    elif link.scheme in ("p2pokey", "p2pokey+ws"):
        path, _, room = link.path.rpartition("/")
        secret = link.fragment
    else:
        raise InvalidInvite("That link is none of ours: it begins with https:// or p2pokey://.")
    invite = Invite(room=_read_room(room), link_secret=_decode_secret(secret))
    return replace(invite, server=_server_of(link, path))


def _server_of(link: SplitResult, path: str) -> str:
    is_plain = link.scheme in ("http", "p2pokey+ws")
    return f"{'ws' if is_plain else 'wss'}://{link.netloc}{path.rstrip('/')}"


def _decode_secret(text: str) -> bytes:
    """The 16 bytes; the last character carries 2 bits only, so most of its values are refused."""
    try:
        secret = decode_base64(text)
    except DecodeError:
        secret = b""
    if len(secret) != LINK_SECRET_BYTES:
        raise InvalidInvite("That link is cut off or changed: copy the whole link again.")
    return secret
