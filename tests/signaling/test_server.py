"""The server end to end on loopback: real WebSockets, real frames, and a clock of our own."""

import asyncio
import json
import logging
import time
from contextlib import asynccontextmanager
from ipaddress import ip_network

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from signaling.config import ServerConfig
from signaling.limits import Limits
from signaling.server import SUBPROTOCOL, serve
from tests.signaling.support import pub


class Clock:
    """Seconds that pass only when the test says so."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


async def tick(clock, seconds):
    """Lets time pass again and again, so that the server looks both before and after."""
    while True:
        clock.now += seconds
        await asyncio.sleep(0.05)


class Client:
    """A peer's end of a WebSocket."""

    def __init__(self, websocket):
        self.websocket = websocket
        self.id = None
        self.token = None

    async def say(self, **message):
        await self.websocket.send(json.dumps(message))

    async def hear(self):
        async with asyncio.timeout(5):
            data = await self.websocket.recv()
        return json.loads(data) if isinstance(data, str) else data

    async def ask(self, **message):
        await self.say(**message)
        return await self.hear()

    async def hello(self, **more):
        welcome = await self.ask(t="hello", v=1, client="test/1", caps=["relay"], **more)
        assert welcome["t"] == "welcome"
        self.id, self.token = welcome["id"], welcome["resume"]
        return self

    async def closed(self):
        """Waits for the end; returns the close code."""
        try:
            while True:
                await self.hear()
        except ConnectionClosed as end:
            return end.rcvd.code if end.rcvd else None


def run(scenario):
    async def limited():
        async with asyncio.timeout(20):
            await scenario()

    asyncio.run(limited())


@asynccontextmanager
async def running(clock=time.monotonic, limits=None, **settings):
    config = ServerConfig(
        port=0, limits=limits or Limits(), sweep_s=0.02, close_timeout_s=1.0, **settings
    )
    server = await serve(config, clock=clock)
    try:
        yield server
    finally:
        await server.close()


@asynccontextmanager
async def client(server, path="", **options):
    options = {
        "subprotocols": [SUBPROTOCOL],
        "compression": None,
        "proxy": None,
        "close_timeout": 1,
    } | options
    async with connect(server.url + path, **options) as websocket:
        yield Client(websocket)


@asynccontextmanager
async def host_and_guest(server, **create):
    async with client(server) as host, client(server) as guest:
        await host.hello()
        await guest.hello()
        created = await host.ask(**{"t": "create", "seats": 4, "host": pub("host")} | create)
        await guest.ask(t="knock", room=created["room"], pub=pub("guest"))
        await host.hear()
        yield host, guest, created["room"]


async def http(server, request):
    """Sends a raw request; returns status line and body."""
    reader, writer = await asyncio.open_connection(server.host, server.port)
    writer.write(request.encode())
    answer = (await reader.read()).decode()
    writer.close()
    await writer.wait_closed()
    head, _, body = answer.partition("\r\n\r\n")
    return head.split("\r\n")[0], body


def test_friends_meet_and_talk():
    async def scenario():
        async with running() as server, client(server) as host, client(server, "/ws") as guest:
            await host.hello()
            await guest.hello()
            created = await host.ask(t="create", seats=4, ttl=300, host=pub("h"), meta={})
            lobby = await guest.ask(t="knock", room=created["room"].lower(), pub=pub("g"))
            knock = await host.hear()
            await guest.say(t="send", to=host.id, n=1, body="aGVsbG8=")
            received = await host.hear()
            await host.websocket.send(b"\x01frame")
            frame = await guest.hear()

        assert created == {"t": "created", "room": created["room"], "place": 0, "window_s": 300}
        assert lobby["host"] == {"id": host.id, "pub": pub("h")}
        assert lobby["place"] == 1
        assert knock == {"t": "knock", "id": guest.id, "place": 1, "pub": pub("g")}
        assert received == {"t": "recv", "from": guest.id, "n": 1, "body": "aGVsbG8="}
        assert frame == b"\x00frame"

    run(scenario)


def test_the_window_closes_and_the_room_fills():
    async def scenario():
        clock = Clock()
        async with running(clock) as server, host_and_guest(server, ttl=60, seats=3) as table:
            host, _, code = table
            async with client(server) as third, client(server) as fourth:
                await third.hello()
                await fourth.hello()
                clock.now += 60
                late = await third.ask(t="knock", room=code, pub=pub("third"))
                await host.say(t="open", ttl=30)
                await host.ask(t="list")  # answered after `open` has been carried out
                lobby = await third.ask(t="knock", room=code, pub=pub("third"))
                full = await fourth.ask(t="knock", room=code, pub=pub("fourth"))

        assert late["code"] == "window_closed"
        assert lobby["window_s"] == 0  # the last place has closed the window
        assert full["code"] == "full"

    run(scenario)


