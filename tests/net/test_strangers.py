"""Rooms that are made anew, and codes, let no stranger near a table that stands."""

import asyncio

import pytest

from p2pokey.errors import CodeExpired, ConnectError
from p2pokey.native.entropy import OsEntropy
from p2pokey.net.limits import Limits
from p2pokey.net.memory import MemoryNetwork
from p2pokey.net.signalling import SignallingClient
from p2pokey.net.wire import PeerChanged
from tests.net.support import NAMES, TOOLKITS, Meeting, check_talk, run, signalling_server, until
from tests.net.test_meeting import ends_with
from tests.net.test_resuming import all_linked, come_back, die, drain


async def knock(server, room, toolkit):
    """A stranger's client with a place in the room, as soon as there is one."""
    client = await SignallingClient(server.url, Limits()).__aenter__()
    async with asyncio.timeout(20):
        while True:
            try:
                await client.knock(room, toolkit.public_key)
            except ConnectError:
                await asyncio.sleep(0.2)
            else:
                return client


async def is_sent_away(client):
    async with asyncio.timeout(20):
        while True:
            event = await client.next_event()
            if isinstance(event, PeerChanged) and (event.id, event.state) == (client.id, "left"):
                return True


@pytest.mark.parametrize("is_new_run", [False, True])
def test_a_host_sends_strangers_out_of_a_room_made_anew(is_new_run):
    """They could hold the places that the players come back to."""

    async def main():
        network = MemoryNetwork(OsEntropy())
        async with signalling_server() as server:
            port = server.port
            meeting = Meeting(server.url, seats=3, connector=network)
            made = meeting.meshes()
            meshes = await made.__aenter__()
            room = meshes[0].roster.room
            await die(meshes[2])
            if is_new_run:
                await die(meshes[0])
        async with signalling_server(port, knocks_per_minute=600) as server:
            if is_new_run:
                meshes[0] = await come_back(meshes[0], network)
            stranger = await knock(server, room, TOOLKITS[4])
            assert await is_sent_away(stranger)
            if not is_new_run:  # that one tells nobody here
                told = meeting.progress[NAMES[0]]
                await until(lambda: ("stranger-left", 0, 2, "") in told)
            meshes[2] = await come_back(meshes[2], network)
            await all_linked(meshes)
            await drain(meshes)
            await check_talk(meshes)
            await stranger.close()
            await made.__aexit__(None, None, None)

    run(main())


def test_the_code_ends_with_the_hosts_program():
    """What comes back is a seat, not the words: nobody can guess at them any more."""

    async def main():
        network = MemoryNetwork(OsEntropy())
        async with signalling_server() as server:
            meeting = Meeting(server.url, seats=2, connector=network)
            async with meeting.meshes() as meshes:
                await die(meshes[0])
                meshes[0] = await come_back(meshes[0], network)
                await all_linked(meshes)
                meshes[1].give_up_place()
                await meshes[1].close()  # its place is free, but the window stays closed
                await until(lambda: meshes[0].linked == 0)
                await ends_with(meeting.join(4), CodeExpired, "lets nobody in any more")

    run(main())
