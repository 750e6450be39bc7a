"""Seats that do not keep to the protocol at a simulated table (table_faults.Lie).

A cheat changes one message before it is signed; a fork signs a second version for one target; a mute
seat withholds everything of one kind, from one seat or all; garbage is bytes that nobody has signed.
At the table a fork and a mute seat do the same with its chain; `both` answers yes to some and no to
others, `sheet` signs a false score sheet, and a flood asks and wants to know all again and again.
"""

import asyncio
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from p2pokey.errors import DecodeError
from p2pokey.hand.machine import HandMachine
from p2pokey.peer.table import Table
from p2pokey.table.contents import Answer, Ask, Chat, Content, Next, QuickPhrase, Reply, What, Wish
from p2pokey.table.have import Have, encode_have
from p2pokey.table.messages import decode_message, is_table_message, seal_message
from p2pokey.tiles import Seat
from p2pokey.transcript.envelope import decode_envelope, seal_envelope
from p2pokey.transcript.messages import Kind
from tests.sim.cheats import change_core
from tests.sim.virtual_net import Crash

if TYPE_CHECKING:
    from tests.sim.table_faults import Lie
    from tests.sim.whole_table import Run, World

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
    if lie is None or liar is None or lie.kind in ("cheat", "sheet", "flood"):
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
            case "table mute":
                kind = 1 + lie.number % 5
                is_kept = is_table_message(data) and (lie.target % 2 == 0 or receiver == target)
                return [] if is_kept and decode_message(data).kind == kind else [data]
            case "table fork" | "both":
                return [_table_fork(data, liar, lie) if receiver == target else data]
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


def _table_fork(data: bytes, liar: int, lie: "Lie") -> bytes:
    """Another message of the liar's table chain for the same place."""
    from tests.sim.whole_table import SIGNERS

    if not is_table_message(data):
        return data
    said = decode_message(data)
    is_meant = isinstance(said.content, Answer) if lie.kind == "both" else True
    if said.seat != liar or said.seq < lie.number % 6 or not is_meant:
        return data
    return seal_message(
        SIGNERS[liar],
        session=said.session,
        seat=said.seat,
        seq=said.seq,
        previous=said.previous,
        content=_changed(said.content),
    ).encoded


def _changed(content: Content) -> Content:
    match content:
        case Answer(reply=reply):
            return replace(content, reply=Reply.NO if reply is Reply.YES else Reply.YES)
        case Ask(what=What.REMATCH, step=step):
            return replace(content, step=step + 1)
        case Ask(order=order):
            return replace(content, order=order[::-1] if order[-1] < len(order) else order)
        case Next(wish=wish):
            return replace(content, wish=Wish.STOP if wish is Wish.PLAY else Wish.PLAY)
        case QuickPhrase(code=code):
            return replace(content, code=code + 1)
        case Chat(text=text):
            return replace(content, text=text[:400] + "?")


def talk(world: "World", run: "Run", table: Table) -> None:
    """Lets the liar's table say something else than its player wants."""
    lie = world.plan.lie
    if lie is None:
        return
    desk = table.machine._desk
    if lie.kind == "sheet":
        really, count = desk.say, 0

        def say(content: Content, now: float) -> bool:
            nonlocal count
            if isinstance(content, Next) or (isinstance(content, Ask) and content.sheet):
                count += 1
                if count > lie.number % 3:
                    content = replace(content, sheet=bytes([lie.target % 256]) * 32)
            return really(content, now)

        desk.say = say  # type: ignore[method-assign]
    elif lie.kind == "flood":
        run.chat = world.loop.create_task(_flood(world, run, table))


async def _flood(world: "World", run: "Run", table: Table) -> None:
    """Asks all the time, and wants to have everything again and again."""
    course = table.machine._course
    with suppress(Crash):
        while not run.is_dead and world.nodes[run.seat].end is None:
            await asyncio.sleep(5 * world.dice.random())
            attempt, step = course.position
            if table.machine._desk.can_speak and not run.is_dead:
                ask = Ask(what=What.REMATCH, attempt=attempt, step=step)
                table.machine._desk.say(ask, world.loop.time())
                table.board.carry_out()
            nothing = (0,) * world.plan.seats
            for hand in (attempt, attempt + 1):
                have = Have(
                    session=world.session, hand=hand, asks=True, counts=nothing, table=nothing
                )
                table.links.broadcast(encode_have(have))
