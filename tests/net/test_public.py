"""Public tables: listed by the server, knocked at without a code, let in by hand."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pokey.errors import Declined, SignalingError
from p2pokey.native.entropy import OsEntropy
from p2pokey.net.invites import Invite, parse_room
from p2pokey.net.limits import Limits
from p2pokey.net.memory import MemoryNetwork
from p2pokey.net.signalling import Listing, SignallingClient
from p2pokey.net.wire import RoomEntry, RoomPage, parse_server_message, shown_text
from signaling import replies
from tests.net.support import NAMES, TOOLKITS, Meeting, check_talk, run, signalling_server, until
from tests.net.test_meeting import ends_with, quick, wait_for_step

KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
LISTING = Listing(title="Çay ve okey", rules="classic")


class Doorkeeper:
    """The host's player: keeps who asked, and answers when told to."""

    def __init__(self):
        self.asked = []
        self.answers = asyncio.Queue()
        self.given_up = 0

    async def accept(self, name, key):
        self.asked.append((name, key))
        try:
            return await self.answers.get()
        except asyncio.CancelledError:
            self.given_up += 1
            raise


async def listed_rooms(server):
    async with SignallingClient(server.url, Limits()) as client:
        return (await client.list_rooms()).rooms


def test_a_stranger_finds_a_table_and_is_let_in_by_hand():
    async def main():
        async with signalling_server() as server:
            meeting = Meeting(server.url, seats=3, connector=MemoryNetwork(OsEntropy()))
            door = Doorkeeper()
            host = asyncio.create_task(meeting.host(listing=LISTING, accept=door.accept))
            await meeting.shown.wait()
            [entry] = await listed_rooms(server)
            assert (entry.title, entry.rules, entry.seats, entry.free) == (
                *("Çay ve okey", "classic"),
                *(3, 2),
            )
            assert entry.host_key == TOOLKITS[0].public_key
            room = parse_room(f" {entry.room.lower()} ")
            stranger = asyncio.create_task(meeting.join(1, invite=room))
            await wait_for_step(meeting, NAMES[1], "host-decides")
            friend = asyncio.create_task(meeting.join(2))  # with the code, nobody is asked
            await wait_for_step(meeting, NAMES[2], "code-accepted")
            assert door.asked == [(NAMES[1], TOOLKITS[1].public_key)]
            door.answers.put_nowait(True)
            meshes = await asyncio.gather(host, stranger, friend)
            await check_talk(meshes)
            told = [step[0] for step in meeting.progress[NAMES[1]]]
            assert "let-in" in told
            assert "code-accepted" not in told, "a stranger has given no code"
            assert await listed_rooms(server) == ()
            await asyncio.gather(*(mesh.close() for mesh in meshes))

    run(main())


def test_strangers_are_declined_one_by_one_and_by_default():
    async def main():
        async with signalling_server() as server:
            network = MemoryNetwork(OsEntropy())
            meeting = Meeting(server.url, seats=2, connector=network)
            door = Doorkeeper()
            host = asyncio.create_task(meeting.host(listing=LISTING, accept=door.accept))
            await meeting.shown.wait()
            room = Invite(room=meeting.invites[0].room)
            door.answers.put_nowait(False)
            await ends_with(meeting.join(4, invite=room), Declined, "not let you in")
            gone = asyncio.create_task(meeting.join(3, invite=room))
            await until(lambda: len(door.asked) == 2)
            gone.cancel()
            await until(lambda: door.given_up == 1)  # nobody is asked about one who has gone
            mesh = await meeting.join(1)
            await asyncio.gather((await host).close(), mesh.close())

            alone = Meeting(server.url, seats=2, connector=network)
            host = asyncio.create_task(alone.host(listing=LISTING))  # with nobody to ask
            await alone.shown.wait()
            room = Invite(room=alone.invites[0].room)
            await ends_with(alone.join(4, invite=room), Declined)
            host.cancel()
            await asyncio.wait([host])

    run(main())


def test_a_player_who_fails_to_answer_lets_nobody_in():
    async def main():
        async def broken(name, key):
            raise OSError("no terminal")

        async with signalling_server() as server:
            meeting = Meeting(server.url, connector=MemoryNetwork(OsEntropy()))
            host = asyncio.create_task(meeting.host(listing=LISTING, accept=broken))
            await meeting.shown.wait()
            room = Invite(room=meeting.invites[0].room)
            await ends_with(meeting.join(4, invite=room), Declined)
            host.cancel()
            await asyncio.wait([host])

    run(main())


def test_tables_come_page_by_page_and_only_while_they_can_be_joined():
    async def main():
        async with signalling_server(list_page=2) as server:
            hosts = []
            for index in range(5):
                client = SignallingClient(server.url, quick(window_s=0 if index == 4 else 60))
                hosts.append(await client.__aenter__())
                listing = None if index == 3 else Listing(title=str(index), rules="classic")
                key = TOOLKITS[index].public_key
                await client.create(seats=4, host_key=key, listing=listing)
            titles, cursor = [], None
            while True:
                page = await hosts[0].list_rooms(cursor)
                titles += [entry.title for entry in page.rooms]
                cursor = page.cursor
                if cursor is None:
                    break
            assert sorted(titles) == ["0", "1", "2"]
            for client in hosts:
                await client.close()

    run(main())


def test_the_servers_list_is_understood():
    """The server's own encoder against our reader."""
    room = replies.ListedRoom(
        room="K7Q2M", title="Hi\u202e!\n", rules="classic", seats=4, free=2, age=7, host=KEY
    )
    entry = RoomEntry(
        room="K7Q2M",
        title="Hi !",
        rules="classic",
        seats=4,
        free=2,
        age_s=7,
        host_key=bytes(range(32)),
    )
    for cursor in (None, "K7Q2M"):
        said = replies.encode(replies.RoomList(rooms=(room,), cursor=cursor))
        assert parse_server_message(said) == RoomPage(rooms=(entry,), cursor=cursor)


@pytest.mark.parametrize("rooms", ["null", "{}", "[1]", '[{"room":1}]', "[{}]"])
def test_a_list_that_is_none_is_refused(rooms):
    with pytest.raises(SignalingError):
        parse_server_message(f'{{"t":"rooms","rooms":{rooms},"cursor":null}}')


@given(st.text(max_size=300))
def test_a_strangers_text_is_made_fit_to_be_shown(text):
    shown = shown_text(text, 40)

    assert len(shown) <= 40
    assert shown == shown.strip()
    assert shown.isprintable()
    assert shown_text(shown, 40) == shown


def test_marks_do_not_smear_over_the_neighbours():
    assert shown_text("e" + "\u0323" * 50, 40) == "ẹ\u0323\u0323"
    assert shown_text("Ayşe\u200b\u202e  Nur", 40) == "Ayşe Nur"
