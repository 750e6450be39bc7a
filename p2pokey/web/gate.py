"""Who may talk to the local page server, and who may not (docs/page-protocol.md, Local security).

Anything on this computer can reach a port on loopback: every page in the browser, through its own
script or by DNS rebinding, and every other program. So the server compares exact names that it chose
itself and never one header with another, which an attacker may both control, and lets nobody act who
does not show the token of this launch.
"""

import hmac
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum

TOKEN_BYTES = 32
"""Random bytes of a launch's token."""
SECURITY_HEADERS = (
    (
        "Content-Security-Policy",
        "default-src 'self'; connect-src 'self'; img-src 'self'; object-src 'none'; "
        "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    ),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    ("Cache-Control", "no-store"),
)
"""With every answer: nothing from outside is loaded, and nobody frames the page."""
_DEFAULT_PORT = 80


class Refusal(Enum):
    """Why a request is not answered; the value is the HTTP status."""

    BAD_HOST = 421
    """The Host header names another server: a page of somebody else's under a rebound name."""
    BAD_ORIGIN = 403
    """The WebSocket was opened by another page."""
    NOT_FOUND = 404
    NOT_A_READ = 405
    """Nothing is changed by HTTP."""
    NOT_A_SOCKET = 426
    """The WebSocket's address asked for as a page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """The names by which this server may be called."""

    hosts: frozenset[str]
    """Exact `host:port` texts, as browsers write them."""
    origins: frozenset[str]
    """Exact origins of the page's own scripts."""
    token: str
    """Shown in the first frame of every WebSocket."""

    def check_host(self, hosts: Sequence[str]) -> Refusal | None:
        """All Host headers of a request: there must be one, and it must be ours."""
        return None if len(hosts) == 1 and hosts[0] in self.hosts else Refusal.BAD_HOST

    def check_origin(self, origins: Sequence[str]) -> Refusal | None:
        """All Origin headers of a WebSocket's request: browsers always send one."""
        return None if len(origins) == 1 and origins[0] in self.origins else Refusal.BAD_ORIGIN

    def is_token(self, shown: object) -> bool:
        """Whether that is the token; takes as long whatever it is."""
        text = shown if isinstance(shown, str) else ""
        return hmac.compare_digest(text.encode("utf-8", "replace"), self.token.encode("ascii"))


def make_gate(addresses: Collection[str], port: int, token: str) -> Gate:
    """The gate of a server on these addresses.

    Args:
        addresses: host names and IP addresses without brackets, e.g. `127.0.0.1` and `::1`.
        token: hexadecimal text of `TOKEN_BYTES` random bytes.
    """
    hosts = set()
    for address in addresses:
        name = f"[{address}]" if ":" in address else address
        hosts.add(f"{name}:{port}")
        if port == _DEFAULT_PORT:  # browsers leave it out
            hosts.add(name)
    return Gate(
        hosts=frozenset(hosts), origins=frozenset(f"http://{host}" for host in hosts), token=token
    )
