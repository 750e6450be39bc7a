"""Runs a command's asyncio part so that it always cleans up: Ctrl-C, a signal, a parent that dies."""

import asyncio
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from p2pokey.cli.exits import HungUp, Terminated

_Result = TypeVar("_Result")


def run_async(work: Coroutine[Any, Any, _Result], *, until_stdin_ends: bool = False) -> _Result:
    """Runs the coroutine to its end.

    Args:
        work: cancelled on Ctrl-C, SIGTERM and SIGHUP; may clean up then.
        until_stdin_ends: also end when standard input does: the parent holds the other end, and the
            system closes it however the parent ends.

    Raises:
        KeyboardInterrupt: Ctrl-C.
        HungUp: SIGHUP.
        Terminated: SIGTERM, or the end of standard input.
    """
    return asyncio.run(_guard(work, until_stdin_ends))


async def _guard(work: Coroutine[Any, Any, _Result], until_stdin_ends: bool) -> _Result:
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(work)
    why: type[Terminated] | None = None

    def end(reason: type[Terminated] = Terminated) -> None:
        """The first time asks to end; a second signal interrupts the goodbyes."""
        nonlocal why
        why = why or reason
        task.cancel()

    def end_once() -> None:
        if why is None:
            end()

    _on_signals(loop, end)
    if until_stdin_ends:
        threading.Thread(target=_watch_stdin, args=(loop, end_once), daemon=True).start()
    try:
        return await task
    except asyncio.CancelledError:
        if why is not None:
            raise why from None
        # Ctrl-C cancelled this guard; the work has to end before the loop does.
        task.cancel()
        await asyncio.wait([task])
        raise


def _on_signals(loop: asyncio.AbstractEventLoop, end: Callable[[type[Terminated]], None]) -> None:
    if sys.platform == "win32":
        return
    loop.add_signal_handler(signal.SIGTERM, end, Terminated)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as nohup sets it
        loop.add_signal_handler(signal.SIGHUP, end, HungUp)


def _watch_stdin(loop: asyncio.AbstractEventLoop, end: Callable[[], None]) -> None:
    # os.read: the buffered reader's lock would make the interpreter complain at its end.
    with contextlib.suppress(OSError):
        while os.read(0, 4096):
            pass
    with contextlib.suppress(RuntimeError):  # the loop has ended first
        loop.call_soon_threadsafe(end)
