"""`p2pokey stats`: what one's own transcripts add up to."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from p2pokey.cli.auditing import progress_bar
from p2pokey.cli.exits import CommandError, ExitCode
from p2pokey.cli.explaining import aligned
from p2pokey.cli.output import Output
from p2pokey.native.contacts import load_contacts
from p2pokey.native.entropy import OsEntropy
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.native.profile import Dirs, find_dirs, known_keys, load_identity
from p2pokey.table.statistics import Counting, Record, Statistics
from p2pokey.transcript.file import MAX_FILE

_SKIPPED = {
    "unreadable": "no transcript",
    "no score": "without a score that all have signed",
    "others": "of other players",
    "twice": "another copy of a hand",
    "again": "cancelled and dealt again",
}


def run_stats(output: Output, *, folder: Path | None, key: str | None, as_json: bool) -> int:
    """Reads every transcript below the folder and prints the sums."""
    dirs = find_dirs()
    keys = _keys(dirs, key)
    paths = sorted((folder or dirs.hands).rglob("*.jsonl"))
    counting = Counting(Ed25519Verifier(), keys)
    with progress_bar(output, "reading hands") as progress:
        for number, path in enumerate(paths, start=1):
            counting.add(_read(path))
            if progress is not None:
                progress(number, len(paths))
    sums = counting.sum_up()
    names = {contact.key: contact.name for contact in load_contacts(dirs.contacts)}
    if as_json:
        output.data(json.dumps(_to_json(sums, names), indent=2, ensure_ascii=True))
    else:
        for line in _lines(sums, names):
            output.data(line)
        if sums.by_rules:
            output.say("Scores are as all signed them; p2pokey audit FILE checks how they came.")
    return ExitCode.OK


def _keys(dirs: Dirs, key: str | None) -> tuple[bytes, ...]:
    if key is None:
        own = load_identity(dirs, OsEntropy()).public_key
        return (own, *known_keys(dirs))
    try:
        raw = bytes.fromhex(key)
    except ValueError:
        raw = b""
    if len(raw) != 32:
        raise CommandError(
            "A key is 64 hexadecimal digits.", advice="See: p2pokey id show", code=ExitCode.USAGE
        )
    return (raw,)


def _read(path: Path) -> bytes:
    """The file's bytes; nothing if it cannot be read, which then counts as no transcript."""
    try:
        with path.open("rb") as file:
            return file.read(MAX_FILE + 1)
    except OSError:
        return b""


def _lines(sums: Statistics, names: dict[bytes, str]) -> Iterator[str]:
    if not sums.by_rules:
        yield "No hand of yours yet."
    else:
        head = ("", "hands", "won", "matches", "won", "points")
        rows = [(rules, *_cells(record)) for rules, record in sorted(sums.by_rules.items())]
        yield from _table([head, *rows])
        yield ""
        people = [
            (f"with {names.get(key, key.hex()[:16])}", *_cells(record))
            for key, record in sorted(sums.by_player.items(), key=lambda item: -item[1].hands)
        ]
        yield from _table([head, *people])
    for reason, count in sorted(sums.skipped.items()):
        if count:
            yield f"left out, {_SKIPPED[reason]}: {count}"


def _cells(record: Record) -> tuple[str, ...]:
    numbers = (record.hands, record.hands_won, record.matches, record.matches_won)
    return (*map(str, numbers), f"{record.points:+d}")


def _table(rows: list[tuple[str, ...]]) -> Iterator[str]:
    head, *body = aligned(tuple(rows), right=True)
    yield click.style(head, underline=True)
    yield from body


def _to_json(sums: Statistics, names: dict[bytes, str]) -> dict[str, Any]:
    return {
        "rules": {key: _record(record) for key, record in sums.by_rules.items()},
        "players": [
            {"key": key.hex(), "name": names.get(key), **_record(record)}
            for key, record in sums.by_player.items()
        ],
        "skipped": dict(sums.skipped),
    }


def _record(record: Record) -> dict[str, int]:
    return {
        "hands": record.hands,
        "hands_won": record.hands_won,
        "matches": record.matches,
        "matches_won": record.matches_won,
        "points": record.points,
    }
