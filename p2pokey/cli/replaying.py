"""`p2pokey replay`: steps through a saved hand in the terminal."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from p2pokey.audit.report import Status
from p2pokey.cli.auditing import progress_bar
from p2pokey.cli.exits import CommandError, ExitCode
from p2pokey.cli.output import Output, mark
from p2pokey.crypto.group import Group
from p2pokey.native.backends import BackendName, choose_backend
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.native.sealing import ChaChaSealer
from p2pokey.native.threads import usual_threads
from p2pokey.tiles import MAX_SEATS, Seat
from p2pokey.transcript.file import MAX_FILE
from p2pokey.web.replaying import Replay, read_replay

Json = Mapping[str, Any]

_COLOURS = {"r": "red", "b": "blue", "k": "white", "y": "yellow", "*": "green"}
_SENTENCES = {
    "draw": "draws",
    "take": "takes {tile}",
    "pass": "passes",
    "return": "puts {tile} back",
    "take-back": "takes back what was laid",
    "go-pairs": "declares Going Pairs",
    "show": "shows {tile}",
    "discard": "discards {tile}",
    "finish": "finishes, discarding {tile}",
    "open": "opens: {tiles}",
    "lay": "lays {tiles}",
    "add": "adds {tiles} to meld {meld}",
    "retrieve": "takes {okey} from meld {meld} for {tiles}",
    "claim": "opens and finishes: {tiles}",
    "play": "plays {tiles}",
}


def run_replay(
    output: Output,
    *,
    file: Path,
    seat: int | None,
    step: bool,
    as_json: bool,
    backend: BackendName,
) -> int:
    """Shows a hand step by step; the code is that of its audit.

    Args:
        seat: 1-based seat whose view is shown; None shows all racks.
        step: whether to wait for a key after every state.
    """
    replay = _read(output, file, backend)
    setup = replay.setup
    viewer = seat_of(seat, MAX_SEATS if setup is None else setup.seats)
    for number in range(len(replay.moments)):
        shown = replay.json(file=file.name, step=number, seat=viewer)
        if as_json:
            output.record(shown)
            continue
        output.data(_step_line(shown))
        if step:
            for line in _table_lines(shown):
                output.data(line)
            if not _wants_more():
                break
    if not as_json:
        for line in _last_lines(replay, file.name, viewer):
            output.data(line)
    assert replay.report is not None
    return replay.report.exit_code


def read_data(file: Path) -> bytes:
    """What the file holds; raises CommandError if it cannot be read."""
    try:
        # One byte more than is allowed is enough to be refused.
        with file.open("rb") as source:
            return source.read(MAX_FILE + 1)
    except OSError as error:
        raise unreadable(file, error.strerror or str(error)) from error


def unreadable(file: Path, reason: str) -> CommandError:
    """That the file is nothing to step through."""
    return CommandError(
        f"{file} cannot be read: {reason}.",
        advice="Name a transcript: a file that ends in .jsonl.",
        code=ExitCode.UNREADABLE,
    )


def seat_of(seat: int | None, seats: int) -> Seat | None:
    """The viewer; raises CommandError for a seat that the hand does not have."""
    if seat is not None and seat > seats:
        raise CommandError(
            f"This hand has {seats} seats.",
            advice="Leave --seat out to see all racks.",
            code=ExitCode.USAGE,
        )
    return None if seat is None else Seat(seat - 1)


def _read(output: Output, file: Path, backend: BackendName) -> Replay:
    data = read_data(file)
    group = Group(choose_backend(backend, threads=usual_threads()))
    with progress_bar(output, f"audit of {file.name}") as progress:
        return read_replay(
            data,
            group=group,
            verifier=Ed25519Verifier(),
            sealer=ChaChaSealer(),
            progress=progress,
        )


def _wants_more() -> bool:
    """Waits for a key; `q` ends, and so does the end of what is typed."""
    try:
        return click.getchar() not in ("q", "Q", "\x04")
    except (EOFError, OSError):
        return False


def _tiles(names: Sequence[str | None]) -> str:
    return " ".join(map(_tile, names))


def _tile(name: str | None) -> str:
    """A tile without its copy; `--` for one that is concealed."""
    if name is None:
        return "--"
    return click.style(name[:-1], fg=_COLOURS[name[0]])


def _step_line(shown: Json) -> str:
    move, checks = shown["move"], shown["checks"]
    text = _deal_text(shown["game"]) if move is None else _move_text(move)
    proofs = f"{mark(not checks['failed'])} {checks['done']} proofs"
    return f"{shown['step']:4d}  {text}  [{proofs}]"


def _deal_text(game: Json) -> str:
    text = f"the deal: seat {game['starter'] + 1} begins"
    return text if game["okey"] is None else f"{text}, the okey is {_tile(game['okey'] + 'a')}"


def _move_text(move: Json) -> str:
    words = {
        "tile": _tile(move.get("tile")),
        "okey": _tile(move.get("okey")),
        "tiles": _tiles(move["tiles"]),
        "meld": move.get("meld", 0) + 1,
    }
    text = f"seat {move['seat'] + 1} {_SENTENCES[move['kind']].format(**words)}"
    if move["absent"]:
        text += " (absent: the others play)"
    if "failed" in move:
        text += f" (fails: {move['failed']})"
    for charge in move["charges"]:
        text += f"; seat {charge['seat'] + 1} {charge['points']:+d} ({charge['rule']})"
    return text


def _table_lines(shown: Json) -> Iterator[str]:
    """Everything that lies there: racks, discards, melds."""
    game = shown["game"]
    for seat, rack in enumerate(game["racks"]):
        pointer = ">" if seat == game["turn"] and game["phase"] != "over" else " "
        yield f"      {pointer} seat {seat + 1}  {_tiles(rack)}"
        pile = game["discards"][seat]
        if pile:
            yield f"               discards {_tiles(pile)}"
    for meld in game["melds"]:
        owner = "" if meld["owner"] is None else f" of seat {meld['owner'] + 1}"
        tiles = _tiles([tile["tile"] for tile in meld["tiles"]])
        yield f"        meld {meld['n'] + 1}{owner}: {tiles} = {meld['value']}"
    yield f"        stack {game['stack']}"


def _last_lines(replay: Replay, name: str, viewer: Seat | None) -> Iterator[str]:
    report = replay.report
    assert report is not None
    if replay.moments:
        shown = replay.json(file=name, step=replay.last_step, seat=viewer)
        if shown["end"] is not None:
            yield from _end_lines(shown["end"])
    yield f"{mark(report.status is Status.SOUND)} {name}: {report.status.value}, " + (
        f"{report.proofs} proofs verified"
    )
    for finding in report.findings:
        yield f"    {finding}"


def _end_lines(end: Json) -> Iterator[str]:
    """Racks that are left, and what makes up the points."""
    for seat, rack in enumerate(end["racks"]):
        lines = [f"{line['code']} {line['points']:+d}" for line in end["lines"][seat]]
        yield f"      seat {seat + 1}  {_tiles(rack)}"
        total = f"{end['points'][seat]:+d} = {end['totals'][seat]}"
        yield f"               {', '.join(lines) or 'nothing'}: {total}"
