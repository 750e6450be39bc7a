"""The command line: parses, calls, and ends with the right code.

Every command imports what it needs when it runs: an audit loads neither WebRTC nor the network.
"""

import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from p2pokey import __version__
from p2pokey.cli.defaults import DEFAULT_SERVER
from p2pokey.cli.exits import CommandError, ExitCode, explain
from p2pokey.cli.output import Output
from p2pokey.cli.parsing import Function, common, with_options
from p2pokey.cli.personal import contacts, identity, stats
from p2pokey.rules.rulesets import MAX_GRACE_S, MAX_TIMER_S, rule_set_keys

RULES = click.Choice(rule_set_keys())
BACKENDS = click.Choice(["auto", "libsodium", "python"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the program; returns its exit code. Never raises."""
    output = Output()
    try:
        code = cli.main(
            None if arguments is None else list(arguments),
            prog_name="p2pokey",
            standalone_mode=False,
            obj=output,
        )
    except BaseException as error:
        if isinstance(error, SystemExit):
            raise
        return _report(error, output)
    return int(code or 0)


def _report(error: BaseException, output: Output) -> int:
    explanation = explain(error)
    if output.debug:
        traceback.print_exception(error)
    stops = (ExitCode.HUNG_UP, ExitCode.INTERRUPTED, ExitCode.TERMINATED)
    is_stop = explanation.code in stops
    if not is_stop:
        output.warn(click.style("error: ", fg="red") + explanation.sentence)
        if explanation.advice:
            output.warn(explanation.advice)
    elif explanation.code is ExitCode.INTERRUPTED:
        output.warn(explanation.sentence)
    return explanation.code


def table_options(function: Function) -> Function:
    """Options of whoever sits down at a table."""
    options = (
        click.option("--auto", is_flag=True, help="Let a simple computer player move for you."),
        click.option("--name", help="Your name at the table."),
        click.option("--guest", is_flag=True, help="Use a fresh identity and store none."),
        click.option("--out", type=click.Path(path_type=Path), help="Folder for transcripts."),
        click.option("--backend", type=BACKENDS, default="auto", help="Who computes."),
        click.option(
            "--ice",
            multiple=True,
            metavar="URL",
            help="STUN or TURN server, e.g. stun:HOST:PORT; may be repeated.",
        ),
        click.option(
            "--patience",
            type=click.FloatRange(min=0, max=86_400),
            default=600,
            show_default=True,
            metavar="SECONDS",
            help="How long to wait for a player who is lost.",
        ),
        click.option(
            "--if-missing",
            type=click.Choice(["wait", "void"]),
            default="wait",
            show_default=True,
            help="Wait for a player without whom a hand cannot go on, or void the hand.",
        ),
        click.option("--state", type=click.Path(path_type=Path), hidden=True),
        click.option("--player-seed", hidden=True),
        click.option("--threads", type=click.IntRange(min=1), hidden=True),
        click.option("--trace", type=click.Path(path_type=Path), hidden=True),
        click.option("--json-progress", is_flag=True, hidden=True),
        click.option("--exit-with-stdin", is_flag=True, hidden=True),
        click.option("--console", is_flag=True, hidden=True),
    )
    return with_options(function, options)


def page_options(function: Function) -> Function:
    """Options of whatever serves a page."""
    options = (
        click.option(
            "--port",
            type=click.IntRange(0, 65_535),
            default=0,
            help="Port of the page; 0: a free one.",
        ),
        click.option("--browser/--no-browser", default=True, help="Whether to open the browser."),
        click.option("--json-progress", is_flag=True, hidden=True),
        click.option("--exit-with-stdin", is_flag=True, hidden=True),
    )
    return with_options(function, options)


def game_options(function: Function) -> Function:
    """Options of whoever chooses the game."""
    options = (
        click.option(
            "--rules", type=RULES, default="classic", show_default=True, help="Key of the rule set."
        ),
        click.option(
            "--option",
            "options",
            multiple=True,
            metavar="NAME=VALUE",
            help="An option of these rules, such as hands=7 where there is one; may be repeated.",
        ),
    )
    return with_options(function, options)


class _Commands(click.Group):
    """Lists what most people look for first."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Names of all commands, as the help lists them."""
        names = super().list_commands(context)
        return [*_FIRST, *(name for name in names if name not in _FIRST)]


_FIRST = ("play", "host", "join", "resume", "replay", "audit", "demo")


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="p2pokey", message="%(prog)s %(version)s")
@click.pass_context
def cli(context: click.Context) -> None:
    """Okey between friends, without a dealer or a server to trust.

    Begin with: p2pokey play
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@cli.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True)
@click.option("--json-progress", is_flag=True, hidden=True)
@click.option("--exit-with-stdin", is_flag=True, hidden=True)
@common
def signal(output: Output, host: str, port: int, json_progress: bool, exit_with_stdin: bool) -> int:
    """Run the signalling server, which introduces players to each other."""
    from p2pokey.cli.signal_server import run_server

    return run_server(
        output,
        host=host,
        port=port,
        json_progress=json_progress,
        exit_with_stdin=exit_with_stdin,
    )


@cli.command()
@game_options
@click.option(
    "--timer",
    type=click.IntRange(0, MAX_TIMER_S),
    default=30,
    show_default=True,
    metavar="SECONDS",
    help="For each turn; 0: no limit.",
)
@click.option(
    "--grace",
    type=click.IntRange(0, MAX_GRACE_S),
    default=60,
    show_default=True,
    metavar="SECONDS",
    help="How long a broken connection stops the clock, for each player and hand.",
)
@click.option(
    "--recovery/--no-recovery",
    default=None,
    help="Whether the others together can open tiles of an absent player and play on; "
    "on for three players and more.",
)
@click.option("--hands", type=click.IntRange(min=1), help="Hands of one match at most.")
@click.option(
    "--window",
    type=click.IntRange(1, 3600),
    default=300,
    show_default=True,
    help="Seconds in which friends can join.",
)
@click.option(
    "--password", is_flag=True, help="Ask friends for a password besides the code; typed unseen."
)
@click.option("--public", metavar="TITLE", help="List the table for strangers; asks about each.")
@click.option("--accept-all", is_flag=True, help="Let in whoever knocks at a public table.")
@click.option(
    "--bots",
    type=click.IntRange(0, 3),
    default=0,
    show_default=True,
    help="Seats for computer players, which run on this computer.",
)
@click.option(
    "--server",
    default=DEFAULT_SERVER,
    envvar="P2POKEY_SERVER",
    show_default=True,
    show_envvar=True,
    help="Address of the signalling server.",
)
@table_options
@common
def host(
    output: Output,
    *,
    auto: bool,
    rules: str,
    options: tuple[str, ...],
    hands: int | None,
    timer: int,
    grace: int,
    recovery: bool | None,
    window: int,
    password: bool,
    public: str | None,
    accept_all: bool,
    bots: int,
    **values: Any,
) -> int:
    """Open a table and print its invite code."""
    _only_auto(auto)
    from p2pokey.cli.options import chosen_rules
    from p2pokey.cli.rooms import RoomWishes
    from p2pokey.cli.sitting import Sitter, TableWishes, run_host

    chosen = chosen_rules(rules, options)
    wishes = RoomWishes(
        password=password, public=public, accept_all=accept_all, bots=bots, window_s=window
    )
    table = TableWishes(timer_s=timer, grace_s=grace, recovery=recovery)
    return run_host(
        Sitter(output=output, **values), rules=chosen, table=table, hands=hands, wishes=wishes
    )


@cli.command()
@click.argument("invite", metavar="CODE|LINK")
@click.option(
    "--public",
    is_flag=True,
    help="Ask for a seat at a public table: give its ROOM instead of a code.",
)
@click.option("--password", is_flag=True, help="Type the table's password, unseen.")
@click.option("--bot", is_flag=True, hidden=True)
@click.option(
    "--server",
    envvar="P2POKEY_SERVER",
    show_envvar=True,
    help="Address of the signalling server; a link names its own.",
)
@table_options
@common
def join(
    output: Output,
    *,
    auto: bool,
    invite: str,
    public: bool,
    password: bool,
    bot: bool,
    **values: Any,
) -> int:
    """Sit down at a friend's table."""
    _only_auto(auto)
    from p2pokey.cli.rooms import bot_room, guest_room
    from p2pokey.cli.sitting import Sitter, run_join

    if bot:
        room = bot_room()
    else:
        room = guest_room(output, invite, is_public=public, has_password=password)
    return run_join(Sitter(output=output, **values), room)


@cli.command()
@click.option(
    "--server",
    default=DEFAULT_SERVER,
    envvar="P2POKEY_SERVER",
    show_default=True,
    show_envvar=True,
    help="Address of the signalling server.",
)
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
@common
def tables(output: Output, **values: Any) -> int:
    """List the public tables of a signalling server."""
    from p2pokey.cli.listing import run_tables

    return run_tables(output, **values)


@cli.command()
@click.argument("folder", metavar="[FOLDER]", required=False, type=click.Path(path_type=Path))
@click.option("--backend", type=BACKENDS, default="auto", help="Who computes.")
@click.option("--threads", type=click.IntRange(min=1), hidden=True)
@click.option("--json-progress", is_flag=True, hidden=True)
@click.option("--exit-with-stdin", is_flag=True, hidden=True)
@click.option("--console", is_flag=True, hidden=True)
@click.option("--forget", is_flag=True, help="Give the seat up for good; transcripts stay.")
@common
def resume(output: Output, *, folder: Path | None, forget: bool, **values: Any) -> int:
    """Come back to a table that this computer has left, crashed or not."""
    from p2pokey.cli.forgetting import run_forget
    from p2pokey.cli.resuming import run_resume

    if forget:
        return run_forget(output, folder=folder)
    return run_resume(output, folder=folder, **values)


@cli.command()
@click.option("--name", help="Your name at the table.")
@click.option("--guest", is_flag=True, help="Use a fresh identity and store none.")
@click.option(
    "--server",
    default=DEFAULT_SERVER,
    envvar="P2POKEY_SERVER",
    show_default=True,
    show_envvar=True,
    help="Address of the signalling server that the page offers.",
)
@click.option(
    "--ice",
    multiple=True,
    metavar="URL",
    help="STUN or TURN server, e.g. stun:HOST:PORT; may be repeated.",
)
@click.option(
    "--pace",
    "pace_s",
    type=click.FloatRange(0, 60),
    metavar="SECONDS",
    help="How long a computer player takes where you play alone, whatever its level.",
)
@page_options
@click.option("--backend", type=BACKENDS, default="auto", help="Who computes.")
@common
def play(
    output: Output,
    *,
    port: int,
    browser: bool,
    json_progress: bool,
    exit_with_stdin: bool,
    **values: Any,
) -> int:
    """Open the table in the browser: alone, with friends, with bots."""
    from p2pokey.cli.playing import PlayWishes, run_play
    from p2pokey.cli.serving import PageWishes

    page = PageWishes(
        port=port, browser=browser, json_progress=json_progress, exit_with_stdin=exit_with_stdin
    )
    return run_play(output, PlayWishes(**values), page)


def _only_auto(auto: bool) -> None:
    if not auto:
        raise CommandError(
            "The page for people is not there yet: only --auto can play.",
            advice="Add --auto, and a simple computer player moves for you.",
            code=ExitCode.USAGE,
        )


@cli.command()
@game_options
@click.option("--hands", type=click.IntRange(min=1), default=1, show_default=True)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("p2pokey-demo"),
    show_default=True,
    help="Folder for transcripts.",
)
@click.option("--seed", help="Fixes what the players choose; never the keys.")
@click.option(
    "--trace",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write what took how long, and sum up a new hand.",
)
@click.option("--backend", type=BACKENDS, default="auto", show_default=True, help="Who computes.")
@common
def demo(output: Output, **values: Any) -> int:
    """Play between programs on this computer, one a seat, and audit what they leave."""
    from p2pokey.cli.demo import run_demo

    return run_demo(output, **values)


