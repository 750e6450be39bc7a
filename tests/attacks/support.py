"""What the tests of attacks share: short hands in memory, played once, and what must come of them.

All hands here are on the cheap group unless a test says otherwise: what is attacked is who believes
what, and the group is attacked in `test_rows_01_07`.
"""

from dataclasses import dataclass
from functools import cache, lru_cache

from p2pokey.audit.auditor import audit_transcript
from p2pokey.audit.report import Report
from p2pokey.audit.stopped import VOIDED
from p2pokey.crypto.group import Group
from p2pokey.errors import LocalProtocolError
from p2pokey.hand.effects import Abandon, ConfirmResult, Phase, RejectResult
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.native.sealing import ChaChaSealer
from p2pokey.peer.auditing import command_of
from p2pokey.rules.move_codec import decode_move
from p2pokey.rules.moves import Move as GameMove
from p2pokey.transcript.envelope import Envelope
from p2pokey.transcript.file import decode_line
from p2pokey.transcript.messages import Kind, Move
from tests.sim.cheap_group import CheapBackend
from tests.sim.forge import lines_of
from tests.sim.table import SimPeer, SimTable, make_setup

CHEAP = Group(CheapBackend())

SHORT = ("attack 46", "attack 22", "attack 35", "attack 41")
"""Seeds of hands that somebody finishes within four to seven rounds of turns: tests stay quick."""

SEED = SHORT[0]


class AttackTable(SimTable):
    """A table whose seats audit as peers do: a seat that finds a fault rejects the result."""

    def score(self, transcript: bytes) -> tuple[tuple[int, ...], tuple[int, ...]]:
        command = verdict(self.group, transcript)
        if not isinstance(command, ConfirmResult):
            raise _Refused(command)
        return command.points, command.totals

    def work(self, peer: SimPeer) -> bool:
        """A cheat may leave its own program at a loss; it goes silent then, as a cheater would."""
        try:
            return super().work(peer)
        except LocalProtocolError:
            if not is_cheating(peer):
                raise
            peer.machine.work = lambda now: False
            return False

    def carry_out(self, peer: SimPeer) -> None:
        try:
            super().carry_out(peer)
        except _Refused as refused:
            peer.machine.act(refused.command, self.now)
            self.carry_out(peer)


def is_cheating(peer: SimPeer) -> bool:
    """Whether a test has put something in the place of the peer's honest `send`."""
    return "send" in vars(peer.machine._core)


class _Refused(Exception):
    def __init__(self, command: RejectResult | Abandon) -> None:
        super().__init__(str(command))
        self.command = command


def new_table(
    seed: str = SEED, *, hand: int = 0, chaos: bool = True, group: Group = CHEAP
) -> AttackTable:
    """Four seats, all table options on, before the first message."""
    return AttackTable(group, make_setup(seed, hand=hand), seed, chaos=chaos)


@lru_cache(maxsize=256)
def audit(data: bytes, *, group: Group = CHEAP, recompute: bool = False) -> Report:
    """The audit of a file."""
    return audit_transcript(
        data,
        group=group,
        verifier=Ed25519Verifier(),
        sealer=ChaChaSealer(),
        recompute=recompute,
    )


def verdict(group: Group, transcript: bytes) -> ConfirmResult | RejectResult | Abandon:
    """What a seat makes of its own audit."""
    return command_of(audit(transcript, group=group))


@cache
def played(seed: str = SEED) -> bytes:
    """The transcript of the honest hand with this seed."""
    table = new_table(seed)
    table.run()
    assert [peer.machine.phase for peer in table.peers] == [Phase.DONE] * 4
    return table.peers[0].machine.transcript()


@cache
def envelopes(seed: str = SEED) -> tuple[Envelope, ...]:
    """The messages of the honest hand in file order; the first stands on line 2."""
    return tuple(map(decode_line, lines_of(played(seed))[1:]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One move of the honest hand, as a cheat names it."""

    seat: int
    number: int
    """Moves of this seat before it."""
    move: GameMove
    message: Move


def turns(seed: str = SEED) -> list[Turn]:
    """All moves of the honest hand."""
    found: list[Turn] = []
    for envelope in envelopes(seed):
        if isinstance(envelope.message, Move):
            before = sum(turn.seat == envelope.seat for turn in found)
            move = decode_move(envelope.message.move)
            found.append(
                Turn(seat=envelope.seat, number=before, move=move, message=envelope.message)
            )
    return found


def line_of(kind: Kind, *, seat: int | None = None, seed: str = SEED) -> int:
    """1-based line of the first message of this kind, of this seat if one is given."""
    return next(
        at
        for at, envelope in enumerate(envelopes(seed), start=2)
        if envelope.kind is kind and seat in (None, envelope.seat)
    )


def honest(table: SimTable, culprit: int) -> list[SimPeer]:
    """All peers but one."""
    return [peer for peer in table.peers if peer.seat != culprit]


def named_by_audit(peer: SimPeer) -> set[int | None]:
    """The seats that the peer's own file proves to be at fault."""
    report = audit(peer.machine.transcript())
    return {finding.seat for finding in report.findings if finding.cause != VOIDED}


def assert_nobody_honest_is_blamed(table: SimTable, culprit: int) -> None:
    """Neither a machine nor a file says anything against another seat."""
    for peer in honest(table, culprit):
        fault = peer.machine.fault
        assert fault is None or fault.culprit == culprit, (peer.seat, fault)
        assert named_by_audit(peer) <= {culprit}, (peer.seat, named_by_audit(peer))


def assert_named_by_all(table: SimTable, culprit: int) -> None:
    """Every honest seat has stopped and names the culprit, and no file names anybody else."""
    for peer in honest(table, culprit):
        fault = peer.machine.fault
        assert peer.machine.phase is Phase.STOPPED, (peer.seat, peer.machine.waiting())
        assert peer.finished is None
        assert fault is not None, (peer.seat, peer.stopped)
        assert fault.culprit == culprit, (peer.seat, str(fault))
    assert_nobody_honest_is_blamed(table, culprit)
