"""From a code to a mesh through the real signalling server; links are in memory here."""

import asyncio
import dataclasses

import pytest

from p2pokey.errors import (
    CodeExpired,
    InvalidInvite,
    LinkError,
    LinkNotAuthentic,
    P2POkeyError,
    PlayerLeft,
    RoomFull,
    ServerUnreachable,
    SignalingError,
    TimedOut,
    UnknownCode,
    WrongCode,
)
from p2pokey.native.entropy import OsEntropy
from p2pokey.net.authentication import Authentication
from p2pokey.net.invites import Invite
from p2pokey.net.link import LinkState
from p2pokey.net.memory import MemoryNetwork
from p2pokey.net.words import words_at
from p2pokey.table.roster import safety_numbers, sign_runner
from tests.net.support import (
    MEETING_LIMITS,
    NAMES,
    RULES,
    TOOLKITS,
    Meeting,
    Proxy,
    check_talk,
    run,
    signalling_server,
    take_message,
    until,
    wait_for_state,
)


def make_meeting(server, **changes):
    return Meeting(server.url, **{"connector": MemoryNetwork(OsEntropy()), **changes})


def quick(**changes):
    return dataclasses.replace(MEETING_LIMITS, **changes)


async def ends_with(work, error, match=None):
    with pytest.raises(error, match=match) as caught:
        await work
    text = str(caught.value)
    assert "\n" not in text
    return text


# --- the ordinary course ---


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_friends_meet_and_talk(seats):
    async def main():
        async with signalling_server() as server:
            meeting = make_meeting(server, seats=seats)
            async with meeting.meshes() as meshes:
                await check_talk(meshes)
                assert [mesh.seat for mesh in meshes] == list(range(seats))
                assert len({mesh.session_id for mesh in meshes}) == 1
                assert len({mesh.roster for mesh in meshes}) == 1
                assert len(words_at(safety_numbers(meshes[0].session_id))) == 4
                assert meshes[0].roster.rules == RULES

    run(main())


def test_everybody_is_told_the_steps():
    async def main():
        async with signalling_server() as server:
            meeting = make_meeting(server, seats=2)
            async with meeting.meshes():
                pass
            links = [
                ("roster-signed", 0, 0, ""),
                ("link-open", 1, 1, NAMES[1]),
                ("link-authenticated", 1, 1, NAMES[1]),
                ("ready", 0, 1, ""),
            ]
            assert meeting.progress[NAMES[0]] == [
                ("server-reached", 0, 0, ""),
                ("code-shown", 0, 0, ""),
                ("friends-here", 2, 2, NAMES[1]),
                *links,
            ]
            guest = [step[:3] for step in meeting.progress[NAMES[1]]]
            assert guest == [
                ("server-reached", 0, 0),
                ("code-accepted", 0, 2),
                ("friends-here", 2, 2),
                *(step[:3] for step in links),
            ]

    run(main())


def test_links_and_passwords_lead_to_the_table_too():
    async def main():
        async with signalling_server() as server:
            meeting = make_meeting(server, seats=3)
            host = asyncio.create_task(meeting.host(room_password="masa"))
            await meeting.shown.wait()
            uri = meeting.invites[0].uri(server.url)
            await ends_with(meeting.join(4), WrongCode)
            meshes = await asyncio.gather(
                host,
                meeting.join(1, invite=uri, server=None, room_password="masa"),
                meeting.join(2, room_password=" masa "),
            )
            await check_talk(meshes)
            for mesh in meshes:
                await mesh.close()

    run(main())


def test_a_bot_names_its_runner():
    async def main():
        async with signalling_server() as server:
            meeting = make_meeting(server, seats=2)
            runner, bot = TOOLKITS[0], TOOLKITS[1].public_key
            signature = sign_runner(bot, runner.signer)
            host = asyncio.create_task(meeting.host())
            guest = await meeting.join(1, runner=runner.public_key, runner_signature=signature)
            seats = guest.roster.seats
            assert seats[1].runner == runner.public_key
            assert [seat.is_computer for seat in seats] == [False, True]
            await asyncio.gather((await host).close(), guest.close())

    run(main())


# --- what may go wrong before ---


def test_wrong_codes_get_their_own_words():
    async def main():
        async with signalling_server() as server:
            meeting = make_meeting(server, seats=2)
            host = asyncio.create_task(meeting.host())
            await meeting.shown.wait()
            room = meeting.invites[0].room
            wrong = Invite(room=room, words=("lale", "deniz", "kartal"))
            await ends_with(meeting.join(1, invite=wrong), WrongCode, "check every word")
            await ends_with(meeting.join(1, invite="00000-lale-deniz-kartal"), UnknownCode)
            await ends_with(meeting.join(1, invite=f"{room}-lale-dneiz-kartal"), InvalidInvite)
            await ends_with(meeting.join(1, server=None), InvalidInvite, "server's address")
            mesh = await meeting.join(1)
            await asyncio.gather((await host).close(), mesh.close())

    run(main())


