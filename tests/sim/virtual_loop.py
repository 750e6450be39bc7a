"""An asyncio event loop whose clock jumps to the next timer, and the one thread of each program.

Nothing waits: hours of patience pass in milliseconds, and everything that happens follows from the
order in which it was asked for. Work for a thread takes virtual time and is done in one go.
"""

import asyncio
from asyncio import base_events
from collections import deque
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

MAX_SPINS = 200_000
"""Rounds of the loop without any time passing: something runs in circles."""


class NothingHappens(AssertionError):
    """Every task waits and no timer is set."""


class VirtualLoop(base_events.BaseEventLoop):
    """The loop. It has no sockets."""

    def __init__(self) -> None:
        super().__init__()
        self._now = 0.0
        self._spins = 0
        self._selector = self

    def time(self) -> float:
        return self._now

    def select(self, timeout: float | None) -> list[Any]:
        """In place of a selector: time passes at once."""
        if timeout is None:
            raise NothingHappens("every task waits and no timer is set")
        if timeout > 0:
            self._now += timeout
            self._spins = 0
        self._spins += 1
        if self._spins > MAX_SPINS:
            raise AssertionError("the loop turns in circles")
        return []

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> Any:
        return executor.submit(func, *args)

    def _process_events(self, event_list: list[Any]) -> None:
        pass

    def _write_to_self(self) -> None:
        pass


PACE: ContextVar[Callable[[], float]] = ContextVar("pace")
"""Seconds that the next piece of work takes, and whether its program still runs."""


class VirtualThread:
    """Takes the place of a `ThreadPoolExecutor` with one worker."""

    def __init__(self, **ignored: Any) -> None:
        self._jobs: deque[tuple[Callable[..., Any], tuple[Any, ...], asyncio.Future[Any]]] = deque()
        self._is_busy = False

    def submit(self, work: Callable[..., Any], *args: Any) -> "asyncio.Future[Any]":
        future = asyncio.get_running_loop().create_future()
        self._jobs.append((work, args, future))
        self._begin()
        return future

    def shutdown(self, *, wait: bool = True, cancel_futures: bool = False) -> None:
        pass

    def _begin(self) -> None:
        if self._jobs and not self._is_busy:
            self._is_busy = True
            asyncio.get_running_loop().call_later(PACE.get()(), self._work)

    def _work(self) -> None:
        work, args, future = self._jobs.popleft()
        self._is_busy = False
        if not future.cancelled():
            try:
                result = work(*args)
            except BaseException as error:  # noqa: BLE001 - as a thread hands it on
                if not future.done():
                    future.set_exception(error)
                    future.exception()  # whoever waits for it may be gone
            else:
                if not future.done():
                    future.set_result(result)
        self._begin()
