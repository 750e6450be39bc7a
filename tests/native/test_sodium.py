"""libsodium behaves as docs/protocol.md S16 says, and is only used when it computes rightly."""

import ctypes
import glob
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable

import pytest

from p2pokey.crypto.group import BASE_POINT, IDENTITY, Group, L, encode_scalar
from p2pokey.crypto.reference import PythonBackend
from p2pokey.errors import BackendUnavailable, BadLength, BadPoint
from p2pokey.native import backends, sodium
from p2pokey.native.backends import LIBRARY_VARIABLE, choose_backend
from p2pokey.native.sodium import SodiumBackend
from tests.crypto.support import NOT_A_POINT


@pytest.fixture(scope="module")
def library():
    """A loaded libsodium with a handle of its own."""
    return raw_library()


def raw_library() -> ctypes.CDLL:
    backend = choose_backend("libsodium")
    loaded = backend._library
    return ctypes.CDLL(loaded._name, handle=loaded._handle)


def call(function: Callable[..., int], *inputs: bytes) -> tuple[int, bytes]:
    out = ctypes.create_string_buffer(32)
    return function(out, *inputs), out.raw


# The facts that the wrapper is built on.


def test_identity_results_look_like_bad_encodings(library):
    mul, base = library.crypto_scalarmult_ristretto255, library.crypto_scalarmult_ristretto255_base

    assert call(mul, encode_scalar(0), BASE_POINT)[0] == -1
    assert call(mul, encode_scalar(5), IDENTITY)[0] == -1
    assert call(mul, encode_scalar(5), NOT_A_POINT)[0] == -1
    assert call(base, encode_scalar(0))[0] == -1


def test_addition_takes_the_identity_and_refuses_bad_encodings(library):
    for add in (library.crypto_core_ristretto255_add, library.crypto_core_ristretto255_sub):
        assert call(add, BASE_POINT, IDENTITY) == (0, BASE_POINT)
        assert call(add, NOT_A_POINT, IDENTITY)[0] == -1
        assert call(add, IDENTITY, NOT_A_POINT)[0] == -1


def test_the_identity_is_a_valid_point(library):
    assert library.crypto_core_ristretto255_is_valid_point(IDENTITY) == 1
    assert library.crypto_core_ristretto255_is_valid_point(NOT_A_POINT) == 0


def test_scalars_are_not_clamped_but_reduced(library):
    mul = library.crypto_scalarmult_ristretto255
    three = call(mul, encode_scalar(3), BASE_POINT)

    assert call(mul, (L + 3).to_bytes(32, "little"), BASE_POINT) == three
    assert three == (0, PythonBackend().base_mul([3]))


def test_the_highest_bit_of_an_encoding_is_ignored_by_1_0_18(library):
    """Later versions refuse it; the wrapper always does."""
    high = BASE_POINT[:31] + bytes([BASE_POINT[31] | 0x80])
    library.sodium_version_string.restype = ctypes.c_char_p
    expected = 1 if library.sodium_version_string() == b"1.0.18" else 0

    assert library.crypto_core_ristretto255_is_valid_point(high) == expected
    assert not choose_backend("libsodium").is_valid(high)


# The wrapper.


def test_the_backend_never_reads_beyond_its_input():
    backend = choose_backend("libsodium")
    operations = [
        lambda: backend.mul([1], BASE_POINT[:31]),
        lambda: backend.mul([1, 2], BASE_POINT),
        lambda: backend.add(BASE_POINT, BASE_POINT[:31]),
        lambda: backend.add(BASE_POINT[:31], BASE_POINT[:31]),
        lambda: backend.sub(BASE_POINT, b""),
        lambda: backend.msm([1, 1], BASE_POINT),
        lambda: backend.is_valid(BASE_POINT[:31]),
        lambda: backend.hash_to_group(bytes(63)),
    ]
    for operation in operations:
        with pytest.raises(BadLength):
            operation()


def test_results_do_not_share_memory():
    backend = choose_backend("libsodium")
    first = backend.base_mul([2])
    second = backend.base_mul([3])

    assert first != second
    assert first == PythonBackend().base_mul([2])


# Only a library that computes rightly is used.


class _Library:
    """A real library with some functions replaced."""

    def __init__(self, **replaced: Callable[..., int]) -> None:
        self._real = raw_library()
        self._replaced = {name: _Function(f) for name, f in replaced.items()}

    def __getattr__(self, name: str) -> object:
        if name in self._replaced:
            return self._replaced[name]
        return getattr(self._real, name)


