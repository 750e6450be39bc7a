"""What the tests of the cryptography share: vectors, groups, decks and strategies."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from p2pokey.crypto.drbg import Drbg
from p2pokey.crypto.fiat_shamir import hash_to_group, hash_to_uniform
from p2pokey.crypto.group import IDENTITY, Group, L
from p2pokey.crypto.reference import PythonBackend
from p2pokey.native.backends import choose_backend

VECTORS = Path(__file__).parents[1] / "vectors"

BACKENDS = ("libsodium", "python")

SEED = bytes(range(32))
CTX = bytes(range(64))


def load(name: str) -> Any:
    """A file of tests/vectors."""
    return json.loads((VECTORS / name).read_text("ascii"))


def invalid_encodings() -> dict[str, list[bytes]]:
    """The 29 encodings of RFC 9496 A.2 by the reason why they are bad."""
    groups = load("rfc9496.json")["invalid_encodings"]
    return {why: [bytes.fromhex(text) for text in texts] for why, texts in groups.items()}


ALL_INVALID = [(why, bad) for why, group in invalid_encodings().items() for bad in group]
ALL_INVALID_IDS = [f"{why}-{bad.hex()[:6]}" for why, bad in ALL_INVALID]

P = 2**255 - 19


def other_encodings(point: bytes) -> list[bytes]:
    """Values that a careless decoder takes for the same element; RFC 9496 A.2 has none of them.

    The highest bit set (libsodium 1.0.18 ignores it), the same residue above p, and the negative.
    """
    s = int.from_bytes(point, "little")
    values = [s | 2**255, s + P, 2 * P - s, P - s, s + 2 * P, (s + P) | 2**255]
    return [value.to_bytes(32, "little") for value in values if value < 2**256]


NOT_A_POINT = invalid_encodings()["non_square_x_squared"][0]


@cache
def group_of(name: str) -> Group:
    """The group on this backend."""
    return Group(PythonBackend() if name == "python" else choose_backend("libsodium"))


def random_points(group: Group, count: int, label: str = "points") -> bytes:
    """Elements without known relation, the same in every run."""
    return group.hash_to_group(
        b"".join([hash_to_uniform("test", label.encode() + bytes([i])) for i in range(count)])
    )


def fresh_deck(group: Group, count: int) -> bytes:
    """deck_0 of docs/protocol.md S4 with `count` entries."""
    return b"".join(
        [IDENTITY + hash_to_group(group, "tile", b"tile" + bytes([t])) for t in range(count)]
    )


def some_scalars(label: str, count: int) -> list[int]:
    """Scalars without meaning, the same in every run."""
    return Drbg(b"test", label, b"").scalars(count)


def flip(data: bytes, bit: int) -> bytes:
    """The data with one bit changed."""
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def put_cell(data: bytes, index: int, cell: bytes) -> bytes:
    """The data with its 32-byte cell `index` replaced."""
    return data[: 32 * index] + cell + data[32 * (index + 1) :]


def get_cell(data: bytes, index: int) -> bytes:
    """The 32-byte cell `index`."""
    return data[32 * index : 32 * (index + 1)]


def scalars() -> st.SearchStrategy[int]:
    """Scalars, weighted to the edges: 0, 1, -1, small, near the order, powers of two."""
    edges = [0, 1, 2, L - 1, L - 2, (L - 1) // 2, 2**252, 2**252 - 1, 2**128, 8]
    return st.one_of(
        st.sampled_from(edges),
        st.integers(0, L - 1),
        st.integers(0, 252).map(lambda bit: 2**bit),
    )
