"""Runs one hand: the machine in a worker thread, the links on the event loop, effects in order.

A seat that is gone and does not come back for too long, or whose link lives and who sends nothing for
too long, is called absent: where recovery allows, the others then play on without it. Where that does
not help this seat gives the hand up after as long a time again, which tells the others why.

A hand that an earlier run of the program has begun is taken up where its journal ends.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from p2pokey.errors import TableCancelled
from p2pokey.hand.effects import (
    Abandon,
    AuditDone,
    AuditDue,
    CallAbsent,
    Command,
    ConfirmResult,
    Effect,
    HandFinished,
    HandPaused,
    HandStopped,
    MoveApplied,
    Phase,
    PhaseEntered,
    Play,
    ProofAccepted,
    RejectResult,
    SeatAbsent,
    SeatReturned,
    Send,
    ShuffleVerified,
    TurnReady,
    Waiting,
)
from p2pokey.net.link import LinkState
from p2pokey.net.mesh import MessageReceived
from p2pokey.peer.counting import ProofTally
from p2pokey.peer.events import (
    HandResumed,
    MoveMade,
    PeerEvent,
    SeatBack,
    SeatPlayedFor,
    ShuffleChecked,
    Stage,
    StagePassed,
    StillWaiting,
)
from p2pokey.peer.inbox import Inbox
from p2pokey.peer.links import state_text
from p2pokey.peer.passing import ASK_BROKEN_S, ASK_MOVE_S, ASK_S, Passing
from p2pokey.peer.players import Player
from p2pokey.peer.saving import KeptHand
from p2pokey.peer.waits import WaitLimits, is_move, limit_of, name_of, people
from p2pokey.peer.worker import Clock, HandWorker, Turn
from p2pokey.rules.move_text import format_move
from p2pokey.rules.rulesets import TableOptions
from p2pokey.tiles import Seat
from p2pokey.transcript.messages import Kind

_STAGES = {
    Phase.SHUFFLE: Stage.KEYS,
    Phase.READY: Stage.SHUFFLED,
    Phase.PLAY: Stage.DEALT,
    Phase.END: Stage.FINISHED,
    Phase.AUDIT: Stage.DISCLOSED,
    Phase.RESULT: Stage.REPLAYED,
    Phase.DONE: Stage.COUNTED,
}
"""What is complete when a phase begins."""
_OVER = (Phase.DONE, Phase.STOPPED)
SHOW_S = 5.0
"""Seconds between two times of showing a disputed seat what this one has."""

_Result = TypeVar("_Result")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a seat's own audit of the hand came to."""

    command: ConfirmResult | RejectResult | Abandon
    proofs: int
    """Proof objects that verified."""


