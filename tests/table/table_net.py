"""Table machines in one process, with links that lose nothing unless told to."""

from collections import deque
from dataclasses import dataclass, field

from p2pokey.native.identity import Ed25519Signer, Ed25519Verifier
from p2pokey.rules.rulesets import ruleset_for, table_options
from p2pokey.table.commands import Command, LinkIs
from p2pokey.table.effects import Effect, Persist, Send
from p2pokey.table.machine import TableMachine
from p2pokey.table.match import FinishedHand, Match, new_match
from p2pokey.table.presence import Presence
from p2pokey.table.records import HandCounts, Record
from p2pokey.tiles import Seat

SIGNERS = [Ed25519Signer(bytes([7 + seat]) * 32) for seat in range(4)]
VERIFIER = Ed25519Verifier()
SESSION = b"s" * 32


def match_for(seats: int, key: str = "", **options: bool | int | str) -> Match:
    return new_match(
        session=SESSION,
        roster=tuple(signer.public_key for signer in SIGNERS[:seats]),
        rules=ruleset_for(key or {2: "duel", 4: "classic"}[seats], **options),
        options=table_options(seats),
    )


def finished(match: Match, points: tuple[int, ...] = (), *, starter: int = 0) -> FinishedHand:
    points = points or (0, *[-2] * (len(match.roster) - 1))
    return FinishedHand(
        starter=Seat(starter),
        points=points,
        totals=tuple(a + b for a, b in zip(match.totals, points, strict=True)),
        transcript_hash=bytes([match.attempts + 1]) * 64,
        keys=frozenset({bytes([100 + match.attempts]) * 32}),
    )


@dataclass
class Chair:
    """One seat: its machine, its disk and what it told its player."""

    machine: TableMachine
    disk: list[Record] = field(default_factory=list)
    told: list[Effect] = field(default_factory=list)

    def heard(self, kind: type) -> list:
        return [effect for effect in self.told if isinstance(effect, kind)]


def chair_machine() -> TableMachine:
    """The machine of the first seat of a table that has just come to stand."""
    return TableMachine(
        match=match_for(4), seat=Seat(0), signer=SIGNERS[0], verifier=VERIFIER, now=0.0
    )


class Net:
    """A table of honest machines."""

    def __init__(self, seats: int = 4, match: Match | None = None) -> None:
        self.now = 100.0
        self.match = match_for(seats) if match is None else match
        self.chairs = [Chair(self.machine(seat)) for seat in range(seats)]
        self.wires: dict[tuple[int, int], deque[bytes]] = {
            (a, b): deque() for a in range(seats) for b in range(seats) if a != b
        }
        self.cut: set[int] = set()
        """Seats that send and get nothing."""
        for seat in range(seats):
            for other in range(seats):
                if seat != other:
                    self.act(seat, LinkIs(seat=Seat(other), state=Presence.HERE))
        self.run()
        for chair in self.chairs:
            chair.told.clear()

    def machine(
        self, seat: int, records: tuple[Record, ...] | None = None, **more: bool
    ) -> TableMachine:
        return TableMachine(
            match=self.match,
            seat=Seat(seat),
            signer=SIGNERS[seat],
            verifier=VERIFIER,
            now=self.now,
            records=records,
            **more,
        )

    def act(self, seat: int, command: Command) -> list[Effect]:
        """One command; its effects are carried out."""
        self.chairs[seat].machine.act(command, self.now)
        return self.carry_out(seat)

    def carry_out(self, seat: int, limit: int | None = None) -> list[Effect]:
        """Carries out the effects of a seat, or only the first of them."""
        chair = self.chairs[seat]
        effects = chair.machine.poll()
        for effect in effects[:limit]:
            match effect:
                case Persist(record=record):
                    chair.disk.append(record)
                case Send(data=data, to=to):
                    self.send(seat, data, to)
                case _:
                    chair.told.append(effect)
        return effects

    def send(self, seat: int, data: bytes, to: int | None = None) -> None:
        for source, target in self.wires:
            if source == seat and to in (None, target) and not {source, target} & self.cut:
                self.wires[source, target].append(data)

    def deliver(self, source: int, target: int) -> None:
        data = self.wires[source, target].popleft()
        self.chairs[target].machine.receive(data, Seat(source), self.now)
        self.carry_out(target)

    def run(self) -> None:
        """Until nothing is under way."""
        while any(self.wires.values()):
            for (source, target), wire in self.wires.items():
                if wire:
                    self.deliver(source, target)

    def all_act(self, command: Command) -> None:
        for seat in range(len(self.chairs)):
            self.act(seat, command)
        self.run()

    def wait(self, seconds: float) -> None:
        """Time passes; every machine's timer is called."""
        self.now += seconds
        for seat, chair in enumerate(self.chairs):
            chair.machine.timer(self.now)
            self.carry_out(seat)
        self.run()

    def catch_up(self, seat: int) -> None:
        """Everybody and that seat give each other what they lack (HAVE)."""
        own = self.chairs[seat].machine
        for other, chair in enumerate(self.chairs):
            if other == seat:
                continue
            for data in chair.machine.after(own.counts):
                own.receive(data, Seat(other), self.now)
            self.carry_out(seat)
            for data in own.after(chair.machine.counts):
                chair.machine.receive(data, Seat(seat), self.now)
            self.carry_out(other)
        self.run()

    def restart(self, seat: int, **more: bool) -> None:
        """The program of a seat is killed and started again."""
        chair = self.chairs[seat]
        chair.told.clear()
        chair.machine = self.machine(seat, tuple(chair.disk), **more)
        self.carry_out(seat)

    def told(self, kind: type) -> list[list]:
        return [chair.heard(kind) for chair in self.chairs]

    def play_hand(self, points: tuple[int, ...] = (), *, starter: int = 0) -> None:
        """All seats have signed the score of the running hand."""
        done = finished(self.chairs[0].machine.match, points, starter=starter)
        self.all_act(HandCounts(hand=done))
