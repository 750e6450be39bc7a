"""What goes over into a new session: one byte form, moved with the seats, checked by who stays."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pokey.errors import DecodeError
from p2pokey.rules.rulesets import ruleset_for, table_options
from p2pokey.table.carry import (
    MAX_CARRY_BYTES,
    VACANT,
    Carry,
    carried_match,
    carry_bytes,
    check_order,
    decode_carry,
    encode_carry,
)
from p2pokey.table.match import Match, new_match
from p2pokey.tiles import Seat

ROSTER = tuple(bytes([seat + 1]) * 32 for seat in range(4))
RULES = ruleset_for("classic")
OPTIONS = table_options(4)

CARRIES = st.integers(2, 4).flatmap(
    lambda seats: st.builds(
        Carry,
        session=st.binary(min_size=32, max_size=32),
        hands_played=st.integers(0, 2**32 - 1),
        totals=st.tuples(*[st.integers(-1_000_000, 1_000_000)] * seats),
        first_starter=st.none() | st.integers(0, seats - 1).map(Seat),
        repeated_starter=st.none() | st.integers(0, seats - 1).map(Seat),
        previous=st.binary(min_size=64, max_size=64),
    )
)


def played(**changes: object) -> Match:
    match = new_match(session=b"s" * 32, roster=ROSTER, rules=RULES, options=OPTIONS)
    values: dict[str, object] = {
        "totals": (20, 18, 16, 14),
        "attempts": 5,
        "hands_played": 3,
        "first_starter": Seat(1),
        "previous": b"t" * 64,
    }
    return replace(match, **{**values, **changes})  # type: ignore[arg-type]


def taken_over(carry: bytes) -> Match:
    return carried_match(
        session=b"n" * 32, roster=ROSTER, rules=RULES, options=OPTIONS, carry=carry
    )


@given(CARRIES)
def test_what_is_written_is_read(carry: Carry):
    data = encode_carry(carry)

    assert len(data) <= MAX_CARRY_BYTES <= 256
    assert decode_carry(data) == carry


@given(CARRIES, st.data())
def test_nothing_else_is_read(carry: Carry, data: st.DataObject):
    written = encode_carry(carry)
    broken = bytearray(written)
    broken[data.draw(st.integers(0, len(written) - 1))] ^= data.draw(st.integers(1, 255))
    for changed in (bytes(broken), written[:-1], written + b"\0"):
        try:
            read = decode_carry(changed)
        except DecodeError:
            continue
        assert read is not None
        assert encode_carry(read) == changed != written


def test_a_match_goes_on_with_its_seats_in_another_order():
    match = taken_over(carry_bytes(played(), (2, 0, 3, 1)))

    assert match.totals == (16, 20, 14, 18)
    assert match.hands_played == 3
    assert match.first_starter == 3
    assert (match.attempts, match.session) == (0, b"n" * 32)
    assert match.previous == b"t" * 64
    assert match.next_setup().starter == (3 + 3) % 4


def test_a_hand_that_is_dealt_again_keeps_its_starter():
    match = taken_over(carry_bytes(played(repeated_starter=Seat(3)), (2, 0, 3, 1)))

    assert match.next_setup().starter == 2


def test_whoever_is_new_takes_over_the_score_of_one_who_is_out():
    match = taken_over(carry_bytes(played(), (3, VACANT, 1, VACANT)))

    assert match.totals == (14, 20, 18, 16)


def test_a_match_that_has_not_begun_or_is_over_begins_anew():
    fresh = played(hands_played=0, first_starter=None)

    assert carry_bytes(fresh, (0, 1, 2, 3)) == b""
    assert carry_bytes(played(totals=(20, 0, 16, 14)), (0, 1, 2, 3)) == b""
    assert taken_over(b"").totals == (20, 20, 20, 20)


def test_T2_a_change_that_breaks_up_partners_begins_a_match():
    match = played(rules=ruleset_for("101-classic", partners=True), hands_played=1)

    assert carry_bytes(match, (1, 2, 3, 0)) != b""
    assert carry_bytes(match, (1, 0, 3, 2)) != b""
    assert carry_bytes(match, (1, 0, 2, 3)) == b""


@pytest.mark.parametrize(
    "order",
    [(0, 1, 2), (0, 1, 2, 3, VACANT), (VACANT, 1, 2, 3), (0, 0, 1, 2), (0, 1, 2, 4), (VACANT,) * 4],
)
def test_no_order(order: tuple[int, ...]):
    with pytest.raises(DecodeError):
        check_order(order, 4)
    with pytest.raises(DecodeError):
        carry_bytes(played(), order)


def test_a_carry_must_fit_its_table():
    carry = decode_carry(carry_bytes(played(), (0, 1, 2, 3)))
    assert carry is not None
    with pytest.raises(DecodeError):
        taken_over(encode_carry(replace(carry, totals=(1, 2, 3), first_starter=None)))
    with pytest.raises(DecodeError):
        taken_over(encode_carry(replace(carry, totals=(0, 18, 16, 14))))