def test_a_lost_host_comes_back_with_its_token():
    async def scenario():
        clock = Clock()
        async with running(clock) as server, host_and_guest(server) as (host, guest, code):
            host.websocket.transport.abort()
            away = await guest.hear()
            clock.now += 599
            await asyncio.sleep(0.1)
            async with client(server) as again:
                await again.hello(resume=host.token)
                here = await guest.hear()
                created = await again.hear()
                states = await again.hear()
                await guest.say(t="send", to=host.id, n=1, body="")
                received = await again.hear()

        assert (away["id"], away["place"], away["state"]) == (host.id, 0, "away")
        assert again.id == host.id
        assert here == {**away, "state": "here"}
        assert created == {"t": "created", "room": code, "place": 0, "window_s": 0}
        assert states == {"t": "peer", "id": guest.id, "place": 1, "state": "here"}
        assert received["from"] == guest.id

    run(scenario)


def test_a_room_expires_ten_minutes_after_its_host():
    async def scenario():
        clock = Clock()
        async with running(clock) as server, host_and_guest(server) as (host, guest, code):
            await host.websocket.close()
            assert (await guest.hear())["state"] == "away"
            clock.now += 600
            left = await guest.hear()
            gone = await guest.ask(t="knock", room=code, pub=pub("guest"))

        assert left == {"t": "peer", "id": host.id, "place": 0, "state": "left"}
        assert gone["code"] == "no_room"

    run(scenario)


def test_a_connection_without_hello_is_closed():
    async def scenario():
        clock = Clock()
        async with running(clock) as server, client(server) as silent:
            clock.now += 10
            assert await silent.closed() == 1008

    run(scenario)


def test_garbage_gets_errors_and_the_connection_lives_on():
    async def scenario():
        async with running() as server, client(server) as one:
            for data in ("", "garbage", "[]", '{"t":"dance"}', b"", b"\x00\xff"):
                await one.websocket.send(data)
                error = await one.hear()
                assert (error["t"], error["code"]) == ("error", "bad")
            await one.hello()

    run(scenario)


def test_frames_have_a_size():
    async def scenario():
        async with running() as server, client(server) as one:
            await one.hello()
            await one.websocket.send("x" * 20_000)
            text = await one.hear()
            await one.websocket.send(bytes(65_002))
            frame = await one.hear()
            await one.websocket.send("x" * 100_000)
            code = await one.closed()

        assert (text["code"], frame["code"], frame["re"]) == ("too_big", "too_big", "relay")
        assert code == 1009

    run(scenario)


def test_text_that_is_no_utf8_ends_only_its_own_connection():
    async def scenario():
        async with running() as server, host_and_guest(server) as (host, guest, _):
            await guest.websocket.send(b"\xff\xfe", text=True)
            assert await guest.closed() == 1007
            assert (await host.hear())["state"] == "away"

    run(scenario)


def test_too_many_messages_are_refused_and_then_the_connection_ends():
    async def scenario():
        limits = Limits(messages_per_second=1, message_burst=5)
        async with running(Clock(), limits) as server, client(server) as one:
            await one.hello()
            answers = [await one.ask(t="list") for _ in range(6)]
            assert [answer["t"] for answer in answers] == ["rooms"] * 4 + ["error"] * 2
            assert (answers[5]["code"], answers[5]["retry_ms"]) == ("rate", 1000)
            for _ in range(5):
                await one.say(t="list")
            assert await one.closed() == 1008

    run(scenario)


def test_an_address_has_so_many_connections():
    async def scenario():
        limits = Limits(sockets_per_address=2)
        async with running(limits=limits) as server, client(server), client(server) as second:
            async with client(server) as third:
                error = await third.hear()
                assert (error["code"], error["re"]) == ("rate", "")
                assert await third.closed() == 1013
            await second.websocket.close()
            async with client(server) as third:
                await third.hello()

    run(scenario)


def test_behind_a_trusted_proxy_clients_are_counted_apart():
    async def scenario():
        settings = {
            "limits": Limits(sockets_per_address=1),
            "trusted_proxies": (ip_network("127.0.0.0/8"),),
        }
        first = {"additional_headers": {"X-Forwarded-For": "203.0.113.1"}}
        second = {"additional_headers": {"X-Forwarded-For": "9.9.9.9, 203.0.113.2"}}
        async with running(**settings) as server, client(server, **first) as one:
            await one.hello()
            async with client(server, **second) as two:
                await two.hello()
            async with client(server, **first) as third:
                assert (await third.hear())["code"] == "rate"

    run(scenario)


def test_a_fast_relay_is_slowed():
    async def scenario():
        limits = Limits(relay_burst_bytes=1000, relay_bytes_per_second=10_000)
        async with running(limits=limits) as server, host_and_guest(server) as (host, guest, _):
            started = time.monotonic()
            for _ in range(4):
                await host.websocket.send(b"\x01" + bytes(999))
            for _ in range(4):
                assert await guest.hear() == bytes(1000)
            assert time.monotonic() - started >= 0.2

    run(scenario)


FAST_RELAY = Limits(
    relay_burst_bytes=10**9, relay_bytes_per_second=10**9, relay_bytes_per_room_hour=10**9
)


