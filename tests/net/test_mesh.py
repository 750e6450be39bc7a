"""The mesh over transports in memory: order, resuming, silence, goodbyes and misbehaviour."""

import asyncio
import itertools
from contextlib import asynccontextmanager

import pytest

from p2pokey.errors import LocalProtocolError, PlayerLeft, TimedOut
from p2pokey.native.entropy import OsEntropy
from p2pokey.net.frames import Frame, FrameType, encode_frame, split_message
from p2pokey.net.limits import Limits
from p2pokey.net.link import LinkState
from p2pokey.net.memory import memory_pair
from p2pokey.net.mesh import LinkChanged, Mesh, MeshHooks, MessageReceived
from p2pokey.tiles import Seat
from tests.net.support import make_roster, run, wait_for_state

LIMITS = Limits(ready_s=3.0, goodbye_s=1.0)


class Table:
    """All meshes of one table and the transports between them."""

    def __init__(self, count):
        self.roster = make_roster(max(count, 2))
        self.wanted = []
        self.meshes = [
            Mesh(
                seat=Seat(seat),
                roster=self.roster,
                session_id=bytes(32),
                limits=LIMITS,
                hooks=MeshHooks(want=lambda other, seat=seat: self.wanted.append((seat, other))),
            )
            for seat in range(count)
        ]
        self.transports = {}
        self.runs = [bytes([seat]) * 16 for seat in range(count)]

    def link(self, left, right):
        pair = memory_pair(OsEntropy())
        self.transports[left, right] = pair
        self.meshes[left].attach(Seat(right), pair[0], self.runs[right])
        self.meshes[right].attach(Seat(left), pair[1], self.runs[left])

    async def start_again(self, seat):
        """Another run of a seat's program, which knows nothing of its links."""
        old, self.runs[seat] = self.meshes[seat], bytes([seat + 100]) * 16
        self.meshes[seat] = Mesh(
            seat=Seat(seat),
            roster=self.roster,
            session_id=bytes(32),
            limits=LIMITS,
            is_resumed=True,
        )
        return old

    def link_all(self):
        for left, right in itertools.combinations(range(len(self.meshes)), 2):
            self.link(left, right)


@asynccontextmanager
async def table(count=2, *, is_ready=True):
    made = Table(count)
    try:
        made.link_all()
        if is_ready:
            await asyncio.gather(*(mesh.get_ready() for mesh in made.meshes))
        yield made
    finally:
        await asyncio.gather(*(mesh.close() for mesh in made.meshes))


async def take(mesh, count, limit=10.0):
    """That many messages."""
    messages = []
    while len(messages) < count:
        event = await mesh.next_event(limit)
        assert event is not None
        if isinstance(event, MessageReceived):
            messages.append((event.seat, event.data))
    return messages


def test_messages_reach_the_seats_meant():
    async def main():
        async with table(4) as made:
            first, *others = made.meshes
            assert first.others == (1, 2, 3)
            first.broadcast(b"all")
            first.send(Seat(2), bytes(100_000))
            for mesh in others:
                assert await take(mesh, 1) == [(0, b"all")]
            assert await take(made.meshes[2], 1) == [(0, bytes(100_000))]
            assert await first.flush()
            assert await made.meshes[1].next_event(0.01) is None
            assert first.transport_kind(Seat(1)) == "memory"

    run(main())


def test_sending_to_ourselves_is_a_mistake():
    async def main():
        async with table(2) as made:
            with pytest.raises(LocalProtocolError):
                made.meshes[0].send(Seat(0), b"x")
            with pytest.raises(LocalProtocolError):
                made.meshes[0].send(Seat(1), bytes(2**20 + 1))

    run(main())


