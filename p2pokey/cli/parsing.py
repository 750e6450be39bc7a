"""What the commands' definitions share: the options of every command."""

from collections.abc import Callable, Sequence
from functools import update_wrapper
from typing import Any, TypeVar

import click

from p2pokey.cli.output import Output

Function = TypeVar("Function", bound=Callable[..., Any])


def common(function: Function) -> Function:
    """Options of every command: -q, -v, --debug. The function gets the `Output` first."""

    @click.pass_obj
    def run(output: Output, /, *, quiet: bool, verbose: int, debug: bool, **values: Any) -> Any:
        from p2pokey.cli.logs import log_to_stderr

        output.verbosity = -1 if quiet else verbose
        output.debug = debug
        log_to_stderr(output.verbosity)
        return function(output, **values)

    options = (
        click.option("-q", "--quiet", is_flag=True, help="Say only what matters."),
        click.option("-v", "--verbose", count=True, help="Show the log; twice for more."),
        click.option("--debug", is_flag=True, help="Show the traceback of a failure."),
    )
    wrapped: Any = update_wrapper(run, function)
    result: Function = with_options(wrapped, options)
    return result


def with_options(function: Function, options: Sequence[Callable[[Function], Function]]) -> Function:
    """The function with these options, which --help lists in this order."""
    for option in reversed(options):
        function = option(function)
    return function
