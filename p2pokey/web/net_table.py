"""A table with friends: from a code, a link or a journal to its end, as the page shows it.

Implements `peer.evening.Shell` for the evening's tables and `play_engine.Seated` for the page.
"""

import asyncio
import importlib
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from p2pokey.crypto.drbg import Drbg
from p2pokey.crypto.group import Group
from p2pokey.errors import ConnectError, P2POkeyError
from p2pokey.native.contacts import Meeting
from p2pokey.native.entropy import OsEntropy
from p2pokey.native.identity import Ed25519Signer
from p2pokey.native.profile import Profile
from p2pokey.net.membership import Membership
from p2pokey.net.mesh import Mesh
from p2pokey.net.progress import Progress
from p2pokey.net.words import words_at
from p2pokey.peer.evening import Evening, SeatWishes
from p2pokey.peer.events import PeerEvent
from p2pokey.peer.table import Table
from p2pokey.peer.table_events import SeatsAgreed
from p2pokey.peer.table_journal import Person, TableJournal, folder_name
from p2pokey.peer.waits import IfMissing
from p2pokey.rules.rulesets import from_json
from p2pokey.table.roster import safety_numbers
from p2pokey.table.runners import effective_options
from p2pokey.tiles import MAX_SEATS, Seat
from p2pokey.web.bots import TableBots
from p2pokey.web.engine import IntentRefused
from p2pokey.web.friends import Friends
from p2pokey.web.gathering import Gathering
from p2pokey.web.hand_feed import HandFeed
from p2pokey.web.names import Json, read_number
from p2pokey.web.person import PagePerson
from p2pokey.web.table_seat import TableSeat
from p2pokey.web.talk_feed import TalkFeed

STAY_S = 3600.0
"""How long the program stays after a match for a rematch."""
SEED_BYTES = 32
Meet = Callable[["NetTable"], Awaitable[Mesh]]
_log = logging.getLogger(__name__)


