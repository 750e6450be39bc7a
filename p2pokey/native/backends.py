"""Chooses the group backend on a computer: the fastest that works.

Order: the library named by P2POKEY_LIBSODIUM, the system's libsodium, the copy inside the package
`rbcl`, plain Python. Source: docs/protocol.md S16.
"""

import ctypes
import importlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Literal, TypeAlias

from p2pokey.crypto.reference import PythonBackend
from p2pokey.errors import BackendUnavailable
from p2pokey.native.sodium import SodiumBackend
from p2pokey.native.threads import ThreadedBackend
from p2pokey.ports import GroupBackend

BackendName: TypeAlias = Literal["auto", "libsodium", "python"]

LIBRARY_VARIABLE = "P2POKEY_LIBSODIUM"
"""Environment variable: path of a libsodium to use instead of any other."""

_SYSTEM_NAMES = {
    "win32": ("libsodium.dll",),
    "darwin": (
        "libsodium.dylib",
        "/opt/homebrew/lib/libsodium.dylib",
        "/usr/local/lib/libsodium.dylib",
    ),
}
# Sonames of 1.0.19 and later, of 1.0.18, and the link of a development package. Asked by name:
# ctypes.util.find_library would start a compiler or linker to find out.
_UNIX_NAMES = ("libsodium.so.26", "libsodium.so.23", "libsodium.so")


def choose_backend(
    name: BackendName = "auto",
    environment: Mapping[str, str] = os.environ,
    *,
    threads: int = 1,
) -> GroupBackend:
    """The backend to compute with.

    Args:
        name: `auto` for the fastest that works, or one by name.
        environment: where P2POKEY_LIBSODIUM is looked up.
        threads: how many share long batches, where the backend lets them (plain Python cannot).

    Raises:
        BackendUnavailable: `libsodium` was asked for and none works, or P2POKEY_LIBSODIUM names a
            library that does not work.
    """
    backend = _choose_one(name, environment)
    if threads > 1 and isinstance(backend, SodiumBackend):
        return ThreadedBackend(backend, threads)
    return backend


def _choose_one(name: BackendName, environment: Mapping[str, str]) -> GroupBackend:
    if name == "python":
        return PythonBackend()
    path = environment.get(LIBRARY_VARIABLE)
    if path:
        return _load(partial(ctypes.CDLL, path))
    for load in _candidates():
        with suppress(BackendUnavailable):
            return _load(load)
    if name == "libsodium":
        raise BackendUnavailable("found no libsodium: install it, or the package rbcl")
    return PythonBackend()


def _candidates() -> Iterator[Callable[[], ctypes.CDLL]]:
    for system_name in _SYSTEM_NAMES.get(sys.platform, _UNIX_NAMES):
        yield partial(ctypes.CDLL, system_name)
    yield _load_carried


def _load(load: Callable[[], ctypes.CDLL]) -> SodiumBackend:
    try:
        library = load()
    except (OSError, ImportError) as error:
        raise BackendUnavailable(f"could not load libsodium: {error}") from error
    return SodiumBackend(library)


def _load_carried() -> ctypes.CDLL:
    """The library inside `rbcl`, which writes it to a temporary file and leaves that behind."""
    # rbcl offers no other way to its library than this name.
    carried: ctypes.CDLL = getattr(importlib.import_module("rbcl"), "_sodium")  # noqa: B009
    path: str = carried._name  # noqa: SLF001 - an attribute that ctypes documents
    if os.name == "posix":
        with suppress(OSError):
            os.unlink(path)
    # Same library, but prototypes of our own: those of rbcl belong to rbcl's handle.
    return ctypes.CDLL(path, handle=carried._handle)  # noqa: SLF001 - documented likewise
