"""Opens the links of one seat and opens them again when they are lost.

Of two seats the higher one offers and the lower one answers. A link that is wanted is tried until it
is open; the answering side can only ask for another offer. Every try has a number that grows, so
a late offer or answer of an old try is told apart. Nothing else reaches the mesh than transports
whose other end has shown who it is.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from p2pokey.errors import DecodeError, LinkError, VerificationError
from p2pokey.net.authentication import Authentication
from p2pokey.net.bodies import decode_body
from p2pokey.net.limits import Limits
from p2pokey.net.offers import PairMessage, PairTalk
from p2pokey.net.tasks import cancel, spawn
from p2pokey.net.toolkit import Toolkit
from p2pokey.net.transport import Connection, Connector, Transport
from p2pokey.table.roster import Roster
from p2pokey.tiles import Seat


class LinkOwner(Protocol):
    """Who gets the transports."""

    def link_opened(self, seat: Seat) -> None:
        """A transport is open, its other end not yet known."""

    def link_authenticated(self, seat: Seat, transport: Transport, run: bytes) -> None:
        """A transport to that very seat, now the owner's; `run`: of the program at its end."""

    def route_changed(self) -> None:
        """A seat has another place at the signalling server."""

    def link_failed(self, seat: Seat, error: LinkError) -> None:
        """One try has failed; the next one follows unless the seat is given up."""


@dataclass(slots=True, kw_only=True)
class _Pair:
    """What is going on with one other seat."""

    talk: PairTalk
    route: str
    run: bytes = b""
    """Newest known run of the other program."""
    wanted: asyncio.Event = field(default_factory=asyncio.Event)
    attempt: int = 0
    """Our last offer's number, or the last one we answered."""
    answer: asyncio.Future[str] | None = None
    keeper: asyncio.Task[None] | None = None
    answering: asyncio.Task[None] | None = None


