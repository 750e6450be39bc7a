"""A finished hand, and the command line in this process with the cheap group."""

from collections.abc import Callable
from pathlib import Path

import pytest

from p2pokey.audit.auditor import audit_transcript
from p2pokey.cli import auditing
from p2pokey.cli.main import main
from p2pokey.crypto.drbg import Drbg
from p2pokey.crypto.group import Group
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.native.sealing import ChaChaSealer
from tests.sim.cheap_group import CheapBackend
from tests.sim.table import SimTable, make_setup

GROUP = Group(CheapBackend())


def _score(transcript: bytes) -> tuple[tuple[int, ...], tuple[int, ...]]:
    report = audit_transcript(
        transcript, group=GROUP, verifier=Ed25519Verifier(), sealer=ChaChaSealer()
    )
    assert report.points is not None
    assert report.totals is not None
    return report.points, report.totals


def _play(taste: str) -> bytes:
    """A whole hand in the cheap group; everything but the players' choices is always the same."""
    table = SimTable(GROUP, make_setup("cli"), "cli", chaos=False, audit=_score)
    for peer in table.peers:
        peer.player = Drbg(taste.encode(), "player", bytes([peer.seat]))
    table.run()
    finished = table.peers[0].finished
    assert finished is not None
    return finished.transcript


@pytest.fixture(scope="session")
def transcript() -> bytes:
    """A sound transcript."""
    return _play("one")


@pytest.fixture(scope="session")
def other_transcript() -> bytes:
    """Another sound transcript of the same session and hand: all four have signed both."""
    return _play("other")


@pytest.fixture
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Audits compute in the cheap group."""
    monkeypatch.setattr(auditing, "choose_backend", lambda name, threads: CheapBackend())


class Ran:
    """What a command came to."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Runs the command line in this process."""

    def command(*arguments: str | Path) -> Ran:
        code = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return command
