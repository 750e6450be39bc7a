"""What a link needs from a transport, and what making one looks like.

Three kinds fit this interface: memory (tests and solo play), WebRTC data channels, and later a
relay through the signalling server.
"""

import asyncio
from typing import Protocol

from p2pokey.errors import LinkError

MAX_WAITING_FRAMES = 512
"""Frames that have arrived and were not yet taken: 8 MiB at most."""


class Transport(Protocol):
    """An open, ordered, reliable and encrypted channel of frames to one peer."""

    @property
    def kind(self) -> str:
        """`memory`, `direct` or `relayed`, for people."""

    @property
    def own_fingerprint(self) -> bytes:
        """32 bytes that stand for our end; authentication signs them."""

    @property
    def other_fingerprint(self) -> bytes:
        """32 bytes that stand for the other end."""

    def send(self, frame: bytes) -> None:
        """Sends a frame or queues it; does nothing once the transport is closed."""

    async def receive(self) -> bytes:
        """The next frame; raises LinkError with the reason once the transport is closed."""

    async def close(self) -> None:
        """Delivers what was sent, if the other side still listens, and closes within a second."""


class Connection(Protocol):
    """One attempt to make a transport by offer and answer. Always to be closed or opened."""

    async def offer(self) -> str:
        """Our offer; LinkError if this machine has no network address."""

    async def answer(self, offer: str) -> str:
        """Our answer to the other side's offer; LinkError if that makes no sense."""

    async def accept(self, answer: str) -> None:
        """Takes the other side's answer to our offer; LinkError if that makes no sense."""

    async def opened(self) -> Transport:
        """The transport once it is open; LinkError if it cannot be. Waits without a limit."""

    async def close(self) -> None:
        """Gives up the attempt; does nothing to a transport that was opened."""


class Connector(Protocol):
    """Makes attempts."""

    def connect(self) -> Connection:
        """A new attempt."""


class FrameQueue:
    """Frames that have arrived, and the reason why no more will.

    `put` and `end` are called from handlers that must never raise; `take` by one reader.
    """

    def __init__(self) -> None:
        self._queue: asyncio.Queue[bytes | LinkError] = asyncio.Queue()
        self._error: LinkError | None = None

    @property
    def is_ended(self) -> bool:
        """Whether no more frames will come."""
        return self._error is not None

    def put(self, frame: bytes) -> None:
        """A frame arrived. Too many untaken ones end the queue."""
        if self._error is None:
            if self._queue.qsize() >= MAX_WAITING_FRAMES:
                self.end(LinkError("the other player sends more than anybody can take"))
            else:
                self._queue.put_nowait(frame)

    def end(self, error: LinkError) -> None:
        """No more frames; those that have arrived can still be taken."""
        if self._error is None:
            self._error = error
            self._queue.put_nowait(error)

    async def take(self) -> bytes:
        """The next frame; raises the reason once there are no more."""
        if self._error is not None and self._queue.empty():
            raise self._error
        item = await self._queue.get()
        if isinstance(item, LinkError):
            raise item
        return item
