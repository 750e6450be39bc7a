"""The walk through one transcript: what the next line must be, down to its signature.

`Walk` holds what all rounds share: setup, seeds, chains and state hashes. A round computes the
payload of the next message from these alone; `send` builds the envelope around it and compares it
with the line of the file (docs/protocol.md S2, S4).
"""

import hashlib
from collections.abc import Sequence

from p2pokey.codec import u32
from p2pokey.crypto.fiat_shamir import fr
from p2pokey.crypto.group import Group
from p2pokey.ports import Sealer, Signer
from p2pokey.rules.rulesets import canonical_bytes as canonical_rules
from p2pokey.rules.state import HandState, canonical_bytes
from p2pokey.transcript.envelope import Envelope
from p2pokey.transcript.file import decode_line
from p2pokey.transcript.setup import HandSetup
from tests.vectors.derive import Values, hashed, sub_ctx

V = b"p2pokey/v1/"
SUITE = b"ristretto255-SHA512"
KINDS = {
    "commit": 1, "keys": 2, "shuffle": 4, "ready": 5, "tokens": 6, "move": 8,
    "end": 12, "disclose": 13, "result": 14,
}  # fmt: skip


class Walk:
    """Where the walk is, and what it has noted."""

    def __init__(
        self,
        group: Group,
        sealer: Sealer,
        setup: HandSetup,
        *,
        seeds: Sequence[bytes],
        signers: Sequence[Signer],
        transcript: bytes,
    ) -> None:
        self.group = group
        self.sealer = sealer
        self.setup = setup
        self.seeds = seeds
        self.signers = signers
        self.seats = range(len(seeds))
        self.raw = transcript.splitlines(keepends=True)
        self.lines = [decode_line(line.rstrip(b"\n")) for line in self.raw[1:]]
        self.taken = 0
        self.heads = [(0, bytes(64)) for _ in self.seats]
        self.hand_ctx = self._hand_ctx()
        self.steps: list[Values] = []
        self.round_step("setup", b"")

    @property
    def state(self) -> bytes:
        """The newest state hash."""
        state: bytes = self.steps[-1]["state"]
        return state

    def setup_bytes(self) -> bytes:
        """`setup` of S2."""
        setup = self.setup
        starter = 255 if setup.starter is None else setup.starter
        totals = b"".join(total.to_bytes(4, "little", signed=True) for total in setup.totals)
        return bytes([setup.match_hand, starter, setup.excluded]) + totals + setup.previous

    def rules_text(self) -> bytes:
        """The canonical text of rules and options."""
        return canonical_rules(self.setup.rules, self.setup.options)

    def _hand_ctx(self) -> bytes:
        return hashed(
            "hand-ctx",
            ("suite", SUITE),
            ("session", self.setup.session),
            ("hand", u32(self.setup.hand)),
            ("roster", b"".join(signer.public_key for signer in self.signers)),
            ("rules", hashlib.sha512(self.rules_text()).digest()),
            ("setup", self.setup_bytes()),
        ).digest()

    def ctx(self, purpose: str, seat: int, index: int = 0, extra: bytes = b"") -> bytes:
        """A context of this hand."""
        return sub_ctx(self.hand_ctx, purpose, seat, index, extra)

    def seq(self, seat: int) -> int:
        """The sequence number of the seat's next message."""
        return self.heads[seat][0]

    def peek(self) -> Envelope:
        """The next line of the file."""
        return self.lines[self.taken]

    def send(self, kind: str, seat: int, payload: bytes) -> Values:
        """The seat's next message; must be the next line, byte for byte."""
        seq, prev = self.heads[seat]
        step = len(self.steps) - 1
        body = b"".join(
            [
                b"\x00",
                self.setup.session,
                u32(self.setup.hand),
                bytes([seat]),
                u32(seq),
                prev,
                u32(step),
                self.state,
                bytes([KINDS[kind]]),
                payload,
            ]
        )
        signature = self.signers[seat].sign(fr("sig", V + kind.encode()) + body)
        assert self.peek().encoded == body + signature, f"line {self.taken + 2}: {kind}"
        self.taken += 1
        self.heads[seat] = (seq + 1, hashlib.sha512(body).digest())
        return {
            "line": self.taken + 1, "kind": kind, "seat": seat, "seq": seq, "step": step,
            "body_sha512": self.heads[seat][1],
        }  # fmt: skip

    def round_step(self, label: str, data: bytes) -> None:
        """Counts a round outside of play."""
        self._step({label: data})

    def play_step(self, game: HandState, deck: bytes) -> None:
        """Counts a step of the deal or of play."""
        self._step({"game": canonical_bytes(game), "deck": deck})

    def _step(self, fields: dict[str, bytes]) -> None:
        step = len(self.steps)
        state = hashed(
            "state", ("hand-ctx", self.hand_ctx), ("step", u32(step)), *fields.items()
        ).digest()
        self.steps.append({"step": step, "hashed": fields, "state": state})
