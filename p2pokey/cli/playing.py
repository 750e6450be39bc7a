"""`p2pokey play`: the table in the browser, served by the player's own program."""

import asyncio
import webbrowser
from dataclasses import dataclass

from p2pokey.cli.exits import CommandError, ExitCode
from p2pokey.cli.folders import ready_folder
from p2pokey.cli.logs import log_to_file
from p2pokey.cli.output import Output
from p2pokey.cli.running import run_async
from p2pokey.cli.who import name_of, transcript_folder
from p2pokey.crypto.group import Group
from p2pokey.native.backends import BackendName, choose_backend
from p2pokey.native.entropy import OsEntropy
from p2pokey.native.profile import open_profile
from p2pokey.native.threads import usual_threads
from p2pokey.web.play_engine import PlayEngine
from p2pokey.web.server import PageServer, open_page_server


@dataclass(frozen=True, slots=True, kw_only=True)
class PageWishes:
    """What the command line said."""

    name: str | None
    guest: bool
    server: str
    port: int
    browser: bool
    backend: BackendName
    json_progress: bool
    exit_with_stdin: bool


def run_play(output: Output, wishes: PageWishes) -> int:
    """Serves the page until it is stopped."""
    entropy = OsEntropy()
    with open_profile(entropy, guest=wishes.guest) as profile:
        if not profile.is_guest:
            log_to_file(profile.dirs.logs)
        engine = PlayEngine(
            profile=profile,
            name=name_of(wishes.name, profile),
            group=Group(choose_backend(wishes.backend, threads=usual_threads())),
            hands=ready_folder(transcript_folder(profile)),
            server=wishes.server,
        )
        run_async(_serve(output, wishes, engine), until_stdin_ends=wishes.exit_with_stdin)
    return ExitCode.OK


async def _serve(output: Output, wishes: PageWishes, engine: PlayEngine) -> None:
    try:
        async with open_page_server(engine, OsEntropy(), port=wishes.port) as page:
            _announce(output, wishes, page)
            await asyncio.Event().wait()
    except OSError as error:
        raise CommandError(
            f"The page cannot be served on port {wishes.port}: {error.strerror or error}.",
            advice="Choose another one with --port, or leave it out.",
            code=ExitCode.USAGE,
        ) from error
    finally:
        await engine.close()


def _announce(output: Output, wishes: PageWishes, page: PageServer) -> None:
    if wishes.json_progress:
        output.record({"event": "PageReady", "address": page.address})
        return
    output.say("Your table is in the browser; Ctrl-C here ends it. The address is for you alone:")
    output.data(page.address)
    if wishes.browser:
        webbrowser.open(page.address)
