"""Randomness from the operating system: the only source of secrets."""

import os


class OsEntropy:
    """os.urandom; implements `ports.Entropy`."""

    def random_bytes(self, count: int) -> bytes:
        """`count` fresh random bytes."""
        return os.urandom(count)
