"""What is typed at a table."""

import asyncio
import os
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from p2pokey.cli.console import HELP, Console
from p2pokey.cli.table_texts import PHRASES, language, phrase_text, table_text
from p2pokey.errors import LocalProtocolError
from p2pokey.peer.table_events import ChatPhrase, Question, QuestionClosed, SeatsAgreed
from p2pokey.table.commands import AnswerAsk, AskRematch, AskSeating, Mute, Say, SayPhrase
from p2pokey.table.phrases import Phrase
from p2pokey.table.presence import Presence
from p2pokey.tiles import Seat

NAMES = ("Ayse", "Baran", "Ceren", "Deniz")


@dataclass
class FakeTable:
    """Notes what a console asks of a table."""

    acts: list[object] = field(default_factory=list)
    later: list[object] = field(default_factory=list)
    open: list[object] = field(default_factory=list)
    voided: int = 0
    left: int = 0
    is_between: bool = False
    names: tuple[str, ...] = NAMES
    links: object = field(default_factory=lambda: SimpleNamespace(seat=Seat(1)))

    @property
    def machine(self) -> object:
        return SimpleNamespace(
            open_asks=lambda: self.open,
            missing=lambda opened: opened.must,
            presence=lambda seat: (Presence.AWAY if seat == 2 else Presence.HERE, 0.0),
            match=SimpleNamespace(hands_played=5),
            sheet=SimpleNamespace(
                rows=(
                    SimpleNamespace(attempt=7, points=(0, 0, 0, 0), counts=False),
                    SimpleNamespace(attempt=8, points=(-2, 0, 0, 0), counts=True),
                ),
                totals=(18, 20, 20, 20),
            ),
        )

    def clock(self) -> float:
        return 60.0

    def act(self, command: object) -> None:
        self.acts.append(command)

    def between_hands(self, command: object) -> bool:
        self.later.append(command)
        return self.is_between

    def void(self) -> None:
        self.voided += 1
        raise LocalProtocolError("the hand is not paused")

    def leave(self) -> None:
        self.left += 1


@pytest.fixture
def table() -> FakeTable:
    return FakeTable()


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def console(table: FakeTable, said: list[str]) -> Console:
    return Console(table, say=said.append, lang="en")


def test_a_line_is_said(console: Console, table: FakeTable):
    for text in ("hello", "  hello  ", "", "   "):
        console.line(text)
    assert table.acts == [Say(text="hello")] * 2


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("/7", SayPhrase(code=7)),
        ("/mute 3", Mute(seat=Seat(2), on=True)),
        ("/unmute 3", Mute(seat=Seat(2), on=False)),
        ("/rematch", AskRematch()),
    ],
)
def test_commands(console: Console, table: FakeTable, line: str, command: object):
    console.line(line)
    assert table.acts == [command]


@pytest.mark.parametrize(
    ("line", "order"),
    [
        ("/seats 2 1 3 4", (1, 0, 2, 3)),
        ("/seats 2 1 0 4", (1, 0, 255, 3)),
        ("/kick 3", (0, 1, 255, 3)),
        ("/kick 1", (1, 2, 3, 255)),
    ],
)
def test_other_seats_are_asked_for_between_hands(
    console: Console, table: FakeTable, line: str, order: tuple[int, ...]
):
    console.line(line)
    assert table.later == [AskSeating(order=order)]


@pytest.mark.parametrize(
    "line",
    [
        "/0",
        "/99",
        "/mute",
        "/mute 5",
        "/mute x",
        "/mute 2",
        "/kick 2",
        "/kick 0",
        "/seats 1 2 3",
        "/seats 1 2 3 5",
        "/seats a b c d",
        "/yes",
        "/void",
        "/nonsense",
        "/",
    ],
)
def test_what_cannot_be_done_is_explained(
    console: Console, table: FakeTable, said: list[str], line: str
):
    console.line(line)
    assert table.acts == table.later == []
    assert len(said) == 1


def test_the_newest_question_is_answered(console: Console, table: FakeTable):
    for seq, came in ((4, 1.0), (9, 2.0)):
        table.open.append(
            SimpleNamespace(asker=Seat(0), seq=seq, came=came, must=frozenset({Seat(1)}))
        )
    table.open.append(SimpleNamespace(asker=Seat(2), seq=1, came=3.0, must=frozenset({Seat(0)})))
    console.line("/no")
    assert table.acts == [AnswerAsk(asker=Seat(0), seq=9, yes=False)]


