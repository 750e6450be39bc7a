"""Who is counted as one client, and how an address may appear in a log."""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Network = IPv4Network | IPv6Network

UNKNOWN = "unknown"
"""Stands for an address that cannot be read, e.g. of a Unix socket; all of them count as one."""


def _read(host: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(host.strip().partition("%")[0])  # a zone (fe80::1%eth0) is local
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def _cut(host: str, *, v4_bits: int, v6_bits: int) -> str:
    address = _read(host)
    if address is None:
        return UNKNOWN
    bits = v4_bits if isinstance(address, IPv4Address) else v6_bits
    return str(ip_network((address, bits), strict=False))


def address_key(host: str) -> str:
    """The unit that per-address limits count: one IPv4 address or one IPv6 /64.

    A household has one IPv4 address, but every machine in it may choose among 2^64 IPv6 addresses.
    """
    return _cut(host, v4_bits=32, v6_bits=64)


def shorten(host: str) -> str:
    """An address as logs may show it: an IPv4 /24 or an IPv6 /48."""
    return _cut(host, v4_bits=24, v6_bits=48)


def client_host(peer: str, forwarded_for: Sequence[str], trusted: Sequence[Network]) -> str:
    """Finds the client behind trusted proxies.

    Args:
        peer: address of the socket's other end.
        forwarded_for: the `X-Forwarded-For` headers in order; anybody can write them, so they count
            only as far as trusted proxies have appended to them.
        trusted: networks of the operator's own proxies.

    Returns:
        The nearest address that is not a trusted proxy; `peer` if no proxy is trusted.
    """
    hops = [hop for header in forwarded_for for hop in header.split(",")]
    client = peer
    while hops and _is_trusted(client, trusted):
        hop = hops.pop()
        if _read(hop) is None:
            break
        client = hop.strip()
    return client


def _is_trusted(host: str, trusted: Sequence[Network]) -> bool:
    address = _read(host)
    return address is not None and any(address in network for network in trusted)
