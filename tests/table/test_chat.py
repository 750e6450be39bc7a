"""The chat: what may be said, how fast, and that nothing said can change other text on the screen."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pokey.table.chat_text import MAX_MARKS, REPLACEMENT, neutralise
from p2pokey.table.commands import LinkIs, Mute, Refusal, SaveDraft, Say, SayPhrase
from p2pokey.table.contents import Chat
from p2pokey.table.effects import (
    ChatShown,
    LinesDropped,
    Persist,
    PhraseShown,
    Refused,
    Send,
)
from p2pokey.table.phrases import Phrase
from p2pokey.table.presence import Presence
from p2pokey.table.records import MAX_DRAFT_BYTES
from p2pokey.table.talk import HISTORY, OTHERS_BURST, OWN_BURST
from p2pokey.tiles import Seat
from tests.table.table_net import Net


def texts(net: Net, seat: int) -> list[str]:
    return [shown.line.text for shown in net.chairs[seat].heard(ChatShown)]


def say(net: Net, seat: int, text: str) -> list[Refusal]:
    effects = net.act(seat, Say(text=text))
    net.run()
    return [effect.why for effect in effects if isinstance(effect, Refused)]


def flood(net: Net, seat: int, count: int) -> None:
    """A program that knows no limits."""
    for number in range(count):
        net.chairs[seat].machine._desk.say(Chat(text=f"line {number}"), net.now)
        net.carry_out(seat)
        net.run()


# Neutralised text --------------------------------------------------------------------------------


@given(st.text(max_size=120))
def test_nothing_shown_can_hide_or_turn_text(text: str):
    shown = neutralise(text)

    for index, char in enumerate(shown):
        category = unicodedata.category(char)
        assert category not in ("Cc", "Cs", "Co", "Cn", "Zl", "Zp")
        assert category != "Cf" or char in "\u200c\u200d"
        assert category[0] != "Z" or char == " "
        if char in "\u200c\u200d":
            assert index > 0
            assert shown[index - 1] not in " \u200c\u200d"
    assert len(shown) <= 2 * len(unicodedata.normalize("NFC", text))
    assert len(shown.splitlines()) <= 1
    assert "  " not in shown


@given(st.text("aé \u0301\u0302\u20dd\u0489", max_size=60))
def test_marks_never_pile_up_or_hang_on_other_text(text: str):
    shown = neutralise(text)
    marks = 0
    for index, char in enumerate(shown):
        is_mark = unicodedata.category(char) in ("Mn", "Me")
        marks = marks + 1 if is_mark else 0
        assert marks <= MAX_MARKS
        assert not is_mark or (index > 0 and shown[index - 1] != " ")


@pytest.mark.parametrize(
    "text",
    [
        "Çok iyi oynadın, Ayşe! İyi şanslar…",
        "مرحبا بكم",
        "می‌روم",
        "नमस्ते",
        "👩‍👩‍👧 ❤️ 👍🏽",
        "한국어 日本語",
        "a < b && c > d",
    ],
)
def test_what_people_write_stays_as_it_is(text: str):
    assert neutralise(text) == unicodedata.normalize("NFC", text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("two\nlines\r\n", "two lines "),
        ("x" + " " * 70 + "seat 1 (Ayse): I give up", "x seat 1 (Ayse): I give up"),
        ("x \u3000\t\u2003 \u00a0y", "x y"),
        ("\u202eevil\u202c", f"{REPLACEMENT}evil{REPLACEMENT}"),
        ("\u2066x\u2069", f"{REPLACEMENT}x{REPLACEMENT}"),
        ("a\u200bb", f"a{REPLACEMENT}b"),
        ("\x1b[31m", f"{REPLACEMENT}[31m"),
        ("\u3164", REPLACEMENT),
        ("\u0301x", "\u25cc\u0301x"),
        ("o" + "\u0323" * 50, "\u1ecd" + "\u0323" * MAX_MARKS),
        ("e\u0301", "é"),
        ("\u200d\u200dx", f"{REPLACEMENT}\u200dx"),
        ("a\u2028b\u00a0c", "a b c"),
    ],
)
def test_what_is_replaced(text: str, shown: str):
    assert neutralise(text) == shown


# Own lines ---------------------------------------------------------------------------------------


def test_a_line_reaches_everybody_and_its_author():
    net = Net()
    assert say(net, 1, "iyi oyunlar\u202e") == []

    assert [texts(net, seat) for seat in range(4)] == [[f"iyi oyunlar{REPLACEMENT}"]] * 4
    assert net.chairs[3].heard(ChatShown)[0].line.seat == 1


def test_a_line_is_on_disk_before_it_is_sent_and_before_it_is_shown():
    net = Net()
    effects = net.act(0, Say(text="x"))
    assert [type(effect) for effect in effects] == [Persist, Send, ChatShown]

    net.chairs[1].machine.receive(effects[1].data, Seat(0), net.now)
    assert [type(effect) for effect in net.carry_out(1)] == [Persist, ChatShown]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", Refusal.EMPTY),
        (" \t ", Refusal.EMPTY),
        ("x" * 501, Refusal.TOO_LONG),
        ("half \ud83d", Refusal.NO_TEXT),
    ],
)
def test_what_cannot_be_said(text: str, why: Refusal):
    net = Net()

    assert say(net, 0, text) == [why]
    assert net.chairs[0].machine.counts[0] == 0


def test_500_characters_of_any_kind_can():
    net = Net()
    assert say(net, 0, "😀" * 500) == []
    assert [len(text) for text in texts(net, 3)] == [500]


def test_own_lines_are_limited_and_the_wait_is_told():
    net = Net()
    for _ in range(OWN_BURST):
        assert say(net, 0, "x") == []
    effects = net.act(0, SayPhrase(code=Phrase.HURRY))
    assert effects == [Refused(why=Refusal.TOO_FAST, wait_s=2.0)]

    net.now += 1.9
    assert say(net, 0, "x") == [Refusal.TOO_FAST]
    net.now += 0.2
    assert say(net, 0, "x") == []


def test_phrases_are_told_as_codes_also_unknown_ones():
    net = Net()
    net.act(0, SayPhrase(code=Phrase.WELL_PLAYED))
    net.act(0, SayPhrase(code=250))
    net.run()

    lines = [shown.line for shown in net.chairs[2].heard(PhraseShown)]
    assert [(line.phrase, line.text) for line in lines] == [(Phrase.WELL_PLAYED, None), (250, None)]


# Others' lines -----------------------------------------------------------------------------------


def test_a_flood_is_counted_and_not_shown():
    net = Net()
    flood(net, 3, 150)

    assert len(texts(net, 0)) == OTHERS_BURST
    assert [d.count for d in net.chairs[0].heard(LinesDropped)] == [1, 100]
    assert say(net, 1, "stop it") == []
    assert texts(net, 0)[-1] == "stop it"
    net.now += 3
    flood(net, 3, 5)
    assert len(texts(net, 0)) == OTHERS_BURST + 1 + 3


def test_a_flood_does_not_push_other_peoples_lines_out():
    net = Net()
    say(net, 1, "remember this")
    for _ in range(HISTORY // 10 + 2):
        net.now += 10
        flood(net, 3, 10)

    lines = net.chairs[0].machine.lines()
    assert len(lines) == HISTORY + 1
    assert lines[0].text == "remember this"


def test_what_was_said_while_the_link_was_broken_is_shown_afterwards():
    net = Net()
    net.act(0, LinkIs(seat=Seat(2), state=Presence.AWAY))
    net.cut = {0}
    for _ in range(30):
        net.now += 2
        assert say(net, 2, "are you there?") == []
    net.cut = set()
    net.act(0, LinkIs(seat=Seat(2), state=Presence.HERE))
    net.catch_up(0)

    assert len(texts(net, 0)) == 30


def test_a_muted_seat_is_kept_but_not_shown():
    net = Net()
    say(net, 2, "before")
    net.act(0, Mute(seat=Seat(2), on=True))
    say(net, 2, "meanwhile")
    assert texts(net, 0) == ["before"]
    assert net.chairs[0].machine.lines() == []
    assert texts(net, 1) == ["before", "meanwhile"]

    net.act(0, Mute(seat=Seat(2), on=False))
    assert [line.text for line in net.chairs[0].machine.lines()] == ["before", "meanwhile"]


# Coming back -------------------------------------------------------------------------------------


def test_lines_mutes_and_drafts_come_back():
    net = Net()
    for text in ("one", "two"):
        say(net, 1, text)
    net.act(0, Mute(seat=Seat(3), on=True))
    net.act(0, SaveDraft(data=b"{}"))
    net.act(0, SaveDraft(data=b"{1}"))
    net.restart(0)

    machine = net.chairs[0].machine
    assert [line.text for line in machine.lines()] == ["one", "two"]
    assert machine.muted == {3}
    assert machine.draft == b"{1}"
    assert texts(net, 0) == []


def test_a_draft_has_a_limit():
    net = Net()
    assert net.act(0, SaveDraft(data=bytes(MAX_DRAFT_BYTES + 1))) == [
        Refused(why=Refusal.DRAFT_TOO_BIG)
    ]
    assert len(net.act(0, SaveDraft(data=bytes(MAX_DRAFT_BYTES)))) == 1
    assert net.act(0, SaveDraft(data=bytes(MAX_DRAFT_BYTES))) == []
