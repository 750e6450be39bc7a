"""Programs that a command starts and never leaves behind.

The end of a child's standard input is the order to stop. The system closes that pipe however the
parent ends, so children go even when the parent is killed.
"""

import asyncio
import json
import os
import shutil
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

_STOP_SECONDS = 6.0
"""Goodbyes to four friends and a closing server take at most five."""
_KEPT_LINES = 20
_LINE_LIMIT = 256 * 1024
_CHUNK = 16 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """What a child has said, or that it has ended."""

    child: str
    record: dict[str, Any] | None
    """A line of JSON; None: the child has ended and will say nothing more."""


@dataclass(slots=True, kw_only=True)
class Child:
    """One running program."""

    name: str
    process: asyncio.subprocess.Process
    errors: deque[str] = field(default_factory=lambda: deque(maxlen=_KEPT_LINES))
    """The last lines of its standard error."""
    readers: list[asyncio.Task[None]] = field(default_factory=list)

    @property
    def complaint(self) -> str:
        """What it says about its failure: its error line, or whatever it said last."""
        lines = [line for line in self.errors if line.startswith("error: ")]
        text = lines[-1].removeprefix("error: ") if lines else (self.errors or [""])[-1]
        return text or "it said nothing"


class Children:
    """Starts `p2pokey` programs and brings their news; use it as an async context manager."""

    def __init__(self, *, echo: Callable[[str], None] | None = None) -> None:
        """Args: echo: gets every line of the children's standard error, with the child's name."""
        self._echo = echo
        self._children: dict[str, Child] = {}
        self._folder = Path()
        self._news: asyncio.Queue[News] = asyncio.Queue()

    async def __aenter__(self) -> Self:
        # Of their own, so that a killed child leaves no temporary files behind either.
        self._folder = Path(tempfile.mkdtemp(prefix="p2pokey-children-"))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        stopping = asyncio.ensure_future(self._stop_all())
        try:
            await asyncio.shield(stopping)
        except asyncio.CancelledError:
            # Asked again to hurry: no more goodbyes.
            self._kill_all()
            await stopping
            raise
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)

    def __getitem__(self, name: str) -> Child:
        """The child with that name."""
        return self._children[name]

    @property
    def folder(self) -> Path:
        """For temporary files; goes with the children."""
        return self._folder

    async def start(self, name: str, arguments: Sequence[str]) -> Child:
        """Starts `p2pokey ARGUMENTS`."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "p2pokey",
            *arguments,
            "--json-progress",
            "--exit-with-stdin",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=_LINE_LIMIT,
            env={**os.environ, **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(self._folder))},
            # Ctrl-C in a terminal goes to its whole group; the parent says who stops when.
            start_new_session=os.name == "posix",
        )
        child = Child(name=name, process=process)
        self._children[name] = child
        child.readers = [
            asyncio.create_task(self._read(child)),
            asyncio.create_task(self._read_errors(child)),
        ]
        return child

    async def news(self, timeout_s: float) -> News:
        """The next news of any child; raises TimeoutError."""
        async with asyncio.timeout(timeout_s):
            return await self._news.get()

    async def wait(self, name: str, timeout_s: float) -> int:
        """The exit code of a child that ends by itself; raises TimeoutError."""
        async with asyncio.timeout(timeout_s):
            return await self._children[name].process.wait()

    async def stop(self, name: str) -> int:
        """Asks a child to end, and makes it end."""
        return await _stop(self._children[name])

    async def _read(self, child: Child) -> None:
        assert child.process.stdout is not None
        try:
            while line := await child.process.stdout.readline():
                with suppress(ValueError):
                    record = json.loads(line)
                    self._news.put_nowait(News(child=child.name, record=record))
        except ValueError:
            child.errors.append("it said a line that is too long")
        await child.process.wait()
        self._news.put_nowait(News(child=child.name, record=None))

    async def _read_errors(self, child: Child) -> None:
        assert child.process.stderr is not None
        rest = b""
        while chunk := await child.process.stderr.read(_CHUNK):
            *lines, rest = (rest + chunk)[-_LINE_LIMIT:].split(b"\n")
            for line in lines:
                text = line.decode("utf-8", errors="replace").rstrip()
                if text:
                    child.errors.append(text)
                    if self._echo is not None:
                        self._echo(f"{child.name}: {text}")

    async def _stop_all(self) -> None:
        await asyncio.gather(*(_stop(child) for child in self._children.values()))

    def _kill_all(self) -> None:
        for child in self._children.values():
            with suppress(ProcessLookupError):
                child.process.kill()


async def _stop(child: Child) -> int:
    process = child.process
    if process.returncode is None:
        assert process.stdin is not None
        process.stdin.close()
        try:
            async with asyncio.timeout(_STOP_SECONDS):
                await process.wait()
        except TimeoutError:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    await asyncio.wait(child.readers)
    assert process.returncode is not None
    return process.returncode
