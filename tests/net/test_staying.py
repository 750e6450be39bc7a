"""Players who stay together meet again in another order, through the real signalling server."""

import asyncio
import dataclasses
from contextlib import asynccontextmanager
from functools import partial

import pytest

from p2pokey.errors import (
    Banned,
    HostAway,
    KeyInUse,
    LinkNotAuthentic,
    LocalProtocolError,
    TableRefused,
    TimedOut,
    WrongCode,
)
from p2pokey.native.entropy import OsEntropy
from p2pokey.net import next_table
from p2pokey.net.admission import MAX_STRIKES
from p2pokey.net.invites import Invite, parse_invite
from p2pokey.net.memory import MemoryNetwork
from p2pokey.net.next_table import NextTable
from p2pokey.table.messages import decode_link, encode_link
from p2pokey.table.succession import Succession
from tests.net.support import (
    NAMES,
    TOOLKITS,
    Meeting,
    check_talk,
    run,
    signalling_server,
    take_message,
    until,
)
from tests.net.test_meeting import ends_with

CARRY = b"the score so far"


def make_meeting(server, **changes):
    return Meeting(server.url, connector=MemoryNetwork(OsEntropy()), **changes)


class Move:
    """The way from one table to the next, with the link as a message of the old mesh."""

    def __init__(self, server, meshes, order, *, room=None, **changes):
        self.meshes = meshes
        self.room = room or {}
        self.agreed = Succession(before=meshes[0].roster, order=order, carry=CARRY)
        self.changes = changes
        # For whoever takes the vacant seats, and for what everybody is told.
        self.meeting = make_meeting(server, seats=len(order))

    def way(self, old):
        """The player who sat on an old seat."""
        agreed = self.agreed
        if old == self.agreed.order[0]:
            agreed = dataclasses.replace(agreed, **self.changes)
        membership = self.meshes[old].membership
        key = membership.roster.seats[old].public_key
        return NextTable(
            agreed=agreed,
            membership=membership,
            signer=next(kit.signer for kit in TOOLKITS if kit.public_key == key),
            on_progress=self.meeting._note(membership.roster.seats[old].name),
            limits=self.meeting.limits,
            connector=self.meeting.connector,
        )

    def share(self, link):
        mesh = self.meshes[self.agreed.order[0]]
        for old in self.agreed.order[1:]:
            if old is not None:
                mesh.send(old, encode_link(mesh.session_id, link))

    async def next_link(self, old):
        sender, data = await take_message(self.meshes[old])
        assert sender == self.agreed.order[0]
        return decode_link(data)

    def start(self, *newcomers, password=""):
        """Everybody's way as a task, in the new order; `newcomers` take the vacant seats."""
        joining = iter(newcomers)
        first, *others = self.agreed.order
        work = [self.way(first).host(share=self.share, on_code=self.meeting._show, **self.room)]
        work += [
            self.meeting.join(next(joining), room_password=password)
            if old is None
            else self.way(old).follow(partial(self.next_link, old))
            for old in others
        ]
        return [asyncio.create_task(step) for step in work]


@asynccontextmanager
async def old_table(server, seats=4):
    """A table whose players sit in the order of their keys."""
    meeting = make_meeting(server, seats=seats)
    host = asyncio.create_task(meeting.host())
    guests = []
    for index in range(1, seats):
        guests.append(asyncio.create_task(meeting.join(index)))
        await until(lambda count=index: len(taken(meeting)) == count)
    meshes = await asyncio.gather(host, *guests)
    try:
        yield meshes
    finally:
        await asyncio.gather(*(mesh.close() for mesh in meshes))


def taken(meeting):
    steps = meeting.progress.get(NAMES[0], [])
    return [step for step in steps if step[0] == "friends-here"]


def test_a_password_is_asked_of_newcomers_and_of_nobody_who_stays():
    async def main():
        async with signalling_server() as server, old_table(server) as old:
            move = Move(server, old, (2, None, 0, 1), room={"room_password": "masa"})
            meshes = await asyncio.gather(*move.start(4, password="masa"))
            await check_talk(meshes)
            await asyncio.gather(*(mesh.close() for mesh in meshes))

    run(main())


