"""What a table needs of the network: `net.mesh.Mesh`, or something in memory that is like it."""

from typing import Protocol

from p2pokey.net.link import LinkState
from p2pokey.net.mesh import LinkChanged, MeshEvent
from p2pokey.table.roster import Roster
from p2pokey.tiles import Seat

_TEXTS = {
    LinkState.HERE: "is here",
    LinkState.UNSTABLE: "has an unstable connection",
    LinkState.AWAY: "has lost the connection",
    LinkState.LEFT: "has left the table",
}


class Links(Protocol):
    """Authenticated links to all other seats of one table."""

    @property
    def seat(self) -> Seat:
        """The own seat."""

    @property
    def roster(self) -> Roster:
        """Who sits where, signed by the host."""

    @property
    def session_id(self) -> bytes:
        """32 bytes that all seats agree on."""

    def send(self, seat: Seat, data: bytes) -> None:
        """Sends to one other seat."""

    def broadcast(self, data: bytes) -> None:
        """Sends to all other seats; messages of one seat arrive in order and once."""

    async def next_event(self) -> MeshEvent | None:
        """The next message or change of a link."""

    async def flush(self, timeout: float = 5.0) -> bool:  # noqa: ASYNC109 - as `Mesh` has it
        """Whether all seats that have not left acknowledged everything in time."""


def is_gone(state: LinkState) -> bool:
    """Whether a seat counts as absent."""
    return state in (LinkState.AWAY, LinkState.LEFT)


def state_text(change: LinkChanged) -> str:
    """What to say after the seat's name, e.g. `has left the table`."""
    if change.state is LinkState.LEFT and change.reason:
        return f"is no longer connected ({change.reason})"
    return _TEXTS[change.state]
