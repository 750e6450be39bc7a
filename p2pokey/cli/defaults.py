"""Defaults that several commands share."""

DEFAULT_SERVER = "ws://127.0.0.1:8765"
"""Where `p2pokey signal` listens: friends who play elsewhere name their server."""
