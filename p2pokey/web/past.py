"""Hands of the past: what is saved on this computer, newest first."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from p2pokey.errors import DecodeError, VerificationError
from p2pokey.ports import Verifier
from p2pokey.table.statistics import PlayedHand, Record, Statistics, read_hand
from p2pokey.transcript.file import MAX_FILE
from p2pokey.transcript.setup import decode_header

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
    time: str
    """HH:MM of that day, as this computer's clock had it."""
    status: str
    rules: str = ""
    hand: int | None = None
    """Which of its match, from 1; None: that cannot be read."""
    keys: tuple[bytes, ...] = ()
    points: tuple[int, ...] = ()
    played: PlayedHand | None = None
    """For the statistics, where it has a score that all have signed."""


def find_hand(folder: Path, id_: str) -> Path | None:
    """The file with that id; None for anything that is not one of the folder's own hands."""
    for _, path in hand_files(folder):
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


def to_json(sums: Statistics, name_of: Callable[[bytes], str]) -> list[dict[str, Any]]:
    """Rows for the page: first by game, then by player."""
    games = [
        {"name": None, "rules": key, **_row(record)}
        for key, record in sorted(sums.by_rules.items())
    ]
    people = [
        {"name": name_of(key), "rules": None, **_row(record)}
        for key, record in sorted(sums.by_player.items(), key=lambda item: -item[1].hands)
    ]
    return games + people


def _row(record: Record) -> dict[str, int]:
    return {
        "hands": record.hands,
        "won": record.hands_won,
        "matches": record.matches,
        "matches_won": record.matches_won,
        "points": record.points,
    }


def hand_files(folder: Path) -> Iterator[tuple[float, Path]]:
    """Transcripts below the folder and when they were written; what goes meanwhile is left out."""
    for path in folder.rglob("*.jsonl"):
        try:
            if path.is_file() and not path.is_symlink():
                yield path.stat().st_mtime, path
        except OSError:
            continue


def saved_at(at: float) -> tuple[str, str]:
    """Day and time of day at which a file was written, in seconds since 1970."""
    day, _, clock = time.strftime("%Y-%m-%d %H:%M", time.localtime(at)).partition(" ")
    return day, clock


def look_at(folder: Path, path: Path, at: float, verifier: Verifier) -> PastHand:
    """What a file holds; `at` is when it was written."""
    id_ = path.relative_to(folder).as_posix()
    day, clock = saved_at(at)
    data = read_file(path)
    try:
        hand, setup = read_hand(data, verifier), decode_header(data.partition(b"\n")[0])
    except (DecodeError, VerificationError):
        return PastHand(id=id_, day=day, time=clock, status=UNREADABLE)
    return PastHand(
        id=id_,
        day=day,
        time=clock,
        status=UNSCORED if hand is None else SCORED,
        rules=setup.rules.key,
        hand=setup.match_hand + 1,
        keys=setup.roster,
        points=() if hand is None else hand.points,
        played=hand,
    )
