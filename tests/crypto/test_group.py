"""The group interface: the same vectors, laws and refusals on every backend."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings

from p2pokey.crypto.drbg import Drbg
from p2pokey.crypto.group import (
    BASE_POINT,
    IDENTITY,
    Group,
    L,
    decode_scalar,
    decode_scalars,
    encode_scalar,
    has_identity,
    split32,
)
from p2pokey.crypto.reference import PythonBackend
from p2pokey.errors import BadLength, BadPoint, BadScalar
from tests.crypto.support import (
    ALL_INVALID,
    ALL_INVALID_IDS,
    BACKENDS,
    NOT_A_POINT,
    group_of,
    load,
    other_encodings,
    random_points,
    scalars,
    some_scalars,
)

RFC = load("rfc9496.json")
MULTIPLES = [bytes.fromhex(text) for text in RFC["multiples_of_generator"]]


def test_base_mul_gives_the_multiples_of_the_rfc(group):
    assert split32(group.base_mul(list(range(16)))) == MULTIPLES


def test_mul_gives_the_multiples_of_the_rfc(group):
    assert split32(group.mul(list(range(16)), BASE_POINT * 16)) == MULTIPLES


def test_sums_of_multiples_are_multiples(group):
    expected = b"".join([MULTIPLES[i + 5] for i in range(11)])

    assert group.add(b"".join(MULTIPLES[:11]), MULTIPLES[5] * 11) == expected
    assert group.sub(expected, MULTIPLES[5] * 11) == b"".join(MULTIPLES[:11])


def test_element_derivation_of_the_rfc(group):
    vectors = RFC["element_derivation"]
    uniform = bytes.fromhex("".join([v["uniform"] for v in vectors]))

    assert group.hash_to_group(uniform).hex() == "".join([v["element"] for v in vectors])


@pytest.mark.parametrize(("why", "bad"), ALL_INVALID, ids=ALL_INVALID_IDS)
def test_every_operation_refuses_invalid_encodings(group, why, bad):
    good = MULTIPLES[3]
    operations = [
        lambda: group.mul([2, 3], good + bad),
        lambda: group.mul([2, 0], good + bad),
        lambda: group.mul_one_scalar(5, good + bad),
        lambda: group.add(good + bad, good + good),
        lambda: group.sub(good + good, good + bad),
        lambda: group.add(bad, IDENTITY),
        lambda: group.msm_vartime([2, 3], good + bad),
        lambda: group.msm([1, 0], good + bad),
        lambda: group.sum_points(bad),
        lambda: group.sum_points(good + good + bad),
        lambda: group.check_points(good + bad),
    ]
    for operation in operations:
        with pytest.raises(BadPoint):
            operation()
    assert not group.is_valid(good + bad)


@pytest.mark.parametrize("multiple", range(16))
def test_an_element_has_one_encoding_only(group, multiple):
    good = MULTIPLES[3]
    for bad in other_encodings(MULTIPLES[multiple]):
        assert not group.is_valid(good + bad)
        operations = [
            lambda bad=bad: group.mul([1, 1], good + bad),
            lambda bad=bad: group.mul_one_scalar(1, good + bad),
            lambda bad=bad: group.add(good + bad, IDENTITY * 2),
            lambda bad=bad: group.sub(IDENTITY * 2, good + bad),
            lambda bad=bad: group.msm_vartime([1, 1], good + bad),
            lambda bad=bad: group.msm([1, 0], good + bad),
        ]
        for operation in operations:
            with pytest.raises(BadPoint):
                operation()


def test_all_backends_accept_the_same_bytes():
    stream = Drbg(b"test", "encodings", b"")
    candidates = [stream.read(32) for _ in range(150)]
    # Most bytes are odd or above p; clear that for half of them.
    candidates += [bytes([c[0] & 0xFE]) + c[1:31] + bytes([c[31] & 0x7F]) for c in candidates]
    candidates += [value.to_bytes(32, "little") for value in range(20)]
    candidates += [(2**255 - 20 + value).to_bytes(32, "little") for value in range(22)]
    verdicts = [[group_of(name).is_valid(c) for c in candidates] for name in BACKENDS]

    assert verdicts[0] == verdicts[1]
    assert 5 < sum(verdicts[0]) < len(candidates) / 2


def test_batches_must_fit_together(group):
    operations = [
        lambda: group.mul([1], BASE_POINT * 2),
        lambda: group.mul([1, 2], BASE_POINT),
        lambda: group.mul([1], BASE_POINT[:31]),
        lambda: group.mul_one_scalar(1, BASE_POINT[:31]),
        lambda: group.add(BASE_POINT, BASE_POINT * 2),
        lambda: group.sub(BASE_POINT[:31], BASE_POINT[:31]),
        lambda: group.msm_vartime([1], b""),
        lambda: group.sum_points(BASE_POINT + b"\0"),
        lambda: group.check_points(BASE_POINT[:31]),
        lambda: group.hash_to_group(bytes(63)),
    ]
    for operation in operations:
        with pytest.raises(BadLength):
            operation()
    assert not group.is_valid(BASE_POINT[:31])


def test_the_identity_and_zero_are_handled(group):
    points = BASE_POINT + IDENTITY + MULTIPLES[7]

    assert group.mul([0, 5, 3], points) == IDENTITY + IDENTITY + group.base_mul([21])
    assert group.mul([L, 5, L + 3], points) == IDENTITY + IDENTITY + group.base_mul([21])
    assert group.mul_one_scalar(4, points) == MULTIPLES[4] + IDENTITY + group.base_mul([28])
    assert group.mul_one_scalar(L, points) == IDENTITY * 3
    assert group.base_mul([0, 1, L]) == IDENTITY + BASE_POINT + IDENTITY
    assert group.add(IDENTITY + BASE_POINT, IDENTITY * 2) == IDENTITY + BASE_POINT
    assert group.sub(points, points) == IDENTITY * 3
    assert group.msm_vartime([0, 4, 1], points) == MULTIPLES[7]
    assert group.msm([0, 4], BASE_POINT + IDENTITY) == IDENTITY
    assert group.msm_vartime([7, -1], BASE_POINT + MULTIPLES[7]) == IDENTITY
    assert group.is_valid(points)


def test_empty_batches(group):
    assert group.mul([], b"") == b""
    assert group.mul_one_scalar(3, b"") == b""
    assert group.base_mul([]) == b""
    assert group.add(b"", b"") == b""
    assert group.hash_to_group(b"") == b""
    assert group.msm([], b"") == IDENTITY
    assert group.sum_points(b"") == IDENTITY


def test_the_order_is_prime_and_kills_every_point(group):
    points = random_points(group, 5)

    assert pow(3, L - 1, L) == 1
    assert group.mul_one_scalar(L - 1, points) == group.sub(IDENTITY * 5, points)


@pytest.mark.parametrize("count", [1, 2, 3, 7, 8, 33, 150])
def test_msm_is_the_sum_of_the_products(group, count):
    factors = some_scalars("msm", count)
    factors[-1] = 0
    points = group.base_mul(some_scalars("msm-points", count))
    expected = group.sum_points(group.mul(factors, points))

    assert group.msm_vartime(factors, points) == expected
    assert group.msm(factors, points) == expected


def test_products_of_one_point_do_not_depend_on_how_many_are_computed(group):
    point, factors = random_points(group, 1), some_scalars("table", 12)

    together = group.mul(factors, point * 12)

    assert together == b"".join([group.mul([factor], point) for factor in factors])


@pytest.mark.parametrize("name", BACKENDS)
@settings(max_examples=25, deadline=None)
@given(a=scalars(), b=scalars())
def test_scalars_act_as_in_a_field(name, a, b):
    group = group_of(name)
    A, B = split32(group.base_mul([a, b]))

    assert group.add(A, B) == group.base_mul([a + b])
    assert group.sub(A, B) == group.base_mul([a - b])
    assert group.mul([b], A) == group.mul([a], B) == group.base_mul([a * b])
    assert group.msm_vartime([b, a], A + B) == group.base_mul([2 * a * b])


@settings(max_examples=40)
@given(value=scalars())
def test_scalars_round_trip(value):
    assert decode_scalar(encode_scalar(value)) == value
    assert encode_scalar(value + L) == encode_scalar(value)


@pytest.mark.parametrize("value", [L, L + 1, 2**253, 2**256 - 1])
def test_scalars_are_never_reduced_on_input(value):
    with pytest.raises(BadScalar):
        decode_scalar(value.to_bytes(32, "little"))


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_scalar_has_32_bytes(length):
    with pytest.raises(BadScalar):
        decode_scalar(bytes(length))


def test_a_batch_of_scalars_has_whole_cells():
    assert decode_scalars(encode_scalar(5) + encode_scalar(6)) == [5, 6]
    with pytest.raises(BadLength):
        decode_scalars(bytes(33))


def test_zeros_across_two_cells_are_no_identity():
    straddling = b"\x01" + bytes(31) + bytes(31) + b"\x01"

    assert not has_identity(straddling)
    assert has_identity(straddling + IDENTITY)


class _Watching(PythonBackend):
    """Fails when it sees what no backend must see."""

    def mul(self, scalars: Sequence[int], points: bytes) -> bytes:
        self._watch(scalars, points)
        return super().mul(scalars, points)

    def mul_one_scalar(self, scalar: int, points: bytes) -> bytes:
        self._watch([scalar], points)
        return super().mul_one_scalar(scalar, points)

    def base_mul(self, scalars: Sequence[int]) -> bytes:
        self._watch(scalars, b"")
        return super().base_mul(scalars)

    def msm_vartime(self, scalars: Sequence[int], points: bytes) -> bytes:
        assert scalars
        self._watch(scalars, points)
        return super().msm_vartime(scalars, points)

    def _watch(self, scalars: Sequence[int], points: bytes) -> None:
        assert all(0 < scalar < L for scalar in scalars)
        assert not has_identity(points)


def test_backends_see_neither_identity_factors_nor_zero():
    group = Group(_Watching())
    points = BASE_POINT + IDENTITY + BASE_POINT
    for factors in ([1, 2, 3], [0, 2, L], [-1, 0, 2 * L], [0, 1, 0]):
        expected = group_of("python").mul(factors, points)
        assert group.mul(factors, points) == expected
        assert group.msm(factors, points) == group.sum_points(expected)
        assert group.msm_vartime(factors, points) == group.sum_points(expected)
        group.base_mul(factors)
    for factor in (0, 1, L, -5):
        group.mul_one_scalar(factor, points)
    with pytest.raises(BadPoint):
        group.mul([0], NOT_A_POINT)
