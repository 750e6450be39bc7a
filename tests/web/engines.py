"""The real engine in this process, with the cheap group, and the page before it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from p2pokey.native.entropy import OsEntropy
from p2pokey.native.profile import HOME_VARIABLE, open_profile
from p2pokey.net.memory import MemoryNetwork
from p2pokey.peer import evening
from p2pokey.web import rooms
from p2pokey.web.engine import IntentRefused
from p2pokey.web.play_engine import PlayEngine
from tests.net.support import signalling_server
from tests.peer.memory import GROUP
from tests.web.schema import check_view

Json = dict[str, Any]
WAIT_S = 60.0


@contextmanager
def engine_at(home: Path, name: str = "Ayşe", **more: Any) -> Iterator[PlayEngine]:
    """The program of the player who lives below that folder."""
    with open_profile(OsEntropy(), guest=False, environment={HOME_VARIABLE: str(home)}) as profile:
        yield PlayEngine(
            profile=profile,
            name=name,
            group=GROUP,
            hands=profile.dirs.hands,
            **{"server": "ws://127.0.0.1:1", **more},
        )


class Page:
    """What the page does: looks at every view, and acts."""

    def __init__(self, engine: PlayEngine) -> None:
        self.engine = engine
        self.changed = asyncio.Event()
        engine.subscribe(self.changed.set)

    async def views(self) -> Any:
        """Every view that differs, until the test has seen enough."""
        while True:
            async with asyncio.timeout(WAIT_S):
                await self.changed.wait()
            self.changed.clear()
            view = self.engine.view()
            check_view(view)
            yield view
            await asyncio.sleep(0)

    async def until(self, there: Callable[[Json], Any]) -> Any:
        """Waits for a view; gives back what `there` makes of it."""
        self.changed.set()
        async for view in self.views():
            if found := there(view):
                return found
        raise AssertionError("the views have ended")

    async def act(self, do: str, **more: Any) -> Any:
        return await self.engine.act({"do": do, **more})

    async def refused(self, do: str, **more: Any) -> str:
        """Code of why an intent is refused."""
        with pytest.raises(IntentRefused) as refusal:
            await self.act(do, **more)
        return refusal.value.code

    async def play_hand(self) -> Any:
        """Takes every advice; the view in which the hand is over, and all stages."""
        stages = []
        async for view in self.views():
            table = view["table"]
            if table is None:
                continue
            if table["stage"]["name"] not in stages:
                stages.append(table["stage"]["name"])
            if is_over(view):
                return view, stages
            game = table["game"]
            if table["handover"] is not None:
                assert game is None or game["rack"] == []
                await self.act("take-seat")
            elif game is not None and game["mine"] and any(game["can"].values()):
                with suppress(IntentRefused):  # the next move is asked for a moment after the view
                    await self.act("hint")
                    advice = self.engine.view()["table"]["advice"]
                    await self.act(**{**advice["intent"], "sure": True})
        raise AssertionError("the views have ended")


def is_over(view: Any) -> bool:
    table = view["table"]
    return table is not None and table["end"] is not None and table["stage"]["name"] == "done"


def stage_of(view: Json) -> Any:
    return view["table"] and view["table"]["stage"]["name"]


def is_playing(view: Json) -> bool:
    return stage_of(view) == "play" and view["table"]["game"] is not None


class Friends:
    """Several players in this process: a real server, and links in memory."""

    def __init__(self, folder: Path, server: str) -> None:
        self._folder, self._server = folder, server
        self._running: dict[int, tuple[PlayEngine, Any]] = {}

    def sit(self, name: str, **more: Any) -> Page:
        """A player's program begins; the same name is the same player."""
        scene = engine_at(self._folder / name, name, server=self._server, **more)
        engine = scene.__enter__()
        self._running[id(engine)] = (engine, scene)
        return Page(engine)

    async def leave(self, page: Page) -> None:
        """The program ends."""
        engine, scene = self._running.pop(id(page.engine))
        await engine.close()
        scene.__exit__(None, None, None)


@asynccontextmanager
async def friends(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Friends]:
    """Ends all programs."""
    network = MemoryNetwork(OsEntropy())
    for module in (rooms, evening):
        monkeypatch.setattr(module, "connector_to", lambda servers: network)
    async with signalling_server() as server:
        made = Friends(folder, server.url)
        try:
            yield made
        finally:
            for engine, scene in list(made._running.values()):
                await engine.close()
                scene.__exit__(None, None, None)
