"""`p2pokey contacts ...`, and what it says when a table has come together."""

import json
import shlex
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from p2pokey.cli.exits import CommandError, ExitCode
from p2pokey.cli.output import Output
from p2pokey.native.contacts import (
    Contacts,
    Meeting,
    Met,
    accept,
    forget,
    load_contacts,
    meet,
    save_contacts,
)
from p2pokey.native.profile import find_dirs


def run_list(output: Output, *, as_json: bool) -> int:
    """Prints all contacts."""
    contacts = load_contacts(find_dirs().contacts)
    if as_json:
        rows = [contact.as_dict() for contact in contacts]
        output.data(json.dumps({"contacts": rows}, indent=2, ensure_ascii=True))
        return ExitCode.OK
    if not contacts:
        output.say("Nobody yet: whoever you meet at a table is remembered here.")
    width = max((len(contact.name) for contact in contacts), default=0)
    for contact in contacts:
        note = (
            "" if contact.new_key is None else f"  came with the new key {_short(contact.new_key)}"
        )
        output.data(
            f"{contact.name.ljust(width)}  {_short(contact.key)}  since {contact.since}{note}"
        )
    return ExitCode.OK


def run_accept(output: Output, *, name: str) -> int:
    """Trusts the newer key of a contact."""
    _change(name, accept, "There is no new key of anybody of that name.")
    output.say(f"The new key of {name} is trusted from now on.")
    return ExitCode.OK


def run_forget(output: Output, *, name: str) -> int:
    """Removes a contact."""
    _change(name, forget, "Nobody of that name is in the list.")
    output.say(f"{name} is forgotten.")
    return ExitCode.OK


def _change(name: str, change: Callable[[Contacts, str], Contacts], refusal: str) -> None:
    path = find_dirs().contacts
    try:
        changed = change(load_contacts(path), name)
    except KeyError:
        raise CommandError(
            refusal, advice="See: p2pokey contacts list", code=ExitCode.USAGE
        ) from None
    save_contacts(path, changed)


def greet(path: Path, people: Sequence[tuple[str, bytes]]) -> list[str]:
    """Compares the people of a table with the contacts, keeps who is new, and says what is odd.

    A damaged or unwritable list never keeps anybody from playing.

    Args:
        path: of the list.
        people: name and identity key of every other person; computer players have none to keep.
    """
    try:
        before = load_contacts(path)
        after, meetings = meet(before, people, time.strftime("%Y-%m-%d"))
        if after != before:
            save_contacts(path, after)
    except (OSError, ValueError) as error:
        return [f"Keys of friends cannot be compared: {error}."]
    return [text for meeting in meetings if (text := _warning(meeting))]


def _warning(meeting: Meeting) -> str:
    match meeting.met:
        case Met.CHANGED:
            return (
                f"{meeting.name} comes with another key than before: a new computer, a guest, or "
                "somebody else. Compare the safety words by voice; if it is your friend, say so "
                f"with: p2pokey contacts accept {shlex.quote(meeting.known_as)}"
            )
        case Met.RENAMED:
            return f"{meeting.name} has the key that you know as {meeting.known_as}."
        case _:
            return ""


def _short(key: bytes) -> str:
    return key.hex()[:16]