def test_a_new_order_with_a_newcomer_is_a_new_session():
    async def main():
        async with signalling_server() as server, old_table(server) as old:
            move = Move(server, old, (2, None, 0, 1))  # seat 4 is out
            meshes = await asyncio.gather(*move.start(4))
            await check_talk(meshes)
            roster = meshes[0].roster

            assert [mesh.seat for mesh in meshes] == [0, 1, 2, 3]
            assert [seat.name for seat in roster.seats] == [NAMES[2], "Eve", NAMES[0], NAMES[1]]
            assert (roster.epoch, roster.carry) == (2, CARRY)
            assert {mesh.session_id for mesh in meshes} != {old[0].session_id}
            await asyncio.gather(*(mesh.close() for mesh in meshes))

    run(main())


def test_a_kicked_player_does_not_come_back_and_all_are_told():
    async def main():
        async with signalling_server() as server, old_table(server) as old:
            move = Move(server, old, (0, 1, 2, None))
            tasks = move.start(4)
            tasks.pop().cancel()  # the newcomer comes later
            await until(lambda: names_at(move, "friends-here").count(NAMES[2]) > 0)
            # Somebody has given the kicked one the new code.
            await ends_with(move.meeting.join(3), Banned, "sent away from this table")
            tasks.append(asyncio.create_task(move.meeting.join(4)))
            meshes = await asyncio.gather(*tasks)
            for name in (NAMES[0], NAMES[1], NAMES[2], "Eve"):
                told = [step for step in move.meeting.progress[name] if step[0] == "banned-knocked"]
                assert told == [("banned-knocked", 0, 0, NAMES[3])]
            await asyncio.gather(*(mesh.close() for mesh in meshes))

    run(main())


def names_at(move, phase, name=NAMES[0]):
    steps = move.meeting.progress.get(name, [])
    return [step[3] for step in steps if step[0] == phase]


def test_a_host_with_another_score_gets_nobody_to_its_table():
    async def main():
        async with signalling_server() as server, old_table(server) as old:
            move = Move(server, old, (0, 1, 2, 3), carry=b"a better one")
            host, *others = move.start()
            for task in others:
                await ends_with(task, TableRefused, "another score than the one that we have kept")
            await ends_with(host, TableRefused, "refuses this table: .* another score than")

    run(main())


def test_who_has_a_burnt_link_waits_for_the_next_one():
    async def main():
        async with signalling_server() as server, old_table(server, seats=2) as old:
            move = Move(server, old, (0, 1, None))
            links = asyncio.Queue()
            host = asyncio.create_task(
                move.way(0).host(share=links.put_nowait, on_code=move.meeting._show)
            )
            burnt = await links.get()
            wrong = Invite(room=parse_invite(burnt).room, words=("lale", "deniz", "kartal"))
            for _ in range(MAX_STRIKES):
                await ends_with(move.meeting.join(2, invite=wrong), WrongCode)
            await until(lambda: len(move.meeting.invites) == 2)
            given = []

            async def next_link():
                given.append(burnt if not given else await links.get())
                return given[-1]

            newcomer = move.meeting.join(4)
            meshes = await asyncio.gather(host, move.way(1).follow(next_link), newcomer)
            assert len(set(given)) == 2
            await asyncio.gather(*(mesh.close() for mesh in meshes))

    run(main())


class Links:
    """The links of the new rooms, as each of those who stay gets them."""

    def __init__(self, *seats):
        self.shared = []
        self.queues = {seat: asyncio.Queue() for seat in seats}

    def share(self, link):
        self.shared.append(link)
        for queue in self.queues.values():
            queue.put_nowait(link)


