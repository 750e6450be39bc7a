"""Where the program starts: Ctrl-C ends it in one way, whenever it is pressed.

What stands here imports nothing that has to be read from disk, so that Ctrl-C is in hand before all
the rest is loaded: not even `signal`, which loads `enum` and more for the names of its constants.
"""

import _signal
import atexit
import os

_INTERRUPTED = 130
"""`ExitCode.INTERRUPTED`, which is not loaded yet."""


def main() -> int:
    """Runs the program; returns its exit code. Never raises."""
    if _signal.getsignal(_signal.SIGINT) is not _signal.default_int_handler:
        from p2pokey.cli.main import main as run  # deaf to it, as in the background of a shell

        return run()
    _signal.signal(_signal.SIGINT, _stop_loading)
    # Registered first, it comes last: what Python takes apart afterwards can no longer be told.
    atexit.register(_signal.signal, _signal.SIGINT, _signal.SIG_IGN)
    from p2pokey.cli.main import main as run

    try:
        _signal.signal(_signal.SIGINT, _signal.default_int_handler)
        return run()
    except KeyboardInterrupt:  # once more, while the first was being reported
        return _INTERRUPTED
    finally:
        _signal.signal(_signal.SIGINT, _stop_ending)


def _stop_loading(*_: object) -> None:
    """Nothing has begun that would have to be cleaned up."""
    os.write(2, b"\nStopped.\n")
    os._exit(_INTERRUPTED)


def _stop_ending(*_: object) -> None:
    """All is said and cleaned up, and only threads are waited for."""
    os._exit(_INTERRUPTED)
