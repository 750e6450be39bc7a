"""Whole hands in memory: real machines, a seeded network, simple players.

A failing seed is the whole bug report: everything that happens follows from it.
"""

import hashlib
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from p2pokey.bots.choosing import choose
from p2pokey.crypto.drbg import Drbg
from p2pokey.crypto.group import Group
from p2pokey.hand.core import HandPorts
from p2pokey.hand.effects import (
    AuditDue,
    ConfirmResult,
    Effect,
    HandFinished,
    HandStopped,
    MoveApplied,
    Persist,
    Phase,
    Play,
    Send,
    TurnReady,
)
from p2pokey.hand.machine import HandMachine
from p2pokey.native.identity import Ed25519Signer, Ed25519Verifier
from p2pokey.native.sealing import ChaChaSealer
from p2pokey.rules.moves import Move
from p2pokey.rules.published import RuleSet
from p2pokey.rules.rulesets import TableOptions, ruleset_for, table_options
from p2pokey.rules.view import View
from p2pokey.tiles import Seat
from p2pokey.transcript.setup import NO_TRANSCRIPT, HandSetup


def fixed_bytes(label: str, count: int = 32) -> bytes:
    """Bytes that follow from a label: secrets of a test."""
    return hashlib.shake_256(label.encode()).digest(count)


def signer_of(seed: object, seat: int) -> Ed25519Signer:
    """The identity key of a seat in the test with this seed."""
    return Ed25519Signer(fixed_bytes(f"identity {seed} {seat}"))


def make_setup(
    seed: object,
    *,
    seats: int = 4,
    rules: RuleSet | None = None,
    options: TableOptions | None = None,
    hand: int = 0,
) -> HandSetup:
    """A setup with keys and session that follow from the seed."""
    chosen = rules or ruleset_for("classic")
    return HandSetup(
        session=fixed_bytes(f"session {seed}"),
        hand=hand,
        roster=tuple(signer_of(seed, seat).public_key for seat in range(seats)),
        rules=chosen,
        options=options or table_options(seats),
        match_hand=0,
        starter=None,
        excluded=0,
        totals=(chosen.start_score,) * seats,
        previous=NO_TRANSCRIPT,
    )


@dataclass
class SimPeer:
    """One seat: its machine, what it told its shell, and its player."""

    seat: Seat
    machine: HandMachine
    player: Drbg
    disk: list[bytes] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    finished: HandFinished | None = None
    stopped: HandStopped | None = None
    wants_to_move: bool = False


Wire = Callable[[Seat, Seat, bytes], list[bytes]]
"""What a link makes of one message: the messages that arrive."""


class SimTable:
    """All peers of one hand and the network between them."""

    def __init__(
        self,
        group: Group,
        setup: HandSetup,
        seed: object,
        *,
        wire: Wire | None = None,
        machine_type: Callable[..., HandMachine] = HandMachine,
        chaos: bool = True,
        audit: Callable[[bytes], tuple[tuple[int, ...], tuple[int, ...]]] | None = None,
        player: Callable[[View, Drbg], Move] = choose,
    ) -> None:
        self.group = group
        self.setup = setup
        self.random = random.Random(f"network {seed}")
        self.wire = wire or (lambda source, target, data: [data])
        self.chaos = chaos
        self.audit = audit
        self.player = player
        self.now = 0.0
        self.autoplay = True
        self.on_step: list[Callable[[SimTable], None]] = []
        ports = [
            HandPorts(group=group, signer=signer_of(seed, seat), sealer=ChaChaSealer())
            for seat in range(setup.seats)
        ]
        self.peers = [
            SimPeer(
                seat=Seat(seat),
                machine=machine_type(
                    setup=setup,
                    seat=Seat(seat),
                    seed=fixed_bytes(f"seed {seed} {setup.hand} {seat}"),
                    ports=ports[seat],
                    verifier=Ed25519Verifier(),
                ),
                player=Drbg(fixed_bytes(f"player {seed} {seat}"), "player", b""),
            )
            for seat in range(setup.seats)
        ]
        self.links: dict[tuple[Seat, Seat], deque[bytes]] = {
            (a.seat, b.seat): deque() for a in self.peers for b in self.peers if a is not b
        }

    def run(self, max_events: int = 200_000) -> None:
        """Runs until nothing is left to do."""
        for _ in range(max_events):
            if not self.step():
                return
        raise AssertionError("the hand does not end")

    def step(self) -> bool:
        """One event: a slice of work, a delivery or a timer."""
        for peer in self.peers:
            self.carry_out(peer)
        choices: list[Callable[[], None]] = []
        for peer in self.peers:
            if self.work(peer):
                break
        else:
            choices = [
                lambda key=key: self.deliver(*key) for key, queue in self.links.items() if queue
            ]
            if not choices:
                return self.fire_timer()
            self.random.choice(choices)()
        for check in self.on_step:
            check(self)
        return True

    def work(self, peer: SimPeer) -> bool:
        """Lets one peer do a slice of work, or move."""
        if peer.machine.work(self.now):
            self.carry_out(peer)
            return True
        assert not peer.machine.work(self.now), "it had said that there is nothing to do"
        self.carry_out(peer)
        if self.autoplay and peer.wants_to_move and peer.machine.phase is Phase.PLAY:
            peer.wants_to_move = False
            move = self.player(peer.machine.view(), peer.player)
            peer.machine.act(Play(move=move), self.now)
            return True
        return False

    def carry_out(self, peer: SimPeer) -> None:
        """Does what the machine asks of its shell."""
        for effect in peer.machine.poll():
            peer.effects.append(effect)
            match effect:
                case Persist(envelope=envelope):
                    peer.disk.append(envelope)
                case Send(envelope=envelope):
                    assert envelope in peer.disk, "sent before it was on disk"
                    self.broadcast(peer.seat, envelope)
                case TurnReady():
                    peer.wants_to_move = True
                case AuditDue(transcript=transcript):
                    points, totals = self.score(transcript)
                    peer.machine.act(ConfirmResult(points=points, totals=totals), self.now)
                case HandFinished():
                    peer.finished = effect
                case HandStopped():
                    peer.stopped = effect
                case MoveApplied():
                    pass

    def score(self, transcript: bytes) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """What the seat's own audit comes to."""
        assert self.audit is not None
        return self.audit(transcript)

    def broadcast(self, source: Seat, data: bytes) -> None:
        """Puts a message on every link of its sender."""
        for peer in self.peers:
            if peer.seat != source:
                for item in self.wire(source, peer.seat, data):
                    self.links[source, peer.seat].append(item)

    def deliver(self, source: Seat, target: Seat) -> None:
        """Delivers one message, under chaos not always the first, sometimes twice or later."""
        queue = self.links[source, target]
        index = 0
        if self.chaos and self.random.random() < 0.3:
            index = self.random.randrange(len(queue))
        data = queue[index]
        if self.chaos and self.random.random() < 0.05:
            # Dropped: the link sends it again after everything that is under way.
            del queue[index]
            queue.append(data)
            return
        if not self.chaos or self.random.random() > 0.1:
            del queue[index]
        self.peers[target].machine.receive(data, source, self.now)

    def fire_timer(self) -> bool:
        """Jumps to the next timer; False if there is none."""
        timers = [t for p in self.peers if (t := p.machine.next_timer()) is not None]
        if not timers:
            return False
        self.now = max(self.now, min(timers))
        for peer in self.peers:
            peer.machine.timer(self.now)
        return True
