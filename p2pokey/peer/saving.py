"""Where a table leaves its transcripts and its journals."""

from pathlib import Path

from p2pokey.native.files import write_atomic
from p2pokey.native.journal import Journal, Record, RecordKind
from p2pokey.tiles import Seat
from p2pokey.transcript.setup import HandSetup, encode_header


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


def begin_journal(
    folder: Path, *, setup: HandSetup, seat: Seat, seed: bytes, used_keys: frozenset[bytes]
) -> Journal:
    """A journal that holds all that a new machine needs to become this one.

    Raises:
        OSError: it cannot be written, or this attempt has been journalled before.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    journal = Journal.create(folder / f"{setup.session.hex()[:32]}-{setup.hand:03}.journal")
    journal.append(
        (
            Record(kind=RecordKind.SETUP, payload=encode_header(setup)),
            Record(kind=RecordKind.SEAT, payload=bytes([seat])),
            Record(kind=RecordKind.USED_KEYS, payload=b"".join(sorted(used_keys))),
            Record(kind=RecordKind.SEED, payload=seed),
        )
    )
    return journal
