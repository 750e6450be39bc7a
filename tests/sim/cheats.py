"""A kit for peers that send wrong things: each cheat is a few lines and states culprit and cause.

A cheat changes a message of one seat before it is signed, so that signature and chain are in order
and only the thing itself is wrong; a two-faced seat signs a second message for some of the others,
and a seat of two minds plays on with both of its faces.
"""

from collections.abc import Callable, Collection
from typing import Any

from p2pokey.bots.choosing import choose
from p2pokey.crypto.drbg import Drbg
from p2pokey.hand.core import HandCore, HandPorts
from p2pokey.hand.effects import (
    AuditDue,
    Command,
    Effect,
    Persist,
    Phase,
    Play,
    Send,
    TurnReady,
)
from p2pokey.hand.machine import HandMachine
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.tiles import Seat
from p2pokey.transcript.envelope import Envelope, decode_envelope, seal_envelope
from p2pokey.transcript.messages import Kind, Message
from tests.sim.table import SimTable, fixed_bytes, signer_of

Change = Callable[[HandCore, Message], Message]


def flip(data: bytes, at: int = 0) -> bytes:
    """The bytes with one bit changed."""
    place = at % len(data)
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


def change_message(
    table: SimTable, seat: int, kind: Kind, change: Change, *, number: int = 0
) -> None:
    """Lets the seat send a changed message in place of its `number`-th one of this kind."""
    change_core(table.peers[seat].machine._core, kind, change, number=number)


def change_core(core: HandCore, kind: Kind, change: Change, *, number: int = 0) -> None:
    """`change_message` for a machine that sits at no table."""
    honest = core.send
    seen = 0

    def send(message: Message) -> None:
        nonlocal seen
        if message.kind is kind:
            seen += 1
            if seen == number + 1:
                message = change(core, message)
        honest(message)

    core.send = send


def two_faced(
    table: SimTable,
    seed: object,
    seat: int,
    kind: Kind,
    change: Callable[[Message], Message],
    *,
    target: int,
) -> None:
    """Lets the seat sign a second message for the same place, shown to one target only."""

    def wire(source: Seat, receiver: Seat, data: bytes) -> list[bytes]:
        envelope = decode_envelope(data)
        if (envelope.seat, envelope.kind, source) != (seat, kind, seat) or receiver != target:
            return [data]
        return [resign(seed, envelope, change(envelope.message)).encoded]

    table.wire = wire


def resign(seed: object, envelope: Envelope, message: Message) -> Envelope:
    """Another message of the same author for the same place."""
    return seal_envelope(
        signer_of(seed, envelope.seat),
        session=envelope.session,
        hand=envelope.hand,
        seat=envelope.seat,
        seq=envelope.seq,
        prev=envelope.prev,
        step=envelope.step,
        state=envelope.state,
        message=message,
    )


def fall_silent(table: SimTable, seat: int, *, after: int, to: Collection[int] = range(4)) -> None:
    """Keeps back everything that the seat signs from its message number `after` on."""

    def wire(source: Seat, receiver: Seat, data: bytes) -> list[bytes]:
        is_kept = source == seat and receiver in to and decode_envelope(data).seq >= after
        return [] if is_kept else [data]

    table.wire = wire


class TwoMinds:
    """A seat that plays two hands at once; takes the place of a machine at a `SimTable`.

    Both minds follow the protocol with the same secrets and hear everything. The second one changes
    one message; from there on each goes on consistently with its own chain, so that nobody finds
    a broken chain and only two honest seats together can see the fork. Neither of them accuses
    anybody or passes on what others sent.
    """

    def __init__(
        self,
        minds: tuple[HandMachine, HandMachine],
        player: bytes,
        judge: Callable[[bytes], Command],
    ) -> None:
        """Args: player: key of its player; judge: what to answer when an audit is due."""
        self.minds = minds
        self.sent: tuple[set[bytes], set[bytes]] = (set(), set())
        self._judge = judge
        self._players = [Drbg(player, "player", b"") for _ in minds]
        self._turns = [False, False]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.minds[0], name)

    def receive(self, data: bytes, sender: Seat, now: float) -> None:
        for mind in self.minds:
            mind.receive(data, sender, now)

    def work(self, now: float) -> bool:
        is_busy = [mind.work(now) for mind in self.minds]
        for index, mind in enumerate(self.minds):
            if self._turns[index] and not is_busy[index] and mind.phase is Phase.PLAY:
                self._turns[index] = False
                mind.act(Play(move=choose(mind.view(), self._players[index])), now)
                return True
        return any(is_busy)

    def poll(self) -> tuple[Effect, ...]:
        return tuple(
            effect
            for index, mind in enumerate(self.minds)
            for effect in mind.poll()
            if self._is_shown(index, mind, effect)
        )

    def _is_shown(self, index: int, mind: HandMachine, effect: Effect) -> bool:
        match effect:
            case Send(envelope=data):
                envelope = decode_envelope(data)
                if envelope.seat != mind._core.seat or envelope.kind is Kind.VOID:
                    return False
                self.sent[index].add(data)
            case TurnReady():
                self._turns[index] = True
            case AuditDue(transcript=transcript):
                mind.act(self._judge(transcript), 0.0)
        return isinstance(effect, Send | Persist)

    def next_timer(self) -> float | None:
        times = [time for mind in self.minds if (time := mind.next_timer()) is not None]
        return min(times, default=None)

    def timer(self, now: float) -> None:
        for mind in self.minds:
            mind.timer(now)


def two_minds(
    table: SimTable,
    seed: object,
    seat: int,
    kind: Kind,
    change: Change,
    *,
    targets: Collection[int],
    judge: Callable[[bytes], Command],
    number: int = 0,
) -> TwoMinds:
    """Gives the seat a second mind, which sends the changed message and talks to the targets."""
    peer = table.peers[seat]
    twin = HandMachine(
        setup=table.setup,
        seat=peer.seat,
        seed=fixed_bytes(f"seed {seed} {table.setup.hand} {seat}"),
        ports=HandPorts(
            group=table.group, signer=signer_of(seed, seat), sealer=peer.machine._core.sealer
        ),
        verifier=Ed25519Verifier(),
    )
    change_core(twin._core, kind, change, number=number)
    both = TwoMinds((peer.machine, twin), fixed_bytes(f"player {seed} {seat}"), judge)
    peer.machine = both

    def wire(source: Seat, receiver: Seat, data: bytes) -> list[bytes]:
        return [data] if source != seat or data in both.sent[receiver in targets] else []

    table.wire = wire
    return both


def resign_after(seed: object, envelope: Envelope, message: Message) -> Envelope:
    """A message of the same author that follows the envelope in its chain."""
    return seal_envelope(
        signer_of(seed, envelope.seat),
        session=envelope.session,
        hand=envelope.hand,
        seat=envelope.seat,
        seq=envelope.seq + 1,
        prev=envelope.body_hash,
        step=envelope.step,
        state=envelope.state,
        message=message,
    )
