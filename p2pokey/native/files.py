"""Files that survive a crash: whole or not there."""

import os
import secrets
from pathlib import Path

PRIVATE = 0o600
"""Only the owner may read it."""


def write_atomic(path: Path, data: bytes, *, mode: int = 0o644) -> None:
    """Writes a file so that a reader, also after a crash, finds the old one or the whole new one.

    Args:
        path: in a directory that exists; a link there is replaced, not followed.
        mode: permission bits.

    Raises:
        OSError: it cannot be written; nothing is left behind.
    """
    # O_EXCL refuses a name that somebody else has put there, a link included.
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
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
