"""What a command writes: data to standard output, messages to standard error."""

import json
import os
import sys
from collections.abc import Mapping
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
        click.echo(text, err=True, color=use_colour(sys.stderr))

    def data(self, text: str) -> None:
        """What the command was asked for."""
        click.echo(text, color=use_colour(sys.stdout))

    def record(self, values: Mapping[str, Any]) -> None:
        """One line of JSON for another program, at once."""
        click.echo(json.dumps(values, separators=(",", ":"), ensure_ascii=True))
        sys.stdout.flush()


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
