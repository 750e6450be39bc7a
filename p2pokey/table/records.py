"""What a table machine wants to have on disk, and reads back after a restart.

The numbers are those of the journal's records (docs/table-protocol.md).
"""

import json
from dataclasses import dataclass
from enum import IntEnum

from p2pokey.codec import decode_base64, encode_base64
from p2pokey.errors import DecodeError
from p2pokey.table.match import FinishedHand
from p2pokey.tiles import Seat

MAX_DRAFT_BYTES = 64 * 1024
"""Of a page's unfinished edits."""


class RecordKind(IntEnum):
    """What a record holds."""

    TALK = 10
    """A message of a table chain, own or accepted, or one that proves a fork."""
    MUTES = 11
    """Muted seats as a bit mask, u8; the newest counts."""
    DRAFT = 12
    """A page's unfinished edits, opaque; the newest counts."""
    OUTCOME = 13
    """How an attempt ended: `HandCounts` or `HandFailed`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One entry."""

    kind: RecordKind
    payload: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class HandCounts:
    """Command: all seats have signed the score of the hand that was begun."""

    hand: FinishedHand
    reason: str = ""
    """How it ended, for the score sheet (`rules.scoring.HandScore.reason`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandFailed:
    """Command: the hand that was begun has ended without a score."""

    keys: frozenset[bytes]
    """Hand and sealing keys that were seen in it."""
    withheld: int = 0
    """Seats that sent COMMIT but no KEYS when all COMMITs were in, as a bit mask."""
    starter: Seat | None = None
    """Seat that began it, if that was known."""
    reason: str = ""
    culprit: Seat | None = None
    """Seat at fault; None: nobody is blamed."""


Outcome = HandCounts | HandFailed
"""How an attempt ended."""


def encode_outcome(outcome: Outcome) -> bytes:
    """JSON bytes."""
    values: dict[str, object]
    if isinstance(outcome, HandCounts):
        hand = outcome.hand
        values = {
            "starter": hand.starter,
            "points": hand.points,
            "totals": hand.totals,
            "hash": encode_base64(hand.transcript_hash),
            "keys": _key_texts(hand.keys),
            "counts": hand.counts,
            "reason": outcome.reason,
        }
    else:
        values = {
            "keys": _key_texts(outcome.keys),
            "withheld": outcome.withheld,
            "starter": outcome.starter,
            "reason": outcome.reason,
            "culprit": outcome.culprit,
        }
    return json.dumps(values, separators=(",", ":")).encode("ascii")


def decode_outcome(data: bytes) -> Outcome:
    """Reads what `encode_outcome` writes; DecodeError for anything else."""
    try:
        values = json.loads(data)
        keys = frozenset(map(decode_base64, values["keys"]))
        if "points" not in values:
            return HandFailed(
                keys=keys,
                withheld=int(values["withheld"]),
                starter=_seat(values["starter"]),
                reason=str(values["reason"]),
                culprit=_seat(values["culprit"]),
            )
        hand = FinishedHand(
            starter=Seat(int(values["starter"])),
            points=tuple(map(int, values["points"])),
            totals=tuple(map(int, values["totals"])),
            transcript_hash=decode_base64(values["hash"]),
            keys=keys,
            counts=bool(values["counts"]),
        )
        return HandCounts(hand=hand, reason=str(values["reason"]))
    except (KeyError, TypeError, ValueError, AttributeError):
        raise DecodeError("the journal holds an end of a hand that cannot be read") from None


def _key_texts(keys: frozenset[bytes]) -> list[str]:
    return [encode_base64(key) for key in sorted(keys)]


def _seat(value: object) -> Seat | None:
    return Seat(value) if isinstance(value, int) else None
