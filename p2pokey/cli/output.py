"""What a command writes: data to standard output, messages to standard error."""

import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Any

import click


@dataclass(slots=True, kw_only=True)
class Output:
    """How much is said, and in which colours."""

    verbosity: int = 0
    """-1 quiet, 0 usual, 1 and more: with the log."""
    debug: bool = False
    """Whether a failure shows its traceback."""

    def say(self, text: str) -> None:
        """A message for people; not if quiet."""
        if self.verbosity >= 0:
            self.warn(text)

    def warn(self, text: str) -> None:
        """A message for people, also if quiet."""
        _write(text, sys.stderr)

    def data(self, text: str) -> None:
        """What the command was asked for."""
        _write(text, sys.stdout)

    def record(self, values: Mapping[str, Any]) -> None:
        """One line of JSON for another program, at once."""
        _write(json.dumps(values, separators=(",", ":"), ensure_ascii=True), sys.stdout)


def _write(text: str, stream: IO[str]) -> None:
    """Writes a line at once. Who has stopped reading it must not end a hand."""
    try:
        click.echo(text, file=stream, color=use_colour(stream))
        stream.flush()
    except BrokenPipeError:
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def use_colour(stream: IO[str], environment: Mapping[str, str] = os.environ) -> bool:
    """Whether to colour what goes to the stream: NO_COLOR, FORCE_COLOR, else if it is a screen."""
    if environment.get("NO_COLOR"):
        return False
    return bool(environment.get("FORCE_COLOR")) or stream.isatty()


def mark(is_good: bool) -> str:
    """A tick or a cross, or a word where standard output cannot show them."""
    encoding = sys.stdout.encoding or "ascii"
    tick, cross = "✓", "✗"
    try:
        (tick + cross).encode(encoding)
    except (UnicodeEncodeError, LookupError):
        tick, cross = "ok", "FAILED"
    return click.style(tick, fg="green") if is_good else click.style(cross, fg="red", bold=True)
