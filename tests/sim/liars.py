"""Seats that do not keep to the protocol at a simulated table (table_faults.Lie).

A cheat changes one message before it is signed; a fork signs a second version for one target; a mute
seat withholds everything of one kind, from one seat or all; garbage is bytes that nobody has signed.
"""

from typing import TYPE_CHECKING, Any

from p2pokey.errors import DecodeError
from p2pokey.hand.machine import HandMachine
from p2pokey.tiles import Seat
from p2pokey.transcript.envelope import decode_envelope, seal_envelope
from p2pokey.transcript.messages import Kind
from tests.sim.cheats import change_core

if TYPE_CHECKING:
    from tests.sim.whole_table import World

_MUTABLE = [kind for kind in Kind if kind not in (Kind.COMPLAINT, Kind.VOID, Kind.RETURN)]


def _cases() -> list[Any]:
    from tests.hand.test_faults import CASES

    return CASES


def corrupt(world: "World", run: Any, machine: HandMachine) -> None:
    """Lets the liar's machine sign something wrong."""
    lie = world.plan.lie
    if lie is None or lie.kind != "cheat":
        return
    case = _cases()[lie.number % len(_cases())]
    change_core(machine._core, case.kind, case.change, number=case.number)


def prepare(world: "World") -> None:
    """Lets the liar's links say something else than its machine."""
    lie, liar = world.plan.lie, world.plan.liar
    if lie is None or liar is None or lie.kind == "cheat":
        return
    others = [seat for seat in range(world.plan.seats) if seat != liar]
    target = others[lie.target % len(others)]
    sent = 0

    def wire(source: Seat, receiver: Seat, data: bytes) -> list[bytes]:
        nonlocal sent
        if source != liar:
            return [data]
        sent += 1
        match lie.kind:
            case "mute":
                kind = _MUTABLE[lie.number % len(_MUTABLE)]
                is_kept = _kind(data) is kind and (lie.target % 2 == 0 or receiver == target)
                return [] if is_kept else [data]
            case "fork":
                return [_fork(world, data) if receiver == target else data]
            case _:
                is_now = sent == lie.number % 120 + 1
                return [data, bytes([lie.target % 3 * 64]) + data[1:-1]] if is_now else [data]

    world.net.wire = wire


def _kind(data: bytes) -> Kind | None:
    if data[0]:
        return None
    try:
        return decode_envelope(data).kind
    except DecodeError:
        return None


def _fork(world: "World", data: bytes) -> bytes:
    """Another message of the liar for the same place, for one kind of messages."""
    from tests.sim.whole_table import SIGNERS

    assert world.plan.lie is not None
    case = _cases()[world.plan.lie.number % len(_cases())]
    if _kind(data) is not case.kind:
        return data
    envelope = decode_envelope(data)
    if envelope.seat != world.plan.liar:
        return data
    core = world.nodes[envelope.seat].runs[-1].machines[-1]._core
    return seal_envelope(
        SIGNERS[envelope.seat],
        session=envelope.session,
        hand=envelope.hand,
        seat=envelope.seat,
        seq=envelope.seq,
        prev=envelope.prev,
        step=envelope.step,
        state=envelope.state,
        message=case.change(core, envelope.message),
    ).encoded
