"""The README promises nothing that is not there."""

import re
import shlex
import subprocess
from pathlib import Path

import click
import pytest

from p2pokey.cli.main import cli
from tests.core import ROOT

README = (ROOT / "README.md").read_text("utf-8")

COMMANDS = [
    line.split(" #")[0].strip()
    for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    for line in block.splitlines()
]
MAKE = [line for line in COMMANDS if line.startswith("make ")]
P2POKEY = [line for line in COMMANDS if line.startswith(".venv/bin/p2pokey ")]


def links(page: Path) -> list[str]:
    """Targets of a page's links into the checkout."""
    targets = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    return [target for target in targets if "://" not in target]


def test_every_command_is_one_of_ours() -> None:
    assert sorted(COMMANDS) == sorted(MAKE + P2POKEY)
    assert "make demo" in MAKE
    assert "make test" in MAKE


@pytest.mark.parametrize("line", MAKE)
def test_make_knows_the_target(line: str) -> None:
    command = [*shlex.split(line), "--dry-run"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("line", P2POKEY)
def test_p2pokey_knows_the_command_and_its_options(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, *arguments = shlex.split(line)[1:]
    command = cli.commands[name]
    monkeypatch.chdir(tmp_path)  # arguments that name files, as they are after the demo
    Path("p2pokey-demo").mkdir()
    for file in ("hand-001-seat-1.jsonl", "*.jsonl"):
        Path("p2pokey-demo", file).touch()

    context = command.make_context(name, arguments, parent=click.Context(cli))

    assert context.args == []


@pytest.mark.parametrize("page", ["README.md", "docs/README.md"])
def test_every_link_leads_somewhere(page: str) -> None:
    path = ROOT / page

    assert [target for target in links(path) if not (path.parent / target).exists()] == []


def test_every_page_is_in_the_list() -> None:
    docs = ROOT / "docs"
    pages = {path.relative_to(docs).as_posix() for path in docs.rglob("*.md")} - {"README.md"}

    assert pages == set(links(docs / "README.md"))
