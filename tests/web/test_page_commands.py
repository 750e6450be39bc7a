"""`p2pokey play` and `p2pokey replay --web`: what they say and with which code they end."""

import asyncio
import socket
import webbrowser
from pathlib import Path
from typing import Any

import pytest

from p2pokey.audit import auditor
from p2pokey.audit.reading import MAX_LINES, read_transcript
from p2pokey.cli import serving
from p2pokey.cli.bots import BOT_NAMES, BotTicket
from p2pokey.cli.page_bots import PageBots
from p2pokey.cli.serving import open_browser
from p2pokey.native.identity import Ed25519Signer, Ed25519Verifier
from p2pokey.native.journal import release_lock, take_lock
from p2pokey.native.profile import HOME_VARIABLE
from p2pokey.web.replay_engine import ReplayEngine
from tests.cli.conftest import run, transcript  # noqa: F401 - fixtures
from tests.peer.memory import GROUP
from tests.web.engines import Page


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


def one_sentence(text: str) -> str:
    first = text.splitlines()[0]
    assert first.startswith("error: ")
    assert first.endswith(".")
    assert "Traceback" not in text
    return first


def test_the_help_names_the_page_first(run: Any):  # noqa: F811
    ran = run()
    commands = ran.out.partition("Commands:")[2].split()
    assert commands[0] == "play"
    assert "Begin with: p2pokey play" in ran.out


def test_a_port_that_is_taken(run: Any, home: Path):  # noqa: F811
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = run("play", "--no-browser", "--port", str(port))
    assert ran.code == 2
    assert f"port {port}" in one_sentence(ran.err)
    assert "--port" in ran.err


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("--server", "example.org"), "server address"),
        (("--server", "http://example.org"), "server address"),
        (("--ice", "example.org"), "STUN or TURN"),
        (("--name", "a\u202eb"), "name"),
        (("--port", "70000"), "--port"),
        (("--pace", "-1"), "--pace"),
    ],
)
def test_a_wrong_option(run: Any, home: Path, words: tuple[str, ...], hint: str):  # noqa: F811
    ran = run("play", "--no-browser", *words)
    assert ran.code == 2
    assert hint in one_sentence(ran.err)


def test_a_second_program_on_the_same_profile(run: Any, home: Path):  # noqa: F811
    (home / "state").mkdir(parents=True)
    page = home / "state" / "page"
    lock = take_lock(page)
    try:
        ran = run("play", "--no-browser")
    finally:
        release_lock(page, lock, remove=False)
    assert ran.code == 8
    assert "another program" in one_sentence(ran.err)


@pytest.mark.parametrize("name", ["data", "state", "data/hands"])
def test_a_folder_that_cannot_be_written(run: Any, home: Path, name: str):  # noqa: F811
    (home / name).parent.mkdir(parents=True, exist_ok=True)
    (home / name).write_text("in the way")
    ran = run("play", "--no-browser")
    assert ran.code == 2
    assert str(home) in one_sentence(ran.err)
    assert HOME_VARIABLE in ran.err


def test_a_file_that_cannot_be_replayed(run: Any, home: Path, transcript: bytes):  # noqa: F811
    bad, good, duel = (home.parent / name for name in ("bad.jsonl", "good.jsonl", "duel.jsonl"))
    bad.write_text("no transcript\n")
    good.write_bytes(transcript)
    ran = run("replay", bad, "--web", "--no-browser")
    assert ran.code == 4
    assert "bad.jsonl cannot be read" in one_sentence(ran.err)
    bad.write_bytes(transcript + b"\n" * MAX_LINES)
    ran = run("replay", bad, "--web", "--no-browser")
    assert ran.code == 4
    assert "lines" in one_sentence(ran.err)
    for words in (("--json",), ("--step",)):
        assert run("replay", good, "--web", *words).code == 2
    assert run("replay", duel, "--web").code == 2


def test_the_page_on_one_file(
    home: Path,
    transcript: bytes,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
):
    """It was read before it is served, and is not read again for the audit."""
    reading = read_transcript(transcript, Ed25519Verifier())
    monkeypatch.delattr(auditor, "read_transcript")

    async def main() -> None:
        engine = ReplayEngine(group=GROUP, settings=home / "page.json")
        engine.open(reading, file="hand.jsonl", name_of=lambda key: None)
        page = Page(engine)  # type: ignore[arg-type]
        shown = await page.until(lambda view: view["replay"]["reading"] is None and view["replay"])
        assert shown["checks"]["status"] == "sound"
        await page.act("step", to=3)
        await page.act("see", seat=1)
        await page.act("settings", theme="night")
        view = engine.view()
        assert (view["screen"], view["replay"]["step"], view["replay"]["seat"]) == ("replay", 3, 1)
        assert view["settings"]["theme"] == "night"
        for intent in ("close", "solo", "host", "draw", "save", "name", ""):
            assert await page.refused(intent) == "only-replay"
        await engine.close()

    asyncio.run(main())
    assert not home.exists(), "nothing is written"


def test_no_browser_where_there_are_no_windows(monkeypatch: pytest.MonkeyPatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or True)
    monkeypatch.setattr(serving.sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    assert not open_browser("http://127.0.0.1/")
    monkeypatch.setenv("DISPLAY", ":0")
    assert open_browser("http://127.0.0.1/")
    assert len(opened) == 1


class FakeBots:
    """Starts nothing."""

    def __init__(self) -> None:
        self.joined: list[tuple[str, str, Any]] = []
        self.ended: list[bool] = []

    def join(self, name: str, ticket: BotTicket, more: Any) -> None:
        self.joined.append((name, ticket.password, more))

    def end(self, *, soon: bool) -> None:
        self.ended.append(soon)


def test_computer_players_have_names_of_their_own():
    fake, link = FakeBots(), "p2pokey://okey.example/K7Q2M#AAECAwQFBgcICQoLDA0ODw"
    bots = PageBots(fake, Ed25519Signer(bytes(32)), ("--ice", "stun:h:1"))  # type: ignore[arg-type]
    bots.join(2, link, "çay", [BOT_NAMES[0]])
    bots.join(2, link, "çay", [])
    names = [name for name, _, _ in fake.joined]
    assert names[:2] == list(BOT_NAMES[1:3])
    assert len(set(names)) == 4
    assert {entry[1:] for entry in fake.joined} == {("çay", ("--ice", "stun:h:1"))}
    asyncio.run(bots.end(soon=True))
    assert fake.ended == [True]
