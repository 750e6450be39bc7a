"""What one table leaves for the next one of the same players."""

from dataclasses import replace
from pathlib import Path

from p2pokey.peer.evening import _NextChair
from p2pokey.peer.table_journal import TableJournal
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
