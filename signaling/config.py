"""The server's settings: a frozen value, and the command-line flags that fill it."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from ipaddress import ip_network
from typing import Any

from signaling.addresses import Network
from signaling.limits import Limits

DEFAULT_PORT = 8765


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerConfig:
    """Everything that an operator may choose."""

    host: str = "127.0.0.1"
    """Address to listen on; `0.0.0.0` or `::` for every interface."""
    port: int = DEFAULT_PORT
    """TCP port; 0 lets the system choose a free one."""
    limits: Limits = field(default_factory=Limits)
    motd: str | None = None
    """One line for every `welcome`."""
    ice: tuple[Mapping[str, Any], ...] = ()
    """ICE servers for every `welcome`; none by default, since a dead one costs each peer 5 s."""
    trusted_proxies: tuple[Network, ...] = ()
    """Proxies whose `X-Forwarded-For` names the client; without one the header is ignored."""
    outbound_bytes: int = 2 * 1024 * 1024
    """Unsent bytes for one connection above which it is dropped: three shuffle proofs and more."""
    watch_s: float = 1.0
    """Seconds between two looks at what is unsent: answers to pings get there by themselves."""
    stall_s: float = 40.0
    """How long a connection may leave 32 KiB unread; pings cannot find it, they wait behind."""
    bye_retry_ms: int = 3000
    """When clients shall come back after a stop."""
    sweep_s: float = 5.0
    """Seconds between two looks for what has run out."""
    open_timeout_s: float = 5.0
    """Longest opening handshake."""
    close_timeout_s: float = 5.0
    """Longest closing handshake, and with it the longest stop of the server."""
    ping_s: float = 20.0
    """Seconds between pings and until an unanswered ping ends the connection."""


def read_flags(arguments: Sequence[str] | None) -> tuple[ServerConfig, str]:
    """Reads the command line.

    Args:
        arguments: without the program name; None for those of the process.

    Returns:
        The settings and the log level's name.

    Raises:
        SystemExit: help was asked for, or a flag is wrong (argparse has said which).
    """
    values = vars(_parser().parse_args(arguments))
    names = [one.name for one in fields(Limits)]
    limits = {name: values[name] for name in names}
    if values["relay"] == "off":
        limits["relay_bytes"] = 0
    config = ServerConfig(
        host=values["host"],
        port=values["port"],
        limits=Limits(**limits),
        motd=values["motd"],
        ice=tuple({"urls": url} for url in values["ice"]),
        trusted_proxies=tuple(values["trusted_proxy"]),
        bye_retry_ms=values["bye_retry_ms"],
    )
    return config, values["log_level"]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m signaling",
        description="Introduces peers to each other. Limits are explained in docs/signaling.md.",
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (%(default)s)")
    parser.add_argument("--port", type=_port, default=DEFAULT_PORT, help="port (%(default)s)")
    parser.add_argument("--relay", choices=("on", "off"), default="on", help="(%(default)s)")
    parser.add_argument("--motd", help="line for every client")
    parser.add_argument(
        "--ice", action="append", default=[], metavar="URL", help="STUN server; may be repeated"
    )
    parser.add_argument(
        "--trusted-proxy",
        action="append",
        default=[],
        type=ip_network,
        metavar="CIDR",
        help="believe X-Forwarded-For from here; may be repeated",
    )
    parser.add_argument(
        "--bye-retry-ms", type=_positive, default=3000, metavar="N", help="(%(default)s)"
    )
    parser.add_argument(
        "--log-level", choices=("debug", "info", "warning", "error"), default="info"
    )
    group = parser.add_argument_group("limits")
    for one in fields(Limits):
        flag = "--" + one.name.replace("_", "-")
        group.add_argument(
            flag, type=_positive, default=one.default, metavar="N", help="(%(default)s)"
        )
    return parser


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError("expected 0 to 65535")
    return port


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("expected a whole number above 0")
    return number
