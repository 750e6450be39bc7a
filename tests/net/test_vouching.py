"""Guests compare past the host which list of players each of them holds."""

import asyncio
import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pokey.errors import PlayerLeft, TableRefused
from p2pokey.native.entropy import OsEntropy
from p2pokey.net.admission import HostAdmission
from p2pokey.net.bodies import decode_body, encode_body
from p2pokey.net.hosting import HostGathering
from p2pokey.net.memory import MemoryNetwork
from p2pokey.net.vouching import check_vouch, is_vouch, make_vouch
from p2pokey.table.roster import encode_roster, sign_roster
from p2pokey.tiles import Seat
from tests.net.support import NAMES, TOOLKITS, Meeting, make_roster, run, signalling_server, until
from tests.net.test_meeting import ends_with

ROSTER = make_roster()
OTHER = dataclasses.replace(ROSTER, carry=b"another")


def word(roster=ROSTER, seat=2, refusal=""):
    return make_vouch(roster, Seat(seat), TOOLKITS[seat].signer, refusal)


def hear(data, own_seat=1):
    check_vouch(data, ROSTER, Seat(own_seat), TOOLKITS[1].verifier)


def test_equal_lists_are_no_news():
    hear(word())
    hear(word(refusal="score"), own_seat=2)  # our own word, sent back
    assert is_vouch(word())
    assert not is_vouch(encode_body("pair"))
    assert not is_vouch(b"\xff")


@pytest.mark.parametrize(
    ("refusal", "sentence"),
    [
        ("score", "Can refuses this table: .*another score than Can has kept"),
        ("players", "Can refuses this table: .*not what was agreed"),
        ("a newer one", "Can refuses this table: .*not what was agreed"),
    ],
)
def test_a_refusal_is_told_with_name_and_reason(refusal, sentence):
    with pytest.raises(TableRefused, match=sentence):
        hear(word(refusal=refusal))


def test_another_list_is_told_with_the_name_of_the_host():
    with pytest.raises(TableRefused, match=r"Can was given another list of players .*Ayşe"):
        hear(word(OTHER))


def test_words_that_nobody_at_the_table_signed_say_nothing():
    stranger = make_vouch(OTHER, Seat(2), TOOLKITS[4].signer)
    body = decode_body(word(OTHER)).as_dict()
    body.pop("k")
    body["pub"] = decode_body(word(seat=3)).as_dict()["pub"]  # in another's name
    hear(stranger)
    hear(encode_body("vouch", **body))
    hear(encode_body("vouch"))


def test_an_old_word_cannot_be_repeated():
    """A nonce commitment is fresh at every meeting."""
    seats = [dataclasses.replace(seat, nonce_commit=bytes(32)) for seat in OTHER.seats]
    hear(word(dataclasses.replace(OTHER, seats=tuple(seats))))


@given(st.binary(max_size=100))
def test_any_bytes_say_nothing(data):
    hear(data)


# --- with real machines ---


@pytest.fixture
def two_faced_host(monkeypatch):
    """A host who gives the player on seat 3 (Can) another list than the others."""

    async def tell_all(self, body):
        admission = self._admission
        for guest in admission.admitted:
            said = self._false if guest == admission.admitted[1] and self._false else body
            admission.tell(guest, said)
        self._false = b""
        await self._carry_out()

    async def seat_everybody(self):
        roster = self._admission.make_roster(1)
        seats = list(roster.seats)
        seats[3] = dataclasses.replace(seats[3], name="Eve")
        false = dataclasses.replace(roster, seats=tuple(seats))
        self._false = encode_body(
            "roster",
            roster=encode_roster(false),
            sig=sign_roster(false, self.toolkit.signer),
            routes=(self.client.id, *self._admission.admitted),
        )
        return await original(self)

    original = HostGathering._seat_everybody
    # Slots leave no room for it.
    lying = type(
        "Lying", (HostGathering,), {"_tell_all": tell_all, "_seat_everybody": seat_everybody}
    )
    monkeypatch.setattr("p2pokey.net.meeting.HostGathering", lying)
    assert HostAdmission.make_roster


def test_a_host_with_two_lists_is_found_out_by_every_guest(two_faced_host):
    async def main():
        async with signalling_server() as server:
            meeting = Meeting(server.url, connector=MemoryNetwork(OsEntropy()))
            host = asyncio.create_task(meeting.host())
            guests = []
            for index in (1, 2, 3):
                guests.append(asyncio.create_task(meeting.join(index)))
                await until(lambda count=index: len(taken(meeting)) == count)
            for guest in guests:
                await ends_with(
                    guest,
                    TableRefused,
                    rf"(Bora|Can|Derya|Eve) was given another list of players than we were: {NAMES[0]}",
                )
            with pytest.raises((PlayerLeft, TableRefused)):
                await host

    run(main())


def taken(meeting):
    steps = meeting.progress.get(NAMES[0], [])
    return [step for step in steps if step[0] == "friends-here"]
