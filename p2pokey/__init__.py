"""p2pokey: Okey between friends without a dealer, a casino or a server to trust."""

__version__ = "0.1.0"
