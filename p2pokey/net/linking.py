"""Linking one seat to all others through the signalling server, now and when a link is lost."""

import asyncio
from contextlib import AsyncExitStack

from p2pokey.errors import (
    BadPoint,
    ConnectError,
    LinkError,
    LinkNotAuthentic,
    PlayerLeft,
    SignalingError,
    TimedOut,
)
from p2pokey.native.agreement import X25519Key
from p2pokey.net.dialing import Dialer
from p2pokey.net.gathering import Table
from p2pokey.net.limits import Limits
from p2pokey.net.mesh import Mesh, MeshHooks
from p2pokey.net.offers import PairTalk
from p2pokey.net.progress import OnProgress, Phase, Progress
from p2pokey.net.seats import pair_channel
from p2pokey.net.signalling import SignallingClient, SignallingGone
from p2pokey.net.tasks import cancel, spawn
from p2pokey.net.toolkit import Toolkit
from p2pokey.net.transport import Connector, Transport
from p2pokey.net.wire import BodyArrived, PeerChanged
from p2pokey.table.roster import session_id
from p2pokey.tiles import Seat

LONG_PATIENCE_S = 600.0
"""How long a playing peer tries to reach a lost signalling server: it keeps our place that long."""


class Linking:
    """Makes a mesh and fills it; implements `dialing.LinkOwner`.

    Args:
        toolkit: our keys.
        table: what gathering found out.
        ephemeral: our X25519 key, whose public half is on our card.
        client: the signalling connection; read by nobody else from now on.
        connector: makes transports.
        limits: how long to wait.
        on_progress: told of each link.
        owned: closed with the mesh; `client` is in it already.

    Raises:
        SignalingError: a seat card holds a bad key.
    """

    def __init__(
        self,
        *,
        toolkit: Toolkit,
        table: Table,
        ephemeral: X25519Key,
        client: SignallingClient,
        connector: Connector,
        limits: Limits,
        on_progress: OnProgress,
        owned: AsyncExitStack,
    ) -> None:
        self._table = table
        self._client = client
        self._limits = limits
        self._on_progress = on_progress
        self._opened: set[Seat] = set()
        self._authenticated: set[Seat] = set()
        self._failures: dict[Seat, LinkError] = {}
        self._fatal: ConnectError | None = None
        self._changed = asyncio.Event()
        self._dialer = Dialer(
            toolkit=toolkit,
            roster=table.roster,
            seat=table.seat,
            talks=_talks(toolkit, table, ephemeral),
            routes=table.routes,
            send=client.send,
            connector=connector,
            owner=self,
            limits=limits,
        )
        self.mesh = Mesh(
            seat=table.seat,
            roster=table.roster,
            session_id=session_id(table.roster, [card.nonce for card in table.cards]),
            limits=limits,
            hooks=MeshHooks(want=self._dialer.want, forget=self._dialer.forget),
            owned=owned,
        )
        self._pump = spawn(self._take_events(), "signalling pump")
        owned.push_async_callback(self._close)

    async def link_all(self) -> None:
        """Opens and authenticates every link and waits until everybody has done so.

        Raises:
            LinkNotAuthentic: another than the right player answered.
            LinkError: there is no direct path to somebody.
            PlayerLeft, TimedOut, SignalingError: as named.
        """
        for seat in self.mesh.others:
            self._dialer.want(seat)
        for early in self._table.early:
            self._dialer.receive(early.sender, early.body)
        try:
            async with asyncio.timeout(self._limits.links_s):
                while self.mesh.linked < len(self.mesh.others):
                    if self._fatal is not None:
                        raise self._fatal
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise self._no_link() from None
        await self.mesh.get_ready()
        self._client.set_patience(LONG_PATIENCE_S)
        self._tell(Phase.READY)

    # --- what the dialer tells ---

    def link_opened(self, seat: Seat) -> None:
        """A transport is open, its other end not yet known."""
        if seat not in self._opened:
            self._opened.add(seat)
            self._tell(Phase.LINK_OPEN, len(self._opened), seat)

    def link_authenticated(self, seat: Seat, transport: Transport) -> None:
        """A transport to that very seat."""
        self.mesh.attach(seat, transport)
        if seat not in self._authenticated:
            self._authenticated.add(seat)
            self._tell(Phase.LINK_AUTHENTICATED, len(self._authenticated), seat)
        self._changed.set()

    def link_failed(self, seat: Seat, error: LinkError) -> None:
        """One try has failed; only an impostor ends the meeting at once."""
        self._failures[seat] = error
        if isinstance(error, LinkNotAuthentic):
            name = self._table.roster.seats[seat].name
            self._fatal = LinkNotAuthentic(f"The connection to {name} is not theirs: {error}.")
        self._changed.set()

    # --- inside ---

    def _tell(self, phase: Phase, done: int = 0, seat: Seat | None = None) -> None:
        name = "" if seat is None else self._table.roster.seats[seat].name
        total = len(self.mesh.others)
        self._on_progress(Progress(phase=phase, done=done, total=total, name=name))

    def _no_link(self) -> ConnectError:
        missing = [seat for seat in self.mesh.others if seat not in self._authenticated]
        names = ", ".join(self._table.roster.seats[seat].name for seat in missing)
        reasons = {str(self._failures[seat]) for seat in missing if seat in self._failures}
        if not reasons:
            return TimedOut(f"{names} did not open a connection in time: start again.")
        why = "; ".join(sorted(reasons))
        return LinkError(f"No connection to {names} ({why}): try from one network, or without VPN.")

    async def _take_events(self) -> None:
        """Hands over what the signalling server brings, for as long as it is there."""
        while True:
            event = await self._client.next_event()
            match event:
                case BodyArrived():
                    self._dialer.receive(event.sender, event.body)
                case PeerChanged(state="left") if event.id in self._table.routes:
                    self._note_leaver(event.id)
                case SignallingGone():
                    self._fatal = event.error
                    self._changed.set()
                    await self._dialer.close()
                    return

    def _note_leaver(self, member: str) -> None:
        """Before the table stands, somebody without a link to us can tell us only this way."""
        seat = Seat(self._table.routes.index(member))
        if seat != self._table.seat and seat not in self._authenticated:
            name = self._table.roster.seats[seat].name
            self._fatal = PlayerLeft(f"{name} left before the table stood: start again.")
            self._changed.set()

    async def _close(self) -> None:
        await cancel(self._pump)
        await self._dialer.close()


def _talks(toolkit: Toolkit, table: Table, ephemeral: X25519Key) -> dict[Seat, PairTalk]:
    talks = {}
    for index, card in enumerate(table.cards):
        seat = Seat(index)
        if seat == table.seat:
            continue
        try:
            channel = pair_channel(table.roster, table.seat, ephemeral, seat, card, toolkit.sealer)
        except BadPoint:
            name = table.roster.seats[seat].name
            raise SignalingError(f"{name} sent a bad key: start again.") from None
        talks[seat] = PairTalk(
            toolkit, table.roster, own_seat=table.seat, other_seat=seat, channel=channel
        )
    return talks
