"""What a command line says about the room, and what becomes of it."""

import asyncio
import os

import pytest

from p2pokey.cli import asking, rooms, sitting
from p2pokey.cli.asking import Asker, ask_password
from p2pokey.cli.exits import CommandError
from p2pokey.cli.output import Output
from p2pokey.cli.rooms import GuestRoom, HostRoom, RoomWishes, guest_room, room_text
from p2pokey.errors import InvalidInvite, PasswordNeeded
from p2pokey.net.invites import parse_room
from p2pokey.net.progress import Phase, Progress
from p2pokey.peer.labels import seat_labels
from p2pokey.table.roster import Roster, RosterSeat
from tests.net.support import run as run_async

KEYS = tuple(bytes([index]) * 32 for index in range(1, 5))


class Typed:
    """Standard input on which a test types."""

    def __init__(self, monkeypatch):
        self._read, self._write = os.pipe()
        monkeypatch.setattr(asking, "_STDIN", self._read)

    def type(self, text):
        os.write(self._write, text.encode())

    def end(self):
        os.close(self._write)
        self._write = None

    def rest(self):
        os.set_blocking(self._read, False)
        try:
            return os.read(self._read, 100)
        except BlockingIOError:
            return b""

    def close(self):
        os.close(self._read)
        if self._write is not None:
            os.close(self._write)


@pytest.fixture
def typed(monkeypatch):
    stdin = Typed(monkeypatch)
    monkeypatch.setattr(rooms, "can_ask", lambda: True)
    yield stdin
    stdin.close()


def host_room(*, seats=4, **wishes):
    return HostRoom(Output(), RoomWishes(**wishes), seats=seats, rules="classic")


# --- questions ---


@pytest.mark.parametrize(
    ("text", "agreed"), [("y\n", True), ("YES \n", True), ("\n", False), ("no\n", False)]
)
def test_only_yes_is_yes(typed, text, agreed):
    async def main():
        typed.type(text)
        return await Asker(output=Output()).agrees("Let them in?")

    assert run_async(main()) is agreed


def test_nobody_at_the_keyboard_is_no(typed):
    async def main():
        typed.end()
        asker = Asker(output=Output())
        return await asker.agrees("Let them in?"), await asker.ask("?")

    assert run_async(main()) == (False, None)


def test_questions_wait_for_their_turn_and_get_their_own_answers(typed, capsys):
    async def main():
        asker = Asker(output=Output())
        typed.type("one\ntwo\n")
        return await asyncio.gather(asker.ask("first?"), asker.ask("second?"))

    assert run_async(main()) == ["one", "two"]
    assert capsys.readouterr().err.splitlines() == ["first?", "second?"]


def test_a_question_that_nobody_waits_for_reads_nothing(typed):
    async def main():
        asking_ = asyncio.ensure_future(Asker(output=Output()).ask("?"))
        await asyncio.sleep(0)
        asking_.cancel()
        await asyncio.wait([asking_])
        assert not asyncio.get_running_loop().remove_reader(asking._STDIN)
        typed.type("for somebody else\n")
        await asyncio.sleep(0)

    run_async(main())
    assert typed.rest() == b"for somebody else\n"


# --- passwords ---


def test_a_password_comes_from_the_environment(monkeypatch):
    monkeypatch.setenv("P2POKEY_PASSWORD", " masa ")
    assert ask_password(is_new=True) == "masa"
    assert host_room(password=True).settings["room_password"] == "masa"


def test_a_password_is_asked_for_unseen(monkeypatch):
    monkeypatch.delenv("P2POKEY_PASSWORD", raising=False)
    monkeypatch.setattr(asking, "can_ask", lambda: True)
    asked = []
    monkeypatch.setattr(
        asking.click, "prompt", lambda text, **how: asked.append((text, how)) or "masa"
    )
    assert ask_password(is_new=True) == "masa"
    assert asked == [
        ("Password of the table", {"hide_input": True, "confirmation_prompt": True, "err": True})
    ]


def test_without_a_terminal_or_a_password_it_says_what_to_do(monkeypatch):
    monkeypatch.setenv("P2POKEY_PASSWORD", "  ")
    monkeypatch.setattr(asking, "can_ask", lambda: False)
    with pytest.raises(CommandError, match="no terminal") as caught:
        ask_password(is_new=False)
    assert "P2POKEY_PASSWORD" in caught.value.advice
    monkeypatch.setattr(asking, "can_ask", lambda: True)
    monkeypatch.setattr(asking.click, "prompt", lambda text, **how: " ")
    with pytest.raises(CommandError, match="empty password"):
        ask_password(is_new=False)


# --- public tables ---


def test_the_host_of_a_public_table_is_warned_and_decides_on_each(typed, capsys):
    room = host_room(public="Çay\u202e ve okey")

    async def main():
        typed.type("y\nn\n")
        accept = room.settings["accept"]
        return [await accept("Bora", KEYS[1]), await accept("Eve", KEYS[2])]

    assert run_async(main()) == [True, False]
    assert room.settings["listing"].title == "Çay ve okey"
    err = capsys.readouterr().err
    assert "does not protect you against the signalling server" in err
    assert "Bora (key 0202 0202) has no code" in err


def test_all_are_let_in_only_if_that_was_asked_for():
    room = host_room(public="Okey", accept_all=True)

    async def main():
        return await room.settings["accept"]("Bora", KEYS[1])

    assert run_async(main())


