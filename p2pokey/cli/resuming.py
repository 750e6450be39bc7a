"""`p2pokey resume`: back to a table that this computer has left, whatever ended the program."""

import shlex
import time
from contextlib import suppress
from pathlib import Path

from p2pokey.cli.asking import can_ask
from p2pokey.cli.bots import Bots
from p2pokey.cli.evening import TerminalShell, connector_for
from p2pokey.cli.exits import CommandError, ExitCode, sentence_of
from p2pokey.cli.folders import ready_folder
from p2pokey.cli.logs import log_to_file
from p2pokey.cli.output import Output
from p2pokey.cli.running import run_async
from p2pokey.cli.telling import Teller
from p2pokey.crypto.group import Group
from p2pokey.errors import ConnectError, DecodeError, JournalInUse
from p2pokey.native.backends import BackendName, choose_backend
from p2pokey.native.entropy import OsEntropy
from p2pokey.native.identity import Ed25519Signer
from p2pokey.native.profile import find_dirs, load_identity
from p2pokey.native.threads import usual_threads
from p2pokey.net.meeting import resume_table
from p2pokey.peer.evening import Evening
from p2pokey.peer.table_journal import TableJournal, table_folders, without_superseded


def run_resume(
    output: Output,
    *,
    folder: Path | None,
    backend: BackendName,
    threads: int | None,
    json_progress: bool,
    exit_with_stdin: bool,
    console: bool = False,
) -> int:
    """Comes back to the one table below the folder and plays on."""
    diary = open_table(find_dirs().journals if folder is None else folder)
    try:
        group = Group(choose_backend(backend, threads=threads or usual_threads()))
        teller = Teller(output, as_json=json_progress, clock=time.monotonic)
        has_console = console or (can_ask() and not (exit_with_stdin or json_progress))
        while True:
            signer = _signer(diary)
            if diary.person.guest_secret is None:
                log_to_file(find_dirs().logs)
            ready_folder(diary.person.out)
            work = _come_back(diary, signer, group, teller, has_console=has_console)
            try:
                with Bots(state=diary.folder.parent, options=("--backend", backend)) as bots:
                    bots.come_back(diary.membership.roster, signer.public_key)
                    run_async(work, until_stdin_ends=exit_with_stdin)
                return ExitCode.OK
            except ConnectError as error:
                diary.close()
                before = diary.reopen_before()
                if before is None:
                    raise _not_reached(diary, error) from error
                diary = before
            output.say("Nobody of the new table can be reached: back to the one before it.")
    finally:
        diary.close()


async def _come_back(
    diary: TableJournal,
    signer: Ed25519Signer,
    group: Group,
    teller: Teller,
    *,
    has_console: bool,
) -> None:
    mesh = await resume_table(
        signer=signer,
        membership=diary.membership,
        on_progress=teller.meeting,
        connector=connector_for(diary.person.ice),
    )
    contacts = None if diary.person.guest_secret is not None else find_dirs().contacts
    own = diary.membership.roster.seats[diary.membership.seat]
    shell = TerminalShell(
        teller, contacts=contacts, has_console=has_console, is_bot=own.is_computer
    )
    evening = Evening(signer=signer, group=group, shell=shell, password=None)
    await evening.play(mesh, diary, is_resumed=True)


def open_table(parent: Path) -> TableJournal:
    """The one table that can be resumed below a folder, open and locked.

    Of two tables of the same players it is the newer one.

    Raises:
        CommandError: there is none, there are several, or another program has it.
    """
    opened: list[TableJournal] = []
    used: list[Path] = []
    lost: list[DecodeError] = []
    broken: list[Path] = []
    for folder in table_folders(parent):
        try:
            opened.append(TableJournal.reopen(folder))
        except JournalInUse:
            used.append(folder)
        except DecodeError as error:
            lost.append(error)
            broken.append(folder)
    newest = without_superseded(opened)
    for journal in opened:
        if newest != [journal]:
            journal.close()
    if len(newest) == 1:
        return newest[0]
    opened = newest
    raise _none_or_many(opened, used, lost, broken)


def _not_reached(diary: TableJournal, error: ConnectError) -> CommandError:
    folder = f" {shlex.quote(str(diary.folder))}" if diary.folder.is_dir() else ""
    forget = f"p2pokey resume --forget{folder}"
    return CommandError(
        sentence_of(error),
        advice=f"Try again later; if nobody will come back, give the seat up with: {forget}",
        code=ExitCode.NO_CONNECTION,
    )


def _none_or_many(
    opened: list[TableJournal], used: list[Path], lost: list[DecodeError], broken: list[Path]
) -> CommandError:
    if opened:
        return CommandError(
            f"There are {len(opened)} tables to come back to; name the folder of one.",
            advice="\n".join(f"  p2pokey resume {_describe(table)}" for table in opened),
            code=ExitCode.USAGE,
        )
    if used:
        return CommandError(
            "Another program is at that table already.",
            advice="End it first, or play on there.",
            code=ExitCode.IN_USE,
        )
    if lost:
        return CommandError(
            f"The table cannot be resumed: {lost[0]}.",
            advice="The others can go on only without you; p2pokey resume --forget FOLDER removes it:\n"
            + "\n".join(f"  {folder}" for folder in broken),
            code=ExitCode.NOTHING_TO_RESUME,
        )
    return CommandError(
        "There is no table to come back to.",
        advice="A table that is over cannot be resumed; its transcripts are kept.",
        code=ExitCode.NOTHING_TO_RESUME,
    )


def _describe(table: TableJournal) -> str:
    names = [seat.name for seat in table.membership.roster.seats]
    own = names.pop(table.membership.seat)
    return f"{table.folder}    ({own} with {', '.join(names)})"


def _signer(diary: TableJournal) -> Ed25519Signer:
    """The identity key of the seat."""
    secret = diary.person.guest_secret
    if secret is not None:
        return Ed25519Signer(secret)
    signer: Ed25519Signer | None = None
    with suppress(OSError, DecodeError):
        signer = load_identity(find_dirs(), OsEntropy())
    membership = diary.membership
    if signer is None or signer.public_key != membership.roster.seats[membership.seat].public_key:
        raise CommandError(
            "The table was joined with another identity key than the one that is stored here.",
            advice="Put the key of that time back.",
            code=ExitCode.NOTHING_TO_RESUME,
        )
    return signer