# The system's own buffers take some megabytes before the server's begin to fill.
FILL = 150


async def flood(host, frames):
    for _ in range(frames):
        await host.websocket.send(b"\x01" + bytes(65_000))
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("settings", "seconds"),
    [({"outbound_bytes": 200_000}, 0), ({"outbound_bytes": 10**9, "stall_s": 40.0}, 41)],
    ids=["too much unsent", "unread for too long"],
)
def test_a_slow_reader_is_dropped(settings, seconds):
    async def scenario():
        clock = Clock()
        async with (
            running(clock, FAST_RELAY, **settings) as server,
            host_and_guest(server) as (host, guest, _),
        ):
            guest.websocket.transport.pause_reading()
            await flood(host, FILL)
            ticking = asyncio.create_task(tick(clock, seconds))
            away = await host.hear()
            ticking.cancel()
            guest.websocket.transport.abort()

        assert (away["id"], away["state"]) == (guest.id, "away")

    run(scenario)


PING = b"\x89\xfd" + bytes(4 + 125)
"""Masked with zeros, and as large as a ping may be."""


def test_pings_of_a_client_that_reads_nothing_do_not_pile_up():
    async def scenario():
        async with (
            running(outbound_bytes=200_000, stall_s=10**9, watch_s=0.05) as server,
            client(server) as one,
        ):
            await one.hello()
            transport = one.websocket.transport
            transport.pause_reading()
            async with asyncio.timeout(15):
                while not transport.is_closing():
                    if transport.get_write_buffer_size() < 10**6:
                        transport.write(PING * 1000)
                    await asyncio.sleep(0)

    run(scenario)


def test_a_stop_says_bye_and_closes():
    async def scenario():
        async with running() as server, host_and_guest(server) as (host, guest, _):
            stops = [asyncio.create_task(server.close()) for _ in range(2)]
            for one in (host, guest):
                assert await one.hear() == {"t": "bye", "retry_ms": 3000}
                assert await one.closed() == 1012
            await asyncio.gather(*stops, server.wait_closed())
            with pytest.raises(ConnectionRefusedError):
                async with client(server):
                    pass

    run(scenario)


def test_a_stop_does_not_wait_for_a_client_that_is_stuck():
    async def scenario():
        settings = {"limits": FAST_RELAY, "outbound_bytes": 10**9}
        async with running(**settings) as server, host_and_guest(server) as (host, guest, _):
            guest.websocket.transport.pause_reading()
            await flood(host, FILL)
            started = time.monotonic()
            await server.close()
            assert time.monotonic() - started < 5
            guest.websocket.transport.abort()

    run(scenario)


GET = "GET {} HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.mark.parametrize(
    ("path", "status", "body"),
    [
        ("/healthz", "200 OK", "ok"),
        ("/healthz?verbose=1", "200 OK", "ok"),
        ("/other", "404 Not Found", "not found\n"),
        ("/ws/", "404 Not Found", "not found\n"),
    ],
)
def test_plain_http_is_answered_on_the_same_port(path, status, body):
    async def scenario():
        async with running() as server:
            answer = await http(server, GET.format(path))
            assert answer == (f"HTTP/1.1 {status}", body)

    run(scenario)


def test_a_browser_is_told_to_upgrade():
    async def scenario():
        async with running() as server:
            assert (await http(server, GET.format("/")))[0] == "HTTP/1.1 426 Upgrade Required"

    run(scenario)


@pytest.mark.parametrize(
    ("path", "options", "status"),
    [
        ("/other", {}, 404),
        ("", {"subprotocols": None}, 400),
        ("", {"subprotocols": ["chat"]}, 400),
    ],
)
def test_only_the_right_path_and_subprotocol_connect(path, options, status):
    async def scenario():
        async with running() as server:
            with pytest.raises(InvalidStatus) as caught:
                async with client(server, path, **options):
                    pass
            assert caught.value.response.status_code == status

    run(scenario)


def test_messages_are_not_compressed():
    async def scenario():
        async with running() as server, client(server, compression="deflate") as one:
            assert one.websocket.protocol.extensions == []
            assert one.websocket.subprotocol == SUBPROTOCOL

    run(scenario)


def test_logs_name_networks_and_neither_codes_nor_keys(caplog):
    caplog.set_level(logging.DEBUG)
    seen = []

    async def scenario():
        limits = Limits(knocks_per_minute=1)
        async with running(limits=limits) as server, host_and_guest(server) as (_, guest, code):
            seen.extend([code, guest.token, pub("guest")])
            async with client(server) as third:
                await third.hello()
                await third.ask(t="knock", room=code, pub=pub("third"))

    run(scenario)
    # The clients of this test log as well, under other names.
    lines = [record.getMessage() for record in caplog.records if "signaling" in record.name]
    text = "\n".join(lines)
    assert "connection 1 from 127.0.0.0/24" in lines
    assert "connection 3 reached a limit (knock)" in lines
    assert all(secret not in text for secret in seen)
    assert "127.0.0.1" not in text.replace("ws://127.0.0.1", "")
