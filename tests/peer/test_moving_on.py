"""What one table leaves for the next one of the same players, and which of the two is come back to."""

from dataclasses import replace
from pathlib import Path

import pytest

from p2pokey.errors import DecodeError
from p2pokey.native.identity import Ed25519Signer
from p2pokey.peer.moving_on import MovingOn
from p2pokey.peer.table_journal import (
    Person,
    TableJournal,
    next_folders,
    table_folders,
    without_superseded,
)
from tests.peer.test_resume import PERSON, membership


def moved(tmp_path: Path, *, sent_away: dict[bytes, str] | None = None) -> list[TableJournal]:
    """The journals of an old table and of the new one."""
    person = replace(PERSON, out=tmp_path / "out", sent_away={})
    old = TableJournal.create(tmp_path / "tables", membership(seat=2), person)
    way = MovingOn(diary=old, signer=Ed25519Signer(bytes(32)))
    way._sent_away = sent_away or {}
    way.keep(membership(seat=1))
    assert way._kept is not None
    return [old, way._kept]


def test_who_was_sent_away_is_known_to_another_run_of_the_program(tmp_path: Path):
    old, new = moved(tmp_path, sent_away={b"e" * 32: "Eren"})
    new.close()
    again = TableJournal.reopen(new.folder)

    assert again.person.sent_away == {b"e" * 32: "Eren"}
    assert again.person.guest_secret == old.person.guest_secret
    assert again.person.out.parent == old.person.out
    again.close()
    old.close()


def test_the_newer_one_of_two_tables_of_the_same_players_is_taken(tmp_path: Path):
    old, new = moved(tmp_path)
    other = TableJournal.create(tmp_path / "tables", membership(seat=3), PERSON)

    assert without_superseded([old, new]) == [new]
    assert without_superseded([old, new, other]) == [new, other]
    assert without_superseded([old]) == [old]
    assert next_folders(tmp_path / "tables", old.folder.name) == [new.folder]
    assert next_folders(tmp_path / "tables", "") == []
    for journal in (old, new, other):
        journal.close()


def test_from_the_new_table_there_is_a_way_back_until_it_is_over(tmp_path: Path):
    old, new = moved(tmp_path)
    old.close()
    new.close()
    before = new.reopen_before()
    assert before is not None
    assert before.folder == old.folder
    before.close()

    again = TableJournal.reopen(new.folder)
    again.discard()
    assert table_folders(tmp_path / "tables") == []
    assert again.reopen_before() is None


def test_a_table_that_did_not_come_together_goes_when_another_one_does(tmp_path: Path):
    old, first = moved(tmp_path)
    first.close()
    person = replace(first.person)
    second = TableJournal.create(tmp_path / "tables", membership(seat=3), person)
    second.drop_others()

    assert table_folders(tmp_path / "tables") == [old.folder, second.folder]
    second.close()
    old.close()


@pytest.mark.parametrize("name", ["../x", "a/b", "..", "."])
def test_a_journal_never_names_a_path_that_goes_with_it(tmp_path: Path, name: str):
    person = Person(**{key: getattr(PERSON, key) for key in PERSON.__slots__} | {"before": name})
    journal = TableJournal.create(tmp_path, membership(seat=1), person)
    journal.close()
    with pytest.raises(DecodeError):
        TableJournal.reopen(journal.folder)
