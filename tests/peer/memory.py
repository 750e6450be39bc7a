"""Links in memory: what `p2pokey.net` is to a table, without a network."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from p2pokey.crypto.group import Group
from p2pokey.native.entropy import OsEntropy
from p2pokey.native.identity import Ed25519Signer, Ed25519Verifier
from p2pokey.native.sealing import ChaChaSealer
from p2pokey.net.link import LinkState
from p2pokey.net.mesh import LinkChanged, MeshEvent, MessageReceived
from p2pokey.peer.events import PeerEvent
from p2pokey.peer.players import AutoPlayer, Person, player_seed
from p2pokey.peer.playing import PeerPorts
from p2pokey.peer.table import Table
from p2pokey.peer.waits import IfMissing, WaitLimits
from p2pokey.rules.rulesets import canonical_bytes, ruleset_for, table_options
from p2pokey.table.roster import Roster, RosterSeat
from p2pokey.tiles import Seat
from tests.sim.cheap_group import CheapBackend

NAMES = ("Ayse", "Baran", "Ceren", "Deniz")
GROUP = Group(CheapBackend())

Wire = Callable[[Seat, Seat, bytes], list[bytes]]
"""What a link makes of one message: the messages that arrive."""


class MemoryLinks:
    """One seat's links; implements `p2pokey.peer.links.Links`."""

    def __init__(self, hub: "Hub", seat: Seat) -> None:
        self.hub = hub
        self.seat = seat
        self.roster = hub.roster
        self.session_id = b"\x42" * 32
        self.events: asyncio.Queue[MeshEvent] = asyncio.Queue()
        self.is_cut = False
        self.sent: list[bytes] = []

    def broadcast(self, data: bytes) -> None:
        self.sent.append(data)
        for other in self.hub.links:
            if other is not self:
                self.send(other.seat, data)

    def send(self, seat: Seat, data: bytes) -> None:
        other = self.hub.links[seat]
        if self.is_cut or other.is_cut:
            return
        for item in self.hub.wire(self.seat, seat, data):
            other.events.put_nowait(MessageReceived(seat=self.seat, data=item))

    async def next_event(self) -> MeshEvent | None:
        return await self.events.get()

    async def flush(self, timeout: float = 5.0) -> bool:  # noqa: ASYNC109 - as `Mesh` has it
        return True

    async def close(self) -> None:
        self.vanish(LinkState.LEFT)

    def come_back(self) -> None:
        """The links are there again, and everybody notices."""
        self.is_cut = False
        for other in self.hub.links:
            if other is not self and not other.is_cut:
                other.events.put_nowait(LinkChanged(seat=self.seat, state=LinkState.HERE))
                self.events.put_nowait(LinkChanged(seat=other.seat, state=LinkState.HERE))

    def vanish(self, how: LinkState = LinkState.AWAY) -> None:
        """Nothing comes or goes any more, and the others notice."""
        self.is_cut = True
        for other in self.hub.links:
            if other is not self and not other.is_cut:
                other.events.put_nowait(LinkChanged(seat=self.seat, state=how))


class Hub:
    """All links of one table."""

    def __init__(
        self,
        *,
        wire: Wire | None = None,
        recovery: bool = True,
        timer_s: int = 30,
        bots: tuple[int, ...] = (),
    ) -> None:
        """Args: bots: seats that the first one runs."""
        options = table_options(4, timer_s=timer_s)
        if not recovery:
            options = replace(options, recovery=False, threshold=0)
        self.signers = [Ed25519Signer(bytes([seat + 1]) * 32) for seat in range(4)]
        self.roster = Roster(
            room="K7Q2M",
            epoch=0,
            rules=canonical_bytes(ruleset_for("classic"), options),
            seats=tuple(
                RosterSeat(
                    public_key=signer.public_key,
                    runner=self.signers[0 if seat in bots else seat].public_key,
                    nonce_commit=bytes(32),
                    name=name,
                )
                for seat, (signer, name) in enumerate(zip(self.signers, NAMES, strict=True))
            ),
        )
        self.wire = wire or (lambda source, target, data: [data])
        self.links = [MemoryLinks(self, Seat(seat)) for seat in range(4)]

    def table(
        self,
        seat: int,
        folder: Path,
        *,
        hands: int | None = None,
        limits: WaitLimits | None = None,
        seed: str | None = "test",
        on_event: Callable[[Seat, PeerEvent], None] = lambda seat, event: None,
        if_missing: IfMissing = IfMissing.VOID,
        person: Person | None = None,
        is_resumed: bool = False,
        stays: bool = False,
    ) -> Table:
        """One seat's table; writes to `folder`."""
        out = folder / "out"
        out.mkdir(exist_ok=True)
        return Table(
            links=self.links[seat],
            ports=PeerPorts(
                group=GROUP,
                signer=self.signers[seat],
                verifier=Ed25519Verifier(),
                sealer=ChaChaSealer(),
                entropy=OsEntropy(),
            ),
            player=AutoPlayer(player_seed(seed, OsEntropy()), Seat(seat)),
            out=out,
            journals=folder / f"journals-{seat}",
            emit=lambda event: on_event(Seat(seat), event),
            hands=hands,
            limits=limits or WaitLimits(),
            if_missing=if_missing,
            person=person,
            is_resumed=is_resumed,
            stays=stays,
        )
