"""Derived secrets: the formula, and no bias."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pokey.crypto.drbg import Drbg
from p2pokey.crypto.fiat_shamir import fr
from p2pokey.crypto.group import L


def stream(count: int) -> bytes:
    framed = fr("drbg", b"p2pokey/v1/") + fr("seed", b"key") + fr("label", b"label")
    return hashlib.shake_256(framed + fr("ctx", b"ctx")).digest(count)


def drbg() -> Drbg:
    return Drbg(b"key", "label", b"ctx")


@given(st.lists(st.integers(0, 1500), max_size=6))
def test_the_stream_does_not_depend_on_how_it_is_read(counts):
    reader = drbg()

    assert b"".join([reader.read(count) for count in counts]) == stream(sum(counts))


def test_scalars_take_64_bytes_each():
    expected = [int.from_bytes(stream(192)[i : i + 64], "little") % L for i in (0, 64, 128)]

    assert drbg().scalars(3) == expected
    assert drbg().nzscalar() == expected[0]


def test_key_label_and_context_separate_streams():
    streams = {
        Drbg(key, label, ctx).read(32)
        for key in (b"a", b"")
        for label in ("a", "")
        for ctx in (b"a", b"")
    }

    assert len(streams) == 8


def test_zero_is_drawn_again_where_it_is_not_allowed():
    reader = drbg()
    values = iter([0, 0, 7])
    reader.scalar = lambda: next(values)

    assert reader.nzscalar() == 7


def test_below_takes_eight_bytes():
    assert drbg().below(1000) == int.from_bytes(stream(8), "little") % 1000


def test_below_draws_again_above_the_last_full_range():
    reader = drbg()
    draws = iter([b"\xff" * 8, (5).to_bytes(8, "little")])
    reader.read = lambda count: next(draws)

    # 2^64 - 1 lies in the part range above the last multiple of 3 * 2^62.
    assert reader.below(3 * 2**62) == 5


@pytest.mark.parametrize("bound", [1, 2, 2**64])
def test_below_of_a_divisor_never_draws_again(bound):
    reader = drbg()
    draws = iter([b"\xff" * 8])
    reader.read = lambda count: next(draws)

    assert reader.below(bound) == (2**64 - 1) % bound


def test_below_is_even():
    reader = drbg()
    counts = [0] * 7
    for _ in range(7000):
        counts[reader.below(7)] += 1

    # Chi-square with 6 degrees of freedom; the stream is fixed, so this cannot flicker.
    assert sum((count - 1000) ** 2 / 1000 for count in counts) < 22


def test_a_permutation_is_one_and_follows_the_formula():
    perm = drbg().perm(106)
    assert sorted(perm) == list(range(106))

    reader, expected = drbg(), list(range(106))
    for i in range(105, 0, -1):
        j = reader.below(i + 1)
        expected[i], expected[j] = expected[j], expected[i]
    assert list(perm) == expected


def test_small_permutations_are_even():
    reader = drbg()
    counts: dict[tuple[int, ...], int] = {}
    for _ in range(2400):
        perm = reader.perm(4)
        counts[perm] = counts.get(perm, 0) + 1

    assert len(counts) == 24
    assert sum((count - 100) ** 2 / 100 for count in counts.values()) < 50
