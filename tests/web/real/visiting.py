"""Pages of real programs: `p2pokey play` in processes of their own, one browser for all of them.

Nothing here stands for anything else: real programs, a real signalling server, real WebRTC between
them, and a real browser. What a test does it does with mouse, fingers or keys.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, BrowserContext, Error, Page, async_playwright

from tests.e2e.programs import Place, Program, place
from tests.web.browser.browsing import DESKTOP, SHOTS, chromium

TIMEOUT_MS = 60_000
"""Of one click: with four programs and four pages on two cores everything takes its time."""
WAIT_S = 240
"""For what the others must do first: shuffle, move, audit."""
LOST = "WebSocket connection to"
"""A page complains of this when its program ends, as it should."""


@dataclass(kw_only=True)
class Guest:
    """One player: a running program, and its page in a browser of its own."""

    name: str
    program: Program
    address: str
    context: BrowserContext
    page: Page
    folder: Path
    errors: list[str] = field(default_factory=list)
    """What the page complained about in its console."""
    requests: list[str] = field(default_factory=list)
    """Every address that any page of the context asked for, WebSockets included."""

    async def read(self, path: str) -> Any:
        """A part of what the page was drawn from, e.g. `view.table.game`; None if it is not there."""
        steps = path.replace(".", "?.")
        return await self.page.evaluate(f"globalThis.p2pokey?.state.{steps} ?? null")

    async def see(self, selector: str, seconds: float = WAIT_S) -> None:
        """Waits until that is on the screen."""
        await self.page.locator(selector).first.wait_for(timeout=seconds * 1000)

    async def click(self, selector: str) -> None:
        """Clicks on the first such element, as soon as it is there."""
        await self.page.locator(selector).first.click()


@dataclass(kw_only=True)
class House:
    """A signalling server, a browser, and whoever is in."""

    browser: Browser
    place: Place
    """Runs the signalling server."""
    folder: Path
    calm: bool = False
    """Whether the players' systems ask for reduced motion."""
    guests: list[Guest] = field(default_factory=list)

    async def enter(
        self, name: str, *more: str, size: tuple[int, int] = DESKTOP, touch: bool = False
    ) -> Guest:
        """Starts a program for that player and opens its page; one with that name comes back."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        program = self.start(folder, "--name", name, *more)
        address = (await asyncio.to_thread(program.wait_for, "PageReady"))["address"]
        context = await self.browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            has_touch=touch,
            is_mobile=touch,
            locale="en-GB",
            reduced_motion="reduce" if self.calm else "no-preference",
            permissions=["clipboard-read", "clipboard-write"],
        )
        context.set_default_timeout(TIMEOUT_MS)
        guest = Guest(
            name=name,
            program=program,
            address=address,
            context=context,
            page=await context.new_page(),
            folder=folder,
        )
        listen(guest)
        self.guests.append(guest)
        await guest.page.goto(address)
        await guest.see(".lobby, .table-screen")
        return guest

    async def picture(self) -> None:
        """Leaves pictures and the state of every page, for whoever has to find out what went wrong."""
        for guest in self.guests:
            with suppress(Error):
                await guest.page.screenshot(path=SHOTS / f"real-{guest.name}.png", timeout=20_000)
                print(guest.name, json.dumps(await guest.read("view"), ensure_ascii=False)[:6000])
            print(guest.name, guest.errors, guest.program.error[-2000:])

    def start(self, folder: Path, *more: str) -> Program:
        """Starts `p2pokey play` with a home of its own in that folder."""
        wishes = ["play", "--no-browser", "--json-progress", *more]
        if self.place.url:
            wishes += ["--server", self.place.url]
        return Place(folder, self.place._stack).start(*wishes)


def listen(guest: Guest) -> None:
    """Writes down what the page asks for and what it complains about."""
    guest.context.on("request", lambda request: guest.requests.append(request.url))
    guest.page.on("websocket", lambda socket: guest.requests.append(socket.url))
    guest.page.on("pageerror", lambda error: guest.errors.append(str(error)))
    guest.page.on(
        "console",
        lambda line: guest.errors.append(line.text) if line.type in ("error", "warning") else None,
    )


@asynccontextmanager
async def open_house(folder: Path, *, server: bool, calm: bool = False) -> AsyncIterator[House]:
    """A browser, and a signalling server where friends are to meet."""
    path = chromium()
    with place(folder) as programs:
        if server:
            await asyncio.to_thread(programs.serve)
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=path)
            house = House(browser=browser, place=programs, folder=folder, calm=calm)
            try:
                yield house
            except BaseException:
                await asyncio.shield(house.picture())
                raise
            finally:
                await browser.close()


def visit(
    folder: Path,
    test: Callable[[House], Awaitable[None]],
    *,
    server: bool = False,
    calm: bool = True,
    seconds: float = 900,
) -> None:
    """Runs a test; whatever becomes of it, no program and no browser is left.

    Args:
        calm: without animations, which without a graphics card take half of a page's time.
    """

    async def run() -> None:
        async with open_house(folder, server=server, calm=calm) as house:
            await test(house)

    asyncio.run(asyncio.wait_for(run(), seconds))
