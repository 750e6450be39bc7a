"""`p2pokey play`: the table in the browser, served by the player's own program."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from p2pokey.cli.evening import connector_for
from p2pokey.cli.exits import CommandError, ExitCode
from p2pokey.cli.folders import ready_folder
from p2pokey.cli.logs import log_to_file
from p2pokey.cli.output import Output
from p2pokey.cli.page_bots import page_bots
from p2pokey.cli.running import run_async
from p2pokey.cli.serving import PageWishes, serve_page
from p2pokey.cli.who import is_named, name_of, transcript_folder
from p2pokey.crypto.group import Group
from p2pokey.errors import ConnectError, JournalInUse
from p2pokey.native.backends import BackendName, choose_backend
from p2pokey.native.entropy import OsEntropy
from p2pokey.native.journal import release_lock, take_lock
from p2pokey.native.profile import HOME_VARIABLE, Profile, open_profile
from p2pokey.native.threads import usual_threads
from p2pokey.net.signalling import check_server
from p2pokey.web.play_engine import PlayEngine

_ELSEWHERE = f"Choose another home with {HOME_VARIABLE}, or begin in a folder that can be written."


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayWishes:
    """What the command line said of the player."""

    name: str | None
    guest: bool
    server: str
    ice: tuple[str, ...]
    pace_s: float | None
    backend: BackendName


def run_play(output: Output, wishes: PlayWishes, page: PageWishes) -> int:
    """Serves the page until it is stopped.

    Raises:
        CommandError: a wrong option, a folder that cannot be written, or the profile's page is open
            in another program.
    """
    _check(wishes)
    with _profile(wishes) as profile:
        name = name_of(wishes.name, profile)
        engine = PlayEngine(
            profile=profile,
            name=name,
            is_named=is_named(name, wishes.name, profile),
            group=Group(choose_backend(wishes.backend, threads=usual_threads())),
            hands=_ready(transcript_folder(profile)),
            server=wishes.server,
            make_bots=page_bots(profile.tables, wishes.backend, wishes.ice),
            ice=wishes.ice,
            pace_s=wishes.pace_s,
        )
        work = serve_page(
            output, page, engine, sentence="Your table is in the browser", close=engine.close
        )
        run_async(work, until_stdin_ends=page.exit_with_stdin)
    return ExitCode.OK


def _check(wishes: PlayWishes) -> None:
    """What would only be found when friends are already waiting."""
    connector_for(wishes.ice)
    try:
        check_server(wishes.server)
    except ConnectError as error:
        raise CommandError(
            str(error), advice="Give the address of a server with --server.", code=ExitCode.USAGE
        ) from error


@contextmanager
def _profile(wishes: PlayWishes) -> Iterator[Profile]:
    """The player, in no other page at the same time; a guest may have as many as there are guests."""
    try:
        profile = open_profile(OsEntropy(), guest=wishes.guest)
    except OSError as error:
        raise _cannot_write(error) from error
    with profile:
        if profile.is_guest:
            yield profile
            return
        log_to_file(profile.dirs.logs)
        page = _ready(profile.dirs.state) / "page"
        try:
            lock = take_lock(page)
        except JournalInUse as error:
            raise CommandError(
                "Your page is open in another program already.",
                advice="Go on there, or end it first; --guest plays without your identity.",
                code=ExitCode.IN_USE,
            ) from error
        try:
            yield profile
        finally:
            release_lock(page, lock, remove=False)


def _ready(folder: Path) -> Path:
    try:
        return ready_folder(folder)
    except CommandError as error:
        raise CommandError(str(error), advice=_ELSEWHERE, code=error.code) from error


def _cannot_write(error: OSError) -> CommandError:
    where = f" {error.filename}" if error.filename else ""
    return CommandError(
        f"The folder of your identity cannot be used:{where} {error.strerror or error}.",
        advice=_ELSEWHERE,
        code=ExitCode.USAGE,
    )
