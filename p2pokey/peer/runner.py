"""Runs one hand: the machine in a worker thread, the links on the event loop, effects in order.

Who is waited for, for how long and what follows is in `peer/patience.py`. A person may take the time of
a turn; just before it is up the own program moves, so that nobody has to be called absent who is there.

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

from p2pokey.audit.report import Outcome
from p2pokey.errors import LocalProtocolError, TableCancelled
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
)
from p2pokey.net.link import LinkState
from p2pokey.net.mesh import MessageReceived
from p2pokey.peer.counting import ProofTally
from p2pokey.peer.events import (
    HandGoesOn,
    HandPausedFor,
    HandResumed,
    MovedForIdle,
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
from p2pokey.peer.passing import ASK_BROKEN_S, Passing
from p2pokey.peer.patience import (
    Ask,
    Call,
    Due,
    GiveUp,
    Notice,
    Patience,
    Pause,
    StandIn,
)
from p2pokey.peer.players import Person, Player
from p2pokey.peer.saving import KeptHand
from p2pokey.peer.waits import WaitLimits, people
from p2pokey.peer.watching import NoWatch, Watch
from p2pokey.peer.worker import Clock, HandWorker, Turn
from p2pokey.rules.events import SeatOpened
from p2pokey.rules.move_text import format_move
from p2pokey.rules.rulesets import TableOptions
from p2pokey.rules.view import View
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
_CLOSING = (Phase.DISCLOSE, Phase.AUDIT, Phase.RESULT)
"""From here on nobody hears that a hand is given up (docs/protocol.md S4)."""

_Result = TypeVar("_Result")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a seat's own audit of the hand came to."""

    command: ConfirmResult | RejectResult | Abandon
    proofs: int
    """Proof objects that verified."""
    outcome: Outcome | None = None
    """How the hand ended, if the audit came to a score."""


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
    is_void: bool
    """Whether nobody is to blame and all know that there is no score: the hand is dealt again."""
    withheld: tuple[Seat, ...]
    """Seats that saw the others' coins and kept theirs (docs/protocol.md S4.2)."""
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
    patience: Patience
    kept: KeptHand | None
    """What an earlier run of the program has of this hand."""
    emit: Callable[[PeerEvent], None]
    clock: Clock = time.monotonic
    may_move: Callable[[], bool] = lambda: True
    """Whether the table lets this seat move now (a duel waits for the other seat)."""
    on_moves: Callable[[int], None] = lambda moves: None
    """Told how many moves have been made."""
    watch: Watch = field(default_factory=NoWatch)
    person: Person | None = None
    """Who moves here and may take time for it; None: the computer player, at once."""

    _commands: list[Command] = field(default_factory=list)
    _choosing: asyncio.Task[None] | None = None
    _idle_turn: int = -1
    """The turn that the computer player finishes for a person who was too slow."""
    _last: Turn | None = None
    _seen: View | None = None
    _shown_proofs: int = 0
    _finished: HandFinished | None = None
    _stopped: HandStopped | None = None
    _moves: int = 0
    _audited: int = 0
    _proofs: ProofTally = field(default_factory=ProofTally)
    _began: float = 0.0
    _is_dealt: bool = False
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
        self.watch.began(self.patience.turns)
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
            is_void=self._is_void(),
            withheld=self._withheld(),
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
            self._last = turn
            self.patience.needed = () if self.may_move() else self.inbox.postbox.gone
            if self.patience.look(turn, self.clock()):
                self.emit(HandGoesOn(hand=self.hand))
            if turn.is_busy or self._ready or self.inbox.postbox.pending:
                continue
            await self._wait(turn)
            if self._choosing is not None and self._choosing.done():
                self._choosing.result()

    async def _turn(self) -> Turn:
        messages = self.inbox.postbox.take()
        commands = self._ready
        held = [command for command in self._commands if command not in commands]
        self._commands = []
        unheard = self._unheard()
        turn = await self._in_thread(lambda: self.worker.turn(messages, commands, unheard))
        self._commands[:0] = [*turn.commands, *held]
        for effect in turn.effects:
            await self._carry_out(effect)
        if turn.disputed != self._disputed:
            self._disputed, self._shown_at = turn.disputed, None
        self._show(turn.view)
        return turn

    def _show(self, view: View | None) -> None:
        """Tells whoever looks on what is new."""
        if self._proofs.objects != self._shown_proofs:
            self._shown_proofs = self._proofs.objects
            self.watch.proved(self._proofs.counts())
        if view is not None and view != self._seen:
            self._seen = view
            self.watch.saw(view)

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

    @property
    def _ready(self) -> list[Command]:
        """Commands that can be carried out now."""
        if self.may_move():
            return list(self._commands)
        return [command for command in self._commands if not isinstance(command, Play)]

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
            case MoveApplied(seat=seat, move=move, events=events):
                self._moves += 1
                self.on_moves(self._moves)
                if any(isinstance(event, SeatOpened) for event in events):
                    self.patience.opened(seat)
                self.watch.moved(seat, move, events)
                self.emit(MoveMade(hand=self.hand, seat=seat, move=format_move(move)))
            case TurnReady():
                self._start_choosing()
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
                self._tell_pause(self.patience.pause((seat,), self.clock()))

    def _tell_pause(self, pause: Pause) -> None:
        self.emit(HandPausedFor(hand=self.hand, seats=pause.seats, seconds=pause.seconds))

    def _enter(self, phase: Phase) -> None:
        self._is_dealt = self._is_dealt or phase is Phase.DEAL
        stage = _STAGES.get(phase)
        if stage is not None:
            seconds = self.clock() - self._began
            self.emit(StagePassed(hand=self.hand, stage=stage, seconds=seconds))

    def _start_choosing(self) -> None:
        if self._choosing is not None:
            self._choosing.cancel()
        self._commands = [item for item in self._commands if not isinstance(item, Play)]
        self._choosing = asyncio.create_task(self._choose())
        self._choosing.add_done_callback(lambda _: self.inbox.wake())

    async def _choose(self) -> None:
        view = await self._in_thread(self.worker.view_to_move)
        if view is None:
            return  # the others have called this seat absent, or have played for it
        if self.person is None or self._idle_turn == view.state.turn_count:
            move = await self._in_thread(lambda: self.player.choose(view))
        else:
            move = await self.person.choose(view)
        self._commands.append(Play(move=move))

    @property
    def _is_person_on_turn(self) -> bool:
        """Whether a person here has not moved yet."""
        turn, task = self._last, self._choosing
        is_open = task is not None and not task.done()
        return (
            self.person is not None
            and turn is not None
            and is_open
            and (turn.mover == self.seat and turn.number != self._idle_turn)
        )

    def _stand_in(self) -> None:
        """The time is nearly up: the computer player finishes this turn."""
        assert self._last is not None
        self._idle_turn = self._last.number
        self.emit(MovedForIdle(hand=self.hand))
        self._start_choosing()

    async def _audit(self, transcript: bytes) -> None:
        verdict = await self._in_thread(lambda: self.auditor(transcript, self._stop))
        self._audited = verdict.proofs
        self.watch.audited(verdict.proofs, verdict.outcome)
        self._commands.append(AuditDone(transcript=transcript, verdict=verdict.command))

    # Waiting -------------------------------------------------------------------------------------

    async def _wait(self, turn: Turn) -> None:
        """Waits for news, for the machine's timer, or until something else is due."""
        now, is_person = self.clock(), self._is_person_on_turn
        marks = [self.patience.alarm(now, is_person=is_person), turn.next_timer]
        times = [mark for mark in marks if mark is not None]
        await self.inbox.wait(max(0.0, min(times) - now) if times else None)
        self.patience.wake(self.clock())
        if self.inbox.postbox.pending:
            return
        for due in self.patience.due(self.clock(), is_person=self._is_person_on_turn):
            self._do(due)

    def _do(self, due: Due) -> None:
        match due:
            case Ask(pause_s=pause):
                self.passing.ask_all(pause)
            case Notice(text=text):
                self.emit(StillWaiting(text=text))
            case Call(seats=seats):
                self._commands += [CallAbsent(seat=seat) for seat in seats]
            case Pause():
                self._tell_pause(due)
            case GiveUp(reason=reason):
                self.give_up(reason)
            case StandIn():
                self._stand_in()

    def void(self) -> None:
        """The player does not want to wait any longer for the seats that are missing.

        Raises:
            LocalProtocolError: the hand is not paused, or it can end without a score no more.
        """
        paused = self.patience.paused
        if not paused:
            raise LocalProtocolError("the hand is not paused")
        if self._is_bound():
            raise LocalProtocolError("the hand is played to its end and cannot be voided any more")
        self.give_up(self.patience.missing_text(paused[0]))

    def give_up(self, reason: str) -> None:
        """Ends the hand without a score, for all."""
        _log.warning("the hand is given up: %s", reason)
        self._own_reason = reason
        self._commands.append(Abandon(reason=reason))
        self.inbox.wake()

    def _is_bound(self) -> bool:
        """Whether others may come to a score of this hand although this seat does not."""
        if self._last is None or self._last.phase not in _CLOSING:
            return False
        return self.options.recovery or self.seat in self.worker.authors(Kind.RESULT)

    def _withheld(self) -> tuple[Seat, ...]:
        committed, opened = self.worker.authors(Kind.COMMIT), self.worker.authors(Kind.KEYS)
        if len(committed) < self.options.seats:
            return ()
        return tuple(sorted(committed - opened))

    def _is_void(self) -> bool:
        stopped = self._stopped
        if stopped is None or stopped.fault is not None or self._is_bound():
            return False
        return all(void.culprit >= self.options.seats for void in self.worker.voids.values())

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
            return self.patience.missing_text(self._stopped.missing)
        authors = [seat for seat in self.worker.voids if seat != self.seat]
        if authors and self.worker.voids[authors[0]].culprit < self.options.seats:
            return self._accusation_text(authors[0])
        links = self.inbox.postbox.links
        troubled = [seat for seat, link in links.items() if link.state is not LinkState.HERE]
        if troubled:
            return self.patience.missing_text(troubled[0])
        if not authors or not self.patience.last_wait:
            return self._stopped.reason
        waited = self.patience.last_wait
        return f"{people(authors[:1], self.names)} gave the hand up, waiting for {waited}"

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
