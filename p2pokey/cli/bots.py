"""Computer players that a host's program brings along: each a whole peer in a process of its own.

A bot has a fresh identity key. The host's key signs that it runs the bot, and the bot shows that to
everybody (docs/network.md, Admission). Key, signature, link and password reach the bot as one line on
its standard input, never as arguments, which every user of the computer can read. The end of that
input is the order to stop, so no bot outlives its host's program.

A bot's journal and transcripts are in a folder of its own below the state folder, so that a host who
comes back can bring its bots back, too.
"""

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from p2pokey.cli.exits import CommandError, ExitCode
from p2pokey.codec import encode_base64
from p2pokey.errors import DecodeError, JournalInUse
from p2pokey.native.entropy import OsEntropy
from p2pokey.native.files import PRIVATE
from p2pokey.native.identity import SECRET_BYTES, Ed25519Signer
from p2pokey.native.journal import release_lock, take_lock
from p2pokey.net.bodies import Body
from p2pokey.net.invites import MAX_INVITE_CHARS, Invite, parse_invite
from p2pokey.peer.table_journal import TABLE_FILE, table_folders
from p2pokey.ports import SIGNATURE_BYTES, Signer
from p2pokey.table.roster import Roster, sign_runner
from p2pokey.tiles import MAX_SEATS

BOT_NAMES = ("Bilge", "Usta", "Zeki")
"""Wise, master, clever: what people are hardly called at a table."""
FROM_STDIN = "-"
"""In place of an invite: it comes on standard input, with everything else."""
_FOLDER = "bots"
_LINE_BYTES = 8192
_MAX_PASSWORD = 1024
_END_SECONDS = 30.0
"""After a table has ended well a bot ends by itself: it waits 20 s for others at most."""
_STOP_SECONDS = 6.0
_PAUSE_SECONDS = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class BotTicket:
    """What a bot needs to come to the table."""

    secret: bytes = field(repr=False)
    """32-byte secret of its identity key."""
    runner: bytes
    """Identity key of whoever runs it."""
    signature: bytes
    """64 bytes by the runner (`roster.sign_runner`)."""
    link: str = field(repr=False)
    """Invite of the table."""
    password: str = field(default="", repr=False)
    """Of the room."""

    def encode(self) -> bytes:
        """One line of JSON."""
        values = {
            "secret": encode_base64(self.secret),
            "runner": encode_base64(self.runner),
            "signature": encode_base64(self.signature),
            "link": self.link,
            "password": self.password,
        }
        return json.dumps(values).encode("ascii") + b"\n"

    @property
    def invite(self) -> Invite:
        """The link, parsed."""
        return parse_invite(self.link)

    @property
    def signer(self) -> Ed25519Signer:
        """The bot's identity."""
        return Ed25519Signer(self.secret)


def new_ticket(runner: Signer, link: str, password: str) -> BotTicket:
    """A ticket for one more bot of this runner."""
    secret = OsEntropy().random_bytes(SECRET_BYTES)
    key = Ed25519Signer(secret).public_key
    return BotTicket(
        secret=secret,
        runner=runner.public_key,
        signature=sign_runner(key, runner),
        link=link,
        password=password,
    )


def read_ticket(descriptor: int = 0) -> BotTicket:
    """The ticket on standard input, and not a byte more.

    Raises:
        CommandError: there is none.
    """
    line = b""
    while not line.endswith(b"\n") and len(line) < _LINE_BYTES:
        byte = os.read(descriptor, 1)
        if not byte:
            break
        line += byte
    try:
        values: Any = json.loads(line)
        if not isinstance(values, dict):
            raise DecodeError("expected an object")
        body = Body(values)
        ticket = BotTicket(
            secret=body.binary("secret", SECRET_BYTES),
            runner=body.binary("runner", 32),
            signature=body.binary("signature", SIGNATURE_BYTES),
            link=body.text("link", MAX_INVITE_CHARS),
            password=body.text("password", _MAX_PASSWORD),
        )
        parse_invite(ticket.link)
    except ValueError as error:  # DecodeError, JSON and invites alike
        raise CommandError(
            "A computer player needs its ticket on standard input.",
            advice="Bots are started by: p2pokey host --bots N",
            code=ExitCode.USAGE,
        ) from error
    return ticket


