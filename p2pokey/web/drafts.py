"""Unfinished work of one hand: where the tiles lie, and melds that are not sent yet.

It outlives the page and the program: a moment after each change it is written to the table's journal.
"""

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from p2pokey.rules.view import View
from p2pokey.tiles import format_tile
from p2pokey.web.acting import read_wishes
from p2pokey.web.engine import IntentRefused
from p2pokey.web.names import Json, bad_form, read_list, read_tile, tile_names
from p2pokey.web.staging import Stage

MAX_ROWS, MAX_PLACES = 4, 60
"""Of a rack's layout."""
KEEP_S = 0.1
"""Changes within that time are written together."""
READ_S = 3.0
"""So long the whole rack is waited for after coming back, before it is shown."""
Layout = list[list[str | None]]


@dataclass(kw_only=True)
class Drafts:
    """What the player has prepared in the hand that is played."""

    keep: Callable[[bytes], None]
    """Writes what is to be read back by `restore`."""
    on_change: Callable[[], None] = lambda: None
    """Called when something can be shown that had to wait."""
    layout: Layout | None = None
    _stage: Stage = field(default_factory=Stage)
    _attempt: int = -1
    _is_restored: bool = True
    _waits_until: float | None = None
    _timer: asyncio.TimerHandle | None = None
    _shown: tuple[View, Json | None] | None = None

    def begin(self, attempt: int) -> None:
        """Another hand."""
        self._attempt = attempt
        self._stage, self.layout, self._shown = Stage(), None, None
        self._is_restored, self._waits_until = False, None

    def restore(self, data: bytes, view: View) -> bool:
        """What an earlier run of the program has kept, if it is of this hand; once a hand.

        Returns:
            Whether the view can be shown. A tile that cannot be read yet would fall out of its meld, so
            for a moment it is waited for.
        """
        if self._is_restored:
            return True
        kept = self._read(data)
        if kept is not None and not _is_whole(view) and self._waits():
            return False
        self._is_restored = True
        if kept is None:
            return True
        try:
            layout = kept["layout"]
            self.layout = None if layout is None else read_rows(layout)
            self._stage.put(view, read_wishes(kept["melds"]))
            if kept["basis"] != tile_names(sorted(self._stage.basis)):
                self._stage.clear()  # the table of the duel is another one now
        except (ValueError, TypeError, KeyError, IntentRefused, RecursionError):
            pass  # nothing of it is needed
        return True

    def _read(self, data: bytes) -> Json | None:
        """What was kept, if it is of this hand."""
        try:
            kept = json.loads(data)
        except (ValueError, RecursionError):
            return None
        is_ours = isinstance(kept, dict) and kept.get("attempt") == self._attempt
        return kept if is_ours else None

    def _waits(self) -> bool:
        """Whether the rest of the rack may still come; `on_change` is called when that is over."""
        now = time.monotonic()
        if self._waits_until is None:
            self._waits_until = now + READ_S
            asyncio.get_running_loop().call_later(READ_S, self.on_change)
        return now < self._waits_until

    def put_stage(self, view: View, melds: Any) -> None:
        """Melds as the page has put them together; raises IntentRefused for what has no form."""
        self._stage.put(view, read_wishes(melds))
        self._changed()

    def put_layout(self, rows: Any) -> None:
        """Where the tiles lie; raises IntentRefused likewise."""
        self.layout = read_rows(rows)
        self._changed()

    def clear_stage(self) -> None:
        """What was prepared is on the table."""
        self._stage.clear()
        self._changed()

    def staged(self, view: View) -> Json | None:
        """STAGED of docs/page-protocol.md."""
        if self._shown is None or self._shown[0] is not view:
            self._shown = (view, self._stage.json(view))
        return self._shown[1]

    def _changed(self) -> None:
        self._shown = None
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(KEEP_S, self.flush)

    def flush(self) -> None:
        """Writes what is not written yet."""
        if self._timer is None:
            return
        self._timer.cancel()
        self._timer = None
        melds = [
            {
                "tiles": tile_names(wish.tiles),
                "kind": None if wish.kind is None else wish.kind.word,
                "as": {format_tile(tile): str(face) for tile, face in wish.stands.items()},
            }
            for wish in self._stage.wishes
        ]
        kept = {
            "attempt": self._attempt,
            "layout": self.layout,
            "melds": melds,
            "basis": tile_names(sorted(self._stage.basis)),
        }
        self.keep(json.dumps(kept).encode("ascii"))


def _is_whole(view: View) -> bool:
    """Whether the player can read the whole rack."""
    return view.seat is None or len(view.rack()) == len(view.state.racks[view.seat])


def read_rows(value: object) -> Layout:
    """Rows of tile names and gaps; raises IntentRefused for anything else."""
    rows = [
        [None if tile is None else read_tile(tile) for tile in read_list(row, MAX_PLACES)]
        for row in read_list(value, MAX_ROWS)
    ]
    tiles = [tile for row in rows for tile in row if tile is not None]
    if len(set(tiles)) != len(tiles):
        raise bad_form("every tile once")
    assert isinstance(value, list)
    return value
