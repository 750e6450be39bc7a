"""`python -m signaling` as a person starts it."""

import asyncio
import signal
import socket
import sys
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest
from websockets.asyncio.client import connect

from signaling.config import ServerConfig, read_flags
from signaling.limits import Limits
from signaling.messages import ClientMessage, ErrorCode, Relay


def test_no_flags_are_the_defaults():
    assert read_flags([]) == (ServerConfig(), "info")


def test_flags_fill_the_settings():
    flags = "--host :: --port 0 --relay off --ice stun:a --ice stun:b --trusted-proxy 10.0.0.0/8"
    config, level = read_flags([*flags.split(), "--rooms-per-hour", "5", "--log-level", "error"])

    assert (config.host, config.port, level) == ("::", 0, "error")
    assert config.ice == ({"urls": "stun:a"}, {"urls": "stun:b"})
    assert [str(network) for network in config.trusted_proxies] == ["10.0.0.0/8"]
    assert config.limits == Limits(rooms_per_hour=5, relay_bytes=0)


@pytest.mark.parametrize(
    "flags", ["--port 70000", "--port x", "--rooms 0", "--trusted-proxy nonsense", "--relay maybe"]
)
def test_wrong_flags_are_refused(flags, capsys):
    with pytest.raises(SystemExit):
        read_flags(flags.split())
    assert flags.split()[0] in capsys.readouterr().err


def test_every_limit_and_message_is_documented():
    page = (Path(__file__).parents[2] / "docs" / "signaling.md").read_text("utf-8")
    flags = ["--" + one.name.replace("_", "-") for one in fields(Limits)]
    kinds = [kind.kind for kind in get_args(ClientMessage) if kind is not Relay]
    answers = ["welcome", "created", "lobby", "recv", "peer", "rooms", "error", "bye"]

    missing = [word for word in [*flags, *kinds, *answers, *ErrorCode] if f"`{word}`" not in page]
    assert missing == []


async def start(*flags):
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "signaling", *flags),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


@pytest.mark.e2e
def test_the_program_prints_its_address_and_stops_on_sigterm():
    async def scenario():
        process = await start("--port", "0")
        try:
            line = (await process.stdout.readline()).decode()
            url = line.removeprefix("listening on ").strip()
            async with connect(url, subprotocols=["okeysig.1"], proxy=None) as websocket:
                process.send_signal(signal.SIGTERM)
                assert await websocket.recv() == '{"t":"bye","retry_ms":3000}'
            rest, _ = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        assert line.startswith("listening on ws://127.0.0.1:")
        assert (rest, process.returncode) == (b"", 0)

    asyncio.run(scenario())


@pytest.mark.e2e
def test_the_program_says_that_a_port_is_taken():
    async def scenario():
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = str(taken.getsockname()[1])
            process = await start("--port", port)
            out, err = await process.communicate()
        assert (out, process.returncode) == (b"", 1)
        assert f"cannot listen on 127.0.0.1 port {port}".encode() in err

    asyncio.run(scenario())