@asynccontextmanager
async def one_of_three_is_there():
    """A move whose host has opened the new room; the first of the two others has come."""
    async with signalling_server() as server, old_table(server, seats=3) as old:
        move, links = Move(server, old, (2, 0, 1)), Links(0, 1)
        host = asyncio.create_task(move.way(2).host(share=links.share))
        first = asyncio.create_task(move.way(0).follow(links.queues[0].get))
        await until(lambda: names_at(move, "friends-here", NAMES[2]) == [NAMES[0]])
        yield move, links, host, first


def test_from_a_room_whose_host_is_lost_the_others_go_to_its_next_one():
    async def main():
        async with one_of_three_is_there() as (move, links, host, first):
            host.cancel()
            await asyncio.wait([host])
            host = asyncio.create_task(move.way(2).host(share=links.share))
            await until(lambda: names_at(move, "friends-here", NAMES[2]) == [NAMES[0]] * 2)
            second = asyncio.create_task(move.way(1).follow(links.queues[1].get))
            meshes = await asyncio.gather(host, first, second)
            assert len(set(links.shared)) == 2
            await check_talk(meshes)
            await asyncio.gather(*(mesh.close() for mesh in meshes))

    run(main())


def test_who_is_lost_on_the_way_comes_in_by_the_same_link_again():
    async def main():
        async with one_of_three_is_there() as (move, links, host, first):
            first.cancel()
            await asyncio.wait([first])
            links.queues[0].put_nowait(links.shared[0])  # what the old table says again
            ways = [move.way(seat).follow(links.queues[seat].get) for seat in (0, 1)]
            meshes = await asyncio.gather(host, *ways)
            assert len(links.shared) == 1
            await asyncio.gather(*(mesh.close() for mesh in meshes))

    run(main())


def test_the_same_link_is_tried_again_when_the_server_is_behind(monkeypatch):
    """It has not noticed yet that somebody's connection is another one now."""

    async def main():
        async with signalling_server() as server, old_table(server, seats=2) as old:
            failures, mesh, tried = [HostAway("away"), KeyInUse("in use")], object(), []

            async def join(*, invite, **_):
                tried.append(invite)
                if failures:
                    raise failures.pop(0)
                return mesh

            monkeypatch.setattr(next_table, "join_table", join)
            monkeypatch.setattr(next_table, "_SOON_S", 0.01)
            links = asyncio.Queue()
            links.put_nowait("the link")
            assert await Move(server, old, (1, 0)).way(0).follow(links.get) is mesh
            assert tried == ["the link"] * 3

    run(main())


def test_where_the_new_table_may_stand_for_somebody_no_second_one_is_tried():
    async def main():
        async with signalling_server() as server, old_table(server, seats=2) as old:
            way = Move(server, old, (1, 0)).way(1)
            late = TimedOut("late")
            assert way._may_try_again(late)
            way._keep(way.membership)
            assert way._may_try_again(late)
            way.has_left = lambda seat: seat == 1  # that is us
            assert way._may_try_again(late)
            way.has_left = lambda seat: seat == 0
            assert not way._may_try_again(late)
            way._is_kept = False
            assert way._may_try_again(late)
            assert not way._may_try_again(LinkNotAuthentic("somebody else"))

    run(main())


def test_a_link_that_never_comes_is_told_with_the_name():
    async def main():
        async with signalling_server() as server, old_table(server, seats=2) as old:
            move = Move(server, old, (1, 0))
            way = move.way(0)
            way.limits = dataclasses.replace(way.limits, waiting_s=0.2)
            forever = asyncio.Event()
            await ends_with(way.follow(forever.wait), TimedOut, f"{NAMES[1]} did not open the new")

    run(main())


def test_everybody_has_one_way():
    async def main():
        async with signalling_server() as server, old_table(server, seats=3) as old:
            move = Move(server, old, (1, 0, None))
            assert [move.way(seat).is_host for seat in range(3)] == [False, True, False]
            with pytest.raises(LocalProtocolError):
                await move.way(0).host(share=print)
            for seat in (1, 2):  # the host itself, and who is out
                with pytest.raises(LocalProtocolError):
                    await move.way(seat).follow(asyncio.Event().wait)

    run(main())
