"""A table with friends: from a code, a link or a journal to its end, as the page shows it.

Implements `peer.evening.Shell` for the evening's tables and `play_engine.Seated` for the page.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from p2pokey.crypto.drbg import Drbg
from p2pokey.crypto.group import Group
from p2pokey.errors import ConnectError, P2POkeyError
from p2pokey.native.entropy import OsEntropy
from p2pokey.native.profile import Profile
from p2pokey.net.control import HostControl
from p2pokey.net.membership import Membership
from p2pokey.net.mesh import Mesh
from p2pokey.net.progress import Phase, Progress
from p2pokey.net.words import words_at
from p2pokey.peer.evening import Evening, SeatWishes
from p2pokey.peer.events import PeerEvent
from p2pokey.peer.table import Table
from p2pokey.peer.table_journal import Person, TableJournal, folder_name
from p2pokey.peer.waits import IfMissing
from p2pokey.rules.rulesets import from_json
from p2pokey.table.roster import safety_numbers
from p2pokey.table.runners import effective_options
from p2pokey.web.engine import IntentRefused
from p2pokey.web.hand_feed import HandFeed
from p2pokey.web.names import Json
from p2pokey.web.person import PagePerson
from p2pokey.web.table_seat import TableSeat
from p2pokey.web.talk_feed import TalkFeed

STAY_S = 3600.0
"""How long the program stays after a match for a rematch."""
SEED_BYTES = 32
Keep = Callable[[Membership], None]
Meet = Callable[["NetTable"], Awaitable[Mesh]]
_log = logging.getLogger(__name__)
_NOTICES = {
    Phase.BANNED_KNOCKED,
    Phase.SAME_KEY,
    Phase.WRONG_CODE,
    Phase.CODE_BURNT,
    Phase.FALSE_RUNNER,
    Phase.STRANGER_LEFT,
}


@dataclass(kw_only=True)
class NetTable:
    """One player's way through the tables of an evening. Use `start`, then `close`."""

    profile: Profile
    group: Group
    out: Path
    """Folder below which each session gets one for its transcripts."""
    role: str
    """`host` or `guest`."""
    seats: int
    meet: Meet
    """Brings the table about; gets this object for its callbacks."""
    on_change: Callable[[], None]
    on_connected: Callable[[Mesh], list[Json]]
    """Told of a table that stands; returns notices for the player."""
    patience_s: float = 600.0
    hands: int | None = None
    control: HostControl | None = None
    diary: TableJournal | None = None
    """Of a table that is taken up again; None: one begins with the table."""
    _seat: TableSeat | None = None
    _code: str | None = None
    _link: str | None = None
    _here: list[str] = field(default_factory=list)
    _phase: str = "connecting"
    _done: int = 1
    _task: asyncio.Task[None] | None = None
    _notice: Json | None = None
    _knock: tuple[str, asyncio.Future[bool]] | None = None

    def start(self) -> None:
        """Begins; needs a running event loop."""
        self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        is_resumed = self.diary is not None
        try:
            mesh = await self.meet(self)
            assert self.diary is not None
            evening = Evening(signer=self.profile.signer, group=self.group, shell=self)
            await evening.play(mesh, self.diary, is_resumed=is_resumed)
            self._end({"code": "table-over", "text": ""})
        except P2POkeyError as error:
            if isinstance(error, ConnectError) and self._seat is None and not is_resumed:
                self._forget()
            self._end({"code": "no-table", "kind": error.code, "text": str(error)})
        except OSError as error:
            self._end({"code": "not-kept", "text": error.strerror or str(error)})
        except Exception:  # noqa: BLE001 - told to the player, and in the log
            _log.exception("a table failed")
            self._end({"code": "internal"})

    def _end(self, notice: Json) -> None:
        self._notice, self._phase = notice, "over"
        self.on_change()

    def _forget(self) -> None:
        """The table never stood for somebody: there is nothing to come back to."""
        if self.diary is not None:
            self.diary.discard()

    async def close(self) -> None:
        """Leaves; a table that is not over can be resumed."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if self._seat is None and self.diary is not None and self._phase != "over":
            self._forget()

    def keep(self, membership: Membership) -> None:
        """Begins the journal; from here on a killed program can come back."""
        out = (self.out / folder_name(membership).split("-")[0]).absolute()
        out.mkdir(parents=True, exist_ok=True)
        person = Person(
            guest_secret=self.profile.guest_secret,
            out=out,
            hands=self.hands,
            player_seed=OsEntropy().random_bytes(SEED_BYTES),
            ice=(),
            patience_s=self.patience_s,
            if_missing=IfMissing.WAIT,
        )
        self.diary = TableJournal.create(self.profile.tables, membership, person)

    # Shell ---------------------------------------------------------------------------------------

    def tell(self, event: PeerEvent) -> None:
        """Something has happened at the table."""
        if self._seat is not None:
            self._seat.tell(event)

    def meeting(self, progress: Progress) -> None:
        """A step from a code to a table."""
        if progress.phase in _NOTICES:
            self._notice = {"code": progress.phase.value, "name": progress.name}
        else:
            self._phase = progress.phase.value
        if progress.phase is Phase.FRIENDS_HERE:
            self._done = progress.done
            if progress.name and progress.name not in self._here:
                self._here.append(progress.name)
        self.on_change()

    def invited(self, code: str, link: str, server: str | None = None) -> None:
        """There is an invite to pass on."""
        self._code, self._link = code, link
        self.on_change()

    def can_resume(self) -> None:
        """The program is told to end; the lobby of the next one offers the table."""

    def connected(self, mesh: Mesh) -> None:
        """A table has come together."""
        for notice in self.on_connected(mesh):
            self._notice = notice

    def wishes(self, mesh: Mesh) -> SeatWishes:
        """The person before the page plays."""
        roster = mesh.roster
        rules, options = from_json(roster.rules)
        options = effective_options(roster, options)
        hand = HandFeed(
            seat=mesh.seat,
            seats=len(roster.seats),
            words=words_at(safety_numbers(mesh.session_id)),
            on_change=self.on_change,
        )
        self._seat = TableSeat(
            rules=rules,
            options=options,
            talk=TalkFeed(roster=roster, seat=mesh.seat),
            hand=hand,
            person=PagePerson(self.on_change),
            helps=options.assisted,
            source=Drbg(OsEntropy().random_bytes(SEED_BYTES), "hint", bytes([mesh.seat])),
            on_change=self.on_change,
        )
        return SeatWishes(
            person=self._seat.person, watch=hand, asks_player=True, stays=True, stay_s=STAY_S
        )

    async def play(self, table: Table) -> None:
        """Plays to the end of the table; the page's commands go to it meanwhile."""
        if self._seat is not None:
            self._seat.table = table
        try:
            await table.play()
        finally:
            if self._seat is not None and self._seat.table is table:
                self._seat.has_left = True

    async def ask_about(self, name: str, key: bytes) -> bool:
        """Whether somebody who knocks at a public table may come in."""
        answer = asyncio.get_running_loop().create_future()
        self._knock = (f"{name} ({key.hex()[:8]})", answer)
        self.on_change()
        try:
            return bool(await answer)
        finally:
            self._knock = None
            self.on_change()

    # For the engine ------------------------------------------------------------------------------

    def act(self, intent: Mapping[str, Any]) -> None:
        """Does what the player wants; raises IntentRefused."""
        match intent.get("do"):
            case "reopen" if self.control is not None and self._seat is None:
                self.control.reopen(300)
            case "admit" if self._knock is not None:
                self._knock[1].set_result(intent.get("yes") is True)
            case _ if self._seat is not None:
                self._seat.act(intent)
            case _:
                raise IntentRefused("not-now")

    def take_notice(self) -> Json | None:
        """Something to tell the player once."""
        notice, self._notice = self._notice, None
        if notice is None and self._seat is not None:
            notice = self._seat.take_notice()
        return notice

    def json(self) -> Json | None:
        """TABLE, None while it is coming together."""
        return None if self._seat is None else self._seat.json()

    def gathering(self) -> Json | None:
        """GATHERING, None once the table stands."""
        if self._seat is not None or self._phase == "over":
            return None
        return {
            "role": self.role,
            "code": self._code,
            "link": self._link,
            "seats": self.seats,
            "here": list(self._here),
            "phase": self._phase,
            "done": self._done,
            "total": self.seats,
            "window_s": 300,
            "knock": None if self._knock is None else self._knock[0],
        }

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen here."""
        return self._phase == "over"
