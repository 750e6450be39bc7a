"""A whole hand and the known answers, on nothing but the core and the standard library.

Runs unchanged in two places: inside Pyodide (started by `runner.mjs`, plain-Python group) and in
the test process beside it (`test_pyodide.py`, libsodium). Both must come to the same bytes.

Signatures and sealing are stand-ins here, and only here: Ed25519 and ChaCha20-Poly1305 come from
outside the core (docs/architecture.md 3.3), and the package that implements them on a computer is
not there in WebAssembly. `TableKeys` signs with HMAC under secrets that every seat's verifier
knows, which is worthless against anybody but enough to drive the machines.
"""

import hashlib
import hmac
import importlib
import json
import pkgutil
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import p2pokey
from p2pokey.audit.auditor import audit_transcript
from p2pokey.bots.simple import choose
from p2pokey.crypto.drbg import Drbg
from p2pokey.crypto.fiat_shamir import expand_message_xmd
from p2pokey.crypto.group import Group
from p2pokey.crypto.reencrypt import N_MAX, generators
from p2pokey.crypto.reference import PythonBackend
from p2pokey.deck.points import tile_points
from p2pokey.errors import BadPoint, BadSignature, DecodeError
from p2pokey.hand.core import HandPorts
from p2pokey.hand.effects import (
    AuditDue,
    ConfirmResult,
    Effect,
    HandFinished,
    HandStopped,
    Phase,
    Play,
    Send,
    TurnReady,
)
from p2pokey.hand.machine import HandMachine
from p2pokey.rules.rulesets import ruleset_for, table_options
from p2pokey.tiles import Seat
from p2pokey.transcript.setup import NO_TRANSCRIPT, HandSetup

SEATS = 4
TAG_BYTES = 16

Audit = Callable[[bytes], tuple[tuple[int, ...], tuple[int, ...]]]
"""Points and totals that a seat's own audit of the transcript comes to."""


def fixed_bytes(label: str, count: int = 32) -> bytes:
    """Bytes that follow from a label: secrets of a test."""
    return hashlib.shake_256(label.encode()).digest(count)


# Stand-ins for what comes from outside the core --------------------------------------------------


class TableKeys:
    """Verifier of all seats; the public key is a hash of the secret that it knows."""

    def __init__(self, secrets: list[bytes]) -> None:
        self.secrets = {hashlib.sha256(secret).digest(): secret for secret in secrets}

    def check_key(self, public_key: bytes) -> None:
        """Knows the keys of the table only."""
        if public_key not in self.secrets:
            raise BadPoint("expected a key of this table")

    def verify(self, public_key: bytes, data: bytes, signature: bytes) -> None:
        """Computes the signature again."""
        self.check_key(public_key)
        expected = hmac.digest(self.secrets[public_key], data, "sha512")
        if not hmac.compare_digest(expected, signature):
            raise BadSignature("the signature does not fit the key and the message")


class HmacSigner:
    """64-byte HMAC-SHA-512 in the place of a signature."""

    def __init__(self, secret: bytes) -> None:
        self.secret = secret

    @property
    def public_key(self) -> bytes:
        """32 bytes."""
        return hashlib.sha256(self.secret).digest()

    def sign(self, data: bytes) -> bytes:
        """64 bytes."""
        return hmac.digest(self.secret, data, "sha512")


class HashSealer:
    """SHAKE256 as the stream, HMAC as the tag: the sizes of ChaCha20-Poly1305."""

    def seal(self, key: bytes, nonce: bytes, plaintext: bytes, aad: bytes) -> bytes:
        """Ciphertext and tag."""
        ciphertext = self.mask(key, nonce, plaintext)
        return ciphertext + self.tag(key, nonce, ciphertext, aad)

    def unseal(self, key: bytes, nonce: bytes, ciphertext: bytes, aad: bytes) -> bytes:
        """The plaintext."""
        body, tag = ciphertext[:-TAG_BYTES], ciphertext[-TAG_BYTES:]
        if not hmac.compare_digest(tag, self.tag(key, nonce, body, aad)):
            raise DecodeError("the sealed bytes were not made with this key")
        return self.mask(key, nonce, body)

    def mask(self, key: bytes, nonce: bytes, text: bytes) -> bytes:
        """Adds the stream."""
        stream = hashlib.shake_256(key + nonce).digest(len(text))
        return bytes(a ^ b for a, b in zip(text, stream, strict=True))

    def tag(self, key: bytes, nonce: bytes, ciphertext: bytes, aad: bytes) -> bytes:
        """16 bytes over everything."""
        return hmac.digest(key, nonce + aad + ciphertext, "sha512")[:TAG_BYTES]


