"""The command line as a whole: help, version, usage, colours, and what it does not load."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from p2pokey import __version__
from p2pokey.cli import main as main_module
from p2pokey.cli.output import use_colour
from tests.core import ROOT


def test_version(run):
    ran = run("--version")

    assert ran.code == 0
    assert ran.out == f"p2pokey {__version__}\n"


def test_no_command_shows_the_commands(run):
    ran = run()

    assert ran.code == 0
    for command in ("signal", "host", "join", "demo", "audit", "conformance", "rules"):
        assert command in ran.out


@pytest.mark.parametrize(
    "arguments",
    [
        ("frobnicate",),
        ("audit", "--frob"),
        ("signal", "--port", "70000"),
        ("host", "--auto", "--hands", "0"),
        ("demo", "--hands", "none"),
        ("join",),
    ],
)
def test_wrong_usage_is_2_and_says_where_to_look(run, arguments):
    ran = run(*arguments)

    assert ran.code == 2
    assert ran.err.startswith("error: ")
    assert "--help" in ran.err
    assert ran.out == ""


@pytest.mark.parametrize(
    ("group", "commands"),
    [("id", "export, import, name, new or show"), ("contacts", "accept, forget or list")],
)
def test_a_group_without_a_command_says_what_there_is(run, group: str, commands: str):
    ran = run(group)

    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.splitlines() == [
        f"error: p2pokey {group} needs a command: {commands}.",
        f"See: p2pokey {group} --help",
    ]


@pytest.mark.parametrize("command", [("host",), ("join", "K7Q2M-lale-deniz-kartal")])
def test_a_server_that_is_none_is_refused_before_anything_is_opened(run, command):
    ran = run(*command, "--auto", "--ice", "example.org")

    assert ran.code == 2
    assert "stun:HOST:PORT" in ran.err


@pytest.mark.parametrize(
    "command",
    [
        ("host", "--auto", "--guest"),
        ("join", "K7Q2M-lale-deniz-kartal", "--auto", "--guest"),
        ("tables",),
    ],
)
def test_what_is_no_server_address_is_wrong_usage(run, command, tmp_path: Path):
    more = () if command == ("tables",) else ("--out", tmp_path / "out")
    ran = run(*command, "--server", "http://okey.example", *more)

    assert ran.code == 2
    assert ran.err.startswith("error: 'http://okey.example' is no server address")
    assert len(ran.err.splitlines()) == 1


def test_a_port_that_is_taken_is_said_in_one_sentence(run):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = run("signal", "--port", port)

    assert ran.code == 2
    assert ran.err.startswith(
        f"error: Cannot listen on 127.0.0.1 port {port}: Address already in use.\n"
    )
    assert "--port" in ran.err.splitlines()[1]
    assert len(ran.err.splitlines()) == 2


@pytest.mark.parametrize("arguments", [("host",), ("join", "K7Q2M-lale-deniz-kartal")])
def test_only_the_computer_player_can_play_yet(run, arguments):
    ran = run(*arguments)

    assert ran.code == 2
    assert "--auto" in ran.err


@pytest.mark.parametrize(
    ("code", "hint"),
    [
        ("K7Q2M-lale-deniz-merdanne", "did you mean 'merdane'"),
        ("K7Q2M-lale-deniz", "words"),
        ("lale-deniz-kartal", "room"),
        ("https://example.org/#K7Q2M.short", "link"),
        ("", "code"),
        ("x" * 1000, "long"),
    ],
)
def test_a_mistyped_code_is_found_before_anything_is_asked(run, code: str, hint: str):
    ran = run("join", code, "--auto", "--guest")

    assert ran.code == 2
    assert hint in ran.err
    assert len(ran.err.splitlines()) == 1


@pytest.mark.parametrize("command", [("host",), ("join", "K7Q2M-lale-deniz-kartal"), ("demo",)])
def test_a_folder_that_cannot_be_written_is_found_at_once(run, tmp_path: Path, command):
    (tmp_path / "file").write_text("in the way")
    extra = () if command == ("demo",) else ("--auto", "--guest")
    ran = run(*command, *extra, "--out", tmp_path / "file" / "out")

    assert ran.code == 2
    assert "Cannot write to the folder" in ran.err
    assert "--out" in ran.err


@pytest.mark.parametrize("command", ["host", "demo"])
def test_unknown_rules(run, tmp_path: Path, command: str):
    extra = () if command == "demo" else ("--auto", "--guest")
    ran = run(command, *extra, "--rules", "102", "--out", tmp_path)

    assert ran.code == 2
    assert "'102'" in ran.err
    assert "'classic'" in ran.err


@pytest.mark.parametrize("name", ["", "x" * 33, "a\u202eb", " x"])
def test_a_name_that_cannot_be_shown(run, name: str, tmp_path: Path):
    ran = run("host", "--auto", "--guest", "--name", name, "--out", tmp_path)

    assert ran.code == 2
    assert "--name" in ran.err


def test_a_backend_that_is_not_there(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("P2POKEY_LIBSODIUM", str(tmp_path / "nothing.so"))
    ran = run("demo", "--backend", "libsodium", "--out", tmp_path)

    assert ran.code == 1
    assert "--backend" in ran.err


def test_an_unexpected_failure_is_1_and_shows_no_traceback(run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("p2pokey.cli.conforming.run_examples", lambda examples: 1 // 0)
    ran = run("conformance", ROOT / "tests" / "rules" / "rules_examples.json")

    assert ran.code == 1
    assert "ZeroDivisionError" in ran.err
    assert "Traceback" not in ran.err


def test_debug_shows_the_traceback(run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("p2pokey.cli.conforming.run_examples", lambda examples: 1 // 0)
    ran = run("conformance", "--debug", ROOT / "tests" / "rules" / "rules_examples.json")

    assert ran.code == 1
    assert "Traceback" in ran.err


def test_ctrl_c_is_130(run, monkeypatch: pytest.MonkeyPatch):
    def interrupt(*arguments: object, **options: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(main_module.cli.commands["audit"], "callback", interrupt)

    ran = run("audit", Path(__file__))

    assert ran.code == 130
    assert ran.err.split("\n") == ["", "Stopped.", ""]  # the first ends the terminal's ^C


# Conformance -------------------------------------------------------------------------------------


def test_the_examples_of_the_rules_pass(run):
    ran = run("conformance", ROOT / "tests" / "rules" / "rules_examples.json")

    assert ran.code == 0
    assert "0 failed" in ran.out


def test_an_example_of_no_known_game_fails(run, tmp_path: Path):
    content = json.loads((ROOT / "tests" / "rules" / "rules_examples.json").read_text())
    strange = [{"id": "strange", "variant": "Z", "kind": "deal", "input": {}, "expect": {"n": 1}}]
    (tmp_path / "x.json").write_text(json.dumps({**content, "examples": strange}))
    ran = run("conformance", tmp_path / "x.json")

    assert ran.code == 1
    assert "variant Z" in ran.out
    assert ran.out.endswith("0 passed, 1 failed\n")


def test_an_example_that_fails_is_shown(run, tmp_path: Path):
    content = json.loads((ROOT / "tests" / "rules" / "rules_examples.json").read_text())
    example = next(item for item in content["examples"] if item["variant"] == "A")
    key = next(iter(example["expect"]))
    example["expect"][key] = "something else"
    (tmp_path / "x.json").write_text(json.dumps({**content, "examples": [example]}))
    ran = run("conformance", tmp_path / "x.json")

    assert ran.code == 1
    assert example["id"] in ran.out
    assert "1 failed" in ran.out


@pytest.mark.parametrize("text", ["", "{}", '{"schema":"other","examples":[]}', "[1]"])
def test_other_files_hold_no_examples(run, tmp_path: Path, text: str):
    (tmp_path / "x.json").write_text(text)
    ran = run("conformance", tmp_path / "x.json")

    assert ran.code == 2
    assert "no file of examples" in ran.err


# Colours -----------------------------------------------------------------------------------------


class Screen:
    def __init__(self, *, is_screen: bool) -> None:
        self.is_screen = is_screen

    def isatty(self) -> bool:
        return self.is_screen


@pytest.mark.parametrize(
    ("is_screen", "environment", "expected"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"NO_COLOR": "1"}, False),
        (False, {"FORCE_COLOR": "1"}, True),
        (True, {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),
    ],
)
def test_colours(is_screen: bool, environment: dict[str, str], expected: bool):
    assert use_colour(Screen(is_screen=is_screen), environment) is expected


# What is loaded ------------------------------------------------------------------------------------

_LOADED = (
    "import sys, json\n"
    "from p2pokey.cli.main import main\n"
    "code = main(sys.argv[1:])\n"
    "print(json.dumps([code, sorted(sys.modules)]))\n"
)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--version",),
        ("audit", "README.md"),
        ("conformance", "tests/rules/rules_examples.json"),
        ("rules", "duel"),
    ],
)
def test_commands_without_a_network_load_none(arguments):
    result = subprocess.run(
        [sys.executable, "-c", _LOADED, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    _, modules = json.loads(result.stdout.splitlines()[-1])
    packages = {name.split(".")[0] for name in modules}

    assert not packages & {"aiortc", "aioice", "av", "websockets", "signaling", "spake2"}
    assert "p2pokey.net" not in modules