def test_who_and_score(console: Console, said: list[str]):
    console.line("/who")
    assert "3 Ceren: away since" in said[2]
    assert said[1].endswith("(you)")
    console.line("/score")
    assert said[-3:] == [
        "  cancelled: Ayse +0, Baran +0, Ceren +0, Deniz +0",
        "  hand 5: Ayse -2, Baran +0, Ceren +0, Deniz +0",
        "  score: Ayse 18, Baran 20, Ceren 20, Deniz 20",
    ]


def test_what_a_command_does_is_confirmed(console: Console, table: FakeTable, said: list[str]):
    console.line("/mute 3")
    console.line("/unmute 3")
    console.line("/kick 3")
    assert [text.strip() for text in said] == [
        "You see nothing more of what seat 3 (Ceren) says; /unmute 3 shows it again.",
        "You see again what seat 3 (Ceren) says.",
        "The others are asked when this hand is over.",
    ]
    table.is_between = True
    console.line("/seats 2 1 3 4")  # all are asked at once, and see the question
    assert len(said) == 3


def test_the_help_is_in_two_columns():
    lines = HELP.splitlines()[1:]
    starts = {len(line) - len(line[20:].lstrip()) for line in lines}
    assert starts == {22}
    assert all(line[20:22] == "  " for line in lines)
    assert all(len(line) <= 99 for line in lines)


def test_leaving_and_help(console: Console, table: FakeTable, said: list[str]):
    console.line("/leave")
    console.line("/help")
    assert table.left == 1
    assert said[-1] == HELP


def test_every_phrase_has_a_text_in_both_languages(console: Console, said: list[str]):
    for lang in ("en", "tr"):
        assert set(PHRASES[lang]) == set(Phrase)
        assert len(set(PHRASES[lang].values())) == len(Phrase)
    assert phrase_text(200, "tr") == "(phrase 200)"
    console.line("/phrases")
    assert len(said) == len(Phrase)


@pytest.mark.parametrize(
    ("environment", "lang"),
    [({"LANG": "tr_TR.UTF-8"}, "tr"), ({"LANG": "tr", "LC_ALL": "C"}, "en"), ({}, "en")],
)
def test_the_language_is_the_locales(environment: dict[str, str], lang: str):
    assert language(environment) == lang


def test_events_are_told_in_one_line():
    def name(seat: int) -> str:
        return NAMES[seat]

    phrase = ChatPhrase(seat=Seat(2), seq=0, code=Phrase.HELLO)
    assert table_text(phrase, name, "tr") == "Ceren: Merhaba!"
    ask = Question(asker=Seat(0), seq=1, what="seating", order=(1, 0, 255, 3), must_answer=True)
    assert table_text(ask, name, "en") == (
        "  Ayse asks for these seats: 1 Baran, 2 Ayse, 3 somebody new, 4 Deniz."
        " Answer with /yes or /no."
    )
    closed = QuestionClosed(
        asker=Seat(0), seq=1, what="rematch", outcome="refused", against=(Seat(3),)
    )
    expected = "  The question about a rematch has been refused (Deniz)."
    assert table_text(closed, name, "en") == expected
    out = SeatsAgreed(order=(1, 0, 255, 3), seat=None)
    assert table_text(out, name, "en").endswith("you are not among them.")


def test_lines_are_read_as_they_come(table: FakeTable, said: list[str], monkeypatch):
    reading, writing = os.pipe()
    monkeypatch.setattr("p2pokey.cli.console._STDIN", reading)

    async def main() -> None:
        task = asyncio.create_task(Console(table, say=said.append).read())
        for part in (b"hel", b"lo\nand ", b"more\n", b"\xff\n"):
            os.write(writing, part)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        os.close(writing)
        await task

    asyncio.run(main())
    os.close(reading)
    assert table.acts == [Say(text=text) for text in ("hello", "and more", "\ufffd")]


def test_where_nobody_types_nothing_is_read(
    table: FakeTable, said: list[str], monkeypatch, tmp_path
):
    with (tmp_path / "input").open("w+b") as file:
        monkeypatch.setattr("p2pokey.cli.console._STDIN", file.fileno())
        asyncio.run(Console(table, say=said.append).read())
    assert table.acts == []
