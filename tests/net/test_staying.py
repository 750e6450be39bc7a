"""Players who stay together meet again in another order, through the real signalling server."""

import asyncio

from p2pokey.errors import Banned, TableRefused
from p2pokey.native.entropy import OsEntropy
from p2pokey.net.inviting import decode_invitation, encode_invitation
from p2pokey.net.memory import MemoryNetwork
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


def agree(mesh, order, **changes):
    return Succession(before=mesh.roster, order=order, carry=CARRY, **changes)


class Move:
    """The way from one table to the next: the new host calls, the others follow its link."""

    def __init__(self, server, meshes, order, **changes):
        self.meshes = meshes
        self.meeting = make_meeting(server, seats=len(order))
        self.agreed = agree(meshes[0], order)
        self.changes = changes

    async def host(self):
        """As the player of the first seat of the new order."""
        old = self.agreed.order[0]
        settings = {
            "carry": self.agreed.carry,
            "epoch": self.agreed.epoch,
            "reserved": self.agreed.reserved,
            "banned": self.agreed.banned,
        }
        who = {"signer": TOOLKITS[old].signer, "name": NAMES[old]}
        return await self.meeting.host(**{**who, **settings, **self.changes})

    async def call(self):
        """Sends the link to everybody who stays."""
        await self.meeting.shown.wait()
        mesh, server = self.meshes[self.agreed.order[0]], self.meeting.server
        data = encode_invitation(mesh.session_id, self.meeting.invites[-1], server)
        for old in self.agreed.order[1:]:
            if old is not None:
                mesh.send(old, data)

    async def follow(self, old):
        """As another player who stays."""
        sender, data = await take_message(self.meshes[old])
        assert sender == self.agreed.order[0]
        invite = decode_invitation(data, self.meshes[old].session_id)
        return await self.meeting.join(
            old, invite=invite, server=None, check_roster=self.agreed.check
        )

    def start(self, *newcomers):
        """Everybody's way as a task, in the new order; `newcomers` take the vacant seats."""
        joining = iter(newcomers)
        others = (
            self.meeting.join(next(joining)) if old is None else self.follow(old)
            for old in self.agreed.order[1:]
        )
        return [asyncio.create_task(step) for step in (self.host(), *others, self.call())][:-1]


def test_a_new_order_with_a_newcomer_is_a_new_session():
    async def main():
        async with signalling_server() as server, make_meeting(server).meshes() as old:
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
        async with signalling_server() as server, make_meeting(server).meshes() as old:
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


def names_at(move, phase):
    steps = move.meeting.progress.get(NAMES[0], [])
    return [step[3] for step in steps if step[0] == phase]


def test_a_host_with_another_score_gets_nobody_to_its_table():
    async def main():
        async with signalling_server() as server, make_meeting(server).meshes() as old:
            move = Move(server, old, (0, 1, 2, 3), carry=b"a better one")
            host, *others = move.start()
            for task in others:
                await ends_with(task, TableRefused, "another score than the one that we have kept")
            await ends_with(host, TableRefused, "refuses this table: .* another score than")

    run(main())
