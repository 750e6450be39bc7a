"""The signed list of who sits where, and the session id made from it (docs/protocol.md S2).

A roster is written once by the host (always seat 0), signed with the host's identity key and then
frozen: seat = index in it. It has exactly one byte form, all integers little-endian:

    version u8 = 2 | room length u8, room (ASCII) | epoch u32 | rules length u16, rules |
    carry length u16, carry | number of seats u8 |
    per seat: identity key 32 | runner 32 | nonce commitment 32 | name length u8, name (UTF-8)

`rules` is the canonical JSON text of RuleSet || TableOptions. `carry` is what a match that goes on
in a new session takes over from the one before, empty for a fresh match. Both are only carried and
hashed here.

The session id is a hash over all identity keys and one fresh nonce of each seat. Every seat commits
to its nonce in the roster and opens it only after it holds the signed roster, so nobody, the host
included, can choose a nonce after seeing the others' and force a session id to repeat.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from p2pokey.codec import Reader, u8, u16, u32
from p2pokey.crypto.fiat_shamir import PREFIX, FiatShamir, fr
from p2pokey.errors import BadLength, CommitMismatch, DecodeError, DuplicateKey, UnsupportedVersion
from p2pokey.ports import Signer, Verifier
from p2pokey.table.chat_text import has_piles, is_invisible
from p2pokey.tiles import MAX_SEATS, MIN_SEATS, Seat

VERSION = 2
MAX_NAME_CHARS = 32
MAX_ROOM_CHARS = 16
MAX_RULES_BYTES = 3072
"""Twice the longest rule set, and a sealed roster still fits one signalling body of 12 KiB."""
MAX_CARRY_BYTES = 256
"""Score and starters of a match that goes on take about 120."""
KEY_BYTES = NONCE_BYTES = HASH_BYTES = 32
SAFETY_WORDS, SAFETY_LIST = 4, 1296
_SEAT_MAX = 3 * 32 + 1 + 4 * MAX_NAME_CHARS
_TEXTS_MAX = 1 + MAX_ROOM_CHARS + 2 + MAX_RULES_BYTES + 2 + MAX_CARRY_BYTES
MAX_ROSTER_BYTES = 1 + _TEXTS_MAX + 4 + 1 + MAX_SEATS * _SEAT_MAX

_ROOM_ALPHABET = frozenset("0123456789ABCDEFGHJKMNPQRSTVWXYZ")


@dataclass(frozen=True, slots=True, kw_only=True)
class RosterSeat:
    """One seat of the roster."""

    public_key: bytes
    """32-byte Ed25519 identity key."""
    runner: bytes
    """Identity key of whoever runs this seat's machine; a person's is their own."""
    nonce_commit: bytes
    """32-byte commitment to the seat's nonce (`commit_nonce`)."""
    name: str
    """Display name, `check_name` holds."""

    @property
    def is_computer(self) -> bool:
        """Whether somebody else's machine plays here; that one has signed it (`verify_runner`)."""
        return self.runner != self.public_key


@dataclass(frozen=True, slots=True, kw_only=True)
class Roster:
    """Who sits at one table, under which rules.

    Raises:
        DecodeError: a field is out of its range.
        DuplicateKey: two seats have one identity key.
    """

    room: str
    """Room code of the signalling server, Crockford base32 capitals, 1-16 characters."""
    epoch: int
    """Counts the rosters of one room, u32."""
    rules: bytes
    """Canonical text of RuleSet || TableOptions, 1-3072 bytes, opaque here."""
    seats: tuple[RosterSeat, ...]
    """2-4 seats in seat order; seat 0 is the host."""
    carry: bytes = b""
    """What a match that goes on takes over from the session before, 0-256 bytes, opaque here."""

    def __post_init__(self) -> None:
        _check_fields(self)
        keys = {seat.public_key for seat in self.seats}
        if len(keys) != len(self.seats):
            raise DuplicateKey("two seats of the roster have the same identity key")

    @property
    def host_key(self) -> bytes:
        """The identity key that signs this roster."""
        return self.seats[0].public_key

    @property
    def keys(self) -> bytes:
        """All identity keys in seat order, 32·n bytes (docs/protocol.md S2)."""
        return b"".join(seat.public_key for seat in self.seats)

    def seat_of(self, public_key: bytes) -> Seat | None:
        """The seat with this identity key, or None."""
        for index, seat in enumerate(self.seats):
            if seat.public_key == public_key:
                return Seat(index)
        return None


