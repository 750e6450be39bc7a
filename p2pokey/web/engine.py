"""What the page talks to: an engine that takes intents and shows views (docs/page-protocol.md).

The page knows nothing else. Today the engine is this program behind a WebSocket; one inside the
browser can take its place.
"""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

View = dict[str, Any]
"""A whole, redacted snapshot as JSON: what one player may see just now, and nothing secret."""


class IntentRefused(Exception):
    """The engine will not do that; the page has the sentence for the code in its own language."""

    def __init__(self, code: str, **details: Any) -> None:
        super().__init__(code)
        self.code = code
        """Key of a sentence in the page's catalogues."""
        self.details = details
        """Numbers and names for that sentence."""


class Engine(Protocol):
    """One player's program, as the page sees it."""

    def world(self) -> dict[str, Any]:
        """What never changes: games and their options, phrases, version."""

    def view(self) -> View:
        """The newest view."""

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Calls `changed`, on the event loop, whenever `view` is another one; returns the end of it."""

    async def act(self, intent: Mapping[str, Any]) -> dict[str, Any] | None:
        """Does what the player wants.

        Args:
            intent: an object with the text `do` and whatever belongs to it; untrusted in form.

        Returns:
            What the page gets for it besides views, e.g. a file; None for nothing.

        Raises:
            IntentRefused: it cannot be done, or has no proper form.
        """
