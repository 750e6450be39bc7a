"""Checks of folders before anything begins, so that a hand is not lost for want of a place."""

import tempfile
from pathlib import Path

from p2pokey.cli.exits import CommandError, ExitCode


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
        reason = error.strerror or str(error)
        raise CommandError(
            f"Cannot write to the folder {path}: {reason}.",
            advice="Choose another one with --out.",
            code=ExitCode.USAGE,
        ) from error
    return path
