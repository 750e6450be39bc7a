"""From a name and a code to a mesh: what a host and a guest go through (docs/network.md).

    reach the server -> room or lobby -> admission -> signed roster -> seat cards -> links -> ready

`host_table` and `join_table` either return a mesh of authenticated links or raise one `ConnectError`
whose text says what to do next. Every wait in between has a limit, and whatever was opened is closed
when anything fails or the caller is cancelled.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack

from p2pokey.errors import InvalidInvite, LocalProtocolError
from p2pokey.native.agreement import X25519Key
from p2pokey.net.control import HostControl
from p2pokey.net.gathering import Table as GatheredTable
from p2pokey.net.hosting import FIRST_EPOCH, Accept, HostGathering
from p2pokey.net.invites import Invite, parse_invite
from p2pokey.net.joining import GuestGathering
from p2pokey.net.limits import Limits
from p2pokey.net.linking import Linking
from p2pokey.net.membership import Membership
from p2pokey.net.mesh import Mesh
from p2pokey.net.progress import OnProgress, Phase, Progress, ignore_progress
from p2pokey.net.signalling import Listing, SignallingClient
from p2pokey.net.toolkit import native_toolkit
from p2pokey.net.transport import Connector
from p2pokey.ports import Signer
from p2pokey.table.roster import Roster
from p2pokey.tiles import MAX_SEATS, MIN_SEATS, Seat

_log = logging.getLogger(__name__)


async def host_table(
    *,
    signer: Signer,
    name: str,
    rules: bytes,
    seats: int,
    server: str,
    on_code: Callable[[Invite], None],
    on_progress: OnProgress = ignore_progress,
    limits: Limits | None = None,
    room_password: str = "",
    runner: bytes | None = None,
    runner_signature: bytes = b"",
    connector: Connector | None = None,
    keep: Callable[[Membership], None] = lambda kept: None,
    carry: bytes = b"",
    epoch: int = FIRST_EPOCH,
    reserved: Mapping[bytes, Seat] | None = None,
    banned: Mapping[bytes, str] | None = None,
    control: HostControl | None = None,
    listing: Listing | None = None,
    accept: Accept | None = None,
) -> Mesh:
    """Opens a table and waits until everybody is linked.

    Args:
        signer: our identity key.
        name: our display name (`roster.check_name`).
        rules: canonical text of RuleSet || TableOptions, at most 3072 bytes.
        seats: 2-4, ours included.
        server: `ws://` or `wss://` address of the signalling server.
        on_code: gets the invite, and another one if wrong guesses burn it. Must not raise.
        on_progress: told of each step.
        limits: how long to wait; the defaults suit friends on the internet.
        room_password: asked of guests besides the code; empty for none.
        runner: identity key of whoever runs our seat, for a bot's; None for our own.
        runner_signature: by that key (`roster.sign_runner`); empty for our own.
        connector: makes transports; None for WebRTC without STUN or TURN servers.
        keep: gets what `resume_table` needs, before anybody hears that the table stands for us;
            what it raises comes out of here.
        carry: what the match takes over from the session before (table-protocol.md); at most 256
            bytes, empty for a fresh match.
        epoch: of the roster; one more than the last one for players who stay together.
        reserved: seats, not 0, of the identity keys that stay; others get the seats that are left.
        banned: identity keys that are refused and the names that they had. Everybody at the table is
            told when one of them knocks.
        listing: makes the table public, with this title; people may then come without a code.
        accept: decides on each of those; None lets in nobody without a code. Is cancelled when the
            guest has gone.
        control: opens and closes the window; with it a window that runs out does not end the table.

    Returns:
        The mesh; we have seat 0. Close it.

    Raises:
        ServerUnreachable, TooManyGuesses, TimedOut, PlayerLeft, SignalingError, LinkError: no table,
            and nothing left open.
        DecodeError: the name is not fit to be shown.
    """
    assert MIN_SEATS <= seats <= MAX_SEATS
    meeting = _Meeting(signer, server, on_progress, limits or Limits(), connector)

    def gathering(client: SignallingClient) -> HostGathering:
        return HostGathering(
            client=client,
            toolkit=meeting.toolkit,
            name=name,
            runner=runner or signer.public_key,
            runner_signature=runner_signature,
            limits=meeting.limits,
            on_progress=meeting.on_progress,
            ephemeral=meeting.ephemeral,
            rules=rules,
            seats=seats,
            room_password=room_password,
            on_code=on_code,
            carry=carry,
            epoch=epoch,
            reserved=reserved or {},
            banned=banned or {},
            control=control,
            listing=listing,
            accept=accept,
        )

    return await meeting.hold(gathering, keep)


async def join_table(
    *,
    signer: Signer,
    name: str,
    invite: Invite | str,
    server: str | None = None,
    check_rules: Callable[[bytes, int], None] = lambda rules, seats: None,
    check_roster: Callable[[Roster], None] = lambda roster: None,
    on_progress: OnProgress = ignore_progress,
    limits: Limits | None = None,
    room_password: str = "",
    runner: bytes | None = None,
    runner_signature: bytes = b"",
    connector: Connector | None = None,
    keep: Callable[[Membership], None] = lambda kept: None,
) -> Mesh:
    """Joins a table by its code or link and waits until everybody is linked.

    Args as in `host_table`, and:
        invite: the code or link, as typed or parsed.
        server: address of the signalling server; may be None if the invite is a link.
        check_rules: gets the rules text and the number of seats before we take a seat; raises
            whatever error shall come out of here to refuse them.
        check_roster: gets the signed roster before we take our seat in it; raises likewise. Whoever
            stays at a table checks here who sits where and what the match carries on
            (`table.succession`).

    Raises:
        InvalidInvite, UnknownCode, WrongCode, CodeExpired, RoomFull: the code does not lead to a
            seat; others as in `host_table`.
    """
    parsed = parse_invite(invite) if isinstance(invite, str) else invite
    address = server or parsed.server
    if address is None:
        raise InvalidInvite("That code names no server: give the server's address as well.")
    meeting = _Meeting(signer, address, on_progress, limits or Limits(), connector)

    def gathering(client: SignallingClient) -> GuestGathering:
        return GuestGathering(
            client=client,
            toolkit=meeting.toolkit,
            name=name,
            runner=runner or signer.public_key,
            runner_signature=runner_signature,
            limits=meeting.limits,
            on_progress=meeting.on_progress,
            ephemeral=meeting.ephemeral,
            invite=parsed,
            room_password=room_password,
            check_rules=check_rules,
            check_roster=check_roster,
        )

    return await meeting.hold(gathering, keep)


async def resume_table(
    *,
    signer: Signer,
    membership: Membership,
    on_progress: OnProgress = ignore_progress,
    limits: Limits | None = None,
    connector: Connector | None = None,
) -> Mesh:
    """Comes back to a table that stands, without a code; returns at once, links follow.

    All others are away in the mesh until they have answered.

    Args:
        signer: the identity key of our seat.
        membership: what was kept of the table.
        on_progress, limits, connector: as in `host_table`.

    Raises:
        LocalProtocolError: that is not the key of the seat.
        ServerUnreachable, SignalingError: there is no way to reach the others just now.
    """
    if signer.public_key != membership.roster.seats[membership.seat].public_key:
        raise LocalProtocolError("expected the identity key of the seat that we come back to")
    place = (membership.place, membership.token)
    meeting = _Meeting(signer, membership.server, on_progress, limits or Limits(), connector)
    return await meeting.resume(membership, place)


class _Meeting:
    """What host and guest do around their gathering."""

    def __init__(
        self,
        signer: Signer,
        server: str,
        on_progress: OnProgress,
        limits: Limits,
        connector: Connector | None,
    ) -> None:
        self.toolkit = native_toolkit(signer)
        self.limits = limits
        self.secret = self.toolkit.entropy.random_bytes(32)
        self.ephemeral = X25519Key(self.secret)
        self.on_progress = _unfailing(on_progress)
        self._server = server
        self._connector = connector

    async def hold(
        self,
        gathering: Callable[[SignallingClient], HostGathering | GuestGathering],
        keep: Callable[[Membership], None],
    ) -> Mesh:
        """From the server's address to a mesh."""
        owned = AsyncExitStack()
        loading = asyncio.create_task(self._load_connector())
        owned.push_async_callback(asyncio.wait, [loading])  # a thread cannot be cancelled
        try:
            client = await owned.enter_async_context(SignallingClient(self._server, self.limits))
            self.on_progress(Progress(phase=Phase.SERVER_REACHED))
            table = await gathering(client).gather()
            linking = Linking(
                toolkit=self.toolkit,
                table=table,
                ephemeral=self.secret,
                client=client,
                connector=await loading,
                limits=self.limits,
                on_progress=self.on_progress,
                owned=owned,
                keep=keep,
            )
        except BaseException:
            await owned.aclose()
            raise
        try:
            await linking.link_all()
        except BaseException:
            await linking.mesh.close()
            raise
        return linking.mesh

    async def resume(self, membership: Membership, place: tuple[str, str]) -> Mesh:
        """From what was kept to a mesh whose links are being called."""
        owned = AsyncExitStack()
        loading = asyncio.create_task(self._load_connector())
        owned.push_async_callback(asyncio.wait, [loading])
        try:
            client = SignallingClient(self._server, self.limits, place=place)
            await owned.enter_async_context(client)
            self.on_progress(Progress(phase=Phase.SERVER_REACHED))
            linking = Linking(
                toolkit=self.toolkit,
                table=GatheredTable(
                    roster=membership.roster,
                    seat=membership.seat,
                    cards=membership.cards,
                    routes=membership.routes,
                    early=(),
                ),
                ephemeral=membership.ephemeral,
                client=client,
                connector=await loading,
                limits=self.limits,
                on_progress=self.on_progress,
                owned=owned,
                is_resumed=True,
            )
        except BaseException:
            await owned.aclose()
            raise
        linking.link_again()
        return linking.mesh

    async def _load_connector(self) -> Connector:
        """Importing WebRTC takes half a second: done while friends are being waited for."""
        if self._connector is not None:
            return self._connector
        return await asyncio.to_thread(_webrtc)


def _unfailing(on_progress: OnProgress) -> OnProgress:
    """A caller that cannot show a step, e.g. on a closed pipe, must not lose a link by it."""

    def tell(step: Progress) -> None:
        try:
            on_progress(step)
        except Exception:  # noqa: BLE001 - whatever it is, it is the caller's display
            _log.exception("progress could not be shown")

    return tell


def _webrtc() -> Connector:
    """Imported here because only real links need it."""
    from p2pokey.net.webrtc import WebRtcConnector

    return WebRtcConnector()
