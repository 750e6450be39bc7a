"""`p2pokey id`, `contacts` and `stats`: what belongs to the player and not to a table."""

from pathlib import Path
from typing import Any

import click

from p2pokey.cli.output import Output
from p2pokey.cli.parsing import common


@click.group("id")
def identity() -> None:
    """Your name, and the key by which others know you."""


@identity.command("show")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@common
def show(output: Output, **values: Any) -> int:
    """Show your name and your key."""
    from p2pokey.cli.identity import run_show

    return run_show(output, **values)


@identity.command("name")
@click.argument("name")
@common
def name(output: Output, **values: Any) -> int:
    """Choose the name that friends see; --name at a table overrides it once."""
    from p2pokey.cli.identity import run_name

    return run_name(output, **values)


@identity.command("new")
@click.option("--yes", is_flag=True, help="Do not ask.")
@common
def new(output: Output, **values: Any) -> int:
    """Get a new key; the old one is kept beside it."""
    from p2pokey.cli.identity import run_new

    return run_new(output, **values)


@identity.command("export")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--no-passphrase", is_flag=True, help="Leave the file readable to anybody.")
@common
def export(output: Output, **values: Any) -> int:
    """Write your key into a file, to take it to another computer."""
    from p2pokey.cli.identity import run_export

    return run_export(output, **values)


@identity.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--yes", is_flag=True, help="Do not ask.")
@common
def import_(output: Output, **values: Any) -> int:
    """Take the key from such a file; the old one is kept beside it."""
    from p2pokey.cli.identity import run_import

    return run_import(output, **values)


@click.group()
def contacts() -> None:
    """Friends whose keys this computer knows."""


@contacts.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@common
def list_(output: Output, **values: Any) -> int:
    """Show the friends whose keys are known."""
    from p2pokey.cli.friends import run_list

    return run_list(output, **values)


@contacts.command("accept")
@click.argument("name")
@common
def accept(output: Output, **values: Any) -> int:
    """Trust the new key with which a friend has come."""
    from p2pokey.cli.friends import run_accept

    return run_accept(output, **values)


@contacts.command("forget")
@click.argument("name")
@common
def forget(output: Output, **values: Any) -> int:
    """Forget a friend's key."""
    from p2pokey.cli.friends import run_forget

    return run_forget(output, **values)


@click.command()
@click.argument(
    "folder",
    required=False,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
)
@click.option(
    "--key", metavar="HEX", help="Identity key to count for; otherwise all that you have had."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@common
def stats(output: Output, **values: Any) -> int:
    """Add up your saved hands: games, wins, points, and with whom."""
    from p2pokey.cli.statistics import run_stats

    return run_stats(output, **values)
