"""Checks of folders before anything begins, so that a hand is not lost for want of a place."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from p2pokey.cli.exits import CommandError, ExitCode
from p2pokey.errors import JournalInUse
from p2pokey.native.journal import release_lock, take_lock

_TRANSCRIPTS = "hand-*-seat-*.jsonl"
"""What `peer.saving.transcript_name` makes."""


def ready_folder(path: Path) -> Path:
    """Makes the folder if it is missing and makes sure that files can be written there.

    Raises:
        CommandError: they cannot.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        # A new name that nobody can foresee: a link in a shared folder is not followed.
        with tempfile.NamedTemporaryFile(dir=path, prefix=".p2pokey-", suffix=".tmp"):
            pass
    except OSError as error:
        raise _cannot_write(path, error) from error
    return path


def ready_file(path: Path) -> Path:
    """Makes sure, before anything is done, that the file can be written; its contents stay.

    Raises:
        CommandError: it cannot.
    """
    try:
        with path.open("a"):
            pass
    except OSError as error:
        raise _cannot_write(path, error) from error
    return path


@contextmanager
def sole_use(folder: Path) -> Iterator[bool]:
    """Keeps other demos out of a folder that `ready_folder` has made ready.

    Yields whether a demo has used the folder before, so that what lies there is a demo's.

    The empty lock file stays: if it went, two demos could hold a lock on different files.

    Raises:
        CommandError: another demo is in it, or the lock file cannot be written.
    """
    held = folder / ".demo"
    was_a_demos = held.with_name(held.name + ".lock").exists()
    try:
        lock = take_lock(held)
    except JournalInUse as error:
        raise CommandError(
            f"Another demo is using the folder {folder}: choose another one with --out.",
            advice="",
            code=ExitCode.USAGE,
        ) from error
    except OSError as error:
        raise _cannot_write(folder, error) from error
    try:
        yield was_a_demos
    finally:
        release_lock(held, lock, remove=False)


def remove_transcripts(folder: Path, *, are_a_demos: bool) -> int:
    """Removes the transcripts that an earlier demo left; returns how many there were.

    Raises:
        CommandError: one cannot be removed, or they come from a table and not from a demo.
    """
    paths = [path for path in folder.glob(_TRANSCRIPTS) if not path.is_dir()]
    if paths and not are_a_demos:
        raise CommandError(
            f"The folder {folder} holds transcripts that no demo made.",
            advice="Choose another one with --out.",
            code=ExitCode.USAGE,
        )
    try:
        for path in paths:
            path.unlink()
    except OSError as error:
        raise _cannot_write(folder, error) from error
    return len(paths)


def _cannot_write(path: Path, error: OSError) -> CommandError:
    return CommandError(
        f"Cannot write to the folder {path}: {error.strerror or error}.",
        advice="Choose another one with --out.",
        code=ExitCode.USAGE,
    )
