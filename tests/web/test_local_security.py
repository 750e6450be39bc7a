"""The page's server against the other programs and pages of the same computer (docs/page-protocol.md)."""

import asyncio
import json
import socket

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from p2pokey.web import server as server_module
from p2pokey.web.gate import make_gate
from p2pokey.web.server import BAD_FRAME, BAD_TOKEN, TOO_FAST, TOO_MANY, _listen_on
from p2pokey.web.session import FRAMES_BURST, MAX_FRAME_BYTES, Allowance
from tests.web.support import ask, get, hello, host_of, page, tab, token_of, until_frame


def run(work):
    async def guarded():
        async with asyncio.timeout(60):
            return await work

    return asyncio.run(guarded())


def status_of(make):
    async def main():
        async with page() as (server, _):
            return await ask(server, make(host_of(server)))

    return run(main())


# 1 and 2: loopback only, and only under the server's own names ---------------------------------------


def test_the_page_is_served_under_its_own_names():
    for name in ("127.0.0.1", "localhost", "[::1]"):
        status, answer = status_of(
            lambda host, name=name: get("/", f"{name}:{host.partition(':')[2]}")
        )
        assert status == 200
        assert b"<!doctype html>" in answer


@pytest.mark.parametrize(
    "evil",
    ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "localhost.:{port}", ""],
)
def test_another_host_is_refused(evil: str):
    status, _ = status_of(lambda host: get("/", evil.format(port=host.partition(":")[2])))
    assert status == 421


def test_two_hosts_or_none_are_refused():
    assert status_of(lambda host: get("/", host, "Host: evil.example"))[0] in (400, 421)
    assert status_of(lambda host: b"GET / HTTP/1.1\r\n\r\n")[0] == 421


def test_only_loopback_listens(monkeypatch: pytest.MonkeyPatch):
    made = []
    create = server_module.socket.create_server

    def note(address, **options):
        made.append(address[0])
        return create(address, **options)

    monkeypatch.setattr(server_module.socket, "create_server", note)

    async def main():
        async with page():
            pass

    run(main())
    assert set(made) <= {"127.0.0.1", "::1"}


# 3: the WebSocket opens for the page alone -----------------------------------------------------------


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1:1", None],
)
def test_another_origin_opens_no_socket(origin: str | None):
    async def main():
        async with page() as (server, _):
            port = host_of(server).partition(":")[2]
            with pytest.raises(InvalidStatus) as refused:
                await tab_from(server, origin and origin.format(port=port))
            return refused.value.response.status_code

    def tab_from(server, origin):
        from websockets.asyncio.client import connect

        return connect(f"ws://{host_of(server)}/ws", origin=origin, compression=None)

    assert run(main()) == 403


def test_an_evil_host_and_the_same_evil_origin_are_no_pair():
    """Under DNS rebinding both headers are the attacker's: they are never compared with each other."""
    upgrade = (
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
        "Origin: http://evil.example:80",
    )
    assert status_of(lambda host: get("/ws", "evil.example:80", *upgrade))[0] == 421


def test_the_socket_is_no_page():
    assert status_of(lambda host: get("/ws", host))[0] == 426


# 4: the token of this launch -------------------------------------------------------------------------


def closed_with(*frames, wait: float = 0.0):
    async def main():
        async with page() as (server, engine):
            async with tab(server) as opened:
                for frame in frames:
                    await opened.send(
                        frame if isinstance(frame, str | bytes) else json.dumps(frame)
                    )
                with pytest.raises(ConnectionClosed) as closed:
                    await until_frame(opened, "view")
            return closed.value.rcvd.code, engine.number

    return run(main())


@pytest.mark.parametrize(
    "frame",
    [
        {"k": "hello", "token": "0" * 64},
        {"k": "hello", "token": ""},
        {"k": "hello", "token": None},
        {"k": "hello", "token": ["x"]},
        {"k": "hello", "token": "\ud800"},
        {"k": "hello"},
        {"k": "intent", "n": 1, "intent": {"do": "add"}},
        "no json",
        b"\x00",
        "[" * 50_000,
        "7",
    ],
)
def test_nothing_is_shown_or_done_without_the_token(frame):
    assert closed_with(frame, {"k": "intent", "n": 1, "intent": {"do": "add"}}) == (BAD_TOKEN, 0)