def test_a_guesser_makes_the_host_change_the_words():
    async def main():
        async with signalling_server() as server:
            meeting = make_meeting(server, seats=2)
            host = asyncio.create_task(meeting.host())
            await meeting.shown.wait()
            first = meeting.invites[0]
            wrong = Invite(room=first.room, words=("lale", "deniz", "kartal"))
            for _ in range(5):
                await ends_with(meeting.join(4, invite=wrong), WrongCode)
            await until(lambda: len(meeting.invites) == 2)
            await ends_with(meeting.join(1, invite=first), WrongCode)
            mesh = await meeting.join(1)
            await asyncio.gather((await host).close(), mesh.close())

    run(main())


def test_a_full_room_and_a_closed_window():
    async def main():
        async with signalling_server() as server:
            meeting = make_meeting(server, seats=2)
            async with meeting.meshes():
                await ends_with(meeting.join(2), RoomFull)
        async with signalling_server() as server:
            meeting = make_meeting(server, limits=quick(window_s=1))
            host = asyncio.create_task(meeting.host())
            guest = asyncio.create_task(meeting.join(1))
            await ends_with(host, TimedOut, "Only 2 of 4 players came within 1 s")
            await ends_with(guest, PlayerLeft, "host has closed the table")
            await ends_with(meeting.join(2), UnknownCode)

    run(main())


def test_a_window_that_is_closed_while_the_host_waits():
    async def main():
        async with signalling_server(window_max_s=1) as server:
            meeting = make_meeting(server)
            host = asyncio.create_task(meeting.host())
            await meeting.shown.wait()
            await asyncio.sleep(1.1)
            await ends_with(meeting.join(1), CodeExpired)
            host.cancel()
            await asyncio.wait([host])

    run(main())


def test_a_server_that_cannot_be_reached():
    async def main():
        meeting = Meeting("ws://127.0.0.1:1", connector=MemoryNetwork(OsEntropy()))
        await ends_with(meeting.host(), ServerUnreachable, "cannot be reached")

    run(main())


def test_a_server_that_dies_before_the_table_stands():
    async def main():
        async with signalling_server() as server, Proxy(server.port) as proxy:
            meeting = Meeting(
                proxy.url, connector=MemoryNetwork(OsEntropy()), limits=quick(patience_s=0.5)
            )
            host = asyncio.create_task(meeting.host())
            guest = asyncio.create_task(meeting.join(1))
            await wait_for_step(meeting, NAMES[1], "friends-here")
            proxy.cut()
            await ends_with(host, ServerUnreachable, "did not come back")
            await ends_with(guest, ServerUnreachable, "did not come back")

    run(main())


async def wait_for_step(meeting, name, phase):
    await until(lambda: phase in [step[0] for step in meeting.progress.get(name, [])])


def test_a_server_that_comes_back_is_no_trouble():
    async def main():
        async with signalling_server() as server, Proxy(server.port) as proxy:
            network = MemoryNetwork(OsEntropy())
            meeting = Meeting(proxy.url, connector=network, seats=3)
            work = [asyncio.create_task(meeting.host()), asyncio.create_task(meeting.join(1))]
            await wait_for_step(meeting, NAMES[1], "friends-here")
            proxy.cut()
            await asyncio.sleep(0.1)
            proxy.is_open = True
            await asyncio.sleep(1.0)
            meshes = await asyncio.gather(*work, meeting.join(2))
            await check_talk(meshes)
            await asyncio.gather(*(mesh.close() for mesh in meshes))

    run(main())


def test_a_host_who_gives_up_is_told():
    async def main():
        async with signalling_server() as server:
            meeting = make_meeting(server)
            host = asyncio.create_task(meeting.host())
            guest = asyncio.create_task(meeting.join(1))
            await wait_for_step(meeting, NAMES[1], "friends-here")
            host.cancel()
            await ends_with(guest, PlayerLeft, "host has closed the table")

    run(main())


def test_a_guest_who_gives_up_frees_the_seat():
    async def main():
        async with signalling_server() as server:
            meeting = make_meeting(server, seats=3)
            host = asyncio.create_task(meeting.host())
            quitter = asyncio.create_task(meeting.join(1))
            await wait_for_step(meeting, NAMES[0], "friends-here")
            quitter.cancel()
            await asyncio.wait([quitter])
            meshes = await asyncio.gather(host, meeting.join(2), meeting.join(3))
            assert [seat.name for seat in meshes[0].roster.seats] in (
                [NAMES[0], NAMES[2], NAMES[3]],
                [NAMES[0], NAMES[3], NAMES[2]],
            )
            await asyncio.gather(*(mesh.close() for mesh in meshes))

    run(main())


def test_rules_may_be_refused():
    class Unwanted(P2POkeyError):
        """Not our rules."""

    def refuse(rules, seats):
        assert (rules, seats) == (RULES, 2)
        raise Unwanted("not these")

    async def main():
        async with signalling_server() as server:
            meeting = make_meeting(server, seats=2)
            host = asyncio.create_task(meeting.host())
            await ends_with(meeting.join(1, check_rules=refuse), Unwanted)
            mesh = await meeting.join(2)
            await asyncio.gather((await host).close(), mesh.close())

    run(main())


# --- links ---