def test_a_new_transport_continues_where_the_old_one_stopped():
    async def main():
        async with table(2) as made:
            left, right = made.meshes
            for number in range(10):
                left.send(Seat(1), bytes([number]) * 40_000)
            made.transports[0, 1][0].cut()
            left.send(Seat(1), b"while away")
            await asyncio.sleep(0.01)
            assert not await left.flush(0.05)
            assert sorted(made.wanted) == [(0, 1), (1, 0)]
            assert left.transport_kind(Seat(1)) == ""
            made.link(0, 1)
            expected = [bytes([number]) * 40_000 for number in range(10)]
            assert await take(right, 11) == [(0, m) for m in [*expected, b"while away"]]
            assert await left.flush()
            assert await right.next_event(0.01) is None

    run(main())


def test_a_replaced_transport_is_closed_and_its_late_frames_are_ignored():
    async def main():
        async with table(2) as made:
            left, right = made.meshes
            old = made.transports[0, 1]
            made.link(0, 1)
            old[0].send(b"late garbage")
            left.send(Seat(1), b"x")
            assert await take(right, 1) == [(0, b"x")]
            assert right.state(Seat(0)) is LinkState.HERE
            with pytest.raises(Exception, match="lost"):
                await old[0].receive()

    run(main())


@pytest.mark.usefixtures("quick_links")
def test_a_silent_seat_is_unstable_then_away_and_may_come_back():
    async def main():
        async with table(2) as made:
            left, _right = made.meshes
            made.transports[0, 1][0].join(None)
            made.transports[0, 1][1].join(None)
            await wait_for_state(left, LinkState.UNSTABLE)
            assert made.wanted == []
            await wait_for_state(left, LinkState.AWAY)
            assert (0, 1) in made.wanted
            left.send(Seat(1), b"for later")
            made.link(0, 1)
            await wait_for_state(left, LinkState.HERE)
            assert await take(made.meshes[1], 1) == [(0, b"for later")]

    run(main())


@pytest.mark.usefixtures("quick_links")
def test_pings_keep_a_quiet_table_alive():
    async def main():
        async with table(3) as made:
            assert await made.meshes[0].next_event(1.5) is None

    run(main())


def test_a_goodbye_delivers_everything_before_it():
    async def main():
        async with table(2) as made:
            left, right = made.meshes
            left.send(Seat(1), bytes(200_000))
            await left.close()
            assert await take(right, 1) == [(0, bytes(200_000))]
            assert await right.next_event(1.0) == LinkChanged(seat=Seat(0), state=LinkState.LEFT)
            right.send(Seat(0), b"dropped")
            assert await right.flush(0.1)
            await left.close()

    run(main())


def test_everybody_may_leave_at_once():
    async def main():
        async with table(4) as made:
            loop = asyncio.get_running_loop()
            before = loop.time()
            await asyncio.gather(*(mesh.close() for mesh in made.meshes))
            assert loop.time() - before < LIMITS.goodbye_s

    run(main())


def test_a_silent_seat_does_not_hold_up_a_goodbye_for_long():
    async def main():
        async with table(2) as made:
            made.transports[0, 1][0].join(None)
            await made.meshes[0].close()

    run(main(), limit=3.0)


@pytest.mark.parametrize(
    "frame", [b"", b"garbage", encode_frame(Frame(type=FrameType.ACK, sequence=9))]
)
def test_garbage_ends_one_link_with_a_reason(frame):
    async def main():
        async with table(3) as made:
            made.transports[0, 1][0].send(frame)
            event = await made.meshes[1].next_event(1.0)
            assert (event.seat, event.state) == (0, LinkState.LEFT)
            assert event.reason.startswith("expected")
            made.meshes[2].broadcast(b"still here")
            assert await take(made.meshes[1], 1) == [(2, b"still here")]
            assert (1, 0) not in made.wanted

    run(main())


def test_a_flood_ends_one_link_with_a_reason():
    async def main():
        async with table(3) as made:
            flood, answers = made.transports[0, 1]
            answers.join(None)  # our honest link would wonder at acknowledgements
            for sequence in range(2, 40):
                for frame in split_message(sequence, bytes(2**20)):
                    flood.send(frame)
                await asyncio.sleep(0.002)
            event = await wait_for_state(made.meshes[1], LinkState.LEFT)
            assert event.seat == 0
            assert "more than" in event.reason

    run(main())


