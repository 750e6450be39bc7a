"""Real WebRTC links on the loopback interface: what aiortc does wrong by itself, done right."""

import asyncio
import dataclasses
import signal
import sys

import aioice.ice
import aiortc.rtcsctptransport
import ifaddr
import pytest
from aiortc import RTCPeerConnection

from p2pokey.errors import LinkError, PlayerLeft
from p2pokey.net import webrtc
from p2pokey.net.frames import CHUNK_BYTES
from p2pokey.net.limits import Limits
from p2pokey.net.link import LinkState
from p2pokey.net.sdp import format_description, parse_description
from p2pokey.net.webrtc import WebRtcConnector, host_addresses
from tests.net.support import (
    MEETING_LIMITS,
    Meeting,
    check_talk,
    run,
    signalling_server,
    take_message,
    wait_for_state,
)

pytestmark = pytest.mark.webrtc


@pytest.fixture(autouse=True)
def loopback(monkeypatch):
    """One candidate, no network: the same on every machine."""
    monkeypatch.setattr(aioice.ice, "get_host_addresses", lambda use_ipv4, use_ipv6: ["127.0.0.1"])


@pytest.fixture(autouse=True)
def connections(monkeypatch):
    """Every connection that a test makes; all of them must be closed in the end."""
    made = []

    class Recorded(RTCPeerConnection):
        def __init__(self, *args):
            super().__init__(*args)
            made.append(self)

    monkeypatch.setattr(webrtc, "RTCPeerConnection", Recorded)
    yield made
    assert [pc.connectionState for pc in made if pc.connectionState != "closed"] == []


async def open_pair(change=lambda text: text, limit=15.0):
    """Two ends of one connection; `change` alters the answer on its way."""
    offering, answering = (WebRtcConnector().connect() for _ in range(2))
    try:
        async with asyncio.timeout(limit):
            answer = await answering.answer(await offering.offer())
            await offering.accept(change(answer))
            return await asyncio.gather(offering.opened(), answering.opened())
    except BaseException:
        await asyncio.gather(offering.close(), answering.close())
        raise


async def receive_all(transport):
    frames = []
    while True:
        try:
            frames.append(await transport.receive())
        except LinkError as error:
            return frames, str(error)


def test_frames_pass_both_ways_and_fingerprints_match():
    async def main():
        left, right = await open_pair()
        left.send(b"x" * CHUNK_BYTES)
        right.send(b"y")
        assert await right.receive() == b"x" * CHUNK_BYTES
        assert await left.receive() == b"y"
        assert left.own_fingerprint == right.other_fingerprint
        assert right.own_fingerprint == left.other_fingerprint
        assert left.own_fingerprint != right.own_fingerprint
        assert (left.kind, len(left.own_fingerprint)) == ("direct", 32)
        await asyncio.gather(left.close(), right.close())

    run(main())


@pytest.mark.parametrize("size", [50, 5_000, 200_000])
def test_closing_right_after_sending_loses_nothing(size):
    async def main():
        left, right = await open_pair()
        frames = [bytes(size)[i : i + CHUNK_BYTES] for i in range(0, size, CHUNK_BYTES)]
        for frame in frames:
            left.send(frame)
        got, _ = await asyncio.gather(receive_all(right), left.close())
        assert got == (frames, "the other player closed the connection")
        left.send(b"after the end")
        await right.close()

    run(main())


def test_text_ends_the_transport_with_a_reason():
    async def main():
        left, right = await open_pair()
        left._channel.send("text")
        frames, reason = await receive_all(right)
        assert frames == []
        assert "got text" in reason
        await asyncio.gather(left.close(), right.close())

    run(main())


def test_a_swapped_fingerprint_opens_nothing():
    """The other end's certificate is not the one that its description names."""

    def swap(answer):
        description = parse_description("answer", answer)
        return format_description(dataclasses.replace(description, fingerprint=bytes(32)))

    async def main():
        with pytest.raises(LinkError):
            await open_pair(swap)

    run(main())


@pytest.mark.parametrize("text", ["", "v=0", "a=candidate:1 1 udp 1 192.0.2.1 5 typ host"])
def test_senseless_descriptions_are_refused(text):
    async def main():
        connection = WebRtcConnector().connect()
        with pytest.raises(LinkError):
            await connection.answer(text)
        await connection.offer()
        with pytest.raises(LinkError):
            await connection.accept(text)
        await connection.close()

    run(main())


