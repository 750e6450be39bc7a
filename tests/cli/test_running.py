"""Programs end when they are told to, clean up, and leave no children."""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from p2pokey.cli.children import Children
from p2pokey.cli.exits import HungUp, Terminated
from p2pokey.cli.folders import ready_folder
from p2pokey.cli.running import run_async
from tests.core import ROOT


async def _value() -> int:
    return 7


async def _for_ever(cleaned: list[str]) -> None:
    try:
        await asyncio.Event().wait()
    finally:
        await asyncio.sleep(0.01)
        cleaned.append("cleaned")


def test_a_result_comes_back():
    assert run_async(_value()) == 7


@pytest.mark.parametrize(("how", "error"), [(signal.SIGTERM, Terminated), (signal.SIGHUP, HungUp)])
def test_a_signal_ends_the_work_after_it_has_cleaned_up(
    how: signal.Signals, error: type[Terminated]
):
    cleaned: list[str] = []
    # SIG_DFL: the tests themselves may run under nohup.
    before = signal.signal(how, signal.SIG_DFL)

    async def work() -> None:
        asyncio.get_running_loop().call_later(0.05, os.kill, os.getpid(), how)
        await _for_ever(cleaned)

    try:
        with pytest.raises(Terminated) as caught:
            run_async(work())
    finally:
        signal.signal(how, before)

    assert caught.type is error
    assert cleaned == ["cleaned"]


def test_nohup_keeps_the_work_going():
    async def work() -> int:
        os.kill(os.getpid(), signal.SIGHUP)
        await asyncio.sleep(0.05)
        return 7

    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert run_async(work()) == 7
    finally:
        signal.signal(signal.SIGHUP, before)


def test_ctrl_c_ends_the_work_after_it_has_cleaned_up():
    cleaned: list[str] = []

    async def work() -> None:
        asyncio.get_running_loop().call_later(0.05, os.kill, os.getpid(), signal.SIGINT)
        await _for_ever(cleaned)

    with pytest.raises(KeyboardInterrupt):
        run_async(work())

    assert cleaned == ["cleaned"]


_UNTIL_STDIN_ENDS = """
import asyncio
from p2pokey.cli.exits import Terminated
from p2pokey.cli.running import run_async

async def work():
    print("running", flush=True)
    try:
        await asyncio.Event().wait()
    finally:
        print("cleaned", flush=True)

try:
    run_async(work(), until_stdin_ends=True)
except Terminated:
    print("ended", flush=True)
"""


def test_the_end_of_standard_input_ends_the_work():
    result = subprocess.run(
        [sys.executable, "-c", _UNTIL_STDIN_ENDS],
        cwd=ROOT,
        input="",
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )

    assert result.stdout.split() == ["running", "cleaned", "ended"]
    assert result.returncode == 0
    assert result.stderr == ""


def test_children_report_and_are_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    async def play() -> tuple[dict[str, object], int, float]:
        async with Children() as children:
            child = await children.start("server", ["signal", "--port", "0"])
            news = await children.news(30)
            assert news.record is not None
            assert len(os.listdir(tmp_path)) == 1
            began = time.monotonic()
        assert child.process.returncode is not None
        return news.record, child.process.returncode, time.monotonic() - began

    record, code, seconds = asyncio.run(play())

    assert record["event"] == "Listening"
    assert code == 0
    assert seconds < 6
    assert list(tmp_path.iterdir()) == []


def test_a_child_that_fails_says_why():
    async def play() -> tuple[int, str]:
        async with Children() as children:
            await children.start("server", ["signal", "--host", "nowhere.invalid", "--port", "0"])
            news = await children.news(30)
            assert news.record is None
            return await children.wait("server", 10), children["server"].complaint

    code, complaint = asyncio.run(play())

    assert code == 2
    assert complaint.startswith("Cannot listen on nowhere.invalid port 0")


_PARENT = """
import asyncio, sys
from p2pokey.cli.children import Children

async def main():
    async with Children() as children:
        child = await children.start("server", ["signal", "--port", "0"])
        await children.news(30)
        print(child.process.pid, flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=["killed", "interrupted"])
def test_children_do_not_outlive_their_parent(how: signal.Signals, tmp_path: Path):
    parent = subprocess.Popen(
        [sys.executable, "-c", _PARENT],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert parent.stdout is not None
    try:
        child = int(parent.stdout.readline())
        os.kill(child, 0)
        parent.send_signal(how)
        parent.wait(timeout=20)
        assert _is_gone_within(child, 20)
    finally:
        parent.kill()
        parent.wait()
        parent.stdout.close()


def _is_gone_within(process: int, seconds: float) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        if _is_zombie(process):
            return True
        time.sleep(0.05)
    return False


def _is_zombie(process: int) -> bool:
    """Nobody reaps an orphan in a container without an init; it runs no more all the same."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return False


def test_a_folder_is_made_and_left_empty(tmp_path: Path):
    ready_folder(tmp_path / "a" / "b")

    assert list((tmp_path / "a" / "b").iterdir()) == []


def test_a_check_of_a_folder_follows_no_link(tmp_path: Path):
    precious, folder = tmp_path / "precious", tmp_path / "folder"
    precious.write_text("data")
    folder.mkdir()
    link = folder / f".p2pokey-{os.getpid()}.tmp"
    link.symlink_to(precious)
    ready_folder(folder)

    assert precious.read_text() == "data"
    assert list(folder.iterdir()) == [link]
