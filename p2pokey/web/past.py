"""Hands of the past: what is saved on this computer, newest first."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from p2pokey.errors import DecodeError, VerificationError
from p2pokey.ports import Verifier
from p2pokey.table.statistics import Counting, Record, Statistics, read_hand
from p2pokey.transcript.file import MAX_FILE

MAX_SHOWN = 100
"""Hands of the list; the statistics count all."""
SCORED, UNSCORED, UNREADABLE = "scored", "no-score", "unreadable"


@dataclass(frozen=True, slots=True, kw_only=True)
class PastHand:
    """One saved file."""

    id: str
    """Its path below the folder of hands, with `/`."""
    day: str
    """ISO 8601 day on which it was saved."""
    status: str
    rules: str = ""
    keys: tuple[bytes, ...] = ()
    points: tuple[int, ...] = ()


def past_hands(folder: Path, verifier: Verifier) -> list[PastHand]:
    """The newest hands below the folder."""
    newest = sorted(_files(folder), key=lambda item: (-item[0], str(item[1])))[:MAX_SHOWN]
    return [_look(folder, path, at, verifier) for at, path in newest]


def find_hand(folder: Path, id_: str) -> Path | None:
    """The file with that id; None for anything that is not one of the folder's own hands."""
    for _, path in _files(folder):
        if path.relative_to(folder).as_posix() == id_:
            return path
    return None


def read_file(path: Path) -> bytes:
    """The file, or nothing if it cannot be read; one byte more than is allowed at most."""
    try:
        with path.open("rb") as file:
            return file.read(MAX_FILE + 1)
    except OSError:
        return b""


def statistics_of(folder: Path, verifier: Verifier, keys: tuple[bytes, ...]) -> Statistics:
    """All hands below the folder, from the side of these identity keys."""
    counting = Counting(verifier, keys)
    for _, path in sorted(_files(folder)):
        counting.add(read_file(path))
    return counting.sum_up()


def to_json(sums: Statistics, names: dict[bytes, str]) -> list[dict[str, Any]]:
    """Rows for the page: first by game, then by player."""
    games = [{"rules": key, **_row(record)} for key, record in sorted(sums.by_rules.items())]
    people = [
        {"player": names.get(key, key.hex()[:8]), **_row(record)}
        for key, record in sorted(sums.by_player.items(), key=lambda item: -item[1].hands)
    ]
    return games + people


def _row(record: Record) -> dict[str, int]:
    return {
        "hands": record.hands,
        "hands_won": record.hands_won,
        "matches": record.matches,
        "matches_won": record.matches_won,
        "points": record.points,
    }


def _files(folder: Path) -> Iterator[tuple[float, Path]]:
    """Transcripts below the folder and when they were written; what goes meanwhile is left out."""
    for path in folder.rglob("*.jsonl"):
        try:
            if path.is_file() and not path.is_symlink():
                yield path.stat().st_mtime, path
        except OSError:
            continue


def _look(folder: Path, path: Path, at: float, verifier: Verifier) -> PastHand:
    id_ = path.relative_to(folder).as_posix()
    day = time.strftime("%Y-%m-%d", time.localtime(at))
    try:
        hand = read_hand(read_file(path), verifier)
    except (DecodeError, VerificationError):
        return PastHand(id=id_, day=day, status=UNREADABLE)
    if hand is None:
        return PastHand(id=id_, day=day, status=UNSCORED)
    return PastHand(
        id=id_,
        day=day,
        status=SCORED,
        rules=hand.setup.rules.key,
        keys=hand.setup.roster,
        points=hand.points,
    )