def check_name(name: str) -> None:
    """Raises DecodeError unless the name can be shown safely beside other players' names.

    1-32 characters in Unicode normal form C, no space at either end or beside another, no character
    that is invisible, changes the direction of text or breaks the line, and at most four combining
    marks on one character (table/chat_text.py).
    """
    if not 1 <= len(name) <= MAX_NAME_CHARS:
        raise DecodeError(f"expected a name of 1 to {MAX_NAME_CHARS} characters, got {len(name)}")
    if any(is_invisible(char) or (char != " " and char.isspace()) for char in name):
        raise DecodeError("expected a name without control or invisible characters")
    if has_piles(name):
        raise DecodeError("expected a name without piles of combining marks")
    if name != " ".join(name.split()) or unicodedata.normalize("NFC", name) != name:
        raise DecodeError("expected a name in normal form with single spaces between its words")


def _check_fields(roster: Roster) -> None:
    if not 1 <= len(roster.room) <= MAX_ROOM_CHARS or not _ROOM_ALPHABET.issuperset(roster.room):
        raise DecodeError("expected a room code of 1 to 16 base32 capitals")
    if not 0 <= roster.epoch < 2**32:
        raise DecodeError("expected an epoch that fits 32 bits")
    if not 1 <= len(roster.rules) <= MAX_RULES_BYTES:
        raise BadLength(f"expected 1 to {MAX_RULES_BYTES} bytes of rules, got {len(roster.rules)}")
    if len(roster.carry) > MAX_CARRY_BYTES:
        raise BadLength(f"expected at most {MAX_CARRY_BYTES} bytes to carry on")
    if not MIN_SEATS <= len(roster.seats) <= MAX_SEATS:
        raise DecodeError(f"expected {MIN_SEATS} to {MAX_SEATS} seats, got {len(roster.seats)}")
    for seat in roster.seats:
        check_name(seat.name)
        for value in (seat.public_key, seat.runner, seat.nonce_commit):
            if len(value) != KEY_BYTES:
                raise BadLength(f"expected {KEY_BYTES} bytes, got {len(value)}")


def encode_roster(roster: Roster) -> bytes:
    """The one byte form of the roster (table in the module docstring)."""
    room = roster.room.encode("ascii")
    parts = [
        u8(VERSION) + u8(len(room)) + room,
        u32(roster.epoch),
        u16(len(roster.rules)) + roster.rules,
        u16(len(roster.carry)) + roster.carry,
        u8(len(roster.seats)),
    ]
    for seat in roster.seats:
        name = seat.name.encode("utf-8")
        parts += [seat.public_key, seat.runner, seat.nonce_commit, u8(len(name)), name]
    return b"".join(parts)


def _read_seat(reader: Reader) -> RosterSeat:
    public_key, runner, nonce_commit = (reader.take(KEY_BYTES) for _ in range(3))
    name = reader.take(reader.u8()).decode("utf-8")
    return RosterSeat(public_key=public_key, runner=runner, nonce_commit=nonce_commit, name=name)


def decode_roster(data: bytes) -> Roster:
    """The roster that `encode_roster` writes as `data`.

    Raises:
        DecodeError: `data` is not the canonical form of any roster; oversized input is refused
            before it is looked at. DuplicateKey as in `Roster`.
    """
    if len(data) > MAX_ROSTER_BYTES:
        raise BadLength(f"expected at most {MAX_ROSTER_BYTES} bytes of roster, got {len(data)}")
    reader = Reader(data)
    version = reader.u8()
    if version != VERSION:
        raise UnsupportedVersion(f"expected roster version {VERSION}, got {version}")
    try:
        room = reader.take(reader.u8()).decode("ascii")
        epoch = reader.u32()
        rules = reader.take(reader.u16())
        carry = reader.take(reader.u16())
        count = reader.u8()
        if count > MAX_SEATS:
            raise DecodeError(f"expected at most {MAX_SEATS} seats, got {count}")
        seats = tuple(_read_seat(reader) for _ in range(count))
    except UnicodeDecodeError:
        raise DecodeError("expected text in the roster, got other bytes") from None
    reader.close()
    return Roster(room=room, epoch=epoch, rules=rules, seats=seats, carry=carry)


