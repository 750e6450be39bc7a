"""`p2pokey id ...`: the player's name and identity key."""

import json
import os
import sys
from contextlib import suppress
from pathlib import Path

import click

from p2pokey.cli.exits import CommandError, ExitCode
from p2pokey.cli.output import Output
from p2pokey.errors import DecodeError
from p2pokey.native.entropy import OsEntropy
from p2pokey.native.files import PRIVATE, write_atomic
from p2pokey.native.identity import SECRET_BYTES, Ed25519Signer
from p2pokey.native.keyfile import (
    MAX_KEY_FILE,
    WrongPassphrase,
    decode_key_file,
    encode_key_file,
)
from p2pokey.native.profile import (
    Dirs,
    find_dirs,
    identity_path,
    identity_secret,
    load_identity,
    load_name,
    replace_identity,
    save_name,
)
from p2pokey.peer.table_journal import table_folders
from p2pokey.table.roster import check_name

PASSPHRASE_VARIABLE = "P2POKEY_PASSPHRASE"  # noqa: S105 - the name of a variable
MIN_PASSPHRASE = 8
"""Characters; the file may lie in a mailbox for years."""


def run_show(output: Output, *, as_json: bool) -> int:
    """Prints name, key and where it is; makes the key on first use."""
    dirs = find_dirs()
    key = load_identity(dirs, OsEntropy()).public_key.hex()
    name = load_name(dirs)
    if as_json:
        values = {"name": name, "key": key, "file": str(identity_path(dirs))}
        output.data(json.dumps(values, ensure_ascii=True))
        return ExitCode.OK
    output.data(f"name  {name or '(none yet: p2pokey id name NAME)'}")
    output.data(f"key   {key}")
    output.say(f"The key is in {identity_path(dirs)}; whoever has that file is you.")
    return ExitCode.OK


def run_name(output: Output, *, name: str) -> int:
    """Keeps a name."""
    try:
        check_name(name)
    except DecodeError as error:
        raise CommandError(
            f"That name cannot be shown to others: {error}.",
            advice="Choose another one.",
            code=ExitCode.USAGE,
        ) from error
    save_name(find_dirs(), name)
    output.say(f"You are {name} from now on.")
    return ExitCode.OK


def run_new(output: Output, *, yes: bool) -> int:
    """Makes a new key."""
    dirs = find_dirs()
    _refuse_while_seated(dirs)
    question = "Friends will be warned that your key has changed. Get a new one?"
    if not yes and identity_path(dirs).exists():
        _confirm(question)
    return _replace(output, dirs, OsEntropy().random_bytes(SECRET_BYTES))


def run_export(output: Output, *, file: Path, no_passphrase: bool) -> int:
    """Writes the key into a file."""
    dirs = find_dirs()
    load_identity(dirs, OsEntropy())
    secret = identity_secret(dirs)
    assert secret is not None
    if file.exists():
        raise CommandError(
            f"{file} is there already.", advice="Choose another name.", code=ExitCode.USAGE
        )
    passphrase = "" if no_passphrase else _new_passphrase()
    try:
        write_atomic(file, encode_key_file(secret, passphrase), mode=PRIVATE)
    except OSError as error:
        raise CommandError(
            f"Cannot write {file}: {error.strerror or error}.",
            advice="Choose another place.",
            code=ExitCode.USAGE,
        ) from error
    output.say(f"Your key is in {file}. On the other computer: p2pokey id import {file.name}")
    return ExitCode.OK


def run_import(output: Output, *, file: Path, yes: bool) -> int:
    """Takes the key from a file."""
    dirs = find_dirs()
    _refuse_while_seated(dirs)
    secret = _read_key_file(file)
    if identity_secret(dirs) == secret:
        output.say("That is your key already.")
        return ExitCode.OK
    if not yes and identity_path(dirs).exists():
        _confirm("Your present key is put aside. Go on?")
    return _replace(output, dirs, secret)


def _confirm(question: str) -> None:
    """Raises click.Abort unless the answer is yes, and CommandError where nobody can answer."""
    if not _is_typed():
        raise CommandError(
            "There is no terminal to ask whether that is meant.",
            advice="Add --yes if it is.",
            code=ExitCode.USAGE,
        )
    if not click.confirm(question, err=True):
        raise click.Abort


def _is_typed() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _replace(output: Output, dirs: Dirs, secret: bytes) -> int:
    kept = replace_identity(dirs, secret)
    output.data(f"key   {Ed25519Signer(secret).public_key.hex()}")
    if kept is not None:
        output.say(f"The old key is kept in {kept}.")
    return ExitCode.OK


def _refuse_while_seated(dirs: Dirs) -> None:
    """A table that is not over knows its players by their keys."""
    if table_folders(dirs.journals):
        raise CommandError(
            "You still have a seat at a table, under your present key.",
            advice="Play it to its end first: p2pokey resume",
            code=ExitCode.IN_USE,
        )


def _read_key_file(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            data = opened.read(MAX_KEY_FILE + 1)
    except OSError as error:
        raise CommandError(
            f"Cannot read {file}: {error.strerror or error}.", advice="", code=ExitCode.USAGE
        ) from error
    try:
        with suppress(WrongPassphrase):
            return decode_key_file(data, "")
        return decode_key_file(data, _passphrase("Passphrase of the file"))
    except DecodeError as error:
        raise CommandError(
            f"{file} cannot be taken: {error}.",
            advice="Take a file that p2pokey id export has made, and its passphrase.",
            code=ExitCode.UNREADABLE,
        ) from error


def _new_passphrase() -> str:
    given = os.environ.get(PASSPHRASE_VARIABLE)
    if given is None:
        advice = f"Put it into the environment as {PASSPHRASE_VARIABLE}, or add --no-passphrase."
        given = _asked("New passphrase", advice=advice, is_new=True)
    if len(given) < MIN_PASSPHRASE:
        raise CommandError(
            f"The passphrase has fewer than {MIN_PASSPHRASE} characters.",
            advice="Choose a longer one, or --no-passphrase.",
            code=ExitCode.USAGE,
        )
    return given


def _passphrase(question: str) -> str:
    given = os.environ.get(PASSPHRASE_VARIABLE)
    if given is None:
        advice = f"Put it into the environment as {PASSPHRASE_VARIABLE}."
        given = _asked(question, advice=advice, is_new=False)
    return given


def _asked(question: str, *, advice: str, is_new: bool) -> str:
    """What is typed unseen; CommandError where nobody can type."""
    if not _is_typed():
        sentence = "There is no terminal to ask for the passphrase."
        raise CommandError(sentence, advice=advice, code=ExitCode.USAGE)
    return str(click.prompt(question, hide_input=True, confirmation_prompt=is_new, err=True))