@dataclass(kw_only=True)
class NetTable:
    """One player's way through the tables of an evening. Use `start`, then `close`."""

    profile: Profile
    signer: Ed25519Signer
    """The player's identity at this table."""
    group: Group
    out: Path
    """Folder below which each session gets one for its transcripts."""
    meet: Meet
    """Brings the table about; gets this object for its callbacks."""
    friends: Friends
    gathering_now: Gathering
    on_change: Callable[[], None]
    tell_player: Callable[[Json], None]
    bots: TableBots | None = None
    """Computer players that this program can bring along."""
    wanted_bots: int = 0
    password: str = ""
    """Of the room, for its computer players."""
    ice: tuple[str, ...] = ()
    patience_s: float = 600.0
    hands: int | None = None
    diary: TableJournal | None = None
    """Of a table that is taken up again; None: one begins with the table."""
    wants_out: bool = False
    """Whether the player has said goodbye: the table may end by itself, unseen."""
    _seat: TableSeat | None = None
    _met: dict[Seat, Meeting] = field(default_factory=dict)
    _is_moving: bool = False
    """Whether the players are on their way to other seats."""
    _is_out: bool = False
    """Whether the others go on without this seat."""
    _is_over: bool = False
    _has_failed: bool = False
    _has_begun: bool = False
    """Whether its task has run at all: one that is cancelled before that gives nothing back."""
    _task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begins; needs a running event loop."""
        self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        is_resumed, is_theirs, notice = self.diary is not None, False, Json()
        self._has_begun = True
        try:
            # Half a second of imports, which the page need not wait for.
            await asyncio.to_thread(importlib.import_module, "p2pokey.net.webrtc")
            mesh = await self.meet(self)
            assert self.diary is not None
            if is_resumed and self.bots is not None:
                self.bots.come_back(mesh.roster)
            password = None if is_resumed else self.password
            evening = Evening(signer=self.signer, group=self.group, shell=self, password=password)
            is_theirs = True
            await evening.play(mesh, self.diary, is_resumed=is_resumed)
            notice = {"code": "sent-away" if self._is_out else "table-over", "text": ""}
        except Exception as error:  # noqa: BLE001 - told to the player, and in the log
            self._has_failed = True
            never_stood = isinstance(error, ConnectError) and not is_theirs and not is_resumed
            if never_stood and self.diary is not None:
                self.diary.discard()
            notice = _failure(error)
        finally:
            if self.diary is not None and not is_theirs:
                self.diary.close()  # what stood for the others can be resumed
            self._is_over, self._is_moving = True, False
        if not self.wants_out:
            self.tell_player(notice)
        await self._end_bots(soon=False)
        self.on_change()

    async def close(self) -> None:
        """Leaves; a table that is not over can be resumed."""
        if self._seat is not None:
            await self._seat.close()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if self.diary is not None and not self._has_begun:
            self.diary.close()
        await self._end_bots(soon=True)

    async def _end_bots(self, *, soon: bool) -> None:
        if self.bots is not None:
            await self.bots.end(soon=soon)
            self.bots = None

    def keep(self, membership: Membership) -> None:
        """Begins the journal; from here on a killed program can come back."""
        out = (self.out / folder_name(membership).split("-")[0]).absolute()
        out.mkdir(parents=True, exist_ok=True)
        person = Person(
            guest_secret=self.profile.guest_secret,
            out=out,
            hands=self.hands,
            player_seed=OsEntropy().random_bytes(SEED_BYTES),
            ice=self.ice,
            patience_s=self.patience_s,
            if_missing=IfMissing.WAIT,
        )
        self.diary = TableJournal.create(self.profile.tables, membership, person)

    # Shell ---------------------------------------------------------------------------------------

    def tell(self, event: PeerEvent) -> None:
        """Something has happened at the table."""
        if self._seat is not None:
            self._seat.tell(event)
        if isinstance(event, SeatsAgreed):
            self._is_out, self._is_moving = event.seat is None, event.seat is not None
            self.gathering_now = self._next_gathering(is_host=event.seat == 0)
            self.on_change()

    def _next_gathering(self, *, is_host: bool) -> Gathering:
        before = self.gathering_now
        return Gathering(
            role="host" if is_host else "guest",
            seats=before.seats,
            name=before.name,
            tell_player=self.tell_player,
            on_change=self.on_change,
            has_bots=is_host and self.bots is not None,
        )

    def meeting(self, progress: Progress) -> None:
        """A step from a code to a table."""
        self.gathering_now.step(progress)

    def invited(
        self, code: str, link: str, server: str | None = None, *, has_password: bool | None = False
    ) -> None:
        """There is an invite to pass on."""
        self.gathering_now.invited(code, link)
        if has_password is None:
            self.tell_player({"code": "open-room"})
        wanted, self.wanted_bots = self.wanted_bots, 0
        if wanted:
            self._bring(wanted)

    def can_resume(self) -> None:
        """The program is told to end; the lobby of the next one offers the table."""

    def connected(self, mesh: Mesh) -> None:
        """A table has come together."""
        greeting = self.friends.greet(mesh)
        self._met = greeting.met
        for notice in greeting.notices:
            self.tell_player(notice)

    def wishes(self, mesh: Mesh) -> SeatWishes:
        """The person before the page plays."""
        if not self._met:  # this run of the program has not seen them come
            self._met = self.friends.greet(mesh).met
        roster = mesh.roster
        rules, options = from_json(roster.rules)
        options = effective_options(roster, options)
        hand = HandFeed(
            seat=mesh.seat,
            seats=len(roster.seats),
            words=words_at(safety_numbers(mesh.session_id)),
            on_change=self.on_change,
            tell_player=self.tell_player,
        )
        talk = TalkFeed(roster=roster, seat=mesh.seat, tell_player=self.tell_player, met=self._met)
        self._seat = TableSeat(
            rules=rules,
            options=options,
            talk=talk,
            hand=hand,
            person=PagePerson(self.on_change),
            group=self.group,
            helps=options.assisted,
            source=Drbg(OsEntropy().random_bytes(SEED_BYTES), "hint", bytes([mesh.seat])),
            on_change=self.on_change,
            patience_s=self.patience_s,
        )
        self._is_moving = False
        return SeatWishes(
            person=self._seat.person, watch=hand, asks_player=True, stays=True, stay_s=STAY_S
        )

    async def play(self, table: Table) -> None:
        """Plays to the end of the table; the page's commands go to it meanwhile."""
        seat = self._seat
        if seat is not None:
            seat.table = table
        try:
            await table.play()
        finally:
            if seat is not None:
                seat.has_left = True

    async def ask_about(self, name: str, key: bytes) -> bool:
        """Whether somebody who knocks at a public table may come in."""
        return await self.gathering_now.ask_about(name, key)

    # For the engine ------------------------------------------------------------------------------

    async def act(self, intent: Mapping[str, Any]) -> Json | None:
        """Does what the player wants; raises IntentRefused."""
        is_gathering = self.gathering() is not None
        match intent.get("do"):
            case "reopen" if is_gathering:
                self.gathering_now.reopen()
            case "admit" if is_gathering:
                self.gathering_now.admit(intent.get("n"), yes=intent.get("yes") is True)
            case "bots" if is_gathering:
                self._bring(read_number(intent.get("count", 1), MAX_SEATS))
            case "accept-key" if self._seat is not None:
                self._accept_key(intent)
            case _ if self._seat is not None and not is_gathering:
                return await self._act_at_table(self._seat, intent)
            case _:
                raise IntentRefused("not-now")
        return None

    async def _act_at_table(self, seat: TableSeat, intent: Mapping[str, Any]) -> Json | None:
        answer = await seat.act(intent)
        is_goodbye = intent.get("do") == "ready" and intent.get("play") is not True
        self.wants_out = self.wants_out or (is_goodbye and not seat.hand.is_played)
        if intent.get("do") in ("seating", "kick") and intent.get("bots") is True:
            order = intent.get("order")
            self.wanted_bots = order.count(None) if isinstance(order, list) else 1
        return answer

    def _bring(self, count: int) -> None:
        link = self.gathering_now.link
        if self.bots is None or link is None:
            raise IntentRefused("no-bots")
        people = [] if self._seat is None else self._seat.talk.roster.seats
        self.bots.join(count, link, self.password, [seat.name for seat in people])

    def _accept_key(self, intent: Mapping[str, Any]) -> None:
        seat = Seat(read_number(intent.get("seat"), MAX_SEATS))
        meeting = self._met.pop(seat, None)
        if meeting is None:
            raise IntentRefused("not-now")
        self.friends.accept(meeting)

    def json(self) -> Json | None:
        """TABLE, None while it is coming together."""
        if self._seat is None or self._is_moving:
            return None
        return self._seat.stopped_json() if self._has_failed else self._seat.json()

    def gathering(self) -> Json | None:
        """GATHERING, None once the table stands."""
        if self._is_over or (self._seat is not None and not self._is_moving):
            return None
        return self.gathering_now.json()

    def say_goodbye(self) -> bool:
        """Whether the match is over: then it ends by itself once the others have what they need."""
        seat = self._seat
        if seat is None or seat.table is None or not seat.is_over or self._is_moving:
            return False
        seat.table.leave()
        self.wants_out = True
        return True

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen here."""
        return self._is_over


def _failure(error: Exception) -> Json:
    """What the player is told of a table that has failed."""
    if isinstance(error, P2POkeyError):
        return {"code": "no-table", "kind": error.code, "text": str(error)}
    if isinstance(error, OSError):
        return {"code": "not-kept", "text": error.strerror or str(error)}
    _log.error("a table failed", exc_info=error)
    return {"code": "internal"}
