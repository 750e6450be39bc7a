"""Transports inside one process: for tests, and for playing alone against bots."""

from p2pokey.codec import decode_base64, encode_base64
from p2pokey.errors import LinkError
from p2pokey.net.transport import Connection, FrameQueue, Transport
from p2pokey.ports import Entropy

_ID_BYTES = 32


class MemoryTransport:
    """One end of a pair; implements `transport.Transport`."""

    def __init__(self, own_fingerprint: bytes, other_fingerprint: bytes) -> None:
        self._own_fingerprint = own_fingerprint
        self._other_fingerprint = other_fingerprint
        self._arrived = FrameQueue()
        self._other: MemoryTransport | None = None

    @property
    def kind(self) -> str:
        """`memory`."""
        return "memory"

    @property
    def own_fingerprint(self) -> bytes:
        """32 bytes."""
        return self._own_fingerprint

    @property
    def other_fingerprint(self) -> bytes:
        """32 bytes."""
        return self._other_fingerprint

    def join(self, other: "MemoryTransport") -> None:
        """Makes `other` the place where our frames arrive."""
        self._other = other

    def send(self, frame: bytes) -> None:
        """Puts the frame into the other end's queue."""
        if self._other is not None and not self._arrived.is_ended:
            self._other.arrive(frame)

    def arrive(self, frame: bytes) -> None:
        """The other end sent this."""
        self._arrived.put(frame)

    async def receive(self) -> bytes:
        """The next frame."""
        return await self._arrived.take()

    def cut(self) -> None:
        """The connection is lost: neither end hears of the other again."""
        for end in (self, self._other):
            if end is not None:
                end.end(LinkError("the connection was lost"))

    def end(self, error: LinkError) -> None:
        """No more frames arrive."""
        self._arrived.end(error)

    async def close(self) -> None:
        """Ends both ends; what was sent before still arrives."""
        self.cut()


def memory_pair(entropy: Entropy) -> tuple[MemoryTransport, MemoryTransport]:
    """Two ends of one transport with fresh fingerprints."""
    first, second = entropy.random_bytes(_ID_BYTES), entropy.random_bytes(_ID_BYTES)
    left, right = MemoryTransport(first, second), MemoryTransport(second, first)
    left.join(right)
    right.join(left)
    return left, right


class MemoryNetwork:
    """Connects peers of one process by offer and answer; implements `transport.Connector`.

    Attributes:
        is_up: while False, attempts get nowhere, like packets on a dead network.
        opened: every transport that was ever opened, for tests to cut.
    """

    def __init__(self, entropy: Entropy) -> None:
        self._entropy = entropy
        self._offers: dict[bytes, MemoryTransport] = {}
        self.is_up = True
        self.opened: list[MemoryTransport] = []

    def connect(self) -> Connection:
        """A new attempt."""
        return MemoryConnection(self)

    def make_offer(self) -> tuple[bytes, MemoryTransport]:
        """An id and the end that it will lead to."""
        left, right = memory_pair(self._entropy)
        self._offers[left.own_fingerprint] = right
        return left.own_fingerprint, left

    def take_offer(self, offer: str) -> MemoryTransport:
        """The other end of an offer."""
        transport = self._offers.pop(decode_base64(offer), None) if self.is_up else None
        if transport is None:
            raise LinkError("that offer leads nowhere")
        return transport

    def open(self, transport: MemoryTransport) -> Transport:
        """Hands the transport out."""
        if not self.is_up:
            raise LinkError("the network is down")
        self.opened.append(transport)
        return transport


class MemoryConnection:
    """One attempt in a `MemoryNetwork`; implements `transport.Connection`."""

    def __init__(self, network: MemoryNetwork) -> None:
        self._network = network
        self._transport: MemoryTransport | None = None

    async def offer(self) -> str:
        """An id as text."""
        offer, self._transport = self._network.make_offer()
        return encode_base64(offer)

    async def answer(self, offer: str) -> str:
        """The offer again."""
        self._transport = self._network.take_offer(offer)
        return offer

    async def accept(self, answer: str) -> None:
        """Nothing more to learn."""

    async def opened(self) -> Transport:
        """Open as soon as both sides have the offer."""
        if self._transport is None:
            raise LinkError("nothing was offered")
        return self._network.open(self._transport)

    async def close(self) -> None:
        """Nothing to give back."""