def test_no_path_is_told_with_names():
    async def main():
        async with signalling_server() as server:
            network = MemoryNetwork(OsEntropy())
            network.is_up = False
            meeting = make_meeting(
                server, seats=2, connector=network, limits=quick(links_s=1.5, link_s=0.5)
            )
            host = asyncio.create_task(meeting.host())
            guest = asyncio.create_task(meeting.join(1))
            await ends_with(host, LinkError, f"No connection to {NAMES[1]}")
            with pytest.raises((LinkError, PlayerLeft)):
                await guest

    run(main())


def test_a_path_that_comes_late_is_taken():
    async def main():
        async with signalling_server() as server:
            network = MemoryNetwork(OsEntropy())
            network.is_up = False
            meeting = make_meeting(server, seats=2, connector=network)
            host = asyncio.create_task(meeting.host())
            guest = asyncio.create_task(meeting.join(1))
            await wait_for_step(meeting, NAMES[1], "roster-signed")
            await asyncio.sleep(0.3)
            network.is_up = True
            meshes = await asyncio.gather(host, guest)
            await check_talk(meshes)
            await asyncio.gather(*(mesh.close() for mesh in meshes))

    run(main())


def test_an_impostor_ends_the_meeting_at_once(monkeypatch):
    """Fingerprints that differ are somebody in between: nobody tries again."""
    original = Authentication.__init__

    def init(self, *args, own_seat, other_fingerprint, **rest):
        if own_seat == 1:
            other_fingerprint = bytes(32)
        original(self, *args, own_seat=own_seat, other_fingerprint=other_fingerprint, **rest)

    monkeypatch.setattr(Authentication, "__init__", init)

    async def main():
        async with signalling_server() as server:
            meeting = make_meeting(server, seats=2)
            host = asyncio.create_task(meeting.host())
            guest = asyncio.create_task(meeting.join(1))
            await ends_with(host, LinkNotAuthentic, f"connection to {NAMES[1]} is not theirs")
            with pytest.raises((LinkError, PlayerLeft)):
                await guest

    run(main())


def test_a_mesh_outlives_the_server():
    async def main():
        async with signalling_server() as server:
            meeting = make_meeting(server, limits=quick(patience_s=0.3))
            made = meeting.meshes()
            meshes = await made.__aenter__()
        await asyncio.sleep(0.5)
        await check_talk(meshes)
        await made.__aexit__(None, None, None)

    run(main())


@pytest.mark.parametrize("end", [0, 1])
def test_a_lost_link_is_made_again(end):
    """Through the signalling server, with nothing lost and nothing twice."""

    async def main():
        async with signalling_server() as server:
            network = MemoryNetwork(OsEntropy())
            meeting = make_meeting(server, seats=2, connector=network)
            async with meeting.meshes() as meshes:
                left, right = meshes
                for round_ in range(3):
                    left.send(1, bytes([round_]) * 100_000)
                    network.opened[-1 - end].cut()
                    left.send(1, b"after")
                    assert await take_message(right) == (0, bytes([round_]) * 100_000)
                    assert await take_message(right) == (0, b"after")
                    await check_talk(meshes)

    run(main())


@pytest.mark.usefixtures("quick_links")
def test_a_link_lost_on_one_side_only_is_made_again():
    """The other side hears nothing any more and finds out by its pings."""

    async def main():
        async with signalling_server() as server:
            network = MemoryNetwork(OsEntropy())
            meeting = make_meeting(server, seats=2, connector=network)
            async with meeting.meshes() as meshes:
                for transport in network.opened:
                    transport.join(None)
                await wait_for_state(meshes[0], LinkState.AWAY)
                await wait_for_state(meshes[0], LinkState.HERE)
                await check_talk(meshes)

    run(main())


@pytest.mark.usefixtures("quick_links")
def test_without_the_server_a_lost_link_stays_away():
    async def main():
        async with signalling_server() as server:
            network = MemoryNetwork(OsEntropy())
            meeting = make_meeting(server, seats=3, connector=network, limits=quick(patience_s=0.2))
            made = meeting.meshes()
            meshes = await made.__aenter__()
        await asyncio.sleep(0.4)
        meshes[0]._peers[1].transport.cut()
        away = await wait_for_state(meshes[0], LinkState.AWAY)
        assert away.seat == 1
        meshes[2].broadcast(b"go on")
        assert await take_message(meshes[0]) == (2, b"go on")
        await made.__aexit__(None, None, None)

    run(main())


def test_a_player_who_vanishes_while_linking_is_told():
    async def main():
        async with signalling_server() as server:
            network = MemoryNetwork(OsEntropy())
            network.is_up = False
            meeting = make_meeting(server, seats=3, connector=network)
            work = [asyncio.create_task(meeting.host())]
            work += [asyncio.create_task(meeting.join(index)) for index in (1, 2)]
            await wait_for_step(meeting, NAMES[2], "roster-signed")
            await asyncio.sleep(0.1)
            work[2].cancel()
            for task in work[:2]:
                with pytest.raises((PlayerLeft, LinkError, SignalingError)):
                    await task
            await asyncio.wait(work)

    run(main())
