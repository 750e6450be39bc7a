"""The client against the real server: requests, refusals, lost connections."""

import asyncio

import pytest
from websockets.asyncio.server import serve as serve_websockets

from p2pokey.errors import (
    CodeExpired,
    RoomFull,
    ServerUnreachable,
    SignalingError,
    TimedOut,
    UnknownCode,
)
from p2pokey.net.limits import Limits
from p2pokey.net.signalling import (
    Resumed,
    SignallingClient,
    SignallingGone,
    check_server,
    is_loopback,
)
from p2pokey.net.wire import BodyArrived, Knocked, PeerChanged
from tests.net.support import TOOLKITS, Proxy, run, signalling_server

KEYS = tuple(toolkit.public_key for toolkit in TOOLKITS)
LIMITS = Limits(server_s=10.0, patience_s=10.0, window_s=60)


async def events_until(client, kind, limit=15.0):
    """The first event of that kind."""
    async with asyncio.timeout(limit):
        while True:
            event = await client.next_event()
            if isinstance(event, kind):
                return event


def test_host_and_guest_meet_and_talk():
    async def main():
        async with (
            signalling_server() as server,
            SignallingClient(server.url, LIMITS) as host,
            SignallingClient(server.url, LIMITS) as guest,
        ):
            created = await host.create(seats=2, host_key=KEYS[0])
            lobby = await guest.knock(created.room, KEYS[1])
            knocked = await events_until(host, Knocked)
            await guest.send(lobby.host_id, b"hello \xff")
            await host.send(knocked.id, b"welcome")
            assert (created.window_s, lobby.host_key) == (60, KEYS[0])
            assert lobby.host_id == host.id
            there = await events_until(host, BodyArrived)
            assert there == BodyArrived(sender=guest.id, body=b"hello \xff")
            assert (await events_until(guest, BodyArrived)).body == b"welcome"

    run(main())


def test_leaving_and_being_sent_away_are_told():
    async def main():
        async with signalling_server() as server, SignallingClient(server.url, LIMITS) as host:
            created = await host.create(seats=3, host_key=KEYS[0])
            async with SignallingClient(server.url, LIMITS) as guest:
                await guest.knock(created.room, KEYS[1])
            left = await events_until(host, PeerChanged)
            assert left == PeerChanged(id=guest.id, state="left")
            async with SignallingClient(server.url, LIMITS) as guest:
                await guest.knock(created.room, KEYS[1])
                await host.kick(guest.id)
                sent_away = await events_until(guest, PeerChanged)
                assert sent_away == PeerChanged(id=guest.id, state="left")

    run(main())


def test_refusals():
    async def main():
        async with (
            signalling_server() as server,
            SignallingClient(server.url, LIMITS) as host,
            SignallingClient(server.url, LIMITS) as guest,
        ):
            with pytest.raises(UnknownCode):
                await guest.knock("00000", KEYS[1])
            created = await host.create(seats=2, host_key=KEYS[0])
            await host.close_window()
            with pytest.raises(CodeExpired):
                await guest.knock(created.room, KEYS[1])
        async with (
            signalling_server() as server,
            SignallingClient(server.url, LIMITS) as host,
            SignallingClient(server.url, LIMITS) as guest,
            SignallingClient(server.url, LIMITS) as late,
        ):
            created = await host.create(seats=2, host_key=KEYS[0])
            await guest.knock(created.room, KEYS[1])
            with pytest.raises(RoomFull):
                await late.knock(created.room, KEYS[2])

    run(main())


def test_too_many_tries_say_how_long_to_wait():
    async def main():
        async with (
            signalling_server(knocks_per_minute=1) as server,
            SignallingClient(server.url, LIMITS) as guest,
        ):
            for error, text in ((UnknownCode, "code"), (SignalingError, "wait 60 s")):
                with pytest.raises(error, match=text):
                    await guest.knock("00000", KEYS[1])

    run(main())


@pytest.mark.parametrize(
    "address", ["", "okey.example", "http://okey.example", "ws://", "ws://a:99999", "wss://:80"]
)
def test_what_is_no_address(address):
    with pytest.raises(SignalingError, match="looks like wss"):
        check_server(address)


def test_this_machine_is_known():
    assert all(map(is_loopback, ("localhost", "127.0.0.1", "127.9.9.9", "::1")))
    assert not any(map(is_loopback, ("okey.example", "192.0.2.1", "")))


