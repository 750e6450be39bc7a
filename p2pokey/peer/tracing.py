"""Timed spans of one seat: what it did, and whom it waited for (docs/performance.md, Trace file).

Only for looking at a table from outside: a table without a `Tracer` runs none of this.
"""

import json
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from p2pokey.errors import DecodeError
from p2pokey.hand.effects import Command, Effect, Phase, PhaseEntered, ProofAccepted, Send
from p2pokey.hand.machine import HandMachine
from p2pokey.native.journal import Journal
from p2pokey.net.mesh import MessageReceived
from p2pokey.peer.passing import Archive
from p2pokey.peer.runner import HandRunner
from p2pokey.peer.worker import Clock, HandWorker, Turn
from p2pokey.ports import GroupBackend
from p2pokey.tiles import Seat
from p2pokey.transcript.envelope import decode_envelope
from p2pokey.transcript.messages import Move, Tokens

Record = dict[str, Any]

_JOIN_SECONDS = 0.0005
"""Slices of one kind that follow each other this closely are one span."""
_BY_PHASE = {
    Phase.COMMIT: "keys",
    Phase.KEYS: "keys",
    Phase.DEAL: "tokens",
    Phase.INDICATOR: "tokens",
}
_BY_PROOF = {
    "possession": "keys",
    "share": "keys",
    "token": "tokens",
    "reveal": "tokens",
    "remask": "check re-mask",
}


@dataclass(slots=True)
class Products:
    """Products of scalars and points since the last look."""

    secret: int = 0
    public: int = 0
    """Terms of sums of public values: only checks have many of them."""


class WatchedBackend:
    """A group backend that counts what it is asked for; implements `ports.GroupBackend`."""

    def __init__(self, backend: GroupBackend, products: Products) -> None:
        self._backend = backend
        self._products = products
        self.name = backend.name
        self.add = backend.add
        self.sub = backend.sub
        self.hash_to_group = backend.hash_to_group
        self.is_valid = backend.is_valid

    def mul(self, scalars: Sequence[int], points: bytes) -> bytes:
        """scalar_i * point_i."""
        self._products.secret += len(scalars)
        return self._backend.mul(scalars, points)

    def mul_one_scalar(self, scalar: int, points: bytes) -> bytes:
        """scalar * point_i."""
        self._products.secret += len(points) // 32
        return self._backend.mul_one_scalar(scalar, points)

    def base_mul(self, scalars: Sequence[int]) -> bytes:
        """scalar_i * G."""
        self._products.secret += len(scalars)
        return self._backend.base_mul(scalars)

    def msm(self, scalars: Sequence[int], points: bytes) -> bytes:
        """sum of scalar_i * point_i of secret scalars."""
        self._products.secret += len(scalars)
        return self._backend.msm(scalars, points)

    def msm_vartime(self, scalars: Sequence[int], points: bytes) -> bytes:
        """sum of scalar_i * point_i of public values."""
        self._products.public += len(scalars)
        return self._backend.msm_vartime(scalars, points)


@dataclass(slots=True, kw_only=True)
class Tracer:
    """Collects the records of one seat; appended to by the event loop and the worker thread."""

    clock: Clock = time.monotonic
    """The same for all programs of one computer."""
    seat: Seat | None = None
    """Set once it is known."""
    hand: int = 0
    """Attempt that the records belong to."""
    records: list[Record] = field(default_factory=list)
    products: Products = field(default_factory=Products)

    def watch(self, backend: GroupBackend) -> GroupBackend:
        """The same backend, its products counted."""
        return WatchedBackend(backend, self.products)

    def moment(self, what: str, **fields: Any) -> None:
        """Something that has just happened."""
        self._add(what, self.clock(), fields)

    def span(self, what: str, start: float, **fields: Any) -> Record:
        """Something that began at `start` and has just ended."""
        return self._add(what, start, {"seconds": self.clock() - start, **fields})

    def save(self, path: Path) -> None:
        """Writes everything so far, one JSON object a line; raises OSError."""
        lines = [json.dumps(record, separators=(",", ":")) + "\n" for record in self.records]
        path.write_text("".join(lines), encoding="ascii")

    def _add(self, what: str, at: float, fields: Record) -> Record:
        record = {"at": at, "seat": self.seat, "hand": self.hand, "what": what, **fields}
        self.records.append(record)
        return record


