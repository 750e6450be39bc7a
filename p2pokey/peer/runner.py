"""Runs one hand: the machine in a worker thread, the links on the event loop, effects in order.

Who is waited for, for how long and what follows is in `peer/patience.py`. A person may take the time of
a turn; just before it is up the own program moves, so that nobody has to be called absent who is there.

A hand that an earlier run of the program has begun is taken up where its journal ends.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from p2pokey.errors import ConnectError, LocalProtocolError, TableCancelled
from p2pokey.hand.effects import (
    Abandon,
    AuditDone,
    AuditDue,
    CallAbsent,
    Command,
    Effect,
    HandFinished,
    HandPaused,
    HandStopped,
    MoveApplied,
    Phase,
    PhaseEntered,
    Play,
    ProofAccepted,
    SeatAbsent,
    SeatReturned,
    Send,
    ShuffleVerified,
    TurnReady,
)
from p2pokey.net.mesh import MessageReceived
from p2pokey.peer.auditing import Auditor
from p2pokey.peer.counting import ProofTally
from p2pokey.peer.disputed import Disputed
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
from p2pokey.peer.hand_end import EndReport, HandEnd
from p2pokey.peer.inbox import Inbox
from p2pokey.peer.passing import ASK_BROKEN_S, Passing
from p2pokey.peer.patience import (
    Ask,
    Call,
    Due,
    GiveUp,
    Leave,
    Notice,
    Patience,
    Pause,
    StandIn,
)
from p2pokey.peer.players import Person, Player
from p2pokey.peer.saving import KeptHand
from p2pokey.peer.waits import WaitLimits, people
from p2pokey.peer.watching import NoWatch, Watch
from p2pokey.peer.worker import FEED, Clock, HandWorker, Turn
from p2pokey.rules.events import SeatOpened
from p2pokey.rules.move_text import format_move
from p2pokey.rules.rulesets import TableOptions
from p2pokey.rules.view import View
from p2pokey.tiles import Seat

if TYPE_CHECKING:
    from p2pokey.audit.report import Outcome

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

_Result = TypeVar("_Result")
_log = logging.getLogger(__name__)


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
    on_moves: Callable[[int, bool], None] = lambda moves, is_played: None
    """Told how many moves have been made, and whether that were all."""
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
    _moves: int = 0
    _audited: int = 0
    _outcome: "Outcome | None" = None
    _proofs: ProofTally = field(default_factory=ProofTally)
    _began: float = 0.0
    _stop: threading.Event = field(default_factory=threading.Event)
    _report: EndReport = field(init=False)
    _disputed: Disputed = field(init=False)

    def __post_init__(self) -> None:
        postbox = self.inbox.postbox
        self._report = EndReport(
            seat=self.seat,
            names=self.names,
            options=self.options,
            worker=self.worker,
            patience=self.patience,
            postbox=postbox,
        )
        self._disputed = Disputed(postbox, self.passing, self.clock)

    async def run(self) -> HandEnd:
        """Plays the hand to its end; the last messages are handed to the links, not yet flushed.

        Raises:
            OSError: the journal cannot be written.
            ConnectError: the links have failed as a whole, or the hand waits for longer than this
                program wants to and cannot be voided.
            TableCancelled: a damaged journal, and somebody who may have its end is not there.
        """
        self._began = self.clock()
        self.watch.began(self.patience.turns)
        try:
            if self.kept is not None:
                await self._take_up(self.kept)
            await self._play()
            if self._report.stopped is not None:
                await self._hear_the_others_out()
        finally:
            self._stop.set()
            if self._choosing is not None:
                self._choosing.cancel()
        return HandEnd(
            finished=self._finished,
            stopped=self._report.stopped,
            reason=self._report.reason(),
            is_void=self._report.is_void(),
            withheld=self._report.withheld(),
            moves=self._moves,
            proofs=self._proofs,
            audited=self._audited,
            ending="" if self._outcome is None else self._outcome.score.reason,
            seconds=self.clock() - self._began,
        )

    async def _take_up(self, kept: KeptHand) -> None:
        """Goes on where an earlier run has ended."""
        await self._in_thread(lambda: self.worker.note(kept.envelopes))
        passed_on = await self._catch_up(kept) if kept.has_lost else None
        effects = await self._in_thread(
            lambda: self.worker.restore(kept.envelopes, passed_on, self._stop)
        )
        seconds = self.clock() - self._began
        count = len(kept.envelopes)
        self.emit(HandResumed(hand=self.hand, messages=count, seconds=seconds))
        for effect in effects:
            await self._carry_out(effect)

    async def _catch_up(self, kept: KeptHand) -> list[MessageReceived]:
        """What the others have, own messages among it: the end of the journal is lost.

        Nothing is signed before all of them have said what they hold of this seat. A hand that has been
        counted waits for nobody: there is nothing left to sign, and some may rightly have gone.
        """
        began, is_noticed, got = self.clock(), False, list[MessageReceived]()
        is_new = True
        while missing := self._others() - self.passing.synced:
            self.passing.ask_all(ASK_BROKEN_S)
            self.passing.answer()
            if is_new and (whole := await self._in_thread(partial(self._whole_hand, kept, got))):
                return [item for item in got if item.data in whole]
            fresh = self.inbox.postbox.take()
            got += fresh
            is_new = bool(fresh)
            waited, who = self.clock() - began, people(sorted(missing), self.names)
            if waited >= self.limits.absent_s:
                raise TableCancelled(f"the journal has lost its end, and {who} may have it")
            if waited >= self.limits.notice_s and not is_noticed:
                is_noticed = True
                text = f"waiting for what {who} has of this hand"
                seats = tuple(sorted(missing))
                self.emit(StillWaiting(text=text, what="journal", seats=seats))
            await self.inbox.wait(ASK_BROKEN_S)
        return got + self.inbox.postbox.take()

    def _whole_hand(self, kept: KeptHand, got: Sequence[MessageReceived]) -> frozenset[bytes]:
        return self.worker.whole_hand([*kept.envelopes, *(item.data for item in got)])

    def _others(self) -> set[Seat]:
        return {Seat(seat) for seat in range(self.options.seats) if seat != self.seat}

    async def _play(self) -> None:
        while True:
            self.passing.answer()
            turn = await self._turn()
            if turn.phase in _OVER:
                return
            self._last = turn
            # Who gives the hand up before it has signed the final state ends it for everybody.
            self._report.is_bound = turn.is_bound and turn.phase is not Phase.END
            self.patience.needed = () if self.may_move() else self.inbox.postbox.gone
            if self.patience.look(turn, self.clock()):
                self.emit(HandGoesOn(hand=self.hand))
            # However much arrives: nobody's time is longer for it.
            if not turn.is_busy:
                self._see_to_what_is_due()
            if turn.is_busy or self._ready or self.inbox.postbox.pending:
                continue
            await self._wait(turn)
            if self._choosing is not None and self._choosing.done():
                self._choosing.result()

    async def _turn(self) -> Turn:
        messages = self.inbox.postbox.take(FEED)
        commands = self._ready
        held = [command for command in self._commands if command not in commands]
        self._commands = []
        unheard = self._disputed.unheard()
        turn = await self._in_thread(lambda: self.worker.turn(messages, commands, unheard))
        self._commands[:0] = [*turn.commands, *held]
        for effect in turn.effects:
            await self._carry_out(effect)
        self._disputed.note(turn.disputed)
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
                self.on_moves(self._moves, False)
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
                self._report.stopped = effect
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
        self._report.is_dealt = self._report.is_dealt or phase is Phase.DEAL
        if phase is Phase.END:
            self.on_moves(self._moves, True)
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
        self._audited, self._outcome = verdict.proofs, verdict.outcome
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

    def _see_to_what_is_due(self) -> None:
        for due in self.patience.due(self.clock(), is_person=self._is_person_on_turn):
            self._do(due)

    def _do(self, due: Due) -> None:
        match due:
            case Ask(pause_s=pause):
                self.passing.ask_all(pause)
            case Notice(text=text, what=what, seats=seats):
                self.emit(StillWaiting(text=text, what=what, seats=seats))
            case Call(seats=seats):
                self._commands += [CallAbsent(seat=seat) for seat in seats]
            case Pause():
                self._tell_pause(due)
            case GiveUp(reason=reason):
                self.give_up(reason)
            case StandIn():
                self._stand_in()
            case Leave(reason=reason):
                raise ConnectError(reason)

    def void(self) -> None:
        """The player does not want to wait any longer for the seats that are missing.

        Raises:
            LocalProtocolError: the hand is not paused, or it can end without a score no more.
        """
        paused = self.patience.paused
        if not paused:
            raise LocalProtocolError("the hand is not paused")
        self.give_up(self.patience.missing_text(paused[0]))

    def give_up(self, reason: str) -> None:
        """Ends the hand without a score, for all, unless it becomes too late before that.

        Raises:
            LocalProtocolError: others may come to a score although this seat does not.
        """
        if self._is_bound:
            raise LocalProtocolError("the hand is played to its end and cannot be voided any more")
        self._abandon(Abandon(reason=reason))

    @property
    def _is_bound(self) -> bool:
        return self._last is not None and self._last.is_bound

    def leave_out(self, reason: str) -> None:
        """The table has agreed to do without this hand, unless its end is signed here already."""
        self._abandon(Abandon(reason=reason, before_end=True))

    def _abandon(self, command: Abandon) -> None:
        _log.warning("the hand is given up: %s", command.reason)
        self._report.own_reason = command.reason
        self._commands.append(command)
        self.inbox.wake()

    async def _hear_the_others_out(self) -> None:
        """After a stop: lets the others agree, so that seeds are disclosed where a fault needs it."""
        until = self.clock() + self.limits.farewell_s
        while (now := self.clock()) < until:
            self.passing.answer()
            turn = await self._turn()
            if self._report.has_heard_all():
                return
            if not turn.is_busy and not self.inbox.postbox.pending:
                await self.inbox.wait(until - now)
