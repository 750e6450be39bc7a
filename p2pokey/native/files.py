"""Files that survive a crash: whole or not there."""

import os
from pathlib import Path

PRIVATE = 0o600
"""Only the owner may read it."""


def write_atomic(path: Path, data: bytes, *, mode: int = 0o644) -> None:
    """Writes a file so that a reader, also after a crash, finds the old one or the whole new one.

    Args:
        path: in a directory that exists.
        mode: permission bits.

    Raises:
        OSError: it cannot be written; nothing is left behind.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_directory(path.parent)


def sync_directory(path: Path) -> None:
    """Makes new names in a directory last; does nothing where directories cannot be synced."""
    if os.name != "posix":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
