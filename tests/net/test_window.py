"""The window: it runs out, is opened again for late arrivals, and closed by hand."""

import asyncio

from p2pokey.errors import CodeExpired, TimedOut
from p2pokey.native.entropy import OsEntropy
from p2pokey.net.control import HostControl
from p2pokey.net.memory import MemoryNetwork
from tests.net.support import NAMES, Meeting, check_talk, run, signalling_server, until
from tests.net.test_meeting import ends_with, quick


def make_meeting(server, **changes):
    return Meeting(server.url, connector=MemoryNetwork(OsEntropy()), **changes)


def phases(meeting):
    return [step[:3] for step in meeting.progress.get(NAMES[0], []) if "window" in step[0]]


def test_a_window_that_ran_out_is_opened_again_for_late_arrivals():
    async def main():
        async with signalling_server() as server:
            meeting = make_meeting(server, seats=3, limits=quick(window_s=1))
            control = HostControl()
            host = asyncio.create_task(meeting.host(control=control))
            early = asyncio.create_task(meeting.join(1))
            await until(lambda: phases(meeting) == [("window-closed", 2, 3)])
            await ends_with(meeting.join(2), CodeExpired, "lets nobody in")
            control.reopen(30)
            await until(lambda: phases(meeting)[-1] == ("window-open", 2, 3))
            late = await meeting.join(2)  # with the same code
            meshes = [await host, await early, late]
            await check_talk(meshes)
            await asyncio.gather(*(mesh.close() for mesh in meshes))

    run(main())


def test_a_window_is_closed_and_opened_by_hand():
    async def main():
        async with signalling_server() as server:
            meeting = make_meeting(server, seats=2)
            control = HostControl()
            host = asyncio.create_task(meeting.host(control=control))
            await meeting.shown.wait()
            control.close()
            await until(lambda: phases(meeting) == [("window-closed", 1, 2)])
            await ends_with(meeting.join(1), CodeExpired)
            control.reopen(30)
            await until(lambda: len(phases(meeting)) == 2)
            guest = await meeting.join(1)
            await asyncio.gather((await host).close(), guest.close())

    run(main())


def test_an_order_before_the_table_is_opened_counts():
    async def main():
        async with signalling_server() as server:
            meeting = make_meeting(server, seats=2)
            control = HostControl()
            control.close()
            host = asyncio.create_task(meeting.host(control=control))
            await until(lambda: phases(meeting) == [("window-closed", 1, 2)])
            control.give_up()
            await ends_with(host, TimedOut, "Only 1 of 2 players")

    run(main())


def test_a_window_that_nobody_opens_again_ends_the_table():
    async def main():
        async with signalling_server() as server:
            meeting = make_meeting(server, limits=quick(window_s=1, waiting_s=0.2))
            host = asyncio.create_task(meeting.host(control=HostControl()))
            await ends_with(host, TimedOut, "Only 1 of 4 players")
            assert phases(meeting) == [("window-closed", 1, 4)]

    run(main())
