"""How many group operations a step takes: the floor that measured times are compared with.

Source: docs/protocol.md S18, whose table the formulas for shuffles give; S7 and S8 for the others.
Every proof is counted as if it were verified alone.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from p2pokey.transcript.envelope import Envelope
from p2pokey.transcript.messages import Commit, Keys, Move, Shuffle, Tokens

ENTRY_BYTES, TOKEN_BYTES = 64, 32


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

    def times(self, factor: int) -> "Counts":
        """So many of these steps."""
        return Counts(self.mul * factor, self.base * factor, self.add * factor)

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


def tokens_counts(m: int) -> Counts:
    """m tokens and their one proof; several are put together into one pair first."""
    together = m if m > 1 else 0
    return Counts(m + 2 + together, 1, together)


def verify_tokens_counts(m: int) -> Counts:
    """The proof for m tokens."""
    together = 2 * m if m > 1 else 0
    return Counts(3 + together, 1, 3 + together)


def verify_possession_counts() -> Counts:
    """A proof of possession."""
    return Counts(1, 1, 1)


def proofs_in(envelopes: Iterable[Envelope]) -> Counts:
    """Verifying every proof of a hand, one by one."""
    total = Counts(0, 0, 0)
    for envelope in envelopes:
        match envelope.message:
            case Commit() | Keys():
                total += verify_possession_counts()
            case Shuffle(deck=deck):
                total += verify_counts(len(deck) // ENTRY_BYTES)
            case Tokens(positions=positions):
                total += verify_tokens_counts(len(positions))
            case Move(remask=remask, tokens=tokens):
                if remask is not None:
                    total += verify_counts(len(remask.deck) // ENTRY_BYTES)
                if tokens:
                    total += verify_tokens_counts(len(tokens) // TOKEN_BYTES)
            case _:
                pass
    return total
