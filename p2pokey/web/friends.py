"""Who is at the table, compared with the keys of earlier tables (native/contacts.py)."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from p2pokey.errors import DecodeError
from p2pokey.native.contacts import Meeting, Met, accept, load_contacts, meet, save_contacts
from p2pokey.net.mesh import Mesh
from p2pokey.tiles import Seat
from p2pokey.web.engine import IntentRefused
from p2pokey.web.names import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Greeting:
    """What the list of friends says of a table."""

    met: dict[Seat, Meeting]
    """Everybody who is no computer player."""
    notices: Sequence[Json] = ()
    """What the player has to be told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Friends:
    """The keys of friends on this computer; None: a guest keeps none."""

    path: Path | None

    def greet(self, mesh: Mesh) -> Greeting:
        """Compares a table with the list, and keeps who is new.

        A damaged or unwritable list never keeps anybody from playing.
        """
        if self.path is None:
            return Greeting(met={})
        others = [
            (Seat(number), seat)
            for number, seat in enumerate(mesh.roster.seats)
            if number != mesh.seat and not seat.is_computer
        ]
        people = [(seat.name, seat.public_key) for _, seat in others]
        try:
            before = load_contacts(self.path)
            after, meetings = meet(before, people, time.strftime("%Y-%m-%d"))
            if after != before:
                save_contacts(self.path, after)
        except (OSError, DecodeError) as error:
            return Greeting(met={}, notices=({"code": "contacts", "text": str(error)},))
        met = {number: meeting for (number, _), meeting in zip(others, meetings, strict=True)}
        return Greeting(met=met, notices=tuple(map(_notice, filter(_is_odd, meetings))))

    def accept(self, meeting: Meeting) -> None:
        """The player knows that the new key is the friend's; raises IntentRefused."""
        if self.path is None or meeting.met is not Met.CHANGED:
            raise IntentRefused("not-now")
        try:
            save_contacts(self.path, accept(load_contacts(self.path), meeting.known_as))
        except KeyError:
            raise IntentRefused("not-now") from None
        except (OSError, DecodeError) as error:
            raise IntentRefused("contacts", text=str(error)) from error


def _is_odd(meeting: Meeting) -> bool:
    return meeting.met in (Met.CHANGED, Met.RENAMED)


def _notice(meeting: Meeting) -> Json:
    return {"code": f"key-{meeting.met.value}", "name": meeting.name, "known": meeting.known_as}
