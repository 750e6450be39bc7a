"""Shuffling a deck: a secret permutation and a fresh re-encryption of every entry.

A deck is N entries C1 || C2 of 64 bytes. The permutation and the randomness follow from the hand's
seed and the input deck, so one secret never serves two inputs, and a restart repeats the same
bytes. The proof that the output is a shuffle of the input is in `shuffle`.

Source: docs/protocol.md S1 (generators), S3 (secrets), S5 (re-encryption).
"""

from functools import lru_cache

from p2pokey.codec import u32
from p2pokey.crypto.drbg import Drbg
from p2pokey.crypto.fiat_shamir import FiatShamir, hash_to_uniform
from p2pokey.crypto.group import CELL, IDENTITY, Group, split32
from p2pokey.crypto.steps import Steps, sliced
from p2pokey.errors import BadLength, IdentityPoint, ShuffleInvalid

N_MIN = 2
N_MAX = 106
"""Entries of a deck: the tiles of Okey, and how many generators h_i there are."""

ENTRY = 2 * CELL
"""Bytes of an entry C1 || C2."""


def generators(group: Group, count: int) -> tuple[bytes, bytes]:
    """H and h_0..h_{count-1}, from fixed labels: nobody knows a relation among them.

    Args:
        count: 0 to 106.

    Returns:
        H, 32 bytes, and the h_i, 32 bytes each.

    Raises:
        BadLength: more than 106 were asked for.
    """
    if count > N_MAX:
        raise BadLength(f"expected at most {N_MAX} entries, got {count}")
    points = _all_generators(group)
    return points[:CELL], points[CELL : (1 + count) * CELL]


@lru_cache(maxsize=4)
def _all_generators(group: Group) -> bytes:
    messages = [b"H"] + [b"h" + u32(i) for i in range(N_MAX)]
    return group.hash_to_group(b"".join([hash_to_uniform("generator", m) for m in messages]))


def deck_size(deck: bytes) -> int:
    """Number of entries of a deck.

    Raises:
        BadLength: not 2 to 106 entries of 64 bytes.
    """
    count, rest = divmod(len(deck), ENTRY)
    if rest or not N_MIN <= count <= N_MAX:
        raise BadLength(f"expected {N_MIN} to {N_MAX} entries of 64 bytes, got {len(deck)} bytes")
    return count


def split_entries(deck: bytes) -> list[bytes]:
    """The entries of a deck, in order."""
    return [deck[start : start + ENTRY] for start in range(0, len(deck), ENTRY)]


def columns(deck: bytes) -> tuple[bytes, bytes]:
    """The C1 and the C2 of a deck, each concatenated."""
    cells = split32(deck)
    return b"".join(cells[0::2]), b"".join(cells[1::2])


def rows(c1: bytes, c2: bytes) -> bytes:
    """The deck with these columns."""
    return b"".join([a + b for a, b in zip(split32(c1), split32(c2), strict=True)])


def check_distinct(deck: bytes) -> None:
    """Refuses a deck in which two components are equal; only the C1 may be O, many times.

    With equal entries a shuffle would have two witnesses, and both would use the same nonces
    (docs/protocol.md S6).

    Raises:
        ShuffleInvalid: two components are equal.
    """
    c1, c2 = columns(deck)
    components = [cell for cell in split32(c1) if cell != IDENTITY] + split32(c2)
    if len(set(components)) != len(components):
        raise ShuffleInvalid("two components of the deck are equal")


def shuffle_secrets(seed: bytes, ctx: bytes, deck: bytes) -> tuple[tuple[int, ...], list[int]]:
    """Permutation and randomness with which a seat shuffles `deck` (docs/protocol.md S3).

    Args:
        seed: the hand's secret seed, 32 bytes.
        ctx: 64 bytes.
        deck: the input.

    Returns:
        pi and r: output entry i is input entry pi[i] re-encrypted by r[i].

    Security: secret until the seed is disclosed.
    """
    count = deck_size(deck)
    T = FiatShamir("shuffle-secret")
    T.add("ctx", ctx)
    T.add("in", deck)
    rng = Drbg(seed, "shuffle", T.digest())
    perm = rng.perm(count)
    return perm, [rng.nzscalar() for _ in range(count)]


def reencrypt_steps(
    group: Group,
    key: bytes,
    deck: bytes,
    perm: tuple[int, ...],
    randomness: list[int],
    step: int,
) -> Steps[bytes]:
    """The deck with entry i = deck entry perm[i] re-encrypted under `key` by randomness[i]."""
    if key == IDENTITY:
        raise IdentityPoint("expected an encryption key other than the identity")
    check_distinct(deck)
    entries = split_entries(deck)
    c1, c2 = columns(b"".join([entries[i] for i in perm]))
    masks1 = yield from sliced(group.base_mul, randomness, step=step)
    yield
    masks2 = yield from sliced(group.mul, randomness, key * len(perm), step=step)
    yield
    return rows(group.add(c1, masks1), group.add(c2, masks2))