class Dialer:
    """Keeps one seat's links open.

    Args:
        toolkit: our keys.
        roster: the signed roster.
        seat: our seat.
        talks: sealed talk with each other seat.
        routes: id on the signalling server of each seat.
        send: sends a body through the signalling server.
        connector: makes tries.
        owner: who gets the transports.
        limits: how long a try takes, and the pauses between them.
        run: 16 random bytes of this run of our program.
        is_resumed: our program has been started again: it asks for offers without waiting.
    """

    def __init__(
        self,
        *,
        toolkit: Toolkit,
        roster: Roster,
        seat: Seat,
        talks: Mapping[Seat, PairTalk],
        routes: Sequence[str],
        send: Callable[[str, bytes], Awaitable[None]],
        connector: Connector,
        owner: LinkOwner,
        limits: Limits,
        run: bytes,
        is_resumed: bool = False,
    ) -> None:
        self._run = run
        self._is_resumed = is_resumed
        self._toolkit = toolkit
        self._roster = roster
        self._seat = seat
        self._send = send
        self._connector = connector
        self._owner = owner
        self._limits = limits
        self._pairs = {
            other: _Pair(talk=talk, route=routes[other]) for other, talk in talks.items()
        }
        self._greetings: set[asyncio.Task[None]] = set()

    # --- verbs ---

    def want(self, seat: Seat) -> None:
        """Opens the link to that seat, now or again."""
        pair = self._pairs.get(seat)
        if pair is None:
            return
        pair.wanted.set()
        if pair.keeper is None:
            self._keep(seat, pair)

    def receive(self, sender: str, body: bytes) -> None:
        """A body from another member; whatever is not a seat's sealed message is dropped.

        Ids at the server can change, so the seat is the one whose box it is.
        """
        try:
            box = decode_body(body)
            if box.kind != "pair":
                return
        except DecodeError:
            return
        # The seat that had this id last is the likeliest.
        pairs = sorted(self._pairs.items(), key=lambda item: item[1].route != sender)
        for seat, pair in pairs:
            try:
                message = pair.talk.unseal(box)
            except (DecodeError, VerificationError):
                continue
            self._take(seat, pair, message, sender)
            return

    async def met(self, member: str) -> None:
        """Somebody is at the server; unless we know who, says where we are to whoever it may be."""
        if any(pair.route == member for pair in self._pairs.values()):
            return
        for pair in self._pairs.values():
            await self._tell(pair, "here", to=member)

    @property
    def routes(self) -> dict[Seat, str]:
        """Last known id at the server of each other seat."""
        return {seat: pair.route for seat, pair in self._pairs.items()}

    async def forget(self, seat: Seat) -> None:
        """That seat has left: it is not called any more, but may call."""
        pair = self._pairs[seat]
        pair.wanted.clear()
        keeper, pair.keeper = pair.keeper, None
        await cancel(keeper, pair.answering)

    async def close(self) -> None:
        """Gives up everything that is under way."""
        for seat in self._pairs:
            await self.forget(seat)
        await cancel(*self._greetings)

    # --- messages ---

    def _take(self, seat: Seat, pair: _Pair, message: PairMessage, sender: str) -> None:
        is_offering = seat < self._seat
        is_new = self._note_origin(seat, pair, sender, message.kind)
        match message.kind:
            case "offer" if not is_offering and message.attempt > pair.attempt:
                pair.attempt = message.attempt
                before, pair.answering = pair.answering, None
                answer = self._answer(seat, pair, message, before)
                pair.answering = spawn(answer, f"answer seat {seat}")
            case "answer" if is_offering and message.attempt == pair.attempt:
                if pair.answer is not None and not pair.answer.done():
                    pair.answer.set_result(message.description)
            case "retry" if is_offering:
                pair.wanted.set()
            case "here" if is_new:
                self._greet(pair)

    def _note_origin(self, seat: Seat, pair: _Pair, sender: str, kind: str) -> bool:
        """Keeps route and run of a message; whether one of them is new."""
        is_elsewhere = pair.route != sender
        if is_elsewhere:
            pair.route = sender
            self._owner.route_changed()
        run, before = pair.talk.other_run, pair.run
        if run == before:
            return is_elsewhere
        pair.run = run
        # The first answer that a program gets is one to what is under way.
        if before or kind != "answer":
            self._begin_again(seat, pair)
        return True

    def _begin_again(self, seat: Seat, pair: _Pair) -> None:
        """The other program is another run: what was under way with the last one is void."""
        if seat > self._seat:
            pair.attempt = 0
            return
        keeper, pair.keeper = pair.keeper, None
        if keeper is not None:
            keeper.cancel()
            self._greetings.add(keeper)
            keeper.add_done_callback(self._greetings.discard)
        self.want(seat)

    def _greet(self, pair: _Pair) -> None:
        greeting = spawn(self._tell(pair, "here"), "greeting")
        self._greetings.add(greeting)
        greeting.add_done_callback(self._greetings.discard)

    def _keep(self, seat: Seat, pair: _Pair) -> None:
        keep = self._keep_offering if seat < self._seat else self._keep_asking
        pair.keeper = spawn(keep(seat, pair), f"dial seat {seat}")

    async def _tell(
        self, pair: _Pair, kind: str, description: str = "", to: str | None = None
    ) -> None:
        message = PairMessage(kind=kind, attempt=pair.attempt, description=description)
        await self._send(to or pair.route, pair.talk.seal(message))

    # --- keepers ---

    async def _keep_offering(self, seat: Seat, pair: _Pair) -> None:
        pause_s = self._limits.retry_s
        while True:
            await pair.wanted.wait()
            pair.attempt += 1
            if await self._try(seat, pair, self._offer_steps(pair)):
                pair.wanted.clear()
                pause_s = self._limits.retry_s
                await asyncio.sleep(self._limits.retry_s)  # so that nobody makes us spin
            else:
                await asyncio.sleep(pause_s)
                pause_s = min(2 * pause_s, self._limits.retry_max_s)

    async def _keep_asking(self, seat: Seat, pair: _Pair) -> None:
        """The first offer comes by itself; later ones may have to be asked for."""
        pause_s = self._limits.link_s
        first_s = 0.0 if self._is_resumed else pause_s
        while True:
            await pair.wanted.wait()
            await asyncio.sleep(first_s if pair.attempt == 0 else self._limits.retry_s)
            first_s = pause_s
            is_busy = pair.answering is not None and not pair.answering.done()
            if pair.wanted.is_set() and not is_busy:
                await self._tell(pair, "retry")
                await asyncio.sleep(min(pause_s, self._limits.retry_max_s))

    async def _answer(
        self,
        seat: Seat,
        pair: _Pair,
        message: PairMessage,
        before: asyncio.Task[None] | None,
    ) -> None:
        await cancel(before)
        if await self._try(seat, pair, self._answer_steps(pair, message.description)):
            pair.wanted.clear()

    # --- one try ---

    async def _try(
        self, seat: Seat, pair: _Pair, steps: Callable[[Connection], Awaitable[None]]
    ) -> bool:
        """Whether the link is open and its other end known."""
        try:
            transport, run = await self._open(seat, steps)
        except LinkError as error:
            self._owner.link_failed(seat, error)
            return False
        self._owner.link_authenticated(seat, transport, run)
        return True

    def _offer_steps(self, pair: _Pair) -> Callable[[Connection], Awaitable[None]]:
        async def steps(connection: Connection) -> None:
            offer = await connection.offer()
            pair.answer = asyncio.get_running_loop().create_future()
            await self._tell(pair, "offer", offer)
            await connection.accept(await pair.answer)

        return steps

    def _answer_steps(self, pair: _Pair, offer: str) -> Callable[[Connection], Awaitable[None]]:
        async def steps(connection: Connection) -> None:
            answer = await connection.answer(offer)
            await self._tell(pair, "answer", answer)

        return steps

    async def _open(
        self, seat: Seat, steps: Callable[[Connection], Awaitable[None]]
    ) -> tuple[Transport, bytes]:
        connection = self._connector.connect()
        transport: Transport | None = None
        try:
            async with asyncio.timeout(self._limits.link_s):
                await steps(connection)
                transport = await connection.opened()
                self._owner.link_opened(seat)
                run = await self._authenticate(seat, transport)
        except TimeoutError:
            name = self._roster.seats[seat].name
            await _close(connection, transport)
            raise LinkError(
                f"no direct connection to {name} within {self._limits.link_s:g} s"
            ) from None
        except BaseException:
            await _close(connection, transport)
            raise
        return transport, run

    async def _authenticate(self, seat: Seat, transport: Transport) -> bytes:
        """Makes sure who is at the other end; returns the run of its program."""
        check = Authentication(
            self._toolkit,
            self._roster,
            own_seat=self._seat,
            other_seat=seat,
            own_fingerprint=transport.own_fingerprint,
            other_fingerprint=transport.other_fingerprint,
            run=self._run,
        )
        transport.send(check.start())
        while not check.is_done:
            answer = check.receive(await transport.receive())
            if answer is not None:
                transport.send(answer)
        return check.other_run


async def _close(connection: Connection, transport: Transport | None) -> None:
    if transport is None:
        await connection.close()
    else:
        await transport.close()
