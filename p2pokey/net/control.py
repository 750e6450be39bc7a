"""What the host's player may say while friends are gathered.

A `HostControl` is made by whoever calls `host_table` and stays with the caller: `reopen` and `close`
may be called at any time while the table comes together, from the same event loop.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

MAX_WINDOW_S = 3600
"""Longest window; a server cuts longer wishes as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowOrder:
    """The window is to be open for that long from now on; 0: closed."""

    seconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GiveUpOrder:
    """Nobody is waited for any longer."""


Order = WindowOrder | GiveUpOrder


@dataclass(slots=True, kw_only=True)
class HostControl:
    """Opens and closes the window of a table in the making.

    With one of these a window that has run out does not end the table: it waits, as long as
    `Limits.waiting_s`, to be opened again. Codes and links stay what they were.
    """

    _orders: deque[Order] = field(default_factory=deque, init=False)
    _wake: Callable[[], None] = field(default=lambda: None, init=False)

    def reopen(self, seconds: int) -> None:
        """Lets people in for `seconds` (1-3600) from now on, whether or not the window is closed."""
        assert 1 <= seconds <= MAX_WINDOW_S
        self._give(WindowOrder(seconds=seconds))

    def close(self) -> None:
        """Lets nobody in until `reopen`; who is on the way in may go on."""
        self._give(WindowOrder(seconds=0))

    def give_up(self) -> None:
        """Ends the gathering as a window that runs out does without a control."""
        self._give(GiveUpOrder())

    # --- for whoever gathers ---

    def attach(self, wake: Callable[[], None]) -> None:
        """From now on `wake` is called when there is an order to `take`."""
        self._wake = wake
        if self._orders:
            wake()

    def take(self) -> list[Order]:
        """What was ordered since the last time."""
        orders = list(self._orders)
        self._orders.clear()
        return orders

    def _give(self, order: Order) -> None:
        self._orders.append(order)
        self._wake()
