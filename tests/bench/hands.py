"""A whole hand of four seats in memory, and audits of its transcript."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from p2pokey.audit import course
from p2pokey.audit.auditor import audit_transcript
from p2pokey.audit.report import Report, Status
from p2pokey.crypto.drbg import Drbg
from p2pokey.crypto.group import Group
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.native.sealing import ChaChaSealer
from p2pokey.rules import classic
from p2pokey.rules.moves import Discard, DrawLeft, DrawStack, Move
from p2pokey.rules.view import View
from p2pokey.transcript.envelope import Envelope
from p2pokey.transcript.file import decode_line
from p2pokey.transcript.messages import Move as MoveMessage
from tests.bench.counts import Counts, proofs_in
from tests.bench.floors import Plan, Step, Timed, measure, seconds_of
from tests.bench.inputs import Inputs
from tests.sim.table import SimTable, make_setup

SEED = 0
HAND = "whole hand, 4 seats"
VERIFIED, ONE_BY_ONE = "audit, verified", "audit, proofs one by one"
RECOMPUTED = "audit, recomputed"


@dataclass(frozen=True, slots=True)
class Played:
    """A finished hand."""

    transcript: bytes
    turns: int
    proofs: Counts
    """Verifying all its proofs, one by one."""


def hands(inputs: Inputs, runs: int, seed: int = SEED) -> Iterator[Step]:
    """A hand played once, each seat's audit included; then audited several times."""
    group = inputs.group
    table = SimTable(
        group,
        make_setup(seed),
        seed,
        chaos=False,
        audit=lambda data: _own_audit(group, data),
        player=patient,
    )
    seconds = seconds_of(table.run)
    played = _played(table)
    yield Step(name=HAND, count=played.turns, ms=seconds * 1000, ratio=None)
    plans = [
        Plan(name=name, count=played.turns, floor=played.proofs)
        for name in (VERIFIED, ONE_BY_ONE, RECOMPUTED)
    ]
    yield from measure(inputs, plans, lambda _: _audits(group, played.transcript), runs)


def patient(view: View, source: Drbg) -> Move:
    """A player with whom a hand has 60 turns: takes every fifth discard, and never finishes."""
    state = view.state
    moves = classic.legal(view)
    if DrawLeft() in moves and (state.turn_count % 5 == 4 or not state.stack):
        return DrawLeft()
    if DrawStack() in moves:
        return DrawStack()
    discards = [move for move in moves if isinstance(move, Discard)]
    return discards[source.below(len(discards))]


def _played(table: SimTable) -> Played:
    finished = table.peers[0].finished
    assert finished is not None
    envelopes = envelopes_of(finished.transcript)
    moves = sum(isinstance(envelope.message, MoveMessage) for envelope in envelopes)
    # A turn is a draw and a discard; the starter's first is a discard alone.
    return Played(finished.transcript, (moves + 1) // 2, proofs_in(envelopes))


def envelopes_of(transcript: bytes) -> list[Envelope]:
    """What a transcript holds after its header."""
    return [decode_line(line) for line in transcript.splitlines()[1:]]


def _audits(group: Group, transcript: bytes) -> Timed:
    yield VERIFIED, seconds_of(lambda: _sound(group, transcript))
    yield RECOMPUTED, seconds_of(lambda: _sound(group, transcript, recompute=True))
    with single_proofs():
        yield ONE_BY_ONE, seconds_of(lambda: _sound(group, transcript))


@contextmanager
def single_proofs() -> Iterator[None]:
    """Lets the audit verify every shuffle and re-mask in a sum of its own."""
    course.BATCH_TILES, before = 1, course.BATCH_TILES
    try:
        yield
    finally:
        course.BATCH_TILES = before


def _audit(group: Group, transcript: bytes, *, recompute: bool = False) -> Report:
    return audit_transcript(
        transcript,
        group=group,
        verifier=Ed25519Verifier(),
        sealer=ChaChaSealer(),
        recompute=recompute,
    )


def _sound(group: Group, transcript: bytes, *, recompute: bool = False) -> None:
    report = _audit(group, transcript, recompute=recompute)
    assert report.status is Status.SOUND, report.findings


def _own_audit(group: Group, transcript: bytes) -> tuple[tuple[int, ...], tuple[int, ...]]:
    report = _audit(group, transcript)
    assert report.points is not None
    assert report.totals is not None
    return report.points, report.totals