def _digest(name: str, *fields: tuple[str, bytes]) -> bytes:
    """32 bytes of a FiatShamir digest (docs/protocol.md S0) over the labelled fields."""
    hashing = FiatShamir(name)
    for label, data in fields:
        hashing.add(label, data)
    return hashing.digest()[:HASH_BYTES]


def roster_hash(roster: Roster) -> bytes:
    """32 bytes that stand for the roster in every signed message about links."""
    return _digest("roster", ("roster", encode_roster(roster)))


def _signed_text(roster: Roster) -> bytes:
    return fr("sig", PREFIX + b"roster") + encode_roster(roster)


def sign_roster(roster: Roster, signer: Signer) -> bytes:
    """The host's 64-byte signature; `signer` holds the key of seat 0."""
    return signer.sign(_signed_text(roster))


def verify_roster(roster: Roster, signature: bytes, verifier: Verifier) -> None:
    """Checks every key of the roster and the host's signature.

    Raises:
        BadPoint: an identity or runner key is not canonical or has small order.
        BadSignature: not signed by the key of seat 0.
    """
    for seat in roster.seats:
        verifier.check_key(seat.public_key)
        verifier.check_key(seat.runner)
    verifier.verify(roster.host_key, _signed_text(roster), signature)


def sign_runner(public_key: bytes, runner: Signer) -> bytes:
    """64 bytes by which `runner` says that it runs the program with this identity key."""
    return runner.sign(_runner_text(public_key))


def verify_runner(public_key: bytes, runner: bytes, signature: bytes, verifier: Verifier) -> None:
    """Checks who runs the program with an identity key; people run their own and sign nothing.

    Raises:
        BadPoint: the runner's key is not canonical or has small order.
        BadSignature: the runner has not signed that.
        BadLength: a signature where none is due.
    """
    verifier.check_key(runner)
    if runner == public_key:
        if signature:
            raise BadLength("expected no signature of a runner for a player's own key")
        return
    verifier.verify(runner, _runner_text(public_key), signature)


def _runner_text(public_key: bytes) -> bytes:
    return fr("sig", PREFIX + b"runner") + public_key


def commit_nonce(public_key: bytes, nonce: bytes) -> bytes:
    """The 32-byte commitment to a seat's 32-byte nonce; bound to the key, so it cannot be copied."""
    return _digest("nonce-commit", ("key", public_key), ("nonce", nonce))


def open_nonce(roster: Roster, seat: Seat, nonce: bytes) -> None:
    """Raises CommitMismatch (BadLength) unless `nonce` is what the seat committed to."""
    if len(nonce) != NONCE_BYTES:
        raise BadLength(f"expected a nonce of {NONCE_BYTES} bytes, got {len(nonce)}")
    entry = roster.seats[seat]
    if commit_nonce(entry.public_key, nonce) != entry.nonce_commit:
        raise CommitMismatch(f"the nonce of seat {seat} is not the one in the roster")


def session_id(roster: Roster, nonces: Sequence[bytes]) -> bytes:
    """The 32-byte session id from every seat's opened nonce, in seat order.

    Raises:
        BadLength: not one nonce of 32 bytes per seat.
        CommitMismatch: a nonce is not the committed one.
    """
    if len(nonces) != len(roster.seats):
        raise BadLength(f"expected {len(roster.seats)} nonces, got {len(nonces)}")
    for index, nonce in enumerate(nonces):
        open_nonce(roster, Seat(index), nonce)
    return _digest("session", ("keys", roster.keys), ("nonces", b"".join(nonces)))


def safety_numbers(session: bytes) -> tuple[int, ...]:
    """Four indices below 1296 into the invite words, for people to compare by voice.

    41 bits: whoever sits between two players must guess them in one try, because the nonces are
    committed to before any is known.
    """
    value = int.from_bytes(_digest("safety-words", ("session", session)), "little")
    numbers: list[int] = []
    for _ in range(SAFETY_WORDS):
        value, index = divmod(value, SAFETY_LIST)
        numbers.append(index)
    return tuple(numbers)
