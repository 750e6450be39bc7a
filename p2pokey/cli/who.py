"""Who sits down: the player's name, and where the player's hands are saved."""

import getpass
from contextlib import suppress
from pathlib import Path

from p2pokey.cli.exits import CommandError, ExitCode
from p2pokey.errors import DecodeError
from p2pokey.native.profile import Profile, load_name
from p2pokey.table.roster import MAX_NAME_CHARS, check_name

_GUEST_FOLDER = Path("p2pokey-hands")
_STAND_IN = "Player"


def transcript_folder(profile: Profile) -> Path:
    """Below it every session gets a folder, so that no hand ever replaces another one."""
    return _GUEST_FOLDER if profile.is_guest else profile.dirs.hands


def name_of(wanted: str | None, profile: Profile) -> str:
    """The name that was asked for, else the one that is kept, else the one of the computer's user.

    The administrator of a computer is nobody's name: "Player" then, and where there is none.

    Raises:
        CommandError: it cannot be shown to others.
    """
    name = wanted
    if name is None and not profile.is_guest:
        name = load_name(profile.dirs)
    if name is None:
        with suppress(OSError, KeyError, ImportError):
            name = getpass.getuser().strip()[:MAX_NAME_CHARS].capitalize()
        name = name if name and name != "Root" and _is_name(name) else _STAND_IN
    try:
        check_name(name)
    except DecodeError as error:
        raise CommandError(
            f"That name cannot be shown to others: {error}.",
            advice="Choose another one with --name.",
            code=ExitCode.USAGE,
        ) from error
    return name


def is_named(name: str, wanted: str | None, profile: Profile) -> bool:
    """Whether that is a name, and not the word for a player who has none."""
    is_chosen = wanted is not None or (not profile.is_guest and load_name(profile.dirs) is not None)
    return is_chosen or name != _STAND_IN


def _is_name(name: str) -> bool:
    try:
        check_name(name)
    except DecodeError:
        return False
    return True