class _Function:
    def __init__(self, function: Callable[..., int]) -> None:
        self._function = function

    def __call__(self, *arguments: object) -> int:
        return self._function(*arguments)


def test_a_library_without_faults_is_taken():
    assert SodiumBackend(_Library()).base_mul([1]) == BASE_POINT


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("crypto_scalarmult_ristretto255", lambda *_: 0),
        ("crypto_scalarmult_ristretto255", lambda *_: -1),
        ("crypto_scalarmult_ristretto255_base", lambda *_: 0),
        ("crypto_core_ristretto255_add", lambda *_: 0),
        ("crypto_core_ristretto255_add", lambda *_: -1),
        ("crypto_core_ristretto255_sub", lambda *_: 0),
        ("crypto_core_ristretto255_from_hash", lambda *_: 0),
        ("crypto_core_ristretto255_is_valid_point", lambda *_: 1),
        ("crypto_core_ristretto255_is_valid_point", lambda *_: 0),
        ("sodium_init", lambda: -1),
        ("sodium_library_version_minor", lambda: 2),
    ],
)
def test_a_library_that_computes_wrongly_is_refused(name, function):
    if name == "sodium_library_version_minor":
        replaced = {name: function, "sodium_library_version_major": lambda: 10}
    else:
        replaced = {name: function}
    with pytest.raises(BackendUnavailable):
        SodiumBackend(_Library(**replaced))


def test_a_library_that_accepts_bad_points_is_refused():
    real = raw_library().crypto_core_ristretto255_add
    real.argtypes = [ctypes.c_void_p] * 3

    def lenient(out, a, b):
        real(out, a, b)
        return 0

    with pytest.raises(BackendUnavailable):
        SodiumBackend(_Library(crypto_core_ristretto255_add=lenient))


def test_a_library_without_ristretto_is_refused():
    with pytest.raises(BackendUnavailable):
        SodiumBackend(ctypes.CDLL(None))


# The choice.


def test_plain_python_can_be_asked_for():
    assert choose_backend("python").name == "python"


def test_the_fastest_is_chosen():
    assert choose_backend().name == "libsodium"


def test_a_named_library_is_used(library):
    backend = choose_backend("auto", {LIBRARY_VARIABLE: library._name})

    assert backend._library._name == library._name


@pytest.mark.parametrize("path", ["/nowhere/libsodium.so", sys.executable])
def test_a_named_library_that_does_not_work_is_an_error(path):
    with pytest.raises(BackendUnavailable):
        choose_backend("auto", {LIBRARY_VARIABLE: path})


def fail_to_load(*_args: object, **_kwargs: object) -> ctypes.CDLL:
    raise OSError("no such library")


def test_the_carried_library_is_next(monkeypatch):
    monkeypatch.setattr(backends, "_UNIX_NAMES", ())
    monkeypatch.setattr(backends, "_SYSTEM_NAMES", {})

    backend = choose_backend("libsodium", {})

    assert os.path.dirname(backend._library._name) == tempfile.gettempdir()


def test_plain_python_is_the_last_choice(monkeypatch):
    monkeypatch.setattr(ctypes, "CDLL", fail_to_load)
    monkeypatch.setattr(backends, "_load_carried", fail_to_load)

    assert choose_backend("auto", {}).name == "python"
    with pytest.raises(BackendUnavailable):
        choose_backend("libsodium", {})


def test_a_faulty_system_library_is_passed_over(monkeypatch):
    def failing_self_test(backend):
        raise BackendUnavailable("computes wrongly")

    monkeypatch.setattr(sodium, "_self_test", failing_self_test)

    assert choose_backend("auto", {}).name == "python"


@pytest.mark.skipif(os.name != "posix", reason="a loaded library cannot be deleted there")
def test_the_carried_library_leaves_no_file(tmp_path):
    program = (
        "from p2pokey.native import backends\n"
        "backends._UNIX_NAMES, backends._SYSTEM_NAMES = (), {}\n"
        "print(backends.choose_backend('libsodium', {}).base_mul([1]).hex())\n"
    )

    result = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        check=True,
        text=True,
    )

    assert result.stdout.strip() == BASE_POINT.hex()
    assert glob.glob(str(tmp_path / "*")) == []


def test_a_bad_point_is_named(library):
    with pytest.raises(BadPoint):
        Group(choose_backend("libsodium")).mul([2], NOT_A_POINT)
