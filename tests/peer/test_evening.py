"""What one table leaves for the next one of the same players."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from p2pokey.cli.evening import OPEN_ROOM, TerminalShell
from p2pokey.cli.output import Output
from p2pokey.cli.telling import Teller
from p2pokey.net.invites import Invite
from p2pokey.peer.evening import Evening, _bound_s
from p2pokey.peer.waits import IfMissing
from tests.peer.test_resume import PERSON


@pytest.mark.parametrize(
    ("if_missing", "has_console", "is_computer", "limit"),
    [
        (IfMissing.VOID, False, False, 77.0),
        (IfMissing.VOID, True, False, None),
        (IfMissing.VOID, False, True, None),
        (IfMissing.WAIT, False, False, None),
    ],
)
def test_only_a_program_that_nobody_looks_after_ends_by_itself(
    if_missing: IfMissing, has_console: bool, is_computer: bool, limit: float | None
):
    """A bot ends with its host's program."""
    shell = TerminalShell(None, contacts=None, has_console=has_console, is_bot=is_computer)  # type: ignore[arg-type]
    mesh = SimpleNamespace(seat=0)
    person = replace(PERSON, if_missing=if_missing, patience_s=77.0)

    assert _bound_s(shell.wishes(mesh), person) == limit  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("password", "is_named", "is_unknown"),
    [("masa", True, False), ("", False, False), (None, False, True)],
)
def test_the_code_of_a_new_room_says_whether_it_takes_a_password(
    password: str | None, is_named: bool, is_unknown: bool, capsys: pytest.CaptureFixture[str]
):
    teller = Teller(Output(), as_json=False, clock=lambda: 0.0)
    shell = TerminalShell(teller, contacts=None, has_console=False)
    evening = Evening(signer=None, group=None, shell=shell, password=password)  # type: ignore[arg-type]
    diary = SimpleNamespace(membership=SimpleNamespace(server="ws://127.0.0.1:1"))
    invite = Invite(room="K7Q2M", words=("lale", "deniz", "kartal"), link_secret=bytes(16))
    evening._show(diary, invite)  # type: ignore[arg-type]

    told = capsys.readouterr().err
    assert ("--password" in told) is is_named
    assert (OPEN_ROOM in told) is is_unknown