def test_a_table_does_not_stand_before_everybody_is_linked():
    async def main():
        async with table(3, is_ready=False) as made:
            ready = [asyncio.create_task(made.meshes[seat].get_ready()) for seat in (0, 1)]
            await asyncio.sleep(0.05)
            assert not any(task.done() for task in ready)
            await made.meshes[2].get_ready()
            await asyncio.gather(*ready)

    run(main())


def test_somebody_who_leaves_before_is_named():
    async def main():
        async with table(3, is_ready=False) as made:
            ready = asyncio.create_task(made.meshes[0].get_ready())
            await made.meshes[2].close()
            with pytest.raises(PlayerLeft, match="Can left before the table stood"):
                await ready

    run(main())


def test_somebody_who_gets_no_links_is_named():
    async def main():
        async with table(3, is_ready=False) as made:
            made.meshes[0].limits = Limits(ready_s=0.2)
            made.meshes[1].broadcast(b"p2pokey ready")
            await asyncio.sleep(0.05)
            with pytest.raises(TimedOut, match="Can could not reach everybody"):
                await made.meshes[0].get_ready()

    run(main())


def test_game_bytes_before_the_table_stands_end_the_link():
    async def main():
        async with table(2, is_ready=False) as made:
            made.meshes[1].send(Seat(0), b"too early")
            with pytest.raises(PlayerLeft, match="everybody is linked"):
                await made.meshes[0].get_ready()

    run(main())


def test_what_the_mesh_owns_is_closed_with_it():
    async def main():
        closed = []
        async with table(2) as made:

            async def note():
                closed.append(True)

            made.meshes[0].owned.push_async_callback(note)
        assert closed == [True]

    run(main())


# A program that is started again -------------------------------------------------------------------


def test_another_run_begins_its_links_anew():
    async def main():
        async with table(3) as made:
            made.meshes[0].broadcast(b"before")
            assert await take(made.meshes[1], 1) == [(0, b"before")]
            old = await made.start_again(0)
            made.meshes[1].send(Seat(0), b"to the dead")
            made.link(0, 1)
            made.link(0, 2)
            assert await wait_for_state(made.meshes[1], LinkState.AWAY)
            assert await wait_for_state(made.meshes[1], LinkState.HERE)
            made.meshes[1].send(Seat(0), b"welcome")
            made.meshes[0].broadcast(b"again")

            assert await take(made.meshes[1], 1) == [(0, b"again")]
            assert await take(made.meshes[2], 2) == [(0, b"before"), (0, b"again")]
            assert await take(made.meshes[0], 1) == [(1, b"welcome")]
            assert await made.meshes[0].flush()
            assert await made.meshes[1].flush()
            await old.close()

    run(main())


def test_who_said_goodbye_can_come_back_as_another_run_only():
    async def main():
        async with table(2) as made:
            first, second = made.meshes
            await first.close()
            await wait_for_state(second, LinkState.LEFT)
            spare = memory_pair(OsEntropy())
            second.attach(Seat(0), spare[1], made.runs[0])
            assert second.state(Seat(0)) is LinkState.LEFT
            await made.start_again(0)
            made.link(0, 1)
            made.meshes[0].send(Seat(1), b"back")

            assert await take(second, 1) == [(0, b"back")]
            assert second.state(Seat(0)) is LinkState.HERE

    run(main())


def test_two_runs_that_are_both_new_find_each_other():
    async def main():
        async with table(2) as made:
            old = [await made.start_again(0), await made.start_again(1)]
            assert made.meshes[0].state(Seat(1)) is LinkState.AWAY
            made.link(0, 1)
            made.meshes[0].send(Seat(1), b"here")

            assert await take(made.meshes[1], 1) == [(0, b"here")]
            await asyncio.gather(*(mesh.close() for mesh in old))

    run(main())