class TracedWorker(HandWorker):
    """A worker that notes what its slices are about."""

    def __init__(
        self,
        machine: HandMachine,
        journal: Journal,
        *,
        archive: Archive,
        clock: Clock,
        trace: Tracer,
    ) -> None:
        """Args: trace: where to note it; others as in `HandWorker`."""
        super().__init__(machine, journal, archive=archive, clock=clock)
        self.trace = trace
        self._newest: Record | None = None
        # Start of slices whose kind the next ones will tell.
        self._unsettled: float | None = None

    def turn(
        self,
        messages: Sequence[MessageReceived],
        commands: Sequence[Command],
        unheard: Collection[Seat] = (),
    ) -> Turn:
        """Notes what the machine is given."""
        for item in messages:
            label = message_label(item.data, item.seat)
            if label is not None:
                self.trace.moment("received", sender=item.seat, **label)
        return super().turn(messages, commands, unheard)

    def _slice(self) -> tuple[bool, tuple[Effect, ...]]:
        phase, start = self._machine.phase, self.trace.clock()
        products = self.trace.products
        products.secret = products.public = 0
        is_busy, made = super()._slice()
        kind = kind_of(phase, products, made)
        if kind is None and not is_busy:
            kind = "other"
        begun = start if self._unsettled is None else self._unsettled
        self._unsettled = begun if kind is None else None
        if kind is not None:
            self._note(kind, phase, begun)
        return is_busy, made

    def _note(self, kind: str, phase: Phase, start: float) -> None:
        newest = self._newest
        if newest is not None and newest["kind"] == kind:
            end = newest["at"] + newest["seconds"]
            if start - end < _JOIN_SECONDS:
                newest["seconds"] = self.trace.clock() - newest["at"]
                return
        self._newest = self.trace.span("work", start, kind=kind, phase=phase.label)

    def _persist(self, envelopes: list[bytes]) -> None:
        start = self.trace.clock()
        super()._persist(envelopes)
        if envelopes:
            self.trace.span("journal", start, bytes=sum(map(len, envelopes)))


@dataclass(kw_only=True)
class TracedRunner(HandRunner):
    """A runner that notes waits, messages, phases and the audit."""

    trace: Tracer

    async def _wait(self, turn: Turn) -> None:
        start = self.trace.clock()
        await super()._wait(turn)
        phase, awaited = turn.waiting.phase.label, list(self.patience.awaited)
        self.trace.span("wait", start, phase=phase, seats=awaited)

    async def _carry_out(self, effect: Effect) -> None:
        await super()._carry_out(effect)
        match effect:
            case Send(envelope=envelope):
                label = message_label(envelope, self.seat)
                if label is not None:
                    count = len(envelope) * (self.options.seats - 1)
                    self.trace.moment("sent", bytes=count, **label)
            case PhaseEntered(phase=phase):
                self.trace.moment("phase", phase=phase.label)

    async def _choose(self) -> None:
        start = self.trace.clock()
        await super()._choose()
        self.trace.span("work", start, kind="choose", phase=Phase.PLAY.label)

    async def _audit(self, transcript: bytes) -> None:
        start = self.trace.clock()
        await super()._audit(transcript)
        self.trace.span("audit", start)


def message_label(data: bytes, author: Seat) -> Record | None:
    """Kind and sequence number of a message by this author; None for what it only passes on."""
    try:
        envelope = decode_envelope(data)
    except DecodeError:
        return None
    if envelope.seat != author:
        return None
    return {"kind": envelope.kind.label, "seq": envelope.seq}


def kind_of(phase: Phase, products: Products, made: Sequence[Effect]) -> str | None:
    """What a slice was about; None if only the slices after it can tell.

    Only in the phase of the shuffles do two lanes of work mix, and there proofs multiply secrets
    and checks add up public values. Elsewhere a piece of work ends with what it has come to.
    """
    if phase in _BY_PHASE:
        return _BY_PHASE[phase]
    if phase is Phase.SHUFFLE and (products.secret > 1 or products.public):
        return "prove" if products.secret > products.public else "verify"
    kinds = {_kind_of_effect(effect) for effect in made}
    for kind in ("re-mask", "check re-mask", "tokens", "keys", "other"):
        if kind in kinds:
            return kind
    return None


def _kind_of_effect(effect: Effect) -> str | None:
    match effect:
        case ProofAccepted(kind=kind):
            return _BY_PROOF.get(kind)
        case Send(envelope=data):
            message = decode_envelope(data).message
            if isinstance(message, Move):
                return "tokens" if message.remask is None else "re-mask"
            return "tokens" if isinstance(message, Tokens) else "other"
        case PhaseEntered():
            return "other"
        case _:
            return None
