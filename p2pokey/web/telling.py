"""How far an audit in a thread has come, as the page is told of it."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress

from p2pokey.audit.auditor import Progress

TELL_S = 0.1
"""So often at most the page is told how far the audit has come."""


class Stopped(Exception):
    """Nobody waits for the audit any more."""


def progress_for(
    note: Callable[[tuple[int, int]], None],
    *,
    is_wanted: Callable[[], bool],
    on_change: Callable[[], None],
) -> Progress:
    """What an audit in a thread calls; needs a running event loop.

    Args:
        note: takes the work done and in all; called in the thread.
        is_wanted: whether anybody still waits; if not, the audit ends with `Stopped`.
        on_change: called in the event loop, now and then.
    """
    loop, told = asyncio.get_running_loop(), 0.0

    def progress(done: int, total: int) -> None:
        nonlocal told
        if not is_wanted():
            raise Stopped
        note((done, total))
        if time.monotonic() - told >= TELL_S:
            told = time.monotonic()
            with suppress(RuntimeError):  # the program ends
                loop.call_soon_threadsafe(on_change)

    return progress
