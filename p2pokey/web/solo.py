"""A table on this computer alone: one player against computer players, or two who share the screen.

All seats are whole peers of this program (peer/local.py); the page sees one of them.
"""

import asyncio
import logging
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from p2pokey.crypto.drbg import Drbg
from p2pokey.crypto.group import Group
from p2pokey.errors import P2POkeyError
from p2pokey.native.entropy import OsEntropy
from p2pokey.native.identity import SECRET_BYTES, Ed25519Signer, Ed25519Verifier
from p2pokey.native.sealing import ChaChaSealer
from p2pokey.net.words import words_at
from p2pokey.peer.events import PeerEvent
from p2pokey.peer.local import LocalLinks, LocalSeat, PacedPlayer, local_links
from p2pokey.peer.players import AutoPlayer
from p2pokey.peer.playing import PeerPorts
from p2pokey.peer.table import Table
from p2pokey.peer.table_events import Question
from p2pokey.peer.table_names import keep_names
from p2pokey.peer.waits import IfMissing, WaitLimits
from p2pokey.peer.watching import NoWatch
from p2pokey.ports import Signer
from p2pokey.rules.published import RuleSet
from p2pokey.rules.rulesets import TableOptions, canonical_bytes
from p2pokey.rules.view import public_view
from p2pokey.table.commands import AnswerAsk
from p2pokey.table.roster import safety_numbers
from p2pokey.table.runners import effective_options
from p2pokey.tiles import Seat
from p2pokey.web.engine import IntentRefused
from p2pokey.web.game_view import game_json
from p2pokey.web.hand_feed import HandFeed
from p2pokey.web.names import Json
from p2pokey.web.person import PagePerson
from p2pokey.web.table_seat import TableSeat
from p2pokey.web.talk_feed import TalkFeed

BOT_NAMES = ("Kedi", "Baykuş", "Tilki", "Karga")
"""Computer players have animals' names, so that nobody takes them for people."""
SEED_BYTES = 32
FIRST = Seat(0)
LONG_S = 30 * 86_400.0
NO_HURRY = WaitLimits(untimed_move_s=LONG_S, stay_s=LONG_S, next_hand_s=LONG_S)
"""Nobody waits for whoever plays alone."""
_log = logging.getLogger(__name__)


def sweep_up(scratch: Path) -> None:
    """Removes what tables have left there whose program was killed; nobody else may use the folder."""
    shutil.rmtree(scratch, ignore_errors=True)