def test_a_table_that_is_not_public_decides_on_nobody():
    assert host_room().settings["accept"] is None
    assert host_room().settings["listing"] is None


@pytest.mark.parametrize(
    ("wishes", "sentence"),
    [
        ({"bots": 2, "seats": 2}, "has room for 1"),
        ({"accept_all": True}, "for public tables"),
        ({"public": " \u200b ", "accept_all": True}, "title"),
        ({"public": "Okey"}, "no terminal"),
        ({"public": "x" * 41, "accept_all": True}, "at most 40 characters"),
    ],
)
def test_wishes_that_do_not_fit_together_are_refused(monkeypatch, wishes, sentence):
    monkeypatch.setattr(rooms, "can_ask", lambda: False)
    with pytest.raises(CommandError, match=sentence):
        host_room(**wishes)


def test_a_guest_of_a_public_table_names_its_room_and_is_warned(capsys):
    room = guest_room(Output(), "k7q2m", is_public=True, has_password=False)

    assert (room.invite.room, room.invite.way) == ("K7Q2M", "listed")
    assert "Compare the safety words" in capsys.readouterr().err
    with pytest.raises(InvalidInvite, match="words"):
        guest_room(Output(), "K7Q2M", is_public=False, has_password=False)
    with pytest.raises(InvalidInvite, match="no room"):
        guest_room(Output(), "K7Q2M-lale-deniz-kartal", is_public=True, has_password=False)


# --- the window ---


class FakeControl:
    def __init__(self):
        self.orders = []

    def reopen(self, seconds):
        self.orders.append(seconds)

    def give_up(self):
        self.orders.append("give up")


@pytest.mark.parametrize(("text", "order"), [("\n", 120), ("end\n", "give up"), (None, "give up")])
def test_a_window_that_ran_out_is_opened_again_if_the_host_wants(typed, text, order):
    room = host_room(window_s=120)
    room._control = FakeControl()
    told = []

    async def main():
        room.watch(told.append)(Progress(phase=Phase.WINDOW_CLOSED, done=2, total=4))
        typed.type(text) if text else typed.end()
        await asyncio.wait([room._question])

    run_async(main())
    assert room._control.orders == [order]
    assert [step.phase for step in told] == [Phase.WINDOW_CLOSED]


def test_without_a_terminal_a_window_that_runs_out_ends_the_table(monkeypatch):
    monkeypatch.setattr(rooms, "can_ask", lambda: False)
    assert host_room().settings["control"] is None


# --- what is told ---

TOLD = (
    Phase.WINDOW_CLOSED,
    Phase.WINDOW_OPEN,
    Phase.HOST_DECIDES,
    Phase.BANNED_KNOCKED,
    Phase.STRANGER_LEFT,
    Phase.SAME_KEY,
    Phase.WRONG_CODE,
    Phase.CODE_BURNT,
    Phase.FALSE_RUNNER,
)


@pytest.mark.parametrize("phase", TOLD)
def test_each_of_these_is_one_sentence(phase):
    text = room_text(Progress(phase=phase, name="Eve", done=1, total=2))

    assert text
    assert text.endswith(".")
    assert "\n" not in text


def test_other_steps_are_told_elsewhere():
    assert room_text(Progress(phase=Phase.READY)) is None


def test_computer_players_are_labelled_with_their_runner():
    def seat(index, name, runner):
        return RosterSeat(public_key=KEYS[index], runner=runner, nonce_commit=bytes(32), name=name)

    seats = (
        seat(0, "Ayşe", KEYS[0]),
        seat(1, "Zeki", KEYS[0]),
        seat(2, "Bora", KEYS[2]),
        seat(3, "Robot", bytes(32)),
    )
    labels = seat_labels(Roster(room="K7Q2M", epoch=1, rules=b"{}", seats=seats))
    assert labels == (
        "Ayşe",
        "Ayşe's bot Zeki",
        "Bora",
        "somebody else's bot Robot",
    )


# --- coming to a table that asks for a password ---


@pytest.fixture
def joining(monkeypatch):
    """Each try to join, by its password; the table's is `masa`."""
    tries = []

    def join(sitter, room):
        tries.append(room.password)
        if not room.password:
            raise PasswordNeeded
        return 0

    monkeypatch.setattr(sitting, "_join", join)
    monkeypatch.setattr(sitting, "ask_password", lambda *, is_new: "masa")
    return tries


def a_room(password=""):
    return GuestRoom(invite=parse_room("K7Q2M"), password=password)


def test_a_person_is_asked_for_a_password_that_is_needed(joining, monkeypatch):
    monkeypatch.setattr(sitting, "can_ask", lambda: True)
    assert sitting.run_join(None, a_room()) == 0
    assert joining == ["", "masa"]


def test_the_environment_answers_where_nobody_is(joining, monkeypatch):
    monkeypatch.setenv("P2POKEY_PASSWORD", "masa")
    monkeypatch.setattr(sitting, "can_ask", lambda: False)
    assert sitting.run_join(None, a_room()) == 0
    assert joining == ["", "masa"]


def test_nobody_is_asked_where_nobody_is(joining, monkeypatch):
    monkeypatch.delenv("P2POKEY_PASSWORD", raising=False)
    monkeypatch.setattr(sitting, "can_ask", lambda: False)
    with pytest.raises(PasswordNeeded):
        sitting.run_join(None, a_room())
    assert joining == [""]
