"""From a table that stands to its end, and on to the next one where its players agree on other seats."""

import asyncio
import logging
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from p2pokey.cli.console import Console
from p2pokey.cli.exits import CommandError, ExitCode
from p2pokey.cli.folders import ready_folder
from p2pokey.cli.friends import greet
from p2pokey.cli.rooms import seat_labels
from p2pokey.cli.telling import Teller
from p2pokey.crypto.group import Group
from p2pokey.errors import ConnectError, LinkError, LocalProtocolError, TableCancelled
from p2pokey.native.entropy import OsEntropy
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.native.sealing import ChaChaSealer
from p2pokey.net.ice import parse_ice_server
from p2pokey.net.invites import Invite
from p2pokey.net.membership import Membership
from p2pokey.net.mesh import Mesh
from p2pokey.net.transport import Connector
from p2pokey.net.words import words_at
from p2pokey.peer.events import Connected, KeyNoted
from p2pokey.peer.moving_on import MovingOn
from p2pokey.peer.players import AutoPlayer
from p2pokey.peer.playing import PeerPorts
from p2pokey.peer.table import Table
from p2pokey.peer.table_journal import TableJournal
from p2pokey.peer.tracing import Tracer
from p2pokey.peer.waits import WaitLimits
from p2pokey.ports import Signer
from p2pokey.table.roster import safety_numbers

_log = logging.getLogger(__name__)


def connector_for(ice: tuple[str, ...]) -> Connector | None:
    """WebRTC with the servers that were asked for; None leaves it to the meeting, without any."""
    try:
        servers = [parse_ice_server(text) for text in ice]
    except LinkError as error:
        advice = "Ask whoever runs the server for its address, or leave --ice out."
        raise CommandError(str(error), advice=advice, code=ExitCode.USAGE) from error
    if not servers:
        return None
    from p2pokey.net.webrtc import WebRtcConnector

    return WebRtcConnector(servers)


@dataclass(kw_only=True)
class Evening:
    """One player's tables, one after the other."""

    signer: Signer
    group: Group
    teller: Teller
    contacts: Path | None = None
    """Keys of friends; None: none are compared or kept."""
    has_console: bool = False
    """Whether somebody may type."""
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
                self.teller.tell(_connected(mesh))
                for text in self._strange_keys(mesh):
                    self.teller.tell(KeyNoted(text=text))
            try:
                async with mesh:
                    with _stopping_is_no_end(self.teller):
                        await self._play_out(mesh, diary, is_resumed=is_resumed)
            except BaseException:
                if self._next is not None:
                    await self._next[0].close()
                raise
            if self._next is None:
                return
            (mesh, diary), self._next, is_resumed = self._next, None, False

    def _strange_keys(self, mesh: Mesh) -> list[str]:
        """Compares keys with those of earlier tables; computer players are nobody's friends."""
        if self.contacts is None:
            return []
        others = [seat for seat in mesh.roster.seats if seat.public_key != self.signer.public_key]
        people = [seat for seat in others if not seat.is_computer]
        return greet(self.contacts, [(seat.name, seat.public_key) for seat in people])

    async def _play_out(self, mesh: Mesh, diary: TableJournal, *, is_resumed: bool) -> None:
        mesh.on_membership = partial(_move, diary)
        table = self._table(mesh, diary, is_resumed=is_resumed)
        console = Console(table, say=self.teller.say) if self.has_console else None
        try:
            await (table.play() if console is None else play_beside(table.play(), console.read()))
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
            out=person.out,
            journals=diary.folder,
            emit=self.teller.tell,
            hands=person.hands,
            limits=WaitLimits(absent_s=patience, linger_s=linger),
            if_missing=person.if_missing,
            on_seating=partial(self._move_on, mesh, diary),
            labels=seat_labels(mesh.roster),
            stays=self.has_console,
            is_resumed=is_resumed,
            diary=diary,
            trace=self.trace,
        )

    # To the next table ---------------------------------------------------------------------------

    async def _move_on(self, mesh: Mesh, diary: TableJournal, table: Table) -> None:
        """Opens the new room, or follows its link."""
        way = MovingOn(
            diary=diary,
            signer=self.signer,
            ready_folder=ready_folder,
            on_code=partial(self._show, diary),
            on_progress=self.teller.meeting,
            connector=connector_for(diary.person.ice),
        )
        self._next = await way.go(table)

    def _show(self, diary: TableJournal, invite: Invite) -> None:
        """For whoever takes a vacant seat."""
        server = diary.membership.server
        self.teller.invited(invite.code, invite.uri(server), server)


async def play_beside(
    playing: Coroutine[Any, Any, object], reading: Coroutine[Any, Any, None]
) -> None:
    """Plays while what is typed is read; ends with the game, or when either of the two fails."""
    tasks = play, read = asyncio.create_task(playing), asyncio.create_task(reading)
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if read.done():
            read.result()
        await play
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _move(diary: TableJournal, membership: Membership) -> None:
    """Keeps a new place at the server; the game goes on without, it only costs time later."""
    try:
        diary.move(membership)
    except (OSError, LocalProtocolError) as error:
        _log.warning("the new place at the server is not kept: %s", error)


@contextmanager
def _stopping_is_no_end(teller: Teller) -> Iterator[None]:
    """Says how to come back to whoever stops the program at a table, or has lost the others."""
    try:
        yield
    except (asyncio.CancelledError, ConnectError):
        teller.can_resume()
        raise


def _connected(mesh: Mesh) -> Connected:
    return Connected(
        seat=mesh.seat,
        names=seat_labels(mesh.roster),
        safety_words=words_at(safety_numbers(mesh.session_id)),
    )