@pytest.mark.parametrize("address", ["ws://127.0.0.1:1", "ws://no-such-host.invalid"])
def test_an_unreachable_server_is_named(address):
    async def main():
        with pytest.raises(ServerUnreachable, match=address):
            await SignallingClient(address, LIMITS).__aenter__()

    run(main())


def test_a_server_that_never_answers():
    """It accepts the connection and says nothing: no handshake, and later no welcome."""

    async def silent(reader, writer):
        await reader.read()
        writer.close()

    async def mute(websocket):
        await websocket.wait_closed()

    async def main():
        limits = Limits(server_s=0.2)
        async with await asyncio.start_server(silent, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            with pytest.raises(ServerUnreachable):
                await SignallingClient(f"ws://127.0.0.1:{port}", limits).__aenter__()
        async with serve_websockets(mute, "127.0.0.1", 0, subprotocols=["okeysig.1"]) as server:
            port = server.sockets[0].getsockname()[1]
            with pytest.raises(ServerUnreachable):
                await SignallingClient(f"ws://127.0.0.1:{port}", limits).__aenter__()

    run(main())


@pytest.mark.parametrize("said", ["hello", '{"t":"created","room":"K7Q2M","window_s":1}', "[]"])
def test_another_kind_of_server(said):
    async def babble(websocket):
        await websocket.send(said)
        await websocket.wait_closed()

    async def main():
        async with serve_websockets(babble, "127.0.0.1", 0, subprotocols=["okeysig.1"]) as server:
            port = server.sockets[0].getsockname()[1]
            with pytest.raises(SignalingError):
                await SignallingClient(f"ws://127.0.0.1:{port}", LIMITS).__aenter__()

    run(main())


def test_an_answer_that_does_not_come():
    welcome = '{"t":"welcome","id":"c1","resume":"x"}'

    async def half(websocket):
        await websocket.send(welcome)
        await websocket.wait_closed()

    async def main():
        async with serve_websockets(half, "127.0.0.1", 0, subprotocols=["okeysig.1"]) as server:
            port = server.sockets[0].getsockname()[1]
            limits = Limits(server_s=0.2)
            async with SignallingClient(f"ws://127.0.0.1:{port}", limits) as client:
                with pytest.raises(TimedOut, match="'create'"):
                    await client.create(seats=2, host_key=KEYS[0])

    run(main())


def test_a_lost_connection_is_taken_up_again():
    async def main():
        async with (
            signalling_server() as server,
            Proxy(server.port) as proxy,
            SignallingClient(proxy.url, LIMITS) as host,
            SignallingClient(server.url, LIMITS) as guest,
        ):
            created = await host.create(seats=2, host_key=KEYS[0])
            await guest.knock(created.room, KEYS[1])
            name = host.id
            proxy.cut()
            away = await events_until(guest, PeerChanged)
            assert away == PeerChanged(id=name, state="away")
            await host.send(guest.id, b"kept")
            proxy.is_open = True
            await events_until(host, Resumed)
            assert host.id == name
            assert (await events_until(guest, BodyArrived)).body == b"kept"
            await guest.send(name, b"still there")
            assert (await events_until(host, BodyArrived)).body == b"still there"

    run(main())


def test_a_server_that_is_gone_for_good_is_told():
    async def main():
        limits = Limits(server_s=3.0, patience_s=0.6)
        async with (
            signalling_server() as server,
            Proxy(server.port) as proxy,
            SignallingClient(proxy.url, limits) as host,
        ):
            await host.create(seats=2, host_key=KEYS[0])
            proxy.cut()
            gone = await events_until(host, SignallingGone)
            assert isinstance(gone.error, ServerUnreachable)

    run(main())


@pytest.mark.parametrize("others", [0, 1])
def test_a_server_that_forgot_us_is_told(others):
    """Also where the restarted server happens to give us the same id again."""

    async def main():
        async with signalling_server() as server:
            port = server.port
            client = await SignallingClient(server.url, LIMITS).__aenter__()
            await client.create(seats=2, host_key=KEYS[0])
        async with signalling_server(port=port) as server:
            news = [await SignallingClient(server.url, LIMITS).__aenter__() for _ in range(others)]
            gone = await events_until(client, SignallingGone)
            assert "forgotten" in str(gone.error)
            for one in (client, *news):
                await one.close()

    run(main())