@dataclass(slots=True, kw_only=True)
class Bots:
    """The bots of one program; use it as a context manager, which ends them.

    After an ordinary end they get time to end by themselves; after a failure they are stopped.
    """

    state: Path = field(default_factory=Path)
    """Where the runner keeps its tables; to be set before a bot is started."""
    options: tuple[str, ...] = ()
    """Further options of `p2pokey join` and `p2pokey resume`, e.g. the backend."""
    _running: list[tuple[subprocess.Popen[bytes], Path]] = field(default_factory=list, init=False)
    _starting: list[threading.Thread] = field(default_factory=list, init=False)
    _is_over: threading.Event = field(default_factory=threading.Event, init=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end(soon=kind is not None)

    def end(self, *, soon: bool) -> None:
        """They end: by themselves, if they do that before long, or at once."""
        self._is_over.set()
        for thread in self._starting:
            thread.join()
        for process, folder in self._running:
            code = _end(process, 0.0 if soon else _END_SECONDS)
            if code in (ExitCode.OK, ExitCode.NO_CONNECTION, ExitCode.CANCELLED):
                # Its table is over for it: there is nothing to come back to.
                shutil.rmtree(folder, ignore_errors=True)
        with suppress(OSError):  # there are others
            (self.state / _FOLDER).rmdir()

    def join(self, name: str, ticket: BotTicket, more: Sequence[str] = ()) -> None:
        """Starts a bot that joins the table of its ticket."""
        folder = bot_folder(self.state, ticket.signer.public_key)
        arguments = ["join", FROM_STDIN, "--bot", "--auto", "--guest", "--name", name]
        arguments += ["--state", str(folder / "tables"), "--out", str(folder / "hands"), *more]
        self._start(folder, [*arguments, *self.options], ticket.encode())

    def come_back(self, roster: Roster, runner: bytes) -> int:
        """Starts the bots of `runner` at this table again; returns how many.

        Each starts as soon as its process of before has gone, which notices its host's end by itself.
        """
        count = 0
        for seat in roster.seats:
            folder = bot_folder(self.state, seat.public_key)
            if seat.is_computer and seat.runner == runner and (folder / "tables").is_dir():
                work = threading.Thread(target=self._come_back, args=(folder,), daemon=True)
                self._starting.append(work)
                work.start()
                count += 1
        return count

    def _come_back(self, folder: Path) -> None:
        for _ in range(int(_STOP_SECONDS / _PAUSE_SECONDS)):
            if not any(map(_is_in_use, table_folders(folder / "tables"))):
                break
            if self._is_over.wait(_PAUSE_SECONDS):
                return
        if not self._is_over.is_set():
            self._start(folder, ["resume", str(folder / "tables"), *self.options], b"")

    def _start(self, folder: Path, arguments: Sequence[str], ticket: bytes) -> None:
        folder.mkdir(mode=PRIVATE | 0o100, parents=True, exist_ok=True)
        threads = str(max(1, (os.cpu_count() or 1) // MAX_SEATS))  # all share this computer
        always = ("-q", "--exit-with-stdin", "--threads", threads)
        process = subprocess.Popen(  # noqa: S603 - our own program and options
            [sys.executable, "-m", "p2pokey", *arguments, *always],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            # Ctrl-C goes to a terminal's whole group; the host says when its bots stop.
            start_new_session=os.name == "posix",
        )
        self._running.append((process, folder))
        assert process.stdin is not None
        with suppress(OSError):  # it has died: its complaint is on standard error
            process.stdin.write(ticket)
            process.stdin.flush()


def bot_folder(state: Path, key: bytes) -> Path:
    """Where the bot with this identity key keeps its things."""
    return state / _FOLDER / key.hex()[:32]


def _is_in_use(folder: Path) -> bool:
    """Whether a program has that table; locking it for an instant shows."""
    path = folder / TABLE_FILE
    try:
        release_lock(path, take_lock(path), remove=False)
    except JournalInUse:
        return True
    except OSError:
        return False  # whatever it is, the bot will say
    return False


def _end(process: subprocess.Popen[bytes], patience_s: float) -> int:
    if patience_s:
        with suppress(subprocess.TimeoutExpired):
            process.wait(patience_s)
    return _stop(process)


def _stop(process: subprocess.Popen[bytes]) -> int:
    assert process.stdin is not None
    with suppress(OSError):
        process.stdin.close()
    try:
        return process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()
