"""Plays a match at a table that is connected: hand after hand, each saved as a transcript."""

import logging
import time
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from p2pokey.crypto.group import Group
from p2pokey.errors import LocalProtocolError, TableCancelled
from p2pokey.hand.core import HandPorts
from p2pokey.hand.machine import HandMachine
from p2pokey.native.journal import Journal
from p2pokey.net.link import LinkState
from p2pokey.net.mesh import LinkChanged
from p2pokey.peer.auditing import OwnAudit
from p2pokey.peer.events import (
    HandBegan,
    HandCounted,
    HandFailed,
    LinkSeen,
    MatchEnded,
    PeerEvent,
    StillWaiting,
)
from p2pokey.peer.inbox import Inbox
from p2pokey.peer.links import Links, state_text
from p2pokey.peer.passing import Archive, Passing
from p2pokey.peer.patience import Patience
from p2pokey.peer.players import Person, Player
from p2pokey.peer.postbox import Postbox
from p2pokey.peer.runner import HandEnd, HandRunner
from p2pokey.peer.saving import (
    KeptHand,
    begin_journal,
    has_journal,
    reopen_journal,
    save_transcript,
    saved_envelopes,
)
from p2pokey.peer.table_journal import LostHand, SavedHand, TableJournal
from p2pokey.peer.tracing import TracedRunner, TracedWorker, Tracer
from p2pokey.peer.waits import IfMissing, WaitLimits, people
from p2pokey.peer.worker import Clock, HandWorker
from p2pokey.ports import Entropy, Sealer, Signer, Verifier
from p2pokey.rules.rulesets import from_json
from p2pokey.rules.state import Ending
from p2pokey.table.match import FinishedHand, Match, new_match
from p2pokey.table.next_hand import Next, Wish, seal_next
from p2pokey.table.turn_clock import TurnClock
from p2pokey.tiles import Seat
from p2pokey.transcript.setup import HandSetup

