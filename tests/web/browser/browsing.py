"""A real browser on the page of an engine, for the tests in this folder.

Needs a Chromium of the system (`apt-get install chromium`) and the Python package playwright, which
drives it. `P2POKEY_CHROMIUM` names another binary.
"""

import asyncio
import os
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Page, async_playwright

from p2pokey.native.entropy import OsEntropy
from p2pokey.web.engine import Engine
from p2pokey.web.server import PageServer, open_page_server

DESKTOP, PHONE, LANDSCAPE, TINY = (1280, 800), (390, 844), (844, 390), (320, 640)
SIZES = {"desktop": DESKTOP, "phone": PHONE, "landscape": LANDSCAPE, "tiny": TINY}
SHOTS = Path(os.environ.get("P2POKEY_SHOTS", "build/shots"))
"""Where screenshots are left, to be looked at."""
TIMEOUT_MS = 8000


def chromium() -> str:
    """Path of the browser; skips the test where there is none."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = os.environ.get("P2POKEY_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if found is None:
        pytest.skip("no chromium on this computer (apt-get install chromium)")
    return found


@dataclass
class Visit:
    """One browser on one page server."""

    page: Page
    server: PageServer
    browser: Browser
    errors: list[str] = field(default_factory=list)
    """What the page complained about in its console."""
    requests: list[str] = field(default_factory=list)
    """Every address that was asked for."""

    async def another(self, size: tuple[int, int] = DESKTOP) -> Page:
        """One more tab of the same server."""
        context = await self.browser.new_context(viewport=_box(size))
        page = await context.new_page()
        page.set_default_timeout(TIMEOUT_MS)
        await page.goto(self.server.address)
        return page

    async def local(self, name: str) -> Any:
        """A value of the page's local state."""
        return await self.page.evaluate(f"p2pokey.state.local.{name}")

    async def shot(self, name: str) -> None:
        """Leaves a picture of what is seen."""
        await self.page.screenshot(path=SHOTS / f"{name}.png")  # makes the folder, too


def browse(
    engine: Callable[[], Engine],
    test: Callable[[Visit, Any], Awaitable[None]],
    *,
    size: tuple[int, int] = DESKTOP,
    touch: bool = False,
    scale: float = 1,
    seconds: float = 100,
) -> None:
    """Runs a test on the page of an engine, which is made on the event loop of the test.

    Fails if the page wrote an error or a warning to its console.
    """
    path = chromium()

    async def run() -> None:
        made = engine()
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=path)
            try:
                async with open_page_server(made, OsEntropy()) as server:
                    context = await browser.new_context(
                        viewport=_box(size),
                        has_touch=touch,
                        is_mobile=touch,
                        device_scale_factor=scale,
                    )
                    visit = Visit(await context.new_page(), server, browser)
                    await _open(visit)
                    await test(visit, made)
                    await context.close()
                    assert visit.errors == []
            finally:
                await browser.close()

    asyncio.run(asyncio.wait_for(run(), seconds))


async def _open(visit: Visit) -> None:
    page = visit.page
    page.set_default_timeout(TIMEOUT_MS)
    page.on("pageerror", lambda error: visit.errors.append(str(error)))
    page.on(
        "console",
        lambda line: visit.errors.append(line.text) if line.type in ("error", "warning") else None,
    )
    page.on("request", lambda request: visit.requests.append(request.url))
    await page.goto(visit.server.address)
    await page.wait_for_selector("#app > div")


def _box(size: tuple[int, int]) -> Any:
    return {"width": size[0], "height": size[1]}


async def until(true: Callable[[], Any], seconds: float = 5) -> Any:
    """Waits until the function returns something true; returns that."""
    for _ in range(int(seconds / 0.02)):
        found = true()
        if found:
            return found
        await asyncio.sleep(0.02)
    raise AssertionError("it did not happen in time")


async def wait_js(page: Page, expression: str, seconds: float = 8) -> None:
    """Waits until that is true in the page.

    Playwright's own way needs `eval` in the page, which its policy forbids.
    """
    for _ in range(int(seconds / 0.03)):
        if await page.evaluate(expression):
            return
        await asyncio.sleep(0.03)
    raise AssertionError(f"never true: {expression}")
