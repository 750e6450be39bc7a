"""The match between hands: setups, starters, totals, keys that may not come back."""

from dataclasses import replace

import pytest

from p2pokey.errors import InvalidRuleSet, LocalProtocolError
from p2pokey.native.identity import Ed25519Signer
from p2pokey.rules.rulesets import ruleset_for, table_options
from p2pokey.table.match import FinishedHand, Match, new_match
from p2pokey.tiles import Seat
from p2pokey.transcript.setup import NO_TRANSCRIPT, decode_header, encode_header

SIGNERS = [Ed25519Signer(bytes([7 + seat]) * 32) for seat in range(4)]
ROSTER = tuple(signer.public_key for signer in SIGNERS)
SESSION = b"s" * 32


def begin() -> Match:
    return new_match(
        session=SESSION, roster=ROSTER, rules=ruleset_for("classic"), options=table_options(4)
    )


def finished(match: Match, points: tuple[int, ...], *, starter: int = 2) -> FinishedHand:
    return FinishedHand(
        starter=Seat(starter),
        points=points,
        totals=tuple(a + b for a, b in zip(match.totals, points, strict=True)),
        transcript_hash=bytes([match.attempts + 1]) * 64,
        keys=frozenset({bytes([100 + match.attempts]) * 32}),
    )


def test_the_first_hand_starts_from_nothing_and_by_the_coins():
    setup = begin().next_setup()

    assert setup.hand == 0
    assert setup.match_hand == 0
    assert setup.starter is None
    assert setup.totals == (20, 20, 20, 20)
    assert setup.previous == NO_TRANSCRIPT
    assert decode_header(encode_header(setup)) == setup


def test_each_hand_that_counts_begins_one_seat_further_right():
    match = begin()
    starters = []
    for _ in range(5):
        match = match.after_hand(finished(match, (0, -2, -2, -2)))
        starters.append(match.next_setup().starter)

    assert starters == [3, 0, 1, 2, 3]


def test_the_next_hand_follows_from_the_last():
    match = begin()
    match = match.after_hand(finished(match, (0, -2, -2, -2)))
    setup = match.next_setup()

    assert setup.hand == 1
    assert setup.match_hand == 1
    assert setup.totals == (20, 18, 18, 18)
    assert setup.previous == b"\x01" * 64
    assert match.used_keys == frozenset({b"d" * 32})


def test_a_failed_attempt_keeps_the_hand_and_takes_a_new_number():
    match = begin()
    match = match.after_hand(finished(match, (0, -2, -2, -2)))
    match = match.after_failure(keys=frozenset({b"k" * 32}))
    setup = match.next_setup()

    assert setup.hand == 2
    assert setup.match_hand == 1
    assert setup.starter == 3
    assert setup.previous == b"\x01" * 64
    assert match.used_keys == frozenset({b"d" * 32, b"k" * 32})


def test_seats_that_withheld_their_keys_are_excluded_until_a_hand_counts():
    match = begin()
    match = match.after_failure(keys=frozenset(), withheld=(Seat(1),))
    match = match.after_failure(keys=frozenset(), withheld=(Seat(3),))

    assert match.next_setup().excluded == 0b1010
    assert match.after_hand(finished(match, (0, 0, 0, 0))).next_setup().excluded == 0


def test_not_everybody_can_be_excluded():
    match = begin().after_failure(keys=frozenset(), withheld=tuple(map(Seat, range(4))))

    assert match.next_setup().excluded == 0


def test_the_match_ends_at_zero_and_ties_are_shared():
    match = begin()
    for _ in range(9):
        match = match.after_hand(finished(match, (0, -2, 0, -2)))
    assert not match.is_over
    assert match.winners == ()

    match = match.after_hand(finished(match, (0, -2, 0, -2)))

    assert match.is_over
    assert match.winners == (0, 2)
    with pytest.raises(LocalProtocolError):
        match.next_setup()


def test_a_score_that_does_not_continue_the_match_is_refused():
    match = begin()
    wrong = FinishedHand(
        starter=Seat(0),
        points=(0, -2, -2, -2),
        totals=(20, 18, 18, 19),
        transcript_hash=bytes(64),
        keys=frozenset(),
    )
    with pytest.raises(LocalProtocolError):
        match.after_hand(wrong)


def test_seats_and_options_must_fit():
    with pytest.raises(LocalProtocolError):
        new_match(
            session=SESSION,
            roster=ROSTER[:3],
            rules=ruleset_for("classic"),
            options=table_options(4),
        )
    with pytest.raises(InvalidRuleSet):
        new_match(
            session=SESSION,
            roster=ROSTER[:3],
            rules=ruleset_for("classic"),
            options=table_options(3),
        )


def match_of(key: str, seats: int = 4, **options: bool | int | str) -> Match:
    return new_match(
        session=SESSION,
        roster=ROSTER[:seats],
        rules=ruleset_for(key, **options),
        options=table_options(seats),
    )


def test_G3_the_coins_choose_the_starter_of_each_hand_of_101():
    match = match_of("101-rising")
    match = match.after_hand(finished(match, (-101, 202, 30, 12)))

    assert match.next_setup().match_hand == 1
    assert match.next_setup().starter is None


def test_E10_the_seats_of_a_duel_begin_in_turn():
    match = match_of("duel", seats=2, hands=3)
    starters = []
    while not match.is_over:
        starters.append(match.next_setup().starter)
        match = match.after_hand(finished(match, (20, 0), starter=starters[-1]))

    assert starters == [0, 1, 0]
    assert match.winners == (0,)


def test_C12_a_cancelled_hand_is_dealt_again_by_the_same_starter():
    match = match_of("101-standard")
    cancelled = replace(finished(match, (0, 0, 0, 0), starter=3), counts=False)
    match = match.after_hand(cancelled)
    setup = match.next_setup()

    assert (setup.hand, setup.match_hand, setup.starter) == (1, 0, 3)
    assert setup.previous == cancelled.transcript_hash
    assert cancelled.keys <= match.used_keys
    match = match.after_hand(finished(match, (-101, 202, 30, 12), starter=3))
    assert (match.hands_played, match.next_setup().starter) == (1, 0)


def test_T2_partners_win_together():
    match = match_of("101-classic", hands=1, partners=True)
    match = match.after_hand(finished(match, (-101, 202, 90, 12)))

    assert match.is_over
    assert match.winners == (0, 2)


@pytest.mark.parametrize("key", ["classic", "101-classic", "101-standard"])
def test_G3_a_void_hand_keeps_its_starter(key: str):
    """Or whoever dislikes the starter would void the hand for another throw."""
    match = match_of(key).after_failure(keys=frozenset(), starter=Seat(2))
    assert match.next_setup().starter == 2
    match = match.after_failure(keys=frozenset())
    assert match.next_setup().starter == 2
    points = (0, -2, -2, -2)
    counted = match.after_hand(finished(match, points, starter=2))
    assert counted.next_setup().starter == (None if key == "101-classic" else 3)
