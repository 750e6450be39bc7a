"""Ctrl-C ends the program in one way, whenever it is pressed: one sentence, 130, no traceback."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.core import ROOT

_STOPPED = "\nStopped.\n"
"""The first line ends the terminal's ^C."""

_WHILE_LOADING = """
import os, signal, sys

class Press:
    def find_spec(self, name, path=None, target=None):
        if name == "click":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Press())
from p2pokey.cli.start import main
sys.exit(main())
"""

_WHILE_IT_ENDS = """
import atexit, os, signal, sys
from p2pokey.cli.start import main
code = main()
atexit.register(os.kill, os.getpid(), signal.SIGINT)
sys.exit(code)
"""


def _start(home: Path, *words: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, *words],
        env={**os.environ, "P2POKEY_HOME": str(home), "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _end(program: "subprocess.Popen[str]") -> tuple[int, str]:
    """Its code, and what it said on standard error since."""
    try:
        _, complaint = program.communicate(timeout=60)
    finally:
        program.kill()
    return program.returncode, complaint


def test_ctrl_c_while_the_program_loads(tmp_path: Path):
    assert _end(_start(tmp_path, "-c", _WHILE_LOADING, "rules")) == (130, _STOPPED)


def test_ctrl_c_while_the_program_ends(tmp_path: Path):
    assert _end(_start(tmp_path, "-c", _WHILE_IT_ENDS, "--version")) == (130, "")


def test_ctrl_c_again_after_the_goodbye(tmp_path: Path):
    program = _start(tmp_path, "-m", "p2pokey", "play", "--guest", "--no-browser")
    assert program.stdout is not None
    assert program.stderr is not None
    assert program.stdout.readline().startswith("http://")
    program.send_signal(signal.SIGINT)
    while program.stderr.readline() != "Stopped.\n":
        assert program.poll() is None
    program.send_signal(signal.SIGINT)

    assert _end(program) == (130, "")


def test_who_is_deaf_to_ctrl_c_stays_so(tmp_path: Path):
    """A shell starts programs so in the background; Ctrl-C is then meant for another one."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        program = _start(tmp_path, "-c", _WHILE_LOADING, "--version")
    finally:
        signal.signal(signal.SIGINT, before)

    assert _end(program) == (0, "")
