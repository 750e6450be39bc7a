"""First pass over a transcript: form, signatures, chains and order of every line.

Works line by line and never gives up on the rest, so that a change anywhere is found at its place.
"""

import hashlib
from dataclasses import dataclass
from itertools import pairwise

from p2pokey.audit.report import Finding
from p2pokey.errors import (
    BrokenChain,
    DecodeError,
    P2POkeyError,
    UnsupportedVersion,
    VerificationError,
)
from p2pokey.ports import Verifier
from p2pokey.tiles import Seat
from p2pokey.transcript.envelope import NO_PREVIOUS, Envelope, verify_envelope
from p2pokey.transcript.file import MAX_FILE, decode_line, in_file_order
from p2pokey.transcript.messages import Kind
from p2pokey.transcript.setup import HandSetup, decode_header

MAX_LINES = 20_000
"""Lines of one file; a hand of 240 turns has about 1,500."""
MAX_DAMAGED = 100
"""Unreadable lines after which the rest of a file is not looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """An envelope and where it stands."""

    number: int
    """1-based; the header is line 1."""
    envelope: Envelope

    @property
    def label(self) -> str:
        """The message as findings name it."""
        return f"{self.envelope.kind.label} {self.envelope.seq}"

    def finding(self, cause: type[P2POkeyError], text: str, seat: int | None = None) -> Finding:
        """A finding about this line; the author is at fault unless another seat is given."""
        return Finding(
            line=self.number,
            seat=int(self.envelope.seat) if seat is None else seat,
            message=self.label,
            cause=cause.__name__,
            text=text,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A transcript that has been read."""

    setup: HandSetup
    lines: tuple[Line, ...]
    count: int
    """Lines in the file, readable or not."""
    is_cut: bool
    """Whether the file ends in the middle of a line."""
    findings: tuple[Finding, ...]
    transcript_hash: bytes


def read_transcript(data: bytes, verifier: Verifier) -> Reading:
    """Reads the file.

    Raises:
        DecodeError: not a transcript at all, or (UnsupportedVersion) one of another version.
    """
    if len(data) > MAX_FILE:
        raise DecodeError(f"expected a file of at most {MAX_FILE} bytes, got {len(data)}")
    if data.count(b"\n") > MAX_LINES:
        raise DecodeError(f"expected a file of at most {MAX_LINES} lines")
    raw = data.split(b"\n")
    is_cut = raw.pop() != b""
    if not raw:
        raise DecodeError("expected a p2pokey transcript, got no complete line")
    setup = decode_header(raw[0])
    _check_roster(setup, verifier)
    findings: list[Finding] = []
    lines: list[Line] = []
    for number, text in enumerate(raw[1:], start=2):
        try:
            lines.append(Line(number=number, envelope=decode_line(text)))
        except DecodeError as error:
            if isinstance(error, UnsupportedVersion) and not lines:
                raise
            findings.append(
                Finding(line=number, seat=None, message=None, cause=error.code, text=str(error))
            )
            if len(findings) == MAX_DAMAGED:
                break  # nobody reads more of them, and a hostile file may hold millions
    _check_signatures(setup, lines, verifier, findings)
    _check_chains(setup, lines, findings)
    _check_order(lines, findings)
    return Reading(
        setup=setup,
        lines=tuple(lines),
        count=len(raw),
        is_cut=is_cut,
        findings=tuple(findings),
        transcript_hash=_hash_before_results(raw, lines),
    )


def _check_roster(setup: HandSetup, verifier: Verifier) -> None:
    for key in setup.roster:
        verifier.check_key(key)
    if len(set(setup.roster)) != len(setup.roster):
        raise DecodeError("the header names one player's key for two seats")


def _check_signatures(
    setup: HandSetup, lines: list[Line], verifier: Verifier, findings: list[Finding]
) -> None:
    for line in lines:
        envelope = line.envelope
        if envelope.seat >= setup.seats:
            text = f"expected a seat from 1 to {setup.seats}, got {envelope.seat + 1}"
            findings.append(line.finding(BrokenChain, text))
            continue
        try:
            verify_envelope(verifier, setup.roster[envelope.seat], envelope)
        except VerificationError as error:
            findings.append(line.finding(type(error), str(error)))


def _check_chains(setup: HandSetup, lines: list[Line], findings: list[Finding]) -> None:
    heads: dict[Seat, tuple[int, bytes]] = {}
    steps: dict[Seat, int] = {}
    for line in lines:
        envelope = line.envelope
        if envelope.session != setup.session or envelope.hand != setup.hand:
            findings.append(line.finding(BrokenChain, "the message belongs to another hand"))
            continue
        seq, prev = heads.get(envelope.seat, (0, NO_PREVIOUS))
        if (envelope.seq, envelope.prev) != (seq, prev):
            text = f"expected message {seq} of this seat's chain, got another or a changed one"
            findings.append(line.finding(BrokenChain, text))
        if envelope.step < steps.get(envelope.seat, 0):
            findings.append(line.finding(BrokenChain, "the author's steps go back"))
        steps[envelope.seat] = envelope.step
        heads[envelope.seat] = (envelope.seq + 1, envelope.body_hash)


def _check_order(lines: list[Line], findings: list[Finding]) -> None:
    expected = in_file_order(line.envelope for line in lines)
    places = {id(envelope): place for place, envelope in enumerate(expected)}
    for before, line in pairwise(lines):
        if places[id(line.envelope)] < places[id(before.envelope)]:
            text = "the line stands after one that belongs behind it"
            findings.append(line.finding(BrokenChain, text))


def _hash_before_results(raw: list[bytes], lines: list[Line]) -> bytes:
    """SHA-512 of all lines before the first RESULT, and before anything after a DISCLOSE."""
    seeds = [line.envelope for line in lines if line.envelope.kind is Kind.DISCLOSE]
    disclosed = {envelope.seat: envelope.seq for envelope in reversed(seeds)}
    ends = [
        line.number
        for line in lines
        if line.envelope.kind is Kind.RESULT
        or line.envelope.seq > disclosed.get(line.envelope.seat, line.envelope.seq)
    ]
    end = ends[0] - 1 if ends else len(raw)
    return hashlib.sha512(b"".join(text + b"\n" for text in raw[:end])).digest()
