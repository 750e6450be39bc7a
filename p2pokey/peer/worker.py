"""One hand machine and its journal, driven in slices by one thread.

Nothing here awaits or sends: the asyncio side calls `turn` in its worker thread and sends what
comes back. Group arithmetic and fsync therefore never run on the event loop.
"""

import threading
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from p2pokey.errors import LocalProtocolError
from p2pokey.hand.effects import Abandon, Command, Effect, Persist, Phase, Play, Send, Waiting
from p2pokey.hand.machine import HandMachine
from p2pokey.hand.restoring import restore
from p2pokey.native.journal import Journal, Record, RecordKind
from p2pokey.net.mesh import MessageReceived
from p2pokey.peer.passing import Archive
from p2pokey.rules.engine import engine_for
from p2pokey.rules.view import View
from p2pokey.tiles import Seat
from p2pokey.transcript.envelope import decode_envelope
from p2pokey.transcript.messages import Kind, Void

SLICE_SECONDS = 0.02
"""Work between two looks at what has arrived; a shuffle from the seat before goes first."""

FEED = 32
"""Messages that a machine is given at once; it takes only so much ahead of its time."""

_CLOSING = (Phase.DISCLOSE, Phase.AUDIT, Phase.RESULT)
"""From here on nobody hears that a hand is given up (docs/protocol.md S4.8).

With recovery that may be so for the others already while this seat still waits for an END.
"""

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What a slice came to."""

    effects: tuple[Effect, ...]
    """In order, without Persist: all of that is on disk."""
    commands: tuple[Command, ...]
    """Commands that still wait."""
    is_busy: bool
    """Whether there is more work without new input."""
    is_proving: bool
    """Whether that is a proof or a message that takes long (`HandMachine.is_proving`)."""
    waiting: Waiting
    mover: Seat | None
    """Seat to move, from the deal on."""
    number: int
    """Turns that have ended."""
    next_timer: float | None
    phase: Phase
    step: int
    """Completed steps of the hand."""
    disputed: Seat | None = None
    """Whose message this seat cannot place (`HandMachine.disputed`)."""
    view: View | None = None
    """What this seat sees; None before the deal."""
    is_bound: bool = False
    """Whether others may come to a score of this hand although this seat does not."""


class HandWorker:
    """Carries out the verbs of one machine; all calls come from one thread at a time."""

    def __init__(
        self,
        machine: HandMachine,
        journal: Journal,
        *,
        archive: Archive,
        clock: Clock = time.monotonic,
    ) -> None:
        """Takes a machine whose seed is in the journal; `archive` gets all that is accepted."""
        self._archive = archive
        self._machine = machine
        self._journal = journal
        self._clock = clock
        self._signed: dict[Kind, set[Seat]] = {}
        self._owes_mended = False
        self.voids: dict[Seat, Void] = {}
        """What each seat has said of the end of the hand; only between two turns."""

    @property
    def machine(self) -> HandMachine:
        """The machine; only between two turns."""
        return self._machine

    def turn(
        self,
        messages: Sequence[MessageReceived],
        commands: Sequence[Command],
        unheard: Collection[Seat] = (),
    ) -> Turn:
        """Takes messages, works for one slice, and makes the effects last.

        Commands are carried out once the machine has nothing else to do, so that they act on all
        that it was given; otherwise they come back in `Turn.commands`. A stopped hand takes none.

        Args:
            messages: what has arrived, at most `FEED`.
            commands: of the player or the shell.
            unheard: seats that may not have what this seat has sent (`HandMachine.note_unheard`).

        Raises:
            RuleError, LocalProtocolError: a command that is not possible (`HandMachine.act`).
            OSError: the journal cannot be written; the hand must not go on.
        """
        machine, now = self._machine, self._clock()
        machine.note_unheard(unheard, now)
        for item in messages:
            machine.receive(item.data, item.seat, now)
        timer = machine.next_timer()
        if timer is not None and timer <= now:
            machine.timer(now)
        effects, is_busy = self._work(now + SLICE_SECONDS)
        if commands and not is_busy:
            for command in commands:
                if machine.phase is Phase.STOPPED:  # perhaps by the command before
                    break
                if isinstance(command, Play) and not machine.can_move:
                    continue  # an earlier run of this program has moved
                if isinstance(command, Abandon) and self._is_bound():
                    continue  # it has become too late for that
                machine.act(command, now)
            commands, is_busy = (), True
            effects += machine.poll()
        self._persist([effect.envelope for effect in effects if isinstance(effect, Persist)])
        self._settle()
        mover, number = self._mover()
        return Turn(
            effects=tuple(effect for effect in effects if not isinstance(effect, Persist)),
            commands=tuple(commands),
            is_busy=is_busy,
            is_proving=machine.is_proving,
            waiting=machine.waiting(),
            mover=mover,
            number=number,
            next_timer=machine.next_timer(),
            phase=machine.phase,
            step=machine.step,
            view=machine.view() if machine.is_dealt else None,
            disputed=machine.disputed,
            is_bound=self._is_bound(),
        )

    def note(self, envelopes: Sequence[bytes]) -> None:
        """Takes what is in the journal into the archive."""
        for data in envelopes:
            self._archive.add(data)
            self._note_author(data)

    def whole_hand(self, messages: Sequence[bytes]) -> frozenset[bytes]:
        """`HandMachine.whole_hand`; before the first turn."""
        return self._machine.whole_hand(messages)

    def restore(
        self,
        envelopes: Sequence[bytes],
        passed_on: Sequence[MessageReceived] | None,
        stop: threading.Event,
    ) -> tuple[Effect, ...]:
        """Brings the machine to where the journal ends, before the first `turn`.

        Args:
            envelopes: of the journal, in order.
            passed_on: what the others have of the same hand, where the journal has lost its end;
                None: it has not.
            stop: gives up as soon as it is set.

        Returns:
            The effects of all of it, without Persist and without what was sent before.

        Raises:
            LocalProtocolError: the journal does not lead to what it holds.
            OSError: the journal cannot be written.
        """

        def pause() -> None:
            if stop.is_set():
                raise LocalProtocolError("nobody waits for the hand any more")

        self._owes_mended = passed_on is not None
        pairs = [(item.seat, item.data) for item in passed_on or ()]
        now = self._clock()
        effects = restore(self._machine, envelopes, now, passed_on=pairs, pause=pause)
        self._persist([effect.envelope for effect in effects if isinstance(effect, Persist)])
        self._settle()
        return tuple(effect for effect in effects if not isinstance(effect, Persist))

    def authors(self, kind: Kind) -> frozenset[Seat]:
        """Seats of which a message of this kind has been accepted; only between two turns."""
        return frozenset(self._signed.get(kind, ()))

    def _is_bound(self) -> bool:
        """`Turn.is_bound`, now."""
        if self._machine.phase is Phase.END:
            return self._machine.setup.options.recovery
        if self._machine.phase not in _CLOSING:
            return False
        is_signed = self._machine.seat in self._signed.get(Kind.RESULT, ())
        return self._machine.setup.options.recovery or is_signed

    def view_to_move(self) -> View | None:
        """What this seat may know of the game, while it can move: its turn may have passed."""
        return self._machine.view() if self._machine.can_move else None

    def _persist(self, envelopes: list[bytes]) -> None:
        self._journal.append(Record(kind=RecordKind.ENVELOPE, payload=data) for data in envelopes)
        self.note(envelopes)

    def _settle(self) -> None:
        """What a journal has lost is in it again when the last own message has been repeated."""
        if self._owes_mended and not self._machine.is_catching_up:
            self._owes_mended = False
            self._journal.append((Record(kind=RecordKind.MENDED, payload=b""),))

    def _note_author(self, data: bytes) -> None:
        envelope = decode_envelope(data)
        self._signed.setdefault(envelope.kind, set()).add(envelope.seat)
        if isinstance(envelope.message, Void):
            self.voids.setdefault(envelope.seat, envelope.message)

    def _work(self, until: float) -> tuple[list[Effect], bool]:
        """Works until there is something to send, nothing to do, or the slice is over."""
        effects = list(self._machine.poll())
        is_busy = True
        while is_busy and self._clock() < until:
            is_busy, made = self._slice()
            effects += made
            if any(isinstance(effect, Send) for effect in made):
                break
        return effects, is_busy

    def _slice(self) -> tuple[bool, tuple[Effect, ...]]:
        """Whether there is more to do, and what one slice came to."""
        is_busy = self._machine.work(self._clock())
        return is_busy, self._machine.poll()

    def _mover(self) -> tuple[Seat | None, int]:
        """Seat to move, and turns that have ended."""
        if self._machine.phase is not Phase.PLAY:
            return None, 0
        state = self._machine.view().state
        return engine_for(state.rules).mover(state), state.turn_count
