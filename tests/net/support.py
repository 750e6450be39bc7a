"""Players, rosters, a server and a breakable network for the tests of `net`."""

import asyncio
from contextlib import asynccontextmanager, suppress

from p2pokey.native.agreement import X25519Key
from p2pokey.native.identity import Ed25519Signer
from p2pokey.net.limits import Limits as NetLimits
from p2pokey.net.meeting import host_table, join_table
from p2pokey.net.mesh import LinkChanged, MessageReceived
from p2pokey.net.seats import make_card
from p2pokey.net.toolkit import native_toolkit
from p2pokey.table.roster import Roster, RosterSeat, commit_nonce
from p2pokey.tiles import Seat
from signaling.config import ServerConfig
from signaling.limits import Limits
from signaling.server import serve

NAMES = ("Ayşe", "Bora", "Can", "Derya")
RULES = b'{"key":"classic"}'
ROOM = "K7Q2M"
TOOLKITS = tuple(native_toolkit(Ed25519Signer(bytes([index]) * 32)) for index in range(1, 6))
"""Four players and a stranger."""
NONCES = tuple(bytes([index]) * 32 for index in range(11, 15))
EPHEMERALS = tuple(X25519Key(bytes([index]) * 32) for index in range(21, 25))


def make_roster(count=4, *, epoch=1):
    seats = []
    for toolkit, nonce, name in list(zip(TOOLKITS, NONCES, NAMES, strict=False))[:count]:
        key = toolkit.public_key
        commit = commit_nonce(key, nonce)
        seats.append(RosterSeat(public_key=key, runner=key, nonce_commit=commit, name=name))
    return Roster(room=ROOM, epoch=epoch, rules=RULES, seats=tuple(seats))


def make_cards(roster):
    return tuple(
        make_card(
            roster,
            Seat(index),
            ephemeral=EPHEMERALS[index].public_key,
            nonce=NONCES[index],
            signer=TOOLKITS[index].signer,
        )
        for index in range(len(roster.seats))
    )


def run(work, limit=40.0):
    """Runs an async test to its end: within the limit, and with no task left behind."""

    async def guarded():
        async with asyncio.timeout(limit):
            result = await work
        # Tasks that are just ending get a moment; whoever waits for something stays.
        for _ in range(5):
            await asyncio.sleep(0.01)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return result

    return asyncio.run(guarded())


@asynccontextmanager
async def signalling_server(port=0, **limits):
    """The real signalling server in this process, on a port of its own."""
    config = ServerConfig(port=port, limits=Limits(**limits), close_timeout_s=1.0, bye_retry_ms=200)
    server = await serve(config)
    try:
        yield server
    finally:
        await server.close()


class Proxy:
    """A TCP proxy that can be cut and opened again, like a network cable."""

    def __init__(self, target_port):
        self._target_port = target_port
        self._writers = set()
        self._tasks = set()
        self.is_open = True

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_):
        self._server.close()
        self.cut()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    @property
    def url(self):
        return f"ws://127.0.0.1:{self.port}"

    def cut(self):
        """Ends every connection and lets no new one through."""
        self.is_open = False
        for writer in self._writers:
            writer.transport.abort()

    async def _serve(self, reader, writer):
        self._tasks.add(asyncio.current_task())
        self._writers.add(writer)
        if not self.is_open:
            writer.transport.abort()
            return
        there, back = await asyncio.open_connection("127.0.0.1", self._target_port)
        self._writers.add(back)
        await asyncio.gather(self._pipe(reader, back), self._pipe(there, writer))

    async def _pipe(self, reader, writer):
        with suppress(OSError):
            while data := await reader.read(65536):
                writer.write(data)
        writer.close()


MEETING_LIMITS = NetLimits(
    server_s=10.0,
    patience_s=5.0,
    admission_s=15.0,
    window_s=30,
    waiting_s=30.0,
    cards_s=15.0,
    link_s=2.0,
    links_s=15.0,
    ready_s=15.0,
    goodbye_s=2.0,
    retry_s=0.1,
    retry_max_s=0.4,
)


class Meeting:
    """One table in the making: a host, its guests and what they are told."""

    def __init__(self, server, *, seats=4, connector=None, limits=MEETING_LIMITS):
        self.server = server
        self.seats = seats
        self.connector = connector
        self.limits = limits
        self.invites = []
        self.shown = asyncio.Event()
        self.progress = {}

    def _note(self, name):
        steps = self.progress.setdefault(name, [])
        return lambda step: steps.append((step.phase.value, step.done, step.total, step.name))

    def _show(self, invite):
        self.invites.append(invite)
        self.shown.set()

    async def host(self, **changes):
        arguments = {
            "signer": TOOLKITS[0].signer,
            "name": NAMES[0],
            "rules": RULES,
            "seats": self.seats,
            "server": self.server,
            "on_code": self._show,
            "on_progress": self._note(NAMES[0]),
            "limits": self.limits,
            "connector": self.connector,
        }
        return await host_table(**{**arguments, **changes})

    async def join(self, index, **changes):
        async with asyncio.timeout(15.0):
            await self.shown.wait()
        arguments = {
            "signer": TOOLKITS[index].signer,
            "name": (*NAMES, "Eve")[index],
            "invite": self.invites[-1].code,
            "server": self.server,
            "on_progress": self._note((*NAMES, "Eve")[index]),
            "limits": self.limits,
            "connector": self.connector,
        }
        return await join_table(**{**arguments, **changes})

    @asynccontextmanager
    async def meshes(self):
        """All meshes of the table, in seat order, closed in the end."""
        guests = (self.join(index) for index in range(1, self.seats))
        made = await asyncio.gather(self.host(), *guests)
        made.sort(key=lambda mesh: mesh.seat)
        try:
            yield made
        finally:
            await asyncio.gather(*(mesh.close() for mesh in made))


async def until(condition, limit=15.0):
    """Waits for something that nobody announces."""
    async with asyncio.timeout(limit):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def take_message(mesh, limit=10.0):
    """The next message, whatever links do meanwhile."""
    async with asyncio.timeout(limit):
        while True:
            event = await mesh.next_event()
            if isinstance(event, MessageReceived):
                return event.seat, event.data


async def wait_for_state(mesh, state, limit=10.0):
    """The first change to that state."""
    async with asyncio.timeout(limit):
        while True:
            event = await mesh.next_event()
            if isinstance(event, LinkChanged) and event.state is state:
                return event


async def check_talk(meshes):
    """Everybody sends to everybody, and everything arrives."""
    for mesh in meshes:
        mesh.broadcast(bytes([mesh.seat]) * 60_000)
    for mesh in meshes:
        got = [await take_message(mesh) for _ in mesh.others]
        assert sorted(got) == [(seat, bytes([seat]) * 60_000) for seat in mesh.others]
    assert all([await mesh.flush() for mesh in meshes])
