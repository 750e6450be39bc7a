"""What takes the solvers a while, computed in a thread: orders of the rack, and hints.

A view never waits for it: it is shown without, and again when it is there.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from p2pokey.net.tasks import spawn
from p2pokey.rules.view import View
from p2pokey.web.hints import hints_json
from p2pokey.web.names import Json
from p2pokey.web.sorting import sorts_json

NO_HINTS: Json = {"playable": [], "opening": None}
"""In a game without an open table, and until the solvers have answered."""
Work = Callable[[View], Json | None]


@dataclass(kw_only=True)
class Later:
    """One thing that follows from some part of a view."""

    work: Work
    part: Callable[[View], Any]
    """What it follows from; as long as that is equal, so is the result."""
    on_change: Callable[[], None]
    keeps: bool = False
    """Whether the last result is shown until there is a newer one."""
    _seen: Any = None
    _found: Json | None = None
    _task: asyncio.Task[None] | None = None

    def of(self, view: View) -> Json | None:
        """What is known for this view; None: it is being computed, or there is nothing."""
        part = self.part(view)
        if part != self._seen:
            self._seen = part
            if not self.keeps:
                self._found = None
            self._task = spawn(self._find(part, view), "helping")
        return self._found

    async def _find(self, part: Any, view: View) -> None:
        found = await asyncio.to_thread(self.work, view)
        if part is self._seen:
            self._found = found
            self.on_change()


@dataclass(kw_only=True)
class Helper:
    """Sorts for everybody, hints where they are allowed."""

    on_change: Callable[[], None]
    _sorts: Later = field(init=False)
    _hints: Later = field(init=False)

    def __post_init__(self) -> None:
        changed = self.on_change
        self._sorts = Later(work=sorts_json, part=_rack, on_change=changed)
        self._hints = Later(work=hints_json, part=_table, on_change=changed, keeps=True)

    def sorts(self, view: View) -> Json | None:
        """SORTS of docs/page-protocol.md."""
        return None if view.seat is None else self._sorts.of(view)

    def hints(self, view: View) -> Json | None:
        """HINTS of docs/page-protocol.md; never null, so that the page knows that it may ask."""
        return NO_HINTS if view.seat is None else self._hints.of(view) or NO_HINTS


def _rack(view: View) -> object:
    return view.state.rules.key, view.state.okey, tuple(view.rack())


def _table(view: View) -> object:
    return _rack(view), view.state.table