# The hand ----------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Played:
    """What a hand came to."""

    transcript: bytes
    points: tuple[int, ...]
    moves: int
    proofs: int


class Peer:
    """One seat: its machine and its player."""

    def __init__(self, seat: Seat, machine: HandMachine, player: Drbg) -> None:
        self.seat = seat
        self.machine = machine
        self.player = player
        self.is_to_move = False
        self.finished: HandFinished | None = None


class Table:
    """All peers of one hand; messages arrive at once and in order."""

    def __init__(self, group: Group, label: str) -> None:
        secrets = [fixed_bytes(f"{label} identity {seat}") for seat in range(SEATS)]
        self.group = group
        self.keys = TableKeys(secrets)
        self.signers = [HmacSigner(secret) for secret in secrets]
        self.setup = self.make_setup(label)
        self.peers = [self.make_peer(Seat(seat), label) for seat in range(SEATS)]
        self.wire: deque[tuple[Seat, bytes]] = deque()
        self.audits: dict[bytes, tuple[tuple[int, ...], tuple[int, ...]]] = {}
        self.moves = 0
        self.proofs = 0

    def make_setup(self, label: str) -> HandSetup:
        """The first hand of a match of Classic Okey with the usual options."""
        rules = ruleset_for("classic")
        return HandSetup(
            session=fixed_bytes(f"{label} session"),
            hand=0,
            roster=tuple(signer.public_key for signer in self.signers),
            rules=rules,
            options=table_options(SEATS),
            match_hand=0,
            starter=None,
            excluded=0,
            totals=(rules.start_score,) * SEATS,
            previous=NO_TRANSCRIPT,
        )

    def make_peer(self, seat: Seat, label: str) -> Peer:
        """A seat with secrets that follow from the label."""
        ports = HandPorts(group=self.group, signer=self.signers[seat], sealer=HashSealer())
        machine = HandMachine(
            setup=self.setup,
            seat=seat,
            seed=fixed_bytes(f"{label} seed {seat}"),
            ports=ports,
            verifier=self.keys,
        )
        return Peer(seat, machine, Drbg(fixed_bytes(f"{label} player {seat}"), "player", b""))

    def play(self) -> Played:
        """Plays to the end."""
        while self.advance():
            pass
        results = [peer.finished for peer in self.peers if peer.finished is not None]
        files = {result.transcript for result in results}
        if len(results) != SEATS or len(files) != 1:
            raise AssertionError(f"{len(results)} seats finished with {len(files)} transcripts")
        return Played(
            transcript=results[0].transcript,
            points=results[0].points,
            moves=self.moves,
            proofs=self.proofs,
        )

    def advance(self) -> bool:
        """Delivers a message, or lets one peer work or move; False when nothing is left."""
        for peer in self.peers:
            self.carry_out(peer)
        if self.wire:
            source, envelope = self.wire.popleft()
            for peer in self.peers:
                if peer.seat != source:
                    peer.machine.receive(envelope, source, 0.0)
            return True
        return any(self.work(peer) for peer in self.peers)

    def work(self, peer: Peer) -> bool:
        """One slice of work, or a move."""
        if peer.machine.work(0.0):
            return True
        if not peer.is_to_move or peer.machine.phase is not Phase.PLAY:
            return False
        peer.is_to_move = False
        self.moves += 1
        peer.machine.act(Play(move=choose(peer.machine.view(), peer.player)), 0.0)
        return True

    def carry_out(self, peer: Peer) -> None:
        """Does what the machine asks."""
        for effect in peer.machine.poll():
            self.carry_out_one(peer, effect)

    def carry_out_one(self, peer: Peer, effect: Effect) -> None:
        """Does one thing that the machine asks."""
        match effect:
            case Send(envelope=envelope):
                self.wire.append((peer.seat, envelope))
            case TurnReady():
                peer.is_to_move = True
            case AuditDue(transcript=transcript):
                points, totals = self.audit(transcript)
                peer.machine.act(ConfirmResult(points=points, totals=totals), 0.0)
            case HandFinished():
                peer.finished = effect
            case HandStopped():
                raise AssertionError(f"the hand stopped: {effect.reason} {effect.fault}")
            case _:
                pass

    def audit(self, transcript: bytes) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Audits a file once, for all seats that hold the same one."""
        if transcript not in self.audits:
            report = audit_transcript(
                transcript, group=self.group, verifier=self.keys, sealer=HashSealer()
            )
            if report.points is None or report.totals is None:
                raise AssertionError(f"the audit gives no score: {report.findings}")
            self.proofs = report.proofs
            self.audits[transcript] = (report.points, report.totals)
        return self.audits[transcript]


def play_hand(group: Group, label: str) -> Played:
    """One hand whose every byte follows from the label."""
    return Table(group, label).play()


# Known answers -----------------------------------------------------------------------------------


def wrong_answers(group: Group, vectors: Path) -> list[str]:
    """Names of the vectors that this group does not meet; empty if all is well."""
    return [
        *wrong_in_rfc9496(group, load(vectors / "rfc9496.json")),
        *wrong_in_rfc9380(load(vectors / "rfc9380_xmd_sha512.json")),
        *wrong_generators(group, load(vectors / "generators.json")),
    ]


def load(path: Path) -> dict[str, Any]:
    """A file of tests/vectors."""
    content: dict[str, Any] = json.loads(path.read_text("ascii"))
    return content


def wrong_in_rfc9496(group: Group, rfc: dict[str, Any]) -> list[str]:
    """Multiples of the generator, encodings that are none, and the one-way map."""
    multiples = [bytes.fromhex(text) for text in rfc["multiples_of_generator"]]
    wrong = [
        f"RFC 9496 A.1 {i}" for i, point in enumerate(multiples) if group.base_mul([i]) != point
    ]
    for why, texts in rfc["invalid_encodings"].items():
        wrong += [f"RFC 9496 A.2 {why}" for text in texts if group.is_valid(bytes.fromhex(text))]
    for case in rfc["element_derivation"]:
        element = group.hash_to_group(bytes.fromhex(case["uniform"]))
        if element != bytes.fromhex(case["element"]):
            wrong.append(f"RFC 9496 A.3 {case['uniform'][:16]}")
    return wrong


def wrong_in_rfc9380(rfc: dict[str, Any]) -> list[str]:
    """expand_message_xmd with SHA-512."""
    return [
        f"RFC 9380 K.3 {case['message'][:16]}"
        for case in rfc["vectors"]
        if expand_message_xmd(case["message"].encode(), rfc["dst"].encode(), case["length"])
        != bytes.fromhex(case["uniform"])
    ]


def wrong_generators(group: Group, known: dict[str, Any]) -> list[str]:
    """docs/protocol.md S14."""
    H, h = generators(group, N_MAX)
    tiles = tile_points(group)
    answers = {
        "H": H,
        "h_0": h[:32],
        "h_105": h[-32:],
        "M_0": tiles[0],
        "M_105": tiles[105],
        "sha256_of_all": hashlib.sha256(H + h + b"".join(tiles)).digest(),
    }
    return [name for name, answer in answers.items() if answer.hex() != known[name]]


def import_everything() -> list[str]:
    """Imports every module of p2pokey that is within reach, and names them."""
    names = [info.name for info in pkgutil.walk_packages(p2pokey.__path__, "p2pokey.")]
    for name in names:
        importlib.import_module(name)
    return names


def main(label: str, vectors: str) -> None:
    """Prints one line of JSON: what this interpreter comes to."""
    group = Group(PythonBackend())
    wrong = wrong_answers(group, Path(vectors))
    played = play_hand(group, label)
    report = {
        "platform": sys.platform,
        "modules": import_everything(),
        "wrong": wrong,
        "points": played.points,
        "moves": played.moves,
        "proofs": played.proofs,
        "transcript": played.transcript.decode("ascii"),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main(*sys.argv[1:])
