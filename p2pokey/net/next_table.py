"""From one table to the next: players who stay together meet in the order that they agreed on.

The first of the new order opens a room and shares its link over the links of the old table; the
others follow that link (docs/network.md, Players who stay together). The old mesh has to live until
the new one stands.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from p2pokey.errors import (
    CodeExpired,
    ConnectError,
    LocalProtocolError,
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
from p2pokey.net.transport import Connector
from p2pokey.ports import Signer
from p2pokey.table.succession import Succession


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
    """As in `meeting.host_table`, for the new table."""

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

        Args:
            share: gets the link, and another one if wrong guesses burn it; sends it to all others who
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
        """Comes in by the link of the new room; by the next one if the first was burnt meanwhile.

        Args:
            next_link: waits for another link of the new host.

        Raises:
            LocalProtocolError: we are not among those who stay.
            TableRefused: the new table is not the one that was agreed on.
            TimedOut: no link came. Others as `meeting.join_table`.
        """
        if self.is_host or self.agreed.new_seat(self.membership.seat) is None:
            raise LocalProtocolError("expected a player who stays to follow the link")
        burnt: ConnectError | None = None
        while True:
            # After a link that did not work the next one has to come soon.
            limit = self.limits.waiting_s if burnt is None else self.limits.admission_s
            try:
                async with asyncio.timeout(limit):
                    link = await next_link()
            except TimeoutError:
                raise burnt or self._no_link() from None
            try:
                return await join_table(invite=link, check_roster=self.agreed.check, **self._who())
            except (WrongCode, UnknownCode, CodeExpired) as error:
                burnt = error

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
            "keep": self.keep,
        }
