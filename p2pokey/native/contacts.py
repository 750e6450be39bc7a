"""The keys of friends: pinned when they are first seen, and compared ever after.

Trust on first use. A key says nothing by itself; what the list gives is a warning when a known name
comes with another key: a new computer, a guest, or somebody else.
"""

import json
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any

from p2pokey.errors import DecodeError
from p2pokey.native.files import PRIVATE, write_atomic
from p2pokey.table.roster import KEY_BYTES, check_name

MAX_CONTACTS = 2000
MAX_FILE_BYTES = 1024 * 1024
_FORMAT = "p2pokey-contacts 0"


class Met(Enum):
    """What the list says of somebody at the table."""

    NEW = "new"
    """Name and key are new: both are in the list from now on."""
    KNOWN = "known"
    """The key is known, under this name."""
    RENAMED = "renamed"
    """The key is known, under another name."""
    CHANGED = "changed"
    """The name is known, with another key. Nothing is kept until a person accepts it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """Somebody who was at a table."""

    name: str
    key: bytes
    """32-byte identity key."""
    since: str
    """Day of the first meeting, ISO 8601."""
    new_key: bytes | None = None
    """Another key with which the name has come since, not accepted yet."""

    def as_dict(self) -> dict[str, str | None]:
        """Plain values, keys as hexadecimal text."""
        return {
            "name": self.name,
            "key": self.key.hex(),
            "since": self.since,
            "new_key": None if self.new_key is None else self.new_key.hex(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """One player of a table, as the list knows them."""

    met: Met
    name: str
    known_as: str
    """Name in the list; the same one unless `met` is RENAMED."""


Contacts = tuple[Contact, ...]


def meet(
    contacts: Contacts, people: Sequence[tuple[str, bytes]], today: str
) -> tuple[Contacts, tuple[Meeting, ...]]:
    """Compares names and identity keys of a table with the list.

    Returns:
        The list after it, and what to say of each of the people, in their order.
    """
    meetings = []
    for name, key in people:
        contacts, meeting = _meet(contacts, name, key, today)
        meetings.append(meeting)
    return contacts, tuple(meetings)


def _meet(contacts: Contacts, name: str, key: bytes, today: str) -> tuple[Contacts, Meeting]:
    for contact in contacts:
        if contact.key == key:
            met = Met.KNOWN if _folded(contact.name) == _folded(name) else Met.RENAMED
            return contacts, Meeting(met=met, name=name, known_as=contact.name)
    for contact in contacts:
        if _folded(contact.name) == _folded(name):
            changed = replace(contact, new_key=key)
            after = tuple(changed if other is contact else other for other in contacts)
            return after, Meeting(met=Met.CHANGED, name=name, known_as=contact.name)
    added = (*contacts, Contact(name=name, key=key, since=today))[-MAX_CONTACTS:]
    return added, Meeting(met=Met.NEW, name=name, known_as=name)


def accept(contacts: Contacts, name: str) -> Contacts:
    """The list with the newer key of that name in place of the old one; KeyError if there is none."""
    for contact in contacts:
        if _folded(contact.name) == _folded(name) and contact.new_key is not None:
            accepted = replace(contact, key=contact.new_key, new_key=None)
            return tuple(accepted if other is contact else other for other in contacts)
    raise KeyError(name)


def forget(contacts: Contacts, name: str) -> Contacts:
    """The list without that name; KeyError if it is not there."""
    left = tuple(contact for contact in contacts if _folded(contact.name) != _folded(name))
    if len(left) == len(contacts):
        raise KeyError(name)
    return left


def _folded(name: str) -> str:
    """Names that look alike to a person are one: case, width and spaces do not count."""
    text = unicodedata.normalize("NFKC", name).casefold()
    return unicodedata.normalize("NFKC", "".join(text.split())).replace("i\u0307", "i")


def load_contacts(path: Path) -> Contacts:
    """The list as it was saved; empty if there is no file.

    Raises:
        DecodeError: the file is damaged; it is never replaced silently.
        OSError: it cannot be read.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except FileNotFoundError:
        return ()
    try:
        return _decode(data)
    except (ValueError, KeyError, TypeError, RecursionError, DecodeError):
        raise DecodeError(
            f"{path} is no list of contacts of this version: move it away to begin a new one"
        ) from None


def save_contacts(path: Path, contacts: Contacts) -> None:
    """Writes the list, for its owner only; raises OSError."""
    people = [contact.as_dict() for contact in contacts]
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    text = json.dumps({"format": _FORMAT, "people": people}, indent=1)
    write_atomic(path, f"{text}\n".encode("ascii"), mode=PRIVATE)


def _decode(data: bytes) -> Contacts:
    values = json.loads(data)
    if len(data) > MAX_FILE_BYTES or values["format"] != _FORMAT:
        raise DecodeError("expected a list of contacts")
    return tuple(_contact(entry) for entry in values["people"])


def _contact(entry: dict[str, Any]) -> Contact:
    name, since, new_key = entry["name"], entry["since"], entry["new_key"]
    if not isinstance(name, str) or not isinstance(since, str):
        raise DecodeError("expected a name and a day")
    check_name(name)
    return Contact(
        name=name,
        key=_key(entry["key"]),
        since=since[:10],
        new_key=None if new_key is None else _key(new_key),
    )


def _key(text: str) -> bytes:
    key = bytes.fromhex(text)
    if len(key) != KEY_BYTES:
        raise DecodeError("expected a key of 32 bytes")
    return key
