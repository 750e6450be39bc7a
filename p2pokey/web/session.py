"""One WebSocket of the page: who it is, what it may do, how much it may send.

Frames are JSON objects. The page begins with `{"k": "hello", "token": ...}`; everything else before it
ends the connection. Then the server sends views and the page sends intents (docs/page-protocol.md).
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

MAX_FRAME_BYTES = 64 * 1024
"""Of one frame in either direction of the page; a drag's layout takes less than 2 KiB."""
HELLO_S = 2.0
"""Seconds within which the token must come."""
FRAMES_PER_S, FRAMES_BURST = 40.0, 120.0
"""A person cannot do more; a page that sends more is broken or hostile."""


class BadFrame(Exception):
    """A frame that the page never sends."""


@dataclass(slots=True)
class Allowance:
    """Frames that may still come: a token bucket."""

    clock: Callable[[], float]
    _left: float = FRAMES_BURST
    _at: float | None = None

    def take(self) -> bool:
        """Whether one more frame is within the rate."""
        now = self.clock()
        passed = 0.0 if self._at is None else now - self._at
        self._at = now
        self._left = min(FRAMES_BURST, self._left + passed * FRAMES_PER_S)
        if self._left < 1:
            return False
        self._left -= 1
        return True


def read_frame(data: str | bytes) -> dict[str, Any]:
    """The object in a frame; BadFrame for anything else."""
    if not isinstance(data, str):
        raise BadFrame("expected text")
    try:
        frame = json.loads(data)
    except (ValueError, RecursionError):
        raise BadFrame("expected JSON") from None
    if not isinstance(frame, dict) or not isinstance(frame.get("k"), str):
        raise BadFrame("expected an object with a kind")
    return frame


def write_frame(kind: str, **values: Any) -> str:
    """The text of a frame to the page."""
    return json.dumps({"k": kind, **values}, separators=(",", ":"), ensure_ascii=True)
