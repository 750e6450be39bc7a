"""From one table to the next: players who stay together meet in the order that they agreed on.

The first of the new order opens a room and shares its link over the links of the old table; the
others follow that link (docs/network.md, Players who stay together). The old mesh has to live until
the new one stands.

Somebody may be lost on the way, and come back to the old table. So as long as that is possible the
first opens another room, and the others follow its link, also out of a room to which nobody comes. It
is not possible any more once we have told all that the new table stands for us and one of them has
left the old one: then it may stand for that player.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from p2pokey.errors import (
    CodeExpired,
    ConnectError,
    HostAway,
    KeyInUse,
    LinkError,
    LinkNotAuthentic,
    LocalProtocolError,
    PlayerLeft,
    TimedOut,
    UnknownCode,
    WrongCode,
)
from p2pokey.net.invites import Invite
from p2pokey.net.limits import Limits
from p2pokey.net.meeting import host_table, join_table
from p2pokey.net.membership import Membership
from p2pokey.net.mesh import Mesh
from p2pokey.net.progress import OnProgress, ignore_progress
from p2pokey.net.tasks import cancel
from p2pokey.net.transport import Connector
from p2pokey.ports import Signer
from p2pokey.table.succession import Succession
from p2pokey.tiles import Seat

_BURNT = (WrongCode, UnknownCode, CodeExpired)
"""That link leads nowhere: the next one has to come soon."""
_AGAIN = (PlayerLeft, TimedOut, LinkError)
"""Somebody was lost on the way."""
_SOON = (HostAway, KeyInUse)
"""The server has yet to notice that somebody's connection is another one now."""
_SOON_S = 5.0
"""Seconds after which the same link is tried again then."""


@dataclass(slots=True, kw_only=True)
class NextTable:
    """One player's way to the next table."""

    agreed: Succession
    """What all who stay have agreed on; its `before` is the roster of `membership`."""
    membership: Membership
    """Our part in the table that we come from."""
    signer: Signer
    """Our identity key."""
    on_progress: OnProgress = ignore_progress
    limits: Limits = field(default_factory=Limits)
    connector: Connector | None = None
    keep: Callable[[Membership], None] = lambda kept: None
    """As in `meeting.host_table`, for each new table that we try."""
    has_left: Callable[[Seat], bool] = lambda seat: False
    """Whether the player of that old seat has said goodbye to the old table."""
    _is_kept: bool = field(default=False, init=False)
    """Whether a new table may stand for somebody."""

    @property
    def is_host(self) -> bool:
        """Whether we open the room."""
        return self.agreed.order[0] == self.membership.seat

    async def host(
        self,
        *,
        share: Callable[[str], None],
        on_code: Callable[[Invite], None] = lambda invite: None,
        **room: Any,
    ) -> Mesh:
        """Opens the room at the server of the old table, and waits until all seats are taken.

        If somebody is lost before that it opens another one, for as long as we have patience.

        Args:
            share: gets the link, and another one for each new room and if wrong guesses burn it; sends it to all others who
                stay.
            on_code: gets the invite for whoever takes a vacant seat.
            room: password, listing, control and the like, as in `meeting.host_table`.

        Raises:
            LocalProtocolError: another player opens the room. Others as `meeting.host_table`.
        """
        if not self.is_host:
            raise LocalProtocolError("expected the first of the new order to open the room")
        server = self.membership.server

        def show(invite: Invite) -> None:
            share(invite.uri(server))
            on_code(invite)

        until = self._now() + self.limits.waiting_s
        while True:
            try:
                return await self._open(server, show, room)
            except _AGAIN as error:
                if not self._may_try_again(error) or self._now() >= until:
                    raise
            await asyncio.sleep(self.limits.retry_s)

    async def _open(
        self, server: str, show: Callable[[Invite], None], room: dict[str, Any]
    ) -> Mesh:
        return await host_table(
            rules=self.agreed.rules or self.agreed.before.rules,
            seats=len(self.agreed.order),
            server=server,
            on_code=show,
            carry=self.agreed.carry,
            epoch=self.agreed.epoch,
            reserved=self.agreed.reserved,
            banned=self.agreed.banned,
            **self._who(),
            **room,
        )

    async def follow(self, next_link: Callable[[], Awaitable[str]]) -> Mesh:
        """Comes in by the link of the new room, and by every newer one until a table stands.

        Args:
            next_link: waits for another link of the new host.

        Raises:
            LocalProtocolError: we are not among those who stay.
            TableRefused: the new table is not the one that was agreed on.
            TimedOut: no link came. Others as `meeting.join_table`.
        """
        if self.is_host or self.agreed.new_seat(self.membership.seat) is None:
            raise LocalProtocolError("expected a player who stays to follow the link")
        failed: ConnectError | None = None
        link, until = "", self._now() + self.limits.waiting_s
        coming = asyncio.create_task(_of(next_link))
        try:
            while True:
                await asyncio.wait([coming], timeout=self._wait_s(failed, until))
                if coming.done():
                    link, coming = coming.result(), asyncio.create_task(_of(next_link))
                elif not isinstance(failed, _SOON) or self._now() >= until:
                    raise failed or self._no_link()
                try:
                    mesh = await self._enter(link, coming)
                except (*_BURNT, *_AGAIN, *_SOON) as error:
                    if not self._may_try_again(error):
                        raise
                    failed = error
                else:
                    if mesh is not None:
                        return mesh
        finally:
            await cancel(coming)

    def _wait_s(self, failed: ConnectError | None, until: float) -> float:
        """How long to wait for another link."""
        left = max(until - self._now(), 0.0)
        if isinstance(failed, _SOON):
            return min(left, _SOON_S)
        return self.limits.admission_s if isinstance(failed, _BURNT) else left

    async def _enter(self, link: str, newer: asyncio.Task[str]) -> Mesh | None:
        """The table of that link; None if a newer one has come before it stood."""
        joining = asyncio.create_task(
            join_table(invite=link, check_roster=self.agreed.check, **self._who())
        )
        try:
            both: list[asyncio.Task[Any]] = [joining, newer]
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            if joining.done():
                return joining.result()
        finally:
            await cancel(joining)
        if not joining.cancelled() and joining.exception() is None:
            return joining.result()
        if not self._may_try_again(None):
            raise PlayerLeft("Somebody has gone to the new table, and we have lost it.")
        return None

    def _may_try_again(self, error: ConnectError | None) -> bool:
        """Whether nobody can be at the new table for good, so that another one is no second one."""
        if isinstance(error, LinkNotAuthentic):
            return False
        others = [old for old in self.agreed.order if old not in (None, self.membership.seat)]
        return not (
            self._is_kept and any(self.has_left(Seat(old)) for old in others if old is not None)
        )

    def _keep(self, kept: Membership) -> None:
        self.keep(kept)
        self._is_kept = True

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    def _no_link(self) -> TimedOut:
        first = self.agreed.order[0]
        assert first is not None
        name = self.agreed.before.seats[first].name
        return TimedOut(f"{name} did not open the new table in time.")

    def _who(self) -> dict[str, Any]:
        """We are who we were, run by whoever ran us."""
        runner, signature = self.membership.runner
        return {
            "signer": self.signer,
            "name": self.membership.roster.seats[self.membership.seat].name,
            "runner": runner,
            "runner_signature": signature,
            "on_progress": self.on_progress,
            "limits": self.limits,
            "connector": self.connector,
            "keep": self._keep,
        }


async def _of(next_link: Callable[[], Awaitable[str]]) -> str:
    return await next_link()
