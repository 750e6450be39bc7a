"""Questions to the person at the terminal while friends are being waited for.

A question is read from standard input only while it is open, a line at a time, so that whoever reads
there afterwards loses nothing.
"""

import asyncio
import os
import sys
from contextlib import suppress
from dataclasses import dataclass, field

import click

from p2pokey.cli.exits import CommandError, ExitCode
from p2pokey.cli.output import Output

PASSWORD_VARIABLE = "P2POKEY_PASSWORD"  # noqa: S105 - a name
_STDIN = 0
_LINE_BYTES = 4096
_YES = ("y", "yes", "e", "evet")


def can_ask() -> bool:
    """Whether there is a person to ask."""
    return sys.platform != "win32" and sys.stdin is not None and sys.stdin.isatty()


def has_password_set() -> bool:
    """Whether the environment has a password, so that nobody has to be asked."""
    return bool(os.environ.get(PASSWORD_VARIABLE, "").strip())


def ask_password(*, is_new: bool) -> str:
    """The room password, from P2POKEY_PASSWORD or asked for without echo; never an argument, which
    every user of the computer could read.

    Raises:
        CommandError: there is nobody to ask, or nothing was said.
    """
    password = os.environ.get(PASSWORD_VARIABLE, "").strip()
    if not password:
        if not can_ask():
            raise CommandError(
                "There is no terminal to ask for the password.",
                advice=f"Put it into the environment as {PASSWORD_VARIABLE}.",
                code=ExitCode.USAGE,
            )
        prompt = "Password of the table"
        text = click.prompt(prompt, hide_input=True, confirmation_prompt=is_new, err=True)
        password = str(text).strip()
    if not password:
        raise CommandError(
            "An empty password keeps nobody out.",
            advice="Leave --password out, or choose one.",
            code=ExitCode.USAGE,
        )
    return password


@dataclass(slots=True, kw_only=True)
class Asker:
    """Asks one question at a time; the others wait for their turn."""

    output: Output
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)
    _rest: bytes = field(default=b"", init=False)

    async def ask(self, question: str) -> str | None:
        """The line that is typed, without spaces at its ends; None at the end of standard input."""
        async with self._turn:
            self.output.warn(question)
            line = await self._line()
        return None if line is None else line.decode("utf-8", errors="replace").strip()

    async def agrees(self, question: str) -> bool:
        """Whether the answer is yes; anything else is no."""
        answer = await self.ask(f"{question} [y/N]")
        return answer is not None and answer.casefold() in _YES

    async def _line(self) -> bytes | None:
        while b"\n" not in self._rest:
            data = await _read_some()
            if not data:
                return None
            self._rest += data[:_LINE_BYTES]
            if len(self._rest) > _LINE_BYTES:
                self._rest = b"\n"  # nobody types that
        line, _, self._rest = self._rest.partition(b"\n")
        return line


async def _read_some() -> bytes:
    """What is typed next; a terminal gives one line at a time."""
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(_STDIN, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(_STDIN)
    with suppress(OSError):
        return os.read(_STDIN, _LINE_BYTES)
    return b""
