"""Plays at a table that is connected: hand after hand, and what lies between and beside them.

What all seats decide together is decided by the table machine (p2pokey/table); here is its shell, which
waits, and gives up on seats that do not come.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from p2pokey.errors import ConnectError, TableCancelled
from p2pokey.net.link import LinkState
from p2pokey.net.mesh import LinkChanged
from p2pokey.peer.board import Board
from p2pokey.peer.events import (
    HandCounted,
    HandFailed,
    LinkSeen,
    MatchEnded,
    MatchOver,
    PeerEvent,
    Resumed,
    StillWaiting,
)
from p2pokey.peer.following import Follower, runner_of
from p2pokey.peer.inbox import Inbox
from p2pokey.peer.links import Links, state_text
from p2pokey.peer.passing import Passing
from p2pokey.peer.players import Person, Player
from p2pokey.peer.playing import HandPlay, PeerPorts
from p2pokey.peer.postbox import Postbox
from p2pokey.peer.saving import journalled_envelopes, saved_envelopes, transcript_name
from p2pokey.peer.table_events import TableEvent
from p2pokey.peer.table_journal import TableJournal
from p2pokey.peer.tracing import Tracer
from p2pokey.peer.waits import IfMissing, WaitLimits, people
from p2pokey.peer.watching import NoWatch, Watch
from p2pokey.peer.worker import Clock
from p2pokey.rules.rulesets import from_json
from p2pokey.table.carry import VACANT, carried_match
from p2pokey.table.commands import AnswerAsk, Command, Synced, WantNext
from p2pokey.table.contents import Wish
from p2pokey.table.effects import BeginHand, SeatingAgreed
from p2pokey.table.machine import TableMachine
from p2pokey.table.match import Match
from p2pokey.table.runners import effective_options
from p2pokey.tiles import Seat

MAX_ASKED_S = 300.0
"""So much time with open questions does not count as waiting for the next hand."""


@dataclass
class Questioning:
    """For how long of a wait between hands a question was open: nobody says NEXT meanwhile."""

    looked: float
    """When that was looked at last."""
    seconds: float = 0.0

    def look(self, now: float, *, is_open: bool) -> None:
        """Notes the time since the last look; whoever asks without end holds nobody up for long."""
        if is_open:
            self.seconds = min(self.seconds + now - self.looked, MAX_ASKED_S)
        self.looked = now


@dataclass(kw_only=True)
class Table:
    """One seat's side of a connected table."""

    links: Links
    ports: PeerPorts
    player: Player
    out: Path
    """Folder of the transcripts; exists."""
    journals: Path
    """Folder of the journals; made if missing."""
    emit: Callable[[PeerEvent], None]
    hands: int | None = None
    """Hands of one match that this seat wants to play at most; None: as many as the others want."""
    limits: WaitLimits = field(default_factory=WaitLimits)
    if_missing: IfMissing = IfMissing.VOID
    """What to do about a seat without which the table cannot go on."""
    person: Person | None = None
    """Who moves here; None: `player`, at once."""
    on_seating: Callable[["Table"], Awaitable[None]] | None = None
    """Brings this seat into the new session that was agreed on, while this table still passes on
    what others lack; not called if this seat is out."""
    labels: tuple[str, ...] = ()
    """How to call the seats; empty: by their names in the roster."""
    asks_player: bool = False
    """Whether the player says before each further hand that it may begin; else this seat does."""
    stays: bool = False
    """Whether to stay after a match, for a rematch, until the others have gone or `leave`. A computer
    player stays as long as whoever runs it does."""
    is_resumed: bool = False
    """Whether another run of the program has begun here, so that all links have yet to come."""
    clock: Clock = time.monotonic
    diary: TableJournal | None = None
    """What outlives this run of the program; None: nothing does but the hand."""
    trace: Tracer | None = None
    """Notes what takes how long; None: nothing does."""
    watch: Watch = field(default_factory=NoWatch)
    """Sees the game itself."""

    board: Board = field(init=False)
    _follower: Follower | None = field(init=False, default=None)
    _inbox: Inbox = field(init=False)
    _passing: Passing = field(init=False)
    _play: HandPlay = field(init=False)
    _alone: asyncio.Timeout | None = field(init=False, default=None)
    _wanted: int = field(init=False, default=-1)
    """The attempt for which this seat has said what it wants."""
    _leaves: bool = field(init=False, default=False)
    _runner: Seat | None = field(init=False, default=None)
    """Whoever runs this computer player; None: a person sits here."""
    _later: list[Command] = field(init=False, default_factory=list)
    """What is to be asked when the hand is over, before the next one is wanted."""

    def __post_init__(self) -> None:
        match = first_match(self.links)
        diary, seats = self.diary, len(match.roster)
        machine = TableMachine(
            match=match,
            seat=self.links.seat,
            signer=self.ports.signer,
            verifier=self.ports.verifier,
            now=self.clock(),
            records=() if diary is None else diary.kept,
            is_tail_lost=diary is not None and diary.has_lost,
        )
        postbox = Postbox(session=match.session, seats=seats)
        self._inbox = Inbox(self.links, postbox, self._on_change)
        self.board = Board(
            machine=machine,
            links=self.links,
            diary=diary,
            names=self.labels or tuple(seat.name for seat in self.links.roster.seats),
            emit=self._tell,
            clock=self.clock,
            refuse=postbox.put_strange,
            wake=self._inbox.wake,
            fail=self._inbox.fail,
            give_up=self._give_up,
        )
        postbox.on_table = self.board.receive
        self._runner = runner_of(self.links.roster, self.links.seat)
        if self._runner is not None:
            self._follower = Follower(runner=self._runner, act=self.board.act)
        self._passing = Passing(
            links=self.links,
            postbox=postbox,
            machine=machine,
            seats=seats,
            clock=self.clock,
            check=self.board.check_alive,
            on_all_answered=self._synced,
        )
        self._play = HandPlay(
            links=self.links,
            ports=self.ports,
            player=self.player,
            person=self.person,
            out=self.out,
            journals=self.journals,
            emit=self.emit,
            limits=self.limits,
            if_missing=self.if_missing,
            clock=self.clock,
            trace=self.trace,
            watch=self.watch,
            inbox=self._inbox,
            passing=self._passing,
            board=self.board,
        )
        self._passing.hand = machine.match.attempts
        self._remember_last_hand()

    def _tell(self, event: TableEvent | HandCounted | HandFailed) -> None:
        """What is told between and beside the hands."""
        self.emit(event)
        if self._follower is not None:
            self._follower.hear(event)

    def _give_up(self, reason: str) -> None:
        self._play.give_up(reason)

    def _synced(self) -> None:
        self.board.act(Synced())
        if self.diary is not None:
            self.diary.mend()

    def _remember_last_hand(self) -> None:
        """Others may lack what an earlier run of this program has of the attempt before."""
        last = self._passing.hand - 1
        if self.is_resumed and last >= 0:
            archive, session = self._passing.begin(last), self.links.session_id
            # A transcript lacks what does not count, and the journal its end if that was torn off.
            for data in (
                *journalled_envelopes(self.journals, session, last),
                *saved_envelopes(self.out / transcript_name(last, self.links.seat)),
            ):
                archive.add(data)
            self._passing.hand = last + 1

    @property
    def names(self) -> tuple[str, ...]:
        """Display names in seat order."""
        return self.board.names

    @property
    def machine(self) -> TableMachine:
        """What is decided beside the hands; not to be changed but by `act`."""
        return self.board.machine

    # What the player wants -----------------------------------------------------------------------

    def act(self, command: Command) -> None:
        """A command of the player; what is not possible is told by an event."""
        self.board.act(command)

    def between_hands(self, command: Command) -> bool:
        """A command that is not possible during a hand: carried out now, or after this hand.

        Returns:
            Whether that was now.
        """
        is_now = self._play.hand is None
        if is_now:
            self.board.act(command)
        else:
            self._later.append(command)
        return is_now

    def void(self) -> None:
        """Voids the hand that waits for missing seats; raises LocalProtocolError if none does."""
        self._play.void()

    def transcript(self) -> bytes | None:
        """The file of the hand that is being played, as far as it has come; None between hands."""
        return self._play.transcript()

    def leave(self) -> None:
        """No further hand: the match ends for all after this one, and so does the stay after it.

        Nobody has to wait for the answers of whoever leaves.
        """
        self._leaves = True
        for opened in self.machine.open_asks():
            if opened.shown and self.links.seat in self.machine.missing(opened):
                self.board.act(AnswerAsk(asker=opened.asker, seq=opened.seq, yes=False))
        self._inbox.wake()

    # The whole of it -----------------------------------------------------------------------------

    async def play(self) -> MatchEnded | SeatingAgreed:
        """Plays until the match is over, a seat wants no further hand, or others are to sit here.

        Raises:
            TableCancelled: a player is at fault or gone, or there are too many hands without score.
            ConnectError: the links have failed as a whole, or nobody else is there.
            OSError: a transcript or journal cannot be written.
        """
        # One thread: a machine's calls never overlap, and ctypes frees the interpreter lock.
        executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="hand")
        alone_s = self.limits.alone_s if self.is_resumed else None
        try:
            async with self._inbox, asyncio.timeout(alone_s) as self._alone:
                return await self._play_on(executor)
        except TimeoutError:
            if self._alone is None or not self._alone.expired():
                raise
            raise ConnectError(
                "Nobody of that table can be reached: they have finished or left, or are not back yet."
            ) from None
        finally:
            executor.shutdown(wait=False)  # what is queued closes the journal

    async def _play_on(self, executor: Executor) -> MatchEnded | SeatingAgreed:
        ticker = asyncio.create_task(self._tick())
        try:
            self._begin()
            while (hand := await self._next_hand()) is not None:
                end = await self._play.play(hand, executor)
                is_over = end.finished is None and not self._play.is_dealt_again(end)
                if is_over and self.board.seating is None:
                    raise TableCancelled(end.reason)
            if self.board.seating is not None:
                await self._change_seats(self.board.seating)
            return self._end()
        finally:
            ticker.cancel()
            # What it fails with has ended the table by way of the inbox.
            await asyncio.gather(ticker, return_exceptions=True)

    async def _change_seats(self, seating: SeatingAgreed) -> None:
        """The new session comes together while others may still lack something of this one."""
        if self.on_seating is None or seating.seat is None:
            self._passing.ask_all(0.0)
            return
        began, moving = self.clock(), asyncio.ensure_future(self.on_seating(self))
        moving.add_done_callback(lambda _: self._inbox.wake())
        told = ""
        try:
            while not moving.done():
                await self._look_around(began)
                self.board.check()
                text = self._awaited_at_next_table(seating)
                if self.clock() - began >= self.limits.notice_s and text not in ("", told):
                    told = text
                    self.emit(StillWaiting(text=text))
            moving.result()
        finally:
            moving.cancel()

    def _awaited_at_next_table(self, seating: SeatingAgreed) -> str:
        """Who keeps the new session from coming together; empty if that is not to be seen here."""
        staying = [Seat(seat) for seat in seating.order if seat not in (VACANT, self.links.seat)]
        gone = [seat for seat in sorted(staying) if seat in self._inbox.postbox.gone]
        if gone:
            return f"waiting for {people(gone, self.names)} to come to the new table"
        if seating.seat and not self.board.has_room:
            return f"waiting for {people(seating.order[:1], self.names)} to open the new table"
        return ""

    async def _tick(self) -> None:
        """Gives the table machine its time."""
        while True:
            due = self.board.machine.next_timer()
            await asyncio.sleep(1.0 if due is None else min(1.0, max(0.0, due - self.clock())))
            due = self.board.machine.next_timer()
            if due is not None and due <= self.clock():
                self.board.timer()

    def _begin(self) -> None:
        match = self.board.machine.match
        if self.is_resumed:
            self.emit(
                Resumed(
                    seat=self.links.seat,
                    names=self.names,
                    hands=match.hands_played,
                    totals=match.totals,
                )
            )
        state = LinkState.AWAY if self.is_resumed else LinkState.HERE
        for seat in self._others():
            if seat not in self._inbox.postbox.links:
                self.board.link(LinkChanged(seat=seat, state=state))
        self.board.carry_out()

    def _end(self) -> MatchEnded | SeatingAgreed:
        match = self.board.machine.match
        if self.board.seating is not None:
            return self.board.seating
        ended = MatchEnded(hands=match.hands_played, totals=match.totals, winners=match.winners)
        self.emit(ended)
        return ended

    # Between hands -------------------------------------------------------------------------------

    async def _next_hand(self) -> BeginHand | None:
        """Waits until all have said that they play; None: no further hand is played here."""
        self._passing.hand = self.board.machine.match.attempts
        self._inbox.postbox.expect(self._passing.hand)
        began, ended_at, told, asked = self.clock(), None, "", Questioning(self.clock())
        while True:
            self._want()
            if (hand := self.board.take_hand()) is not None:
                return hand
            self._check_strangers()
            self.board.check()
            if self.board.seating is not None:
                return None
            now = self.clock()
            if self.board.ended is None:
                if ended_at is not None:
                    began, ended_at, asked = now, None, Questioning(now)
                asked.look(now, is_open=self.board.machine.is_asked(now))
                missing = self._missing()
                self._check_wait(missing, now - began - asked.seconds)
                text = f"waiting for {people(missing, self.names)} to begin the next hand"
                if missing and now - began >= self.limits.notice_s and told != text:
                    told = text
                    self.emit(StillWaiting(text=text, what="next-hand", seats=tuple(missing)))
            else:
                if ended_at is None:
                    ended_at = now
                    self.emit(MatchOver(winners=self.board.ended.winners, stays=self.stays))
                if self._is_seen_off(now - ended_at):
                    return None
            await self._look_around(began)

    def _want(self) -> None:
        """Tells all whether this seat plays on; what an earlier run has said stands."""
        while self._later:
            self.board.act(self._later.pop(0))
        machine = self.board.machine
        attempt, sheet = machine.match.attempts, machine.sheet
        if machine.match.is_over or self._wanted == attempt or self.links.seat in machine.said:
            return
        if self.asks_player and machine.sheet.counted(attempt - 1):
            return
        self._wanted = attempt
        played = sum(row.counts for row in sheet.rows)
        is_enough = self._leaves or (self.hands is not None and played >= self.hands)
        self.board.act(WantNext(wish=Wish.STOP if is_enough else Wish.PLAY))

    def _missing(self) -> list[Seat]:
        """Seats without which the next hand does not begin.

        Their NEXT is missing, or an answer before it, or what they know of a torn journal of this seat.
        """
        machine = self.board.machine
        # Whoever has gone is missing, even if its NEXT waits for the answers of others.
        gone = {seat for seat in self._inbox.postbox.gone if seat not in machine.said}
        missing = gone | machine.awaited
        if not machine.is_synced:
            missing |= self._passing.unheard
        return [seat for seat in self._others() if seat in missing]

    def _is_seen_off(self, since_end: float) -> bool:
        """The match is over: whether nobody needs anything from here any more.

        Whoever has asked something or said yes to it is there when it is agreed on, and whoever is
        asked answers before it goes.
        """
        machine, now = self.board.machine, self.clock()
        if machine.is_bound(now) or (machine.owes_answer(now) and not self._leaves):
            return False
        postbox, attempts = self._inbox.postbox, machine.match.attempts
        here = [seat for seat in self._others() if not postbox.has_left(seat)]
        company = here if self._runner is None else [seat for seat in here if seat == self._runner]
        if company and (self.stays or self._runner is not None) and not self._leaves:
            return since_end >= self.limits.stay_s
        if attempts == 0:
            return True
        passing = self._passing
        passing.ask_all(0.5, hand=attempts - 1)
        is_level = all(passing.is_level(seat, attempts - 1) for seat in here)
        # What others have of the table may be an own yes that the journal has lost.
        is_whole = not any(passing.is_ahead(seat) for seat in here)
        return (is_level and is_whole) or since_end >= self.limits.linger_s

    async def _look_around(self, began: float) -> None:
        """Waits a moment; answers what is asked, and asks for what is missing."""
        await self._inbox.wait(min(1.0, self.limits.notice_s))
        self._passing.answer()
        if self.clock() - began >= 1.0:
            self._passing.ask_all()

    def _check_strangers(self) -> None:
        for seat in sorted(self._inbox.postbox.strangers):
            who = people([seat], self.names)
            raise TableCancelled(f"{who} sent something that is no message of this game")

    def _check_wait(self, missing: list[Seat], waited: float) -> None:
        """Gives up on seats that are gone or silent for too long."""
        gone = [seat for seat in missing if seat in self._inbox.postbox.gone]
        # Whoever has said yes to something stays until it is clear what comes of it.
        leaves = self._leaves and not self.board.machine.is_bound(self.clock())
        is_patient = self.if_missing is IfMissing.WAIT and not (leaves and gone)
        if is_patient or not missing:
            return
        if gone and (leaves or waited >= self.limits.absent_s):
            how = state_text(self._inbox.postbox.links[gone[0]])
            raise TableCancelled(f"{people(gone[:1], self.names)} {how}")
        if not gone and waited >= self.limits.next_hand_s:
            raise TableCancelled(
                f"{people(missing, self.names)} did not begin the next hand within "
                f"{self.limits.next_hand_s:.0f} s"
            )

    def _others(self) -> list[Seat]:
        return [Seat(seat) for seat in range(len(self.names)) if seat != self.links.seat]

    def _on_change(self, event: LinkChanged) -> None:
        self.emit(LinkSeen(seat=event.seat, state=event.state))
        self.board.link(event)
        if event.state in (LinkState.AWAY, LinkState.LEFT):
            self._passing.lost(event.seat)
        if event.state is LinkState.HERE:
            if self._alone is not None and self._alone.when() is not None:
                self._alone.reschedule(None)
            # It may be another run of its program, which knows nothing of what was said.
            self._passing.ask(event.seat)


def first_match(links: Links) -> Match:
    """The match as the session begins with it."""
    roster = links.roster
    rules, options = from_json(roster.rules)
    return carried_match(
        session=links.session_id,
        roster=tuple(seat.public_key for seat in roster.seats),
        rules=rules,
        options=effective_options(roster, options),
        carry=roster.carry,
    )
