"""A table whose peers die between any two effects and come back from what is on their disks."""

from collections.abc import Callable

from p2pokey.crypto.group import Group
from p2pokey.hand.core import HandPorts
from p2pokey.hand.effects import Effect
from p2pokey.hand.machine import HandMachine
from p2pokey.hand.restoring import restore
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.native.sealing import ChaChaSealer
from p2pokey.tiles import Seat
from p2pokey.transcript.envelope import decode_envelope
from p2pokey.transcript.setup import HandSetup
from tests.sim.table import SimPeer, SimTable, fixed_bytes, signer_of


class CrashTable(SimTable):
    """Asks `dies` before every effect of every peer; True: that peer loses all but its disk."""

    def __init__(
        self,
        group: Group,
        setup: HandSetup,
        seed: object,
        *,
        dies: Callable[[SimPeer, Effect], bool],
        **more,
    ) -> None:
        super().__init__(group, setup, seed, **more)
        self.seed = seed
        self.dies = dies
        self.crashes = 0
        self.signed: dict[tuple[int, int], bytes] = {}
        self._due: dict[Seat, tuple[Effect, ...]] = {}

    def carry_out(self, peer: SimPeer) -> None:
        for effect in self._due.pop(peer.seat, ()) + peer.machine.poll():
            if self.dies(peer, effect):
                self.crash(peer)
                return
            machine = peer.machine
            peer.machine = _OneEffect(machine, effect)
            super().carry_out(peer)
            peer.machine = machine

    def broadcast(self, source: Seat, data: bytes) -> None:
        envelope = decode_envelope(data)
        known = self.signed.setdefault((envelope.seat, envelope.seq), data)
        assert known == data, "signed twice differently"
        super().broadcast(source, data)

    def crash(self, peer: SimPeer) -> None:
        """Dies, comes back, and everybody sends again what the other one may lack."""
        self.crashes += 1
        peer.machine = new_machine(self, peer.seat, self.seed)
        peer.wants_to_move = False
        self._due[peer.seat] = restore(peer.machine, peer.disk, self.now)
        for other in self.peers:
            if other is not peer:
                self.links[peer.seat, other.seat].clear()
                self.links[other.seat, peer.seat].clear()
                self._pass_on(peer, other)
                self._pass_on(other, peer)

    def _pass_on(self, source: SimPeer, target: SimPeer) -> None:
        """Sends what the target has not accepted."""
        for data in source.disk:
            envelope = decode_envelope(data)
            if envelope.seq >= target.machine.count(envelope.seat):
                self.links[source.seat, target.seat].append(data)


class _OneEffect:
    """A machine that has exactly one effect to be carried out."""

    def __init__(self, machine: HandMachine, effect: Effect) -> None:
        self._machine = machine
        self._effects: tuple[Effect, ...] = (effect,)

    def poll(self) -> tuple[Effect, ...]:
        effects, self._effects = self._effects, ()
        return effects

    def __getattr__(self, name: str):
        return getattr(self._machine, name)


def new_machine(table: SimTable, seat: Seat, seed: object) -> HandMachine:
    """A fresh machine with the setup and the seed that a seat of that table has."""
    return HandMachine(
        setup=table.setup,
        seat=seat,
        seed=fixed_bytes(f"seed {seed} {table.setup.hand} {seat}"),
        ports=HandPorts(group=table.group, signer=signer_of(seed, seat), sealer=ChaChaSealer()),
        verifier=Ed25519Verifier(),
    )