@dataclass(kw_only=True)
class SoloTable:
    """A running table of this program's own seats. Use `start`, then `close`."""

    signer: Signer
    name: str
    other_name: str | None
    """Who shares the screen; None: the player is alone."""
    group: Group
    rules: RuleSet
    options: TableOptions
    out: Path
    """Folder below which the session gets one for its transcripts."""
    scratch: Path
    """Folder for journals, and the transcripts of the other seats, as long as the table stands."""
    on_change: Callable[[], None]
    tell_player: Callable[[Json], None]
    pause_s: float
    """How long a computer player takes for a move."""
    wants_out: bool = False
    """Whether the player has said goodbye."""
    _seats: list[TableSeat] = field(default_factory=list)
    _shown: Seat = FIRST
    _handover: Seat | None = None
    _scratch: Path | None = None
    """The table's own folder there."""
    _has_failed: bool = False
    _tasks: list[asyncio.Task[Any]] = field(default_factory=list)

    @property
    def is_shared(self) -> bool:
        """Whether two players share the screen."""
        return self.other_name is not None

    def start(self) -> None:
        """Begins the match; needs a running event loop.

        Raises:
            OSError: the folders cannot be written.
        """
        entropy = OsEntropy()
        people = [self.name] if self.other_name is None else [self.name, self.other_name]
        bots = [name for name in BOT_NAMES if name not in people]
        names = [*people, *bots][: self.rules.players]
        secrets = [entropy.random_bytes(SECRET_BYTES) for _ in names[1:]]
        signers = [self.signer, *map(Ed25519Signer, secrets)]
        links = local_links(
            [
                LocalSeat(key=signer.public_key, name=name)
                for signer, name in zip(signers, names, strict=True)
            ],
            runner=self.signer.public_key,
            rules=canonical_bytes(self.rules, self.options),
            entropy=entropy,
        )
        out = self.out / links[0].session_id.hex()[:12]
        out.mkdir(parents=True, exist_ok=True)
        keep_names(out, links[0].roster)
        self.scratch.mkdir(parents=True, exist_ok=True)
        self._scratch = Path(tempfile.mkdtemp(prefix="table-", dir=self.scratch))
        self._handover = FIRST if self.is_shared else None
        tables = [
            self._table(link, signer, out if link.seat == FIRST else None)
            for link, signer in zip(links, signers, strict=True)
        ]
        self._tasks = [asyncio.create_task(self._play(table)) for table in tables]

    def _table(self, link: LocalLinks, signer: Signer, out: Path | None) -> Table:
        entropy = OsEntropy()
        ports = PeerPorts(
            group=self.group,
            signer=signer,
            verifier=Ed25519Verifier(),
            sealer=ChaChaSealer(),
            entropy=entropy,
        )
        player = AutoPlayer(entropy.random_bytes(SEED_BYTES), link.seat)
        assert self._scratch is not None
        scratch = self._scratch / f"seat-{link.seat + 1}"
        if out is None:
            out = scratch / "hands"
            out.mkdir(parents=True)
        is_person = link.seat < (2 if self.is_shared else 1)
        seat = self._seat(link, entropy.random_bytes(SEED_BYTES)) if is_person else None
        table = Table(
            links=link,
            ports=ports,
            player=player,
            person=PacedPlayer(player, self.pause_s) if seat is None else seat.person,
            out=out,
            journals=scratch / "journals",
            emit=lambda event: self._tell(seat, table, event),
            limits=NO_HURRY,
            if_missing=IfMissing.WAIT,
            asks_player=seat is not None,
            stays=True,
            watch=NoWatch() if seat is None else seat.hand,
        )
        if seat is not None:
            seat.table = table
        return table

    def _tell(self, seat: TableSeat | None, table: Table, event: PeerEvent) -> None:
        """News of a seat; all but the first agree to whatever is asked."""
        if seat is not None:
            seat.tell(event)
        if isinstance(event, Question) and event.must_answer and table.links.seat != FIRST:
            table.act(AnswerAsk(asker=event.asker, seq=event.seq, yes=True))

    def _seat(self, link: LocalLinks, seed: bytes) -> TableSeat:
        words = words_at(safety_numbers(link.session_id))
        seats = self.rules.players
        is_first = link.seat == FIRST
        tell = self.tell_player if is_first else lambda notice: None
        seat = TableSeat(
            rules=self.rules,
            options=effective_options(link.roster, self.options),
            talk=TalkFeed(roster=link.roster, seat=link.seat, tell_player=tell),
            hand=HandFeed(
                seat=link.seat,
                seats=seats,
                words=words,
                on_change=self._changed,
                tell_player=tell,
            ),
            person=PagePerson(self._changed),
            group=self.group,
            helps=not self.is_shared,
            source=Drbg(seed, "hint", bytes([link.seat])),
            on_change=self._changed,
            solo=not self.is_shared,
            shared=self.is_shared,
        )
        self._seats.append(seat)
        return seat

    async def _play(self, table: Table) -> None:
        try:
            await table.play()
        except P2POkeyError as error:
            if table.links.seat == FIRST:
                self.tell_player({"code": "table-over", "text": str(error)})
        except OSError as error:
            self._fail({"code": "not-kept", "text": error.strerror or str(error)})
        except Exception:  # noqa: BLE001 - told to the player, and in the log
            _log.exception("a table on this computer failed")
            self._fail({"code": "internal"})
        self.on_change()

    def _fail(self, notice: Json) -> None:
        """One seat cannot go on, so none can: told once, and the others end."""
        self._has_failed = True
        self.tell_player(notice)
        for task in self._tasks:
            if task is not asyncio.current_task():
                task.cancel()

    async def close(self) -> None:
        """Ends the table; finished hands are saved already."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for seat in self._seats:
            await seat.close()
        if self._scratch is not None:
            await asyncio.to_thread(shutil.rmtree, self._scratch, ignore_errors=True)

    def say_goodbye(self) -> bool:
        """No: nobody else needs anything of it."""
        return False

    @property
    def is_over(self) -> bool:
        """Whether all seats have ended."""
        return all(task.done() for task in self._tasks)

    # For the engine ------------------------------------------------------------------------------

    async def act(self, intent: Mapping[str, Any]) -> Json | None:
        """Does what the player before the screen wants; raises IntentRefused."""
        match intent.get("do"):
            case "take-seat":
                self._handover = None
            case "ready" if intent.get("play") is not True:
                self.wants_out = True
            case "ready" | "rematch":
                await self._play_on(intent)
            case _ if self._handover is not None:
                raise IntentRefused("not-now")
            case _:
                return await self._seats[self._shown].act(intent)
        return None

    async def _play_on(self, intent: Mapping[str, Any]) -> None:
        """The next hand, or another match: one player says so, and then nobody sees a rack yet."""
        is_over = intent.get("do") == "rematch" or self._seats[FIRST].is_over
        for seat in self._seats[:1] if is_over else self._seats:
            await seat.act(intent)
        if self.is_shared:
            self._handover = self._shown

    def gathering(self) -> Json | None:
        """None: nobody is waited for."""

    def json(self) -> Json:
        """TABLE of docs/page-protocol.md, with nobody's rack while the screen changes hands."""
        seat = self._seats[self._shown]
        table = seat.stopped_json() if self._has_failed else seat.json()
        view = self._seats[self._shown].hand.view
        if self._handover is None or view is None:
            return table | {"handover": self._handover}
        last = self._seats[self._shown].hand.last
        game = game_json(public_view(view.state), last=last, acts=False)
        hidden = {"game": game, "staged": None, "layout": None, "sorts": None, "advice": None}
        return table | hidden | {"handover": self._handover}

    def _changed(self) -> None:
        if self.is_shared:
            self._follow()
        self.on_change()

    def _follow(self) -> None:
        """The screen goes to whoever is asked for a move."""
        asked = [seat.hand.seat for seat in self._seats if seat.person.asked is not None]
        if asked and self._shown not in asked:
            self._shown = self._handover = asked[0]
