"""Where a table leaves its transcripts and its journals."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from p2pokey.errors import DecodeError
from p2pokey.native.files import write_atomic
from p2pokey.native.journal import (
    FILE_HEAD_BYTES,
    RECORD_BYTES,
    Journal,
    Record,
    RecordKind,
    read_journal,
)
from p2pokey.tiles import Seat
from p2pokey.transcript.envelope import decode_envelope
from p2pokey.transcript.file import decode_line, encode_transcript
from p2pokey.transcript.setup import HandSetup, decode_header, encode_header

HEAD_RECORDS = 4
"""Setup, seat, used keys and seed: on disk before the machine starts."""


def transcript_name(hand: int, seat: Seat) -> str:
    """File name of attempt `hand` as `seat` has it, e.g. `hand-001-seat-1.jsonl`."""
    return f"hand-{hand + 1:03}-seat-{seat + 1}.jsonl"


def save_transcript(folder: Path, hand: int, seat: Seat, data: bytes) -> Path:
    """Writes a transcript whole; an older one of that name is replaced.

    Raises:
        OSError: it cannot be written.
    """
    path = folder / transcript_name(hand, seat)
    write_atomic(path, data)
    return path


def saved_envelopes(path: Path) -> list[bytes]:
    """The envelopes of a saved transcript; none if it has gone or cannot be read."""
    try:
        lines = path.read_bytes().splitlines()[1:]
        return [decode_line(line).encoded for line in lines]
    except (OSError, DecodeError):
        return []


def journalled_envelopes(folder: Path, session: bytes, hand: int) -> list[bytes]:
    """All that a journal holds of an attempt; nothing if it has gone or cannot be read."""
    try:
        records = read_journal(_journal_path(folder, session, hand)).kept
    except (OSError, DecodeError):
        return []
    return [record.payload for record in records[HEAD_RECORDS:]]


def save_unfinished(journals: Path, out: Path) -> list[Path]:
    """Writes what journals hold of hands that have no transcript; returns the new files.

    Raises:
        OSError: one cannot be written.
    """
    saved = []
    for path in sorted(journals.glob("*-???.journal")):
        with suppress(DecodeError):
            records = read_journal(path).kept
            if len(records) <= HEAD_RECORDS:
                continue
            setup, seat = decode_header(records[0].payload), Seat(records[1].payload[0])
            envelopes = [decode_envelope(record.payload) for record in records[HEAD_RECORDS:]]
            if not (out / transcript_name(setup.hand, seat)).exists():
                data = encode_transcript(setup, envelopes)
                saved.append(save_transcript(out, setup.hand, seat, data))
    return saved


def begin_journal(
    folder: Path, *, setup: HandSetup, seat: Seat, seed: bytes, used_keys: frozenset[bytes]
) -> Journal:
    """A journal that holds all that a new machine needs to become this one.

    Raises:
        OSError: it cannot be written, or this attempt has been journalled before.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    journal = Journal.create(_journal_path(folder, setup.session, setup.hand))
    journal.append(_head(setup, seat, used_keys, seed))
    return journal


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptHand:
    """An attempt that an earlier run of the program has begun."""

    journal: Journal
    seed: bytes
    envelopes: tuple[bytes, ...]
    """Own and accepted, in order."""
    has_lost: bool
    """Whether the end is lost: something more may have been signed."""


def reopen_journal(
    folder: Path, *, setup: HandSetup, seat: Seat, used_keys: frozenset[bytes]
) -> KeptHand | None:
    """The attempt as far as it was journalled; None if nothing of it can have been sent.

    Raises:
        OSError: it cannot be read or written.
        DecodeError: it is damaged where the seed was, or belongs to something else. It stays as it
            is: something may have been signed with that seed.
        JournalInUse: another program writes it.
    """
    path = _journal_path(folder, setup.session, setup.hand)
    if not path.exists():
        return None
    try:
        journal, contents = Journal.reopen(path, head=HEAD_RECORDS)
    except DecodeError:
        if path.stat().st_size > FILE_HEAD_BYTES:
            raise
        path.unlink()  # killed while it was being made
        return None
    records = contents.kept
    head = tuple(record.payload for record in records[:HEAD_RECORDS])
    expected = tuple(record.payload for record in _head(setup, seat, used_keys, b""))[:3]
    if len(head) == HEAD_RECORDS and head[:3] == expected:
        envelopes = tuple(record.payload for record in records[HEAD_RECORDS:])
        return KeptHand(
            journal=journal,
            seed=head[3],
            envelopes=envelopes,
            has_lost=contents.has_lost,
        )
    is_short = contents.file_bytes <= _head_bytes(setup, seat, used_keys)
    if len(head) < HEAD_RECORDS and is_short and contents.is_untouched:
        journal.discard()  # killed before the seed was on disk, so before anything was signed
        return None
    journal.close()
    raise DecodeError(f"{path.name} has lost its beginning, so the hand cannot be taken up again")


def drop_journals_before(folder: Path, setup: HandSetup) -> None:
    """Removes the journals of the attempts of this session before this one."""
    for path in folder.glob(f"{setup.session.hex()[:32]}-*.journal"):
        if int(path.stem.rpartition("-")[2]) < setup.hand:
            path.unlink(missing_ok=True)
            path.with_name(path.name + ".lock").unlink(missing_ok=True)


def _journal_path(folder: Path, session: bytes, hand: int) -> Path:
    return folder / f"{session.hex()[:32]}-{hand:03}.journal"


def _head(
    setup: HandSetup, seat: Seat, used_keys: frozenset[bytes], seed: bytes
) -> tuple[Record, ...]:
    return (
        Record(kind=RecordKind.SETUP, payload=encode_header(setup)),
        Record(kind=RecordKind.SEAT, payload=bytes([seat])),
        Record(kind=RecordKind.USED_KEYS, payload=b"".join(sorted(used_keys))),
        Record(kind=RecordKind.SEED, payload=seed),
    )


def _head_bytes(setup: HandSetup, seat: Seat, used_keys: frozenset[bytes]) -> int:
    """Size of a journal that holds its head and nothing else."""
    records = _head(setup, seat, used_keys, bytes(32))
    return FILE_HEAD_BYTES + sum(len(record.payload) + RECORD_BYTES for record in records)
