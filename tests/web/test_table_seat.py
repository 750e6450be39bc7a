"""What the page hears of the table as a whole."""

from p2pokey.crypto.drbg import Drbg
from p2pokey.native.entropy import OsEntropy
from p2pokey.peer.events import MatchOver, MoveMade
from p2pokey.peer.local import LocalSeat, local_links
from p2pokey.peer.table_events import RematchBegun
from p2pokey.rules.rulesets import canonical_bytes, ruleset_for, table_options
from p2pokey.table.presence import Presence
from p2pokey.tiles import Seat
from p2pokey.web.hand_feed import HandFeed
from p2pokey.web.person import PagePerson
from p2pokey.web.table_seat import TableSeat
from p2pokey.web.talk_feed import TalkFeed
from tests.peer.memory import GROUP


def nothing() -> None:
    """Nobody looks."""


def make_seat() -> TableSeat:
    rules, options = ruleset_for("classic"), table_options(4, timer_s=0)
    links = local_links(
        [LocalSeat(key=bytes([seat]) * 32, name=f"p{seat}") for seat in range(4)],
        runner=bytes(32),
        rules=canonical_bytes(rules, options),
        entropy=OsEntropy(),
    )
    return TableSeat(
        rules=rules,
        options=options,
        talk=TalkFeed(roster=links[0].roster, seat=Seat(0)),
        hand=HandFeed(seat=Seat(0), seats=4, words=(), on_change=nothing),
        person=PagePerson(nothing),
        group=GROUP,
        helps=True,
        source=Drbg(bytes(32), "hint", b""),
        on_change=nothing,
    )


def test_a_match_is_over_at_once_and_goes_on_with_a_rematch():
    seat = make_seat()
    assert not seat.is_over
    seat.tell(MatchOver(winners=(), stays=True))
    assert seat.is_over
    seat.tell(RematchBegun(attempt=1))
    assert not seat.is_over


def test_a_hint_is_forgotten_with_the_next_move_whoever_makes_it():
    seat = make_seat()
    seat._advice = {"intent": {"do": "draw"}, "why": {"code": "draw"}}
    assert seat.json()["advice"] is not None
    seat.tell(MoveMade(hand=0, seat=Seat(0), move="draw"))
    assert seat.json()["advice"] is None


def test_only_seats_that_another_one_runs_are_computer_players():
    people = make_seat().talk.people(lambda seat: (Presence.HERE, 0.0), teams=False)
    assert [person["bot"] for person in people] == [False, True, True, True]
    assert [person["runner"] for person in people] == [None, "p0", "p0", "p0"]
