"""`p2pokey resume --forget`: gives up the seat at a table that nobody comes back to."""

import shutil
from pathlib import Path

from p2pokey.cli.exits import CommandError, ExitCode
from p2pokey.cli.folders import ready_folder
from p2pokey.cli.output import Output
from p2pokey.cli.resuming import open_table
from p2pokey.errors import DecodeError, JournalInUse
from p2pokey.native.profile import find_dirs
from p2pokey.peer.saving import save_unfinished
from p2pokey.peer.table_journal import TABLE_FILE, TableJournal


def run_forget(output: Output, *, folder: Path | None) -> int:
    """Removes the journal of the one table below the folder; its transcripts stay.

    What there is of a hand that did not end is written as a transcript first.

    Raises:
        CommandError: there is no table, there are several, or a program is at it.
        OSError: a transcript cannot be written; then nothing is removed.
    """
    if folder is not None and _is_lost(folder):
        shutil.rmtree(folder)
        output.say("What was left of that table is removed; it could not be read any more.")
        return ExitCode.OK
    diary = _open(find_dirs().journals if folder is None else folder)
    try:
        out = ready_folder(diary.person.out)
        saved = save_unfinished(diary.folder, out)
    except BaseException:
        diary.close()
        raise
    diary.discard()
    names = ", ".join(seat.name for seat in diary.membership.roster.seats)
    output.say(f"The table of {names} is forgotten: nobody can come back to it from here.")
    for path in saved:
        output.say(f"What there is of a hand that did not end: {path}")
    output.say(f"Its transcripts stay in {out}.")
    return ExitCode.OK


def _open(parent: Path) -> TableJournal:
    try:
        return open_table(parent)
    except CommandError as error:
        advice = error.advice.replace("p2pokey resume /", "p2pokey resume --forget /")
        raise CommandError(str(error), advice=advice, code=error.code) from error


def _is_lost(folder: Path) -> bool:
    """Whether that is the folder of a table whose journal cannot be read."""
    if not (folder / TABLE_FILE).is_file():
        return False
    try:
        TableJournal.reopen(folder).close()
    except DecodeError:
        return True
    except JournalInUse:
        pass  # told by whoever opens it next
    return False
