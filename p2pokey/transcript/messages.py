"""One frozen class per kind of hand message, and its payload bytes (docs/transcript-format.md).

Decoding checks sizes and ranges only. Whether points and scalars are canonical, proofs hold and a
message is due is decided where the message is used, so that the fault can be named precisely.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar, Self, get_args

from p2pokey.codec import Reader, i32, u8, u16, u32
from p2pokey.crypto.dleq import DLEQ_BYTES
from p2pokey.crypto.group import CELL
from p2pokey.crypto.possession import POSSESSION_BYTES
from p2pokey.crypto.reencrypt import ENTRY, N_MIN
from p2pokey.crypto.sharing import SEALED_SHARE_BYTES
from p2pokey.crypto.shuffle import proof_size
from p2pokey.errors import BadLength, DecodeError
from p2pokey.rules.move_codec import MAX_MOVE_SIZE
from p2pokey.tiles import MAX_SEATS, MIN_SEATS, TILE_COUNT

HASH_SIZE = 64
SEED_SIZE = 32
MAX_ENVELOPE = 128 * 1024
"""Bytes of one signed envelope: a shuffle of 106 tiles takes 24,336, evidence holds up to two."""


class Kind(IntEnum):
    """Message kinds in the order in which they stand within one step of a transcript."""

    COMMIT = 1
    KEYS = 2
    COMPLAINT = 3
    SHUFFLE = 4
    READY = 5
    TOKENS = 6
    ESCROW = 7
    MOVE = 8
    DROP = 9
    REFUSE = 10
    RETURN = 11
    END = 12
    DISCLOSE = 13
    RESULT = 14
    VOID = 15

    @property
    def label(self) -> str:
        """Lower-case name: the signature covers it, summaries show it."""
        return self.name.lower()


class Purpose(IntEnum):
    """What a token message is for (protocol S8); the label goes into the proof's context."""

    DEAL = 1
    INDICATOR = 2
    DRAW = 3

    @property
    def label(self) -> str:
        """The purpose string of protocol S8."""
        return self.name.lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """Round 1: commitments to seed and coin, sealing key E with proof of possession (S4.1)."""

    kind: ClassVar[Kind] = Kind.COMMIT
    seed_commit: bytes
    coin_commit: bytes
    sealing_key: bytes
    pop: bytes

    def encode(self) -> bytes:
        """160 bytes."""
        return self.seed_commit + self.coin_commit + self.sealing_key + self.pop

    @classmethod
    def read(cls, reader: Reader) -> Self:
        return cls(
            seed_commit=reader.take(32),
            coin_commit=reader.take(32),
            sealing_key=reader.take(CELL),
            pop=reader.take(POSSESSION_BYTES),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """Round 2: hand key X with proof, recovery commitments and sealed shares, coin (S4.2, S10)."""

    kind: ClassVar[Kind] = Kind.KEYS
    hand_key: bytes
    pop: bytes
    commitments: bytes
    """A_1..A_{t-1}, 32 bytes each; empty with recovery off."""
    shares: bytes
    """One sealed share of 48 bytes for every other seat in seat order; empty with recovery off."""
    coin: bytes

    @property
    def record(self) -> bytes:
        """record_j of protocol S4.2: the payload without its two counts and the coin."""
        return self.hand_key + self.pop + self.commitments + self.shares

    def encode(self) -> bytes:
        """130 bytes, plus 32 for each commitment and 48 for each share."""
        counts = u8(len(self.commitments) // CELL) + u8(len(self.shares) // SEALED_SHARE_BYTES)
        return counts + self.record + self.coin

    @classmethod
    def read(cls, reader: Reader) -> Self:
        commitments, shares = reader.u8(), reader.u8()
        if commitments >= MAX_SEATS or shares >= MAX_SEATS:
            raise BadLength("expected at most 3 commitments and 3 shares")
        return cls(
            hand_key=reader.take(CELL),
            pop=reader.take(POSSESSION_BYTES),
            commitments=reader.take(CELL * commitments),
            shares=reader.take(SEALED_SHARE_BYTES * shares),
            coin=reader.take(32),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Complaint:
    """A seat opens the sealing of a bad share to show who lied (S10)."""

    kind: ClassVar[Kind] = Kind.COMPLAINT
    dealer: int
    shared_point: bytes
    """e_k * E_dealer."""
    proof: bytes

    def encode(self) -> bytes:
        """97 bytes."""
        return u8(self.dealer) + self.shared_point + self.proof

    @classmethod
    def read(cls, reader: Reader) -> Self:
        return cls(
            dealer=_read_seat(reader),
            shared_point=reader.take(CELL),
            proof=reader.take(DLEQ_BYTES),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Shuffle:
    """Round 3: one seat's shuffle of the deck and its proof (S4.3, S6)."""

    kind: ClassVar[Kind] = Kind.SHUFFLE
    input_hash: bytes
    deck: bytes
    proof: bytes

    def encode(self) -> bytes:
        """64 + 1 + 64 N + 32 (5 N + 9) bytes."""
        return self.input_hash + u8(len(self.deck) // ENTRY) + self.deck + self.proof

    @classmethod
    def read(cls, reader: Reader) -> Self:
        input_hash = reader.take(HASH_SIZE)
        deck, proof = _read_shuffle(reader)
        return cls(input_hash=input_hash, deck=deck, proof=proof)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """Round 4: the digest of everything shuffled; also says that all shares for me are good."""

    kind: ClassVar[Kind] = Kind.READY
    digest: bytes

    def encode(self) -> bytes:
        """64 bytes."""
        return self.digest

    @classmethod
    def read(cls, reader: Reader) -> Self:
        return cls(digest=reader.take(HASH_SIZE))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """Reveal tokens of one seat for positions that others may open, with one DLEQ (S5, S8)."""

    kind: ClassVar[Kind] = Kind.TOKENS
    purpose: Purpose
    positions: tuple[int, ...]
    tokens: bytes
    proof: bytes

    def encode(self) -> bytes:
        """2 + 33 m + 64 bytes."""
        head = u8(self.purpose) + u8(len(self.positions))
        return head + bytes(self.positions) + self.tokens + self.proof

    @classmethod
    def read(cls, reader: Reader) -> Self:
        purpose = _read_purpose(reader)
        positions = _read_positions(reader)
        return cls(
            purpose=purpose,
            positions=positions,
            tokens=reader.take(CELL * len(positions)),
            proof=reader.take(DLEQ_BYTES),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Escrow:
    """A helper's share of an absent seat's tokens, with one DLEQ (S10)."""

    kind: ClassVar[Kind] = Kind.ESCROW
    absent: int
    positions: tuple[int, ...]
    tokens: bytes
    proof: bytes

    def encode(self) -> bytes:
        """2 + 33 m + 64 bytes."""
        head = u8(self.absent) + u8(len(self.positions))
        return head + bytes(self.positions) + self.tokens + self.proof

    @classmethod
    def read(cls, reader: Reader) -> Self:
        absent = _read_seat(reader)
        positions = _read_positions(reader)
        return cls(
            absent=absent,
            positions=positions,
            tokens=reader.take(CELL * len(positions)),
            proof=reader.take(DLEQ_BYTES),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Remask:
    """A re-mask of the mover's concealed rack tiles and its proof (S9); part of a Move."""

    deck: bytes
    proof: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One move of the seat on turn, the re-mask before it and the tokens that open its tiles."""

    kind: ClassVar[Kind] = Kind.MOVE
    move: bytes
    """Canonical bytes of rules/moves.py."""
    remask: Remask | None
    tokens: bytes
    """x_h * C1 of each concealed tile that the move makes public, in the move's order."""
    proof: bytes
    """One batched DLEQ of 64 bytes, or empty where no token is needed."""

    def encode(self) -> bytes:
        """2 + move + 1 [+ 1 + 64 N + 32 (5 N + 9)] + 1 + 32 m [+ 64] bytes."""
        remask = u8(0)
        if self.remask is not None:
            remask = u8(len(self.remask.deck) // ENTRY) + self.remask.deck + self.remask.proof
        count = u8(len(self.tokens) // CELL)
        return u16(len(self.move)) + self.move + remask + count + self.tokens + self.proof

    @classmethod
    def read(cls, reader: Reader) -> Self:
        size = reader.u16()
        if size > MAX_MOVE_SIZE:
            raise BadLength(f"expected a move of at most {MAX_MOVE_SIZE} bytes, got {size}")
        move = reader.take(size)
        remask = _read_remask(reader)
        count = reader.u8()
        if count > TILE_COUNT:
            raise BadLength(f"expected at most {TILE_COUNT} tokens, got {count}")
        return cls(
            move=move,
            remask=remask,
            tokens=reader.take(CELL * count),
            proof=reader.take(DLEQ_BYTES if count else 0),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """A vote that a seat is absent from its chain's head on (S10)."""

    kind: ClassVar[Kind] = Kind.DROP
    absent: int
    step: int
    head_seq: int
    head: bytes
    state: bytes

    def encode(self) -> bytes:
        """137 bytes."""
        return u8(self.absent) + u32(self.step) + u32(self.head_seq) + self.head + self.state

    @classmethod
    def read(cls, reader: Reader) -> Self:
        return cls(
            absent=_read_seat(reader),
            step=reader.u32(),
            head_seq=reader.u32(),
            head=reader.take(HASH_SIZE),
            state=reader.take(HASH_SIZE),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Refuse:
    """The answer to a Drop by a seat that has a later message of the absent seat (S10)."""

    kind: ClassVar[Kind] = Kind.REFUSE
    message: bytes
    """The encoded signed envelope."""

    def encode(self) -> bytes:
        """4 + envelope bytes."""
        return u32(len(self.message)) + self.message

    @classmethod
    def read(cls, reader: Reader) -> Self:
        return cls(message=_read_blob(reader))


@dataclass(frozen=True, slots=True, kw_only=True)
class Return:
    """An absent seat is back (S10)."""

    kind: ClassVar[Kind] = Kind.RETURN

    def encode(self) -> bytes:
        """0 bytes."""
        return b""

    @classmethod
    def read(cls, reader: Reader) -> Self:
        del reader
        return cls()


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """The digest of the final public state (S4.7)."""

    kind: ClassVar[Kind] = Kind.END
    digest: bytes

    def encode(self) -> bytes:
        """64 bytes."""
        return self.digest

    @classmethod
    def read(cls, reader: Reader) -> Self:
        return cls(digest=reader.take(HASH_SIZE))


@dataclass(frozen=True, slots=True, kw_only=True)
class Disclose:
    """The seat's seed of this hand, from which all its secrets follow (S3, S4.7)."""

    kind: ClassVar[Kind] = Kind.DISCLOSE
    seed: bytes

    def encode(self) -> bytes:
        """32 bytes."""
        return self.seed

    @classmethod
    def read(cls, reader: Reader) -> Self:
        return cls(seed=reader.take(SEED_SIZE))


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The score that the seat's own audit confirmed (S4.8)."""

    kind: ClassVar[Kind] = Kind.RESULT
    points: tuple[int, ...]
    """Change of each seat's total in this hand."""
    totals: tuple[int, ...]
    """Each seat's total after this hand."""
    state: bytes
    transcript: bytes
    """SHA-512 of all transcript lines before the first RESULT."""

    def encode(self) -> bytes:
        """1 + 8 n + 128 bytes."""
        numbers = b"".join(i32(value) for value in (*self.points, *self.totals))
        return u8(len(self.points)) + numbers + self.state + self.transcript

    @classmethod
    def read(cls, reader: Reader) -> Self:
        seats = reader.u8()
        if not MIN_SEATS <= seats <= MAX_SEATS:
            raise BadLength(f"expected points of 2 to 4 seats, got {seats}")
        return cls(
            points=tuple(reader.i32() for _ in range(seats)),
            totals=tuple(reader.i32() for _ in range(seats)),
            state=reader.take(HASH_SIZE),
            transcript=reader.take(HASH_SIZE),
        )


NOBODY = 255
"""The seat byte of a Void that names nobody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Void:
    """The attempt ends without score (S4); names whom and why, with the evidence."""

    kind: ClassVar[Kind] = Kind.VOID
    reason: str
    """Stable code of protocol S12, or `Abandoned`."""
    culprit: int
    """Seat to blame, or NOBODY."""
    evidence: tuple[bytes, ...]
    """Encoded signed envelopes of the culprit."""

    def encode(self) -> bytes:
        """1 + reason + 2 + (4 + size) for each envelope."""
        name = self.reason.encode("ascii")
        head = u8(len(name)) + name + u8(self.culprit) + u8(len(self.evidence))
        return head + b"".join(u32(len(item)) + item for item in self.evidence)

    @classmethod
    def read(cls, reader: Reader) -> Self:
        name = reader.take(reader.u8())
        if not (1 <= len(name) <= 32 and name.isalpha() and name.isascii()):
            raise DecodeError("expected a reason of 1 to 32 ASCII letters")
        culprit = reader.u8()
        if culprit >= MAX_SEATS and culprit != NOBODY:
            raise DecodeError(f"expected a seat from 0 to 3 or 255, got {culprit}")
        count = reader.u8()
        if count > 2:
            raise BadLength(f"expected at most 2 envelopes of evidence, got {count}")
        evidence = tuple(_read_blob(reader) for _ in range(count))
        return cls(reason=name.decode("ascii"), culprit=culprit, evidence=evidence)


Message = (
    Commit
    | Keys
    | Complaint
    | Shuffle
    | Ready
    | Tokens
    | Escrow
    | Move
    | Drop
    | Refuse
    | Return
    | End
    | Disclose
    | Result
    | Void
)
"""Any hand message."""

_CLASSES: dict[Kind, type[Message]] = {cls.kind: cls for cls in get_args(Message)}


def decode_message(kind: Kind, payload: bytes) -> Message:
    """The message with exactly these bytes; raises DecodeError for any other form."""
    reader = Reader(payload)
    message = _CLASSES[kind].read(reader)
    reader.close()
    return message


def _read_seat(reader: Reader) -> int:
    seat = reader.u8()
    if seat >= MAX_SEATS:
        raise DecodeError(f"expected a seat from 0 to 3, got {seat}")
    return seat


def _read_purpose(reader: Reader) -> Purpose:
    value = reader.u8()
    try:
        return Purpose(value)
    except ValueError:
        raise DecodeError(f"expected a token purpose from 1 to 3, got {value}") from None


def _read_positions(reader: Reader) -> tuple[int, ...]:
    count = reader.u8()
    if not 1 <= count <= TILE_COUNT:
        raise BadLength(f"expected 1 to {TILE_COUNT} positions, got {count}")
    positions = tuple(reader.take(count))
    if any(position >= TILE_COUNT for position in positions) or len(set(positions)) != count:
        raise DecodeError("expected different positions below 106")
    return positions


def _read_shuffle(reader: Reader) -> tuple[bytes, bytes]:
    count = reader.u8()
    if not N_MIN <= count <= TILE_COUNT:
        raise BadLength(f"expected a shuffle of 2 to {TILE_COUNT} tiles, got {count}")
    return reader.take(ENTRY * count), reader.take(proof_size(count))


def _read_remask(reader: Reader) -> Remask | None:
    count = reader.u8()
    if count == 0:
        return None
    if not N_MIN <= count <= TILE_COUNT:
        raise BadLength(f"expected a re-mask of 2 to {TILE_COUNT} tiles, got {count}")
    return Remask(deck=reader.take(ENTRY * count), proof=reader.take(proof_size(count)))


def _read_blob(reader: Reader) -> bytes:
    size = reader.u32()
    if size > MAX_ENVELOPE:
        raise BadLength(f"expected at most {MAX_ENVELOPE} bytes, got {size}")
    return reader.take(size)
