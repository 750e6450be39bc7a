"""The public tables of a signalling server (docs/network.md, Admission: public tables)."""

from p2pokey.net.limits import Limits
from p2pokey.net.signalling import SignallingClient
from p2pokey.net.wire import RoomEntry

_MAX_PAGES = 20
"""Of fifty rooms each: nobody reads more."""


async def public_tables(server: str) -> list[RoomEntry]:
    """Those that can be joined just now; raises ServerUnreachable, SignalingError, TimedOut."""
    rooms: list[RoomEntry] = []
    async with SignallingClient(server, Limits()) as client:
        cursor: str | None = None
        for _ in range(_MAX_PAGES):
            page = await client.list_rooms(cursor)
            rooms += page.rooms
            cursor = page.cursor
            if cursor is None:
                break
    return rooms
