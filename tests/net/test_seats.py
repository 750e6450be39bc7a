"""Seat cards, and what two seats say to each other: signed, sealed, and for nobody else."""

import dataclasses

import pytest

from p2pokey.errors import BadLength, BadPoint, BadSignature, CommitMismatch, DecodeError
from p2pokey.net.bodies import decode_body, encode_body
from p2pokey.net.offers import PairMessage, PairTalk
from p2pokey.net.seats import make_card, pair_channel, read_card, verify_cards
from p2pokey.table.roster import sign_runner
from p2pokey.tiles import Seat
from tests.net.support import EPHEMERALS, NONCES, TOOLKITS, make_cards, make_roster

ROSTER = make_roster()
CARDS = make_cards(ROSTER)
VERIFIER = TOOLKITS[0].verifier


def make_talk(own, other, *, roster=ROSTER, toolkit=None, cards=CARDS, run=bytes(16)):
    toolkit = toolkit or TOOLKITS[own]
    channel = pair_channel(
        roster, Seat(own), EPHEMERALS[own], Seat(other), cards[other], toolkit.sealer, run
    )
    return PairTalk(toolkit, roster, own_seat=Seat(own), other_seat=Seat(other), channel=channel)


def test_good_cards_verify_and_survive_the_wire():
    verify_cards(ROSTER, CARDS, VERIFIER)
    body = decode_body(encode_body("seat", **CARDS[2].fields()))

    assert read_card(body) == CARDS[2]


@pytest.mark.parametrize(
    ("field", "error"),
    [("ephemeral", BadSignature), ("nonce", CommitMismatch), ("signature", BadSignature)],
)
def test_a_changed_card_is_refused(field, error):
    value = bytearray(getattr(CARDS[1], field))
    value[3] ^= 1
    changed = dataclasses.replace(CARDS[1], **{field: bytes(value)})
    with pytest.raises(error):
        verify_cards(ROSTER, (CARDS[0], changed, *CARDS[2:]), VERIFIER)


def test_cards_of_another_roster_or_number_are_refused():
    other = make_cards(make_roster(epoch=2))
    with pytest.raises(BadSignature):
        verify_cards(ROSTER, other, VERIFIER)
    with pytest.raises(BadLength):
        verify_cards(ROSTER, CARDS[:3], VERIFIER)
    with pytest.raises((BadSignature, CommitMismatch)):
        verify_cards(ROSTER, (CARDS[1], CARDS[0], *CARDS[2:]), VERIFIER)


def test_a_card_shows_who_runs_a_computer_player():
    seats = list(ROSTER.seats)
    seats[2] = dataclasses.replace(seats[2], runner=TOOLKITS[1].public_key)
    roster = dataclasses.replace(ROSTER, seats=tuple(seats))

    def cards(signature, roster=roster):
        changed = list(make_cards(roster))
        changed[2] = dataclasses.replace(changed[2], runner_signature=signature)
        return changed

    bot = TOOLKITS[2].public_key
    verify_cards(roster, cards(sign_runner(bot, TOOLKITS[1].signer)), VERIFIER)
    false = [b"", sign_runner(bot, TOOLKITS[0].signer), sign_runner(bytes(32), TOOLKITS[1].signer)]
    for signature in false:
        with pytest.raises(BadSignature):
            verify_cards(roster, cards(signature), VERIFIER)
    with pytest.raises(BadLength):  # a person's own machine
        verify_cards(ROSTER, cards(sign_runner(bot, TOOLKITS[1].signer), ROSTER), VERIFIER)


def test_a_pair_talks_both_ways():
    low, high = make_talk(1, 3), make_talk(3, 1)
    offer = PairMessage(kind="offer", attempt=1, description="v=0 ş")
    answer = PairMessage(kind="answer", attempt=1, description="v=1")

    assert low.unseal(decode_body(high.seal(offer))) == offer
    assert high.unseal(decode_body(low.seal(answer))) == answer


def test_a_third_seat_cannot_read_or_speak():
    box = decode_body(make_talk(3, 1).seal(PairMessage(kind="offer", attempt=1, description="x")))
    for talk in (make_talk(2, 1), make_talk(2, 3), make_talk(1, 2), make_talk(1, 0)):
        with pytest.raises(DecodeError):
            talk.unseal(box)


def test_a_repeated_offer_is_dropped():
    low, high = make_talk(1, 3), make_talk(3, 1)
    box = decode_body(high.seal(PairMessage(kind="offer", attempt=1, description="x")))
    low.unseal(box)
    with pytest.raises(DecodeError):
        low.unseal(box)


def test_another_run_is_understood_and_ends_the_one_before():
    hello = PairMessage(kind="here", attempt=0, description="")
    first, second = make_talk(3, 1, run=b"1" * 16), make_talk(3, 1, run=b"2" * 16)
    low = make_talk(1, 3)
    late = decode_body(first.seal(hello))
    low.unseal(decode_body(first.seal(hello)))
    assert low.other_run == b"1" * 16
    low.unseal(decode_body(second.seal(hello)))
    assert low.other_run == b"2" * 16
    for old in (late, decode_body(first.seal(hello))):
        with pytest.raises(DecodeError):
            low.unseal(old)
    low.unseal(decode_body(second.seal(hello)))


def test_no_two_runs_seal_alike():
    """The counters begin anew with each run, so the keys must not be the same."""
    hello = PairMessage(kind="here", attempt=0, description="")
    boxes = [make_talk(3, 1, run=bytes([n]) * 16).seal(hello) for n in (1, 2)]
    texts = {decode_body(box).blob("ct", 9000) for box in boxes}

    assert len(texts) == 2


def test_a_box_under_a_false_run_changes_nothing():
    hello = PairMessage(kind="here", attempt=0, description="")
    high, low = make_talk(3, 1, run=b"1" * 16), make_talk(1, 3)
    low.unseal(decode_body(high.seal(hello)))
    forged = decode_body(high.seal(hello)).as_dict() | {"run": "A" * 22}
    with pytest.raises(DecodeError):
        low.unseal(
            decode_body(encode_body("pair", **{k: v for k, v in forged.items() if k != "k"}))
        )
    assert low.other_run == b"1" * 16
    low.unseal(decode_body(high.seal(hello)))


def test_sealed_by_the_seat_but_signed_by_another_key():
    box = make_talk(3, 1, toolkit=TOOLKITS[4]).seal(
        PairMessage(kind="offer", attempt=1, description="x")
    )
    with pytest.raises(BadSignature):
        make_talk(1, 3).unseal(decode_body(box))


def test_unknown_kinds_are_refused():
    box = make_talk(3, 1).seal(PairMessage(kind="pake1", attempt=1, description="x"))
    with pytest.raises(DecodeError):
        make_talk(1, 3).unseal(decode_body(box))


def test_a_card_with_a_key_of_small_order_gives_no_channel():
    bad = make_card(
        ROSTER, Seat(2), ephemeral=bytes(32), nonce=NONCES[2], signer=TOOLKITS[2].signer
    )
    with pytest.raises(BadPoint):
        make_talk(1, 2, cards=(*CARDS[:2], bad, CARDS[3]))
