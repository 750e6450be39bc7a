"""Exit codes, and what a failure says: one sentence, what to do next, and the code."""

from dataclasses import dataclass
from enum import IntEnum

import click

from p2pokey.errors import (
    BackendUnavailable,
    ConnectError,
    DecodeError,
    InvalidAddress,
    InvalidInvite,
    InvalidRuleSet,
    JournalInUse,
    P2POkeyError,
    TableCancelled,
)


class ExitCode(IntEnum):
    """What the process answers."""

    OK = 0
    ERROR = 1
    """Something unexpected; `--debug` shows more."""
    USAGE = 2
    """A wrong option, argument, file name, folder or address, or an address that is taken."""
    VIOLATION = 3
    """An audit found that a seat cheated or a file was changed."""
    UNREADABLE = 4
    """A transcript that is unreadable, incomplete or of an unsupported version."""
    NO_CONNECTION = 5
    """The table could not be reached or did not come together."""
    CANCELLED = 6
    """The table ended before its match did."""
    NOTHING_TO_RESUME = 7
    """No table to come back to, or one whose journal is lost."""
    IN_USE = 8
    """Another program has that seat."""
    HUNG_UP = 129
    """SIGHUP: the terminal is gone."""
    INTERRUPTED = 130
    """Ctrl-C."""
    TERMINATED = 143
    """SIGTERM."""


class Terminated(Exception):
    """The process was asked to end."""


class HungUp(Terminated):
    """The process was asked to end because its terminal is gone."""


class CommandError(Exception):
    """A failure that knows its own sentence and code."""

    def __init__(self, sentence: str, *, advice: str, code: ExitCode) -> None:
        super().__init__(sentence)
        self.advice = advice
        self.code = code


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What to tell a person about a failure."""

    sentence: str
    advice: str
    """What to do next; may be empty."""
    code: ExitCode


_REPORT = "Run the command again with --debug and report what it shows."


def explain(error: BaseException) -> Explanation:
    """What to say, and with which code to end, for any exception."""
    match error:
        case CommandError():
            return Explanation(sentence=str(error), advice=error.advice, code=error.code)
        case click.UsageError():
            return _usage(error)
        case click.ClickException():
            return Explanation(sentence=error.format_message(), advice="", code=ExitCode.ERROR)
        case KeyboardInterrupt() | click.Abort():
            return Explanation(sentence="Stopped.", advice="", code=ExitCode.INTERRUPTED)
        case HungUp():
            return Explanation(sentence="Stopped.", advice="", code=ExitCode.HUNG_UP)
        case Terminated():
            return Explanation(sentence="Stopped.", advice="", code=ExitCode.TERMINATED)
        case P2POkeyError():
            return _explain_own(error)
        case OSError():
            return _explain_system(error)
        case _:
            sentence = f"Something went wrong inside p2pokey: {type(error).__name__}: {error}"
            return Explanation(sentence=sentence, advice=_REPORT, code=ExitCode.ERROR)


def sentence_of(error: BaseException) -> str:
    """The error's text as a sentence; its class says it where it has none."""
    text = str(error) or (type(error).__doc__ or type(error).__name__).strip()
    return text[0].upper() + text[1:] + ("" if text[-1] in ".!?" else ".")


def _explain_own(error: P2POkeyError) -> Explanation:
    if isinstance(error, TableCancelled):
        advice = "Open a new table and invite everybody again."
        return Explanation(sentence=sentence_of(error), advice=advice, code=ExitCode.CANCELLED)
    advice, code = _REPORT, ExitCode.ERROR
    if isinstance(error, InvalidAddress | InvalidInvite | InvalidRuleSet):
        advice, code = "", ExitCode.USAGE
    elif isinstance(error, ConnectError):
        advice, code = "", ExitCode.NO_CONNECTION
    elif isinstance(error, BackendUnavailable):
        advice, code = "Leave --backend out to compute with what there is.", ExitCode.ERROR
    elif isinstance(error, JournalInUse):
        advice, code = "", ExitCode.IN_USE
    elif isinstance(error, DecodeError):
        advice, code = "", ExitCode.ERROR
    return Explanation(sentence=sentence_of(error), advice=advice, code=code)


def _explain_system(error: OSError) -> Explanation:
    what = error.strerror or str(error) or type(error).__name__
    where = f"{error.filename}: " if error.filename else ""
    return Explanation(sentence=f"{where}{what}.", advice=_REPORT, code=ExitCode.ERROR)


def _usage(error: click.UsageError) -> Explanation:
    command = "p2pokey" if error.ctx is None else error.ctx.command_path
    sentence = error.format_message()
    if isinstance(error, click.exceptions.NoArgsIsHelpError) and error.ctx is not None:
        sentence = f"{command} needs a command: {_commands_of(error.ctx)}."
    return Explanation(
        sentence=sentence,
        advice=f"See: {command} --help",
        code=ExitCode.USAGE,
    )


def _commands_of(context: click.Context) -> str:
    group = context.command
    names = group.list_commands(context) if isinstance(group, click.Group) else []
    return ", ".join(names[:-1]) + f" or {names[-1]}"
