"""RFC 9496 in plain Python, below the group interface."""

import pytest

from p2pokey.crypto import ristretto as r
from p2pokey.errors import BadPoint
from tests.crypto.support import ALL_INVALID, ALL_INVALID_IDS, invalid_encodings, load

RFC = load("rfc9496.json")


def test_constants_satisfy_their_definitions():
    assert (121666 * r.D + 121665) % r.P == 0
    assert r.SQRT_M1**2 % r.P == r.P - 1
    assert r.SQRT_AD_MINUS_ONE**2 % r.P == (-r.D - 1) % r.P
    assert r.INVSQRT_A_MINUS_D**2 * (-1 - r.D) % r.P == 1


@pytest.mark.parametrize("vector", RFC["sqrt_ratio_m1"])
def test_square_roots_of_ratios(vector):
    u, v, root = (int.from_bytes(bytes.fromhex(vector[k]), "little") for k in ("u", "v", "r"))

    assert r.sqrt_ratio_m1(u, v) == (vector["was_square"], root)


def test_multiples_of_the_generator():
    base = r.decode(bytes.fromhex(RFC["multiples_of_generator"][1]))
    point = r.ZERO
    for expected in RFC["multiples_of_generator"]:
        assert r.encode(point).hex() == expected
        assert r.encode(r.decode(bytes.fromhex(expected))).hex() == expected
        point = r.add(point, base)


@pytest.mark.parametrize(("why", "bad"), ALL_INVALID, ids=ALL_INVALID_IDS)
def test_invalid_encodings_are_refused(why, bad):
    with pytest.raises(BadPoint):
        r.decode(bad)


def test_invalid_encodings_are_grouped_by_the_first_reason():
    groups = invalid_encodings()
    as_int = {why: [int.from_bytes(b, "little") for b in bad] for why, bad in groups.items()}

    assert all(s >= r.P for s in as_int["non_canonical_field_element"])
    assert all(s < r.P and s % 2 for s in as_int["negative_field_element"])
    later = ("non_square_x_squared", "negative_xy", "s_minus_one_gives_y_zero")
    assert all(s < r.P and s % 2 == 0 for why in later for s in as_int[why])
    assert not any(_x_squared_is_square(s) for s in as_int["non_square_x_squared"])
    assert all(_x_squared_is_square(s) for s in as_int["negative_xy"])
    assert as_int["s_minus_one_gives_y_zero"] == [r.P - 1]
    assert sum(len(bad) for bad in groups.values()) == 29


def _x_squared_is_square(s: int) -> bool:
    u2 = 1 + s * s
    v = -r.D * (1 - s * s) ** 2 - u2**2
    return r.sqrt_ratio_m1(1, v * u2 * u2 % r.P)[0]


@pytest.mark.parametrize("length", [0, 31, 33, 64])
def test_an_encoding_has_32_bytes(length):
    with pytest.raises(BadPoint):
        r.decode(bytes(length))


@pytest.mark.parametrize("vector", RFC["element_derivation"])
def test_one_way_map(vector):
    point = r.one_way_map(bytes.fromhex(vector["uniform"]))

    assert r.encode(point).hex() == vector["element"]


def test_all_representatives_of_an_element_encode_alike():
    # The points of order 1, 2 and 4 are one element: the identity.
    torsion = [(0, 1), (0, -1), (r.SQRT_M1, 0), (-r.SQRT_M1, 0)]
    point = r.one_way_map(bytes(range(64)))
    for x, y in torsion:
        other = r.add(point, (x % r.P, y % r.P, 1, x * y % r.P))
        assert r.encode(other) == r.encode(point)


def test_doubling_agrees_with_adding():
    point = r.one_way_map(bytes(64))
    sixteen = point
    for _ in range(15):
        sixteen = r.add(sixteen, point)

    assert r.encode(r.double_times(point, 4)) == r.encode(sixteen)


def test_normalising_keeps_the_points():
    points = [r.double_times(r.one_way_map(bytes([i]) * 64), 1) for i in range(3)]

    normalised = r.normalise(points)

    assert [z for _, _, z, _ in normalised] == [1, 1, 1]
    assert [r.encode(p) for p in normalised] == [r.encode(p) for p in points]


def test_subtracting_undoes_adding():
    point, other = r.one_way_map(bytes(64)), r.normalise([r.one_way_map(bytes([9]) * 64)])[0]

    back = r.sub_niels(r.add_niels(point, r.niels(other)), r.niels(other))

    assert r.encode(back) == r.encode(point)
