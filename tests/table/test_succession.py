"""A new roster of the same players is taken only as it was agreed."""

import dataclasses

import pytest

from p2pokey.errors import LocalProtocolError, TableRefused
from p2pokey.native.identity import Ed25519Signer
from p2pokey.table.roster import Roster, RosterSeat
from p2pokey.table.succession import Succession, seats_of

KEYS = tuple(Ed25519Signer(bytes([index]) * 32).public_key for index in range(1, 7))
NAMES = ("Ayşe", "Bora", "Can", "Derya", "Eve", "Fidan")
CARRY = b"score"


def seat(index):
    return RosterSeat(
        public_key=KEYS[index], runner=KEYS[index], nonce_commit=bytes(32), name=NAMES[index]
    )


def roster(*players, epoch=4, **changes):
    seats = tuple(seat(player) for player in players)
    fields = {"room": "K7Q2M", "epoch": epoch, "rules": b"{}", "carry": CARRY}
    return Roster(**{**fields, **changes}, seats=seats)


BEFORE = roster(0, 1, 2, 3, epoch=3)
AGREED = Succession(
    before=BEFORE, order=(2, None, 0, 1), carry=CARRY, sent_away={KEYS[5]: NAMES[5]}
)


def test_what_was_agreed_is_taken_with_anybody_in_the_vacant_seat():
    AGREED.check(roster(2, 4, 0, 1))
    AGREED.check(roster(2, 4, 0, 1, room="00000"))


def test_the_new_host_takes_its_settings_from_it():
    assert AGREED.epoch == 4
    assert AGREED.reserved == {KEYS[0]: 2, KEYS[1]: 3}
    assert AGREED.banned == {KEYS[3]: NAMES[3], KEYS[5]: NAMES[5]}
    assert [AGREED.new_seat(old) for old in range(4)] == [2, 3, 0, None]


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (roster(2, 4, 0, 1, epoch=3), "not the next one"),
        (roster(2, 4, 0, 1, epoch=5), "not the next one"),
        (roster(2, 4, 0, 1, rules=b"{ }"), "changed the rules"),
        (roster(2, 4, 0), "number of seats"),
        (roster(2, 4, 1, 0), "not given Ayşe the seat"),
        (roster(0, 4, 2, 1), "not given Can the seat"),
        (roster(2, 3, 0, 1), "Derya was sent away"),
        (roster(2, 5, 0, 1), "Fidan was sent away"),
        (roster(2, 4, 0, 1, carry=b"other"), "another score"),
        (roster(2, 4, 0, 1, carry=b""), "another score"),
    ],
)
def test_anything_else_is_refused_in_one_sentence(made, sentence):
    with pytest.raises(TableRefused, match=sentence) as caught:
        AGREED.check(made)
    assert str(caught.value).endswith(".")


def test_other_rules_count_only_if_they_were_agreed():
    changed = dataclasses.replace(AGREED, rules=b"[]")
    changed.check(roster(2, 4, 0, 1, rules=b"[]"))
    with pytest.raises(TableRefused, match="rules"):
        changed.check(roster(2, 4, 0, 1))


@pytest.mark.parametrize(
    "order", [(), (0,), (None, 0), (0, 0), (0, 4), (0, -1), (0, 1, 2, 3, None)]
)
def test_impossible_orders_are_refused(order):
    with pytest.raises(LocalProtocolError):
        Succession(before=BEFORE, order=order)


def test_an_order_of_the_tables_messages_is_understood():
    assert seats_of((2, 255, 0, 1)) == AGREED.order
