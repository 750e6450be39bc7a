"""Whole programs for tests: started, listened to, and always ended."""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.core import ROOT

Record = dict[str, Any]
MARK = "P2POKEY_TEST_MARK"


class Program:
    """One running `p2pokey` (or another program) that reports in lines of JSON."""

    def __init__(self, arguments: Sequence[str], *, home: Path, mark: str = "") -> None:
        self.records: list[Record] = []
        self._lines: queue.Queue[str | None] = queue.Queue()
        (home / "tmp").mkdir(exist_ok=True)
        self.process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=home,
            env={
                **os.environ,
                "P2POKEY_HOME": str(home / "home"),
                "PYTHONPATH": str(ROOT),
                "PYTHONDONTWRITEBYTECODE": "",  # compiling everything takes each of them seconds
                "TMPDIR": str(home / "tmp"),
                MARK: mark or uuid.uuid4().hex,
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.err: list[str] = []
        self._threads = [
            threading.Thread(target=self._read_out, daemon=True),
            threading.Thread(target=self._read_err, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def _read_out(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def _read_err(self) -> None:
        assert self.process.stderr is not None
        self.err.extend(self.process.stderr)

    @property
    def error(self) -> str:
        """All of standard error."""
        return "".join(self.err)

    def line(self, timeout: float = 60) -> str:
        """The next line of standard output; fails if the program has ended."""
        line = self._lines.get(timeout=timeout)
        last = "".join(f"{record}\n" for record in self.records[-12:])
        assert line is not None, f"it ended: {self.error}\n{last}"
        return line

    def wait_for(
        self,
        event: str,
        *,
        when: Callable[[Record], bool] = lambda record: True,
        timeout: float = 60,
    ) -> Record:
        """Reads reports until one fits."""
        until = time.monotonic() + timeout
        while True:
            record = json.loads(self.line(max(0.1, until - time.monotonic())))
            self.records.append(record)
            if record["event"] == event and when(record):
                return record

    def wait_for_any(self, *events: str, timeout: float = 60) -> Record:
        """Reads reports until one is of one of these kinds."""
        until = time.monotonic() + timeout
        while True:
            record = json.loads(self.line(max(0.1, until - time.monotonic())))
            self.records.append(record)
            if record["event"] in events:
                return record

    def type(self, text: str) -> None:
        """Types a line."""
        assert self.process.stdin is not None
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def send(self, number: signal.Signals) -> None:
        """Sends a signal."""
        self.process.send_signal(number)

    def end(self, timeout: float = 120) -> int:
        """Waits for the end; takes what is still reported. The exit code."""
        code = self.process.wait(timeout=timeout)
        for thread in self._threads:
            thread.join(timeout=10)
        while not self._lines.empty():
            line = self._lines.get()
            if line is not None and line.startswith("{"):
                self.records.append(json.loads(line))
        return code

    def of(self, event: str) -> list[Record]:
        """All reports of that kind so far."""
        return [record for record in self.records if record["event"] == event]

    def close(self) -> None:
        """Ends the program, whatever it does."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for thread in self._threads:
            thread.join(timeout=10)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            with suppress(BrokenPipeError):
                stream.close()


class Place:
    """A folder with programs in it; all of them end with it."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder = folder
        self._stack = stack
        self.url = ""

    def start(self, *arguments: str | Path, module: str = "p2pokey", mark: str = "") -> Program:
        """Starts `python -m module ARGUMENTS`."""
        words = ["-m", module, *map(str, arguments)]
        program = Program(words, home=self.folder, mark=mark)
        self._stack.callback(program.close)
        return program

    def script(self, code: str, *arguments: str) -> Program:
        """Starts a program given as text."""
        program = Program(["-c", code, *arguments], home=self.folder)
        self._stack.callback(program.close)
        return program

    def serve(self) -> Program:
        """Starts a signalling server; `url` is its address from then on."""
        server = self.start("signal", "--port", "0", "--json-progress")
        self.url = server.wait_for("Listening")["url"]
        return server

    def host(self, *more: str, name: str = "Ayse") -> tuple[Program, str]:
        """Opens a table; the host and its code."""
        host = self.start("host", "--hands", "1", *more, *self._seat(name))
        return host, host.wait_for("Invited")["code"]

    def join(self, code: str, *more: str, name: str = "Baran") -> Program:
        """Sits down."""
        return self.start("join", code, *more, *self._seat(name))

    def table(self, *more: str) -> list[Program]:
        """Host and three guests, all on their way; `more` arguments are for each of them."""
        host, code = self.host(*more)
        guests = ("Baran", "Ceren", "Deniz")
        return [host, *(self.join(code, *more, name=name) for name in guests)]

    def _seat(self, name: str) -> list[str]:
        out = str(self.folder / "out")
        shared = ["--auto", "--guest", "--json-progress", "--server", self.url, "--out", out]
        return [*shared, "--name", name]


@contextmanager
def place(folder: Path) -> Iterator[Place]:
    """A place for programs."""
    with ExitStack() as stack:
        yield Place(folder, stack)


def in_seat_order(programs: Sequence[Program]) -> list[Program]:
    """The programs by seat, once all are connected."""
    seats = {program.wait_for("Connected")["seat"]: program for program in programs}
    return [seats[seat] for seat in sorted(seats)]


def left_behind(mark: str, within: float = 15) -> list[str]:
    """Command lines of programs with that mark that are still there after some seconds."""
    until = time.monotonic() + within
    while (found := _marked(mark)) and time.monotonic() < until:
        time.sleep(0.1)
    return found


def _marked(mark: str) -> list[str]:
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            environment = (entry / "environ").read_bytes()
            command = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if f"{MARK}={mark}".encode() in environment.split(b"\0"):
            found.append(command.replace(b"\0", b" ").decode(errors="replace"))
    return found
