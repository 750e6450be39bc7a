"""WebRTC data channels by aiortc: the only module that imports it, and slow to import (0.5 s).

One connection carries one negotiated channel with id 0. What aiortc 1.16 does unexpectedly, and
what is done about it here (docs/network.md, Traps):

- no network address: it stays "new" for ever -> `LinkError` from `offer` and `answer`;
- a connection without a path "fails" after 63 s -> callers wait 8 s;
- an exception in a handler closes our end only -> handlers only put things into a queue;
- `send` followed by `close` loses data -> the channel is closed and waited for first;
- a process that ends without closing is missed for 33 s -> owners close in `finally`;
- after a lost packet it waits 1 s before sending again -> 0.3 s (`SCTP_RTO_MIN`);
- 127.0.0.1 is never offered -> it is where there is nothing else (`host_addresses`).
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Sequence
from typing import TypeVar

import aioice.ice
import aiortc.rtcsctptransport
from aiortc import (
    RTCConfiguration,
    RTCDataChannel,
    RTCIceServer,
    RTCPeerConnection,
    RTCSessionDescription,
)
from aiortc.exceptions import InvalidAccessError, InvalidStateError, OperationError

from p2pokey.errors import LinkError
from p2pokey.net.frames import MAX_FRAME_BYTES
from p2pokey.net.ice import IceServer
from p2pokey.net.sdp import Description, format_description, parse_description
from p2pokey.net.transport import Connection, FrameQueue, Transport

RETRANSMIT_S = 0.3
"""Shortest wait before SCTP sends again: p95 of a round trip at 5 % loss fell from 1.1 to 0.4 s."""
_CHANNEL_CLOSE_S = 1.0
_CONNECTION_CLOSE_S = 3.0
_LIBRARY_ERRORS = (
    InvalidAccessError,
    InvalidStateError,
    OperationError,
    ConnectionError,
    OSError,
    ValueError,
)

_Result = TypeVar("_Result")
_gathered_addresses = aioice.ice.get_host_addresses


def host_addresses(use_ipv4: bool, use_ipv6: bool) -> list[str]:
    """The addresses of this machine to offer; 127.0.0.1 only where there is no other.

    aioice leaves 127.0.0.1 out always. On a machine without any network that would leave nothing,
    and four players on one machine could not meet.
    """
    addresses: list[str] = _gathered_addresses(use_ipv4, use_ipv6)
    return addresses or ["127.0.0.1"]


def _adjust_libraries() -> None:
    """Both are module-level names that aioice and aiortc look up at each use."""
    aioice.ice.get_host_addresses = host_addresses
    aiortc.rtcsctptransport.SCTP_RTO_MIN = RETRANSMIT_S  # type: ignore[assignment]


_adjust_libraries()


class WebRtcConnector:
    """Makes WebRTC connections; implements `transport.Connector`.

    Args:
        ice_servers: used instead of the library's default, which would ask a public server.
    """

    def __init__(self, ice_servers: Sequence[IceServer] = ()) -> None:
        self._servers = [
            RTCIceServer(urls=server.url, username=server.username, credential=server.credential)
            for server in ice_servers
        ]

    def connect(self) -> Connection:
        """A new attempt."""
        return WebRtcConnection(RTCConfiguration(iceServers=self._servers))


class WebRtcConnection:
    """One attempt; implements `transport.Connection`."""

    def __init__(self, configuration: RTCConfiguration) -> None:
        self._pc = RTCPeerConnection(configuration)
        self._channel = self._pc.createDataChannel("p2pokey", negotiated=True, id=0)
        self._arrived = FrameQueue()
        self._changed = asyncio.Event()
        self._is_handed_out = False
        self._local: Description | None = None
        self._remote: Description | None = None
        self._channel.on("open", self._changed.set)
        self._channel.on("message", self._on_message)
        self._channel.on("close", self._on_close)
        self._pc.on("connectionstatechange", self._on_state)

    async def offer(self) -> str:
        """Our offer."""
        offer = await _call(self._pc.createOffer())
        await _call(self._pc.setLocalDescription(offer))
        return self._describe("offer")

    async def answer(self, offer: str) -> str:
        """Our answer."""
        await self._take_remote("offer", offer)
        answer = await _call(self._pc.createAnswer())
        await _call(self._pc.setLocalDescription(answer))
        return self._describe("answer")

    async def accept(self, answer: str) -> None:
        """Takes the answer to our offer."""
        await self._take_remote("answer", answer)

    async def opened(self) -> Transport:
        """The transport, once its channel is open."""
        while self._channel.readyState != "open":
            if self._arrived.is_ended:
                await self._arrived.take()  # raises the reason
            self._changed.clear()
            await self._changed.wait()
        assert self._local is not None
        assert self._remote is not None
        self._is_handed_out = True
        return WebRtcTransport(
            self._pc, self._channel, self._arrived, self._local, self._remote, self._changed
        )

    async def close(self) -> None:
        """Gives up, unless the transport was handed out."""
        if not self._is_handed_out:
            await _close_connection(self._pc)

    async def _take_remote(self, kind: str, text: str) -> None:
        self._remote = parse_description(kind, text)
        description = RTCSessionDescription(sdp=format_description(self._remote), type=kind)
        await _call(self._pc.setRemoteDescription(description))

    def _describe(self, kind: str) -> str:
        text = self._pc.localDescription.sdp
        if "a=candidate:" not in text:
            raise LinkError("this machine has no network address: connect it to a network")
        self._local = parse_description(kind, text)
        return format_description(self._local)

    # Handlers: an exception in one of them would close our end and leave the other one open.

    def _on_message(self, data: object) -> None:
        if isinstance(data, bytes) and len(data) <= MAX_FRAME_BYTES:
            self._arrived.put(data)
        else:
            self._arrived.end(LinkError("expected a frame, got text or too much at once"))

    def _on_close(self) -> None:
        self._arrived.end(LinkError("the other player closed the connection"))
        self._changed.set()

    def _on_state(self) -> None:
        if self._pc.connectionState in ("failed", "closed"):
            self._arrived.end(LinkError("the connection was lost"))
            self._changed.set()


class WebRtcTransport:
    """An open channel; implements `transport.Transport`."""

    def __init__(
        self,
        pc: RTCPeerConnection,
        channel: RTCDataChannel,
        arrived: FrameQueue,
        local: Description,
        remote: Description,
        changed: asyncio.Event,
    ) -> None:
        self._pc = pc
        self._channel = channel
        self._arrived = arrived
        self._local = local
        self._remote = remote
        self._changed = changed

    @property
    def kind(self) -> str:
        """`direct`."""
        return "direct"

    @property
    def own_fingerprint(self) -> bytes:
        """SHA-256 of our DTLS certificate."""
        return self._local.fingerprint

    @property
    def other_fingerprint(self) -> bytes:
        """SHA-256 of the other end's certificate; the library has checked that it is in use."""
        return self._remote.fingerprint

    def send(self, frame: bytes) -> None:
        """Queues the frame in the channel."""
        if self._channel.readyState == "open":
            self._channel.send(frame)

    async def receive(self) -> bytes:
        """The next frame."""
        return await self._arrived.take()

    async def close(self) -> None:
        """Closes the channel, which delivers what was sent, and then the connection."""
        if self._channel.readyState == "open":
            self._channel.close()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_CHANNEL_CLOSE_S):
                    while self._channel.readyState != "closed":
                        self._changed.clear()
                        await self._changed.wait()
        await _close_connection(self._pc)


async def _call(step: Awaitable[_Result]) -> _Result:
    try:
        return await step
    except _LIBRARY_ERRORS as error:
        raise LinkError(f"the connection could not be set up ({type(error).__name__})") from error


async def _close_connection(pc: RTCPeerConnection) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_CONNECTION_CLOSE_S):
            await pc.close()
