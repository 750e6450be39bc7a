"""The page on one file and nothing else: `p2pokey replay FILE --web`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from p2pokey.audit.reading import Reading
from p2pokey.crypto.group import Group
from p2pokey.tiles import Seat
from p2pokey.web.engine import IntentRefused, View
from p2pokey.web.names import Json
from p2pokey.web.settings import changed, load_settings
from p2pokey.web.viewer import NameOf, Viewer
from p2pokey.web.world import world_json


@dataclass(kw_only=True)
class ReplayEngine:
    """Implements `web.engine.Engine` for whoever only looks; needs no identity and writes nothing."""

    group: Group
    settings: Path
    """How the player likes the page to look."""
    _settings: dict[str, str | bool] = field(init=False)
    _viewer: Viewer = field(init=False)
    _notice: Json | None = None
    _subscribers: list[Callable[[], None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._settings = load_settings(self.settings)
        self._viewer = Viewer(group=self.group, on_change=self._changed, tell=self._tell)

    def open(
        self,
        data: bytes | Reading,
        *,
        file: str,
        name_of: NameOf,
        seat: Seat | None = None,
    ) -> None:
        """Shows a transcript; needs a running event loop. Raises IntentRefused for none."""
        self._viewer.open(data, file=file, name_of=name_of)
        if seat is not None:
            self._viewer.see({"seat": seat})

    def world(self) -> Json:
        """WORLD."""
        return world_json()

    def view(self) -> View:
        """VIEW."""
        replay = self._viewer.json()
        return {
            "screen": "lobby" if replay is None else "replay",
            "me": {"name": "", "named": True, "key": "", "guest": True},
            "settings": dict(self._settings),
            "lobby": {"resumable": [], "public": None, "server": "", "bots": False},
            "gathering": None,
            "table": None,
            "past": None,
            "replay": replay,
            "notice": self._notice,
        }

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Calls back at every change."""
        self._subscribers.append(changed)
        return lambda: self._subscribers.remove(changed)

    async def act(self, intent: Mapping[str, Any]) -> None:
        """Steps, looks from another seat, changes how the page looks."""
        match intent.get("do"):
            case "step":
                self._viewer.step(intent)
            case "see":
                self._viewer.see(intent)
            case "settings":
                self._settings = changed(self._settings, intent)
            case "dismiss":
                self._notice = None
            case _:
                raise IntentRefused("only-replay")
        self._changed()

    async def close(self) -> None:
        """Ends the audit, if it still runs."""
        await self._viewer.finish()

    def _tell(self, notice: Json) -> None:
        self._notice = notice
        self._changed()

    def _changed(self) -> None:
        for subscriber in tuple(self._subscribers):
            subscriber()
