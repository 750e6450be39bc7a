"""One hand from its setup to what it leaves: journal, machine, runner, transcript, outcome."""

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from p2pokey.crypto.group import Group
from p2pokey.errors import LocalProtocolError
from p2pokey.hand.core import HandPorts
from p2pokey.hand.machine import HandMachine
from p2pokey.native.journal import Journal
from p2pokey.peer.auditing import OwnAudit
from p2pokey.peer.board import Board
from p2pokey.peer.events import HandBegan, HandCounted, HandFailed, PeerEvent
from p2pokey.peer.hand_end import HandEnd
from p2pokey.peer.inbox import Inbox
from p2pokey.peer.links import Links
from p2pokey.peer.passing import Archive, Passing
from p2pokey.peer.patience import Patience
from p2pokey.peer.players import Person, Player
from p2pokey.peer.runner import HandRunner
from p2pokey.peer.saving import (
    KeptHand,
    begin_journal,
    drop_journals_before,
    reopen_journal,
    save_transcript,
)
from p2pokey.peer.tracing import TracedRunner, TracedWorker, Tracer
from p2pokey.peer.waits import IfMissing, WaitLimits
from p2pokey.peer.watching import Watch
from p2pokey.peer.worker import Clock, HandWorker
from p2pokey.ports import Entropy, Sealer, Signer, Verifier
from p2pokey.rules.state import Ending
from p2pokey.table import records
from p2pokey.table.commands import HandAt
from p2pokey.table.effects import BeginHand
from p2pokey.table.match import FinishedHand
from p2pokey.table.turn_clock import TurnClock
from p2pokey.tiles import Seat
from p2pokey.transcript.envelope import decode_envelope
from p2pokey.transcript.file import encode_transcript
from p2pokey.transcript.setup import HandSetup