MAX_FAILURES = 5
"""Attempts without score in a row, after which a table does not try again."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerPorts:
    """What a peer needs from its computer."""

    group: Group
    signer: Signer
    verifier: Verifier
    sealer: Sealer
    entropy: Entropy


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
    """Hands that this seat wants to play at most; None: as many as the others want."""
    limits: WaitLimits = field(default_factory=WaitLimits)
    if_missing: IfMissing = IfMissing.VOID
    """What to do about a seat without which the table cannot go on."""
    person: Person | None = None
    """Who moves here; None: `player`, at once."""
    clock: Clock = time.monotonic
    diary: TableJournal | None = None
    """What outlives this run of the program; None: nothing does but the hand."""
    trace: Tracer | None = None
    """Notes what takes how long; None: nothing does."""

    _match: Match = field(init=False)
    _inbox: Inbox = field(init=False)
    _passing: Passing = field(init=False)
    _archive: Archive = field(init=False)
    _running: HandRunner | None = field(init=False, default=None)
    _failures: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        roster = self.links.roster
        rules, options = from_json(roster.rules)
        keys = tuple(seat.public_key for seat in roster.seats)
        self._match = new_match(
            session=self.links.session_id, roster=keys, rules=rules, options=options
        )
        for ended in [] if self.diary is None else self.diary.ended:
            if isinstance(ended, SavedHand):
                self._match = self._match.after_hand(ended.hand)
            else:
                self._match = self._match.after_failure(
                    keys=ended.keys, withheld=ended.withheld, starter=ended.starter
                )
        postbox = Postbox(session=self.links.session_id, roster=keys, verifier=self.ports.verifier)
        self._inbox = Inbox(self.links, postbox, self._on_change)
        self._passing = Passing(
            links=self.links, postbox=postbox, seats=len(keys), clock=self.clock
        )
        if self.diary is not None and self.diary.ended:
            last = self._passing.begin(self._match.attempts - 1)
            for data in saved_envelopes(self.diary.ended[-1].path):
                last.add(data)
        self._passing.hand = self._match.attempts

    @property
    def names(self) -> tuple[str, ...]:
        """Display names in seat order."""
        return tuple(seat.name for seat in self.links.roster.seats)

    async def play(self) -> MatchEnded:
        """Plays until the match is over or a seat wants no further hand.

        Raises:
            TableCancelled: a hand ended without a score, or a player is gone.
            ConnectError: the links have failed as a whole.
            OSError: a transcript or journal cannot be written.
        """
        # One thread: a machine's calls never overlap, and ctypes frees the interpreter lock.
        executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="hand")
        try:
            async with self._inbox:
                while self._has_begun() or await self._all_want_another():
                    await self._play_hand(executor)
                await self._see_off()
        finally:
            executor.shutdown(wait=False)  # what is queued closes the journal
        ended = MatchEnded(
            hands=self._match.hands_played,
            totals=self._match.totals,
            winners=self._match.winners,
        )
        self.emit(ended)
        return ended

    def void(self) -> None:
        """Voids the hand that waits for missing seats; raises LocalProtocolError if none does."""
        if self._running is None:
            raise LocalProtocolError("no hand is being played")
        self._running.void()

    # Between hands -------------------------------------------------------------------------------

    def _has_begun(self) -> bool:
        """Whether an earlier run has begun the next attempt, so that all have wanted it."""
        if self._match.is_over or not has_journal(self.journals, self._match.next_setup()):
            return False
        self._passing.hand = self._match.attempts
        return self._say_next(self._match.attempts) is Wish.PLAY

    async def _all_want_another(self) -> bool:
        """Says NEXT and waits for everybody's."""
        hand, postbox = self._match.attempts, self._inbox.postbox
        self._passing.hand = hand
        if self._say_next(hand) is Wish.STOP:
            return False
        began, is_noticed = self.clock(), False
        while True:
            said = postbox.wishes(hand)
            if Wish.STOP in said.values():
                return False
            missing = [seat for seat in self._others() if seat not in said]
            if not missing:
                return True
            gone = [seat for seat in missing if seat in postbox.gone]
            waited = self.clock() - began
            self._check_wait(missing, gone, waited)
            if waited >= self.limits.notice_s and not is_noticed:
                is_noticed = True
                who = people(missing, self.names)
                self.emit(StillWaiting(text=f"waiting for {who} to begin the next hand"))
            await self._look_around(began)

    async def _look_around(self, began: float) -> None:
        """Waits a moment; answers what is asked, and asks for what is missing."""
        await self._inbox.wait(min(1.0, self.limits.notice_s))
        self._passing.answer()
        if self.clock() - began >= 1.0:
            self._passing.ask_all()

    def _say_next(self, hand: int) -> Wish:
        """Tells all whether this seat plays on; what an earlier run has said stands."""
        is_enough = self.hands is not None and self._match.hands_played >= self.hands
        wish = Wish.STOP if is_enough or self._match.is_over else Wish.PLAY
        if self.diary is not None:
            wish = self.diary.wish(hand, wish)
        seat, session = self.links.seat, self.links.session_id
        own = Next(session=session, hand=hand, seat=seat, wish=wish)
        data = seal_next(self.ports.signer, own)
        self._inbox.postbox.note_own_wish(hand, seat, data)
        self.links.broadcast(data)
        return wish

    async def _see_off(self) -> None:
        """The match is over: waits a while for seats that do not have the last score yet."""
        hand, postbox, began = self._match.attempts, self._inbox.postbox, self.clock()
        while self.clock() - began < self.limits.linger_s:
            behind = [
                seat
                for seat in self._others()
                if seat not in postbox.wishes(hand) and not postbox.has_left(seat)
            ]
            if not behind or hand == 0:
                return
            await self._look_around(began)

    def _check_wait(self, missing: list[Seat], gone: list[Seat], waited: float) -> None:
        """Gives up on seats that are gone or silent for too long."""
        for seat in sorted(self._inbox.postbox.strangers):
            who = people([seat], self.names)
            raise TableCancelled(f"{who} sent something that is no message of this game")
        if self.if_missing is IfMissing.WAIT:
            return
        if gone and waited >= self.limits.absent_s:
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
        if event.state is LinkState.HERE:
            # It may be another run of its program, which knows nothing of what was said.
            for data in self._inbox.postbox.wish_bytes(self._passing.hand):
                self.links.send(event.seat, data)
            self._passing.ask(event.seat)

    # A hand --------------------------------------------------------------------------------------

    async def _play_hand(self, executor: Executor) -> None:
        setup, seat = self._match.next_setup(), self.links.seat
        self._inbox.postbox.begin(setup.hand)
        self._archive = self._passing.begin(setup.hand)
        kept = reopen_journal(
            self.journals, setup=setup, seat=seat, used_keys=self._match.used_keys
        )
        self.emit(HandBegan(hand=setup.hand, match_hand=setup.match_hand))
        seed = self.ports.entropy.random_bytes(32) if kept is None else kept.seed
        journal = self._begin_journal(setup, seed) if kept is None else kept.journal
        try:
            machine = self._machine(seed)
            self._running = self._runner(executor, machine, journal, kept)
            end = await self._running.run()
            path = save_transcript(self.out, setup.hand, seat, machine.transcript())
            if end.finished is not None:
                self._count(end, machine, path)
            else:
                self._lose(end, machine, path)
            await self.links.flush(self.limits.farewell_s)
        except BaseException:
            # In the worker thread: whatever that is still writing comes first.
            executor.submit(journal.close)
            raise
        finally:
            self._running = None
        journal.discard()
        if end.finished is None and not self._is_dealt_again(end):
            raise TableCancelled(end.reason)

    def _begin_journal(self, setup: HandSetup, seed: bytes) -> Journal:
        return begin_journal(
            self.journals,
            setup=setup,
            seat=self.links.seat,
            seed=seed,
            used_keys=self._match.used_keys,
        )

    def _machine(self, seed: bytes) -> HandMachine:
        ports = self.ports
        return HandMachine(
            setup=self._match.next_setup(),
            seat=self.links.seat,
            seed=seed,
            ports=HandPorts(group=ports.group, signer=ports.signer, sealer=ports.sealer),
            verifier=ports.verifier,
            used_keys=self._match.used_keys,
        )

    def _runner(
        self, executor: Executor, machine: HandMachine, journal: Journal, kept: KeptHand | None
    ) -> HandRunner:
        ports = self.ports
        make_runner: Callable[..., HandRunner] = HandRunner
        archive = self._archive
        worker = HandWorker(machine, journal, archive=archive, clock=self.clock)
        if self.trace is not None:
            self.trace.hand = self._match.attempts
            self.trace.moment("began")
            worker = TracedWorker(
                machine, journal, archive=archive, clock=self.clock, trace=self.trace
            )
            make_runner = partial(TracedRunner, trace=self.trace)
        return make_runner(
            worker=worker,
            inbox=self._inbox,
            broadcast=self.links.broadcast,
            executor=executor,
            player=self.player,
            auditor=OwnAudit(group=ports.group, verifier=ports.verifier, sealer=ports.sealer),
            hand=self._match.attempts,
            seat=self.links.seat,
            names=self.names,
            options=self._match.options,
            limits=self.limits,
            passing=self._passing,
            patience=self._patience(),
            kept=kept,
            emit=self.emit,
            clock=self.clock,
            person=self.person,
        )

    def _patience(self) -> Patience:
        return Patience(
            seat=self.links.seat,
            names=self.names,
            options=self._match.options,
            limits=self.limits,
            if_missing=self.if_missing,
            links=self._inbox.postbox.links,
            turns=TurnClock(
                rules=self._match.rules,
                options=self._match.options,
                people=tuple(seat.runner == seat.public_key for seat in self.links.roster.seats),
            ),
        )

    def _count(self, end: HandEnd, machine: HandMachine, path: Path) -> None:
        finished = end.finished
        assert finished is not None
        hand = self._match.attempts
        is_cancelled = machine.view().state.ending is Ending.CANCELLED
        done = FinishedHand(
            starter=machine.view().state.starter,
            points=finished.points,
            totals=finished.totals,
            transcript_hash=finished.transcript_hash,
            keys=machine.public_keys,
            counts=not is_cancelled,
        )
        self._match = self._match.after_hand(done)
        self._failures = 0
        if self.diary is not None:
            self.diary.finish(done, path)
        self.emit(
            HandCounted(
                hand=hand,
                is_cancelled=is_cancelled,
                points=finished.points,
                totals=finished.totals,
                moves=end.moves,
                proofs=end.proofs.counts(),
                audited=end.audited,
                transcript=str(path),
                seconds=end.seconds,
            )
        )

    def _is_dealt_again(self, end: HandEnd) -> bool:
        return end.is_void and self._failures < MAX_FAILURES

    def _lose(self, end: HandEnd, machine: HandMachine, path: Path) -> None:
        """Notes a hand without score; after a fault the table cannot go on."""
        assert end.stopped is not None
        hand, fault = self._match.attempts, end.stopped.fault
        self._failures += 1
        lost = LostHand(
            keys=machine.public_keys, starter=machine.starter, withheld=end.withheld, path=path
        )
        self._match = self._match.after_failure(
            keys=lost.keys, starter=lost.starter, withheld=lost.withheld
        )
        if self.diary is not None:
            self.diary.lose(lost)
        self.emit(
            HandFailed(
                hand=hand,
                reason=end.reason,
                culprit=None if fault is None else Seat(fault.culprit),
                transcript=str(path),
                dealt_again=self._is_dealt_again(end),
            )
        )
