"""Batches that two threads share give the same bytes and the same errors as in one."""

from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar

import pytest

from p2pokey.crypto.drbg import Drbg
from p2pokey.crypto.group import BASE_POINT, IDENTITY, L
from p2pokey.errors import BackendUnavailable, BadLength, BadPoint
from p2pokey.native.backends import choose_backend
from p2pokey.native.sodium import SodiumBackend
from p2pokey.native.threads import WORTH_ROWS, ThreadedBackend, usual_threads
from tests.crypto.support import NOT_A_POINT

COUNTS = (1, WORTH_ROWS - 1, WORTH_ROWS, WORTH_ROWS + 1, 100)


class Busy(SodiumBackend):
    """Notes the sizes of what it computes."""

    sizes: ClassVar[list[int]] = []

    def mul(self, scalars, points):
        self.sizes.append(len(scalars))
        return super().mul(scalars, points)


@pytest.fixture(scope="module")
def one() -> SodiumBackend:
    backend = choose_backend("libsodium")
    assert isinstance(backend, SodiumBackend)
    return backend


def scalars(count: int, label: str = "a") -> list[int]:
    return Drbg(b"threads", label, b"").scalars(count)


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize("count", COUNTS)
def test_every_operation_gives_the_same_bytes(one, count: int, threads: int) -> None:
    several = ThreadedBackend(one, threads)
    a, b = one.base_mul(scalars(count)), one.base_mul(scalars(count, "b"))
    factors = scalars(count, "c")

    assert several.base_mul(factors) == one.base_mul(factors)
    assert several.mul(factors, a) == one.mul(factors, a)
    assert several.mul_one_scalar(factors[0], a) == one.mul_one_scalar(factors[0], a)
    assert several.add(a, b) == one.add(a, b)
    assert several.sub(a, b) == one.sub(a, b)
    assert several.msm(factors, a) == one.msm(factors, a)
    assert several.msm_vartime(factors, a) == one.msm_vartime(factors, a)
    assert several.is_valid(a)
    assert several.hash_to_group(a + b) == one.hash_to_group(a + b)


def test_parts_of_a_sum_may_be_the_identity(one) -> None:
    half = WORTH_ROWS
    several = ThreadedBackend(one, 2)
    points = BASE_POINT * (2 * half)
    cancelling = [1, L - 1] * half

    assert several.msm_vartime(cancelling, points) == IDENTITY


def test_long_batches_are_halved_and_short_ones_are_not(monkeypatch) -> None:
    monkeypatch.setattr("p2pokey.native.backends.SodiumBackend", Busy)
    busy = choose_backend("libsodium")
    assert isinstance(busy, Busy)
    busy.sizes.clear()
    several = ThreadedBackend(busy, 2)

    for count in (WORTH_ROWS - 1, WORTH_ROWS + 1):
        several.mul(scalars(count), BASE_POINT * count)

    assert sorted(busy.sizes) == [WORTH_ROWS // 2, WORTH_ROWS // 2 + 1, WORTH_ROWS - 1]


@pytest.mark.parametrize("place", [0, WORTH_ROWS - 1])
def test_a_bad_point_in_any_part_is_refused(one, place: int) -> None:
    several = ThreadedBackend(one, 2)
    cells = [BASE_POINT] * WORTH_ROWS
    cells[place] = NOT_A_POINT
    points = b"".join(cells)

    for operation in (several.mul, several.msm, several.msm_vartime):
        with pytest.raises(BadPoint):
            operation(scalars(WORTH_ROWS), points)
    with pytest.raises(BadPoint):
        several.add(points, BASE_POINT * WORTH_ROWS)


def test_batches_that_do_not_fit_together_are_refused(one) -> None:
    several = ThreadedBackend(one, 2)

    with pytest.raises(BadLength):
        several.mul(scalars(WORTH_ROWS), BASE_POINT * (WORTH_ROWS + 1))
    with pytest.raises(BadLength):
        several.mul(scalars(WORTH_ROWS), (BASE_POINT * WORTH_ROWS)[:-1])


def test_only_libsodium_is_shared_among_threads() -> None:
    assert isinstance(choose_backend("libsodium", threads=2), ThreadedBackend)
    assert isinstance(choose_backend("libsodium"), SodiumBackend)
    assert not isinstance(choose_backend("python", threads=2), ThreadedBackend)
    with pytest.raises(BackendUnavailable):
        choose_backend("libsodium", {"P2POKEY_LIBSODIUM": "/nowhere"}, threads=2)


@pytest.mark.parametrize(("cores", "threads"), [(None, 1), (1, 1), (2, 2), (16, 2)])
def test_a_program_takes_two_cores_where_there_are_two(
    monkeypatch: pytest.MonkeyPatch, cores: int | None, threads: int
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: cores)

    assert usual_threads() == threads


def test_threads_start_with_the_first_long_batch(one, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self, *arguments):
        raise AssertionError("a short batch was shared")

    monkeypatch.setattr(ThreadPoolExecutor, "submit", refuse)
    several = ThreadedBackend(one, 2)

    assert several.base_mul([2]) == one.base_mul([2])
    with pytest.raises(AssertionError):
        several.base_mul(scalars(WORTH_ROWS))
