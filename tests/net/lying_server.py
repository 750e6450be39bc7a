"""A signalling server that lies: it stands before the real one and changes what passes."""

import asyncio
import json
from contextlib import asynccontextmanager, suppress

from websockets.asyncio.client import connect
from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from p2pokey.codec import decode_base64, encode_base64
from p2pokey.net.bodies import decode_body, encode_body

PROTOCOL = Subprotocol("okeysig.1")


class LyingServer:
    """Carries messages between clients and the real server, as a test wants.

    Attributes:
        to_client: gets each message to a client, and the number of its connection; returns what is
            sent in its place, in order.
        to_server: the same for messages of clients.
        seen: everything that clients have said, with the number of the connection.
    """

    def __init__(self, url):
        self._target = url
        self.to_client = lambda number, message: [message]
        self.to_server = lambda number, message: [message]
        self.seen = []
        self._count = 0
        self._clients = {}
        self._upstream = {}

    @property
    def url(self):
        return f"ws://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def say(self, number, message):
        """Sends a message of its own to a client."""
        await self._clients[number].send(json.dumps(message))

    async def claim(self, number, message):
        """Sends a message to the real server in a client's name."""
        await self._upstream[number].send(json.dumps(message))

    async def _serve(self, socket):
        number, self._count = self._count, self._count + 1
        async with connect(
            self._target, subprotocols=[PROTOCOL], compression=None, proxy=None
        ) as upstream:
            self._clients[number], self._upstream[number] = socket, upstream
            back = asyncio.create_task(self._carry_back(number, upstream, socket))
            with suppress(ConnectionClosed):
                async for text in socket:
                    message = json.loads(text)
                    self.seen.append((number, message))
                    for said in self.to_server(number, message):
                        await upstream.send(json.dumps(said))
            await upstream.close()
            await back

    async def _carry_back(self, number, upstream, socket):
        with suppress(ConnectionClosed):
            async for text in upstream:
                for said in self.to_client(number, json.loads(text)):
                    await socket.send(json.dumps(said))
        await socket.close()


@asynccontextmanager
async def lying_server(url):
    """A lying server before the one at `url`."""
    liar = LyingServer(url)
    server = await serve(
        liar._serve, "127.0.0.1", 0, subprotocols=[PROTOCOL], compression=None, close_timeout=1
    )
    async with server:
        liar._server = server
        yield liar


def kind_of(message):
    """Kind of the body in a message, or its type where it has none."""
    if "body" not in message:
        return message["t"]
    return decode_body(decode_base64(message["body"])).kind


def change_body(message, **fields):
    """The message with other fields in its body."""
    values = decode_body(decode_base64(message["body"])).as_dict() | fields
    return {**message, "body": encode_base64(encode_body(values.pop("k"), **values))}
