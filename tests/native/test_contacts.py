"""Keys of friends: pinned when first seen, compared ever after."""

import json
from pathlib import Path

import pytest

from p2pokey.errors import DecodeError
from p2pokey.native.contacts import (
    MAX_CONTACTS,
    Contact,
    Met,
    accept,
    forget,
    load_contacts,
    meet,
    save_contacts,
)

AYSE, BORA, OTHER = bytes([1] * 32), bytes([2] * 32), bytes([3] * 32)


def met(contacts, *people):
    after, meetings = meet(contacts, people, "2026-11-30")
    return after, [meeting.met for meeting in meetings]


def test_whoever_is_new_is_pinned():
    contacts, how = met((), ("Ayşe", AYSE), ("Bora", BORA))

    assert how == [Met.NEW, Met.NEW]
    assert met(contacts, ("Bora", BORA), ("Ayşe", AYSE)) == (contacts, [Met.KNOWN, Met.KNOWN])


@pytest.mark.parametrize("name", ["Ayşe", "AYŞE", "ayşe", "\uff21yşe", "A yşe"])
def test_a_name_with_another_key_is_told_and_not_kept(name: str):
    contacts, _ = met((), ("Ayşe", AYSE))
    after, how = met(contacts, (name, OTHER))

    assert how == [Met.CHANGED]
    assert [contact.key for contact in after] == [AYSE]
    assert met(after, ("Ayşe", AYSE))[1] == [Met.KNOWN]
    assert met(after, ("Ayşe", OTHER))[1] == [Met.CHANGED], "once is not enough"


def test_a_dotted_capital_is_no_other_name():
    contacts, _ = met((), ("İnci", AYSE))

    assert met(contacts, ("inci", OTHER))[1] == [Met.CHANGED]


def test_the_new_key_counts_once_it_is_accepted():
    contacts, _ = met((), ("Ayşe", AYSE))
    contacts, _ = met(contacts, ("Ayşe", OTHER))
    contacts = accept(contacts, "ayşe")

    assert met(contacts, ("Ayşe", OTHER))[1] == [Met.KNOWN]
    assert met(contacts, ("Ayşe", AYSE))[1] == [Met.CHANGED]
    for name in ("Ayşe", "Bora"):
        with pytest.raises(KeyError):
            accept(met((), ("Ayşe", AYSE))[0], name)


def test_a_known_key_may_have_another_name():
    contacts, _ = met((), ("Ayşe", AYSE))
    after, meetings = meet(contacts, [("Ece", AYSE)], "2026-12-01")

    assert after == contacts
    assert (meetings[0].met, meetings[0].known_as) == (Met.RENAMED, "Ayşe")


def test_a_forgotten_friend_is_new_again():
    contacts, _ = met((), ("Ayşe", AYSE), ("Bora", BORA))
    contacts = forget(contacts, "AYŞE")

    assert [contact.name for contact in contacts] == ["Bora"]
    assert met(contacts, ("Ayşe", OTHER))[1] == [Met.NEW]
    with pytest.raises(KeyError):
        forget(contacts, "Ayşe")


def test_the_oldest_give_way():
    many = tuple(
        Contact(name=f"P{number}", key=number.to_bytes(32, "big"), since="2026-11-30")
        for number in range(MAX_CONTACTS)
    )
    after, _ = met(many, ("Ayşe", b"\xff" * 32))

    assert len(after) == MAX_CONTACTS
    assert (after[0].name, after[-1].name) == ("P1", "Ayşe")


def test_the_list_is_kept_for_its_owner(tmp_path: Path):
    path = tmp_path / "new" / "contacts.json"
    contacts, _ = met((), ("Ayşe", AYSE), ("Bora", BORA))
    contacts, _ = met(contacts, ("Bora", OTHER))
    assert load_contacts(path) == ()
    save_contacts(path, contacts)

    assert load_contacts(path) == contacts
    assert path.stat().st_mode & 0o077 == 0


GOOD = {"name": "A", "key": "01" * 32, "since": "2026-11-30", "new_key": None}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"format": "p2pokey-contacts 9", "people": []}',
        "[" * 100_000,
        *(
            json.dumps({"format": "p2pokey-contacts 0", "people": [GOOD | change]})
            for change in (
                {"key": "01"},
                {"key": 1},
                {"name": "a\u202eb"},
                {"name": 5},
                {"new_key": "zz"},
                {"since": None},
            )
        ),
        '{"format": "p2pokey-contacts 0", "people": [{}]}',
        '{"format": "p2pokey-contacts 0", "people": 7}',
    ],
)
def test_a_damaged_list_is_refused_and_left_alone(tmp_path: Path, text: str):
    path = tmp_path / "contacts.json"
    path.write_text(text)

    with pytest.raises(DecodeError, match="move it away"):
        load_contacts(path)
    assert path.read_text() == text
