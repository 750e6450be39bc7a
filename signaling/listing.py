"""The list of public rooms."""

from signaling.replies import ListedRoom, RoomList
from signaling.store import Room, RoomStore


def list_page(store: RoomStore, after: str, count: int, now: float) -> RoomList:
    """One page of the listed rooms that can be joined now.

    Args:
        store: all rooms.
        after: code of the last room of the page before, empty for the first page.
        count: listed rooms to look at; the page is shorter where some cannot be joined, so that the
            cost of one page does not depend on how many those are.
        now: seconds on the server's clock.
    """
    # One room more than the page tells whether there is another page.
    found = store.listed(after, count + 1)
    page = found[:count]
    rooms = tuple(_entry(room, now) for room in page if _is_joinable(room, now))
    return RoomList(rooms=rooms, cursor=page[-1].code if len(found) > count else None)


def _is_joinable(room: Room, now: float) -> bool:
    return room.window_s(now) > 0 and room.host.away_since is None


def _entry(room: Room, now: float) -> ListedRoom:
    return ListedRoom(
        room=room.code,
        title=room.title,
        rules=room.rules,
        seats=room.seats,
        free=room.free,
        age=int(now - room.created_at),
        host=room.host.key.text,
    )
