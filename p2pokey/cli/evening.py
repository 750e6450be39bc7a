"""An evening at the terminal: news as sentences or JSON lines, chat and commands as typed lines."""

import asyncio
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any

from p2pokey.cli.console import Console
from p2pokey.cli.exits import CommandError, ExitCode
from p2pokey.cli.friends import greet
from p2pokey.cli.telling import Teller
from p2pokey.errors import LinkError
from p2pokey.net.ice import connector_to
from p2pokey.net.mesh import Mesh
from p2pokey.net.progress import Progress
from p2pokey.net.transport import Connector
from p2pokey.peer.evening import SeatWishes
from p2pokey.peer.events import KeyNoted, PeerEvent
from p2pokey.peer.table import Table

OPEN_ROOM = (
    "If the table had a password: the new code works without it, as a program that came back by "
    "`p2pokey resume` does not know it."
)


def connector_for(ice: Sequence[str]) -> Connector | None:
    """WebRTC with the servers that were asked for; a CommandError for one that is none."""
    try:
        return connector_to(ice)
    except LinkError as error:
        advice = "Ask whoever runs the server for its address, or leave --ice out."
        raise CommandError(str(error), advice=advice, code=ExitCode.USAGE) from error


class TerminalShell:
    """Implements `peer.evening.Shell`."""

    def __init__(
        self, teller: Teller, *, contacts: Path | None, has_console: bool, is_bot: bool = False
    ) -> None:
        """Args:
        contacts: keys of friends; None: none are compared or kept.
        has_console: whether somebody may type.
        is_bot: whether this is a computer player, which ends with whoever runs it.
        """
        self._teller = teller
        self._contacts = contacts
        self._has_console = has_console
        self._is_bot = is_bot

    def tell(self, event: PeerEvent) -> None:
        """Something has happened."""
        self._teller.tell(event)

    def meeting(self, progress: Progress) -> None:
        """A step from a code to a table."""
        self._teller.meeting(progress)

    def invited(
        self, code: str, link: str, server: str | None = None, *, has_password: bool | None = False
    ) -> None:
        """There is an invite to pass on."""
        self._teller.invited(code, link, server, has_password=bool(has_password))
        if has_password is None:
            self._teller.say(OPEN_ROOM)

    def can_resume(self) -> None:
        """The program is told to end, and the table is not over."""
        self._teller.can_resume()

    def connected(self, mesh: Mesh) -> None:
        """Compares keys with those of earlier tables; computer players are nobody's friends."""
        if self._contacts is None:
            return
        others = [seat for number, seat in enumerate(mesh.roster.seats) if number != mesh.seat]
        people = [seat for seat in others if not seat.is_computer]
        for text in greet(self._contacts, [(seat.name, seat.public_key) for seat in people]):
            self._teller.tell(KeyNoted(text=text))

    def wishes(self, mesh: Mesh) -> SeatWishes:
        """The computer plays; somebody at the terminal may want a rematch."""
        del mesh
        return SeatWishes(
            stays=self._has_console,
            is_left_alone=not self._has_console and not self._is_bot,
        )

    async def play(self, table: Table) -> None:
        """Plays to the end of the table; takes what is typed meanwhile."""
        if self._has_console:
            console = Console(table, say=self._teller.say)
            await play_beside(table.play(), console.read())
        else:
            await table.play()


async def play_beside(
    playing: Coroutine[Any, Any, object], reading: Coroutine[Any, Any, None]
) -> None:
    """Plays while what is typed is read; ends with the game, or when either of the two fails."""
    tasks = play, read = asyncio.create_task(playing), asyncio.create_task(reading)
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if read.done():
            read.result()
        await play
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