class Auditor(Protocol):
    """Audits a hand whose seeds are disclosed; runs in the worker thread."""

    def __call__(self, transcript: bytes, stop: threading.Event) -> Verdict:
        """The verdict; returns early, with any verdict, once `stop` is set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandEnd:
    """How a hand ended."""

    finished: HandFinished | None
    """The score, if the hand counts."""
    stopped: HandStopped | None
    """Set otherwise."""
    reason: str
    """Why there is no score, in one sentence; empty if there is one."""
    moves: int
    proofs: ProofTally
    audited: int
    """Proof objects that the own audit verified."""
    seconds: float


@dataclass(kw_only=True)
class HandRunner:
    """One hand at one seat."""

    worker: HandWorker
    inbox: Inbox
    broadcast: Callable[[bytes], None]
    executor: Executor
    player: Player
    auditor: Auditor
    hand: int
    seat: Seat
    names: tuple[str, ...]
    options: TableOptions
    limits: WaitLimits
    passing: Passing
    kept: KeptHand | None
    """What an earlier run of the program has of this hand."""
    emit: Callable[[PeerEvent], None]
    clock: Clock = time.monotonic

    _commands: list[Command] = field(default_factory=list)
    _choosing: asyncio.Task[None] | None = None
    _finished: HandFinished | None = None
    _stopped: HandStopped | None = None
    _moves: int = 0
    _audited: int = 0
    _proofs: ProofTally = field(default_factory=ProofTally)
    _began: float = 0.0
    _is_dealt: bool = False
    _wait_for: tuple[int, Waiting, tuple[Seat, ...]] | None = None
    _called: set[tuple[int, Seat]] = field(default_factory=set)
    """Steps in which this seat has called another one absent."""
    _late: str = ""
    """What it was that such a seat did not send."""
    _idle_since: float = 0.0
    _is_noticed: bool = False
    _last_wait: str = ""
    _own_reason: str = ""
    _stop: threading.Event = field(default_factory=threading.Event)
    _disputed: Seat | None = None
    _shown_at: float | None = None
    """When the disputed seat was last shown what this one has, over a link that still stands."""

    async def run(self) -> HandEnd:
        """Plays the hand to its end; the last messages are handed to the links, not yet flushed.

        Raises:
            OSError: the journal cannot be written.
            ConnectError: the links have failed as a whole.
            TableCancelled: a damaged journal, and somebody who may have its end is not there.
        """
        self._began = self.clock()
        try:
            if self.kept is not None:
                await self._take_up(self.kept)
            await self._play()
            if self._stopped is not None:
                await self._hear_the_others_out()
        finally:
            self._stop.set()
            if self._choosing is not None:
                self._choosing.cancel()
        return HandEnd(
            finished=self._finished,
            stopped=self._stopped,
            reason=self._reason(),
            moves=self._moves,
            proofs=self._proofs,
            audited=self._audited,
            seconds=self.clock() - self._began,
        )

    async def _take_up(self, kept: KeptHand) -> None:
        """Goes on where an earlier run has ended."""
        await self._in_thread(lambda: self.worker.note(kept.envelopes))
        passed_on = await self._catch_up() if kept.has_lost else None
        effects = await self._in_thread(
            lambda: self.worker.restore(kept.envelopes, passed_on, self._stop)
        )
        seconds = self.clock() - self._began
        count = len(kept.envelopes)
        self.emit(HandResumed(hand=self.hand, messages=count, seconds=seconds))
        for effect in effects:
            await self._carry_out(effect)

    async def _catch_up(self) -> list[MessageReceived]:
        """What the others have, own messages among it: the end of the journal is lost.

        Nothing is signed before all of them have said what they hold of this seat.
        """
        began, is_noticed, got = self.clock(), False, list[MessageReceived]()
        while missing := self._others() - self.passing.synced:
            self.passing.ask_all(ASK_BROKEN_S)
            self.passing.answer()
            got += self.inbox.postbox.take()
            waited, who = self.clock() - began, people(sorted(missing), self.names)
            if waited >= self.limits.absent_s:
                raise TableCancelled(f"the journal has lost its end, and {who} may have it")
            if waited >= self.limits.notice_s and not is_noticed:
                is_noticed = True
                self.emit(StillWaiting(text=f"waiting for what {who} has of this hand"))
            await self.inbox.wait(ASK_BROKEN_S)
        return got + self.inbox.postbox.take()

    def _others(self) -> set[Seat]:
        return {Seat(seat) for seat in range(self.options.seats) if seat != self.seat}

    async def _play(self) -> None:
        while True:
            self.passing.answer()
            turn = await self._turn()
            if turn.phase in _OVER:
                return
            self._measure(turn)
            if turn.is_busy or self._commands or self.inbox.postbox.pending:
                continue
            await self._wait(turn)
            if self._choosing is not None and self._choosing.done():
                self._choosing.result()

    def _measure(self, turn: Turn) -> None:
        """Keeps the start of the current wait; repeated messages do not make it any younger."""
        if self._awaited(turn):
            self._last_wait = self._who_and_what(turn)
        wait = (turn.step, turn.waiting, self._gone(turn))
        if turn.is_busy or wait != self._wait_for:
            self._wait_for, self._idle_since, self._is_noticed = wait, self.clock(), False

    async def _turn(self) -> Turn:
        messages = self.inbox.postbox.take()
        commands, self._commands = self._commands, []
        unheard = self._unheard()
        turn = await self._in_thread(lambda: self.worker.turn(messages, commands, unheard))
        self._commands[:0] = turn.commands
        for effect in turn.effects:
            await self._carry_out(effect)
        if turn.disputed != self._disputed:
            self._disputed, self._shown_at = turn.disputed, None
        return turn

    def _unheard(self) -> set[Seat]:
        """The disputed seat, until it has what this seat has and as long as it cannot be heard.

        Only what it then still does not explain is held against it: it may have been shown
        something else by a third seat, and be on its way back to say so.
        """
        seat = self._disputed
        if seat is None:
            return set()
        link = self.inbox.postbox.links.get(seat)
        if link is not None and link.state is not LinkState.HERE:
            self._shown_at = None
            return {seat}
        now = self.clock()
        is_known = self._shown_at is not None and seat in self.passing.synced
        if not is_known and (self._shown_at is None or now - self._shown_at >= SHOW_S):
            self._shown_at = now
            self.passing.show(seat)
        return set() if is_known else {seat}

    async def _in_thread(self, work: Callable[[], _Result]) -> _Result:
        return await asyncio.get_running_loop().run_in_executor(self.executor, work)

    async def _carry_out(self, effect: Effect) -> None:
        match effect:
            case Send(envelope=envelope):
                self.broadcast(envelope)
            case PhaseEntered(phase=phase):
                self._enter(phase)
            case ShuffleVerified(seat=seat):
                self.emit(ShuffleChecked(hand=self.hand, seat=seat))
            case ProofAccepted():
                self._count(effect)
            case MoveApplied(seat=seat, move=move):
                self._moves += 1
                self.emit(MoveMade(hand=self.hand, seat=seat, move=format_move(move)))
            case TurnReady():
                self._choosing = asyncio.create_task(self._choose())
                self._choosing.add_done_callback(lambda _: self.inbox.wake())
            case AuditDue(transcript=transcript):
                await self._audit(transcript)
            case HandFinished():
                self._finished = effect
            case HandStopped():
                self._stopped = effect
            case SeatAbsent() | SeatReturned() | HandPaused():
                self._tell_absence(effect)

    def _count(self, proof: ProofAccepted) -> None:
        if proof.seat != self.seat:
            self._proofs.add(proof)

    def _tell_absence(self, effect: SeatAbsent | SeatReturned | HandPaused) -> None:
        match effect:
            case SeatAbsent(seat=seat):
                self.emit(SeatPlayedFor(seat=seat))
            case SeatReturned(seat=seat):
                self.emit(SeatBack(seat=seat))
            case HandPaused(seat=seat):
                text = f"the hand is paused until {people([seat], self.names)} is back"
                self.emit(StillWaiting(text=text))

    def _enter(self, phase: Phase) -> None:
        self._is_dealt = self._is_dealt or phase is Phase.DEAL
        stage = _STAGES.get(phase)
        if stage is not None:
            seconds = self.clock() - self._began
            self.emit(StagePassed(hand=self.hand, stage=stage, seconds=seconds))

    async def _choose(self) -> None:
        move = await self._in_thread(lambda: self.player.choose(self.worker.view()))
        self._commands.append(Play(move=move))

    async def _audit(self, transcript: bytes) -> None:
        verdict = await self._in_thread(lambda: self.auditor(transcript, self._stop))
        self._audited = verdict.proofs
        self._commands.append(AuditDone(transcript=transcript, verdict=verdict.command))

    # Waiting -------------------------------------------------------------------------------------

    async def _wait(self, turn: Turn) -> None:
        """Waits for news, for the machine's timer, or for the end of the wait's limit."""
        now = self.clock()
        awaited = self._awaited(turn)
        limit = self._limit(turn)
        pause = self._pause(turn)
        marks = [] if limit is None else [self._idle_since + limit]
        if awaited:
            marks.append(now + pause)
        if awaited and not self._is_noticed:
            marks.append(self._idle_since + self.limits.notice_s)
        if turn.next_timer is not None:
            marks.append(turn.next_timer)
        await self.inbox.wait(max(0.0, min(marks) - now) if marks else None)
        waited = self.clock() - self._idle_since
        if limit is not None and waited >= limit and not self.inbox.postbox.pending:
            self._give_up_waiting(turn, limit)
        elif awaited:
            self._ask(turn, waited, pause)

    def _ask(self, turn: Turn, waited: float, pause: float) -> None:
        """Asks who has what is missing, and tells the player after a while."""
        if waited >= min(pause, self.limits.notice_s):
            self.passing.ask_all(pause)
        gone = self._gone(turn)
        if waited >= self.limits.notice_s and not self._is_noticed:
            self._is_noticed = True
            what = self._away_text(gone) if gone else f"waiting for {self._who_and_what(turn)}"
            self.emit(StillWaiting(text=what))

    def _limit(self, turn: Turn) -> float | None:
        """Seconds that the wait may take.

        None: nothing but this seat's own move or audit is awaited, and others have no part in it.
        """
        if self._gone(turn):
            return self.limits.absent_s
        if not self._awaited(turn):
            return None
        return limit_of(turn.waiting, turn.mover, self.limits, self.options)

    def _pause(self, turn: Turn) -> float:
        if self._gone(turn):
            return ASK_BROKEN_S
        return ASK_MOVE_S if is_move(turn.waiting, turn.mover) else ASK_S

    def _awaited(self, turn: Turn) -> tuple[Seat, ...]:
        return tuple(seat for seat in turn.waiting.seats if seat != self.seat)

    def _gone(self, turn: Turn) -> tuple[Seat, ...]:
        """Awaited seats that are not there."""
        gone = self.inbox.postbox.gone
        return tuple(seat for seat in self._awaited(turn) if seat in gone)

    def _who_and_what(self, turn: Turn) -> str:
        return f"{name_of(turn.waiting, turn.mover)} of {people(self._awaited(turn), self.names)}"

    def _away_text(self, gone: tuple[Seat, ...]) -> str:
        minutes = self.limits.absent_s / 60
        how = state_text(self.inbox.postbox.links[gone[0]])
        who = people([gone[0]], self.names)
        return f"{who} {how}; the table waits for {minutes:.0f} minutes"

    def _give_up_waiting(self, turn: Turn, limit: float) -> None:
        """The first time a wait is over the silent seats are called absent; then the hand ends."""
        fresh = [seat for seat in self._awaited(turn) if (turn.step, seat) not in self._called]
        if fresh:
            self._called.update((turn.step, seat) for seat in fresh)
            self._commands += [CallAbsent(seat=seat) for seat in fresh]
            if not self._gone(turn):
                self._late = f"{self._who_and_what(turn)} did not come within {limit:.0f} s"
            self._idle_since = self.clock()
            return
        gone = self._gone(turn)
        if gone:
            self._give_up(self._missing_text(gone[0]))
        else:
            self._give_up(f"{self._who_and_what(turn)} did not come within {limit:.0f} s")

    def _missing_text(self, seat: Seat) -> str:
        how = state_text(self.inbox.postbox.links[seat])
        return f"{people([seat], self.names)} {how}; a hand needs all its players"

    def _give_up(self, reason: str) -> None:
        _log.warning("the hand is given up: %s", reason)
        self._own_reason = reason
        self._commands.append(Abandon(reason=reason))

    def _reason(self) -> str:
        """Why the hand has no score, from all that this seat knows."""
        if self._stopped is None:
            return ""
        if self._stopped.fault is not None:
            culprit = people([Seat(self._stopped.fault.culprit)], self.names)
            return f"{culprit} broke the protocol: {self._stopped.reason}"
        if self._own_reason:
            return self._own_reason
        if self._stopped.missing is not None and self._stopped.missing != self.seat:
            return self._silence_text(self._stopped.missing)
        authors = [seat for seat in self.worker.voids if seat != self.seat]
        if authors and self.worker.voids[authors[0]].culprit < self.options.seats:
            return self._accusation_text(authors[0])
        links = self.inbox.postbox.links
        troubled = [seat for seat, link in links.items() if link.state is not LinkState.HERE]
        if troubled:
            return self._missing_text(troubled[0])
        if not authors or not self._last_wait:
            return self._stopped.reason
        return f"{people(authors[:1], self.names)} gave the hand up, waiting for {self._last_wait}"

    def _silence_text(self, seat: Seat) -> str:
        """Why there is no hand without a seat that all others have called."""
        if seat in self.inbox.postbox.gone:
            return self._missing_text(seat)
        who = people([seat], self.names)
        return self._late or f"{who} does not answer; a hand needs all its players"

    def _accusation_text(self, author: Seat) -> str:
        void = self.worker.voids[author]
        accused = people([Seat(void.culprit)], self.names)
        return (
            f"{people([author], self.names)} ended the hand, accusing {accused} of {void.reason}; "
            "audit the transcript to see who is right"
        )

    async def _hear_the_others_out(self) -> None:
        """After a stop: lets the others agree, so that seeds are disclosed where a fault needs it."""
        until = self.clock() + self.limits.farewell_s
        while (now := self.clock()) < until:
            self.passing.answer()
            turn = await self._turn()
            if self._has_heard_all():
                return
            if not turn.is_busy and not self.inbox.postbox.pending:
                await self.inbox.wait(until - now)

    def _has_heard_all(self) -> bool:
        fault = None if self._stopped is None else self._stopped.fault
        silent = {*self.inbox.postbox.gone, *(() if fault is None else (fault.culprit,))}
        expected = {seat for seat in range(self.options.seats) if seat not in silent}
        missing = expected - self.worker.authors(Kind.VOID)
        if self._is_dealt and fault is not None:
            missing |= expected - self.worker.authors(Kind.DISCLOSE)
        return not missing
