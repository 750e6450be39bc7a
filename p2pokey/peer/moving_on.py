"""From a table whose players have agreed on other seats to the next one, with the journals of both.

As long as the new table does not stand the old one is the one to come back to. Once we have told the
others that it stands for us it may stand for one of them, even if it then does not for us: so its
journal stays, too, and names the old one (`Person.before`).
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from p2pokey.net.invites import Invite
from p2pokey.net.limits import Limits
from p2pokey.net.membership import Membership
from p2pokey.net.mesh import Mesh
from p2pokey.net.next_table import NextTable
from p2pokey.net.progress import OnProgress, ignore_progress
from p2pokey.net.transport import Connector
from p2pokey.peer.table import Table
from p2pokey.peer.table_journal import TableJournal, folder_name
from p2pokey.ports import Signer
from p2pokey.table.commands import ShareLink
from p2pokey.table.presence import Presence
from p2pokey.table.succession import Succession, seats_of


@dataclass(kw_only=True)
class MovingOn:
    """One player's way."""

    diary: TableJournal
    """Of the old table."""
    signer: Signer
    on_code: Callable[[Invite], None] = lambda invite: None
    """Gets the invite for whoever takes a vacant seat."""
    on_progress: OnProgress = ignore_progress
    connector: Connector | None = None
    room_password: str = field(default="", repr=False)
    """Of the new room, where this seat opens it."""
    limits: Limits = field(default_factory=Limits)
    _kept: TableJournal | None = field(default=None, init=False)
    """Of the newest table that may stand."""
    _sent_away: dict[bytes, str] = field(default_factory=dict, init=False)

    async def go(self, table: Table) -> tuple[Mesh, TableJournal]:
        """Opens the new room, or follows its link; returns the new table and its journal.

        Raises:
            As `NextTable.host` and `NextTable.follow`: the old table can be resumed.
        """
        agreed, membership = table.board.seating, self.diary.membership
        assert agreed is not None
        succession = Succession(
            before=membership.roster,
            order=seats_of(agreed.order),
            carry=agreed.carry,
            sent_away=dict(self.diary.person.sent_away),
        )
        self._sent_away = succession.banned
        way = NextTable(
            agreed=succession,
            membership=membership,
            signer=self.signer,
            on_progress=self.on_progress,
            connector=self.connector,
            limits=self.limits,
            keep=self.keep,
            has_left=lambda old: table.machine.presence(old)[0] is Presence.LEFT,
        )
        try:
            mesh = await self._meet(way, table)
        except BaseException:
            if self._kept is not None:
                self._kept.close()
            raise
        assert self._kept is not None
        self._kept.drop_others()
        return mesh, self._kept

    async def _meet(self, way: NextTable, table: Table) -> Mesh:
        if not way.is_host:
            return await way.follow(table.board.room.get)
        has_vacancies = None in way.agreed.order
        return await way.host(
            share=lambda link: table.act(ShareLink(link=link)),
            on_code=self.on_code if has_vacancies else lambda invite: None,
            room_password=self.room_password,
        )

    def keep(self, membership: Membership) -> None:
        """Begins a journal; transcripts get a folder of their own, as hands are counted anew."""
        if self._kept is not None:
            self._kept.close()
        before, name = self.diary, folder_name(membership).split("-")[0]
        out = _base(before) / name
        out.mkdir(parents=True, exist_ok=True)
        person = replace(
            before.person,
            out=out,
            sent_away=self._sent_away,
            before=before.folder.name,
        )
        self._kept = TableJournal.create(before.folder.parent, membership, person)


def _base(diary: TableJournal) -> Path:
    """The folder below which each session has its transcripts."""
    out = diary.person.out
    return out.parent if out.name == diary.folder.name.split("-")[0] else out
