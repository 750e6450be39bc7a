"""What one table leaves for the next one of the same players."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from p2pokey.cli.evening import Evening, _NextChair
from p2pokey.peer.table_journal import TableJournal
from p2pokey.peer.waits import IfMissing
from tests.peer.test_resume import PERSON, membership


def test_who_was_sent_away_is_known_to_another_run_of_the_program(tmp_path: Path):
    out = tmp_path / "out"
    person = replace(PERSON, out=out, sent_away={})
    diary = TableJournal.create(tmp_path / "tables", membership(seat=2), person)
    chair = _NextChair(diary, {b"e" * 32: "Eren"})
    chair.keep(membership(seat=1))
    assert chair.diary is not None
    chair.diary.close()
    again = TableJournal.reopen(chair.diary.folder)

    assert again.person.sent_away == {b"e" * 32: "Eren"}
    assert again.person.guest_secret == person.guest_secret
    again.close()
    diary.close()


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
    evening = Evening(signer=None, group=None, teller=None, has_console=has_console)  # type: ignore[arg-type]
    seats = [SimpleNamespace(is_computer=is_computer)]
    mesh = SimpleNamespace(seat=0, roster=SimpleNamespace(seats=seats))
    diary = SimpleNamespace(person=SimpleNamespace(if_missing=if_missing, patience_s=77.0))

    assert evening._bound_s(mesh, diary) == limit  # type: ignore[arg-type]
