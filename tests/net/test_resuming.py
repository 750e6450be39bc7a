"""A program that is started again comes back to its table without a code."""

import asyncio

import pytest

from p2pokey.errors import DecodeError, LocalProtocolError
from p2pokey.native.entropy import OsEntropy
from p2pokey.net.link import LinkState
from p2pokey.net.meeting import resume_table
from p2pokey.net.membership import decode_membership
from p2pokey.net.memory import MemoryNetwork
from p2pokey.tiles import Seat
from tests.net.support import (
    MEETING_LIMITS,
    TOOLKITS,
    Meeting,
    check_talk,
    run,
    signalling_server,
    until,
    wait_for_state,
)


async def die(mesh):
    """Ends a mesh as a killed program does: no goodbye, and its place is not given back."""
    mesh._is_closing = True
    await mesh._shut_down()


async def come_back(mesh, connector, *, server=None):
    """Another run with what the mesh had kept."""
    kept = decode_membership(mesh.membership.encode())
    assert kept == mesh.membership
    return await resume_table(
        signer=signer_of(mesh),
        membership=kept,
        limits=MEETING_LIMITS,
        connector=connector,
    )


def signer_of(mesh):
    """Guests who join at the same time may sit in any order, so the seat does not tell whose it is."""
    key = mesh.roster.seats[mesh.seat].public_key
    return next(toolkit.signer for toolkit in TOOLKITS if toolkit.public_key == key)


async def drain(meshes):
    """Takes all events that are there."""
    for mesh in meshes:
        while await mesh.next_event(0.01) is not None:
            pass


async def all_linked(meshes):
    await until(lambda: all(m.state(o) is LinkState.HERE for m in meshes for o in m.others))
    await until(lambda: all(m.linked == len(m.others) for m in meshes))


@pytest.mark.parametrize("seat", [0, 1, 3])
def test_a_killed_seat_comes_back_to_the_same_table(seat):
    async def main():
        async with signalling_server() as server:
            network = MemoryNetwork(OsEntropy())
            meeting = Meeting(server.url, connector=network)
            async with meeting.meshes() as meshes:
                victim = meshes[seat]
                await die(victim)
                began = asyncio.get_running_loop().time()
                meshes[seat] = await come_back(victim, network)
                await all_linked(meshes)
                took = asyncio.get_running_loop().time() - began
                seen = [await wait_for_state(m, LinkState.HERE) for m in meshes if m.seat != seat]
                assert {event.seat for event in seen} == {seat}
                await drain(meshes)
                await check_talk(meshes)

                assert took < 2
                assert meshes[seat].session_id == victim.session_id

    run(main())


def test_everybody_can_be_started_again():
    async def main():
        async with signalling_server() as server:
            network = MemoryNetwork(OsEntropy())
            meeting = Meeting(server.url, connector=network)
            async with meeting.meshes() as meshes:
                old = list(meshes)
                for mesh in old:
                    await die(mesh)
                for seat in (2, 0, 3, 1):
                    meshes[seat] = await come_back(old[seat], network)
                    await asyncio.sleep(0.2)
                await all_linked(meshes)
                await drain(meshes)
                await check_talk(meshes)

    run(main())


def test_a_seat_can_be_started_again_and_again():
    async def main():
        async with signalling_server() as server:
            network = MemoryNetwork(OsEntropy())
            meeting = Meeting(server.url, seats=2, connector=network)
            async with meeting.meshes() as meshes:
                for _ in range(3):
                    for seat in (0, 1):
                        await die(meshes[seat])
                        meshes[seat] = await come_back(meshes[seat], network)
                        await all_linked(meshes)
                await drain(meshes)
                await check_talk(meshes)

    run(main())


def test_a_player_who_left_can_come_back():
    async def main():
        async with signalling_server() as server:
            network = MemoryNetwork(OsEntropy())
            meeting = Meeting(server.url, seats=3, connector=network)
            async with meeting.meshes() as meshes:
                leaver = meshes[0]
                await leaver.close()
                await wait_for_state(meshes[1], LinkState.LEFT)
                meshes[0] = await come_back(leaver, network)
                await all_linked(meshes)
                await drain(meshes)
                await check_talk(meshes)

    run(main())


def test_a_server_that_was_started_again_is_no_hindrance():
    """It has forgotten the room: host and guests take their places in it anew."""

    async def main():
        network = MemoryNetwork(OsEntropy())
        async with signalling_server() as server:
            port = server.port
            meeting = Meeting(server.url, seats=3, connector=network)
            made = meeting.meshes()
            meshes = await made.__aenter__()
        async with signalling_server(port):
            for seat in (2, 0):
                await asyncio.sleep(1)
                await die(meshes[seat])
                meshes[seat] = await come_back(meshes[seat], network)
                await all_linked(meshes)
            await drain(meshes)
            await check_talk(meshes)
            await made.__aexit__(None, None, None)

    run(main())


def test_a_seat_that_is_not_there_does_not_hold_the_others_up():
    async def main():
        async with signalling_server() as server:
            network = MemoryNetwork(OsEntropy())
            meeting = Meeting(server.url, seats=3, connector=network)
            async with meeting.meshes() as meshes:
                for seat in (1, 2):
                    await die(meshes[seat])
                meshes[1] = await come_back(meshes[1], network)
                await until(lambda: meshes[1].state(Seat(0)) is LinkState.HERE)
                meshes[1].send(Seat(0), b"hello")

                assert meshes[1].state(Seat(2)) is LinkState.AWAY
                assert await until_message(meshes[0]) == b"hello"

    run(main())


async def until_message(mesh):
    async with asyncio.timeout(10):
        while True:
            event = await mesh.next_event()
            if hasattr(event, "data"):
                return event.data


def test_nobody_comes_back_with_another_key():
    """Nothing that it signs would be taken, so it would call the others in vain."""

    async def main():
        async with signalling_server() as server:
            network = MemoryNetwork(OsEntropy())
            async with Meeting(server.url, seats=2, connector=network).meshes() as meshes:
                kept = meshes[1].membership
                with pytest.raises(LocalProtocolError):
                    await resume_table(signer=TOOLKITS[4].signer, membership=kept)

    run(main())


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"\xff", b'{"server":"ws://x"}'])
def test_what_is_no_membership_is_refused(data):
    with pytest.raises(DecodeError):
        decode_membership(data)