def test_who_says_nothing_is_sent_away(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(server_module, "HELLO_S", 0.05)
    assert closed_with() == (BAD_TOKEN, 0)


def test_every_launch_has_a_token_of_its_own():
    async def main():
        async with page() as (first, _), page() as (second, _):
            return token_of(first), token_of(second)

    first, second = run(main())
    assert len(first) == 64
    assert first != second


def test_the_token_is_in_the_fragment_alone():
    """A fragment reaches no server, log or Referer."""

    async def main():
        async with page() as (server, _):
            before, _, after = server.address.partition("#")
            return before, after, token_of(server)

    before, after, token = run(main())
    assert token not in before
    assert after == f"t={token}"


# 5 and 6: headers, and paths -------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", "/nothing"])
def test_every_answer_forbids_what_is_not_needed(path: str):
    _, answer = status_of(lambda host: get(path, host))
    head = answer.partition(b"\r\n\r\n")[0].decode("ascii").lower()

    assert "content-security-policy: default-src 'self'; connect-src 'self'" in head
    assert "frame-ancestors 'none'; base-uri 'none'; form-action 'none'" in head
    for header in (
        "x-content-type-options: nosniff",
        "referrer-policy: no-referrer",
        "cross-origin-opener-policy: same-origin",
        "cache-control: no-store",
    ):
        assert header in head
    assert "set-cookie" not in head
    assert "access-control" not in head
    assert "unsafe" not in head


@pytest.mark.parametrize(
    "path",
    [
        "/../gate.py",
        "/..%2fgate.py",
        "/%2e%2e/gate.py",
        "/static/../../gate.py",
        "//etc/passwd",
        "/etc/passwd",
        "/index.html/../../server.py",
        "/\\..\\gate.py",
        "/index.html%00.js",
        "/?t=1",
        "http://evil.example/",
    ],
)
def test_no_path_leads_anywhere_else(path: str):
    status, answer = status_of(lambda host: get(path, host))
    assert status == 404
    assert b"import" not in answer


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "HEAD"])
def test_nothing_but_reading(method: str):
    status, _ = status_of(lambda host: f"{method} / HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    assert status in (400, 405)


# 8: one tab acts, the others look on -----------------------------------------------------------------


def test_a_second_tab_looks_on_until_it_takes_over():
    async def main():
        async with page() as (server, engine):
            token = token_of(server)
            async with tab(server) as first, tab(server) as second:
                assert (await hello(first, token))["control"] is True
                assert (await hello(second, token))["control"] is False
                await second.send(json.dumps({"k": "intent", "n": 1, "intent": {"do": "add"}}))
                done = await until_frame(second, "done")
                assert done == {"k": "done", "n": 1, "refused": {"code": "other-tab"}}
                assert engine.number == 0

                await second.send(json.dumps({"k": "control"}))
                assert (await until_frame(second, "view"))["control"] is True
                assert (await until_frame(first, "view"))["control"] is False
                await second.send(json.dumps({"k": "intent", "n": 2, "intent": {"do": "add"}}))
                assert (await until_frame(second, "done"))["refused"] is None
                assert (await until_frame(first, "view"))["view"] == {"number": 1}
            async with tab(server) as third:
                assert (await hello(third, token))["control"] is True

    run(main())


def test_too_many_tabs_are_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(server_module, "MAX_TABS", 1)

    async def main():
        async with page() as (server, _), tab(server) as first:
            await hello(first, token_of(server))
            async with tab(server) as second:
                with pytest.raises(ConnectionClosed) as closed:
                    await hello(second, token_of(server))
                return closed.value.rcvd.code

    assert run(main()) == TOO_MANY


def test_who_shows_no_token_takes_no_tabs_place(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(server_module, "MAX_TABS", 1)
    monkeypatch.setattr(server_module, "MAX_STRANGERS", 1)

    async def main():
        async with page() as (server, _), tab(server) as silent:
            async with tab(server) as second:
                with pytest.raises(ConnectionClosed) as closed:
                    await second.recv()
            await silent.close()
            async with tab(server) as own:
                await hello(own, token_of(server))
            return closed.value.rcvd.code

    assert run(main()) == TOO_MANY


def test_a_view_that_cannot_be_made_is_made_at_the_next_change():
    async def main():
        async with page() as (server, engine), tab(server) as opened:
            await hello(opened, token_of(server))
            make, engine.view = engine.view, lambda: 1 / 0
            frame = {"k": "intent", "n": 1, "intent": {"do": "add"}}
            await opened.send(json.dumps(frame))
            await until_frame(opened, "done")
            await asyncio.sleep(0.05)
            engine.view = make
            await opened.send(json.dumps({**frame, "n": 2}))
            return (await until_frame(opened, "view"))["view"]

    assert run(main()) == {"number": 2}


# 11: sizes and rates ---------------------------------------------------------------------------------


def test_a_frame_that_is_too_large_ends_the_connection():
    async def main():
        async with page() as (server, _), tab(server) as opened:
            await hello(opened, token_of(server))
            await opened.send("x" * (MAX_FRAME_BYTES + 1))
            with pytest.raises(ConnectionClosed) as closed:
                await until_frame(opened, "never")
            return closed.value.rcvd.code

    assert run(main()) == 1009


@pytest.mark.parametrize(
    "frame",
    [
        "no json",
        "[]",
        {"k": 5},
        {"k": "other"},
        {"k": "intent"},
        {"k": "intent", "n": 1, "intent": 5},
    ],
)
def test_a_frame_that_no_page_sends_ends_the_connection(frame):
    async def main():
        async with page() as (server, _), tab(server) as opened:
            await hello(opened, token_of(server))
            await opened.send(frame if isinstance(frame, str) else json.dumps(frame))
            with pytest.raises(ConnectionClosed) as closed:
                await until_frame(opened, "never")
            return closed.value.rcvd.code

    assert run(main()) == BAD_FRAME


def test_a_flood_of_frames_ends_the_connection():
    async def main():
        async with page() as (server, _), tab(server) as opened:
            await hello(opened, token_of(server))
            frame = json.dumps({"k": "intent", "n": 1, "intent": {"do": "add"}})
            with pytest.raises(ConnectionClosed) as closed:
                await flood(opened, frame)
            return closed.value.rcvd.code

    async def flood(opened, frame):
        for _ in range(int(FRAMES_BURST) * 20):
            await opened.send(frame)
        await until_frame(opened, "never")

    assert run(main()) == TOO_FAST


def test_the_allowance_comes_back_with_time():
    now = 0.0
    allowance = Allowance(lambda: now)
    assert sum(allowance.take() for _ in range(1000)) == FRAMES_BURST
    now = 1.0
    assert sum(allowance.take() for _ in range(1000)) == 40
    now = 1000.0
    assert sum(allowance.take() for _ in range(1000)) == FRAMES_BURST


# The engine ------------------------------------------------------------------------------------------


def test_intents_are_answered_and_views_follow():
    async def main():
        async with page() as (server, engine), tab(server) as opened:
            await hello(opened, token_of(server))
            answers = []
            for number, do in enumerate(("add", "nonsense", "crash", "add")):
                frame = {"k": "intent", "n": number, "intent": {"do": do}}
                await opened.send(json.dumps(frame))
                answers.append((await until_frame(opened, "done"))["refused"])
            return answers, engine.number

    answers, number = run(main())
    assert answers == [None, {"code": "unknown", "least": 1}, {"code": "internal"}, None]
    assert number == 2


def test_a_port_of_80_needs_no_number():
    assert "127.0.0.1" in make_gate(["127.0.0.1"], 80, "0").hosts
    assert "127.0.0.1" not in make_gate(["127.0.0.1"], 8080, "0").hosts


def test_a_frame_does_not_wait_for_the_one_before():
    """A small packet is held back until the last one is acknowledged, unless that is turned off."""
    (listening,) = _listen_on(("127.0.0.1",), 0)
    with listening, socket.create_connection(listening.getsockname()):
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
