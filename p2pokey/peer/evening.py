"""From a table that stands to its end, and on to the next one where its players agree on other seats.

The terminal and the page share this; what they do differently is their `Shell`.
"""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from p2pokey.crypto.group import Group
from p2pokey.errors import ConnectError, LocalProtocolError, TableCancelled
from p2pokey.native.entropy import OsEntropy
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.native.sealing import ChaChaSealer
from p2pokey.net.ice import connector_to
from p2pokey.net.invites import Invite
from p2pokey.net.membership import Membership
from p2pokey.net.mesh import Mesh
from p2pokey.net.progress import Progress
from p2pokey.net.words import words_at
from p2pokey.peer.events import Connected, PeerEvent
from p2pokey.peer.labels import seat_labels
from p2pokey.peer.moving_on import MovingOn
from p2pokey.peer.players import AutoPlayer, Person
from p2pokey.peer.playing import PeerPorts
from p2pokey.peer.table import Table
from p2pokey.peer.table_journal import Person as KeptPerson
from p2pokey.peer.table_journal import TableJournal
from p2pokey.peer.table_names import keep_names
from p2pokey.peer.tracing import Tracer
from p2pokey.peer.waits import IfMissing, WaitLimits
from p2pokey.peer.watching import NoWatch, Watch
from p2pokey.ports import Signer
from p2pokey.table.roster import safety_numbers

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatWishes:
    """How a shell wants its seat to be played."""

    person: Person | None = None
    """Who moves; None: the computer."""
    watch: Watch = field(default_factory=NoWatch)
    asks_player: bool = False
    """Whether the player says before each further hand that it may begin."""
    stays: bool = False
    """Whether to stay after a match, for a rematch."""
    stay_s: float = WaitLimits().stay_s
    """For how many seconds, if so."""
    is_left_alone: bool = False
    """Whether nobody sits here who could go, and no other program says when to."""


class Shell(Protocol):
    """Who shows a player the tables of an evening."""

    def tell(self, event: PeerEvent) -> None:
        """Something has happened."""

    def meeting(self, progress: Progress) -> None:
        """A step from a code to a table."""

    def invited(
        self, code: str, link: str, server: str | None = None, *, has_password: bool | None = False
    ) -> None:
        """There is an invite to pass on, to a room with or without a password; None: with none now."""

    def can_resume(self) -> None:
        """The program is told to end, and the table is not over."""

    def connected(self, mesh: Mesh) -> None:
        """A table has come together, after `Connected` was told."""

    def wishes(self, mesh: Mesh) -> SeatWishes:
        """How the seat is to be played."""

    async def play(self, table: Table) -> None:
        """Plays to the end of the table (`Table.play`), and does meanwhile what the player wants."""


@dataclass(kw_only=True)
class Evening:
    """One player's tables, one after the other."""

    signer: Signer
    group: Group
    shell: Shell
    password: str | None = field(default="", repr=False)
    """Of the room, for a room that is opened later: empty if it has none, None if nobody has said."""
    trace: Tracer | None = None
    _next: tuple[Mesh, TableJournal] | None = None

    async def play(self, mesh: Mesh, diary: TableJournal, *, is_resumed: bool = False) -> None:
        """Plays to the end of the last table; a table that is over leaves no journal behind.

        Raises:
            TableCancelled: the table is over before its match is.
            Others as `Table.play`: the table can be resumed.
        """
        while True:
            if not is_resumed:
                self.shell.tell(_connected(mesh))
                self.shell.connected(mesh)
            try:
                async with mesh:
                    with _stopping_is_no_end(self.shell):
                        await self._play_out(mesh, diary, is_resumed=is_resumed)
            except BaseException:
                if self._next is not None:
                    await self._next[0].close()
                raise
            if self._next is None:
                return
            (mesh, diary), self._next, is_resumed = self._next, None, False

    async def _play_out(self, mesh: Mesh, diary: TableJournal, *, is_resumed: bool) -> None:
        mesh.on_membership = partial(_move, diary)
        table = self._table(mesh, diary, is_resumed=is_resumed)
        try:
            await self.shell.play(table)
        except TableCancelled:
            mesh.give_up_place()
            diary.discard()
            raise
        except BaseException:
            diary.close()
            raise
        mesh.give_up_place()
        diary.discard()

    def _table(self, mesh: Mesh, diary: TableJournal, *, is_resumed: bool) -> Table:
        person, patience = diary.person, diary.person.patience_s
        wishes = self.shell.wishes(mesh)
        keep_names(person.out, mesh.roster)
        linger = min(WaitLimits().linger_s, patience)
        return Table(
            links=mesh,
            ports=PeerPorts(
                group=self.group,
                signer=self.signer,
                verifier=Ed25519Verifier(),
                sealer=ChaChaSealer(),
                entropy=OsEntropy(),
            ),
            player=AutoPlayer(person.player_seed, mesh.seat),
            person=wishes.person,
            watch=wishes.watch,
            asks_player=wishes.asks_player,
            out=person.out,
            journals=diary.folder,
            emit=self.shell.tell,
            hands=person.hands,
            limits=WaitLimits(
                absent_s=patience,
                linger_s=linger,
                stay_s=wishes.stay_s,
                bound_s=_bound_s(wishes, person),
            ),
            if_missing=person.if_missing,
            on_seating=partial(self._move_on, mesh, diary),
            labels=seat_labels(mesh.roster),
            stays=wishes.stays,
            is_resumed=is_resumed,
            diary=diary,
            trace=self.trace,
        )

    # To the next table ---------------------------------------------------------------------------

    async def _move_on(self, mesh: Mesh, diary: TableJournal, table: Table) -> None:
        """Opens the new room, or follows its link."""
        del mesh
        way = MovingOn(
            diary=diary,
            signer=self.signer,
            on_code=partial(self._show, diary),
            on_progress=self.shell.meeting,
            connector=connector_to(diary.person.ice),
            room_password=self.password or "",
        )
        self._next = await way.go(table)

    def _show(self, diary: TableJournal, invite: Invite) -> None:
        """For whoever takes a vacant seat."""
        server = diary.membership.server
        has_password = None if self.password is None else bool(self.password)
        self.shell.invited(invite.code, invite.uri(server), server, has_password=has_password)


def _bound_s(wishes: SeatWishes, person: KeptPerson) -> float | None:
    """How long a hand that cannot be voided any more is waited for; None: as long as it takes."""
    is_impatient = person.if_missing is IfMissing.VOID
    return person.patience_s if wishes.is_left_alone and is_impatient else None


def _move(diary: TableJournal, membership: Membership) -> None:
    """Keeps a new place at the server; the game goes on without, it only costs time later."""
    try:
        diary.move(membership)
    except (OSError, LocalProtocolError) as error:
        _log.warning("the new place at the server is not kept: %s", error)


@contextmanager
def _stopping_is_no_end(shell: Shell) -> Iterator[None]:
    """Says how to come back to whoever stops the program at a table, or has lost the others."""
    try:
        yield
    except (asyncio.CancelledError, ConnectError):
        shell.can_resume()
        raise


def _connected(mesh: Mesh) -> Connected:
    return Connected(
        seat=mesh.seat,
        names=seat_labels(mesh.roster),
        safety_words=words_at(safety_numbers(mesh.session_id)),
    )