@cli.command()
@click.argument(
    "files",
    metavar="FILE...",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@click.option("--recompute", is_flag=True, help="Also rebuild every message from the seeds.")
@click.option("--backend", type=BACKENDS, default="auto", show_default=True, help="Who computes.")
@common
def audit(output: Output, **values: Any) -> int:
    """Check transcripts: signatures, proofs, rules and score."""
    from p2pokey.cli.auditing import run_audit

    return run_audit(output, **values)


@cli.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--seat", type=click.IntRange(1, 4), help="Show what this seat saw, not all racks.")
@click.option("--step", is_flag=True, help="Show the table after every move and wait for a key.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a move.")
@click.option("--web", is_flag=True, help="Show it in the browser; Ctrl-C ends that.")
@click.option("--backend", type=BACKENDS, default="auto", show_default=True, help="Who computes.")
@page_options
@common
def replay(
    output: Output,
    *,
    web: bool,
    port: int,
    browser: bool,
    json_progress: bool,
    exit_with_stdin: bool,
    **values: Any,
) -> int:
    """Step through a saved hand, every proof checked on the way."""
    if not web:
        from p2pokey.cli.replaying import run_replay

        return run_replay(output, **values)
    if any([values.pop("step"), values.pop("as_json")]):
        raise click.UsageError("--web goes without --step and --json.")
    from p2pokey.cli.serving import PageWishes
    from p2pokey.cli.web_replay import run_web_replay

    page = PageWishes(
        port=port, browser=browser, json_progress=json_progress, exit_with_stdin=exit_with_stdin
    )
    return run_web_replay(output, page=page, **values)


@cli.command()
@click.argument("key", metavar="[KEY]", required=False, type=RULES)
@click.option(
    "--lang",
    type=click.Choice(["en", "tr"]),
    default="en",
    show_default=True,
    help="Language of the card.",
)
@click.option("--list", "as_list", is_flag=True, help="Name all games (so without a key).")
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
@common
def rules(output: Output, **values: Any) -> int:
    """Show the games, or the card of one: figures, charges, scores, options."""
    from p2pokey.cli.explaining import run_rules

    return run_rules(output, **values)


for command in (identity, contacts, stats):
    cli.add_command(command)


@cli.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@common
def conformance(output: Output, file: Path) -> int:
    """Run worked examples of the rules."""
    from p2pokey.cli.conforming import run_conformance

    return run_conformance(output, file=file)


if __name__ == "__main__":
    sys.exit(main())
