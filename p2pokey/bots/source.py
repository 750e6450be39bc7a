"""Where players decide between choices that are equal to them."""

from typing import Protocol


class Source(Protocol):
    """A seeded source; the same view and the same source give the same move."""

    def below(self, m: int) -> int:
        """A number from 0 to m - 1."""
