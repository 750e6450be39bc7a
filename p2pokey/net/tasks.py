"""Background tasks whose failures are not lost.

asyncio mentions an exception of a task that nobody waits for only when the task is collected, which
may be never. Every background task of `net` is started here.
"""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

_log = logging.getLogger(__name__)


def spawn(work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
    """Starts a task; an exception in it is logged at once. The caller keeps and cancels it."""
    task = asyncio.create_task(work, name=name)
    task.add_done_callback(_report)
    return task


def _report(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and task.exception() is not None:
        _log.error("%s failed", task.get_name(), exc_info=task.exception())


async def cancel(*tasks: asyncio.Task[Any] | None) -> None:
    """Cancels tasks and waits for their end; None, ended ones and the running one are left out."""
    running = [task for task in tasks if task is not None and task is not asyncio.current_task()]
    for task in running:
        task.cancel()
    if running:
        await asyncio.wait(running)
