"""Brings what the links receive into the postbox and wakes whoever waits for it."""

import asyncio
import logging
from collections.abc import Callable
from types import TracebackType
from typing import Self

from p2pokey.errors import ConnectError
from p2pokey.net.mesh import LinkChanged, MeshEvent
from p2pokey.peer.links import Links
from p2pokey.peer.postbox import Postbox

_log = logging.getLogger(__name__)


class Inbox:
    """A running reader of all links; use it as an async context manager."""

    def __init__(
        self, links: Links, postbox: Postbox, on_change: Callable[[LinkChanged], None]
    ) -> None:
        """Args: on_change: told of every change, on the event loop."""
        self.postbox = postbox
        self._links = links
        self._on_change = on_change
        self._news = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._failure: Exception | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._read())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._task is not None
        self._task.cancel()
        await asyncio.wait([self._task])

    def wake(self) -> None:
        """Ends the current `wait`."""
        self._news.set()

    def fail(self, error: Exception) -> None:
        """Ends the current `wait` and every later one with that error."""
        self._failure = error
        self.wake()

    async def wait(self, timeout_s: float | None) -> None:
        """Returns when something has arrived since the last call, or after the time.

        Raises:
            ConnectError: the links have failed as a whole.
            Exception: what `fail` was told.
        """
        try:
            async with asyncio.timeout(timeout_s):
                await self._news.wait()
        except TimeoutError:
            pass
        self._news.clear()
        if self._failure is not None:
            raise self._failure
        if self._task is not None and self._task.done():
            self._task.result()
            raise ConnectError("the links to the other players ended")

    async def _read(self) -> None:
        try:
            while True:
                event = await self._links.next_event()
                if event is not None:
                    self._take(event)
                # An event that is already there is returned without a pause.
                await asyncio.sleep(0)
        finally:
            self._news.set()

    def _take(self, event: MeshEvent) -> None:
        self.postbox.put(event)
        if isinstance(event, LinkChanged):
            _log.info("seat %d is %s %s", event.seat + 1, event.state, event.reason)
            self._on_change(event)
        self._news.set()
