"""How many group operations a shuffle takes: the floor that measured times are compared with.

Source: docs/protocol.md S18, whose table these formulas give.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Counts:
    """Group operations of one step, sums taken apart into products and additions."""

    mul: int
    """Products of a scalar and a point."""
    base: int
    """Products of a scalar and the generator."""
    add: int
    """Additions."""

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(self.mul + other.mul, self.base + other.base, self.add + other.add)

    def seconds(self, mul: float, base: float, add: float) -> float:
        """Time of all operations, from the seconds of each."""
        return self.mul * mul + self.base * base + self.add * add


def shuffle_counts(n: int) -> Counts:
    """Re-encryption of n entries."""
    return Counts(n, n, 2 * n)


def prove_counts(n: int) -> Counts:
    """The proof for n entries, without the shuffle itself."""
    return Counts(5 * n + 1, 3 * n + 4, 6 * n + 3)


def verify_counts(n: int) -> Counts:
    """The one weighted sum that verifies a proof for n entries."""
    return Counts(8 * n + 7, 1, 8 * n + 8)
