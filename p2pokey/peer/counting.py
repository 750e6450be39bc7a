"""Counts the proof objects that a seat has accepted from the others."""

from dataclasses import dataclass, field

from p2pokey.hand.effects import ProofAccepted
from p2pokey.peer.events import ProofCount

_KINDS = ("possession", "share", "shuffle", "token", "reveal", "remask")


@dataclass(slots=True)
class ProofTally:
    """Accepted proofs per kind."""

    _objects: dict[str, int] = field(default_factory=dict)
    _statements: dict[str, int] = field(default_factory=dict)

    def add(self, proof: ProofAccepted) -> None:
        """Counts one proof object and the statements that it covers."""
        self._objects[proof.kind] = self._objects.get(proof.kind, 0) + 1
        self._statements[proof.kind] = self._statements.get(proof.kind, 0) + proof.count

    @property
    def objects(self) -> int:
        """All proof objects."""
        return sum(self._objects.values())

    def counts(self) -> tuple[ProofCount, ...]:
        """Per kind, in the order in which they come in a hand."""
        return tuple(
            ProofCount(kind=kind, objects=self._objects[kind], statements=self._statements[kind])
            for kind in _KINDS
            if kind in self._objects
        )