def test_an_answer_for_another_section_is_refused():
    async def main():
        offering, answering = (WebRtcConnector().connect() for _ in range(2))
        answer = await answering.answer(await offering.offer())
        with pytest.raises(LinkError, match="could not be set up"):
            await offering.accept(answer.replace("a=mid:0", "a=mid:1"))
        await asyncio.gather(offering.close(), answering.close())

    run(main())


# --- addresses ---


def test_this_machine_is_offered_only_where_there_is_nothing_else(monkeypatch):
    monkeypatch.setattr(webrtc, "_gathered_addresses", lambda use_ipv4, use_ipv6: ["192.0.2.5"])
    assert host_addresses(use_ipv4=True, use_ipv6=True) == ["192.0.2.5"]
    monkeypatch.setattr(webrtc, "_gathered_addresses", lambda use_ipv4, use_ipv6: [])
    assert host_addresses(use_ipv4=True, use_ipv6=True) == ["127.0.0.1"]


def test_a_machine_without_network_can_still_play_with_itself(monkeypatch):
    monkeypatch.setattr(ifaddr, "get_adapters", list)
    monkeypatch.setattr(aioice.ice, "get_host_addresses", host_addresses)

    async def main():
        left, right = await open_pair()
        assert left._local.candidates[0].address == "127.0.0.1"
        await asyncio.gather(left.close(), right.close())

    run(main())


def test_no_address_at_all_is_said_at_once(monkeypatch):
    """aiortc alone would stay "new" for ever."""
    monkeypatch.setattr(aioice.ice, "get_host_addresses", lambda use_ipv4, use_ipv6: [])

    async def main():
        connection = WebRtcConnector().connect()
        with pytest.raises(LinkError, match="this machine has no network address"):
            await connection.offer()
        await connection.close()

    run(main())


def test_lost_packets_are_sent_again_soon():
    assert aiortc.rtcsctptransport.SCTP_RTO_MIN == webrtc.RETRANSMIT_S


# --- tables ---


def test_four_peers_meet_talk_and_outlive_the_server():
    async def main():
        async with signalling_server() as server:
            made = Meeting(server.url, limits=Limits()).meshes()
            meshes = await made.__aenter__()
            await check_talk(meshes)
        await check_talk(meshes)
        assert {mesh.transport_kind(seat) for mesh in meshes for seat in mesh.others} == {"direct"}
        await made.__aexit__(None, None, None)

    run(main(), limit=30.0)


def test_a_lost_connection_is_made_again():
    async def main():
        async with signalling_server() as server:
            meeting = Meeting(server.url, seats=2, limits=Limits())
            async with meeting.meshes() as meshes:
                for mesh in meshes:
                    other = mesh.others[0]
                    meshes[0].send(1, bytes(100_000))
                    await mesh._peers[other].transport._pc.close()
                    meshes[0].send(1, b"after")
                    assert await take_message(meshes[1]) == (0, bytes(100_000))
                    assert await take_message(meshes[1]) == (0, b"after")
                await check_talk(meshes)

    run(main(), limit=30.0)


def test_no_path_is_told_and_leaves_nothing_open(monkeypatch):
    """Every packet is lost; aiortc alone would try for a minute."""
    monkeypatch.setattr(aioice.ice.StunProtocol, "datagram_received", lambda self, data, addr: None)

    async def main():
        async with signalling_server() as server:
            limits = dataclasses.replace(MEETING_LIMITS, link_s=0.7, links_s=1.5)
            meeting = Meeting(server.url, seats=2, limits=limits)
            host = asyncio.create_task(meeting.host())
            guest = asyncio.create_task(meeting.join(1))
            for task in (host, guest):
                with pytest.raises((LinkError, PlayerLeft)):
                    await task

    run(main(), limit=30.0)


@pytest.mark.usefixtures("quick_links")
def test_a_peer_that_is_killed_is_away_soon():
    async def main():
        async with signalling_server() as server:
            meeting = Meeting(server.url, seats=2, limits=Limits())
            host = asyncio.create_task(meeting.host())
            await meeting.shown.wait()
            arguments = ("-m", "tests.net.vanisher", server.url, meeting.invites[0].code, "Bora")
            guest = await asyncio.create_subprocess_exec(
                sys.executable, *arguments, stdout=asyncio.subprocess.PIPE
            )
            try:
                mesh = await host
                assert await guest.stdout.readline() == b"ready\n"
                guest.send_signal(signal.SIGKILL)
                away = await wait_for_state(mesh, LinkState.AWAY)
                assert away.seat == 1
                await mesh.close()
            finally:
                if guest.returncode is None:
                    guest.kill()
                await guest.wait()

    run(main(), limit=40.0)
