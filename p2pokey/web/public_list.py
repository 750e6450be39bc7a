"""The public tables of a signalling server, asked for beside everything else that the page does."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from p2pokey.errors import ConnectError
from p2pokey.net.public_tables import public_tables
from p2pokey.net.signalling import check_server
from p2pokey.net.tasks import cancel, spawn
from p2pokey.net.wire import RoomEntry
from p2pokey.web.engine import IntentRefused
from p2pokey.web.names import Json


@dataclass(kw_only=True)
class PublicList:
    """The last list that was asked for."""

    on_change: Callable[[], None]
    tell: Callable[[Json], None]
    """Takes a notice for the player."""
    _rooms: list[RoomEntry] | None = None
    """None: not asked for, or not here yet."""
    _task: asyncio.Task[None] | None = field(default=None)

    def ask(self, server: str) -> None:
        """Asks a server; an earlier question is given up.

        Raises:
            IntentRefused: `server`: that is no address of one.
        """
        try:
            check_server(server)
        except ConnectError as error:
            raise IntentRefused("server", text=str(error)) from error
        if self._task is not None:
            self._task.cancel()
        self._rooms = None
        self._task = spawn(self._ask(server), "asking for public tables")

    async def _ask(self, server: str) -> None:
        try:
            self._rooms = await public_tables(server)
        except ConnectError as error:
            self._rooms = []
            self.tell({"code": "server", "text": str(error)})
        self.on_change()

    @property
    def names(self) -> list[str]:
        """Rooms that the player has been shown."""
        return [room.room for room in self._rooms or ()]

    def json(self) -> list[Json] | None:
        """`lobby.public` of docs/page-protocol.md."""
        if self._rooms is None:
            return None
        return [
            {
                "room": room.room,
                "title": room.title,
                "rules": room.rules,
                "free": room.free,
                "age_s": room.age_s,
            }
            for room in self._rooms
        ]

    async def finish(self) -> None:
        """Gives up whatever is asked for."""
        await cancel(self._task)