MAX_FAILURES = 5
"""Attempts without score in a row, after which a table does not try again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerPorts:
    """What a peer needs from its computer."""

    group: Group
    signer: Signer
    verifier: Verifier
    sealer: Sealer
    entropy: Entropy


@dataclass(kw_only=True)
class HandPlay:
    """Plays one hand after the other at one seat."""

    links: Links
    ports: PeerPorts
    player: Player
    person: Person | None
    out: Path
    journals: Path
    emit: Callable[[PeerEvent], None]
    limits: WaitLimits
    if_missing: IfMissing
    clock: Clock
    trace: Tracer | None
    watch: Watch
    inbox: Inbox
    passing: Passing
    board: Board
    _running: HandRunner | None = None
    _kept: tuple[HandSetup, Archive] | None = None
    """What the newest hand started from, and all that was accepted in it."""
    _why_not: str = ""
    """Why the table gives up the hand that is about to begin."""
    _failures: int = field(default=0)
    _matches: int = field(default=0)
    """Rematches so far: those begin anew with the failures, too."""

    # What the table and its player want ----------------------------------------------------------

    @property
    def hand(self) -> int | None:
        """Attempt that is being played."""
        return None if self._running is None else self._running.hand

    def transcript(self) -> bytes | None:
        """The file of the hand that is being played, as far as it has come; None between hands."""
        if self._running is None or self._kept is None:
            return None
        setup, archive = self._kept
        envelopes = archive.after((0,) * setup.seats)
        return encode_transcript(setup, [decode_envelope(data) for data in envelopes])

    def void(self) -> None:
        """Voids the hand that waits for missing seats; raises LocalProtocolError if none does."""
        if self._running is None:
            raise LocalProtocolError("no hand is being played")
        self._running.void()

    def give_up(self, reason: str) -> None:
        """The table has agreed on something that ends the hand, unless it is only counted now."""
        self._why_not = reason
        if self._running is not None:
            self._running.leave_out(reason)

    # A hand --------------------------------------------------------------------------------------

    async def play(self, begin: BeginHand, executor: Executor) -> HandEnd:
        """Plays the hand and tells the table how it ended.

        Raises:
            As `HandRunner.run`; the hand can be taken up again.
        """
        setup, seat = begin.setup, self.links.seat
        archive = self.passing.begin(setup.hand)
        self._kept = (setup, archive)
        self.inbox.postbox.begin(setup.hand, archive.has)
        kept = reopen_journal(self.journals, setup=setup, seat=seat, used_keys=begin.used_keys)
        self.emit(HandBegan(hand=setup.hand, match_hand=setup.match_hand))
        seed = self.ports.entropy.random_bytes(32) if kept is None else kept.seed
        journal = self._new_journal(begin, seed) if kept is None else kept.journal
        try:
            machine = self._machine(begin, seed)
            self._running = self._runner(setup, executor, machine, journal, archive, kept)
            if self._why_not:
                self._running.leave_out(self._why_not)
            end = await self._running.run()
            path = save_transcript(self.out, setup.hand, seat, machine.transcript())
            if end.finished is not None:
                self._count(setup, end, machine, path)
            else:
                self._lose(setup, end, machine, path)
            await self.links.flush(self.limits.farewell_s)
        except BaseException:
            # In the worker thread: whatever that is still writing comes first.
            executor.submit(journal.close)
            raise
        finally:
            self._running, self._why_not = None, ""
        # It stays for one more hand: the table's journal may yet lose the end that says how it ended.
        journal.close()
        drop_journals_before(self.journals, setup)
        return end

    def is_dealt_again(self, end: HandEnd) -> bool:
        """Whether the table goes on after a hand without score."""
        self._note_rematch()
        return end.is_void and self._failures < MAX_FAILURES

    def _note_rematch(self) -> None:
        """A hand that a rematch has left out is no failure, however many there are."""
        matches = len(self.board.machine.history)
        if matches != self._matches:
            self._matches, self._failures = matches, 0

    # What it takes -------------------------------------------------------------------------------

    def _new_journal(self, begin: BeginHand, seed: bytes) -> Journal:
        return begin_journal(
            self.journals,
            setup=begin.setup,
            seat=self.links.seat,
            seed=seed,
            used_keys=begin.used_keys,
        )

    def _machine(self, begin: BeginHand, seed: bytes) -> HandMachine:
        ports = self.ports
        return HandMachine(
            setup=begin.setup,
            seat=self.links.seat,
            seed=seed,
            ports=HandPorts(group=ports.group, signer=ports.signer, sealer=ports.sealer),
            verifier=ports.verifier,
            used_keys=begin.used_keys,
        )

    def _runner(
        self,
        setup: HandSetup,
        executor: Executor,
        machine: HandMachine,
        journal: Journal,
        archive: Archive,
        kept: KeptHand | None,
    ) -> HandRunner:
        ports = self.ports
        make_runner: Callable[..., HandRunner] = HandRunner
        worker = HandWorker(machine, journal, archive=archive, clock=self.clock)
        if self.trace is not None:
            self.trace.hand = setup.hand
            self.trace.moment("began")
            worker = TracedWorker(
                machine, journal, archive=archive, clock=self.clock, trace=self.trace
            )
            make_runner = partial(TracedRunner, trace=self.trace)
        return make_runner(
            worker=worker,
            inbox=self.inbox,
            broadcast=self.links.broadcast,
            executor=executor,
            player=self.player,
            person=self.person,
            auditor=OwnAudit(group=ports.group, verifier=ports.verifier, sealer=ports.sealer),
            hand=setup.hand,
            seat=self.links.seat,
            names=self.board.names,
            options=setup.options,
            limits=self.limits,
            passing=self.passing,
            patience=self._patience(setup),
            kept=kept,
            emit=self.emit,
            clock=self.clock,
            may_move=self.board.machine.may_move,
            on_moves=partial(self._moved, setup.hand),
            watch=self.watch,
        )

    def _patience(self, setup: HandSetup) -> Patience:
        people = tuple(not seat.is_computer for seat in self.links.roster.seats)
        return Patience(
            seat=self.links.seat,
            names=self.board.names,
            options=setup.options,
            limits=self.limits,
            if_missing=self.if_missing,
            links=self.inbox.postbox.links,
            turns=TurnClock(rules=setup.rules, options=setup.options, people=people),
        )

    # What it leaves ------------------------------------------------------------------------------

    def _moved(self, hand: int, moves: int, is_played: bool) -> None:
        self.board.act(HandAt(attempt=hand, moves=moves, is_played=is_played))

    def _count(self, setup: HandSetup, end: HandEnd, machine: HandMachine, path: Path) -> None:
        finished, state = end.finished, machine.view().state
        assert finished is not None
        is_cancelled = state.ending is Ending.CANCELLED
        done = FinishedHand(
            starter=state.starter,
            points=finished.points,
            totals=finished.totals,
            transcript_hash=finished.transcript_hash,
            keys=machine.public_keys,
            counts=not is_cancelled,
        )
        self._failures = 0
        reason = end.ending or state.ending.name.lower().replace("_", "-")
        counted = HandCounted(
            hand=setup.hand,
            is_cancelled=is_cancelled,
            points=finished.points,
            totals=finished.totals,
            moves=end.moves,
            proofs=end.proofs.counts(),
            audited=end.audited,
            transcript=str(path),
            seconds=end.seconds,
        )
        self.board.end_hand(records.HandCounts(hand=done, reason=reason), counted)

    def _lose(self, setup: HandSetup, end: HandEnd, machine: HandMachine, path: Path) -> None:
        """Notes a hand without score; after a fault the table cannot go on."""
        assert end.stopped is not None
        fault = end.stopped.fault
        culprit = None if fault is None else Seat(fault.culprit)
        self._note_rematch()
        if not self._why_not:
            self._failures += 1
        outcome = records.HandFailed(
            keys=machine.public_keys,
            withheld=sum(1 << seat for seat in end.withheld),
            starter=machine.starter,
            reason=end.reason,
            culprit=culprit,
        )
        failed = HandFailed(
            hand=setup.hand,
            reason=end.reason,
            culprit=culprit,
            transcript=str(path),
            dealt_again=self.is_dealt_again(end),
        )
        self.board.end_hand(outcome, failed)
