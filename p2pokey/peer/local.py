"""A table within one program: a player and computer players, or two players who share a screen.

Every seat is a whole peer with keys of its own; only the links are queues instead of a network. So the
deck is shuffled, proven, audited and saved like any other.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from p2pokey.net.link import LinkState
from p2pokey.net.mesh import LinkChanged, MeshEvent, MessageReceived
from p2pokey.peer.players import Player
from p2pokey.ports import Entropy
from p2pokey.rules.moves import Move
from p2pokey.rules.view import View
from p2pokey.table.roster import (
    NONCE_BYTES,
    Roster,
    RosterSeat,
    commit_nonce,
    session_id,
)
from p2pokey.tiles import Seat

ROOM = "0"
"""Room code in the roster of such a table; a server gives out longer ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalLinks:
    """One seat's links; implements `peer.links.Links`."""

    seat: Seat
    roster: Roster
    session_id: bytes
    queues: tuple[asyncio.Queue[MeshEvent], ...]
    """What each seat has not taken yet."""

    def send(self, seat: Seat, data: bytes) -> None:
        """Sends to one other seat."""
        self.queues[seat].put_nowait(MessageReceived(seat=self.seat, data=data))

    def broadcast(self, data: bytes) -> None:
        """Sends to all other seats."""
        for seat in self._others():
            self.send(seat, data)

    async def next_event(self) -> MeshEvent | None:
        """The next message."""
        return await self.queues[self.seat].get()

    async def flush(self, timeout: float = 5.0) -> bool:  # noqa: ASYNC109 - as `Mesh` has it
        """Queues lose nothing: everything has arrived."""
        del timeout
        return True

    def tell(self, state: LinkState) -> None:
        """Tells the others that this seat has gone, or is back."""
        for seat in self._others():
            self.queues[seat].put_nowait(LinkChanged(seat=self.seat, state=state))

    def _others(self) -> list[Seat]:
        return [Seat(seat) for seat in range(len(self.queues)) if seat != self.seat]


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalSeat:
    """Who sits at a local table."""

    key: bytes
    """Identity key."""
    name: str


def local_links(
    seats: Sequence[LocalSeat], *, runner: bytes, rules: bytes, entropy: Entropy
) -> list[LocalLinks]:
    """Links between all seats, in seat order.

    Args:
        runner: identity key of the player whose computer runs all of them.
        rules: canonical text of RuleSet || TableOptions.
    """
    nonces = [entropy.random_bytes(NONCE_BYTES) for _ in seats]
    roster = Roster(
        room=ROOM,
        epoch=1,
        rules=rules,
        seats=tuple(
            RosterSeat(
                public_key=seat.key,
                runner=runner,
                nonce_commit=commit_nonce(seat.key, nonce),
                name=seat.name,
            )
            for seat, nonce in zip(seats, nonces, strict=True)
        ),
    )
    session = session_id(roster, nonces)
    queues = tuple(asyncio.Queue[MeshEvent]() for _ in seats)
    return [
        LocalLinks(seat=Seat(seat), roster=roster, session_id=session, queues=queues)
        for seat in range(len(seats))
    ]


class PacedPlayer:
    """A computer player that takes its time, so that a person can follow; implements `Person`."""

    def __init__(self, player: Player, pause_s: float) -> None:
        """Args: pause_s: seconds before each move."""
        self._player = player
        self._pause_s = pause_s

    async def choose(self, view: View) -> Move:
        """The player's move, a while later."""
        await asyncio.sleep(self._pause_s)
        return await asyncio.to_thread(self._player.choose, view)
