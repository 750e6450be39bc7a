"""Serves the page of a command until it is stopped, and opens it in the browser where there is one."""

import asyncio
import os
import sys
import webbrowser
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass

from p2pokey.cli.exits import CommandError, ExitCode
from p2pokey.cli.output import Output
from p2pokey.native.entropy import OsEntropy
from p2pokey.web.engine import Engine
from p2pokey.web.server import PageServer, open_page_server


@dataclass(frozen=True, slots=True, kw_only=True)
class PageWishes:
    """What the command line says of the page."""

    port: int
    """0: a free one."""
    browser: bool
    json_progress: bool
    exit_with_stdin: bool


async def serve_page(
    output: Output,
    wishes: PageWishes,
    engine: Engine,
    *,
    sentence: str,
    begin: Callable[[], None] = lambda: None,
    close: Callable[[], Awaitable[None]],
) -> None:
    """Serves an engine for as long as this is not cancelled.

    Args:
        sentence: what the page is, for whoever reads the address.
        begin: called once there is an event loop.
        close: ends what the engine does.

    Raises:
        CommandError: the port is taken, or may not be used.
    """
    try:
        begin()
        async with AsyncExitStack() as stack:
            page = await _open(wishes, engine, stack)
            _announce(output, wishes, page, sentence)
            await asyncio.Event().wait()
    finally:
        await close()


async def _open(wishes: PageWishes, engine: Engine, stack: AsyncExitStack) -> PageServer:
    try:
        server = open_page_server(engine, OsEntropy(), port=wishes.port)
        return await stack.enter_async_context(server)
    except OSError as error:
        raise CommandError(
            f"The page cannot be served on port {wishes.port}: {_reason(error)}.",
            advice="Choose another one with --port, or leave it out.",
            code=ExitCode.USAGE,
        ) from error


def _announce(output: Output, wishes: PageWishes, page: PageServer, sentence: str) -> None:
    if wishes.json_progress:
        output.record({"event": "PageReady", "address": page.address})
        return
    output.say(f"{sentence}; Ctrl-C here ends it. The address is for you alone:")
    output.data(page.address)
    if wishes.browser and not open_browser(page.address):
        output.say("No browser could be opened: copy the address into one on this computer.")


def open_browser(address: str) -> bool:
    """Opens a browser with windows; False where there is none.

    A browser in the terminal would take the terminal over and cannot show the page.
    """
    is_unix = sys.platform not in ("win32", "darwin")
    if is_unix and not any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))):
        return False
    with suppress(webbrowser.Error, OSError):
        return webbrowser.open(address)
    return False


def _reason(error: OSError) -> str:
    """The system's own words; asyncio's are longer and say the same."""
    return os.strerror(error.errno) if error.errno else str(error)
