"""`p2pokey play` as whole programs, and the page before them as a client of their socket."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from websockets.asyncio.client import ClientConnection, connect

from tests.e2e.programs import Program
from tests.web.schema import check_view

Json = dict[str, Any]
WAIT_S = 120.0


class PageProgram:
    """One program with its page; `view` is the newest."""

    def __init__(self, program: Program, socket: ClientConnection, world: Json) -> None:
        self.program, self.world = program, world
        self.view: Json = {}
        self._socket = socket
        self._n = 0
        self._done: dict[int, Json] = {}
        self._news = asyncio.Event()
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for data in self._socket:
            frame = json.loads(data)
            if frame["k"] == "view":
                self.view = frame["view"]
                check_view(self.view)
            elif frame["k"] == "done":
                self._done[frame["n"]] = frame
            self._news.set()

    async def until(self, there: Callable[[Json], Any], seconds: float = WAIT_S) -> Any:
        """Waits for a view; gives back what `there` makes of it."""
        try:
            async with asyncio.timeout(seconds):
                while True:
                    if self._reading.done():
                        self._reading.result()
                        raise AssertionError(f"the program has ended: {self.program.error}")
                    self._news.clear()
                    if self.view and (found := there(self.view)):
                        return found
                    await self._news.wait()
        except TimeoutError:
            raise AssertionError(f"waited too long: {_short(self.view)}") from None

    async def act(self, do: str, **more: Any) -> Json:
        """Sends an intent; the frame that answers it."""
        self._n += 1
        number = self._n
        await self._socket.send(
            json.dumps({"k": "intent", "n": number, "intent": {"do": do, **more}})
        )
        async with asyncio.timeout(WAIT_S):
            while number not in self._done:
                self._news.clear()
                await self._news.wait()
        return self._done.pop(number)

    async def does(self, do: str, **more: Any) -> Json | None:
        """An intent that is not refused; what the page gets for it."""
        frame = await self.act(do, **more)
        assert frame["refused"] is None, (do, frame)
        return frame.get("answer")

    async def play_on(self, there: Callable[[Json], Any], seconds: float = 240) -> Any:
        """Makes the moves that are advised until the view is the one."""
        async with asyncio.timeout(seconds):
            while True:
                found = await self.until(lambda view: there(view) or _is_to_move(view))
                if there(self.view):
                    return found
                before = _marks(self.view)
                if (await self.act("hint"))["refused"] is None:
                    advice = await self.until(lambda view: view["table"]["advice"])
                    done = await self.act(**{**advice["intent"], "sure": True})
                    if done["refused"] is None:
                        await self._until_changed(there, before)
                # A move is asked for a moment after the view.
                await asyncio.sleep(0.02)

    async def _until_changed(self, there: Callable[[Json], Any], before: Any) -> None:
        await self.until(lambda view: there(view) or _marks(view) != before)

    async def close(self) -> None:
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)
        await self._socket.close()


def _is_to_move(view: Json) -> bool:
    game = view["table"] and view["table"]["game"]
    return bool(game and game["mine"] and any(game["can"].values()) and None not in game["rack"])


def _marks(view: Json) -> Any:
    game = view["table"] and view["table"]["game"]
    if not game:
        return None
    names = (
        "phase",
        "turn",
        "stack",
        "counts",
        "rack",
        "discards",
        "opened",
        "taken",
        "melds",
        "last",
    )
    return [game[name] for name in names]


def _short(view: Json) -> str:
    table = dict(view.get("table") or {})
    for name in ("sorts", "layout", "options", "trust"):
        table.pop(name, None)
    return json.dumps({**view, "table": table, "past": None})[:4000]


class Programs:
    """Programs that are ended whatever happens."""

    def __init__(self, folder: Path, server: str, mark: str = "") -> None:
        self._folder, self._server, self._mark = folder, server, mark
        self._programs: list[Program] = []
        self._pages: list[PageProgram] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        for page in self._pages:
            await page.close()
        for program in self._programs:
            await asyncio.to_thread(program.close)

    async def play(self, name: str) -> PageProgram:
        """A player's program, and its page; the same name is the same player."""
        home = self._folder / name
        home.mkdir(exist_ok=True)
        words = ["-m", "p2pokey", "play", "--no-browser", "--json-progress", "--exit-with-stdin"]
        words += ["--name", name, "--server", self._server]
        program = Program(words, home=home, mark=self._mark)
        self._programs.append(program)
        ready = await asyncio.to_thread(program.wait_for, "PageReady")
        page = await open_page(program, ready["address"])
        self._pages.append(page)
        return page

    async def kill(self, page: PageProgram) -> None:
        """kill -9."""
        page.program.process.kill()
        await asyncio.to_thread(page.program.process.wait)
        await page.close()


async def open_page(program: Program, address: str) -> PageProgram:
    host, _, token = address.removeprefix("http://").partition("/#t=")
    socket = await connect(
        f"ws://{host}/ws", origin=f"http://{host}", compression=None, max_size=None
    )
    await socket.send(json.dumps({"k": "hello", "token": token}))
    world = json.loads(await socket.recv())
    page = PageProgram(program, socket, world)
    await page.until(lambda view: view)
    return page


@asynccontextmanager
async def signalling(folder: Path) -> AsyncIterator[str]:
    """A signalling server; its address."""
    words = ["-m", "p2pokey", "signal", "--port", "0", "--json-progress", "--exit-with-stdin"]
    program = Program(words, home=folder)
    try:
        yield (await asyncio.to_thread(program.wait_for, "Listening"))["url"]
    finally:
        await asyncio.to_thread(program.close)
