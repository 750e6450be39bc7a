"""Linking one seat to all others through the signalling server, now and when a link is lost."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import AsyncExitStack

from p2pokey.errors import (
    BadPoint,
    ConnectError,
    LinkError,
    LinkNotAuthentic,
    PlayerLeft,
    SignalingError,
    TableRefused,
    TimedOut,
)
from p2pokey.native.agreement import X25519Key
from p2pokey.net.dialing import Dialer
from p2pokey.net.gathering import Table
from p2pokey.net.limits import Limits
from p2pokey.net.membership import Membership
from p2pokey.net.mesh import Mesh, MeshHooks
from p2pokey.net.offers import PairTalk
from p2pokey.net.pairs import RUN_BYTES
from p2pokey.net.progress import OnProgress, Phase, Progress
from p2pokey.net.seats import pair_channel
from p2pokey.net.signalling import PlaceLost, SignallingClient, SignallingGone
from p2pokey.net.tasks import cancel, spawn
from p2pokey.net.toolkit import Toolkit
from p2pokey.net.transport import Connector, Transport
from p2pokey.net.vouching import check_vouch, is_vouch
from p2pokey.net.wire import BodyArrived, Knocked, PeerChanged
from p2pokey.table.roster import session_id
from p2pokey.tiles import Seat

LONG_PATIENCE_S = 86_400.0
"""How long a playing peer tries to reach a lost signalling server."""
_REENTRY_PAUSE_S, _REENTRY_PAUSE_MAX_S = 0.5, 4.0
"""Between two tries to take a place in the old room: the host may not be there yet."""

_log = logging.getLogger(__name__)


class Linking:
    """Makes a mesh and fills it; implements `dialing.LinkOwner`.

    Args:
        toolkit: our keys.
        table: what gathering found out.
        ephemeral: secret of our X25519 key, whose public half is on our card.
        client: the signalling connection; read by nobody else from now on.
        connector: makes transports.
        limits: how long to wait.
        on_progress: told of each link.
        owned: closed with the mesh; `client` is in it already.
        keep: gets what it takes to come back, before anybody is told that the table stands for us.
        is_resumed: our program has been started again at a table that stands.

    Raises:
        SignalingError: a seat card holds a bad key.
    """

    def __init__(
        self,
        *,
        toolkit: Toolkit,
        table: Table,
        ephemeral: bytes,
        client: SignallingClient,
        connector: Connector,
        limits: Limits,
        on_progress: OnProgress,
        owned: AsyncExitStack,
        keep: Callable[[Membership], None] = lambda kept: None,
        is_resumed: bool = False,
    ) -> None:
        self._keep = keep
        self._toolkit = toolkit
        self._ephemeral = ephemeral
        self._stands = is_resumed
        self._reentry: asyncio.Task[None] | None = None
        run = toolkit.entropy.random_bytes(RUN_BYTES)
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
            talks=_talks(toolkit, table, X25519Key(ephemeral), run),
            routes=table.routes,
            send=client.send,
            connector=connector,
            owner=self,
            limits=limits,
            run=run,
            is_resumed=is_resumed,
        )
        self.mesh = Mesh(
            seat=table.seat,
            roster=table.roster,
            session_id=session_id(table.roster, [card.nonce for card in table.cards]),
            limits=limits,
            hooks=MeshHooks(want=self._dialer.want, forget=self._dialer.forget),
            owned=owned,
            is_resumed=is_resumed,
        )
        self._pump = spawn(self._take_events(), "signalling pump")
        self.mesh.give_up_place = client.give_up_place
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
        self._keep(self._membership())
        await self.mesh.get_ready()
        self._client.stay(LONG_PATIENCE_S)
        self._stands = True
        self.route_changed()
        self._tell(Phase.READY)

    def link_again(self) -> None:
        """Starts to call everybody at a table that stands; links come as they come."""
        self._client.stay(LONG_PATIENCE_S)
        self.route_changed()
        for seat in self.mesh.others:
            self._dialer.want(seat)

    # --- what the dialer tells ---

    def link_opened(self, seat: Seat) -> None:
        """A transport is open, its other end not yet known."""
        if seat not in self._opened:
            self._opened.add(seat)
            self._tell(Phase.LINK_OPEN, len(self._opened), seat)

    def link_authenticated(self, seat: Seat, transport: Transport, run: bytes) -> None:
        """A transport to that very seat."""
        self.mesh.attach(seat, transport, run)
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

    def route_changed(self) -> None:
        """Keeps what it takes to come back to this table."""
        if self._stands:
            self.mesh.keep(self._membership())

    # --- inside ---

    def _membership(self) -> Membership:
        routes = {**self._dialer.routes, self._table.seat: self._client.id}
        return Membership(
            server=self._client.server,
            roster=self._table.roster,
            seat=self._table.seat,
            cards=self._table.cards,
            ephemeral=self._ephemeral,
            place=self._client.id,
            token=self._client.token,
            routes=tuple(routes[Seat(seat)] for seat in range(len(routes))),
        )

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
                case BodyArrived() if is_vouch(event.body):
                    self._hear(event.body)
                case BodyArrived():
                    self._dialer.receive(event.sender, event.body)
                case PlaceLost():
                    self._enter_again()
                case Knocked() if self._stands and self._is_stranger(event.key):
                    await self._client.kick(event.id)
                    self._tell(Phase.STRANGER_LEFT)
                case Knocked() | PeerChanged(state="here") if self._stands:
                    await self._dialer.met(event.id)
                case PeerChanged(state="left") if self._stands:
                    if event.id == self._dialer.routes.get(Seat(0)):
                        self._enter_again()  # the room goes with its host's place
                case PeerChanged(state="left") if event.id in self._table.routes:
                    self._note_leaver(event.id)
                case SignallingGone():
                    self._fatal = event.error
                    self._changed.set()
                    await self._dialer.close()
                    return

    def _hear(self, word: bytes) -> None:
        """What another seat says of the roster counts until the table stands."""
        if self._stands:
            return
        try:
            check_vouch(word, self._table.roster, self._table.seat, self._toolkit.verifier)
        except TableRefused as error:
            self._fatal = error
            self._changed.set()

    def _is_stranger(self, key: bytes) -> bool:
        """Only the host is told who knocks; a room made anew has its window open for an hour."""
        return self._table.seat == 0 and self._table.roster.seat_of(key) is None

    def _enter_again(self) -> None:
        if self._reentry is None or self._reentry.done():
            self._reentry = spawn(self._reenter(), "signalling re-entry")

    async def _reenter(self) -> None:
        """Takes a place in the room of our table, made anew by the host, until there is one."""
        room, pause_s = self._table.roster.room, _REENTRY_PAUSE_S
        seats, own_key = len(self._table.roster.seats), self._toolkit.public_key
        while True:
            try:
                if self._table.seat == 0:
                    await self._client.create(seats=seats, host_key=own_key, room=room)
                else:
                    await self._client.knock(room, own_key)
            except ConnectError as error:
                _log.info("no place at the signalling server yet: %s", error)
                await asyncio.sleep(pause_s)
                pause_s = min(2 * pause_s, _REENTRY_PAUSE_MAX_S)
                continue
            self.route_changed()
            return

    def _note_leaver(self, member: str) -> None:
        """Before the table stands, somebody without a link to us can tell us only this way."""
        seat = Seat(self._table.routes.index(member))
        if seat != self._table.seat and seat not in self._authenticated:
            name = self._table.roster.seats[seat].name
            self._fatal = PlayerLeft(f"{name} left before the table stood: start again.")
            self._changed.set()

    async def _close(self) -> None:
        await cancel(self._pump, self._reentry)
        await self._dialer.close()


def _talks(
    toolkit: Toolkit, table: Table, ephemeral: X25519Key, run: bytes
) -> dict[Seat, PairTalk]:
    talks = {}
    for index, card in enumerate(table.cards):
        seat = Seat(index)
        if seat == table.seat:
            continue
        try:
            channel = pair_channel(
                table.roster, table.seat, ephemeral, seat, card, toolkit.sealer, run
            )
        except BadPoint:
            name = table.roster.seats[seat].name
            raise SignalingError(f"{name} sent a bad key: start again.") from None
        talks[seat] = PairTalk(
            toolkit, table.roster, own_seat=table.seat, other_seat=seat, channel=channel
        )
    return talks
