"""Session descriptions (RFC 8866, RFC 8839, RFC 8841) cut down to one data channel.

A description that another player sent is text from outside. It is parsed strictly into the few
fields that matter and written anew from them, so that the WebRTC library only ever sees text of our
own making: one data section, one SHA-256 fingerprint, host names replaced, and few candidates.
"""

import ipaddress
import re
from dataclasses import dataclass

from p2pokey.errors import LinkError

MAX_CANDIDATES = 24
"""Addresses taken from one description; a machine with many networks has about ten."""
MDNS_PLACEHOLDER = "192.0.2.77"
"""Stands for a browser's `<uuid>.local`: never answers, but lets the ICE library start and find the
browser's real address from its first packet. Asking the local network for the name costs 1 s."""

_TOKEN = re.compile(r"[A-Za-z0-9+/]{4,256}")
_FINGERPRINT = re.compile(r"[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){31}")
_MID = re.compile(r"[A-Za-z0-9_-]{1,32}")
_LOCAL_NAME = re.compile(r"[0-9A-Za-z-]{1,64}\.local")
_CANDIDATE = re.compile(
    r"([A-Za-z0-9+/]{1,32}) (\d{1,5}) (udp|UDP) (\d{1,10}) (\S{1,70}) (\d{1,5})"
    r" typ (host|srflx|prflx|relay)(?: .*)?"
)
_SETUPS = {"offer": ("actpass",), "answer": ("active", "passive")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One address to try; UDP, component 1."""

    foundation: str
    priority: int
    address: str
    port: int
    kind: str
    """`host`, `srflx`, `prflx` or `relay`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What one side says about its end of a connection."""

    kind: str
    """`offer` or `answer`."""
    mid: str
    username: str
    password: str
    fingerprint: bytes
    """32-byte SHA-256 of the DTLS certificate."""
    setup: str
    """`actpass` in an offer, `active` or `passive` in an answer."""
    candidates: tuple[Candidate, ...]


def parse_description(kind: str, text: str) -> Description:
    """Reads a description.

    Raises:
        LinkError: not a complete description of one data channel, or one without any address.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    if sum(line.startswith("m=") for line in lines) != 1:
        raise LinkError("expected exactly one section in the connection offer")
    candidates = _candidates(_values(lines, "candidate"))
    if not candidates:
        raise LinkError("no network address to connect to: is the other player's network up?")
    fingerprints = [
        value.split(" ", 1)[1]
        for value in _values(lines, "fingerprint")
        if value.lower().startswith("sha-256 ")
    ]
    setup = _single(_values(lines, "setup"), "setup")
    if setup not in _SETUPS[kind]:
        raise LinkError(f"expected setup {' or '.join(_SETUPS[kind])} in an {kind}")
    return Description(
        kind=kind,
        mid=_match(_MID, _single(_values(lines, "mid"), "mid"), "mid"),
        username=_match(_TOKEN, _single(_values(lines, "ice-ufrag"), "user name"), "user name"),
        password=_match(_TOKEN, _single(_values(lines, "ice-pwd"), "password"), "password"),
        fingerprint=_fingerprint(_single(fingerprints, "fingerprint")),
        setup=setup,
        candidates=candidates,
    )


def format_description(description: Description) -> str:
    """The text for the WebRTC library and for the other side."""
    lines = [
        "v=0",
        "o=- 1 1 IN IP4 0.0.0.0",
        "s=-",
        "t=0 0",
        f"a=group:BUNDLE {description.mid}",
        "m=application 9 UDP/DTLS/SCTP webrtc-datachannel",
        "c=IN IP4 0.0.0.0",
        f"a=mid:{description.mid}",
        "a=sctp-port:5000",
        "a=max-message-size:262144",
        *(f"a=candidate:{_format_candidate(candidate)}" for candidate in description.candidates),
        "a=end-of-candidates",
        f"a=ice-ufrag:{description.username}",
        f"a=ice-pwd:{description.password}",
        f"a=fingerprint:sha-256 {description.fingerprint.hex(':').upper()}",
        f"a=setup:{description.setup}",
    ]
    return "\r\n".join(lines) + "\r\n"


def _values(lines: list[str], name: str) -> list[str]:
    prefix = f"a={name}:"
    return [line[len(prefix) :] for line in lines if line.startswith(prefix)]


def _single(values: list[str], what: str) -> str:
    """The value, which may stand there more than once if it is always the same."""
    if len(set(values)) != 1:
        raise LinkError(f"expected one {what} in the connection offer")
    return values[0]


def _match(pattern: re.Pattern[str], value: str, what: str) -> str:
    if pattern.fullmatch(value) is None:
        raise LinkError(f"expected a proper {what} in the connection offer")
    return value


def _fingerprint(value: str) -> bytes:
    return bytes.fromhex(_match(_FINGERPRINT, value, "fingerprint").replace(":", ""))


def _candidates(values: list[str]) -> tuple[Candidate, ...]:
    """The usable candidates; those of kinds that we do not use are left out, as ICE wants it."""
    parsed = (_candidate(value) for value in values)
    return tuple(candidate for candidate in parsed if candidate is not None)[:MAX_CANDIDATES]


def _candidate(value: str) -> Candidate | None:
    found = _CANDIDATE.fullmatch(value)
    if found is None or found[2] != "1":
        return None
    address = _address(found[5])
    priority, port = int(found[4]), int(found[6])
    if address is None or not 0 < port < 2**16 or not 0 < priority < 2**32:
        return None
    return Candidate(
        foundation=found[1], priority=priority, address=address, port=port, kind=found[7]
    )


def _address(text: str) -> str | None:
    if _LOCAL_NAME.fullmatch(text):
        return MDNS_PLACEHOLDER
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None  # no other names: they would be looked up
    if address.is_multicast or address.is_unspecified or "%" in text:
        return None
    return str(address)


def _format_candidate(candidate: Candidate) -> str:
    related = "" if candidate.kind == "host" else " raddr 0.0.0.0 rport 9"
    where = f"{candidate.address} {candidate.port}"
    return (
        f"{candidate.foundation} 1 udp {candidate.priority} {where} typ {candidate.kind}{related}"
    )
