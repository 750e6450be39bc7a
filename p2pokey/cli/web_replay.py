"""`p2pokey replay FILE --web`: the replay screen of the page on one file."""

from contextlib import suppress
from pathlib import Path

from p2pokey.audit.reading import read_transcript
from p2pokey.cli.exits import ExitCode
from p2pokey.cli.output import Output
from p2pokey.cli.replaying import read_data, seat_of, unreadable
from p2pokey.cli.running import run_async
from p2pokey.cli.serving import PageWishes, serve_page
from p2pokey.crypto.group import Group
from p2pokey.errors import DecodeError
from p2pokey.native.backends import BackendName, choose_backend
from p2pokey.native.contacts import load_contacts
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.native.profile import find_dirs
from p2pokey.native.threads import usual_threads
from p2pokey.peer.table_names import load_names
from p2pokey.web.replay_engine import ReplayEngine
from p2pokey.web.viewer import NameOf


def run_web_replay(
    output: Output, *, file: Path, seat: int | None, backend: BackendName, page: PageWishes
) -> int:
    """Serves the page until it is stopped.

    Args:
        seat: 1-based seat whose view is shown first; None shows all racks.

    Raises:
        CommandError: the file is no transcript, or the seat none of it.
    """
    try:
        reading = read_transcript(read_data(file), Ed25519Verifier())
    except DecodeError as error:
        raise unreadable(file, str(error)) from error
    viewer = seat_of(seat, reading.setup.seats)
    dirs = find_dirs()
    engine = ReplayEngine(
        group=Group(choose_backend(backend, threads=usual_threads())),
        settings=dirs.config / "page.json",
    )
    names = _names(file, dirs.contacts)
    work = serve_page(
        output,
        page,
        engine,
        sentence=f"{file.name} is in the browser",
        begin=lambda: engine.open(reading, file=file.name, name_of=names, seat=viewer),
        close=engine.close,
    )
    run_async(work, until_stdin_ends=page.exit_with_stdin)
    return ExitCode.OK


def _names(file: Path, contacts: Path) -> NameOf:
    """Names of the players, as far as this computer knows them."""
    names = {key: known.name for key, known in load_names(file.parent).items()}
    with suppress(OSError, DecodeError):  # the seats are numbered then
        names = {contact.key: contact.name for contact in load_contacts(contacts)} | names
    return names.get
