"""Who sat at a table, kept beside its transcripts, which know keys only.

A comfort for lists of past hands: nothing is proven by it, and nothing fails without it.
"""

import json
import logging
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from p2pokey.errors import DecodeError
from p2pokey.native.files import write_atomic
from p2pokey.table.roster import KEY_BYTES, Roster, check_name

FILE = "names.json"
MAX_PEOPLE = 1000
"""Of one folder; the newest stay."""
_MAX_BYTES = 256 * 1024
_FORMAT = "p2pokey-names 0"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What somebody was called at a table."""

    name: str
    is_computer: bool


Names = dict[bytes, Known]
"""By identity key."""


def keep_names(folder: Path, roster: Roster) -> None:
    """Adds the players of a table to the folder's list; what cannot be written is only logged."""
    people = load_names(folder)
    before = dict(people)
    for seat in roster.seats:
        people.pop(seat.public_key, None)
        people[seat.public_key] = Known(name=seat.name, is_computer=seat.is_computer)
    if people == before:
        return
    newest = list(people.items())[-MAX_PEOPLE:]
    rows = [{"key": key.hex(), **asdict(known)} for key, known in newest]
    try:
        write_atomic(folder / FILE, json.dumps({"format": _FORMAT, "people": rows}).encode("ascii"))
    except OSError as error:
        _log.warning("the names at the table are not kept: %s", error)


def load_names(folder: Path) -> Names:
    """The list beside the transcripts of a folder, as far as it can be read."""
    try:
        with (folder / FILE).open("rb") as file:
            values = json.loads(file.read(_MAX_BYTES))
        rows = values["people"] if values["format"] == _FORMAT else ()
        return dict(_read(rows))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}


def _read(rows: Any) -> Iterable[tuple[bytes, Known]]:
    for row in rows:
        key, name = bytes.fromhex(row["key"]), row["name"]
        if len(key) != KEY_BYTES or not isinstance(name, str):
            raise DecodeError("expected a key and a name")
        check_name(name)
        yield key, Known(name=name, is_computer=row["is_computer"] is True)
