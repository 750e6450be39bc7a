"""What the page is told of people who are missing, of waits, and of names kept beside transcripts."""

from pathlib import Path

import pytest

from p2pokey.net.link import LinkState
from p2pokey.peer.events import HandBegan, HandPausedFor, LinkSeen, MovedForIdle, StillWaiting
from p2pokey.peer.table_events import QuestionClosed, Refused
from p2pokey.peer.table_names import FILE, keep_names, load_names
from p2pokey.rules.engine import engine_for
from p2pokey.rules.moves import Discard, DrawStack, Move, Placed
from p2pokey.rules.published import RULE_SETS
from p2pokey.rules.rulesets import table_options
from p2pokey.rules.state import Phase
from p2pokey.table.commands import Refusal
from p2pokey.tiles import Seat, format_tile
from p2pokey.web.engine import IntentRefused
from p2pokey.web.fate import Fates
from p2pokey.web.hand_feed import HandFeed
from p2pokey.web.talk_feed import REFUSALS, TalkFeed
from tests.bots.decks import shuffled
from tests.bots.hands import dealt, view_of
from tests.net.support import make_roster


def person(link: str = "here", since: int | None = None, *, absent: bool = False) -> dict:
    return {"link": link, "since": since, "absent": absent}


@pytest.mark.parametrize(
    ("people", "recovery", "paused", "then"),
    [
        ([person(), person("unstable", 7)], True, False, [None, None]),
        ([person(), person("away", 20)], True, False, [None, ("stands-in", 70)]),
        ([person(), person("left", 500)], True, False, [None, ("stands-in", 0)]),
        ([person(), person("here", absent=True)], True, False, [None, ("stands-in", 0)]),
        ([person(), person("away", 20)], False, False, [None, ("waits", 70)]),
        ([person(), person("away", 20)], True, True, [None, ("waits", 0)]),
        (
            [person("left", 20), person("away", 20), person()],
            True,
            False,
            [("waits", 70), ("waits", 70), None],
        ),
    ],
)
def test_what_will_happen_to_whoever_is_missing(people, recovery, paused, then):
    fates = Fates(options=table_options(4, timer_s=30, recovery=recovery), patience_s=600)
    fates.tell(people, is_played=True, paused=paused)
    found = [one["then"] and (one["then"]["what"], one["then"]["in_s"]) for one in people]
    assert found == then
    fates.tell(people, is_played=False, paused=False)
    assert all(one["then"] is None or one["then"]["in_s"] is None for one in people)


def make_feed() -> tuple[TalkFeed, list[dict]]:
    told: list[dict] = []
    return TalkFeed(roster=make_roster(), seat=Seat(0), tell_player=told.append), told


def test_a_wait_is_shown_with_what_and_whom_until_something_happens():
    feed, _ = make_feed()
    feed.tell(StillWaiting(text="waiting", what="shuffle", seats=(Seat(2),)))
    waiting = feed.waiting()
    assert waiting is not None
    assert (waiting["what"], waiting["seats"]) == ("shuffle", [2])
    feed.tell(LinkSeen(seat=Seat(2), state=LinkState.AWAY))
    assert feed.waiting() is None
    feed.tell(HandPausedFor(hand=0, seats=(Seat(2), Seat(3)), seconds=90.0))
    paused = feed.paused()
    assert paused is not None
    assert (paused["seats"], paused["since"]) == ([2, 3], 90)
    feed.tell(HandBegan(hand=1, match_hand=0))
    assert feed.paused() is None


@pytest.mark.parametrize("why", list(Refusal))
def test_what_the_table_machine_refuses_has_a_code(why: Refusal):
    feed, told = make_feed()
    with pytest.raises(IntentRefused) as refused:
        feed.check(lambda: feed.tell(Refused(text=f"{why.value} (3 s)")))
    assert refused.value.code == REFUSALS[why.value] == why.name.lower().replace("_", "-")
    assert told == []
    feed.tell(Refused(text=why.value))
    assert told == [{"code": REFUSALS[why.value], "text": why.value}]


def test_a_question_that_was_not_agreed_to_is_told():
    feed, told = make_feed()
    feed.tell(
        QuestionClosed(asker=Seat(1), seq=4, what="seating", outcome="refused", against=(Seat(2),))
    )
    assert told == [{"code": "ask-refused", "what": "seating", "seats": [2]}]


@pytest.mark.parametrize("is_slow", [False, True], ids=["each-seen", "two-at-once"])
def test_what_was_played_for_whoever_dreams_is_told_when_the_turn_is_over(is_slow: bool):
    """Also if the next player's move comes in the same slice of work."""
    rules, deck = RULE_SETS["classic"], shuffled("idle")
    state, _ = dealt(rules, deck)
    engine = engine_for(rules)
    told: list[dict] = []
    feed = HandFeed(
        seat=Seat(1), seats=4, words=(), on_change=lambda: None, tell_player=told.append
    )

    def play(move: Move) -> None:
        nonlocal state
        seat = state.turn
        state, events = engine.apply(state, move)
        feed.moved(seat, move, events)
        if not is_slow:
            feed.saw(view_of(state, deck, Seat(1)))

    def discard() -> str:
        slot, tile = view_of(state, deck, state.turn).rack()[0]
        play(Discard(Placed(slot, tile)))
        return format_tile(tile)

    discard()
    feed.tell(MovedForIdle(hand=0))
    play(DrawStack())
    assert told == []
    tile = discard()
    if is_slow:
        play(DrawStack())
    (notice,) = told
    assert notice["code"] == "moved-for-idle"
    assert [move["kind"] for move in notice["moves"]] == ["draw", "discard"]
    assert notice["moves"][1]["tile"] == tile
    for _ in range(4):
        if state.phase is Phase.DRAW:
            play(DrawStack())
        discard()
    assert len(told) == 1, "the next turn is the player's own again"


def test_names_are_kept_beside_transcripts_and_whatever_the_file_holds(tmp_path: Path):
    roster = make_roster()
    keep_names(tmp_path, roster)
    names = load_names(tmp_path)
    assert [known.name for known in names.values()] == [seat.name for seat in roster.seats]
    assert not any(known.is_computer for known in names.values())
    before = (tmp_path / FILE).stat().st_mtime_ns
    keep_names(tmp_path, roster)
    assert (tmp_path / FILE).stat().st_mtime_ns == before
    for data in (b"", b"[]", b"\xff", b'{"format":"p2pokey-names 0","people":[{"key":"zz"}]}'):
        (tmp_path / FILE).write_bytes(data)
        assert load_names(tmp_path) == {}
    text = (
        '{"format":"p2pokey-names 0","people":[{"key":"%s","name":"a\u202e","is_computer":false}]}'
    )
    (tmp_path / FILE).write_text(text % ("00" * 32))
    assert load_names(tmp_path) == {}
    keep_names(tmp_path / "nowhere", roster)
