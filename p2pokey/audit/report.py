"""What an audit found: a list of findings, each with its place, and the score it confirms."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from p2pokey.rules.scoring import HandScore
from p2pokey.rules.state import HandState
from p2pokey.tiles import Slot, Tile
from p2pokey.transcript.setup import HandSetup


class Status(StrEnum):
    """The verdict on one transcript."""

    SOUND = "sound"
    """Everything checked; the score stands."""
    VIOLATION = "violation"
    """Something does not hold; the findings name the place."""
    INCOMPLETE = "incomplete"
    """Nothing wrong so far, but the hand has no result that all seats signed."""
    UNREADABLE = "unreadable"
    """Not a transcript, or one of an unsupported version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that does not hold.

    Attributes:
        line: 1-based line of the file, None where no line is meant.
        seat: 0-based seat at fault, None where nobody can be named.
        message: the message at fault, e.g. `move 17` (kind and sequence number).
        cause: stable code, e.g. `DleqInvalid` (docs/protocol.md S12), or a rule id.
        text: one sentence for people.
    """

    line: int | None
    seat: int | None
    message: str | None
    cause: str
    text: str

    def __str__(self) -> str:
        place = [] if self.line is None else [f"line {self.line}"]
        if self.seat is not None:
            place.append(f"seat {self.seat + 1}")
        if self.message is not None:
            place.append(self.message)
        return f"{', '.join(place) or 'file'}: {self.text} [{self.cause}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a hand ended, with everything open."""

    state: HandState
    faces: Mapping[Slot, Tile]
    """The tile in every slot."""
    score: HandScore


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The outcome of an audit.

    Attributes:
        findings: in file order; empty if all is well.
        setup: what the hand started from, None if the header cannot be read.
        points: change of each seat's total, None if the replay did not reach the end of play or
            the seeds that scoring needs are missing.
        totals: totals after the hand, like `points`.
        lines: number of lines read.
        proofs: proof objects that verified.
        recomputed: messages rebuilt byte for byte from the seeds.
        transcript_hash: SHA-512 of the lines that every `RESULT` signs.
        absent: 0-based seats that were absent at the end, or withheld what they owed there; their
            shuffles and re-masks are verified, and their tiles opened with the others' shares.
        outcome: how the hand ended, None where `points` is.
    """

    status: Status
    findings: tuple[Finding, ...]
    setup: HandSetup | None
    points: tuple[int, ...] | None
    totals: tuple[int, ...] | None
    lines: int
    proofs: int
    recomputed: int
    transcript_hash: bytes
    absent: tuple[int, ...] = ()
    outcome: Outcome | None = None

    @property
    def exit_code(self) -> int:
        """0 sound, 3 violation, 4 unreadable, unsupported or incomplete."""
        return {Status.SOUND: 0, Status.VIOLATION: 3}.get(self.status, 4)

    def to_json(self) -> dict[str, Any]:
        """Plain values in a fixed key order."""
        return {
            "status": self.status.value,
            "session": None if self.setup is None else self.setup.session.hex(),
            "hand": None if self.setup is None else self.setup.hand,
            "rules": None if self.setup is None else self.setup.rules.key,
            "points": None if self.points is None else list(self.points),
            "totals": None if self.totals is None else list(self.totals),
            "lines": self.lines,
            "proofs": self.proofs,
            "recomputed": self.recomputed,
            "transcript_hash": self.transcript_hash.hex(),
            "absent": list(self.absent),
            "findings": [
                {
                    "line": finding.line,
                    "seat": finding.seat,
                    "message": finding.message,
                    "cause": finding.cause,
                    "text": finding.text,
                }
                for finding in self.findings
            ],
        }
